/* SPDX-License-Identifier: Apache-2.0 */
/* <pto/common/instr_forms.hpp>: the instructions as C++ function templates, every overload and every list of
 * explicit template arguments. */
#include "cpp.h"

#include <ctype.h>
#include <string.h>

static bool is(const gen_operand *o, const char *role) { return !strcmp(o->role, role); }
bool gen_cpp_is_global(const gen_operand *o) { return *o->role == 'g'; }
static bool is_conv(const gen_operand *o) { return is(o, "cin") || is(o, "cout"); }
const char *gen_cpp_kind(const gen_operand *o) {
    return gen_cpp_is_global(o) ? "is_global_data_v" : is_conv(o) ? "is_conv_tile_v" : "is_tile_data_v";
}
static bool is_counts(const gen_operand *o) { return !strcmp(o->type, "counts"); }
bool gen_cpp_is_tile(const gen_operand *o) {
    return !gen_cpp_is_global(o) && !is(o, "scalar") && !is(o, "attr") && !is_counts(o);
}

char *gen_cpp_type_name(const gen_operand *o) {
    char *name = gen_format("%sT", o->name);
    name[0] = (char)toupper((unsigned char)name[0]);
    return name;
}

int gen_cpp_variable(const gen_row *row, char variable) {
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *o = &row->operand[i];
        if ((gen_cpp_is_tile(o) || gen_cpp_is_global(o)) && strlen(o->type) == 1 && *o->type == variable)
            return i;
    }
    return -1;
}

/* DivAlgorithm of TDIV, TDIVS and the expanding divisions; RemSAlgorithm of TREMS, ... */
static const char *algorithm(const char *mnemonic) {
    static const struct {
        const char *part, *type;
    } known[] = {{"DIV", "DivAlgorithm"},      {"RECIP", "RecipAlgorithm"}, {"RSQRT", "RsqrtAlgorithm"},
                 {"SQRT", "SqrtAlgorithm"},    {"TREMS", "RemSAlgorithm"},  {"TREM", "RemAlgorithm"},
                 {"TFMODS", "FmodSAlgorithm"}, {"TFMOD", "FmodAlgorithm"},  {"POW", "PowAlgorithm"},
                 {"EXP", "ExpAlgorithm"},      {"LOG", "LogAlgorithm"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(mnemonic, known[i].part))
            return known[i].type;
    return "DivAlgorithm";
}

const char *gen_cpp_attr_type(const gen_row *row, const gen_operand *o) {
    static const struct {
        const char *kind, *type;
    } known[] = {{"bool", "bool"},
                 {"int", "int"},
                 {"round_mode", "RoundMode"},
                 {"sat_mode", "SaturationMode"},
                 {"cmp_mode", "CmpMode"},
                 {"atomic", "AtomicType"},
                 {"relu", "ReluPreMode"},
                 {"acc_to_vec", "AccToVecMode"},
                 {"print_format", "PrintFormat"},
                 {"mask_pattern", "MaskPattern"},
                 {"coalesce", "Coalesce"},
                 {"gather_oob", "GatherOOB"},
                 {"scatter_oob", "ScatterOOB"},
                 {"scatter_atomic", "ScatterAtomicOp"},
                 {"scatter_conflict", "ScatterConflict"},
                 {"pad_value", "PadValue"},
                 {"insert_mode", "TInsertMode"},
                 {"fmatrix", "SetFmatrixMode"},
                 {"quant_type", "QuantType"},
                 {"mx_quant_alg", "MxQuantAlg"},
                 {"vec_store_mode", "VecStoreMode"},
                 {"group_axis", "int"}};
    if (!strcmp(o->name, "gatherExec"))
        return "GatherExec";
    if (!strcmp(o->name, "byte"))
        return "HistByte";
    if (!strcmp(o->type, "st_phase"))
        return !strcmp(o->name, "phase") ? "AccPhase" : "STPhase";
    if (!strcmp(o->type, "precision"))
        return algorithm(row->mnemonic);
    if (!strcmp(o->type, "select_axis"))
        return !strncmp(row->mnemonic, "TSCATTER", 8) ? "ScatterAxis" : "GatherAxis";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].kind, o->type))
            return known[i].type;
    return "auto";
}

/* ---- the cpp field ---- */

