/* SPDX-License-Identifier: Apache-2.0 */
/* The static checks of a form in C++: kinds, element types, and those of its rules that types decide. The ids
 * are those of the functions in src/isa/rules_*.c. */
#include "cpp.h"

#include <string.h>

static bool is(const gen_operand *o, const char *role) { return !strcmp(o->role, role); }
static bool is_typed(const gen_operand *o) { return gen_cpp_is_tile(o) || gen_cpp_is_global(o); }

typedef struct check {
    FILE *out;
    const gen_row *row;
    const gen_rule *rule;
} check;

#define TILE(i) gen_cpp_type_name(&c->row->operand[i])
#define NAME(i) (c->row->operand[i].name)

/* PTO_SA("ID", "MNEMONIC: text", condition); in force where the rule is. */
static void say(const check *c, const char *id, const char *text, const char *condition) {
    fprintf(c->out, "    PTO_SA(\"%s\", \"%s: %s\", ", id, c->row->mnemonic, text);
    if (c->rule && c->rule->targets != 7)
        fprintf(c->out, "!here(%u) || ", c->rule->targets);
    fprintf(c->out, "(%s));\n", condition);
}

static void each_tile(const check *c, const char *id, const char *what, const char *condition) {
    for (int i = 0; i < c->row->operand_count; i++)
        if (gen_cpp_is_tile(&c->row->operand[i]))
            say(c, id, gen_format("%s %s", NAME(i), what), gen_format(condition, TILE(i)));
}

static void in_vec(const check *c) { each_tile(c, "PTO-E0320", "lives in Vec", "in<%s>(1u)"); }
static void flat_row_major(const check *c) {
    each_tile(c, "PTO-E0321", "is row-major without boxes", "Facts<%s>::flat_row_major");
}
static void no_box(const check *c) { each_tile(c, "PTO-E0321", "has no boxes", "!Facts<%s>::boxed"); }

static void same_layout(const check *c) {
    int first = -1;
    const int count = c->rule->arg_count ? c->rule->arg_count : c->row->operand_count;
    for (int k = 0; k < count; k++) {
        int i = c->rule->arg_count ? c->rule->arg[k] : k;
        if (!gen_cpp_is_tile(&c->row->operand[i]) || is(&c->row->operand[i], "tmp"))
            continue;
        if (first < 0)
            first = i;
        else
            say(c, "PTO-E0322", gen_format("%s has the layout of %s", NAME(i), NAME(first)),
                gen_format("same_layout<%s, %s>", TILE(i), TILE(first)));
    }
}

static void valid_pair(const check *c, int reference, int i) {
    if (gen_cpp_is_tile(&c->row->operand[i]))
        say(c, "PTO-E0323", gen_format("%s has the valid region of %s", NAME(i), NAME(reference)),
            gen_format("same_valid<%s, %s>", TILE(i), TILE(reference)));
}

static void valid_equal(const check *c) {
    for (int i = 1; i < c->rule->arg_count; i++)
        valid_pair(c, c->rule->arg[0], c->rule->arg[i]);
    for (int i = 1; !c->rule->arg_count && i < c->row->operand_count; i++)
        if (is(&c->row->operand[i], "in"))
            valid_pair(c, 0, i);
}

static void nonempty(const check *c) {
    for (int i = 0; i < c->rule->arg_count; i++)
        say(c, "PTO-E0324", gen_format("the valid region of %s is not empty", NAME(c->rule->arg[i])),
            gen_format("not_empty<%s>", TILE(c->rule->arg[i])));
}

static void element_size_equal(const check *c) {
    say(c, "PTO-E0328", gen_format("elements of %s and %s have one size", NAME(0), NAME(1)),
        gen_format("same_size<%s, %s>", TILE(0), TILE(1)));
}

static void tmp_given(const check *c) {
    say(c, "PTO-E0329", gen_format("a2a3 needs the scratch tile %s", NAME(c->rule->arg[0])),
        gen_format("given<%s>", TILE(c->rule->arg[0])));
}

static void tmp_type(const check *c) {
    say(c, "PTO-E0303",
        gen_format("%s has the element type of %s", NAME(c->rule->arg[0]), NAME(c->rule->arg[1])),
        gen_format("same_element<%s, %s>", TILE(c->rule->arg[0]), TILE(c->rule->arg[1])));
}

