/* SPDX-License-Identifier: Apache-2.0 */
/* Many schedules of one program: their outputs are compared with those of program order; the first difference
 * is shrunk to two operations.
 *
 * Both orders of execution respect the same edges, so one becomes the other by exchanging neighbours that no
 * edge ties. Along that way lies one exchange with which the outputs begin to differ: first the shortest
 * prefix of the failing order behind which program order still fails is searched, then how far its last
 * operation has to come forward. Both searches halve. */
#include "base/str.h"
#include "isa/legality.h"
#include "program/facts.h"
#include "run/findings.h"
#include "run/prepare.h"
#include "run/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a run ended, as far as two runs can differ. */
typedef struct outcome {
    pto_status status; /* OK or REFUSED */
    uint8_t *bytes;    /* of all buffers that may be written */
} outcome;

typedef struct explorer {
    const pto_code *code;
    const pto_machine_buffer *buffer;
    const pto_run_options *options;
    int32_t buffers;
    size_t bytes; /* of all writable buffers */
    pto_scheduler *scheduler;
    uint8_t *before; /* inputs */
    outcome program, now;
    pto_arena arena;
    pto_step_list steps, other;
    pto_explore_result *result;
} explorer;

/* ---- one run --------------------------------------------------------------------------------------- */

static size_t walk_buffers(const explorer *e, uint8_t *copy, bool restore) {
    size_t at = 0;
    for (int32_t i = 0; i < e->buffers; i++) {
        const pto_machine_buffer *b = &e->buffer[i];
        if (!b->data || b->read_only)
            continue;
        if (copy && restore)
            memcpy(b->data, copy + at, b->bytes);
        else if (copy)
            memcpy(copy + at, b->data, b->bytes);
        at += b->bytes;
    }
    return at;
}

/* Whether it ended with the outputs of program order; PTO_OK when it could be run at all. */
static pto_status try(explorer *e, const pto_plan *plan, pto_step_list *steps, bool *same) {
    walk_buffers(e, e->before, true);
    e->now.status = pto_scheduler_run(e->scheduler, plan, steps, &e->arena);
    e->result->executed++;
    if (e->now.status != PTO_OK && e->now.status != PTO_ERR_REFUSED)
        return e->now.status;
    walk_buffers(e, e->now.bytes, false);
    *same = e->now.status == PTO_OK && !memcmp(e->now.bytes, e->program.bytes, e->bytes);
    return PTO_OK;
}

/* ---- shrinking --------------------------------------------------------------------------------------- */

/* The shortest prefix of e->steps behind which program order fails: its length. */
static pto_status shrink_prefix(explorer *e, size_t *length) {
    size_t good = 0, bad = e->steps.count;
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        pto_plan plan = {.prefix = e->steps.data, .prefix_count = middle};
        bool same = false;
        pto_status status = try(e, &plan, NULL, &same);
        if (status != PTO_OK)
            return status;
        if (same)
            good = middle;
        else
            bad = middle;
    }
    *length = bad;
    return PTO_OK;
}

/* The prefix's last operation x comes later and later; the last place at which the outputs still differ: x
 * before the operation that is left in *passed. */
