/* SPDX-License-Identifier: Apache-2.0 */
#include "run/example.h"

#include "core/core.h"
#include "isa/legality.h"
#include "program/program.h"
#include "tile/tile.h"
#include <pto/core.h>
#include <pto/number.h>
#include <pto/ops.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 8 }; /* that a page shows */

/* One operand of the example. */
typedef struct item {
    bool given;
    pto_str text; /* of the value of an attribute */
    pto_str values;
    pto_tile tile;
    pto_conv conv; /* of a convolution tile */
    pto_global global;
    void *buffer;
    int32_t rows, cols;
    int shares;      /* operand whose storage it takes, -1 = none */
    int64_t address; /* -1 = wherever there is room */
} item;

typedef struct example {
    const pto_form_desc *form;
    pto_form number;
    pto_core *core;
    pto_instr instr;
    pto_merge_counts counts;
    item item[PTO_MAX_OPERANDS];
    char printed[1024];
    size_t printed_length;
} example;

static pto_str next_word(pto_str *text) {
    *text = pto_str_trim(*text);
    size_t n = 0;
    while (n < text->len && text->data[n] != ' ')
        n++;
    pto_str word = pto_str_slice(*text, 0, n);
    *text = pto_str_trim(pto_str_slice(*text, n, text->len));
    return word;
}

/* Up to the separator, which is taken away; all of it without one. */
static pto_str next_part(pto_str *text, char separator) {
    size_t n = 0;
    while (n < text->len && text->data[n] != separator)
        n++;
    pto_str part = pto_str_trim(pto_str_slice(*text, 0, n));
    *text = pto_str_slice(*text, n < text->len ? n + 1 : n, text->len);
    return part;
}

static bool is(pto_str word, const char *text) { return pto_str_equal(word, pto_str_from(text)); }

static bool parse_extents(pto_str word, int32_t *rows, int32_t *cols) {
    int64_t r, c;
    pto_str rest = word, first = next_part(&rest, 'x');
    if (pto_str_parse_i64(first, &r) != PTO_PARSE_OK || pto_str_parse_i64(rest, &c) != PTO_PARSE_OK ||
        r < 0 || c < 0 || r > 4096 || c > 4096)
        return false;
    *rows = (int32_t)r;
    *cols = (int32_t)c;
    return true;
}

static bool take_loc(pto_str word, pto_loc *loc) {
    for (int l = 0; l < PTO_LOC_COUNT; l++)
        if (is(word, pto_loc_name((pto_loc)l))) {
            *loc = (pto_loc)l;
            return true;
        }
    return false;
}

static int32_t round_up(int32_t n, int32_t unit) { return (n + unit - 1) / unit * unit; }

/* Layouts by the name of their boxes; the usual one of the memory for an empty name. */
static void set_layout(pto_tile_type *type, pto_str name) {
    static const struct {
        const char *name;
        pto_blayout blayout;
        pto_slayout slayout;
    } layouts[] = {
        {"dn", PTO_COL_MAJOR, PTO_NONE_BOX},      {"nz", PTO_COL_MAJOR, PTO_BOX_ROW_MAJOR},
        {"zn", PTO_ROW_MAJOR, PTO_BOX_COL_MAJOR}, {"zz", PTO_ROW_MAJOR, PTO_BOX_ROW_MAJOR},
        {"nn", PTO_COL_MAJOR, PTO_BOX_COL_MAJOR}, {"nd", PTO_ROW_MAJOR, PTO_NONE_BOX},
    };
    static const char *const usual[PTO_LOC_COUNT] = {"nd", "nz", "nz", "zn", "nz", "nd", "nd", "zz", "nn"};
    type->fractal = type->loc == PTO_LOC_ACC ? 1024 : type->loc >= PTO_LOC_SCALE_LEFT ? 32 : 512;
    if (!name.len)
        name = pto_str_from(usual[type->loc]);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (is(name, layouts[i].name)) {
            type->blayout = layouts[i].blayout;
            type->slayout = layouts[i].slayout;
        }
}