static void tmp_covers(const check *c) {
    say(c, "PTO-E0500",
        gen_format("the valid region of %s covers that of %s", NAME(c->rule->arg[0]), NAME(c->rule->arg[1])),
        gen_format("covers<%s, %s>", TILE(c->rule->arg[0]), TILE(c->rule->arg[1])));
}

static void tmp_bytes(const check *c) {
    say(c, "PTO-E0330", gen_format("%s has at least %d bytes", NAME(c->rule->arg[0]), c->rule->arg[1]),
        gen_format("Facts<%s>::bytes >= %d", TILE(c->rule->arg[0]), c->rule->arg[1]));
}

static int place(const check *c, const char *name) { return gen_operand_index(c->row, name, strlen(name)); }

static void matmul_locations(const check *c) {
    static const struct {
        const char *operand, *memory;
        unsigned set;
    } places[] = {{"dst", "Acc", 1u << 4},
                  {"cIn", "Acc", 1u << 4},
                  {"a", "Left", 1u << 2},
                  {"b", "Right", 1u << 3},
                  {"bias", "Bias", 1u << 5}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        int i = place(c, places[k].operand);
        if (i >= 0)
            say(c, "PTO-E0801", gen_format("%s lives in %s", NAME(i), places[k].memory),
                gen_format("in<%s>(%uu)", TILE(i), places[k].set));
    }
}

static void matmul_shapes(const check *c) {
    int dst = place(c, "dst"), a = place(c, "a"), b = place(c, "b");
    say(c, "PTO-E0803", "rows of dst equal rows of a",
        gen_format("Facts<%s>::rows == Facts<%s>::rows", TILE(dst), TILE(a)));
    say(c, "PTO-E0803", "rows of b equal columns of a",
        gen_format("Facts<%s>::rows == Facts<%s>::cols", TILE(b), TILE(a)));
    say(c, "PTO-E0803", "columns of dst equal columns of b",
        gen_format("Facts<%s>::cols == Facts<%s>::cols", TILE(dst), TILE(b)));
}

static void matmul_layouts(const check *c) {
    int dst = place(c, "dst"), a = place(c, "a"), b = place(c, "b");
    say(c, "PTO-E0802", "a has the layout of TileLeft on the target",
        gen_format("left_layout_ok<%s>", TILE(a)));
    say(c, "PTO-E0802", "b has the layout of TileRight", gen_format("right_layout_ok<%s>", TILE(b)));
    say(c, "PTO-E0802", "dst has the layout of TileAcc", gen_format("acc_layout_ok<%s>", TILE(dst)));
}

static void load_location(const check *c) {
    say(c, "PTO-E0701", "dst lives in Vec or Mat", gen_format("in<%s>(3u)", TILE(0)));
}

static void store_location(const check *c) {
    say(c, "PTO-E0701", "src lives in Vec, Acc or, not on a5, Mat",
        gen_format("in<%s>(here(4) ? 0x11u : 0x13u)", TILE(1)));
}

static void acc_source(const check *c) {
    int i = c->rule->arg[0];
    say(c, "PTO-E0751", gen_format("%s lives in Acc", NAME(i)), gen_format("in<%s>(0x10u)", TILE(i)));
}

static void one_row(const check *c) {
    int i = c->rule->arg[0];
    say(c, "PTO-E0880", gen_format("%s has one row", NAME(i)),
        gen_format("!Facts<%s>::tile || Facts<%s>::rows == 1", TILE(i), TILE(i)));
}

static void emit_rule(const check *c) {
    static const struct {
        const char *name;
        void (*emit)(const check *);
    } known[] = {{"in_vec", in_vec},
                 {"flat_row_major", flat_row_major},
                 {"no_box", no_box},
                 {"same_layout", same_layout},
                 {"valid_equal", valid_equal},
                 {"nonempty", nonempty},
                 {"element_size_equal", element_size_equal},
                 {"tmp_given", tmp_given},
                 {"tmp_type", tmp_type},
                 {"tmp_covers", tmp_covers},
                 {"tmp_bytes", tmp_bytes},
                 {"matmul_locations", matmul_locations},
                 {"matmul_shapes", matmul_shapes},
                 {"matmul_layouts", matmul_layouts},
                 {"load_location", load_location},
                 {"store_location", store_location},
                 {"acc_source", acc_source},
                 {"one_row", one_row}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, c->rule->name))
            known[i].emit(c);
}

