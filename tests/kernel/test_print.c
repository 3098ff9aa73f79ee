/* SPDX-License-Identifier: Apache-2.0 */
/* TPRINT: the text of part 40, 6, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)

static char text[1 << 18];
static size_t length;

static void collect(void *user, const char *data, size_t len) {
    (void)user;
    assert_true(length + len < sizeof text);
    memcpy(text + length, data, len);
    length += len;
    text[length] = 0;
}

static pto_core *core_with_text(pto_target target) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_core_set_print(core, collect, NULL);
    length = 0;
    text[0] = 0;
    return core;
}

static void test_tile(void **state) {
    (void)state;
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A2A3, PTO_TARGET_A5};
    for (int t = 0; t < 3; t++) {
        pto_core *core = core_with_text(targets[t]);
        pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 3, 8);
        type.valid_rows = type.valid_cols = PTO_DYNAMIC;
        pto_tile tile = testing_tile(core, NULL, type, 2, 3);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 8; c++)
                ((float *)tile.data)[r * 8 + c] = (float)(r * 10 - c) + 0.5f;
        TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&tile));
        assert_string_equal(text,
                            "=== [TPRINT Tile] Data Type: float32, Layout: ND, TileType: Vec ===\n"
                            "  Shape: [3, 8], Valid Shape: [2, 3]\n"
                            "  0.5000  -0.5000  -1.5000|  -2.5000  -3.5000  -4.5000  -5.5000  -6.5000\n"
                            " 10.5000   9.5000   8.5000|   7.5000   6.5000   5.5000   4.5000   3.5000\n"
                            "-------- -------- --------| -------- -------- -------- -------- --------\n"
                            " 20.5000  19.5000  18.5000|  17.5000  16.5000  15.5000  14.5000  13.5000\n");
        pto_core_destroy(core);
    }
}

/* With a tensor: acc on every target, mat on a2a3 in the order of its storage, vec twice on the devices. */
static void test_by_tensor(void **state) {
    (void)state;
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A2A3, PTO_TARGET_A5};
    static float room[16 * 16];
    for (int t = 0; t < 3; t++) {
        pto_core *core = core_with_text(targets[t]);
        pto_global tmp = pto_global_make_2d(room, PTO_F32, PTO_LAYOUT_ND, 16, 16, 16);
        pto_tile acc = testing_tile(core, NULL, pto_tile_type_acc(PTO_S32, 16, 16), 16, 16);
        pto_tile vec = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 1, 8), 1, 8);
        pto_tile mat = testing_tile(core, NULL, pto_tile_type_nz(PTO_LOC_MAT, PTO_S32, 16, 16), 16, 16);
        pto_tile left = testing_tile(core, NULL, pto_tile_type_left(targets[t], PTO_S8, 16, 32), 16, 32);
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < 16; c++) {
                testing_set(&acc, r, c, (uint64_t)(r * 16 + c));
                testing_set(&mat, r, c, (uint64_t)(r * 16 + c));
            }
        TESTING_ACCEPTED(core, PTO_FORM_TPRINT_TMP, TILE(&acc), GLOBAL(&tmp));
        assert_non_null(strstr(
            text, "TileType: Acc ===\n  Shape: [16, 16], Valid Shape: [16, 16]\n"
                  "       0        1        2        3        4        5        6        7        8 "));
        length = 0;
        if (targets[t] == PTO_TARGET_A5) {
            TESTING_REFUSED(core, "PTO-E0750", PTO_FORM_TPRINT_TMP, TILE(&mat), GLOBAL(&tmp));
        } else {
            TESTING_ACCEPTED(core, PTO_FORM_TPRINT_TMP, TILE(&mat), GLOBAL(&tmp));
            assert_non_null(strstr(text, "TileType: Mat ==="));
            /* boxes of 8 columns: behind element (0, 7) the storage has (1, 0) */
            const char *row =
                "\n       0        1        2        3        4        5        6        7       16 ";
            assert_int_equal(strstr(text, row) != NULL, targets[t] == PTO_TARGET_A2A3);
        }
        length = 0;
        TESTING_ACCEPTED(core, PTO_FORM_TPRINT_TMP, TILE(&vec), GLOBAL(&tmp));
        const char *first = strstr(text, "=== [");
        assert_int_equal(strstr(first + 1, "=== [") != NULL, targets[t] != PTO_TARGET_CPU);
        if (targets[t] != PTO_TARGET_CPU) {
            TESTING_REFUSED(core, "PTO-E0750", PTO_FORM_TPRINT_TMP, TILE(&left), GLOBAL(&tmp));
            tmp.shape[4] = 15; /* 16 x 16 elements of 4 bytes need 1024 bytes */
            TESTING_REFUSED(core, "PTO-E0759", PTO_FORM_TPRINT_TMP, TILE(&acc), GLOBAL(&tmp));
        }
        tmp.shape[4] = 16;
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TPRINT_TMP, TILE(&acc), GLOBAL(&tmp), ATTR(3));
        pto_core_destroy(core);
    }
}