/* The smallest capacity of the layout that holds rows x cols. */
static void set_capacity(pto_tile_type *type, int32_t rows, int32_t cols) {
    unsigned bits = pto_dtype_bits(type->dtype);
    int32_t block = 32 / (int32_t)(bits < 8 ? 1 : bits / 8), box_rows = 1, box_cols = 1;
    if (type->slayout != PTO_NONE_BOX)
        pto_tile_type_box(type, &box_rows, &box_cols);
    else if (type->blayout == PTO_ROW_MAJOR)
        box_cols = block;
    else
        box_rows = block;
    type->rows = round_up(rows ? rows : 1, box_rows);
    type->cols = round_up(cols ? cols : 1, box_cols);
}

static bool parse_tile(example *e, int i, pto_str words, pto_dtype dtype) {
    item *it = &e->item[i];
    pto_tile_type type = {
        .loc = PTO_LOC_VEC, .dtype = dtype, .valid_rows = PTO_DYNAMIC, .valid_cols = PTO_DYNAMIC};
    pto_str layout = {NULL, 0};
    int32_t capacity_rows = 0, capacity_cols = 0;
    while (words.len) {
        pto_str word = next_word(&words);
        if (take_loc(word, &type.loc))
            continue;
        if (is(word, "of")) {
            if (!parse_extents(next_word(&words), &capacity_rows, &capacity_cols))
                return false;
        } else if (is(word, "at")) {
            if (pto_str_parse_i64(next_word(&words), &it->address) != PTO_PARSE_OK)
                return false;
        } else if (is(word, "in")) {
            pto_str name = next_word(&words);
            for (int k = 0; k < e->form->operand_count; k++)
                if (is(name, e->form->operand[k].name))
                    it->shares = k;
        } else if (is(word, "pad")) {
            pto_str pad = next_word(&words);
            type.pad = is(pad, "zero") ? PTO_PAD_ZERO : is(pad, "min") ? PTO_PAD_MIN : PTO_PAD_MAX;
        } else if (word.len == 2) {
            layout = word;
        } else {
            return false;
        }
    }
    set_layout(&type, layout);
    if (capacity_rows) {
        type.rows = capacity_rows;
        type.cols = capacity_cols;
    } else {
        set_capacity(&type, it->rows, it->cols);
    }
    it->tile = pto_tile_make_valid(type, it->rows, it->cols);
    e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &it->tile};
    return true;
}

/* `LAYOUT DxDx... WORD...`: shown as a matrix of rows as long as the last dimension. */
static bool parse_conv(example *e, int i, pto_str words, pto_dtype dtype) {
    item *it = &e->item[i];
    pto_str name = next_word(&words), extents = next_word(&words);
    int layout = 0;
    while (layout < PTO_LAYOUT_COUNT && !is(name, pto_layout_name((pto_layout)layout)))
        layout++;
    int32_t shape[PTO_CONV_DIMS], rank = 0;
    int64_t n, elements = 1;
    for (; extents.len && rank < PTO_CONV_DIMS; rank++) {
        if (pto_str_parse_i64(next_part(&extents, 'x'), &n) != PTO_PARSE_OK || n < 1 || n > 4096)
            return false;
        shape[rank] = (int32_t)n;
        elements *= n;
    }
    if (layout == PTO_LAYOUT_COUNT || !rank || elements > 1 << 16)
        return false;
    it->conv = pto_conv_make((pto_layout)layout, rank, shape);
    pto_loc loc = PTO_LOC_MAT;
    while (words.len) {
        pto_str word = next_word(&words);
        int32_t a, b;
        if (take_loc(word, &loc))
            continue;
        if (!parse_extents(next_word(&words), &a, &b))
            return false;
        if (is(word, "filter")) {
            it->conv.filter_h = (uint16_t)a;
            it->conv.filter_w = (uint16_t)b;
        } else if (is(word, "padding")) { /* rows above and below, columns left and right */
            it->conv.pad_list[2] = it->conv.pad_list[3] = (uint8_t)a;
            it->conv.pad_list[0] = it->conv.pad_list[1] = (uint8_t)b;
        } else {
            return false;
        }
    }
    it->cols = shape[rank - 1];
    it->rows = (int32_t)(elements / it->cols);
    it->tile = pto_tile_make(pto_tile_type_conv(loc, dtype, &it->conv));
    e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &it->tile};
    return true;
}

