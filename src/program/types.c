/* SPDX-License-Identifier: Apache-2.0 */
/* Types of programs: interned, so that equal types are one pointer. */
#include "program/program.h"

#include "isa/conv.h"

#include <string.h>

/* The fields that tell types apart, as bytes. */
typedef struct type_key {
    int32_t kind, width, signedness, dtype, rank, open, layout_given, memref;
    uint32_t element, input_count, result_count;
    int64_t dim[5];
    int64_t tile[11];
    int64_t conv[PTO_CONV_FIELDS];
} type_key;

static pto_str make_key(pto_program *program, const pto_type *type, type_key *fixed) {
    memset(fixed, 0, sizeof *fixed);
    fixed->kind = (int32_t)type->kind;
    fixed->width = (int32_t)type->width;
    fixed->signedness = (int32_t)type->signedness;
    fixed->dtype = (int32_t)type->dtype;
    fixed->rank = type->rank;
    fixed->open = type->open;
    fixed->layout_given = type->layout_given;
    fixed->memref = (int32_t)type->memref;
    fixed->element = type->element ? type->element->id + 1 : 0;
    fixed->input_count = type->input_count;
    fixed->result_count = type->result_count;
    for (int i = 0; i < type->rank; i++)
        fixed->dim[i] = type->dim[i];
    if ((type->kind == PTO_TYPE_TILE || type->kind == PTO_TYPE_TILE_BUF) && !type->open) {
        const pto_tile_type *t = &type->tile;
        const int64_t tile[11] = {t->loc,        t->dtype,        t->rows,    t->cols,
                                  t->valid_rows, t->valid_cols,   t->blayout, t->slayout,
                                  t->fractal,    (int64_t)t->pad, t->compact};
        memcpy(fixed->tile, tile, sizeof tile);
        if (t->conv)
            pto_conv_fields(t->conv, fixed->conv);
    }
    size_t ids = (size_t)type->input_count + type->result_count;
    if (ids == 0 && type->text.len == 0)
        return (pto_str){(const char *)fixed, sizeof *fixed};
    size_t len = sizeof *fixed + ids * sizeof(uint32_t) + type->text.len;
    char *bytes = pto_arena_alloc(program->arena, len);
    if (!bytes)
        return (pto_str){NULL, 0};
    memcpy(bytes, fixed, sizeof *fixed);
    char *at = bytes + sizeof *fixed;
    for (size_t i = 0; i < ids; i++, at += sizeof(uint32_t)) {
        const pto_type *t = i < type->input_count ? type->inputs[i] : type->results[i - type->input_count];
        memcpy(at, &t->id, sizeof(uint32_t));
    }
    if (type->text.len)
        memcpy(at, type->text.data, type->text.len);
    return (pto_str){bytes, len};
}

const pto_type *pto_type_intern(pto_program *program, const pto_type *candidate) {
    type_key fixed;
    pto_str key = make_key(program, candidate, &fixed);
    if (!key.len)
        return NULL;
    pto_map_value *found = pto_map_find(&program->type_table, key);
    if (found)
        return found->pointer;
    pto_type *type = pto_arena_new(program->arena, pto_type);
    char *bytes = pto_arena_strdup(program->arena, key);
    if (!type || !bytes)
        return NULL;
    *type = *candidate;
    type->id = program->type_count;
    type->text = pto_program_copy(program, candidate->text);
    if (candidate->tile.conv) {
        pto_conv *conv = pto_arena_new(program->arena, pto_conv);
        if (!conv)
            return NULL;
        *conv = *candidate->tile.conv;
        type->tile.conv = conv;
    }
    if (candidate->input_count) {
        const pto_type **copy = pto_arena_array(program->arena, candidate->input_count, sizeof *copy);
        if (!copy)
            return NULL;
        memcpy(copy, candidate->inputs, candidate->input_count * sizeof *copy);
        type->inputs = copy;
    }
    if (candidate->result_count) {
        const pto_type **copy = pto_arena_array(program->arena, candidate->result_count, sizeof *copy);
        if (!copy)
            return NULL;
        memcpy(copy, candidate->results, candidate->result_count * sizeof *copy);
        type->results = copy;
    }
    pto_map_value *slot = pto_map_insert(&program->type_table, (pto_str){bytes, key.len}, NULL);
    if (!slot)
        return NULL;
    slot->pointer = type;
    program->type_count++;
    return type;
}

