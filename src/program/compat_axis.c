/* SPDX-License-Identifier: Apache-2.0 */
/* What the assembler checks of reductions, expansions and movement inside vec (60, 3.10.4). */
#include "program/compat.h"

#include <string.h>

#define TILE(x) pto_compat_is_tile(c, x)
#define ROW(x) pto_compat_row_major(c, x)
#define VEC(x) pto_compat_vec(c, x)
#define VSTORE(x) pto_compat_vstore(c, x)
#define ND(x) pto_compat_nd(c, x)
#define ELEM(a, b) pto_compat_elem(c, a, b)
#define VALID(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_BOTH)
#define VALIDR(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_ROWS)
#define VALIDC(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_COLS)
#define NONEMPTY(x) pto_compat_nonempty(c, x, PTO_COMPAT_BOTH)
#define SHAPE(a, b) pto_compat_shape(c, a, b)
#define TYPES(x) pto_compat_types(c, x, c->types)
#define LIST(x, list) pto_compat_types(c, x, list)
#define IN(i) (c->in[i])
#define OUT (c->out[0])
#define BITS(x) pto_compat_bits(pto_compat_element(c, x))

static bool none_box(const pto_compat *c, int x) {
    const pto_tile_type *t = pto_compat_tile(c, x);
    return t->slayout == PTO_NONE_BOX || pto_compat_refuse(c, "PTO-E1003", x, "none_box", "a boxed layout");
}

/* ---- reductions ---- */

static bool row_result(const pto_compat *c) {
    const pto_tile_type *d = pto_compat_tile(c, OUT);
    if (!(VSTORE(OUT) && none_box(c, OUT)))
        return false;
    if (d->blayout == PTO_COL_MAJOR && d->cols != 1)
        return pto_compat_refuse(c, "PTO-E1003", OUT, "row_major, or col_major with one column", "%d columns",
                                 d->cols);
    return pto_compat_extent(c, OUT, PTO_COMPAT_COLS, 1) && VALIDR(IN(0), OUT);
}

PTO_COMPAT_CHECK(row_reduce) {
    return ND(IN(0)) && TYPES(IN(0)) && NONEMPTY(IN(0)) && row_result(c) && ELEM(IN(0), OUT);
}

static bool like_source(const pto_compat *c, int tmp) {
    return tmp < 0 || (VEC(tmp) && ELEM(IN(0), tmp) && VALID(IN(0), tmp));
}

PTO_COMPAT_CHECK(row_reduce_tmp) { return pto_compat_row_reduce(c) && like_source(c, IN(1)); }

PTO_COMPAT_CHECK(row_arg) {
    return ND(IN(0)) && TYPES(IN(0)) && NONEMPTY(IN(0)) && row_result(c) && LIST(OUT, "U32") &&
           like_source(c, IN(1));
}

PTO_COMPAT_CHECK(col_extreme) {
    return ND(IN(0)) && ND(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) && VALIDC(IN(0), OUT) &&
           (!c->a5 || NONEMPTY(IN(0)));
}

PTO_COMPAT_CHECK(tcolsum) {
    bool has_tmp = c->in_count > 1 && pto_compat_tile(c, IN(1));
    bool has_attr = pto_operation_attr(c->op, "isBinary") != NULL;
    if (!pto_compat_col_extreme(c))
        return false;
    if (has_tmp != has_attr)
        return pto_compat_refuse(c, "PTO-E1005", -1, "tmp and isBinary together", "one of them");
    return !has_tmp || (ND(IN(1)) && ELEM(IN(0), IN(1)));
}

PTO_COMPAT_CHECK(tcolprod) {
    return ND(IN(0)) && ND(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) && VALIDC(IN(0), OUT);
}

PTO_COMPAT_CHECK(col_arg) {
    return ND(IN(0)) && TYPES(IN(0)) && NONEMPTY(IN(0)) && like_source(c, IN(1)) && ND(OUT) &&
           pto_compat_extent(c, OUT, PTO_COMPAT_ROWS, 1) && VALIDC(IN(0), OUT) && LIST(OUT, "U32");
}

/* ---- expansions ---- */

PTO_COMPAT_CHECK(tcolexpand) {
    return ND(IN(0)) && ND(OUT) && ELEM(IN(0), OUT) && TYPES(IN(0)) && VALIDC(IN(0), OUT);
}

PTO_COMPAT_CHECK(col_expand_op) {
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && TYPES(IN(1)) && TYPES(OUT) &&
           SHAPE(IN(0), OUT) && VALID(IN(0), OUT) && ROW(IN(0)) && ROW(IN(1)) && ROW(OUT) &&
           VALIDC(OUT, IN(1));
}

