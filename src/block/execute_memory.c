/* SPDX-License-Identifier: Apache-2.0 */
/* TMA: loads, stores, moves, gathers and scatters (70, 9.7). Every access is probed in row-major order before
 * anything changes. */
#include "block/execute.h"
#include <pto/ops.h>

#include <string.h>

static bool access_fault(pto_block_job *job, pto_block_fault fault, uint64_t address, const char *what) {
    pto_block_raise(job->m, fault, fault == PTO_BLOCK_ALIGN ? "PTO-E1671" : "PTO-E1672", "",
                    "%s: %s of 0x%llx", job->op->name, what, (unsigned long long)address);
    job->m->fault.address = address;
    return false;
}

/* One element: aligned, and in memory. */
static uint8_t *probe(pto_block_job *job, uint64_t address, unsigned bytes, bool write) {
    if (address & (bytes - 1)) {
        access_fault(job, PTO_BLOCK_ALIGN, address, write ? "store" : "load");
        return NULL;
    }
    uint8_t *host = pto_block_memory(job->m, address, bytes, write);
    if (!host)
        access_fault(job, PTO_BLOCK_PAGE, address, write ? "store" : "load");
    return host;
}

/* The memory side of a load or store: rows (or columns, DN) `stride` bytes apart. */
typedef struct window {
    uint64_t base, stride;
    unsigned bits;
    bool columns; /* DN: element (r, c) at base + c * stride + r * size */
    bool write;
} window;

static uint64_t address_of(const window *w, int32_t row, int32_t col) {
    const uint64_t line = (uint64_t)(w->columns ? col : row), place = (uint64_t)(w->columns ? row : col);
    return w->base + line * w->stride + place * w->bits / 8;
}

static bool probe_window(pto_block_job *job, const window *w) {
    const unsigned bytes = w->bits < 8 ? 1 : w->bits / 8;
    /* whole lines at once where they are good; the first bad element is looked for only then */
    const int32_t lines = w->columns ? job->cols : job->rows, length = w->columns ? job->rows : job->cols;
    const uint64_t span = ((uint64_t)length * w->bits + 7) / 8;
    bool good = !(w->base & (bytes - 1)) && (lines == 1 || !(w->stride & (bytes - 1)));
    for (int32_t i = 0; i < lines && good; i++)
        good = pto_block_memory(job->m, w->base + (uint64_t)i * w->stride, span, w->write) != NULL;
    for (int32_t r = 0; r < job->rows && !good; r++)
        for (int32_t c = 0; c < job->cols; c++)
            if (!probe(job, address_of(w, r, c), bytes, w->write))
                return false;
    return true;
}

static window window_of(pto_block_job *job, unsigned memory_layout, bool write) {
    const unsigned bits = pto_block_type_bits(job->type);
    const int32_t length = memory_layout == 1 ? job->rows : job->cols;
    return (window){.base = job->reg[0],
                    .stride = job->reg_given[1] ? job->reg[1] : ((uint64_t)length * bits + 7) / 8,
                    .bits = bits,
                    .columns = memory_layout == 1,
                    .write = write};
}

/* What the tile has and what the memory has: NORM is ND on both sides. */
static bool layouts(pto_block_job *job, bool load, unsigned *memory, unsigned *tile) {
    unsigned from = 0, to = 0;
    pto_block_layout_ends(job->s->layout, &from, &to);
    *memory = load ? from : to;
    *tile = load ? to : from;
    return *memory <= 1 || pto_block_tile_fault(job, "PTO-E1645", "Layout", "memory is ND or DN");
}

static bool check_pitch(pto_block_job *job, unsigned layout) {
    const unsigned bits = pto_block_type_bits(job->type);
    const int32_t unit = layout == 2 || layout == 4 ? (bits < 8 ? 64 : (int32_t)(256 / bits))
                         : layout == 5              ? 16
                                                    : 1;
    return layout < 2 || job->pitch % unit == 0 ||
           pto_block_tile_fault(job, "PTO-E1642", "LB2", "Col %d is no multiple of %d", (int)job->pitch,
                                (int)unit);
}

