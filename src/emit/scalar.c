/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar operations in C++ (60, 6.2): the wrap, the truncation and the one rounding that a run has. */
#include "emit/emit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *use(pto_emitter *e, pto_emit_helper helper, const char *name) {
    e->helpers |= 1u << helper;
    return name;
}

/* ---- constants ------------------------------------------------------------------------------------ */

static const char *float_literal(pto_emitter *e, double value, const pto_type *type) {
    char digits[PTO_FORMAT_SIZE];
    if (isnan(value) || isinf(value))
        return pto_arena_printf(e->arena, "%sstd::numeric_limits<%s>::%s()", signbit(value) ? "-" : "",
                                type->dtype == PTO_F64 ? "double" : "float",
                                isnan(value) ? "quiet_NaN" : "infinity");
    bool single = type->dtype != PTO_F64;
    pto_str text = single ? pto_format_f32((float)value, digits) : pto_format_f64(value, digits);
    bool whole = !memchr(text.data, '.', text.len) && !memchr(text.data, 'e', text.len);
    return pto_arena_printf(e->arena, "%.*s%s%s", PTO_STR_ARG(text), whole ? ".0" : "", single ? "f" : "");
}

static const char *int_literal(pto_emitter *e, int64_t value, const pto_type *type) {
    if (type->kind == PTO_TYPE_INT && type->width == 1)
        return value & 1 ? "true" : "false";
    if (type->kind == PTO_TYPE_INT && type->signedness == PTO_UNSIGNED)
        return pto_arena_printf(e->arena, "%" PRIu64 "u%s", (uint64_t)value, type->width > 32 ? "ll" : "");
    if (value == INT64_MIN)
        return "INT64_MIN";
    bool wide = value > INT32_MAX || value <= INT32_MIN;
    return pto_arena_printf(e->arena, "%" PRId64 "%s", value, wide ? "ll" : "");
}

static void constant(pto_emitter *e, const pto_operation *op) {
    const pto_type *type = op->result[0]->type;
    pto_scalar scalar = {0};
    if (type->kind == PTO_TYPE_VECTOR) {
        pto_emit_define(e, op->result[0], "{}");
        return;
    }
    if (!pto_fact_constant(op, &scalar)) {
        pto_emit_refuse(e, "a constant without a value");
        return;
    }
    const char *name = pto_emit_scalar_type(e, type);
    int32_t number = pto_emit_new(e, op->result[0], name);
    if (!e->fn->flat) /* assigned later where declarations stand at the top */
        e->values.data[number].type = pto_arena_printf(e->arena, "const %s", name);
    pto_emit_variable(e, number,
                      type->kind == PTO_TYPE_FLOAT ? float_literal(e, scalar.f, type)
                                                   : int_literal(e, scalar.i, type));
    e->values.data[number].type = name;
}

/* ---- integers -------------------------------------------------------------------------------------- */

/* The value read as signed or unsigned, wide enough that nothing overflows on the way of + - * in uint64_t.
 */
static const char *as_signed(pto_emitter *e, const pto_value *value) {
    const char *name = pto_emit_name(e, value);
    unsigned width = pto_type_int_width(value->type);
    if (width == 1)
        return pto_arena_printf(e->arena, "(%s ? -1 : 0)", name);
    return pto_type_is_zero_extended(value->type)
               ? pto_arena_printf(e->arena, "static_cast<int%u_t>(%s)", width, name)
               : name;
}

static const char *as_unsigned(pto_emitter *e, const pto_value *value) {
    const char *name = pto_emit_name(e, value);
    unsigned width = pto_type_int_width(value->type);
    if (width == 1 || pto_type_is_zero_extended(value->type))
        return name;
    return pto_arena_printf(e->arena, "static_cast<uint%u_t>(%s)", width, name);
}

