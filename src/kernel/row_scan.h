/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of rows of 16- and 32-bit patterns with the instructions of a level: the largest pattern, seen as
 * signed and as unsigned at once, and the first place of a pattern. Where PTO_ROW_SCAN is not defined there
 * are none. */
#ifndef PTO_KERNEL_ROW_SCAN_H
#define PTO_KERNEL_ROW_SCAN_H

#include "kernel/reduce.h"

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
#define PTO_ROW_SCAN 1

#if defined(PTO_LEVEL_AVX512)

typedef __m512i scan_lanes;
static inline scan_lanes scan_load(const void *from) { return _mm512_loadu_si512(from); }
static inline scan_lanes scan_fill_32(uint32_t x) { return _mm512_set1_epi32((int)x); }
static inline scan_lanes scan_fill_16(uint16_t x) { return _mm512_set1_epi16((short)x); }
static inline scan_lanes scan_signed_32(scan_lanes a, scan_lanes b) { return _mm512_max_epi32(a, b); }
static inline scan_lanes scan_signed_16(scan_lanes a, scan_lanes b) { return _mm512_max_epi16(a, b); }
static inline scan_lanes scan_unsigned_32(scan_lanes a, scan_lanes b) { return _mm512_max_epu32(a, b); }
static inline scan_lanes scan_unsigned_16(scan_lanes a, scan_lanes b) { return _mm512_max_epu16(a, b); }
static inline __m256i scan_low(scan_lanes x) { return _mm512_castsi512_si256(x); }
static inline __m256i scan_high(scan_lanes x) { return _mm512_extracti64x4_epi64(x, 1); }
static inline __m128i scan_half_signed_32(scan_lanes x) {
    const __m256i y = _mm256_max_epi32(scan_low(x), scan_high(x));
    return _mm_max_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}
static inline __m128i scan_half_unsigned_32(scan_lanes x) {
    const __m256i y = _mm256_max_epu32(scan_low(x), scan_high(x));
    return _mm_max_epu32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}
static inline __m128i scan_half_signed_16(scan_lanes x) {
    const __m256i y = _mm256_max_epi16(scan_low(x), scan_high(x));
    return _mm_max_epi16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}
static inline __m128i scan_half_unsigned_16(scan_lanes x) {
    const __m256i y = _mm256_max_epu16(scan_low(x), scan_high(x));
    return _mm_max_epu16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

/* Bit j: element j of 64 is `want` after the mask. */
static inline uint64_t scan_equal_32(const uint32_t *x, scan_lanes mask, scan_lanes want) {
    uint64_t found = 0;
    for (int v = 0; v < 4; v++)
        found |= (uint64_t)_mm512_cmpeq_epi32_mask(_mm512_and_si512(scan_load(x + 16 * v), mask), want)
                 << 16 * v;
    return found;
}
static inline uint64_t scan_equal_16(const uint16_t *x, scan_lanes mask, scan_lanes want) {
    const uint64_t low = _mm512_cmpeq_epi16_mask(_mm512_and_si512(scan_load(x), mask), want);
    return low | (uint64_t)_mm512_cmpeq_epi16_mask(_mm512_and_si512(scan_load(x + 32), mask), want) << 32;
}

#else

typedef __m256i scan_lanes;
static inline scan_lanes scan_load(const void *from) { return _mm256_loadu_si256(from); }
static inline scan_lanes scan_fill_32(uint32_t x) { return _mm256_set1_epi32((int)x); }
static inline scan_lanes scan_fill_16(uint16_t x) { return _mm256_set1_epi16((short)x); }
static inline scan_lanes scan_signed_32(scan_lanes a, scan_lanes b) { return _mm256_max_epi32(a, b); }
static inline scan_lanes scan_signed_16(scan_lanes a, scan_lanes b) { return _mm256_max_epi16(a, b); }
static inline scan_lanes scan_unsigned_32(scan_lanes a, scan_lanes b) { return _mm256_max_epu32(a, b); }
static inline scan_lanes scan_unsigned_16(scan_lanes a, scan_lanes b) { return _mm256_max_epu16(a, b); }
static inline __m128i scan_low(scan_lanes x) { return _mm256_castsi256_si128(x); }
static inline __m128i scan_high(scan_lanes x) { return _mm256_extracti128_si256(x, 1); }
static inline __m128i scan_half_signed_32(scan_lanes x) { return _mm_max_epi32(scan_low(x), scan_high(x)); }
static inline __m128i scan_half_unsigned_32(scan_lanes x) { return _mm_max_epu32(scan_low(x), scan_high(x)); }
static inline __m128i scan_half_signed_16(scan_lanes x) { return _mm_max_epi16(scan_low(x), scan_high(x)); }
static inline __m128i scan_half_unsigned_16(scan_lanes x) { return _mm_max_epu16(scan_low(x), scan_high(x)); }

static inline uint64_t scan_equal_32(const uint32_t *x, scan_lanes mask, scan_lanes want) {
    uint64_t found = 0;
    for (int v = 0; v < 8; v++) {
        const __m256i equal = _mm256_cmpeq_epi32(_mm256_and_si256(scan_load(x + 8 * v), mask), want);
        found |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << 8 * v;
    }
    return found;
}
static inline uint64_t scan_equal_16(const uint16_t *x, scan_lanes mask, scan_lanes want) {
    uint64_t found = 0;
    for (int v = 0; v < 2; v++) {
        const __m256i a = _mm256_cmpeq_epi16(_mm256_and_si256(scan_load(x + 32 * v), mask), want);
        const __m256i b = _mm256_cmpeq_epi16(_mm256_and_si256(scan_load(x + 32 * v + 16), mask), want);
        const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
        found |= (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes) << 32 * v;
    }
    return found;
}

#endif

static inline int32_t scan_last_signed_32(__m128i x) {
    x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0x4E));
    return _mm_cvtsi128_si32(_mm_max_epi32(x, _mm_shuffle_epi32(x, 0xB1)));
}
static inline uint32_t scan_last_unsigned_32(__m128i x) {
    x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4E));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xB1)));
}
/* The instruction finds the smallest unsigned of eight. */
static inline int16_t scan_last_signed_16(__m128i x) {
    const __m128i turned = _mm_minpos_epu16(_mm_xor_si128(x, _mm_set1_epi16(0x7FFF)));
    return (int16_t)(_mm_cvtsi128_si32(turned) ^ 0x7FFF);
}
static inline uint16_t scan_last_unsigned_16(__m128i x) {
    const __m128i turned = _mm_minpos_epu16(_mm_xor_si128(x, _mm_set1_epi16(-1)));
    return (uint16_t)~_mm_cvtsi128_si32(turned);
}