/* Rows that say nothing about C++ although their calls are not regular. */
static const struct {
    const char *mnemonic, *form, *cpp;
} irregular[] = {
    {"TQUANT", "int8", "<quant_type> *offset"},
    {"TQUANT", "mx", "<axis alg> <axis alg interleave> *exp *max *scaling"},
    {"TQUANT", "mx nz", "<alg store_mode> *exp *max *scaling *exp_zz"},
};

/* A known irregular call whose row has other operands by now is taken as regular. */
static bool names_hold(const gen_row *row, const char *cpp) {
    for (const char *p = cpp; *p;) {
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool name = n && p != cpp && p[-1] != '=';
        if (name && gen_operand_index(row, p, n) < 0)
            return false;
        p += n ? n : 1;
    }
    return true;
}

static const char *cpp_field(const gen_row *row) {
    for (size_t i = 0; !row->cpp && i < sizeof irregular / sizeof *irregular; i++)
        if (!strcmp(row->mnemonic, irregular[i].mnemonic) && !strcmp(row->form, irregular[i].form) &&
            names_hold(row, irregular[i].cpp))
            return irregular[i].cpp;
    return row->cpp ? row->cpp : "";
}

static int operand_or_fail(const gen_row *row, const char *name, size_t len) {
    int i = gen_operand_index(row, name, len);
    if (i < 0)
        gen_fail(row->line, "%s: cpp names '%.*s', which is no operand", row->mnemonic, (int)len, name);
    return i;
}

static void read_group(const gen_row *row, gen_cpp *cpp, char *text) {
    if (cpp->group_count == GEN_CPP_GROUPS)
        gen_fail(row->line, "%s: too many groups in cpp", row->mnemonic);
    gen_cpp_group *group = &cpp->group[cpp->group_count++];
    char *rest;
    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        gen_cpp_entry *entry = &group->entry[group->count++];
        if (*w == '+') {
            *entry = (gen_cpp_entry){.operand = -1, .type = w + 1};
            continue;
        }
        size_t n = strlen(w);
        bool defaulted = w[n - 1] == '?';
        *entry = (gen_cpp_entry){.operand = operand_or_fail(row, w, n - defaulted), .defaulted = defaulted};
        if (is(&row->operand[entry->operand], "attr"))
            cpp->is_template[entry->operand] = true;
    }
}

/* Attributes that upstream passes at run time unless cpp says otherwise. */
static bool run_time(const gen_operand *o) {
    return !strcmp(o->type, "round_mode") || !strcmp(o->type, "sat_mode") || !strcmp(o->type, "cmp_mode") ||
           !strcmp(o->name, "isBinary");
}

gen_cpp gen_cpp_read(const gen_row *row) {
    gen_cpp cpp = {0};
    char *p = gen_format("%s", cpp_field(row));
    if (!strcmp(p, "-")) {
        cpp.by_hand = true;
        return cpp;
    }
    while (*p) {
        if (*p == ' ') {
            p++;
        } else if (*p == '<') {
            char *end = strchr(p, '>');
            if (!end)
                gen_fail(row->line, "%s: cpp lacks '>'", row->mnemonic);
            *end = 0;
            read_group(row, &cpp, p + 1);
            p = end + 1;
        } else {
            size_t n = strcspn(p, " ");
            if (*p == '*') {
                cpp.by_pointer[operand_or_fail(row, p + 1, n - 1)] = true;
            } else {
                size_t name = strcspn(p, "= ");
                if (p[name] != '=')
                    gen_fail(row->line, "%s: cpp: '%.*s' is no <group>, *pointer or scalar=value",
                             row->mnemonic, (int)n, p);
                cpp.value[operand_or_fail(row, p, name)] =
                    gen_format("%.*s", (int)(n - name - 1), p + name + 1);
            }
            p += n;
        }
    }
    if (cpp.group_count)
        return cpp;
    /* no group: none, the first, the first two, ... of the flags */
    cpp.group_count = 1;
    for (int i = 0; i < row->operand_count; i++) {
        if (!is(&row->operand[i], "attr") || run_time(&row->operand[i]))
            continue;
        cpp.is_template[i] = true;
        const gen_cpp_group *before = &cpp.group[cpp.group_count - 1];
        gen_cpp_group *next = &cpp.group[cpp.group_count++];
        *next = *before;
        next->entry[next->count++] = (gen_cpp_entry){.operand = i};
    }
    return cpp;
}

/* ---- one overload ---- */

/* An operand with a type parameter. */
static bool is_typed(const gen_operand *o) { return gen_cpp_is_tile(o) || gen_cpp_is_global(o); }

