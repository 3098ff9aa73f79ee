/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 decoding that never fails: what is not UTF-8 reads as U+FFFD, one byte at a time. */
#ifndef PTO_BASE_UTF8_H
#define PTO_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTO_UTF8_REPLACEMENT 0xfffdu

/*
 * Decodes the code point at `data` (`len` > 0 bytes follow) and returns the bytes that it takes, 1..4.
 * Overlong forms, surrogates, values past U+10FFFF and stray bytes give U+FFFD, take one byte and clear
 * `*valid` (may be NULL).
 */
size_t pto_utf8_decode(const char *data, size_t len, uint32_t *code_point, bool *valid);

/* Writes 1..4 bytes and returns how many. `code_point` must be a scalar value. */
size_t pto_utf8_encode(uint32_t code_point, char out[4]);

/* Terminal columns of a code point: 0, 1 or 2. */
unsigned pto_utf8_width(uint32_t code_point);

/* True for code points that may harm a terminal or hide text: controls and bidirectional overrides. */
bool pto_utf8_is_unsafe(uint32_t code_point);

#endif
