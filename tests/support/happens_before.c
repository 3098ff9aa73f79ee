/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/happens_before.h"
#include "support/program_testing.h"

#include "isa/isa.h"
#include "run/machine.h"
#include "run/prepare.h"
#include "tile/tile.h"

enum { OPERATION = -1, ALL = PTO_PIPE_ALL };

typedef struct range {
    int memory;
    uint64_t begin, end;
    bool write, atomic;
} range;

typedef struct event {
    int kind; /* OPERATION or pto_sync_kind */
    int core, pipe, dst;
    int64_t id;
    int32_t site;
    size_t first, count;                                      /* ranges */
    uint64_t low[PTO_LOC_COUNT + 1], high[PTO_LOC_COUNT + 1]; /* all of them lie between */
} event;

typedef struct recorder {
    pto_target target;
    event *event;
    size_t events, room;
    range *range;
    size_t ranges, range_room;
} recorder;

/* ---- recording ------------------------------------------------------------------------------------- */

static event *add_event(recorder *r, const pto_machine *m, int kind, int pipe) {
    if (r->events == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->event = realloc(r->event, r->room * sizeof *r->event);
        assert_non_null(r->event);
    }
    r->event[r->events] = (event){
        .kind = kind, .core = m->core_number, .pipe = pipe, .dst = ALL, .site = m->at, .first = r->ranges};
    return &r->event[r->events++];
}

static void add_bytes(recorder *r, range bytes) {
    event *e = &r->event[r->events - 1];
    if (!e->high[bytes.memory] || bytes.begin < e->low[bytes.memory])
        e->low[bytes.memory] = bytes.begin;
    if (bytes.end > e->high[bytes.memory])
        e->high[bytes.memory] = bytes.end;
    if (e->count) {
        range *last = &r->range[r->ranges - 1];
        if (last->memory == bytes.memory && last->write == bytes.write && last->atomic == bytes.atomic &&
            bytes.begin >= last->begin && bytes.begin <= last->end) {
            last->end = bytes.end > last->end ? bytes.end : last->end;
            return;
        }
    }
    if (r->ranges == r->range_room) {
        r->range_room = r->range_room ? 2 * r->range_room : 256;
        r->range = realloc(r->range, r->range_room * sizeof *r->range);
        assert_non_null(r->range);
    }
    r->range[r->ranges++] = bytes;
    e->count++;
}

/* Element by element; what fills a capacity and scratch writes all of it. */
static void add_tile(recorder *r, const pto_tile *t, bool write, bool scratch) {
    const pto_tile_type *type = &t->type;
    range bytes = {.memory = (int)type->loc, .write = write};
    bool fills = type->pad != PTO_PAD_NULL || type->loc == PTO_LOC_MAT || type->slayout != PTO_NONE_BOX;
    if (scratch || (write && fills)) {
        uint64_t size = pto_tile_type_bytes(type);
        bytes.begin = t->addr;
        bytes.end = t->addr + (t->room && size > t->room ? t->room : size);
        add_bytes(r, bytes);
        return;
    }
    unsigned bits = pto_dtype_bits(type->dtype);
    bool down = type->slayout == PTO_NONE_BOX && type->blayout == PTO_COL_MAJOR;
    int32_t outer = down ? t->valid_cols : t->valid_rows, inner = down ? t->valid_rows : t->valid_cols;
    for (int32_t i = 0; i < outer; i++)
        for (int32_t k = 0; k < inner; k++) {
            uint64_t at = (uint64_t)pto_tile_offset(type, down ? k : i, down ? i : k);
            bytes.begin = t->addr + at * bits / 8;
            bytes.end = t->addr + (at * bits + bits + 7) / 8;
            add_bytes(r, bytes);
        }
}

static void add_global(recorder *r, const pto_global *g, bool write, bool atomic) {
    int64_t bits = pto_dtype_bits(g->dtype);
    int64_t i[5];
    for (i[0] = 0; i[0] < g->shape[0]; i[0]++)
        for (i[1] = 0; i[1] < g->shape[1]; i[1]++)
            for (i[2] = 0; i[2] < g->shape[2]; i[2]++)
                for (i[3] = 0; i[3] < g->shape[3]; i[3]++)
                    for (i[4] = 0; i[4] < g->shape[4]; i[4]++) {
                        int64_t at = 0;
                        for (int d = 0; d < 5; d++)
                            at += i[d] * g->stride[d];
                        uint64_t begin = (uint64_t)(uintptr_t)g->data + (uint64_t)(at * bits / 8);
                        add_bytes(r, (range){.memory = PTO_LOC_COUNT,
                                             .begin = begin,
                                             .end = begin + (uint64_t)(bits + 7) / 8,
                                             .write = write,
                                             .atomic = atomic});
                    }
}

