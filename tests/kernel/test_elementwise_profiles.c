/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets accept and refuse of the bitwise, remainder, power, fused, compare and select forms (parts
 * 10 and 20, 2): element types, layouts, extents, scratch, overlap; each rule refused once and accepted at
 * its boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "isa/legality.h"
#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <string.h>

#define BIT(type) (1u << PTO_##type)
#define INTS_32 (BIT(S8) | BIT(U8) | BIT(S16) | BIT(U16) | BIT(S32) | BIT(U32))
#define INTS (INTS_32 | BIT(S64) | BIT(U64))
#define FLOATS (BIT(F16) | BIT(F32))
#define FOUR (BIT(S16) | BIT(S32) | FLOATS)
#define ELEVEN (INTS | FLOATS | BIT(BF16))
#define ALL (((1u << PTO_DTYPE_COUNT) - 1) & ~(BIT(F64) | 1u))

/* Operands behind dst: t = tile, s = scalar, m = mask, x = scratch. */
typedef struct form_row {
    pto_form form;
    const char *operands;
    unsigned types[PTO_TARGET_COUNT]; /* cpu, a2a3, a5 */
    bool apart_on_a2a3;               /* dst = a source is an error there */
} form_row;

static const form_row forms[] = {
    {PTO_FORM_TAND, "tt", {INTS, INTS_32, INTS_32}, false},
    {PTO_FORM_TOR, "tt", {INTS, INTS_32, INTS_32}, false},
    {PTO_FORM_TXOR, "ttx", {INTS, INTS_32, INTS_32}, true},
    {PTO_FORM_TNOT, "t", {INTS, INTS_32, INTS_32}, false},
    {PTO_FORM_TSHL, "tt", {INTS, INTS_32, INTS}, false},
    {PTO_FORM_TSHR, "tt", {INTS, INTS_32, INTS}, false},
    {PTO_FORM_TREM, "ttx", {ALL, BIT(S32) | BIT(F32), (INTS & ~(BIT(S8) | BIT(U8))) | FLOATS}, true},
    {PTO_FORM_TFMOD, "tt", {ALL, BIT(F32), (INTS_32 & ~(BIT(S8) | BIT(U8))) | FLOATS}, true},
    {PTO_FORM_TPOW, "ttx", {ALL, INTS_32 | BIT(F32), INTS_32 | FLOATS | BIT(BF16)}, true},
    {PTO_FORM_TPRELU, "ttx", {ALL, FLOATS, FLOATS}, true},
    {PTO_FORM_TADDC, "ttt", {ALL, FOUR, ELEVEN}, false},
    {PTO_FORM_TSUBC, "ttt", {ALL, FOUR, ELEVEN}, false},
    {PTO_FORM_TFUSEDMULADD, "tt", {ALL, FLOATS, FLOATS}, false},
    {PTO_FORM_TFUSEDMULADDRELU, "tt", {ALL, FLOATS, FLOATS}, false},
    {PTO_FORM_TSUBRELU, "tt", {ALL, FLOATS, FLOATS}, false},
    {PTO_FORM_TSEL, "mttx", {ALL, ELEVEN & ~(BIT(S8) | BIT(U8) | BIT(S64) | BIT(U64)), ELEVEN}, false},
    {PTO_FORM_TREMS, "tsx", {ALL, BIT(S32) | BIT(F32), (INTS & ~(BIT(S8) | BIT(U8))) | FLOATS}, true},
    {PTO_FORM_TFMODS, "ts", {ALL, BIT(F32), (INTS_32 & ~(BIT(S8) | BIT(U8))) | FLOATS | BIT(BF16)}, true},
    {PTO_FORM_TPOWS, "tsx", {ALL, INTS_32 | BIT(F32), INTS_32 | FLOATS | BIT(BF16)}, true},
    {PTO_FORM_TANDS, "ts", {INTS, INTS_32, INTS_32}, true},
    {PTO_FORM_TORS, "ts", {INTS, INTS_32, INTS_32}, true},
    {PTO_FORM_TXORS, "tsx", {INTS, INTS_32, INTS_32}, true},
    {PTO_FORM_TSHLS, "ts", {INTS, INTS_32 & ~(BIT(S8) | BIT(U8)), INTS}, false},
    {PTO_FORM_TSHRS, "ts", {INTS, INTS_32 & ~(BIT(S8) | BIT(U8)), INTS}, false},
    {PTO_FORM_TLRELU, "ts", {ALL, FLOATS, FLOATS}, false},
    {PTO_FORM_TADDSC, "tst", {ALL, FOUR, FOUR}, false},
    {PTO_FORM_TSUBSC, "tst", {ALL, FOUR, FOUR}, false},
    {PTO_FORM_TAXPY, "ts", {ALL, FLOATS, FLOATS}, false},
    {PTO_FORM_TSELS,
     "mtxs",
     {ALL, ELEVEN & ~(BIT(S8) | BIT(U8) | BIT(S64) | BIT(U64)), ELEVEN & ~BIT(BF16)},
     false},
};
enum { FORMS = sizeof forms / sizeof *forms };

