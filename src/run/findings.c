/* SPDX-License-Identifier: Apache-2.0 */
/* What the checkers of all workers find: merged, ordered, counted; races between runs. */
#include "run/findings.h"

#include "isa/legality.h"

#include <stdlib.h>
#include <string.h>

bool pto_findings_init(pto_findings *all, pto_target target, const pto_findings_words *words,
                       pto_suppressions *suppressions) {
    *all = (pto_findings){.target = target, .words = *words, .suppressions = suppressions};
    return pthread_mutex_init(&all->mutex, NULL) == 0;
}

static void drop_records(pto_findings *all) {
    for (size_t i = 0; i < all->record_count; i++)
        free((char *)(uintptr_t)all->record[i].finding.name);
    all->record_count = 0;
}

void pto_findings_release(pto_findings *all) {
    drop_records(all);
    free(all->record);
    free(all->piece);
    pthread_mutex_destroy(&all->mutex);
}

/* ---- collecting ------------------------------------------------------------------------------------ */

static const char *own_name(const char *name) {
    const size_t size = name ? strlen(name) + 1 : 0;
    char *copy = size ? malloc(size) : NULL;
    if (copy)
        memcpy(copy, name, size);
    return copy;
}

static pto_findings_record *record_of(pto_findings *all, uint64_t key) {
    for (size_t i = 0; i < all->record_count; i++)
        if (all->record[i].finding.key == key)
            return &all->record[i];
    return NULL;
}

static void add(pto_findings *all, const pto_check_finding *f) {
    pto_findings_record *record = record_of(all, f->key);
    if (f->repeats) {
        if (record)
            record->count += f->repeats;
        return;
    }
    if (!record) {
        if (all->record_count == all->record_capacity) {
            const size_t wanted = all->record_capacity ? all->record_capacity * 2 : 16;
            pto_findings_record *grown = realloc(all->record, wanted * sizeof *grown);
            if (!grown)
                return;
            all->record = grown;
            all->record_capacity = wanted;
        }
        record = &all->record[all->record_count++];
        *record = (pto_findings_record){.finding = *f, .count = 1, .retracted = f->retracted};
        record->finding.name = own_name(f->name);
        return;
    }
    record->count++;
    record->retracted |= f->retracted;
    if (f->second.block < record->finding.second.block) {
        free((char *)(uintptr_t)record->finding.name);
        record->finding = *f;
        record->finding.name = own_name(f->name);
    }
}

void pto_findings_add(void *findings, const pto_check_finding *f) {
    pto_findings *all = findings;
    pthread_mutex_lock(&all->mutex);
    add(all, f);
    pthread_mutex_unlock(&all->mutex);
}

/* ---- between runs ----------------------------------------------------------------------------------- */

typedef struct collector {
    pto_findings *all;
    uint32_t phase;
} collector;

static void collect(void *user, uint64_t begin, uint64_t end, const pto_check_access *access) {
    pto_findings *all = ((const collector *)user)->all;
    if (all->piece_count == all->piece_capacity) {
        size_t wanted = all->piece_capacity ? all->piece_capacity * 2 : 256;
        pto_findings_piece *grown = realloc(all->piece, wanted * sizeof *grown);
        if (!grown)
            return;
        all->piece = grown;
        all->piece_capacity = wanted;
    }
    all->piece[all->piece_count++] =
        (pto_findings_piece){begin, end, ((const collector *)user)->phase, *access};
}

void pto_findings_block(pto_findings *all, const pto_checker *checker, uint32_t phase) {
    collector c = {all, phase};
    pthread_mutex_lock(&all->mutex);
    pto_checker_each_global(checker, collect, &c);
    pthread_mutex_unlock(&all->mutex);
}

static int by_begin(const void *a, const void *b) {
    const pto_findings_piece *x = a, *y = b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->access.block != y->access.block)
        return x->access.block < y->access.block ? -1 : 1;
    if (x->access.write != y->access.write) /* reads and writes of one run have pieces of their own */
        return x->access.write ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->access.atomic > y->access.atomic) - (x->access.atomic < y->access.atomic);
}

