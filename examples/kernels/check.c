/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the inputs of the kernels in this directory, and compares what they gave with double precision. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, WIDTH = 256, HEAD = 64, TOKENS = 16, SPLIT_K = 1024 };

/* rows x cols, about normal with this deviation, saved under the name */
static void normal(const char *name, const char *type, size_t rows, size_t cols, double deviation) {
    example_matrix m = example_new(rows, cols);
    for (size_t i = 0; i < rows * cols; i++)
        m.at[i] = deviation * example_normal();
    example_save(name, type, &m);
    free(m.at);
}

static void bytes(const char *name, size_t rows, size_t cols) {
    example_matrix m = example_new(rows, cols);
    for (size_t i = 0; i < rows * cols; i++)
        m.at[i] = floor(256 * example_uniform()) - 128;
    example_save(name, "i1", &m);
    free(m.at);
}

/* The angle of row r and pair c: r / 10000^(c / pairs). */
static void angles(const char *cosines, const char *sines, size_t first, size_t rows, size_t pairs) {
    example_matrix c = example_new(rows, pairs), s = example_new(rows, pairs);
    for (size_t i = 0; i < rows * pairs; i++) {
        double angle = (double)(first + i / pairs) / pow(10000, (double)(i % pairs) / (double)pairs);
        c.at[i] = cos(angle);
        s.at[i] = sin(angle);
    }
    example_save(cosines, "f4", &c);
    example_save(sines, "f4", &s);
    free(c.at);
    free(s.at);
}

static void make(const size_t *size) {
    normal("x", "f4", ROWS, WIDTH, 2);
    normal("gamma", "f4", 1, WIDTH, 1);
    normal("x128", "f4", ROWS, 2 * HEAD, 1);
    angles("cos", "sin", 0, ROWS, HEAD);
    normal("a", "f2", ROWS, WIDTH, 3);
    normal("b", "f2", ROWS, WIDTH, 1);
    bytes("qx", 32, 256);
    bytes("qw", 256, 128);
    normal("scale", "f4", 1, 128, 1e-4);
    normal("bias", "f4", 1, 128, 1);
    normal("q", "f2", TOKENS, 4 * HEAD, 1);
    normal("k", "f2", size[0], 2 * HEAD, 1);
    normal("v", "f2", size[0], 2 * HEAD, 1);
    normal("sa", "f2", 64, SPLIT_K, 1);
    normal("sb", "f2", SPLIT_K, 64, 1);
}

/* c = a * b for rows x inner, inner x cols */
static example_matrix product(const example_matrix *a, const example_matrix *b) {
    example_matrix c = example_new(a->rows, b->cols);
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < b->cols; j++)
            for (size_t k = 0; k < a->cols; k++)
                c.at[i * b->cols + j] += a->at[i * a->cols + k] * b->at[k * b->cols + j];
    return c;
}

/* Each row: exp(x - max) / sum. */
static void softmax_row(double *x, size_t n) {
    double max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += x[i] = exp(x[i] - max);
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

static void rms_row(double *x, const double *gamma, size_t n) {
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += x[i] * x[i];
    double scale = 1 / sqrt(square / (double)n + 1e-5);
    for (size_t i = 0; i < n; i++)
        x[i] *= scale * gamma[i];
}

static void turn(double *a, double *b, double c, double s) {
    double x = *a;
    *a = x * c - *b * s;
    *b = x * s + *b * c;
}

static double gate(double a, double b) { return a / (1 + exp(-a)) * b; }

static example_matrix exact_softmax(void) {
    example_matrix x = example_load("x", "f4", ROWS, WIDTH);
    for (size_t r = 0; r < ROWS; r++)
        softmax_row(x.at + r * WIDTH, WIDTH);
    return x;
}

static example_matrix exact_rmsnorm(void) {
    example_matrix x = example_load("x", "f4", ROWS, WIDTH), gamma = example_load("gamma", "f4", 1, WIDTH);
    for (size_t r = 0; r < ROWS; r++)
        rms_row(x.at + r * WIDTH, gamma.at, WIDTH);
    free(gamma.at);
    return x;
}

static example_matrix exact_rope(void) {
    example_matrix x = example_load("x128", "f4", ROWS, 2 * HEAD);
    example_matrix c = example_load("cos", "f4", ROWS, HEAD), s = example_load("sin", "f4", ROWS, HEAD);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < HEAD; i++)
            turn(&x.at[r * 2 * HEAD + i], &x.at[r * 2 * HEAD + HEAD + i], c.at[r * HEAD + i],
                 s.at[r * HEAD + i]);
    free(c.at);
    free(s.at);
    return x;
}

