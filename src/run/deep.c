/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers without inputs: control flow and addresses are followed, instructions are checked and not
 * executed. Scalars that come from arguments or memory are unknown; where a bound, a branch, an address or a
 * flag depends on one, the program is not static: that is told, with its place, and the entry is left. */
#include "check/check.h"
#include "core/core.h"
#include "isa/isa.h"
#include "isa/legality.h"
#include "program/facts.h"
#include "run/findings.h"
#include "run/prepare.h"
#include "run/program_words.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_SPACE = 1 << 10 }; /* the address space is shared out to so many arguments */
static const uint64_t most_ops = UINT64_C(20) * 1000 * 1000;
static const int64_t stand_in = 1 << 20; /* for unknown extents: large enough that windows fit */

/* Where an unknown value comes from: argument `cause` - 1, or the element loaded at op -1 - `cause`; 0 =
 * known. */
typedef int32_t cause;

typedef struct deep {
    pto_machine machine;
    cause *reg;
    cause *where;   /* of a view: its address, strides or own extents */
    cause *shape;   /* of a view: extents that only bound windows */
    cause doubtful; /* a number of the instruction at hand */
    uint64_t ops;
    /* why it is not static */
    const char *what;
    cause stopped;
    int32_t site;
    bool too_long;
} deep;

static pto_status stop(deep *d, cause why, const char *what) {
    d->what = what;
    d->stopped = why;
    d->site = d->machine.at;
    return PTO_ERR_LIMIT;
}

static pto_status need(deep *d, int32_t reg, const char *what) {
    return reg >= 0 && d->reg[reg] ? stop(d, d->reg[reg], what) : PTO_OK;
}

static cause first_of(const deep *d, const int32_t *list, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (d->reg[list[i]])
            return d->reg[list[i]];
    return 0;
}

static const char branch[] = "the branch depends on", bound[] = "the loop depends on",
                  address[] = "the address depends on", extent[] = "the valid extent depends on",
                  id[] = "the id depends on";

/* ---- what an op makes of unknown values ------------------------------------------------------------- */

static pto_status visit_instr(deep *d, const pto_code_op *op) {
    const pto_machine_instr *live = &d->machine.instr[op->extra];
    const pto_form_desc *form = pto_form_get(live->instr.form);
    const pto_code_instr *from = &d->machine.code->instr[op->extra];
    d->doubtful = 0;
    for (int i = 0; i < form->operand_count; i++) {
        if (from->slot[i] < 0)
            continue;
        pto_operand_kind kind = live->instr.operand[i].kind;
        if (kind == PTO_OPERAND_GLOBAL && d->where[from->slot[i]])
            return stop(d, d->where[from->slot[i]], "what the instruction accesses depends on");
        if (kind != PTO_OPERAND_SCALAR || from->is_float[i] || !d->reg[from->slot[i]])
            continue;
        /* a number changes no address, except of a handle; a window that is refused for it may be legal */
        d->doubtful = d->reg[from->slot[i]];
        if (from->changes >= 0)
            return stop(d, d->doubtful, address);
    }
    return PTO_OK;
}

static pto_status visit_view(deep *d, const pto_code_op *op) {
    const int32_t *list = d->machine.code->list + op->extra;
    switch (op->kind) {
    case PTO_OPK_MAKE_TENSOR_VIEW:
        d->shape[op->dst] = first_of(d, list, op->b);
        d->where[op->dst] = d->reg[op->a] ? d->reg[op->a] : first_of(d, list + op->b, op->b);
        break;
    case PTO_OPK_PARTITION_VIEW:
        d->where[op->dst] = d->where[op->a] ? d->where[op->a] : first_of(d, list, 2 * op->b);
        d->shape[op->dst] = first_of(d, list + op->b, op->b);
        break;
    case PTO_CODE_INDEX_VIEW:
        d->where[op->dst] = d->where[op->a] ? d->where[op->a] : first_of(d, list, op->c);
        d->shape[op->dst] = 0;
        break;
    default: /* MOVE_VIEW, LABEL_VIEW */
        d->where[op->dst] = d->where[op->a];
        d->shape[op->dst] = d->shape[op->a];
        break;
    }
    return PTO_OK;
}

static pto_status visit_scalar(deep *d, const pto_code_op *op) {
    const pto_operation *origin = d->machine.code->origin[d->machine.at];
    const int32_t operand[3] = {op->a, op->b, op->c};
    const uint32_t count = origin && origin->operand_count < 3 ? origin->operand_count : 3;
    cause why = 0;
    for (uint32_t i = 0; i < count && !why; i++)
        if (operand[i] >= 0 && operand[i] < d->machine.code->reg_count)
            why = d->reg[operand[i]];
    if (op->dst >= 0 && op->dst < d->machine.code->reg_count)
        d->reg[op->dst] = why;
    return PTO_OK;
}

