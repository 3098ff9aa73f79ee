/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/irregular.h"
#include "reference/axis.h"

#include <math.h>
#include <string.h>

int reference_order(pto_dtype dtype, uint64_t a, uint64_t b) {
    double x = reference_value(dtype, a), y = reference_value(dtype, b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? 0 : isnan(x) ? -1 : 1;
    return x > y ? 1 : x < y ? -1 : 0;
}

void reference_sort(pto_dtype dtype, reference_pair *pairs, int count) {
    for (int i = 1; i < count; i++) { /* by insertion: stable */
        reference_pair taken = pairs[i];
        int at = i;
        while (at > 0) {
            int order = reference_order(dtype, taken.value, pairs[at - 1].value);
            if (order < 0 || (order == 0 && taken.index >= pairs[at - 1].index))
                break;
            pairs[at] = pairs[at - 1];
            at--;
        }
        pairs[at] = taken;
    }
}

int reference_merge(pto_dtype dtype, const reference_pair *const *lists, const int *lengths, int count,
                    bool exhausted, reference_pair *out, int *taken) {
    int total = 0;
    for (int t = 0; t < count; t++)
        taken[t] = 0;
    for (;;) {
        int best = -1;
        for (int t = 0; t < count; t++)
            if (taken[t] < lengths[t] && (best < 0 || reference_order(dtype, lists[t][taken[t]].value,
                                                                      lists[best][taken[best]].value) > 0))
                best = t;
        if (best < 0)
            return total;
        out[total++] = lists[best][taken[best]++];
        for (int t = 0; t < count && exhausted; t++)
            if (taken[t] == lengths[t])
                return total;
    }
}

bool reference_selected(const char *pattern, int p) {
    int digits = (int)strlen(pattern) - 1; /* after the P */
    return pattern[digits - p % digits] == '1';
}

void reference_philox(const uint32_t key[2], const uint32_t counter[4], int rounds, uint32_t word[4]) {
    uint32_t k0 = key[0], k1 = key[1], c[4];
    memcpy(c, counter, sizeof c);
    for (int r = 0; r < rounds; r++) {
        uint64_t p0 = (uint64_t)c[0] * 0xD2511F53u, p1 = (uint64_t)c[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c[3] ^ k1,
                            (uint32_t)p0};
        memcpy(c, next, sizeof c);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    memcpy(word, c, sizeof c);
}
