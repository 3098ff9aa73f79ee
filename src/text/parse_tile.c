/* SPDX-License-Identifier: Apache-2.0 */
/* Tile types: both spellings of !pto.tile_buf and every spelling of !pto.tile (60, 1.4, 2, 3.4). */
#include "text/parser.h"

#include <stdarg.h>
#include <stdio.h>

/* The parameters, as bits of what was given. */
enum {
    LOC = 1 << 0,
    DTYPE = 1 << 1,
    ROWS = 1 << 2,
    COLS = 1 << 3,
    VROW = 1 << 4,
    VCOL = 1 << 5,
    BLAYOUT = 1 << 6,
    SLAYOUT = 1 << 7,
    FRACTAL = 1 << 8,
    PAD = 1 << 9,
    COMPACT = 1 << 10,
    VALID = VROW | VCOL,
    LAYOUT = BLAYOUT | SLAYOUT | FRACTAL | PAD | COMPACT
};

typedef struct key {
    const char *name;
    unsigned bit;
} key;
/* In the order of the key=value spelling. */
static const key keys[] = {{"loc", LOC},         {"dtype", DTYPE}, {"rows", ROWS},       {"cols", COLS},
                           {"v_row", VROW},      {"v_col", VCOL},  {"blayout", BLAYOUT}, {"slayout", SLAYOUT},
                           {"fractal", FRACTAL}, {"pad", PAD},     {"compact", COMPACT}, {"valid", VALID}};
#define KEYS (sizeof keys / sizeof *keys)

typedef struct word_value {
    const char *name;
    int value;
} word_value;
#define WORDS(table) (table), sizeof(table) / sizeof *(table)
static const word_value locs[] = {{"vec", PTO_LOC_VEC},
                                  {"mat", PTO_LOC_MAT},
                                  {"left", PTO_LOC_LEFT},
                                  {"right", PTO_LOC_RIGHT},
                                  {"acc", PTO_LOC_ACC},
                                  {"bias", PTO_LOC_BIAS},
                                  {"scaling", PTO_LOC_SCALING},
                                  {"scale_left", PTO_LOC_SCALE_LEFT},
                                  {"scale_right", PTO_LOC_SCALE_RIGHT}};
static const word_value blayouts[] = {{"row_major", PTO_ROW_MAJOR},
                                      {"col_major", PTO_COL_MAJOR},
                                      {"RowMajor", PTO_ROW_MAJOR},
                                      {"ColMajor", PTO_COL_MAJOR}};
static const word_value slayouts[] = {{"none_box", PTO_NONE_BOX},       {"row_major", PTO_BOX_ROW_MAJOR},
                                      {"col_major", PTO_BOX_COL_MAJOR}, {"NoneBox", PTO_NONE_BOX},
                                      {"RowMajor", PTO_BOX_ROW_MAJOR},  {"ColMajor", PTO_BOX_COL_MAJOR}};
/* The asm model names layouts here, which the other fields give; the size is the default. */
static const word_value fractals[] = {{"None", 512}, {"NZ", 512}, {"ZN", 512}, {"FR", 512}, {"RN", 512}};
static const word_value pads[] = {{"Null", 0}, {"Zero", 1}, {"Max", 2}, {"Min", 3}, {"Invalid", 0}};
static const word_value compacts[] = {{"Null", 0}, {"Normal", 1}, {"row_plus_one", 2}, {"RowPlusOne", 2}};

static const word_value *find_word(const word_value *table, size_t count, pto_str word) {
    for (size_t i = 0; i < count; i++)
        if (pto_str_equal_ignore_case(word, pto_str_from(table[i].name)))
            return &table[i];
    return NULL;
}

typedef struct tile_parser {
    pto_text_parser *p;
    pto_type type;
    unsigned given;
    bool bad; /* a parameter was refused (and reported): the type stays open */
} tile_parser;

