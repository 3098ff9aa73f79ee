/* SPDX-License-Identifier: Apache-2.0 */
/* Two vector cores in a block: their numbers, and the halves that the dual modes of moves from acc give them,
 * in C kernels and in programs; single elements; prefetches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/program_testing.h"
#include <pto/async.h>
#include <pto/functions.h>
#include <pto/pto-inst.h>

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 5 };

typedef struct work {
    float in[BLOCKS][16 * 16], out[BLOCKS][16 * 16];
} work;

/* Each core stores its half of the rows of an accumulator. */
static void kernel(void *argument) {
    work *w = argument;
    const uint32_t block = pto_block_idx(), core = pto_subblock_idx();
    assert_int_equal(pto_subblock_num(), 2);
    PTO_TILE_ACC(acc, float, 16, 16);
    pto_tile_bind(pto_core_current(), acc);
    memcpy(acc->data, w->in[block], sizeof w->in[block]); /* one column of boxes: rows of 16 */
    PTO_TILE(half, Vec, float, 8, 16);
    assert_int_equal(pto_tmov_acctovec(pto_core_current(), half, acc, 2, 0), PTO_OK);
    PTO_GLOBAL(g, &w->out[block][core * 128], float, 8, 16);
    TSTORE(g, half);
}

static void test_launch(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        work *w = calloc(1, sizeof *w);
        for (int i = 0; i < BLOCKS * 256; i++)
            w->in[i / 256][i % 256] = (float)i;
        pto_launch_options options = {
            .blocks = BLOCKS, .subblocks = 2, .threads = threads, .core = {.target = PTO_TARGET_A5}};
        assert_int_equal(pto_launch(&options, kernel, w, NULL), PTO_OK);
        assert_memory_equal(w->in, w->out, sizeof w->in);
        free(w);
    }
    assert_int_equal(pto_subblock_idx(), 0);
    assert_int_equal(pto_subblock_num(), 1);
}

static const char numbers[] =
    "func.func @main(%o: !pto.ptr<i64>) {\n"
    "%c100 = arith.constant 100 : i64\n%c2 = arith.constant 2 : i64\n%c10 = arith.constant 10 : i64\n"
    "%b = pto.get_block_idx\n%s = pto.get_subblock_idx\n%n = pto.get_subblock_num\n"
    "%bb = arith.muli %b, %c2 : i64\n%k = arith.addi %bb, %s : i64\n%at = arith.index_cast %k : i64 to "
    "index\n"
    "%x = arith.muli %n, %c100 : i64\n%y = arith.muli %b, %c10 : i64\n%z = arith.addi %x, %y : i64\n"
    "%v = arith.addi %z, %s : i64\npto.store_scalar %v, %o[%at] : !pto.ptr<i64>, i64\nreturn\n}\n";

static void test_program(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        int64_t out[8] = {0};
        const pto_argument argument = {.data = out, .bytes = sizeof out};
        pto_run_options options = {.blocks = 4, .subblocks = 2, .threads = threads};
        run_text(numbers, &argument, 1, &options);
        for (int i = 0; i < 8; i++)
            assert_int_equal(out[i], 200 + i / 2 * 10 + i % 2);
    }
}

static void test_prefetch(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%x: !pto.ptr<f32>, %w: !pto.ptr<i8>, %o: !pto.ptr<i32>) {\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c16 = arith.constant 16 : index\n"
        "%v = pto.make_tensor_view %x, shape = [%c16], strides = [%c1] : !pto.tensor_view<16xf32>\n"
        "%p = pto.partition_view %v, offsets = [%c0], sizes = [%c16] : !pto.tensor_view<16xf32> -> "
        "!pto.partition_tensor_view<16xf32>\n"
        "%s = pto.alloc_tile : !pto.tile_buf<vec, 1x256xui8>\n"
        "%q = pto.build_async_session(%s, %w : !pto.tile_buf<vec, 1x256xui8>, !pto.ptr<i8>) -> "
        "!pto.async_session\n"
        "%e = pto.tprefetch_async(%p, %q : !pto.partition_tensor_view<16xf32>, !pto.async_session) -> "
        "!pto.async_event\n"
        "%d = pto.wait_async_event(%e, %q : !pto.async_event, !pto.async_session) -> i1\n"
        "%i = arith.extui %d : i1 to i32\npto.store_scalar %i, %o[%c0] : !pto.ptr<i32>, i32\nreturn\n}\n";
    float x[16] = {0};
    int8_t workspace[64] = {0};
    int32_t done = 0;
    const pto_argument arguments[] = {{.data = x, .bytes = sizeof x},
                                      {.data = workspace, .bytes = sizeof workspace},
                                      {.data = &done, .bytes = sizeof done}};
    pto_run_options options = {0};
    run_text(text, arguments, 3, &options);
    assert_int_equal(done, 1);
    pto_prefetch_context context = {workspace, NULL};
    PTO_GLOBAL(g, x, float, 1, 16);
    const pto_async_event event = TPREFETCH_ASYNC(g, &context);
    assert_false(pto_async_event_valid(event));
    assert_true(pto_async_event_wait(event) && pto_async_event_test(event));
    TSYNC();
}

static void test_elements(void **state) {
    (void)state;
    pto_core *core = pto_core_create(NULL);
    pto_tile t = pto_tile_make(pto_tile_type_dn(PTO_LOC_VEC, PTO_S16, 16, 2));
    pto_scalar value = {.dtype = PTO_S16, .i = -5};
    assert_int_equal(pto_tile_set_value(core, &t, 17, value), PTO_OK); /* column 1, row 1 */
    assert_int_equal(((int16_t *)t.data)[17], -5);
    value.i = 0;
    assert_int_equal(pto_tile_get_value(core, &t, 17, &value), PTO_OK);
    assert_int_equal(value.i, -5);
    assert_int_equal(value.dtype, PTO_S16);
    assert_int_equal(pto_tile_get_value(core, &t, 31, &value), PTO_OK);
    assert_int_equal(value.i, 0);
    assert_int_equal(pto_tile_get_value(core, &t, 32, &value), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-E0909"));
    pto_diag_list_clear(pto_core_diags(core));
    pto_tile f = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 1, 16));
    assert_int_equal(pto_tile_set_value(core, &f, 3, (pto_scalar){.dtype = PTO_F32, .f = 0.1}), PTO_OK);
    assert_int_equal(((uint16_t *)f.data)[3], 0x2e66);
    assert_int_equal(pto_tile_get_value(core, &f, 3, &value), PTO_OK);
    assert_true(value.f == 0x1.998p-4);
    pto_tile packed = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_E2M1, 1, 64));
    assert_int_equal(pto_tile_set_value(core, &packed, 31, (pto_scalar){.dtype = PTO_S32, .i = 0x1f7}),
                     PTO_OK);
    assert_int_equal(((uint8_t *)packed.data)[31], 0xf7);
    assert_int_equal(pto_tile_set_value(core, &packed, 32, (pto_scalar){.dtype = PTO_S32}), PTO_ERR_REFUSED);
    pto_tile m = pto_tile_make(pto_tile_type_nz(PTO_LOC_MAT, PTO_F16, 16, 16));
    assert_int_equal(pto_tile_get_value(core, &m, 0, &value), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-E0320"));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