bool gen_cpp_has(const gen_cpp_overload *o, int i) { return !(o->left_out & 1u << i); }

bool gen_cpp_listed(const gen_cpp_overload *o, int operand) {
    for (int i = 0; i < o->group->count; i++)
        if (o->group->entry[i].operand == operand)
            return true;
    return false;
}

static void emit_template(FILE *out, const gen_cpp_overload *o) {
    const gen_row *row = o->row;
    const char *comma = "";
    fputs("template <", out);
    for (int i = 0; i < o->group->count; i++, comma = ", ") {
        const gen_cpp_entry *e = &o->group->entry[i];
        if (e->operand < 0) {
            fprintf(out, "%s%s", comma, e->type);
            continue;
        }
        const gen_operand *p = &row->operand[e->operand];
        if (is(p, "attr") && !strcmp(p->type, "dtype"))
            fprintf(out, "%stypename %s", comma, gen_cpp_type_name(p));
        else if (is(p, "attr") && e->defaulted)
            fprintf(out, "%s%s %s = static_cast<%s>(%s)", comma, gen_cpp_attr_type(row, p), p->name,
                    gen_cpp_attr_type(row, p), p->attr_default);
        else if (is(p, "attr"))
            fprintf(out, "%s%s %s", comma, gen_cpp_attr_type(row, p), p->name);
        else
            fprintf(out, "%stypename %s", comma, gen_cpp_type_name(p));
    }
    for (int i = 0; i < row->operand_count; i++)
        if (gen_cpp_has(o, i) && is_typed(&row->operand[i]) && !gen_cpp_listed(o, i)) {
            fprintf(out, "%stypename %s", comma, gen_cpp_type_name(&row->operand[i]));
            comma = ", ";
        }
    /* Event0 is what a call names that lists its events; the first of them is in `caller` */
    fprintf(out, "%stypename Event0 = void, typename... WaitEvents>\n", comma);
}

static const char *fixed_type(const gen_row *row, const char *type) {
    static const struct {
        const char *name, *type;
    } known[] = {{"s8", "std::int8_t"},    {"u8", "std::uint8_t"},   {"s16", "std::int16_t"},
                 {"u16", "std::uint16_t"}, {"s32", "std::int32_t"},  {"u32", "std::uint32_t"},
                 {"s64", "std::int64_t"},  {"u64", "std::uint64_t"}, {"f32", "float"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, type))
            return known[i].type;
    gen_fail(row->line, "%s: a scalar of type '%s' has no C++ type", row->mnemonic, type);
}

char *gen_cpp_scalar_type(const gen_cpp_overload *o, int i) {
    const gen_operand *s = &o->row->operand[i];
    if (gen_cpp_listed(o, i))
        return gen_cpp_type_name(s);
    if (strlen(s->type) == 1) {
        int tile = gen_cpp_variable(o->row, *s->type);
        if (tile < 0)
            gen_fail(o->row->line, "%s: no tile has the type of '%s'", o->row->mnemonic, s->name);
        return gen_format("typename %s::DType", gen_cpp_type_name(&o->row->operand[tile]));
    }
    return gen_format("%s", fixed_type(o->row, s->type));
}

static void emit_parameters(FILE *out, const gen_cpp_overload *o) {
    for (int i = 0; i < o->row->operand_count; i++) {
        const gen_operand *p = &o->row->operand[i];
        if (!gen_cpp_has(o, i) || (is(p, "attr") && o->cpp->is_template[i]))
            continue;
        if (is(p, "attr") && o->cpp->value[i])
            fprintf(out, "%s %s = %s, ", gen_cpp_attr_type(o->row, p), p->name, o->cpp->value[i]);
        else if (is(p, "attr"))
            fprintf(out, "%s %s, ", gen_cpp_attr_type(o->row, p), p->name);
        else if (is(p, "scalar") && o->cpp->value[i])
            fprintf(out, "%s %s = %s, ", gen_cpp_scalar_type(o, i), p->name, o->cpp->value[i]);
        else if (is(p, "scalar"))
            fprintf(out, "%s %s, ", gen_cpp_scalar_type(o, i), p->name);
        else if (is_counts(p))
            fprintf(out, "MrgSortExecutedNumList &%s, ", p->name);
        else
            fprintf(out, "%s %c%s, ", gen_cpp_type_name(p), o->cpp->by_pointer[i] ? '*' : '&', p->name);
    }
    const char *caller = o->competes ? "Caller" : "AnyCaller";
    fprintf(out, "detail::%s caller = detail::Caller::at(), WaitEvents &...events", caller);
}

