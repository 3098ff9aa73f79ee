/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns of a tensor (00-model, 6.4). */
#include "isa/extents.h"

/* Product of extents that are not negative, INT64_MAX when it is larger; negative when one is unknown. */
static int64_t product(const int64_t *shape, const int *dims, int count) {
    int64_t result = 1;
    bool zero = false;
    for (int k = 0; k < count; k++) {
        int64_t extent = shape[dims[k]];
        if (extent < 0)
            return -1;
        zero |= extent == 0;
        if (extent && __builtin_mul_overflow(result, extent, &result))
            result = INT64_MAX;
    }
    return zero ? 0 : result;
}

static int64_t times(int64_t extent, int64_t factor) {
    int64_t result;
    if (extent < 0)
        return -1;
    return __builtin_mul_overflow(extent, factor, &result) ? INT64_MAX : result;
}

static int64_t known(int64_t extent) { return extent < 0 ? -1 : extent; }

int64_t pto_layout_inner_width(pto_layout layout, pto_dtype dtype, bool from_acc) {
    if (layout != PTO_LAYOUT_NDC1HWC0)
        return 0;
    unsigned bits = pto_dtype_bits(dtype);
    return from_acc && dtype == PTO_S32 ? 16 : bits ? 256 / (int64_t)bits : 1;
}

void pto_layout_extents(pto_layout layout, const int64_t shape[5], int64_t c0, int64_t *rows, int64_t *cols) {
    switch (layout) {
    case PTO_LAYOUT_DN:
        *rows = known(shape[3]);
        *cols = product(shape, (const int[]){0, 1, 2, 4}, 4);
        break;
    case PTO_LAYOUT_NZ:
        *rows = product(shape, (const int[]){2, 3}, 2);
        *cols = product(shape, (const int[]){0, 1, 4}, 3);
        break;
    case PTO_LAYOUT_NC1HWC0:
        *rows = product(shape, (const int[]){0, 2, 3}, 3);
        *cols = product(shape, (const int[]){1, 4}, 2);
        break;
    case PTO_LAYOUT_NDC1HWC0:
        *rows = product(shape, (const int[]){0, 3, 4}, 3);
        *cols = product(shape, (const int[]){1, 2}, 2);
        if (*cols > 0 && __builtin_mul_overflow(*cols, c0, cols))
            *cols = INT64_MAX;
        break;
    case PTO_LAYOUT_NHWC:
        *rows = product(shape, (const int[]){1, 2, 3}, 3);
        *cols = known(shape[4]);
        break;
    case PTO_LAYOUT_NCHW:
        *rows = product(shape, (const int[]){1, 3, 4}, 3);
        *cols = known(shape[2]);
        break;
    case PTO_LAYOUT_NCDHW:
        *rows = product(shape, (const int[]){0, 2, 3, 4}, 4);
        *cols = known(shape[1]);
        break;
    case PTO_LAYOUT_MX_A_ZZ:
        *rows = times(shape[1], 16);
        *cols = times(shape[2], 2);
        break;
    case PTO_LAYOUT_MX_A_ND:
        *rows = times(shape[2], 1);
        *cols = times(shape[3], 2);
        break;
    case PTO_LAYOUT_MX_A_DN:
        *rows = times(shape[3], 1);
        *cols = times(shape[2], 2);
        break;
    case PTO_LAYOUT_MX_B_NN:
        *rows = times(shape[2], 2);
        *cols = times(shape[1], 16);
        break;
    case PTO_LAYOUT_MX_B_ND:
        *rows = times(shape[2], 2);
        *cols = times(shape[3], 1);
        break;
    case PTO_LAYOUT_MX_B_DN:
        *rows = times(shape[3], 2);
        *cols = times(shape[2], 1);
        break;
    case PTO_LAYOUT_ND:
    default:
        *rows = product(shape, (const int[]){0, 1, 2, 3}, 4);
        *cols = known(shape[4]);
        break;
    }
}
