/* SPDX-License-Identifier: Apache-2.0 */
/* Which queue a version is pushed to, and the template lines. */
#include "emit/blocks.h"

enum { QUEUES = 4, DEPTH = 16 };

/* ---- queues: a version is at a distance of 1 to 16 whenever it is read ---- */

/* Numbers the pushes; the version that is out of reach of a read, -1 = none. Of two the one that was pushed
 * first. */
static int32_t out_of_reach(pto_blocks *b) {
    int32_t pushes[QUEUES] = {0}, far = -1;
    for (size_t i = 0; i < b->record.count; i++) {
        const pto_blocks_record *r = &b->record.data[i];
        if (!r->live)
            continue;
        for (int s = 0; s < r->srcs; s++) {
            const pto_blocks_version *v = &b->version.data[r->src[s]];
            if (pushes[v->queue] - v->pushed > DEPTH && (far < 0 || r->src[s] < far))
                far = r->src[s];
        }
        if (r->dst >= 0) {
            pto_blocks_version *v = &b->version.data[r->dst];
            v->pushed = pushes[v->queue]++;
        }
    }
    return far;
}

/* All begin in T; what lives too long for the traffic there moves on to the next queue. */
static bool give_queues(pto_blocks *b) {
    for (size_t v = 0; v < b->version.count; v++)
        b->version.data[v].queue = 0;
    for (;;) {
        int32_t far = out_of_reach(b);
        if (far < 0)
            return true;
        pto_blocks_version *v = &b->version.data[far];
        if (++v->queue == QUEUES) {
            pto_blocks_refuse(b, b->record.data[v->by].from,
                              "a tile that is read when 16 later ones lie above it in every queue");
            return false;
        }
    }
}

/* ---- lines ---- */

static const char *const temporaries[] = {"s1", "s2"};

static void write_constant(pto_sink *sink, uint64_t value, const char *to) {
    if (value <= UINT32_MAX) {
        pto_sink_printf(sink, "hl.liu 0x%llx, ->%s\n", (unsigned long long)value, to);
        return;
    }
    pto_sink_printf(sink, "hl.lui 0x%llx, ->%s\n", (unsigned long long)(value >> 32), to);
    if (value & UINT32_MAX)
        pto_sink_printf(sink, "hl.liu 0x%llx, ->s3\nor %s, s3, ->%s\n",
                        (unsigned long long)(value & UINT32_MAX), to, to);
}

/* The register of a scalar: of the argument, or one that the block in front of this one fills. */
static const char *register_of(const pto_blocks_scalar *s, int i) {
    return s->kind == SCALAR_ARGUMENT || (s->kind == SCALAR_ADDRESS && !s->bits)
               ? pto_block_gpr_name(2 + s->argument)
               : temporaries[i];
}

static void write_scalars(pto_sink *sink, const pto_blocks_record *r) {
    bool open = false;
    for (int i = 0; i < 2; i++) {
        const pto_blocks_scalar *s = &r->scalar[i];
        if (s->kind != SCALAR_BITS && (s->kind != SCALAR_ADDRESS || !s->bits))
            continue;
        if (!open)
            pto_sink_text(sink, "C.BSTART.STD FALL\n");
        open = true;
        write_constant(sink, s->bits, temporaries[i]);
        if (s->kind == SCALAR_ADDRESS)
            pto_sink_printf(sink, "add %s, %s, ->%s\n", pto_block_gpr_name(2 + s->argument), temporaries[i],
                            temporaries[i]);
    }
}

static void write_size(pto_sink *sink, uint32_t bytes) {
    if (bytes >= 1024)
        pto_sink_printf(sink, "<%uKB>", bytes / 1024);
    else
        pto_sink_printf(sink, "<%uB>", bytes);
}

static void write_record(pto_blocks *b, pto_sink *sink, int32_t i, const int32_t pushes[QUEUES]) {
    const pto_blocks_record *r = &b->record.data[i];
    const char *comma = " ";
    write_scalars(sink, r);
    pto_sink_text(sink, r->op->name);
    if (r->modifier)
        pto_sink_printf(sink, ".%s", r->modifier);
    pto_sink_text(sink, " <");
    for (int k = 0; k < r->lbs; k++)
        pto_sink_printf(sink, "LB%d:%d, ", k, r->lb[k]);
    pto_sink_printf(sink, "%s%s>", pto_block_type_name(r->type), r->extra);
    comma = ", ";
    for (int s = 0; s < r->srcs; s++) {
        const pto_blocks_version *v = &b->version.data[r->src[s]];
        pto_sink_printf(sink, "%s%c#%d%s", comma, "TUMN"[v->queue], pushes[v->queue] - v->pushed,
                        v->last > i ? ".reuse" : "");
    }
    for (int k = 0; k < 2 && r->scalar[k].kind != SCALAR_NONE; k++)
        pto_sink_printf(sink, "%s%s%s", k ? ", " : ", [", register_of(&r->scalar[k], k),
                        k == 1 || r->scalar[1].kind == SCALAR_NONE ? "]" : "");
    if (r->dst >= 0) {
        const pto_blocks_version *v = &b->version.data[r->dst];
        pto_sink_printf(sink, "%s->%c", comma, "TUMN"[v->queue]);
        write_size(sink, v->bytes);
    }
    pto_sink_text(sink, "\n");
}

bool pto_blocks_write(pto_blocks *b, const pto_operation *entry, pto_sink *sink) {
    int32_t pushes[QUEUES] = {0};
    if (!give_queues(b))
        return false;
    pto_str name = pto_function_name(entry);
    const pto_block *body = pto_function_body(entry);
    pto_sink_printf(sink, "# %.*s", (int)name.len, name.data);
    for (uint32_t i = 0; i < body->arg_count; i++) {
        pto_str arg = body->arg[i]->name;
        pto_sink_printf(sink, "%s%s = %%%.*s", i ? ", " : ": ", pto_block_gpr_name(2 + i), (int)arg.len,
                        arg.data);
    }
    pto_sink_text(sink, "\n");
    for (size_t i = 0; i < b->record.count; i++) {
        if (!b->record.data[i].live)
            continue;
        write_record(b, sink, (int32_t)i, pushes);
        if (b->record.data[i].dst >= 0)
            pushes[b->version.data[b->record.data[i].dst].queue]++;
    }
    pto_sink_text(sink, "C.BSTOP\n");
    return true;
}