static void emit_operand(FILE *out, const gen_cpp_overload *o, int i) {
    const gen_operand *p = &o->row->operand[i];
    const char *member = o->cpp->by_pointer[i] ? "->" : ".";
    if (is(p, "attr") && !strcmp(p->type, "dtype") && gen_cpp_listed(o, i))
        fprintf(out, "detail::attr_operand(detail::dtype_v<%s>)", gen_cpp_type_name(p));
    else if (is(p, "attr") && (o->cpp->is_template[i] ? gen_cpp_listed(o, i) : gen_cpp_has(o, i)))
        fprintf(out, "detail::attr_operand(%s)", p->name);
    else if (is(p, "attr"))
        fprintf(out, "detail::attr_operand(%s)", p->attr_default);
    else if (!gen_cpp_has(o, i))
        fputs("detail::absent()", out);
    else if (is(p, "scalar"))
        fprintf(out, "detail::scalar_operand(%s)", p->name);
    else if (is_counts(p))
        fprintf(out, "detail::counts_operand(&%s_counts)", p->name);
    else if (gen_cpp_is_global(p))
        fprintf(out, "detail::global_operand(&%s_global)", p->name);
    else
        fprintf(out, "detail::tile_operand(%s%s%s())", p->name, member, is(p, "view") ? "fresh" : "handle");
}

static void emit_body(FILE *out, const gen_cpp_overload *o) {
    const gen_row *row = o->row;
    int typed = 0;
    for (int i = 0; i < row->operand_count; i++)
        typed += is_typed(&row->operand[i]);
    if (typed) {
        fprintf(out, "    (void)sizeof(detail::Check_%s<", row->id);
        for (int i = 0, n = 0; i < row->operand_count; i++)
            if (is_typed(&row->operand[i]))
                fprintf(out, "%s%s", n++ ? ", " : "",
                        gen_cpp_has(o, i) ? gen_cpp_type_name(&row->operand[i]) : "void");
        fputs(">);\n", out);
    }
    fputs("    detail::wait_at(caller, events...);\n", out);
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *p = &row->operand[i];
        if (gen_cpp_is_global(p) && gen_cpp_has(o, i))
            fprintf(out, "    pto_global %s_global = %s.handle();\n", p->name, p->name);
        else if (is_counts(p))
            fprintf(out, "    pto_merge_counts %s_counts = {};\n", p->name);
    }
    fputs("    const pto_operand operands[] = {", out);
    for (int i = 0; i < row->operand_count; i++) {
        fputs(i ? ", " : "", out);
        emit_operand(out, o, i);
    }
    fprintf(out, "};\n    detail::issue(PTO_FORM_%s, operands, caller.here);\n", row->id);
    const gen_operand *view = NULL, *source = NULL;
    for (int i = row->operand_count; i-- > 0;) {
        const gen_operand *p = &row->operand[i];
        if (is(p, "view"))
            view = p;
        else if (is(p, "in"))
            source = p;
        else if (is_counts(p))
            fprintf(
                out,
                "    %s = {%s_counts.list[0], %s_counts.list[1], %s_counts.list[2], %s_counts.list[3]};\n",
                p->name, p->name, p->name, p->name, p->name);
    }
    if (view && source)
        fprintf(out, "    detail::follow(%s, %s);\n", view->name, source->name);
    fputs("    return RecordEvent(caller.here);\n}\n", out);
}

/* TMATMUL_MX(dst, cIn, a, aScale, b, bScale) and (dst, a, aScale, b, bScale, bias) differ in the memory of
 * the last tile only: the position of the operand that tells, -1 = none. */
static int bias_place(const gen_cpp_overload *o, bool *is_bias) {
    bool bias = false, addend = false;
    for (int i = 0; i < o->forms; i++) {
        const gen_row *row = o->first_form + i;
        bias |= gen_operand_index(row, "bias", 4) >= 0;
        addend |= gen_operand_index(row, "cIn", 3) >= 0;
    }
    int place = gen_operand_index(o->row, "bias", 4), last = -1;
    for (int i = 0; i < o->row->operand_count; i++)
        last = is_typed(&o->row->operand[i]) ? i : last;
    *is_bias = place >= 0;
    return bias && addend && (*is_bias || gen_operand_index(o->row, "cIn", 3) >= 0) ? last : -1;
}

