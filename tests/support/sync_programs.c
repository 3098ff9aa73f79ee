/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/happens_before.h"
#include "support/program_testing.h"
#include "support/sync_programs.h"

enum { TILES = 6, LINES = 400, WIDTH = 256, DEPTH = 3 };

/* ---- programs ------------------------------------------------------------------------------------ */

typedef struct text_line {
    char text[WIDTH];
    int pipe;   /* of an operation; -1 = none */
    int region; /* number of the innermost loop or condition */
} text_line;

typedef struct draft {
    uint64_t random;
    pto_target target;
    text_line line[LINES];
    int count;
    int region, regions, depth;
    int names;
    int used[PTO_PIPE_COUNT][PTO_PIPE_COUNT]; /* flags */
    int tokens;
} draft;

static uint32_t below(draft *d, uint32_t count) {
    d->random = d->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(d->random >> 33) % count;
}

static void put(draft *d, int pipe, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(draft *d, int pipe, const char *format, ...) {
    assert_true(d->count < LINES);
    text_line *line = &d->line[d->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    line->pipe = pipe;
    line->region = d->region;
}

static void insert(draft *d, int at, const char *text) {
    assert_true(d->count < LINES);
    memmove(&d->line[at + 1], &d->line[at], (size_t)(d->count - at) * sizeof *d->line);
    snprintf(d->line[at].text, WIDTH, "%s", text);
    d->line[at].pipe = -1;
    d->line[at].region = at + 1 < d->count ? d->line[at + 1].region : 0;
    d->count++;
}

/* Tile 2 lies across 0 and 1: no instruction takes both. */
static bool across(unsigned a, unsigned b) { return (a == 2 && b < 2) || (b == 2 && a < 2); }

static void put_operation(draft *d, const char *loop) {
    unsigned a = below(d, TILES), b = below(d, TILES), c = below(d, TILES);
    while (across(a, c) || across(b, c))
        c = below(d, TILES);
    switch (below(d, loop ? 9 : 8)) {
    case 0:
    case 1:
        put(d, PTO_PIPE_MTE2, "pto.tload ins(%%%s%u : !P) outs(%%t%u : !T)", below(d, 3) ? "x" : "y",
            below(d, 4), a);
        break;
    case 2:
        put(d, PTO_PIPE_V, "pto.tadd ins(%%t%u, %%t%u : !T, !T) outs(%%t%u : !T)", a, b, c);
        break;
    case 3:
        put(d, PTO_PIPE_V, "pto.tmax ins(%%t%u, %%t%u : !T, !T) outs(%%t%u : !T)", a, b, c);
        break;
    case 4:
        put(d, PTO_PIPE_V, "pto.trelu ins(%%t%u : !T) outs(%%t%u : !T)", a, c);
        break;
    case 5:
    case 6:
        put(d, PTO_PIPE_MTE3, "pto.tstore ins(%%t%u : !T) outs(%%y%u : !P)", a, below(d, 4));
        break;
    case 7:
        if (below(d, 2)) {
            put(d, PTO_PIPE_S, "pto.tsetval ins(%%n, %%k : index, f32) outs(%%t%u : !T)", a);
            break;
        }
        put(d, PTO_PIPE_S, "%%v%d = pto.tgetval ins(%%t%u, %%n : !T, index) outs : f32", d->names, a);
        put(d, PTO_PIPE_V, "pto.tadds ins(%%t%u, %%v%d : !T, f32) outs(%%t%u : !T)", b, d->names++, c);
        break;
    default: { /* a window that moves with the loop */
        int name = d->names++;
        bool load = below(d, 2);
        put(d, -1, "%%r%d = arith.muli %s, %%n : index", name, loop);
        put(d, -1, "%%w%d = pto.partition_view %%g%s, offsets = [%%r%d, %%z], sizes = [%%n, %%n] : !G -> !P",
            name, load ? "x" : "y", name);
        if (load)
            put(d, PTO_PIPE_MTE2, "pto.tload ins(%%w%d : !P) outs(%%t%u : !T)", name, a);
        else
            put(d, PTO_PIPE_MTE3, "pto.tstore ins(%%t%u : !T) outs(%%w%d : !P)", a, name);
    }
    }
}

static void put_body(draft *d, int operations, const char *loop) {
    for (int i = 0; i < operations; i++) {
        uint32_t kind = d->depth < DEPTH ? below(d, 12) : 12;
        int outer = d->region;
        if (kind > 1) {
            put_operation(d, loop);
            continue;
        }
        char name[16];
        d->depth++;
        if (kind == 0) {
            snprintf(name, sizeof name, "%%i%d", d->names++);
            put(d, -1, "scf.for %s = %%z to %%%s step %%one {", name, below(d, 2) ? "two" : "three");
        } else {
            put(d, -1, "%%c%d = arith.cmpi %s, %s, %%one : index", d->names, below(d, 2) ? "slt" : "sge",
                loop ? loop : "%z");
            put(d, -1, "scf.if %%c%d {", d->names++);
        }
        d->region = ++d->regions;
        put_body(d, 2 + (int)below(d, 3), kind == 0 ? name : loop);
        d->region = outer;
        put(d, -1, "}");
        d->depth--;
    }
}

static char *text_of(const draft *d) {
    char *text = malloc((size_t)(d->count + 60) * WIDTH);
    assert_non_null(text);
    int len = sprintf(
        text, "!T = !pto.tile_buf<vec, 8x8xf32>\n!G = !pto.tensor_view<64x8xf32>\n"
              "!P = !pto.partition_tensor_view<8x8xf32>\nmodule {\n"
              "func.func @f(%%x: !pto.ptr<f32>, %%y: !pto.ptr<f32>) {\n"
              "%%z = arith.constant 0 : index\n%%one = arith.constant 1 : index\n"
              "%%two = arith.constant 2 : index\n%%three = arith.constant 3 : index\n"
              "%%n = arith.constant 8 : index\n%%rows = arith.constant 64 : index\n"
              "%%k = arith.constant 2.5 : f32\n"
              "%%gx = pto.make_tensor_view %%x, shape = [%%rows, %%n], strides = [%%n, %%one] : !G\n"
              "%%gy = pto.make_tensor_view %%y, shape = [%%rows, %%n], strides = [%%n, %%one] : !G\n");
    /* the third overlaps two */
    static const int at[TILES] = {0, 256, 128, 512, 768, 1024};
    for (int t = 0; t < TILES; t++)
        len +=
            sprintf(text + len, "%%a%d = arith.constant %d : i64\n%%t%d = pto.alloc_tile addr = %%a%d : !T\n",
                    t, at[t], t, t);
    for (int w = 0; w < 4; w++)
        for (int y = 0; y < 2; y++)
            len +=
                sprintf(text + len,
                        "%%o%c%d = arith.constant %d : index\n%%%c%d = pto.partition_view %%g%c, offsets = "
                        "[%%o%c%d, %%z], sizes = [%%n, %%n] : !G -> !P\n",
                        "xy"[y], w, w * 8, "xy"[y], w, "xy"[y], "xy"[y], w);
    for (int i = 0; i < d->count; i++)
        len += sprintf(text + len, "%s\n", d->line[i].text);
    sprintf(text + len, "return\n}\n}\n");
    return text;
}

/* The line of the draft that stands at a line of the text, -1 = none. */
static int draft_line(const draft *d, unsigned line) {
    enum { HEAD = 14 + 2 * TILES + 16 };
    int at = (int)line - 1 - HEAD;
    return at >= 0 && at < d->count ? at : -1;
}

static const char *name_of(int pipe) { return pto_pipe_name((pto_pipe)pipe); }

/* An event class of a pipe for tokens and events, NULL = none. */
static const char *class_of(int pipe) {
    return pipe == PTO_PIPE_MTE2   ? "TLOAD"
           : pipe == PTO_PIPE_V    ? "TVEC"
           : pipe == PTO_PIPE_MTE3 ? "TSTORE_VEC"
                                   : NULL;
}

/* Orders the operations of two lines. */
static void repair(draft *d, int first, int second) {
    char text[WIDTH];
    const text_line *a = &d->line[first], *b = &d->line[second];
    int src = a->pipe, dst = b->pipe;
    assert_true(src >= 0 && dst >= 0);
    bool straight = first < second && a->region == b->region;
    if (src == dst) {
        snprintf(text, sizeof text, "pto.barrier <%s>", name_of(dst));
        insert(d, second, text);
    } else if (!straight || d->used[src][dst] == 8) {
        insert(d, second, "pto.barrier <PIPE_ALL>");
    } else if (d->target == PTO_TARGET_A5 && class_of(src) && class_of(dst) && d->tokens < 32 &&
               !below(d, 4)) {
        int id = d->tokens++;
        snprintf(text, sizeof text, "pto.rls_buf[<%s>, %d]", class_of(dst), id);
        insert(d, second + 1, text);
        snprintf(text, sizeof text, "pto.get_buf[<%s>, %d]", class_of(dst), id);
        insert(d, second, text);
        snprintf(text, sizeof text, "pto.rls_buf[<%s>, %d]", class_of(src), id);
        insert(d, first + 1, text);
        snprintf(text, sizeof text, "pto.get_buf[<%s>, %d]", class_of(src), id);
        insert(d, first, text);
    } else {
        int id = d->used[src][dst]++;
        bool event = class_of(src) && class_of(dst) && !below(d, 4);
        for (int wait = 1; wait >= 0; wait--) {
            if (event)
                snprintf(text, sizeof text,
                         "pto.%s_event[#pto.pipe_event_type<%s>, #pto.pipe_event_type<%s>, <EVENT_ID%d>]",
                         wait ? "wait" : "record", class_of(src), class_of(dst), id);
            else
                snprintf(text, sizeof text, "pto.%s_flag[<%s>, <%s>, <EVENT_ID%d>]", wait ? "wait" : "set",
                         name_of(src), name_of(dst), id);
            insert(d, wait ? second : first + 1, text);
        }
    }
}

static draft *make_draft(uint64_t seed, pto_target target) {
    draft *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->random = seed * 2 + 1;
    d->target = target;
    put_body(d, 8 + (int)below(d, 10), NULL);
    return d;
}

char *unordered_program(uint64_t seed) {
    draft *d = make_draft(seed, PTO_TARGET_CPU);
    char *text = text_of(d);
    free(d);
    return text;
}

char *sync_program(uint64_t seed, pto_target target) {
    draft *d = make_draft(seed, target);
    float *x = calloc(2 * SYNC_PROGRAM_ELEMENTS, sizeof *x);
    assert_non_null(x);
    const pto_argument arguments[] = {
        {.data = x, .bytes = SYNC_PROGRAM_ELEMENTS * sizeof *x},
        {.data = x + SYNC_PROGRAM_ELEMENTS, .bytes = SYNC_PROGRAM_ELEMENTS * sizeof *x}};
    char *text = text_of(d);
    for (;;) {
        pto_program *program = parse_program(text);
        hb_verdict verdict = happens_before(program, NULL, target, arguments, 2);
        pto_program_destroy(program);
        if (verdict.misuse)
            fail_msg("a repaired program misuses a flag:\n%s", text);
        if (!verdict.races)
            break;
        int first = draft_line(d, verdict.first_line), second = draft_line(d, verdict.second_line);
        if (first < 0 || second < 0)
            fail_msg("lines %u and %u of\n%s", verdict.first_line, verdict.second_line, text);
        repair(d, first, second);
        free(text);
        text = text_of(d);
    }
    free(x);
    free(d);
    return text;
}

/* ---- mutants ------------------------------------------------------------------------------------- */

static bool is_sync(const char *line) {
    static const char *const words[] = {"_flag[", "pto.barrier ", "_event[", "_buf[", "pto.sync."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return true;
    return false;
}

void sync_mutation_begin(sync_mutation *m, const char *text) {
    *m = (sync_mutation){.lines = strdup(text), .mutant = malloc(2 * strlen(text) + 256)};
    assert_true(m->lines && m->mutant);
    m->line = calloc(strlen(text) + 1, sizeof *m->line);
    assert_non_null(m->line);
    for (char *at = strtok(m->lines, "\n"); at; at = strtok(NULL, "\n"))
        m->line[m->count++] = at;
}

void sync_mutation_end(sync_mutation *m) {
    free(m->lines);
    free(m->mutant);
    free(m->line);
}

/* Puts `to` in place of the `so-manieth` text of a list that the line holds; false when it holds none. */
static bool replace(const char *line, char *out, size_t which, const char *const *words, size_t count,
                    size_t turn) {
    for (const char *at = line; *at; at++)
        for (size_t i = 0; i < count; i++) {
            size_t len = strlen(words[i]);
            if (strncmp(at, words[i], len) != 0 || which--)
                continue;
            snprintf(out, WIDTH, "%.*s%s%s", (int)(at - line), line, words[(i + turn) % count], at + len);
            return true;
        }
    return false;
}

static const char *const pipe_words[] = {"<PIPE_MTE2>", "<PIPE_V>", "<PIPE_MTE3>", "<PIPE_S>"};
static const char *const class_words[] = {"<TLOAD>", "<TVEC>", "<TSTORE_VEC>"};
static const char *const id_words[] = {"<EVENT_ID0>", "<EVENT_ID1>", "<EVENT_ID2>", "<EVENT_ID3>",
                                       "<EVENT_ID4>", "<EVENT_ID5>", "<EVENT_ID6>", "<EVENT_ID7>"};

/* Another pipe or id; false when there is no such variant. */
static bool retarget(const char *line, char *out, size_t variant) {
    size_t place = variant / 3, turn = variant % 3 + 1;
    if (place < 2)
        return replace(line, out, place, pipe_words, 4, turn) ||
               (turn < 3 && replace(line, out, place, class_words, 3, turn));
    if (replace(line, out, 0, id_words, 8, turn))
        return true;
    const char *comma = strrchr(line, ','); /* of a token */
    if (!strstr(line, "_buf[") || !comma)
        return false;
    snprintf(out, WIDTH, "%.*s, %d]", (int)(comma - line), line,
             (int)((strtol(comma + 1, NULL, 10) + (long)turn) % 32));
    return true;
}

static const int moves[] = {-5, -3, -2, -1, 1, 2, 3, 5};
enum { REMOVE = 0, RETARGET = 1, MOVE = RETARGET + 9, VARIANTS = MOVE + 8 };

/* Lines behind the head, before the return. */
static bool may_stand(const sync_mutation *m, long at) {
    return at > 0 && at < (long)m->count && strncmp(m->line[at], "%g", 2) != 0 &&
           strncmp(m->line[at], "func", 4) != 0 && strncmp(m->line[at], "!", 1) != 0 &&
           at < (long)m->count - 3;
}

const char *sync_mutation_next(sync_mutation *m) {
    char changed[WIDTH];
    for (; m->at < m->count; m->at++, m->variant = 0) {
        const char *line = m->line[m->at];
        while (is_sync(line) && m->variant < VARIANTS) {
            size_t variant = m->variant++;
            long to = -1;
            const char *put_line = NULL;
            if (variant >= MOVE) {
                to = (long)m->at + moves[variant - MOVE];
                if (!may_stand(m, to))
                    continue;
                put_line = line;
            } else if (variant >= RETARGET) {
                if (!retarget(line, changed, variant - RETARGET))
                    continue;
                put_line = changed;
                to = (long)m->at;
            }
            size_t len = 0;
            for (size_t i = 0; i < m->count; i++) {
                bool here = put_line && (long)i == to, up = to < (long)m->at;
                if (here && up)
                    len += (size_t)sprintf(m->mutant + len, "%s\n", put_line);
                if (i != m->at)
                    len += (size_t)sprintf(m->mutant + len, "%s\n", m->line[i]);
                if (here && !up)
                    len += (size_t)sprintf(m->mutant + len, "%s\n", put_line);
            }
            return m->mutant;
        }
    }
    return NULL;
}