static pto_status on_instr(void *user, pto_machine *m, const pto_instr *instr) {
    recorder *r = user;
    const pto_form_desc *form = pto_form_get(instr->form);
    bool views = false, atomic = false;
    int pipe = (int)pto_instr_pipe(instr);
    for (int i = 0; i < form->operand_count; i++) {
        views |= form->operand[i].binds;
        atomic |=
            (form->operand[i].attr == PTO_ATTR_ATOMIC || form->operand[i].attr == PTO_ATTR_SCATTER_ATOMIC) &&
            instr->operand[i].kind == PTO_OPERAND_SCALAR && instr->operand[i].scalar.i;
    }
    if (pipe == ALL) {
        add_event(r, m, PTO_SYNC_BARRIER, ALL);
        pipe = PTO_PIPE_S;
    }
    add_event(r, m, OPERATION, pipe);
    for (int i = 0; i < form->operand_count && !views; i++) {
        const pto_operand *operand = &instr->operand[i];
        pto_role role = form->operand[i].role;
        bool reads = role == PTO_ROLE_IN || role == PTO_ROLE_INOUT, scratch = role == PTO_ROLE_TMP;
        bool writes = role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT || scratch;
        for (int write = 0; write < 2; write++) {
            if (write ? !writes : !reads)
                continue;
            if (operand->kind == PTO_OPERAND_TILE)
                add_tile(r, operand->tile, write, scratch);
            else if (operand->kind == PTO_OPERAND_GLOBAL)
                add_global(r, operand->global, write, atomic);
        }
    }
    const pto_operation *op = m->code->origin[m->at];
    if (r->target == PTO_TARGET_A2A3 && op && pto_instr_uses_implicit_scratch(op))
        add_bytes(r, (range){.memory = PTO_LOC_VEC, .begin = 184 * 1024, .end = 192 * 1024, .write = true});
    return pto_core_execute(m->core, instr);
}

static pto_status on_sync(void *user, pto_machine *m, pto_code_sync kind, pto_pipe src, pto_pipe dst,
                          int64_t id) {
    event *e = add_event(user, m, (int)kind, (int)src);
    e->dst = (int)dst;
    e->id = id;
    return PTO_OK;
}

static pto_status on_element(void *user, pto_machine *m, const pto_machine_element *element) {
    recorder *r = user;
    unsigned bits = pto_dtype_bits(element->dtype);
    uint64_t base = (uint64_t)(uintptr_t)element->base;
    if (element->memory < PTO_LOC_COUNT)
        base -= (uint64_t)(uintptr_t)m->core->host.memory[element->memory];
    base += (uint64_t)element->index * bits / 8;
    add_event(r, m, OPERATION, PTO_PIPE_S);
    add_bytes(r, (range){.memory = element->memory < PTO_LOC_COUNT ? element->memory : PTO_LOC_COUNT,
                         .begin = base,
                         .end = base + (bits + 7) / 8,
                         .write = element->store});
    pto_machine_move_element(element);
    return PTO_OK;
}

static pto_status on_print(void *user, pto_machine *m, const char *text, size_t len) {
    (void)user, (void)m, (void)text, (void)len;
    return PTO_OK;
}

static void on_drain(void *user, pto_machine *m) { (void)user, (void)m; }

/* ---- the relation ----------------------------------------------------------------------------------- */

static bool ordered(pto_target target, int pipe) {
    if (target == PTO_TARGET_A2A3)
        return pipe != PTO_PIPE_V && pipe != PTO_PIPE_MTE3;
    return pipe != PTO_PIPE_MTE2 && pipe != PTO_PIPE_MTE3;
}

/* The queue in which an event stands; ALL = in those of its core. */
static int queue_of(const event *e) { return e->kind == PTO_SYNC_WAIT ? e->dst : e->pipe; }