static pto_status need_both(deep *d, int32_t a, int32_t b, const char *what) {
    pto_status status = need(d, a, what);
    return status == PTO_OK ? need(d, b, what) : status;
}

/* Before an op is executed. */
static pto_status visit(void *user, pto_machine *m, const pto_code_op *op) {
    deep *d = user;
    pto_status status;
    if (++d->ops > most_ops) {
        d->too_long = true;
        return stop(d, 0, "");
    }
    switch (op->kind) {
    case PTO_CODE_JUMP_UNLESS:
        return need(d, op->a, branch);
    case PTO_CODE_FOR_BEGIN:
        status = need_both(d, op->a, op->b, bound);
        d->reg[op->dst] = 0;
        return status == PTO_OK ? need(d, op->c, bound) : status;
    case PTO_CODE_FOR_NEXT:
        status = need_both(d, op->dst, op->b, bound);
        return status == PTO_OK ? need(d, op->c, bound) : status;
    case PTO_CODE_MOVE:
        d->reg[op->dst] = d->reg[op->a];
        return PTO_OK;
    case PTO_OPK_ADDPTR:
        d->reg[op->dst] = d->reg[op->a] ? d->reg[op->a] : d->reg[op->b];
        d->reg[op->dst + 1] = d->reg[op->a + 1];
        return PTO_OK;
    case PTO_OPK_GET_BLOCK_IDX:
    case PTO_OPK_GET_BLOCK_NUM:
    case PTO_OPK_GET_SUBBLOCK_IDX:
    case PTO_OPK_GET_SUBBLOCK_NUM:
        d->reg[op->dst] = 0;
        return PTO_OK;
    case PTO_OPK_LOAD_SCALAR:
    case PTO_OPK_STORE_SCALAR:
        return need_both(d, op->a, op->b, address);
    case PTO_OPK_TSETVAL:
    case PTO_OPK_TGETVAL:
        return need(d, op->b, address);
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
        d->reg[op->dst] = d->shape[op->a];
        return need(d, op->b, "the dimension depends on");
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
        d->reg[op->dst] = d->where[op->a];
        return need(d, op->b, "the dimension depends on");
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
    case PTO_CODE_INDEX_VIEW:
    case PTO_CODE_MOVE_VIEW:
    case PTO_CODE_LABEL_VIEW:
        return visit_view(d, op);
    case PTO_OPK_SUBSET:
        return need_both(d, op->b, op->c, address);
    case PTO_CODE_SET_VALID:
        return need_both(d, op->a, op->b, extent);
    case PTO_CODE_VIEW_VALID:
        return d->where[op->a] || d->shape[op->a]
                   ? stop(d, d->shape[op->a] ? d->shape[op->a] : d->where[op->a], extent)
                   : PTO_OK;
    case PTO_CODE_SYNC:
        return need(d, op->dst, id);
    case PTO_CODE_INSTR:
        return visit_instr(d, op);
    case PTO_CODE_END:
    case PTO_CODE_JUMP:
    case PTO_CODE_MOVE_TILE:
    case PTO_CODE_COPY_TILE:
    case PTO_CODE_COPY_VALID:
    case PTO_CODE_CORE:
    case PTO_OPK_BITCAST:
    case PTO_OPK_PRINT:
    case PTO_OPK_TRAP:
        return PTO_OK;
    default:
        (void)m;
        return visit_scalar(d, op);
    }
}

static pto_status check_instr(void *user, pto_machine *m, const pto_instr *instr) {
    (void)user;
    pto_checker_instr(m->checker, m->core, instr);
    return PTO_OK;
}

/* The access is the machine's to tell; a loaded value is unknown. */
static pto_status unknown_element(void *user, pto_machine *m, const pto_machine_element *element) {
    deep *d = user;
    if (!element->store) {
        d->reg[element->target - m->reg] = -1 - m->at;
        *element->target = (pto_register){0};
        if (!pto_dtype_is_float(element->dtype))
            element->target->i = stand_in;
    }
    return PTO_OK;
}

static pto_status no_text(void *user, pto_machine *m, const char *text, size_t len) {
    (void)user, (void)m, (void)text, (void)len;
    return PTO_OK;
}

static void no_drain(void *user, pto_machine *m) { (void)user, (void)m; }

/* ---- arguments that nobody has given ---------------------------------------------------------------- */

/* Addresses that nobody reads or writes: far apart, so that no argument reaches another. */
static void *address_of(size_t argument) {
    return (void *)(UINTPTR_MAX / ARGUMENT_SPACE * (argument + 1) & ~(uintptr_t)4095);
}

