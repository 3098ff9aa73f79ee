/* SPDX-License-Identifier: Apache-2.0 */
/* TIMG2COL and the registers that it reads (part 30). */
#include "isa/conv.h"
#include "kernel/kernel.h"
#include "kernel/strided.h"
#include "tile/tile.h"

#include <stdio.h>

/* ---- registers ------------------------------------------------------------------------------------- */

/* The register file that a mode names; a2a3 has one repeat and one padding register. */
static pto_img2col_registers *file_of(const pto_kernel_call *call, int64_t mode, bool shared) {
    bool second = (mode == PTO_FMATRIX_B_AUTO || mode == PTO_FMATRIX_B_MANUAL) &&
                  !(shared && call->target == PTO_TARGET_A2A3);
    return &call->host->img2col[second];
}

/* Target cpu has no registers; the AUTO modes leave the work to TIMG2COL. */
static bool sets_registers(const pto_kernel_call *call, int64_t mode) {
    return call->target != PTO_TARGET_CPU && (mode == PTO_FMATRIX_A_MANUAL || mode == PTO_FMATRIX_B_MANUAL);
}

static void set_fmatrix(const pto_kernel_call *call, const pto_conv *conv, int64_t mode) {
    pto_img2col_registers *file = file_of(call, mode, false);
    file->fmatrix = pto_conv_fmatrix(conv);
    file->fmatrix_set = true;
}

static void set_repeat(const pto_kernel_call *call, const pto_conv *conv, int64_t mode) {
    pto_img2col_registers *file = file_of(call, mode, true);
    file->repeat = pto_conv_repeat(conv, call->target == PTO_TARGET_A5);
    file->repeat_set = true;
}

static void set_padding(const pto_kernel_call *call, const pto_tile *tile, int64_t mode) {
    pto_img2col_registers *file = file_of(call, mode, true);
    file->padding = pto_conv_padding(tile->type.conv, tile->type.dtype);
    file->padding_set = true;
}

PTO_KERNEL(setfmatrix) {
    if (sets_registers(call, pto_call_attr(call, 1)))
        set_fmatrix(call, pto_call_tile(call, 0)->type.conv, pto_call_attr(call, 1));
    return PTO_OK;
}

PTO_KERNEL(set_img2col_rpt) {
    if (sets_registers(call, pto_call_attr(call, 1)))
        set_repeat(call, pto_call_tile(call, 0)->type.conv, pto_call_attr(call, 1));
    return PTO_OK;
}

PTO_KERNEL(set_img2col_padding) {
    if (sets_registers(call, pto_call_attr(call, 1)))
        set_padding(call, pto_call_tile(call, 0), pto_call_attr(call, 1));
    return PTO_OK;
}

/* ---- TIMG2COL -------------------------------------------------------------------------------------- */

/* One call, taken apart. */
typedef struct job {
    const pto_tile *dst, *src;
    const pto_conv *conv;
    pto_img2col g;
    uint64_t pad; /* an element */
    int64_t m, k; /* of the first element */
} job;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where block column `k` (a multiple of C0, plus what is left) takes its values from. */
typedef struct tap {
    int64_t c1, fh, fw, c0;
} tap;

static tap tap_of(const job *j, int64_t k) {
    int64_t per = j->g.c0 * j->conv->filter_h * j->conv->filter_w, f = k % per / j->g.c0;
    return (tap){k / per, f / j->conv->filter_w, f % j->conv->filter_w, k % j->g.c0};
}

/* A run of output positions in one row of the output image, of at most as many as lie 32 bytes apart in the
 * destination. */
typedef struct run {
    int64_t length;
    int64_t to;         /* bytes from the destination's start to row and column 0 */
    int64_t nd, oh, ow; /* image and depth, output position of the first */
} run;

/* The runs of the rows of the destination; the number of them. */
static int64_t runs_of(const job *j, int64_t lines, run *runs) {
    int64_t plane = j->g.out_h * j->g.out_w, rest = j->m % plane, count = 0;
    int64_t size = (int64_t)(pto_dtype_bits(j->dst->type.dtype) / 8);
    int64_t nd = j->m / plane, oh = rest / j->g.out_w, ow = rest % j->g.out_w;
    for (int64_t r = 0; r < j->dst->valid_rows;) {
        int64_t length = least(least(j->g.out_w - ow, lines - r % lines), j->dst->valid_rows - r);
        int64_t to = pto_tile_offset(&j->dst->type, (int32_t)r, 0) * size;
        runs[count++] = (run){length, to, nd, oh, ow};
        r += length;
        ow += length;
        if (ow == j->g.out_w) {
            ow = 0;
            oh++;
        }
        if (oh == j->g.out_h) {
            oh = 0;
            nd++;
        }
    }
    return count;
}

