/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the input of layernorm.pto, and compares its output with double precision. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1024 };

/* Rows with a mean of their own. */
static void make(const size_t *size) {
    example_matrix x = example_new(size[0], WIDTH), gamma = example_new(1, WIDTH),
                   beta = example_new(1, WIDTH);
    for (size_t i = 0; i < WIDTH; i++) {
        gamma.at[i] = 1 + 0.25 * example_normal();
        beta.at[i] = 0.25 * example_normal();
    }
    for (size_t r = 0; r < x.rows; r++) {
        const double mean = 2 * example_normal();
        for (size_t c = 0; c < WIDTH; c++)
            x.at[r * WIDTH + c] = mean + example_normal();
    }
    example_save("x", "f2", &x);
    example_save("gamma", "f2", &gamma);
    example_save("beta", "f2", &beta);
    free(x.at);
    free(gamma.at);
    free(beta.at);
}

typedef struct plain {
    size_t rows;
    float *x, *gamma, *beta, *y;
} plain;

static void plain_loop(void *context) {
    const plain *p = context;
    for (size_t r = 0; r < p->rows; r++) {
        const float *x = p->x + r * WIDTH;
        float *y = p->y + r * WIDTH, sum = 0, square = 0;
        for (int c = 0; c < WIDTH; c++)
            sum += x[c];
        const float mean = sum / WIDTH;
        for (int c = 0; c < WIDTH; c++)
            square += (x[c] - mean) * (x[c] - mean);
        const float scale = 1 / sqrtf(square / WIDTH + 1e-5f);
        for (int c = 0; c < WIDTH; c++)
            y[c] = (x[c] - mean) * scale * p->gamma[c] + p->beta[c];
    }
}

static bool compare(const char *what) {
    (void)what;
    example_matrix x = example_load("x", "f2", 0, WIDTH);
    example_matrix gamma = example_load("gamma", "f2", 1, WIDTH), beta = example_load("beta", "f2", 1, WIDTH);
    example_matrix y = example_load("y", "f2", x.rows, WIDTH);
    double worst = 0, absolute = 0;
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * WIDTH, *got = y.at + r * WIDTH;
        double sum = 0, square = 0;
        for (size_t c = 0; c < WIDTH; c++)
            sum += row[c];
        const double mean = sum / WIDTH;
        for (size_t c = 0; c < WIDTH; c++)
            square += (row[c] - mean) * (row[c] - mean);
        const double scale = 1 / sqrt(square / WIDTH + 1e-5);
        for (size_t c = 0; c < WIDTH; c++) {
            const double exact = (row[c] - mean) * scale * gamma.at[c] + beta.at[c];
            absolute = fmax(absolute, fabs(got[c] - exact));
            /* where the two terms cancel, the error of f32 is larger than a unit of the small result */
            if (fabs(exact) > 1.0 / 64)
                worst = fmax(worst, example_ulp_f16(got[c], exact));
        }
    }
    plain p = {x.rows, example_floats(&x), example_floats(&gamma), example_floats(&beta), example_floats(&y)};
    printf("layer norm of %zu x %d: largest error %.3f ulp of f16 against double, %.1e absolute; a plain C "
           "loop in f32 "
           "takes %.2f ms\n",
           x.rows, WIDTH, worst, absolute, example_time(plain_loop, &p));
    free(p.x);
    free(p.gamma);
    free(p.beta);
    free(p.y);
    free(x.at);
    free(gamma.at);
    free(beta.at);
    free(y.at);
    return worst <= 0.55 && absolute <= 4e-3;
}

int main(int argc, char **argv) {
    return example_main(argc, argv, &(example){.sizes = "ROWS", .make = make, .compare = compare});
}
