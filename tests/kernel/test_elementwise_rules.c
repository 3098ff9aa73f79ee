/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets accept and refuse of the elementwise and tile-scalar forms (parts 10 and 20, 2): each rule
 * refused once, and accepted at its boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <string.h>

#define BIT(type) (1u << PTO_##type)
#define A2A3_FOUR (BIT(S16) | BIT(S32) | BIT(F16) | BIT(F32))
#define FLOATS (BIT(F16) | BIT(F32))
#define INTS_16_TO_64 (BIT(S16) | BIT(U16) | BIT(S32) | BIT(U32) | BIT(S64) | BIT(U64))
#define A5_ELEVEN (BIT(S8) | BIT(U8) | INTS_16_TO_64 | FLOATS | BIT(BF16))
#define ALL (((1u << PTO_DTYPE_COUNT) - 1) & ~(BIT(F64) | 1u))

typedef struct form_row {
    pto_form form;
    elementwise_shape shape;
    unsigned types[PTO_TARGET_COUNT]; /* cpu, a2a3, a5: the tables of parts 10 and 20 */
} form_row;

static const form_row forms[] = {
    {PTO_FORM_TADD, ELEMENTWISE_BINARY, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TSUB, ELEMENTWISE_BINARY, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TMUL, ELEMENTWISE_BINARY, {ALL, A2A3_FOUR, INTS_16_TO_64 | FLOATS | BIT(BF16)}},
    {PTO_FORM_TMAX, ELEMENTWISE_BINARY, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TMIN, ELEMENTWISE_BINARY, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TDIV, ELEMENTWISE_BINARY, {ALL, FLOATS, INTS_16_TO_64 | FLOATS}},
    {PTO_FORM_TRECIP, ELEMENTWISE_UNARY, {ALL, A2A3_FOUR, A2A3_FOUR}},
    {PTO_FORM_TABS, ELEMENTWISE_UNARY, {ALL, FLOATS, FLOATS | BIT(S8) | BIT(S16) | BIT(S32)}},
    {PTO_FORM_TNEG,
     ELEMENTWISE_UNARY,
     {ALL, A2A3_FOUR, FLOATS | BIT(BF16) | BIT(S16) | BIT(U16) | BIT(S32) | BIT(U32)}},
    {PTO_FORM_TSQRT, ELEMENTWISE_UNARY, {FLOATS | BIT(BF16), FLOATS, FLOATS}},
    {PTO_FORM_TRSQRT, ELEMENTWISE_UNARY, {FLOATS | BIT(BF16), FLOATS, FLOATS}},
    {PTO_FORM_TRELU, ELEMENTWISE_UNARY, {ALL, FLOATS | BIT(S32), FLOATS | BIT(S32)}},
    {PTO_FORM_TMULADDDST, ELEMENTWISE_BINARY, {ALL, FLOATS, FLOATS}},
    {PTO_FORM_TADDS, ELEMENTWISE_TILE_SCALAR, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TSUBS, ELEMENTWISE_TILE_SCALAR, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TMULS, ELEMENTWISE_TILE_SCALAR, {ALL, A2A3_FOUR, INTS_16_TO_64 | FLOATS | BIT(BF16)}},
    {PTO_FORM_TMAXS, ELEMENTWISE_TILE_SCALAR, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TMINS, ELEMENTWISE_TILE_SCALAR, {ALL, A2A3_FOUR, A5_ELEVEN}},
    {PTO_FORM_TDIVS, ELEMENTWISE_TILE_SCALAR, {ALL, A2A3_FOUR, INTS_16_TO_64 | FLOATS}},
    {PTO_FORM_TDIVS_SCALAR_TILE, ELEMENTWISE_SCALAR_TILE, {ALL, A2A3_FOUR, INTS_16_TO_64 | FLOATS}},
    {PTO_FORM_TEXPANDS, ELEMENTWISE_SCALAR, {ALL, A5_ELEVEN & ~(BIT(S64) | BIT(U64)), A5_ELEVEN}},
};
enum { FORMS = sizeof forms / sizeof *forms };

static pto_operand of(pto_tile *tile) { return testing_tile_operand(tile); }
static pto_operand one(void) { return testing_int_operand(PTO_S64, 1); }

static pto_tile tile_of(pto_core *core, pto_tile_type type) {
    return testing_tile(core, NULL, type, type.valid_rows, type.valid_cols);
}

