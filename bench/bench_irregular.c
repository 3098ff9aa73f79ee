/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts, merges, gathers and scatters next to the best plain C loop for the same job that we know, compiled
 * for the same level: the goal is half of its speed. Tiles of 64 x 128 elements, lists of 2048 pairs.
 *
 *     bench_irregular [--level best|base|avx2|avx512] [--quick]
 */
#include "levels.h"
#include "limits.h"

#include "isa/isa.h"

#include <pto/core.h>
#include <pto/ops.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COLS = 128, COUNT = ROWS * COLS, LIST = 2048, RUN = 32, MAX_TILES = 8 };
static const double GOAL = 0.5;

/* ---- the plain loops ---- */

/* Sources, indices (or second source), destination. */
typedef struct job {
    const void *a, *b;
    void *to;
} job;
typedef struct pair {
    float value;
    uint32_t index;
} pair;

#define LOOP(name, attribute, ...)                                                                           \
    attribute static void name(void *context) {                                                              \
        const job *j = context;                                                                              \
        __VA_ARGS__ __asm__ volatile("" : : "r"(j->to) : "memory");                                          \
    }

/* clang-format off */
LEVELS(gather_32, { const uint32_t *x = j->a, *at = j->b; uint32_t *to = j->to;
    for (int i = 0; i < COUNT; i++) to[i] = x[at[i]]; })
LEVELS(gather_16, { const uint16_t *x = j->a; const uint32_t *at = j->b; uint16_t *to = j->to;
    for (int i = 0; i < COUNT; i++) to[i] = x[at[i]]; })
/* an index outside of the table is an error, found before anything is written */
LEVELS(checked_32, { const uint32_t *x = j->a, *at = j->b; uint32_t *to = j->to; uint32_t most = 0;
    for (int i = 0; i < COUNT; i++) most = at[i] > most ? at[i] : most;
    for (int i = 0; most < COUNT && i < COUNT; i++) to[i] = x[at[i]]; })
LEVELS(scatter_32, { const uint32_t *x = j->a, *at = j->b; uint32_t *to = j->to;
    for (int i = 0; i < COUNT; i++) to[at[i]] = x[i]; })
LEVELS(cleared_32, { const uint32_t *x = j->a, *at = j->b; uint32_t *to = j->to;
    memset(to, 0, COUNT * sizeof *to);
    for (int i = 0; i < COUNT; i++) to[at[i]] = x[i]; })
LEVELS(added_f32, { const float *x = j->a; const uint32_t *at = j->b; float *to = j->to;
    for (int i = 0; i < COUNT; i++) to[at[i]] += x[i]; })
LEVELS(blocks, { const char *x = j->a; const uint32_t *at = j->b; char *to = j->to;
    for (int i = 0; i < COUNT / 8; i++) memcpy(to + 32 * i, x + at[i], 32); })
LEVELS(even_columns, { const uint32_t *x = j->a; uint32_t *to = j->to;
    for (int i = 0; i < COUNT / 2; i++) to[i] = x[2 * i]; })
/* insertion into a sorted run */
LEVELS(inserted, { const float *x = j->a; const uint32_t *at = j->b; pair *to = j->to;
    for (int r = 0; r < LIST; r += RUN)
        for (int i = 0; i < RUN; i++) {
            const pair p = {x[r + i], at[r + i]};
            int k = i;
            for (; k > 0 && to[r + k - 1].value < p.value; k--) to[r + k] = to[r + k - 1];
            to[r + k] = p;
        } })
/* the place of an element is the number of those before it */
LEVELS(ranked, { const float *x = j->a; const uint32_t *at = j->b; pair *to = j->to;
    for (int r = 0; r < LIST; r += RUN) {
        int32_t rank[RUN] = {0};
        for (int k = 0; k < RUN; k++)
            for (int i = 0; i < RUN; i++)
                rank[i] += (x[r + k] > x[r + i]) | ((x[r + k] == x[r + i]) & (k < i));
        for (int i = 0; i < RUN; i++) to[r + rank[i]] = (pair){x[r + i], at[r + i]};
    } })

