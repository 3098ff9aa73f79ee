/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction has a reference page: a formula, an example that the door executes, the scratch where a
 * form takes scratch, its C calls, text forms, and rules with the ids of their refusals. */
#include "isa/isa.h"
#include "isa/legality.h"
#include "run/example.h"
#include <pto/isa.h>
#include <pto/ops.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

typedef struct page {
    char text[1 << 16];
    size_t length;
} page;

static bool take(void *context, const char *data, size_t len) {
    page *p = context;
    assert_true(p->length + len < sizeof p->text);
    memcpy(p->text + p->length, data, len);
    p->text[p->length += len] = 0;
    return true;
}

static bool has_scratch(const pto_op_desc *op) {
    for (int f = 0; f < op->form_count; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)(op->first_form + f));
        for (int i = 0; i < form->operand_count; i++)
            if (form->operand[i].role == PTO_ROLE_TMP)
                return true;
    }
    return false;
}

static void test_every_instruction_has_a_page(void **state) {
    (void)state;
    static page p;
    int missing = 0;
    for (int op = 0; op < PTO_OP_COUNT; op++) {
        const pto_op_desc *desc = &pto_op_table[op];
        p.length = 0;
        pto_status status = pto_isa_page(desc->mnemonic, take, &p);
        bool complete =
            status == PTO_OK && desc->formula && desc->examples && !desc->scratch == !has_scratch(desc);
        if (!complete) {
            print_error("%s: %s%s%s%s\n", desc->mnemonic, pto_status_name(status),
                        desc->formula ? "" : ", no formula", desc->examples ? "" : ", no example",
                        !desc->scratch == !has_scratch(desc)
                            ? ""
                            : ", scratch that no form has, or none that one has");
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static void test_a_page_names_what_the_table_has(void **state) {
    (void)state;
    static page p;
    for (int op = 0; op < PTO_OP_COUNT; op++) {
        const pto_op_desc *desc = &pto_op_table[op];
        p.length = 0;
        pto_isa_page(desc->mnemonic, take, &p);
        for (int f = 0; f < desc->form_count; f++) {
            const pto_form_desc *form = pto_form_get((pto_form)(desc->first_form + f));
            char call[64];
            snprintf(call, sizeof call, "%s(core", form->function);
            assert_non_null(strstr(p.text, call));
            for (int t = 0; t < PTO_TEXT_FORM_COUNT; t++)
                if (form->text[t].spelling)
                    assert_non_null(strstr(p.text, form->text[t].spelling));
            for (int r = 0; r < form->rule_count; r++)
                assert_non_null(strstr(p.text, form->rules[r].ids));
        }
    }
}

/* The ids that are read off the sources of the rules: every rule has some, and all of them have pages. */
static void test_rules_have_ids(void **state) {
    (void)state;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        for (int r = 0; r < form->rule_count; r++) {
            char ids[512], *rest;
            snprintf(ids, sizeof ids, "%s", form->rules[r].ids);
            if (!*ids)
                fail_msg("rule %s gives no id", form->rules[r].name);
            for (char *id = strtok_r(ids, " ", &rest); id; id = strtok_r(NULL, " ", &rest))
                if (!pto_rule_find(id))
                    fail_msg("rule %s gives %s, which has no page", form->rules[r].name, id);
        }
    }
}

static pto_status run_line(pto_op op, const char *line, page *p) {
    pto_sink sink;
    p->length = 0;
    pto_sink_init(&sink, take, p);
    pto_status status = pto_example_write(op, pto_str_from(line), &sink);
    pto_sink_flush(&sink);
    return status;
}

static void test_examples_are_computed(void **state) {
    (void)state;
    static page p;
    assert_int_equal(run_line(PTO_OP_TADD, "dst f32 1x2; src0 f32 1x2 = 1 2; src1 f32 1x2 = 40", &p), PTO_OK);
    assert_non_null(strstr(p.text, "TADD(dst, src0, src1)"));
    assert_non_null(strstr(p.text, "41 42\n"));
    assert_int_equal(run_line(PTO_OP_TADD, "on a5 dst s8 1x2; src0 s8 1x2 = 127; src1 s8 1x2 = 1", &p),
                     PTO_OK);
    assert_non_null(strstr(p.text, "-128 -128\n"));
    assert_int_equal(run_line(PTO_OP_TADD, "on a2a3 dst s8 1x2; src0 s8 1x2; src1 s8 1x2", &p),
                     PTO_ERR_REFUSED);
    assert_non_null(strstr(p.text, "PTO-E0302"));
    static const char *const malformed[] = {
        "",
        "dst",
        "dst f32",
        "dst f32 1y2",
        "dst f32 1x2; dst f32 1x2",
        "(no form) dst f32 1x2",
        "dst f33 1x2",
        "dst f32 1x2 of",
        "dst f32 1x2; src0 f32 1x2 = 1 x",
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        assert_int_not_equal(run_line(PTO_OP_TADD, malformed[i], &p), PTO_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_instruction_has_a_page),
        cmocka_unit_test(test_a_page_names_what_the_table_has),
        cmocka_unit_test(test_rules_have_ids),
        cmocka_unit_test(test_examples_are_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
