/* SPDX-License-Identifier: Apache-2.0 */
/* What the checkers find, told in the words and at the places of the program: both accesses, the bytes, and
 * the line that would order them; and races between blocks, found when all have run. */
#include "run/findings.h"

#include "isa/legality.h"
#include "program/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pto_span span_of(const pto_code *code, const pto_check_access *a) {
    const pto_operation *op = a->site >= 0 && a->site < code->op_count ? code->origin[a->site] : NULL;
    if (!op)
        return (pto_span){0, 0};
    if (op->kind == PTO_OPK_INSTR && a->operand >= 0) {
        pto_span at = pto_instr_span(op, a->operand);
        if (at.begin < at.end)
            return at;
    }
    return op->span;
}

static pto_where where_of(const pto_code *code, const pto_check_access *a) {
    pto_span span = span_of(code, a);
    pto_where where =
        code->program->source ? pto_at(code->program->source, span.begin, span.end) : pto_nowhere();
    if (a->number && a->operand >= 0)
        where.operand = pto_form_get(a->form)->operand[a->operand].name;
    return where;
}

static uint32_t line_of(const pto_code *code, const pto_check_access *a) {
    uint32_t line = 0, column;
    pto_span span = span_of(code, a);
    if (code->program->source && span.begin < span.end)
        pto_source_locate(code->program->source, span.begin, &line, &column);
    return line;
}

static const char *title_of(const pto_code *code, const pto_check_access *a) {
    const pto_operation *op = a->site >= 0 && a->site < code->op_count ? code->origin[a->site] : NULL;
    return op ? (op->kind == PTO_OPK_INSTR ? pto_form_get(op->form)->mnemonic : pto_op_kind_name(op->kind))
              : "operation";
}

/* "vec bytes 0 to 1023", "bytes 64 to 127 of argument x" */
static void words_of_bytes(const pto_check_finding *f, char *out, size_t size) {
    if (f->memory == PTO_CHECK_GLOBAL)
        snprintf(out, size, "bytes %llu to %llu of argument %s", (unsigned long long)f->begin,
                 (unsigned long long)f->end - 1, f->name ? f->name : "(unnamed)");
    else
        snprintf(out, size, "%s bytes %llu to %llu", pto_loc_name((pto_loc)f->memory),
                 (unsigned long long)f->begin, (unsigned long long)f->end - 1);
}

static const char *verb(const pto_check_access *a) { return a->write ? "writes" : "reads"; }
static pto_pipe pipe_of(const pto_check_access *a) { return (pto_pipe)(a->lane % PTO_CHECK_PIPES); }

static void tell_race(pto_findings *all, const pto_check_finding *f) {
    char bytes[96];
    const pto_code *code = all->code;
    words_of_bytes(f, bytes, sizeof bytes);
    bool blocks = !strcmp(f->rule, "PTO-E1104");
    pto_diag_found(all->diags, "%s on %s %s %s that %s on %s %s%s, and nothing orders them",
                   title_of(code, &f->second), pto_pipe_name(f->dst), verb(&f->second), bytes,
                   title_of(code, &f->first), pto_pipe_name(f->src), verb(&f->first),
                   blocks ? " in another block" : "");
    uint32_t first = line_of(code, &f->first), second = line_of(code, &f->second);
    const char *src = pto_pipe_name(f->src), *dst = pto_pipe_name(f->dst);
    const char *p = strncmp(src, "PIPE_", 5) ? "PIPE_" : "";
    if (blocks)
        pto_diag_fix(all->diags, "give every block bytes of its own, or add atomically");
    else if (f->src == f->dst)
        pto_diag_fix(all->diags, "insert pto.barrier <%s%s> before line %u", p, dst, second);
    else
        pto_diag_fix(
            all->diags,
            "insert pto.set_flag[<%s%s>, <%s%s>, <EVENT_ID0>] behind line %u and the same wait_flag before "
            "line %u",
            p, src, p, dst, first, second);
    pto_diag_note(all->diags, where_of(code, &f->first), "the earlier access is here");
}

static void tell_sync(pto_findings *all, const pto_check_finding *f) {
    const char *src = pto_pipe_name(f->src), *dst = pto_pipe_name(f->dst);
    if (f->src != f->dst && f->dst != PTO_PIPE_ALL)
        pto_diag_found(all->diags, "flag %d from %s to %s", f->id, src, dst);
    else
        pto_diag_found(all->diags, "id %d on %s", f->id, src);
    if (f->first.number)
        pto_diag_note(all->diags, where_of(all->code, &f->first), "the earlier one is here");
}