/* By masks: a branch would be learnt, since a benchmark sees the same data again and again. */
static inline pair *merge(const pair *a, const pair *a_end, const pair *b, const pair *b_end, pair *to) {
    while (a < a_end && b < b_end) {
        const uintptr_t second = b->value > a->value;
        const uintptr_t head = (uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & (0 - second));
        *to++ = *(const pair *)head;
        a += 1 - second;
        b += second;
    }
    while (a < a_end) *to++ = *a++;
    while (b < b_end) *to++ = *b++;
    return to;
}
LEVELS(merged_two, { const pair *a = j->a, *b = j->b;
    merge(a, a + LIST / 2, b, b + LIST / 2, j->to); })
LEVELS(merged_runs, { const pair *a = j->a; pair *to = j->to; pair half[4 * RUN];
    for (int r = 0; r < LIST; r += 4 * RUN) {
        merge(a + r, a + r + RUN, a + r + RUN, a + r + 2 * RUN, half);
        merge(a + r + 2 * RUN, a + r + 3 * RUN, a + r + 3 * RUN, a + r + 4 * RUN, half + 2 * RUN);
        merge(half, half + 2 * RUN, half + 2 * RUN, half + 4 * RUN, to + r);
    } })
/* clang-format on */

/* ---- the instructions ---- */

typedef struct execution {
    pto_core *core;
    pto_instr instr;
    pto_tile tile[MAX_TILES];
    pto_global global;
} execution;

static void execute(void *context) {
    const execution *e = context;
    pto_core_execute(e->core, &e->instr);
}

/* Sorts and merges get other data in every call, or the predictor would learn their branches: the time holds
 * a copy of the first source. */
enum { VARIANTS = 64 };
typedef struct fresh {
    void (*fn)(void *);
    void *context, *to;
    const char *images; /* NULL: the same data */
    size_t bytes;
    unsigned turn;
} fresh;

static void run_fresh(void *context) {
    fresh *f = context;
    if (f->images)
        memcpy(f->to, f->images + f->turn++ % VARIANTS * f->bytes, f->bytes);
    f->fn(f->context);
}

/* What the bytes of an operand are filled with. */
typedef enum filling { ZEROS, FLOATS, PERMUTATION, BLOCKS, SORTED_32, SORTED_ALL } filling;
typedef struct operand {
    pto_dtype dtype;
    int rows, cols;
    filling filling;
    bool global;
} operand;

typedef struct bench_row {
    const char *name;
    pto_form form;
    operand operand[5];
    int64_t scalar[MAX_TILES]; /* of operands without a type */
    int a, b;                  /* the operands that the loops read */
    const char *loop;
    void (*plain[4])(void *), (*other[4])(void *); /* by level; the faster one counts */
} bench_row;

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill(void *data, const operand *o, uint32_t seed) {
    const int count = o->rows * o->cols;
    uint32_t state = 7 + seed, *words = data;
    pair *pairs = data;
    switch (o->filling) {
    case ZEROS:
        break;
    case FLOATS:
        if (pto_dtype_bits(o->dtype) == 32)
            for (int i = 0; i < count; i++)
                ((float *)data)[i] = (float)next(&state) / 65536.0f;
        break;
    case PERMUTATION:
        for (int i = 0; i < count; i++)
            words[i] = (uint32_t)i;
        for (int i = count - 1; i > 0; i--) {
            const uint32_t k = next(&state) % (uint32_t)(i + 1), held = words[i];
            words[i] = words[k];
            words[k] = held;
        }
        break;
    case BLOCKS:
        for (int i = 0; i < count; i++)
            words[i] = next(&state) % (COUNT / 8) * 32;
        break;
    default: { /* pairs in descending runs */
        const int run = o->filling == SORTED_32 ? RUN : count / 2;
        for (int i = 0; i < count / 2; i++)
            pairs[i] =
                (pair){(i % run ? pairs[i - 1].value : 1e9f) - (float)(next(&state) % 1000), (uint32_t)i};
        break;
    }
    }
}