/* `bits` cut to the type of the value; to a bool its lowest bit. */
static void wrap(pto_emitter *e, const pto_value *value, const char *bits) {
    const char *type = pto_emit_scalar_type(e, value->type);
    if (!strcmp(type, "bool"))
        pto_emit_define(e, value, "((%s) & 1) != 0", bits);
    else
        pto_emit_define(e, value, "static_cast<%s>(%s)", type, bits);
}

static void binary(pto_emitter *e, const pto_operation *op, const char *sign) {
    if (op->result[0]->type->kind == PTO_TYPE_INDEX) { /* never comes near 2^63 */
        pto_emit_define(e, op->result[0], "%s %s %s", pto_emit_name(e, op->operand[0]), sign,
                        pto_emit_name(e, op->operand[1]));
        return;
    }
    const char *u = pto_type_int_width(op->result[0]->type) > 32 ? "uint64_t" : "uint32_t";
    wrap(e, op->result[0],
         pto_arena_printf(e->arena, "static_cast<%s>(%s) %s static_cast<%s>(%s)", u,
                          pto_emit_name(e, op->operand[0]), sign, u, pto_emit_name(e, op->operand[1])));
}

static const char *two(pto_emitter *e, const pto_operation *op, bool is_signed, const char *format) {
    const char *a = is_signed ? as_signed(e, op->operand[0]) : as_unsigned(e, op->operand[0]);
    const char *b = is_signed ? as_signed(e, op->operand[1]) : as_unsigned(e, op->operand[1]);
    pto_emit_text text = {0};
    pto_emit_put(e->arena, &text, "", 0);
    for (const char *p = format; *p; p++) {
        const char *word = *p == 'A' ? a : *p == 'B' ? b : NULL;
        pto_emit_put(e->arena, &text, word ? word : p, word ? strlen(word) : 1);
    }
    return text.data;
}

/* A call of a helper with one integer type for both operands. */
static void helper_call(pto_emitter *e, const pto_operation *op, pto_emit_helper helper, const char *name,
                        bool is_signed) {
    unsigned width = pto_type_int_width(op->operand[0]->type);
    const char *type = pto_arena_printf(e->arena, "%sint%u_t", is_signed ? "" : "u", width == 1 ? 8 : width);
    const char *arguments = two(e, op, is_signed, "A, B");
    if (helper == PTO_HELPER_SHIFT)
        arguments = pto_arena_printf(
            e->arena, "%s, %s, %u", is_signed ? as_signed(e, op->operand[0]) : as_unsigned(e, op->operand[0]),
            as_unsigned(e, op->operand[1]), width);
    wrap(e, op->result[0], pto_arena_printf(e->arena, "%s<%s>(%s)", use(e, helper, name), type, arguments));
}

/* A sum or product that wraps, and what does not fit into it. */
static void extended(pto_emitter *e, const pto_operation *op) {
    const pto_value *a = op->operand[0], *low = op->result[0];
    if (op->kind == PTO_OPK_ARITH_ADDUI_EXTENDED) {
        wrap(e, low, two(e, op, false, "static_cast<uint64_t>(A) + static_cast<uint64_t>(B)"));
        pto_emit_define(e, op->result[1], "%s < %s", as_unsigned(e, low), as_unsigned(e, a));
        return;
    }
    bool is_signed = op->kind == PTO_OPK_ARITH_MULSI_EXTENDED;
    unsigned width = pto_type_int_width(a->type);
    wrap(e, low, two(e, op, false, "static_cast<uint64_t>(A) * static_cast<uint64_t>(B)"));
    wrap(e, op->result[1],
         pto_arena_printf(e->arena, "%s<%sint%u_t>(%s, %u)", use(e, PTO_HELPER_UPPER, "ptoas_upper"),
                          is_signed ? "" : "u", width == 1 ? 8 : width, two(e, op, is_signed, "A, B"),
                          width));
}

