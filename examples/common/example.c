/* SPDX-License-Identifier: Apache-2.0 */
/* See example.h. */
#include "example.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WRONG = 2, MOST_SIZES = 4, PATH_BYTES = 4096 };

static const char *directory;

static void *must(void *memory) {
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(WRONG);
    }
    return memory;
}

static void check(pto_status status, pto_diag_list *diags) {
    if (status != PTO_OK) {
        char text[2048];
        pto_diag_render_buffer(diags, NULL, text, sizeof text);
        fputs(text, stderr);
        exit(WRONG);
    }
    pto_diag_list_destroy(diags);
}

static void path_of(const char *name, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%s.npy", directory, name);
}

example_matrix example_new(size_t rows, size_t cols) {
    return (example_matrix){rows, cols, must(calloc(rows * cols + 1, sizeof(double)))};
}

float *example_floats(const example_matrix *matrix) {
    float *f = must(calloc(matrix->rows * matrix->cols + 1, sizeof *f));
    for (size_t i = 0; i < matrix->rows * matrix->cols; i++)
        f[i] = (float)matrix->at[i];
    return f;
}

/* ---- files ---- */

static pto_dtype type_of(const char *type) {
    static const struct {
        const char *name;
        pto_dtype dtype;
    } types[] = {{"f2", PTO_F16}, {"f4", PTO_F32}, {"i1", PTO_S8},
                 {"i4", PTO_S32}, {"u1", PTO_U8},  {"u4", PTO_U32}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, type))
            return types[i].dtype;
    fprintf(stderr, "element type %s is not known here\n", type);
    exit(WRONG);
}

/* Elements of 1, 2 or 4 bytes to and from their bits. */
static uint64_t bits_at(const void *data, size_t size, size_t i) {
    return size == 1   ? ((const uint8_t *)data)[i]
           : size == 2 ? ((const uint16_t *)data)[i]
                       : ((const uint32_t *)data)[i];
}

static void set_bits(void *data, size_t size, size_t i, uint64_t bits) {
    if (size == 1)
        ((uint8_t *)data)[i] = (uint8_t)bits;
    else if (size == 2)
        ((uint16_t *)data)[i] = (uint16_t)bits;
    else
        ((uint32_t *)data)[i] = (uint32_t)bits;
}

void example_save(const char *name, const char *type, const example_matrix *matrix) {
    char path[PATH_BYTES];
    path_of(name, path);
    const pto_dtype dtype = type_of(type);
    pto_npy_info info = {.kind = type[0],
                         .itemsize = (uint8_t)(type[1] - '0'),
                         .rank = 2,
                         .shape = {matrix->rows, matrix->cols}};
    pto_diag_list *diags = pto_diag_list_create();
    pto_status status = pto_npy_describe(&info, diags);
    void *data = must(calloc((size_t)info.bytes + 1, 1));
    for (size_t i = 0; i < info.count; i++)
        set_bits(data, info.itemsize, i, pto_number_from_double(dtype, matrix->at[i], PTO_CAST_NONE, true));
    if (status == PTO_OK)
        status = pto_npy_save(path, &info, data, diags);
    check(status, diags);
    free(data);
}

example_matrix example_load(const char *name, const char *type, size_t rows, size_t cols) {
    char path[PATH_BYTES];
    path_of(name, path);
    const pto_dtype dtype = type_of(type);
    pto_npy_info info;
    void *data = NULL;
    pto_diag_list *diags = pto_diag_list_create();
    check(pto_npy_load(path, (size_t)1 << 32, &info, &data, diags), diags);
    if (info.kind != type[0] || info.itemsize != type[1] - '0' || info.rank != 2 ||
        (rows && info.shape[0] != rows) || (cols && info.shape[1] != cols)) {
        fprintf(stderr, "%s: another type or shape than expected\n", path);
        exit(WRONG);
    }
    example_matrix matrix = example_new((size_t)info.shape[0], (size_t)info.shape[1]);
    for (size_t i = 0; i < info.count; i++)
        matrix.at[i] = pto_number_to_double(dtype, bits_at(data, info.itemsize, i));
    free(data);
    return matrix;
}

/* ---- numbers ---- */

double example_uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

double example_normal(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += example_uniform();
    return sum - 6;
}

double example_ulp_f16(double got, double exact) {
    enum { BITS = 11, LOWEST = -14 };
    if (!isfinite(got) || !isfinite(exact))
        return INFINITY;
    const int exponent = exact == 0 ? LOWEST : ilogb(exact);
    return fabs(got - exact) / ldexp(1, (exponent < LOWEST ? LOWEST : exponent) - BITS + 1);
}

/* ---- running ---- */

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

double example_time(void (*loop)(void *context), void *context) {
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double start = now();
        loop(context);
        const double took = now() - start;
        best = took < best ? took : best;
    }
    return best;
}

static int count_words(const char *text) {
    int words = 0;
    for (; *text; text++)
        words += *text != ' ' && (text[1] == ' ' || !text[1]);
    return words;
}

static bool is_word_of(const char *word, const char *text) {
    const size_t len = strlen(word);
    const char *at = strstr(text, word);
    return len && at && (at == text || at[-1] == ' ') && (!at[len] || at[len] == ' ');
}

static bool read_sizes(char **argv, int count, size_t *size) {
    for (int i = 0; i < count; i++) {
        char *end;
        size[i] = strtoul(argv[i], &end, 10);
        if (*end || size[i] < 1 || size[i] > 1 << 20)
            return false;
    }
    return true;
}

int example_main(int argc, char **argv, const example *e) {
    const int sizes = count_words(e->sizes);
    size_t size[MOST_SIZES];
    if (argc == 3 + sizes && !strcmp(argv[1], "make") && sizes <= MOST_SIZES &&
        read_sizes(argv + 3, sizes, size)) {
        directory = argv[2];
        e->make(size);
        return 0;
    }
    const char *what = argc > 3 ? argv[3] : NULL;
    if (argc == 3 + !!e->whats && !strcmp(argv[1], "compare") && (!what || is_word_of(what, e->whats))) {
        directory = argv[2];
        return e->compare(what) ? 0 : 1;
    }
    fprintf(stderr, "usage: %s make DIR %s\n       %s compare DIR%s%s\n", argv[0], e->sizes, argv[0],
            e->whats ? " one of: " : "", e->whats ? e->whats : "");
    return WRONG;
}
