/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of conv.pto, and its result against double precision: compare X.npy W.npy makes the input,
 * compare X.npy W.npy Y.npy prints the largest error; exit status 1 when a pixel is farther from the exact
 * sum than 288 roundings of f32 can take it. The sums run over the arrays as tensors, not as an unrolled
 * matrix. */
#include <pto/pto.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 28, CHANNELS = 32, FILTERS = 64, FILTER = 3, C0 = 16, C1 = CHANNELS / C0 };

static int fail(pto_diag_list *diags) {
    char text[2048];
    pto_diag_render_buffer(diags, NULL, text, sizeof text);
    fputs(text, stderr);
    pto_diag_list_destroy(diags);
    return 1;
}

/* Values in [-1, 1], rounded to f16, from a fixed linear congruence. */
static int make(const char *path, pto_npy_info info, uint64_t seed, pto_diag_list *diags) {
    if (pto_npy_describe(&info, diags) != PTO_OK)
        return 1;
    uint16_t *values = malloc(info.count * sizeof *values);
    if (!values)
        return 1;
    for (size_t i = 0; i < info.count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double unit = (double)(seed >> 40) / 8388608.0 - 1.0;
        values[i] = (uint16_t)pto_number_from_double(PTO_F16, unit, PTO_CAST_RINT, false);
    }
    pto_status status = pto_npy_save(path, &info, values, diags);
    free(values);
    return status == PTO_OK ? 0 : 1;
}

/* Pixel (h, w) of channel c in NC1HWC0; 0 outside. */
static double pixel(const uint16_t *x, int h, int w, int c) {
    if (h < 0 || h >= SIZE || w < 0 || w >= SIZE)
        return 0;
    return pto_number_to_double(PTO_F16, x[((c / C0 * SIZE + h) * SIZE + w) * C0 + c % C0]);
}

/* Weight of filter n at (h, w) of channel c in FRACTAL_Z. */
static double weight(const uint16_t *wt, int n, int h, int w, int c) {
    int block = (c / C0 * FILTER + h) * FILTER + w;
    return pto_number_to_double(PTO_F16, wt[((block * (FILTERS / 16) + n / 16) * 16 + n % 16) * C0 + c % C0]);
}

/* The largest error, as a share of the sum of absolute products: what one rounding of f32 is measured by. */
static double largest_error(const uint16_t *x, const uint16_t *w, const float *y) {
    double worst = 0;
    for (int oh = 0; oh < SIZE; oh++)
        for (int ow = 0; ow < SIZE; ow++)
            for (int n = 0; n < FILTERS; n++) {
                double sum = 0, size = 0;
                for (int h = 0; h < FILTER; h++)
                    for (int v = 0; v < FILTER; v++)
                        for (int c = 0; c < CHANNELS; c++) {
                            double product = pixel(x, oh + h - 1, ow + v - 1, c) * weight(w, n, h, v, c);
                            sum += product;
                            size += fabs(product);
                        }
                double error = fabs((double)y[(oh * SIZE + ow) * FILTERS + n] - sum) / size;
                worst = error > worst || isnan(error) ? error : worst;
            }
    return worst;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: %s X.npy W.npy [Y.npy]\n", argv[0]);
        return 2;
    }
    pto_diag_list *diags = pto_diag_list_create();
    const pto_npy_info x_info = {.kind = 'f', .itemsize = 2, .rank = 5, .shape = {1, C1, SIZE, SIZE, C0}};
    const pto_npy_info w_info = {
        .kind = 'f', .itemsize = 2, .rank = 4, .shape = {C1 * FILTER * FILTER, FILTERS / 16, 16, C0}};
    if (argc == 3) {
        if (make(argv[1], x_info, 1, diags) || make(argv[2], w_info, 2, diags))
            return fail(diags);
        pto_diag_list_destroy(diags);
        return 0;
    }
    pto_npy_info info[3];
    void *data[3] = {NULL};
    for (int i = 0; i < 3; i++)
        if (pto_npy_load(argv[i + 1], (size_t)1 << 32, &info[i], &data[i], diags) != PTO_OK)
            return fail(diags);
    const size_t counts[3] = {SIZE * SIZE * CHANNELS, CHANNELS * FILTER * FILTER * FILTERS,
                              SIZE * SIZE * FILTERS};
    for (int i = 0; i < 3; i++)
        if (info[i].count != counts[i] || info[i].kind != 'f' || info[i].itemsize != (i < 2 ? 2u : 4u)) {
            fprintf(stderr, "%s is not an array of this convolution\n", argv[i + 1]);
            return 1;
        }
    double worst = largest_error(data[0], data[1], data[2]);
    double bound = CHANNELS * FILTER * FILTER * ldexp(1, -24);
    printf("convolution of 28 x 28 x 32 with 64 filters of 3 x 3: largest error %.2e of the sum of "
           "|products| against "
           "double (bound %.2e)\n",
           worst, bound);
    for (int i = 0; i < 3; i++)
        free(data[i]);
    pto_diag_list_destroy(diags);
    return worst <= bound ? 0 : 1;
}
