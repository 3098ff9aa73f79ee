/* SPDX-License-Identifier: Apache-2.0 */
/* Types of convolution tiles: what is one, and what its layout means (00-model, 7). */
#include "isa/conv.h"
#include "isa/legality.h"
#include <pto/types.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void note(void *user, const pto_refusal *refusal) {
    char *id = user;
    strcpy(id, refusal->rule);
}

static void expect(pto_target target, const pto_tile_type *type, const char *rule) {
    char id[16] = "";
    pto_legality legality = {.target = target, .report = note, .user = id};
    bool good = pto_legality_check_tile_type(&legality, type, -1);
    assert_string_equal(id, rule ? rule : "");
    assert_int_equal(good, rule == NULL);
}

static void dimensions_follow_the_layout(void **state) {
    (void)state;
    static const struct {
        pto_layout layout;
        int ranks; /* bit set */
    } layouts[] = {{PTO_LAYOUT_NC1HWC0, 1 << 5},
                   {PTO_LAYOUT_NDC1HWC0, 1 << 6},
                   {PTO_LAYOUT_GNC1HWC0, 1 << 6},
                   {PTO_LAYOUT_NCHW, 1 << 4},
                   {PTO_LAYOUT_GNCHW, 1 << 5},
                   {PTO_LAYOUT_NCDHW, 1 << 5},
                   {PTO_LAYOUT_NHWC, 1 << 4},
                   {PTO_LAYOUT_FRACTAL_Z, 1 << 4 | 1 << 5},
                   {PTO_LAYOUT_FRACTAL_Z_3D, 1 << 4},
                   {PTO_LAYOUT_ND, 0},
                   {PTO_LAYOUT_NZ, 0},
                   {PTO_LAYOUT_MX_A_ZZ, 0}};
    const int32_t shape[6] = {1, 2, 3, 4, 5, 16};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (int rank = 1; rank <= 6; rank++) {
            pto_conv conv = pto_conv_make(layouts[i].layout, rank, shape);
            pto_tile_type type = pto_tile_type_conv(PTO_LOC_MAT, PTO_F16, &conv);
            expect(PTO_TARGET_CPU, &type, layouts[i].ranks >> rank & 1 ? NULL : "PTO-E0792");
        }
}

static void extents_and_memory_bound_the_type(void **state) {
    (void)state;
    pto_conv conv = pto_conv_make(PTO_LAYOUT_NC1HWC0, 5, (const int32_t[]){1, 2, 64, 128, 16});
    pto_tile_type type = pto_tile_type_conv(PTO_LOC_MAT, PTO_F16, &conv);
    assert_int_equal(type.rows, 1);
    assert_int_equal(type.cols, 262144);
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        expect((pto_target)target, &type, NULL); /* all of mat */
    type.cols += 16;
    expect(PTO_TARGET_A5, &type, "PTO-E0315");
    type.cols -= 17; /* less than the shape needs */
    expect(PTO_TARGET_A5, &type, "PTO-E0792");
    conv.shape[2] = 0;
    type = pto_tile_type_conv(PTO_LOC_MAT, PTO_F16, &conv);
    expect(PTO_TARGET_CPU, &type, "PTO-E0792");
    conv.shape[2] = -1;
    type = pto_tile_type_conv(PTO_LOC_MAT, PTO_F16, &conv);
    expect(PTO_TARGET_CPU, &type, "PTO-E0792");
    /* any number of bytes: only ordinary tiles have rows of 32 */
    conv = pto_conv_make(PTO_LAYOUT_NCHW, 4, (const int32_t[]){1, 3, 5, 7});
    type = pto_tile_type_conv(PTO_LOC_VEC, PTO_U8, &conv);
    expect(PTO_TARGET_A2A3, &type, NULL);
    for (int i = 0; i < 4; i++)
        conv.shape[i] = INT32_MAX;
    type = pto_tile_type_conv(PTO_LOC_VEC, PTO_U8, &conv);
    expect(PTO_TARGET_A2A3, &type, "PTO-E0792");
}

static void an_operand_is_one_or_the_other(void **state) {
    (void)state;
    pto_conv conv = pto_conv_make(PTO_LAYOUT_NCHW, 4, (const int32_t[]){1, 2, 4, 8});
    pto_tile_type ordinary = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 1, 64),
                  tensor = pto_tile_type_conv(PTO_LOC_VEC, PTO_F32, &conv);
    const pto_operand_desc no = {.conv = PTO_CONV_NO}, yes = {.conv = PTO_CONV_YES},
                           either = {.conv = PTO_CONV_EITHER};
    assert_true(pto_operand_takes_tile(&no, &ordinary) && !pto_operand_takes_tile(&no, &tensor));
    assert_true(!pto_operand_takes_tile(&yes, &ordinary) && pto_operand_takes_tile(&yes, &tensor));
    assert_true(pto_operand_takes_tile(&either, &ordinary) && pto_operand_takes_tile(&either, &tensor));
}

static void layouts_have_names(void **state) {
    (void)state;
    for (int i = 0; i < PTO_LAYOUT_COUNT; i++) {
        const char *name = pto_layout_name((pto_layout)i);
        pto_layout layout = PTO_LAYOUT_COUNT;
        if (!strcmp(name, "unknown"))
            continue;
        assert_true(pto_layout_from_name(name, strlen(name), &layout));
        assert_int_equal(layout, i);
    }
    pto_layout layout;
    assert_true(pto_layout_from_name("fractal_z_3d", 12, &layout) && layout == PTO_LAYOUT_FRACTAL_Z_3D);
    assert_false(pto_layout_from_name("nchw4", 5, &layout));
    assert_string_equal(pto_layout_name((pto_layout)3), "unknown");
    assert_string_equal(pto_layout_name((pto_layout)99), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_follow_the_layout), cmocka_unit_test(extents_and_memory_bound_the_type),
        cmocka_unit_test(an_operand_is_one_or_the_other), cmocka_unit_test(layouts_have_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