PTO_COMPAT_CHECK(trowexpand) {
    return VSTORE(IN(0)) && none_box(c, IN(0)) && ND(OUT) && ELEM(IN(0), OUT) && TYPES(IN(0)) &&
           VALIDR(IN(0), OUT) && NONEMPTY(IN(0)) && NONEMPTY(OUT);
}

PTO_COMPAT_CHECK(row_expand_free) {
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) &&
           ELEM(IN(0), OUT) && ROW(OUT);
}

/* A value per row: one column, or in a row-major tile one 32-byte block. */
static bool is_row_vector(const pto_compat *c, int x, bool report) {
    const pto_tile_type *t = pto_compat_tile(c, x), *d = pto_compat_tile(c, OUT);
    unsigned bits = BITS(x);
    int64_t wanted = t->blayout == PTO_ROW_MAJOR && bits ? 256 / bits : 1;
    if (report)
        return pto_compat_valid(c, OUT, x, PTO_COMPAT_ROWS) &&
               pto_compat_extent(c, x, PTO_COMPAT_COLS, wanted);
    return !(t->valid_rows >= 0 && d->valid_rows >= 0 && t->valid_rows != d->valid_rows) &&
           (t->valid_cols < 0 || t->valid_cols == wanted);
}

PTO_COMPAT_CHECK(trowexpandadd) {
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) &&
           ELEM(IN(0), OUT) && VALID(IN(0), OUT) && ROW(IN(0)) && ROW(OUT) && is_row_vector(c, IN(1), true);
}

static bool is_full(const pto_compat *c, int x) {
    const pto_tile_type *t = pto_compat_tile(c, x), *d = pto_compat_tile(c, OUT);
    return t->blayout == PTO_ROW_MAJOR &&
           !(t->valid_rows >= 0 && d->valid_rows >= 0 && t->valid_rows != d->valid_rows) &&
           !(t->valid_cols >= 0 && d->valid_cols >= 0 && t->valid_cols != d->valid_cols);
}

PTO_COMPAT_CHECK(row_expand_either) {
    if (!(pto_compat_row_expand_free(c) && NONEMPTY(OUT)))
        return false;
    int vector = is_full(c, IN(0)) && is_row_vector(c, IN(1), false)   ? 1
                 : is_full(c, IN(1)) && is_row_vector(c, IN(0), false) ? 0
                                                                       : -1;
    if (vector < 0)
        return pto_compat_refuse(c, "PTO-E1004", IN(1), "one source like dst, the other a value per row",
                                 "neither");
    if (c->in_count < 3 || IN(2) < 0 || !pto_compat_tile(c, IN(2)))
        return true;
    if (c->a5)
        return pto_compat_refuse(c, "PTO-E1005", IN(2), "no tmp", "a tmp");
    if (pto_compat_tile(c, IN(vector))->blayout == PTO_ROW_MAJOR)
        return pto_compat_refuse(c, "PTO-E1003", IN(vector), "col_major, since there is a tmp", "row_major");
    return ELEM(OUT, IN(2));
}

/* ---- movement inside vec ---- */

static bool pad(const pto_compat *c) {
    unsigned bits = BITS(OUT);
    if (!(TILE(IN(0)) && TILE(OUT) && pto_compat_same_bits(c, IN(0), OUT)))
        return false;
    if (bits != 8 && bits != 16 && bits != 32)
        return pto_compat_refuse(c, "PTO-E1002", OUT, "elements of 1, 2 or 4 bytes", "%u bits", bits);
    return pto_compat_tile(c, OUT)->pad != PTO_PAD_NULL ||
           pto_compat_refuse(c, "PTO-E1005", OUT, "a pad value", "null");
}

PTO_COMPAT_CHECK(tfillpad) { return pad(c) && SHAPE(IN(0), OUT); }

PTO_COMPAT_CHECK(tfillpad_expand) {
    if (!pad(c))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    return (d->rows >= s->rows && d->cols >= s->cols) ||
           pto_compat_refuse(c, "PTO-E1004", OUT, "a shape that holds that of src", "%d x %d", d->rows,
                             d->cols);
}

static bool major_bytes(const pto_compat *c, int x) {
    const pto_tile_type *t = pto_compat_tile(c, x);
    int64_t bits = (int64_t)(t->blayout == PTO_ROW_MAJOR ? t->cols : t->rows) * BITS(x);
    return bits % 256 == 0 || pto_compat_refuse(c, "PTO-E1004", x, "a major dimension of whole 32 bytes",
                                                "%lld bytes", (long long)bits / 8);
}

