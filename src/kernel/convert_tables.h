/* SPDX-License-Identifier: Apache-2.0 */
/* Table look-ups of TCVT in registers, where a level has them: 8-bit floats through the bf16 number that each
 * of them is, and packed 4-bit elements to 8 and 16 bits (see convert_stages.h). */
#ifndef PTO_KERNEL_CONVERT_TABLES_H
#define PTO_KERNEL_CONVERT_TABLES_H

#include "kernel/convert_stages.h"

#if defined(PTO_LEVEL_AVX512)

/* ---- the bf16 codes of the magnitudes of 8-bit floats (10, 2.2, 2.5) ---- */

#define PTO_BF16_CODE(exponent, fraction) ((127 + (exponent)) << 7 | (fraction))
/* subnormals of `bits` fraction bits whose lowest is 2^lowest: 1, 1.0 and 1.5, 1.00 to 1.75 */
#define PTO_BF16_SUBNORMAL(f, lowest)                                                                        \
    ((f) == 0  ? 0                                                                                           \
     : (f) < 2 ? PTO_BF16_CODE(lowest, 0)                                                                    \
     : (f) < 4 ? PTO_BF16_CODE((lowest) + 1, ((f)&1) << 6)                                                   \
               : PTO_BF16_CODE((lowest) + 2, ((f)&3) << 5))
#define PTO_BF16_E4M3(c)                                                                                     \
    ((c) == 0x7F ? 0x7FC0 : (c) < 8 ? PTO_BF16_SUBNORMAL(c, -9) : PTO_BF16_CODE(((c) >> 3) - 7, ((c)&7) << 4))
#define PTO_BF16_E5M2(c)                                                                                     \
    ((c) > 0x7C    ? 0x7FC0                                                                                  \
     : (c) == 0x7C ? 0x7F80                                                                                  \
     : (c) < 4     ? PTO_BF16_SUBNORMAL(c, -16)                                                              \
                   : PTO_BF16_CODE(((c) >> 2) - 15, ((c)&3) << 5))
#define PTO_BF16_SIGNED(c, size, fraction) PTO_BF16_CODE((c)&0x10 ? -(size) : (size), fraction)
#define PTO_BF16_HIF8(c)                                                                                     \
    ((c) == 0x6F  ? 0x7F80                                                                                   \
     : (c) == 0   ? 0                                                                                        \
     : (c) < 0x08 ? PTO_BF16_CODE((c)-23, 0)                                                                 \
     : (c) < 0x10 ? PTO_BF16_CODE(0, ((c)&7) << 4)                                                           \
     : (c) < 0x20 ? PTO_BF16_CODE((c)&0x08 ? -1 : 1, ((c)&7) << 4)                                           \
     : (c) < 0x40 ? PTO_BF16_SIGNED(c, 2 + ((c) >> 3 & 1), ((c)&7) << 4)                                     \
     : (c) < 0x60 ? PTO_BF16_SIGNED(c, 4 + ((c) >> 2 & 3), ((c)&3) << 5)                                     \
                  : PTO_BF16_SIGNED(c, 8 + ((c) >> 1 & 7), ((c)&1) << 6))
#define PTO_EACH_8(F, c)                                                                                     \
    F(c), F((c) + 1), F((c) + 2), F((c) + 3), F((c) + 4), F((c) + 5), F((c) + 6), F((c) + 7)
#define PTO_EACH_32(F, c)                                                                                    \
    PTO_EACH_8(F, c), PTO_EACH_8(F, (c) + 8), PTO_EACH_8(F, (c) + 16), PTO_EACH_8(F, (c) + 24)
#define PTO_EACH_128(F) PTO_EACH_32(F, 0), PTO_EACH_32(F, 32), PTO_EACH_32(F, 64), PTO_EACH_32(F, 96)

static const _Alignas(64) uint16_t pto_bf16_of_e4m3[128] = {PTO_EACH_128(PTO_BF16_E4M3)};
static const _Alignas(64) uint16_t pto_bf16_of_e5m2[128] = {PTO_EACH_128(PTO_BF16_E5M2)};
static const _Alignas(64) uint16_t pto_bf16_of_hif8[128] = {PTO_EACH_128(PTO_BF16_HIF8)};