static void copy_lines(pto_block_job *job, const window *w, pto_block_entry *tile) {
    const size_t bytes = ((size_t)job->cols * w->bits + 7) / 8, pitch = (size_t)tile->cols * w->bits / 8;
    for (int32_t r = 0; r < job->rows; r++) {
        uint8_t *memory = pto_block_memory(job->m, w->base + (uint64_t)r * w->stride, bytes, w->write);
        uint8_t *line = tile->data + (size_t)r * pitch;
        if (!memory)
            continue;
        memcpy(w->write ? memory : line, w->write ? line : memory, bytes);
    }
}

/* Plain rows in one piece of memory go through the door. */
static bool through_door(pto_block_job *job, const window *w, pto_block_entry *tile, bool *handled) {
    const unsigned bytes = w->bits / 8;
    *handled = w->bits >= 8 && !w->columns && !tile->layout && w->stride < UINT64_C(1) << 40 &&
               w->stride % bytes == 0;
    if (!*handled)
        return true;
    const uint64_t span = (uint64_t)(job->rows - 1) * w->stride + (uint64_t)job->cols * bytes;
    uint8_t *host = pto_block_span(job->m, w->base, span, w->write);
    if (!(*handled = host != NULL))
        return true;
    const pto_dtype dtype = pto_block_bits_dtype(job->type);
    pto_tile on_chip = pto_block_tile_of(tile, dtype);
    pto_global global =
        pto_global_make_2d(host, dtype, PTO_LAYOUT_ND, job->rows, job->cols, (int64_t)(w->stride / bytes));
    pto_instr instr = {.form = w->write ? PTO_FORM_TSTORE : PTO_FORM_TLOAD, .verified = true};
    instr.operand[w->write] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &on_chip};
    instr.operand[!w->write] = (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = &global};
    return pto_core_execute(job->m->core, &instr) == PTO_OK ||
           pto_block_tile_fault(job, "PTO-E1621", "", "the host has no memory for it");
}

static void copy_elements(pto_block_job *job, const window *w, pto_block_entry *tile) {
    const unsigned bytes = w->bits < 8 ? 1 : w->bits / 8;
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++) {
            uint8_t *memory = pto_block_memory(job->m, address_of(w, r, c), bytes, w->write);
            if (!memory)
                continue;
            const unsigned shift = w->bits < 8 && ((w->columns ? r : c) & 1) ? 4 : 0;
            uint64_t code = 0;
            if (!w->write) {
                memcpy(&code, memory, bytes);
                pto_block_set(tile, r, c, w->bits < 8 ? code >> shift & 15 : code);
                continue;
            }
            code = pto_block_get(tile, r, c);
            if (w->bits < 8)
                code = ((uint64_t)*memory & ~(UINT64_C(15) << shift)) | code << shift;
            memcpy(memory, &code, bytes);
        }
}

static bool transfer(pto_block_job *job, const window *w, pto_block_entry *tile) {
    bool handled;
    if (!through_door(job, w, tile, &handled))
        return false;
    if (!handled && !w->columns && !tile->layout && (w->bits >= 8 || job->cols % 2 == 0))
        copy_lines(job, w, tile);
    else if (!handled)
        copy_elements(job, w, tile);
    if (w->write && w->base < job->m->image_address + job->m->image_size)
        pto_block_forget_code(job->m);
    return true;
}

static bool run_load(pto_block_job *job) {
    unsigned memory, layout;
    if (!layouts(job, true, &memory, &layout) || !check_pitch(job, layout) ||
        !pto_block_allocate(job, 0, job->type, false, layout, job->pitch, job->rows, job->cols))
        return false;
    const window w = window_of(job, memory, false);
    if (!probe_window(job, &w) || !transfer(job, &w, &job->dst[0]))
        return false;
    pto_block_pad(job, 0);
    return true;
}

