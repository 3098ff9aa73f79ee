/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that loops, choices and regions carry: programs of level 1 give the same bits when they are written
 * at level 2, where one handle is moved to or written right away; random ones on every target, and by hand
 * those where no move is allowed, or possible. */
#include "program/facts.h"
#include "support/program_testing.h"
#include <pto/ops.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 4 * 16, STORED = 4, ROUNDS = 400 };
#define T "!pto.tile<vec, f32, 4, 16>"
#define U "!pto.tile<vec, f32, 8, 8>"
#define V "!pto.tensor_view<4x16xf32>"
#define P "!pto.partition_tensor_view<4x16xf32>"

/* ---- random programs ------------------------------------------------------------------------------------
 */

typedef struct value {
    int id, root, depth; /* root: of its storage; depth: of loops where it was made */
    bool kept;           /* several names may mean it: not taken over */
} value;

typedef struct maker {
    char *text;
    size_t len, capacity;
    uint64_t seed;
    value pool[256];
    int count, next, depth, nesting, statements;
} maker;

static unsigned random_below(maker *m, unsigned limit) {
    m->seed ^= m->seed << 13, m->seed ^= m->seed >> 7, m->seed ^= m->seed << 17;
    return (unsigned)((m->seed >> 11) % limit);
}

static void put(maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(maker *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(m->text + m->len, m->capacity - m->len, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && m->len + (size_t)len < m->capacity);
    m->len += (size_t)len;
}

static value *fresh(maker *m, int id) {
    assert_true(m->count < 256);
    m->pool[m->count] = (value){.id = id, .root = id, .depth = m->depth};
    return &m->pool[m->count++];
}

static value any(maker *m) { return m->pool[random_below(m, (unsigned)m->count)]; }

/* Makes the old value and everything that has its storage unusable; false when none may be taken over. */
static bool take_over(maker *m, int *id) {
    for (int tries = 0; tries < 8; tries++) {
        value v = any(m);
        int left = 0;
        bool kept = v.kept;
        for (int i = 0; i < m->count; i++) {
            left += m->pool[i].root != v.root;
            kept |= m->pool[i].root == v.root && m->pool[i].kept;
        }
        if (kept || v.depth != m->depth || left < 3)
            continue;
        left = 0;
        for (int i = 0; i < m->count; i++)
            if (m->pool[i].root != v.root)
                m->pool[left++] = m->pool[i];
        m->count = left;
        *id = v.id;
        return true;
    }
    return false;
}

static bool is_there(const maker *m, int id) {
    for (int i = 0; i < m->count; i++)
        if (m->pool[i].id == id)
            return true;
    return false;
}

static void statements(maker *m, int most);

static void yield(maker *m, unsigned tiles, const char *scalar) {
    put(m, "scf.yield ");
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%s%%t%d", i ? ", " : "", any(m).id);
    put(m, "%s%s : ", scalar ? ", " : "", scalar ? scalar : "");
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%s" T, i ? ", " : "");
    put(m, "%s\n", scalar ? ", index" : "");
}

static void types(maker *m, unsigned tiles, bool scalar) {
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%s" T, i ? ", " : "");
    put(m, "%s", scalar ? ", index" : "");
}

/* Names of results, which exist behind the operation. */
static int results(maker *m, unsigned tiles, const char *scalar) {
    int first = m->next;
    m->next += (int)tiles;
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%s%%t%d", i ? ", " : "", first + (int)i);
    if (scalar)
        put(m, ", %%%s%d", scalar, first);
    put(m, " = ");
    return first;
}

static void leave(maker *m, int mark, int first, unsigned tiles) {
    /* what was taken over inside of a choice is gone; values of the region are */
    int kept = 0;
    for (int i = 0; i < m->count; i++)
        if (m->pool[i].id < mark)
            m->pool[kept++] = m->pool[i];
    m->count = kept;
    for (unsigned i = 0; i < tiles; i++)
        fresh(m, first + (int)i);
}

static void for_loop(maker *m) {
    unsigned tiles = 1 + random_below(m, 3);
    int first = results(m, tiles, "n"), mark = m->next, argument = m->next;
    m->next += (int)tiles;
    put(m, "scf.for %%i%d = %%c0 to %%c%u step %%c1 iter_args(", first, random_below(m, 4));
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%%t%d = %%t%d, ", argument + (int)i, any(m).id);
    put(m, "%%m%d = %%c1) -> (", first);
    types(m, tiles, true);
    put(m, ") {\n");
    m->depth++;
    for (unsigned i = 0; i < tiles; i++)
        fresh(m, argument + (int)i);
    statements(m, 4);
    put(m, "%%k%d = arith.addi %%m%d, %%i%d : index\n", first, first, first);
    char scalar[16];
    snprintf(scalar, sizeof scalar, "%%k%d", first);
    yield(m, tiles, scalar);
    put(m, "}\n");
    m->depth--;
    leave(m, mark, first, tiles);
}

static void while_loop(maker *m) {
    unsigned tiles = 1 + random_below(m, 2);
    int first = results(m, tiles, "n"), mark = m->next, argument = m->next;
    m->next += 2 * (int)tiles;
    put(m, "scf.while (");
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%%t%d = %%t%d, ", argument + (int)i, any(m).id);
    put(m, "%%m%d = %%c0) : (", first);
    types(m, tiles, true);
    put(m, ") -> (");
    types(m, tiles, true);
    put(m, ") {\n");
    m->depth++;
    for (unsigned i = 0; i < tiles; i++)
        fresh(m, argument + (int)i);
    bool plain = random_below(m, 2);
    if (!plain)
        statements(m, 2);
    put(m, "%%g%d = arith.cmpi slt, %%m%d, %%c%u : index\nscf.condition(%%g%d) ", first, first,
        random_below(m, 4), first);
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%%t%d, ",
            (plain || random_below(m, 2)) && is_there(m, argument + (int)i) ? argument + (int)i : any(m).id);
    put(m, "%%m%d : ", first);
    types(m, tiles, true);
    put(m, "\n} do {\n^bb0(");
    leave(m, mark, 0, 0);
    for (unsigned i = 0; i < tiles; i++)
        put(m, "%%t%d: " T ", ", fresh(m, argument + (int)(tiles + i))->id);
    put(m, "%%j%d: index):\n", first);
    statements(m, 4);
    put(m, "%%k%d = arith.addi %%j%d, %%c1 : index\n", first, first);
    char scalar[16];
    snprintf(scalar, sizeof scalar, "%%k%d", first);
    yield(m, tiles, scalar);
    put(m, "}\n");
    m->depth--;
    leave(m, mark, first, tiles);
}

