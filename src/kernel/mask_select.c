/* SPDX-License-Identifier: Apache-2.0 */
/* TSEL (10, 8.2) and TSELS (20, 2): the bits of one of two elements by a bit of a packed mask (10, 8.0). */
#include "kernel/bits.h"
#include "kernel/map.h"

#if defined(PTO_LEVEL_AVX512)
#include <immintrin.h>
#endif

enum { BLOCK = 512 };

/* d[i] = mask bit i ? a[i] : b[i] */
typedef void (*select_loop)(void *dst, const uint8_t *mask, const void *a, const void *b, int64_t n);

/* Whole vectors where a level blends by bits; the rest by bytes 0 and 1. */
#if defined(PTO_LEVEL_AVX512)
#define BLEND(width, lanes, M)                                                                               \
    for (; i + lanes <= n; i += lanes) {                                                                     \
        M bits;                                                                                              \
        memcpy(&bits, mask + i / 8, sizeof bits);                                                            \
        _mm512_storeu_si512(d + i, _mm512_mask_blend_epi##width(bits, _mm512_loadu_si512(y + i),             \
                                                                _mm512_loadu_si512(x + i)));                 \
    }
#else
#define BLEND(width, lanes, M)
#endif

static inline void expand(uint8_t *flags, const uint8_t *mask, int64_t n) {
    for (int64_t k = 0; k < (n + 7) / 8; k++) {
        const uint64_t spread = mask[k] * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
        const uint64_t eight = (spread + UINT64_C(0x7F7F7F7F7F7F7F7F)) >> 7 & UINT64_C(0x0101010101010101);
        memcpy(flags + 8 * k, &eight, sizeof eight);
    }
}

#define LOOP(name, T, width, lanes, M)                                                                       \
    static void name(void *dst, const uint8_t *mask, const void *a, const void *b, int64_t n) {              \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        int64_t i = 0;                                                                                       \
        BLEND(width, lanes, M)                                                                               \
        uint8_t flags[BLOCK];                                                                                \
        expand(flags, mask + i / 8, n - i);                                                                  \
        d += i, x += i, y += i, n -= i;                                                                      \
        _Pragma("omp simd") for (int64_t k = 0; k < n; k++) {                                                \
            const T m = (T)(0 - (T)flags[k]);                                                                \
            d[k] = (T)((x[k] & m) | (y[k] & (T)~m));                                                         \
        }                                                                                                    \
    }
LOOP(select_8, uint8_t, 8, 64, __mmask64)
LOOP(select_16, uint16_t, 16, 32, __mmask32)
LOOP(select_32, uint32_t, 32, 16, __mmask16)
LOOP(select_64, uint64_t, 64, 8, __mmask8)

static bool is_flat(const pto_tile_type *type) {
    return type->blayout == PTO_ROW_MAJOR && type->slayout == PTO_NONE_BOX;
}

/* n elements of a row from col on: where they stand, or gathered; 4-bit elements as bytes. */
static const void *block_of(const pto_map_input *input, int32_t row, int32_t col, int32_t n, void *buffer) {
    const pto_tile_type *type = input->type;
    if (!type)
        return input->data; /* a block of one value */
    const unsigned bits = pto_dtype_bits(type->dtype);
    const size_t size = bits < 8 ? 1 : bits / 8;
    if (bits >= 8 && is_flat(type))
        return (const uint8_t *)input->data + ((size_t)row * (size_t)type->cols + (size_t)col) * size;
    for (int32_t i = 0; i < n; i++) {
        const uint64_t code = pto_exact_load(input->data, type->dtype, pto_tile_offset(type, row, col + i));
        memcpy((uint8_t *)buffer + (size_t)i * size, &code, size);
    }
    return buffer;
}

/* Copies into scratch what dst would overwrite unread: the mask at its address, sources of another pitch. */
static bool stage(const pto_kernel_call *call, const pto_tile *dst, pto_map_input input[3]) {
    size_t size[3] = {0, 0, 0}, total = 0;
    for (int k = 0; k < 3; k++) {
        if (input[k].type && input[k].data == dst->data &&
            (k == 0 || !pto_map_same_walk(input[k].type, &dst->type)))
            size[k] = ((size_t)pto_tile_type_bytes(input[k].type) + 63) / 64 * 64;
        total += size[k];
    }
    uint8_t *at = total ? call->host->scratch(call->host->user, total) : NULL;
    if (total && !at)
        return false;
    for (int k = 0; k < 3; k++) {
        if (!size[k])
            continue;
        memcpy(at, input[k].data, (size_t)pto_tile_type_bytes(input[k].type));
        input[k].data = at;
        at += size[k];
    }
    return true;
}

/* input: mask, where 1, where 0 */
static pto_status select_by(const pto_kernel_call *call, pto_map_input input[3]) {
    pto_tile *dst = pto_call_tile(call, 0);
    if (!stage(call, dst, input))
        return PTO_ERR_NOMEM;
    const pto_tile_type *type = &dst->type;
    const unsigned bits = pto_dtype_bits(type->dtype);
    const size_t size = bits < 8 ? 1 : bits / 8;
    const select_loop loop = size == 1 ? select_8 : size == 2 ? select_16 : size == 4 ? select_32 : select_64;
    const int64_t pitch = pto_mask_pitch(call, pto_call_tile(call, 1));
    const bool gapless = pitch % 8 != 0; /* rows begin inside of bytes */
    const bool direct = bits >= 8 && is_flat(type);
    for (int32_t row = 0; row < dst->valid_rows; row++) {
        const uint8_t *bits_of_all = input[0].data, *row_mask = bits_of_all + row * pitch / 8;
        for (int32_t col = 0; col < dst->valid_cols; col += BLOCK) {
            const int32_t rest = dst->valid_cols - col, n = rest < BLOCK ? rest : BLOCK;
            uint64_t gathered[2][BLOCK], chosen[BLOCK];
            const void *x = block_of(&input[1], row, col, n, gathered[0]);
            const void *y = block_of(&input[2], row, col, n, gathered[1]);
            void *to = direct ? (uint8_t *)dst->data + ((size_t)row * (size_t)type->cols + (size_t)col) * size
                              : (void *)chosen;
            uint8_t piece[BLOCK / 8];
            if (gapless)
                pto_bits_take(piece, bits_of_all, row * pitch + col, n);
            loop(to, gapless ? piece : row_mask + col / 8, x, y, n);
            for (int32_t i = 0; !direct && i < n; i++) {
                uint64_t code = 0;
                memcpy(&code, (const uint8_t *)chosen + (size_t)i * size, size);
                pto_exact_store(dst->data, type->dtype, pto_tile_offset(type, row, col + i), code);
            }
        }
    }
    return PTO_OK;
}

PTO_KERNEL(tsel) {
    pto_map_input input[3];
    for (int k = 0; k < 3; k++)
        input[k] = pto_map_tile(pto_call_tile(call, k + 1));
    return select_by(call, input);
}

PTO_KERNEL(tsels) {
    const pto_dtype type = pto_call_tile(call, 0)->type.dtype;
    const uint64_t code = pto_scalar_code(type, pto_call_scalar(call, 4));
    const size_t size = pto_dtype_bits(type) < 8 ? 1 : pto_dtype_bits(type) / 8;
    uint64_t block[BLOCK];
    size_t filled = size;
    memcpy(block, &code, size);
    for (; filled < BLOCK * size; filled *= 2) /* both are powers of two */
        memcpy((uint8_t *)block + filled, block, filled);
    pto_map_input input[3] = {pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(pto_call_tile(call, 2)),
                              pto_map_value(block)};
    return select_by(call, input);
}