static void compare_int(pto_emitter *e, const pto_operation *op) {
    static const char *const format[] = {"A == B", "A != B", "A < B",  "A <= B", "A > B",
                                         "A >= B", "A < B",  "A <= B", "A > B",  "A >= B"};
    int predicate = pto_fact_predicate(op);
    if (predicate < 0 || predicate > 9)
        pto_emit_refuse(e, "arith.cmpi with an unknown predicate");
    else
        pto_emit_define(e, op->result[0], "%s", two(e, op, predicate < 6, format[predicate]));
}

/* ---- floats ------------------------------------------------------------------------------------------ */

static const char *float_two(pto_emitter *e, const pto_operation *op, const char *format) {
    const char *a = pto_emit_name(e, op->operand[0]), *b = pto_emit_name(e, op->operand[1]);
    pto_emit_text text = {0};
    pto_emit_put(e->arena, &text, "", 0);
    for (const char *p = format; *p; p++) {
        const char *word = *p == 'A' ? a : *p == 'B' ? b : NULL;
        pto_emit_put(e->arena, &text, word ? word : p, word ? strlen(word) : 1);
    }
    return text.data;
}

static void compare_float(pto_emitter *e, const pto_operation *op) {
    static const char *const format[] = {"false",
                                         "A == B",
                                         "A > B",
                                         "A >= B",
                                         "A < B",
                                         "A <= B",
                                         "A < B || A > B",
                                         "A == A && B == B",
                                         "!(A < B || A > B)",
                                         "!(A <= B)",
                                         "!(A < B)",
                                         "!(A >= B)",
                                         "!(A > B)",
                                         "A != B",
                                         "A != A || B != B",
                                         "true"};
    int predicate = pto_fact_predicate(op);
    if (predicate < 0 || predicate > 15)
        pto_emit_refuse(e, "arith.cmpf with an unknown predicate");
    else
        pto_emit_define(e, op->result[0], "%s", float_two(e, op, format[predicate]));
}

/* Arithmetic of half and bfloat16_t is that of float, rounded; the small floats have none. */
static bool has_arithmetic(pto_emitter *e, const pto_operation *op, const pto_type *type) {
    if (type->kind != PTO_TYPE_FLOAT || pto_dtype_bits(type->dtype) >= 16)
        return true;
    pto_emit_refuse(e, "%s of %s", pto_op_kind_name(op->kind), pto_emit_element(type->dtype));
    return false;
}

static void float_op(pto_emitter *e, const pto_operation *op) {
    static const struct {
        pto_op_kind kind;
        const char *sign, *helper;
    } ops[] = {{PTO_OPK_ARITH_ADDF, "+", NULL},
               {PTO_OPK_ARITH_SUBF, "-", NULL},
               {PTO_OPK_ARITH_MULF, "*", NULL},
               {PTO_OPK_ARITH_DIVF, "/", NULL},
               {PTO_OPK_ARITH_REMF, NULL, "std::fmod"},
               {PTO_OPK_ARITH_MINIMUMF, NULL, "ptoas_minimum"},
               {PTO_OPK_ARITH_MAXIMUMF, NULL, "ptoas_maximum"},
               {PTO_OPK_ARITH_MINNUMF, NULL, "ptoas_minnum"},
               {PTO_OPK_ARITH_MAXNUMF, NULL, "ptoas_maxnum"}};
    const char *type = pto_emit_scalar_type(e, op->result[0]->type);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (ops[i].kind != op->kind)
            continue;
        if (ops[i].sign) {
            pto_emit_define(e, op->result[0], "%s",
                            float_two(e, op, pto_arena_printf(e->arena, "A %s B", ops[i].sign)));
        } else {
            if (ops[i].kind != PTO_OPK_ARITH_REMF)
                use(e, PTO_HELPER_EXTREME, "");
            pto_emit_define(e, op->result[0], "static_cast<%s>(%s(%s))", type, ops[i].helper,
                            float_two(e, op, "static_cast<double>(A), static_cast<double>(B)"));
        }
        return;
    }
    pto_emit_refuse(e, "%s", pto_op_kind_name(op->kind));
}

