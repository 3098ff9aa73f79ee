/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program: verify, lower, one machine a thread, blocks by a counter, results and messages in an order
 * that does not depend on the threads. */
#include "run/findings.h"
#include "run/machine.h"
#include "run/outputs.h"
#include "run/program_words.h"

#include "pass/sync.h"
#include "program/facts.h"
#include "run/parallel.h"
#include "run/prepare.h"
#include "run/schedule.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text of a finished run that waits for its turn. */
typedef struct pending {
    struct pending *next;
    uint32_t block; /* number of the run */
    size_t len;
    char text[];
} pending;

typedef struct launch {
    const pto_program *program;
    const pto_code *code;
    const pto_run_options *options;
    pto_machine *machine;
    atomic_uint stop_above;
    uint32_t blocks, subblocks, runs;
    pto_diag_list *report; /* of the lowest failed block */
    pthread_mutex_t print_mutex;
    pending *waiting; /* by block number */
    uint32_t printed; /* blocks below have been printed */
    pto_findings *findings;
} launch;

/* ---- messages ------------------------------------------------------------------------------------ */

void pto_run_report_fault(const pto_machine *m, pto_diag_list *report) {
    const pto_operation *op = m->code->origin[m->fault];
    pto_source *source = m->code->program->source;
    const pto_where where = source && op ? pto_at(source, op->span.begin, op->span.end)
                            : source     ? pto_at(source, 0, 0)
                                         : pto_nowhere();
    pto_diag_list_clear(report);
    if (m->rule) {
        const pto_rule_text *text = pto_rule_find(m->rule);
        pto_diag_add(report, PTO_ERROR, m->rule, where, "%s", text ? text->title : "the run failed");
        pto_diag_found(report, "%s", m->found);
        if (m->allowed[0])
            pto_diag_allowed(report, "%s", m->allowed);
        if (text && text->fix)
            pto_diag_fix(report, "%s", text->fix);
    }
    for (const pto_diagnostic *d = pto_diag_first(pto_core_diags(m->core)); d; d = d->next)
        if (d->severity == PTO_ERROR)
            pto_machine_report(m, m->fault, d, report);
    if (pto_diag_count(report, PTO_ERROR) == 0) {
        pto_diag_add(report, PTO_ERROR, "PTO-E0910", where, "instruction failed");
        if (op && op->kind == PTO_OPK_INSTR)
            pto_diag_found(report, "%s", pto_form_get(op->form)->mnemonic);
    }
    if (m->blocks > 1)
        pto_diag_note(report, pto_nowhere(), "in block %lld of %lld", (long long)m->block,
                      (long long)m->blocks);
    if (m->subblocks > 1)
        pto_diag_note(report, pto_nowhere(), "on vector core %lld of the block", (long long)m->subblock);
}

/* The warnings of all machines in the order of blocks, whichever machine ran which block. */
static void append_warnings(pto_diag_list *diags, const pto_machine *machine, uint32_t count) {
    const pto_diagnostic **next = calloc(count, sizeof *next);
    uint32_t *taken = calloc(count, sizeof *taken);
    for (uint32_t i = 0; next && taken && i < count; i++)
        next[i] = pto_diag_first(machine[i].warnings);
    while (next && taken) {
        uint32_t first = count;
        for (uint32_t i = 0; i < count; i++)
            if (next[i] &&
                (first == count || machine[i].warned_in[taken[i]] < machine[first].warned_in[taken[first]]))
                first = i;
        if (first == count)
            break;
        pto_diag_copy(diags, next[first]);
        next[first] = next[first]->next;
        taken[first]++;
    }
    free(next);
    free(taken);
}

/* ---- printing ------------------------------------------------------------------------------------- */

