/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers, views, tile handles and single elements at run time (60, 3.9.1). */
#include "run/machine.h"

#include "isa/conv.h"
#include "program/facts.h"
#include "tile/global.h"
#include <pto/number.h>

#include <stdio.h>
#include <string.h>

void pto_machine_set_tile(pto_machine *m, int32_t slot, const pto_tile *tile) {
    pto_tile *old = &m->tile[slot];
    bool same = old->data == tile->data && old->addr == tile->addr && old->assigned == tile->assigned &&
                old->valid_rows == tile->valid_rows && old->valid_cols == tile->valid_cols &&
                old->type.rows == tile->type.rows && old->type.cols == tile->type.cols;
    if (!same)
        m->tile_version[slot]++;
    *old = *tile;
}

void pto_machine_set_view(pto_machine *m, int32_t slot, const pto_global *view) {
    pto_global *old = &m->view[slot];
    bool same = old->dtype == view->dtype && old->layout == view->layout &&
                old->read_only == view->read_only && !memcmp(old->shape, view->shape, sizeof old->shape) &&
                !memcmp(old->stride, view->stride, sizeof old->stride);
    if (!same)
        m->view_version[slot]++;
    *old = *view;
}

/* Address of an element; wraps for nonsense, which the bounds check then meets. */
static void *element_at(const void *base, int64_t elements, pto_dtype dtype) {
    int64_t bits = pto_dtype_bits(dtype);
    uint64_t bytes = bits < 8 ? (uint64_t)(elements / 2) : (uint64_t)elements * (uint64_t)(bits / 8);
    return (void *)((uintptr_t)base + (uintptr_t)bytes);
}

static int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static void fill_left(pto_global *view, int rank) {
    for (int d = rank > 0 ? 4 - rank : 3; d >= 0; d--) {
        view->shape[d] = 1;
        view->stride[d] = times(view->shape[d + 1], view->stride[d + 1]);
    }
}

static pto_status make_view(pto_machine *m, const pto_code_op *op) {
    int64_t offset = m->reg[op->a].i, argument = m->reg[op->a + 1].i;
    const pto_machine_buffer *buffer = &m->buffer[argument];
    pto_global view = {.dtype = m->view[op->dst].dtype,
                       .layout = (pto_layout)op->c,
                       .begin = buffer->data,
                       .end = buffer->data + buffer->bytes,
                       .name = buffer->name,
                       .read_only = buffer->read_only};
    view.data = element_at(buffer->data, offset, view.dtype);
    const int32_t *list = m->code->list + op->extra;
    for (int i = 0; i < op->b; i++) {
        view.shape[5 - op->b + i] = m->reg[list[i]].i;
        view.stride[5 - op->b + i] = m->reg[list[op->b + i]].i;
    }
    fill_left(&view, op->b);
    for (int d = 0; d < 5; d++)
        if (view.shape[d] < 0)
            return pto_machine_fail(m, "PTO-E0914", "0 or more", "dimension %lld", (long long)view.shape[d]);
    pto_machine_set_view(m, op->dst, &view);
    return PTO_OK;
}

static pto_status partition(pto_machine *m, const pto_code_op *op) {
    pto_global view = m->view[op->a];
    const int32_t *list = m->code->list + op->extra;
    int64_t elements = 0;
    for (int i = 0; i < op->b; i++) {
        int d = 5 - op->b + i;
        int64_t offset = m->reg[list[i]].i, size = m->reg[list[op->b + i]].i, dim = view.shape[d];
        if (offset < 0 || size < 0 || size > dim || offset > dim - size) {
            char allowed[48];
            snprintf(allowed, sizeof allowed, "inside 0 to %lld of argument %s", (long long)dim - 1,
                     view.name ? view.name : "");
            return pto_machine_fail(m, "PTO-E0914", allowed, "offset %lld, size %lld in dimension %d",
                                    (long long)offset, (long long)size, i);
        }
        elements = plus(elements, times(offset, view.stride[d]));
        view.shape[d] = size;
    }
    view.data = element_at(view.data, elements, view.dtype);
    view.dtype = m->view[op->dst].dtype;
    pto_machine_set_view(m, op->dst, &view);
    return PTO_OK;
}