/* Where a run reads under a tap: input row and column of its first position, and the positions whose column
 * lies in the feature map; none when the row does not. */
typedef struct span {
    int64_t ih, iw, begin, end;
} span;

static span span_of(const job *j, const run *r, tap t) {
    const pto_conv *conv = j->conv;
    int64_t step = conv->stride_w;
    span s = {.ih = r->oh * conv->stride_h + t.fh * conv->dilation_h - j->g.top,
              .iw = r->ow * step + t.fw * conv->dilation_w - j->g.left};
    if (r->nd >= j->g.n * j->g.d || t.c1 >= j->g.c1 || s.ih < 0 || s.ih >= j->g.h)
        return s;
    int64_t last = s.iw + (r->length - 1) * step;
    s.begin = s.iw >= 0 ? 0 : least((step - 1 - s.iw) / step, r->length);
    s.end = last < j->g.w ? r->length : s.iw >= j->g.w ? 0 : (j->g.w - 1 - s.iw) / step + 1;
    if (s.end < s.begin)
        s.end = s.begin;
    return s;
}

/* Element of the source at position i of a span. */
static int64_t source(const job *j, const run *r, const span *s, tap t, int64_t i) {
    return (((r->nd * j->g.c1 + t.c1) * j->g.h + s->ih) * j->g.w + s->iw + i * j->conv->stride_w) * j->g.c0;
}

/* Does every element that is read lie in the tile? The feature map of the registers may be larger than it. */
static bool in_tile(const job *j, const run *runs, int64_t count) {
    int64_t elements = j->src->type.cols;
    if (j->g.n * j->g.d * j->g.c1 * j->g.h * j->g.w * j->g.c0 <= elements)
        return true;
    for (int64_t c = 0; c < j->dst->valid_cols; c++) {
        tap t = tap_of(j, j->k + c);
        for (int64_t i = 0; i < count; i++) {
            span s = span_of(j, &runs[i], t);
            if (s.end > s.begin && source(j, &runs[i], &s, t, s.end - 1) + t.c0 >= elements)
                return false;
        }
    }
    return true;
}

/* `rows` rows of `bytes` bytes, 32 apart in the destination; a step of 0 repeats one row. */
static inline void copy_each(uint8_t *dst, const uint8_t *src, int64_t rows, size_t bytes, int64_t step) {
    for (int64_t r = 0; r < rows; r++)
        memcpy(dst + r * 32, src + r * step, bytes);
}

static void copy_rows(uint8_t *dst, const uint8_t *src, int64_t rows, size_t bytes, int64_t step) {
    if (bytes == 32 && step == 32)
        memcpy(dst, src, (size_t)rows * 32);
    else if (bytes == 32)
        copy_each(dst, src, rows, 32, step);
    else if (bytes == 16)
        copy_each(dst, src, rows, 16, step);
    else if (bytes == 8)
        copy_each(dst, src, rows, 8, step);
    else if (bytes == 4)
        copy_each(dst, src, rows, 4, step);
    else if (bytes > 16) /* two overlapping halves */
        for (int64_t r = 0; r < rows; r++) {
            memcpy(dst + r * 32, src + r * step, 16);
            memcpy(dst + r * 32 + bytes - 16, src + r * step + bytes - 16, 16);
        }
    else if (bytes > 8)
        for (int64_t r = 0; r < rows; r++) {
            memcpy(dst + r * 32, src + r * step, 8);
            memcpy(dst + r * 32 + bytes - 8, src + r * step + bytes - 8, 8);
        }
    else
        for (int64_t r = 0; r < rows; r++)
            for (size_t i = 0; i < bytes; i++)
                dst[r * 32 + (int64_t)i] = src[r * step + (int64_t)i];
}

/* Columns of one tap that lie in one box of the destination are copied together, C0 of them where posK is a
 * multiple of it. */
