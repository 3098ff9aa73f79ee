/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C in other orders than their own: an option of the launch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <pto/pto-inst.h>

enum { BLOCKS = 3, SIZE = 64 };

typedef struct arguments {
    float x[BLOCKS][SIZE], y[BLOCKS][SIZE];
    bool load_flag, store_flag, own_rows, element_flag;
    int waits; /* flags that nobody sets */
} arguments;

/* y = relu(x) + x[0], a flag of each pair of pipes left out on demand. */
static void kernel(void *user) {
    arguments *a = user;
    const uint32_t block = pto_block_idx();
    PTO_TILE(t, Vec, float, 8, 8);
    PTO_TILE(u, Vec, float, 8, 8);
    TASSIGN(t, 0x0);
    TASSIGN(u, 0x400);
    PTO_GLOBAL(x, a->x[block], float, 8, 8);
    PTO_GLOBAL(y, a->y[a->own_rows ? block : 0], float, 8, 8);
    TLOAD(t, x);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    if (a->load_flag)
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TRELU(u, t);
    if (a->element_flag)
        wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    pto_scalar first = {0};
    pto_tile_get_value(pto_core_current(), t, 0, &first);
    pipe_barrier(PIPE_V);
    TADDS(u, u, first.f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    if (a->store_flag)
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y, u);
    for (int i = 0; i < a->waits; i++)
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
}

static void prepare(arguments *a) {
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < SIZE; i++) {
            a->x[b][i] = (float)(i + 1 - 20 * b * (i % 3));
            a->y[b][i] = -1;
        }
}

static pto_status run(arguments *a, const char *schedule, uint32_t blocks, pto_diag_list *diags) {
    pto_launch_options options = {.core = {.target = PTO_TARGET_A5}, .blocks = blocks, .threads = 1};
    prepare(a);
    assert_true(pto_schedule_parse(schedule, &options.schedule));
    return pto_launch(&options, kernel, a, diags);
}

/* In how many of some schedules the result is another one than by the formula. */
static int differing(arguments a, uint32_t blocks) {
    static float wanted[BLOCKS][SIZE];
    pto_diag_list *diags = pto_diag_list_create();
    prepare(&a);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (int i = 0; i < SIZE; i++)
            wanted[b][i] = b < blocks ? (a.x[b][i] > 0 ? a.x[b][i] : 0) + a.x[b][0] : -1;
    if (!a.own_rows) { /* program order: the last block's */
        memcpy(wanted[0], wanted[blocks - 1], sizeof wanted[0]);
        for (uint32_t b = 1; b < BLOCKS; b++)
            for (int i = 0; i < SIZE; i++)
                wanted[b][i] = -1;
    }
    int count = 0;
    static const char *const schedules[] = {"adversarial", "random:1", "random:2", "random:3", "random:4",
                                            "random:5",    "random:6", "random:7", "random:8", "random:9"};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        assert_int_equal(run(&a, schedules[i], blocks, diags), PTO_OK);
        count += memcmp(a.y, wanted, sizeof wanted) != 0;
        static float again[BLOCKS][SIZE];
        memcpy(again, a.y, sizeof again);
        assert_int_equal(run(&a, schedules[i], blocks, diags), PTO_OK);
        assert_memory_equal(a.y, again, sizeof again);
    }
    pto_diag_list_destroy(diags);
    return count;
}

static const arguments sound = {
    .load_flag = true, .store_flag = true, .own_rows = true, .element_flag = true};

static void a_missing_flag_shows(void **state) {
    (void)state;
    assert_int_equal(differing(sound, 1), 0);
    assert_int_equal(differing(sound, BLOCKS), 0);
    arguments a = sound;
    a.load_flag = false;
    assert_true(differing(a, 1) > 0);
    a = sound;
    a.store_flag = false;
    assert_true(differing(a, BLOCKS) > 0);
    a = sound;
    a.element_flag = false;
    assert_true(differing(a, 1) > 0);
}

/* Runs start in their order, but take turns. */
static void blocks_take_turns(void **state) {
    (void)state;
    arguments a = sound;
    a.own_rows = false;
    assert_true(differing(a, BLOCKS) > 0);
}

static void who_waits_for_ever_is_told(void **state) {
    (void)state;
    arguments a = sound;
    a.waits = 1;
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(run(&a, "random:1", BLOCKS, diags), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(diags, "PTO-E0921"));
    pto_diag_list_destroy(diags);
}

static void bad_kernel(void *user) {
    (void)user;
    PTO_TILE(t, Vec, float, 8, 8);
    PTO_TILE(u, Vec, float, 8, 16);
    PTO_TILE(v, Vec, float, 8, 16);
    TEXPANDS(v, 1.0f);
    TRELU(u, t); /* of two shapes */
    TRELU(u, v);
}

static void a_refusal_ends_it(void **state) {
    (void)state;
    pto_diag_list *diags = pto_diag_list_create();
    pto_launch_options options = {.core = {.target = PTO_TARGET_A5}, .blocks = 100};
    options.schedule.kind = PTO_SCHEDULE_ADVERSARIAL;
    assert_int_equal(pto_launch(&options, bad_kernel, NULL, diags), PTO_ERR_REFUSED);
    assert_true(pto_diag_count(diags, PTO_ERROR) > 0);
    options.checks = PTO_CHECK_RACE;
    assert_int_equal(pto_launch(&options, bad_kernel, NULL, diags), PTO_ERR_USAGE);
    pto_diag_list_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_flag_shows),
        cmocka_unit_test(blocks_take_turns),
        cmocka_unit_test(who_waits_for_ever_is_told),
        cmocka_unit_test(a_refusal_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