static void convert(pto_emitter *e, const pto_operation *op) {
    const pto_value *from = op->operand[0], *to = op->result[0];
    const char *type = pto_emit_scalar_type(e, to->type);
    if (op->kind != PTO_OPK_ARITH_BITCAST && !strcmp(type, pto_emit_scalar_type(e, from->type))) {
        pto_emit_define(e, to, "%s", pto_emit_name(e, from));
        return;
    }
    switch (op->kind) {
    case PTO_OPK_ARITH_EXTSI:
    case PTO_OPK_ARITH_INDEX_CAST:
    case PTO_OPK_ARITH_TRUNCI:
        wrap(e, to, as_signed(e, from));
        break;
    case PTO_OPK_ARITH_EXTUI:
    case PTO_OPK_ARITH_INDEX_CASTUI:
        wrap(e, to, as_unsigned(e, from));
        break;
    case PTO_OPK_ARITH_SITOFP:
        pto_emit_define(e, to, "static_cast<%s>(%s)", type, as_signed(e, from));
        break;
    case PTO_OPK_ARITH_UITOFP:
        pto_emit_define(e, to, "static_cast<%s>(%s)", type, as_unsigned(e, from));
        break;
    case PTO_OPK_ARITH_FPTOSI:
    case PTO_OPK_ARITH_FPTOUI: {
        unsigned width = pto_type_int_width(to->type);
        const char *integer = pto_arena_printf(
            e->arena, "%sint%u_t", op->kind == PTO_OPK_ARITH_FPTOSI ? "" : "u", width == 1 ? 8 : width);
        if (width == 1)
            pto_emit_refuse(e, "%s to i1", pto_op_kind_name(op->kind));
        wrap(e, to,
             pto_arena_printf(e->arena, "%s<%s>(%s)", use(e, PTO_HELPER_TO_INT, "ptoas_to_int"), integer,
                              pto_emit_name(e, from)));
        break;
    }
    case PTO_OPK_ARITH_BITCAST:
        pto_emit_define(e, to, "%s<%s>(%s)", use(e, PTO_HELPER_BITCAST, "ptoas_bitcast"), type,
                        pto_emit_name(e, from));
        break;
    default: /* extf, truncf */
        pto_emit_define(e, to, "static_cast<%s>(%s)", type, pto_emit_name(e, from));
        break;
    }
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static void select(pto_emitter *e, const pto_operation *op) {
    if (pto_type_is_scalar(op->result[0]->type) || op->result[0]->type->kind == PTO_TYPE_PTR) {
        pto_emit_define(e, op->result[0], "%s ? %s : %s", pto_emit_name(e, op->operand[0]),
                        pto_emit_name(e, op->operand[1]), pto_emit_name(e, op->operand[2]));
        return;
    }
    pto_emit_text before = e->fn->body;
    e->fn->body = (pto_emit_text){0};
    pto_emit_place *place = pto_emit_places(e, op->result, 1);
    pto_emit_line(e, "if (%s) {", pto_emit_name(e, op->operand[0]));
    e->fn->indent++;
    pto_emit_moves(e, 1, &op->operand[1], place);
    e->fn->indent--;
    pto_emit_line(e, "} else {");
    e->fn->indent++;
    pto_emit_moves(e, 1, &op->operand[2], place);
    e->fn->indent--;
    pto_emit_line(e, "}");
    pto_emit_text choice = e->fn->body;
    e->fn->body = before;
    pto_emit_declare_places(e, 1, place);
    pto_emit_put(e->arena, &e->fn->body, choice.data, choice.len);
}

static void put_quoted(pto_emitter *e, pto_emit_text *out, pto_str text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool plain = c >= 32 && c < 127 && c != '"' && c != '\\' && c != '?';
        const char *escaped = c == '\n' ? "\\n" : plain ? NULL : pto_arena_printf(e->arena, "\\%03o", c);
        pto_emit_put(e->arena, out, escaped ? escaped : text.data + i, escaped ? strlen(escaped) : 1);
    }
}

