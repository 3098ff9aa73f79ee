/* SPDX-License-Identifier: Apache-2.0 */
/* TCMP (10, 8.1) and TCMPS (20, 2): packed masks of comparisons, a bit for each column (10, 8.0).
 *
 * A loop makes a byte 0 or 1 for each element of a block, a second one packs them. EQ, LT and LE are enough:
 * GT and GE exchange the operands, NE is the complement of EQ, for NaN too. */
#include "kernel/bits.h"
#include "kernel/map.h"

#include <pto/number.h>

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
#include <immintrin.h>
#endif

enum { BLOCK = 512 };

typedef void (*compare_loop)(uint8_t *flags, const void *a, const void *b, int64_t n);

#define LOOP(name, T, F)                                                                                     \
    static void name(uint8_t *flags, const void *a, const void *b, int64_t n) {                              \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) flags[i] = (uint8_t)(F(x[i], y[i]));             \
    }
#define LOOPS(type, T)                                                                                       \
    LOOP(eq_##type, T, EQ)                                                                                   \
    LOOP(lt_##type, T, LT)                                                                                   \
    LOOP(le_##type, T, LE)

#define EQ(x, y) ((x) == (y))
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))

LOOPS(s8, int8_t)
LOOPS(u8, uint8_t)
LOOPS(s16, int16_t)
LOOPS(u16, uint16_t)
LOOPS(s32, int32_t)
LOOPS(u32, uint32_t)
LOOPS(s64, int64_t)
LOOPS(u64, uint64_t)
LOOPS(f32, float)
LOOPS(f64, double)

/* 16-bit floats in the order of integers; both zeros are 0. */
static inline int16_t key(uint16_t x) {
    const int16_t magnitude = (int16_t)(x & 0x7FFFu);
    return (int16_t)(x & 0x8000u ? -magnitude : magnitude);
}
#define IS_F16(x) (((x)&0x7FFFu) <= 0x7C00u)
#define IS_BF16(x) (((x)&0x7FFFu) <= 0x7F80u)
#define EQ_F16(x, y) ((key(x) == key(y)) & IS_F16(x))
#define LT_F16(x, y) ((key(x) < key(y)) & IS_F16(x) & IS_F16(y))
#define LE_F16(x, y) ((key(x) <= key(y)) & IS_F16(x) & IS_F16(y))
#define EQ_BF16(x, y) ((key(x) == key(y)) & IS_BF16(x))
#define LT_BF16(x, y) ((key(x) < key(y)) & IS_BF16(x) & IS_BF16(y))
#define LE_BF16(x, y) ((key(x) <= key(y)) & IS_BF16(x) & IS_BF16(y))
LOOP(eq_f16, uint16_t, EQ_F16)
LOOP(lt_f16, uint16_t, LT_F16)
LOOP(le_f16, uint16_t, LE_F16)
LOOP(eq_bf16, uint16_t, EQ_BF16)
LOOP(lt_bf16, uint16_t, LT_BF16)
LOOP(le_bf16, uint16_t, LE_BF16)

#define ROW(TYPE, type) [PTO_##TYPE] = {eq_##type, lt_##type, le_##type}
static const compare_loop loops[PTO_ELEMENT_COUNT][3] = {
    ROW(S8, s8),   ROW(U8, u8),   ROW(S16, s16), ROW(U16, u16),   ROW(S32, s32), ROW(U32, u32),
    ROW(S64, s64), ROW(U64, u64), ROW(F16, f16), ROW(BF16, bf16), ROW(F32, f32),
};
static const compare_loop double_loops[3] = {eq_f64, lt_f64, le_f64}; /* 8- and 4-bit floats, s4 */

/* Bits of n flags; those behind n are 0. flags holds a multiple of 64. */
static void pack(uint8_t *to, uint8_t *flags, int64_t n, bool inverted) {
    const int64_t bytes = (n + 7) / 8;
    memset(flags + n, 0, (size_t)((n + 63) / 64 * 64 - n));
    int64_t k = 0;
#if defined(PTO_LEVEL_AVX512)
    for (; k + 8 <= bytes; k += 8) {
        const __m512i v = _mm512_loadu_si512(flags + 8 * k);
        const uint64_t bits = _mm512_test_epi8_mask(v, v);
        memcpy(to + k, &bits, sizeof bits);
    }
#elif defined(PTO_LEVEL_AVX2)
    for (; k + 4 <= bytes; k += 4) {
        const __m256i v = _mm256_loadu_si256((const void *)(flags + 8 * k));
        const uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(v, 7));
        memcpy(to + k, &bits, sizeof bits);
    }
#endif
    for (; k < bytes; k++) {
        uint64_t eight;
        memcpy(&eight, flags + 8 * k, sizeof eight);
        to[k] = (uint8_t)(eight * UINT64_C(0x0102040810204080) >> 56);
    }
    if (!inverted)
        return;
    for (k = 0; k < bytes; k++)
        to[k] = (uint8_t)~to[k];
    if (n % 8)
        to[bytes - 1] = (uint8_t)(to[bytes - 1] & ((1u << n % 8) - 1));
}