/* The text of a block, even of one without any: the order needs every number. */
static void queue_text(launch *run, const pto_machine *m) {
    if (!run->options->print)
        return;
    pending *own = malloc(sizeof *own + m->text_len);
    if (!own)
        return; /* the text of this block and of those behind it is lost */
    own->block = (uint32_t)m->run;
    own->len = m->text_len;
    if (m->text_len)
        memcpy(own->text, m->text, m->text_len);
    pthread_mutex_lock(&run->print_mutex);
    pending **at = &run->waiting;
    while (*at && (*at)->block < own->block)
        at = &(*at)->next;
    own->next = *at;
    *at = own;
    while (run->waiting && run->waiting->block == run->printed) {
        pending *first = run->waiting;
        if (first->len)
            run->options->print(run->options->print_user, first->text, first->len);
        run->waiting = first->next;
        run->printed++;
        free(first);
    }
    pthread_mutex_unlock(&run->print_mutex);
}

static void drop_waiting(launch *run) {
    while (run->waiting) {
        pending *next = run->waiting->next;
        free(run->waiting);
        run->waiting = next;
    }
}

/* ---- callbacks of the parallel loop ------------------------------------------------------------------ */

static pto_status run_block(void *user, uint32_t worker, uint32_t block) {
    launch *run = user;
    pto_machine *m = &run->machine[worker];
    pto_status status = pto_machine_run(m, block);
    if (status == PTO_OK && m->checker && (run->options->checks & PTO_CHECK_RACE))
        pto_findings_block(run->findings, m->checker, 0);
    if (status != PTO_ERR_CANCELLED)
        queue_text(run, m);
    return status;
}

static void block_failed(void *user, uint32_t worker) {
    launch *run = user;
    pto_machine *m = &run->machine[worker];
    if (run->options->cancel && *run->options->cancel &&
        pto_diag_count(pto_core_diags(m->core), PTO_ERROR) == 0 && !m->rule)
        return;
    atomic_store(&run->stop_above, (unsigned)m->run);
    pto_run_report_fault(m, run->report);
}

static void block_done(void *user, uint32_t blocks_done) {
    launch *run = user;
    if (!run->options->progress)
        return;
    pto_run_progress progress = {.blocks_done = blocks_done, .blocks = run->runs};
    run->options->progress(run->options->progress_user, &progress);
}

/* ---- arguments ------------------------------------------------------------------------------------------
 */

static bool refuse_argument(const pto_program *program, pto_diag_list *diags, const pto_value *value,
                            const char *allowed, const char *found) {
    pto_where where = program->source && value ? pto_at(program->source, value->span.begin, value->span.end)
                                               : pto_nowhere();
    const pto_rule_text *text = pto_rule_find("PTO-E0907");
    pto_diag_add(diags, PTO_ERROR, "PTO-E0907", where, "%s%.*s: %s",
                 value && value->name.len ? "%" : "argument ",
                 PTO_STR_ARG(value ? value->name : (pto_str){0}), text ? text->title : "refused");
    pto_diag_found(diags, "%s", found);
    pto_diag_allowed(diags, "%s", allowed);
    return false;
}

static bool check_arguments(const pto_program *program, const pto_block *body, const pto_argument *arguments,
                            size_t count, pto_diag_list *diags) {
    char found[96], allowed[96];
    if (count != body->arg_count || (count && !arguments)) {
        snprintf(found, sizeof found, "%zu arguments", count);
        snprintf(allowed, sizeof allowed, "%u arguments", body->arg_count);
        return refuse_argument(program, diags, NULL, allowed, found);
    }
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const pto_type *type = body->arg[i]->type;
        pto_view_facts facts;
        bool tile = pto_type_is_tile(type), view = pto_fact_view(body->arg[i], &facts);
        if (!tile && !view && type->kind != PTO_TYPE_PTR)
            continue;
        if (view && type->kind == PTO_TYPE_TENSOR_VIEW)
            view = true;
        unsigned bits = pto_dtype_bits(tile ? type->tile.dtype : type->dtype);
        if (!arguments[i].data) {
            ok = refuse_argument(program, diags, body->arg[i], "a buffer", "no buffer");
        } else if (!tile && bits > 8 && (uintptr_t)arguments[i].data % (bits / 8)) {
            snprintf(allowed, sizeof allowed, "a buffer aligned to %u bytes", bits / 8);
            ok = refuse_argument(program, diags, body->arg[i], allowed, "an unaligned address");
        } else if (tile) {
            uint64_t bytes = pto_tile_type_bytes(&type->tile);
            snprintf(allowed, sizeof allowed, "%llu bytes", (unsigned long long)bytes);
            snprintf(found, sizeof found, "%zu bytes", arguments[i].bytes);
            if (arguments[i].bytes < bytes)
                ok = refuse_argument(program, diags, body->arg[i], allowed, found);
        }
    }
    return ok;
}

