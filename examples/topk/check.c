/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the input of topk.pto, and compares its values and columns with a plain selection: they are exact. */
#include "../common/example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { K = 64 };

/* Scores rounded to 1/64, so that many are equal: the column decides. */
static void make(const size_t *size) {
    example_matrix s = example_new(size[0], size[1]);
    for (size_t i = 0; i < s.rows * s.cols; i++)
        s.at[i] = floor(64 * 4 * example_normal()) / 64;
    example_save("scores", "f4", &s);
    free(s.at);
}

typedef struct plain {
    size_t rows, width;
    float *scores, *values;
    size_t *columns;
} plain;

/* Insertion into the sorted best so far. */
static void plain_loop(void *context) {
    const plain *p = context;
    for (size_t r = 0; r < p->rows; r++) {
        const float *s = p->scores + r * p->width;
        float *value = p->values + r * K;
        size_t *column = p->columns + r * K, count = 0;
        for (size_t c = 0; c < p->width; c++) {
            if (count == K && !(s[c] > value[K - 1]))
                continue;
            size_t at = count < K ? count++ : K - 1;
            for (; at > 0 && s[c] > value[at - 1]; at--) {
                value[at] = value[at - 1];
                column[at] = column[at - 1];
            }
            value[at] = s[c];
            column[at] = c;
        }
    }
}

static bool compare(const char *what) {
    (void)what;
    example_matrix s = example_load("scores", "f4", 0, 0);
    example_matrix values = example_load("values", "f4", s.rows, K),
                   columns = example_load("columns", "u4", s.rows, K);
    plain p = {s.rows, s.cols, example_floats(&s), example_floats(&values),
               calloc(s.rows * K, sizeof(size_t))};
    if (!p.columns)
        return false;
    const double time = example_time(plain_loop, &p);
    size_t wrong_values = 0, wrong_columns = 0, ties = 0;
    for (size_t i = 0; i < s.rows * K; i++) {
        wrong_values += !(values.at[i] == p.values[i]);
        wrong_columns += !(columns.at[i] == (double)p.columns[i]);
        ties += i % K > 0 && p.values[i] == p.values[i - 1];
    }
    printf("top %d of %zu x %zu: %zu values and %zu columns of %zu differ from a plain selection (%zu of "
           "them equal to "
           "the one before), which takes %.2f ms\n",
           K, s.rows, s.cols, wrong_values, wrong_columns, s.rows * K, ties, time);
    free(p.scores);
    free(p.values);
    free(p.columns);
    free(s.at);
    free(values.at);
    free(columns.at);
    return wrong_values == 0 && wrong_columns == 0;
}

int main(int argc, char **argv) {
    return example_main(argc, argv, &(example){.sizes = "ROWS COLUMNS", .make = make, .compare = compare});
}