static pto_status shrink_pair(explorer *e, size_t length, pto_step *passed, bool *found) {
    const pto_step *x = &e->steps.data[length - 1];
    pto_plan plan = {.prefix = e->steps.data, .prefix_count = length - 1, .hold = x};
    bool same = false;
    /* without the hold: where program order would have it */
    pto_plan plain = {.prefix = e->steps.data, .prefix_count = length - 1};
    pto_status status = try(e, &plain, &e->other, &same);
    size_t at = length - 1;
    while (at < e->other.count && (e->other.data[at].run != x->run || e->other.data[at].core != x->core ||
                                   e->other.data[at].number != x->number))
        at++;
    *found = status == PTO_OK && same && at < e->other.count;
    if (!*found)
        return status;
    size_t bad = 0, good = at - (length - 1);
    while (good - bad > 1) {
        plan.hold_behind = bad + (good - bad) / 2;
        status = try(e, &plan, NULL, &same);
        if (status != PTO_OK)
            return status;
        if (same)
            good = plan.hold_behind;
        else
            bad = plan.hold_behind;
    }
    *found = good > bad;
    if (*found)
        *passed = e->other.data[length - 1 + bad];
    return PTO_OK;
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static const pto_operation *operation_of(const explorer *e, const pto_step *step) {
    return step->site >= 0 && step->site < e->code->op_count ? e->code->origin[step->site] : NULL;
}

static const char *name_of(const explorer *e, const pto_step *step) {
    const pto_operation *op = operation_of(e, step);
    return !op                         ? "operation"
           : op->kind == PTO_OPK_INSTR ? pto_form_get(op->form)->mnemonic
                                       : pto_op_kind_name(op->kind);
}

static pto_where where_of(const explorer *e, const pto_step *step) {
    const pto_operation *op = operation_of(e, step);
    pto_source *source = e->code->program->source;
    return op && source ? pto_at(source, op->span.begin, op->span.end) : pto_nowhere();
}

static uint32_t line_of(const explorer *e, const pto_step *step) {
    uint32_t line = 0, column;
    const pto_operation *op = operation_of(e, step);
    if (op && e->code->program->source)
        pto_source_locate(e->code->program->source, op->span.begin, &line, &column);
    return line;
}

/* "argument y: 12 of 4096 bytes differ, the first is byte 40" */
static void words_of_difference(const explorer *e, char *out, size_t size) {
    size_t at = 0;
    for (int32_t i = 0; i < e->buffers; i++) {
        const pto_machine_buffer *b = &e->buffer[i];
        if (!b->data || b->read_only)
            continue;
        size_t first = b->bytes, count = 0;
        for (size_t k = 0; k < b->bytes; k++)
            if (e->now.bytes[at + k] != e->program.bytes[at + k]) {
                first = count++ ? first : k;
            }
        if (count) {
            snprintf(out, size, "argument %s: %zu of %zu bytes differ, the first is byte %zu", b->name, count,
                     b->bytes, first);
            return;
        }
        at += b->bytes;
    }
    snprintf(out, size, "the same outputs");
}

static const pto_code_instr *instr_of(const explorer *e, const pto_step *step) {
    const pto_code_op *op = &e->code->op[step->site];
    return op->kind == PTO_CODE_INSTR ? &e->code->instr[op->extra] : NULL;
}

static bool is_elementwise(const pto_code_instr *instr) {
    const char *family = pto_form_get(instr->form)->family;
    return !strcmp(family, "elementwise") || !strcmp(family, "tile-scalar");
}

/* Two elementwise instructions that have a tile in common. */
static bool on_one_tile(const explorer *e, const pto_step *a, const pto_step *b) {
    const pto_code_instr *x = instr_of(e, a), *y = instr_of(e, b);
    if (!x || !y || !is_elementwise(x) || !is_elementwise(y))
        return false;
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        for (int k = 0; k < PTO_MAX_OPERANDS; k++)
            if (x->slot[i] >= 0 && x->slot[i] == y->slot[k] && x->operand[i].kind == PTO_OPERAND_TILE &&
                y->operand[k].kind == PTO_OPERAND_TILE)
                return true;
    return false;
}

static const char *rule_of(const explorer *e, const pto_step *early, const pto_step *late) {
    if (early->run != late->run)
        return "PTO-E1104";
    if (early->core != late->core)
        return "PTO-E1105";
    if (early->pipe != late->pipe)
        return "PTO-E1101";
    return on_one_tile(e, early, late) ? "PTO-E1103" : "PTO-E1102";
}

/* The lowest event id that the program uses nowhere between the two pipes: a flag of its own orders them
 * whatever else stands there. 0 when all are used. */
static int free_id(const pto_code *code, uint8_t src, uint8_t dst) {
    unsigned used = 0;
    for (int32_t i = 0; i < code->op_count; i++) {
        const pto_code_op *op = &code->op[i];
        if (op->kind != PTO_CODE_SYNC || (op->flag != PTO_SYNC_SET && op->flag != PTO_SYNC_WAIT) ||
            op->a != src || op->b != dst)
            continue;
        used |= op->dst >= 0 || op->c < 0 || op->c >= PTO_ORDER_FLAGS ? ~0u : 1u << op->c;
    }
    for (int id = 0; id < PTO_ORDER_FLAGS; id++)
        if (!(used >> id & 1))
            return id;
    return 0;
}

/* The line that orders them. */
static void tell_fix(const explorer *e, const pto_step *early, const pto_step *late, pto_diag_list *diags) {
    const char *src = pto_pipe_name((pto_pipe)late->pipe), *dst = pto_pipe_name((pto_pipe)early->pipe);
    const uint32_t behind = line_of(e, late), before = line_of(e, early);
    if (early->run != late->run)
        pto_diag_fix(diags, "give every block bytes of its own, or add atomically");
    else if (early->core != late->core)
        pto_diag_fix(
            diags,
            "signal the other core on %s behind line %u and await the signal before line %u (sync.set, "
            "sync.wait)",
            src, behind, before);
    else if (early->pipe == late->pipe)
        pto_diag_fix(diags, "insert pto.barrier <%s> before line %u", dst, before);
    else
        pto_diag_fix(
            diags,
            "insert pto.set_flag[<%s>, <%s>, <EVENT_ID%d>] behind line %u and the same wait_flag before "
            "line %u",
            src, dst, free_id(e->code, late->pipe, early->pipe), behind, before);
}

/* `early` was executed first though `late` stands before it in program order. */
static void tell_pair(explorer *e, const pto_step *early, const pto_step *late, const char *difference,
                      pto_diag_list *diags) {
    const char *rule = rule_of(e, early, late);
    pto_diag_add(diags, PTO_ERROR, rule, where_of(e, early), "%s: %s", name_of(e, early),
                 pto_rule_find(rule)->title);
    pto_diag_found(diags, "%s on %s comes before %s on %s%s: %s", name_of(e, early),
                   pto_pipe_name((pto_pipe)early->pipe), name_of(e, late),
                   pto_pipe_name((pto_pipe)late->pipe),
                   early->run != late->run     ? " of another block"
                   : early->core != late->core ? " of the other core"
                                               : "",
                   difference);
    pto_diag_target(diags, pto_target_name(e->code->target));
    tell_fix(e, early, late, diags);
    pto_diag_note(diags, where_of(e, late), "program order has this before it");
}

static pto_status tell(explorer *e, pto_diag_list *diags) {
    char difference[160], words[64];
    if (e->now.status == PTO_ERR_REFUSED)
        snprintf(difference, sizeof difference, "the run stops");
    else
        words_of_difference(e, difference, sizeof difference);
    size_t length = 0;
    pto_step passed;
    bool found = false;
    pto_diag_list *stopped = e->now.status == PTO_ERR_REFUSED ? pto_diag_list_create() : NULL;
    if (stopped && pto_scheduler_failed(e->scheduler))
        pto_run_report_fault(pto_scheduler_failed(e->scheduler), stopped);
    pto_status status = e->steps.count ? shrink_prefix(e, &length) : PTO_OK;
    if (status == PTO_OK && length)
        status = shrink_pair(e, length, &passed, &found);
    if (status == PTO_OK && found) {
        tell_pair(e, &e->steps.data[length - 1], &passed, difference, diags);
        e->result->schedule.prefix = length;
    } else if (status == PTO_OK && !stopped) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E1101", pto_nowhere(), "outputs depend on the order");
        pto_diag_found(diags, "%s", difference);
    }
    if (status == PTO_OK && stopped && !found)
        pto_diag_append(diags, stopped);
    pto_schedule_words(&e->result->schedule, words, sizeof words);
    if (status == PTO_OK)
        pto_diag_note(diags, pto_nowhere(), "pto run --schedule %s does it again", words);
    pto_diag_list_destroy(stopped);
    return status;
}

