/* SPDX-License-Identifier: Apache-2.0 */
/* What the assembler checks of elementwise and tile-scalar instructions (60, 3.10.3). */
#include "program/compat.h"

#include <string.h>

#define TILE(x) pto_compat_is_tile(c, x)
#define ROW(x) pto_compat_row_major(c, x)
#define VEC(x) pto_compat_vec(c, x)
#define VSTORE(x) pto_compat_vstore(c, x)
#define ELEM(a, b) pto_compat_elem(c, a, b)
#define VALID(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_BOTH)
#define VALIDR(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_ROWS)
#define VALIDC(a, b) pto_compat_valid(c, a, b, PTO_COMPAT_COLS)
#define SHAPE(a, b) pto_compat_shape(c, a, b)
#define TYPES(x) pto_compat_types(c, x, c->types)
#define IN(i) (c->in[i])
#define OUT (c->out[0])

PTO_COMPAT_CHECK(none) {
    (void)c;
    return true;
}

PTO_COMPAT_CHECK(r2) {
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) &&
           ELEM(IN(0), OUT) && VALID(IN(0), IN(1)) && VALID(IN(0), OUT) && ROW(IN(0)) && ROW(IN(1)) &&
           ROW(OUT);
}

static bool remainder_tmp(const pto_compat *c, int tmp) {
    if (tmp < 0)
        return true;
    const pto_tile_type *t = pto_compat_tile(c, tmp), *d = pto_compat_tile(c, OUT);
    if (!(TILE(tmp) && ROW(tmp) && ELEM(OUT, tmp)))
        return false;
    if (t->valid_rows == 0)
        return pto_compat_refuse(c, "PTO-E1004", tmp, "a valid row", "none");
    return !(t->valid_cols >= 0 && d->valid_cols > t->valid_cols) ||
           pto_compat_refuse(c, "PTO-E1004", tmp, "the valid columns of dst", "%d", t->valid_cols);
}

PTO_COMPAT_CHECK(trem) { return pto_compat_r2(c) && remainder_tmp(c, IN(2)); }

static bool same_scalar(const pto_compat *c, int tile, int scalar) {
    return pto_compat_element(c, tile) == pto_compat_type(c, scalar) ||
           pto_compat_refuse(c, "PTO-E1002", scalar, "the element type", "another type");
}

static bool any_scalar(const pto_compat *c, int scalar) {
    const pto_type *type = pto_compat_type(c, scalar);
    return (type && (type->kind == PTO_TYPE_INT || type->kind == PTO_TYPE_FLOAT)) ||
           pto_compat_refuse(c, "PTO-E1002", scalar, "an integer or float scalar", "another type");
}

static bool plain(const pto_compat *c) { /* ELEM VALID row of src and dst */
    return TILE(IN(0)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) && VALID(IN(0), OUT) && ROW(IN(0)) &&
           ROW(OUT);
}

PTO_COMPAT_CHECK(trems) { return plain(c) && same_scalar(c, IN(0), IN(1)) && remainder_tmp(c, IN(2)); }
PTO_COMPAT_CHECK(tfmods) { return plain(c) && same_scalar(c, IN(0), IN(1)); }

static bool all_tiles(const pto_compat *c) {
    for (int i = 0; i < c->in_count; i++)
        if (pto_form_get(c->op->form)->operand[IN(i)].role != PTO_ROLE_SCALAR && !TILE(IN(i)))
            return false;
    return TILE(OUT);
}

PTO_COMPAT_CHECK(equal_shapes) {
    if (!all_tiles(c))
        return false;
    for (int i = 0; i < c->in_count; i++)
        if (pto_compat_tile(c, IN(i)) && !SHAPE(IN(i), OUT))
            return false;
    return true;
}

PTO_COMPAT_CHECK(equal_ranks) { return all_tiles(c); }

static bool scal(const pto_compat *c, int tile, int scalar, int dims) {
    return VSTORE(tile) && VSTORE(OUT) && TYPES(tile) && ELEM(tile, OUT) &&
           pto_compat_valid(c, tile, OUT, dims) && any_scalar(c, scalar);
}