static size_t bytes_of(const pto_param *param) {
    uint64_t elements = param->rank ? 1 : 0;
    for (int d = 0; d < param->rank; d++)
        if (param->shape[d] < 0 || __builtin_mul_overflow(elements, (uint64_t)param->shape[d], &elements))
            elements = 0;
    const uint64_t most = UINTPTR_MAX / ARGUMENT_SPACE / 2,
                   bytes = elements * pto_dtype_bits(param->dtype) / 8;
    return (size_t)(elements && bytes < most ? bytes : most);
}

static pto_status make_arguments(const pto_param *params, size_t count, pto_argument *arguments) {
    if (count >= ARGUMENT_SPACE)
        return PTO_ERR_LIMIT;
    for (size_t i = 0; i < count; i++) {
        arguments[i] = (pto_argument){.i = stand_in, .f = 1};
        if (params[i].kind == PTO_PARAM_POINTER) {
            arguments[i].data = address_of(i);
            arguments[i].bytes = bytes_of(&params[i]);
        } else if (params[i].kind == PTO_PARAM_TILE) {
            arguments[i].bytes = bytes_of(&params[i]);
            arguments[i].data = calloc(arguments[i].bytes + 1, 1);
            if (!arguments[i].data)
                return PTO_ERR_NOMEM;
        }
    }
    return PTO_OK;
}

/* ---- an entry ------------------------------------------------------------------------------------------ */

static void tell_stop(const deep *d, pto_diag_list *diags) {
    const pto_code *code = d->machine.code;
    const pto_operation *op = code->origin[d->site];
    pto_source *source = code->program->source;
    const pto_where where = source && op ? pto_at(source, op->span.begin, op->span.end) : pto_nowhere();
    const pto_rule_text *text = pto_rule_find("PTO-W1130");
    if (!pto_diag_add(diags, PTO_WARNING, "PTO-W1130", where, "%s", text->title))
        return;
    if (d->too_long) {
        pto_diag_found(diags, "%llu operations and no end", (unsigned long long)most_ops);
    } else if (d->stopped > 0) {
        const pto_str name = code->param[d->stopped - 1].name;
        pto_diag_found(diags, "%s argument %.*s", d->what, PTO_STR_ARG(name));
    } else {
        uint32_t line = 0, column;
        const pto_operation *load = code->origin[-1 - d->stopped];
        if (source && load)
            pto_source_locate(source, load->span.begin, &line, &column);
        pto_diag_found(diags, "%s the element that is loaded in line %u", d->what, line);
    }
    pto_diag_fix(diags, "%s", text->fix);
}

static void forget(deep *d) {
    const pto_code *code = d->machine.code;
    memset(d->reg, 0, ((size_t)code->reg_count + 1) * sizeof *d->reg);
    memset(d->where, 0, ((size_t)code->view_count + 1) * sizeof *d->where);
    memset(d->shape, 0, ((size_t)code->view_count + 1) * sizeof *d->shape);
    for (int32_t p = 0; p < code->param_count; p++) {
        const pto_code_param *param = &code->param[p];
        if (param->kind == PTO_CODE_PARAM_SCALAR)
            d->reg[param->slot] = p + 1;
        if (param->kind != PTO_CODE_PARAM_VIEW)
            continue;
        /* a leading extent that the buffer would tell; those behind it are static */
        pto_view_facts known;
        if (pto_fact_view(pto_function_body(code->entry)->arg[p], &known) && known.rank > 0 &&
            known.shape[5 - known.rank] < 0)
            d->shape[param->slot] = d->where[param->slot] = p + 1;
    }
}

static bool make(deep *d, const pto_code *code, const pto_machine_buffer *buffers) {
    const pto_options core = {.target = code->target};
    if (!pto_machine_create(&d->machine, code, &core, buffers))
        return false;
    d->reg = calloc((size_t)code->reg_count + 1, sizeof *d->reg);
    d->where = calloc((size_t)code->view_count + 1, sizeof *d->where);
    d->shape = calloc((size_t)code->view_count + 1, sizeof *d->shape);
    return d->reg && d->where && d->shape;
}

static void drop(deep *d) {
    pto_checker_destroy(d->machine.checker);
    pto_machine_destroy(&d->machine);
    free(d->reg);
    free(d->where);
    free(d->shape);
}