static example_matrix exact_swiglu(void) {
    example_matrix a = example_load("a", "f2", ROWS, WIDTH), b = example_load("b", "f2", ROWS, WIDTH);
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        a.at[i] = gate(a.at[i], b.at[i]);
    free(b.at);
    return a;
}

static example_matrix exact_linear(void) {
    example_matrix x = example_load("qx", "i1", 32, 256), w = example_load("qw", "i1", 256, 128);
    example_matrix scale = example_load("scale", "f4", 1, 128), bias = example_load("bias", "f4", 1, 128);
    example_matrix y = product(&x, &w);
    for (size_t i = 0; i < y.rows * y.cols; i++)
        y.at[i] = y.at[i] * scale.at[i % 128] + bias.at[i % 128];
    free(x.at);
    free(w.at);
    free(scale.at);
    free(bias.at);
    return y;
}

/* One query head of `head` columns at q over the rows of k and v, whose head begins at `column`. */
static void attend(const double *q, const example_matrix *k, const example_matrix *v, size_t column,
                   size_t head, double *o) {
    double *score = calloc(k->rows, sizeof *score);
    for (size_t j = 0; j < k->rows; j++) {
        for (size_t c = 0; c < head; c++)
            score[j] += q[c] * k->at[j * k->cols + column + c];
        score[j] /= sqrt((double)head);
    }
    softmax_row(score, k->rows);
    for (size_t c = 0; c < head; c++) {
        o[c] = 0;
        for (size_t j = 0; j < v->rows; j++)
            o[c] += score[j] * v->at[j * v->cols + column + c];
    }
    free(score);
}

static example_matrix exact_gqa(void) {
    example_matrix q = example_load("q", "f2", TOKENS, 4 * HEAD);
    example_matrix k = example_load("k", "f2", 0, 2 * HEAD), v = example_load("v", "f2", 0, 2 * HEAD);
    example_matrix o = example_new(TOKENS, 4 * HEAD);
    for (size_t t = 0; t < TOKENS; t++)
        for (size_t h = 0; h < 4; h++)
            attend(q.at + t * 4 * HEAD + h * HEAD, &k, &v, h / 2 * HEAD, HEAD,
                   o.at + t * 4 * HEAD + h * HEAD);
    free(q.at);
    free(k.at);
    free(v.at);
    return o;
}

static example_matrix exact_splitk(void) {
    example_matrix a = example_load("sa", "f2", 64, SPLIT_K), b = example_load("sb", "f2", SPLIT_K, 64);
    example_matrix c = product(&a, &b);
    free(a.at);
    free(b.at);
    return c;
}

static const struct {
    const char *name, *type;
    example_matrix (*exact)(void);
    double limit; /* of |got - exact| against the largest |exact| */
} kernels[] = {
    {"softmax", "f4", exact_softmax, 1e-6},
    {"rmsnorm", "f4", exact_rmsnorm, 1e-6},
    {"rope", "f4", exact_rope, 1e-6},
    {"swiglu", "f2", exact_swiglu, 5e-4},
    {"quantised_linear", "f2", exact_linear, 5e-4},
    {"gqa", "f4", exact_gqa, 5e-4},
    {"splitk", "f4", exact_splitk, 1e-5},
};

static bool compare(const char *what) {
    size_t i = 0;
    while (strcmp(kernels[i].name, what) != 0)
        i++;
    example_matrix exact = kernels[i].exact();
    example_matrix got = example_load(kernels[i].name, kernels[i].type, exact.rows, exact.cols);
    double worst = 0, largest = 0;
    for (size_t k = 0; k < exact.rows * exact.cols; k++) {
        double error = fabs(got.at[k] - exact.at[k]);
        worst = error > worst || isnan(error) ? error : worst;
        largest = fmax(largest, fabs(exact.at[k]));
    }
    printf("%s: largest error %.2e of the largest value, against double\n", what, worst / largest);
    free(exact.at);
    free(got.at);
    return worst <= kernels[i].limit * largest;
}

int main(int argc, char **argv) {
    return example_main(argc, argv,
                        &(example){.sizes = "KEYS",
                                   .make = make,
                                   .compare = compare,
                                   .whats = "softmax rmsnorm rope swiglu quantised_linear gqa splitk"});
}
