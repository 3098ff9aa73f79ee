/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions and steps of convolution layouts; the geometry of TIMG2COL. */
#include "isa/conv.h"

#include <string.h>

enum { G = PTO_CONV_G, N1, N0, D, H, W, C1, C0 };

typedef struct dims {
    pto_layout layout;
    int rank;
    int8_t axis[PTO_CONV_DIMS];
} dims;

/* The dimensions of every tag (00-model, 7). A whole N stands in N1, a whole C in C1. */
static const dims layouts[] = {
    {PTO_LAYOUT_NC1HWC0, 5, {N1, C1, H, W, C0}},
    {PTO_LAYOUT_NDC1HWC0, 6, {N1, D, C1, H, W, C0}},
    {PTO_LAYOUT_GNC1HWC0, 6, {G, N1, C1, H, W, C0}},
    {PTO_LAYOUT_NCHW, 4, {N1, C1, H, W}},
    {PTO_LAYOUT_GNCHW, 5, {G, N1, C1, H, W}},
    {PTO_LAYOUT_NCDHW, 5, {N1, C1, D, H, W}},
    {PTO_LAYOUT_NHWC, 4, {N1, H, W, C1}},
    {PTO_LAYOUT_FRACTAL_Z, 4, {H, N1, N0, C0}},
    {PTO_LAYOUT_FRACTAL_Z, 5, {C1, H, W, N1, C0}},
    {PTO_LAYOUT_FRACTAL_Z_3D, 4, {H, N1, N0, C0}},
};

void pto_conv_fields(const pto_conv *c, int64_t field[PTO_CONV_FIELDS]) {
    const int64_t all[PTO_CONV_FIELDS] = {c->layout,        c->rank,          c->shape[0],
                                          c->shape[1],      c->shape[2],      c->shape[3],
                                          c->shape[4],      c->shape[5],      c->fmap_h,
                                          c->fmap_w,        c->pad_list[0],   c->pad_list[1],
                                          c->pad_list[2],   c->pad_list[3],   c->filter_h,
                                          c->filter_w,      c->dilation_h,    c->dilation_w,
                                          c->stride_h,      c->stride_w,      (int64_t)c->pad_value,
                                          c->channel_size,  c->repeat_stride, c->repeat_time,
                                          c->repeat_mode,   c->transpose,     c->dst_stride,
                                          c->dst_m_position};
    memcpy(field, all, sizeof all);
}

bool pto_conv_equal(const pto_conv *a, const pto_conv *b) {
    if (a == b || !a || !b)
        return a == b;
    int64_t x[PTO_CONV_FIELDS], y[PTO_CONV_FIELDS];
    pto_conv_fields(a, x);
    pto_conv_fields(b, y);
    return !memcmp(x, y, sizeof x);
}

static const dims *find(pto_layout layout, int32_t rank) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].layout == layout && layouts[i].rank == rank)
            return &layouts[i];
    return NULL;
}

bool pto_conv_rank_fits(pto_layout layout, int32_t rank) { return find(layout, rank) != NULL; }

static pto_conv_map empty_map(void) {
    pto_conv_map map = {.blocks = false};
    for (int a = 0; a < PTO_CONV_AXES; a++)
        map.extent[a] = 1;
    return map;
}

static bool has_blocks(const dims *d) { return d->rank == 4 && d->axis[0] == H; }

pto_conv_map pto_conv_map_tile(const pto_conv *conv) {
    pto_conv_map map = empty_map();
    const dims *d = find(conv->layout, conv->rank);
    if (!d)
        return map;
    int64_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        map.extent[d->axis[i]] = conv->shape[i];
        map.step[d->axis[i]] = step;
        step = (int64_t)((uint64_t)step * (uint64_t)conv->shape[i]); /* of a legal type: no overflow */
    }
    map.blocks = has_blocks(d);
    return map;
}

bool pto_conv_map_tensor(pto_layout layout, const int64_t shape[5], const int64_t stride[5], int32_t rank,
                         int64_t c0, pto_conv_map *map) {
    *map = empty_map();
    bool six = layout == PTO_LAYOUT_NDC1HWC0;
    const dims *d = NULL;
    for (int32_t r = 4; r <= 6 && !d; r++)
        d = layout == PTO_LAYOUT_FRACTAL_Z ? find(layout, rank) : find(layout, r);
    if (!d || (d->rank == 6 && !six))
        return false;
    int first = d->rank == 4 ? 1 : 0, shown = six ? 5 : d->rank;
    for (int i = 0; i < shown; i++) {
        map->extent[d->axis[i]] = shape[first + i];
        map->step[d->axis[i]] = stride[first + i];
    }
    if (six) {
        map->extent[C0] = c0;
        map->step[C0] = 1;
    }
    map->blocks = has_blocks(d);
    return true;
}