__attribute__((format(printf, 3, 4))) static void refuse(tile_parser *t, pto_span span, const char *format,
                                                         ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pto_text_error(t->p, "PTO-E0231", span, "%s", text);
    t->bad = true;
}

static bool set(tile_parser *t, unsigned bit, pto_span span, const char *name) {
    if (t->given & bit) {
        refuse(t, span, "'%s' is given twice", name);
        return false;
    }
    t->given |= bit;
    return true;
}

static void set_extent(tile_parser *t, unsigned bit, int64_t value, pto_span span) {
    if (value > INT32_MAX || value < PTO_DYNAMIC || (value < 0 && !(bit & VALID))) {
        refuse(t, span,
               bit & VALID ? "a valid extent is 0 to 2^31 - 1 or '?'" : "an extent is 0 to 2^31 - 1");
        return;
    }
    int32_t *field = bit == ROWS   ? &t->type.tile.rows
                     : bit == COLS ? &t->type.tile.cols
                     : bit == VROW ? &t->type.tile.valid_rows
                                   : &t->type.tile.valid_cols;
    *field = (int32_t)value;
}

static void set_number(tile_parser *t, unsigned bit, int64_t value, pto_span span) {
    pto_tile_type *tile = &t->type.tile;
    switch (bit) {
    case FRACTAL:
        if (value != 16 && value != 32 && value != 512 && value != 1024)
            refuse(t, span, "fractal is 16, 32, 512 or 1024");
        tile->fractal = (int32_t)(value & 0xffff);
        break;
    case PAD:
        if (value < 0 || value > 3)
            refuse(t, span, "pad is 0 (null), 1 (zero), 2 (max) or 3 (min)");
        tile->pad = (pto_pad)value;
        break;
    case COMPACT:
        if (value < 0 || value > 2)
            refuse(t, span, "compact is 0 (null), 1 (normal) or 2 (row_plus_one)");
        tile->compact = (pto_compact)(value & 3);
        break;
    case BLAYOUT:
        if (value < 0 || value > 1)
            refuse(t, span, "blayout is row_major or col_major");
        tile->blayout = (pto_blayout)(value & 1);
        break;
    case SLAYOUT:
        if (value < 0 || value > 2)
            refuse(t, span, "slayout is none_box, row_major or col_major");
        tile->slayout = (pto_slayout)(value & 3);
        break;
    default:
        set_extent(t, bit, value, span);
    }
}

static void set_loc(tile_parser *t, pto_token token) {
    const word_value *loc = find_word(WORDS(locs), token.text);
    if (loc) {
        t->type.tile.loc = (pto_loc)loc->value;
        return;
    }
    refuse(t, pto_text_span(token), "unknown loc '%.*s'", PTO_STR_ARG(token.text));
    pto_str names[sizeof locs / sizeof *locs];
    for (size_t i = 0; i < sizeof locs / sizeof *locs; i++)
        names[i] = pto_str_from(locs[i].name);
    if (!t->p->stopped)
        pto_text_suggest(t->p, token.text, names, sizeof locs / sizeof *locs);
}

static bool set_element(tile_parser *t, const pto_type *element, pto_span span) {
    if (!element)
        return false;
    if (element->kind != PTO_TYPE_INT && element->kind != PTO_TYPE_FLOAT)
        refuse(t, span, "the element type of a tile is an integer or a float type");
    t->type.element = element;
    t->type.dtype = t->type.tile.dtype = pto_type_dtype(element);
    return true;
}

