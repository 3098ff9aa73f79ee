/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the inputs of mxfp8.pto and compares its product with double precision: with the product of the
 * matrices that the codes and scales stand for, which differs by the rounding of f32 sums only, and with that
 * of the matrices as they were, which tells what three fraction bits and a shared exponent cost. */
#include "../common/example.h"

#include <pto/number.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void make(const size_t *size) {
    example_matrix a = example_new(size[0], size[2]), b = example_new(size[2], size[1]);
    for (size_t i = 0; i < a.rows * a.cols; i++)
        a.at[i] = example_normal();
    for (size_t i = 0; i < b.rows * b.cols; i++)
        b.at[i] = example_normal();
    example_save("a", "f4", &a);
    example_save("b", "f4", &b);
    free(a.at);
    free(b.at);
}

static double decoded(double code, double exponent) {
    return pto_number_to_double(PTO_E4M3, (uint64_t)code) *
           pto_number_to_double(PTO_E8M0, (uint64_t)exponent);
}

/* What the codes stand for: a has a scale for 32 columns, b for 32 rows, those of 64 rows side by side. */
static example_matrix dequantised(const char *codes, const char *exponents, size_t rows, size_t cols,
                                  bool left) {
    example_matrix q = example_load(codes, "u1", rows, cols);
    example_matrix e = left ? example_load(exponents, "u1", rows, cols / 32)
                            : example_load(exponents, "u1", rows / 64, 2 * cols);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            const size_t at = left ? r * e.cols + c / 32 : r / 64 * e.cols + 2 * c + r / 32 % 2;
            q.at[r * cols + c] = decoded(q.at[r * cols + c], e.at[at]);
        }
    free(e.at);
    return q;
}

/* Of c against a * b: the largest error relative to the sum of absolute products, and the error relative to
 * the product, both as norms. */
typedef struct errors {
    double largest, relative;
} errors;

static errors compare_product(const example_matrix *a, const example_matrix *b, const example_matrix *c) {
    const size_t n = b->cols, depth = a->cols;
    example_matrix sum = example_new(2, n);
    double worst = 0, error_square = 0, square = 0;
    for (size_t i = 0; i < a->rows; i++) {
        double *exact = sum.at, *size = sum.at + n;
        for (size_t j = 0; j < 2 * n; j++)
            sum.at[j] = 0;
        for (size_t k = 0; k < depth; k++)
            for (size_t j = 0; j < n; j++) {
                const double product = a->at[i * depth + k] * b->at[k * n + j];
                exact[j] += product;
                size[j] += fabs(product);
            }
        for (size_t j = 0; j < n; j++) {
            const double error = fabs(c->at[i * n + j] - exact[j]);
            worst = isfinite(error) ? fmax(worst, size[j] > 0 ? error / size[j] : error) : INFINITY;
            error_square += error * error;
            square += exact[j] * exact[j];
        }
    }
    free(sum.at);
    return (errors){worst, sqrt(error_square / square)};
}

static bool compare(const char *what) {
    (void)what;
    example_matrix a = example_load("a", "f4", 0, 0), b = example_load("b", "f4", a.cols, 0);
    example_matrix c = example_load("c", "f4", a.rows, b.cols);
    example_matrix qa = dequantised("qa", "ea", a.rows, a.cols, true),
                   qb = dequantised("qb", "eb", b.rows, b.cols, false);
    const errors sums = compare_product(&qa, &qb, &c), all = compare_product(&a, &b, &c);
    printf(
        "MXFP8 product %zu x %zu x %zu against double: of the quantised matrices within %.1e of the sum of "
        "absolute products; of the f32 matrices %.2f %% off (root mean square)\n",
        a.rows, a.cols, b.cols, sums.largest, 100 * all.relative);
    free(a.at);
    free(b.at);
    free(c.at);
    free(qa.at);
    free(qb.at);
    return sums.largest <= 2e-6 && all.relative <= 0.05;
}

int main(int argc, char **argv) {
    return example_main(argc, argv, &(example){.sizes = "M N K", .make = make, .compare = compare});
}
