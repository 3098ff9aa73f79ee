/* SPDX-License-Identifier: Apache-2.0 */
/* References for convolution tiles, from 00-model, 7 and part 30: where an element of a tensor lies in every
 * layout, one at a time, and the value of an unrolled convolution input. */
#ifndef PTO_TESTS_REFERENCE_CONV_H
#define PTO_TESTS_REFERENCE_CONV_H

#include "support/tile_testing.h"

/* A tensor by its meaning. */
typedef struct conv_tensor {
    int64_t g, n, d, c, h, w;
} conv_tensor;

/* Dimensions of the layout that hold the tensor, C0 = c0 and N0 = 16 where it has them; the number of them.
 * `five`: FRACTAL_Z as C1, H, W, N, C0. */
int conv_dims(pto_layout layout, bool five, conv_tensor t, int64_t c0, int64_t dims[6]);
/* The index of element (g, n, d, c, h, w) in those dimensions. In FRACTAL_Z_3D row blocks are counted d, c1,
 * h, w (TTRANS) or c1, d, h, w (loads: `c1_first`). */
void conv_index(pto_layout layout, bool five, conv_tensor t, int64_t c0, bool c1_first, conv_tensor at,
                int64_t index[6]);
/* Its number in dense storage of these dimensions. */
int64_t conv_dense(int rank, const int64_t *dims, const int64_t *index);

/* TIMG2COL at row m and column k of the whole matrix (part 30): the element number of the source in dense
 * NC1HWC0 or NDC1HWC0 storage whose H, W are those of the feature map; -1 = the pad value. pad: left, right,
 * top, bottom. */
typedef struct conv_geometry {
    int64_t n, d, c1, c0, h, w;
    int64_t kh, kw, stride_h, stride_w, dilation_h, dilation_w, pad[4];
} conv_geometry;
int64_t conv_outputs(const conv_geometry *g, bool height);
int64_t conv_img2col(const conv_geometry *g, int64_t m, int64_t k);

#endif
