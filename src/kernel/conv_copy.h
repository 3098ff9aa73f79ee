/* SPDX-License-Identifier: Apache-2.0 */
/* Copying between convolution layouts (00-model, 7): both sides are sums of digits, so a box of coordinates
 * is a product of digits and goes through the rectangles of tile/axis.h. */
#ifndef PTO_KERNEL_CONV_COPY_H
#define PTO_KERNEL_CONV_COPY_H

#include "isa/conv.h"
#include "kernel/strided.h"

/* Gives an axis that one side splits (N = N1 * N0, C = C1 * C0) the same digits on the other side. */
static inline void pto_conv_split_axis(pto_conv_map *map, int outer, int inner, int64_t width) {
    if (map->extent[inner] == width)
        return;
    /* only a whole axis is split: its inner digit has extent 1 */
    map->step[inner] = map->step[outer];
    map->step[outer] *= width;
    map->extent[inner] = width;
}

/* One coordinate of a box on both sides. */
typedef struct pto_conv_dim {
    int64_t count, to, from;
} pto_conv_dim;

/* The coordinates of a box, those that move the destination least first; neighbours that lie one behind the
 * other on both sides are one. Returns how many are left. */
static inline int pto_conv_dims_of(const pto_conv_map *to, const pto_conv_map *from,
                                   const int64_t extent[PTO_CONV_AXES], pto_conv_dim dim[PTO_CONV_AXES]) {
    int count = 0;
    for (int a = 0; a < PTO_CONV_AXES; a++) {
        if (extent[a] == 1)
            continue;
        int k = count++;
        for (; k > 0 && dim[k - 1].to > to->step[a]; k--)
            dim[k] = dim[k - 1];
        dim[k] = (pto_conv_dim){extent[a], to->step[a], from->step[a]};
    }
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (kept && dim[i].to == dim[kept - 1].to * dim[kept - 1].count &&
            dim[i].from == dim[kept - 1].from * dim[kept - 1].count)
            dim[kept - 1].count *= dim[i].count;
        else
            dim[kept++] = dim[i];
    return kept;
}

/* A box of exactly these extents. The innermost coordinate of the destination and the one that is innermost
 * in the source make up rectangles; the others count through them. */
static inline void pto_conv_copy_box(void *dst, const pto_conv_map *to, int64_t to_base, const void *src,
                                     const pto_conv_map *from, int64_t from_base,
                                     const int64_t extent[PTO_CONV_AXES], unsigned bits) {
    pto_conv_dim dim[PTO_CONV_AXES];
    int count = pto_conv_dims_of(to, from, extent, dim);
    pto_rect rect = {.rows = 1, .cols = 1, .dst = to_base, .src = from_base};
    if (count > 0) {
        rect.cols = dim[0].count;
        rect.dst_col = dim[0].to;
        rect.src_col = dim[0].from;
    }
    int second = count > 1 ? 1 : 0;
    for (int i = 2; i < count && dim[0].from != 1; i++)
        if (dim[i].from < dim[second].from)
            second = i;
    if (second) {
        rect.rows = dim[second].count;
        rect.dst_row = dim[second].to;
        rect.src_row = dim[second].from;
    }
    int outer = 0;
    for (int i = 1; i < count; i++)
        if (i != second)
            dim[outer++] = dim[i];
    int64_t at[PTO_CONV_AXES] = {0};
    for (int d = 0; d < outer || !outer;) {
        pto_copy_rect(dst, src, rect, bits);
        for (d = 0; d < outer; d++) {
            rect.dst += dim[d].to;
            rect.src += dim[d].from;
            if (++at[d] < dim[d].count)
                break;
            rect.dst -= dim[d].to * dim[d].count;
            rect.src -= dim[d].from * dim[d].count;
            at[d] = 0;
        }
        if (d == outer)
            break;
    }
}

/* Copies n x c images and channels of the common extents; c and n need not fill their blocks. */
static inline void pto_conv_copy(void *dst, pto_conv_map to, const void *src, pto_conv_map from, int64_t n,
                                 int64_t c, unsigned bits) {
    int64_t n0 = to.extent[PTO_CONV_N0] > 1 ? to.extent[PTO_CONV_N0] : from.extent[PTO_CONV_N0];
    int64_t c0 = to.extent[PTO_CONV_C0] > 1 ? to.extent[PTO_CONV_C0] : from.extent[PTO_CONV_C0];
    pto_conv_split_axis(&to, PTO_CONV_N1, PTO_CONV_N0, n0);
    pto_conv_split_axis(&from, PTO_CONV_N1, PTO_CONV_N0, n0);
    pto_conv_split_axis(&to, PTO_CONV_C1, PTO_CONV_C0, c0);
    pto_conv_split_axis(&from, PTO_CONV_C1, PTO_CONV_C0, c0);
    int64_t extent[PTO_CONV_AXES];
    for (int a = 0; a < PTO_CONV_AXES; a++)
        extent[a] = to.extent[a] < from.extent[a] ? to.extent[a] : from.extent[a];
    for (int part = 0; part < 4; part++) { /* whole blocks, and what is left of n and of c */
        bool n_rest = part & 1, c_rest = part & 2;
        extent[PTO_CONV_N1] = n_rest ? 1 : n / n0;
        extent[PTO_CONV_N0] = n_rest ? n % n0 : n0;
        extent[PTO_CONV_C1] = c_rest ? 1 : c / c0;
        extent[PTO_CONV_C0] = c_rest ? c % c0 : c0;
        if (!extent[PTO_CONV_N1] || !extent[PTO_CONV_N0] || !extent[PTO_CONV_C1] || !extent[PTO_CONV_C0])
            continue;
        int64_t to_base =
            (n_rest ? n / n0 * to.step[PTO_CONV_N1] : 0) + (c_rest ? c / c0 * to.step[PTO_CONV_C1] : 0);
        int64_t from_base =
            (n_rest ? n / n0 * from.step[PTO_CONV_N1] : 0) + (c_rest ? c / c0 * from.step[PTO_CONV_C1] : 0);
        pto_conv_copy_box(dst, &to, to_base, src, &from, from_base, extent, bits);
    }
}

static inline int64_t pto_conv_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The same for all that both sides hold. */
static inline void pto_conv_copy_common(void *dst, const pto_conv_map *to, const void *src,
                                        const pto_conv_map *from, unsigned bits) {
    pto_conv_copy(dst, *to, src, *from, pto_conv_least(pto_conv_map_n(to), pto_conv_map_n(from)),
                  pto_conv_least(pto_conv_map_c(to), pto_conv_map_c(from)), bits);
}

#endif