static void unroll(const job *j, const run *runs, int64_t count) {
    const pto_tile_type *type = &j->dst->type;
    unsigned bits = pto_dtype_bits(type->dtype);
    int64_t size = bits / 8, c0 = j->g.c0, step = c0 * size * j->conv->stride_w;
    int32_t box_rows, box_cols;
    pto_tile_type_box(type, &box_rows, &box_cols);
    uint8_t pattern[32];
    for (int64_t i = 0; i < box_cols; i++)
        pto_element_set(pattern, bits, i, j->pad);
    const uint8_t *from = j->src->data;
    for (int64_t c = 0, piece; c < j->dst->valid_cols; c += piece) {
        tap t = tap_of(j, j->k + c);
        piece = least(least(c0 - t.c0, box_cols - c % box_cols), j->dst->valid_cols - c);
        size_t bytes = (size_t)(piece * size);
        /* an offset is a sum of a function of the row and one of the column */
        uint8_t *column = (uint8_t *)j->dst->data + pto_tile_offset(type, 0, (int32_t)c) * size;
        for (int64_t i = 0; i < count; i++) {
            const run *r = &runs[i];
            span s = span_of(j, r, t);
            uint8_t *to = column + r->to;
            if (s.begin > 0)
                copy_rows(to, pattern, s.begin, bytes, 0);
            if (s.end > s.begin)
                copy_rows(to + s.begin * 32, from + (source(j, r, &s, t, s.begin) + t.c0) * size,
                          s.end - s.begin, bytes, step);
            if (s.end < r->length)
                copy_rows(to + s.end * 32, pattern, r->length - s.end, bytes, 0);
        }
    }
}

static pto_status refuse(const pto_kernel_call *call, const char *rule, const char *found,
                         const char *allowed) {
    pto_kernel_finding *finding = &call->host->finding;
    finding->rule = rule;
    finding->operand = 1;
    snprintf(finding->found, sizeof finding->found, "%s", found);
    snprintf(finding->allowed, sizeof finding->allowed, "%s", allowed);
    return PTO_OK;
}

PTO_KERNEL(timg2col) {
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_conv *conv = src->type.conv;
    job j = {.dst = pto_call_tile(call, 0),
             .src = src,
             .conv = conv,
             .g = pto_img2col_of(conv),
             .pad = conv->pad_value,
             .m = pto_call_attr(call, 2),
             .k = pto_call_attr(call, 3)};
    int64_t mode = pto_call_attr(call, 4);
    bool manual = mode == PTO_FMATRIX_A_MANUAL || mode == PTO_FMATRIX_B_MANUAL;
    if (call->target != PTO_TARGET_CPU && !manual) {
        set_fmatrix(call, conv, mode);
        set_repeat(call, conv, mode);
        set_padding(call, src, mode);
    } else if (call->target != PTO_TARGET_CPU) {
        const pto_img2col_registers *own = file_of(call, mode, false), *shared = file_of(call, mode, true);
        if (own->fmatrix_set)
            j.g = pto_img2col_with(conv, own->fmatrix);
        if (shared->padding_set)
            j.pad = shared->padding;
        if (shared->repeat_set && ((shared->repeat >> 16 & 0xff) > 1 || shared->repeat >> 32))
            return refuse(call, "PTO-E0797",
                          "the repeat register asks for a repetition or a destination stride",
                          "repeat time 0 or 1, destination stride 0");
        if (!own->fmatrix_set || !shared->padding_set)
            refuse(call, "PTO-W0796",
                   own->fmatrix_set ? "no SET_IMG2COL_PADDING before it" : "no SETFMATRIX before it", "");
    }
    if (j.g.out_h < 1 || j.g.out_w < 1)
        return refuse(call, "PTO-E0798", "the filter does not fit into the feature map of the register",
                      "at least one output position");
    /* consecutive rows lie 32 bytes apart in a column of boxes (Nz), or in one box (Zz) */
    const pto_tile_type *type = &j.dst->type;
    int64_t lines = type->blayout == PTO_COL_MAJOR || type->rows == 1 ? type->rows : 16;
    run *runs = call->host->scratch(call->host->user, (size_t)j.dst->valid_rows * sizeof *runs + 1);
    if (!runs)
        return PTO_ERR_NOMEM;
    int64_t count = runs_of(&j, lines, runs);
    if (!in_tile(&j, runs, count))
        return refuse(call, "PTO-E0798", "the feature map of the register reaches past the end of the tile",
                      "elements of the tile");
    unroll(&j, runs, count);
    return PTO_OK;
}
