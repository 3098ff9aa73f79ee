/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of the generated table, and a few rows compared with what their documents say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <ctype.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "isa/legality.h"
#include "kernel/table.h"
#include <pto/ops.h>

static void test_rows_are_complete(void **state) {
    (void)state;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        assert_true(form->operand_count > 0 && form->operand_count <= PTO_MAX_OPERANDS);
        assert_non_null(form->summary);
        assert_non_null(form->spec);
        assert_true(form->pipe_count > 0);
        assert_true(form->rule_count > 0);
        for (int r = 0; r < form->rule_count; r++) {
            assert_non_null(form->rules[r].check);
            /* every rule says in the table what it demands */
            if (!form->rules[r].text)
                fail_msg("rule %s of %s has no text", form->rules[r].name, form->mnemonic);
        }
        assert_int_equal(pto_op_table[form->op].mnemonic, form->mnemonic);
    }
}

static void test_every_kernel_exists_at_every_level(void **state) {
    (void)state;
    for (int level = PTO_SIMD_BASE; level <= PTO_SIMD_AVX512; level++) {
        const pto_kernel_table *table = pto_kernel_table_get((pto_simd_level)level);
        if (!table)
            continue; /* the machine or the build lacks the level */
        for (int k = 0; k < PTO_KERNEL_COUNT; k++)
            assert_non_null(table->fn[k]);
    }
    assert_non_null(pto_kernel_table_get(PTO_SIMD_BASE));
    assert_non_null(pto_kernel_table_get(PTO_SIMD_BEST));
}

static void test_text_patterns_name_every_operand(void **state) {
    (void)state;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        const pto_text_pattern *text = &form->text[PTO_TEXT_LEVEL2];
        assert_non_null(text->opcode);
        assert_memory_equal(text->opcode, "pto.", 4);
        bool seen[PTO_MAX_OPERANDS] = {false};
        for (int i = 0; i < PTO_MAX_RESULTS && text->result[i] >= 0; i++)
            seen[text->result[i]] = true;
        for (int i = 0; i < PTO_MAX_OPERANDS && text->operand[i] >= 0; i++)
            seen[text->operand[i]] = true;
        for (int i = 0; i < PTO_MAX_OPERANDS && text->attr[i] >= 0; i++)
            seen[text->attr[i]] = true;
        for (int i = 0; i < form->operand_count; i++)
            if (!seen[i])
                fail_msg("%s (%s): level 2 has no place for %s", form->mnemonic, form->form,
                         form->operand[i].name);
    }
}

static void test_opcodes_lead_back(void **state) {
    (void)state;
    for (int f = 0; f < PTO_FORM_COUNT; f++)
        for (int t = 0; t < PTO_TEXT_FORM_COUNT; t++) {
            const char *opcode = pto_form_get((pto_form)f)->text[t].opcode;
            if (!opcode)
                continue;
            int found = pto_form_find_opcode((pto_text_form)t, opcode, strlen(opcode));
            while (found >= 0 && found != f)
                found = pto_form_next_opcode((pto_text_form)t, found);
            assert_int_equal(found, f);
        }
    assert_int_equal(pto_form_find_opcode(PTO_TEXT_AS, "tad", 3), -1);
    assert_int_equal(pto_op_find("trelu", 5), PTO_OP_TRELU);
    assert_int_equal(pto_op_find("TRELU6", 6), PTO_OP_COUNT);
}

static void test_pipes(void **state) {
    (void)state;
    const pto_form_desc *mov = pto_form_get(PTO_FORM_TMOV);
    assert_int_equal(pto_form_pipe(mov, PTO_LOC_MAT, PTO_LOC_LEFT), PTO_PIPE_MTE1);
    assert_int_equal(pto_form_pipe(mov, PTO_LOC_ACC, PTO_LOC_MAT), PTO_PIPE_FIX);
    assert_int_equal(pto_form_pipe(mov, PTO_LOC_VEC, PTO_LOC_VEC), PTO_PIPE_V);
    assert_int_equal(pto_form_pipe(mov, PTO_LOC_VEC, PTO_LOC_MAT), PTO_PIPE_MTE3);
    assert_int_equal(pto_form_pipe(mov, PTO_LOC_MAT, PTO_LOC_SCALING), PTO_PIPE_FIX);
    const pto_form_desc *store = pto_form_get(PTO_FORM_TSTORE);
    assert_int_equal(pto_form_pipe(store, PTO_LOC_VEC, -1), PTO_PIPE_MTE3);
    assert_int_equal(pto_form_pipe(store, PTO_LOC_ACC, -1), PTO_PIPE_FIX);
    const pto_form_desc *expands = pto_form_get(PTO_FORM_TEXPANDS);
    assert_int_equal(pto_form_pipe(expands, -1, PTO_LOC_MAT), PTO_PIPE_MTE2);
    assert_int_equal(pto_form_pipe(expands, -1, PTO_LOC_VEC), PTO_PIPE_V);
    assert_int_equal(pto_form_pipe(pto_form_get(PTO_FORM_TMATMUL), PTO_LOC_LEFT, PTO_LOC_ACC), PTO_PIPE_M);
}

/* The founding four, as their documents print them. */
static void test_founding_spellings(void **state) {
    (void)state;
    static const struct {
        pto_form form;
        const char *as, *level2;
    } want[] = {
        {PTO_FORM_TADDDEQRELU, "%dst = tadddeqrelu %src0, %src1, %deqScale[, %tmp]",
         "pto.tadddeqrelu ins(%src0, %src1, %deqScale[, %tmp]) outs(%dst)"},
        {PTO_FORM_TMULADDDST, "%dst = tmuladddst %src0, %src1",
         "pto.tmuladddst ins(%src0, %src1) outs(%dst)"},
        {PTO_FORM_TRELU, "%dst = trelu %src", "pto.trelu ins(%src) outs(%dst)"},
        {PTO_FORM_TROWEXPANDEXPDIF, "%dst = trowexpandexpdif %src0, %src1",
         "pto.trowexpandexpdif ins(%src0, %src1[, %tmp]) outs(%dst)"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const pto_form_desc *form = pto_form_get(want[i].form);
        assert_string_equal(form->text[PTO_TEXT_AS].spelling, want[i].as);
        assert_string_equal(form->text[PTO_TEXT_LEVEL2].spelling, want[i].level2);
    }
}

static void test_catalogue(void **state) {
    (void)state;
    for (size_t i = 0; i < pto_rule_count(); i++) {
        const pto_rule_text *rule = pto_rule_at(i);
        assert_non_null(rule->title);
        assert_true(strlen(rule->text) > 10);
        assert_non_null(rule->spec);
        assert_ptr_equal(pto_rule_find(rule->id), rule); /* ids are unique */
        bool warning = !strncmp(rule->id, "PTO-W", 5);
        assert_true(warning || !strncmp(rule->id, "PTO-E", 5) || !strncmp(rule->id, "SA-035", 6));
        assert_int_equal(rule->severity != PTO_ERROR, warning); /* a remark is a weaker warning */
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(pto_rule_at(k)->name, rule->name);
    }
    assert_null(pto_rule_find("PTO-E9999"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_complete),
        cmocka_unit_test(test_every_kernel_exists_at_every_level),
        cmocka_unit_test(test_text_patterns_name_every_operand),
        cmocka_unit_test(test_opcodes_lead_back),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_founding_spellings),
        cmocka_unit_test(test_catalogue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
