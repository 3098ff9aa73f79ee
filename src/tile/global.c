/* SPDX-License-Identifier: Apache-2.0 */
/* Element addresses of global tensors, their extents and bounds (00-model, 6). */
#include "tile/global.h"
#include "isa/extents.h"

int64_t pto_global_offset(const pto_global *global, int32_t row, int32_t col) {
    const int64_t *s = global->shape;
    int64_t i[5], r = row, c = col;
    /* successive division: a product of extents could overflow */
    switch (global->layout) {
    case PTO_LAYOUT_DN:
        i[4] = c % s[4];
        i[3] = r;
        c /= s[4];
        i[2] = c % s[2];
        c /= s[2];
        i[1] = c % s[1];
        i[0] = c / s[1];
        break;
    case PTO_LAYOUT_NZ:
        i[4] = c % s[4];
        c /= s[4];
        i[1] = c % s[1];
        i[0] = c / s[1];
        i[3] = r % s[3];
        i[2] = r / s[3];
        break;
    case PTO_LAYOUT_MX_A_ZZ:
        i[0] = 0, i[1] = r / 16, i[2] = c / 2, i[3] = r % 16, i[4] = c % 2;
        break;
    case PTO_LAYOUT_MX_A_ND:
        i[0] = i[1] = 0, i[2] = r, i[3] = c / 2, i[4] = c % 2;
        break;
    case PTO_LAYOUT_MX_A_DN:
        i[0] = i[1] = 0, i[2] = c / 2, i[3] = r, i[4] = c % 2;
        break;
    case PTO_LAYOUT_MX_B_NN:
        i[0] = 0, i[1] = c / 16, i[2] = r / 2, i[3] = c % 16, i[4] = r % 2;
        break;
    case PTO_LAYOUT_MX_B_ND:
        i[0] = i[1] = 0, i[2] = r / 2, i[3] = c, i[4] = r % 2;
        break;
    case PTO_LAYOUT_MX_B_DN:
        i[0] = i[1] = 0, i[2] = c, i[3] = r / 2, i[4] = r % 2;
        break;
    case PTO_LAYOUT_ND:
    default:
        i[4] = c;
        i[3] = r % s[3];
        r /= s[3];
        i[2] = r % s[2];
        r /= s[2];
        i[1] = r % s[1];
        i[0] = r / s[1];
        break;
    }
    uint64_t offset = 0;
    for (int d = 0; d < 5; d++)
        offset += (uint64_t)i[d] * (uint64_t)global->stride[d];
    return (int64_t)offset;
}

void pto_global_extents(pto_layout layout, const int64_t shape[5], int64_t *rows, int64_t *cols) {
    pto_layout_extents(layout, shape, 1, rows, cols);
}

/* Sums of a few 64-bit products need more than 64 bits. */
__extension__ typedef __int128 wide;

static const wide wide_limit = (wide)1 << 100; /* beyond any element number; sums of five cannot overflow */

static wide clamp(wide value) {
    return value > wide_limit ? wide_limit : value < -wide_limit ? -wide_limit : value;
}

static int64_t narrow(wide value) {
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

static wide floor_div(wide a, wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

bool pto_global_in_bounds_of(const pto_global *global, int64_t inner, pto_global_fault *fault) {
    if (!global->begin && !global->end)
        return true;
    /* least and greatest offset that the dimensions d.. add */
    wide least[6] = {0}, most[6] = {0};
    most[5] = inner > 1 ? inner - 1 : 0;
    for (int d = 4; d >= 0; d--) {
        if (global->shape[d] <= 0)
            return true;
        wide span = clamp((wide)(global->shape[d] - 1) * global->stride[d]);
        least[d] = least[d + 1] + (span < 0 ? span : 0);
        most[d] = most[d + 1] + (span > 0 ? span : 0);
    }
    int bits = (int)pto_dtype_bits(global->dtype);
    if (!bits)
        bits = 8;
    wide begin = (wide)(uintptr_t)global->begin * 8, end = (wide)(uintptr_t)global->end * 8;
    wide start = (wide)(uintptr_t)global->data * 8 - begin;
    /* elements are numbered in the phase of the view's start, which lies anywhere in the buffer */
    wide base = floor_div(start, bits);
    wide last = floor_div(end - begin - (start - base * bits), bits) - 1;
    wide low = -base, high = last - base; /* allowed offsets */
    if (least[0] >= low && most[0] <= high)
        return true;
    /* the first index in row-major order with an element outside: each time the smallest index that some
     * choice of the later ones carries outside */
    wide offset = 0;
    for (int d = 0; d < 5; d++) {
        wide stride = global->stride[d], index = 0;
        wide down = offset + least[d + 1], up = offset + most[d + 1];
        if (down >= low && up <= high)
            index = stride > 0 ? floor_div(high - up, stride) + 1 : floor_div(down - low, -stride) + 1;
        fault->index[d] = narrow(index);
        offset += index * stride;
    }
    fault->element = narrow(base + offset);
    fault->last = narrow(last);
    return false;
}

bool pto_global_in_bounds(const pto_global *global, pto_global_fault *fault) {
    return pto_global_in_bounds_of(global, pto_layout_inner_width(global->layout, global->dtype, false),
                                   fault);
}