static pto_status index_view(pto_machine *m, const pto_code_op *op) {
    pto_global view = m->view[op->a];
    const pto_tile *tile = &m->tile[op->b];
    const int32_t *list = m->code->list + op->extra;
    int64_t window[5] = {1, 1, 1, tile->valid_rows, tile->valid_cols}, elements = 0;
    if (tile->type.conv)
        pto_conv_window(tile->type.conv, (pto_layout)op->flag, view.shape, window);
    for (int i = 0; i < op->c; i++) {
        int d = 5 - op->c + i;
        int64_t index = m->reg[list[i]].i, dim = view.shape[d];
        if (index < 0 || window[d] > dim || index > dim - window[d]) {
            char allowed[48];
            snprintf(allowed, sizeof allowed, "inside 0 to %lld of argument %s", (long long)dim - 1,
                     view.name ? view.name : "");
            return pto_machine_fail(m, "PTO-E0914", allowed, "index %lld, size %lld in dimension %d",
                                    (long long)index, (long long)window[d], i);
        }
        elements = plus(elements, times(index, view.stride[d]));
    }
    view.data = element_at(view.data, elements, view.dtype);
    memcpy(view.shape, window, sizeof window);
    view.layout = (pto_layout)op->flag;
    pto_machine_set_view(m, op->dst, &view);
    return PTO_OK;
}

/* ---- single elements --------------------------------------------------------------------------- */

static void get_element(const uint8_t *base, int64_t index, pto_dtype dtype, pto_register *to) {
    unsigned bits = pto_dtype_bits(dtype);
    uint64_t raw = 0;
    if (bits < 8) {
        raw = base[index / 2] >> (index % 2 * 4) & 15;
    } else {
        const uint8_t *from = base + (size_t)index * (bits / 8);
        uint8_t b8;
        uint16_t b16;
        uint32_t b32;
        switch (bits) {
        case 8:
            memcpy(&b8, from, 1);
            raw = b8;
            break;
        case 16:
            memcpy(&b16, from, 2);
            raw = b16;
            break;
        case 32:
            memcpy(&b32, from, 4);
            raw = b32;
            break;
        default:
            memcpy(&raw, from, 8);
            break;
        }
    }
    if (pto_dtype_is_float(dtype))
        to->f = pto_number_to_double(dtype, raw);
    else
        to->i = pto_fact_wrap((int64_t)raw, bits, !pto_dtype_is_signed(dtype));
}

static void put_element(uint8_t *base, int64_t index, pto_dtype dtype, pto_register value) {
    unsigned bits = pto_dtype_bits(dtype);
    uint64_t raw = pto_dtype_is_float(dtype) ? pto_number_from_double(dtype, value.f, PTO_CAST_NONE, false)
                                             : (uint64_t)value.i;
    if (bits < 8) {
        unsigned at = (unsigned)(index % 2) * 4;
        base[index / 2] = (uint8_t)((base[index / 2] & ~(15u << at)) | (unsigned)(raw & 15) << at);
        return;
    }
    uint8_t *to = base + (size_t)index * (bits / 8);
    uint8_t b8 = (uint8_t)raw;
    uint16_t b16 = (uint16_t)raw;
    uint32_t b32 = (uint32_t)raw;
    switch (bits) {
    case 8:
        memcpy(to, &b8, 1);
        break;
    case 16:
        memcpy(to, &b16, 2);
        break;
    case 32:
        memcpy(to, &b32, 4);
        break;
    default:
        memcpy(to, &raw, 8);
        break;
    }
}

void pto_machine_move_element(const pto_machine_element *e) {
    if (e->store)
        put_element(e->base, e->index, e->dtype, e->value);
    else
        get_element(e->base, e->index, e->dtype, e->target);
}

/* At once, or when its turn comes; stores outside of this core's code are the other one's. */
static pto_status element_access(pto_machine *m, const pto_code_op *op, pto_machine_element *e) {
    if (e->store)
        e->value = m->reg[op->c];
    else
        e->target = &m->reg[op->dst];
    if (m->issue && !(e->store && m->section != m->core_number))
        return m->issue->element(m->issue->user, m, e);
    if (!m->issue)
        pto_machine_move_element(e);
    return PTO_OK;
}

