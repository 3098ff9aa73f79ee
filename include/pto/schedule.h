/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of execution of programs and kernels. */
#ifndef PTO_SCHEDULE_H
#define PTO_SCHEDULE_H

#include <pto/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PTO_BEGIN_DECLS

/* In which order the operations of a run are executed. PROGRAM: as the program or kernel has them, block
 * after block. The others: an order that the hardware would be free to choose (00-model, 11.6): pipes are
 * queues, flags, barriers, tokens and signals are their only ties, blocks take turns. Programs without a race
 * give the same results in every order. The same schedule gives the same order on every machine. */
typedef enum pto_schedule_kind {
    PTO_SCHEDULE_PROGRAM,
    PTO_SCHEDULE_RANDOM,     /* by `seed` */
    PTO_SCHEDULE_ADVERSARIAL /* always what was issued last */
} pto_schedule_kind;
typedef struct pto_schedule {
    pto_schedule_kind kind;
    uint64_t seed;
    uint64_t prefix; /* so many operations, then program order; 0 = all of them */
} pto_schedule;
/* "program", "adversarial", "random:SEED", the latter two with ":PREFIX" behind them; and back, cut to `size`
 * bytes with the NUL. False when the text is none. */
PTO_API bool pto_schedule_parse(const char *text, pto_schedule *schedule);
PTO_API void pto_schedule_words(const pto_schedule *schedule, char *out, size_t size);

PTO_END_DECLS
#endif
