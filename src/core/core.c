/* SPDX-License-Identifier: Apache-2.0 */
/* A core's life: memories, storage of unassigned tiles, observers. */
#include "core/core.h"
#include "kernel/table.h"
#include <pto/ops.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Storage of one unassigned tile; the tile's bytes follow, 64-byte aligned. */
typedef struct pto_core_block {
    struct pto_core_block *next;
    void *base;
} pto_core_block;

static void *aligned_zeroed(size_t bytes, void **base) {
    *base = calloc(1, bytes + ALIGNMENT);
    if (!*base)
        return NULL;
    uintptr_t start = ((uintptr_t)*base + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    return (void *)start;
}

static void *core_scratch(void *user, size_t bytes) {
    pto_core *core = user;
    if (bytes > core->scratch_bytes) {
        size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        void *grown = aligned_alloc(ALIGNMENT, rounded);
        if (!grown)
            return NULL;
        free(core->scratch);
        core->scratch = grown;
        core->scratch_bytes = rounded;
    }
    return core->scratch;
}

static void core_print(void *user, const char *text, size_t len) {
    pto_core *core = user;
    if (core->print)
        core->print(core->print_user, text, len);
}

static _Atomic(pto_core_hook) created;

void pto_core_set_hook(pto_core_hook hook) { atomic_store(&created, hook); }

pto_core *pto_core_create(const pto_options *options) {
    pto_core *core = pto_core_make(options);
    const pto_core_hook hook = atomic_load_explicit(&created, memory_order_acquire);
    if (core && hook)
        hook(core);
    return core;
}

pto_core *pto_core_make(const pto_options *options) {
    pto_core *core = calloc(1, sizeof *core);
    if (!core)
        return NULL;
    if (options)
        core->options = *options;
    core->kernels = pto_kernel_table_get(core->options.simd);
    core->diags = pto_diag_list_create();
    bool ok = core->kernels && core->diags && (unsigned)core->options.target < PTO_TARGET_COUNT;
    for (int loc = 0; ok && loc < PTO_LOC_COUNT; loc++) {
        uint32_t bytes = core->options.memory_bytes[loc];
        core->memory_bytes[loc] = bytes ? bytes : pto_loc_capacity(core->options.target, (pto_loc)loc);
        core->host.memory[loc] = aligned_zeroed(core->memory_bytes[loc], &core->memory_block[loc]);
        ok = core->host.memory[loc] != NULL;
    }
    if (!ok) {
        pto_core_destroy(core);
        return NULL;
    }
    core->subblocks = 1;
    core->host.user = core;
    core->host.scratch = core_scratch;
    core->host.print = core_print;
    core->host.auto_mode = core->options.auto_mode;
    return core;
}

static void drop_storage(pto_core *core) {
    while (core->storage) {
        pto_core_block *next = core->storage->next;
        free(core->storage->base);
        free(core->storage);
        core->storage = next;
    }
}

void pto_core_destroy(pto_core *core) {
    if (!core)
        return;
    if (core->watcher.destroy)
        core->watcher.destroy(core);
    drop_storage(core);
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        free(core->memory_block[loc]);
    free(core->scratch);
    pto_diag_list_destroy(core->diags);
    free(core);
}

pto_core_registers pto_core_get_registers(const pto_core *core) {
    const pto_kernel_host *host = &core->host;
    return (pto_core_registers){host->quant_scalar,
                                host->quant_vector,
                                host->cube_f32_bits,
                                host->cube_f32_round,
                                {host->img2col[0], host->img2col[1]}};
}

void pto_core_set_registers(pto_core *core, const pto_core_registers *registers) {
    core->host.quant_scalar = registers->quant_scalar;
    core->host.quant_vector = registers->quant_vector;
    core->host.cube_f32_bits = registers->cube_f32_bits;
    core->host.cube_f32_round = registers->cube_f32_round;
    memcpy(core->host.img2col, registers->img2col, sizeof core->host.img2col);
}

void pto_core_reset_registers(pto_core *core) { pto_core_set_registers(core, &(pto_core_registers){0}); }

void pto_core_reset(pto_core *core) {
    drop_storage(core);
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        memset(core->host.memory[loc], 0, core->memory_bytes[loc]);
    core->host.zero_divisors = 0;
    pto_core_reset_registers(core);
    pto_diag_list_clear(core->diags);
    if (core->watcher.reset)
        core->watcher.reset(core);
}

const pto_options *pto_core_options(const pto_core *core) { return &core->options; }
pto_diag_list *pto_core_diags(pto_core *core) { return core->diags; }

void *pto_core_memory(pto_core *core, pto_loc loc, uint32_t *bytes) {
    if (bytes)
        *bytes = core->memory_bytes[loc];
    return core->host.memory[loc];
}

uint64_t pto_core_zero_divisors(const pto_core *core) { return core->host.zero_divisors; }

void pto_core_set_print(pto_core *core, void (*print)(void *user, const char *text, size_t len), void *user) {
    core->print = print;
    core->print_user = user;
}

pto_status pto_core_add_observer(pto_core *core, pto_observer observer) {
    if (core->observer_count == PTO_MAX_OBSERVERS)
        return PTO_ERR_LIMIT;
    core->observer[core->observer_count++] = observer;
    return PTO_OK;
}

pto_tile pto_tile_make(pto_tile_type type) {
    return (pto_tile){.type = type,
                      .valid_rows = type.valid_rows < 0 ? type.rows : type.valid_rows,
                      .valid_cols = type.valid_cols < 0 ? type.cols : type.valid_cols};
}

pto_tile pto_tile_make_valid(pto_tile_type type, int32_t valid_rows, int32_t valid_cols) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    pto_tile tile = pto_tile_make(type);
    tile.valid_rows = valid_rows < type.rows ? valid_rows : type.rows;
    tile.valid_cols = valid_cols < type.cols ? valid_cols : type.cols;
    return tile;
}

