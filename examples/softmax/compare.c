/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a softmax against double precision: compare X.npy Y.npy. Prints the largest error in units of the
 * last place of the exact result's f32 neighbourhood; exit status 1 above 8 ulp. With one argument, makes the
 * input: compare X.npy. */
#include <pto/pto.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(pto_diag_list *diags) {
    char text[2048];
    pto_diag_render_buffer(diags, NULL, text, sizeof text);
    fputs(text, stderr);
    pto_diag_list_destroy(diags);
    return 1;
}

/* 4096 x 1024 values in [-4, 4), the range of scores, from a fixed linear congruence. The f32 difference x -
 * max is rounded before the exponential, so wider values cost more: half an ulp of the difference is that
 * relative error. */
static int make(const char *path, pto_diag_list *diags) {
    pto_npy_info info = {.kind = 'f', .itemsize = 4, .rank = 2, .shape = {4096, 1024}};
    float *x = malloc(4096 * 1024 * sizeof *x);
    if (!x || pto_npy_describe(&info, diags) != PTO_OK)
        return 1;
    uint64_t state = 1;
    for (size_t i = 0; i < info.count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        float unit = (float)(state >> 40) / 16777216.0f - 0.5f;
        x[i] = unit * 8.0f;
    }
    pto_status status = pto_npy_save(path, &info, x, diags);
    free(x);
    return status == PTO_OK ? 0 : fail(diags);
}

static double ulp_of(double exact) {
    float f = (float)fabs(exact);
    return (double)nextafterf(f, INFINITY) - (double)f;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: %s X.npy [Y.npy]\n", argv[0]);
        return 2;
    }
    pto_diag_list *diags = pto_diag_list_create();
    if (argc == 2) {
        int made = make(argv[1], diags);
        if (!made)
            pto_diag_list_destroy(diags);
        return made;
    }
    pto_npy_info xi, yi;
    void *xd, *yd = NULL;
    if (pto_npy_load(argv[1], (size_t)1 << 32, &xi, &xd, diags) != PTO_OK)
        return fail(diags);
    if (pto_npy_load(argv[2], (size_t)1 << 32, &yi, &yd, diags) != PTO_OK)
        return fail(diags);
    if (xi.rank != 2 || yi.rank != 2 || xi.count != yi.count || xi.itemsize != 4 || yi.itemsize != 4) {
        fprintf(stderr, "the arrays are not f32 matrices of one shape\n");
        return 1;
    }
    const float *x = xd, *y = yd;
    size_t cols = (size_t)xi.shape[1];
    double worst = 0, worst_sum = 0;
    for (size_t r = 0; r < xi.shape[0]; r++) {
        double max = -INFINITY, sum = 0, total = 0;
        for (size_t c = 0; c < cols; c++)
            max = fmax(max, x[r * cols + c]);
        for (size_t c = 0; c < cols; c++)
            sum += exp((double)x[r * cols + c] - max);
        for (size_t c = 0; c < cols; c++) {
            double exact = exp((double)x[r * cols + c] - max) / sum;
            double error = fabs(y[r * cols + c] - exact) / ulp_of(exact);
            worst = error > worst || isnan(error) ? error : worst;
            total += y[r * cols + c];
        }
        worst_sum = fmax(worst_sum, fabs(total - 1));
    }
    printf("softmax of %llu x %llu: largest error %.2f ulp against double, rows sum to 1 within %.1e\n",
           (unsigned long long)xi.shape[0], (unsigned long long)xi.shape[1], worst, worst_sum);
    free(xd);
    free(yd);
    pto_diag_list_destroy(diags);
    return worst <= 8 ? 0 : 1;
}