static pto_operand of(pto_tile *tile) { return testing_tile_operand(tile); }
static pto_operand mode(int64_t value) { return testing_int_operand(PTO_DTYPE_NONE, value); }

static pto_tile tile_of(pto_core *core, pto_tile_type type) {
    return testing_tile(core, NULL, type, type.valid_rows, type.valid_cols);
}
static pto_tile vec(pto_core *core, pto_dtype type, int32_t rows, int32_t cols) {
    return tile_of(core, testing_type(PTO_LOC_VEC, type, TESTING_ND, rows, cols));
}

/* A scratch tile that fits the form for dst. */
static pto_tile scratch_for(pto_core *core, pto_form form, const pto_tile *dst) {
    if (form == PTO_FORM_TSEL)
        return vec(core, PTO_U32, 1, 8);
    if (form == PTO_FORM_TPRELU)
        return vec(core, PTO_U8, dst->type.rows + 1, 64);
    if (form == PTO_FORM_TREM || form == PTO_FORM_TREMS)
        return vec(core, dst->type.dtype, 1, 256);
    pto_tile_type type =
        testing_type(PTO_LOC_VEC, dst->type.dtype, TESTING_ND, dst->type.rows, dst->type.cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, NULL, type, dst->valid_rows, dst->valid_cols);
}

/* Executes with src[] for the tiles in order; tmp NULL = a fitting one, absent when without_tmp. */
static pto_status run(pto_core *core, const form_row *row, pto_tile *dst, pto_tile *const src[3],
                      pto_tile *tmp, bool without_tmp) {
    pto_operand operand[6] = {of(dst)};
    pto_tile mask = vec(core, PTO_U8, dst->type.rows, 64), fitting = scratch_for(core, row->form, dst);
    int n = 1, next = 0;
    for (const char *p = row->operands; *p; p++, n++) {
        if (*p == 't')
            operand[n] = of(src[next++]);
        else if (*p == 's')
            operand[n] = testing_int_operand(PTO_S64, 1);
        else if (*p == 'm')
            operand[n] = of(&mask);
        else
            operand[n] = of(without_tmp ? NULL : tmp ? tmp : &fitting);
    }
    return testing_execute(core, row->form, n, operand);
}

static void expect(pto_core *core, const char *rule, const form_row *row, pto_tile *dst, pto_tile *src0,
                   pto_tile *src1) {
    pto_tile *const src[3] = {src0, src1, src1};
    testing_expect(core, run(core, row, dst, src, NULL, false), rule, pto_form_get(row->form)->mnemonic,
                   (int)pto_core_options(core)->target);
}

static void element_types(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (int t = 0; t < PTO_DTYPE_COUNT; t++) {
            if (!(ALL >> t & 1))
                continue;
            pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
            pto_tile dst = vec(core, (pto_dtype)t, 2, 32), src0 = vec(core, (pto_dtype)t, 2, 32),
                     src1 = vec(core, (pto_dtype)t, 2, 32);
            for (int i = 0; i < FORMS; i++)
                expect(core, forms[i].types[target] >> t & 1 ? NULL : "PTO-E0302", &forms[i], &dst, &src0,
                       &src1);
            pto_core_destroy(core);
        }
}

static pto_dtype usual(const form_row *row) { return row->types[0] >> PTO_F32 & 1 ? PTO_F32 : PTO_S32; }

