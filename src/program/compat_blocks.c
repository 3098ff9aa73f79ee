/* SPDX-License-Identifier: Apache-2.0 */
/* The building blocks of the assembler's checks (60, 3.10): a dimension counts only where it is static. */
#include "program/compat.h"

#include <stdio.h>
#include <string.h>

const pto_type *pto_compat_type(const pto_compat *c, int position) {
    const pto_value *value = position < 0 ? NULL : pto_instr_value(c->op, position);
    return value ? value->type : NULL;
}

const pto_tile_type *pto_compat_tile(const pto_compat *c, int position) {
    const pto_type *type = pto_compat_type(c, position);
    return type && pto_type_is_tile(type) && !type->open ? &type->tile : NULL;
}

const pto_type *pto_compat_element(const pto_compat *c, int position) {
    const pto_type *type = pto_compat_type(c, position);
    return type && type->element ? type->element : type;
}

unsigned pto_compat_bits(const pto_type *element) {
    if (!element)
        return 0;
    if (element->kind == PTO_TYPE_INT)
        return element->width;
    return element->kind == PTO_TYPE_FLOAT ? (unsigned)pto_dtype_bits(element->dtype) : 0;
}

static bool is_word(const pto_type *type, const char *word, size_t len) {
    char text[8] = {0};
    if (len >= sizeof text)
        return false;
    memcpy(text, word, len);
    bool is_int = type->kind == PTO_TYPE_INT, is_float = type->kind == PTO_TYPE_FLOAT;
    if (!strcmp(text, "any"))
        return true;
    if (!strcmp(text, "int"))
        return is_int;
    if (!strcmp(text, "F"))
        return is_float && (type->dtype == PTO_F16 || type->dtype == PTO_F32);
    if (!strcmp(text, "4T"))
        return pto_compat_in(type, "W16 W32 F");
    if (!strcmp(text, "SUP"))
        return pto_compat_in(type, "F") ||
               (is_int && type->signedness != PTO_SIGNED && (type->width == 16 || type->width == 32));
    if (!strcmp(text, "u8"))
        return is_int && type->signedness == PTO_UNSIGNED && type->width == 8;
    if (!strcmp(text, "fp8"))
        return is_float && pto_dtype_bits(type->dtype) == 8;
    unsigned width = 0;
    if ((text[0] == 'W' || text[0] == 'i' || text[0] == 'U') && sscanf(text + 1, "%u", &width) == 1)
        return is_int && type->width == width &&
               (text[0] == 'W' || type->signedness == PTO_SIGNLESS ||
                (text[0] == 'U' && type->signedness == PTO_UNSIGNED));
    return is_float && !strcmp(text, pto_dtype_name(type->dtype));
}

