/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of ordinals as a few intervals. A set that needs more takes in the smallest gap: it may grow beyond
 * what it should hold, never lose anything. */
#ifndef PTO_PASS_SYNC_SET_H
#define PTO_PASS_SYNC_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sync_interval {
    int32_t low, high; /* both belong to it */
} sync_interval;
enum { SYNC_INTERVALS = 6 };
typedef struct sync_set {
    int32_t count;
    sync_interval at[SYNC_INTERVALS]; /* ascending, apart from each other */
} sync_set;

void sync_set_add(sync_set *set, int32_t low, int32_t high);
void sync_set_join(sync_set *set, const sync_set *other);
/* Keeps what other, or the interval, holds. */
void sync_set_meet(sync_set *set, const sync_set *other, int32_t low, int32_t high);
void sync_set_remove(sync_set *set, int32_t low, int32_t high);
bool sync_set_equal(const sync_set *a, const sync_set *b);
/* The largest member from low to high; -1 = none. */
static inline int32_t sync_set_last(const sync_set *set, int32_t low, int32_t high) {
    for (int32_t i = set->count - 1; i >= 0 && set->at[i].high >= low; i--)
        if (set->at[i].low <= high)
            return set->at[i].high < high ? set->at[i].high : high;
    return -1;
}
/* Adds an ordinal, and what lies between it and the one before it if that is in the set. */
static inline void sync_set_append(sync_set *set, int32_t before, int32_t ordinal) {
    sync_interval *last = set->count ? &set->at[set->count - 1] : NULL;
    if (last && before >= last->low && before <= last->high) { /* the common case */
        if (ordinal > last->high)
            last->high = ordinal;
        return;
    }
    sync_set_add(set, sync_set_last(set, before, before) >= 0 ? before : ordinal, ordinal);
}

#endif
