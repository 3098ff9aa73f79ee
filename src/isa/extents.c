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

void pto_layout_extents(pto_layout layout, const int64_t shape[5], int64_t *rows, int64_t *cols) {
    switch (layout) {
    case PTO_LAYOUT_DN:
        *rows = shape[3] < 0 ? -1 : shape[3];
        *cols = product(shape, (const int[]){0, 1, 2, 4}, 4);
        break;
    case PTO_LAYOUT_NZ:
        *rows = product(shape, (const int[]){2, 3}, 2);
        *cols = product(shape, (const int[]){0, 1, 4}, 3);
        break;
    case PTO_LAYOUT_ND:
    default:
        *rows = product(shape, (const int[]){0, 1, 2, 3}, 4);
        *cols = shape[4] < 0 ? -1 : shape[4];
        break;
    }
}
