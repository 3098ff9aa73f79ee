/* SPDX-License-Identifier: Apache-2.0 */
/* Every accepted program of the corpus under the race, flag and init checkers, on a2a3 and a5, in one block
 * and in three: no finding, and the same bytes in other orders. Those that cannot run stand in a table with
 * the rule that says why, and so do those that the checkers rightly speak of; a line that is no longer needed
 * fails too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"
#include "support/corpus.h"
#include "support/program_testing.h"

enum { PARAMETERS = 24, POINTER_BYTES = 1 << 20 };

/* What the checkers rightly find, and what is refused when it runs. A generic twin has the name of its
 * program. */
static const struct {
    const char *file, *rule, *why;
} exceptions[] = {
    {"as_insert_into_fresh", "PTO-E1120", "stores a new tile of which it writes a window"},
    {"level1_insert_into_fresh", "PTO-E1120", "stores a new tile of which it writes a window"},
    {"level1_windows_quantised", "PTO-E1120", "stores a new tile of which it writes a window"},
    {"convolution_tiles", "PTO-E1120", "reads a tile that only its address names"},
    {"scatter_tile", "PTO-E1120", "reads what no row is scattered to"},
    {"as_mx_a5_only", "PTO-E0812", "scales of its parameters, whose places are the caller's"},
    {"level1_mx_a5_only", "PTO-E0812", "scales of its parameters, whose places are the caller's"},
    {"as_synchronisation", "PTO-E1101", "events in words, which nothing sets"},
    {"level1_cores", "PTO-E1104", "asks for its block and stores to the same place in all of them"},
};
enum { EXCEPTIONS = sizeof exceptions / sizeof *exceptions };
static bool seen[EXCEPTIONS];

static struct { int programs, runs, silent, blocks_race, excepted, not_run, wrong, orders; } tally;

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Extents and offsets, but for ids of events and a small tile. */
static int64_t scalar_for(const char *path) {
    return !strncmp(base_name(path), "events.", 7) || !strncmp(base_name(path), "corners_tiles.", 14) ? 4
                                                                                                      : 16;
}

/* Zeros in every buffer: legal indices, and no order depends on values. Scalars are extents and offsets, of
 * 16 unless they are ids of events. */
static size_t make_arguments(const char *path, const pto_param *param, size_t count, pto_argument *argument) {
    assert_true(count <= PARAMETERS);
    for (size_t i = 0; i < count; i++) {
        argument[i] = (pto_argument){.i = scalar_for(path), .f = 1};
        if (param[i].kind == PTO_PARAM_SCALAR)
            continue;
        argument[i].bytes = POINTER_BYTES;
        if (param[i].kind == PTO_PARAM_TILE)
            argument[i].bytes =
                (size_t)(param[i].shape[0] * param[i].shape[1]) * pto_dtype_bits(param[i].dtype) / 8;
        argument[i].data = aligned_alloc(64, (argument[i].bytes + 63) / 64 * 64);
        assert_non_null(argument[i].data);
        memset(argument[i].data, 0, argument[i].bytes);
    }
    return count;
}

static bool is_excepted(const char *path, const char *rule) {
    const char *name = base_name(path);
    size_t len = strcspn(name, ".");
    for (int i = 0; i < EXCEPTIONS; i++)
        if (strlen(exceptions[i].file) == len && !strncmp(exceptions[i].file, name, len) &&
            !strcmp(exceptions[i].rule, rule))
            return seen[i] = true;
    return false;
}

/* A program that does not ask which block it is does the same in all of them. */
static bool divides_work(const char *text) { return strstr(text, "block_idx") != NULL; }

typedef enum outcome { SILENT, BLOCKS_RACE, EXCEPTED, NOT_RUN, WRONG } outcome;

/* The worst of the errors. */
static outcome judge(const char *path, const char *text, uint32_t blocks, const pto_diag_list *diags) {
    outcome worst = SILENT;
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        const char *rule = d->rule ? d->rule : "";
        outcome o = d->severity != PTO_ERROR                                          ? SILENT
                    : !strcmp(rule, "PTO-E0912")                                      ? NOT_RUN
                    : blocks > 1 && !strcmp(rule, "PTO-E1104") && !divides_work(text) ? BLOCKS_RACE
                    : is_excepted(path, rule)                                         ? EXCEPTED
                                                                                      : WRONG;
        worst = o > worst ? o : worst;
    }
    return worst;
}

/* What the checkers pass gives the same bytes in every order: the adversarial one and some random ones,
 * PTO_CORPUS_ORDERS in all. */