/* The whole view that a memref or view parameter is; an unknown leading dimension follows from the bytes. */
static bool make_view(const pto_value *value, const pto_machine_buffer *buffer, pto_global *view) {
    pto_view_facts facts;
    pto_fact_view(value, &facts);
    *view = (pto_global){.dtype = facts.dtype,
                         .layout = facts.layout,
                         .data = buffer->data,
                         .begin = buffer->data,
                         .end = buffer->data + buffer->bytes,
                         .name = buffer->name,
                         .read_only = buffer->read_only};
    unsigned bits = pto_dtype_bits(facts.dtype);
    int64_t known = 1;
    int lead = 5 - facts.rank;
    for (int d = 4; d >= 0; d--) {
        int64_t dim = d < lead ? 1 : facts.shape[d];
        if (dim < 0 && d == lead && known > 0 && bits)
            dim = (int64_t)((uint64_t)buffer->bytes * 8 / bits) / known;
        if (dim < 0)
            return false;
        view->shape[d] = dim;
        view->stride[d] = known;
        if (__builtin_mul_overflow(known, dim, &known))
            return false;
    }
    return true;
}

static void set_scalar(const pto_type *type, const pto_argument *argument, pto_register *reg) {
    if (type->kind == PTO_TYPE_FLOAT)
        reg->f = pto_fact_round(argument->f, type->dtype);
    else
        reg->i = pto_fact_wrap(argument->i, pto_type_int_width(type), pto_type_is_zero_extended(type));
}

/* Argument values go into the initial registers and views of the code: every machine starts with them. */
static pto_status bind_arguments(pto_code *code, const pto_block *body, const pto_argument *arguments,
                                 pto_machine_buffer *buffers, pto_diag_list *diags) {
    for (int32_t i = 0; i < code->param_count; i++) {
        const pto_code_param *param = &code->param[i];
        const char *name = param->name.len ? pto_arena_strdup(&code->arena, param->name) : "(unnamed)";
        buffers[i] = (pto_machine_buffer){arguments[i].data,
                                          arguments[i].bytes,
                                          arguments[i].read_only,

                                          arguments[i].fresh && param->kind != PTO_CODE_PARAM_TILE,
                                          name ? name : "(unnamed)",
                                          NULL};
        if (param->kind == PTO_CODE_PARAM_TILE) { /* the last block may end before another one begins */
            uint8_t *initial = pto_arena_alloc(&code->arena, arguments[i].bytes + 1);
            if (!initial)
                return PTO_ERR_NOMEM;
            if (arguments[i].bytes)
                memcpy(initial, arguments[i].data, arguments[i].bytes);
            buffers[i].initial = initial;
        }
        if (param->kind == PTO_CODE_PARAM_SCALAR)
            set_scalar(param->type, &arguments[i], &code->reg[param->slot]);
        if (param->kind == PTO_CODE_PARAM_VIEW &&
            !make_view(body->arg[i], &buffers[i], &code->view[param->slot])) {
            refuse_argument(code->program, diags, body->arg[i], "static dimensions behind the first",
                            "a dynamic dimension");
            return PTO_ERR_REFUSED;
        }
    }
    return PTO_OK;
}

/* ---- the run ----------------------------------------------------------------------------------------------
 */

static void global_access(void *heap, uint64_t begin, uint64_t end, const pto_check_access *access) {
    pto_check_heap_access(heap, begin, end, access);
}