static bool parse_global(example *e, int i, pto_str words, pto_dtype dtype) {
    item *it = &e->item[i];
    bool dn = is(words, "dn");
    if (words.len && !dn)
        return false;
    size_t bytes = ((size_t)it->rows * (size_t)it->cols * pto_dtype_bits(dtype) + 7) / 8;
    it->buffer = calloc(1, bytes ? bytes : 1);
    if (!it->buffer)
        return false;
    it->global = pto_global_make_2d(it->buffer, dtype, dn ? PTO_LAYOUT_DN : PTO_LAYOUT_ND, it->rows, it->cols,
                                    dn ? it->rows : it->cols);
    it->global.begin = it->buffer;
    it->global.end = (char *)it->buffer + bytes;
    e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = &it->global};
    return true;
}

static bool parse_attribute(pto_attr_kind kind, pto_str value, int64_t *number) {
    const pto_enum_desc *desc = pto_enum_of_attr(kind);
    const pto_enum_value *found = desc ? pto_enum_value_find(desc, value) : NULL;
    const pto_attr written = {
        .kind = PTO_AV_ENUM, .enum_kind = pto_str_from(desc ? desc->name : ""), .text = value};
    *number = 0;
    if ((found && pto_attr_isa_value(kind, &written, number)) ||
        (kind == PTO_ATTR_BOOL && is(value, "false")))
        return true;
    if (kind == PTO_ATTR_BOOL && is(value, "true")) {
        *number = 1;
        return true;
    }
    if (kind == PTO_ATTR_DTYPE) {
        *number = pto_dtype_from_name(value.data, value.len);
        return *number != PTO_DTYPE_NONE;
    }
    return pto_str_parse_i64(value, number) == PTO_PARSE_OK;
}

/* One operand: `left = right` or `left`. */
static bool parse_item(example *e, pto_str text) {
    pto_str left = next_part(&text, '='), value = pto_str_trim(text), name = next_word(&left);
    int i = -1;
    for (int k = 0; k < e->form->operand_count; k++)
        if (is(name, e->form->operand[k].name))
            i = k;
    if (i < 0 || e->item[i].given)
        return false;
    const pto_operand_desc *desc = &e->form->operand[i];
    item *it = &e->item[i];
    it->given = true;
    it->values = it->text = value;
    pto_operand *operand = &e->instr.operand[i];
    if (desc->is_counts) {
        *operand = (pto_operand){.kind = PTO_OPERAND_COUNTS, .counts = &e->counts};
        return true;
    }
    if (desc->role == PTO_ROLE_ATTR) {
        *operand = (pto_operand){.kind = PTO_OPERAND_SCALAR};
        return parse_attribute(desc->attr, value, &operand->scalar.i);
    }
    pto_str type = next_word(&left);
    pto_dtype dtype = pto_dtype_from_name(type.data, type.len);
    if (dtype == PTO_DTYPE_NONE)
        return false;
    pto_str rest = left;
    if (is(next_word(&rest), "conv"))
        return parse_conv(e, i, rest, dtype);
    if (desc->role == PTO_ROLE_SCALAR) {
        *operand = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = dtype}};
        if (pto_dtype_is_int(dtype) && pto_str_parse_i64(value, &operand->scalar.i) != PTO_PARSE_OK)
            return false;
        if (pto_dtype_is_int(dtype))
            operand->scalar.f = (double)operand->scalar.i;
        return pto_dtype_is_int(dtype) || pto_str_parse_f64(value, &operand->scalar.f) == PTO_PARSE_OK;
    }
    return parse_extents(next_word(&left), &it->rows, &it->cols) &&
           (desc->is_global ? parse_global(e, i, left, dtype) : parse_tile(e, i, left, dtype));
}

/* ---- elements -------------------------------------------------------------------------------- */

static pto_dtype element_type(const example *e, int i) {
    return e->form->operand[i].is_global ? e->item[i].global.dtype : e->item[i].tile.type.dtype;
}

static uint64_t *element_bits(const example *e, int i, int32_t r, int32_t c, int64_t *offset) {
    const item *it = &e->item[i];
    if (e->form->operand[i].is_global) {
        *offset = r * it->global.stride[3] + c * it->global.stride[4];
        return it->buffer;
    }
    *offset = it->tile.type.conv ? (int64_t)r * it->cols + c : pto_tile_offset(&it->tile.type, r, c);
    return it->tile.data;
}

