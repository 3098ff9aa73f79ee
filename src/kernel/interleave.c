/* SPDX-License-Identifier: Apache-2.0 */
/* TINTERLEAVE, TDEINTERLEAVE and TPACK (part 30): rows of flat row-major tiles. */
#include "kernel/kernel.h"
#include "kernel/snapshot.h"
#include "kernel/strided.h"

/* Rows are short, so the loops go over CHUNK pairs, a constant, and then over what is left. Bytes are halves
 * of 16-bit words, little-endian as everything here is: shifts and truncations vectorise where pairs of bytes
 * do not. */
enum { CHUNK = 64 };
#define IN_CHUNKS(statement)                                                                                 \
    int64_t k = 0;                                                                                           \
    for (; k + CHUNK <= pairs; k += CHUNK) {                                                                 \
        _Pragma("omp simd") for (int64_t i = k; i < k + CHUNK; i++) { statement }                            \
    }                                                                                                        \
    for (int64_t i = k; i < pairs; i++) {                                                                    \
        statement                                                                                            \
    }

#define INTERLEAVE(bits)                                                                                     \
    static void interleave##bits(pto_bits##bits *to, const pto_bits##bits *a, const pto_bits##bits *b,       \
                                 int64_t pairs) {                                                            \
        IN_CHUNKS(to[2 * i] = a[i]; to[2 * i + 1] = b[i];)                                                   \
    }                                                                                                        \
    static void deinterleave##bits(pto_bits##bits *even, pto_bits##bits *odd, const pto_bits##bits *from,    \
                                   int64_t pairs) {                                                          \
        IN_CHUNKS(even[i] = from[2 * i]; odd[i] = from[2 * i + 1];)                                          \
    }
INTERLEAVE(16)
INTERLEAVE(32)
#undef INTERLEAVE

static void interleave8(pto_bits8 *to, const pto_bits8 *a, const pto_bits8 *b, int64_t pairs) {
    pto_bits16 *word = (pto_bits16 *)to;
    IN_CHUNKS(word[i] = (uint16_t)(a[i] | b[i] << 8);)
}
static void deinterleave8(pto_bits8 *even, pto_bits8 *odd, const pto_bits8 *from, int64_t pairs) {
    const pto_bits16 *word = (const pto_bits16 *)from;
    IN_CHUNKS(even[i] = (uint8_t)word[i]; odd[i] = (uint8_t)(word[i] >> 8);)
}

static uint8_t *element(const pto_tile *tile, int64_t row, int64_t col) {
    return (uint8_t *)tile->data + (row * tile->type.cols + col) * (pto_dtype_bits(tile->type.dtype) / 8);
}

static void interleave(unsigned bits, void *to, const void *a, const void *b, int64_t pairs) {
    if (bits == 8)
        interleave8(to, a, b, pairs);
    else if (bits == 16)
        interleave16(to, a, b, pairs);
    else
        interleave32(to, a, b, pairs);
}

static void deinterleave(unsigned bits, void *even, void *odd, const void *from, int64_t pairs) {
    if (bits == 8)
        deinterleave8(even, odd, from, pairs);
    else if (bits == 16)
        deinterleave16(even, odd, from, pairs);
    else
        deinterleave32(even, odd, from, pairs);
}

/* dst1, dst0, src1, src0: the halves of the sources make the halves of the stream */
PTO_KERNEL(tinterleave) {
    const pto_tile *dst1 = pto_call_tile(call, 0), *dst0 = pto_call_tile(call, 1);
    const pto_tile *src1 = pto_call_tile(call, 2), *src0 = pto_call_tile(call, 3);
    unsigned bits = pto_dtype_bits(dst0->type.dtype);
    int64_t half = dst0->valid_cols / 2;
    for (int64_t r = 0; r < dst0->valid_rows; r++) {
        interleave(bits, element(dst0, r, 0), element(src0, r, 0), element(src1, r, 0), half);
        interleave(bits, element(dst1, r, 0), element(src0, r, half), element(src1, r, half), half);
    }
    return PTO_OK;
}

/* dst1, dst0, src1, src0 */
PTO_KERNEL(tdeinterleave) {
    const pto_tile *dst1 = pto_call_tile(call, 0), *dst0 = pto_call_tile(call, 1);
    const pto_tile *src1 = pto_call_tile(call, 2), *src0 = pto_call_tile(call, 3);
    unsigned bits = pto_dtype_bits(dst0->type.dtype);
    int64_t half = dst0->valid_cols / 2;
    for (int64_t r = 0; r < dst0->valid_rows; r++) {
        deinterleave(bits, element(dst0, r, 0), element(dst1, r, 0), element(src0, r, 0), half);
        deinterleave(bits, element(dst0, r, half), element(dst1, r, half), element(src1, r, 0), half);
    }
    return PTO_OK;
}

/* dst1, dst0, src */
PTO_KERNEL(tdeinterleave_one) {
    const pto_tile *dst1 = pto_call_tile(call, 0), *dst0 = pto_call_tile(call, 1);
    const pto_tile *src = pto_call_tile(call, 2);
    unsigned bits = pto_dtype_bits(dst0->type.dtype);
    for (int64_t r = 0; r < dst0->valid_rows; r++)
        deinterleave(bits, element(dst0, r, 0), element(dst1, r, 0), element(src, r, 0), dst0->valid_cols);
    return PTO_OK;
}

/* ---- TPACK ---- */

#define PACK(from, to)                                                                                       \
    static void pack##from##to(pto_bits##to *dst, const pto_bits##from *src, int64_t count) {                \
        _Pragma("omp simd") for (int64_t k = 0; k < count; k++) dst[k] = (uint##to##_t)src[k];               \
    }
PACK(32, 16)
PACK(32, 8)
PACK(16, 8)
#undef PACK

PTO_KERNEL(tpack) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    unsigned to = pto_dtype_bits(dst->type.dtype), from = pto_dtype_bits(src->type.dtype);
    pto_tile source = *src;
    union { /* the tile is only read */
        const void *in;
        void *out;
    } data = {.in = pto_source_data(call, dst, src)};
    source.data = data.out;
    if (!source.data)
        return PTO_ERR_NOMEM;
    int64_t cols = dst->valid_cols;
    for (int64_t r = 0; r < dst->valid_rows; r++) {
        void *out = element(dst, r, 0);
        const void *in = element(&source, r, 0);
        if (from == 16)
            pack168(out, in, cols);
        else if (to == 16)
            pack3216(out, in, cols);
        else
            pack328(out, in, cols);
    }
    return PTO_OK;
}
