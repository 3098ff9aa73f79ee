/* SPDX-License-Identifier: Apache-2.0 */
/* Arena, vectors and maps: zeroed aligned memory, limits, the jump on failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

static void allocations_are_aligned_zeroed_and_apart(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 0);
    unsigned char *blocks[400];
    for (size_t i = 0; i < 400; i++) {
        size_t size = i * 37 % 9001;
        blocks[i] = pto_arena_alloc(&arena, size);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % PTO_ARENA_ALIGN, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], (int)(i % 255) + 1, size);
    }
    for (size_t i = 0; i < 400; i++)
        for (size_t k = 0; k < i * 37 % 9001; k++)
            assert_int_equal(blocks[i][k], i % 255 + 1);
    assert_ptr_not_equal(pto_arena_alloc(&arena, 0), pto_arena_alloc(&arena, 0));
    pto_arena_free(&arena);
    assert_int_equal(arena.held, 0);
}

static void limit_holds_without_a_handler(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 10000);
    size_t got = 0;
    while (pto_arena_alloc(&arena, 100))
        got += 100;
    assert_int_equal(arena.failure, PTO_ERR_LIMIT);
    assert_in_range(got, 4000, 10000);
    assert_true(arena.held <= 10000);
    assert_null(pto_arena_array(&arena, SIZE_MAX / 2, 4));
    assert_null(pto_arena_alloc(&arena, SIZE_MAX));
    pto_arena_free(&arena);
    assert_int_equal(arena.limit, 10000);
    assert_non_null(pto_arena_alloc(&arena, 100));
    pto_arena_free(&arena);
}

static int fill_until_jump(pto_arena *arena) {
    jmp_buf handler;
    int reason = setjmp(handler);
    if (reason)
        return reason;
    arena->on_failure = &handler;
    for (;;)
        if (!pto_arena_printf(arena, "%d", 12345))
            return -1;
}

static void failure_jumps_to_the_handler(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 5000);
    assert_int_equal(fill_until_jump(&arena), PTO_ERR_LIMIT);
    assert_int_equal(arena.failure, PTO_ERR_LIMIT);
    pto_arena_free(&arena);
    assert_null(arena.on_failure);
}

static void text_is_copied_and_printed(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 0);
    assert_string_equal(pto_arena_strdup(&arena, (pto_str){"abcdef", 3}), "abc");
    assert_string_equal(pto_arena_strdup(&arena, (pto_str){NULL, 0}), "");
    assert_string_equal(pto_arena_printf(&arena, "%s-%d", "x", 7), "x-7");
    char *wide = pto_arena_printf(&arena, "%100000d", 1);
    assert_int_equal(strlen(wide), 100000);
    pto_arena_free(&arena);
}

static void grow_keeps_the_bytes_and_zeroes_the_tail(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 0);
    unsigned char *a = pto_arena_grow(&arena, NULL, 0, 10);
    memset(a, 7, 10);
    unsigned char *b = pto_arena_grow(&arena, a, 10, 100);
    assert_ptr_equal(a, b); /* the newest allocation grows in place */
    pto_arena_alloc(&arena, 1);
    unsigned char *c = pto_arena_grow(&arena, b, 100, 50000);
    assert_ptr_not_equal(b, c);
    for (size_t i = 0; i < 50000; i++)
        assert_int_equal(c[i], i < 10 ? 7 : 0);
    pto_arena_free(&arena);
}

typedef PTO_VEC(int) int_vec;

static void vector_grows(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 1 << 20);
    int_vec a = {0}, b = {0};
    for (int i = 0; i < 5000; i++) {
        assert_true(pto_vec_push(&arena, &a, i));
        assert_true(pto_vec_push(&arena, &b, -i));
    }
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(a.data[i], i);
        assert_int_equal(b.data[i], -i);
    }
    assert_int_equal(pto_vec_pop(&a), 4999);
    assert_int_equal(pto_vec_last(&a), 4998);
    *pto_vec_add(&arena, &a) += 5;
    assert_int_equal(pto_vec_last(&a), 5);
    assert_false(pto_vec_reserve(&arena, &a, SIZE_MAX / 2));
    assert_false(pto_vec_reserve(&arena, &a, 1 << 20));
    assert_int_equal(a.count, 5000);
    assert_int_equal(a.data[77], 77);
    pto_vec_clear(&a);
    assert_int_equal(a.count, 0);
    pto_arena_free(&arena);
}

static void map_finds_what_was_put(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 0);
    pto_map map;
    pto_map_init(&map, &arena);
    assert_null(pto_map_find(&map, PTO_STR("0")));
    for (unsigned i = 0; i < 3000; i++) {
        bool fresh = false;
        pto_str key = pto_str_from(pto_arena_printf(&arena, "%u", i));
        pto_map_value *value = pto_map_insert(&map, key, &fresh);
        assert_non_null(value);
        assert_true(fresh);
        assert_int_equal(value->number, 0);
        value->number = i + 1;
        assert_int_equal(pto_map_insert(&map, key, &fresh)->number, i + 1);
        assert_false(fresh);
    }
    assert_int_equal(map.count, 3000);
    for (unsigned i = 0; i < 3000; i++) {
        pto_map_value *value = pto_map_find(&map, pto_str_from(pto_arena_printf(&arena, "%u", i)));
        assert_non_null(value);
        assert_int_equal(value->number, i + 1);
    }
    assert_null(pto_map_find(&map, PTO_STR("3000")));
    assert_null(pto_map_find(&map, PTO_STR("")));
    assert_non_null(pto_map_insert(&map, PTO_STR(""), NULL));
    assert_non_null(pto_map_find(&map, (pto_str){NULL, 0}));
    pto_arena_free(&arena);
}

static void map_without_memory_refuses(void **state) {
    (void)state;
    pto_arena arena;
    pto_arena_init(&arena, 100);
    pto_map map;
    pto_map_init(&map, &arena);
    assert_null(pto_map_insert(&map, PTO_STR("a"), NULL));
    assert_null(pto_map_find(&map, PTO_STR("a")));
    pto_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_zeroed_and_apart),
        cmocka_unit_test(limit_holds_without_a_handler),
        cmocka_unit_test(failure_jumps_to_the_handler),
        cmocka_unit_test(text_is_copied_and_printed),
        cmocka_unit_test(grow_keeps_the_bytes_and_zeroes_the_tail),
        cmocka_unit_test(vector_grows),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(map_without_memory_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