/* Which queues it holds back. */
static bool holds(const recorder *r, const event *e, int pipe) {
    switch (e->kind) {
    case PTO_SYNC_WAIT:
        return e->dst == PTO_PIPE_S || e->dst == pipe;
    case PTO_SYNC_BARRIER:
        return e->pipe == ALL || e->pipe == pipe;
    case PTO_SYNC_GET:
        return e->pipe == PTO_PIPE_S || e->pipe == pipe;
    case PTO_SYNC_AWAIT:
        return r->target != PTO_TARGET_A5 || e->pipe == PTO_PIPE_S || e->pipe == pipe;
    default:
        return false;
    }
}

/* Does it wait for what was issued to a queue before? */
static bool collects(const event *e, int pipe) {
    return (e->kind == PTO_SYNC_SET || e->kind == PTO_SYNC_BARRIER || e->kind == PTO_SYNC_RELEASE ||
            e->kind == PTO_SYNC_SIGNAL) &&
           (e->pipe == ALL || e->pipe == pipe);
}

/* An edge between two events of one core, the first issued before the second. */
static bool tied(const recorder *r, const event *a, const event *b) {
    if (a->core != b->core)
        return false;
    if (a->kind == OPERATION && b->kind == OPERATION)
        return a->pipe == b->pipe && ordered(r->target, a->pipe);
    if (a->kind == OPERATION)
        return collects(b, a->pipe);
    int queue = queue_of(b);
    if (queue != ALL && holds(r, a, queue))
        return true;
    if (queue == ALL) /* a barrier of all pipes follows everything that holds back one */
        return a->kind != PTO_SYNC_SET && a->kind != PTO_SYNC_SIGNAL && a->kind != PTO_SYNC_RELEASE;
    return false;
}

typedef struct relation {
    size_t words;
    uint64_t *before; /* before[j]: who precedes j */
} relation;

static bool precedes(const relation *h, size_t i, size_t j) {
    return h->before[j * h->words + i / 64] >> i % 64 & 1;
}
static void set(relation *h, size_t i, size_t j) {
    h->before[j * h->words + i / 64] |= UINT64_C(1) << i % 64;
}

/* The set that a wait consumes, the release that a get follows; counts misuse. */
static size_t pair_up(const recorder *r, relation *h) {
    size_t misuse = 0;
    bool *taken = calloc(r->events + 1, sizeof *taken);
    assert_non_null(taken);
    for (size_t j = 0; j < r->events; j++) {
        const event *b = &r->event[j];
        bool flag = b->kind == PTO_SYNC_SET || b->kind == PTO_SYNC_WAIT;
        bool token = b->kind == PTO_SYNC_GET || b->kind == PTO_SYNC_RELEASE;
        bool cross = b->kind == PTO_SYNC_SIGNAL || b->kind == PTO_SYNC_AWAIT;
        if (!flag && !token && !cross)
            continue;
        if (b->id < 0 || b->id >= (flag ? 8 : 32)) {
            misuse++;
            continue;
        }
        if (b->kind == PTO_SYNC_WAIT || b->kind == PTO_SYNC_AWAIT) {
            size_t i = 0;
            for (; i < j; i++) {
                const event *a = &r->event[i];
                bool match = flag ? a->kind == PTO_SYNC_SET && a->core == b->core && a->pipe == b->pipe &&
                                        a->dst == b->dst
                                  : a->kind == PTO_SYNC_SIGNAL && a->core != b->core;
                if (match && a->id == b->id && !taken[i])
                    break;
            }
            if (i == j) {
                misuse++;
                continue;
            }
            taken[i] = true;
            set(h, i, j);
        } else if (b->kind == PTO_SYNC_SET) {
            for (size_t i = 0; i < j; i++) {
                const event *a = &r->event[i];
                misuse += a->kind == PTO_SYNC_SET && a->core == b->core && a->pipe == b->pipe &&
                          a->dst == b->dst && a->id == b->id && !taken[i];
            }
        } else if (token) {
            const event *last = NULL;
            size_t at = 0;
            for (size_t i = 0; i < j; i++) {
                const event *a = &r->event[i];
                if ((a->kind == PTO_SYNC_GET || a->kind == PTO_SYNC_RELEASE) && a->id == b->id) {
                    last = a;
                    at = i;
                }
            }
            bool held = last && last->kind == PTO_SYNC_GET;
            if (b->kind == PTO_SYNC_GET) {
                misuse += held;
                if (last && !held)
                    set(h, at, j);
            } else {
                misuse += !held || last->pipe != b->pipe || last->core != b->core;
            }
        }
    }
    /* what is left at the end */
    for (size_t j = 0; j < r->events; j++) {
        const event *b = &r->event[j];
        misuse += b->kind == PTO_SYNC_SET && b->id >= 0 && b->id < 8 && !taken[j];
        bool left = b->kind == PTO_SYNC_GET && b->id >= 0 && b->id < 32;
        for (size_t k = j + 1; left && k < r->events; k++)
            left = !((r->event[k].kind == PTO_SYNC_RELEASE || r->event[k].kind == PTO_SYNC_GET) &&
                     r->event[k].id == b->id);
        misuse += left;
    }
    free(taken);
    return misuse;
}