pto_global pto_global_make_2d(void *data, pto_dtype dtype, pto_layout layout, int64_t rows, int64_t cols,
                              int64_t stride) {
    bool nd = layout == PTO_LAYOUT_ND;
    int64_t plane = nd ? rows * stride : cols * stride;
    return (pto_global){.dtype = dtype,
                        .layout = layout,
                        .shape = {1, 1, 1, rows, cols},
                        .stride = {plane, plane, plane, nd ? stride : 1, nd ? 1 : stride},
                        .data = data};
}

pto_status pto_tile_bind(pto_core *core, pto_tile *tile) {
    if (tile->data)
        return PTO_OK;
    uint64_t bytes = pto_tile_type_bytes(&tile->type);
    if (bytes > core->memory_bytes[tile->type.loc])
        return PTO_ERR_REFUSED; /* legality says so first; here only against a wrong call */
    pto_core_block *block = calloc(1, sizeof *block);
    void *data = block ? aligned_zeroed((size_t)bytes, &block->base) : NULL;
    if (!data) {
        free(block);
        return PTO_ERR_NOMEM;
    }
    block->next = core->storage;
    core->storage = block;
    tile->data = data;
    return PTO_OK;
}

pto_status pto_core_set_subblock(pto_core *core, uint32_t subblock, uint32_t subblocks) {
    if (!subblocks || subblock >= subblocks)
        return PTO_ERR_USAGE;
    core->host.subblock = subblock;
    core->subblocks = subblocks;
    return PTO_OK;
}

pto_status pto_tile_assign(pto_core *core, pto_tile *tile, uint64_t addr) {
    pto_instr instr = {.form = PTO_FORM_TASSIGN};
    instr.operand[0] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = tile};
    instr.operand[1] =
        (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_S64, .i = (int64_t)addr}};
    return pto_core_execute(core, &instr);
}

pto_status pto_tile_set_valid(pto_core *core, pto_tile *tile, int32_t rows, int32_t cols) {
    const pto_tile_type *type = &tile->type;
    bool fixed = (type->valid_rows >= 0 && rows != type->valid_rows) ||
                 (type->valid_cols >= 0 && cols != type->valid_cols);
    if (fixed || rows < 0 || cols < 0 || rows > type->rows || cols > type->cols) {
        pto_diag_add(core->diags, PTO_ERROR, "PTO-E0310", pto_at_operand("tile"), "%s",
                     fixed ? "a static valid extent cannot be changed" : "valid region outside the capacity");
        pto_diag_found(core->diags, "%d x %d", rows, cols);
        pto_diag_allowed(core->diags, "0..%d x 0..%d", type->rows, type->cols);
        return PTO_ERR_REFUSED;
    }
    tile->valid_rows = rows;
    tile->valid_cols = cols;
    return PTO_OK;
}