/* Largest pattern of a row as signed (most) and as unsigned (most_bits) integers. */
#define SCAN_MOST(BITS)                                                                                      \
    PTO_INLINE void scan_most_##BITS(const uint##BITS##_t *x, int64_t cols, int##BITS##_t *most,             \
                                     uint##BITS##_t *most_bits) {                                            \
        enum { EACH = (int)sizeof(scan_lanes) * 8 / (BITS) };                                                \
        if (cols < EACH) {                                                                                   \
            *most = (int##BITS##_t)x[0];                                                                     \
            *most_bits = x[0];                                                                               \
            for (int64_t j = 1; j < cols; j++) {                                                             \
                *most = (int##BITS##_t)x[j] > *most ? (int##BITS##_t)x[j] : *most;                           \
                *most_bits = x[j] > *most_bits ? x[j] : *most_bits;                                          \
            }                                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        scan_lanes s = scan_load(x + cols - EACH), u = s; /* the end of the row, perhaps twice */            \
        for (int64_t j = 0; j + EACH < cols; j += EACH) {                                                    \
            const scan_lanes v = scan_load(x + j);                                                           \
            s = scan_signed_##BITS(s, v);                                                                    \
            u = scan_unsigned_##BITS(u, v);                                                                  \
        }                                                                                                    \
        *most = scan_last_signed_##BITS(scan_half_signed_##BITS(s));                                         \
        *most_bits = scan_last_unsigned_##BITS(scan_half_unsigned_##BITS(u));                                \
    }
SCAN_MOST(16)
SCAN_MOST(32)

/* The lowest j < count with (x[j] & mask) == want; count when there is none. */
#define SCAN_FIRST(BITS)                                                                                     \
    static inline int64_t scan_first_##BITS(const uint##BITS##_t *x, int64_t count, uint##BITS##_t mask,     \
                                            uint##BITS##_t want) {                                           \
        const scan_lanes m = scan_fill_##BITS(mask), w = scan_fill_##BITS(want);                             \
        int64_t j = 0;                                                                                       \
        for (; j + 128 <= count; j += 128) {                                                                 \
            const uint64_t low = scan_equal_##BITS(x + j, m, w), high = scan_equal_##BITS(x + j + 64, m, w); \
            if (low | high)                                                                                  \
                return j + (low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high));                        \
        }                                                                                                    \
        for (; j + 64 <= count; j += 64) {                                                                   \
            const uint64_t found = scan_equal_##BITS(x + j, m, w);                                           \
            if (found)                                                                                       \
                return j + __builtin_ctzll(found);                                                           \
        }                                                                                                    \
        while (j < count && (x[j] & mask) != want)                                                           \
            j++;                                                                                             \
        return j;                                                                                            \
    }
SCAN_FIRST(16)
SCAN_FIRST(32)

#endif
#endif