static bool make(pto_core *core, const bench_row *row, execution *e) {
    *e = (execution){.core = core, .instr.form = row->form};
    const pto_form_desc *form = pto_form_get(row->form);
    for (int i = 0; i < form->operand_count; i++) {
        const operand *o = i < 5 ? &row->operand[i] : NULL;
        if (!o || o->dtype == PTO_DTYPE_NONE) {
            const pto_role role = form->operand[i].role;
            if (role == PTO_ROLE_SCALAR || role == PTO_ROLE_ATTR)
                e->instr.operand[i] =
                    (pto_operand){.kind = PTO_OPERAND_SCALAR,
                                  .scalar = {.dtype = role == PTO_ROLE_SCALAR ? PTO_U32 : PTO_DTYPE_NONE,
                                             .i = row->scalar[i]}};
            continue;
        }
        e->tile[i] = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, o->dtype, o->rows, o->cols));
        if (pto_tile_bind(core, &e->tile[i]) != PTO_OK)
            return false;
        fill(e->tile[i].data, o, (uint32_t)i);
        e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &e->tile[i]};
        if (o->global) { /* a dense tensor in the bytes of a tile */
            e->global =
                pto_global_make_2d(e->tile[i].data, o->dtype, PTO_LAYOUT_ND, o->rows, o->cols, o->cols);
            e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = &e->global};
        }
    }
    return pto_core_verify(core, &e->instr) == PTO_OK && pto_core_execute(core, &e->instr) == PTO_OK;
}

/* The first source of a sort in VARIANTS forms; NULL for the others. */
static char *make_images(const bench_row *row, size_t *bytes) {
    const operand *o = &row->operand[row->a];
    if (row->operand[0].cols != 2 * LIST) /* no list of pairs */
        return NULL;
    *bytes = (size_t)o->rows * (size_t)o->cols * sizeof(float);
    char *images = malloc(VARIANTS * *bytes);
    for (unsigned i = 0; images && i < VARIANTS; i++)
        fill(images + i * *bytes, o, 1000 + 77 * i);
    return images;
}

static double plain_time(const bench_row *row, const execution *e, bench_effort effort, pto_simd_level level,
                         fresh *f) {
    void *to = aligned_alloc(64, COUNT * 8);
    if (!to)
        return 0;
    memset(to, 0, COUNT * 8);
    job j = {e->tile[row->a].data, e->tile[row->b].data, to};
    f->fn = row->plain[level];
    f->context = &j;
    double seconds = bench_time(effort, run_fresh, f);
    if (row->other[level]) {
        f->fn = row->other[level];
        const double other = bench_time(effort, run_fresh, f);
        seconds = other < seconds ? other : seconds;
    }
    free(to);
    return seconds;
}

#define F32(filling)                                                                                         \
    { PTO_F32, ROWS, COLS, filling, false }
#define U32(filling)                                                                                         \
    { PTO_U32, ROWS, COLS, filling, false }
#define TABLE                                                                                                \
    { PTO_F32, ROWS, COLS, FLOATS, true }
#define LIST_OF(filling)                                                                                     \
    { PTO_F32, 1, 2 * LIST, filling, false }