/* `outputs` may be NULL. */
static bool attach_checker(pto_machine *m, pto_findings *findings, pto_check_heap *outputs,
                           const pto_run_options *options) {
    uint64_t bytes[PTO_LOC_COUNT];
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        bytes[loc] = m->core->memory_bytes[loc];
    const pto_check_options check = {.target = m->code->target,
                                     .checks = options->checks,
                                     .memory_bytes = bytes,
                                     .found = pto_findings_add,
                                     .user = findings,
                                     .global = outputs ? global_access : NULL,
                                     .global_user = outputs};
    m->checker = pto_checker_create(&check);
    return m->checker && pto_core_add_observer(m->core, (pto_observer){.before = pto_checker_instr,
                                                                       .user = m->checker}) == PTO_OK;
}

static pto_status execute(pto_code *code, const pto_machine_buffer *buffers, const pto_run_options *options,
                          pto_diag_list *diags) {
    launch run = {.program = code->program,
                  .code = code,
                  .options = options,
                  .blocks = options->blocks ? options->blocks : 1,
                  .subblocks = options->subblocks ? options->subblocks : 1};
    if (__builtin_mul_overflow(run.blocks, run.subblocks, &run.runs))
        return PTO_ERR_USAGE;
    atomic_init(&run.stop_above, UINT32_MAX);
    pto_options core_options = {.target = code->target, .simd = options->simd, .numeric = options->numeric};
    uint32_t workers = pto_parallel_workers(options->threads, run.runs);
    if (code->has_atomics)
        workers = 1; /* the order of atomic additions decides their rounding */
    run.machine = calloc(workers, sizeof *run.machine);
    run.report = pto_diag_list_create();
    bool mutex = !pthread_mutex_init(&run.print_mutex, NULL);
    const pto_program_places places = {code, buffers};
    const pto_findings_words words = pto_program_words(&places);
    pto_findings findings;
    bool checks =
        options->checks && pto_findings_init(&findings, code->target, &words, options->suppressions);
    run.findings = &findings;
    pto_check_heap outputs;
    const bool watched = checks && options->checks & PTO_CHECK_INIT &&
                         pto_outputs_watch(&outputs, buffers, (size_t)code->param_count);
    bool ok = run.machine && run.report && mutex && checks == (options->checks != 0);
    uint32_t made = 0;
    for (; ok && made < workers; made++) {
        if (!pto_machine_create(&run.machine[made], code, &core_options, buffers)) {
            pto_machine_destroy(&run.machine[made]);
            break;
        }
        if (checks && !attach_checker(&run.machine[made], &findings, watched ? &outputs : NULL, options)) {
            pto_checker_destroy(run.machine[made].checker);
            pto_machine_destroy(&run.machine[made]);
            break;
        }
        run.machine[made].blocks = run.blocks;
        run.machine[made].subblocks = run.subblocks;
        run.machine[made].runs = run.runs;
        run.machine[made].cancel = options->cancel;
        run.machine[made].stop_above = &run.stop_above;
    }
    pto_status status = PTO_ERR_NOMEM;
    if (made > 0) {
        pto_parallel parallel = {.blocks = run.runs,
                                 .workers = made, /* with little memory: fewer */
                                 .run = run_block,
                                 .failed = block_failed,
                                 .done = block_done,
                                 .cancel = options->cancel,
                                 .user = &run};
        status = pto_parallel_run(&parallel);
    }
    if (checks && status == PTO_OK)
        pto_findings_between_blocks(&findings);
    if (options->findings)
        *options->findings = 0;
    if (checks && status == PTO_OK) {
        size_t count = pto_findings_tell(&findings, diags);
        const pto_operation *entry = watched ? pto_program_entry(code->program, options->entry, NULL) : NULL;
        if (entry)
            count += pto_outputs_tell(&outputs, run.program, pto_function_body(entry)->arg, buffers,
                                      (size_t)code->param_count, options->suppressions, diags);
        if (options->findings)
            *options->findings = count;
    }
    if (status == PTO_OK)
        append_warnings(diags, run.machine, made);
    else if (status != PTO_ERR_CANCELLED)
        pto_diag_append(diags, run.report);
    for (uint32_t i = 0; i < made; i++) {
        pto_checker_destroy(run.machine[i].checker);
        pto_machine_destroy(&run.machine[i]);
    }
    if (watched)
        pto_check_heap_release(&outputs);
    if (checks)
        pto_findings_release(&findings);
    free(run.machine);
    drop_waiting(&run);
    pto_diag_list_destroy(run.report);
    if (mutex)
        pthread_mutex_destroy(&run.print_mutex);
    return status;
}

