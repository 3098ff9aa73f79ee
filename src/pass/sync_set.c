/* SPDX-License-Identifier: Apache-2.0 */
#include "pass/sync_set.h"

#include <string.h>

enum { ROOM = 2 * SYNC_INTERVALS + 2 };

/* Keeps the first SYNC_INTERVALS intervals after closing the smallest gaps. */
static void shrink(sync_set *set, sync_interval *at, int32_t count) {
    while (count > SYNC_INTERVALS) {
        int32_t best = 0;
        for (int32_t i = 1; i + 1 < count; i++)
            if (at[i + 1].low - at[i].high < at[best + 1].low - at[best].high)
                best = i;
        at[best].high = at[best + 1].high;
        memmove(&at[best + 1], &at[best + 2], (size_t)(count - best - 2) * sizeof *at);
        count--;
    }
    set->count = count;
    memcpy(set->at, at, (size_t)count * sizeof *at);
}

/* Inserts into a sorted list with room, joining what touches. */
static int32_t insert(sync_interval *at, int32_t count, int32_t low, int32_t high) {
    int32_t first = 0;
    while (first < count && at[first].high < low - 1)
        first++;
    int32_t last = first;
    while (last < count && at[last].low <= high + 1) {
        low = at[last].low < low ? at[last].low : low;
        high = at[last].high > high ? at[last].high : high;
        last++;
    }
    memmove(&at[first + 1], &at[last], (size_t)(count - last) * sizeof *at);
    at[first] = (sync_interval){low, high};
    return count - (last - first) + 1;
}

void sync_set_add(sync_set *set, int32_t low, int32_t high) {
    sync_interval at[ROOM];
    if (low > high)
        return;
    memcpy(at, set->at, sizeof set->at);
    shrink(set, at, insert(at, set->count, low, high));
}

void sync_set_join(sync_set *set, const sync_set *other) {
    for (int32_t i = 0; i < other->count; i++)
        sync_set_add(set, other->at[i].low, other->at[i].high);
}

void sync_set_meet(sync_set *set, const sync_set *other, int32_t low, int32_t high) {
    sync_interval kept[ROOM], at[ROOM];
    int32_t n = other->count, count = 0;
    memcpy(kept, other->at, sizeof other->at);
    if (low <= high)
        n = insert(kept, n, low, high);
    for (int32_t i = 0, k = 0; i < set->count && k < n;) {
        int32_t from = set->at[i].low > kept[k].low ? set->at[i].low : kept[k].low;
        int32_t to = set->at[i].high < kept[k].high ? set->at[i].high : kept[k].high;
        if (from <= to)
            at[count++] = (sync_interval){from, to};
        if (set->at[i].high < kept[k].high)
            i++;
        else
            k++;
    }
    shrink(set, at, count);
}

void sync_set_remove(sync_set *set, int32_t low, int32_t high) {
    sync_interval at[ROOM];
    int32_t count = 0;
    for (int32_t i = 0; i < set->count; i++) {
        if (set->at[i].low < low)
            at[count++] = (sync_interval){set->at[i].low, set->at[i].high < low ? set->at[i].high : low - 1};
        if (set->at[i].high > high)
            at[count++] = (sync_interval){set->at[i].low > high ? set->at[i].low : high + 1, set->at[i].high};
    }
    shrink(set, at, count);
}

bool sync_set_equal(const sync_set *a, const sync_set *b) {
    return a->count == b->count && !memcmp(a->at, b->at, (size_t)a->count * sizeof *a->at);
}