static int by_access(const void *a, const void *b) {
    const pto_findings_piece *x = a, *y = b;
    const uint64_t keys[][2] = {{x->phase, y->phase},
                                {x->access.block, y->access.block},
                                {x->access.write, y->access.write},
                                {x->access.lane, y->access.lane},
                                {x->access.number, y->access.number},
                                {(uint8_t)x->access.operand, (uint8_t)y->access.operand},
                                {x->begin, y->begin}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* The shadow cuts accesses at its pages, which lie by host address: pieces of one access become one again, so
 * that nothing that is told depends on where a buffer lies. */
static void join_pieces(pto_findings *all) {
    if (!all->piece_count)
        return;
    qsort(all->piece, all->piece_count, sizeof *all->piece, by_access);
    size_t kept = 0;
    for (size_t i = 1; i < all->piece_count; i++) {
        pto_findings_piece *last = &all->piece[kept];
        pto_findings_piece beside = all->piece[i];
        beside.begin = last->begin;
        if (all->piece[i].begin == last->end && !by_access(last, &beside))
            last->end = all->piece[i].end;
        else
            all->piece[++kept] = all->piece[i];
    }
    all->piece_count = kept + 1;
}

/* The two that reach farthest, of different runs: if any earlier piece of another run reaches into a new one,
 * one of them does. */
typedef struct reach {
    const pto_findings_piece *best, *other;
} reach;

static bool same_run(const pto_findings_piece *a, const pto_findings_piece *b) {
    return a->access.block == b->access.block;
}

static void extend(reach *r, const pto_findings_piece *piece) {
    if (r->best && same_run(piece, r->best)) {
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
    if (r->best && !same_run(r->best, piece) && r->best->end > piece->begin)
        return r->best;
    return r->other && !same_run(r->other, piece) && r->other->end > piece->begin ? r->other : NULL;
}

static void tell_pair(pto_findings *all, const pto_findings_piece *old, const pto_findings_piece *p) {
    uint64_t base = 0, hash = UINT64_C(1104);
    const char *name = all->words.argument ? all->words.argument(all->words.user, p->begin, &base) : NULL;
    pto_check_finding f = {.rule = "PTO-E1104",
                           .first = old->access,
                           .second = p->access,
                           .memory = PTO_CHECK_GLOBAL,
                           .begin = p->begin - base,
                           .end = (old->end < p->end ? old->end : p->end) - base,
                           .name = name,
                           .src = (pto_pipe)(old->access.lane % PTO_CHECK_PIPES),
                           .dst = (pto_pipe)(p->access.lane % PTO_CHECK_PIPES),
                           .id = -1};
    const uint64_t parts[] = {(uint32_t)f.first.site, (uint32_t)f.second.site,
                              (uint64_t)(uintptr_t)f.first.file, (uint64_t)(uintptr_t)f.second.file,
                              (uint8_t)f.second.operand};
    for (int i = 0; i < 5; i++)
        hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
    f.key = hash;
    add(all, &f);
}

void pto_findings_between_blocks(pto_findings *all) {
    /* of accesses that are no atomic update of a kind: kind 0 stands for all of them; and of writes */
    reach unlike[1 + PTO_SCATTER_MIN] = {{0}}, writes = {0};
    pthread_mutex_lock(&all->mutex);
    join_pieces(all);
    if (all->piece_count)
        qsort(all->piece, all->piece_count, sizeof *all->piece, by_begin);
    for (size_t i = 0; i < all->piece_count; i++) {
        const pto_findings_piece *p = &all->piece[i];
        if (i && p->phase != p[-1].phase)
            writes = unlike[0] = unlike[1] = unlike[2] = unlike[3] = (reach){0};
        /* two atomic updates of one kind do not conflict */
        const pto_findings_piece *old = meets(p->access.write ? &unlike[p->access.atomic] : &writes, p);
        if (old)
            tell_pair(all, old, p);
        if (p->access.write)
            extend(&writes, p);
        for (int kind = 0; kind <= PTO_SCATTER_MIN; kind++)
            if (!kind || p->access.atomic != kind)
                extend(&unlike[kind], p);
    }
    all->piece_count = 0;
    pthread_mutex_unlock(&all->mutex);
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static int by_text(const char *a, const char *b) { return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL); }

static int by_place(const void *a, const void *b) {
    const pto_check_finding *x = &((const pto_findings_record *)a)->finding,
                            *y = &((const pto_findings_record *)b)->finding;
    int order = by_text(x->second.file, y->second.file);
    if (!order)
        order = x->second.line < y->second.line ? -1 : x->second.line > y->second.line;
    if (!order && !x->second.file)
        order = x->second.site < y->second.site ? -1 : x->second.site > y->second.site;
    if (!order)
        order = x->second.operand < y->second.operand ? -1 : x->second.operand > y->second.operand;
    if (!order)
        order = strcmp(x->rule, y->rule);
    if (!order) /* of two with the same words the one that names both places */
        order = (y->first.number != 0) - (x->first.number != 0);
    if (!order)
        order = x->first.file ? (x->first.line < y->first.line ? -1 : x->first.line > y->first.line)
                              : (x->first.site < y->first.site ? -1 : x->first.site > y->first.site);
    return order ? order : x->key < y->key ? -1 : 1;
}

static bool is_suppressed(const pto_findings *all, const pto_check_finding *f) {
    const char *names[] = {f->rule,
                           pto_findings_title(all, f, &f->second),
                           f->first.number ? pto_findings_title(all, f, &f->first) : NULL,
                           f->name,
                           f->second.file,
                           f->first.file,
                           all->words.where(all->words.user, &f->second).source
                               ? all->words.where(all->words.user, &f->second).source->name
                               : NULL};
    return pto_suppressions_match(all->suppressions, f->rule, names, sizeof names / sizeof *names);
}

size_t pto_findings_tell(pto_findings *all, pto_diag_list *diags) {
    size_t count = 0;
    pthread_mutex_lock(&all->mutex);
    if (all->record_count)
        qsort(all->record, all->record_count, sizeof *all->record, by_place);
    for (size_t i = 0; i < all->record_count; i++) {
        const pto_findings_record *record = &all->record[i];
        if (record->retracted || is_suppressed(all, &record->finding))
            continue;
        const pto_rule_text *text = pto_rule_find(record->finding.rule);
        pto_findings_words_of(all, record, diags);
        count += !text || text->severity == PTO_ERROR;
    }
    drop_records(all);
    pthread_mutex_unlock(&all->mutex);
    return count;
}
