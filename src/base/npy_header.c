/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a .npy file: a magic, a version, and a Python dictionary with three keys. */
#include "base/npy_header.h"

#include <string.h>

static const unsigned char magic[PTO_NPY_MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

bool pto_npy_type_known(char kind, unsigned itemsize) {
    switch (kind) {
    case 'f':
        return itemsize == 2 || itemsize == 4 || itemsize == 8;
    case 'i':
    case 'u':
        return itemsize == 1 || itemsize == 2 || itemsize == 4 || itemsize == 8;
    case 'b':
        return itemsize == 1;
    default:
        return false;
    }
}

static pto_status cut_short(const char *name, size_t len, pto_diag_list *diags) {
    pto_diag_add(diags, PTO_ERROR, "PTO-E0121", pto_at_file(name), "the .npy header is cut short");
    pto_diag_found(diags, "%zu bytes", len);
    return PTO_ERR_REFUSED;
}

pto_status pto_npy_prefix(const void *data, size_t len, const char *name, uint8_t *version,
                          size_t *text_offset, size_t *text_len, pto_diag_list *diags) {
    const unsigned char *b = data;
    size_t known = len < PTO_NPY_MAGIC_SIZE ? len : PTO_NPY_MAGIC_SIZE;
    if (known && memcmp(b, magic, known) != 0) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0120", pto_at_file(name),
                     "not a .npy file: the magic bytes are missing");
        return PTO_ERR_REFUSED;
    }
    if (len < 8)
        return cut_short(name, len, diags);
    if (b[6] < 1 || b[6] > 3 || b[7] != 0) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0122", pto_at_file(name), "unknown version of the .npy format");
        pto_diag_found(diags, "%u.%u", b[6], b[7]);
        pto_diag_allowed(diags, "1.0, 2.0, 3.0");
        return PTO_ERR_REFUSED;
    }
    *version = b[6];
    *text_offset = *version == 1 ? 10 : 12;
    if (len < *text_offset)
        return cut_short(name, len, diags);
    *text_len = (size_t)b[8] | (size_t)b[9] << 8;
    if (*version > 1)
        *text_len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (*text_len > PTO_NPY_HEADER_MAX) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0123", pto_at_file(name), "the .npy header is too long");
        pto_diag_found(diags, "%zu bytes", *text_len);
        pto_diag_allowed(diags, "at most %d bytes", PTO_NPY_HEADER_MAX);
        return PTO_ERR_REFUSED;
    }
    return PTO_OK;
}

/* A cursor over the dictionary. The first failure adds the one diagnostic. */
typedef struct reader {
    pto_str text;
    size_t at;
    const char *name;
    pto_diag_list *diags;
    pto_npy_info *info;
} reader;

static bool malformed(reader *r, const char *expected) {
    pto_diag_add(r->diags, PTO_ERROR, "PTO-E0124", pto_at_file(r->name),
                 "malformed .npy header at byte %zu: expected %s", r->at, expected);
    return false;
}

static char peek(const reader *r) { return r->at < r->text.len ? r->text.data[r->at] : '\0'; }

static void skip_space(reader *r) {
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r')
        r->at++;
}

