/* SPDX-License-Identifier: Apache-2.0 */
/* TMRGSORT (40, 3.2): merges of descending lists of structures. The head with the largest value goes first,
 * of equal ones that of the lowest list. Merging four lists pairwise gives the same sequence. */
#include "kernel/block_form.h"
#include "kernel/kernel.h"
#include "kernel/sort.h"
#include "number/half.h"

#include <string.h>

enum { LISTS = 4 };

typedef struct list {
    const pto_sort_pair *at;
    int64_t count;
} list;

/* Two whole lists of one length, and where they are merged to. */
typedef struct merge_ends {
    const pto_sort_pair *a, *b;
    pto_sort_pair *out;
} merge_ends;

typedef struct merge_loops {
    /* At most `limit` structures of both lists. */
    void (*two)(list a, list b, pto_sort_pair *out, int64_t limit);
    /* Two merges of two lists of `count` each. */
    void (*pair)(merge_ends first, merge_ends second, int64_t count);
    /* Until a list is empty; counts what each list gave, keeps `limit` structures. */
    void (*until_empty)(const list *lists, int count, pto_sort_pair *out, int64_t limit, int64_t *taken);
} merge_loops;

/* Lists of one length are merged from both ends at once: no list can run empty before its half of the output
 * is written. The time is that of a chain of comparisons, each of which waits for the one before it, so that
 * the two chains of a merge, and those of two merges, overlap. */
/* Selects by masks, for gcc makes branches of some conditions, which random data mispredict. */
static inline const pto_sort_pair *chosen(bool second, const pto_sort_pair *a, const pto_sort_pair *b) {
    const uintptr_t mask = 0 - (uintptr_t)second;
    return (const pto_sort_pair *)((uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & mask));
}
#define STEP(ABOVE, m, x, y)                                                                                 \
    do {                                                                                                     \
        const bool second = ABOVE(m.b->value, m.a->value), last = ABOVE(y->value, x->value);                 \
        m.out[n] = *chosen(second, m.a, m.b);                                                                \
        m.out[2 * count - 1 - n] = *chosen(last, y, x);                                                      \
        m.a += 1 - (int)second;                                                                              \
        m.b += second;                                                                                       \
        x -= last;                                                                                           \
        y -= 1 - (int)last;                                                                                  \
    } while (0)
