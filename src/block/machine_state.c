/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a block machine, its memory map, its tile queues, what a host may ask. */
#include "block/machine.h"
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

pto_block_machine *pto_block_machine_create(const pto_block_profile *profile) {
    pto_block_machine *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    if (profile)
        m->profile = *profile;
    if (!m->profile.tile_bytes_min)
        m->profile.tile_bytes_min = 128;
    if (!m->profile.tile_bytes_max)
        m->profile.tile_bytes_max = 256 << 10;
    if (!m->profile.tile_bytes_live)
        m->profile.tile_bytes_live = 512 << 10;
    pto_options options = {.target = PTO_TARGET_CPU, .simd = m->profile.simd};
    options.numeric.relu_keeps_nan = m->profile.relu_keeps_nan;
    options.numeric.typed_fold = true; /* 70, 9.4 */
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        options.memory_bytes[loc] = 64; /* its tiles live in the queues */
    m->core = pto_core_make(&options);
    m->fault = (pto_block_fault_info){.rule = "", .operand = "", .text = ""};
    if (!m->core) {
        free(m);
        return NULL;
    }
    m->core->host.block_form = true;
    return m;
}

static void drop_image(pto_block_machine *m) {
    for (size_t i = 0; m->plan && i < m->image_size / 2 + 1; i++)
        free(m->plan[i]);
    free(m->plan);
    free(m->code);
    free(m->image);
    m->plan = NULL;
    m->code = NULL;
    m->image = NULL;
    m->image_size = 0;
}

void pto_block_machine_destroy(pto_block_machine *m) {
    if (!m)
        return;
    for (int q = 0; q < 4; q++)
        for (int i = 0; i < PTO_BLOCK_DEPTH; i++)
            if (m->queue[q].entry[i].live)
                free(m->queue[q].entry[i].data);
    for (int size = 0; size < 16; size++)
        while (m->free_tiles[size]) {
            uint8_t *next;
            memcpy(&next, m->free_tiles[size], sizeof next);
            free(m->free_tiles[size]);
            m->free_tiles[size] = next;
        }
    drop_image(m);
    free(m->acc.data);
    free(m->staging);
    pto_core_destroy(m->core);
    free(m);
}

void *pto_block_staging(pto_block_machine *m, size_t bytes) {
    if (bytes > m->staging_bytes || !m->staging) {
        const size_t rounded = (bytes + 64 + 63) / 64 * 64;
        void *grown = aligned_alloc(64, rounded);
        if (!grown)
            return NULL;
        free(m->staging);
        m->staging = grown;
        m->staging_bytes = rounded;
    }
    return m->staging;
}

/* ---- tiles ---- */

uint8_t *pto_block_take(pto_block_machine *m, unsigned size) {
    uint8_t *data = m->free_tiles[size];
    if (data) {
        memcpy((void *)&m->free_tiles[size], (const void *)data, sizeof(void *));
        return data;
    }
    const size_t bytes = (size_t)pto_block_size_bytes(size);
    return aligned_alloc(64, bytes < 64 ? 64 : bytes);
}

void pto_block_give(pto_block_machine *m, uint8_t *data, unsigned size) {
    memcpy((void *)data, (const void *)&m->free_tiles[size], sizeof(void *));
    m->free_tiles[size] = data;
}

pto_block_entry *pto_block_find_entry(pto_block_machine *m, unsigned queue, unsigned distance) {
    pto_block_queue *q = &m->queue[queue];
    if (distance > q->pushes || distance > PTO_BLOCK_DEPTH)
        return NULL;
    pto_block_entry *entry = &q->entry[(q->pushes - distance) % PTO_BLOCK_DEPTH];
    return entry->live ? entry : NULL;
}

void pto_block_release_entry(pto_block_machine *m, pto_block_entry *entry) {
    if (!entry->live)
        return;
    entry->live = false;
    pto_block_give(m, entry->data, entry->size);
    m->live_bytes -= pto_block_size_bytes(entry->size);
    m->live_count--;
}

void pto_block_push_entry(pto_block_machine *m, unsigned queue, const pto_block_entry *entry) {
    pto_block_queue *q = &m->queue[queue];
    pto_block_entry *slot = &q->entry[q->pushes % PTO_BLOCK_DEPTH];
    pto_block_release_entry(m, slot);
    *slot = *entry;
    slot->live = true;
    m->live_bytes += pto_block_size_bytes(entry->size);
    m->live_count++;
    q->pushes++;
}

int64_t pto_block_offset(unsigned layout, unsigned bits, int64_t rows, int64_t cols, int64_t row,
                         int64_t col) {
    const int64_t c0 = bits < 8 ? 64 : 256 / bits, r0 = c0;
    switch (layout) {
    case 1:
        return col * rows + row;
    case 2:
        return row / 16 * cols * 16 + col / c0 * 16 * c0 + row % 16 * c0 + col % c0;
    case 3:
        return row / r0 * cols * r0 + col * r0 + row % r0;
    case 4:
        return col / c0 * rows * c0 + row * c0 + col % c0;
    case 5:
        return col / 16 * rows * 16 + row / r0 * r0 * 16 + col % 16 * r0 + row % r0;
    default:
        return row * cols + col;
    }
}

bool pto_block_tile_at(const pto_block_machine *m, unsigned queue, unsigned distance, pto_block_tile *tile) {
    const pto_block_queue *q = queue < 4 ? &m->queue[queue] : NULL;
    if (!q || !distance || distance > PTO_BLOCK_DEPTH || distance > q->pushes)
        return false;
    const pto_block_entry *entry = &q->entry[(q->pushes - distance) % PTO_BLOCK_DEPTH];
    if (entry->live)
        *tile = (pto_block_tile){.type = entry->type,
                                 .predicate = entry->predicate,
                                 .bytes = (uint32_t)pto_block_size_bytes(entry->size),
                                 .rows = entry->rows,
                                 .cols = entry->cols,
                                 .valid_rows = entry->valid_rows,
                                 .valid_cols = entry->valid_cols,
                                 .layout = entry->layout,
                                 .data = entry->data};
    return entry->live;
}

