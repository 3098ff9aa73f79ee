/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a program, and building operations, blocks and regions. */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#define BYTE_LIMIT_DEFAULT ((size_t)1 << 30)

pto_program *pto_program_create(size_t byte_limit) {
    pto_arena *arena = malloc(sizeof *arena);
    if (!arena)
        return NULL;
    pto_arena_init(arena, byte_limit ? byte_limit : BYTE_LIMIT_DEFAULT);
    pto_program *program = pto_arena_new(arena, pto_program);
    if (program) {
        program->arena = arena;
        program->dialect = PTO_DIALECT_LEVEL2;
        pto_map_init(&program->type_table, arena);
        program->module = pto_operation_create(program, PTO_OPK_MODULE, 0, 0);
        pto_region *region = program->module ? pto_operation_add_region(program, program->module) : NULL;
        if (region && pto_region_add_block(program, region))
            return program;
    }
    pto_arena_free(arena);
    free(arena);
    return NULL;
}

void pto_program_destroy(pto_program *program) {
    if (!program)
        return;
    if (program->kept)
        program->release_kept(program->kept);
    if (program->source)
        pto_source_release(program->source);
    /* The program itself lies in its arena. */
    pto_arena *arena = program->arena;
    pto_arena_free(arena);
    free(arena);
}

bool pto_program_set_source(pto_program *program, const char *name, const char *text, size_t len) {
    pto_source *source = pto_arena_new(program->arena, pto_source);
    char *own_name = pto_arena_strdup(program->arena, pto_str_from(name));
    char *own_text = pto_arena_strdup(program->arena, (pto_str){text, len});
    if (!source || !own_name || !own_text)
        return false;
    pto_source_init(source, own_name, own_text, len);
    program->source = source;
    return true;
}

pto_str pto_program_copy(pto_program *program, pto_str text) {
    if (text.len == 0)
        return (pto_str){NULL, 0};
    char *copy = pto_arena_strdup(program->arena, text);
    return (pto_str){copy, copy ? text.len : 0};
}

pto_dialect pto_program_dialect(const pto_program *program) { return program->dialect; }

static const char *const dialect_names[] = {"pto-as", "level1", "level2", "generic"};

const char *pto_dialect_name(pto_dialect dialect) {
    return (unsigned)dialect < sizeof dialect_names / sizeof *dialect_names ? dialect_names[dialect]
                                                                            : "unknown";
}

bool pto_dialect_from_name(const char *name, pto_dialect *dialect) {
    pto_str text = pto_str_from(name);
    for (unsigned i = 0; i < sizeof dialect_names / sizeof *dialect_names; i++)
        if (pto_str_equal_ignore_case(text, pto_str_from(dialect_names[i]))) {
            *dialect = (pto_dialect)i;
            return true;
        }
    /* Level 3 is level 2 with addresses. */
    if (pto_str_equal_ignore_case(text, PTO_STR("level3"))) {
        *dialect = PTO_DIALECT_LEVEL2;
        return true;
    }
    if (pto_str_equal_ignore_case(text, PTO_STR("as"))) {
        *dialect = PTO_DIALECT_AS;
        return true;
    }
    return false;
}

/* ---- operations ---------------------------------------------------------------------------- */

pto_operation *pto_operation_create(pto_program *program, pto_op_kind kind, uint32_t operands,
                                    uint32_t results) {
    pto_operation *op = pto_arena_new(program->arena, pto_operation);
    program->verified.holds = false;
    if (!op)
        return NULL;
    op->kind = kind;
    op->result_count = results;
    if (results)
        op->result = pto_arena_new_array(program->arena, pto_value *, results);
    if (operands)
        pto_operation_resize(program, op, operands);
    if ((results && !op->result) || (operands && !op->operand))
        return NULL;
    return op;
}

void pto_operation_resize(pto_program *program, pto_operation *op, uint32_t operands) {
    program->verified.holds = false;
    if (operands > op->operand_count) {
        op->operand = pto_arena_grow(program->arena, op->operand, op->operand_count * sizeof *op->operand,
                                     operands * sizeof *op->operand);
        op->operand_span =
            pto_arena_grow(program->arena, op->operand_span, op->operand_count * sizeof *op->operand_span,
                           operands * sizeof *op->operand_span);
        if (!op->operand || !op->operand_span) {
            op->operand_count = 0;
            return;
        }
    }
    op->operand_count = operands;
}

