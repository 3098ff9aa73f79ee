/* SPDX-License-Identifier: Apache-2.0 */
/* cpp_overloads.inc, for tests/cpp/test_overloads.cpp: a call of every C++ overload beside the C call of its
 * form, on operands whose types are guessed from the row. tests/cpp/overload_operands.hpp says where the
 * guess is bettered. */
#include "cpp.h"

#include <string.h>

static bool is(const gen_operand *o, const char *role) { return !strcmp(o->role, role); }
static bool is_typed(const gen_operand *o) { return gen_cpp_is_tile(o) || gen_cpp_is_global(o); }

static const char *element_name(unsigned set) {
    static const char *const names[] = {
        "float",         "std::int8_t",   "std::uint8_t", "std::int16_t",    "std::uint16_t",
        "std::int32_t",  "std::uint32_t", "std::int64_t", "std::uint64_t",   "int4b_t",
        "half",          "bfloat16_t",    "float",        "float",           "float8_e4m3_t",
        "float8_e5m2_t", "float8_e8m0_t", "hifloat8_t",   "float4_e2m1x2_t", "float4_e1m2x2_t"};
    if (!set || set & 1u << 12)
        return "float";
    int d = 0;
    while (!(set >> d & 1u))
        d++;
    return d < 20 ? names[d] : "float";
}

static const char *element_of(const gen_row *row, const gen_operand *o) {
    static const char *const fixed[] = {"none", "s8",   "u8",   "s16",  "u16",  "s32", "u32",
                                        "s64",  "u64",  "s4",   "f16",  "bf16", "f32", "f64",
                                        "e4m3", "e5m2", "e8m0", "hif8", "e2m1", "e1m2"};
    for (unsigned i = 1; i < sizeof fixed / sizeof *fixed; i++)
        if (!strcmp(fixed[i], o->type))
            return element_name(1u << i);
    if (strlen(o->type) == 1 && gen_var_index(*o->type) >= 0 && !row->types_any[GEN_CPU] &&
        row->combo_count[GEN_CPU]) {
        unsigned set = row->combo[GEN_CPU][0].set[gen_var_index(*o->type)];
        return *o->type == 'I' && !set ? "std::int32_t" : element_name(set);
    }
    if (!strcmp(o->type, "I"))
        return "std::int32_t";
    return !strcmp(o->type, "*") && strstr(o->name, "mask") ? "std::uint8_t" : "float";
}

static bool has_rule(const gen_row *row, const char *name, int operand) {
    for (int i = 0; i < row->rule_count; i++)
        if (!strcmp(row->rule[i].name, name) &&
            (operand < 0 || (row->rule[i].arg_count && row->rule[i].arg[0] == operand)))
            return true;
    return false;
}

static const char *tile_of(const gen_row *row, int i) {
    const gen_operand *o = &row->operand[i];
    const char *element = element_of(row, o);
    if (has_rule(row, "matmul_locations", -1)) {
        static const char *const places[][2] = {{"dst", "TileAcc<%s, 16, 64>"},
                                                {"cIn", "TileAcc<%s, 16, 64>"},
                                                {"a", "TileLeft<%s, 16, 64>"},
                                                {"b", "TileRight<%s, 64, 64>"},
                                                {"bias", "Tile<TileType::Bias, %s, 1, 64>"}};
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            if (!strcmp(places[k][0], o->name)) {
                const char *at = strstr(places[k][1], "%s");
                return gen_format("%.*s%s%s", (int)(at - places[k][1]), places[k][1], element, at + 2);
            }
    }
    if (!strcmp(o->name, "aScale"))
        return gen_format("TileLeftScale<%s, 16, 2>", element);
    if (!strcmp(o->name, "bScale"))
        return gen_format("TileRightScale<%s, 2, 64>", element);
    if (is(o, "cin") || is(o, "cout"))
        return gen_format("ConvTile<TileType::Mat, %s, 4096, Layout::NC1HWC0, "
                          "ConvTileShape<1, 1, 8, 16, 32 / sizeof(%s)>>",
                          element, element);
    if (!strcmp(o->name, "fp"))
        return "Tile<TileType::Scaling, std::uint64_t, 1, 64>";
    if (has_rule(row, "acc_source", i))
        return gen_format("TileAcc<%s, 16, 64>", element);
    return gen_format("Tile<TileType::Vec, %s, %d, 64>", element, has_rule(row, "one_row", i) ? 1 : 16);
}

