/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the inputs of gemm_f16.pto and gemm_s8.pto, and compares their outputs with double precision. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make(const size_t *size) {
    example_matrix a = example_new(size[0], size[2]), b = example_new(size[2], size[1]);
    for (size_t i = 0; i < a.rows * a.cols; i++)
        a.at[i] = example_normal();
    for (size_t i = 0; i < b.rows * b.cols; i++)
        b.at[i] = example_normal();
    example_save("a_f16", "f2", &a);
    example_save("b_f16", "f2", &b);
    for (size_t i = 0; i < a.rows * a.cols; i++)
        a.at[i] = floor(256 * example_uniform()) - 128;
    for (size_t i = 0; i < b.rows * b.cols; i++)
        b.at[i] = floor(256 * example_uniform()) - 128;
    example_save("a_s8", "i1", &a);
    example_save("b_s8", "i1", &b);
    free(a.at);
    free(b.at);
}

typedef struct plain {
    size_t m, n, k;
    float *a, *b, *c;
} plain;

static void plain_loop(void *context) {
    const plain *p = context;
    for (size_t i = 0; i < p->m; i++) {
        float *c = p->c + i * p->n;
        for (size_t j = 0; j < p->n; j++)
            c[j] = 0;
        for (size_t k = 0; k < p->k; k++)
            for (size_t j = 0; j < p->n; j++)
                c[j] += p->a[i * p->k + k] * p->b[k * p->n + j];
    }
}

/* The largest error relative to the sum of the absolute products of an element: a sum of k terms in f32 stays
 * below k * 2^-24, and typically below sqrt(k) * 2^-24. s8 sums are exact. */
static double largest_error(const example_matrix *a, const example_matrix *b, const example_matrix *c) {
    const size_t n = b->cols, depth = a->cols;
    double *sum = malloc(2 * n * sizeof *sum), worst = 0;
    for (size_t i = 0; sum && i < a->rows; i++) {
        double *size = sum + n;
        for (size_t j = 0; j < 2 * n; j++)
            sum[j] = 0;
        for (size_t k = 0; k < depth; k++)
            for (size_t j = 0; j < n; j++) {
                const double product = a->at[i * depth + k] * b->at[k * n + j];
                sum[j] += product;
                size[j] += fabs(product);
            }
        for (size_t j = 0; j < n; j++) {
            const double error = fabs(c->at[i * n + j] - sum[j]);
            worst = error == 0 ? worst : fmax(worst, isfinite(error) ? error / size[j] : INFINITY);
        }
    }
    free(sum);
    return sum ? worst : INFINITY;
}

static bool compare_type(const char *type, const char *in, const char *out, double bound) {
    char name[16];
    snprintf(name, sizeof name, "a_%s", type);
    example_matrix a = example_load(name, in, 0, 0);
    snprintf(name, sizeof name, "b_%s", type);
    example_matrix b = example_load(name, in, a.cols, 0);
    snprintf(name, sizeof name, "c_%s", type);
    example_matrix c = example_load(name, out, a.rows, b.cols);
    const double worst = largest_error(&a, &b, &c);
    plain p = {a.rows, b.cols, a.cols, example_floats(&a), example_floats(&b), example_floats(&c)};
    printf("%s product %zu x %zu x %zu: largest error %.2e of the sum of absolute products against double; a "
           "plain C "
           "loop in f32 takes %.1f ms\n",
           type, a.rows, a.cols, b.cols, worst, example_time(plain_loop, &p));
    free(p.a);
    free(p.b);
    free(p.c);
    free(a.at);
    free(b.at);
    free(c.at);
    return worst <= bound;
}

static bool compare(const char *what) {
    return strcmp(what, "s8") ? compare_type(what, "f2", "f4", 2e-6) : compare_type(what, "i1", "i4", 0);
}

int main(int argc, char **argv) {
    return example_main(argc, argv,
                        &(example){.sizes = "M N K", .make = make, .compare = compare, .whats = "f16 s8"});
}