pto_value *pto_operation_set_result(pto_program *program, pto_operation *op, uint32_t i, const pto_type *type,
                                    pto_str name) {
    pto_value *value = pto_arena_new(program->arena, pto_value);
    if (!value)
        return NULL;
    value->type = type;
    value->name = name;
    value->def = op;
    value->index = i;
    op->result[i] = value;
    return value;
}

pto_region *pto_operation_add_region(pto_program *program, pto_operation *op) {
    pto_region *region = pto_arena_new(program->arena, pto_region);
    pto_region **grown = pto_arena_grow(program->arena, op->region, op->region_count * sizeof *op->region,
                                        (op->region_count + (size_t)1) * sizeof *op->region);
    if (!region || !grown)
        return NULL;
    region->parent = op;
    op->region = grown;
    op->region[op->region_count++] = region;
    return region;
}

pto_block *pto_region_add_block(pto_program *program, pto_region *region) {
    pto_block *block = pto_arena_new(program->arena, pto_block);
    if (!block)
        return NULL;
    block->parent = region;
    if (region->last)
        region->last->next = block;
    else
        region->first = block;
    region->last = block;
    return block;
}

pto_value *pto_block_add_arg(pto_program *program, pto_block *block, const pto_type *type, pto_str name) {
    pto_value *value = pto_arena_new(program->arena, pto_value);
    /* Grown by doubling at powers of two: programs may have very many arguments. */
    if ((block->arg_count & (block->arg_count - 1)) == 0)
        block->arg =
            pto_arena_grow(program->arena, block->arg, block->arg_count * sizeof *block->arg,
                           (block->arg_count ? (size_t)block->arg_count * 2 : 1) * sizeof *block->arg);
    if (!value || !block->arg)
        return NULL;
    value->type = type;
    value->name = name;
    value->block = block;
    value->index = block->arg_count;
    block->arg[block->arg_count++] = value;
    return value;
}

void pto_block_append(pto_block *block, pto_operation *op) {
    op->parent = block;
    op->prev = block->last;
    op->next = NULL;
    if (block->last)
        block->last->next = op;
    else
        block->first = op;
    block->last = op;
}

void pto_block_insert_before(pto_operation *anchor, pto_operation *op) {
    op->parent = anchor->parent;
    op->next = anchor;
    op->prev = anchor->prev;
    if (anchor->prev)
        anchor->prev->next = op;
    else
        anchor->parent->first = op;
    anchor->prev = op;
}

void pto_block_remove(pto_operation *op) {
    if (op->prev)
        op->prev->next = op->next;
    else
        op->parent->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        op->parent->last = op->prev;
    op->parent = NULL;
    op->prev = op->next = NULL;
}

static uint32_t find_attr(const pto_operation *op, pto_str name) {
    uint32_t i = 0;
    while (i < op->attr_count && !pto_str_equal(op->attr[i].name, name))
        i++;
    return i;
}

void pto_operation_set_attr(pto_program *program, pto_operation *op, pto_str name, const pto_attr *value) {
    uint32_t i = find_attr(op, name);
    if (i == op->attr_count) {
        if ((i & (i - 1)) == 0) {
            pto_named_attr *grown = pto_arena_grow(program->arena, op->attr, i * sizeof *op->attr,
                                                   (i ? (size_t)i * 2 : 1) * sizeof *op->attr);
            if (!grown)
                return;
            op->attr = grown;
        }
        op->attr[op->attr_count++].name = name;
    }
    op->attr[i].value = value;
}

void pto_operation_remove_attr(pto_operation *op, const char *name) {
    uint32_t i = find_attr(op, pto_str_from(name));
    if (i == op->attr_count)
        return;
    /* The capacity is known from the count alone, so the tail moves down but the count may not cross a power
     * of two from above without a new array: set_attr then grows once too often, which is harmless. */
    memmove(&op->attr[i], &op->attr[i + 1], (op->attr_count - i - 1) * sizeof *op->attr);
    op->attr_count--;
}