static void test_formats_and_layouts(void **state) {
    (void)state;
    pto_core *core = core_with_text(PTO_TARGET_CPU);
    pto_tile ints = testing_tile(core, NULL, testing_type(PTO_LOC_MAT, PTO_S16, TESTING_DN, 16, 2), 16, 2);
    testing_set(&ints, 0, 0, 0xffff);
    testing_set(&ints, 0, 1, 0x7fff);
    TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&ints), ATTR(2));
    const char *start = "=== [TPRINT Tile] Data Type: int16, Layout: DN, TileType: Mat ===\n"
                        "  Shape: [16, 2], Valid Shape: [16, 2]\n"
                        "        -1      32767\n"
                        "         0          0\n";
    assert_memory_equal(text, start, strlen(start));
    length = 0;
    pto_tile half = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F16, TESTING_NZ, 1, 16), 1, 16);
    testing_set(&half, 0, 0, 0x3c00);
    testing_set(&half, 0, 1, 0xfc00);
    testing_set(&half, 0, 2, 0x7e00);
    TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&half), ATTR(1));
    start = "=== [TPRINT Tile] Data Type: float16, Layout: Nz, TileType: Vec ===\n"
            "  Shape: [1, 16], Valid Shape: [1, 16]\n"
            "    1.00     -inf      nan     0.00";
    assert_memory_equal(text, start, strlen(start));
    length = 0;
    pto_tile bytes = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ND, 1, 32), 1, 32);
    testing_set(&bytes, 0, 0, 200);
    TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&bytes), ATTR(0));
    assert_non_null(strstr(text, "uint8"));
    assert_non_null(strstr(text, "\n     200        0 "));
    pto_core_destroy(core);
}

/* Every type: each element as printf prints its value. */
static void test_every_type(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (int dtype = PTO_DTYPE_NONE + 1; dtype < PTO_F64; dtype++) {
            const pto_form_desc *form = pto_form_get(PTO_FORM_TPRINT);
            bool accepted = form->types_any[target];
            for (int i = 0; i < form->type_count[target]; i++)
                accepted |= form->types[target][i].set[0] >> dtype & 1;
            if (!accepted)
                continue;
            pto_core *core = core_with_text((pto_target)target);
            testing_random random = {(uint64_t)dtype};
            int32_t cols = 256 / (int32_t)pto_dtype_bits((pto_dtype)dtype);
            pto_tile tile = testing_tile(
                core, &random, testing_type(PTO_LOC_VEC, (pto_dtype)dtype, TESTING_ND, 4, cols), 4, cols);
            TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&tile));
            const char *at = strchr(strchr(text, '\n') + 1, '\n') + 1;
            for (int32_t r = 0; r < 4; r++) {
                for (int32_t c = 0; c < cols; c++) {
                    uint64_t bits = testing_get(&tile, r, c);
                    char want[400];
                    double value = reference_value((pto_dtype)dtype, bits);
                    if (dtype == PTO_U64)
                        snprintf(want, sizeof want, "%8llu", (unsigned long long)bits);
                    else if (dtype == PTO_S64)
                        snprintf(want, sizeof want, "%8lld", (long long)bits);
                    else if (pto_dtype_is_int((pto_dtype)dtype))
                        snprintf(want, sizeof want, "%8lld", (long long)value);
                    else if (isnan(value))
                        snprintf(want, sizeof want, "%8s", "nan");
                    else
                        snprintf(want, sizeof want, "%8.4f", value);
                    if (strncmp(at, want, strlen(want)))
                        fail_msg("%s (%d, %d): '%.20s', expected '%s'", pto_dtype_name((pto_dtype)dtype), r,
                                 c, at, want);
                    at += strlen(want) + (c + 1 < cols);
                }
                assert_int_equal(*at++, '\n');
            }
            pto_core_destroy(core);
        }
}

