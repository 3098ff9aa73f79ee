/* SPDX-License-Identifier: Apache-2.0 */
/* One simulated AI core and the door: the one function that executes an instruction. */
#ifndef PTO_CORE_H
#define PTO_CORE_H

#include <pto/diag.h>
#include <pto/instr.h>
#include <pto/options.h>

PTO_BEGIN_DECLS

/* A core owns its on-chip memories (zero at creation), the storage of unassigned tiles and its
 * diagnostics. A core is used by one thread at a time; two cores never meet. */
typedef struct pto_core pto_core;

/* Returns NULL when memory is exhausted or an option is out of range. `options` NULL = target cpu. */
PTO_API pto_core *pto_core_create(const pto_options *options);
PTO_API void pto_core_destroy(pto_core *core);
/* Zeroes the memories, drops the storage of unassigned tiles and the diagnostics. Pointers into the
 * core that tiles hold become invalid. */
PTO_API void pto_core_reset(pto_core *core);
PTO_API const pto_options *pto_core_options(const pto_core *core);
PTO_API pto_diag_list *pto_core_diags(pto_core *core);
/* The bytes of an on-chip memory, *bytes of them (NULL = not asked); valid until the core is destroyed. */
PTO_API void *pto_core_memory(pto_core *core, pto_loc loc, uint32_t *bytes);

/* Which of the vector cores of its block this one is (00-model, 12); 0 of 1 at first, kept by a reset. A dual
 * mode of a move from acc gives the first core the upper or left half, the second the other. PTO_ERR_USAGE
 * unless subblock < subblocks. */
PTO_API pto_status pto_core_set_subblock(pto_core *core, uint32_t subblock, uint32_t subblocks);

/* A default-constructed tile of a type: unassigned; dynamic extents start at the capacity. */
PTO_API pto_tile pto_tile_make(pto_tile_type type);
/* The same with dynamic valid extents of the given values, cut to the capacity. */
PTO_API pto_tile pto_tile_make_valid(pto_tile_type type, int32_t valid_rows, int32_t valid_cols);
/* A matrix in global memory: ND rows are `stride` elements apart, DN columns are. No bounds are set. */
PTO_API pto_global pto_global_make_2d(void *data, pto_dtype dtype, pto_layout layout, int64_t rows,
                                      int64_t cols, int64_t stride);
/* TASSIGN(tile, addr): places the tile at a byte offset of its memory (00-model, 9). Refused with
 * SA-0352..0354 rules when it does not fit or is unaligned. Ignored, with a note, in auto mode. */
PTO_API pto_status pto_tile_assign(pto_core *core, pto_tile *tile, uint64_t addr);
/* Gives an unassigned tile storage now; a tile that has storage is left as it is. */
PTO_API pto_status pto_tile_bind(pto_core *core, pto_tile *tile);
/* Sets the dynamic valid extents; refused when the type's extent is static and different, or when
 * it exceeds the capacity. */
PTO_API pto_status pto_tile_set_valid(pto_core *core, pto_tile *tile, int32_t rows, int32_t cols);

/* One element of a vec tile, `offset` elements (of 4-bit types bytes) from its base, whatever the layout:
 * GetValue and SetValue (30). Floats in value->f, integers in value->i; a value is converted as a scalar
 * operand is. PTO_ERR_REFUSED with E0320 or E0909 when the tile is elsewhere or the offset outside of it. */
PTO_API pto_status pto_tile_get_value(pto_core *core, pto_tile *tile, uint32_t offset, pto_scalar *value);
PTO_API pto_status pto_tile_set_value(pto_core *core, pto_tile *tile, uint32_t offset, pto_scalar value);

/* The door. Checks legality (all of it, or only the run-time part when instr->verified), calls the
 * observers, runs the kernel. On a refusal nothing is written, PTO_ERR_REFUSED is returned and the
 * core's diagnostics say why. */
PTO_API pto_status pto_core_execute(pto_core *core, const pto_instr *instr);
/* Decides legality once for an instruction whose operands' types, extents and placement will not
 * change, and marks it verified; the door then skips the checks. */
PTO_API pto_status pto_core_verify(pto_core *core, pto_instr *instr);

/* Integer divisions by zero met so far (10, 1.5). */
PTO_API uint64_t pto_core_zero_divisors(const pto_core *core);
/* Where TPRINT text goes; default: collected and dropped. */
PTO_API void pto_core_set_print(pto_core *core, void (*print)(void *user, const char *text, size_t len),
                                void *user);

/* Checkers of a run (00-model, 11.6, 11.7), in any combination; more in <pto/check.h>. Accesses outside of
 * buffers and memories are errors of every run. */
typedef enum pto_check_kind {
    PTO_CHECK_INIT = 1,   /* bytes that are read and were never written, outputs that nobody writes */
    PTO_CHECK_RACE = 2,   /* conflicting accesses that no flag or barrier orders, on pipes, cores, blocks */
    PTO_CHECK_SYNC = 4,   /* flags, buffer tokens, signals: waits without set, sets without wait, ids */
    PTO_CHECK_MEMORY = 8, /* alignment, clobbered scratch, host buffers freed twice or never */
    PTO_CHECK_ALL = 15
} pto_check_kind;

/* An observer sees every instruction between legality and kernel (checkers, traces). */
typedef struct pto_observer {
    void (*before)(void *user, const pto_core *core, const pto_instr *instr);
    void (*after)(void *user, const pto_core *core, const pto_instr *instr);
    void *user;
} pto_observer;
/* At most 8; returns PTO_ERR_LIMIT beyond. */
PTO_API pto_status pto_core_add_observer(pto_core *core, pto_observer observer);

PTO_END_DECLS
#endif
