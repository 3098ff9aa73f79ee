/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the matrix kernel as it reads them. Elements become *units* of 32 bits: a float (f16, bf16, f32
 * and the 8-bit floats, exactly), or a pair of s16 for s8, neighbours along k.
 *
 * Left: blocks of 8 units along k, in each all rows, 8 units a row. That is the Nz layout of f32 itself.
 * Right: panels of MATMUL_PANEL columns, in each unit by unit along k, one word a column. */
#ifndef PTO_KERNEL_MATMUL_PACK_H
#define PTO_KERNEL_MATMUL_PACK_H

#include "kernel/matmul_vec.h"
#include "number/small.h"
#include "tile/tile.h"

enum {
    MATMUL_LEFT_UNITS = 8,  /* units of a row in a block of the left operand */
    MATMUL_BOX = 512,       /* bytes of an inner box of either operand */
    MATMUL_BOX_UNITS = 512, /* units of a box at most (8-bit floats) */
    MATMUL_PANEL = (VEC_COLS * VEC_LANES + 15) / 16 * 16
};

/* How elements become units. */
typedef struct matmul_format {
    pto_dtype dtype;
    int bytes;       /* of an element */
    int per_unit;    /* elements: 2 for s8 */
    uint32_t normal; /* magnitude below which a float is flushed to zero; 0 = keep */
    uint8_t
        dropped;    /* low fraction bits that f32 is rounded to leave 0 (40, 1.3): 12 for hf32, 13 for tf32 */
    bool ties_away; /* of that rounding; else to even */
} matmul_format;

/* Smallest normal magnitudes, as f32; the 8-bit formats know no flushing. */
static inline matmul_format matmul_format_of(pto_dtype dtype, bool flush) {
    const uint32_t normal = dtype == PTO_F16 ? UINT32_C(0x38800000) : UINT32_C(0x00800000);
    const int bytes = (int)pto_dtype_bits(dtype) / 8;
    return (matmul_format){.dtype = dtype,
                           .bytes = bytes,
                           .per_unit = dtype == PTO_S8 ? 2 : 1,
                           .normal = flush && dtype != PTO_S8 && bytes > 1 ? normal : 0};
}

static inline uint32_t matmul_flush(uint32_t bits, uint32_t normal) {
    return (bits & UINT32_C(0x7FFFFFFF)) < normal ? bits & UINT32_C(0x80000000) : bits;
}

/* Fewer fraction bits; a carry may reach the exponent, even that of Inf. Inf and NaN stay as they are. */
static inline uint32_t matmul_round(uint32_t bits, unsigned dropped, bool ties_away) {
    const uint32_t half = UINT32_C(1) << (dropped - 1), odd = bits >> dropped & 1;
    const uint32_t rounded = (bits + (ties_away ? half : half - 1 + odd)) & ~(2 * half - 1);
    return (bits & UINT32_C(0x7F800000)) == UINT32_C(0x7F800000) ? bits : rounded;
}

#define MATMUL_CONVERT(type, value)                                                                          \
    do {                                                                                                     \
        const type *element = from;                                                                          \
        _Pragma("omp simd") for (int i = 0; i < units; i++) to[i] = pto_f32_bits(value);                     \
    } while (0)