static void places_layouts_and_extents(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (int i = 0; i < FORMS; i++) {
            const form_row *row = &forms[i];
            pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
            const bool npu = target != PTO_TARGET_CPU,
                       two = strchr(row->operands, 't') != strrchr(row->operands, 't');
            const pto_dtype type = usual(row);
            pto_tile nd[3], dn[3], wide = vec(core, type, 16, 32), narrow, empty[3];
            for (int k = 0; k < 3; k++) {
                nd[k] = vec(core, type, 16, 16);
                dn[k] = tile_of(core, testing_type(PTO_LOC_VEC, type, TESTING_DN, 16, 16));
                empty[k] = nd[k];
                empty[k].type.valid_rows = PTO_DYNAMIC;
                empty[k].valid_rows = 0;
            }
            pto_tile mat = tile_of(core, testing_type(PTO_LOC_MAT, type, TESTING_ND, 16, 16));
            wide.type.valid_cols = PTO_DYNAMIC; /* another capacity, the same valid region */
            wide.valid_cols = 16;
            narrow = nd[1];
            narrow.type.valid_cols = PTO_DYNAMIC;
            narrow.valid_cols = 15;
            expect(core, NULL, row, &nd[0], &wide, &nd[2]);
            const bool full =
                target == PTO_TARGET_A2A3 && (row->form == PTO_FORM_TREMS || row->form == PTO_FORM_TFMODS);
            expect(core, full ? "PTO-E0324" : NULL, row, &empty[0], &empty[1], &empty[2]);
            expect(core, "PTO-E0320", row, &nd[0], &mat, &nd[2]);
            expect(core, "PTO-E0320", row, &mat, &nd[1], &nd[2]);
            expect(core, "PTO-E0323", row, &nd[0], &narrow, &nd[2]);
            if (two)
                expect(core, "PTO-E0323", row, &nd[0], &nd[1], &narrow);
            expect(core, npu ? "PTO-E0321" : NULL, row, &dn[0], &dn[1], &dn[2]);
            expect(core, npu ? "PTO-E0321" : "PTO-E0322", row, &nd[0], &dn[0], &nd[2]);
            pto_core_destroy(core);
        }
}

static void overlap(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (int i = 0; i < FORMS; i++) {
            const form_row *row = &forms[i];
            pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
            const pto_tile_type type =
                testing_type(PTO_LOC_VEC, usual(row), TESTING_ND, 4, 8); /* 128 bytes */
            static const int32_t offset[] = {1024, 1024 + 96, 1024 + 128, 4096};
            pto_tile memory = vec(core, PTO_U8, 8, 1024), at[4];
            for (int k = 0; k < 4; k++) {
                at[k] = pto_tile_make(type);
                at[k].data = (uint8_t *)memory.data + offset[k];
            }
            const bool a2a3 = target == PTO_TARGET_A2A3;
            const bool every = row->form == PTO_FORM_TXOR || row->form == PTO_FORM_TPRELU;
            expect(core, "PTO-E0325", row, &at[0], &at[1], &at[3]);
            expect(core, NULL, row, &at[0], &at[2], &at[3]);
            pto_tile same = at[0];
            const char *hazard = a2a3 && row->apart_on_a2a3 ? every ? "PTO-E0325" : "PTO-E0327" : NULL;
            expect(core, hazard, row, &at[0], &same, &at[3]);
            expect(core, hazard, row, &at[0], &at[0], &at[3]);
            if (strchr(row->operands, 't') != strrchr(row->operands, 't')) {
                expect(core, "PTO-E0325", row, &at[0], &at[3], &at[1]);
                expect(core, hazard, row, &at[0], &at[3], &same);
                /* sources among themselves */
                expect(core, a2a3 && every ? "PTO-E0509" : NULL, row, &at[3], &at[0], &at[1]);
                expect(core, a2a3 && row->form == PTO_FORM_TPRELU ? "PTO-E0509" : NULL, row, &at[3], &at[0],
                       &same);
            }
            if (strchr(row->operands, 'x')) { /* scratch has bytes of its own, everywhere */
                pto_tile tmp = scratch_for(core, row->form, &at[0]);
                tmp.data = at[3].data;
                pto_tile *const src[3] = {&at[2], &at[3], &at[3]};
                const bool uses = strchr(row->operands, 't') != strrchr(row->operands, 't');
                testing_expect(core, run(core, row, uses ? &at[0] : &at[3], src, &tmp, false), "PTO-E0326",
                               pto_form_get(row->form)->mnemonic, __LINE__);
            }
            pto_core_destroy(core);
        }
    /* integers run in a scalar loop on a2a3 */
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile s32 = vec(core, PTO_S32, 4, 8);
    TESTING_ACCEPTED(core, PTO_FORM_TPOW, of(&s32), of(&s32), of(&s32));
    TESTING_ACCEPTED(core, PTO_FORM_TPOWS, of(&s32), of(&s32), testing_int_operand(PTO_S64, 3));
    pto_core_destroy(core);
}