static const bench_row rows[] = {
    {"TSORT32 f32 1x2048",
     PTO_FORM_TSORT32,
     {LIST_OF(ZEROS), {PTO_F32, 1, LIST, FLOATS, false}, {PTO_U32, 1, LIST, PERMUTATION, false}},
     {0},
     1,
     2,
     "insertion or ranks",
     OF_LEVEL(inserted),
     OF_LEVEL(ranked)},
    {"TMRGSORT 4 runs of 32",
     PTO_FORM_TMRGSORT,
     {LIST_OF(ZEROS), LIST_OF(SORTED_32)},
     {0, 0, 2 * RUN},
     1,
     1,
     "merges without branches",
     OF_LEVEL(merged_runs),
     {NULL}},
    {"TMRGSORT 2 lists of 1024",
     PTO_FORM_TMRGSORT_2_LISTS,
     {LIST_OF(ZEROS),
      {PTO_DTYPE_NONE},
      LIST_OF(ZEROS),
      {PTO_F32, 1, LIST, SORTED_ALL, false},
      {PTO_F32, 1, LIST, SORTED_ALL, false}},
     {0},
     3,
     4,
     "a merge without branches",
     OF_LEVEL(merged_two),
     {NULL}},
    {"TGATHER f32 by index",
     PTO_FORM_TGATHER,
     {F32(ZEROS), F32(FLOATS), U32(PERMUTATION)},
     {0},
     1,
     2,
     "to[i] = x[at[i]]",
     OF_LEVEL(gather_32),
     {NULL}},
    {"TGATHER f16 by index",
     PTO_FORM_TGATHER,
     {{PTO_F16, ROWS, COLS, ZEROS, false}, {PTO_F16, ROWS, COLS, ZEROS, false}, U32(PERMUTATION)},
     {0},
     1,
     2,
     "to[i] = x[at[i]]",
     OF_LEVEL(gather_16),
     {NULL}},
    {"TGATHER f32 mask P0101",
     PTO_FORM_TGATHER_MASK,
     {{PTO_F32, ROWS, COLS / 2, ZEROS, false}, F32(FLOATS)},
     {0, 0, 1},
     1,
     1,
     "to[i] = x[2 i]",
     OF_LEVEL(even_columns),
     {NULL}},
    {"TGATHERB f32",
     PTO_FORM_TGATHERB,
     {F32(ZEROS), F32(FLOATS), {PTO_U32, ROWS, COLS / 8, BLOCKS, false}},
     {0},
     1,
     2,
     "memcpy of 32 bytes",
     OF_LEVEL(blocks),
     {NULL}},
    {"TSCATTER f32 by index",
     PTO_FORM_TSCATTER,
     {F32(ZEROS), F32(FLOATS), U32(PERMUTATION)},
     {0},
     1,
     2,
     "memset, to[at[i]] = x[i]",
     OF_LEVEL(cleared_32),
     {NULL}},
    {"MGATHER f32 by element",
     PTO_FORM_MGATHER,
     {F32(ZEROS), TABLE, U32(PERMUTATION)},
     {0, 0, 0, PTO_COALESCE_ELEM},
     1,
     2,
     "check, to[i] = x[at[i]]",
     OF_LEVEL(checked_32),
     {NULL}},
    {"MSCATTER f32 by element",
     PTO_FORM_MSCATTER,
     {TABLE, F32(FLOATS), U32(PERMUTATION)},
     {0, 0, 0, PTO_COALESCE_ELEM},
     1,
     2,
     "to[at[i]] = x[i]",
     OF_LEVEL(scatter_32),
     {NULL}},
    {"MSCATTER f32 add",
     PTO_FORM_MSCATTER,
     {TABLE, F32(FLOATS), U32(PERMUTATION)},
     {0, 0, 0, PTO_COALESCE_ELEM, PTO_SCATTER_ADD},
     1,
     2,
     "to[at[i]] += x[i]",
     OF_LEVEL(added_f32),
     {NULL}},
};

int main(int argc, char **argv) {
    pto_simd_level level = PTO_SIMD_BEST;
    bench_effort effort = {0.05, 2e-4};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--quick")) {
            effort = (bench_effort){0.005, 1e-4};
        } else if (strcmp(argv[i], "--level") != 0 || i + 1 == argc ||
                   !bench_level_from_name(argv[++i], &level)) {
            fprintf(stderr, "usage: %s [--level best|base|avx2|avx512] [--quick]\n", argv[0]);
            return 2;
        }
    if (level == PTO_SIMD_BEST)
        level = bench_best_level();
    const pto_options options = {.simd = level};
    pto_core *core = pto_core_create(&options);
    if (!core)
        return 1;
    printf("level %s; limit: plain C loops\n\n%-26s %12s %12s %6s  %-5s %s\n", bench_level_name(level),
           "operation", "time/op", "plain loop", "ratio", "goal", "the loop");
    int below = 0, refused = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        execution e;
        if (!make(core, &rows[i], &e)) {
            printf("%-26s refused\n", rows[i].name);
            refused++;
            continue;
        }
        fresh f = {.fn = execute, .context = &e, .to = e.tile[rows[i].a].data};
        char *images = make_images(&rows[i], &f.bytes);
        f.images = images;
        const double seconds = bench_time(effort, run_fresh, &f);
        const double plain = plain_time(&rows[i], &e, effort, level, &f);
        free(images);
        const double ratio = plain / seconds;
        printf("%-26s %9.3f us %9.3f us %6.2f  %.2f%s  %s\n", rows[i].name, seconds * 1e6, plain * 1e6, ratio,
               GOAL, ratio < GOAL ? "  below" : "", rows[i].loop);
        fflush(stdout);
        below += ratio < GOAL;
        pto_core_reset(core);
    }
    printf("\n%zu measured, %d below their goal\n", sizeof rows / sizeof *rows - (size_t)refused, below);
    pto_core_destroy(core);
    return refused ? 1 : 0;
}