const pto_attr *pto_operation_attr(const pto_operation *op, const char *name) {
    uint32_t i = find_attr(op, pto_str_from(name));
    return i < op->attr_count ? op->attr[i].value : NULL;
}

/* ---- functions ----------------------------------------------------------------------------- */

/* The next function at or behind `op` in the order of the text, modules entered. */
static pto_operation *function_from(pto_operation *op, const pto_operation *top) {
    while (op) {
        if (op->kind == PTO_OPK_FUNC)
            return op;
        if (op->kind == PTO_OPK_MODULE && op->region_count && op->region[0]->first &&
            op->region[0]->first->first) {
            op = op->region[0]->first->first;
            continue;
        }
        while (!op->next) {
            op = op->parent ? op->parent->parent->parent : NULL;
            if (!op || op == top || op->kind != PTO_OPK_MODULE)
                return NULL;
        }
        op = op->next;
    }
    return NULL;
}

pto_operation *pto_program_first_function(const pto_program *program) {
    const pto_region *body = program->module->region_count ? program->module->region[0] : NULL;
    return body && body->first ? function_from(body->first->first, program->module) : NULL;
}

pto_operation *pto_program_next_function(const pto_operation *function) {
    const pto_operation *op = function;
    while (!op->next) {
        op = op->parent ? op->parent->parent->parent : NULL;
        if (!op || op->kind != PTO_OPK_MODULE)
            return NULL;
    }
    return function_from(op->next, NULL);
}

pto_str pto_function_name(const pto_operation *function) {
    const pto_attr *name = pto_operation_attr(function, "sym_name");
    return name ? name->text : (pto_str){NULL, 0};
}

pto_block *pto_function_body(const pto_operation *function) {
    return function->region_count ? function->region[0]->first : NULL;
}

static bool is_marked(const pto_operation *function) {
    return pto_operation_attr(function, "pto.entry") || pto_operation_attr(function, "hacc.entry");
}

bool pto_function_is_entry(const pto_program *program, const pto_operation *function) {
    unsigned definitions = 0;
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        definitions += pto_function_body(f) != NULL;
    return pto_function_body(function) && (definitions == 1 || is_marked(function));
}

static pto_where where_of(const pto_program *program, const pto_operation *op) {
    return program->source ? pto_at(program->source, op->name_span.begin, op->name_span.end) : pto_nowhere();
}

pto_operation *pto_program_entry(const pto_program *program, const char *name, pto_diag_list *diags) {
    pto_operation *only = NULL, *marked = NULL;
    unsigned definitions = 0, marks = 0;
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f)) {
        if (name) {
            if (!pto_str_equal(pto_function_name(f), pto_str_from(name)))
                continue;
            if (pto_function_body(f))
                return f;
            pto_diag_add(diags, PTO_ERROR, "PTO-E0429", where_of(program, f), "function @%s is only declared",
                         name);
            return NULL;
        }
        if (!pto_function_body(f))
            continue;
        only = f;
        definitions++;
        if (is_marked(f)) {
            marked = f;
            marks++;
        }
    }
    if (!name && definitions == 1)
        return only;
    if (!name && marks == 1)
        return marked;
    if (name)
        pto_diag_add(diags, PTO_ERROR, "PTO-E0429", pto_nowhere(), "the program has no function @%s", name);
    else if (definitions == 0)
        pto_diag_add(diags, PTO_ERROR, "PTO-E0429", pto_nowhere(), "the program defines no function");
    else if (marks == 0)
        pto_diag_add(diags, PTO_ERROR, "PTO-E0429", where_of(program, only),
                     "none of %u functions is marked as the entry", definitions);
    else
        pto_diag_add(diags, PTO_ERROR, "PTO-E0429", where_of(program, marked),
                     "%u functions are marked as entries: name one", marks);
    pto_diag_fix(diags, "mark one function with attributes {pto.entry}, or name the entry");
    return NULL;
}

bool pto_program_target(const pto_program *program, pto_target *target) {
    const pto_attr *arch = pto_operation_attr(program->module, "pto.target_arch");
    if (!arch || arch->kind != PTO_AV_STRING || arch->text.len > 15)
        return false;
    char name[16] = {0};
    memcpy(name, arch->text.data, arch->text.len);
    return pto_target_from_name(name, target);
}
