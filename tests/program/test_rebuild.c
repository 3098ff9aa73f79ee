/* SPDX-License-Identifier: Apache-2.0 */
/* What the parser can hold, the builder can build: the level-2 programs of the corpus are built again,
 * operation by operation, through <pto/builder.h>, and are the same. Types and uncommon attributes are copied
 * from the parsed program; what has no call of the builder is listed, with the number of programs that use
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/blocks.h"
#include "program/builder.h"
#include "program/value_map.h"
#include "support/corpus.h"
#include "support/program_testing.h"
#include "text/convert.h"

enum { MOST = 512 };

/* What has no call of the builder. The list is exact: a line that is no longer needed fails too. */
static const struct {
    const char *file, *what;
} without_call[] = {
    {"constants.pto", "arith.constant dense<>, or a float by its bits"},
    {"merge_lists.pto", "arith.constant dense<>, or a float by its bits"},
    {"corners_calls.pto", "a call of a function that stands behind it"},
    {"corners_memref.pto", "memref with lists"},
    {"lowered_memrefs.pto", "memref with lists"},
    {"nested_modules.pto", "a module in the module"},
};
enum { WITHOUT_CALL = sizeof without_call / sizeof *without_call };
static bool seen[WITHOUT_CALL];

typedef struct rebuilding {
    pto_builder *b;
    pto_converter copy;  /* of types and attributes */
    const char *missing; /* the first operation that the builder has no call for */
} rebuilding;

static struct { int programs, same, operations, missing; } tally;

static const pto_type *type(rebuilding *r, const pto_type *from) { return pto_convert_type(&r->copy, from); }

static pto_value *use(const rebuilding *r, const pto_value *value) {
    return pto_convert_value(&r->copy, value);
}

static void made(rebuilding *r, const pto_value *old, pto_value *value) {
    if (value)
        pto_convert_map(&r->copy, old, value);
}

/* The values of operands [first, first + count). */
static pto_value *const *uses(const rebuilding *r, const pto_operation *op, uint32_t first, uint32_t count,
                              pto_value **list) {
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++)
        list[i] = use(r, op->operand[first + i]);
    return list;
}

static const pto_type *const *types(rebuilding *r, pto_value *const *values, uint32_t count,
                                    const pto_type **list) {
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++)
        list[i] = type(r, values[i]->type);
    return list;
}

static void made_all(rebuilding *r, pto_value *const *old, uint32_t count, pto_value *const *values) {
    for (uint32_t i = 0; i < count && pto_builder_status(r->b) == PTO_OK; i++)
        made(r, old[i], values[i]);
}

static void operation(rebuilding *r, const pto_operation *op);

static void one_block(rebuilding *r, const pto_block *block) {
    for (const pto_operation *op = block->first; op && !r->missing; op = op->next)
        operation(r, op);
}

/* The terminator is the next call's. */
static const pto_operation *body(rebuilding *r, const pto_block *block) {
    for (const pto_operation *op = block->first; op && op != block->last && !r->missing; op = op->next)
        operation(r, op);
    return block->last;
}

/* All blocks of the open region; the first is there. */
static void region(rebuilding *r, const pto_region *from) {
    pto_block *blocks[MOST];
    uint32_t count = 0;
    for (const pto_block *b = from->first->next; b; b = b->next) {
        const pto_type *list[MOST];
        pto_value *arguments[MOST];
        assert_true(count < MOST);
        blocks[count++] =
            pto_build_block(r->b, types(r, b->arg, b->arg_count, list), b->arg_count, arguments);
        made_all(r, b->arg, b->arg_count, arguments);
    }
    /* definitions before uses */
    const pto_block_tree *tree = pto_block_tree_make(r->copy.arena, from);
    for (uint32_t i = 0; i < tree->count && !r->missing; i++) {
        uint32_t n = 0;
        for (const pto_block *b = from->first; b != tree->order[i]; b = b->next)
            n++;
        if (n)
            pto_build_enter_block(r->b, blocks[n - 1]);
        one_block(r, tree->order[i]);
    }
}

static pto_block *block_like(const rebuilding *r, const pto_block *old) {
    pto_block *block = pto_vec_last(&r->b->open).block->parent->first;
    for (const pto_block *b = old->parent->first; b != old; b = b->next)
        block = block->next;
    return block;
}

static pto_build_successor successor(const rebuilding *r, const pto_operation *op, uint32_t number,
                                     uint32_t from, uint32_t count, pto_value **list) {
    return (pto_build_successor){block_like(r, op->successor[number]), count, uses(r, op, from, count, list)};
}