bool pto_conv_map_split(pto_conv_map *map, const pto_conv_map *other, bool d_outermost) {
    if (!map->blocks)
        return true;
    int64_t blocks = map->extent[H], step = map->step[H];
    const int64_t g = other->extent[G], d = other->extent[D], h = other->extent[H], w = other->extent[W];
    map->blocks = false;
    if (blocks < 0 || g < 0 || d < 0 || h < 0 || w < 0) {
        map->extent[G] = map->extent[D] = map->extent[H] = map->extent[W] = map->extent[C1] = -1;
        return true;
    }
    int64_t plane, rest, all;
    if (__builtin_mul_overflow(h, w, &plane) || __builtin_mul_overflow(plane, d, &rest) ||
        __builtin_mul_overflow(rest, g, &all) || all <= 0 || blocks % all)
        return false;
    int64_t c1 = blocks / all;
    map->extent[G] = g;
    map->extent[D] = d;
    map->extent[H] = h;
    map->extent[W] = w;
    map->extent[C1] = c1;
    map->step[W] = step;
    map->step[H] = step * w;
    map->step[D] = d_outermost ? step * plane * c1 : step * plane;
    map->step[C1] = d_outermost ? step * plane : step * rest;
    map->step[G] = step * rest * c1;
    return true;
}

static int64_t product(int64_t a, int64_t b) {
    int64_t result;
    if (a < 0 || b < 0)
        return -1;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t pto_conv_map_n(const pto_conv_map *map) { return product(map->extent[N1], map->extent[N0]); }
int64_t pto_conv_map_c(const pto_conv_map *map) { return product(map->extent[C1], map->extent[C0]); }

void pto_conv_window(const pto_conv *conv, pto_layout layout, const int64_t shape[5], int64_t window[5]) {
    for (int d = 0; d < 5; d++)
        window[d] = 1;
    const dims *own = find(conv->layout, conv->rank);
    if (!own)
        return;
    if (layout == conv->layout) {
        int first = conv->rank == 4 ? 1 : 0;
        for (int i = 0; i < conv->rank && i < 5; i++)
            window[first + i] = conv->shape[i];
        return;
    }
    /* a tensor in another order: what it shows in its own dimensions, whole where the tile does not say */
    pto_conv_map tile = pto_conv_map_tile(conv), tensor;
    const int64_t no_stride[5] = {0};
    memcpy(window, shape, 5 * sizeof *window);
    if (!pto_conv_map_tensor(layout, shape, no_stride, 4, 1, &tensor))
        return;
    const dims *other = NULL;
    for (int32_t r = 4; r <= 5 && !other; r++)
        other = find(layout, r);
    int first = other && other->rank == 4 ? 1 : 0;
    for (int i = 0; other && i < other->rank && !tile.blocks; i++) {
        int64_t extent = other->axis[i] == C1 ? pto_conv_map_c(&tile) : tile.extent[other->axis[i]];
        int64_t *to = &window[first + i];
        if (other->axis[i] != C1 || extent < *to)
            *to = extent;
    }
}

int32_t pto_conv_c0(pto_dtype dtype) {
    unsigned bits = pto_dtype_bits(dtype);
    return bits ? (int32_t)(256 / bits) : 1;
}

/* ---- TIMG2COL -------------------------------------------------------------------------------------- */

static int64_t out_extent(int64_t in, int64_t before, int64_t after, int64_t dilation, int64_t filter,
                          int64_t stride) {
    int64_t span = in + before + after - dilation * (filter - 1) - 1;
    return span < 0 || stride <= 0 ? 0 : span / stride + 1;
}

uint64_t pto_conv_fmatrix(const pto_conv *conv) {
    uint64_t word = conv->fmap_w | (uint64_t)conv->fmap_h << 16;
    for (int i = 0; i < 4; i++)
        word |= (uint64_t)conv->pad_list[i] << (32 + 8 * i);
    return word;
}

uint64_t pto_conv_repeat(const pto_conv *conv, bool destination) {
    uint64_t word =
        conv->repeat_stride | (uint64_t)conv->repeat_time << 16 | (uint64_t)conv->repeat_mode << 24;
    if (destination)
        word |= (uint64_t)conv->dst_stride << 32 | (uint64_t)conv->dst_m_position << 48;
    return word;
}

uint32_t pto_conv_padding(const pto_conv *conv, pto_dtype dtype) {
    unsigned bits = pto_dtype_bits(dtype);
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    uint32_t value = (uint32_t)(conv->pad_value & mask);
    return bits == 8 ? value | value << 8 : value;
}

pto_img2col pto_img2col_with(const pto_conv *conv, uint64_t fmatrix) {
    pto_conv_map map = pto_conv_map_tile(conv);
    pto_img2col g = {.h = (int64_t)(fmatrix >> 16 & 0xffff),
                     .w = (int64_t)(fmatrix & 0xffff),
                     .left = (int32_t)(fmatrix >> 32 & 0xff),
                     .right = (int32_t)(fmatrix >> 40 & 0xff),
                     .top = (int32_t)(fmatrix >> 48 & 0xff),
                     .bottom = (int32_t)(fmatrix >> 56),
                     .n = map.extent[N1],
                     .d = map.extent[D],
                     .c1 = map.extent[C1],
                     .c0 = map.extent[C0]};
    if (!g.h)
        g.h = map.extent[H];
    if (!g.w)
        g.w = map.extent[W];
    g.out_h = out_extent(g.h, g.top, g.bottom, conv->dilation_h, conv->filter_h, conv->stride_h);
    g.out_w = out_extent(g.w, g.left, g.right, conv->dilation_w, conv->filter_w, conv->stride_w);
    return g;
}

pto_img2col pto_img2col_of(const pto_conv *conv) { return pto_img2col_with(conv, pto_conv_fmatrix(conv)); }
