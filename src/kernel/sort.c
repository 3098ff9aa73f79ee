/* SPDX-License-Identifier: Apache-2.0 */
/* TSORT32 (40, 3.1): blocks of 32 columns, each sorted by the rank of its elements. A rank is a count of
 * comparisons, which vectorises; nothing branches on the data. */
#include "kernel/block_form.h"
#include "kernel/sort.h"
#include "kernel/kernel.h"

#include <string.h>

enum { BLOCK = 32 };

typedef struct block {
    int64_t key[BLOCK]; /* ascending = descending value, then ascending index */
    uint32_t value[BLOCK], index[BLOCK];
} block;

#define LOAD(name, T, KEY)                                                                                   \
    static void name(block *b, const void *src, const uint32_t *index, int n) {                              \
        const T *x = src;                                                                                    \
        _Pragma("omp simd") for (int i = 0; i < n; i++) {                                                    \
            b->value[i] = x[i];                                                                              \
            b->index[i] = index[i];                                                                          \
            b->key[i] = (int64_t)((uint64_t)(uint32_t)~KEY(x[i]) << 32 | index[i]);                          \
        }                                                                                                    \
    }
LOAD(load_f32, uint32_t, pto_sort_key_f32)
LOAD(load_s32, uint32_t, pto_sort_key_s32)
LOAD(load_f16, uint16_t, pto_sort_key_f16)
LOAD(load_bf16, uint16_t, pto_sort_key_bf16)
LOAD(load_s16, uint16_t, pto_sort_key_s16)

/* Equal keys (same value, same index) would share a rank: then the position decides. */
static void rank_by_position(const block *b, int n, int64_t rank[BLOCK]) {
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
        for (int j = 0; j < n; j++)
            rank[i] += b->key[j] < b->key[i] || (b->key[j] == b->key[i] && j < i);
    }
}

/* By values alone, in half as many vectors; false when two of them are equal. */
static bool rank_by_value(const block *b, int64_t rank[BLOCK]) {
    int32_t key[BLOCK], count[BLOCK];
    uint32_t taken = 0;
    _Pragma("omp simd") for (int i = 0; i < BLOCK; i++) {
        key[i] = (int32_t)(b->key[i] >> 32);
        count[i] = 0;
    }
    for (int j = 0; j < BLOCK; j++) {
        const int32_t other = key[j];
        _Pragma("omp simd") for (int i = 0; i < BLOCK; i++) count[i] += other < key[i];
    }
    for (int i = 0; i < BLOCK; i++)
        taken |= UINT32_C(1) << count[i];
    for (int i = 0; i < BLOCK; i++)
        rank[i] = count[i];
    return taken == UINT32_MAX;
}

static void sort_block(const block *b, int n, pto_sort_pair *out) {
    int64_t rank[BLOCK];
    uint32_t taken = n == BLOCK && rank_by_value(b, rank) ? UINT32_MAX : 0;
    if (n == BLOCK && !taken) {
        for (int i = 0; i < BLOCK; i++)
            rank[i] = 0;
        for (int j = 0; j < BLOCK; j++) {
            const int64_t key = b->key[j];
            _Pragma("omp simd") for (int i = 0; i < BLOCK; i++) rank[i] += key < b->key[i];
        }
        for (int i = 0; i < BLOCK; i++)
            taken |= UINT32_C(1) << rank[i];
    }
    if (taken != UINT32_MAX)
        rank_by_position(b, n, rank);
    for (int i = 0; i < n; i++)
        out[rank[i]] = (pto_sort_pair){b->value[i], b->index[i]};
}

/* What the scratch form fills the last block up with: below everything (40, 3.1). */
static uint32_t pad_value(pto_dtype type) {
    switch (type) {
    case PTO_F32:
        return UINT32_C(0xFFC00000);
    case PTO_F16:
        return 0xFE00;
    case PTO_BF16:
        return 0xFFC0;
    case PTO_S16:
        return 0x8000;
    default:
        return UINT32_C(0x80000000);
    }
}

PTO_KERNEL(tsort32) {
    if (call->host->block_form)
        return pto_block_form_sort(call);
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1),
                   *idx = pto_call_tile(call, 2);
    const bool padded = pto_call_tile(call, 3) != NULL;
    const pto_dtype type = src->type.dtype;
    void (*const load)(block *, const void *, const uint32_t *, int) = type == PTO_F32    ? load_f32
                                                                       : type == PTO_F16  ? load_f16
                                                                       : type == PTO_BF16 ? load_bf16
                                                                       : type == PTO_S16  ? load_s16
                                                                                          : load_s32;
    const size_t size = pto_dtype_bits(type) / 8;
    const int32_t cols = src->valid_cols;
    block b;
    for (int32_t r = 0; r < src->valid_rows; r++) {
        const uint8_t *x = (const uint8_t *)src->data + (size_t)r * (size_t)src->type.cols * size;
        const uint32_t *index =
            (const uint32_t *)idx->data + (idx->valid_rows == 1 ? 0 : (size_t)r * (size_t)idx->type.cols);
        pto_sort_pair *out =
            (pto_sort_pair *)(void *)((uint8_t *)dst->data + (size_t)r * (size_t)dst->type.cols * size);
        for (int32_t c = 0; c < cols; c += BLOCK) {
            const int n = cols - c < BLOCK ? cols - c : BLOCK;
            load(&b, x + (size_t)c * size, index + c, n);
            sort_block(&b, n, out + c);
            for (int p = n; padded && p < BLOCK; p++)
                out[c + p] = (pto_sort_pair){pad_value(type), c + p < idx->type.cols ? index[c + p] : 0};
        }
    }
    return PTO_OK;
}