/* All blocks, one after another; the first that cannot be followed ends it. */
static pto_status follow(deep *d, pto_findings *findings, uint32_t blocks) {
    pto_machine *m = &d->machine;
    const pto_machine_issue issue = {.user = d,
                                     .all_sections = true,
                                     .visit = visit,
                                     .instr = check_instr,
                                     .element = unknown_element,
                                     .print = no_text,
                                     .drain = no_drain};
    m->issue = &issue;
    m->blocks = m->runs = blocks;
    m->subblocks = 1;
    pto_status status = PTO_OK;
    for (uint32_t block = 0; block < blocks && status == PTO_OK; block++) {
        forget(d);
        pto_machine_begin(m, block);
        while (status == PTO_OK && !m->ended)
            status = pto_machine_go_on(m);
        if (status == PTO_OK)
            pto_findings_block(findings, m->checker, 0);
    }
    if (status == PTO_OK)
        pto_findings_between_blocks(findings);
    m->issue = NULL;
    return status;
}

static pto_status check_code(const pto_code *code, const pto_machine_buffer *buffers,
                             const pto_deep_options *options, size_t *count, pto_diag_list *diags) {
    deep d = {0};
    const pto_program_places places = {code, buffers};
    const pto_findings_words words = pto_program_words(&places);
    pto_findings findings;
    if (!make(&d, code, buffers) ||
        !pto_findings_init(&findings, code->target, &words, options->suppressions)) {
        drop(&d);
        return PTO_ERR_NOMEM;
    }
    uint64_t bytes[PTO_LOC_COUNT];
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        bytes[loc] = d.machine.core->memory_bytes[loc];
    const pto_check_options check = {.target = code->target,
                                     .checks = options->checks
                                                   ? options->checks & PTO_CHECK_ALL
                                                   : PTO_CHECK_RACE | PTO_CHECK_INIT | PTO_CHECK_SYNC,
                                     .memory_bytes = bytes,
                                     .no_data = true,
                                     .found = pto_findings_add,
                                     .user = &findings};
    d.machine.checker = pto_checker_create(&check);
    pto_status status =
        d.machine.checker ? follow(&d, &findings, options->blocks ? options->blocks : 1) : PTO_ERR_NOMEM;
    *count += pto_findings_tell(&findings, diags);
    if (status == PTO_ERR_REFUSED && d.doubtful && code->op[d.machine.fault].kind == PTO_CODE_INSTR)
        status = stop(&d, d.doubtful, "what is legal depends on");
    if (status == PTO_ERR_LIMIT) {
        tell_stop(&d, diags);
        status = PTO_OK;
    } else if (status == PTO_ERR_REFUSED) {
        pto_diag_list *report = pto_diag_list_create();
        if (report)
            pto_run_report_fault(&d.machine, report);
        pto_diag_append(diags, report);
        pto_diag_list_destroy(report);
    }
    pto_findings_release(&findings);
    drop(&d);
    return status;
}

static pto_status check_entry(pto_program *program, const char *name, const pto_deep_options *options,
                              size_t *count, pto_diag_list *diags) {
    const pto_param *params;
    size_t param_count;
    pto_status status = pto_program_entry_params(program, name, &params, &param_count, diags);
    if (status != PTO_OK)
        return status;
    const pto_run_options run = {.entry = name, .target = options->target, .has_target = options->has_target};
    pto_argument *arguments = calloc(param_count + 1, sizeof *arguments);
    pto_code code = {0};
    pto_machine_buffer *buffers;
    status = arguments ? make_arguments(params, param_count, arguments) : PTO_ERR_NOMEM;
    if (status == PTO_OK) {
        status = pto_run_prepare(program, arguments, param_count, &run, true, &code, &buffers, diags);
        if (status == PTO_OK)
            status = check_code(&code, buffers, options, count, diags);
        pto_code_release(&code);
    }
    for (size_t i = 0; arguments && i < param_count; i++)
        if (params[i].kind == PTO_PARAM_TILE)
            free(arguments[i].data);
    free(arguments);
    return status;
}

pto_status pto_program_check_deep(pto_program *program, const pto_deep_options *options, size_t *findings,
                                  pto_diag_list *diags) {
    static const pto_deep_options defaults = {0};
    size_t count = 0;
    if (!program)
        return PTO_ERR_USAGE;
    options = options ? options : &defaults;
    pto_status worst = PTO_OK;
    bool marked = false; /* else any function may be the entry */
    for (const pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        marked |= pto_function_is_entry(program, f);
    for (const pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f)) {
        if (marked ? !pto_function_is_entry(program, f) : !pto_function_body(f))
            continue;
        const pto_str symbol = pto_function_name(f);
        char name[256];
        if (symbol.len >= sizeof name)
            return PTO_ERR_LIMIT;
        memcpy(name, symbol.data, symbol.len);
        name[symbol.len] = 0;
        pto_status status = check_entry(program, name, options, &count, diags);
        if (status == PTO_ERR_NOMEM)
            return status;
        if (status != PTO_OK)
            worst = status;
    }
    if (findings)
        *findings = count;
    return worst;
}