#if defined(PTO_LEVEL_AVX512)

/* ---- masks straight from vectors: whole groups of 64 elements ---- */

typedef void (*compare_masks)(uint8_t *to, const void *a, const void *b, int64_t groups, bool inverted);

/* COMPARE(x, y) is the mask of a vector of T */
#define MASKS(name, T, COMPARE)                                                                              \
    static void name(uint8_t *to, const void *a, const void *b, int64_t groups, bool inverted) {             \
        const uint8_t *x = a, *y = b;                                                                        \
        for (int64_t g = 0; g < groups; g++) {                                                               \
            uint64_t bits = 0;                                                                               \
            for (int v = 0; v < (int)sizeof(T); v++, x += 64, y += 64) {                                     \
                const __m512i p = _mm512_loadu_si512(x), q = _mm512_loadu_si512(y);                          \
                bits |= (uint64_t)COMPARE(p, q) << (v * (int)(64 / sizeof(T)) & 63);                         \
            }                                                                                                \
            bits = inverted ? ~bits : bits;                                                                  \
            memcpy(to + 8 * g, &bits, sizeof bits);                                                          \
        }                                                                                                    \
    }
#define INTEGER_MASKS(type, T, kind)                                                                         \
    MASKS(eq_masks_##type, T, _mm512_cmpeq_##kind##_mask)                                                    \
    MASKS(lt_masks_##type, T, _mm512_cmplt_##kind##_mask)                                                    \
    MASKS(le_masks_##type, T, _mm512_cmple_##kind##_mask)
INTEGER_MASKS(s8, int8_t, epi8)
INTEGER_MASKS(u8, uint8_t, epu8)
INTEGER_MASKS(s16, int16_t, epi16)
INTEGER_MASKS(u16, uint16_t, epu16)
INTEGER_MASKS(s32, int32_t, epi32)
INTEGER_MASKS(u32, uint32_t, epu32)
INTEGER_MASKS(s64, int64_t, epi64)
INTEGER_MASKS(u64, uint64_t, epu64)

#define F32_MASK(p, q, order) _mm512_cmp_ps_mask(_mm512_castsi512_ps(p), _mm512_castsi512_ps(q), order)
#define F32_EQ(p, q) F32_MASK(p, q, _CMP_EQ_OQ)
#define F32_LT(p, q) F32_MASK(p, q, _CMP_LT_OQ)
#define F32_LE(p, q) F32_MASK(p, q, _CMP_LE_OQ)
MASKS(eq_masks_f32, float, F32_EQ)
MASKS(lt_masks_f32, float, F32_LT)
MASKS(le_masks_f32, float, F32_LE)

static inline __m512i keys(__m512i x) {
    const __m512i size = _mm512_and_si512(x, _mm512_set1_epi16(0x7FFF));
    return _mm512_mask_sub_epi16(size, _mm512_movepi16_mask(x), _mm512_setzero_si512(), size);
}
static inline __mmask32 numbers(__m512i x, int16_t infinity) {
    return _mm512_cmple_epu16_mask(_mm512_and_si512(x, _mm512_set1_epi16(0x7FFF)),
                                   _mm512_set1_epi16(infinity));
}
#define HALF_MASKS(type, infinity)                                                                           \
    static inline __mmask32 eq_##type##_mask(__m512i p, __m512i q) {                                         \
        return _mm512_cmpeq_epi16_mask(keys(p), keys(q)) & numbers(p, infinity);                             \
    }                                                                                                        \
    static inline __mmask32 lt_##type##_mask(__m512i p, __m512i q) {                                         \
        return _mm512_cmplt_epi16_mask(keys(p), keys(q)) & numbers(p, infinity) & numbers(q, infinity);      \
    }                                                                                                        \
    static inline __mmask32 le_##type##_mask(__m512i p, __m512i q) {                                         \
        return _mm512_cmple_epi16_mask(keys(p), keys(q)) & numbers(p, infinity) & numbers(q, infinity);      \
    }                                                                                                        \
    MASKS(eq_masks_##type, uint16_t, eq_##type##_mask)                                                       \
    MASKS(lt_masks_##type, uint16_t, lt_##type##_mask)                                                       \
    MASKS(le_masks_##type, uint16_t, le_##type##_mask)
HALF_MASKS(f16, 0x7C00)
HALF_MASKS(bf16, 0x7F80)

#define MASKS_ROW(TYPE, type) [PTO_##TYPE] = {eq_masks_##type, lt_masks_##type, le_masks_##type}
static const compare_masks masks[PTO_ELEMENT_COUNT][3] = {
    MASKS_ROW(S8, s8),   MASKS_ROW(U8, u8),     MASKS_ROW(S16, s16), MASKS_ROW(U16, u16),
    MASKS_ROW(S32, s32), MASKS_ROW(U32, u32),   MASKS_ROW(S64, s64), MASKS_ROW(U64, u64),
    MASKS_ROW(F16, f16), MASKS_ROW(BF16, bf16), MASKS_ROW(F32, f32),
};

#endif

/* ---- blocks of operands ---- */

static double number_of(pto_dtype type, uint64_t code) {
    return type == PTO_S4 ? (double)((int64_t)(code ^ 8u) - 8) : pto_number_to_double(type, code);
}

/* n elements of a row from col on: where they stand, or gathered into buffer, small types as doubles. */
static const void *block_of(const pto_map_input *input, pto_dtype type, bool as_doubles, int32_t row,
                            int32_t col, int32_t n, void *buffer) {
    const pto_tile_type *shape = input->type;
    const size_t size = pto_dtype_bits(type) / 8;
    if (!shape)
        return input->data; /* a block of one value */
    if (as_doubles) {
        double *numbers = buffer;
        for (int32_t i = 0; i < n; i++)
            numbers[i] =
                number_of(type, pto_exact_load(input->data, type, pto_tile_offset(shape, row, col + i)));
        return buffer;
    }
    const uint8_t *bytes = input->data;
    if (shape->blayout == PTO_ROW_MAJOR && shape->slayout == PTO_NONE_BOX)
        return bytes + ((size_t)row * (size_t)shape->cols + (size_t)col) * size;
    for (int32_t i = 0; i < n; i++)
        memcpy((uint8_t *)buffer + (size_t)i * size,
               bytes + (size_t)pto_tile_offset(shape, row, col + i) * size, size);
    return buffer;
}

/* A block of one value. */
static void fill_block(void *block, pto_dtype type, bool as_doubles, uint64_t code) {
    const size_t size = pto_dtype_bits(type) / 8;
    const double number = as_doubles ? number_of(type, code) : 0.0;
    size_t filled = as_doubles ? sizeof number : size;
    memcpy(block, as_doubles ? (const void *)&number : &code, filled);
    for (const size_t end = BLOCK * filled; filled < end; filled *= 2) /* both are powers of two */
        memcpy((uint8_t *)block + filled, block, filled);
}

/* b: a tile, or NULL for the value. */
static pto_status compare(const pto_kernel_call *call, const pto_tile *src, const pto_tile *b, uint64_t value,
                          int64_t mode) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_dtype type = src->type.dtype;
    const bool as_doubles = !loops[type][0];
    union {
        uint64_t words[BLOCK];
        double numbers[BLOCK];
    } fixed, gathered[2];
    pto_map_input input[3] = {pto_map_tile(src), b ? pto_map_tile(b) : pto_map_value(fixed.words),
                              pto_map_none()};
    if (!b) {
        if (pto_map_flushes(call, type))
            pto_map_flush(&value, type, 1);
        fill_block(&fixed, type, as_doubles, value);
    }
    if (!pto_map_stage(call, dst, input, 3))
        return PTO_ERR_NOMEM;
    const bool exchanged = mode == PTO_CMP_GT || mode == PTO_CMP_GE;
    const int which = mode == PTO_CMP_LT || mode == PTO_CMP_GT   ? 1
                      : mode == PTO_CMP_LE || mode == PTO_CMP_GE ? 2
                                                                 : 0;
    const compare_loop loop = as_doubles ? double_loops[which] : loops[type][which];
    const int64_t pitch = pto_mask_pitch(call, dst);
    const bool gapless = pitch % 8 != 0; /* rows begin inside of bytes */
    if (gapless)
        memset(dst->data, 0, (size_t)((src->valid_rows * pitch + 7) / 8));
    for (int32_t row = 0; row < src->valid_rows; row++) {
        uint8_t piece[BLOCK / 8], *whole = (uint8_t *)dst->data + row * pitch / 8;
        for (int32_t col = 0; col < src->valid_cols; col += BLOCK) {
            const int32_t rest = src->valid_cols - col, n = rest < BLOCK ? rest : BLOCK;
            const void *left = block_of(&input[0], type, as_doubles, row, col, n, &gathered[0]);
            const void *right = block_of(&input[1], type, as_doubles, row, col, n, &gathered[1]);
            uint8_t *to = gapless ? piece : whole + col / 8;
            int32_t done = 0;
#if defined(PTO_LEVEL_AVX512)
            if (masks[type][which]) {
                masks[type][which](to, exchanged ? right : left, exchanged ? left : right, n / 64,
                                   mode == PTO_CMP_NE);
                done = n / 64 * 64;
            }
#endif
            if (done < n) {
                const size_t skip = (size_t)done * (as_doubles ? sizeof(double) : pto_dtype_bits(type) / 8);
                const void *first = (const uint8_t *)left + skip, *second = (const uint8_t *)right + skip;
                uint8_t flags[BLOCK];
                loop(flags, exchanged ? second : first, exchanged ? first : second, n - done);
                pack(to + done / 8, flags, n - done, mode == PTO_CMP_NE);
            }
            if (gapless)
                pto_bits_put(dst->data, row * pitch + col, piece, n);
        }
    }
    return PTO_OK;
}

PTO_KERNEL(tcmp) {
    return compare(call, pto_call_tile(call, 1), pto_call_tile(call, 2), 0, pto_call_attr(call, 3));
}

PTO_KERNEL(tcmps) {
    const pto_tile *src = pto_call_tile(call, 1);
    return compare(call, src, NULL, pto_scalar_code(src->type.dtype, pto_call_scalar(call, 2)),
                   pto_call_attr(call, 3));
}

/* Element (0, 0), which stands first in every layout. */
PTO_KERNEL(tcmps_tile) {
    const pto_tile *src = pto_call_tile(call, 1), *threshold = pto_call_tile(call, 2);
    return compare(call, src, NULL, pto_exact_load(threshold->data, src->type.dtype, 0),
                   pto_call_attr(call, 3));
}