static void emit_guess(FILE *out, const gen_row *row) {
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *o = &row->operand[i];
        if (gen_cpp_is_global(o))
            fprintf(out, "template <> struct Guess<PTO_FORM_%s, %d> { using type = Tensor<%s>; };\n", row->id,
                    i, element_of(row, o));
        else if (gen_cpp_is_tile(o))
            fprintf(out, "template <> struct Guess<PTO_FORM_%s, %d> { using type = %s; };\n", row->id, i,
                    tile_of(row, i));
    }
}

static void ignore_call(FILE *out, const gen_cpp_overload *o) { (void)out, (void)o; }
static void ignore_form(FILE *out, const gen_row *row) { (void)out, (void)row; }

/* A scalar operand's value in its C++ type. */
static char *scalar_value(const gen_cpp_overload *o, int i) {
    const gen_operand *s = &o->row->operand[i];
    char *type;
    if (strlen(s->type) == 1) {
        const gen_operand *tile = &o->row->operand[gen_cpp_variable(o->row, *s->type)];
        type = gen_format("decltype(%s)::DType", tile->name);
    } else {
        type = gen_cpp_scalar_type(o, i);
    }
    return gen_format("static_cast<%s>(Value<PTO_FORM_%s, %d>::v)", type, o->row->id, i);
}

static const char *attr_value(const gen_cpp_overload *o, int i) {
    const gen_operand *a = &o->row->operand[i];
    return !strcmp(a->type, "sat_mode") && gen_cpp_has(o, i) ? "0" : a->attr_default;
}

static void emit_arguments(FILE *out, const gen_cpp_overload *o) {
    const gen_row *row = o->row;
    fputc('<', out);
    for (int k = 0; k < o->group->count; k++) {
        const gen_cpp_entry *e = &o->group->entry[k];
        const gen_operand *p = e->operand < 0 ? NULL : &row->operand[e->operand];
        fputs(k ? ", " : "", out);
        if (!p)
            fprintf(out, "static_cast<%s>(1)", e->type);
        else if (is(p, "attr") && !strcmp(p->type, "dtype"))
            fputs("std::int8_t", out);
        else if (is(p, "attr") && !strcmp(gen_cpp_attr_type(row, p), "auto"))
            fputs(p->attr_default, out);
        else if (is(p, "attr"))
            fprintf(out, "static_cast<%s>(%s)", gen_cpp_attr_type(row, p), attr_value(o, e->operand));
        else if (is(p, "scalar"))
            fprintf(out, "decltype(%s)", scalar_value(o, e->operand));
        else
            fprintf(out, "decltype(%s%s)", p->name, gen_cpp_is_global(p) ? ".tensor" : "");
    }
    fputs(o->group->count ? ">(" : "", out);
}

/* The call, waiting for the first `events` of the case's. */
static void emit_call(FILE *out, const gen_cpp_overload *o, int events) {
    const gen_row *row = o->row;
    fputs(row->mnemonic, out);
    if (o->group->count)
        emit_arguments(out, o);
    else
        fputc('(', out);
    const char *comma = "";
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *p = &row->operand[i];
        if (!gen_cpp_has(o, i) || (is(p, "attr") && o->cpp->is_template[i]))
            continue;
        fputs(comma, out);
        comma = ", ";
        if (is(p, "attr"))
            fprintf(out, "static_cast<%s>(%s)", gen_cpp_attr_type(row, p), attr_value(o, i));
        else if (is(p, "scalar"))
            fputs(scalar_value(o, i), out);
        else
            fprintf(out, "%s%s%s", o->cpp->by_pointer[i] ? "&" : "", p->name,
                    gen_cpp_is_global(p) ? ".tensor" : "");
    }
    for (int i = 0; i < events; i++)
        fprintf(out, "%sc.event[%d]", i || *comma ? ", " : "", i);
    fputc(')', out);
}

