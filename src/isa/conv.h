/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution tiles and the tensors that they are loaded from, in one description (00-model, 7; 6.4). */
#ifndef PTO_ISA_CONV_H
#define PTO_ISA_CONV_H

#include <pto/types.h>

/* The coordinates of a convolution tensor. N = N1 * N0 and C = C1 * C0, the second being the inner one. */
enum {
    PTO_CONV_G,
    PTO_CONV_N1,
    PTO_CONV_N0,
    PTO_CONV_D,
    PTO_CONV_H,
    PTO_CONV_W,
    PTO_CONV_C1,
    PTO_CONV_C0,
    PTO_CONV_AXES
};

/* How far each coordinate goes and by how many elements it moves. Extents and steps that are not known are
 * negative. A coordinate that the layout lacks has extent 1. */
typedef struct pto_conv_map {
    int64_t extent[PTO_CONV_AXES], step[PTO_CONV_AXES];
    bool blocks; /* FRACTAL_Z of 4 dimensions, FRACTAL_Z_3D: H counts row blocks, G, C1, D, H, W of them */
} pto_conv_map;

/* All of a description as numbers, for comparing and for keys. */
enum { PTO_CONV_FIELDS = 28 };
void pto_conv_fields(const pto_conv *conv, int64_t field[PTO_CONV_FIELDS]);
/* Either may be NULL. */
bool pto_conv_equal(const pto_conv *a, const pto_conv *b);

/* May a convolution tile of the layout have so many dimensions? */
bool pto_conv_rank_fits(pto_layout layout, int32_t rank);
pto_conv_map pto_conv_map_tile(const pto_conv *conv);
/* A tensor of a convolution layout, as a tile of `rank` dimensions and inner width c0 (of NDC1HWC0, which its
 * shape does not show) meets it: FRACTAL_Z of 4 dimensions stands in the last four of the tensor. False for
 * other layouts. */
bool pto_conv_map_tensor(pto_layout layout, const int64_t shape[5], const int64_t stride[5], int32_t rank,
                         int64_t c0, pto_conv_map *map);
/* Tells the row blocks of a fractal map apart by the G, D, H and W of another: D outermost (TTRANS) or C1
 * (TLOAD). False when they are not a multiple. */
bool pto_conv_map_split(pto_conv_map *map, const pto_conv_map *other, bool d_outermost);
/* N and C, -1 when unknown. */
int64_t pto_conv_map_n(const pto_conv_map *map);
int64_t pto_conv_map_c(const pto_conv_map *map);

/* Window of a tensor of `layout` that a tile of these dimensions covers, in the five dimensions of the
 * tensor; of channels at most `shape` has. */
void pto_conv_window(const pto_conv *conv, pto_layout layout, const int64_t shape[5], int64_t window[5]);
/* Elements of 32 bytes. */
int32_t pto_conv_c0(pto_dtype dtype);

/* The convolution that TIMG2COL unrolls (part 30): feature map and padding as they count, what comes out. */
typedef struct pto_img2col {
    int64_t h, w, out_h, out_w;
    int32_t left, right, top, bottom;
    int64_t n, d, c1, c0;
} pto_img2col;
/* Feature map and padding of the tile itself; an extent of 0 is that of the shape. */
pto_img2col pto_img2col_of(const pto_conv *conv);
/* The same with the fmatrix register in their place. */
pto_img2col pto_img2col_with(const pto_conv *conv, uint64_t fmatrix);
/* The registers that a tile sets. */
uint64_t pto_conv_fmatrix(const pto_conv *conv);
uint64_t pto_conv_repeat(const pto_conv *conv, bool destination);
uint32_t pto_conv_padding(const pto_conv *conv, pto_dtype dtype);

#endif