static pto_status scalar_access(pto_machine *m, const pto_code_op *op, bool store) {
    const pto_machine_buffer *buffer = &m->buffer[m->reg[op->a + 1].i];
    pto_dtype dtype = (pto_dtype)op->dtype;
    unsigned bits = pto_dtype_bits(dtype);
    int64_t index = plus(m->reg[op->a].i, m->reg[op->b].i);
    uint64_t count = bits < 8 ? (uint64_t)buffer->bytes * 2 : (uint64_t)buffer->bytes / (bits / 8);
    if (index < 0 || (uint64_t)index >= count) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "elements 0 to %lld", (long long)count - 1);
        return pto_machine_fail(m, "PTO-E0913", allowed, "element %lld of argument %s", (long long)index,
                                buffer->name);
    }
    if (store && buffer->read_only)
        return pto_machine_fail(m, "PTO-E0913", "a writable argument", "a store to argument %s",
                                buffer->name);
    if (m->checker) {
        uint64_t base = (uint64_t)(uintptr_t)buffer->data, at = base + (uint64_t)index * bits / 8;
        pto_checker_scalar(m->checker, PTO_CHECK_GLOBAL, at, (bits + 7) / 8, store, base, buffer->name);
    }
    pto_machine_element element = {
        .base = buffer->data, .index = index, .dtype = dtype, .store = store, .memory = PTO_CHECK_GLOBAL};
    return element_access(m, op, &element);
}

static pto_status tile_element(pto_machine *m, const pto_code_op *op, bool store) {
    const pto_tile *tile = &m->tile[op->a];
    int64_t index = m->reg[op->b].i, count = (int64_t)tile->type.rows * tile->type.cols;
    if (index < 0 || index >= count || !tile->data) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "0 to %lld", (long long)count - 1);
        return pto_machine_fail(m, "PTO-E0909", allowed, "%lld", (long long)index);
    }
    if (m->checker) {
        unsigned bits = pto_dtype_bits((pto_dtype)op->dtype);
        pto_checker_scalar(m->checker, (int)tile->type.loc, tile->addr + (uint64_t)index * bits / 8,
                           (bits + 7) / 8, store, 0, NULL);
    }
    pto_machine_element element = {.base = tile->data,
                                   .index = index,
                                   .dtype = (pto_dtype)op->dtype,
                                   .store = store,
                                   .memory = (int)tile->type.loc};
    return element_access(m, op, &element);
}

/* ---- handles ------------------------------------------------------------------------------------- */

static pto_status set_valid(pto_machine *m, const pto_code_op *op, int64_t rows, int64_t cols) {
    pto_tile tile = m->tile[op->dst];
    if (tile.type.valid_rows >= 0)
        rows = tile.type.valid_rows;
    if (tile.type.valid_cols >= 0)
        cols = tile.type.valid_cols;
    if (rows < 0 || cols < 0 || rows > tile.type.rows || cols > tile.type.cols) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "0..%d x 0..%d", tile.type.rows, tile.type.cols);
        return pto_machine_fail(m, "PTO-E0310", allowed, "valid %lld x %lld", (long long)rows,
                                (long long)cols);
    }
    tile.valid_rows = (int32_t)rows;
    tile.valid_cols = (int32_t)cols;
    pto_machine_set_tile(m, op->dst, &tile);
    return PTO_OK;
}

static pto_status subset(pto_machine *m, const pto_code_op *op) {
    const pto_tile *source = &m->tile[op->a];
    const pto_tile_type *from = &source->type;
    pto_tile tile = m->tile[op->dst];
    int64_t row = m->reg[op->b].i, col = m->reg[op->c].i;
    int64_t rows = m->code->list[op->extra], cols = m->code->list[op->extra + 1];
    int32_t box_rows, box_cols;
    pto_tile_type_box(from, &box_rows, &box_cols);
    bool inside = row >= 0 && col >= 0 && row <= from->rows - rows && col <= from->cols - cols;
    if (!inside || row % box_rows || col % box_cols)
        return pto_machine_fail(m, "PTO-E0412", "multiples of the box inside the tile",
                                "%lld x %lld elements at row %lld, column %lld", (long long)rows,
                                (long long)cols, (long long)row, (long long)col);
    int64_t element;
    if (from->slayout == PTO_NONE_BOX)
        element = from->blayout == PTO_ROW_MAJOR ? row * from->cols + col : col * from->rows + row;
    else /* whole rows of boxes, or whole columns of boxes */
        element = from->blayout == PTO_ROW_MAJOR ? row * from->cols : col * from->rows;
    int64_t bytes = element * (int64_t)pto_dtype_bits(from->dtype) / 8;
    tile.data = source->data ? (uint8_t *)source->data + bytes : NULL;
    tile.addr = source->addr + (uint64_t)bytes;
    tile.assigned = source->assigned;
    int64_t valid_rows = source->valid_rows - row, valid_cols = source->valid_cols - col;
    valid_rows = valid_rows < 0 ? 0 : (valid_rows > rows ? rows : valid_rows);
    valid_cols = valid_cols < 0 ? 0 : (valid_cols > cols ? cols : valid_cols);
    tile.valid_rows = tile.type.valid_rows >= 0 ? tile.type.valid_rows : (int32_t)valid_rows;
    tile.valid_cols = tile.type.valid_cols >= 0 ? tile.type.valid_cols : (int32_t)valid_cols;
    pto_machine_set_tile(m, op->dst, &tile);
    return PTO_OK;
}