/* 32 codes; hif8 has a NaN where the others have a negative zero. */
static inline __m512i pto_bf16_words(const uint8_t *from, const __m512i table[4], bool is_hif8) {
    const __m512i code = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)from));
    const __m512i low = _mm512_permutex2var_epi16(table[0], code, table[1]);
    const __m512i high = _mm512_permutex2var_epi16(table[2], code, table[3]);
    const __m512i bit_6 = _mm512_set1_epi16(0x40), quiet = _mm512_set1_epi16(0x7FC0);
    const __m512i size = _mm512_mask_mov_epi16(low, _mm512_test_epi16_mask(code, bit_6), high);
    const __m512i sign = _mm512_slli_epi16(_mm512_srli_epi16(code, 7), 15);
    const __mmask32 is_number = _mm512_cmplt_epu16_mask(size, quiet);
    const __m512i word = _mm512_or_si512(size, _mm512_maskz_mov_epi16(is_number, sign));
    if (!is_hif8)
        return word;
    return _mm512_mask_mov_epi16(word, _mm512_cmpeq_epi16_mask(code, _mm512_set1_epi16(0x80)), quiet);
}

#define PTO_CVT_LOAD_BY_TABLE(format, is_hif8)                                                               \
    static void pto_cvt_table_##format(float *out, const void *in, int64_t count) {                          \
        const uint8_t *from = in;                                                                            \
        __m512i table[4];                                                                                    \
        memcpy(table, pto_bf16_of_##format, sizeof table);                                                   \
        int64_t i = 0;                                                                                       \
        for (; i + 32 <= count; i += 32) {                                                                   \
            const __m512i word = pto_bf16_words(from + i, table, is_hif8);                                   \
            const __m512i first = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(word));                       \
            const __m512i second = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(word, 1));                \
            _mm512_storeu_si512(out + i, _mm512_slli_epi32(first, 16));                                      \
            _mm512_storeu_si512(out + i + 16, _mm512_slli_epi32(second, 16));                                \
        }                                                                                                    \
        for (; i < count; i++)                                                                               \
            out[i] = pto_f32_from_##format(from[i]);                                                         \
    }
PTO_CVT_LOAD_BY_TABLE(e4m3, false)
PTO_CVT_LOAD_BY_TABLE(e5m2, false)
PTO_CVT_LOAD_BY_TABLE(hif8, true)

#endif

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

/* ---- packed 4-bit elements, 32 at a time; the table holds what each code becomes ---- */

static inline __m256i pto_cvt_codes(const uint8_t *packed) {
    const __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)packed));
    const __m256i low = _mm256_and_si256(wide, _mm256_set1_epi16(0x0F));
    return _mm256_or_si256(low, _mm256_slli_epi16(_mm256_sub_epi16(wide, low), 4));
}

static void pto_cvt_expand_to_8(uint8_t *out, const uint8_t *packed, int64_t groups,
                                const uint8_t table[16]) {
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)table));
    for (int64_t g = 0; g < groups; g++)
        _mm256_storeu_si256((void *)(out + 32 * g),
                            _mm256_shuffle_epi8(bytes, pto_cvt_codes(packed + 16 * g)));
}

static void pto_cvt_expand_to_16(uint16_t *out, const uint8_t *packed, int64_t groups,
                                 const uint16_t table[16]) {
    uint8_t half[2][16];
    for (int i = 0; i < 16; i++) {
        half[0][i] = (uint8_t)table[i];
        half[1][i] = (uint8_t)(table[i] >> 8);
    }
    const __m256i lows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)half[0]));
    const __m256i highs = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)half[1]));
    for (int64_t g = 0; g < groups; g++) {
        const __m256i codes = pto_cvt_codes(packed + 16 * g);
        const __m256i low = _mm256_shuffle_epi8(lows, codes), high = _mm256_shuffle_epi8(highs, codes);
        const __m256i a = _mm256_unpacklo_epi8(low, high), b = _mm256_unpackhi_epi8(low, high);
        _mm256_storeu_si256((void *)(out + 32 * g), _mm256_permute2x128_si256(a, b, 0x20));
        _mm256_storeu_si256((void *)(out + 32 * g + 16), _mm256_permute2x128_si256(a, b, 0x31));
    }
}

#endif

#endif
