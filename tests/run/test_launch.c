/* SPDX-License-Identifier: Apache-2.0 */
/* C kernels: the upper-case macros of <pto/pto-inst.h> choose call forms by their arguments, cores belong to
 * threads, launches are deterministic and stop at the first failing block. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <pto/pto-inst.h>

/* The founding documents' kernels in C: as in their listings, declarations apart. */
static void example_auto(float deqScale) {
    PTO_TILE(src0, Vec, int32_t, 16, 16);
    PTO_TILE(src1, Vec, int32_t, 16, 16);
    PTO_TILE(dst, Vec, half, 16, 16);
    PTO_TILE(tmp, Vec, int32_t, 16, 16);
    assert_int_equal(TADDDEQRELU(dst, src0, src1, deqScale, tmp), PTO_OK);
    assert_non_null(dst->data);
}

static void example_manual(float deqScale) {
    PTO_TILE(src0, Vec, int32_t, 16, 16);
    PTO_TILE(src1, Vec, int32_t, 16, 16);
    PTO_TILE(dst, Vec, half, 16, 16);
    PTO_TILE(tmp, Vec, int32_t, 16, 16);
    TASSIGN(src0, 0x0000);
    TASSIGN(src1, 0x0800);
    TASSIGN(tmp, 0x1000);
    TASSIGN(dst, 0x1800);
    int32_t *a = src0->data, *b = src1->data;
    for (int i = 0; i < 256; i++) {
        a[i] = 100 * i;
        b[i] = -12800;
    }
    assert_int_equal(TADDDEQRELU(dst, src0, src1, deqScale, tmp), PTO_OK);
    const uint16_t *half = dst->data;
    assert_int_equal(half[0], 0x0000);   /* negative sums become +0 */
    assert_int_equal(half[128], 0x0000); /* 0 * 0.5 */
    assert_int_equal(half[129], 0x5240); /* 100 * 0.5 = 50 */
    assert_int_equal(half[255], 0x6e34); /* 12700 * 0.5 = 6350, halfway: even is 6352 */
}

static void test_documents_kernels(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_options options = {.target = (pto_target)target};
        pto_core *core = pto_core_create(&options);
        assert_null(pto_core_set_current(core));
        example_auto(0.5f);
        example_manual(0.5f);
        assert_int_equal(pto_diag_count(pto_core_diags(core), PTO_ERROR), 0);
        assert_ptr_equal(pto_core_set_current(NULL), core);
        pto_core_destroy(core);
    }
}

static void test_forms_by_arguments(void **state) {
    (void)state;
    PTO_TILE(x, Vec, float, 2, 8);
    PTO_TILE(y, Vec, float, 2, 8);
    assert_int_equal(TEXPANDS(x, 8.0f), PTO_OK);
    assert_int_equal(TDIVS(y, x, 2.0f), PTO_OK);
    assert_true(*(float *)y->data == 4.0f);
    assert_int_equal(TDIVS(y, 2.0f, x), PTO_OK);
    assert_true(*(float *)y->data == 0.25f);
    assert_int_equal(TADDS(y, x, 3), PTO_OK); /* an integer for a float tile is converted */
    assert_true(*(float *)y->data == 11.0f);
    PTO_TILE(i, Vec, int32_t, 2, 8);
    assert_int_equal(TCVT(i, y, PTO_CAST_RINT), PTO_OK);
    assert_int_equal(*(int32_t *)i->data, 11);
    assert_int_equal(TCVT(i, y), PTO_OK);
    /* tmp in place of the mode: told apart by kind */
    PTO_TILE(tmp, Vec, float, 2, 8);
    assert_int_equal(TCVT(i, y, tmp, PTO_CAST_RINT, PTO_SAT_ON), PTO_OK);

    pto_diag_list *diags = pto_core_diags(pto_core_current());
    pto_diag_list_clear(diags);
    assert_int_equal(TADD(x, y), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(diags, "PTO-E0902"));
    pto_diag_list_clear(diags);
    assert_int_equal(TRELU(x, y, 3), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(diags, "PTO-E0902"));
    pto_diag_list_clear(diags);
}

enum { BLOCKS = 37 };
typedef struct work {
    float out[BLOCKS];
    int fail_at;
} work;

static void kernel(void *argument) {
    work *w = argument;
    uint32_t block = pto_block_idx();
    assert_int_equal(pto_block_num(), BLOCKS);
    PTO_TILE(x, Vec, float, 1, 8);
    TASSIGN(x, 0x100);
    /* on-chip memory is zero in every block, whatever ran on the core before */
    PTO_TILE(before, Vec, float, 1, 8);
    TASSIGN(before, 0x200);
    TADDS(x, before, (float)block);
    TEXPANDS(before, 1000.0f);
    PTO_TILE_VALID(one, Vec, float, 1, 8, 1, 1);
    TASSIGN(one, 0x100);
    PTO_GLOBAL(g, &w->out[block], float, 1, 1);
    TSTORE(g, one);
    if (w->fail_at >= 0 && (int)block >= w->fail_at) {
        PTO_TILE(bad, Vec, uint8_t, 1, 32);
        TSQRT(bad, bad);
    }
}

static void test_launch_results_do_not_depend_on_threads(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        work w = {.fail_at = -1};
        pto_launch_options options = {.blocks = BLOCKS, .threads = threads};
        assert_int_equal(pto_launch(&options, kernel, &w, NULL), PTO_OK);
        for (int b = 0; b < BLOCKS; b++)
            assert_true(w.out[b] == (float)b);
        assert_int_equal(pto_block_idx(), 0);
        assert_int_equal(pto_block_num(), 1);
    }
}

static void test_launch_stops_at_a_failing_block(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        work w = {.fail_at = 5};
        pto_diag_list *diags = pto_diag_list_create();
        pto_launch_options options = {.blocks = BLOCKS, .threads = threads};
        assert_int_equal(pto_launch(&options, kernel, &w, diags), PTO_ERR_REFUSED);
        assert_true(pto_diag_has(diags, "PTO-E0302"));
        for (int b = 0; b < 5; b++)
            assert_true(w.out[b] == (float)b);
        assert_true(w.out[BLOCKS - 1] == 0.0f);
        pto_diag_list_destroy(diags);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_kernels),
        cmocka_unit_test(test_forms_by_arguments),
        cmocka_unit_test(test_launch_results_do_not_depend_on_threads),
        cmocka_unit_test(test_launch_stops_at_a_failing_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
