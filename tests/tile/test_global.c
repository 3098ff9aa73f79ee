/* SPDX-License-Identifier: Apache-2.0 */
/* Global tensors: the coordinate map and the bounds against loops over every index (00-model, 6.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include "tile/global.h"

#include <stdlib.h>

/* The tile coordinate of an index, the inverse of the table: which dims make rows and which columns. */
static void coordinate(pto_layout layout, const int64_t s[5], const int64_t i[5], int64_t *r, int64_t *c) {
    switch (layout) {
    case PTO_LAYOUT_ND:
        *r = ((i[0] * s[1] + i[1]) * s[2] + i[2]) * s[3] + i[3];
        *c = i[4];
        break;
    case PTO_LAYOUT_DN:
        *r = i[3];
        *c = ((i[0] * s[1] + i[1]) * s[2] + i[2]) * s[4] + i[4];
        break;
    case PTO_LAYOUT_NZ:
        *r = i[2] * s[3] + i[3];
        *c = (i[0] * s[1] + i[1]) * s[4] + i[4];
        break;
    case PTO_LAYOUT_MX_A_ZZ:
        *r = i[1] * 16 + i[3];
        *c = i[2] * 2 + i[4];
        break;
    case PTO_LAYOUT_MX_A_ND:
        *r = i[2];
        *c = i[3] * 2 + i[4];
        break;
    case PTO_LAYOUT_MX_A_DN:
        *r = i[3];
        *c = i[2] * 2 + i[4];
        break;
    case PTO_LAYOUT_MX_B_NN:
        *r = i[2] * 2 + i[4];
        *c = i[1] * 16 + i[3];
        break;
    case PTO_LAYOUT_MX_B_ND:
        *r = i[2] * 2 + i[4];
        *c = i[3];
        break;
    case PTO_LAYOUT_MX_B_DN:
        *r = i[3] * 2 + i[4];
        *c = i[2];
        break;
    default: /* the others are seen by other tests */
        fail();
    }
}

static void test_map(void **state) {
    (void)state;
    testing_random random = {4};
    for (int layout = PTO_LAYOUT_ND; layout <= PTO_LAYOUT_MX_B_NN; layout++)
        for (int trial = 0; trial < (layout == 3 ? 0 : 50); trial++) { /* 3 is no layout of tensors */
            pto_global global = {.dtype = PTO_F32, .layout = (pto_layout)layout};
            for (int d = 0; d < 5; d++) {
                global.shape[d] = 1 + testing_below(&random, 4);
                global.stride[d] = (int64_t)testing_below(&random, 2000) - 1000;
            }
            if (layout > PTO_LAYOUT_NZ) { /* pairs of scales; boxes of 16 in the boxed layouts */
                const bool boxed = layout == PTO_LAYOUT_MX_A_ZZ || layout == PTO_LAYOUT_MX_B_NN;
                global.shape[0] = 1;
                global.shape[1] = boxed ? global.shape[1] : 1;
                global.shape[3] = boxed ? 16 : global.shape[3];
                global.shape[4] = 2;
            }
            const int64_t *s = global.shape;
            int64_t rows, cols, visited = 0, i[5];
            pto_global_extents(global.layout, s, &rows, &cols);
            for (i[0] = 0; i[0] < s[0]; i[0]++)
                for (i[1] = 0; i[1] < s[1]; i[1]++)
                    for (i[2] = 0; i[2] < s[2]; i[2]++)
                        for (i[3] = 0; i[3] < s[3]; i[3]++)
                            for (i[4] = 0; i[4] < s[4]; i[4]++, visited++) {
                                int64_t r = -1, c = -1, want = 0;
                                coordinate(global.layout, s, i, &r, &c);
                                for (int d = 0; d < 5; d++)
                                    want += i[d] * global.stride[d];
                                assert_true(r < rows && c < cols);
                                assert_int_equal(pto_global_offset(&global, (int32_t)r, (int32_t)c), want);
                            }
            assert_int_equal(visited, rows * cols);
        }
}

static void test_worked_example(void **state) {
    (void)state;
    pto_global global = {.layout = PTO_LAYOUT_ND, .shape = {1, 1, 2, 3, 8}, .stride = {96, 96, 48, 16, 1}};
    assert_int_equal(pto_global_offset(&global, 4, 5), 69);
}

static void test_extents_of_unknown_and_huge_shapes(void **state) {
    (void)state;
    int64_t rows, cols;
    pto_global_extents(PTO_LAYOUT_ND, (const int64_t[]){1, -1, 2, 3, 8}, &rows, &cols);
    assert_int_equal(rows, -1);
    assert_int_equal(cols, 8);
    pto_global_extents(PTO_LAYOUT_NZ, (const int64_t[]){INT64_MAX, 3, 2, 16, 16}, &rows, &cols);
    assert_int_equal(rows, 32);
    assert_int_equal(cols, INT64_MAX);
    pto_global_extents(PTO_LAYOUT_DN, (const int64_t[]){INT64_MAX, 3, 0, 5, 16}, &rows, &cols);
    assert_int_equal(rows, 5);
    assert_int_equal(cols, 0);
}

