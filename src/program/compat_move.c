/* SPDX-License-Identifier: Apache-2.0 */
/* What the assembler checks of transfers, moves and the cube (60, 3.10.2, 3.10.5). */
#include "program/compat.h"

#include <string.h>

#define TILE(x) pto_compat_is_tile(c, x)
#define ROW(x) pto_compat_row_major(c, x)
#define ELEM(a, b) pto_compat_elem(c, a, b)
#define VALID(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_BOTH)
#define SHAPE(a, b) pto_compat_shape(c, a, b)
#define LIST(x, list) pto_compat_types(c, x, list)
#define NZ(x) pto_compat_nz(c, x)
#define SPACE(x, loc) pto_compat_space(c, x, loc)
#define IN(i) (c->in[i])
#define OUT (c->out[0])
#define ELEMENT(x) pto_compat_element(c, x)

static bool is_view(const pto_compat *c, int x) {
    const pto_type *type = pto_compat_type(c, x);
    if (!type || (type->kind != PTO_TYPE_PARTITION_VIEW && type->kind != PTO_TYPE_MEMREF))
        return pto_compat_refuse(c, "PTO-E1001", x, "a partition view", "another type");
    for (int i = 0; i < type->rank; i++)
        if (type->dim[i] == 0)
            return pto_compat_refuse(c, "PTO-E1004", x, "dimensions above 0", "0");
    return true;
}

static bool nonempty(const pto_compat *c, int x) { return pto_compat_nonempty(c, x, PTO_COMPAT_BOTH); }

PTO_COMPAT_CHECK(tload) {
    if (!(is_view(c, IN(0)) && TILE(OUT) && nonempty(c, OUT) && pto_compat_same_bits(c, IN(0), OUT)))
        return false;
    const pto_tile_type *d = pto_compat_tile(c, OUT);
    if (!c->a5)
        return LIST(OUT, "W8 W16 W32 W64 f16 bf16 f32") &&
               (d->loc == PTO_LOC_VEC || d->loc == PTO_LOC_MAT ||
                pto_compat_refuse(c, "PTO-E1003", OUT, "vec, mat", "%s", pto_loc_name(d->loc)));
    unsigned bits = pto_compat_bits(ELEMENT(OUT));
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return pto_compat_refuse(c, "PTO-E1002", OUT, "elements of 1, 2, 4 or 8 bytes", "%u bits", bits);
    return !pto_compat_in(ELEMENT(OUT), "W64") || d->pad == PTO_PAD_NULL || d->pad == PTO_PAD_ZERO ||
           pto_compat_refuse(c, "PTO-E1005", OUT, "pad null or zero", "another one");
}

PTO_COMPAT_CHECK(tprefetch) {
    const pto_tile_type *d = pto_compat_tile(c, OUT);
    return is_view(c, IN(0)) && TILE(OUT) && nonempty(c, OUT) && pto_compat_same_bits(c, IN(0), OUT) &&
           (d->loc == PTO_LOC_VEC || d->loc == PTO_LOC_MAT ||
            pto_compat_refuse(c, "PTO-E1003", OUT, "vec, mat", "%s", pto_loc_name(d->loc)));
}

static bool has_relu(const pto_compat *c) {
    const pto_attr *relu = pto_operation_attr(c->op, "reluPreMode");
    return relu && pto_str_equal(relu->text, PTO_STR("normal_relu"));
}

static bool limited(const pto_compat *c, int x) { /* 1..4095 columns */
    const pto_tile_type *t = pto_compat_tile(c, x);
    return ((t->valid_cols < 0 || (t->valid_cols >= 1 && t->valid_cols <= 4095)) && t->cols >= 1 &&
            t->cols <= 4095) ||
           pto_compat_refuse(c, "PTO-E1004", x, "1 to 4095 columns", "%d", t->cols);
}

static int pre_quant(const pto_compat *c) {
    for (int i = 1; i < c->in_count; i++) {
        const pto_type *type = pto_compat_type(c, IN(i));
        if (type && pto_type_is_scalar(type))
            return IN(i);
    }
    return -1;
}