/* ---- all runs ------------------------------------------------------------------------------------------ */

static pto_status explore(explorer *e, uint64_t runs, uint64_t seed, pto_diag_list *diags) {
    bool same = false;
    pto_plan plan = {0};
    /* program order: the outputs to compare with */
    pto_status status = try(e, &plan, NULL, &same);
    if (status != PTO_OK)
        return status;
    if (e->now.status != PTO_OK) {
        if (pto_scheduler_failed(e->scheduler)) {
            pto_diag_list *report = pto_diag_list_create();
            if (report)
                pto_run_report_fault(pto_scheduler_failed(e->scheduler), report);
            pto_diag_append(diags, report);
            pto_diag_list_destroy(report);
        }
        return PTO_ERR_REFUSED;
    }
    memcpy(e->program.bytes, e->now.bytes, e->bytes);
    for (uint64_t i = 0; i < runs; i++) {
        plan.schedule = i ? (pto_schedule){.kind = PTO_SCHEDULE_RANDOM, .seed = seed + i - 1}
                          : (pto_schedule){.kind = PTO_SCHEDULE_ADVERSARIAL};
        status = try(e, &plan, &e->steps, &same);
        if (status != PTO_OK)
            return status;
        e->result->runs++;
        if (same)
            continue;
        e->result->differs = true;
        e->result->schedule = plan.schedule;
        return tell(e, diags);
    }
    return PTO_OK;
}