pto_status pto_block_push(pto_block_machine *m, unsigned queue, const pto_block_tile *tile) {
    unsigned size = 1;
    while (size < 16 && pto_block_size_bytes(size) != tile->bytes)
        size++;
    const unsigned bits = tile->type < 31 ? pto_block_type_bits(tile->type) : 0;
    const int64_t needed = (int64_t)tile->rows * tile->cols * (tile->predicate ? 1 : bits);
    if (queue > 3 || size > 15 || !bits || tile->rows < 1 || tile->cols < 1 || tile->valid_rows < 1 ||
        tile->valid_cols < 1 || tile->valid_rows > tile->rows || tile->valid_cols > tile->cols ||
        tile->layout > 5 || tile->cols > 65535 || tile->rows > 1 << 23 ||
        (needed + 7) / 8 > (int64_t)tile->bytes)
        return PTO_ERR_USAGE;
    uint8_t *data = pto_block_take(m, size);
    if (!data)
        return PTO_ERR_NOMEM;
    memcpy(data, tile->data, tile->bytes);
    const pto_block_entry entry = {.predicate = tile->predicate,
                                   .type = (uint8_t)tile->type,
                                   .layout = (uint8_t)tile->layout,
                                   .size = (uint8_t)size,
                                   .rows = tile->rows,
                                   .cols = tile->cols,
                                   .valid_rows = tile->valid_rows,
                                   .valid_cols = tile->valid_cols,
                                   .data = data};
    pto_block_push_entry(m, queue, &entry);
    return PTO_OK;
}

uint64_t pto_block_pushes(const pto_block_machine *m, unsigned queue) {
    return queue < 4 ? m->queue[queue].pushes : 0;
}
unsigned pto_block_live_tiles(const pto_block_machine *m, uint64_t *bytes) {
    if (bytes)
        *bytes = m->live_bytes;
    return m->live_count;
}

/* ---- memory ---- */

static bool overlaps(const pto_block_machine *m, uint64_t address, size_t size) {
    for (int i = 0; i < m->region_count; i++) {
        const pto_block_region *region = &m->region[i];
        if (address < region->address + region->size && region->address < address + size)
            return true;
    }
    return false;
}

static pto_status map(pto_block_machine *m, uint64_t address, void *host, size_t size, bool read_only,
                      bool code) {
    if (!size || address + size < address || overlaps(m, address, size))
        return PTO_ERR_USAGE;
    if (m->region_count == PTO_BLOCK_MAX_REGIONS)
        return PTO_ERR_LIMIT;
    m->region[m->region_count++] = (pto_block_region){address, size, host, read_only, code};
    return PTO_OK;
}

pto_status pto_block_map(pto_block_machine *m, uint64_t address, void *host, size_t size, bool read_only) {
    return map(m, address, host, size, read_only, false);
}

pto_status pto_block_load(pto_block_machine *m, const pto_block_image *image) {
    if (image->address & 1)
        return PTO_ERR_USAGE;
    drop_image(m);
    int kept = 0;
    for (int i = 0; i < m->region_count; i++)
        if (!m->region[i].code)
            m->region[kept++] = m->region[i];
    m->region_count = kept;
    const size_t count = image->size / 2 + 1;
    m->image = malloc(image->size + 1);
    m->code = malloc(count * sizeof *m->code);
    m->plan = calloc(count, sizeof(pto_block_plan *));
    if (!m->image || !m->code || !m->plan) {
        drop_image(m);
        return PTO_ERR_NOMEM;
    }
    if (image->size)
        memcpy(m->image, image->bytes, image->size);
    m->image_size = image->size;
    m->image_address = m->pc = image->address;
    for (size_t i = 0; i < count; i++)
        m->code[i].form = CODE_NEW;
    m->kind = BLOCK_NONE;
    m->state = NULL;
    return image->size ? map(m, image->address, m->image, image->size, false, true) : PTO_OK;
}

/* ---- registers ---- */

uint64_t pto_block_gpr(const pto_block_machine *m, unsigned index) { return index < 24 ? m->gpr[index] : 0; }
void pto_block_set_gpr(pto_block_machine *m, unsigned index, uint64_t value) {
    if (index && index < 24)
        m->gpr[index] = value;
}
uint64_t pto_block_pc(const pto_block_machine *m) { return m->pc; }
void pto_block_set_pc(pto_block_machine *m, uint64_t address) {
    m->pc = address;
    m->kind = BLOCK_NONE;
    m->state = NULL;
}
unsigned pto_block_fflags(const pto_block_machine *m) { return m->fflags; }
unsigned pto_block_exit_code(const pto_block_machine *m) { return m->exit_code; }
uint64_t pto_block_instructions(const pto_block_machine *m) { return m->executed; }
const pto_block_fault_info *pto_block_last_fault(const pto_block_machine *m) { return &m->fault; }
void pto_block_set_trace(pto_block_machine *m, pto_write_fn write, void *context) {
    m->trace = write;
    m->trace_context = context;
}

const char *pto_block_fault_name(pto_block_fault fault) {
    static const char *const name[] = {"none",   "ILLEGAL", "BUNDLE", "TILE",  "ALLOC",
                                       "INSTPC", "ALIGN",   "PAGE",   "BREAK", "TRAP"};
    return (unsigned)fault < sizeof name / sizeof *name ? name[fault] : "unknown";
}