static void scratch(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool a2a3 = target == PTO_TARGET_A2A3;
        const struct {
            pto_form form;
            pto_dtype type;
            pto_tile tmp;
            const char *rule; /* on a2a3; NULL = accepted there too */
        } rows[] = {
            {PTO_FORM_TXOR, PTO_S32, vec(core, PTO_S32, 4, 16), NULL},
            {PTO_FORM_TXOR, PTO_S32, vec(core, PTO_S32, 5, 16), "PTO-E0323"},
            {PTO_FORM_TXOR, PTO_S32, vec(core, PTO_U32, 4, 16), "PTO-E0303"},
            {PTO_FORM_TXORS, PTO_S16, vec(core, PTO_S16, 4, 16), NULL},
            {PTO_FORM_TXORS, PTO_S16, vec(core, PTO_S16, 4, 32), "PTO-E0323"},
            {PTO_FORM_TXORS, PTO_S16, vec(core, PTO_S32, 4, 16), "PTO-E0303"},
            /* P = 16: 16 + 2 columns */
            {PTO_FORM_TREM, PTO_F32, vec(core, PTO_F32, 1, 24), NULL},
            {PTO_FORM_TREM, PTO_F32, vec(core, PTO_F32, 8, 16), "PTO-E0510"},
            {PTO_FORM_TREM, PTO_F32, vec(core, PTO_S32, 1, 24), "PTO-E0303"},
            {PTO_FORM_TREMS, PTO_F32, vec(core, PTO_F32, 1, 16), NULL},
            {PTO_FORM_TREMS, PTO_F32, vec(core, PTO_F32, 4, 8), "PTO-E0510"},
            {PTO_FORM_TREMS, PTO_F32, vec(core, PTO_S32, 1, 16), "PTO-E0303"},
            {PTO_FORM_TPOW, PTO_F32, vec(core, PTO_F32, 4, 16), NULL},
            {PTO_FORM_TPOW, PTO_F32, vec(core, PTO_F32, 4, 24), "PTO-E0323"},
            {PTO_FORM_TPOW, PTO_F32, vec(core, PTO_S32, 4, 16), "PTO-E0303"},
            {PTO_FORM_TPOW, PTO_S32, vec(core, PTO_F32, 1, 8), NULL}, /* integers need none */
            {PTO_FORM_TPOWS, PTO_F32, vec(core, PTO_F32, 4, 16), NULL},
            {PTO_FORM_TPOWS, PTO_F32, vec(core, PTO_F32, 3, 16), "PTO-E0323"},
            {PTO_FORM_TPRELU, PTO_F32, vec(core, PTO_U8, 5, 32), NULL},
            {PTO_FORM_TPRELU, PTO_F32, vec(core, PTO_U8, 4, 32), "PTO-E0511"},
            {PTO_FORM_TPRELU, PTO_F32, vec(core, PTO_F32, 5, 16), "PTO-E0302"},
            {PTO_FORM_TSEL, PTO_F32, vec(core, PTO_U32, 1, 8), NULL},
            {PTO_FORM_TSEL, PTO_F32, vec(core, PTO_S32, 1, 8), "PTO-E0302"},
            {PTO_FORM_TSELS, PTO_F32, vec(core, PTO_F32, 1, 8), NULL},
            {PTO_FORM_TSELS, PTO_F32, vec(core, PTO_U32, 1, 8), "PTO-E0303"},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const form_row *row = forms;
            while (row->form != rows[i].form)
                row++;
            pto_tile dst = vec(core, rows[i].type, 4, 16), a = vec(core, rows[i].type, 4, 16),
                     b = vec(core, rows[i].type, 4, 16), tmp = rows[i].tmp;
            pto_tile *const src[3] = {&a, &b, &b};
            memset(tmp.data, 0x5A, (size_t)pto_tile_type_bytes(&tmp.type));
            testing_expect(core, run(core, row, &dst, src, &tmp, false), a2a3 ? rows[i].rule : NULL,
                           pto_form_get(row->form)->mnemonic, (int)i);
            assert_int_equal(((uint8_t *)tmp.data)[3], 0x5A); /* never touched */
            const bool needed = a2a3 && !(rows[i].form == PTO_FORM_TPOW && rows[i].type == PTO_S32);
            testing_expect(core, run(core, row, &dst, src, NULL, true), needed ? "PTO-E0329" : NULL,
                           pto_form_get(row->form)->mnemonic, (int)i);
        }
        /* 513 columns of f32: a mask row of 9 * 8 bytes, in a wide tile */
        const form_row *prelu = forms;
        while (prelu->form != PTO_FORM_TPRELU)
            prelu++;
        pto_tile d = vec(core, PTO_F32, 2, 520), a = vec(core, PTO_F32, 2, 520),
                 b = vec(core, PTO_F32, 2, 520);
        pto_tile enough = vec(core, PTO_U8, 3, 96), few = vec(core, PTO_U8, 3, 64);
        pto_tile *const src[3] = {&a, &b, &b};
        testing_expect(core, run(core, prelu, &d, src, &enough, false), NULL, __FILE__, __LINE__);
        testing_expect(core, run(core, prelu, &d, src, &few, false), a2a3 ? "PTO-E0511" : NULL, __FILE__,
                       __LINE__);
        pto_core_destroy(core);
    }
}

