/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that executes flat code, one block after another, on one core. */
#include "run/machine.h"

#include "program/facts.h"
#include "tile/tile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pto_status pto_machine_fail(pto_machine *m, const char *rule, const char *allowed, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->found, sizeof m->found, format, arguments);
    va_end(arguments);
    snprintf(m->allowed, sizeof m->allowed, "%s", allowed ? allowed : "");
    m->rule = rule;
    return PTO_ERR_REFUSED;
}

void pto_machine_print(void *machine, const char *text, size_t len) {
    pto_machine *m = machine;
    if (!len)
        return;
    if (len > m->text_capacity - m->text_len) {
        size_t wanted = (m->text_len + len) * 2;
        char *grown = realloc(m->text, wanted);
        if (!grown) {
            m->text_lost = true;
            return;
        }
        m->text = grown;
        m->text_capacity = wanted;
    }
    memcpy(m->text + m->text_len, text, len);
    m->text_len += len;
}

/* ---- preparation ------------------------------------------------------------------------------- */

static void prepare_instr(pto_machine *m, const pto_code_instr *from, pto_machine_instr *to) {
    const pto_code *code = m->code;
    to->instr.form = from->form;
    to->changes = from->changes;
    for (int i = 0; i < PTO_MAX_OPERANDS; i++) {
        pto_operand *operand = &to->instr.operand[i];
        *operand = from->operand[i];
        if (from->slot[i] < 0)
            continue;
        switch (operand->kind) {
        case PTO_OPERAND_TILE:
            operand->tile = &m->tile[from->slot[i]];
            if (code->slot[from->slot[i]].varies)
                to->depend[to->depend_count++] = &m->tile_version[from->slot[i]];
            break;
        case PTO_OPERAND_GLOBAL:
            operand->global = &m->view[from->slot[i]];
            to->depend[to->depend_count++] = &m->view_version[from->slot[i]];
            break;
        case PTO_OPERAND_SCALAR:
            to->patch[to->patch_count].position = (uint8_t)i;
            to->patch[to->patch_count].is_float = from->is_float[i];
            to->patch[to->patch_count++].reg = from->slot[i];
            break;
        case PTO_OPERAND_COUNTS:
        case PTO_OPERAND_ABSENT:
            break;
        }
    }
}

static void *place_of(const pto_machine *m, const pto_tile *tile) {
    return tile->assigned ? m->core->host.memory[tile->type.loc] + tile->addr : NULL;
}

/* Arrays of at least one element: malloc(0) may be NULL. */
static void *array(int32_t count, size_t size) { return calloc((size_t)count + 1, size); }

bool pto_machine_create(pto_machine *m, const pto_code *code, const pto_options *options,
                        const pto_machine_buffer *buffers) {
    *m = (pto_machine){.code = code, .buffer = buffers};
    m->core = pto_core_make(options);
    m->reg = array(code->reg_count, sizeof *m->reg);
    m->tile = array(code->slot_count, sizeof *m->tile);
    m->tile_version = array(code->slot_count, sizeof *m->tile_version);
    m->view = array(code->view_count, sizeof *m->view);
    m->view_version = array(code->view_count, sizeof *m->view_version);
    m->instr = array(code->instr_count, sizeof *m->instr);
    m->warnings = pto_diag_list_create();
    pto_diag_list_set_cap(m->warnings, PTO_MACHINE_WARNINGS);
    if (!m->core || !m->reg || !m->tile || !m->tile_version || !m->view || !m->view_version || !m->instr ||
        !m->warnings)
        return false;
    if (code->reg_count)
        memcpy(m->reg, code->reg, (size_t)code->reg_count * sizeof *m->reg);
    for (int32_t s = 0; s < code->slot_count; s++) {
        m->tile[s] = code->slot[s].tile;
        m->tile[s].data = place_of(m, &m->tile[s]);
    }
    if (code->view_count)
        memcpy(m->view, code->view, (size_t)code->view_count * sizeof *m->view);
    for (int32_t i = 0; i < code->instr_count; i++)
        prepare_instr(m, &code->instr[i], &m->instr[i]);
    pto_core_set_print(m->core, pto_machine_print, m);
    return true;
}

void pto_machine_share(pto_machine *m, pto_core *core) {
    pto_core_destroy(m->core);
    m->core = core;
    m->shares = true;
    for (int32_t s = 0; s < m->code->slot_count; s++)
        m->tile[s].data = place_of(m, &m->tile[s]);
}