void pto_findings_add(pto_findings *all, const pto_check_finding *f) {
    const pto_rule_text *text = pto_rule_find(f->rule);
    pthread_mutex_lock(&all->mutex);
    bool fresh =
        pto_diag_add(all->diags, text ? text->severity : PTO_ERROR, f->rule, where_of(all->code, &f->second),
                     "%s: %s", title_of(all->code, &f->second), text ? text->title : "finding");
    if (fresh) {
        all->count++;
        pto_diag_target(all->diags, pto_target_name(all->code->target));
        if (f->memory >= 0 && f->first.number) {
            tell_race(all, f);
        } else if (f->memory >= 0) {
            char bytes[96];
            words_of_bytes(f, bytes, sizeof bytes);
            pto_diag_found(all->diags, "%s", bytes);
            if (text && text->fix)
                pto_diag_fix(all->diags, "%s", text->fix);
        } else {
            tell_sync(all, f);
            if (text && text->fix)
                pto_diag_fix(all->diags, "%s", text->fix);
        }
    }
    pthread_mutex_unlock(&all->mutex);
}

/* ---- between blocks -------------------------------------------------------------------------------- */

typedef struct collector {
    pto_findings *all;
    uint32_t block;
} collector;

static void collect(void *user, uint64_t begin, uint64_t end, const pto_check_access *access) {
    collector *c = user;
    pto_findings *all = c->all;
    if (all->piece_count == all->piece_capacity) {
        size_t wanted = all->piece_capacity ? all->piece_capacity * 2 : 256;
        pto_findings_piece *grown = realloc(all->piece, wanted * sizeof *grown);
        if (!grown)
            return;
        all->piece = grown;
        all->piece_capacity = wanted;
    }
    all->piece[all->piece_count++] = (pto_findings_piece){begin, end, c->block, *access};
}

void pto_findings_block(pto_findings *all, const pto_checker *checker, uint32_t block) {
    collector c = {all, block};
    pthread_mutex_lock(&all->mutex);
    pto_checker_each_global(checker, collect, &c);
    pthread_mutex_unlock(&all->mutex);
}

static int by_begin(const void *a, const void *b) {
    const pto_findings_piece *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* The two that reach farthest, of different blocks: if any earlier piece of another block reaches into a new
 * one, one of them does. */
typedef struct reach {
    const pto_findings_piece *best, *other;
} reach;

static void extend(reach *r, const pto_findings_piece *piece) {
    if (r->best && piece->block == r->best->block) {
        if (piece->end > r->best->end)
            r->best = piece;
    } else if (!r->best || piece->end > r->best->end) {
        r->other = r->best;
        r->best = piece;
    } else if (!r->other || piece->end > r->other->end) {
        r->other = piece;
    }
}

static const pto_findings_piece *meets(const reach *r, const pto_findings_piece *piece) {
    if (r->best && r->best->block != piece->block && r->best->end > piece->begin)
        return r->best;
    return r->other && r->other->block != piece->block && r->other->end > piece->begin ? r->other : NULL;
}

static const char *argument_of(const pto_findings *all, uint64_t at, uint64_t *base) {
    for (int32_t i = 0; i < all->code->param_count; i++) {
        uint64_t begin = (uint64_t)(uintptr_t)all->buffer[i].data;
        if (at >= begin && at < begin + all->buffer[i].bytes) {
            *base = begin;
            return all->buffer[i].name;
        }
    }
    *base = 0;
    return NULL;
}

void pto_findings_between_blocks(pto_findings *all) {
    reach writes = {0}, any = {0}, plain = {0};
    if (all->piece_count)
        qsort(all->piece, all->piece_count, sizeof *all->piece, by_begin);
    for (size_t i = 0; i < all->piece_count; i++) {
        const pto_findings_piece *p = &all->piece[i];
        /* two atomic additions do not conflict */
        const pto_findings_piece *old = p->access.atomic  ? meets(&plain, p)
                                        : p->access.write ? meets(&any, p)
                                                          : meets(&writes, p);
        if (old) {
            uint64_t base;
            const char *name = argument_of(all, p->begin, &base);
            uint64_t end = old->end < p->end ? old->end : p->end;
            pto_check_finding f = {.rule = "PTO-E1104",
                                   .first = old->access,
                                   .second = p->access,
                                   .memory = PTO_CHECK_GLOBAL,
                                   .begin = p->begin - base,
                                   .end = end - base,
                                   .name = name,
                                   .src = pipe_of(&old->access),
                                   .dst = pipe_of(&p->access),
                                   .id = -1};
            pto_findings_add(all, &f);
        }
        extend(&any, p);
        if (p->access.write)
            extend(&writes, p);
        if (!p->access.atomic)
            extend(&plain, p);
    }
}