#define MERGE(name, KEY, ABOVE)                                                                              \
    static void name##_ends(merge_ends m, int64_t count) {                                                   \
        const pto_sort_pair *x = m.a + count - 1, *y = m.b + count - 1;                                      \
        for (int64_t n = 0; n < count; n++)                                                                  \
            STEP(ABOVE, m, x, y);                                                                            \
    }                                                                                                        \
    static void name##_pair(merge_ends p, merge_ends q, int64_t count) {                                     \
        const pto_sort_pair *px = p.a + count - 1, *py = p.b + count - 1;                                    \
        const pto_sort_pair *qx = q.a + count - 1, *qy = q.b + count - 1;                                    \
        for (int64_t n = 0; n < count; n++) {                                                                \
            STEP(ABOVE, p, px, py);                                                                          \
            STEP(ABOVE, q, qx, qy);                                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_two(list a, list b, pto_sort_pair *out, int64_t limit) {                              \
        if (a.count && a.count == b.count && limit >= 2 * a.count) {                                         \
            name##_ends((merge_ends){a.at, b.at, out}, a.count);                                             \
            return;                                                                                          \
        }                                                                                                    \
        int64_t i = 0, j = 0, n = 0;                                                                         \
        while (n < limit && i < a.count && j < b.count) {                                                    \
            const bool second = ABOVE(b.at[j].value, a.at[i].value);                                         \
            out[n++] = *chosen(second, &a.at[i], &b.at[j]);                                                  \
            i += 1 - (int64_t)second;                                                                        \
            j += second;                                                                                     \
        }                                                                                                    \
        for (; n < limit && i < a.count; i++)                                                                \
            out[n++] = a.at[i];                                                                              \
        for (; n < limit && j < b.count; j++)                                                                \
            out[n++] = b.at[j];                                                                              \
    }                                                                                                        \
    static void name##_until_empty(const list *lists, int count, pto_sort_pair *out, int64_t limit,          \
                                   int64_t *taken) {                                                         \
        int64_t key[LISTS], total = 0; /* 64 bits: an empty list is below every value */                     \
        bool empty = false, none = true;                                                                     \
        for (int t = 0; t < count; t++) {                                                                    \
            key[t] = lists[t].count ? KEY(lists[t].at[0].value) : INT64_MIN;                                 \
            empty |= lists[t].count == 0;                                                                    \
            none &= lists[t].count == 0;                                                                     \
            taken[t] = 0;                                                                                    \
        }                                                                                                    \
        if (none)                                                                                            \
            return;                                                                                          \
        do {                                                                                                 \
            int best = 0;                                                                                    \
            for (int t = 1; t < count; t++)                                                                  \
                best = key[t] > key[best] ? t : best;                                                        \
            if (total < limit)                                                                               \
                out[total] = lists[best].at[taken[best]];                                                    \
            total++;                                                                                         \
            if (++taken[best] == lists[best].count)                                                          \
                empty = true;                                                                                \
            else                                                                                             \
                key[best] = KEY(lists[best].at[taken[best]].value);                                          \
        } while (!empty);                                                                                    \
    }                                                                                                        \
    static const merge_loops name = {name##_two, name##_pair, name##_until_empty};
/* a goes before b, as their keys say: a NaN is below everything. */
static inline bool above_f32(uint32_t a, uint32_t b) {
    const float x = pto_f32_from_bits(a), y = pto_f32_from_bits(b);
    return !(y >= x) & (x == x);
}
static inline bool above_f16(uint32_t a, uint32_t b) { return pto_sort_key_f16(a) > pto_sort_key_f16(b); }
MERGE(merge_f32, pto_sort_key_f32, above_f32)
MERGE(merge_f16, pto_sort_key_f16, above_f16)

static const merge_loops *loops_of(const pto_tile *tile) {
    return tile->type.dtype == PTO_F32 ? &merge_f32 : &merge_f16;
}

/* Elements of the tile in a structure. */
static int64_t pair_elements(const pto_tile *tile) { return tile->type.dtype == PTO_F32 ? 2 : 4; }

static bool merge_all(const pto_kernel_call *call, const merge_loops *loops, const list *lists, int count,
                      pto_sort_pair *out, int64_t limit) {
    if (count == 2) {
        loops->two(lists[0], lists[1], out, limit);
        return true;
    }
    const int64_t first = lists[0].count + lists[1].count;
    const int64_t second = count == 4 ? lists[2].count + lists[3].count : 0;
    pto_sort_pair *half =
        call->host->scratch(call->host->user, (size_t)(first + second + 1) * sizeof(pto_sort_pair));
    if (!half)
        return false;
    list rest = lists[2];
    if (count == 4 && lists[0].count && lists[0].count == lists[1].count &&
        lists[0].count == lists[2].count && lists[0].count == lists[3].count) {
        loops->pair((merge_ends){lists[0].at, lists[1].at, half},
                    (merge_ends){lists[2].at, lists[3].at, half + first}, lists[0].count);
    } else {
        loops->two(lists[0], lists[1], half, first);
        if (count == 4)
            loops->two(lists[2], lists[3], half + first, second);
    }
    if (count == 4)
        rest = (list){half + first, second};
    loops->two((list){half, first}, rest, out, limit);
    return true;
}

/* Form A: runs of four sorted blocks inside one list. */
PTO_KERNEL(tmrgsort) {
    if (call->host->block_form)
        return pto_block_form_merge(call);
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    const int64_t block = pto_call_scalar(call, 2).i / pair_elements(src);
    const int64_t count = src->valid_cols / pair_elements(src);
    const pto_sort_pair *from = src->data;
    pto_sort_pair *to = dst->data;
    const merge_loops *loops = loops_of(src);
    int64_t at = 0;
    if (count >= 8 * block) { /* two groups at a time: their merges overlap */
        pto_sort_pair *half = call->host->scratch(call->host->user, (size_t)(8 * block) * sizeof *half);
        if (!half)
            return PTO_ERR_NOMEM;
        for (; at + 8 * block <= count; at += 8 * block) {
            for (int64_t t = 0; t < 8 * block; t += 4 * block)
                loops->pair(
                    (merge_ends){from + at + t, from + at + t + block, half + t},
                    (merge_ends){from + at + t + 2 * block, from + at + t + 3 * block, half + t + 2 * block},
                    block);
            loops->pair((merge_ends){half, half + 2 * block, to + at},
                        (merge_ends){half + 4 * block, half + 6 * block, to + at + 4 * block}, 2 * block);
        }
    }
    for (; at + 4 * block <= count; at += 4 * block) {
        list lists[LISTS];
        for (int t = 0; t < LISTS; t++)
            lists[t] = (list){from + at + t * block, block};
        if (!merge_all(call, loops, lists, LISTS, to + at, 4 * block))
            return PTO_ERR_NOMEM;
    }
    return PTO_OK;
}

/* Form B: (dst, executed, tmp, src0, src1[, src2[, src3]], exhausted). */
static pto_status merge_lists(const pto_kernel_call *call, int count) {
    const pto_tile *dst = pto_call_tile(call, 0);
    const int64_t unit = pair_elements(dst), limit = dst->valid_rows ? dst->valid_cols / unit : 0;
    list lists[LISTS];
    int64_t taken[LISTS] = {0};
    for (int t = 0; t < count; t++) {
        const pto_tile *src = pto_call_tile(call, 3 + t);
        taken[t] = src->valid_rows ? src->valid_cols / unit : 0;
        lists[t] = (list){src->data, taken[t]};
    }
    if (pto_call_attr(call, 3 + count))
        loops_of(dst)->until_empty(lists, count, dst->data, limit, taken);
    else if (!merge_all(call, loops_of(dst), lists, count, dst->data, limit))
        return PTO_ERR_NOMEM;
    const pto_operand *executed = &call->instr->operand[1];
    if (executed->kind == PTO_OPERAND_COUNTS)
        for (int t = 0; t < LISTS; t++)
            executed->counts->list[t] = (uint16_t)taken[t];
    return PTO_OK;
}

PTO_KERNEL(tmrgsort_2) { return merge_lists(call, 2); }
PTO_KERNEL(tmrgsort_3) { return merge_lists(call, 3); }
PTO_KERNEL(tmrgsort_4) { return merge_lists(call, 4); }