static void explore(const char *path, pto_program *program, const pto_argument *argument, size_t count,
                    pto_run_options *options, pto_diag_list *diags) {
    const char *orders = getenv("PTO_CORPUS_ORDERS");
    pto_explore_options how = {.runs = orders ? strtoull(orders, NULL, 10) : 4, .seed = 1};
    pto_explore_result result = {0};
    options->checks = 0;
    options->findings = NULL;
    pto_status status = pto_program_explore(program, argument, count, options, &how, &result, diags);
    if (status != PTO_OK || result.differs)
        fail_msg("%s on %s: another order differs, %s", base_name(path), pto_target_name(options->target),
                 diag_text(diags));
    tally.orders += (int)result.runs;
}

static void run_entry(const char *path, const char *text, pto_program *program, const char *entry,
                      pto_target target, uint32_t blocks) {
    pto_diag_list *diags = pto_diag_list_create();
    const pto_param *param;
    pto_argument argument[PARAMETERS];
    size_t count = 0, findings = 0;
    if (pto_program_entry_params(program, entry, &param, &count, diags) == PTO_OK) {
        pto_run_options options = {.entry = entry,
                                   .target = target,
                                   .has_target = true,
                                   .blocks = blocks,
                                   .findings = &findings,
                                   .checks = PTO_CHECK_RACE | PTO_CHECK_SYNC | PTO_CHECK_INIT};
        make_arguments(path, param, count, argument);
        pto_status status = pto_program_run(program, argument, count, &options, diags);
        bool silent = status == PTO_OK && !findings;
        assert_true(silent == !pto_diag_count(diags, PTO_ERROR));
        if (silent && blocks == 1)
            explore(path, program, argument, count, &options, diags);
        for (size_t i = 0; i < count; i++)
            free(argument[i].data);
    }
    tally.runs++;
    switch (judge(path, text, blocks, diags)) {
    case SILENT:
        tally.silent++;
        break;
    case BLOCKS_RACE:
        tally.blocks_race++;
        break;
    case EXCEPTED:
        tally.excepted++;
        break;
    case NOT_RUN:
        tally.not_run++;
        break;
    case WRONG:
        tally.wrong++;
        print_error("%s, %s on %s, blocks: %u: %s\n", base_name(path), entry ? entry : "the entry",
                    pto_target_name(target), blocks, diag_text(diags));
    }
    pto_diag_list_destroy(diags);
}

/* The entry, or, where several are marked, each of them. */
static void run_entries(const char *path, const char *text, pto_program *program, pto_target target,
                        uint32_t blocks) {
    const pto_param *param;
    size_t count;
    pto_diag_list *diags = pto_diag_list_create();
    bool one = pto_program_entry_params(program, NULL, &param, &count, diags) == PTO_OK ||
               !pto_diag_has(diags, "PTO-E0429");
    pto_diag_list_destroy(diags);
    if (one) {
        run_entry(path, text, program, NULL, target, blocks);
        return;
    }
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f)) {
        char name[256];
        pto_str symbol = pto_function_name(f);
        snprintf(name, sizeof name, "%.*s", (int)symbol.len, symbol.data);
        if (pto_function_body(f) && pto_operation_attr(f, "pto.entry"))
            run_entry(path, text, program, name, target, blocks);
    }
}

static void run_program(const char *path, const char *text, size_t len) {
    for (int t = PTO_TARGET_A2A3; t <= PTO_TARGET_A5; t++) {
        char verdict[CORPUS_VERDICT];
        corpus_expected(text, t == PTO_TARGET_A2A3 ? "a3" : "a5", verdict);
        if (strncmp(verdict, "accept", 6) != 0)
            continue;
        tally.programs++;
        pto_parse_options options = {.target = (pto_target)t, .has_target = true};
        pto_diag_list *diags = pto_diag_list_create();
        pto_program *program = pto_program_parse(base_name(path), text, len, &options, diags);
        assert_non_null(program);
        for (uint32_t blocks = 1; blocks <= 3; blocks += 2)
            run_entries(path, text, program, (pto_target)t, blocks);
        pto_program_destroy(program);
        pto_diag_list_destroy(diags);
    }
}

static void corpus_is_silent(void **state) {
    (void)state;
    corpus_each(run_program);
    print_message("%d programs, %d runs: %d silent, %d of blocks that all do the same, %d excepted, %d of "
                  "operations that "
                  "cannot be run; %d orders explored\n",
                  tally.programs, tally.runs, tally.silent, tally.blocks_race, tally.excepted, tally.not_run,
                  tally.orders);
    assert_int_equal(tally.wrong, 0);
    for (int i = 0; i < EXCEPTIONS; i++)
        if (!seen[i])
            fail_msg("%s gives no %s: %s", exceptions[i].file, exceptions[i].rule, exceptions[i].why);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