static pto_tile vec(pto_core *core, pto_dtype type, int32_t rows, int32_t cols) {
    return tile_of(core, testing_type(PTO_LOC_VEC, type, TESTING_ND, rows, cols));
}

/* rule NULL = accepted */
static void expect(pto_core *core, const char *rule, const form_row *row, pto_tile *dst, pto_tile *src0,
                   pto_tile *src1) {
    pto_operand operand[3] = {of(dst), of(src0), of(src1)};
    int count = 3;
    if (row->shape == ELEMENTWISE_UNARY)
        count = 2;
    if (row->shape == ELEMENTWISE_TILE_SCALAR)
        operand[2] = one();
    if (row->shape == ELEMENTWISE_SCALAR_TILE) {
        operand[2] = operand[1];
        operand[1] = one();
    }
    if (row->shape == ELEMENTWISE_SCALAR) {
        operand[1] = one();
        count = 2;
    }
    testing_expect(core, testing_execute(core, row->form, count, operand), rule,
                   pto_form_get(row->form)->mnemonic, (int)pto_core_options(core)->target);
}

static void element_types(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        for (int t = 0; t < PTO_DTYPE_COUNT; t++) {
            if (!(ALL >> t & 1))
                continue;
            pto_tile dst = vec(core, (pto_dtype)t, 2, 32), src0 = vec(core, (pto_dtype)t, 2, 32),
                     src1 = vec(core, (pto_dtype)t, 2, 32);
            for (int i = 0; i < FORMS; i++)
                expect(core, forms[i].types[target] >> t & 1 ? NULL : "PTO-E0302", &forms[i], &dst, &src0,
                       &src1);
        }
        pto_tile f32 = vec(core, PTO_F32, 2, 32), f16 = vec(core, PTO_F16, 2, 32);
        for (int i = 0; i < FORMS; i++)
            if (forms[i].shape != ELEMENTWISE_SCALAR)
                expect(core, "PTO-E0303", &forms[i], &f32, &f16, &f32);
        pto_core_destroy(core);
    }
}

static void places_layouts_and_extents(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool npu = target != PTO_TARGET_CPU;
        pto_tile nd[3], dn[2], wide = vec(core, PTO_F32, 16, 32), mat, narrow, empty[3];
        for (int i = 0; i < 3; i++)
            nd[i] = vec(core, PTO_F32, 16, 16);
        for (int i = 0; i < 2; i++)
            dn[i] = tile_of(core, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 16, 16));
        mat = tile_of(core, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ND, 16, 16));
        wide.type.valid_cols = PTO_DYNAMIC; /* another capacity, the same valid region */
        wide.valid_cols = 16;
        narrow = nd[1];
        narrow.type.valid_cols = PTO_DYNAMIC;
        narrow.valid_cols = 15;
        for (int i = 0; i < 3; i++) {
            empty[i] = nd[i];
            empty[i].type.valid_rows = PTO_DYNAMIC;
            empty[i].valid_rows = 0;
        }
        for (int i = 0; i < FORMS; i++) {
            const form_row *row = &forms[i];
            if (row->shape == ELEMENTWISE_SCALAR)
                continue;
            expect(core, NULL, row, &nd[0], &wide, &nd[2]);
            expect(core, NULL, row, &empty[0], &empty[1], &empty[2]);
            expect(core, "PTO-E0320", row, &nd[0], &mat, &nd[2]);
            expect(core, "PTO-E0320", row, &mat, &nd[1], &nd[2]);
            expect(core, "PTO-E0323", row, &nd[0], &narrow, &nd[2]);
            expect(core, "PTO-E0323", row, &nd[0], &empty[1], &nd[2]);
            if (row->shape != ELEMENTWISE_BINARY)
                expect(core, npu ? "PTO-E0321" : NULL, row, &dn[0], &dn[1], NULL);
            expect(core, npu ? "PTO-E0321" : "PTO-E0322", row, &nd[0], &dn[0], &nd[2]);
        }
        pto_core_destroy(core);
    }
}