static uint64_t load(const example *e, int i, int32_t r, int32_t c) {
    int64_t offset;
    const uint8_t *data = (const uint8_t *)element_bits(e, i, r, c, &offset);
    unsigned bits = pto_dtype_bits(element_type(e, i));
    if (bits == 4)
        return offset & 1 ? data[offset / 2] >> 4 : data[offset / 2] & 15;
    uint64_t value = 0;
    memcpy(&value, data + offset * (bits / 8), bits / 8);
    return value;
}

static void store(const example *e, int i, int32_t r, int32_t c, uint64_t value) {
    int64_t offset;
    uint8_t *data = (uint8_t *)element_bits(e, i, r, c, &offset);
    unsigned bits = pto_dtype_bits(element_type(e, i));
    if (bits == 4)
        data[offset / 2] =
            (uint8_t)(offset & 1 ? (data[offset / 2] & 15) | value << 4 : (data[offset / 2] & 240) | value);
    else
        memcpy(data + offset * (bits / 8), &value, bits / 8);
}

/* A float type takes a number, or its bits in hexadecimal. */
static bool parse_element(pto_dtype dtype, pto_str word, uint64_t *bits) {
    int64_t integer;
    double number;
    if (pto_dtype_is_int(dtype) || pto_str_starts_with(word, PTO_STR("0x"))) {
        bool known = pto_str_parse_i64(word, &integer) == PTO_PARSE_OK;
        *bits = (uint64_t)integer;
        return known;
    }
    if (pto_str_parse_f64(word, &number) != PTO_PARSE_OK)
        return false;
    *bits = pto_number_from_double(dtype, number, PTO_CAST_RINT, false);
    return true;
}

/* Fills a tile or tensor with its numbers, row by row, from the start again when they end. */
static bool fill(example *e, int i) {
    item *it = &e->item[i];
    pto_str values = it->values;
    for (int32_t r = 0; it->values.len && r < it->rows; r++)
        for (int32_t c = 0; c < it->cols; c++) {
            uint64_t bits;
            if (!values.len)
                values = it->values;
            if (!parse_element(element_type(e, i), next_word(&values), &bits))
                return false;
            store(e, i, r, c, bits);
        }
    return true;
}

static void format_element(pto_dtype dtype, uint64_t bits, char text[PTO_FORMAT_SIZE]) {
    unsigned width = pto_dtype_bits(dtype);
    if (pto_dtype_is_float(dtype)) {
        char buffer[PTO_FORMAT_SIZE];
        double value = pto_number_to_double(dtype, bits);
        bool whole =
            value > -1e6 && value < 1e6 && value == (double)(int32_t)value && (value != 0 || !signbit(value));
        pto_str s = pto_format_f32((float)value, buffer);
        if (whole) /* 10, not 1e+01 */
            snprintf(text, PTO_FORMAT_SIZE, "%d", (int)value);
        else
            snprintf(text, PTO_FORMAT_SIZE, "%.*s", PTO_STR_ARG(s));
    } else if (pto_dtype_is_signed(dtype)) {
        uint64_t sign = UINT64_C(1) << (width - 1);
        int64_t value = (int64_t)((bits ^ sign) - sign);
        snprintf(text, PTO_FORMAT_SIZE, "%lld", (long long)value);
    } else if (width == 64) {
        snprintf(text, PTO_FORMAT_SIZE, "0x%llx", (unsigned long long)bits);
    } else {
        snprintf(text, PTO_FORMAT_SIZE, "%llu", (unsigned long long)bits);
    }
}

/* ---- the page -------------------------------------------------------------------------------- */

static bool is_written(const pto_operand_desc *desc) {
    return desc->role == PTO_ROLE_OUT || desc->role == PTO_ROLE_INOUT;
}

static bool has_elements(const example *e, int i) {
    const pto_operand_desc *desc = &e->form->operand[i];
    return e->item[i].given && !desc->is_counts && desc->role != PTO_ROLE_SCALAR &&
           desc->role != PTO_ROLE_ATTR;
}