static void branch(rebuilding *r, const pto_operation *op) {
    static pto_value *lists[MOST][16];
    pto_build_successor to[MOST];
    if (op->kind == PTO_OPK_CF_BR) {
        to[0] = successor(r, op, 0, 0, op->operand_count, lists[0]);
        pto_build_branch(r->b, &to[0]);
        return;
    }
    uint32_t at = 1;
    to[0] = successor(r, op, 0, at, op->segment[1], lists[0]);
    at += op->segment[1];
    if (op->kind == PTO_OPK_CF_COND_BR) {
        to[1] = successor(r, op, 1, at, op->segment[2], lists[1]);
        pto_build_cond_branch(r->b, use(r, op->operand[0]), &to[0], &to[1]);
        return;
    }
    const pto_attr *values = pto_operation_attr(op, "case_values"),
                   *sizes = pto_operation_attr(op, "case_operand_segments");
    for (uint32_t i = 0; i < sizes->count; i++) {
        to[i + 1] = successor(r, op, i + 1, at, (uint32_t)sizes->dense[i], lists[i + 1]);
        at += (uint32_t)sizes->dense[i];
    }
    pto_build_switch(r->b, use(r, op->operand[0]), &to[0], values->count, values->dense, &to[1]);
}

static void structured(rebuilding *r, const pto_operation *op) {
    pto_value *list[MOST], *results[MOST], *arguments[MOST];
    const pto_type *kinds[MOST];
    uint32_t count = op->result_count;
    const pto_block *first = op->region[0]->first;
    switch (op->kind) {
    case PTO_OPK_SCF_FOR: {
        pto_value *counter =
            pto_build_for(r->b, use(r, op->operand[0]), use(r, op->operand[1]), use(r, op->operand[2]), count,
                          uses(r, op, 3, count, list), arguments);
        made(r, first->arg[0], counter);
        made_all(r, first->arg + 1, count, arguments);
        const pto_operation *end = body(r, first);
        pto_build_end_for(r->b, count, uses(r, end, 0, count, list), results);
        break;
    }
    case PTO_OPK_SCF_IF: {
        pto_build_if(r->b, use(r, op->operand[0]), count, types(r, op->result, count, kinds));
        const pto_operation *end = body(r, first);
        if (op->region[1]->first) {
            pto_build_else(r->b, count, uses(r, end, 0, count, list));
            end = body(r, op->region[1]->first);
        }
        pto_build_end_if(r->b, count, uses(r, end, 0, count, list), results);
        break;
    }
    case PTO_OPK_SCF_WHILE: {
        const pto_block *second = op->region[1]->first;
        pto_build_while(r->b, op->operand_count, uses(r, op, 0, op->operand_count, list), arguments);
        made_all(r, first->arg, first->arg_count, arguments);
        const pto_operation *end = body(r, first);
        pto_build_do(r->b, use(r, end->operand[0]), count, uses(r, end, 1, count, list), arguments);
        made_all(r, second->arg, second->arg_count, arguments);
        end = body(r, second);
        pto_build_end_while(r->b, end->operand_count, uses(r, end, 0, end->operand_count, list), results);
        break;
    }
    case PTO_OPK_SCF_INDEX_SWITCH: {
        const pto_attr *cases = pto_operation_attr(op, "cases");
        pto_build_index_switch(r->b, use(r, op->operand[0]), count, types(r, op->result, count, kinds));
        for (uint32_t i = 0; i < cases->count; i++) {
            pto_build_case(r->b, cases->dense[i]);
            one_block(r, op->region[i + 1]->first);
        }
        pto_build_default(r->b);
        one_block(r, first);
        pto_build_end_index_switch(r->b, results);
        break;
    }
    case PTO_OPK_SCF_EXECUTE_REGION:
        pto_build_execute_region(r->b, count, types(r, op->result, count, kinds));
        region(r, op->region[0]);
        pto_build_end_execute_region(r->b, results);
        break;
    default:
        pto_build_section(r->b, op->kind == PTO_OPK_SECTION_VECTOR);
        one_block(r, first);
        pto_build_end_section(r->b);
        break;
    }
    made_all(r, op->result, count, results);
}

static void constant(rebuilding *r, const pto_operation *op) {
    const pto_attr *attr = pto_operation_attr(op, "value");
    const pto_type *of = type(r, op->result[0]->type);
    if (of->kind == PTO_TYPE_FLOAT && attr->kind == PTO_AV_FLOAT)
        made(r, op->result[0], pto_build_float(r->b, of->dtype, attr->f));
    else if (pto_type_int_width(of) && (attr->kind == PTO_AV_INT || attr->kind == PTO_AV_BOOL))
        made(r, op->result[0], pto_build_int(r->b, of, attr->i));
    else
        r->missing = "arith.constant dense<>, or a float by its bits";
}

