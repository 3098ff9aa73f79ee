/* SPDX-License-Identifier: Apache-2.0 */
/* Packing on random programs: no two items that live at one time share a byte (brute force), every address is
 * aligned and in the memory, and the peak is near the fullest instant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pass/pack.h"

static uint64_t next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

enum { MOST = 400 };

/* Lives and sizes as kernels have them: short-lived temporaries, some that stay, sizes of a few kinds. */
static int32_t random_items(uint64_t *state, pto_pack_item *item) {
    int32_t count = 2 + (int32_t)(next(state) % (MOST - 2));
    int32_t length = count + (int32_t)(next(state) % 200);
    uint64_t kinds = 1 + next(state) % 6, size[6];
    for (uint64_t k = 0; k < kinds; k++)
        size[k] = 32 * (1 + next(state) % 512) - (next(state) % 4 == 0 ? 16 : 0);
    for (int32_t i = 0; i < count; i++) {
        int32_t begin = (int32_t)(next(state) % (uint64_t)length);
        int32_t life =
            next(state) % 8 == 0 ? (int32_t)(next(state) % (uint64_t)length) : (int32_t)(next(state) % 12);
        item[i] = (pto_pack_item){.begin = begin, .end = begin + life, .bytes = size[next(state) % kinds]};
    }
    return count;
}

static void check(const pto_pack_item *item, int32_t count, uint64_t align, uint64_t limit,
                  const pto_pack_result *r) {
    uint64_t peak = 0, bound = 0;
    for (int32_t i = 0; i < count; i++) {
        const pto_pack_item *a = &item[i];
        uint64_t live = 0;
        assert_int_equal(a->addr % align, 0);
        assert_true(a->addr + a->bytes <= limit);
        peak = a->addr + a->bytes > peak ? a->addr + a->bytes : peak;
        for (int32_t k = 0; k < count; k++) {
            const pto_pack_item *b = &item[k];
            if (b->begin <= a->begin && a->begin <= b->end)
                live += (b->bytes + align - 1) / align * align;
            bool meet = a->begin <= b->end && b->begin <= a->end;
            if (k < i && meet)
                assert_true(a->addr + a->bytes <= b->addr || b->addr + b->bytes <= a->addr);
        }
        bound = live > bound ? live : bound;
    }
    assert_int_equal(peak, r->peak);
    assert_int_equal(bound, r->bound);
}

static void near_the_bound(void **state) {
    (void)state;
    static pto_pack_item item[MOST];
    uint64_t seed = 7;
    double sum = 0, worst = 0;
    enum { TRIALS = 500 };
    for (int trial = 0; trial < TRIALS; trial++) {
        pto_arena arena;
        pto_arena_init(&arena, 0);
        uint64_t align = trial % 3 ? 32 : 512;
        int32_t count = random_items(&seed, item);
        pto_pack_result r = pto_pack(&arena, item, count, align, UINT64_C(1) << 40, NULL, 0);
        assert_true(r.fits);
        check(item, count, align, UINT64_C(1) << 40, &r);
        double ratio = (double)r.peak / (double)r.bound;
        sum += ratio;
        worst = ratio > worst ? ratio : worst;
        pto_arena_free(&arena);
    }
    print_message("peak / fullest instant over %d programs: %.4f on average, %.3f at worst\n", TRIALS,
                  sum / TRIALS, worst);
    assert_true(sum / TRIALS <= 1.05);
}

/* With a limit: what fits stays below it and off the taken bytes; what cannot fit is told with the bound. */
static void limits_and_taken_ranges(void **state) {
    (void)state;
    static pto_pack_item item[MOST];
    uint64_t seed = 11;
    int fitted = 0, refused = 0;
    for (int trial = 0; trial < 200; trial++) {
        pto_arena arena;
        pto_arena_init(&arena, 0);
        int32_t count = random_items(&seed, item) / 4 + 1;
        uint64_t limit = 32768 + next(&seed) % 200000;
        pto_pack_range taken[2] = {{limit / 2, limit / 2 + 1000}, {0, 64 + next(&seed) % 4096}};
        pto_pack_result r = pto_pack(&arena, item, count, 32, limit, taken, 2);
        if (r.fits) {
            check(item, count, 32, limit, &r);
            for (int32_t i = 0; i < count; i++)
                for (int k = 0; k < 2; k++)
                    assert_true(item[i].addr + item[i].bytes <= taken[k].begin ||
                                item[i].addr >= taken[k].end);
            fitted++;
        } else {
            refused++;
        }
        pto_arena_free(&arena);
    }
    assert_true(fitted > 20 && refused > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_the_bound),
                                       cmocka_unit_test(limits_and_taken_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