static int number;

static void emit_case(FILE *out, const gen_cpp_overload *o) {
    const gen_row *row = o->row;
    fprintf(out, "static void overload_%d(Case &c) { /* %s (%s) */\n    c.begin(PTO_FORM_%s, %d);\n", number,
            row->mnemonic, row->form, row->id, number);
    number++;
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *p = &row->operand[i];
        if (!gen_cpp_has(o, i) && !is_typed(p))
            continue;
        if (is_typed(p))
            fprintf(out, "    Operand<PTO_FORM_%s, %d>::type %s, %s_c; c.fill%s(%s, %s_c, %d);\n", row->id, i,
                    p->name, p->name, is(p, "view") ? "_view" : "", p->name, p->name, i);
        else if (!strcmp(p->type, "counts"))
            fprintf(out, "    MrgSortExecutedNumList %s = {}; pto_merge_counts %s_c = {};\n", p->name,
                    p->name);
    }
    fputs("    c.cpp([&] { ", out);
    emit_call(out, o, 0);
    fprintf(out, "; });\n    c.c(pto_%s(c.core()", gen_lower(row->id));
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *p = &row->operand[i];
        const char *type = is(p, "attr") ? gen_cpp_attr_type(row, p) : "auto";
        if (is(p, "attr") && gen_cpp_listed(o, i) && strcmp(p->type, "dtype") != 0 &&
            strcmp(type, "auto") != 0)
            fprintf(out, ", detail::attr_operand(static_cast<%s>(%s)).scalar.i", type, attr_value(o, i));
        else if (is(p, "attr"))
            fprintf(out, ", %s", attr_value(o, i));
        else if (is(p, "scalar"))
            fprintf(out, ", detail::scalar(%s)", scalar_value(o, i));
        else if (!strcmp(p->type, "counts"))
            fprintf(out, ", &%s_c", p->name);
        else if (!gen_cpp_has(o, i))
            fputs(", nullptr", out);
        else if (gen_cpp_is_global(p))
            fprintf(out, ", %s_c.handle()", p->name);
        else
            fprintf(out, ", %s_c.%s()", p->name, is(p, "view") ? "fresh" : "handle");
    }
    fputs("));\n", out);
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *p = &row->operand[i];
        if (!strcmp(p->type, "counts"))
            fprintf(out, "    c.equal_counts(%s, %s_c);\n", p->name, p->name);
        else if (gen_cpp_has(o, i) && is_typed(p))
            fprintf(out, "    c.equal(%s, %s_c, %d);\n", p->name, p->name, i);
    }
    static const int events[] = {0, 1, 5};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        fprintf(out, "    c.placed(__LINE__, %d, [&] { return ", events[i]);
        emit_call(out, o, events[i]);
        fputs("; });\n", out);
    }
    fputs("}\n", out);
}

static void emit_entry(FILE *out, const gen_cpp_overload *o) {
    (void)o;
    fprintf(out, "    overload_%d,\n", number++);
}

void gen_emit_cpp_test(const gen_table *table, FILE *out) {
    fputs("/* SPDX-License-Identifier: Apache-2.0 */\n"
          "/* Generated by pto-gen from src/isa/instructions.def. */\n\n"
          "/* Types of the operands, guessed */\n",
          out);
    gen_cpp_each(table, out, emit_guess, ignore_call);
    fputs("\n#include \"cpp/overload_operands.hpp\"\n\n", out);
    number = 0;
    gen_cpp_each(table, out, ignore_form, emit_case);
    fputs("\nstatic void (*const overloads[])(Case &) = {\n", out);
    number = 0;
    gen_cpp_each(table, out, ignore_form, emit_entry);
    fputs("};\n", out);
    int by_hand = 0;
    for (int i = 0; i < table->row_count; i++)
        by_hand += gen_cpp_read(&table->row[i]).by_hand;
    fprintf(out,
            "/* forms whose calls are written by hand and tested elsewhere */\nconstexpr int forms_by_hand = "
            "%d;\n",
            by_hand);
}
