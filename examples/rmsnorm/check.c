/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the input of rmsnorm.pto, and compares its output with double precision. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4096 };

/* Activations of deviation 1 with a few channels of deviation 30, as transformers have them. */
static void make(const size_t *size) {
    example_matrix x = example_new(size[0], WIDTH), gamma = example_new(1, WIDTH);
    for (size_t i = 0; i < WIDTH; i++)
        gamma.at[i] = 1 + 0.25 * example_normal();
    for (size_t i = 0; i < x.rows * WIDTH; i++)
        x.at[i] = example_normal() * (i % 512 == 77 ? 30 : 1);
    example_save("x", "f2", &x);
    example_save("gamma", "f2", &gamma);
    free(x.at);
    free(gamma.at);
}

typedef struct plain {
    size_t rows;
    float *x, *gamma, *y;
} plain;

static void plain_loop(void *context) {
    const plain *p = context;
    for (size_t r = 0; r < p->rows; r++) {
        const float *x = p->x + r * WIDTH;
        float *y = p->y + r * WIDTH, square = 0;
        for (int c = 0; c < WIDTH; c++)
            square += x[c] * x[c];
        const float scale = 1 / sqrtf(square / WIDTH + 1e-5f);
        for (int c = 0; c < WIDTH; c++)
            y[c] = x[c] * scale * p->gamma[c];
    }
}

static bool compare(const char *what) {
    (void)what;
    example_matrix x = example_load("x", "f2", 0, WIDTH), gamma = example_load("gamma", "f2", 1, WIDTH);
    example_matrix y = example_load("y", "f2", x.rows, WIDTH);
    double worst = 0;
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * WIDTH, *got = y.at + r * WIDTH;
        double square = 0;
        for (size_t c = 0; c < WIDTH; c++)
            square += row[c] * row[c];
        const double scale = 1 / sqrt(square / WIDTH + 1e-5);
        for (size_t c = 0; c < WIDTH; c++)
            worst = fmax(worst, example_ulp_f16(got[c], row[c] * scale * gamma.at[c]));
    }
    plain p = {x.rows, example_floats(&x), example_floats(&gamma), example_floats(&y)};
    printf("RMS norm of %zu x %d: largest error %.3f ulp of f16 against double; a plain C loop in f32 takes "
           "%.2f ms\n",
           x.rows, WIDTH, worst, example_time(plain_loop, &p));
    free(p.x);
    free(p.gamma);
    free(p.y);
    free(x.at);
    free(gamma.at);
    free(y.at);
    return worst <= 0.51;
}

int main(int argc, char **argv) {
    return example_main(argc, argv, &(example){.sizes = "ROWS", .make = make, .compare = compare});
}
