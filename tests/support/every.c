/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/every.h"

#include <stdlib.h>
#include <string.h>

static int position(const every_call *call, const char *name) {
    int i = pto_form_operand_index(call->form, name);
    return i >= 0 && call->call.instr.operand[i].kind != PTO_OPERAND_ABSENT ? i : -1;
}

const pto_tile *every_was(const every_call *call, const char *name) {
    int i = position(call, name);
    return i < 0 ? NULL : &call->was[i];
}

pto_tile *every_want(every_call *call, const char *name) {
    int i = position(call, name);
    return i < 0 ? NULL : &call->want[i];
}

int64_t every_attribute(const every_call *call, const char *name) {
    int i = position(call, name);
    return i < 0 ? 0 : call->call.instr.operand[i].scalar.i;
}

static bool is_result(const pto_operand_desc *o) {
    return o->role == PTO_ROLE_OUT || o->role == PTO_ROLE_INOUT;
}

static const uint8_t *end_of(const pto_tile *tile) {
    return (const uint8_t *)tile->data + pto_tile_type_bytes(&tile->type);
}

/* Scratch may change, and so may a source whose bytes are those of a result. */
static bool may_change(const every_call *call, int i) {
    const pto_operand *operand = call->call.instr.operand;
    if (call->form->operand[i].role == PTO_ROLE_TMP)
        return true;
    for (int k = 0; k < call->form->operand_count; k++)
        if (k != i && operand[k].kind == PTO_OPERAND_TILE &&
            (is_result(&call->form->operand[k]) || call->form->operand[k].role == PTO_ROLE_TMP) &&
            operand[k].tile->data < (const void *)end_of(operand[i].tile) &&
            operand[i].tile->data < (const void *)end_of(operand[k].tile))
            return true;
    return false;
}

static void compare(const every_call *call, uint64_t seed) {
    for (int i = 0; i < call->form->operand_count; i++) {
        const pto_operand *operand = &call->call.instr.operand[i];
        if (operand->kind != PTO_OPERAND_TILE || (may_change(call, i) && !is_result(&call->form->operand[i])))
            continue;
        const pto_tile *have = operand->tile, *want = &call->want[i];
        if (!memcmp(have->data, want->data, (size_t)pto_tile_type_bytes(&have->type)))
            continue;
        char text[512];
        configuration_text(call->c, text, sizeof text);
        for (int32_t r = 0; r < have->type.rows; r++)
            for (int32_t col = 0; col < have->type.cols; col++)
                if (testing_get(have, r, col) != testing_get(want, r, col))
                    fail_msg("%s, seed %llu: %s (%d, %d) is %llx, not %llx; it was %llx", text,
                             (unsigned long long)seed, call->form->operand[i].name, r, col,
                             (unsigned long long)testing_get(have, r, col),
                             (unsigned long long)testing_get(want, r, col),
                             (unsigned long long)testing_get(&call->was[i], r, col));
    }
}

static void run(const configuration *c, pto_core *core, uint64_t seed, every_reference reference) {
    every_call call = {.c = c, .form = pto_form_get(c->form), .target = c->target};
    configuration_start(c, core, seed, &call.call);
    for (int i = 0; i < call.form->operand_count; i++) {
        const pto_operand *operand = &call.call.instr.operand[i];
        if (operand->kind != PTO_OPERAND_TILE)
            continue;
        call.was[i] = call.want[i] = *operand->tile;
        call.was[i].data = testing_snapshot(operand->tile);
        call.want[i].data = testing_snapshot(operand->tile);
    }
    pto_status status = pto_core_execute(core, &call.call.instr);
    if (status != PTO_OK) {
        char text[512];
        configuration_text(c, text, sizeof text);
        fail_msg("%s: %s", text, pto_status_name(status));
    }
    reference(&call);
    compare(&call, seed);
    for (int i = 0; i < call.form->operand_count; i++) {
        free(call.was[i].data);
        free(call.want[i].data);
    }
    pto_diag_list_clear(pto_core_diags(core));
    configuration_end(&call.call);
}

/* Odd extents, single elements, whole blocks. */
static int32_t extent(testing_random *random) {
    static const int32_t usual[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128};
    return testing_below(random, 3) ? 1 + (int32_t)testing_below(random, 40)
                                    : usual[testing_below(random, 16)];
}

static bool find(configuration *c, testing_random *random, pto_form form, pto_target target,
                 const pto_dtype var[6], int trial) {
    for (int tries = 0; tries < 3; tries++) {
        int32_t rows = trial ? extent(random) : 1, cols = trial ? extent(random) : 1;
        if (configuration_find(c, random, form, target, var, rows, cols, NULL))
            return true;
    }
    return false;
}

int every_compare(pto_form form, int trials, every_reference reference) {
#ifdef __SANITIZE_ADDRESS__ /* many times slower */
    trials = (trials + 9) / 10;
#endif
    int level_count, compared = 0;
    const pto_simd_level *levels = testing_levels(&level_count);
    const pto_form_desc *desc = pto_form_get(form);
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *cores[8];
        pto_dtype var[6];
        bool explicit_types;
        for (int l = 0; l < level_count; l++)
            cores[l] = testing_core((pto_target)t, levels[l]);
        for (int n = 0; configuration_types(desc, (pto_target)t, n, var, &explicit_types); n++) {
            testing_random random = {((uint64_t)form << 16) + (uint64_t)n};
            for (int trial = 0; trial < trials; trial++) {
                configuration c;
                if (!find(&c, &random, form, (pto_target)t, var, trial)) {
                    if (explicit_types)
                        fail_msg("%s %s on %s: no legal call of combination %d", desc->mnemonic, desc->form,
                                 pto_target_name((pto_target)t), n);
                    break;
                }
                run(&c, cores[trial % level_count], (uint64_t)trial, reference);
                compared++;
            }
        }
        for (int l = 0; l < level_count; l++)
            pto_core_destroy(cores[l]);
    }
    return compared;
}