PTO_COMPAT_CHECK(ttrans) {
    if (!(TILE(IN(0)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT)))
        return false;
    if (c->in_count > 1 && IN(1) >= 0 && pto_compat_type(c, IN(1)) && !(TILE(IN(1)) && ELEM(IN(0), IN(1))))
        return false;
    return c->a5 ? major_bytes(c, IN(0)) && major_bytes(c, OUT) : ROW(IN(0));
}

static bool full_columns(const pto_compat *c, int x) {
    return pto_compat_extent(c, x, PTO_COMPAT_COLS, pto_compat_tile(c, x)->cols);
}

PTO_COMPAT_CHECK(tgather) {
    const char *forms[] = {"mask", "index", "compare"};
    const char *form = pto_form_get(c->op->form)->form;
    int kind = 0;
    while (kind < 2 && strcmp(form, forms[kind]) != 0)
        kind++;
    if (kind == 0) {
        unsigned bits = BITS(OUT);
        if (!(VEC(IN(0)) && VEC(OUT) && pto_compat_same_bits(c, IN(0), OUT)))
            return false;
        if (c->a5 ? !LIST(OUT, "W8 W16 W32 f16 bf16 f32 fp8")
                  : bits != 16 && bits != 32 &&
                        !pto_compat_refuse(c, "PTO-E1002", OUT, "elements of 2 or 4 bytes", "%u bits", bits))
            return false;
        return full_columns(c, OUT);
    }
    if (kind == 1) {
        if (c->in_count < 3 || IN(2) < 0 || !pto_compat_type(c, IN(2)))
            return pto_compat_refuse(c, "PTO-E1001", -1, "src, indices, tmp", "no tmp");
        if (!(TILE(IN(0)) && TILE(IN(1)) && TILE(IN(2)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) &&
              LIST(IN(1), c->a5 ? "W16 W32" : "W32") && full_columns(c, OUT) && full_columns(c, IN(1))))
            return false;
        return c->a5 || (ELEM(IN(1), IN(2)) && VALID(IN(1), IN(2)));
    }
    /* src, k, tmp -> dst, cdst */
    for (int i = 0; i < c->in_count; i++)
        if (pto_compat_tile(c, IN(i)) && !VEC(IN(i)))
            return false;
    if (!(VEC(OUT) && VEC(c->out[1]) && LIST(OUT, "W32") && ELEM(OUT, c->out[1])))
        return false;
    for (int i = 0; i < c->in_count; i++)
        if (!pto_compat_tile(c, IN(i)) && pto_compat_type(c, IN(i)) != pto_compat_element(c, IN(0)))
            return pto_compat_refuse(c, "PTO-E1002", IN(i), "the element type of src", "another type");
    const pto_attr *cmp = pto_operation_attr(c->op, "cmpMode");
    bool eq = !cmp || pto_str_equal(cmp->text, PTO_STR("eq")),
         gt = cmp && pto_str_equal(cmp->text, PTO_STR("gt"));
    if (!eq && !gt)
        return pto_compat_refuse(c, "PTO-E1005", -1, "cmpMode eq, gt", "another one");
    return LIST(IN(0), c->a5 ? "4T" : eq ? "F W32" : "F");
}

PTO_COMPAT_CHECK(tgatherb) {
    unsigned bits = BITS(OUT);
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) &&
           (bits == 8 || bits == 16 || bits == 32 ||
            pto_compat_refuse(c, "PTO-E1002", OUT, "elements of 1, 2 or 4 bytes", "%u bits", bits)) &&
           (c->a5 || ROW(OUT));
}

PTO_COMPAT_CHECK(tscatter) {
    if (!(VSTORE(IN(0)) && VSTORE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT)))
        return false;
    if (c->in_count < 2 || !pto_compat_tile(c, IN(1)))
        return true;
    unsigned bits = BITS(IN(0));
    return VSTORE(IN(1)) && LIST(IN(1), bits == 32 ? "W32" : "W16");
}

PTO_COMPAT_CHECK(tsort32) {
    if (!(VEC(IN(0)) && VEC(IN(1)) && VEC(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT)))
        return false;
    const pto_type *index = pto_compat_element(c, IN(1));
    if (!pto_compat_in(index, "W32") || index->signedness != PTO_UNSIGNED)
        return pto_compat_refuse(c, "PTO-E1002", IN(1), "ui32", "another type");
    return c->in_count < 3 || IN(2) < 0 || !pto_compat_type(c, IN(2)) || VEC(IN(2));
}

