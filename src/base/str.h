/* SPDX-License-Identifier: Apache-2.0 */
/* String views: bytes with a length, not owned, not NUL-terminated; and the number parsers over them. */
#ifndef PTO_BASE_STR_H
#define PTO_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct pto_str {
    const char *data; /* may be NULL when len is 0 */
    size_t len;
} pto_str;

#define PTO_STR(literal) ((pto_str){"" literal "", sizeof(literal) - 1})

/* For printf: `"%.*s", PTO_STR_ARG(s)`. Cuts at INT_MAX bytes. */
#define PTO_STR_ARG(string)                                                                                  \
    ((string).len > 0x7fffffff ? 0x7fffffff : (int)(string).len), ((string).data ? (string).data : "")

/* NULL gives the empty string */
static inline pto_str pto_str_from(const char *text) { return (pto_str){text, text ? strlen(text) : 0}; }
static inline bool pto_str_equal(pto_str a, pto_str b) {
    return a.len == b.len && (a.len == 0 || (a.data[0] == b.data[0] && memcmp(a.data, b.data, a.len) == 0));
}
bool pto_str_equal_ignore_case(pto_str a, pto_str b); /* ASCII letters only, whatever the locale */
bool pto_str_starts_with(pto_str string, pto_str prefix);
bool pto_str_ends_with(pto_str string, pto_str suffix);
int pto_str_compare(pto_str a, pto_str b);                     /* byte order; <0, 0, >0 */
pto_str pto_str_slice(pto_str string, size_t from, size_t to); /* both ends are clamped */
pto_str pto_str_trim(pto_str string);                          /* without ASCII white space at both ends */

typedef enum pto_parse {
    PTO_PARSE_OK = 0,
    PTO_PARSE_SYNTAX, /* not a number, or something follows it */
    PTO_PARSE_RANGE   /* a number that the type cannot hold; *value is the nearest end of the range */
} pto_parse;

/* [+-] decimal digits or 0x hexadecimal digits; the whole string must be the number. *value is 0 on bad
 * syntax. */
pto_parse pto_str_parse_i64(pto_str string, int64_t *value);
pto_parse pto_str_parse_u64(pto_str string, uint64_t *value); /* "-1" is out of range, "-0" is 0 */

/*
 * Decimal ("1", "-2.5e3", ".5", "1.") or C hexadecimal float ("0x1.8p3"), "inf", "infinity" or "nan" in any
 * case, with an optional sign. Rounded once, to nearest even; the same in every locale. Overflow gives
 * PTO_PARSE_RANGE and an infinity; underflow is no error. The f32 parser rounds straight to float.
 */
pto_parse pto_str_parse_f64(pto_str string, double *value);
pto_parse pto_str_parse_f32(pto_str string, float *value);

/*
 * The shortest decimal text that reads back as the same value ("0.1", "1e+30", "-inf", "nan"), in every
 * locale. `buffer` holds PTO_FORMAT_SIZE bytes; returns it as a view.
 */
#define PTO_FORMAT_SIZE 32
pto_str pto_format_f64(double value, char buffer[PTO_FORMAT_SIZE]);
pto_str pto_format_f32(float value, char buffer[PTO_FORMAT_SIZE]);

/*
 * Edit distance (insert, delete, replace, swap of neighbours each cost 1; ASCII case ignored). Returns limit
 * + 1 as soon as the distance is known to exceed `limit`; strings longer than 63 bytes count as too far.
 */
unsigned pto_str_distance(pto_str a, pto_str b, unsigned limit);

/* Index of the candidate nearest to `word`, for "did you mean": within a third of its length; -1 if none is.
 */
int pto_str_nearest(pto_str word, const pto_str *candidates, size_t count);

#endif