/* Of the ways of a choice one is taken: each finds what was there before. Behind them is left what is left in
 * all. */
typedef struct ways {
    value before[256];
    int before_count, count[256];
} ways;

static void arm(maker *m, unsigned tiles, int mark, ways *w) {
    memcpy(m->pool, w->before, sizeof w->before);
    m->count = w->before_count;
    statements(m, 3);
    yield(m, tiles, NULL);
    leave(m, mark, 0, 0);
    for (int i = 0; i < m->count; i++)
        for (int j = 0; j < w->before_count; j++) {
            w->count[j] += w->before[j].id == m->pool[i].id;
            w->before[j].kept |= w->before[j].id == m->pool[i].id && m->pool[i].kept;
        }
}

static void behind(maker *m, const ways *w, int arms) {
    m->count = 0;
    for (int j = 0; j < w->before_count; j++)
        if (w->count[j] == arms)
            m->pool[m->count++] = w->before[j];
}

static void choice(maker *m) {
    unsigned tiles = 1 + random_below(m, 2), kind = random_below(m, 4);
    int first = results(m, tiles, NULL), mark = m->next;
    ways *w = calloc(1, sizeof *w);
    assert_non_null(w);
    memcpy(w->before, m->pool, sizeof w->before);
    w->before_count = m->count;
    put(m, kind == 0   ? "scf.if %%p -> ("
           : kind == 1 ? "scf.index_switch %%s -> "
                       : "scf.execute_region -> (");
    types(m, tiles, false);
    if (kind == 0) {
        put(m, ") {\n");
        arm(m, tiles, mark, w);
        put(m, "} else {\n");
        arm(m, tiles, mark, w);
        behind(m, w, 2);
    } else if (kind == 1) {
        put(m, "\ncase %u {\n", random_below(m, 3));
        arm(m, tiles, mark, w);
        put(m, "}\ncase 3 {\n");
        arm(m, tiles, mark, w);
        put(m, "}\ndefault {\n");
        arm(m, tiles, mark, w);
        behind(m, w, 3);
    } else if (kind == 2) {
        put(m, ") {\n");
        arm(m, tiles, mark, w);
    } else {
        put(m, ") {\n");
        statements(m, 2);
        put(m, "cf.cond_br %%p, ^y%d, ^n%d\n^y%d:\n", first, first, first);
        for (int way = 0; way < 2; way++) {
            int inner = m->next;
            if (way)
                put(m, "^n%d:\n", first);
            m->depth++; /* only what the block has made is taken over: the verifier knows no order of these */
            statements(m, 3);
            m->depth--;
            yield(m, tiles, NULL);
            leave(m, inner, 0, 0);
        }
        leave(m, mark, 0, 0);
    }
    free(w);
    put(m, "}\n");
    leave(m, mark, first, tiles);
}