void pto_machine_destroy(pto_machine *m) {
    if (!m->shares)
        pto_core_destroy(m->core);
    free(m->reg);
    free(m->tile);
    free(m->tile_version);
    free(m->view);
    free(m->view_version);
    free(m->instr);
    free(m->text);
    pto_diag_list_destroy(m->warnings);
    *m = (pto_machine){0};
}

/* ---- a block's beginning and end ------------------------------------------------------------------ */

static void copy_argument(const pto_machine *m, const pto_code_param *param, const pto_machine_buffer *buffer,
                          bool out) {
    const pto_tile *tile = &m->tile[param->slot];
    const pto_tile_type *type = &tile->type;
    unsigned bits = pto_dtype_bits(type->dtype);
    /* in: what it held before the run, which nothing writes */
    uint8_t *dense = out ? buffer->data : (uint8_t *)(uintptr_t)buffer->initial, *chip = tile->data;
    for (int32_t r = 0; r < type->rows; r++) {
        for (int32_t c = 0; c < type->cols; c++) {
            int64_t from = (int64_t)r * type->cols + c, to = pto_tile_offset(type, r, c);
            if (bits >= 8) {
                size_t size = bits / 8;
                uint8_t *x = dense + (size_t)from * size, *y = chip + (size_t)to * size;
                memcpy(out ? x : y, out ? y : x, size);
                continue;
            }
            uint8_t *d = out ? &dense[from / 2] : &chip[to / 2];
            const uint8_t *s = out ? &chip[to / 2] : &dense[from / 2];
            unsigned d_at = (unsigned)((out ? from : to) & 1) * 4,
                     s_at = (unsigned)((out ? to : from) & 1) * 4;
            *d = (uint8_t)((*d & ~(15u << d_at)) | (unsigned)(*s >> s_at & 15) << d_at);
        }
    }
}

static void begin_block(pto_machine *m) {
    const pto_code *code = m->code;
    for (int loc = 0; m->used && loc < PTO_LOC_COUNT; loc++)
        if (code->used_end[loc] > code->used_begin[loc])
            memset(m->core->host.memory[loc] + code->used_begin[loc], 0,
                   (size_t)(code->used_end[loc] - code->used_begin[loc]));
    m->used = true;
    pto_core_reset_registers(m->core);
    for (int32_t s = 0; s < code->slot_count; s++) {
        if (!code->slot[s].reset)
            continue;
        pto_tile tile = code->slot[s].tile;
        tile.data = place_of(m, &tile);
        pto_machine_set_tile(m, s, &tile);
    }
    for (int32_t p = 0; p < code->param_count; p++)
        if (code->param[p].kind == PTO_CODE_PARAM_TILE)
            copy_argument(m, &code->param[p], &m->buffer[p], false);
}

/* Every block has its own copy of a tile argument; the last block's is the one that is kept. */
void pto_machine_end(pto_machine *m) {
    const pto_code *code = m->code;
    for (int32_t p = 0; p < code->param_count; p++)
        if (code->param[p].kind == PTO_CODE_PARAM_TILE && m->run + 1 == m->runs && !m->buffer[p].read_only)
            copy_argument(m, &code->param[p], &m->buffer[p], true);
}

/* ---- what the core says ---------------------------------------------------------------------------- */

bool pto_machine_report(const pto_machine *m, int32_t at, const pto_diagnostic *diagnostic,
                        pto_diag_list *to) {
    const pto_operation *op = m->code->origin[at];
    pto_source *source = m->code->program->source;
    pto_span span = op ? op->span : (pto_span){0, 0};
    if (op && op->kind == PTO_OPK_INSTR && diagnostic->where.operand) {
        int position = pto_form_operand_index(pto_form_get(op->form), diagnostic->where.operand);
        pto_span place = position >= 0 ? pto_instr_span(op, position) : span;
        if (place.begin < place.end)
            span = place;
    }
    pto_where where = source ? pto_at(source, span.begin, span.end) : pto_nowhere();
    where.operand = diagnostic->where.operand;
    if (!pto_diag_add(to, diagnostic->severity, diagnostic->rule, where, "%s", diagnostic->message))
        return false;
    if (diagnostic->found)
        pto_diag_found(to, "%s", diagnostic->found);
    if (diagnostic->allowed)
        pto_diag_allowed(to, "%s", diagnostic->allowed);
    if (diagnostic->target)
        pto_diag_target(to, diagnostic->target);
    if (diagnostic->fix)
        pto_diag_fix(to, "%s", diagnostic->fix);
    return true;
}