/* The first index in row-major order whose element does not lie wholly in the buffer. */
static bool brute_force(const pto_global *global, pto_global_fault *fault) {
    int64_t bits = pto_dtype_bits(global->dtype), i[5];
    int64_t start = ((const char *)global->data - (const char *)global->begin) * 8;
    int64_t size = ((const char *)global->end - (const char *)global->begin) * 8;
    const int64_t *s = global->shape;
    for (i[0] = 0; i[0] < s[0]; i[0]++)
        for (i[1] = 0; i[1] < s[1]; i[1]++)
            for (i[2] = 0; i[2] < s[2]; i[2]++)
                for (i[3] = 0; i[3] < s[3]; i[3]++)
                    for (i[4] = 0; i[4] < s[4]; i[4]++) {
                        int64_t element = 0;
                        for (int d = 0; d < 5; d++)
                            element += i[d] * global->stride[d];
                        int64_t at = start + element * bits;
                        if (at < 0 || at + bits > size) {
                            for (int d = 0; d < 5; d++)
                                fault->index[d] = i[d];
                            fault->element = start / bits + element;
                            fault->last = size / bits - 1;
                            return false;
                        }
                    }
    return true;
}

static void test_bounds(void **state) {
    (void)state;
    static char buffer[256];
    static const pto_dtype dtypes[] = {PTO_S4, PTO_U8, PTO_F16, PTO_F32, PTO_S64};
    testing_random random = {5};
    int inside = 0;
    for (int trial = 0; trial < 20000; trial++) {
        pto_dtype dtype = dtypes[testing_below(&random, 5)];
        int64_t bytes = pto_dtype_bits(dtype) < 8 ? 1 : pto_dtype_bits(dtype) / 8;
        pto_global global = {.dtype = dtype, .begin = buffer, .end = buffer + sizeof buffer};
        global.data = buffer + testing_below(&random, 16) * bytes;
        for (int d = 0; d < 5; d++) {
            global.shape[d] = testing_below(&random, 40) ? 1 + testing_below(&random, 3) : 0;
            global.stride[d] = testing_below(&random, 3) ? testing_below(&random, 12)
                                                         : (int64_t)testing_below(&random, 90) - 20;
        }
        pto_global_fault want = {{0}, 0, 0}, have = {{0}, 0, 0};
        bool ok = brute_force(&global, &want);
        assert_int_equal(pto_global_in_bounds(&global, &have), ok);
        inside += ok;
        if (ok)
            continue;
        for (int d = 0; d < 5; d++)
            assert_int_equal(have.index[d], want.index[d]);
        assert_int_equal(have.element, want.element);
        assert_int_equal(have.last, want.last);
    }
    assert_in_range(inside, 1000, 19000); /* both outcomes are tested */
}

static void test_bounds_never_overflow(void **state) {
    (void)state;
    static float buffer[64];
    pto_global_fault fault;
    pto_global global = {.dtype = PTO_F32, .data = buffer, .begin = buffer, .end = buffer + 64};
    for (int d = 0; d < 5; d++) {
        global.shape[d] = INT64_MAX;
        global.stride[d] = d & 1 ? INT64_MIN : INT64_MAX;
    }
    assert_false(pto_global_in_bounds(&global, &fault));
    assert_int_equal(fault.last, 63);
    /* a broadcast of one element is as large as one likes */
    for (int d = 0; d < 5; d++)
        global.stride[d] = 0;
    assert_true(pto_global_in_bounds(&global, &fault));
    global.stride[4] = 1;
    assert_false(pto_global_in_bounds(&global, &fault));
    assert_int_equal(fault.index[4], 64);
    assert_int_equal(fault.element, 64);
    for (int d = 0; d < 5; d++)
        global.stride[d] = INT64_MIN;
    assert_false(pto_global_in_bounds(&global, &fault));
    assert_int_equal(fault.index[4], 1);
    global.begin = global.end = NULL;
    assert_true(pto_global_in_bounds(&global, &fault));
}

static void test_view_before_its_buffer(void **state) {
    (void)state;
    static float buffer[64];
    pto_global_fault fault;
    pto_global global = {.dtype = PTO_F32,
                         .shape = {1, 1, 1, 4, 8},
                         .stride = {32, 32, 32, 8, 1},
                         .data = buffer + 8,
                         .begin = buffer + 10,
                         .end = buffer + 64};
    assert_false(pto_global_in_bounds(&global, &fault));
    assert_int_equal(fault.element, -2);
    assert_int_equal(fault.last, 53);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_extents_of_unknown_and_huge_shapes),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bounds_never_overflow),
        cmocka_unit_test(test_view_before_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
