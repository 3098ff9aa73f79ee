/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of bits in arrays of words. */
#ifndef PTO_CHECK_BITS_H
#define PTO_CHECK_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits of a word that lie in [begin, end). */
static inline uint64_t pto_bits_mask(uint64_t word, uint64_t begin, uint64_t end) {
    uint64_t mask = UINT64_MAX;
    if (begin > word * 64)
        mask &= UINT64_MAX << (begin & 63);
    if (end < (word + 1) * 64)
        mask &= UINT64_MAX >> (64 - (end & 63));
    return mask;
}

static inline void pto_bits_set(uint64_t *bits, uint64_t begin, uint64_t end) {
    const uint64_t first = begin / 64, last = end ? (end - 1) / 64 : 0;
    if (begin >= end)
        return;
    bits[first] |= pto_bits_mask(first, begin, end);
    if (last > first + 1)
        memset(bits + first + 1, 0xff, (size_t)(last - first - 1) * sizeof *bits);
    bits[last] |= pto_bits_mask(last, begin, end);
}
static inline void pto_bits_clear(uint64_t *bits, uint64_t begin, uint64_t end) {
    const uint64_t first = begin / 64, last = end ? (end - 1) / 64 : 0;
    if (begin >= end)
        return;
    bits[first] &= ~pto_bits_mask(first, begin, end);
    if (last > first + 1)
        memset(bits + first + 1, 0, (size_t)(last - first - 1) * sizeof *bits);
    bits[last] &= ~pto_bits_mask(last, begin, end);
}

/* The first bit of the range with this value; `end` when there is none. */
static inline uint64_t pto_bits_find(const uint64_t *bits, uint64_t begin, uint64_t end, bool value) {
    if (begin >= end)
        return end;
    const uint64_t first = begin / 64, last = (end - 1) / 64, flip = value ? 0 : UINT64_MAX;
    uint64_t hits = (bits[first] ^ flip) & pto_bits_mask(first, begin, end);
    uint64_t w = first;
    for (; !hits && ++w < last;)
        hits = bits[w] ^ flip;
    if (!hits && w == last)
        hits = (bits[w] ^ flip) & pto_bits_mask(w, begin, end);
    return hits ? w * 64 + (uint64_t)__builtin_ctzll(hits) : end;
}

#endif