static void one_statement(maker *m) {
    static const char *const binary[] = {"tadd", "tsub", "tmax", "tmin"};
    unsigned what = random_below(m, 16);
    bool nests = m->nesting < 3 && m->statements < 60;
    int id = m->next, old;
    m->statements++;
    if (nests && what < 5) {
        m->nesting++;
        what < 2 ? for_loop(m) : what < 3 ? while_loop(m) : choice(m);
        m->nesting--;
    } else if (what == 5 && take_over(m, &old)) {
        m->next++;
        put(m, "%%t%d = pto.tmuladddst %%half, %%t%d, %%t%d : (" T ", " T ", " T ") -> " T "\n", id,
            any(m).id, old);
        fresh(m, id);
    } else if (what == 6) { /* names of a storage: a view of it and a view of the view */
        value from = any(m);
        m->next += 2;
        put(m, "%%t%d = pto.treshape %%t%d : " T " -> " U "\n", id, from.id);
        put(m, "%%t%d = pto.treshape %%t%d : " U " -> " T "\n", id + 1, id);
        value *view = fresh(m, id + 1);
        view->root = from.root;
        view->kept = from.kept;
        view->depth = from.depth;
    } else if (what == 7) {
        value a = any(m), b = any(m);
        m->next++;
        put(m, "%%t%d = arith.select %%p, %%t%d, %%t%d : " T "\n", id, a.id, b.id);
        for (int i = 0; i < m->count; i++)
            m->pool[i].kept |= m->pool[i].root == a.root || m->pool[i].root == b.root;
        fresh(m, id)->kept = true;
    } else {
        m->next++;
        put(m, "%%t%d = pto.%s %%t%d, %%t%d : (" T ", " T ") -> " T "\n", id, binary[random_below(m, 4)],
            any(m).id, any(m).id);
        fresh(m, id);
    }
}

static void statements(maker *m, int most) {
    for (int n = 1 + (int)random_below(m, (unsigned)most); n > 0; n--)
        one_statement(m);
}

static const char views[] =
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
    "%c3 = arith.constant 3 : index\n%c4 = arith.constant 4 : index\n%c16 = arith.constant 16 : index\n"
    "%c64 = arith.constant 64 : index\n%gx = pto.make_tensor_view %x, shape = [%c4, %c16], strides = [%c16, "
    "%c1] : " V "\n%px = pto.partition_view %gx, offsets = [%c0, %c0], sizes = [%c4, %c16] : " V " -> " P
    "\n";