static void masks(void **state) {
    (void)state;
    static const pto_dtype narrow[] = {PTO_U8, PTO_S8, PTO_U32, PTO_S32},
                           odd[] = {PTO_U16, PTO_S64, PTO_F32, PTO_E4M3};
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool a2a3 = target == PTO_TARGET_A2A3, npu = target != PTO_TARGET_CPU;
        pto_tile a = vec(core, PTO_F32, 4, 64), b = vec(core, PTO_F32, 4, 64), d = vec(core, PTO_F32, 4, 64);
        pto_tile words = vec(core, PTO_U32, 1, 8);
        const pto_operand tmp = of(a2a3 ? &words : NULL), half = testing_float_operand(PTO_F32, 0.5);
        for (int i = 0; i < 4; i++) {
            pto_tile good = vec(core, narrow[i], 4, 32), bad = vec(core, odd[i], 4, 32);
            TESTING_ACCEPTED(core, PTO_FORM_TCMP, of(&good), of(&a), of(&b), mode(PTO_CMP_LT));
            TESTING_ACCEPTED(core, PTO_FORM_TCMPS, of(&good), of(&a), half, mode(PTO_CMP_LT));
            TESTING_ACCEPTED(core, PTO_FORM_TCMPS_TILE, of(&good), of(&a), of(&b), mode(PTO_CMP_LT));
            TESTING_ACCEPTED(core, PTO_FORM_TCMP, of(&good), of(&a), of(&b)); /* EQ */
            TESTING_ACCEPTED(core, PTO_FORM_TSEL, of(&d), of(&good), of(&a), of(&b), tmp);
            TESTING_REFUSED(core, "PTO-E0504", PTO_FORM_TCMP, of(&bad), of(&a), of(&b), mode(0));
            TESTING_REFUSED(core, "PTO-E0504", PTO_FORM_TCMPS, of(&bad), of(&a), half, mode(0));
            TESTING_REFUSED(core, "PTO-E0504", PTO_FORM_TCMPS_TILE, of(&bad), of(&a), of(&b), mode(0));
            testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TSEL, of(&d), of(&bad), of(&a), of(&b), tmp),
                           i < 2 ? NULL : "PTO-E0504", __FILE__, __LINE__);
        }
        /* rows: equal when written, no fewer when read; columns are not compared */
        pto_tile more = vec(core, PTO_U8, 5, 32), less = vec(core, PTO_U8, 3, 32),
                 mask = vec(core, PTO_U8, 4, 32);
        mask.type.valid_cols = PTO_DYNAMIC;
        mask.valid_cols = 1;
        TESTING_ACCEPTED(core, PTO_FORM_TCMP, of(&mask), of(&a), of(&b), mode(0));
        TESTING_REFUSED(core, "PTO-E0505", PTO_FORM_TCMP, of(&more), of(&a), of(&b), mode(0));
        TESTING_REFUSED(core, "PTO-E0505", PTO_FORM_TCMPS, of(&less), of(&a), half, mode(0));
        TESTING_ACCEPTED(core, PTO_FORM_TSEL, of(&d), of(&more), of(&a), of(&b), tmp);
        TESTING_REFUSED(core, "PTO-E0505", PTO_FORM_TSEL, of(&d), of(&less), of(&a), of(&b), tmp);
        /* layout and memory */
        pto_tile dn = tile_of(core, testing_type(PTO_LOC_VEC, PTO_U8, TESTING_DN, 32, 64));
        pto_tile tall = vec(core, PTO_F32, 32, 64),
                 mat = tile_of(core, testing_type(PTO_LOC_MAT, PTO_U8, TESTING_ND, 4, 32));
        pto_tile data_dn = tile_of(core, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 32, 64));
        pto_tile tall_mask = vec(core, PTO_U8, 32, 32);
        TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TCMP, of(&dn), of(&tall), of(&tall), mode(0));
        TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TSEL, of(&tall), of(&dn), of(&tall), of(&tall), tmp);
        TESTING_REFUSED(core, "PTO-E0320", PTO_FORM_TCMP, of(&mat), of(&a), of(&b), mode(0));
        testing_expect(
            core, TESTING_EXECUTE(core, PTO_FORM_TCMP, of(&tall_mask), of(&data_dn), of(&data_dn), mode(0)),
            npu ? "PTO-E0321" : NULL, __FILE__, __LINE__);
        testing_expect(core,
                       TESTING_EXECUTE(core, PTO_FORM_TCMP, of(&tall_mask), of(&data_dn), of(&tall), mode(0)),
                       npu ? "PTO-E0321" : "PTO-E0322", __FILE__, __LINE__);
        pto_tile slim = vec(core, PTO_F32, 4, 56), none = a;
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TCMP, of(&mask), of(&a), of(&slim), mode(0));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TSEL, of(&d), of(&mask), of(&a), of(&slim), tmp);
        none.type.valid_cols = PTO_DYNAMIC;
        none.valid_cols = 0;
        TESTING_REFUSED(core, "PTO-E0324", PTO_FORM_TCMPS_TILE, of(&mask), of(&a), of(&none), mode(0));
        pto_tile integers = vec(core, PTO_S32, 4, 64);
        TESTING_REFUSED(core, "PTO-E0303", PTO_FORM_TCMP, of(&mask), of(&a), of(&integers), mode(0));
        TESTING_REFUSED(core, "PTO-E0303", PTO_FORM_TSEL, of(&d), of(&mask), of(&a), of(&integers), tmp);
        pto_core_destroy(core);
    }
}