static void overlap(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 4, 8); /* 128 bytes */
        static const int32_t offset[] = {1024, 1024 + 96, 1024 + 128, 1024, 4096};
        pto_tile memory = vec(core, PTO_U8, 8, 1024), at[5];
        for (int i = 0; i < 5; i++) {
            at[i] = pto_tile_make(type);
            at[i].data = (uint8_t *)memory.data + offset[i];
        }
        for (int i = 0; i < FORMS; i++) {
            const form_row *row = &forms[i];
            if (row->shape == ELEMENTWISE_SCALAR)
                continue;
            expect(core, "PTO-E0325", row, &at[0], &at[1], &at[4]);
            expect(core, "PTO-E0325", row, &at[1], &at[0], &at[4]);
            expect(core, NULL, row, &at[0], &at[2], &at[4]);
            const bool hazard = target == PTO_TARGET_A2A3 &&
                                (row->form == PTO_FORM_TRECIP || row->form == PTO_FORM_TDIVS_SCALAR_TILE);
            expect(core, hazard ? "PTO-E0327" : NULL, row, &at[0], &at[3], &at[4]);
            expect(core, hazard ? "PTO-E0327" : NULL, row, &at[0], &at[0], &at[0]);
            if (row->shape == ELEMENTWISE_BINARY)
                expect(core, "PTO-E0325", row, &at[0], &at[4], &at[1]);
        }
        pto_core_destroy(core);
    }
    /* integers divide in a scalar loop on a2a3, but TRECIP always fills dst first */
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile s32 = vec(core, PTO_S32, 4, 8);
    TESTING_ACCEPTED(core, PTO_FORM_TDIVS_SCALAR_TILE, of(&s32), one(), of(&s32));
    TESTING_REFUSED(core, "PTO-E0327", PTO_FORM_TRECIP, of(&s32), of(&s32));
    pto_core_destroy(core);
}

static void rsqrt_scratch(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool a2a3 = target == PTO_TARGET_A2A3;
        pto_tile dst = vec(core, PTO_F32, 4, 16), src = vec(core, PTO_F32, 4, 16);
        pto_tile block = vec(core, PTO_F32, 1, 8), other = vec(core, PTO_S32, 1, 8);
        memset(block.data, 0x5A, 32);
        TESTING_ACCEPTED(core, PTO_FORM_TRSQRT, of(&dst), of(&src));
        TESTING_ACCEPTED(core, PTO_FORM_TRSQRT, of(&dst), of(&src), of(&block));
        assert_int_equal(testing_get(&block, 0, 7), 0x5A5A5A5A); /* never touched */
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TRSQRT, of(&dst), of(&src), of(&other)),
                       a2a3 ? "PTO-E0303" : NULL, __FILE__, __LINE__);
        TESTING_REFUSED(core, "PTO-E0326", PTO_FORM_TRSQRT, of(&dst), of(&src), of(&src));
        TESTING_REFUSED(core, "PTO-E0326", PTO_FORM_TRSQRT, of(&dst), of(&src), of(&dst));
        pto_core_destroy(core);
    }
}