static char *random_program(uint64_t seed) {
    maker m = {.capacity = 1 << 18, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    m.text = malloc(m.capacity);
    assert_non_null(m.text);
    put(&m, "module {\nfunc.func @main(%%x: !pto.ptr<f32>, %%o: !pto.ptr<f32>, %%p: i1, %%s: index) {\n%s",
        views);
    put(&m, "%%h = arith.constant 0.5 : f32\n%%half = pto.texpands %%h : f32 -> " T "\n");
    for (int i = 0; i < 3; i++) {
        put(&m, "%%l%d = pto.tload %%px : " P " -> " T "\n", i);
        put(&m, "%%t%d = pto.tadds %%l%d, %%h : (" T ", f32) -> " T "\n", i, i);
        fresh(&m, i);
    }
    m.next = 3;
    statements(&m, 8);
    statements(&m, 8);
    for (int i = 0; i < STORED; i++) {
        put(&m,
            "%%a%d = arith.constant %d : index\n%%q%d = pto.addptr %%o, %%a%d : !pto.ptr<f32> -> "
            "!pto.ptr<f32>\n"
            "%%g%d = pto.make_tensor_view %%q%d, shape = [%%c4, %%c16], strides = [%%c16, %%c1] : " V "\n"
            "%%w%d = pto.partition_view %%g%d, offsets = [%%c0, %%c0], sizes = [%%c4, %%c16] : " V " -> " P
            "\npto.tstore %%t%d, %%w%d : (" T ", " P ") -> ()\n",
            1000 + i, i * ELEMENTS, 1000 + i, 1000 + i, 1000 + i, 1000 + i, 1000 + i, 1000 + i, any(&m).id,
            1000 + i);
    }
    put(&m, "return\n}\n}\n");
    return m.text;
}

static void run_on(pto_program *program, pto_target target, int choice, float *out, const char *text) {
    float x[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = (float)((i * 37 + choice) % 64 - 32) / 64;
    memset(out, 0, STORED * ELEMENTS * sizeof *out);
    const pto_argument arguments[] = {{.data = x, .bytes = sizeof x, .read_only = true},
                                      {.data = out, .bytes = STORED * ELEMENTS * sizeof *out},
                                      {.i = choice & 1},
                                      {.i = choice}};
    const pto_run_options options = {.target = target, .has_target = true};
    pto_diag_list *diags = pto_diag_list_create();
    if (pto_program_run(program, arguments, 4, &options, diags) != PTO_OK)
        fail_msg("%s: %s\n%s", pto_target_name(target), diag_text(diags), text);
    pto_diag_list_destroy(diags);
}

typedef struct counts {
    int moves, tiles, carriers;
} counts;

static void count(void *user, const pto_operation *op) {
    counts *c = user;
    c->moves += op->kind == PTO_OPK_INSTR && op->form == PTO_FORM_TMOV;
    c->tiles += op->kind == PTO_OPK_ALLOC_TILE;
    for (uint32_t i = 0; i < op->result_count; i++)
        c->carriers += op->region_count && pto_type_is_tile(op->result[i]->type);
}

static counts count_in(const pto_program *program) {
    counts c = {0};
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        pto_fact_walk(f, count, &c);
    return c;
}

static pto_program *to_level2(const char *text) {
    pto_program *level1 = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *level2 = pto_program_convert(level1, PTO_DIALECT_LEVEL2, diags);
    if (!level2)
        fail_msg("%s\n%s", diag_text(diags), text);
    pto_diag_list_destroy(diags);
    pto_program_destroy(level1);
    return level2;
}

static void random_programs_give_the_same_bits(void **state) {
    (void)state;
    const char *rounds = getenv("PTO_CARRIED_ROUNDS");
    const uint64_t most = rounds ? strtoull(rounds, NULL, 10) : ROUNDS;
    counts sum = {0};
    const char *first = getenv("PTO_CARRIED_FIRST");
    for (uint64_t seed = first ? strtoull(first, NULL, 10) : 1; seed <= most; seed++) {
        char *text = random_program(seed);
        pto_program *level1 = parse_program(text), *level2 = to_level2(text);
        counts before = count_in(level1), after = count_in(level2);
        assert_int_equal(after.carriers, 0);
        sum.carriers += before.carriers;
        sum.moves += after.moves;
        sum.tiles += after.tiles;
        /* what is printed is the same program */
        text_buffer printed = {0};
        assert_int_equal(pto_program_print(level2, PTO_DIALECT_LEVEL2, collect_text, &printed, NULL), PTO_OK);
        pto_program *again = parse_program(printed.data);
        assert_true(pto_program_equal(level2, again));
        for (int t = 0; t < PTO_TARGET_COUNT; t++)
            for (int choice = 0; choice < 4; choice++) {
                float want[STORED * ELEMENTS], got[STORED * ELEMENTS];
                run_on(level1, (pto_target)t, choice, want, text);
                run_on(again, (pto_target)t, choice, got, printed.data);
                if (memcmp(want, got, sizeof want))
                    fail_msg("seed %llu on %s, choice %d:\n%s\n%s", (unsigned long long)seed,
                             pto_target_name((pto_target)t), choice, text, printed.data);
            }
        pto_program_destroy(again);
        pto_program_destroy(level2);
        pto_program_destroy(level1);
        free(printed.data);
        free(text);
    }
    print_message("to seed %llu: %d carried tiles, %d moves, %d tiles\n", (unsigned long long)most,
                  sum.carriers, sum.moves, sum.tiles);
}

/* ---- by hand ----------------------------------------------------------------------------------------------
 */

#define MAT "!pto.tile<mat, f32, 16, 16, col_major, row_major>"
#define LEFT "!pto.tile<left, f32, 16, 16, col_major, row_major>"
#define RIGHT "!pto.tile<right, f32, 16, 16, row_major, col_major>"
#define ACC "!pto.tile<acc, f32, 16, 16, col_major, row_major, 1024>"
#define PM "!pto.partition_tensor_view<16x16xf32>"
#define FOR(names, inits, types)                                                                             \
    names " = scf.for %i = %c0 to %c3 step %c1 iter_args(" inits ") -> (" types ") {\n"
#define BINARY(d, op, a, b) d " = pto." op " " a ", " b " : (" T ", " T ") -> " T "\n"
#define ABC                                                                                                  \
    "%a = pto.tload %px : " P " -> " T "\n%b = pto.tload %px : " P " -> " T "\n%c = pto.tload %px : " P      \
    " -> " T "\n"
#define USE(t) "pto.tstore " t ", %px : (" T ", " P ") -> ()\n"
#define CUBE                                                                                                 \
    "%ma = pto.tload %pm : " PM " -> " MAT "\n%mb = pto.tload %pm : " PM " -> " MAT "\n"                     \
    "%la = pto.tmov %ma : " MAT " -> " LEFT "\n%rb = pto.tmov %mb : " MAT " -> " RIGHT "\n"
#define MATMUL(d) d " = pto.tmatmul %la, %rb : (" LEFT ", " RIGHT ") -> " ACC "\n"
#define MATMUL_ACC(d, x) d " = pto.tmatmul.acc " x ", %la, %rb : (" ACC ", " LEFT ", " RIGHT ") -> " ACC "\n"
#define STORE(acc) "pto.tstore " acc ", %pm : (" ACC ", " PM ") -> ()\n"

static char *by_hand(const char *body, const char *target) {
    static const char frame[] =
        "module%s%s%s {\nfunc.func @main(%%x: !pto.ptr<f32>, %%p: i1, %%s: index) {\n%s"
        "%%gm = pto.make_tensor_view %%x, shape = [%%c16, %%c16], strides = [%%c16, %%c1] : "
        "!pto.tensor_view<16x16xf32>\n"
        "%%pm = pto.partition_view %%gm, offsets = [%%c0, %%c0], sizes = [%%c16, %%c16] : "
        "!pto.tensor_view<16x16xf32> -> " PM "\n%sreturn\n}\n}\n";
    size_t size = sizeof frame + sizeof views + strlen(body) + 64;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, frame, target ? " attributes {pto.target_arch = \"" : "", target ? target : "",
             target ? "\"}" : "", views, body);
    return text;
}

/* How many moves between tiles of one memory the program needs at level 2, and that the bits are the same. */
static void moves_are_needed_where_values_meet(void **state) {
    (void)state;
    static const struct {
        const char *body, *target;
        int moves;
    } rows[] = {
        /* in place, from an initial value that nothing else uses */
        {ABC FOR("%r", "%u = %a", T) BINARY("%y", "tadd", "%u", "%b") "scf.yield %y : " T "\n}\n" USE("%r"),
         NULL, 0},
        /* it is used behind the loop, in it, twice */
        {ABC FOR("%r", "%u = %a", T) BINARY("%y", "tadd", "%u", "%b") "scf.yield %y : " T "\n}\n" USE("%r")
             USE("%a"),
         NULL, 1},
        {ABC FOR("%r", "%u = %a", T) BINARY("%y", "tadd", "%u", "%a") "scf.yield %y : " T "\n}\n" USE("%r"),
         NULL, 1},
        {ABC FOR("%r, %q", "%u = %a, %v = %a", T ", " T) BINARY("%y", "tadd", "%u", "%b")
             BINARY("%z", "tsub", "%v", "%b") "scf.yield %y, %z : " T ", " T "\n}\n" USE("%r") USE("%q"),
         NULL, 2},
        /* the old value is used behind the new one, by another or as a result */
        {ABC FOR("%r", "%u = %a", T) BINARY("%y", "tadd", "%u", "%b") BINARY("%z", "tadd", "%u", "%y")
             USE("%z") "scf.yield %y : " T "\n}\n" USE("%r"),
         NULL, 1},
        {ABC FOR("%r, %q", "%u = %a, %v = %b", T ", " T)
             BINARY("%y", "tadd", "%u", "%v") "scf.yield %y, %u : " T ", " T "\n}\n" USE("%r") USE("%q"),
         NULL, 2},
        /* a swap needs a third tile */
        {ABC FOR("%r, %q", "%u = %a, %v = %b", T ", " T) "scf.yield %v, %u : " T ", " T "\n}\n" USE("%r")
             USE("%q"),
         NULL, 3},
        /* what a2a3 does not do in place, a5 does */
        {ABC FOR("%r", "%u = %a", T) "%y = pto.trecip %u : " T " -> " T "\nscf.yield %y : " T
                                     "\n}\n" USE("%r"),
         NULL, 1},
        {ABC FOR("%r", "%u = %a", T) "%y = pto.trecip %u : " T " -> " T "\nscf.yield %y : " T
                                     "\n}\n" USE("%r"),
         "a3", 1},
        {ABC FOR("%r", "%u = %a", T) "%y = pto.trecip %u : " T " -> " T "\nscf.yield %y : " T
                                     "\n}\n" USE("%r"),
         "a5", 0},
        /* choices: both make it, one hands on what is there, which is used behind or not */
        {ABC "%r = scf.if %p -> (" T
             ") {\n" BINARY("%y", "tadd", "%a", "%b") "scf.yield %y : " T "\n} else {\n" BINARY(
                 "%z", "tsub", "%a", "%b") "scf.yield %z : " T "\n}\n" USE("%r") USE("%a"),
         NULL, 0},
        {ABC "%r = scf.if %p -> (" T ") {\n" BINARY(
             "%y", "tadd", "%b", "%c") "scf.yield %y : " T "\n} else {\nscf.yield %a : " T "\n}\n" USE("%r"),
         NULL, 0},
        {ABC "%r = scf.if %p -> (" T ") {\n" BINARY("%y", "tadd", "%b", "%c") "scf.yield %y : " T
                                                                              "\n} else {\nscf.yield %a : " T
                                                                              "\n}\n" USE("%r") USE("%a"),
         NULL, 1},
        /* one value for two results */
        {ABC "%r, %q = scf.execute_region -> (" T ", " T ") {\n" BINARY(
             "%y", "tadd", "%b", "%c") "scf.yield %y, %y : " T ", " T "\n}\n" USE("%r") USE("%q"),
         NULL, 1},
        /* through a choice in a loop, and a loop in a loop */
        {ABC FOR("%r", "%u = %a", T) "%d = scf.if %p -> (" T ") {\n" BINARY(
             "%y", "tadd", "%u", "%b") "scf.yield %y : " T "\n} else {\nscf.yield %u : " T
                                       "\n}\nscf.yield %d : " T "\n}\n" USE("%r"),
         NULL, 0},
        {ABC FOR("%r", "%u = %a", T) "%d = scf.for %j = %c0 to %c2 step %c1 iter_args(%v = %u) -> (" T
                                     ") {\n" BINARY("%y", "tadd", "%v", "%b") "scf.yield %y : " T
                                                                              "\n}\nscf.yield %d : " T
                                                                              "\n}\n" USE("%r"),
         NULL, 0},
        /* an initial value of outside is there again in the next turn */
        {ABC "scf.for %k = %c0 to %c2 step %c1 {\n" FOR("%r", "%u = %a", T)
             BINARY("%y", "tadd", "%u", "%b") "scf.yield %y : " T "\n}\n" USE("%r") "}\n",
         NULL, 1},
        /* names of a storage: a tile that is chosen, a view; blocks that a branch may come back to */
        {ABC FOR("%r, %q", "%u = %a, %v = %b", T ", " T)
             BINARY("%y", "tadd", "%v", "%c") "%w = arith.select %p, %u, %c : " T "\nscf.yield %y, %w : " T
                                              ", " T "\n}\n" USE("%r") USE("%q"),
         NULL, 2},
        {ABC "%l = pto.treshape %a : " T " -> " U "\n%m = pto.treshape %l : " U " -> " T
             "\n%r, %q = scf.if %p -> (" T ", " T ") {\n" BINARY(
                 "%y", "tadd", "%b", "%c") "scf.yield %y, %m : " T ", " T "\n} else {\nscf.yield %m, %b : " T
                                           ", " T "\n}\n" USE("%r") USE("%q"),
         NULL, 2},
        {ABC FOR("%r, %q", "%u = %a, %v = %b",
                 T ", " T) "%l = pto.treshape %u : " T " -> " U "\n%m = pto.treshape %l : " U " -> " T
                           "\n" BINARY("%y", "tadd", "%v", "%c") "scf.yield %y, %m : " T ", " T
                                                                 "\n}\n" USE("%r") USE("%q"),
         NULL, 2},
        {ABC "cf.br ^next\n^next:\n" BINARY("%d", "tadd", "%a", "%b") FOR("%r", "%u = %d", T)
             BINARY("%y", "tadd", "%u", "%b") "scf.yield %y : " T "\n}\n" USE("%r"),
         NULL, 1},
        /* accumulators and buffers of the cube */
        {CUBE MATMUL("%f") FOR("%r", "%u = %f", ACC) MATMUL_ACC("%y", "%u") "scf.yield %y : " ACC
                                                                            "\n}\n" STORE("%r"),
         "a5", 0},
        {CUBE MATMUL("%f") "%r = scf.if %p -> (" ACC ") {\n" MATMUL_ACC(
             "%y", "%f") "scf.yield %y : " ACC "\n} else {\nscf.yield %f : " ACC "\n}\n" STORE("%r"),
         "a5", 0},
        {CUBE FOR("%r", "%u = %ma", MAT) "%l = pto.tmov %u : " MAT " -> " LEFT "\n%y = pto.tload %pm : " PM
                                         " -> " MAT "\n%d = pto.tmatmul %l, %rb : (" LEFT ", " RIGHT
                                         ") -> " ACC "\n" STORE("%d") "scf.yield %y : " MAT "\n}\n",
         "a5", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = by_hand(rows[i].body, rows[i].target);
        pto_program *level1 = parse_program(text), *level2 = to_level2(text);
        int cube = count_in(level1).moves;
        if (count_in(level2).moves - cube != rows[i].moves)
            fail_msg("row %zu: %d moves\n%s", i, count_in(level2).moves - cube, text);
        pto_target own = PTO_TARGET_CPU;
        bool has_own = pto_program_target(level1, &own);
        for (int t = 0; t < PTO_TARGET_COUNT; t++)
            for (int p = 0; p < 2 && (!has_own || t == (int)own); p++) {
                float x[2][256];
                for (int n = 0; n < 256; n++)
                    x[0][n] = x[1][n] = (float)(n * 29 % 31 - 15) + 0.5f;
                const pto_run_options options = {.target = (pto_target)t, .has_target = true};
                pto_program *programs[2] = {level1, level2};
                for (int k = 0; k < 2; k++) {
                    const pto_argument arguments[] = {
                        {.data = x[k], .bytes = sizeof x[k]}, {.i = p}, {.i = 0}};
                    pto_diag_list *diags = pto_diag_list_create();
                    if (pto_program_run(programs[k], arguments, 3, &options, diags) != PTO_OK)
                        fail_msg("row %zu, level %d: %s\n%s", i, k + 1, diag_text(diags), text);
                    pto_diag_list_destroy(diags);
                }
                if (memcmp(x[0], x[1], sizeof *x))
                    fail_msg("row %zu on %s\n%s", i, pto_target_name((pto_target)t), text);
            }
        pto_program_destroy(level2);
        pto_program_destroy(level1);
        free(text);
    }
}

/* Nothing moves an accumulator to another, and a branch passes no tile. */
static void impossible_ones_are_refused(void **state) {
    (void)state;
    static const char *const bodies[] = {
        CUBE MATMUL("%f") FOR("%r", "%u = %f", ACC) MATMUL_ACC("%y", "%u") "scf.yield %y : " ACC
                                                                           "\n}\n" STORE("%r") STORE("%f"),
        CUBE MATMUL("%f") FOR("%r", "%u = %f", ACC) MATMUL("%y") STORE("%u") "scf.yield %y : " ACC
                                                                             "\n}\n" STORE("%r"),
        CUBE FOR("%r", "%u = %ma", MAT) "%y = pto.tload %pm : " PM " -> " MAT "\n%l = pto.tmov %u : " MAT
                                        " -> " LEFT "\n%d = pto.tmatmul %l, %rb : (" LEFT ", " RIGHT
                                        ") -> " ACC "\n" STORE("%d") "scf.yield %y : " MAT "\n}\n",
        ABC "cf.br ^b(%a : " T ")\n^b(%u: " T "):\n" USE("%u"),
        ABC "cf.cond_br %p, ^b(%a : " T "), ^b(%b : " T ")\n^b(%u: " T "):\n" USE("%u"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char *text = by_hand(bodies[i], NULL);
        pto_program *level1 = parse_program(text);
        pto_diag_list *diags = pto_diag_list_create();
        assert_int_equal(pto_program_verify(level1, NULL, diags), PTO_OK);
        if (pto_program_convert(level1, PTO_DIALECT_LEVEL2, diags))
            fail_msg("not refused:\n%s", text);
        expect_rule(diags, "PTO-E0250", 0);
        assert_true(pto_diag_first(diags)->line > 0);
        pto_diag_list_destroy(diags);
        pto_program_destroy(level1);
        free(text);
    }
}

/* A value that one way of a choice takes over is there in the others, and gone behind them, and in the rest
 * of its way. */
static void taken_over_in_one_way(void **state) {
    (void)state;
#define TAKEN(d) d " = pto.tmuladddst %b, %c, %a : (" T ", " T ", " T ") -> " T "\n"
#define WAYS(one, other) "scf.if %p {\n" one "} else {\n" other "}\n"
    static const struct {
        const char *body;
        bool good;
    } rows[] = {
        {ABC WAYS(TAKEN("%d"), USE("%a")), true},
        {ABC WAYS(TAKEN("%d"), TAKEN("%e")), true},
        {ABC WAYS(USE("%a"), TAKEN("%d")), true},
        {ABC
         "scf.index_switch %s\ncase 1 {\n" USE("%a") "scf.yield\n}\ndefault {\n" TAKEN("%d") "scf.yield\n}\n",
         true},
        {ABC WAYS(TAKEN("%d") USE("%a"), ""), false},
        {ABC WAYS(WAYS(TAKEN("%d"), "") USE("%a"), ""), false},
        {ABC WAYS(TAKEN("%d"), "") USE("%a"), false},
        {ABC WAYS("", TAKEN("%d")) USE("%a"), false},
        {ABC WAYS(TAKEN("%d"), "") WAYS("", USE("%a")), false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = by_hand(rows[i].body, NULL);
        pto_program *program = parse_program(text);
        pto_diag_list *diags = pto_diag_list_create();
        if ((pto_program_verify(program, NULL, diags) == PTO_OK) != rows[i].good)
            fail_msg("row %zu: %s", i, text);
        if (!rows[i].good)
            expect_rule(diags, "PTO-E0422", 0);
        pto_diag_list_destroy(diags);
        pto_program_destroy(program);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_give_the_same_bits),
        cmocka_unit_test(moves_are_needed_where_values_meet),
        cmocka_unit_test(impossible_ones_are_refused),
        cmocka_unit_test(taken_over_in_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