static bool run_store(pto_block_job *job) {
    unsigned memory, layout;
    char name[16];
    if (!layouts(job, false, &memory, &layout))
        return false;
    pto_block_entry *src = job->src[0];
    const bool nz = layout == 4 && src->layout == PTO_BLOCK_LAYOUT_ACC;
    if (src->layout != layout && !nz)
        return pto_block_tile_fault(job, "PTO-E1645", pto_block_source_name(job, 0, name),
                                    "the layout differs");
    if (!pto_block_check_type(job, 0, job->type) ||
        !pto_block_check_shape(job, 0, job->rows, job->cols, job->s->dim_given[2] ? job->pitch : src->cols) ||
        !pto_block_check_values(job, 0))
        return false;
    const window w = window_of(job, memory, true);
    return probe_window(job, &w) && transfer(job, &w, src);
}

static bool run_move(pto_block_job *job) {
    char name[16];
    unsigned from, to;
    pto_block_entry *src = job->src[0];
    if (!pto_block_layout_ends(job->s->layout, &from, &to))
        from = to = src->layout;
    if (src->layout != from && !(from == 4 && src->layout == PTO_BLOCK_LAYOUT_ACC))
        return pto_block_tile_fault(job, "PTO-E1645", pto_block_source_name(job, 0, name),
                                    "the layout differs");
    if (!check_pitch(job, to == PTO_BLOCK_LAYOUT_ACC ? 5 : to) || !pto_block_check_type(job, 0, job->type) ||
        !pto_block_check_shape(job, 0, job->rows, job->cols, job->pitch) || !pto_block_check_values(job, 0) ||
        !pto_block_allocate(job, 0, job->type, false, to, job->pitch, job->rows, job->cols))
        return false;
    pto_block_entry *dst = &job->dst[0];
    if (!src->layout && !to) {
        const pto_dtype dtype = pto_block_bits_dtype(job->type);
        pto_tile out = pto_block_tile_of(dst, dtype), in = pto_block_tile_of(src, dtype), *tiles[1] = {&in};
        if (!pto_block_call(job, PTO_FORM_TMOV, "DA", &out, tiles, dtype))
            return false;
    } else {
        for (int32_t r = 0; r < job->rows; r++)
            for (int32_t c = 0; c < job->cols; c++)
                pto_block_set(dst, r, c, pto_block_get(src, r, c));
    }
    pto_block_pad(job, 0);
    return true;
}

static bool run_prefetch(pto_block_job *job) {
    unsigned memory, layout;
    if (!layouts(job, true, &memory, &layout))
        return false;
    const window w = window_of(job, memory, false);
    return probe_window(job, &w);
}

/* ---- gathers and scatters: an offset in bytes for each element ---- */

static bool check_offsets(pto_block_job *job, int i) {
    char name[16];
    const pto_block_entry *src = job->src[i];
    const unsigned type = src->type;
    const bool good = type == BT_U16 || type == BT_U32 || type == BT_U64 || type == BT_S32 || type == BT_S64;
    if (src->predicate || !good)
        return pto_block_tile_fault(job, "PTO-E1646", pto_block_source_name(job, i, name),
                                    "no type of offsets");
    return pto_block_check_shape(job, i, job->rows, job->cols, job->pitch) && pto_block_check_values(job, i);
}

static bool check_data(pto_block_job *job, int i) {
    return pto_block_check_type(job, i, job->type) &&
           pto_block_check_shape(job, i, job->rows, job->cols, job->pitch) && pto_block_check_values(job, i);
}

static bool check_mask(pto_block_job *job, int i) {
    char name[16];
    if (!job->src[i]->predicate)
        return pto_block_tile_fault(job, "PTO-E1646", pto_block_source_name(job, i, name), "not a predicate");
    return pto_block_check_shape(job, i, job->rows, job->cols, job->pitch) && pto_block_check_values(job, i);
}

static bool check_flat(pto_block_job *job) {
    char name[16];
    for (int i = 0; i < job->op->tiles; i++)
        if (job->src[i]->layout)
            return pto_block_tile_fault(job, "PTO-E1645", pto_block_source_name(job, i, name), "not ND");
    return !job->s->layout || pto_block_tile_fault(job, "PTO-E1645", "Layout", "gathers keep ND");
}

