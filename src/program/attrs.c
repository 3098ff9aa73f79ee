/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: made once, never changed. */
#include "program/program.h"

#include <string.h>

static pto_attr *new_attr(pto_program *program, pto_attr_value_kind kind) {
    pto_attr *attr = pto_arena_new(program->arena, pto_attr);
    if (attr)
        attr->kind = kind;
    return attr;
}

const pto_attr *pto_attr_unit(pto_program *program) { return new_attr(program, PTO_AV_UNIT); }

const pto_attr *pto_attr_bool(pto_program *program, bool value) {
    pto_attr *attr = new_attr(program, PTO_AV_BOOL);
    if (attr)
        attr->i = value;
    return attr;
}

const pto_attr *pto_attr_int(pto_program *program, int64_t value, const pto_type *type) {
    pto_attr *attr = new_attr(program, PTO_AV_INT);
    if (attr) {
        attr->i = value;
        attr->type = type ? type : pto_type_int(program, 64, PTO_SIGNLESS);
    }
    return attr;
}

const pto_attr *pto_attr_float(pto_program *program, double value, const pto_type *type) {
    pto_attr *attr = new_attr(program, PTO_AV_FLOAT);
    if (attr) {
        attr->f = value;
        attr->type = type ? type : pto_type_float(program, PTO_F64);
    }
    return attr;
}

static const pto_attr *text_attr(pto_program *program, pto_attr_value_kind kind, pto_str text) {
    pto_attr *attr = new_attr(program, kind);
    if (attr)
        attr->text = pto_program_copy(program, text);
    return attr;
}

const pto_attr *pto_attr_string(pto_program *program, pto_str text) {
    return text_attr(program, PTO_AV_STRING, text);
}
const pto_attr *pto_attr_symbol(pto_program *program, pto_str name) {
    return text_attr(program, PTO_AV_SYMBOL, name);
}
const pto_attr *pto_attr_opaque(pto_program *program, pto_str text) {
    return text_attr(program, PTO_AV_OPAQUE, text);
}

const pto_attr *pto_attr_type(pto_program *program, const pto_type *type) {
    pto_attr *attr = new_attr(program, PTO_AV_TYPE);
    if (attr)
        attr->type = type;
    return attr;
}

const pto_attr *pto_attr_array(pto_program *program, const pto_attr *const *items, uint32_t count) {
    pto_attr *attr = new_attr(program, PTO_AV_ARRAY);
    const pto_attr **copy = pto_arena_array(program->arena, count, sizeof *copy);
    if (!attr || !copy)
        return NULL;
    if (count)
        memcpy(copy, items, count * sizeof *copy);
    attr->items = copy;
    attr->count = count;
    return attr;
}

const pto_attr *pto_attr_dense(pto_program *program, const pto_type *element, const int64_t *items,
                               uint32_t count) {
    pto_attr *attr = new_attr(program, PTO_AV_DENSE);
    int64_t *copy = pto_arena_array(program->arena, count, sizeof *copy);
    if (!attr || !copy)
        return NULL;
    if (count)
        memcpy(copy, items, count * sizeof *copy);
    attr->dense = copy;
    attr->count = count;
    attr->type = element;
    return attr;
}

const pto_attr *pto_attr_dict(pto_program *program, const pto_named_attr *entries, uint32_t count) {
    pto_attr *attr = new_attr(program, PTO_AV_DICT);
    pto_named_attr *copy = pto_arena_array(program->arena, count, sizeof *copy);
    if (!attr || !copy)
        return NULL;
    if (count)
        memcpy(copy, entries, count * sizeof *copy);
    attr->entries = copy;
    attr->count = count;
    return attr;
}

const pto_attr *pto_attr_enum(pto_program *program, pto_str kind, pto_str value) {
    const pto_enum_desc *desc = pto_enum_find(kind);
    const pto_enum_value *found = desc ? pto_enum_value_find(desc, value) : NULL;
    pto_attr *attr = found ? new_attr(program, PTO_AV_ENUM) : NULL;
    if (attr) {
        attr->enum_kind = pto_str_from(desc->name);
        attr->text = pto_str_from(found->name);
        attr->i = found->number;
    }
    return attr;
}
