/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic synchronisation of random programs: in every order that its flags and barriers allow a program
 * gives the bits of program order, the library's checkers find nothing in it, and hardly any flag can be left
 * out. PTO_SYNC_PROGRAMS programs (default 500) for a2a3 and a5 in turn, half of them with addresses that
 * overlap; 20 orders each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/pipe_orders.h"
#include "support/program_testing.h"
#include "support/random_program.h"

enum { ORDERS = 20 };
static const int64_t turns[] = {3, 0, 1, 4};
enum { TURNS = sizeof turns / sizeof *turns };

typedef struct counts {
    int programs, orders, flags, needed, everything;
} counts;

static int programs_wanted(void) {
    const char *text = getenv("PTO_SYNC_PROGRAMS");
    return text ? atoi(text) : 500;
}

static pto_program *prepare(const char *text, pto_target target) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_parse_options parse = {.target = target, .has_target = true};
    pto_verify_options options = {.target = target, .has_target = true};
    pto_program *program = pto_program_parse("random.pto", text, strlen(text), &parse, diags);
    if (!program || pto_diag_count(diags, PTO_ERROR) ||
        pto_program_pass(program, "place", &options, diags) != PTO_OK ||
        pto_program_pass(program, "sync", &options, diags) != PTO_OK)
        fail_msg("%s", diag_text(diags));
    pto_diag_list_destroy(diags);
    return program;
}

static pto_program *read_again(const pto_program *program, const pto_parse_options *parse) {
    text_buffer printed = {0};
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(pto_program_print(program, PTO_DIALECT_LEVEL2, collect_text, &printed, NULL), PTO_OK);
    pto_program *again = pto_program_parse("again.pto", printed.data, strlen(printed.data), parse, diags);
    if (!again || pto_diag_count(diags, PTO_ERROR))
        fail_msg("%s%s", printed.data, diag_text(diags));
    free(printed.data);
    pto_diag_list_destroy(diags);
    return again;
}

/* A program remembers that it was verified and what it was lowered to: its text, which remembers nothing,
 * keeps every rule behind each pass, and gets the same flags. */
static void passes_keep_rules(const pto_program *program, const char *text, pto_target target) {
    const pto_parse_options parse = {.target = target, .has_target = true};
    const pto_verify_options options = {.target = target, .has_target = true};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *placed = pto_program_parse("random.pto", text, strlen(text), &parse, diags);
    assert_int_equal(pto_program_pass(placed, "place", &options, diags), PTO_OK);
    pto_program *flagged = read_again(placed, &parse), *last = read_again(program, &parse);
    if (pto_program_verify(flagged, &options, diags) != PTO_OK ||
        pto_program_pass(flagged, "sync", &options, diags) != PTO_OK ||
        pto_program_verify(last, &options, diags) != PTO_OK)
        fail_msg("%s", diag_text(diags));
    assert_true(pto_program_equal(program, flagged));
    pto_program_destroy(placed);
    pto_program_destroy(flagged);
    pto_program_destroy(last);
    pto_diag_list_destroy(diags);
}

static void all_orders_agree(const pto_program *program, pto_target target, const char *text, int seed,
                             counts *c) {
    for (int k = 0; k < TURNS; k++) {
        pipe_trace *t = pipe_trace_make(program, target, turns[k]);
        pipe_result wanted = pipe_program_order(t);
        for (int i = 0; i < ORDERS / TURNS; i++) {
            pipe_result r = pipe_random_order(t, (uint64_t)(seed * 1000 + k * 100 + i), -1, NULL);
            c->orders++;
            if (r.hash == wanted.hash && !r.misused)
                continue;
            printf("%s", text);
            fail_msg("program %d, n = %d, order %d: %s", seed, (int)turns[k], i,
                     r.misused ? "a flag is raised twice" : "other bits");
        }
        pipe_trace_free(t);
    }
}

