/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and attributes of a program. */
#include "program/facts.h"

#include <math.h>
#include <string.h>

#include <pto/number.h>

unsigned pto_type_int_width(const pto_type *type) {
    if (!type)
        return 0;
    if (type->kind == PTO_TYPE_INDEX)
        return 64;
    return type->kind == PTO_TYPE_INT && type->width <= 64 ? type->width : 0;
}

bool pto_type_is_zero_extended(const pto_type *type) {
    return type->kind == PTO_TYPE_INT && (type->signedness == PTO_UNSIGNED || type->width == 1);
}

int64_t pto_fact_wrap(int64_t value, unsigned width, bool is_unsigned) {
    if (width >= 64 || width == 0)
        return value;
    uint64_t bits = (uint64_t)value & ((UINT64_C(1) << width) - 1);
    if (!is_unsigned && bits >> (width - 1))
        bits |= ~UINT64_C(0) << width;
    return (int64_t)bits;
}

double pto_fact_round(double value, pto_dtype dtype) {
    switch (dtype) {
    case PTO_F64:
        return value;
    case PTO_F32:
        return (double)(float)value;
    default:
        return pto_number_to_double(dtype, pto_number_from_double(dtype, value, PTO_CAST_NONE, false));
    }
}

/* An integer attribute on a float type is a bit pattern (60, 3.1: 0x3F800000 : f32). */
static double float_from_bits(pto_dtype dtype, int64_t bits) {
    if (dtype == PTO_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return pto_number_to_double(dtype, (uint64_t)bits);
}

bool pto_fact_constant(const pto_operation *op, pto_scalar *scalar) {
    if (op->result_count < 1 || !op->result[0])
        return false;
    const pto_type *type = op->result[0]->type;
    const pto_attr *attr = pto_operation_attr(op, "value");
    if (!attr || !pto_type_is_scalar(type))
        return false;
    *scalar = (pto_scalar){.dtype = pto_type_dtype(type)};
    if (type->kind == PTO_TYPE_FLOAT) {
        if (attr->kind == PTO_AV_FLOAT)
            scalar->f = pto_fact_round(attr->f, type->dtype);
        else if (attr->kind == PTO_AV_INT)
            scalar->f = float_from_bits(type->dtype, attr->i);
        else
            return false;
        return true;
    }
    unsigned width = pto_type_int_width(type);
    if (!width || (attr->kind != PTO_AV_INT && attr->kind != PTO_AV_BOOL))
        return false;
    scalar->i = pto_fact_wrap(attr->i, width, pto_type_is_zero_extended(type));
    if (width == 64)
        return true;
    /* every value that the width holds in either reading fits */
    return attr->i >= -(INT64_C(1) << (width - 1)) && attr->i < (INT64_C(1) << width);
}

static bool fold(const pto_operation *op, const pto_type *type, int64_t a, int64_t b, int64_t *number) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b, r;
    switch (op->kind) {
    case PTO_OPK_ARITH_ADDI:
        r = x + y;
        break;
    case PTO_OPK_ARITH_SUBI:
        r = x - y;
        break;
    case PTO_OPK_ARITH_MULI:
        r = x * y;
        break;
    default:
        return false;
    }
    *number = pto_fact_wrap((int64_t)r, pto_type_int_width(type), pto_type_is_zero_extended(type));
    return true;
}

static bool fold_value(const pto_value *value, int64_t *number, int depth) {
    const pto_operation *op = value ? value->def : NULL;
    if (!op || depth > 64 || !pto_type_int_width(value->type))
        return false;
    int64_t a, b;
    switch (op->kind) {
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_AS_CONST: {
        pto_scalar scalar;
        if (!pto_fact_constant(op, &scalar))
            return false;
        *number = scalar.i;
        return true;
    }
    case PTO_OPK_ARITH_INDEX_CAST:
    case PTO_OPK_ARITH_EXTSI:
    case PTO_OPK_ARITH_TRUNCI:
    case PTO_OPK_ARITH_INDEX_CASTUI:
    case PTO_OPK_ARITH_EXTUI: {
        if (op->operand_count != 1 || !fold_value(op->operand[0], &a, depth + 1))
            return false;
        bool is_unsigned = op->kind == PTO_OPK_ARITH_INDEX_CASTUI || op->kind == PTO_OPK_ARITH_EXTUI;
        a = pto_fact_wrap(a, pto_type_int_width(op->operand[0]->type), is_unsigned);
        *number = pto_fact_wrap(a, pto_type_int_width(value->type), pto_type_is_zero_extended(value->type));
        return true;
    }
    case PTO_OPK_AFFINE_APPLY:
        if (op->operand_count != 1 || !pto_fact_affine_factor(op, &b) ||
            !fold_value(op->operand[0], &a, depth + 1))
            return false;
        *number = (int64_t)((uint64_t)a * (uint64_t)b);
        return true;
    case PTO_OPK_ARITH_ADDI:
    case PTO_OPK_ARITH_SUBI:
    case PTO_OPK_ARITH_MULI:
        return op->operand_count == 2 && fold_value(op->operand[0], &a, depth + 1) &&
               fold_value(op->operand[1], &b, depth + 1) && fold(op, value->type, a, b, number);
    default:
        return false;
    }
}

/* Chains of additions fold to a depth of 64 with two branches each: bounded by giving up on wide trees, which
 * a doubling chain (x = x + x, 64 times) would make exponential. */
static int tree_size(const pto_value *value, int budget) {
    const pto_operation *op = value ? value->def : NULL;
    if (!op || budget <= 0)
        return budget - 1;
    bool inner =
        op->kind == PTO_OPK_ARITH_ADDI || op->kind == PTO_OPK_ARITH_SUBI || op->kind == PTO_OPK_ARITH_MULI;
    budget--;
    for (uint32_t i = 0; inner && i < op->operand_count && budget > 0; i++)
        budget = tree_size(op->operand[i], budget);
    return budget;
}

