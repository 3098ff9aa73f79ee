/* SPDX-License-Identifier: Apache-2.0 */
/* A program as C++ over <pto/pto-inst.hpp> (60, 6): verified, placed as a run places
 * it, and written function by function, callees first. */
#include "emit/emit.h"
#include "emit/blocks.h"

#include "base/sink.h"

#include <string.h>

/* Lists of places and calls by what they belong to. */
static void index_records(pto_emitter *e) {
    const pto_code *code = e->code;
    e->place_of = (pto_value_map){.arena = e->arena};
    e->call_of = (pto_value_map){.arena = e->arena};
    e->next_place = pto_arena_array(e->arena, (size_t)code->place_count + 1, sizeof *e->next_place);
    e->next_call = pto_arena_array(e->arena, (size_t)code->call_count + 1, sizeof *e->next_call);
    for (int32_t i = 0; i < code->place_count; i++) {
        const int64_t *before = pto_value_map_find(&e->place_of, code->place[i].key);
        e->next_place[i] = before ? (int32_t)*before : -1;
        pto_value_map_set(&e->place_of, code->place[i].key, i);
    }
    for (int32_t i = 0; i < code->call_count; i++) {
        const int64_t *before = pto_value_map_find(&e->call_of, code->call[i].call);
        e->next_call[i] = before ? (int32_t)*before : -1;
        pto_value_map_set(&e->call_of, code->call[i].call, i);
    }
}

typedef struct call_search {
    const pto_program *program;
    pto_value_map called;
} call_search;
static void note_call(void *user, const pto_operation *op) {
    call_search *s = user;
    const pto_operation *callee = op->kind == PTO_OPK_CALL ? pto_fact_callee(s->program, op) : NULL;
    if (callee)
        pto_value_map_set(&s->called, callee, 1);
}

/* All entries, lowered: where their tiles are, and which flags they need. */
typedef struct roots {
    size_t count;
    const pto_operation **function;
    pto_code *code;
    const pto_code **each;
    pto_sync_plan plan;
    bool planned;
} roots;

static void release(roots *r) {
    for (size_t i = 0; i < r->count; i++)
        pto_code_release(&r->code[i]);
    if (r->planned)
        pto_sync_release(&r->plan);
}

static pto_status lower_roots(pto_emitter *e, roots *r) {
    size_t functions = 0;
    call_search search = {.program = e->program, .called = {.arena = e->arena}};
    pto_fact_walk(e->program->module, note_call, &search);
    for (const pto_operation *f = pto_program_first_function(e->program); f; f = pto_program_next_function(f))
        functions++;
    r->function = pto_arena_array(e->arena, functions + 1, sizeof *r->function);
    r->code = pto_arena_array(e->arena, functions + 1, sizeof *r->code);
    r->each = pto_arena_array(e->arena, functions + 1, sizeof *r->each);
    for (const pto_operation *f = pto_program_first_function(e->program); f;
         f = pto_program_next_function(f)) {
        /* an entry, or what nothing calls */
        if (!pto_function_body(f) ||
            (pto_value_map_find(&search.called, f) && !pto_function_is_entry(e->program, f)))
            continue;
        r->function[r->count] = f;
        r->each[r->count] = &r->code[r->count];
        pto_status status = pto_lower_recorded(&r->code[r->count++], e->program, f, e->target, e->diags);
        if (status != PTO_OK)
            return status;
    }
    if (e->target == PTO_TARGET_CPU || !r->count || !pto_sync_is_automatic(e->program))
        return PTO_OK;
    r->planned = true;
    return pto_sync_make(&r->plan, r->each, r->count);
}