/* What the layout and the memory are called, where they are not the plain ones. */
static void describe(const example *e, int i, char *text, size_t size) {
    const pto_tile_type *type = &e->item[i].tile.type;
    const item *it = &e->item[i];
    if (e->form->operand[i].is_global) {
        snprintf(text, size, "%s %dx%d tensor", pto_dtype_name(it->global.dtype), it->rows, it->cols);
        return;
    }
    if (type->conv) {
        snprintf(text, size, "%s %s in %s, rows of %d", pto_dtype_name(type->dtype),
                 pto_layout_name(type->conv->layout), pto_loc_name(type->loc), it->cols);
        return;
    }
    const char *layout =
        type->slayout == PTO_NONE_BOX ? (type->blayout == PTO_ROW_MAJOR ? "" : " DN") : " boxed";
    snprintf(text, size, "%s %dx%d%s%s%s%s", pto_dtype_name(type->dtype), it->tile.valid_rows,
             it->tile.valid_cols, layout, type->loc == PTO_LOC_VEC ? "" : " in ",
             type->loc == PTO_LOC_VEC ? "" : pto_loc_name(type->loc),
             it->shares >= 0 ? ", same storage" : "");
    if (it->tile.assigned)
        snprintf(text + strlen(text), size - strlen(text), " at %llu", (unsigned long long)it->tile.addr);
}

static void write_elements(const example *e, int i, const char *when, pto_sink *sink) {
    const item *it = &e->item[i];
    const pto_operand_desc *desc = &e->form->operand[i];
    bool whole = desc->is_global || it->tile.type.conv;
    int32_t rows = whole ? it->rows : it->tile.valid_rows, cols = whole ? it->cols : it->tile.valid_cols;
    char text[PTO_FORMAT_SIZE], head[96], label[32];
    size_t width = 1;
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            format_element(element_type(e, i), load(e, i, r, c), text);
            width = strlen(text) > width ? strlen(text) : width;
        }
    const int32_t per_line = width < 80 ? (int32_t)(80 / (width + 1)) : 1;
    describe(e, i, head, sizeof head);
    snprintf(label, sizeof label, "%s%s", desc->name, when);
    pto_sink_printf(sink, "      %-12s %s\n", label, head);
    for (int32_t r = 0; r < rows && r < MAX_ROWS; r++) {
        pto_sink_text(sink, "       ");
        for (int32_t c = 0; c < cols; c++) {
            format_element(element_type(e, i), load(e, i, r, c), text);
            pto_sink_printf(sink, " %*s", (int)width, text);
            if ((c + 1) % per_line == 0 && c + 1 < cols)
                pto_sink_text(sink, "\n       ");
        }
        pto_sink_text(sink, "\n");
    }
    if (rows > MAX_ROWS)
        pto_sink_text(sink, "        ...\n");
}

static void write_call(const example *e, pto_sink *sink) {
    pto_sink_printf(sink, "      %s(", e->form->mnemonic);
    bool first = true;
    for (int i = 0; i < e->form->operand_count; i++) {
        const pto_operand_desc *desc = &e->form->operand[i];
        if (!e->item[i].given)
            continue;
        pto_sink_text(sink, first ? "" : ", ");
        first = false;
        if (desc->role == PTO_ROLE_SCALAR || desc->role == PTO_ROLE_ATTR)
            pto_sink_printf(sink, "%s = %.*s", desc->name, PTO_STR_ARG(e->item[i].text));
        else
            pto_sink_text(sink, desc->name);
    }
    pto_sink_text(sink, ")\n");
}

static void take_print(void *user, const char *text, size_t len) {
    example *e = user;
    if (len < sizeof e->printed - e->printed_length) {
        memcpy(e->printed + e->printed_length, text, len);
        e->printed_length += len;
    }
}