/* A mask row of 32 bytes: 256 columns on cpu; what whole groups leave of them on the hardware. */
static void mask_capacity(void **state) {
    (void)state;
    static const struct {
        pto_dtype type;
        int32_t fit[PTO_TARGET_COUNT]; /* the most columns */
    } rows[] = {{PTO_F32, {256, 256, 256}}, {PTO_F16, {256, 256, 256}}, {PTO_S16, {256, 256, 256}}};
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
            pto_tile_type wide = testing_type(PTO_LOC_VEC, rows[i].type, TESTING_ND, 2, 512);
            wide.valid_cols = PTO_DYNAMIC;
            pto_tile mask = vec(core, PTO_U8, 2, 32);
            for (int more = 0; more < 2; more++) {
                pto_tile src = testing_tile(core, NULL, wide, 2, rows[i].fit[target] + more);
                testing_expect(core,
                               TESTING_EXECUTE(core, PTO_FORM_TCMPS, of(&mask), of(&src),
                                               testing_int_operand(PTO_S64, 0), mode(0)),
                               more ? "PTO-E0506" : NULL, __FILE__, __LINE__);
                pto_tile dst = testing_tile(core, NULL, wide, 2, 256 + more),
                         words = vec(core, rows[i].type, 1, 32);
                src.valid_cols = 256 + more;
                testing_expect(core,
                               TESTING_EXECUTE(core, PTO_FORM_TSELS, of(&dst), of(&mask), of(&src),
                                               of(target == PTO_TARGET_A2A3 ? &words : NULL),
                                               testing_int_operand(PTO_S64, 0)),
                               more ? "PTO-E0506" : NULL, __FILE__, __LINE__);
            }
            pto_core_destroy(core);
        }
    /* 257 columns of f32 in 64 bytes: cpu needs 33, a2a3 5 groups of 8, a5 3 of 16; of s64 on a5 2 of 32 */
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        pto_tile_type wide = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 520);
        wide.valid_cols = PTO_DYNAMIC;
        pto_tile mask = vec(core, PTO_U8, 1, 64);
        static const int32_t fit[] = {512, 512, 512};
        pto_tile most = testing_tile(core, NULL, wide, 1, fit[target]),
                 over = testing_tile(core, NULL, wide, 1, 513);
        TESTING_ACCEPTED(core, PTO_FORM_TCMP, of(&mask), of(&most), of(&most), mode(0));
        TESTING_REFUSED(core, "PTO-E0506", PTO_FORM_TCMP, of(&mask), of(&over), of(&over), mode(0));
        pto_core_destroy(core);
    }
}