/* The value of a key that takes a number or a word, possibly quoted. */
static bool parse_setting(tile_parser *t, unsigned bit, const char *name) {
    pto_text_parser *p = t->p;
    pto_token token = p->token;
    const word_value *table = bit == BLAYOUT   ? blayouts
                              : bit == SLAYOUT ? slayouts
                              : bit == FRACTAL ? fractals
                              : bit == PAD     ? pads
                                               : compacts;
    size_t count = bit == BLAYOUT   ? sizeof blayouts / sizeof *blayouts
                   : bit == SLAYOUT ? sizeof slayouts / sizeof *slayouts
                   : bit == FRACTAL ? sizeof fractals / sizeof *fractals
                   : bit == PAD     ? sizeof pads / sizeof *pads
                                    : sizeof compacts / sizeof *compacts;
    if (token.kind == PTO_TOKEN_WORD || token.kind == PTO_TOKEN_STRING) {
        pto_text_take(p);
        pto_str word = token.text;
        if (token.kind == PTO_TOKEN_STRING)
            word = pto_str_slice(word, 1, word.len - 1);
        const word_value *found = find_word(table, count, word);
        if (found)
            set_number(t, bit, found->value, pto_text_span(token));
        else
            refuse(t, pto_text_span(token), "unknown %s '%.*s'", name, PTO_STR_ARG(word));
        return true;
    }
    int64_t value;
    if (!pto_text_parse_int(p, &value))
        return false;
    set_number(t, bit, value, pto_text_since(p, token.begin));
    return true;
}

static bool parse_extent(tile_parser *t, unsigned bit) {
    pto_text_parser *p = t->p;
    uint32_t begin = p->token.begin;
    int64_t value = PTO_DYNAMIC;
    if (!((bit & VALID) && pto_text_accept(p, '?')) && !pto_text_parse_int(p, &value))
        return false;
    set_extent(t, bit, value, pto_text_since(p, begin));
    return true;
}

/* `valid=8x16`, `valid=?x?`: two dims and nothing behind. */
static bool parse_valid(tile_parser *t) {
    pto_text_parser *p = t->p;
    const char *text = p->source->text;
    uint32_t at = p->token.begin, begin = at;
    for (int i = 0; i < 2; i++) {
        int64_t value = 0;
        uint32_t from = at;
        if (at < p->source->len && text[at] == '?') {
            at++;
            value = PTO_DYNAMIC;
        }
        for (; value >= 0 && at < p->source->len && text[at] >= '0' && text[at] <= '9'; at++)
            value = value > INT32_MAX ? value : value * 10 + (text[at] - '0');
        if (at == from || (i == 0 && (at >= p->source->len || text[at] != 'x'))) {
            pto_text_seek(p, at);
            return pto_text_fail(p, "valid rows x valid columns");
        }
        set_extent(t, i ? VCOL : VROW, value, (pto_span){from, at});
        at += i == 0;
    }
    pto_text_seek(p, at);
    p->last_end = at > begin ? at : begin;
    return true;
}

static const key *find_key(pto_str name) {
    for (size_t i = 0; i < KEYS; i++)
        if (pto_str_equal(name, pto_str_from(keys[i].name)))
            return &keys[i];
    return NULL;
}

/* At `key =`. */
static bool parse_key(tile_parser *t, const key **found) {
    pto_text_parser *p = t->p;
    pto_token name = pto_text_take(p);
    *found = find_key(name.text);
    pto_text_take(p); /* = */
    if (!*found) {
        pto_text_fail_at(p, "PTO-E0231", pto_text_span(name), "a tile type has no parameter '%.*s'",
                         PTO_STR_ARG(name.text));
        pto_str names[KEYS];
        for (size_t i = 0; i < KEYS; i++)
            names[i] = pto_str_from(keys[i].name);
        if (!p->stopped)
            pto_text_suggest(p, name.text, names, KEYS);
        return false;
    }
    unsigned bit = (*found)->bit;
    set(t, bit, pto_text_span(name), (*found)->name);
    if (bit == VALID)
        return parse_valid(t);
    if (bit == DTYPE) {
        pto_span span = pto_text_span(p->token);
        return set_element(t, pto_text_parse_type(p), span);
    }
    if (bit == LOC) {
        if (p->token.kind != PTO_TOKEN_WORD)
            return pto_text_fail(p, "a location");
        set_loc(t, pto_text_take(p));
        return true;
    }
    if (bit & (ROWS | COLS | VALID))
        return parse_extent(t, bit);
    return parse_setting(t, bit, (*found)->name);
}