static void tile(rebuilding *r, const pto_operation *op) {
    pto_value *given[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at;
        if (pto_fact_segment(op, i, &at))
            given[i] = use(r, op->operand[at]);
    }
    made(r, op->result[0], pto_build_tile(r->b, &op->result[0]->type->tile, given[0], given[1], given[2]));
}

static void view(rebuilding *r, const pto_operation *op) {
    pto_value *first[MOST], *second[MOST];
    uint32_t a, b, rank = pto_fact_segment(op, 1, &a);
    pto_fact_segment(op, 2, &b);
    uses(r, op, a, rank, first);
    uses(r, op, b, rank, second);
    made(r, op->result[0],
         op->kind == PTO_OPK_MAKE_TENSOR_VIEW
             ? pto_build_tensor_view(r->b, use(r, op->operand[0]), (int)rank, first, second)
             : pto_build_partition(r->b, use(r, op->operand[0]), (int)rank, first, second));
}

static void other(rebuilding *r, const pto_operation *op) {
    pto_value *list[MOST], *results[MOST];
    const pto_type *kinds[MOST];
    pto_build_operation_results(r->b, pto_op_kind_name(op->kind), uses(r, op, 0, op->operand_count, list),
                                op->operand_count, types(r, op->result, op->result_count, kinds),
                                op->result_count, NULL, 0, results);
    made_all(r, op->result, op->result_count, results);
}

static void instruction(rebuilding *r, const pto_operation *op) {
    pto_value *list[MOST];
    if (!op->result_count) {
        pto_build_instr(r->b, (int)op->form, uses(r, op, 0, op->operand_count, list), op->operand_count, NULL,
                        0);
    } else {
        made(r, op->result[0],
             pto_build_instr_result(r->b, (int)op->form, uses(r, op, 0, op->operand_count, list),
                                    op->operand_count, NULL, 0, &op->result[0]->type->tile));
    }
}

static void call(rebuilding *r, const pto_operation *op) {
    pto_value *list[MOST], *results[MOST];
    pto_str name = pto_fact_symbol(op, "callee");
    char word[128];
    bool before = false;
    for (pto_operation *f = pto_program_first_function(r->b->program); f && !before;
         f = pto_program_next_function(f))
        before = pto_str_equal(pto_function_name(f), name);
    if (!before) {
        r->missing = "a call of a function that stands behind it";
        return;
    }
    snprintf(word, sizeof word, "%.*s", PTO_STR_ARG(name));
    pto_build_call_results(r->b, word, uses(r, op, 0, op->operand_count, list), op->operand_count, results);
    made_all(r, op->result, op->result_count, results);
}

/* All attributes as they are parsed: builders of some set the value in another spelling. */
static void attributes(rebuilding *r, const pto_operation *op, pto_operation *built) {
    if (pto_builder_status(r->b) == PTO_OK && !r->missing && built)
        for (uint32_t i = 0; i < op->attr_count; i++)
            pto_operation_set_attr(r->b->program, built, op->attr[i].name,
                                   pto_convert_attr(&r->copy, op->attr[i].value));
}

static void operation(rebuilding *r, const pto_operation *op) {
    pto_value *list[MOST];
    tally.operations++;
    const pto_block *into = pto_vec_last(&r->b->open).block;
    switch (op->kind) {
    case PTO_OPK_INSTR:
        instruction(r, op);
        break;
    case PTO_OPK_UNKNOWN:
    case PTO_OPK_FUNC:
    case PTO_OPK_MODULE:
        r->missing = "an operation that is not known";
        break;
    case PTO_OPK_RETURN:
        pto_build_return(r->b, uses(r, op, 0, op->operand_count, list), op->operand_count);
        break;
    case PTO_OPK_SCF_YIELD:
        pto_build_yield(r->b, op->operand_count, uses(r, op, 0, op->operand_count, list));
        break;
    case PTO_OPK_CALL:
        call(r, op);
        break;
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
        branch(r, op);
        break;
    case PTO_OPK_ARITH_CONSTANT:
        constant(r, op);
        break;
    case PTO_OPK_ALLOC_TILE:
        tile(r, op);
        break;
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
        view(r, op);
        break;
    case PTO_OPK_MEMREF_SUBVIEW:
    case PTO_OPK_MEMREF_REINTERPRET_CAST:
        r->missing = "memref with lists";
        break;
    default:
        if (op->region_count)
            structured(r, op);
        else
            other(r, op);
        break;
    }
    /* structured operations and their bodies have come behind each other */
    if (pto_builder_status(r->b) == PTO_OK && !r->missing && into == pto_vec_last(&r->b->open).block)
        attributes(r, op, into->last);
    /* a type may say more than the call derives: extents that only the text knows, a view's layout */
    if (pto_builder_status(r->b) == PTO_OK && !r->missing && op->result_count && into->last)
        for (uint32_t i = 0; i < op->result_count; i++)
            into->last->result[i]->type = type(r, op->result[i]->type);
}