static void a2a3_compares(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool a2a3 = target == PTO_TARGET_A2A3;
        pto_tile s = vec(core, PTO_S32, 4, 16), h = vec(core, PTO_S16, 4, 16),
                 mask = vec(core, PTO_U8, 4, 32);
        const pto_operand one = testing_int_operand(PTO_S64, 1);
        for (int m = 0; m < 6; m++) {
            const char *rule = a2a3 && m >= PTO_CMP_LT ? "PTO-E0507" : NULL;
            testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TCMP, of(&mask), of(&s), of(&s), mode(m)),
                           rule, __FILE__, __LINE__);
            testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TCMPS, of(&mask), of(&s), one, mode(m)), rule,
                           __FILE__, __LINE__);
            testing_expect(core,
                           TESTING_EXECUTE(core, PTO_FORM_TCMPS_TILE, of(&mask), of(&s), of(&s), mode(m)),
                           rule, __FILE__, __LINE__);
        }
        assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TCMPS, of(&mask), of(&h), one, mode(2)), PTO_OK);
        assert_int_equal(pto_diag_has(pto_core_diags(core), "PTO-W0508"), a2a3);
        pto_core_destroy(core);
    }
    /* element types of the comparisons */
    static const unsigned tiles[] = {ALL, BIT(S32) | FLOATS, ELEVEN};
    static const unsigned scalars[] = {ALL, BIT(S16) | BIT(U16) | BIT(S32) | FLOATS, ELEVEN};
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        pto_tile mask = vec(core, PTO_U8, 2, 32);
        for (int t = 0; t < PTO_DTYPE_COUNT; t++) {
            if (!(ALL >> t & 1))
                continue;
            pto_tile a = vec(core, (pto_dtype)t, 2, 32), one = vec(core, (pto_dtype)t, 1, 32);
            testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TCMP, of(&mask), of(&a), of(&a), mode(0)),
                           tiles[target] >> t & 1 ? NULL : "PTO-E0302", __FILE__, t);
            testing_expect(core,
                           TESTING_EXECUTE(core, PTO_FORM_TCMPS, of(&mask), of(&a),
                                           testing_int_operand(PTO_S64, 1), mode(0)),
                           scalars[target] >> t & 1 ? NULL : "PTO-E0302", __FILE__, t);
            testing_expect(core,
                           TESTING_EXECUTE(core, PTO_FORM_TCMPS_TILE, of(&mask), of(&a), of(&one), mode(0)),
                           scalars[target] >> t & 1 ? NULL : "PTO-E0302", __FILE__, t);
        }
        pto_core_destroy(core);
    }
}

