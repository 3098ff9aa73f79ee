/* SPDX-License-Identifier: Apache-2.0 */
/* How often tests compared an instruction with its reference. Every program of tests/kernel is linked with
 * count.c: with PTO_LEDGER=FILE in the environment it counts the calls that passed legality, by call form,
 * target and element types, with their different shapes, and writes them to FILE when it exits, a line each:
 *
 *   TADD <tab> tile <tab> a2a3 <tab> T=f32 <tab> calls <tab> shapes
 *
 * The element types are those of the type variables T S D A B I of the form; "-" = it has none. total.c adds
 * the files up and holds them against the table. */
#ifndef PTO_TESTS_LEDGER_H
#define PTO_TESTS_LEDGER_H

#include <pto/instr.h>

#include <stdio.h>

enum { LEDGER_TYPES = 96 };

static inline void ledger_types(const pto_dtype var[6], char text[LEDGER_TYPES]) {
    size_t size = 0;
    snprintf(text, LEDGER_TYPES, "-");
    for (int v = 0; v < 6; v++)
        if (var[v] != PTO_DTYPE_NONE)
            size += (size_t)snprintf(text + size, LEDGER_TYPES - size, "%s%c=%s", size ? "," : "",
                                     "TSDABI"[v], pto_dtype_name(var[v]));
}

#endif