/* The format with its first conversion made that of the value, as a run replaces it, and no other. */
static void print(pto_emitter *e, const pto_operation *op) {
    const pto_attr *attr = pto_operation_attr(op, "format");
    pto_str text = attr ? attr->text : (pto_str){0};
    const pto_value *value = op->operand_count ? op->operand[0] : NULL;
    bool is_float = value && value->type->kind == PTO_TYPE_FLOAT, placed = !value;
    pto_emit_text out = {0};
    pto_emit_put(e->arena, &out, "\"", 1);
    for (size_t i = 0; i < text.len;) {
        size_t end = i + 1;
        while (end < text.len && strchr("-+ #0123456789.", text.data[end]))
            end++;
        size_t letter = end;
        while (letter < text.len && strchr("lhz", text.data[letter]))
            letter++;
        bool doubled = text.data[i] == '%' && i + 1 < text.len && text.data[i + 1] == '%';
        if (text.data[i] == '%' && !doubled && !placed && letter < text.len) {
            put_quoted(e, &out, pto_str_slice(text, i, end));
            pto_emit_put(e->arena, &out, is_float ? "g" : "lld", is_float ? 1 : 3);
            placed = true;
            i = letter + 1;
            continue;
        }
        if (text.data[i] == '%')
            pto_emit_put(e->arena, &out, "%", 1);
        put_quoted(e, &out, pto_str_slice(text, i, i + 1));
        i += doubled ? 2 : 1;
    }
    if (!text.len || text.data[text.len - 1] != '\n')
        pto_emit_put(e->arena, &out, "\\n", 2);
    pto_emit_put(e->arena, &out, "\"", 1);
    if (value && placed)
        pto_emit_line(e, "cce::printf(%s, static_cast<%s>(%s));", out.data, is_float ? "double" : "long long",
                      pto_emit_name(e, value));
    else
        pto_emit_line(e, "cce::printf(%s);", out.data);
}

static void agent(pto_emitter *e, const pto_operation *op, const char *call) { wrap(e, op->result[0], call); }

