/* SPDX-License-Identifier: Apache-2.0 */
/* TRANDOM (40, 5.4): Philox4x32. A lane is one block of four words; lane L uses counter + L. */
#include "kernel/kernel.h"

#include <string.h>

enum { LANES = 16, CHUNK_LANES = 64, CHUNK = 256 };

typedef struct counter {
    uint64_t low, high;
} counter;

static counter advance(counter c, uint64_t lanes) {
    c.high += c.low + lanes < c.low;
    c.low += lanes;
    return c;
}

/* LANES consecutive blocks; word[w][lane]. */
static void philox(counter at, uint32_t k0, uint32_t k1, int rounds, uint32_t word[4][LANES]) {
    uint32_t *const c0 = word[0], *const c1 = word[1], *const c2 = word[2], *const c3 = word[3];
    for (int lane = 0; lane < LANES; lane++) {
        const counter c = advance(at, (uint64_t)lane);
        c0[lane] = (uint32_t)c.low;
        c1[lane] = (uint32_t)(c.low >> 32);
        c2[lane] = (uint32_t)c.high;
        c3[lane] = (uint32_t)(c.high >> 32);
    }
    for (int r = 0; r < rounds; r++) {
        _Pragma("omp simd") for (int lane = 0; lane < LANES; lane++) {
            const uint64_t p0 = (uint64_t)c0[lane] * UINT32_C(0xD2511F53);
            const uint64_t p1 = (uint64_t)c2[lane] * UINT32_C(0xCD9E8D57);
            c0[lane] = (uint32_t)(p1 >> 32) ^ c1[lane] ^ k0;
            c2[lane] = (uint32_t)(p0 >> 32) ^ c3[lane] ^ k1;
            c1[lane] = (uint32_t)p1;
            c3[lane] = (uint32_t)p0;
        }
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}

/* n elements, at most a chunk; by words: element w * 64 + lane is word w, else element 4 lane + w. */
static void chunk(uint32_t *d, int32_t n, counter at, uint32_t k0, uint32_t k1, int rounds, bool by_words) {
    uint32_t word[4][LANES], buffer[CHUNK];
    const bool direct = !by_words && n == CHUNK;
    uint32_t *const out = direct ? d : buffer;
    for (int32_t first = 0; first < CHUNK_LANES && (by_words || 4 * first < n); first += LANES) {
        philox(advance(at, (uint64_t)first), k0, k1, rounds, word);
        for (int32_t lane = 0; lane < LANES; lane++)
            for (int32_t w = 0; w < 4; w++)
                out[by_words ? w * CHUNK_LANES + first + lane : 4 * (first + lane) + w] = word[w][lane];
    }
    if (!direct)
        memcpy(d, buffer, (size_t)n * sizeof *d);
}

static uint32_t word_of(const pto_kernel_call *call, int i) {
    return (uint32_t)(uint64_t)pto_call_scalar(call, i).i;
}

PTO_KERNEL(trandom) {
    const pto_tile *dst = pto_call_tile(call, 0);
    const uint32_t k0 = word_of(call, 1), k1 = word_of(call, 2);
    counter at = {(uint64_t)word_of(call, 4) << 32 | word_of(call, 3),
                  (uint64_t)word_of(call, 6) << 32 | word_of(call, 5)};
    const int rounds = (int)pto_call_attr(call, 7);
    const bool by_words = call->numeric->random_order_cpu, gaps = call->numeric->random_order_a5;
    for (int32_t r = 0; r < dst->valid_rows; r++) {
        uint32_t *d = (uint32_t *)dst->data + (size_t)r * (size_t)dst->type.cols;
        for (int32_t c = 0; c < dst->valid_cols; c += CHUNK) {
            const int32_t left = dst->valid_cols - c, n = left < CHUNK ? left : CHUNK;
            chunk(d + c, n, at, k0, k1, rounds, by_words);
            if (by_words)
                at = advance(at, (uint64_t)dst->type.cols / 4);
            else if (gaps && left <= CHUNK)
                at = advance(at, (uint64_t)(dst->valid_cols - 1) % 64 + 1);
            else
                at = advance(at, ((uint64_t)n + 3) / 4);
        }
    }
    return PTO_OK;
}
