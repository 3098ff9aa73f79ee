/* SPDX-License-Identifier: Apache-2.0 */
/* The fast 8- and 4-bit conversions against the format table: every code, every place where rounding turns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "number/format.h"
#include "number/small.h"

static void same(const char *what, uint32_t got, uint64_t want, uint32_t source) {
    if (got == want)
        return;
    print_error("%s of 0x%x: 0x%x, expected 0x%llx\n", what, source, got, (unsigned long long)want);
    fail();
}

static void test_decode(void **state) {
    (void)state;
    static const pto_format formats[] = {PTO_FORMAT_E4M3, PTO_FORMAT_E5M2, PTO_FORMAT_E2M1, PTO_FORMAT_E1M2,
                                         PTO_FORMAT_HIF8};
    static float values[5][256];
    for (int i = 0; i < 256; i++)
        values[0][i] = pto_f32_from_e4m3((uint8_t)i);
    for (int i = 0; i < 256; i++)
        values[1][i] = pto_f32_from_e5m2((uint8_t)i);
    for (int i = 0; i < 256; i++)
        values[2][i] = pto_f32_from_e2m1((uint8_t)i);
    for (int i = 0; i < 256; i++)
        values[3][i] = pto_f32_from_e1m2((uint8_t)i);
    for (int i = 0; i < 256; i++)
        values[4][i] = pto_f32_from_hif8((uint8_t)i);
    for (int f = 0; f < 5; f++) {
        for (uint32_t i = 0; i < 256; i++) {
            const pto_number exact = pto_number_decode(formats[f], i);
            same(pto_format_describe(formats[f])->name, pto_f32_bits(values[f][i]),
                 pto_number_encode(PTO_FORMAT_F32, exact, PTO_CAST_RINT, false), i);
        }
    }
}

enum { BATCH = 8192 };

static void check(const uint32_t *bits, bool saturate) {
    static const struct {
        pto_format format;
        pto_round_mode mode;
    } kinds[] = {{PTO_FORMAT_E4M3, PTO_CAST_RINT},
                 {PTO_FORMAT_E5M2, PTO_CAST_RINT},
                 {PTO_FORMAT_E2M1, PTO_CAST_RINT},
                 {PTO_FORMAT_E1M2, PTO_CAST_RINT},
                 {PTO_FORMAT_HIF8, PTO_CAST_ROUND}};
    static float x[BATCH];
    static uint8_t codes[5][BATCH];
    memcpy(x, bits, sizeof x);
    for (int i = 0; i < BATCH; i++)
        codes[0][i] = pto_e4m3_from_f32(x[i], saturate);
    for (int i = 0; i < BATCH; i++)
        codes[1][i] = pto_e5m2_from_f32(x[i], saturate);
    for (int i = 0; i < BATCH; i++)
        codes[2][i] = pto_e2m1_from_f32(x[i]);
    for (int i = 0; i < BATCH; i++)
        codes[3][i] = pto_e1m2_from_f32(x[i]);
    for (int i = 0; i < BATCH; i++)
        codes[4][i] = pto_hif8_from_f32(x[i], saturate);
    for (int i = 0; i < BATCH; i++) {
        const pto_number value = pto_number_decode(PTO_FORMAT_F32, bits[i]);
        for (int k = 0; k < 5; k++) {
            same(pto_format_describe(kinds[k].format)->name, codes[k][i],
                 pto_number_encode(kinds[k].format, value, kinds[k].mode, saturate), bits[i]);
        }
    }
}

/* No rounding point of these formats has more than 8 significant bits, so the upper half of a float and a
 * few lower halves reach every one of them from both sides. */
static void test_encode(void **state) {
    (void)state;
    static const uint32_t low[] = {0x0000, 0x0001, 0x8000, 0xFFFF};
    static uint32_t bits[BATCH];
    for (uint32_t top = 0; top < 65536; top += BATCH / 4) {
        for (uint32_t i = 0; i < BATCH; i++)
            bits[i] = (top + i / 4) << 16 | low[i % 4];
        check(bits, false);
        check(bits, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decode), cmocka_unit_test(test_encode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