bool pto_compat_in(const pto_type *type, const char *list) {
    for (const char *at = list; type && *at;) {
        size_t len = strcspn(at, " ");
        if (is_word(type, at, len))
            return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

bool pto_compat_refuse(const pto_compat *c, const char *rule, int position, const char *allowed,
                       const char *format, ...) {
    char found[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    const char *name = position >= 0 ? pto_form_get(c->op->form)->operand[position].name : NULL;
    pto_verify_refuse(c->v, rule, c->op, position >= 0 ? pto_instr_span(c->op, position) : c->op->name_span,
                      name, allowed, "%s", found);
    return false;
}

static const char *words(const pto_compat *c, int position, char buffer[PTO_TYPE_WORDS]) {
    return pto_type_words(pto_compat_type(c, position), buffer);
}

bool pto_compat_is_tile(const pto_compat *c, int position) {
    const pto_tile_type *tile = pto_compat_tile(c, position);
    char buffer[PTO_TYPE_WORDS];
    if (!tile)
        return pto_compat_refuse(c, "PTO-E1001", position, "a tile", "%s", words(c, position, buffer));
    if (tile->valid_rows > tile->rows || tile->valid_cols > tile->cols)
        return pto_compat_refuse(c, "PTO-E1004", position, "a valid shape inside the shape", "%d x %d",
                                 tile->valid_rows, tile->valid_cols);
    return true;
}

bool pto_compat_types(const pto_compat *c, int position, const char *list) {
    char buffer[PTO_TYPE_WORDS];
    const pto_type *element = pto_compat_element(c, position);
    return pto_compat_in(element, list) ||
           pto_compat_refuse(c, "PTO-E1002", position, list, "%s", pto_type_words(element, buffer));
}

bool pto_compat_space(const pto_compat *c, int position, pto_loc loc) {
    const pto_tile_type *tile = pto_compat_tile(c, position);
    char buffer[PTO_TYPE_WORDS];
    return (tile && tile->loc == loc) ||
           pto_compat_refuse(c, "PTO-E1003", position, pto_loc_name(loc), "%s", words(c, position, buffer));
}

static const char *layout_words(const pto_tile_type *tile) {
    static const char *const names[2][3] = {
        {"row_major, none_box", "row_major, row_major", "row_major, col_major"},
        {"col_major, none_box", "col_major, row_major", "col_major, col_major"}};
    return tile ? names[tile->blayout == PTO_COL_MAJOR][(unsigned)tile->slayout % 3] : "no tile";
}

static bool layout_is(const pto_compat *c, int position, int b, int s, const char *allowed) {
    const pto_tile_type *tile = pto_compat_tile(c, position);
    return (tile && (b < 0 || tile->blayout == (pto_blayout)b) &&
            (s < 0 || tile->slayout == (pto_slayout)s)) ||
           pto_compat_refuse(c, "PTO-E1003", position, allowed, "%s", layout_words(tile));
}

bool pto_compat_row_major(const pto_compat *c, int position) {
    return layout_is(c, position, PTO_ROW_MAJOR, -1, "row_major");
}

bool pto_compat_layout(const pto_compat *c, int position, pto_blayout b, pto_slayout s) {
    pto_tile_type wanted = {.blayout = b, .slayout = s};
    return layout_is(c, position, (int)b, (int)s, layout_words(&wanted));
}

bool pto_compat_nz(const pto_compat *c, int position) {
    return pto_compat_layout(c, position, PTO_COL_MAJOR, PTO_BOX_ROW_MAJOR);
}

bool pto_compat_vstore(const pto_compat *c, int position) {
    return pto_compat_is_tile(c, position) && pto_compat_space(c, position, PTO_LOC_VEC);
}

bool pto_compat_vec(const pto_compat *c, int position) {
    return pto_compat_vstore(c, position) && pto_compat_row_major(c, position);
}

bool pto_compat_nd(const pto_compat *c, int position) {
    return pto_compat_vstore(c, position) && pto_compat_layout(c, position, PTO_ROW_MAJOR, PTO_NONE_BOX);
}

bool pto_compat_acc(const pto_compat *c, int position) {
    return pto_compat_is_tile(c, position) && pto_compat_space(c, position, PTO_LOC_ACC);
}

bool pto_compat_elem(const pto_compat *c, int a, int b) {
    char x[PTO_TYPE_WORDS], y[PTO_TYPE_WORDS];
    const pto_type *ea = pto_compat_element(c, a), *eb = pto_compat_element(c, b);
    return ea == eb ||
           pto_compat_refuse(c, "PTO-E1002", b, pto_type_words(ea, x), "%s", pto_type_words(eb, y));
}

static bool differs(int32_t a, int32_t b) { return a >= 0 && b >= 0 && a != b; }

bool pto_compat_valid(const pto_compat *c, int a, int b, int dims) {
    const pto_tile_type *x = pto_compat_tile(c, a), *y = pto_compat_tile(c, b);
    char allowed[64];
    if (!x || !y ||
        !(((dims & PTO_COMPAT_ROWS) && differs(x->valid_rows, y->valid_rows)) ||
          ((dims & PTO_COMPAT_COLS) && differs(x->valid_cols, y->valid_cols))))
        return true;
    snprintf(allowed, sizeof allowed, "%d x %d", x->valid_rows, x->valid_cols);
    return pto_compat_refuse(c, "PTO-E1004", b, allowed, "%d x %d", y->valid_rows, y->valid_cols);
}

bool pto_compat_shape(const pto_compat *c, int a, int b) {
    const pto_tile_type *x = pto_compat_tile(c, a), *y = pto_compat_tile(c, b);
    char allowed[64];
    if (!x || !y || (x->rows == y->rows && x->cols == y->cols))
        return true;
    snprintf(allowed, sizeof allowed, "%d x %d", x->rows, x->cols);
    return pto_compat_refuse(c, "PTO-E1004", b, allowed, "%d x %d", y->rows, y->cols);
}

bool pto_compat_nonempty(const pto_compat *c, int position, int dims) {
    const pto_tile_type *x = pto_compat_tile(c, position);
    return !x ||
           !(((dims & PTO_COMPAT_ROWS) && x->valid_rows == 0) ||
             ((dims & PTO_COMPAT_COLS) && x->valid_cols == 0)) ||
           pto_compat_refuse(c, "PTO-E1004", position, "a valid region that is not empty", "%d x %d",
                             x->valid_rows, x->valid_cols);
}

bool pto_compat_extent(const pto_compat *c, int position, int dim, int64_t wanted) {
    const pto_tile_type *x = pto_compat_tile(c, position);
    int32_t extent = !x ? -1 : dim == PTO_COMPAT_ROWS ? x->valid_rows : x->valid_cols;
    if (extent < 0 || wanted < 0 || extent == wanted)
        return true;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "%lld valid %s", (long long)wanted,
             dim == PTO_COMPAT_ROWS ? "rows" : "columns");
    return pto_compat_refuse(c, "PTO-E1004", position, allowed, "%d", extent);
}

bool pto_compat_fractal(const pto_compat *c, int position, int fractal) {
    const pto_tile_type *x = pto_compat_tile(c, position);
    char allowed[32];
    snprintf(allowed, sizeof allowed, "fractal %d", fractal);
    return (x && x->fractal == fractal) ||
           pto_compat_refuse(c, "PTO-E1003", position, allowed, "%d", x ? x->fractal : 0);
}

bool pto_compat_same_bits(const pto_compat *c, int a, int b) {
    unsigned x = pto_compat_bits(pto_compat_element(c, a)), y = pto_compat_bits(pto_compat_element(c, b));
    char allowed[48];
    snprintf(allowed, sizeof allowed, "elements of %u bits", x);
    return x == y || pto_compat_refuse(c, "PTO-E1002", b, allowed, "%u bits", y);
}

bool pto_compat_constant(const pto_compat *c, int position, int64_t *value) {
    const pto_value *operand = position < 0 ? NULL : pto_instr_value(c->op, position);
    return operand && pto_fact_int(operand, value);
}
