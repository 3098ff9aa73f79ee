/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the input of attention.pto, and compares its output with double precision. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 128 };

static void make(const size_t *size) {
    static const char *const names[] = {"q", "k", "v"};
    for (size_t n = 0; n < 3; n++) {
        example_matrix x = example_new(size[0], WIDTH);
        for (size_t i = 0; i < x.rows * WIDTH; i++)
            x.at[i] = example_normal() * (n < 2 ? 1.5 : 1); /* scores of deviation 2.25 */
        example_save(names[n], "f2", &x);
        free(x.at);
    }
}

typedef struct plain {
    size_t rows;
    float *q, *k, *v, *o, *score;
} plain;

static void plain_loop(void *context) {
    const plain *p = context;
    for (size_t r = 0; r < p->rows; r++) {
        const float *q = p->q + r * WIDTH;
        float *o = p->o + r * WIDTH, max = -INFINITY, sum = 0;
        for (size_t j = 0; j < p->rows; j++) {
            float s = 0;
            for (int c = 0; c < WIDTH; c++)
                s += q[c] * p->k[j * WIDTH + (size_t)c];
            p->score[j] = s * 0.088388348f;
            max = fmaxf(max, p->score[j]);
        }
        for (int c = 0; c < WIDTH; c++)
            o[c] = 0;
        for (size_t j = 0; j < p->rows; j++) {
            const float e = expf(p->score[j] - max);
            sum += e;
            for (int c = 0; c < WIDTH; c++)
                o[c] += e * p->v[j * WIDTH + (size_t)c];
        }
        for (int c = 0; c < WIDTH; c++)
            o[c] /= sum;
    }
}

/* One row of the exact result. */
static void exact_row(const double *q, const example_matrix *k, const example_matrix *v, double *score,
                      double *o) {
    double max = -INFINITY, sum = 0;
    for (size_t j = 0; j < k->rows; j++) {
        score[j] = 0;
        for (size_t c = 0; c < WIDTH; c++)
            score[j] += q[c] * k->at[j * WIDTH + c];
        score[j] /= sqrt(WIDTH);
        max = fmax(max, score[j]);
    }
    for (size_t c = 0; c < WIDTH; c++)
        o[c] = 0;
    for (size_t j = 0; j < k->rows; j++) {
        const double e = exp(score[j] - max);
        sum += e;
        for (size_t c = 0; c < WIDTH; c++)
            o[c] += e * v->at[j * WIDTH + c];
    }
    for (size_t c = 0; c < WIDTH; c++)
        o[c] /= sum;
}

static bool compare(const char *what) {
    (void)what;
    example_matrix q = example_load("q", "f2", 0, WIDTH), k = example_load("k", "f2", q.rows, WIDTH);
    example_matrix v = example_load("v", "f2", q.rows, WIDTH), o = example_load("o", "f4", q.rows, WIDTH);
    example_matrix score = example_new(1, q.rows), exact = example_new(1, WIDTH);
    double worst = 0, errors = 0, squares = 0;
    for (size_t r = 0; r < q.rows; r++) {
        exact_row(q.at + r * WIDTH, &k, &v, score.at, exact.at);
        for (size_t c = 0; c < WIDTH; c++) {
            const double error = fabs(o.at[r * WIDTH + c] - exact.at[c]);
            worst = isnan(error) ? INFINITY : fmax(worst, error);
            errors += error * error;
            squares += exact.at[c] * exact.at[c];
        }
    }
    plain p = {q.rows,
               example_floats(&q),
               example_floats(&k),
               example_floats(&v),
               example_floats(&o),
               example_floats(&score)};
    const double relative = sqrt(errors / squares);
    printf("attention of %zu x %d: error against double %.1e at most, %.1e of the result in the mean; a "
           "plain C loop in "
           "f32 takes %.1f ms\n",
           q.rows, WIDTH, worst, relative, example_time(plain_loop, &p));
    free(p.q);
    free(p.k);
    free(p.v);
    free(p.o);
    free(p.score);
    free(q.at);
    free(k.at);
    free(v.at);
    free(o.at);
    free(score.at);
    free(exact.at);
    /* p in f16 costs half a unit of 2^-11 a term, which averages out over the keys */
    return worst <= 1e-3 && relative <= 5e-4;
}

int main(int argc, char **argv) {
    return example_main(argc, argv, &(example){.sizes = "ROWS", .make = make, .compare = compare});
}