void pto_emit_scalar(pto_emitter *e, const pto_operation *op) {
    const pto_type *first = op->operand_count ? op->operand[0]->type : NULL;
    const bool is_signed = true;
    if (op->kind >= PTO_OPK_ARITH_ADDF && op->kind <= PTO_OPK_ARITH_MAXNUMF && first &&
        !has_arithmetic(e, op, first))
        return;
    switch (op->kind) {
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_AS_CONST:
        constant(e, op);
        break;
    case PTO_OPK_ARITH_ADDI:
        binary(e, op, "+");
        break;
    case PTO_OPK_ARITH_SUBI:
        binary(e, op, "-");
        break;
    case PTO_OPK_ARITH_MULI:
        binary(e, op, "*");
        break;
    case PTO_OPK_ARITH_ADDUI_EXTENDED:
    case PTO_OPK_ARITH_MULSI_EXTENDED:
    case PTO_OPK_ARITH_MULUI_EXTENDED:
        extended(e, op);
        break;
    case PTO_OPK_AFFINE_APPLY: {
        int64_t factor;
        if (pto_fact_affine_factor(op, &factor))
            pto_emit_define(e, op->result[0], "%s * %s", pto_emit_name(e, op->operand[0]),
                            int_literal(e, factor, op->result[0]->type));
        else
            pto_emit_refuse(e, "affine.apply of a map that is no symbol times a constant");
        break;
    }
    case PTO_OPK_ARITH_ANDI:
        binary(e, op, "&");
        break;
    case PTO_OPK_ARITH_ORI:
        binary(e, op, "|");
        break;
    case PTO_OPK_ARITH_XORI:
        binary(e, op, "^");
        break;
    case PTO_OPK_ARITH_DIVSI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_div", is_signed);
        break;
    case PTO_OPK_ARITH_DIVUI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_div", false);
        break;
    case PTO_OPK_ARITH_REMSI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_rem", is_signed);
        break;
    case PTO_OPK_ARITH_REMUI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_rem", false);
        break;
    case PTO_OPK_ARITH_CEILDIVSI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_ceildiv", is_signed);
        break;
    case PTO_OPK_ARITH_CEILDIVUI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_ceildiv", false);
        break;
    case PTO_OPK_ARITH_FLOORDIVSI:
        helper_call(e, op, PTO_HELPER_DIVIDE, "ptoas_floordiv", is_signed);
        break;
    case PTO_OPK_ARITH_SHLI:
        helper_call(e, op, PTO_HELPER_SHIFT, "ptoas_shl", false);
        break;
    case PTO_OPK_ARITH_SHRUI:
        helper_call(e, op, PTO_HELPER_SHIFT, "ptoas_shr", false);
        break;
    case PTO_OPK_ARITH_SHRSI:
        helper_call(e, op, PTO_HELPER_SHIFT, "ptoas_shr", is_signed);
        break;
    case PTO_OPK_ARITH_CMPI:
        compare_int(e, op);
        break;
    case PTO_OPK_ARITH_CMPF:
        compare_float(e, op);
        break;
    case PTO_OPK_ARITH_MINSI:
        wrap(e, op->result[0], two(e, op, is_signed, "A < B ? A : B"));
        break;
    case PTO_OPK_ARITH_MAXSI:
        wrap(e, op->result[0], two(e, op, is_signed, "A < B ? B : A"));
        break;
    case PTO_OPK_ARITH_MINUI:
        wrap(e, op->result[0], two(e, op, false, "A < B ? A : B"));
        break;
    case PTO_OPK_ARITH_MAXUI:
        wrap(e, op->result[0], two(e, op, false, "A < B ? B : A"));
        break;
    case PTO_OPK_ARITH_SELECT:
        select(e, op);
        break;
    case PTO_OPK_ARITH_NEGF:
        pto_emit_define(e, op->result[0], "-%s", pto_emit_name(e, op->operand[0]));
        break;
    case PTO_OPK_ARITH_EXTSI:
    case PTO_OPK_ARITH_EXTUI:
    case PTO_OPK_ARITH_TRUNCI:
    case PTO_OPK_ARITH_INDEX_CAST:
    case PTO_OPK_ARITH_INDEX_CASTUI:
    case PTO_OPK_ARITH_EXTF:
    case PTO_OPK_ARITH_TRUNCF:
    case PTO_OPK_ARITH_SITOFP:
    case PTO_OPK_ARITH_UITOFP:
    case PTO_OPK_ARITH_FPTOSI:
    case PTO_OPK_ARITH_FPTOUI:
    case PTO_OPK_ARITH_BITCAST:
        if (has_arithmetic(e, op, op->result[0]->type))
            convert(e, op);
        break;
    case PTO_OPK_GET_BLOCK_IDX:
        agent(e, op, "get_block_idx()");
        break;
    case PTO_OPK_GET_BLOCK_NUM:
        agent(e, op, "get_block_num()");
        break;
    case PTO_OPK_GET_SUBBLOCK_IDX:
        agent(e, op, "get_subblockid()");
        break;
    case PTO_OPK_GET_SUBBLOCK_NUM:
        agent(e, op, "get_subblockdim()");
        break;
    case PTO_OPK_PRINT:
        print(e, op);
        break;
    case PTO_OPK_TRAP:
        pto_emit_line(e, "trap();");
        break;
    case PTO_OPK_WAIT_ASYNC_EVENT:
    case PTO_OPK_TEST_ASYNC_EVENT: /* nothing is ever on its way */
        pto_emit_define(e, op->result[0], "true");
        break;
    default:
        if (op->kind >= PTO_OPK_ARITH_ADDF && op->kind <= PTO_OPK_ARITH_MAXNUMF)
            float_op(e, op);
        else
            pto_emit_refuse(e, "%s", pto_op_kind_name(op->kind));
        break;
    }
}