PTO_COMPAT_CHECK(tmrgsort) {
    int tiles = 0;
    while (tiles < c->in_count && pto_compat_tile(c, IN(tiles)))
        tiles++;
    if (tiles == 1) {
        const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
        int64_t length;
        if (!(TILE(IN(0)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT)))
            return false;
        if (s->rows != 1 || d->rows != 1 || s->cols != d->cols)
            return pto_compat_refuse(c, "PTO-E1004", OUT, "one row, as many columns as src", "%d x %d",
                                     d->rows, d->cols);
        return !pto_compat_constant(c, IN(1), &length) || (length > 0 && length % 64 == 0) ||
               pto_compat_refuse(c, "PTO-E1005", IN(1), "a multiple of 64 above 0", "%lld",
                                 (long long)length);
    }
    for (int i = 0; i < tiles; i++)
        if (!(TILE(IN(i)) && ELEM(IN(0), IN(i))))
            return false;
    return TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) && SHAPE(OUT, IN(tiles - 1));
}

PTO_COMPAT_CHECK(tquant) {
    const pto_attr *kind = pto_operation_attr(c->op, "quant_type");
    bool symmetric = kind && pto_str_equal(kind->text, PTO_STR("INT8_SYM"));
    bool has_offset = c->in_count > 2 && IN(2) >= 0 && pto_compat_type(c, IN(2));
    for (int i = 0; i < c->in_count; i++)
        if (IN(i) >= 0 && pto_compat_type(c, IN(i)) && !TILE(IN(i)))
            return false;
    if (!(TILE(OUT) && LIST(IN(0), "f32")))
        return false;
    const pto_type *d = pto_compat_element(c, OUT);
    bool int8 = d && d->kind == PTO_TYPE_INT && d->width == 8, ui8 = int8 && d->signedness == PTO_UNSIGNED;
    if (symmetric ? !int8 || ui8 : !ui8)
        return pto_compat_refuse(c, "PTO-E1002", OUT, symmetric ? "i8, si8" : "ui8", "another type");
    if (symmetric == has_offset)
        return pto_compat_refuse(c, "PTO-E1001", -1, symmetric ? "no offset" : "an offset",
                                 has_offset ? "an offset" : "none");
    if (has_offset && !LIST(IN(2), "f32"))
        return false;
    return c->a5 || (ROW(IN(0)) && ROW(OUT));
}

PTO_COMPAT_CHECK(tdequant) {
    for (int i = 0; i < c->in_count; i++)
        if (!TILE(IN(i)))
            return false;
    const pto_type *s = pto_compat_element(c, IN(0));
    if (!TILE(OUT))
        return false;
    if (!pto_compat_in(s, "W8 W16") || s->signedness == PTO_UNSIGNED)
        return pto_compat_refuse(c, "PTO-E1002", IN(0), "i8, si8, i16, si16", "another type");
    return LIST(IN(1), "f32") && LIST(IN(2), "f32") && LIST(OUT, "f32") &&
           (c->a5 || (ROW(IN(0)) && ROW(OUT)));
}

PTO_COMPAT_CHECK(thistogram) {
    if (!(ND(IN(0)) && LIST(IN(0), "U16") && VSTORE(IN(1)) &&
          pto_compat_layout(c, IN(1), PTO_COL_MAJOR, PTO_NONE_BOX) && LIST(IN(1), "U8") && ND(OUT) &&
          LIST(OUT, "U32") && VALIDR(IN(0), IN(1)) && VALIDR(IN(0), OUT)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *index = pto_compat_tile(c, IN(1)),
                        *d = pto_compat_tile(c, OUT);
    if (s->rows != index->rows || s->rows != d->rows)
        return pto_compat_refuse(c, "PTO-E1004", OUT, "the same rows in all tiles", "%d", d->rows);
    if (index->cols != 1 || !pto_compat_extent(c, IN(1), PTO_COMPAT_COLS, 1))
        return pto_compat_refuse(c, "PTO-E1004", IN(1), "one column", "%d", index->cols);
    return (d->cols >= 256 && (d->valid_cols < 0 || d->valid_cols >= 256)) ||
           pto_compat_refuse(c, "PTO-E1004", OUT, "256 columns or more", "%d", d->valid_cols);
}

PTO_COMPAT_CHECK(tget_scale_addr) {
    return TILE(IN(0)) && TILE(OUT) && pto_compat_space(c, OUT, PTO_LOC_SCALING) && SHAPE(IN(0), OUT) &&
           VALID(IN(0), OUT);
}