static void flags_are_needed(const pto_program *program, pto_target target, int seed, counts *c) {
    int *group_of_flag, groups = pipe_groups(program, target, turns, TURNS, &group_of_flag);
    pipe_trace *t[TURNS];
    pipe_result wanted[TURNS];
    for (int k = 0; k < TURNS; k++) {
        t[k] = pipe_trace_make(program, target, turns[k]);
        wanted[k] = pipe_program_order(t[k]);
    }
    for (int g = 0; g < groups; g++) {
        bool differs = false;
        for (int i = 0; i < ORDERS && !differs; i++) {
            int k = i % 2 ? i / 2 % TURNS : 0; /* mostly where loops turn */
            pipe_result r = pipe_random_order(t[k], (uint64_t)(seed * 977 + i), g, group_of_flag);
            differs = r.hash != wanted[k].hash || r.misused;
        }
        c->flags++;
        c->needed += differs;
        if (!differs && getenv("PTO_SYNC_SHOW")) {
            printf("program %d: not needed are the flags and barriers", seed);
            for (int i = 0; i < 10000 && group_of_flag[i] >= -1; i++)
                if (group_of_flag[i] == g)
                    printf(" %d", i);
            printf("\n");
        }
    }
    for (int k = 0; k < TURNS; k++)
        pipe_trace_free(t[k]);
    free(group_of_flag);
}

static void checkers_are_silent(pto_program *program, pto_target target, const char *text) {
    static float x[RANDOM_PROGRAM_ELEMENTS], y[RANDOM_PROGRAM_ELEMENTS], w[RANDOM_PROGRAM_ELEMENTS];
    static uint16_t h[RANDOM_PROGRAM_ELEMENTS];
    for (int k = 0; k < TURNS; k++) {
        size_t findings = 0;
        pto_argument arguments[] = {{.data = x, .bytes = sizeof x},
                                    {.data = y, .bytes = sizeof y},
                                    {.data = h, .bytes = sizeof h},
                                    {.data = w, .bytes = sizeof w},
                                    {.i = turns[k]}};
        pto_run_options options = {.target = target,
                                   .has_target = true,
                                   .checks = PTO_CHECK_RACE | PTO_CHECK_SYNC,
                                   .findings = &findings};
        pto_diag_list *diags = pto_diag_list_create();
        if (pto_program_run(program, arguments, 5, &options, diags) != PTO_OK || findings) {
            printf("%s", text);
            fail_msg("%s", diag_text(diags));
        }
        pto_diag_list_destroy(diags);
    }
}

static void random_programs(void **state) {
    (void)state;
    counts c = {0};
    int wanted = programs_wanted(), from = getenv("PTO_SYNC_SEED") ? atoi(getenv("PTO_SYNC_SEED")) : 0;
    for (int seed = from; seed < from + wanted; seed++) {
        random_program_options options = {
            .seed = (uint64_t)seed, .addresses = seed / 2 % 2, .vector_only = seed % 5 == 4};
        pto_target target = seed % 2 ? PTO_TARGET_A5 : PTO_TARGET_A2A3;
        char *text = random_program(&options);
        pto_program *program = prepare(text, target);
        text_buffer printed = {0};
        assert_int_equal(pto_program_print(program, PTO_DIALECT_LEVEL2, collect_text, &printed, NULL),
                         PTO_OK);
        c.everything += strstr(printed.data, "PIPE_ALL") != NULL;
        passes_keep_rules(program, text, target);
        all_orders_agree(program, target, printed.data, seed, &c);
        flags_are_needed(program, target, seed, &c);
        if (seed % 4 < 2)
            checkers_are_silent(program, target, printed.data);
        c.programs++;
        pto_program_destroy(program);
        free(printed.data);
        free(text);
    }
    printf(
        "%d programs, %d orders: all agree; %d of %d flags and barriers needed (%.1f %%); %d with PIPE_ALL\n",
        c.programs, c.orders, c.needed, c.flags, 100.0 * c.needed / (c.flags ? c.flags : 1), c.everything);
    assert_true(c.needed * 10 >= c.flags * 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