/* `RxCxT` */
static bool parse_shape(tile_parser *t) {
    pto_text_parser *p = t->p;
    int64_t dim[5];
    int rank;
    uint32_t begin = p->token.begin;
    if (!pto_text_parse_dims(p, dim, 5, &rank))
        return false;
    pto_span span = {begin, p->token.begin};
    if (rank != 2) {
        refuse(t, span, "a tile has two dimensions, not %d", rank);
    } else if (set(t, ROWS, span, "rows") && set(t, COLS, span, "cols")) {
        if (dim[0] < 0 || dim[1] < 0)
            refuse(t, span,
                   "the dimensions of a tile are static; write valid=?x? for a dynamic valid region");
        else {
            set_extent(t, ROWS, dim[0], span);
            set_extent(t, COLS, dim[1], span);
        }
    }
    pto_span element = pto_text_span(p->token);
    set(t, DTYPE, element, "dtype");
    return set_element(t, pto_text_parse_type(p), element);
}

/* One parameter without key in a `!pto.tile`: its kind and what came before say which it is. */
static bool parse_positional(tile_parser *t) {
    pto_text_parser *p = t->p;
    pto_token token = p->token;
    if (pto_text_at_dims(p))
        return parse_shape(t);
    if (token.kind == PTO_TOKEN_INT || pto_text_at(p, '-')) {
        int64_t value;
        if (!pto_text_parse_int(p, &value))
            return false;
        unsigned bit = !(t->given & ROWS)      ? ROWS
                       : !(t->given & COLS)    ? COLS
                       : !(t->given & FRACTAL) ? FRACTAL
                                               : PAD;
        if (set(t, bit, pto_text_span(token), "pad"))
            set_number(t, bit, value, pto_text_since(p, token.begin));
        return true;
    }
    if (token.kind == PTO_TOKEN_WORD) {
        if (find_word(WORDS(locs), token.text) && !(t->given & LOC)) {
            t->given |= LOC;
            set_loc(t, pto_text_take(p));
            return true;
        }
        static const struct {
            unsigned bit;
            const word_value *table;
            size_t count;
        } order[] = {{BLAYOUT, WORDS(blayouts)},
                     {SLAYOUT, WORDS(slayouts)},
                     {FRACTAL, WORDS(fractals)},
                     {PAD, WORDS(pads)},
                     {COMPACT, WORDS(compacts)}};
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            const word_value *found = find_word(order[i].table, order[i].count, token.text);
            if (!found || (t->given & order[i].bit))
                continue;
            t->given |= order[i].bit;
            set_number(t, order[i].bit, found->value, pto_text_span(token));
            pto_text_take(p);
            return true;
        }
    }
    if (t->given & DTYPE)
        return pto_text_fail(p, "a parameter of a tile type");
    pto_span span = pto_text_span(token);
    t->given |= DTYPE;
    return set_element(t, pto_text_parse_type(p), span);
}

static bool at_key(const pto_text_parser *p) {
    return p->token.kind == PTO_TOKEN_WORD && pto_token_is(pto_text_peek(p), '=');
}

/* key=value spelling of tile_buf: every key but compact, in order. */
static bool parse_key_values(tile_parser *t) {
    pto_text_parser *p = t->p;
    size_t expected = 0;
    do {
        if (!at_key(p))
            return pto_text_fail(p, "'key = value'");
        pto_span span = pto_text_span(p->token);
        const key *found;
        if (!parse_key(t, &found))
            return false;
        size_t i = (size_t)(found - keys);
        if (expected < KEYS && i != expected && !t->bad) {
            refuse(t, span, "'%s' stands where '%s' is due", found->name,
                   expected < KEYS - 1 ? keys[expected].name : ">");
            expected = KEYS;
        } else if (expected < KEYS) {
            expected++;
        }
    } while (pto_text_accept(p, ','));
    unsigned missing = ~t->given & (LOC | DTYPE | ROWS | COLS | VALID | BLAYOUT | SLAYOUT | FRACTAL | PAD);
    for (size_t i = 0; missing && i < KEYS && !t->bad; i++)
        if (missing & keys[i].bit)
            refuse(t, pto_text_span(p->token), "'%s' is missing", keys[i].name);
    return true;
}

