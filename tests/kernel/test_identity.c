/* SPDX-License-Identifier: Apache-2.0 */
/* The whole table: every form with every combination of element types on every target gives the same bytes at
 * every SIMD level of the machine, and in blocks over any number of threads. The calls are found by search; a
 * form for which none is found fails. */
#include "support/configuration.h"
#include <pto/launch.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { MAX_CALLS = 40000, SHAPES = 3 };

static configuration *calls;
static int call_count;
static int missing;

static void type_names(const pto_dtype var[6], char *text, size_t size) {
    *text = 0;
    for (int v = 0; v < 6; v++)
        if (var[v] != PTO_DTYPE_NONE)
            snprintf(text + strlen(text), size - strlen(text), "%s%c = %s", *text ? ", " : "", "TSDABI"[v],
                     pto_dtype_name(var[v]));
}

/* Calls of one form on one target, SHAPES of each combination of types. */
static void find_calls(pto_form f, pto_target target) {
    const pto_form_desc *form = pto_form_get(f);
    static const int32_t shapes[SHAPES][2] = {{5, 37}, {16, 64}, {1, 1}};
    testing_random random = {((uint64_t)f << 8) + (uint64_t)target + 1};
    configuration hint;
    bool hinted = false, explicit_types, any = false;
    pto_dtype var[6];
    for (int t = 0; configuration_types(form, target, t, var, &explicit_types); t++) {
        bool found = false;
        for (int s = 0; s < SHAPES; s++) {
            configuration *c = &calls[call_count];
            int tries = 3; /* a search may run into a corner */
            while (tries && !configuration_find(c, &random, f, target, var, shapes[s][0], shapes[s][1],
                                                hinted ? &hint : NULL))
                tries--;
            if (!tries)
                break;
            found = any = true;
            if (s == 0) {
                hint = *c;
                hinted = true;
            }
            assert_true(++call_count < MAX_CALLS);
        }
        if (!found && explicit_types) {
            char types[128];
            type_names(var, types, sizeof types);
            print_error("%s %s on %s: no legal call with %s\n", form->mnemonic, form->form,
                        pto_target_name(target), types);
            missing++;
        }
    }
    if (!any && (form->type_count[target] || form->types_any[target])) {
        print_error("%s %s on %s: no legal call\n", form->mnemonic, form->form, pto_target_name(target));
        missing++;
    }
}

static int setup(void **state) {
    (void)state;
    calls = calloc(MAX_CALLS, sizeof *calls);
    assert_non_null(calls);
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        for (int f = 0; f < PTO_FORM_COUNT; f++)
            find_calls((pto_form)f, (pto_target)t);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free(calls);
    return 0;
}

static void test_every_form_has_a_legal_call(void **state) {
    (void)state;
    printf("%d calls of %d forms\n", call_count, (int)PTO_FORM_COUNT);
    assert_int_equal(missing, 0);
    assert_true(call_count > PTO_FORM_COUNT);
}

/* ---- levels ---------------------------------------------------------------------------------- */

typedef struct printed {
    uint64_t hash;
} printed;

static void take_print(void *user, const char *text, size_t len) {
    printed *p = user;
    for (size_t i = 0; i < len; i++)
        p->hash = (p->hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
}

/* Executes a call and returns the hash of all it did. Findings of the data (an index out of range) count too.
 */
static uint64_t run(const configuration *c, pto_core *core, uint64_t seed, pto_status *status) {
    configuration_call call;
    printed text = {1};
    pto_core_set_print(core, take_print, &text);
    configuration_start(c, core, seed, &call);
    *status = pto_core_execute(core, &call.instr);
    uint64_t hash = configuration_hash(&call) ^ text.hash ^ (uint64_t)*status;
    pto_diag_list_clear(pto_core_diags(core));
    configuration_end(&call);
    return hash;
}

static void test_every_level_gives_the_same_bytes(void **state) {
    (void)state;
    int level_count, executed = 0, failed = 0;
    const pto_simd_level *levels = testing_levels(&level_count);
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *cores[8];
        for (int l = 0; l < level_count; l++)
            cores[l] = testing_core((pto_target)t, levels[l]);
        for (int i = 0; i < call_count; i++) {
            if (calls[i].target != (pto_target)t)
                continue;
            pto_status first_status, status;
            uint64_t first = run(&calls[i], cores[0], (uint64_t)i + 1, &first_status);
            executed += first_status == PTO_OK;
            bool same = true;
            for (int l = 1; l < level_count; l++)
                same &= run(&calls[i], cores[l], (uint64_t)i + 1, &status) == first;
            if (!same || (first_status != PTO_OK && first_status != PTO_ERR_REFUSED)) {
                char text[512];
                configuration_text(&calls[i], text, sizeof text);
                print_error("%s: %s\n", text, same ? pto_status_name(first_status) : "the levels differ");
                failed++;
            }
        }
        for (int l = 0; l < level_count; l++)
            pto_core_destroy(cores[l]);
    }
    printf("%d calls at %d levels, %d executed without a finding\n", call_count, level_count, executed);
    assert_int_equal(failed, 0);
    assert_true(executed > call_count / 2);
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct share {
    const configuration **call; /* one a block */
    uint64_t *hash;
} share;

static void block(void *argument) {
    const share *s = argument;
    uint32_t b = pto_block_idx();
    pto_status status;
    s->hash[b] = run(s->call[b], pto_core_current(), b + 1, &status);
}

static void test_every_thread_count_gives_the_same_bytes(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        const configuration **list = calloc((size_t)call_count, sizeof *list);
        uint32_t blocks = 0;
        for (int i = 0; i < call_count; i++) /* the first call of each form on the target */
            if (calls[i].target == (pto_target)t && (!blocks || list[blocks - 1]->form != calls[i].form))
                list[blocks++] = &calls[i];
        uint64_t *hash[3];
        static const uint32_t threads[3] = {1, 2, 5};
        for (int n = 0; n < 3; n++) {
            hash[n] = calloc(blocks, sizeof *hash[n]);
            share s = {list, hash[n]};
            pto_diag_list *diags = pto_diag_list_create();
            pto_launch_options options = {
                .core = {.target = (pto_target)t}, .blocks = blocks, .threads = threads[n]};
            assert_int_equal(pto_launch(&options, block, &s, diags), PTO_OK);
            pto_diag_list_destroy(diags);
        }
        for (uint32_t b = 0; b < blocks; b++) {
            assert_true(hash[0][b] != 0);
            for (int n = 1; n < 3; n++)
                if (hash[n][b] != hash[0][b]) {
                    char text[512];
                    configuration_text(list[b], text, sizeof text);
                    fail_msg("%s: %u threads differ from one", text, threads[n]);
                }
        }
        for (int n = 0; n < 3; n++)
            free(hash[n]);
        free(list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form_has_a_legal_call),
        cmocka_unit_test(test_every_level_gives_the_same_bytes),
        cmocka_unit_test(test_every_thread_count_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