static void take_handle(pto_machine *m, const pto_code_op *op) {
    pto_tile tile = m->tile[op->a];
    pto_tile_type type = m->tile[op->dst].type;
    tile.type = type; /* a bitcast has another element type */
    pto_machine_set_tile(m, op->dst, &tile);
}

static void copy_tile(pto_machine *m, const pto_code_op *op) {
    const pto_tile *from = &m->tile[op->a];
    pto_tile to = m->tile[op->dst];
    if (from->data && to.data && from->data != to.data && !(m->issue && m->section != m->core_number))
        memmove(to.data, from->data, (size_t)pto_tile_type_bytes(&to.type));
    if (m->checker && from->data && to.data)
        pto_checker_copy(m->checker, to.type.loc, to.addr, from->addr, pto_tile_type_bytes(&to.type));
    to.valid_rows = from->valid_rows;
    to.valid_cols = from->valid_cols;
    pto_machine_set_tile(m, op->dst, &to);
}

pto_status pto_machine_access(pto_machine *m, const pto_code_op *op) {
    pto_global view;
    int64_t rows, cols;
    switch (op->kind) {
    case PTO_OPK_ADDPTR:
        m->reg[op->dst].i = plus(m->reg[op->a].i, m->reg[op->b].i);
        m->reg[op->dst + 1] = m->reg[op->a + 1];
        return PTO_OK;
    case PTO_OPK_LOAD_SCALAR:
        return scalar_access(m, op, false);
    case PTO_OPK_STORE_SCALAR:
        return scalar_access(m, op, true);
    case PTO_OPK_MAKE_TENSOR_VIEW:
        return make_view(m, op);
    case PTO_OPK_PARTITION_VIEW:
        return partition(m, op);
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE: {
        int64_t dim = m->reg[op->b].i;
        if (dim < 0 || dim >= op->c)
            return pto_machine_fail(m, "PTO-E0914", "a dimension of the view", "%lld of %d", (long long)dim,
                                    op->c);
        const pto_global *from = &m->view[op->a];
        m->reg[op->dst].i =
            (op->kind == PTO_OPK_GET_TENSOR_VIEW_DIM ? from->shape : from->stride)[5 - op->c + dim];
        return PTO_OK;
    }
    case PTO_OPK_SUBSET:
        return subset(m, op);
    case PTO_OPK_TSETVAL:
        return tile_element(m, op, true);
    case PTO_OPK_TGETVAL:
        return tile_element(m, op, false);
    case PTO_OPK_BITCAST:
    case PTO_CODE_MOVE_TILE:
        take_handle(m, op);
        return PTO_OK;
    case PTO_CODE_COPY_TILE:
        if (m->issue)
            m->issue->drain(m->issue->user, m);
        if (m->again)
            return PTO_OK;
        copy_tile(m, op);
        return PTO_OK;
    case PTO_CODE_MOVE_VIEW:
        pto_machine_set_view(m, op->dst, &m->view[op->a]);
        return PTO_OK;
    case PTO_CODE_LABEL_VIEW:
        view = m->view[op->a];
        view.layout = (pto_layout)op->c;
        pto_machine_set_view(m, op->dst, &view);
        return PTO_OK;
    case PTO_CODE_INDEX_VIEW:
        return index_view(m, op);
    case PTO_CODE_SET_VALID:
        return set_valid(m, op, op->a >= 0 ? m->reg[op->a].i : 0, op->b >= 0 ? m->reg[op->b].i : 0);
    case PTO_CODE_COPY_VALID:
        return set_valid(m, op, m->tile[op->a].valid_rows, m->tile[op->a].valid_cols);
    default: /* VIEW_VALID */
        view = m->view[op->a];
        pto_global_extents(view.layout, view.shape, &rows, &cols);
        return set_valid(m, op, rows, cols);
    }
}
