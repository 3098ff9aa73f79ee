/* SPDX-License-Identifier: Apache-2.0 */
/* One worker that executes code: registers, tiles, views, a core. */
#ifndef PTO_RUN_MACHINE_H
#define PTO_RUN_MACHINE_H

#include "check/check.h"
#include "core/core.h"
#include "pass/code.h"
#include <pto/program.h>

#include <stdatomic.h>

/* The buffer behind a parameter. */
typedef struct pto_machine_buffer {
    uint8_t *data;
    size_t bytes;
    bool read_only, fresh; /* pto_argument */
    const char *name;
    const uint8_t
        *initial; /* of a tile argument: what it held before the run; every block begins with that */
} pto_machine_buffer;

/* An instruction ready for the door. */
typedef struct pto_machine_instr {
    pto_instr instr;
    uint8_t depend_count, patch_count;
    const uint32_t *depend[PTO_MAX_OPERANDS]; /* versions of what may vary */
    uint32_t seen;                            /* their sum when it was verified */
    struct {
        uint8_t position;
        bool is_float;
        int32_t reg;
    } patch[PTO_MAX_OPERANDS]; /* scalars that come from registers */
    int32_t changes;
} pto_machine_instr;

enum { PTO_MACHINE_WARNINGS = 64 }; /* more are not kept */

/* One element of a tile or a buffer that a scalar operation loads or stores: checked, inside of its bytes. */
typedef struct pto_machine_element {
    uint8_t *base;
    int64_t index; /* in elements of dtype from base */
    pto_dtype dtype;
    bool store;
    int memory;           /* pto_loc or PTO_CHECK_GLOBAL */
    pto_register *target; /* of a load */
    pto_register value;   /* of a store */
} pto_machine_element;

typedef struct pto_machine pto_machine;

/* Who takes what has an effect, in place of the machine that would execute it at once: an order of its own
 * (schedule.h). The machine stands at op m->at. A call may set m->pause: the machine returns behind the op.
 */
typedef struct pto_machine_issue {
    void *user;
    bool all_sections; /* one machine walks for both cores, in the order of the text */
    /* may be NULL: before every op; what is not PTO_OK ends the run */
    pto_status (*visit)(void *user, pto_machine *machine, const pto_code_op *op);
    /* an instruction, its operands as they are now; they are legal */
    pto_status (*instr)(void *user, pto_machine *machine, const pto_instr *instr);
    /* may be NULL: the checker alone is told */
    pto_status (*sync)(void *user, pto_machine *machine, pto_code_sync kind, pto_pipe src, pto_pipe dst,
                       int64_t id);
    pto_status (*element)(void *user, pto_machine *machine, const pto_machine_element *element);
    pto_status (*print)(void *user, pto_machine *machine, const char *text, size_t len);
    /* the machine is about to touch bytes itself: everything issued must be done first; sets m->pause and
     * m->again where it is not */
    void (*drain)(void *user, pto_machine *machine);
} pto_machine_issue;

struct pto_machine {
    const pto_code *code;
    pto_core *core;
    const pto_machine_buffer *buffer; /* one a parameter */
    pto_register *reg;
    pto_tile *tile;
    uint32_t *tile_version;
    pto_global *view;
    uint32_t *view_version;
    pto_machine_instr *instr;
    int64_t run, runs; /* of the entry: one a vector core of a block */
    int64_t block, blocks, subblock, subblocks;
    pto_checker *checker; /* NULL = no checks; not owned */
    bool used;            /* memories hold what an earlier block left */
    bool shares;          /* the core is not its own */
    const volatile int *cancel;
    const atomic_uint *stop_above; /* lowest failed block: higher ones end */
    /* text of TPRINT and pto.print of this block */
    char *text;
    size_t text_len, text_capacity;
    bool text_lost;
    /* warnings of the instructions at their places in the text, and the block that each was first met in */
    pto_diag_list *warnings;
    uint32_t warned_in[PTO_MACHINE_WARNINGS];
    /* the failure: at op `fault`, by a rule of the executor (else the core's diagnostics say) */
    int32_t fault;
    const char *rule;
    char found[160], allowed[64];
    /* taking turns with others: which core of the block this machine walks for, and where it stands */
    const pto_machine_issue *issue; /* NULL = everything is executed at once */
    int core_number, section;       /* 0 cube or the only one, 1 vector; section = whose code is at hand */
    int64_t segment;                /* sections begun and ended so far */
    int32_t at;
    bool pause, again, ended; /* again: the op at hand comes once more behind the pause */
};

/* False without memory. Destroy takes a machine that was zeroed. */
bool pto_machine_create(pto_machine *machine, const pto_code *code, const pto_options *options,
                        const pto_machine_buffer *buffers);
void pto_machine_destroy(pto_machine *machine);
/* The machine executes on a core of somebody else's, in place of its own. */
void pto_machine_share(pto_machine *machine, pto_core *core);

/* A run in steps: begin, then go on until m->ended; go on returns when m->pause was set. */
void pto_machine_begin(pto_machine *machine, uint32_t run);
pto_status pto_machine_go_on(pto_machine *machine);
/* What a run leaves behind: tile arguments are copied out. Part of pto_machine_run. */
void pto_machine_end(pto_machine *machine);
/* Loads or stores an element. */
void pto_machine_move_element(const pto_machine_element *element);
/* Moves what the core has said of op `at` to the warnings. */
void pto_machine_keep_warnings(pto_machine *machine, int32_t at);

/* Executes one run: on vector core run % subblocks of block run / subblocks. PTO_ERR_CANCELLED also when a
 * lower run failed. */
pto_status pto_machine_run(pto_machine *machine, uint32_t run);

/* Adds what the core said of the instruction at op `at`, at its operand's place in the text; whether it was
 * kept. */
bool pto_machine_report(const pto_machine *machine, int32_t at, const pto_diagnostic *diagnostic,
                        pto_diag_list *to);
void pto_machine_print(void *machine, const char *text, size_t len);
pto_status pto_machine_fail(pto_machine *machine, const char *rule, const char *allowed, const char *found,
                            ...) __attribute__((format(printf, 4, 5)));

/* Integer, float, compare and cast operations (60, 3.3). */
pto_status pto_machine_scalar(pto_machine *machine, const pto_code_op *op);
/* Pointers, views and tile handles. */
pto_status pto_machine_access(pto_machine *machine, const pto_code_op *op);
/* A handle or a view is replaced: its version moves on when something that legality looks at has changed. */
void pto_machine_set_tile(pto_machine *machine, int32_t slot, const pto_tile *tile);
void pto_machine_set_view(pto_machine *machine, int32_t slot, const pto_global *view);

#endif
