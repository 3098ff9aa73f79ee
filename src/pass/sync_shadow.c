/* SPDX-License-Identifier: Apache-2.0 */
#include "pass/sync_flow.h"

static bool same_kind(const sync_entry *a, const sync_entry *b) {
    return a->lane == b->lane && a->write == b->write && a->atomic == b->atomic;
}

static void gather(sync_piece *at) {
    size_t kept = 0;
    for (size_t i = 0; i < at->count; i++) {
        size_t k = 0;
        while (k < kept && !same_kind(&at->data[k], &at->data[i]))
            k++;
        if (k == kept) {
            at->data[kept++] = at->data[i];
            continue;
        }
        sync_entry *into = &at->data[k];
        into->first = at->data[i].first < into->first ? at->data[i].first : into->first;
        into->last = at->data[i].last > into->last ? at->data[i].last : into->last;
    }
    at->count = kept;
}

/* An access stands for the earlier ones that it follows on every way: those of its block, before it. */
void sync_shadow_record(sync_flow *f, int32_t n) {
    const sync_scope *s = f->s;
    const sync_node *node = &s->node.data[n];
    int32_t begin = s->block.data[node->block].begin;
    for (int32_t k = node->span; k < node->span + node->spans; k++) {
        const sync_span *span = &s->span.data[k];
        sync_entry now = {
            .first = n, .last = n, .lane = node->lane, .write = span->write, .atomic = span->atomic};
        for (int32_t p = span->begin; p < span->end; p++) {
            sync_piece *at = &f->piece[p];
            size_t kept = 0;
            bool known = false;
            for (size_t i = 0; i < at->count; i++) {
                const sync_entry *e = &at->data[i];
                bool earlier = e->first >= begin && e->last < n;
                bool covered = span->atomic || e->atomic ? same_kind(e, &now)
                                                         : span->write || (!e->write && e->lane == now.lane);
                known |= same_kind(e, &now) && e->first <= n && n <= e->last;
                if (earlier && covered)
                    continue;
                if (kept != i)
                    at->data[kept] = *e;
                kept++;
            }
            at->count = kept;
            if (!known)
                pto_vec_push(s->arena, at, now);
            if (at->count > ENTRIES)
                gather(at);
        }
    }
}

/* Forgets accesses of the block that are done before whatever follows; nothing of the block is reached from
 * here on but through here. */
void sync_shadow_forget_piece(sync_flow *f, const sync_state *s, int32_t p, int32_t begin) {
    sync_piece *at = &f->piece[p];
    size_t kept = 0;
    for (size_t i = 0; i < at->count; i++) {
        const sync_entry *e = &at->data[i];
        bool open = e->first < begin;
        for (int lane = 0; lane < s->lanes && !open; lane++) /* what is never used never learns */
            open = sync_count(f->s, (int32_t)f->s->node.count, lane) &&
                   sync_set_last(&sync_lane_row(s, lane)[e->lane], sync_ordinal(e->first),
                                 sync_ordinal(e->last)) >= 0;
        if (open)
            at->data[kept++] = *e;
    }
    at->count = kept;
}

/* Behind a loop or branch: its accesses cannot be recorded in place of each other. */
void sync_shadow_forget(sync_flow *f, const sync_state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    int32_t begin = f->s->block.data[node->block].begin;
    f->stamps++;
    for (const sync_node *in = node + 1; in < f->s->node.data + node->end; in++)
        for (int32_t k = in->span; k < in->span + in->spans; k++)
            for (int32_t p = f->s->span.data[k].begin; p < f->s->span.data[k].end; p++)
                if (f->stamp[p] != f->stamps) {
                    f->stamp[p] = f->stamps;
                    sync_shadow_forget_piece(f, s, p, begin);
                }
}