static void scheduled_end(void *user, pto_machine *m) {
    launch *run = user;
    queue_text(run, m);
    for (const pto_diagnostic *d = pto_diag_first(m->warnings); d; d = d->next)
        pto_diag_copy(run->report, d);
    pto_diag_list_clear(m->warnings);
}

/* One thread, another order. */
static pto_status execute_scheduled(pto_code *code, const pto_machine_buffer *buffers,
                                    const pto_run_options *options, pto_diag_list *diags) {
    launch run = {.program = code->program, .code = code, .options = options};
    const pto_scheduler_options scheduler_options = {
        .core = {.target = code->target, .simd = options->simd, .numeric = options->numeric},
        .blocks = options->blocks ? options->blocks : 1,
        .subblocks = options->subblocks ? options->subblocks : 1,
        .cancel = options->cancel,
        .ended = scheduled_end,
        .user = &run};
    if (options->checks)
        return PTO_ERR_USAGE;
    run.report = pto_diag_list_create();
    if (!run.report || pthread_mutex_init(&run.print_mutex, NULL)) {
        pto_diag_list_destroy(run.report);
        return PTO_ERR_NOMEM;
    }
    pto_scheduler *scheduler = pto_scheduler_create(code, &scheduler_options, buffers);
    const pto_plan plan = {.schedule = options->schedule};
    pto_status status = scheduler ? pto_scheduler_run(scheduler, &plan, NULL, NULL) : PTO_ERR_NOMEM;
    if (status == PTO_ERR_REFUSED && pto_scheduler_failed(scheduler))
        pto_run_report_fault(pto_scheduler_failed(scheduler), run.report);
    if (status == PTO_OK || status == PTO_ERR_REFUSED)
        pto_diag_append(diags, run.report);
    pto_diag_list_destroy(run.report);
    pto_scheduler_destroy(scheduler);
    drop_waiting(&run);
    pthread_mutex_destroy(&run.print_mutex);
    return status;
}

/* Where flags are the compiler's job: the program with its flags. */
static pto_status lower_synchronised(pto_code *code, const pto_program *program, const pto_operation *entry,
                                     pto_target target, pto_diag_list *diags) {
    pto_status status = pto_lower(code, program, entry, target, diags);
    if (status != PTO_OK || !pto_sync_is_automatic(program))
        return status;
    pto_sync_plan plan;
    const pto_code *codes[] = {code};
    status = pto_sync_make(&plan, codes, 1);
    if (status == PTO_OK) {
        pto_code_release(code);
        status = pto_lower_planning(code, program, entry, target, &plan, diags);
    }
    pto_sync_release(&plan);
    return status;
}

pto_status pto_run_prepare(pto_program *program, const pto_argument *arguments, size_t count,
                           const pto_run_options *options, bool synchronise, pto_code *code,
                           pto_machine_buffer **buffers, pto_diag_list *diags) {
    *code = (pto_code){0};
    const pto_operation *entry = pto_program_entry(program, options->entry, diags);
    const pto_block *body = entry ? pto_function_body(entry) : NULL;
    if (!body)
        return PTO_ERR_REFUSED;
    pto_target target = pto_fact_target(program, options->has_target, options->target);
    if ((unsigned)target >= PTO_TARGET_COUNT)
        return PTO_ERR_USAGE;
    pto_verify_options verify = {.target = target, .has_target = true};
    pto_status status = pto_program_verify(program, &verify, diags);
    if (status != PTO_OK)
        return status;
    if (!check_arguments(program, body, arguments, count, diags))
        return PTO_ERR_REFUSED;
    status = synchronise ? lower_synchronised(code, program, entry, target, diags)
                         : pto_lower(code, program, entry, target, diags);
    if (status != PTO_OK)
        return status;
    *buffers = pto_arena_array(&code->arena, count, sizeof **buffers);
    if (!*buffers)
        return PTO_ERR_NOMEM;
    if (program->source)
        pto_source_share(program->source); /* blocks of several threads say where they are */
    return bind_arguments(code, body, arguments, *buffers, diags);
}

