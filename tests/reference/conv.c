/* SPDX-License-Identifier: Apache-2.0 */
/* References for convolution tiles, see conv.h. */
#include "reference/conv.h"

#include <stdlib.h>
#include <string.h>

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int list(int64_t *to, int count, const int64_t *from) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return count;
}
#define LIST(to, ...)                                                                                        \
    list(to, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

int conv_dims(pto_layout layout, bool five, conv_tensor t, int64_t c0, int64_t dims[6]) {
    int64_t c1 = up(t.c, c0), n1 = up(t.n, 16);
    switch (layout) {
    case PTO_LAYOUT_NC1HWC0:
        return LIST(dims, t.n, c1, t.h, t.w, c0);
    case PTO_LAYOUT_NDC1HWC0:
        return LIST(dims, t.n, t.d, c1, t.h, t.w, c0);
    case PTO_LAYOUT_GNC1HWC0:
        return LIST(dims, t.g, t.n, c1, t.h, t.w, c0);
    case PTO_LAYOUT_NCHW:
        return LIST(dims, t.n, t.c, t.h, t.w);
    case PTO_LAYOUT_GNCHW:
        return LIST(dims, t.g, t.n, t.c, t.h, t.w);
    case PTO_LAYOUT_NCDHW:
        return LIST(dims, t.n, t.c, t.d, t.h, t.w);
    case PTO_LAYOUT_NHWC:
        return LIST(dims, t.n, t.h, t.w, t.c);
    case PTO_LAYOUT_FRACTAL_Z:
        if (five)
            return LIST(dims, c1, t.h, t.w, t.n, c0);
        return LIST(dims, t.g * c1 * t.h * t.w, n1, 16, c0);
    case PTO_LAYOUT_FRACTAL_Z_3D:
        return LIST(dims, t.d * c1 * t.h * t.w, n1, 16, c0);
    default:
        abort();
    }
}

void conv_index(pto_layout layout, bool five, conv_tensor t, int64_t c0, bool c1_first, conv_tensor x,
                int64_t index[6]) {
    int64_t c1s = up(t.c, c0), c1 = x.c / c0, c = x.c % c0;
    switch (layout) {
    case PTO_LAYOUT_NC1HWC0:
        LIST(index, x.n, c1, x.h, x.w, c);
        break;
    case PTO_LAYOUT_NDC1HWC0:
        LIST(index, x.n, x.d, c1, x.h, x.w, c);
        break;
    case PTO_LAYOUT_GNC1HWC0:
        LIST(index, x.g, x.n, c1, x.h, x.w, c);
        break;
    case PTO_LAYOUT_NCHW:
        LIST(index, x.n, x.c, x.h, x.w);
        break;
    case PTO_LAYOUT_GNCHW:
        LIST(index, x.g, x.n, x.c, x.h, x.w);
        break;
    case PTO_LAYOUT_NCDHW:
        LIST(index, x.n, x.c, x.d, x.h, x.w);
        break;
    case PTO_LAYOUT_NHWC:
        LIST(index, x.n, x.h, x.w, x.c);
        break;
    case PTO_LAYOUT_FRACTAL_Z:
        if (five)
            LIST(index, c1, x.h, x.w, x.n, c);
        else
            LIST(index, (x.g * c1s + c1) * t.h * t.w + x.h * t.w + x.w, x.n / 16, x.n % 16, c);
        break;
    case PTO_LAYOUT_FRACTAL_Z_3D: {
        int64_t outer = c1_first ? c1 * t.d + x.d : x.d * c1s + c1;
        LIST(index, outer * t.h * t.w + x.h * t.w + x.w, x.n / 16, x.n % 16, c);
        break;
    }
    default:
        abort();
    }
}

int64_t conv_dense(int rank, const int64_t *dims, const int64_t *index) {
    int64_t at = 0;
    for (int i = 0; i < rank; i++)
        at = at * dims[i] + index[i];
    return at;
}

int64_t conv_outputs(const conv_geometry *g, bool height) {
    int64_t span = height ? g->h + g->pad[2] + g->pad[3] - g->dilation_h * (g->kh - 1) - 1
                          : g->w + g->pad[0] + g->pad[1] - g->dilation_w * (g->kw - 1) - 1;
    return span < 0 ? 0 : span / (height ? g->stride_h : g->stride_w) + 1;
}

int64_t conv_img2col(const conv_geometry *g, int64_t m, int64_t k) {
    int64_t out_h = conv_outputs(g, true), out_w = conv_outputs(g, false);
    int64_t n = m / (g->d * out_h * out_w), rest = m % (g->d * out_h * out_w);
    int64_t d = rest / (out_h * out_w), oh = rest / out_w % out_h, ow = rest % out_w;
    int64_t c1 = k / (g->c0 * g->kh * g->kw), c0 = k % g->c0, f = k % (g->c0 * g->kh * g->kw) / g->c0;
    int64_t ih = oh * g->stride_h + f / g->kw * g->dilation_h - g->pad[2];
    int64_t iw = ow * g->stride_w + f % g->kw * g->dilation_w - g->pad[0];
    if (n >= g->n || c1 >= g->c1 || ih < 0 || ih >= g->h || iw < 0 || iw >= g->w)
        return -1;
    return ((((n * g->d + d) * g->c1 + c1) * g->h + ih) * g->w + iw) * g->c0 + c0;
}