bool pto_fact_int(const pto_value *value, int64_t *number) {
    return value && tree_size(value, 256) > 0 && fold_value(value, number, 0);
}

bool pto_fact_float(const pto_value *value, double *number) {
    pto_scalar scalar;
    if (!value || !value->def || !value->type || value->type->kind != PTO_TYPE_FLOAT ||
        (value->def->kind != PTO_OPK_ARITH_CONSTANT && value->def->kind != PTO_OPK_AS_CONST) ||
        !pto_fact_constant(value->def, &scalar))
        return false;
    *number = scalar.f;
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------ */

bool pto_fact_attr(const pto_operation *op, int position, int64_t *value) {
    const pto_operand_desc *desc = &pto_form_get(op->form)->operand[position];
    const pto_attr *attr = pto_operation_attr(op, desc->attr_key ? desc->attr_key : desc->name);
    if (!attr) {
        *value = desc->attr == PTO_ATTR_ROUND_MODE && desc->attr_default == PTO_CAST_NONE
                     ? PTO_CAST_RINT
                     : desc->attr_default;
        return true;
    }
    if (pto_attr_isa_value(desc->attr, attr, value))
        return true;
    /* the generic form may give the number of an enum or of a bool */
    const pto_enum_desc *names = pto_enum_of_attr(desc->attr);
    if (attr->kind != PTO_AV_INT)
        return false;
    *value = attr->i;
    if (!names)
        return desc->attr == PTO_ATTR_BOOL && (attr->i == 0 || attr->i == 1);
    for (uint32_t i = 0; i < names->count; i++)
        if (names->values[i].number == attr->i)
            return true;
    return false;
}

bool pto_fact_pipe(const pto_attr *attr, pto_pipe *pipe) {
    *pipe = pto_attr_pipe(attr);
    return *pipe != PTO_PIPE_COUNT;
}

/* What stands in front of `rest`, blanks skipped: a word, a number with its sign or one character. */
static pto_str next_word(pto_str *rest) {
    size_t begin = 0, end;
    while (begin < rest->len && strchr(" \t\r\n", rest->data[begin]))
        begin++;
    end = begin < rest->len && rest->data[begin] == '-' ? begin + 1 : begin;
    while (end < rest->len && (rest->data[end] == '_' || (rest->data[end] >= '0' && rest->data[end] <= '9') ||
                               ((rest->data[end] | 32) >= 'a' && (rest->data[end] | 32) <= 'z')))
        end++;
    end += end == begin && end < rest->len;
    pto_str word = pto_str_slice(*rest, begin, end);
    *rest = pto_str_slice(*rest, end, rest->len);
    return word;
}

static bool skip_words(pto_str *rest, const char *words) {
    for (pto_str wanted = pto_str_from(words); wanted.len;) {
        pto_str word = next_word(&wanted);
        if (word.len && !pto_str_equal(next_word(rest), word))
            return false;
    }
    return true;
}

static bool is_number(pto_str word, int64_t *number) {
    bool minus = word.len > 1 && word.data[0] == '-';
    uint64_t value = 0;
    for (size_t i = minus; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9' || value > (uint64_t)INT64_MAX / 10 - 1)
            return false;
        value = value * 10 + (uint64_t)(word.data[i] - '0');
    }
    *number = minus ? -(int64_t)value : (int64_t)value;
    return word.len > 0;
}

bool pto_fact_affine_factor(const pto_operation *op, int64_t *factor) {
    const pto_attr *map = pto_operation_attr(op, "map");
    pto_str rest = map && map->kind == PTO_AV_OPAQUE ? map->text : (pto_str){NULL, 0};
    if (!skip_words(&rest, "affine_map < ( ) ["))
        return false;
    pto_str symbol = next_word(&rest);
    int64_t unused;
    if (is_number(symbol, &unused) || !skip_words(&rest, "] -> ("))
        return false;
    pto_str a = next_word(&rest), star = next_word(&rest);
    *factor = 1;
    if (pto_str_equal(star, PTO_STR(")")))
        return pto_str_equal(a, symbol) && skip_words(&rest, ">") && !next_word(&rest).len;
    pto_str b = next_word(&rest);
    bool times =
        pto_str_equal(a, symbol) ? is_number(b, factor) : pto_str_equal(b, symbol) && is_number(a, factor);
    return times && pto_str_equal(star, PTO_STR("*")) && skip_words(&rest, ") >") && !next_word(&rest).len;
}

int pto_fact_predicate(const pto_operation *op) {
    static const char *const integers[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                           "sge", "ult", "ule", "ugt", "uge"};
    static const char *const floats[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                         "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
    bool is_float = op->kind == PTO_OPK_ARITH_CMPF;
    int count = is_float ? 16 : 10;
    const pto_attr *attr = pto_operation_attr(op, "predicate");
    if (!attr)
        return -1;
    if (attr->kind == PTO_AV_INT)
        return attr->i >= 0 && attr->i < count ? (int)attr->i : -1;
    for (int i = 0; i < count; i++)
        if (pto_str_equal(attr->text, pto_str_from(is_float ? floats[i] : integers[i])))
            return i;
    return -1;
}

pto_str pto_fact_symbol(const pto_operation *op, const char *attribute) {
    const pto_attr *attr = pto_operation_attr(op, attribute);
    if (!attr || (attr->kind != PTO_AV_SYMBOL && attr->kind != PTO_AV_STRING))
        return (pto_str){0};
    return attr->text;
}