static bool conflict(const recorder *r, const event *a, const event *b) {
    bool near = false;
    for (int m = 0; m <= PTO_LOC_COUNT; m++)
        near |= a->low[m] < b->high[m] && b->low[m] < a->high[m];
    if (!near)
        return false;
    for (size_t i = a->first; i < a->first + a->count; i++)
        for (size_t k = b->first; k < b->first + b->count; k++) {
            const range *x = &r->range[i], *y = &r->range[k];
            if (x->memory == y->memory && x->begin < y->end && y->begin < x->end && (x->write || y->write) &&
                !(x->atomic && y->atomic))
                return true;
        }
    return false;
}

static unsigned line_of(const pto_code *code, const event *e) {
    uint32_t line = 0, column;
    const pto_operation *op = code->origin[e->site];
    if (op && code->program->source)
        pto_source_locate(code->program->source, op->span.begin, &line, &column);
    return line;
}

static hb_verdict judge(const recorder *r, const pto_code *code) {
    hb_verdict verdict = {.events = r->events};
    relation h = {.words = r->events / 64 + 1};
    h.before = calloc((r->events + 1) * h.words, sizeof *h.before);
    assert_non_null(h.before);
    for (size_t j = 0; j < r->events; j++)
        for (size_t i = 0; i < j; i++)
            if (tied(r, &r->event[i], &r->event[j]))
                set(&h, i, j);
    verdict.misuse = pair_up(r, &h);
    /* every edge leads forward: the rows of the earlier ones are complete */
    for (size_t j = 0; j < r->events; j++)
        for (size_t i = j; i-- > 0;)
            if (precedes(&h, i, j))
                for (size_t w = 0; w < h.words; w++)
                    h.before[j * h.words + w] |= h.before[i * h.words + w];
    for (size_t j = 0; j < r->events && r->target != PTO_TARGET_CPU; j++)
        for (size_t i = 0; i < j; i++) {
            const event *a = &r->event[i], *b = &r->event[j];
            if (a->kind != OPERATION || b->kind != OPERATION || precedes(&h, i, j) || !conflict(r, a, b))
                continue;
            if (!verdict.races++) {
                verdict.first_line = line_of(code, a);
                verdict.second_line = line_of(code, b);
                verdict.first_pipe = (pto_pipe)a->pipe;
                verdict.second_pipe = (pto_pipe)b->pipe;
            }
        }
    free(h.before);
    return verdict;
}

hb_verdict happens_before(pto_program *program, const char *entry, pto_target target,
                          const pto_argument *arguments, size_t count) {
    const pto_run_options options = {.entry = entry, .target = target, .has_target = true};
    pto_diag_list *diags = pto_diag_list_create();
    pto_code code;
    pto_machine_buffer *buffers;
    pto_machine machine;
    if (pto_run_prepare(program, arguments, count, &options, true, &code, &buffers, diags) != PTO_OK)
        fail_msg("%s", diag_text(diags));
    const pto_options core = {.target = code.target};
    assert_true(pto_machine_create(&machine, &code, &core, buffers));
    recorder r = {.target = code.target};
    const pto_machine_issue issue = {.user = &r,
                                     .all_sections = true,
                                     .instr = on_instr,
                                     .sync = on_sync,
                                     .element = on_element,
                                     .print = on_print,
                                     .drain = on_drain};
    machine.issue = &issue;
    machine.blocks = machine.subblocks = machine.runs = 1;
    pto_machine_begin(&machine, 0);
    while (!machine.ended)
        assert_int_equal(pto_machine_go_on(&machine), PTO_OK);
    hb_verdict verdict = judge(&r, &code);
    pto_machine_destroy(&machine);
    pto_code_release(&code);
    pto_diag_list_destroy(diags);
    free(r.event);
    free(r.range);
    return verdict;
}