pto_status pto_program_run(pto_program *program, const pto_argument *arguments, size_t count,
                           const pto_run_options *options, pto_diag_list *diags) {
    static const pto_run_options defaults = {0};
    if (!program)
        return PTO_ERR_USAGE;
    if (!options)
        options = &defaults;
    pto_code code;
    pto_machine_buffer *buffers;
    /* in program order flags change nothing but what the checkers see */
    bool synchronise = options->checks || options->schedule.kind != PTO_SCHEDULE_PROGRAM;
    pto_status status =
        pto_run_prepare(program, arguments, count, options, synchronise, &code, &buffers, diags);
    if (status == PTO_OK) {
        /* the checkers tell a wait before its signal */
        bool turns = options->schedule.kind != PTO_SCHEDULE_PROGRAM ||
                     (!options->checks && pto_order_waits_early(&code));
        status = turns ? execute_scheduled(&code, buffers, options, diags)
                       : execute(&code, buffers, options, diags);
    }
    pto_code_release(&code);
    return status;
}

/* ---- without running --------------------------------------------------------------------------------------
 */

pto_status pto_program_show_memory(pto_program *program, const char *entry, const pto_verify_options *options,
                                   bool picture, pto_write_fn write, void *context, pto_diag_list *diags) {
    pto_status status = pto_program_verify(program, options, diags);
    pto_operation *function = status == PTO_OK ? pto_program_entry(program, entry, diags) : NULL;
    if (!function)
        return status == PTO_OK ? PTO_ERR_REFUSED : status;
    const pto_target target =
        pto_fact_target(program, options && options->has_target, options ? options->target : PTO_TARGET_CPU);
    pto_code code;
    status = pto_lower(&code, program, function, target, diags);
    if (status == PTO_OK) {
        pto_sink sink;
        pto_sink_init(&sink, write, context);
        pto_show_memory(&code, picture, &sink);
        if (!pto_sink_flush(&sink))
            status = PTO_ERR_IO;
    }
    pto_code_release(&code);
    return status;
}

pto_status pto_program_check(pto_program *program, const pto_verify_options *options, pto_diag_list *diags) {
    pto_status status = pto_program_verify(program, options, diags);
    if (status == PTO_OK && options && options->ptoas == PTO_PTOAS_ONLY)
        return status; /* the assembler's verdict falls before its placement */
    pto_diag_list *found = status == PTO_OK ? pto_diag_list_create() : NULL;
    if (!found)
        return status == PTO_OK ? PTO_ERR_NOMEM : status;
    const pto_target target =
        pto_fact_target(program, options && options->has_target, options ? options->target : PTO_TARGET_CPU);
    for (const pto_operation *f = pto_program_first_function(program); f && status != PTO_ERR_NOMEM;
         f = pto_program_next_function(f)) {
        if (!pto_function_is_entry(program, f))
            continue;
        pto_code code;
        if (pto_lower(&code, program, f, target, found) == PTO_ERR_NOMEM)
            status = PTO_ERR_NOMEM;
        pto_code_release(&code);
    }
    /* what cannot be executed here may still be a legal program */
    for (const pto_diagnostic *d = pto_diag_first(found); d; d = d->next)
        if (d->rule && !strcmp(d->rule, "PTO-E0906")) {
            pto_diag_copy(diags, d);
            status = PTO_ERR_REFUSED;
        }
    pto_diag_list_destroy(found);
    return status;
}