PTO_COMPAT_CHECK(scalar_rc) { return scal(c, IN(0), IN(1), PTO_COMPAT_BOTH); }
PTO_COMPAT_CHECK(scalar_a_rc) { return scal(c, IN(0), IN(1), c->a5 ? PTO_COMPAT_COLS : PTO_COMPAT_BOTH); }
PTO_COMPAT_CHECK(tdivs) {
    bool first = pto_compat_tile(c, IN(0)) != NULL;
    return scal(c, IN(!first), IN(first), PTO_COMPAT_BOTH);
}

PTO_COMPAT_CHECK(taxpy) {
    if (!(VEC(IN(0)) && VEC(OUT) && TYPES(IN(0)) && VALID(IN(0), OUT) && SHAPE(IN(0), OUT) &&
          same_scalar(c, IN(0), IN(1))))
        return false;
    const pto_type *src = pto_compat_element(c, IN(0)), *dst = pto_compat_element(c, OUT);
    return src == dst || (pto_compat_in(src, "f16") && pto_compat_in(dst, "f32")) || ELEM(IN(0), OUT);
}

PTO_COMPAT_CHECK(txor) {
    return pto_compat_r2(c) &&
           (c->a5 || IN(2) < 0 || (TILE(IN(2)) && ELEM(OUT, IN(2)) && ROW(IN(2)) && VALID(OUT, IN(2))));
}

static bool not_in_place(const pto_compat *c) {
    return pto_instr_value(c->op, IN(0)) != pto_instr_value(c->op, OUT) ||
           pto_compat_refuse(c, "PTO-E1005", OUT, "another tile than src", "src itself");
}

static bool signless_scalar(const pto_compat *c, int scalar) {
    const pto_type *type = pto_compat_type(c, scalar);
    return (type && type->kind == PTO_TYPE_INT && type->signedness == PTO_SIGNLESS) ||
           pto_compat_refuse(c, "PTO-E1002", scalar, "a signless integer", "another type");
}

PTO_COMPAT_CHECK(bit_scalar) { return plain(c) && signless_scalar(c, IN(1)) && not_in_place(c); }

PTO_COMPAT_CHECK(shift) {
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) && ROW(IN(0)) &&
           ROW(IN(1)) && ROW(OUT) && VALID(IN(0), IN(1)) && VALID(IN(0), OUT);
}

static bool amount(const pto_compat *c, int scalar) {
    int64_t value;
    return signless_scalar(c, scalar) &&
           (!pto_compat_constant(c, scalar, &value) || value >= 0 ||
            pto_compat_refuse(c, "PTO-E1005", scalar, "an amount of 0 or more", "%lld", (long long)value));
}

PTO_COMPAT_CHECK(tshls) {
    return TILE(IN(0)) && TILE(OUT) && VALID(IN(0), OUT) && ELEM(IN(0), OUT) && TYPES(IN(0)) &&
           amount(c, IN(1));
}
PTO_COMPAT_CHECK(tshrs) {
    return VEC(IN(0)) && VEC(OUT) && VALID(IN(0), OUT) && ELEM(IN(0), OUT) && TYPES(IN(0)) &&
           amount(c, IN(1));
}

PTO_COMPAT_CHECK(unary) {
    return VEC(IN(0)) && VEC(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) && VALID(IN(0), OUT);
}

/* Upstream looks for an attribute whose name has "a3" in it, in any case, and is not "a2a3". */
static bool has_a3(const pto_compat *c) {
    for (uint32_t i = 0; i < c->op->attr_count; i++) {
        pto_str name = c->op->attr[i].name;
        if (name.len == 2 && (name.data[0] == 'a' || name.data[0] == 'A') && name.data[1] == '3')
            return true;
        const pto_attr *value = c->op->attr[i].value;
        if (value->kind == PTO_AV_STRING && value->text.len == 2 &&
            (value->text.data[0] == 'a' || value->text.data[0] == 'A') && value->text.data[1] == '3')
            return true;
    }
    return false;
}

PTO_COMPAT_CHECK(trecip) { return pto_compat_unary(c) && (!has_a3(c) || not_in_place(c)); }

