/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: a program that makes the arrays of a .pto example and compares what it gave with
 * double precision. Through public headers only. */
#ifndef PTO_EXAMPLE_H
#define PTO_EXAMPLE_H

#include <pto/pto.h>

#include <stddef.h>

/* A matrix of numbers, row by row; in a .npy file it has the element type `kind` `itemsize`: "f2" is f16. */
typedef struct example_matrix {
    size_t rows, cols;
    double *at;
} example_matrix;

/* A check program: NAME make DIR SIZE... writes the inputs into DIR, NAME compare DIR [WHAT] reads inputs and
 * outputs from there. Exit status 1 when the error is too large, 2 for wrong usage or a file error. */
typedef struct example {
    const char *sizes; /* what `make` takes, as the usage line says it: "ROWS COLUMNS"; at most 4 */
    void (*make)(const size_t *size);
    bool (*compare)(
        const char *what); /* prints the error; false: it is too large. what is one of whats, else NULL */
    const char *whats;     /* "f16 s8": compare takes one of them */
} example;

int example_main(int argc, char **argv, const example *e);

/* What follows ends the program with status 2 when something fails. */

/* Zeroed; free(at) gives it back. */
example_matrix example_new(size_t rows, size_t cols);
float *example_floats(const example_matrix *matrix);
/* DIR/NAME.npy. Element types f2 f4 i1 i4 u1 u4. Loading refuses another type, and another shape where rows,
 * cols are not 0. */
void example_save(const char *name, const char *type, const example_matrix *matrix);
example_matrix example_load(const char *name, const char *type, size_t rows, size_t cols);
/* Uniform in [0, 1), and about normal with mean 0 and deviation 1: the same numbers in every run. */
double example_uniform(void);
double example_normal(void);

/* |got - exact| in units of the last place of exact; infinite where one of them is no number. */
double example_ulp_f16(double got, double exact);

/* Milliseconds of the fastest of a few calls. */
double example_time(void (*loop)(void *context), void *context);

#endif