static void adddeqrelu(void **state) {
    (void)state;
    const pto_form form = PTO_FORM_TADDDEQRELU;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool a2a3 = target == PTO_TARGET_A2A3;
        const pto_operand scale = testing_float_operand(PTO_F32, 0.5);
        pto_tile d = vec(core, PTO_F16, 4, 16), a = vec(core, PTO_S32, 4, 16), b = vec(core, PTO_S32, 4, 16);
        pto_tile tmp = vec(core, PTO_S32, 4, 16), large = vec(core, PTO_S32, 5, 24);
        pto_tile flat = vec(core, PTO_S32, 3, 16), slim = vec(core, PTO_S32, 4, 8);
        pto_tile f32 = vec(core, PTO_F32, 4, 16), u32 = vec(core, PTO_U32, 4, 16);
        pto_tile dn = tile_of(core, testing_type(PTO_LOC_VEC, PTO_S32, TESTING_DN, 8, 16));
        pto_tile dn_half = tile_of(core, testing_type(PTO_LOC_VEC, PTO_F16, TESTING_DN, 16, 16));
        pto_tile dn_word = tile_of(core, testing_type(PTO_LOC_VEC, PTO_S32, TESTING_DN, 16, 16));
        pto_tile mat = tile_of(core, testing_type(PTO_LOC_MAT, PTO_S32, TESTING_ND, 4, 16));
        TESTING_ACCEPTED(core, form, of(&d), of(&a), of(&b), scale, of(&tmp));
        TESTING_ACCEPTED(core, form, of(&d), of(&a), of(&a), scale, of(&large));
        /* element types */
        TESTING_REFUSED(core, "PTO-E0302", form, of(&f32), of(&a), of(&b), scale, of(&tmp));
        TESTING_REFUSED(core, "PTO-E0302", form, of(&d), of(&u32), of(&u32), scale, of(&u32));
        TESTING_REFUSED(core, "PTO-E0303", form, of(&d), of(&a), of(&f32), scale, of(&tmp));
        TESTING_REFUSED(core, "PTO-E0303", form, of(&d), of(&a), of(&b), scale, of(&f32));
        /* scratch: covers dst on every target; needed where the hardware uses it */
        TESTING_REFUSED(core, "PTO-E0500", form, of(&d), of(&a), of(&b), scale, of(&flat));
        TESTING_REFUSED(core, "PTO-E0500", form, of(&d), of(&a), of(&b), scale, of(&slim));
        TESTING_REFUSED(core, "PTO-E0326", form, of(&d), of(&a), of(&b), scale, of(&b));
        testing_expect(core, TESTING_EXECUTE(core, form, of(&d), of(&a), of(&b), scale),
                       a2a3 ? "PTO-E0329" : NULL, __FILE__, __LINE__);
        /* layout and memory */
        TESTING_REFUSED(core, "PTO-E0321", form, of(&d), of(&a), of(&b), scale, of(&dn));
        TESTING_REFUSED(core, "PTO-E0321", form, of(&dn_half), of(&dn_word), of(&dn_word), scale, of(&tmp));
        TESTING_REFUSED(core, "PTO-E0320", form, of(&d), of(&mat), of(&b), scale, of(&tmp));
        /* extents */
        TESTING_REFUSED(core, "PTO-E0323", form, of(&d), of(&a), of(&flat), scale, of(&tmp));
        pto_tile none[4] = {d, a, b, tmp};
        for (int i = 0; i < 4; i++) {
            none[i].type.valid_cols = PTO_DYNAMIC;
            none[i].valid_cols = 0;
        }
        TESTING_REFUSED(core, "PTO-E0324", form, of(&none[0]), of(&none[1]), of(&none[2]), scale,
                        of(&none[3]));
        /* in place: an error where several passes rewrite rows of another width */
        pto_tile in_place = d;
        in_place.data = a.data;
        testing_expect(core, TESTING_EXECUTE(core, form, of(&in_place), of(&a), of(&b), scale, of(&tmp)),
                       a2a3 ? "PTO-E0327" : NULL, __FILE__, __LINE__);
        testing_expect(core, TESTING_EXECUTE(core, form, of(&in_place), of(&b), of(&a), scale, of(&tmp)),
                       a2a3 ? "PTO-E0327" : NULL, __FILE__, __LINE__);
        pto_core_destroy(core);
    }
}

static void expands(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_options options = {.target = (pto_target)target};
        options.memory_bytes[PTO_LOC_MAT] = 2u << 20;
        pto_core *core = pto_core_create(&options);
        assert_non_null(core);
        const bool npu = target != PTO_TARGET_CPU;
        pto_tile dn = tile_of(core, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 4));
        pto_tile mat_dn = tile_of(core, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_DN, 8, 4));
        pto_tile most = tile_of(core, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ND, 32767, 8));
        pto_tile more = tile_of(core, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ND, 32768, 8));
        pto_tile left = tile_of(core, pto_tile_type_left((pto_target)target, PTO_F16, 16, 16));
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TEXPANDS, of(&dn), one()),
                       npu ? "PTO-E0321" : NULL, __FILE__, __LINE__);
        TESTING_ACCEPTED(core, PTO_FORM_TEXPANDS, of(&mat_dn), one());
        TESTING_ACCEPTED(core, PTO_FORM_TEXPANDS, of(&most), one());
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TEXPANDS, of(&more), one()),
                       npu ? "PTO-E0502" : NULL, __FILE__, __LINE__);
        TESTING_REFUSED(core, "PTO-E0501", PTO_FORM_TEXPANDS, of(&left), one());
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(element_types), cmocka_unit_test(places_layouts_and_extents),
        cmocka_unit_test(overlap),       cmocka_unit_test(rsqrt_scratch),
        cmocka_unit_test(adddeqrelu),    cmocka_unit_test(expands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