const pto_type *pto_type_simple(pto_program *program, pto_type_kind kind) {
    pto_type type = {.kind = kind};
    return pto_type_intern(program, &type);
}

const pto_type *pto_type_index(pto_program *program) {
    pto_type type = {.kind = PTO_TYPE_INDEX, .dtype = PTO_S64};
    if (!program->index_type)
        program->index_type = pto_type_intern(program, &type);
    return program->index_type;
}

const pto_type *pto_type_int(pto_program *program, uint32_t width, pto_signedness signedness) {
    const pto_type **often = signedness != PTO_SIGNLESS ? NULL
                             : width == 32              ? &program->i32_type
                             : width == 64              ? &program->i64_type
                                                        : NULL;
    if (often && *often)
        return *often;
    bool u = signedness == PTO_UNSIGNED;
    pto_dtype dtype = width == 8    ? (u ? PTO_U8 : PTO_S8)
                      : width == 16 ? (u ? PTO_U16 : PTO_S16)
                      : width == 32 ? (u ? PTO_U32 : PTO_S32)
                      : width == 64 ? (u ? PTO_U64 : PTO_S64)
                                    : PTO_DTYPE_NONE;
    if (width == 4 && !u)
        dtype = PTO_S4;
    pto_type type = {.kind = PTO_TYPE_INT, .width = width, .signedness = signedness, .dtype = dtype};
    const pto_type *made = pto_type_intern(program, &type);
    if (often)
        *often = made;
    return made;
}

const pto_type *pto_type_float(pto_program *program, pto_dtype dtype) {
    pto_type type = {.kind = PTO_TYPE_FLOAT, .dtype = dtype};
    return pto_type_intern(program, &type);
}

const pto_type *pto_type_element(pto_program *program, pto_dtype dtype) {
    if (dtype == PTO_DTYPE_NONE)
        return NULL;
    if (pto_dtype_is_float(dtype))
        return pto_type_float(program, dtype);
    return pto_type_int(program, pto_dtype_bits(dtype),
                        pto_dtype_is_signed(dtype) ? PTO_SIGNLESS : PTO_UNSIGNED);
}

const pto_type *pto_type_ptr(pto_program *program, const pto_type *element) {
    pto_type type = {.kind = PTO_TYPE_PTR, .element = element, .dtype = pto_type_dtype(element)};
    return pto_type_intern(program, &type);
}

const pto_type *pto_type_shaped(pto_program *program, pto_type_kind kind, const pto_type *element, int rank,
                                const int64_t *dim) {
    pto_type type = {
        .kind = kind, .element = element, .dtype = pto_type_dtype(element), .rank = (uint8_t)rank};
    for (int i = 0; i < rank && i < 5; i++)
        type.dim[i] = dim[i];
    return pto_type_intern(program, &type);
}

const pto_type *pto_type_tile(pto_program *program, pto_type_kind kind, const pto_tile_type *tile,
                              const pto_type *element) {
    pto_type type = {.kind = kind,
                     .element = element ? element : pto_type_element(program, tile->dtype),
                     .dtype = tile->dtype,
                     .layout_given = true,
                     .tile = *tile};
    return pto_type_intern(program, &type);
}

const pto_type *pto_type_function(pto_program *program, const pto_type *const *inputs, uint32_t input_count,
                                  const pto_type *const *results, uint32_t result_count) {
    pto_type type = {.kind = PTO_TYPE_FUNCTION,
                     .input_count = input_count,
                     .result_count = result_count,
                     .inputs = inputs,
                     .results = results};
    return pto_type_intern(program, &type);
}

pto_dtype pto_type_dtype(const pto_type *type) { return type ? type->dtype : PTO_DTYPE_NONE; }