static void function(rebuilding *r, const pto_operation *op) {
    const pto_type *of = type(r, pto_operation_attr(op, "function_type")->type);
    pto_build_param params[MOST] = {0};
    pto_value *values[MOST];
    char name[128];
    snprintf(name, sizeof name, "%.*s", PTO_STR_ARG(pto_function_name(op)));
    assert_true(of->input_count <= MOST);
    for (uint32_t i = 0; i < of->input_count; i++)
        params[i].type = of->inputs[i];
    const pto_block *first = pto_function_body(op);
    if (!first) {
        pto_build_declaration(r->b, name, params, of->input_count, of->results, of->result_count);
        attributes(r, op, r->b->last);
        return;
    }
    pto_build_function(r->b, name, false, params, of->input_count, values);
    made_all(r, first->arg, first->arg_count, values);
    if (of->result_count)
        pto_build_function_results(r->b, of->results, of->result_count);
    attributes(r, op, r->b->last);
    region(r, op->region[0]);
    if (!r->missing)
        pto_build_end_function(r->b);
}

static void rebuild(const char *path, const char *text, size_t len) {
    pto_diag_list *diags = pto_diag_list_create();
    const pto_parse_options options = {.keep_layouts = true};
    pto_program *parsed = pto_program_parse(path, text, len, &options, diags);
    bool usable = parsed && !pto_diag_count(diags, PTO_ERROR) &&
                  pto_program_dialect(parsed) == PTO_DIALECT_LEVEL2 &&
                  pto_program_verify(parsed, NULL, diags) == PTO_OK;
    pto_diag_list_clear(diags);
    if (usable) {
        tally.programs++;
        rebuilding r = {.b = pto_builder_create(diags)};
        r.copy = (pto_converter){.from = parsed, .to = r.b->program, .arena = r.b->program->arena};
        r.copy.values.arena = r.copy.arena;
        jmp_buf failure;
        if (setjmp(failure))
            fail_msg("%s: no memory", path);
        r.copy.arena->on_failure = &failure;
        attributes(&r, parsed->module, r.b->program->module);
        const pto_block *functions = parsed->module->region[0]->first;
        for (const pto_operation *op = functions ? functions->first : NULL; op && !r.missing; op = op->next) {
            if (op->kind == PTO_OPK_FUNC)
                function(&r, op);
            else
                r.missing = "a module in the module";
        }
        r.copy.arena->on_failure = NULL;
        if (r.missing) {
            tally.missing++;
            bool listed = false;
            for (int i = 0; i < WITHOUT_CALL && !listed; i++)
                if (!strcmp(without_call[i].file, strrchr(path, '/') + 1) &&
                    !strcmp(without_call[i].what, r.missing))
                    listed = seen[i] = true;
            if (!listed)
                fail_msg("%s: the builder has no call for %s", path, r.missing);
            pto_builder_destroy(r.b);
        } else {
            pto_program *built = pto_builder_finish(r.b);
            if (!built)
                fail_msg("%s: %s", path, diag_text(diags));
            if (!pto_program_equal(parsed, built)) {
                text_buffer a = {0};
                pto_program_print(built, PTO_DIALECT_GENERIC, collect_text, &a, NULL);
                fail_msg("%s: %s\n%s", path, "another program", a.data);
            }
            tally.same++;
            pto_program_destroy(built);
        }
    }
    pto_program_destroy(parsed);
    pto_diag_list_destroy(diags);
}

static void the_corpus_is_built_again(void **state) {
    (void)state;
    corpus_each(rebuild);
    print_message("%d programs, %d the same, %d that use what has no call; %d operations\n", tally.programs,
                  tally.same, tally.missing, tally.operations);
    assert_true(tally.same >= 141);
    for (int i = 0; i < WITHOUT_CALL; i++)
        if (!seen[i])
            fail_msg("%s does not need its line", without_call[i].file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_built_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