PTO_COMPAT_CHECK(tstore) {
    if (!(TILE(IN(0)) && is_view(c, OUT)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0));
    const pto_type *view = pto_compat_type(c, OUT);
    int64_t product = 1;
    for (int i = 0; i < view->rank; i++)
        product = view->dim[i] < 0 || product < 0 ? -1 : product * view->dim[i];
    if (!view->open && product >= 0 && s->valid_rows >= 0 && s->valid_cols >= 0 &&
        product != (int64_t)s->valid_rows * s->valid_cols)
        return pto_compat_refuse(c, "PTO-E1004", IN(0), "as many elements as the view", "%d x %d",
                                 s->valid_rows, s->valid_cols);
    bool quant = pre_quant(c) >= 0;
    if (s->loc != PTO_LOC_ACC) {
        if (quant || has_relu(c))
            return pto_compat_refuse(c, "PTO-E1003", IN(0), "acc, for preQuant and relu", "%s",
                                     pto_loc_name(s->loc));
        if (s->loc != PTO_LOC_VEC && (c->a5 || s->loc != PTO_LOC_MAT))
            return pto_compat_refuse(c, "PTO-E1003", IN(0), c->a5 ? "vec, acc" : "vec, mat, acc", "%s",
                                     pto_loc_name(s->loc));
        return LIST(IN(0), "W8 W16 W32 W64 f16 bf16 f32") && pto_compat_same_bits(c, IN(0), OUT);
    }
    if (!LIST(IN(0), "i32 f32"))
        return false;
    bool from_int = pto_compat_in(ELEMENT(IN(0)), "i32");
    const char *targets = !quant  ? "i32 f32 f16 bf16"
                          : c->a5 ? (from_int ? "i8 f16 bf16" : "i8 f16 bf16 f32")
                                  : (from_int ? "i8 f16" : "i8");
    return LIST(OUT, targets) && (c->a5 || limited(c, IN(0)));
}

PTO_COMPAT_CHECK(tstore_fp) {
    return TILE(IN(0)) && TILE(IN(1)) && is_view(c, OUT) && SPACE(IN(0), PTO_LOC_ACC) &&
           (c->a5 || (LIST(IN(0), "f32 U32") && limited(c, IN(0))));
}

static bool fp_source(const pto_compat *c, int fp) {
    return TILE(fp) && SPACE(fp, PTO_LOC_SCALING) && LIST(IN(0), "f32 W32");
}