/* `units` units (a multiple of 8) from consecutive elements. */
static inline void matmul_convert(const matmul_format *format, vec_word *to, const void *from, int units) {
    switch (format->dtype) {
    case PTO_S8: {
        const int8_t *element = from;
        vec_half *half = (vec_half *)to; /* the lower column in the lower half: little endian */
#pragma omp simd
        for (int i = 0; i < 2 * units; i++)
            half[i] = element[i];
        break;
    }
    case PTO_F16:
#ifdef __F16C__
        for (int i = 0; i < units; i += 8)
            _mm256_storeu_ps((float *)(void *)(to + i),
                             _mm256_cvtph_ps(_mm_loadu_si128((const void *)((const uint16_t *)from + i))));
#else
        MATMUL_CONVERT(uint16_t, pto_f32_from_f16(element[i]));
#endif
        break;
    case PTO_BF16:
        MATMUL_CONVERT(uint16_t, pto_f32_from_bf16_raw(element[i]));
        break;
    case PTO_E4M3:
        MATMUL_CONVERT(uint8_t, pto_f32_from_e4m3(element[i]));
        break;
    case PTO_E5M2:
        MATMUL_CONVERT(uint8_t, pto_f32_from_e5m2(element[i]));
        break;
    case PTO_HIF8:
        MATMUL_CONVERT(uint8_t, pto_f32_from_hif8(element[i]));
        break;
    default: /* PTO_F32 */
        memcpy(to, from, (size_t)units * sizeof *to);
        break;
    }
    if (format->normal)
        for (int i = 0; i < units; i++)
            to[i] = matmul_flush(to[i], format->normal);
    if (format->dropped)
        for (int i = 0; i < units; i++)
            to[i] = matmul_round(to[i], format->dropped, format->ties_away);
}

/* Whether units are the bytes of the tile. */
static inline bool matmul_is_as_is(const matmul_format *format) {
    return format->dtype == PTO_F32 && !format->normal && !format->dropped;
}

/* Units along k that the kernel reads, whole blocks; and that a packed panel holds, whole boxes. */
static inline int matmul_round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/* Packs the first `rows` rows and `k` columns of a Left tile; block b starts at to + b * rows * 8. */
static inline void matmul_pack_left(vec_word *to, const pto_tile *tile, const matmul_format *format, int rows,
                                    int k) {
    const pto_tile_type *type = &tile->type;
    const int units = (k + format->per_unit - 1) / format->per_unit;
    const int step = MATMUL_LEFT_UNITS * format->per_unit; /* columns of a block */
    for (int block = 0; block * MATMUL_LEFT_UNITS < units; block++) {
        for (int row = 0; row < rows;) {
            /* rows of one box follow each other at the box's pitch */
            int count = rows - row < 16 ? rows - row : 16;
            const char *from =
                (const char *)tile->data + pto_tile_offset(type, row, block * step) * format->bytes;
            for (int r = 0; r < count; r++)
                matmul_convert(format, to + (int64_t)r * MATMUL_LEFT_UNITS, from + (int64_t)r * 32,
                               MATMUL_LEFT_UNITS);
            row += count;
            to += (int64_t)count * MATMUL_LEFT_UNITS;
        }
    }
    if (k % format->per_unit) { /* the partner behind the last column counts as zero */
        vec_word *last = to - (int64_t)rows * MATMUL_LEFT_UNITS + (units - 1) % MATMUL_LEFT_UNITS;
        for (int row = 0; row < rows; row++)
            ((vec_half *)(last + (int64_t)row * MATMUL_LEFT_UNITS))[1] = 0;
    }
}

/* Packs `cols` columns from `col` on (a multiple of 16) of the first `k` rows of a Right tile, whole boxes.
 */
static inline void matmul_pack_right(vec_word *to, const pto_tile *tile, const matmul_format *format, int col,
                                     int cols, int k) {
    const pto_tile_type *type = &tile->type;
    const int box_rows = 32 / format->bytes, box_units = box_rows / format->per_unit;
    const bool as_is = matmul_is_as_is(format);
    vec_word staged[MATMUL_BOX_UNITS];
    for (int row = 0; row < k; row += box_rows) {
        for (int c = 0; c < cols; c += 16) {
            const void *box = (const char *)tile->data + pto_tile_offset(type, row, col + c) * format->bytes;
            const vec_word *units = box;
            if (!as_is) {
                matmul_convert(format, staged, box, 16 * box_units);
                units = staged;
            }
            vec_transpose16(to + c, MATMUL_PANEL, units, box_units, box_units);
        }
        to += (int64_t)box_units * MATMUL_PANEL;
    }
}

#endif