static void test_global(void **state) {
    (void)state;
    pto_core *core = core_with_text(PTO_TARGET_A5);
    int32_t data[64];
    for (int i = 0; i < 64; i++)
        data[i] = i;
    pto_global nd = {.dtype = PTO_S32,
                     .layout = PTO_LAYOUT_ND,
                     .shape = {1, 2, 1, 2, 2},
                     .stride = {32, 16, 16, 4, 2},
                     .data = data};
    TESTING_ACCEPTED(core, PTO_FORM_TPRINT_GLOBAL, GLOBAL(&nd));
    assert_string_equal(text, "=== [TPRINT GlobalTensor] Data Type: int32, Layout: ND ===\n"
                              "  Shape: [1, 2, 1, 2, 2]\n"
                              "  Batch [0, 0, 0]:\n"
                              "       0        2\n"
                              "       4        6\n"
                              "  Batch [0, 1, 0]:\n"
                              "      16       18\n"
                              "      20       22\n");
    length = 0;
    pto_global nz = {.dtype = PTO_U32,
                     .layout = PTO_LAYOUT_NZ,
                     .shape = {1, 2, 2, 2, 2},
                     .stride = {16, 8, 4, 2, 1},
                     .data = data};
    TESTING_ACCEPTED(core, PTO_FORM_TPRINT_GLOBAL, GLOBAL(&nz), ATTR(0));
    assert_string_equal(text, "=== [TPRINT GlobalTensor] Data Type: uint32, Layout: NZ ===\n"
                              "  Logical Shape: [4, 4]\n"
                              "       0        1        8        9\n"
                              "       2        3       10       11\n"
                              "       4        5       12       13\n"
                              "       6        7       14       15\n");
    nz.layout = (pto_layout)9;
    TESTING_REFUSED(core, "PTO-E0704", PTO_FORM_TPRINT_GLOBAL, GLOBAL(&nz), ATTR(0));
    pto_core_destroy(core);
}

static void test_rules(void **state) {
    (void)state;
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A2A3, PTO_TARGET_A5};
    for (int t = 0; t < 3; t++) {
        pto_core *core = core_with_text(targets[t]);
        pto_tile vec = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 8), 1, 8);
        pto_tile mat = testing_tile(core, NULL, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ND, 1, 8), 1, 8);
        pto_tile wide = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_S64, TESTING_ND, 1, 8), 1, 8);
        TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&vec), ATTR(2));
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TPRINT, TILE(&vec), ATTR(3));
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TPRINT, TILE(&wide), ATTR(0));
        if (targets[t] == PTO_TARGET_CPU)
            TESTING_ACCEPTED(core, PTO_FORM_TPRINT, TILE(&mat), ATTR(0));
        else
            TESTING_REFUSED(core, "PTO-E0750", PTO_FORM_TPRINT, TILE(&mat), ATTR(0));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile),
        cmocka_unit_test(test_by_tensor),
        cmocka_unit_test(test_formats_and_layouts),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_global),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