static void conversions(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool npu = target != PTO_TARGET_CPU;
        pto_tile f32 = vec(core, PTO_F32, 2, 32), f16 = vec(core, PTO_F16, 2, 32),
                 s16 = vec(core, PTO_S16, 2, 32), s8 = vec(core, PTO_S8, 2, 32),
                 bf16 = vec(core, PTO_BF16, 2, 32), other = vec(core, PTO_F32, 2, 32);
        const pto_operand one = testing_int_operand(PTO_S64, 1);
        static const pto_form both[] = {PTO_FORM_TADDRELUCONV, PTO_FORM_TSUBRELUCONV};
        for (int i = 0; i < 2; i++) {
            TESTING_ACCEPTED(core, both[i], of(&f16), of(&f32), of(&other));
            TESTING_ACCEPTED(core, both[i], of(&s8), of(&f16), of(&f16));
            TESTING_ACCEPTED(core, both[i], of(&s8), of(&s16), of(&s16));
            TESTING_REFUSED(core, "PTO-E0302", both[i], of(&bf16), of(&f32), of(&f32));
            TESTING_REFUSED(core, "PTO-E0302", both[i], of(&s8), of(&f32), of(&f32));
            TESTING_REFUSED(core, "PTO-E0303", both[i], of(&s8), of(&s16), of(&f16));
            pto_tile empty[2] = {s8, s16}, in_place = f16;
            for (int k = 0; k < 2; k++) {
                empty[k].type.valid_cols = PTO_DYNAMIC;
                empty[k].valid_cols = 0;
            }
            TESTING_REFUSED(core, "PTO-E0324", both[i], of(&empty[0]), of(&empty[1]), of(&empty[1]));
            TESTING_REFUSED(core, "PTO-E0323", both[i], of(&s8), of(&s16), of(&empty[1]));
            in_place.data = f32.data; /* right, with a warning where the hardware is not */
            assert_int_equal(TESTING_EXECUTE(core, both[i], of(&in_place), of(&f32), of(&other)), PTO_OK);
            assert_int_equal(pto_diag_has(pto_core_diags(core), "PTO-W0331"), npu);
            pto_diag_list_clear(pto_core_diags(core));
        }
        TESTING_ACCEPTED(core, PTO_FORM_TAXPY, of(&f32), of(&f16), one);
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TAXPY, of(&f16), of(&f32), one),
                       npu ? "PTO-E0302" : "PTO-E0513", __FILE__, __LINE__);
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TAXPY, of(&f32), of(&bf16), one),
                       npu ? "PTO-E0302" : "PTO-E0513", __FILE__, __LINE__);
        pto_core_destroy(core);
    }
}

static void remember(void *user, const pto_refusal *refusal) { *(const char **)user = refusal->rule; }

/* A literal is checked before the run; a value of the run counts modulo the width. */
static void shift_counts(void **state) {
    (void)state;
    static const pto_form shifts[] = {PTO_FORM_TSHLS, PTO_FORM_TSHRS};
    static const struct {
        int64_t count;
        bool run_time, legal;
    } rows[] = {
        {0, false, true}, {31, false, true}, {32, false, false}, {-1, false, false}, {32, true, true}};
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        pto_tile tile = vec(core, PTO_S32, 4, 16);
        for (int i = 0; i < 2; i++) {
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
                const char *rule = NULL;
                pto_legality legality = {.form = pto_form_get(shifts[i]),
                                         .target = (pto_target)target,
                                         .run_time = rows[k].run_time,
                                         .report = remember,
                                         .user = &rule};
                for (int t = 0; t < 2; t++)
                    legality.operand[t] = (pto_legality_operand){
                        .kind = PTO_OPERAND_TILE, .type = tile.type, .valid_rows = 4, .valid_cols = 16};
                legality.operand[2] = (pto_legality_operand){.kind = PTO_OPERAND_SCALAR,
                                                             .value_known = true,
                                                             .value = {.dtype = PTO_S32, .i = rows[k].count}};
                assert_int_equal(pto_legality_check(&legality), rows[k].legal);
                if (!rows[k].legal)
                    assert_string_equal(rule, "PTO-E0512");
            }
            testing_set(&tile, 0, 0, 12);
            TESTING_ACCEPTED(core, shifts[i], of(&tile), of(&tile), testing_int_operand(PTO_S32, 33));
            assert_int_equal(testing_get(&tile, 0, 0), i ? 6 : 24);
        }
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(element_types), cmocka_unit_test(places_layouts_and_extents),
        cmocka_unit_test(overlap),       cmocka_unit_test(scratch),
        cmocka_unit_test(masks),         cmocka_unit_test(mask_capacity),
        cmocka_unit_test(a2a3_compares), cmocka_unit_test(conversions),
        cmocka_unit_test(shift_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