static void emit_kinds(const check *c) {
    for (int i = 0; i < c->row->operand_count; i++) {
        const gen_operand *o = &c->row->operand[i];
        const char *what = gen_cpp_is_global(o)                                  ? "GlobalTensor"
                           : !strcmp(o->role, "cin") || !strcmp(o->role, "cout") ? "ConvTile"
                                                                                 : "tile";
        if (is_typed(o))
            say(c, "PTO-E0304", gen_format("%s is a %s", o->name, what),
                gen_format("!given<%s> || %s<%s>", TILE(i), gen_cpp_kind(o), TILE(i)));
    }
}

static const char *const targets[] = {"cpu", "a2a3", "a5"};

static void emit_available(const check *c) {
    for (int t = GEN_A2A3; t < GEN_TARGETS; t++)
        if (!c->row->types_any[t] && !c->row->combo_count[t])
            say(c, "PTO-E0301", gen_format("the form '%s' does not exist on %s", c->row->form, targets[t]),
                gen_format("given<%s> && !here(%u)", TILE(0), 1u << t));
}

static void emit_elements(const check *c) {
    static const char variables[] = "TSDABI";
    int first[6];
    for (int v = 0; v < 6; v++)
        first[v] = gen_cpp_variable(c->row, variables[v]);
    for (int i = 0; i < c->row->operand_count; i++) {
        const gen_operand *o = &c->row->operand[i];
        if (!is_typed(o) || !strcmp(o->type, "*"))
            continue;
        int v = strlen(o->type) == 1 ? gen_var_index(*o->type) : -1;
        if (v < 0)
            say(c, "PTO-E0302", gen_format("elements of %s are %s", o->name, o->type),
                gen_format("!given<%s> || element<%s> == dtype_named(\"%s\")", TILE(i), TILE(i), o->type));
        if (v >= 0 && first[v] != i)
            say(c, "PTO-E0303", gen_format("%s has the element type of %s", o->name, NAME(first[v])),
                gen_format("same_element<%s, %s>", TILE(i), TILE(first[v])));
    }
    for (int t = 0; t < GEN_TARGETS; t++) {
        if (c->row->types_any[t] || !c->row->combo_count[t])
            continue;
        char *condition = gen_format("!here(%u) || admits(types_%s_%s", 1u << t, c->row->id, targets[t]);
        for (int v = 0; v < 6; v++)
            condition = first[v] < 0 ? gen_format("%s, PTO_DTYPE_NONE", condition)
                                     : gen_format("%s, element<%s>", condition, TILE(first[v]));
        say(c, "PTO-E0302", gen_format("element types on %s are %s", targets[t], c->row->types[t]),
            gen_format("%s)", condition));
    }
}

static void emit_type_tables(FILE *out, const gen_row *row) {
    for (int t = 0; t < GEN_TARGETS; t++) {
        if (row->types_any[t] || !row->combo_count[t])
            continue;
        fprintf(out, "inline constexpr Combo types_%s_%s[] = {", row->id, targets[t]);
        for (int i = 0; i < row->combo_count[t]; i++) {
            fputs(i ? ", {{" : "{{", out);
            for (int v = 0; v < 6; v++)
                fprintf(out, "%s0x%x", v ? ", " : "", (unsigned)row->combo[t][i].set[v]);
            fputs("}}", out);
        }
        fputs("};\n", out);
    }
}

void gen_emit_cpp_checks(FILE *out, const gen_row *row) {
    int typed = 0;
    for (int i = 0; i < row->operand_count; i++)
        typed += is_typed(&row->operand[i]);
    if (!typed)
        return;
    fputs("namespace detail {\n", out);
    emit_type_tables(out, row);
    fputs("template <", out);
    for (int i = 0, n = 0; i < row->operand_count; i++)
        if (is_typed(&row->operand[i]))
            fprintf(out, "%stypename %s", n++ ? ", " : "", gen_cpp_type_name(&row->operand[i]));
    fprintf(out, "> struct Check_%s {\n", row->id);
    check c = {out, row, NULL};
    emit_available(&c);
    emit_kinds(&c);
    emit_elements(&c);
    for (int i = 0; i < row->rule_count; i++) {
        c.rule = &row->rule[i];
        emit_rule(&c);
    }
    fputs("};\n} // namespace detail\n", out);
}