/* Compact spelling: LOC, RxCxT, then keys in any order. */
static bool parse_compact(tile_parser *t) {
    pto_text_parser *p = t->p;
    if (p->token.kind != PTO_TOKEN_WORD)
        return pto_text_fail(p, "a location or 'loc='");
    t->given |= LOC;
    set_loc(t, pto_text_take(p));
    if (!pto_text_expect(p, ',', "after the location"))
        return false;
    if (!pto_text_at_dims(p))
        return pto_text_fail(p, "rows x columns x element type");
    if (!parse_shape(t))
        return false;
    while (pto_text_accept(p, ',')) {
        if (!at_key(p))
            return pto_text_fail(p, "'key = value'");
        pto_span span = pto_text_span(p->token);
        const key *found;
        if (!parse_key(t, &found))
            return false;
        if (found->bit & (LOC | DTYPE | ROWS | COLS))
            refuse(t, span, "'%s' has no key in this spelling", found->name);
        else if (found->bit == VROW || found->bit == VCOL)
            refuse(t, span, "write 'valid=rows x columns' in this spelling");
    }
    return true;
}

static bool parse_value_tile(tile_parser *t) {
    pto_text_parser *p = t->p;
    do {
        const key *found;
        if (at_key(p) ? !parse_key(t, &found) : !parse_positional(t))
            return false;
    } while (pto_text_accept(p, ','));
    unsigned missing = ~t->given & (DTYPE | ROWS | COLS);
    if (missing && !t->bad)
        refuse(t, pto_text_span(p->token), "the tile type lacks its %s",
               missing & DTYPE  ? "element type"
               : missing & ROWS ? "rows"
                                : "columns");
    return true;
}

const pto_type *pto_text_parse_tile(pto_text_parser *p, pto_type_kind kind) {
    tile_parser t = {.p = p, .type = {.kind = kind}};
    t.type.tile.fractal = 512;
    if (!pto_text_expect(p, '<', "after the name of the type"))
        return NULL;
    bool dots = pto_text_accept_kind(p, PTO_TOKEN_ELLIPSIS);
    bool ok = dots                         ? true
              : kind == PTO_TYPE_TILE      ? parse_value_tile(&t)
              : pto_text_at_word(p, "loc") ? parse_key_values(&t)
                                           : parse_compact(&t);
    if (!ok || !pto_text_expect(p, '>', "at the end of the tile type"))
        return NULL;
    if (dots || t.bad) {
        pto_type open = {.kind = kind, .open = true};
        return pto_type_intern(p->program, &open);
    }
    pto_tile_type *tile = &t.type.tile;
    if (!(t.given & VROW))
        tile->valid_rows = tile->rows;
    if (!(t.given & VCOL))
        tile->valid_cols = tile->cols;
    t.type.layout_given = kind == PTO_TYPE_TILE_BUF || (t.given & (LOC | LAYOUT));
    /* The text of a left tile means another layout on every target (60, 3.4). */
    if (tile->loc == PTO_LOC_LEFT && p->has_target && t.type.layout_given) {
        if (p->target == PTO_TARGET_A2A3)
            tile->blayout = PTO_ROW_MAJOR;
        else if (p->target == PTO_TARGET_A5)
            tile->blayout = PTO_COL_MAJOR;
    }
    return pto_type_intern(p->program, &t.type);
}
