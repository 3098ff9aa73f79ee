/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 decoding, encoding and display width. */
#include "base/utf8.h"

static bool is_tail(unsigned char byte) { return (byte & 0xc0u) == 0x80u; }

size_t pto_utf8_decode(const char *data, size_t len, uint32_t *code_point, bool *valid) {
    const unsigned char *b = (const unsigned char *)data;
    if (valid)
        *valid = true;
    if (b[0] < 0x80) {
        *code_point = b[0];
        return 1;
    }
    size_t need = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
    bool good = b[0] >= 0xc2 && b[0] <= 0xf4 && len >= need;
    for (size_t i = 1; good && i < need; i++)
        good = is_tail(b[i]);
    if (good) {
        uint32_t value = b[0] & (0xffu >> (need + 1));
        for (size_t i = 1; i < need; i++)
            value = value << 6 | (b[i] & 0x3fu);
        static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
        if (value >= least[need] && value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff)) {
            *code_point = value;
            return need;
        }
    }
    *code_point = PTO_UTF8_REPLACEMENT;
    if (valid)
        *valid = false;
    return 1;
}

size_t pto_utf8_encode(uint32_t code_point, char out[4]) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; code_point >>= 6)
        out[i] = (char)(0x80u | (code_point & 0x3fu));
    out[0] = (char)(lead[size] | code_point);
    return size;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool within(uint32_t code_point, const range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (code_point >= ranges[i].first && code_point <= ranges[i].last)
            return true;
    return false;
}

unsigned pto_utf8_width(uint32_t code_point) {
    /* The main blocks of Unicode's East_Asian_Width W/F and of combining marks; enough to keep a caret in
     * place. */
    static const range none[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                                 {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                                 {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    if (code_point < 0x300)
        return 1;
    if (within(code_point, none, sizeof none / sizeof none[0]))
        return 0;
    return within(code_point, wide, sizeof wide / sizeof wide[0]) ? 2 : 1;
}

bool pto_utf8_is_unsafe(uint32_t code_point) {
    static const range unsafe[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},
                                   {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
    return within(code_point, unsafe, sizeof unsafe / sizeof unsafe[0]);
}