PTO_COMPAT_CHECK(tmov) {
    static const struct {
        pto_loc from, to;
        bool only_a5;
    } pairs[] = {{PTO_LOC_MAT, PTO_LOC_LEFT, false}, {PTO_LOC_MAT, PTO_LOC_RIGHT, false},
                 {PTO_LOC_MAT, PTO_LOC_BIAS, false}, {PTO_LOC_MAT, PTO_LOC_SCALING, false},
                 {PTO_LOC_VEC, PTO_LOC_VEC, false},  {PTO_LOC_ACC, PTO_LOC_MAT, false},
                 {PTO_LOC_ACC, PTO_LOC_VEC, false},  {PTO_LOC_VEC, PTO_LOC_MAT, true}};
    if (!(TILE(IN(0)) && TILE(OUT)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    bool path = false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        path |= pairs[i].from == s->loc && pairs[i].to == d->loc && (c->a5 || !pairs[i].only_a5);
    if (!path)
        return pto_compat_refuse(c, "PTO-E1003", OUT, "a path between the memories", "%s to %s",
                                 pto_loc_name(s->loc), pto_loc_name(d->loc));
    if ((!c->a5 || s->loc == PTO_LOC_MAT) && !SHAPE(IN(0), OUT))
        return false;
    const pto_attr *mode = pto_operation_attr(c->op, "accToVecMode");
    int quant = pre_quant(c), fp = -1;
    for (int i = 1; i < c->in_count; i++)
        if (pto_compat_tile(c, IN(i)))
            fp = IN(i);
    if (mode && !(s->loc == PTO_LOC_ACC && d->loc == PTO_LOC_VEC))
        return pto_compat_refuse(c, "PTO-E1005", -1, "accToVecMode from acc to vec alone", "another path");
    bool relu = has_relu(c);
    if ((relu || quant >= 0 || fp >= 0) && s->loc != PTO_LOC_ACC)
        return pto_compat_refuse(c, "PTO-E1003", IN(0), "acc, for relu, preQuant and fp", "%s",
                                 pto_loc_name(s->loc));
    if (fp >= 0 && quant >= 0)
        return pto_compat_refuse(c, "PTO-E1005", fp, "fp or preQuant", "both");
    if (fp >= 0 && !fp_source(c, fp))
        return false;
    if (mode && (fp >= 0 || quant >= 0) && !pto_str_starts_with(mode->text, PTO_STR("single_mode")))
        return pto_compat_refuse(c, "PTO-E1005", -1, "a single mode with quantisation", "a dual mode");
    if (s->loc == PTO_LOC_ACC && (fp >= 0 || relu) && !NZ(IN(0)))
        return false;
    return c->a5 || s->loc != PTO_LOC_ACC || d->loc != PTO_LOC_MAT || pto_compat_fractal(c, OUT, 512);
}

PTO_COMPAT_CHECK(tmov_fp) {
    if (!(TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && LIST(IN(0), "f32 U32") &&
          SPACE(IN(1), PTO_LOC_SCALING) && NZ(IN(0))))
        return false;
    return c->a5 || (SPACE(IN(0), PTO_LOC_ACC) && SPACE(OUT, PTO_LOC_MAT) && NZ(OUT) &&
                     pto_compat_fractal(c, OUT, 512));
}

/* ---- windows ---- */

/* index + extent <= limit for constant indices; `in`: the window lies in src, else in dst. */
static bool window(const pto_compat *c, int row, int col, bool extract) {
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    const int index[2] = {row, col};
    const int32_t extent[2] = {extract ? d->rows : s->valid_rows, extract ? d->cols : s->valid_cols};
    const int32_t limit[2] = {extract ? s->rows : d->rows, extract ? s->cols : d->cols};
    for (int i = 0; i < 2; i++) {
        int64_t at;
        if (index[i] < 0)
            return pto_compat_refuse(c, "PTO-E1001", -1, "a row and a column", "an index left out");
        if (!pto_compat_constant(c, index[i], &at))
            continue;
        if (at < 0)
            return pto_compat_refuse(c, "PTO-E1005", index[i], "0 or more", "%lld", (long long)at);
        if (extent[i] >= 0 && at + extent[i] > limit[i])
            return pto_compat_refuse(c, "PTO-E1004", index[i], "a window inside the tile", "%lld + %d > %d",
                                     (long long)at, extent[i], limit[i]);
    }
    return true;
}

PTO_COMPAT_CHECK(textract) {
    if (!(TILE(IN(0)) && TILE(OUT) && window(c, IN(1), IN(2), true) && ELEM(IN(0), OUT)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    bool boxed_rows = s->blayout == PTO_COL_MAJOR && s->slayout == PTO_BOX_ROW_MAJOR; /* NZ */
    if (!c->a5) {
        if (!LIST(IN(0), "W8 f16 bf16 f32") || !SPACE(IN(0), PTO_LOC_MAT))
            return false;
        if (s->blayout != PTO_ROW_MAJOR && !boxed_rows)
            return pto_compat_refuse(c, "PTO-E1003", IN(0), "row_major or NZ", "another layout");
        if (d->loc == PTO_LOC_LEFT)
            return pto_compat_layout(c, OUT, PTO_ROW_MAJOR, PTO_BOX_ROW_MAJOR);
        return SPACE(OUT, PTO_LOC_RIGHT) && pto_compat_layout(c, OUT, PTO_ROW_MAJOR, PTO_BOX_COL_MAJOR);
    }
    if (!LIST(IN(0), "W8 fp8 f16 bf16 f32"))
        return false;
    if (s->loc == PTO_LOC_VEC) {
        if (d->loc == PTO_LOC_MAT)
            return true;
        return SPACE(OUT, PTO_LOC_VEC) && pto_compat_layout(c, IN(0), PTO_ROW_MAJOR, PTO_NONE_BOX) &&
               pto_compat_layout(c, OUT, PTO_ROW_MAJOR, PTO_NONE_BOX);
    }
    if (!SPACE(IN(0), PTO_LOC_MAT))
        return false;
    if (!boxed_rows &&
        !(s->blayout == PTO_ROW_MAJOR && (s->slayout == PTO_BOX_COL_MAJOR || d->loc == PTO_LOC_LEFT)))
        return pto_compat_refuse(c, "PTO-E1003", IN(0), "(row_major, col_major) or NZ; for left row_major",
                                 "another layout");
    if (d->loc == PTO_LOC_LEFT)
        return NZ(OUT);
    if (d->loc == PTO_LOC_RIGHT)
        return pto_compat_layout(c, OUT, PTO_ROW_MAJOR, PTO_BOX_COL_MAJOR);
    return SPACE(OUT, PTO_LOC_SCALING);
}

static bool nd_or_nz(const pto_compat *c, int x) {
    const pto_tile_type *t = pto_compat_tile(c, x);
    return (t->blayout == PTO_ROW_MAJOR && t->slayout == PTO_NONE_BOX) ||
           (t->blayout == PTO_COL_MAJOR && t->slayout == PTO_BOX_ROW_MAJOR) ||
           pto_compat_refuse(c, "PTO-E1003", x, "(row_major, none_box) or NZ", "another layout");
}

PTO_COMPAT_CHECK(tinsert) {
    if (!(TILE(IN(0)) && TILE(OUT) && window(c, IN(1), IN(2), false)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    if (s->loc == PTO_LOC_ACC || !c->a5) {
        if (!(SPACE(IN(0), PTO_LOC_ACC) && SPACE(OUT, PTO_LOC_MAT) && NZ(IN(0)) && NZ(OUT)))
            return false;
        if (!c->a5)
            return pto_compat_fractal(c, OUT, 512) && LIST(IN(0), "f32") && LIST(OUT, "f16 bf16");
        return LIST(IN(0), "f32 W32") &&
               LIST(OUT, pto_compat_in(ELEMENT(IN(0)), "f32") ? "f16 bf16 f32" : "W32");
    }
    if (!(SPACE(IN(0), PTO_LOC_VEC) && ELEM(IN(0), OUT) && LIST(IN(0), "fp8 f16 bf16 f32 W8 W32")))
        return false;
    if (d->loc == PTO_LOC_MAT)
        return NZ(OUT) && nd_or_nz(c, IN(0));
    return SPACE(OUT, PTO_LOC_VEC) && pto_compat_layout(c, IN(0), PTO_ROW_MAJOR, PTO_NONE_BOX) &&
           pto_compat_layout(c, OUT, PTO_ROW_MAJOR, PTO_NONE_BOX);
}

/* src, fp, row, col */
PTO_COMPAT_CHECK(window_fp) {
    bool extract = strstr(pto_form_get(c->op->form)->mnemonic, "EXTRACT") != NULL;
    if (!(TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && window(c, IN(2), IN(3), extract) &&
          SPACE(IN(0), PTO_LOC_ACC) && SPACE(IN(1), PTO_LOC_SCALING) && SPACE(OUT, PTO_LOC_MAT) &&
          NZ(IN(0)) && NZ(OUT) && LIST(IN(0), "f32 W32")))
        return false;
    bool from_float = pto_compat_in(ELEMENT(IN(0)), "f32");
    const char *targets =
        c->a5 ? (from_float ? "W8 fp8 f16 bf16 f32" : "W8 f16 bf16") : (from_float ? "W8" : "W8 f16 W16");
    return LIST(OUT, targets) && (c->a5 || pto_compat_fractal(c, OUT, 512));
}

/* ---- gather and scatter ---- */

static bool indexed(const pto_compat *c, int tile, int index, int view) {
    const pto_type *idx = ELEMENT(index);
    if (!(pto_compat_nd(c, tile) && pto_compat_nd(c, index)))
        return false;
    if (!pto_compat_in(idx, "i32"))
        return pto_compat_refuse(c, "PTO-E1002", index, "i32", "another type");
    if (!LIST(tile, "SUP bf16 U8 fp8") || !is_view(c, view) || !ELEM(tile, view))
        return false;
    const pto_tile_type *t = pto_compat_tile(c, tile), *i = pto_compat_tile(c, index);
    if (t->rows != i->rows)
        return pto_compat_refuse(c, "PTO-E1004", index, "the rows of the tile", "%d", i->rows);
    if (i->cols != 1 && i->cols != t->cols)
        return pto_compat_refuse(c, "PTO-E1004", index, "one column, or those of the tile", "%d", i->cols);
    pto_view_facts facts;
    const pto_value *value = pto_instr_value(c->op, view);
    return !pto_fact_view(value, &facts) || facts.layout == PTO_LAYOUT_ND || facts.layout_ambiguous ||
           pto_compat_refuse(c, "PTO-E1003", view, "layout ND", "another layout");
}

PTO_COMPAT_CHECK(mgather) { return indexed(c, OUT, IN(1), IN(0)); }

PTO_COMPAT_CHECK(mscatter) {
    if (!indexed(c, IN(0), IN(1), OUT))
        return false;
    const pto_attr *atomic = pto_operation_attr(c->op, "scatterAtomicOp");
    if (!atomic || pto_str_equal(atomic->text, PTO_STR("none")))
        return true;
    return LIST(IN(0), pto_str_equal(atomic->text, PTO_STR("add")) ? "f16 f32 i32" : "f32 i32");
}

/* ---- views of tiles, print ---- */

PTO_COMPAT_CHECK(tprint) {
    return !pto_compat_tile(c, IN(0)) || (SPACE(IN(0), PTO_LOC_VEC) && LIST(IN(0), "F W8 W16 W32"));
}

static unsigned plain_bits(const pto_type *element) { /* 8-bit floats have no size in that check */
    return element && element->kind == PTO_TYPE_FLOAT && pto_dtype_bits(element->dtype) == 8
               ? 0
               : pto_compat_bits(element);
}

PTO_COMPAT_CHECK(treshape) {
    if (!(TILE(IN(0)) && TILE(OUT)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    uint64_t from = (uint64_t)s->rows * (uint64_t)s->cols * plain_bits(ELEMENT(IN(0)));
    uint64_t to = (uint64_t)d->rows * (uint64_t)d->cols * plain_bits(ELEMENT(OUT));
    if (!SPACE(OUT, s->loc))
        return false;
    if (!from || from != to)
        return pto_compat_refuse(c, "PTO-E1004", OUT, "the bytes of the source", "%llu bits",
                                 (unsigned long long)to);
    return (s->slayout == PTO_NONE_BOX) == (d->slayout == PTO_NONE_BOX) ||
           pto_compat_refuse(c, "PTO-E1003", OUT, "boxes as in the source", "another layout");
}

/* ---- cube ---- */

static bool product_types(const pto_compat *c, int a, int b, int d) {
    const pto_type *x = ELEMENT(a), *y = ELEMENT(b), *z = ELEMENT(d);
    bool ints = pto_compat_in(x, "W8") && pto_compat_in(y, "W8") && pto_compat_in(z, "W32");
    bool floats =
        x == y && pto_compat_in(x, c->a5 ? "f16 bf16 f32 fp8" : "f16 bf16 f32") && pto_compat_in(z, "f32");
    return ints || floats ||
           pto_compat_refuse(c, "PTO-E1002", d, "W8 x W8 -> W32, equal floats -> f32", "other types");
}

static bool roles(const pto_compat *c, int a, int b, int d) {
    return TILE(a) && TILE(b) && TILE(d) && SPACE(a, PTO_LOC_LEFT) && SPACE(b, PTO_LOC_RIGHT) &&
           SPACE(d, PTO_LOC_ACC);
}

static bool product_shapes(const pto_compat *c, int a, int b, int d) {
    const pto_tile_type *x = pto_compat_tile(c, a), *y = pto_compat_tile(c, b), *z = pto_compat_tile(c, d);
    return (x->cols == y->rows && z->rows == x->rows && z->cols == y->cols) ||
           pto_compat_refuse(c, "PTO-E1004", d, "M x N from M x K and K x N", "%d x %d", z->rows, z->cols);
}

static bool product_layouts(const pto_compat *c, int a, int b, int d) {
    return !c->a5 || (NZ(a) && pto_compat_layout(c, b, PTO_ROW_MAJOR, PTO_BOX_COL_MAJOR) && NZ(d));
}

static bool product_extent(const pto_compat *c, int x, int32_t extent) {
    return extent < 0 || (extent >= 1 && extent <= 4095) ||
           pto_compat_refuse(c, "PTO-E1004", x, "1 to 4095", "%d", extent);
}

static bool places(const pto_compat *c, int a, int b, int d) {
    if (!(roles(c, a, b, d) && product_shapes(c, a, b, d)))
        return false;
    const pto_tile_type *x = pto_compat_tile(c, a), *y = pto_compat_tile(c, b);
    return product_extent(c, a, x->valid_rows) && product_extent(c, a, x->valid_cols) &&
           product_extent(c, b, y->valid_cols) && product_layouts(c, a, b, d);
}

static bool matmul(const pto_compat *c, int a, int b, int d) {
    return places(c, a, b, d) && product_types(c, a, b, d);
}

static bool bias_tile(const pto_compat *c, int bias, const char *types) {
    const pto_tile_type *t = pto_compat_tile(c, bias);
    if (!(TILE(bias) && SPACE(bias, PTO_LOC_BIAS)))
        return false;
    if (t->rows != 1)
        return pto_compat_refuse(c, "PTO-E1004", bias, "one row", "%d", t->rows);
    return (types ? LIST(bias, types) : ELEM(OUT, bias)) && (!c->a5 || ROW(bias));
}

PTO_COMPAT_CHECK(tmatmul) { return matmul(c, IN(0), IN(1), OUT); }
PTO_COMPAT_CHECK(tmatmul_acc) { return pto_compat_acc(c, IN(0)) && places(c, IN(1), IN(2), OUT); }
PTO_COMPAT_CHECK(tmatmul_bias) { return matmul(c, IN(0), IN(1), OUT) && bias_tile(c, IN(2), NULL); }

static bool gemv_places(const pto_compat *c, int a, int b, int d) {
    if (!roles(c, a, b, d))
        return false;
    const pto_tile_type *x = pto_compat_tile(c, a), *y = pto_compat_tile(c, b);
    return pto_compat_extent(c, a, PTO_COMPAT_ROWS, 1) && pto_compat_extent(c, d, PTO_COMPAT_ROWS, 1) &&
           pto_compat_extent(c, b, PTO_COMPAT_ROWS, x->valid_cols) &&
           pto_compat_extent(c, d, PTO_COMPAT_COLS, y->valid_cols) &&
           (!c->a5 || (product_shapes(c, a, b, d) && product_layouts(c, a, b, d)));
}

PTO_COMPAT_CHECK(tgemv) { return gemv_places(c, IN(0), IN(1), OUT) && product_types(c, IN(0), IN(1), OUT); }
PTO_COMPAT_CHECK(tgemv_acc) { return pto_compat_acc(c, IN(0)) && gemv_places(c, IN(1), IN(2), OUT); }
PTO_COMPAT_CHECK(tgemv_bias) { return pto_compat_tgemv(c) && bias_tile(c, IN(2), NULL); }

static bool mx_types(const pto_compat *c, int a, int b) {
    return !c->a5 || (LIST(a, "fp8") && LIST(b, "fp8") && LIST(OUT, "f32"));
}

static bool mx(const pto_compat *c, int first, bool gemv) { /* a, aScale, b, bScale */
    int a = IN(first), as = IN(first + 1), b = IN(first + 2), bs = IN(first + 3);
    if (!(TILE(as) && TILE(bs)))
        return false;
    if (!gemv)
        return mx_types(c, a, b);
    return SPACE(as, PTO_LOC_SCALING) && SPACE(bs, PTO_LOC_SCALING) && SHAPE(a, as) && VALID(a, as) &&
           SHAPE(b, bs) && VALID(b, bs) && gemv_places(c, a, b, OUT) && mx_types(c, a, b);
}

/* On A2/A3 nothing is checked but that the scales are tiles. */
PTO_COMPAT_CHECK(tmatmul_mx) { return mx(c, 0, false) && (!c->a5 || places(c, IN(0), IN(2), OUT)); }
PTO_COMPAT_CHECK(tmatmul_mx_acc) {
    return pto_compat_acc(c, IN(0)) && mx(c, 1, false) &&
           (!c->a5 || (places(c, IN(1), IN(3), OUT) && ELEM(OUT, IN(0)) && VALID(OUT, IN(0))));
}
PTO_COMPAT_CHECK(tmatmul_mx_bias) {
    return mx(c, 0, false) && (!c->a5 || places(c, IN(0), IN(2), OUT)) && bias_tile(c, IN(4), "f32");
}
PTO_COMPAT_CHECK(tgemv_mx) { return mx(c, 0, true); }
PTO_COMPAT_CHECK(tgemv_mx_acc) { return pto_compat_acc(c, IN(0)) && mx(c, 1, true); }
PTO_COMPAT_CHECK(tgemv_mx_bias) {
    const pto_tile_type *d = pto_compat_tile(c, OUT), *bias = pto_compat_tile(c, IN(4));
    return mx(c, 0, true) && bias_tile(c, IN(4), "f32") && VALID(OUT, IN(4)) &&
           (bias->cols == d->cols ||
            pto_compat_refuse(c, "PTO-E1004", IN(4), "the columns of dst", "%d", bias->cols));
}
