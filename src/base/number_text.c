/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers from and to text, the same in every locale. */
#define _XOPEN_SOURCE 700

#include "base/str.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digit_value(char c, unsigned base) {
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 16;
    return value < (int)base ? value : -1;
}

static pto_parse parse_magnitude(pto_str string, bool *negative, uint64_t *magnitude) {
    size_t i = 0;
    *magnitude = 0;
    *negative = false;
    if (i < string.len && (string.data[i] == '-' || string.data[i] == '+'))
        *negative = string.data[i++] == '-';
    unsigned base = 10;
    if (string.len - i > 2 && string.data[i] == '0' && (string.data[i + 1] | 0x20) == 'x') {
        base = 16;
        i += 2;
    }
    if (i == string.len)
        return PTO_PARSE_SYNTAX;
    uint64_t value = 0;
    bool overflow = false;
    for (; i < string.len; i++) {
        int digit = digit_value(string.data[i], base);
        if (digit < 0)
            return PTO_PARSE_SYNTAX;
        if (overflow || value > (UINT64_MAX - (unsigned)digit) / base)
            overflow = true;
        else
            value = value * base + (unsigned)digit;
    }
    *magnitude = overflow ? UINT64_MAX : value;
    return overflow ? PTO_PARSE_RANGE : PTO_PARSE_OK;
}

pto_parse pto_str_parse_u64(pto_str string, uint64_t *value) {
    bool negative;
    pto_parse result = parse_magnitude(string, &negative, value);
    if (result != PTO_PARSE_SYNTAX && negative && *value != 0) {
        *value = 0;
        return PTO_PARSE_RANGE;
    }
    return result;
}

pto_parse pto_str_parse_i64(pto_str string, int64_t *value) {
    bool negative;
    uint64_t magnitude;
    *value = 0;
    pto_parse result = parse_magnitude(string, &negative, &magnitude);
    if (result == PTO_PARSE_SYNTAX)
        return result;
    uint64_t bound = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    if (magnitude > bound)
        result = PTO_PARSE_RANGE;
    if (result == PTO_PARSE_RANGE)
        magnitude = bound;
    *value = !negative ? (int64_t)magnitude : magnitude == bound ? INT64_MIN : -(int64_t)magnitude;
    return result;
}

/* strtod takes more than we do (leading blanks, "nan(...)"), so the shape of the text is checked here first.
 */
static bool float_shape(pto_str s) {
    size_t i = 0;
    if (i < s.len && (s.data[i] == '-' || s.data[i] == '+'))
        i++;
    pto_str rest = pto_str_slice(s, i, s.len);
    if (pto_str_equal_ignore_case(rest, PTO_STR("inf")) ||
        pto_str_equal_ignore_case(rest, PTO_STR("infinity")) ||
        pto_str_equal_ignore_case(rest, PTO_STR("nan")))
        return true;
    unsigned base = 10;
    if (rest.len > 2 && rest.data[0] == '0' && (rest.data[1] | 0x20) == 'x') {
        base = 16;
        i += 2;
    }
    size_t digits = 0;
    for (; i < s.len && digit_value(s.data[i], base) >= 0; i++)
        digits++;
    if (i < s.len && s.data[i] == '.')
        for (i++; i < s.len && digit_value(s.data[i], base) >= 0; i++)
            digits++;
    if (digits == 0)
        return false;
    if (i < s.len && (s.data[i] | 0x20) == (base == 16 ? 'p' : 'e')) {
        i++;
        if (i < s.len && (s.data[i] == '-' || s.data[i] == '+'))
            i++;
        size_t first = i;
        while (i < s.len && s.data[i] >= '0' && s.data[i] <= '9')
            i++;
        if (i == first)
            return false;
    }
    return i == s.len;
}

/* Sets the calling thread's locale to "C" so that '.' is the decimal point. False without memory. */
static bool enter_c_locale(locale_t *c, locale_t *previous) {
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (*c == (locale_t)0)
        return false;
    *previous = uselocale(*c);
    return true;
}

static void leave_c_locale(locale_t c, locale_t previous) {
    uselocale(previous);
    freelocale(c);
}

static pto_parse parse_float(pto_str string, bool single, double *value) {
    *value = 0;
    if (!float_shape(string))
        return PTO_PARSE_SYNTAX;
    char local[128];
    char *text = string.len < sizeof local ? local : malloc(string.len + 1);
    locale_t c, previous;
    if (!text || !enter_c_locale(&c, &previous)) {
        if (text != local)
            free(text);
        return PTO_PARSE_SYNTAX;
    }
    memcpy(text, string.data, string.len);
    text[string.len] = '\0';
    int saved = errno;
    *value = single ? (double)strtof(text, NULL) : strtod(text, NULL);
    errno = saved;
    leave_c_locale(c, previous);
    bool finite_text = !strpbrk(text, "iInN");
    if (text != local)
        free(text);
    return finite_text && isinf(*value) ? PTO_PARSE_RANGE : PTO_PARSE_OK;
}

pto_parse pto_str_parse_f64(pto_str string, double *value) { return parse_float(string, false, value); }

pto_parse pto_str_parse_f32(pto_str string, float *value) {
    double wide;
    pto_parse result = parse_float(string, true, &wide);
    *value = (float)wide;
    return result;
}

static pto_str format_float(double value, bool single, char buffer[PTO_FORMAT_SIZE]) {
    if (isnan(value))
        return pto_str_from(memcpy(buffer, "nan", 4));
    if (isinf(value))
        return pto_str_from(value < 0 ? memcpy(buffer, "-inf", 5) : memcpy(buffer, "inf", 4));
    locale_t c, previous;
    if (!enter_c_locale(&c, &previous))
        return pto_str_from(memcpy(buffer, "?", 2));
    int saved = errno;
    int most = single ? 9 : 17;
    for (int digits = 1; digits <= most; digits++) {
        snprintf(buffer, PTO_FORMAT_SIZE, "%.*g", digits, value);
        double back = single ? (double)strtof(buffer, NULL) : strtod(buffer, NULL);
        /* Bits, not values, would differ for -0 alone, and %g keeps its sign. */
        if (!(back < value) && !(back > value))
            break;
    }
    errno = saved;
    leave_c_locale(c, previous);
    return pto_str_from(buffer);
}

pto_str pto_format_f64(double value, char buffer[PTO_FORMAT_SIZE]) {
    return format_float(value, false, buffer);
}

pto_str pto_format_f32(float value, char buffer[PTO_FORMAT_SIZE]) {
    return format_float((double)value, true, buffer);
}