/* A core merges what has the same words: its list is emptied, so that another instruction can say them too.
 */
void pto_machine_keep_warnings(pto_machine *m, int32_t at) {
    pto_diag_list *said = pto_core_diags(m->core);
    for (const pto_diagnostic *d = pto_diag_first(said); d; d = d->next)
        if (pto_machine_report(m, at, d, m->warnings))
            m->warned_in[pto_diag_count(m->warnings, d->severity) - 1] = (uint32_t)m->run;
    pto_diag_list_clear(said);
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

/* Outside of its core's code a machine follows the scalars and leaves the effects to the other one. */
static inline bool is_foreign(const pto_machine *m) { return m->issue && m->section != m->core_number; }

static pto_status issue_instr(pto_machine *m, const pto_instr *instr) {
    return is_foreign(m) ? PTO_OK : m->issue->instr(m->issue->user, m, instr);
}

static pto_status execute_instr(pto_machine *m, pto_machine_instr *live) {
    pto_instr *instr = &live->instr;
    for (int i = 0; i < live->patch_count; i++) {
        pto_scalar *scalar = &instr->operand[live->patch[i].position].scalar;
        pto_register value = m->reg[live->patch[i].reg];
        if (live->patch[i].is_float) {
            if (memcmp(&scalar->f, &value.f, sizeof value.f)) {
                scalar->f = value.f;
                instr->verified = false;
            }
        } else if (scalar->i != value.i) {
            scalar->i = value.i;
            instr->verified = false;
        }
    }
    if (live->depend_count) {
        uint32_t sum = 0;
        for (int i = 0; i < live->depend_count; i++)
            sum += *live->depend[i];
        if (sum != live->seen) {
            live->seen = sum;
            instr->verified = false;
        }
    }
    pto_status status = PTO_OK;
    if (!instr->verified)
        status = pto_core_verify(m->core, instr);
    if (status == PTO_OK && live->changes < 0)
        return m->issue ? issue_instr(m, instr) : pto_core_execute(m->core, instr);
    if (status == PTO_OK) {
        pto_tile before = m->tile[live->changes];
        status = pto_core_execute(m->core, instr);
        pto_tile after = m->tile[live->changes];
        m->tile[live->changes] = before;
        pto_machine_set_tile(m, live->changes, &after);
    }
    return status;
}

static pto_status print_format(pto_machine *m, const pto_code_op *op, int32_t at) {
    const size_t begin = m->text_len;
    const pto_attr *attr = pto_operation_attr(m->code->origin[at], "format");
    pto_str text = attr ? attr->text : (pto_str){0};
    char number[PTO_FORMAT_SIZE + 32];
    if (op->a >= 0 && op->flag) {
        pto_str shown = pto_format_f64(m->reg[op->a].f, number);
        number[shown.len] = 0;
    } else if (op->a >= 0) {
        snprintf(number, sizeof number, "%lld", (long long)m->reg[op->a].i);
    }
    /* the first conversion of the text is replaced by the scalar, whatever its letter */
    size_t i = 0;
    bool placed = op->a < 0;
    while (i < text.len) {
        if (text.data[i] != '%' || i + 1 == text.len) {
            pto_machine_print(m, text.data + i++, 1);
            continue;
        }
        if (text.data[i + 1] == '%') {
            pto_machine_print(m, "%", 1);
            i += 2;
            continue;
        }
        size_t end = i + 1;
        while (end < text.len && strchr("-+ #0123456789.lhz", text.data[end]))
            end++;
        if (placed || end == text.len) {
            pto_machine_print(m, text.data + i, end - i);
            i = end;
            continue;
        }
        pto_machine_print(m, number, strlen(number));
        placed = true;
        i = end + 1;
    }
    if (!text.len || text.data[text.len - 1] != '\n')
        pto_machine_print(m, "\n", 1);
    if (!m->issue)
        return PTO_OK;
    /* printed when its turn comes */
    const size_t len = m->text_len - begin;
    m->text_len = begin;
    return is_foreign(m) ? PTO_OK : m->issue->print(m->issue->user, m, m->text + begin, len);
}

static pto_status tell_sync(pto_machine *m, const pto_code_op *op) {
    pto_pipe src = (pto_pipe)op->a, dst = (pto_pipe)op->b;
    int64_t id = op->dst >= 0 ? m->reg[op->dst].i : op->c;
    if (m->issue && m->issue->sync)
        return is_foreign(m) ? PTO_OK
                             : m->issue->sync(m->issue->user, m, (pto_code_sync)op->flag, src, dst, id);
    switch ((pto_code_sync)op->flag) {
    case PTO_SYNC_SET:
        pto_checker_set_flag(m->checker, src, dst, id);
        break;
    case PTO_SYNC_WAIT:
        pto_checker_wait_flag(m->checker, src, dst, id);
        break;
    case PTO_SYNC_BARRIER:
        if (m->code->origin[m->at] && m->code->origin[m->at]->kind == PTO_OPK_INSTR)
            pto_checker_own_barrier(m->checker, src);
        else
            pto_checker_barrier(m->checker, src);
        break;
    case PTO_SYNC_GET:
        pto_checker_get_buf(m->checker, src, id);
        break;
    case PTO_SYNC_RELEASE:
        pto_checker_rls_buf(m->checker, src, id);
        break;
    case PTO_SYNC_SIGNAL:
        pto_checker_signal(m->checker, src, id);
        break;
    case PTO_SYNC_AWAIT:
        pto_checker_await(m->checker, src, id);
        break;
    case PTO_SYNC_NOTHING:
        break;
    }
    return PTO_OK;
}

static inline bool below(int64_t a, int64_t b, bool is_unsigned) {
    return is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

static inline bool should_stop(const pto_machine *m) {
    return (m->cancel && *m->cancel) ||
           (m->stop_above && m->run > (int64_t)atomic_load_explicit(m->stop_above, memory_order_relaxed));
}

void pto_machine_begin(pto_machine *m, uint32_t run) {
    m->run = run;
    m->block = run / m->subblocks;
    m->subblock = run % m->subblocks;
    pto_core_set_subblock(m->core, (uint32_t)m->subblock, (uint32_t)m->subblocks);
    m->rule = NULL;
    m->text_len = 0;
    begin_block(m);
    if (m->checker) {
        pto_checker_block(m->checker, run);
        pto_checker_begin(m->checker);
        for (int32_t p = 0; p < m->code->param_count; p++) {
            const pto_code_param *param = &m->code->param[p];
            const pto_tile *tile = param->kind == PTO_CODE_PARAM_TILE ? &m->tile[param->slot] : NULL;
            if (tile)
                pto_checker_preset(m->checker, tile->type.loc, tile->addr,
                                   tile->addr + pto_tile_type_bytes(&tile->type));
        }
    }
    m->at = 0;
    m->section = 0;
    m->segment = 0;
    m->pause = m->ended = false;
}

pto_status pto_machine_run(pto_machine *m, uint32_t run) {
    pto_machine_begin(m, run);
    pto_status status = pto_machine_go_on(m);
    if (status == PTO_OK)
        pto_machine_end(m);
    return status;
}

/* A section of another core is stepped over. */
static int32_t enter_section(pto_machine *m, const pto_code_op *op, int32_t at) {
    m->segment++;
    if (m->issue->all_sections)
        m->core_number = op->flag ? op->a : 0;
    if (op->flag && op->a != m->core_number)
        return op->extra;
    m->section = op->flag ? op->a : 0;
    return at + 1;
}

pto_status pto_machine_go_on(pto_machine *m) {
    const pto_code_op *ops = m->code->op;
    int32_t at = m->at;
    pto_status status = PTO_OK;
    for (;;) {
        const pto_code_op *op = &ops[at];
        pto_register *r = m->reg;
        m->at = at;
        if (m->checker)
            pto_checker_site(m->checker, at);
        if (m->issue && m->issue->visit) {
            status = m->issue->visit(m->issue->user, m, op);
            if (status != PTO_OK) {
                m->fault = at;
                return status;
            }
        }
        switch (op->kind) {
        case PTO_CODE_END:
            if (m->checker)
                pto_checker_end(m->checker);
            m->ended = true;
            return PTO_OK;
        case PTO_CODE_INSTR:
            if (should_stop(m))
                return PTO_ERR_CANCELLED;
            status = execute_instr(m, &m->instr[op->extra]);
            if (status == PTO_OK && pto_diag_first(pto_core_diags(m->core)))
                pto_machine_keep_warnings(m, at);
            break;
        case PTO_CODE_JUMP:
            if (op->extra <= at && should_stop(m))
                return PTO_ERR_CANCELLED;
            at = op->extra;
            continue;
        case PTO_CODE_JUMP_UNLESS:
            if (!(r[op->a].i & 1)) {
                at = op->extra;
                continue;
            }
            break;
        case PTO_CODE_FOR_BEGIN:
            if (r[op->c].i <= 0 && !(op->flag && r[op->c].i != 0)) {
                status = pto_machine_fail(m, "PTO-E0905", "a step above 0", "%lld", (long long)r[op->c].i);
                break;
            }
            r[op->dst] = r[op->a];
            if (!below(r[op->a].i, r[op->b].i, op->flag)) {
                at = op->extra;
                continue;
            }
            break;
        case PTO_CODE_FOR_NEXT: {
            /* the counter is below the bound here, so the distance does not overflow */
            uint64_t mask = op->flag && op->width < 64 ? (UINT64_C(1) << op->width) - 1 : ~UINT64_C(0);
            uint64_t left = ((uint64_t)r[op->b].i - (uint64_t)r[op->dst].i) & mask;
            if (left <= ((uint64_t)r[op->c].i & mask))
                break;
            if (should_stop(m))
                return PTO_ERR_CANCELLED;
            r[op->dst].i = (int64_t)((uint64_t)r[op->dst].i + (uint64_t)r[op->c].i);
            if (mask != ~UINT64_C(0))
                r[op->dst].i = pto_fact_wrap(r[op->dst].i, op->width, op->to);
            at = op->extra;
            continue;
        }
        case PTO_CODE_MOVE:
            r[op->dst] = r[op->a];
            break;
        case PTO_CODE_SYNC:
            if (m->checker || m->issue)
                status = tell_sync(m, op);
            break;
        case PTO_CODE_CORE:
            if (m->checker)
                pto_checker_core(m->checker, op->a);
            if (m->issue) {
                at = enter_section(m, op, at);
                continue;
            }
            break;
        case PTO_OPK_ARITH_ADDI:
            if (op->to == 64) {
                r[op->dst].i = (int64_t)((uint64_t)r[op->a].i + (uint64_t)r[op->b].i);
                break;
            }
            status = pto_machine_scalar(m, op);
            break;
        case PTO_OPK_ARITH_MULI:
            if (op->to == 64) {
                r[op->dst].i = (int64_t)((uint64_t)r[op->a].i * (uint64_t)r[op->b].i);
                break;
            }
            status = pto_machine_scalar(m, op);
            break;
        case PTO_OPK_GET_BLOCK_IDX:
            r[op->dst].i = m->block;
            break;
        case PTO_OPK_GET_BLOCK_NUM:
            r[op->dst].i = m->blocks;
            break;
        case PTO_OPK_GET_SUBBLOCK_IDX:
            r[op->dst].i = m->subblock;
            break;
        case PTO_OPK_GET_SUBBLOCK_NUM:
            r[op->dst].i = m->subblocks;
            break;
        case PTO_OPK_PRINT:
            status = print_format(m, op, at);
            break;
        case PTO_OPK_TRAP:
            status = pto_machine_fail(m, "PTO-E0908", NULL, "in block %lld", (long long)m->block);
            break;
        case PTO_OPK_ADDPTR:
        case PTO_OPK_LOAD_SCALAR:
        case PTO_OPK_STORE_SCALAR:
        case PTO_OPK_MAKE_TENSOR_VIEW:
        case PTO_OPK_PARTITION_VIEW:
        case PTO_OPK_GET_TENSOR_VIEW_DIM:
        case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
        case PTO_OPK_SUBSET:
        case PTO_OPK_BITCAST:
        case PTO_OPK_TSETVAL:
        case PTO_OPK_TGETVAL:
        case PTO_CODE_MOVE_VIEW:
        case PTO_CODE_MOVE_TILE:
        case PTO_CODE_COPY_TILE:
        case PTO_CODE_COPY_VALID:
        case PTO_CODE_VIEW_VALID:
        case PTO_CODE_LABEL_VIEW:
        case PTO_CODE_INDEX_VIEW:
        case PTO_CODE_SET_VALID:
            status = pto_machine_access(m, op);
            break;
        default:
            status = pto_machine_scalar(m, op);
            break;
        }
        if (status != PTO_OK) {
            m->fault = at;
            return status;
        }
        at = m->again ? at : at + 1;
        if (m->pause) {
            m->pause = m->again = false;
            m->at = at;
            return PTO_OK;
        }
    }
}