/* extern AICORE void f(__gm__ float *, int32_t); */
static void write_declaration(pto_emitter *e, const pto_operation *op) {
    const pto_attr *attr = pto_operation_attr(op, "function_type");
    const pto_type *type = attr ? attr->type : NULL;
    if (!type || type->kind != PTO_TYPE_FUNCTION || type->result_count > 1) {
        e->current = op;
        pto_emit_refuse(e, "a declaration with several results");
        return;
    }
    const char *list = "";
    e->current = op;
    for (uint32_t i = 0; i < type->input_count; i++)
        list = pto_arena_printf(e->arena, "%s%s%s", list, i ? ", " : "",
                                pto_emit_scalar_type(e, type->inputs[i]));
    pto_emit_finished done = {.op = op,
                              .name = pto_emit_function_name(e, op),
                              .kind = "extern AICORE",
                              .head = pto_arena_printf(e->arena, "(%s)", list),
                              .body = ";\n",
                              .result =
                                  type->result_count ? pto_emit_scalar_type(e, type->results[0]) : "void"};
    pto_vec_push(e->arena, &e->functions, done);
}

static const char *build_flag(pto_target target) {
    return target == PTO_TARGET_A2A3 ? "-D__NPU_ARCH__=2201"
           : target == PTO_TARGET_A5 ? "-D__NPU_ARCH__=3510"
                                     : "none";
}

static void write_module(pto_emitter *e, pto_sink *sink) {
    pto_sink_printf(sink, "// Written by pto emit. Target %s, build flag: %s\n", pto_target_name(e->target),
                    build_flag(e->target));
    pto_sink_text(sink, "#include <pto/pto-inst.hpp>\n");
    if (e->helpers)
        pto_sink_text(sink,
                      "#include <cmath>\n#include <cstring>\n#include <limits>\n#include <type_traits>\n");
    if (e->needs_tuple)
        pto_sink_text(sink, "#include <tuple>\n");
    pto_sink_text(sink, "using namespace pto;\n");
    for (int h = 0; h < PTO_HELPER_COUNT; h++)
        if (e->helpers & 1u << h) {
            pto_sink_text(sink, "\n");
            pto_sink_text(sink, pto_emit_helper_text((pto_emit_helper)h));
        }
    for (size_t i = 0; i < e->functions.count; i++) {
        const pto_emit_finished *f = &e->functions.data[i];
        const char *const parts[] = {"\n",    f->kind, " ", pto_emit_declare(e, f->result, f->name),
                                     f->head, f->body};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            pto_sink_text(sink, parts[k]);
    }
}

/* Apart from its caller, which holds the jump buffer. */
static pto_status write_all(pto_emitter *e, roots *r, pto_write_fn write, void *context) {
    for (const pto_operation *f = pto_program_first_function(e->program); f; f = pto_program_next_function(f))
        if (!pto_function_body(f))
            write_declaration(e, f);
    pto_status status = e->failed ? PTO_ERR_REFUSED : lower_roots(e, r);
    if (status != PTO_OK)
        return status;
    e->plan = r->planned ? &r->plan : NULL;
    for (size_t i = 0; i < r->count && !e->failed; i++) {
        e->code = &r->code[i];
        index_records(e);
        pto_emit_write_function(e, r->function[i], 0, NULL, NULL);
    }
    if (e->failed)
        return PTO_ERR_REFUSED;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    write_module(e, &sink);
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}

static pto_status emit_guarded(pto_emitter *e, roots *r, pto_write_fn write, void *context) {
    jmp_buf failure;
    if (setjmp(failure))
        return e->arena->failure;
    e->arena->on_failure = &failure;
    return write_all(e, r, write, context);
}

pto_status pto_program_emit(pto_program *program, pto_language language, const pto_verify_options *options,
                            pto_write_fn write, void *context, pto_diag_list *diags) {
    if (!program || (language != PTO_LANGUAGE_CPP && language != PTO_LANGUAGE_BLOCK) || !write)
        return PTO_ERR_USAGE;
    pto_status status = pto_program_verify(program, options, diags);
    if (status != PTO_OK)
        return status;
    if (language == PTO_LANGUAGE_BLOCK)
        return pto_emit_tile_blocks(program, write, context, diags);
    pto_arena arena;
    pto_arena_init(&arena, 0);
    pto_emitter e = {.program = program,
                     .target = pto_fact_target(program, options && options->has_target,
                                               options ? options->target : PTO_TARGET_CPU),
                     .arena = &arena,
                     .diags = diags,
                     .at = {.arena = &arena}};
    roots r = {0};
    status = emit_guarded(&e, &r, write, context);
    release(&r);
    pto_arena_free(&arena);
    return status;
}