static void emit_overload(FILE *out, const gen_cpp_overload *o) {
    emit_template(out, o);
    if (o->competes) {
        fputs("PTO_INST detail::Result<all_events_v<WaitEvents...>", out);
        for (int i = 0; i < o->row->operand_count; i++)
            if (gen_cpp_has(o, i) && is_typed(&o->row->operand[i]))
                fprintf(out, " && %s<%s>", gen_cpp_kind(&o->row->operand[i]),
                        gen_cpp_type_name(&o->row->operand[i]));
        bool is_bias;
        int place = bias_place(o, &is_bias);
        if (place >= 0)
            fprintf(out, " && %sdetail::in_bias<%s>", is_bias ? "" : "!",
                    gen_cpp_type_name(&o->row->operand[place]));
        fputs("> ", out);
    } else {
        fputs("PTO_INST RecordEvent ", out);
    }
    fprintf(out, "%s(", o->row->mnemonic);
    emit_parameters(out, o);
    fputs(") {\n", out);
    emit_body(out, o);
}

/* Operands that a call may leave out: scratch and other tiles marked so, and a trailing run-time attribute
 * with a default that is none of its enum's values (the saturation of TCVT). */
static unsigned optional_operands(const gen_row *row, const gen_cpp *cpp) {
    unsigned set = 0;
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *o = &row->operand[i];
        bool attr = is(o, "attr") && !cpp->is_template[i] && !strcmp(o->type, "sat_mode");
        bool tile = o->optional && !is_counts(o) && !is(o, "scalar"); /* scalars: `cpp` gives a default */
        if (tile || attr)
            set |= 1u << i;
    }
    return set;
}

/* What tells overloads of one name apart: explicit parameters and kinds of operands. */
static char *signature(const gen_cpp_overload *o) {
    char *s = gen_format("%s<", o->row->mnemonic);
    for (int i = 0; i < o->group->count; i++) {
        const gen_cpp_entry *e = &o->group->entry[i];
        bool value = e->operand >= 0 && is(&o->row->operand[e->operand], "attr");
        s = gen_format("%s%s,", s,
                       e->operand < 0 ? e->type
                       : value        ? gen_cpp_attr_type(o->row, &o->row->operand[e->operand])
                                      : "typename");
    }
    bool is_bias;
    s = gen_format("%s>%s(", s, bias_place(o, &is_bias) >= 0 && is_bias ? "bias" : "");
    for (int i = 0; i < o->row->operand_count; i++) {
        const gen_operand *p = &o->row->operand[i];
        if (gen_cpp_has(o, i) && !(is(p, "attr") && o->cpp->is_template[i]))
            s = gen_format("%s%s,", s,
                           o->cpp->by_pointer[i]  ? "pointer"
                           : is_conv(p)           ? "conv"
                           : gen_cpp_is_tile(p)   ? "tile"
                           : gen_cpp_is_global(p) ? "global"
                           : is(p, "attr")        ? gen_cpp_attr_type(o->row, p)
                                                  : p->type);
    }
    return s;
}

/* Of two calls that would look the same the first in the table stands: TROWARGMAX(dst, src, tmp) before
 * TROWARGMAX(dstVal, dstIdx, src). */
static int seen_count;
static bool seen_before(char *text) {
    static char *seen[4 * GEN_MAX_ROWS];
    for (int i = 0; i < seen_count; i++)
        if (!strcmp(seen[i], text))
            return true;
    if (seen_count == 4 * GEN_MAX_ROWS)
        gen_fail(0, "too many C++ overloads");
    seen[seen_count++] = text;
    return false;
}

void gen_cpp_each(const gen_table *table, FILE *out, void (*form)(FILE *, const gen_row *),
                  void (*call)(FILE *, const gen_cpp_overload *)) {
    seen_count = 0;
    for (int i = 0; i < table->row_count; i++) {
        const gen_row *row = &table->row[i];
        gen_cpp cpp = gen_cpp_read(row);
        form(out, row);
        unsigned optional = optional_operands(row, &cpp);
        bool competes = table->op_forms[row->op] > 1 || optional;
        for (unsigned left_out = 0; left_out < 1u << GEN_MAX_OPERANDS && !cpp.by_hand; left_out++) {
            if (left_out & ~optional)
                continue;
            for (int g = 0; g < cpp.group_count; g++) {
                bool fits = true;
                for (int e = 0; e < cpp.group[g].count; e++)
                    fits &= cpp.group[g].entry[e].operand < 0 ||
                            !(left_out & 1u << cpp.group[g].entry[e].operand);
                gen_cpp_overload o = {row,
                                      &cpp,
                                      &cpp.group[g],
                                      left_out,
                                      competes,
                                      &table->row[table->op_first[row->op]],
                                      table->op_forms[row->op]};
                if (fits && !seen_before(signature(&o)))
                    call(out, &o);
            }
        }
    }
}

