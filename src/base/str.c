/* SPDX-License-Identifier: Apache-2.0 */
/* String views: comparison, slices, edit distance. */
#include "base/str.h"

#include <string.h>

static unsigned char lower(char c) {
    unsigned char u = (unsigned char)c;
    return (unsigned char)(u >= 'A' && u <= 'Z' ? u + ('a' - 'A') : u);
}

bool pto_str_equal_ignore_case(pto_str a, pto_str b) {
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    return true;
}

bool pto_str_starts_with(pto_str string, pto_str prefix) {
    return string.len >= prefix.len && pto_str_equal((pto_str){string.data, prefix.len}, prefix);
}

bool pto_str_ends_with(pto_str string, pto_str suffix) {
    return string.len >= suffix.len &&
           pto_str_equal(pto_str_slice(string, string.len - suffix.len, string.len), suffix);
}

int pto_str_compare(pto_str a, pto_str b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

pto_str pto_str_slice(pto_str string, size_t from, size_t to) {
    if (to > string.len)
        to = string.len;
    if (from > to)
        from = to;
    /* NULL + 0 is undefined in C. */
    return (pto_str){string.data ? string.data + from : NULL, to - from};
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

pto_str pto_str_trim(pto_str string) {
    size_t from = 0, to = string.len;
    while (from < to && is_space(string.data[from]))
        from++;
    while (to > from && is_space(string.data[to - 1]))
        to--;
    return pto_str_slice(string, from, to);
}

#define DISTANCE_MAX 63

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

unsigned pto_str_distance(pto_str a, pto_str b, unsigned limit) {
    if (a.len > DISTANCE_MAX || b.len > DISTANCE_MAX)
        return limit + 1;
    size_t gap = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (gap > limit)
        return limit + 1;
    /* Three rows of the table: the swap of neighbours looks two rows back. */
    unsigned rows[3][DISTANCE_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        unsigned best = row[0];
        for (size_t j = 1; j <= b.len; j++) {
            unsigned char x = lower(a.data[i - 1]), y = lower(b.data[j - 1]);
            unsigned cost = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b.data[j - 2]) && lower(a.data[i - 2]) == y)
                cost = least(cost, two_above[j - 2] + 1);
            row[j] = cost;
            best = least(best, cost);
        }
        /* A swap may still come out of the row above, one cheaper than this row's best. */
        if (best > limit + 1)
            return limit + 1;
    }
    return least(rows[a.len % 3][b.len], limit + 1);
}

int pto_str_nearest(pto_str word, const pto_str *candidates, size_t count) {
    unsigned limit = word.len < 3 ? 1 : (unsigned)(word.len > DISTANCE_MAX ? DISTANCE_MAX : word.len) / 3;
    int nearest = -1;
    for (size_t i = 0; i < count && i <= 0x7fffffff; i++) {
        unsigned distance = pto_str_distance(word, candidates[i], limit);
        /* A one-letter name is one edit away from every other: that is no hint. */
        if (distance > limit || distance >= word.len)
            continue;
        nearest = (int)i;
        if (distance == 0)
            break;
        limit = distance - 1;
    }
    return nearest;
}