PTO_COMPAT_CHECK(trsqrt) {
    if (!pto_compat_unary(c) || IN(1) < 0)
        return pto_compat_unary(c);
    const pto_tile_type *tmp = pto_compat_tile(c, IN(1));
    return VEC(IN(1)) && (tmp->rows * (int64_t)tmp->cols * pto_dtype_bits(tmp->dtype) >= 256 ||
                          pto_compat_refuse(c, "PTO-E1004", IN(1), "32 bytes or more", "less"));
}

PTO_COMPAT_CHECK(tneg) {
    return VSTORE(IN(0)) && VSTORE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) &&
           (c->a5 ? VALIDC(IN(0), OUT) : VALID(IN(0), OUT));
}

PTO_COMPAT_CHECK(tlrelu) {
    return VSTORE(IN(0)) && VSTORE(OUT) && TYPES(IN(0)) && ELEM(IN(0), OUT) && VALID(IN(0), OUT) &&
           (c->a5 || pto_compat_nonempty(c, IN(0), PTO_COMPAT_BOTH)) &&
           (pto_compat_in(pto_compat_type(c, IN(1)), "f32") ||
            pto_compat_refuse(c, "PTO-E1002", IN(1), "f32", "another type"));
}

PTO_COMPAT_CHECK(tprelu) {
    for (int i = 0; i < 3; i++)
        if (IN(i) >= 0 && !TILE(IN(i)))
            return false;
    if (!(TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) && ELEM(IN(0), OUT) && ROW(IN(0)) && ROW(IN(1)) &&
          ROW(OUT) && VALID(IN(0), IN(1)) && VALID(IN(0), OUT) && SHAPE(IN(0), IN(1)) && SHAPE(IN(0), OUT)))
        return false;
    if (IN(2) < 0)
        return true;
    if (!SHAPE(IN(0), IN(2)) || (!c->a5 && !(pto_compat_types(c, IN(2), "u8") && ROW(IN(2)))))
        return false;
    if (!has_a3(c))
        return true;
    const int8_t all[4] = {IN(0), IN(1), IN(2), OUT};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (pto_instr_value(c->op, all[i]) == pto_instr_value(c->op, all[j]))
                return pto_compat_refuse(c, "PTO-E1005", all[i], "four different tiles", "one of them twice");
    return true;
}

static bool inside(const pto_compat *c, int src, bool *equal) {
    const pto_tile_type *s = pto_compat_tile(c, src), *d = pto_compat_tile(c, OUT);
    bool rows = s->valid_rows < 0 || d->valid_rows < 0, cols = s->valid_cols < 0 || d->valid_cols < 0;
    *equal |= (rows || s->valid_rows == d->valid_rows) && (cols || s->valid_cols == d->valid_cols);
    return ((rows || s->valid_rows <= d->valid_rows) && (cols || s->valid_cols <= d->valid_cols)) ||
           pto_compat_refuse(c, "PTO-E1004", src, "a valid region inside that of dst", "%d x %d",
                             s->valid_rows, s->valid_cols);
}

PTO_COMPAT_CHECK(tpart) {
    if (!(TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) && ELEM(IN(0), OUT)))
        return false;
    bool equal = false;
    return c->a5 ||
           (inside(c, IN(0), &equal) && inside(c, IN(1), &equal) &&
            (equal || pto_compat_refuse(c, "PTO-E1004", OUT, "the valid region of a source", "neither")));
}

PTO_COMPAT_CHECK(tpart_extreme) { return pto_compat_tpart(c) && SHAPE(IN(0), IN(1)) && SHAPE(IN(0), OUT); }

PTO_COMPAT_CHECK(tconcat) {
    for (int i = 0; i < 2; i++)
        if (!VSTORE(IN(i)))
            return false;
    if (!(VSTORE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) && ELEM(IN(0), OUT) && VALIDR(IN(0), IN(1)) &&
          VALIDR(IN(0), OUT)))
        return false;
    const pto_tile_type *a = pto_compat_tile(c, IN(0)), *b = pto_compat_tile(c, IN(1)),
                        *d = pto_compat_tile(c, OUT);
    if (a->valid_cols >= 0 && b->valid_cols >= 0 && a->valid_cols + b->valid_cols > d->cols)
        return pto_compat_refuse(c, "PTO-E1004", OUT, "columns for both sources", "%d", d->cols);
    return !c->a5 || (ROW(IN(0)) && ROW(IN(1)) && ROW(OUT));
}