static pto_status explore_code(const pto_code *code, const pto_machine_buffer *buffers,
                               const pto_run_options *options, const pto_explore_options *how,
                               pto_explore_result *result, pto_diag_list *diags) {
    explorer e = {
        .code = code, .buffer = buffers, .options = options, .buffers = code->param_count, .result = result};
    const pto_scheduler_options scheduler_options = {
        .core = {.target = code->target, .simd = options->simd, .numeric = options->numeric},
        .blocks = options->blocks ? options->blocks : 1,
        .subblocks = options->subblocks ? options->subblocks : 1,
        .cancel = options->cancel};
    pto_arena_init(&e.arena, 0);
    e.bytes = walk_buffers(&e, NULL, false);
    e.before = malloc(e.bytes + 1);
    e.program.bytes = malloc(e.bytes + 1);
    e.now.bytes = malloc(e.bytes + 1);
    e.scheduler = pto_scheduler_create(code, &scheduler_options, buffers);
    pto_status status = PTO_ERR_NOMEM;
    if (e.before && e.program.bytes && e.now.bytes && e.scheduler) {
        walk_buffers(&e, e.before, false);
        status = explore(&e, how->runs ? how->runs : 100, how->seed, diags);
        walk_buffers(&e, e.before, true);
    }
    free(e.before);
    free(e.program.bytes);
    free(e.now.bytes);
    pto_scheduler_destroy(e.scheduler);
    pto_arena_free(&e.arena);
    return status;
}

pto_status pto_program_explore(pto_program *program, const pto_argument *arguments, size_t count,
                               const pto_run_options *options, const pto_explore_options *how,
                               pto_explore_result *result, pto_diag_list *diags) {
    static const pto_run_options defaults = {0};
    static const pto_explore_options few = {0};
    pto_explore_result ignored;
    if (!program)
        return PTO_ERR_USAGE;
    result = result ? result : &ignored;
    *result = (pto_explore_result){0};
    options = options ? options : &defaults;
    pto_code code;
    pto_machine_buffer *buffers;
    pto_status status = pto_run_prepare(program, arguments, count, options, true, &code, &buffers, diags);
    if (status == PTO_OK)
        status = explore_code(&code, buffers, options, how ? how : &few, result, diags);
    pto_code_release(&code);
    return status;
}