static bool accept(reader *r, char c) {
    skip_space(r);
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static bool accept_word(reader *r, pto_str word) {
    if (!pto_str_starts_with(pto_str_slice(r->text, r->at, r->text.len), word))
        return false;
    r->at += word.len;
    return true;
}

/* A quoted string without escapes: no key and no type that we take has any. */
static bool read_string(reader *r, pto_str *string) {
    skip_space(r);
    char quote = peek(r);
    if (quote != '\'' && quote != '"')
        return malformed(r, "a string in quotes");
    size_t from = ++r->at;
    while (r->at < r->text.len && peek(r) != quote && peek(r) != '\\' && peek(r) != '\n')
        r->at++;
    if (peek(r) != quote)
        return malformed(r, "the end of the string");
    *string = pto_str_slice(r->text, from, r->at++);
    return true;
}

static bool type_refused(reader *r, pto_str type, const char *what) {
    pto_diag_add(r->diags, PTO_ERROR, "PTO-E0125", pto_at_file(r->name), "%s cannot be read from a .npy file",
                 what);
    if (type.len)
        pto_diag_found(r->diags, "dtype '%.*s'", PTO_STR_ARG(type));
    pto_diag_allowed(r->diags, "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
    if (type.len > 1 && (type.data[1] == 'V' || type.data[0] == 'V'))
        pto_diag_fix(r->diags, "save the raw bits, for example array.view(numpy.uint16) for bf16");
    return false;
}

static bool read_type(reader *r) {
    skip_space(r);
    if (peek(r) == '[' || peek(r) == '(')
        return type_refused(r, (pto_str){NULL, 0}, "a structured array");
    pto_str type;
    if (!read_string(r, &type))
        return false;
    pto_str rest = type;
    char order = '=';
    if (rest.len && memchr("<>|=", rest.data[0], 4)) {
        order = rest.data[0];
        rest = pto_str_slice(rest, 1, rest.len);
    }
    char kind = rest.len ? rest.data[0] : '\0';
    const char *what = kind == 'c'                                 ? "a complex array"
                       : kind == 'O'                               ? "an array of objects"
                       : kind == 'V'                               ? "an array of raw bytes (void)"
                       : kind == 'S' || kind == 'U' || kind == 'a' ? "an array of text"
                       : kind == 'M' || kind == 'm'                ? "an array of dates"
                                                                   : "an array of this type";
    /* One digit: the sizes that we know are 1, 2, 4 and 8. */
    if (rest.len != 2 || rest.data[1] < '0' || rest.data[1] > '9' ||
        !pto_npy_type_known(kind, (unsigned)(rest.data[1] - '0')))
        return type_refused(r, type, what);
    r->info->kind = kind;
    r->info->itemsize = (uint8_t)(rest.data[1] - '0');
    r->info->big_endian = r->info->itemsize > 1 && (order == '>' || (order != '<' && PTO_NPY_NATIVE_BIG));
    return true;
}

static bool read_order(reader *r) {
    skip_space(r);
    if (accept_word(r, PTO_STR("True")))
        r->info->fortran_order = true;
    else if (accept_word(r, PTO_STR("False")))
        r->info->fortran_order = false;
    else
        return malformed(r, "True or False");
    return true;
}

static bool read_extent(reader *r, uint64_t *extent) {
    skip_space(r);
    size_t from = r->at;
    while (peek(r) >= '0' && peek(r) <= '9')
        r->at++;
    pto_str digits = pto_str_slice(r->text, from, r->at);
    if (digits.len == 0)
        return malformed(r, "an extent of the shape");
    if (pto_str_parse_u64(digits, extent) != PTO_PARSE_OK || *extent > INT64_MAX) {
        pto_diag_add(r->diags, PTO_ERROR, "PTO-E0126", pto_at_file(r->name),
                     "the shape of the array is too large");
        return false;
    }
    /* Python 2 wrote long integers with an L. */
    if (peek(r) == 'L')
        r->at++;
    return true;
}

static bool read_shape(reader *r) {
    if (!accept(r, '('))
        return malformed(r, "'('");
    unsigned rank = 0;
    bool comma = true;
    while (!accept(r, ')')) {
        if (!comma)
            return malformed(r, "',' or ')'");
        if (rank == PTO_NPY_RANK_MAX) {
            pto_diag_add(r->diags, PTO_ERROR, "PTO-E0127", pto_at_file(r->name),
                         "the array has too many dimensions");
            pto_diag_allowed(r->diags, "at most %d", PTO_NPY_RANK_MAX);
            return false;
        }
        if (!read_extent(r, &r->info->shape[rank]))
            return false;
        rank++;
        comma = accept(r, ',');
    }
    /* "(3)" is a number to Python, not a tuple. */
    if (rank == 1 && !comma)
        return malformed(r, "',' in the tuple of one");
    r->info->rank = (uint8_t)rank;
    return true;
}

static bool read_dictionary(reader *r) {
    static const pto_str keys[3] = {{"descr", 5}, {"fortran_order", 13}, {"shape", 5}};
    static bool (*const readers[3])(reader *) = {read_type, read_order, read_shape};
    bool seen[3] = {false, false, false};
    if (!accept(r, '{'))
        return malformed(r, "'{'");
    bool comma = true;
    while (!accept(r, '}')) {
        pto_str key;
        if (!comma)
            return malformed(r, "',' or '}'");
        if (!read_string(r, &key))
            return false;
        unsigned which = 0;
        while (which < 3 && !pto_str_equal(key, keys[which]))
            which++;
        if (which == 3 || seen[which])
            return malformed(r, "each of the keys descr, fortran_order and shape once");
        seen[which] = true;
        if (!accept(r, ':'))
            return malformed(r, "':'");
        if (!readers[which](r))
            return false;
        comma = accept(r, ',');
    }
    if (!seen[0] || !seen[1] || !seen[2])
        return malformed(r, "all of the keys descr, fortran_order and shape");
    skip_space(r);
    return r->at == r->text.len || malformed(r, "nothing but blanks behind the dictionary");
}

pto_status pto_npy_header_text(pto_str text, const char *name, pto_npy_info *info, pto_diag_list *diags) {
    reader r = {.text = text, .name = name, .diags = diags, .info = info};
    return read_dictionary(&r) ? PTO_OK : PTO_ERR_REFUSED;
}

pto_status pto_npy_measure(pto_npy_info *info, const char *name, pto_diag_list *diags) {
    bool empty = false, overflow = false;
    uint64_t bytes = info->itemsize;
    /* Half the address space: sums with a header length must not overflow either. */
    const uint64_t most = (uint64_t)(SIZE_MAX / 2);
    for (unsigned i = 0; i < info->rank; i++) {
        uint64_t extent = info->shape[i];
        if (extent == 0)
            empty = true;
        else if (bytes > most / extent)
            overflow = true;
        else
            bytes *= extent;
    }
    if (overflow) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0126", pto_at_file(name), "the shape of the array is too large");
        return PTO_ERR_REFUSED;
    }
    info->bytes = empty ? 0 : bytes;
    info->count = info->bytes / info->itemsize;
    return PTO_OK;
}
