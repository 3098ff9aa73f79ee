/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule has an example in src/isa/examples, or says why it has none; every example that is a program
 * breaks that rule and no other. Command lines: tests/cli/rule_examples.sh. */
#include "isa/legality.h"
#include <pto/program.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static bool is(const pto_rule_example *example, const char *kind) { return !strcmp(example->kind, kind); }

static void test_every_rule_has_an_example(void **state) {
    (void)state;
    int missing = 0;
    for (size_t i = 0; i < pto_rule_count(); i++) {
        const char *id = pto_rule_at(i)->id;
        const pto_rule_example *example = pto_rule_example_find(id);
        if (!example || strlen(example->text) < 5) {
            print_error("%s %s: no example\n", id, pto_rule_at(i)->name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static void test_no_example_is_stale(void **state) {
    (void)state;
    for (size_t i = 0; i < pto_rule_example_count; i++) {
        const char *id = pto_rule_examples[i].id;
        if (!pto_rule_find(id))
            fail_msg("an example of %s, which is no rule", id);
        if (pto_rule_example_find(id) != &pto_rule_examples[i])
            fail_msg("two examples of %s", id);
    }
}

/* Parses and checks, or runs, as the command does with the options of the kind. */
static void refuse(const pto_rule_example *example, pto_target target, pto_diag_list *diags) {
    pto_parse_options parse = {.target = target, .has_target = true};
    pto_program *program =
        pto_program_parse("example.pto", example->text, strlen(example->text), &parse, diags);
    if (program && !pto_diag_count(diags, PTO_ERROR)) {
        pto_verify_options verify = {.target = target,
                                     .has_target = true,
                                     .strict = is(example, "strict"),
                                     .ptoas = is(example, "ptoas") ? PTO_PTOAS_ONLY : PTO_PTOAS_OFF};
        pto_run_options run = {.target = target,
                               .has_target = true,
                               .checks = is(example, "watch") ? PTO_CHECK_ALL : 0,
                               .blocks = is(example, "watch") ? 2 : 1};
        if (is(example, "run") || is(example, "watch"))
            pto_program_run(program, NULL, 0, &run, diags);
        else if (is(example, "deep"))
            pto_program_check_deep(program, &(pto_deep_options){.target = target, .has_target = true}, NULL,
                                   diags);
        else
            pto_program_check(program, &verify, diags);
    }
    pto_program_destroy(program);
}

static void test_every_program_breaks_its_rule(void **state) {
    (void)state;
    int wrong = 0, programs = 0;
    for (size_t i = 0; i < pto_rule_example_count; i++) {
        const pto_rule_example *example = &pto_rule_examples[i];
        pto_target target;
        if (is(example, "shell") || is(example, "none"))
            continue;
        programs++;
        assert_true(pto_target_from_name(example->target, &target));
        pto_diag_list *diags = pto_diag_list_create();
        refuse(example, target, diags);
        bool others = false, warning = !strncmp(example->id, "PTO-W", 5);
        for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
            others |= d->severity == PTO_ERROR &&
                      (warning || !d->rule ||
                       (strcmp(d->rule, example->id) != 0 && !strstr(example->also, d->rule)));
        if (others || !pto_diag_has(diags, example->id)) {
            char text[2048];
            pto_diag_render_buffer(diags, NULL, text, sizeof text);
            print_error("%s is not what refuses:\n%s%s\n", example->id, example->text, text);
            wrong++;
        }
        pto_diag_list_destroy(diags);
    }
    printf("%d programs\n", programs);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rule_has_an_example),
        cmocka_unit_test(test_no_example_is_stale),
        cmocka_unit_test(test_every_program_breaks_its_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
