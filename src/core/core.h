/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a core. */
#ifndef PTO_CORE_CORE_H
#define PTO_CORE_CORE_H

#include "base/arena.h"
#include "isa/legality.h"
#include "kernel/kernel.h"
#include <pto/core.h>

enum { PTO_MAX_OBSERVERS = 8 };

/* Who watches a core for the checkers (run/watch.c): told when its kernel begins anew and when it ends. */
typedef struct pto_core_watcher {
    void *watch, *checker;
    uint32_t run;   /* of the launch */
    uint32_t phase; /* meetings of all agents so far */
    bool in_launch, open;
    void (*reset)(struct pto_core *core);
    void (*destroy)(struct pto_core *core);
} pto_core_watcher;

/* Who keeps operations of a core back, for an order of its own (src/run/schedule.h); the numbers of `sync`
 * are pto_sync_kind. */
typedef struct pto_core_issuer {
    void *user;
    pto_status (*instr)(void *user, pto_core *core, const pto_instr *instr); /* legal, its operands bound */
    /* A scalar access on S: call(data) when its turn comes, `data` is copied unless `wait`: then the caller
     * waits for it. */
    pto_status (*element)(void *user, void (*call)(void *data), void *data, size_t bytes, bool wait);
    pto_status (*sync)(void *user, int kind, pto_pipe src, pto_pipe dst, int64_t id);
} pto_core_issuer;

struct pto_core {
    const pto_core_issuer *issuer; /* NULL = operations are executed at once */
    pto_options options;
    const struct pto_kernel_table *kernels; /* kernel/table.h */
    pto_diag_list *diags;
    void *memory_block[PTO_LOC_COUNT]; /* what free() takes; the aligned start is in host.memory */
    uint32_t memory_bytes[PTO_LOC_COUNT];
    pto_kernel_host host;           /* host.subblock: the number of this vector core, */
    uint32_t subblocks;             /* of so many */
    struct pto_core_block *storage; /* storage of unassigned tiles */
    void *scratch;
    size_t scratch_bytes;
    pto_observer observer[PTO_MAX_OBSERVERS];
    int observer_count;
    pto_core_watcher watcher;
    void (*print)(void *user, const char *text, size_t len);
    void *print_user;
};

/* Called with every core that the public functions make; set once, before the first thread: a process under
 * PTO_CHECK. */
typedef void (*pto_core_hook)(pto_core *core);
void pto_core_set_hook(pto_core_hook hook);
/* A core that no hook sees: for front ends that watch it themselves. */
pto_core *pto_core_make(const pto_options *options);

/* What SET_* instructions and modes leave for later ones: an instruction takes it along when it is issued. */
typedef struct pto_core_registers {
    uint64_t quant_scalar;
    const void *quant_vector;
    uint8_t cube_f32_bits, cube_f32_round;
    pto_img2col_registers img2col[2];
} pto_core_registers;
pto_core_registers pto_core_get_registers(const pto_core *core);
void pto_core_set_registers(pto_core *core, const pto_core_registers *registers);

/* Registers as they are when a core starts: what SET_* instructions and modes have left is gone. */
void pto_core_reset_registers(pto_core *core);

/* The view that legality takes of an instruction with run-time values. */
void pto_core_describe(const pto_core *core, const pto_instr *instr, pto_legality *legality);

#endif