PTO_COMPAT_CHECK(tcvt) { return TILE(IN(0)) && TILE(OUT) && SHAPE(IN(0), OUT) && VALID(IN(0), OUT); }

PTO_COMPAT_CHECK(tcmp) {
    if (!c->a5)
        return VSTORE(IN(0)) && VSTORE(IN(1)) && VSTORE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) &&
               pto_compat_types(c, OUT, "W8") && VALID(IN(0), IN(1)) && VALIDR(IN(0), OUT);
    return TILE(IN(0)) && TILE(IN(1)) && TILE(OUT) && TYPES(IN(0)) && ELEM(IN(0), IN(1)) &&
           pto_compat_types(c, OUT, "W8") && SHAPE(IN(0), IN(1)) && SHAPE(IN(0), OUT);
}

PTO_COMPAT_CHECK(tcmps) {
    /* an index passes the verifier but not the operand class of the syntax (3.6) */
    return VSTORE(IN(0)) && VSTORE(OUT) && TYPES(IN(0)) && VALIDR(IN(0), OUT) &&
           (pto_compat_tile(c, IN(1)) || any_scalar(c, IN(1)));
}

PTO_COMPAT_CHECK(tsel) { /* mask, src0, src1, tmp */
    for (int i = 0; i < 4; i++)
        if (IN(i) >= 0 && !TILE(IN(i)))
            return false;
    return TILE(OUT) && TYPES(IN(1)) && ELEM(IN(1), IN(2)) && ELEM(IN(1), OUT) && ROW(IN(1)) && ROW(IN(2)) &&
           ROW(OUT);
}

PTO_COMPAT_CHECK(tsels) { /* mask, src, tmp, scalar */
    return TILE(IN(0)) && TILE(IN(1)) && (IN(2) < 0 || TILE(IN(2))) && TILE(OUT) && TYPES(IN(1)) &&
           ELEM(IN(1), OUT) && ROW(IN(1)) && ROW(OUT) && VALID(IN(1), OUT);
}

PTO_COMPAT_CHECK(texpands) {
    const pto_tile_type *d = pto_compat_tile(c, OUT);
    if (!TILE(OUT) || !TYPES(OUT) || !same_scalar(c, OUT, IN(0)))
        return false;
    if (d->loc != PTO_LOC_VEC && d->loc != PTO_LOC_MAT)
        return pto_compat_refuse(c, "PTO-E1003", OUT, "vec, mat", "%s", pto_loc_name(d->loc));
    return c->a5 || d->loc != PTO_LOC_VEC || ROW(OUT);
}

PTO_COMPAT_CHECK(tci) {
    const pto_tile_type *d = pto_compat_tile(c, OUT);
    return TILE(OUT) && TYPES(OUT) && same_scalar(c, OUT, IN(0)) &&
           (d->cols != 1 || pto_compat_refuse(c, "PTO-E1004", OUT, "more than one column", "1"));
}

PTO_COMPAT_CHECK(ttri) { return VEC(OUT) && TYPES(OUT); }

PTO_COMPAT_CHECK(trandom) { return TILE(OUT) && ROW(OUT) && TYPES(OUT); }

PTO_COMPAT_CHECK(tpack) {
    if (!(VEC(IN(0)) && VEC(OUT)))
        return false;
    const pto_tile_type *s = pto_compat_tile(c, IN(0)), *d = pto_compat_tile(c, OUT);
    unsigned from = pto_compat_bits(pto_compat_element(c, IN(0))),
             to = pto_compat_bits(pto_compat_element(c, OUT));
    if (s->valid_rows != d->valid_rows || s->valid_cols != d->valid_cols)
        return pto_compat_refuse(c, "PTO-E1004", OUT, "the valid region of src", "%d x %d", d->valid_rows,
                                 d->valid_cols);
    return (from == 32 && (to == 16 || to == 8)) || (from == 16 && to == 8) ||
           pto_compat_refuse(c, "PTO-E1002", OUT, "32 to 16 or 8 bits, 16 to 8 bits", "%u to %u", from, to);
}
