/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the weights and caches of decode.pto, and compares its scores, and the rows that it adds to the
 * caches, with double precision. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, HEAD = 32, PAIRS = HEAD / 2, INNER = 128, WORDS = 128, ROOM = 128, TOKEN = 17 };

static void normal(const char *name, size_t rows, size_t cols, double deviation) {
    example_matrix m = example_new(rows, cols);
    for (size_t i = 0; i < rows * cols; i++)
        m.at[i] = deviation * example_normal();
    example_save(name, "f4", &m);
    free(m.at);
}

/* Rows 0 to n - 1; what is behind them is no number, so that nobody reads it. */
static void cache(const char *name, size_t n) {
    example_matrix m = example_new(ROOM, WIDTH);
    for (size_t i = 0; i < ROOM * WIDTH; i++)
        m.at[i] = i < n * WIDTH ? example_normal() : NAN;
    example_save(name, "f4", &m);
    free(m.at);
}

static void make(const size_t *size) {
    normal("embedding", WORDS, WIDTH, 1);
    normal("g", 3, WIDTH, 1);
    normal("wqkv", WIDTH, 3 * WIDTH, 0.125);
    normal("wo", WIDTH, WIDTH, 0.125);
    normal("wgu", WIDTH, 2 * INNER, 0.125);
    normal("wd", INNER, WIDTH, 0.1);
    normal("wv", WIDTH, WORDS, 0.125);
    example_matrix c = example_new(ROOM, PAIRS), s = example_new(ROOM, PAIRS), n = example_new(1, 1);
    for (size_t i = 0; i < ROOM * PAIRS; i++) {
        double angle = (double)(i / PAIRS) / pow(10000, (double)(i % PAIRS) / PAIRS);
        c.at[i] = cos(angle);
        s.at[i] = sin(angle);
    }
    n.at[0] = (double)size[0];
    example_save("cos", "f4", &c);
    example_save("sin", "f4", &s);
    example_save("position", "i4", &n);
    cache("kcache", size[0]);
    cache("vcache", size[0]);
    free(c.at);
    free(s.at);
    free(n.at);
}

static void rms(const double *x, const double *g, double *y) {
    double square = 0;
    for (size_t i = 0; i < WIDTH; i++)
        square += x[i] * x[i];
    for (size_t i = 0; i < WIDTH; i++)
        y[i] = x[i] / sqrt(square / WIDTH + 1e-5) * g[i];
}

/* y = x * w */
static void linear(const double *x, const char *name, size_t k, size_t n, double *y) {
    example_matrix w = example_load(name, "f4", k, n);
    for (size_t j = 0; j < n; j++) {
        y[j] = 0;
        for (size_t i = 0; i < k; i++)
            y[j] += x[i] * w.at[i * n + j];
    }
    free(w.at);
}

static void rotate(double *x, size_t n) {
    example_matrix c = example_load("cos", "f4", ROOM, PAIRS), s = example_load("sin", "f4", ROOM, PAIRS);
    for (size_t h = 0; h < WIDTH; h += HEAD)
        for (size_t i = 0; i < PAIRS; i++) {
            double *a = x + h + i, *b = a + PAIRS, was = *a;
            *a = was * c.at[n * PAIRS + i] - *b * s.at[n * PAIRS + i];
            *b = was * s.at[n * PAIRS + i] + *b * c.at[n * PAIRS + i];
        }
    free(c.at);
    free(s.at);
}

static void attention(const double *q, const double *k, const double *v, size_t rows, double *o) {
    double score[ROOM];
    for (size_t h = 0; h < WIDTH; h += HEAD) {
        double max = -INFINITY, sum = 0;
        for (size_t j = 0; j < rows; j++) {
            score[j] = 0;
            for (size_t i = h; i < h + HEAD; i++)
                score[j] += q[i] * k[j * WIDTH + i];
            score[j] /= sqrt(HEAD);
            max = fmax(max, score[j]);
        }
        for (size_t j = 0; j < rows; j++)
            sum += score[j] = exp(score[j] - max);
        for (size_t i = h; i < h + HEAD; i++) {
            o[i] = 0;
            for (size_t j = 0; j < rows; j++)
                o[i] += score[j] / sum * v[j * WIDTH + i];
        }
    }
}

/* Largest |got - exact| against the largest |exact|. */
static double distance(const double *got, const double *exact, size_t count) {
    double worst = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        double error = fabs(got[i] - exact[i]);
        worst = error > worst || isnan(error) ? error : worst;
        largest = fmax(largest, fabs(exact[i]));
    }
    return worst / largest;
}

static bool compare(const char *what) {
    (void)what;
    double h[WIDTH], qkv[3 * WIDTH], o[WIDTH], d[WIDTH], gu[2 * INNER], f[INNER], scores[WORDS];
    example_matrix position = example_load("position", "i4", 1, 1), g = example_load("g", "f4", 3, WIDTH);
    example_matrix embedding = example_load("embedding", "f4", WORDS, WIDTH);
    example_matrix k = example_load("kcache", "f4", ROOM, WIDTH),
                   v = example_load("vcache", "f4", ROOM, WIDTH);
    size_t n = (size_t)position.at[0];
    double *x = embedding.at + TOKEN * WIDTH;
    rms(x, g.at, h);
    linear(h, "wqkv", WIDTH, 3 * WIDTH, qkv);
    rotate(qkv, n);
    rotate(qkv + WIDTH, n);
    for (size_t i = 0; i < WIDTH; i++) {
        k.at[n * WIDTH + i] = qkv[WIDTH + i];
        v.at[n * WIDTH + i] = qkv[2 * WIDTH + i];
    }
    attention(qkv, k.at, v.at, n + 1, o);
    linear(o, "wo", WIDTH, WIDTH, d);
    for (size_t i = 0; i < WIDTH; i++)
        x[i] += d[i];
    rms(x, g.at + WIDTH, h);
    linear(h, "wgu", WIDTH, 2 * INNER, gu);
    for (size_t i = 0; i < INNER; i++)
        f[i] = gu[i] / (1 + exp(-gu[i])) * gu[INNER + i];
    linear(f, "wd", INNER, WIDTH, d);
    for (size_t i = 0; i < WIDTH; i++)
        x[i] += d[i];
    rms(x, g.at + 2 * WIDTH, h);
    linear(h, "wv", WIDTH, WORDS, scores);
    example_matrix got = example_load("scores", "f4", 1, WORDS);
    example_matrix k2 = example_load("kcache_after", "f4", ROOM, WIDTH),
                   v2 = example_load("vcache_after", "f4", ROOM, WIDTH);
    double error = distance(got.at, scores, WORDS), kept = distance(k2.at, k.at, (n + 1) * WIDTH);
    kept = fmax(kept, distance(v2.at, v.at, (n + 1) * WIDTH));
    printf("decode step at position %zu: largest error of the scores %.2e, of the caches %.2e of the largest "
           "value, "
           "against double\n",
           n, error, kept);
    free(position.at);
    free(g.at);
    free(embedding.at);
    free(k.at);
    free(v.at);
    free(got.at);
    free(k2.at);
    free(v2.at);
    return error < 1e-5 && kept < 1e-5;
}

int main(int argc, char **argv) {
    return example_main(argc, argv, &(example){.sizes = "POSITION", .make = make, .compare = compare});
}
