/* SPDX-License-Identifier: Apache-2.0 */
/* Integer divisions by zero (10, 1.5): counted, and with the option "trap" refused before anything is
 * written. */
#ifndef PTO_KERNEL_ZERO_DIVISOR_H
#define PTO_KERNEL_ZERO_DIVISOR_H

#include "kernel/map.h"

#define PTO_COUNT_ZEROS(name, T)                                                                             \
    static inline void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {         \
        (void)a, (void)b, (void)extra;                                                                       \
        uint64_t *total = dst;                                                                               \
        const T *y = b;                                                                                      \
        uint64_t count = 0;                                                                                  \
        _Pragma("omp simd reduction(+ : count)") for (int64_t i = 0; i < n; i++) count += y[i] == 0;         \
        *total += count;                                                                                     \
    }
PTO_COUNT_ZEROS(pto_zeros_8, uint8_t)
PTO_COUNT_ZEROS(pto_zeros_16, uint16_t)
PTO_COUNT_ZEROS(pto_zeros_32, uint32_t)
PTO_COUNT_ZEROS(pto_zeros_64, uint64_t)

static inline uint64_t pto_zeros_of(const pto_tile *tile) {
    const pto_tile_type *type = &tile->type;
    const unsigned bits = pto_dtype_bits(type->dtype);
    uint64_t total = 0;
    if (bits < 8) {
        for (int32_t row = 0; row < tile->valid_rows; row++)
            for (int32_t col = 0; col < tile->valid_cols; col++)
                total += pto_exact_load(tile->data, type->dtype, pto_tile_offset(type, row, col)) == 0;
        return total;
    }
    const pto_map_loop count = bits == 8    ? pto_zeros_8
                               : bits == 16 ? pto_zeros_16
                               : bits == 32 ? pto_zeros_32
                                            : pto_zeros_64;
    pto_runs runs;
    for (bool more = pto_runs_begin(&runs, &type, 1, tile->valid_rows, tile->valid_cols); more;
         more = pto_runs_next(&runs)) {
        for (int64_t k = 0; k < runs.count; k++) {
            const int64_t at =
                runs.start[0] + k / runs.inner * runs.outer_step[0] + k % runs.inner * runs.inner_step[0];
            count(&total, NULL, (const uint8_t *)tile->data + at * (bits / 8), runs.length, NULL);
        }
    }
    return total;
}

/* Counts them; false when they are to be refused. */
static inline bool pto_accepts_zeros(const pto_kernel_call *call, uint64_t count) {
    call->host->zero_divisors += count;
    return !count || !call->numeric->trap_zero_divisor;
}

#endif