static void write_printed(const example *e, pto_sink *sink) {
    pto_str text = {e->printed, e->printed_length};
    while (text.len) {
        size_t n = 0;
        while (n < text.len && text.data[n] != '\n')
            n++;
        pto_sink_printf(sink, "      | %.*s\n", (int)n, text.data);
        text = pto_str_slice(text, n + 1, text.len);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static bool parse(example *e, pto_op op, pto_str line, pto_target *target) {
    const pto_op_desc *desc = &pto_op_table[op];
    e->number = desc->first_form;
    line = pto_str_trim(line);
    if (line.len && *line.data == '(') {
        line = pto_str_slice(line, 1, line.len);
        pto_str name = next_part(&line, ')');
        bool found = false;
        for (int f = 0; f < desc->form_count && !found; f++) {
            e->number = (pto_form)(desc->first_form + f);
            found = is(name, pto_form_get(e->number)->form);
        }
        if (!found)
            return false;
    }
    line = pto_str_trim(line);
    if (pto_str_starts_with(line, PTO_STR("on "))) {
        next_word(&line);
        char name[16];
        pto_str word = next_word(&line);
        snprintf(name, sizeof name, "%.*s", PTO_STR_ARG(word));
        if (!pto_target_from_name(name, target))
            return false;
    }
    e->form = pto_form_get(e->number);
    e->instr.form = e->number;
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        e->item[i].shares = -1, e->item[i].address = -1;
    while (pto_str_trim(line).len)
        if (!parse_item(e, next_part(&line, ';')))
            return false;
    return true;
}

static bool place(example *e, item *it) {
    pto_status status = it->address >= 0 ? pto_tile_assign(e->core, &it->tile, (uint64_t)it->address)
                                         : pto_tile_bind(e->core, &it->tile);
    return status == PTO_OK;
}

static bool bind(example *e) {
    for (int i = 0; i < e->form->operand_count; i++)
        if (has_elements(e, i) && !e->form->operand[i].is_global && !e->form->operand[i].binds &&
            e->item[i].shares < 0 && !place(e, &e->item[i]))
            return false;
    for (int i = 0; i < e->form->operand_count; i++)
        if (e->item[i].shares >= 0)
            e->item[i].tile.data = e->item[e->item[i].shares].tile.data;
    for (int i = 0; i < e->form->operand_count; i++)
        if (has_elements(e, i) && !(e->form->operand[i].binds && !e->item[i].tile.data) && !fill(e, i))
            return false;
    return true;
}

static void write_operands(const example *e, bool before, pto_sink *sink) {
    for (int i = 0; i < e->form->operand_count; i++) {
        const pto_operand_desc *desc = &e->form->operand[i];
        bool bound = desc->is_global || e->item[i].tile.data;
        if (!has_elements(e, i) || !bound || desc->role == PTO_ROLE_TMP || is_written(desc) == before) {
            bool shown = before && has_elements(e, i) && bound && is_written(desc) && e->item[i].values.len;
            if (shown)
                write_elements(e, i, " before", sink);
            continue;
        }
        write_elements(e, i, "", sink);
    }
}

pto_status pto_example_write(pto_op op, pto_str line, pto_sink *sink) {
    example *e = calloc(1, sizeof *e);
    pto_options options = {.target = PTO_TARGET_CPU};
    if (!e)
        return PTO_ERR_NOMEM;
    pto_status status = PTO_ERR_USAGE;
    if (parse(e, op, line, &options.target) && (e->core = pto_core_make(&options))) {
        pto_core_set_print(e->core, take_print, e);
        if (bind(e)) {
            if (options.target != PTO_TARGET_CPU)
                pto_sink_printf(sink, "      on %s\n", pto_target_name(options.target));
            write_call(e, sink);
            write_operands(e, true, sink);
            status = pto_core_execute(e->core, &e->instr);
            if (status == PTO_OK)
                write_operands(e, false, sink);
            if (e->instr.operand[1].kind == PTO_OPERAND_COUNTS && status == PTO_OK)
                pto_sink_printf(sink, "      executed     %u %u %u %u\n", e->counts.list[0],
                                e->counts.list[1], e->counts.list[2], e->counts.list[3]);
            write_printed(e, sink);
        }
        if (status == PTO_ERR_REFUSED) {
            char text[512];
            pto_diag_render_buffer(pto_core_diags(e->core), NULL, text, sizeof text);
            pto_sink_put(sink, text, strlen(text));
        }
    }
    if (status == PTO_ERR_USAGE)
        pto_sink_printf(sink, "      malformed example: %.*s\n", (int)(line.len < 180 ? line.len : 180),
                        line.data);
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        free(e->item[i].buffer);
    pto_core_destroy(e->core);
    free(e);
    return status;
}