static uint64_t gather_address(pto_block_job *job, int offsets, int32_t r, int32_t c) {
    const pto_block_entry *off = job->src[offsets];
    uint64_t value = pto_block_get(off, r, c);
    if (off->type == BT_S32)
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    return job->reg[0] + value;
}

static bool probe_gather(pto_block_job *job, int offsets, int mask, bool write) {
    const unsigned bytes = pto_block_type_bits(job->type) / 8;
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++)
            if ((mask < 0 || pto_block_get_bit(job->src[mask], r, c)) &&
                !probe(job, gather_address(job, offsets, r, c), bytes, write))
                return false;
    return true;
}

static bool run_gather(pto_block_job *job) {
    const int mask = job->op->tiles == 2 ? 1 : -1;
    if (!check_flat(job) || !check_offsets(job, 0) || (mask > 0 && !check_mask(job, mask)) ||
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols) ||
        !probe_gather(job, 0, mask, false))
        return false;
    const unsigned bytes = pto_block_type_bits(job->type) / 8;
    const uint64_t pad = pto_block_pad_pattern(job->type, job->s->pad);
    pto_block_entry *dst = &job->dst[0];
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++) {
            uint64_t code = pad;
            if (mask < 0 || pto_block_get_bit(job->src[mask], r, c)) {
                const uint8_t *from = pto_block_memory(job->m, gather_address(job, 0, r, c), bytes, false);
                code = 0;
                memcpy(&code, from, bytes);
            } else if (job->s->pad == PTO_BLOCK_PAD_NULL) {
                dst->holes = true;
            }
            pto_block_set(dst, r, c, code);
        }
    pto_block_pad(job, 0);
    return true;
}

static bool run_scatter(pto_block_job *job) {
    const int mask = job->op->tiles == 3 ? 2 : -1;
    if (!check_flat(job) || !check_data(job, 0) || !check_offsets(job, 1) ||
        (mask > 0 && !check_mask(job, mask)) || !probe_gather(job, 1, mask, true))
        return false;
    const unsigned bytes = pto_block_type_bits(job->type) / 8;
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++) {
            if (mask > 0 && !pto_block_get_bit(job->src[mask], r, c))
                continue;
            const uint64_t code = pto_block_get(job->src[0], r, c);
            memcpy(pto_block_memory(job->m, gather_address(job, 1, r, c), bytes, true), &code, bytes);
        }
    pto_block_forget_code(job->m);
    return true;
}

/* Offsets, what is expected, what replaces it. */
static bool run_cas(pto_block_job *job) {
    if (!check_flat(job) || !check_offsets(job, 0) || !check_data(job, 1) || !check_data(job, 2) ||
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols) ||
        !probe_gather(job, 0, -1, true))
        return false;
    const unsigned bytes = pto_block_type_bits(job->type) / 8;
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++) {
            uint8_t *place = pto_block_memory(job->m, gather_address(job, 0, r, c), bytes, true);
            uint64_t old = 0;
            memcpy(&old, place, bytes);
            pto_block_set(&job->dst[0], r, c, old);
            const uint64_t wanted = pto_block_get(job->src[2], r, c);
            if (old == pto_block_get(job->src[1], r, c))
                memcpy(place, &wanted, bytes);
        }
    pto_block_forget_code(job->m);
    pto_block_pad(job, 0);
    return true;
}

bool pto_block_run_memory(pto_block_job *job) {
    switch (job->op->geometry) {
    case GEOMETRY_LOAD:
        return run_load(job);
    case GEOMETRY_STORE:
        return run_store(job);
    case GEOMETRY_MOVE:
        return run_move(job);
    case GEOMETRY_PREFETCH:
        return run_prefetch(job);
    case GEOMETRY_MGATHER:
        return run_gather(job);
    case GEOMETRY_MSCATTER:
        return run_scatter(job);
    default:
        return run_cas(job);
    }
}
