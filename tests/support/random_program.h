/* SPDX-License-Identifier: Apache-2.0 */
/* Random legal programs of levels 2 and 3 for tests: every pipe of one core, loops that turn any number of
 * times, branches, tiles used in turn (double buffers), addresses that overlap, tensors that are read and
 * written. The same seed gives the same text everywhere. */
#ifndef PTO_TESTS_RANDOM_PROGRAM_H
#define PTO_TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct random_program_options {
    uint64_t seed;
    bool addresses;   /* level 3: fixed addresses, some of which overlap */
    int statements;   /* about how many; 0 = 12 */
    bool vector_only; /* no cube memories */
} random_program_options;

/* A module with the function
 *   @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %h: !pto.ptr<f16>, %w: !pto.ptr<f32>, %n: index)
 * whose pointers have RANDOM_PROGRAM_ELEMENTS elements each and whose loops turn up to max(%n, 3) times; x
 * and h are only read, y is written by vec, w by acc tiles, both may be read. Legal on a2a3 and a5; runs for
 * 0 <= n <= 4. The caller frees it. */
char *random_program(const random_program_options *options);
enum { RANDOM_PROGRAM_ELEMENTS = 64 * 16 };

/* xorshift64*: the state is any number but 0. */
uint64_t random_next(uint64_t *state);
static inline uint32_t random_below(uint64_t *state, uint32_t bound) {
    return (uint32_t)(random_next(state) >> 33) % bound;
}

#endif
