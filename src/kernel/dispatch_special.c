/* SPDX-License-Identifier: Apache-2.0 */
/* The scan of flags.h at the best level of the machine: all give one answer. Compiled once. */
#include "kernel/flags.h"
#include "kernel/table.h"

#include "tile/tile.h"

typedef bool (*special_scan)(const void *data, unsigned bits, uint64_t exponent, int64_t n);

bool pto_kernel_special_base(const void *data, unsigned bits, uint64_t exponent, int64_t n);
#ifdef PTO_HAVE_AVX2
bool pto_kernel_special_avx2(const void *data, unsigned bits, uint64_t exponent, int64_t n);
#endif
#ifdef PTO_HAVE_AVX512
bool pto_kernel_special_avx512(const void *data, unsigned bits, uint64_t exponent, int64_t n);
#endif

static special_scan best(void) {
    switch (pto_kernel_table_get(PTO_SIMD_BEST)->level) {
#ifdef PTO_HAVE_AVX512
    case PTO_SIMD_AVX512:
        return pto_kernel_special_avx512;
#endif
#ifdef PTO_HAVE_AVX2
    case PTO_SIMD_AVX2:
        return pto_kernel_special_avx2;
#endif
    default:
        return pto_kernel_special_base;
    }
}

/* The bits of the exponent; 0 where every code is looked at. */
static uint64_t exponent_of(pto_dtype type) {
    switch ((int)type) {
    case PTO_F64:
        return UINT64_C(0x7FF0000000000000);
    case PTO_F32:
    case (int)PTO_TF32:
    case (int)PTO_HF32:
    case PTO_BF16:
        return type == PTO_BF16 ? 0x7F80 : 0x7F800000;
    case PTO_F16:
        return 0x7C00;
    default:
        return 0;
    }
}

bool pto_flags_special(const pto_tile *tile) {
    const uint64_t exponent = exponent_of(tile->type.dtype);
    const unsigned bits = pto_dtype_bits(tile->type.dtype);
    const bool whole = tile->valid_cols == tile->type.cols;
    const int64_t lines = whole ? 1 : tile->valid_rows,
                  length = whole ? (int64_t)tile->valid_rows * tile->valid_cols : tile->valid_cols;
    if (!exponent)
        return true;
    const special_scan scan = best();
    for (int64_t line = 0; line < lines; line++)
        if (scan((const uint8_t *)tile->data + line * tile->type.cols * (bits / 8), bits, exponent, length))
            return true;
    return false;
}