static const char *kind_name(const gen_cpp_overload *o, int i) {
    const gen_operand *p = &o->row->operand[i];
    return o->cpp->by_pointer[i]  ? "pointer"
           : is_counts(p)         ? "counts"
           : is_conv(p)           ? "conv"
           : gen_cpp_is_global(p) ? "global"
           : gen_cpp_is_tile(p)   ? "tile"
                                  : "scalar";
}

static void emit_kinds(FILE *out, const gen_cpp_overload *o) {
    int count = 0, required = 0;
    char *kinds = gen_format("%s", "");
    for (int i = 0; i < o->row->operand_count; i++) {
        if (!gen_cpp_has(o, i) || (is(&o->row->operand[i], "attr") && o->cpp->is_template[i]))
            continue;
        kinds = gen_format("%s%sKind::%s", kinds, count++ ? ", " : "", kind_name(o, i));
        if (!o->cpp->value[i])
            required = count;
    }
    fprintf(out, "{%d, %d, {%s}},\n", required, count, kinds);
}

/* Calls that fit no form of an instruction with several: one overload that says so. */
static void emit_fallbacks(FILE *out, const gen_table *table) {
    fputs("\n/* Arguments of kinds that no form takes */\n", out);
    for (int op = 0; op < table->op_count; op++) {
        const char *name = table->op[op];
        const gen_row *first = &table->row[table->op_first[op]];
        gen_cpp cpp = gen_cpp_read(first);
        if (cpp.by_hand || (table->op_forms[op] == 1 && !optional_operands(first, &cpp)))
            continue;
        fprintf(out, "namespace detail {\ninline constexpr Call calls_%s[] = {\n", name);
        for (const gen_row *row = first; row < first + table->op_forms[op]; row++) {
            cpp = gen_cpp_read(row);
            unsigned optional = optional_operands(row, &cpp);
            for (unsigned left_out = 0; left_out < 1u << GEN_MAX_OPERANDS; left_out++)
                if (!(left_out & ~optional))
                    emit_kinds(out, &(gen_cpp_overload){row, &cpp, &cpp.group[0], left_out, true, first,
                                                        table->op_forms[op]});
        }
        fprintf(out,
                "};\n} // namespace detail\ntemplate <typename... Args>\n"
                "PTO_INST detail::Result<!detail::takes<Args...>(detail::calls_%s)> %s(Args &&...) {\n"
                "    static_assert(detail::never<Args...>, \"[PTO][SA] PTO-E0902 %s: no call form takes "
                "these kinds "
                "of arguments (pto isa %s)\");\n    return {};\n}\n",
                name, name, name, name);
    }
}

static void emit_form(FILE *out, const gen_row *row) {
    fprintf(out, "\n/* %s (%s): %s (%s) */\n", row->mnemonic, row->form, row->summary, row->spec);
    gen_emit_cpp_checks(out, row);
}

void gen_emit_cpp(const gen_table *table, FILE *out) {
    fputs("/* SPDX-License-Identifier: Apache-2.0 */\n"
          "/* Generated by pto-gen from src/isa/instructions.def: the instructions in C++. Operands stand "
          "destination\n"
          " * first, events to wait for last; the check of a form is instantiated first, so that its message "
          "is the\n"
          " * first that the compiler prints. */\n"
          "#ifndef PTO_COMMON_INSTR_FORMS_HPP\n#define PTO_COMMON_INSTR_FORMS_HPP\n\n"
          "#include <pto/common/static_rules.hpp>\n\nPTO_NAMESPACE_BEGIN\n",
          out);
    gen_cpp_each(table, out, emit_form, emit_overload);
    emit_fallbacks(out, table);
    fputs("\nPTO_NAMESPACE_END\n\n#undef PTO_SA\n\n#endif\n", out);
}
