/* SPDX-License-Identifier: Apache-2.0 */
/* What can be known of a program without running it (70, 13): pushes and releases are tracked through
 * straight code; where control flow joins, nothing is known of what was pushed before. */
#include "block/machine.h"

#include <stdlib.h>
#include <string.h>

typedef enum track { TRACK_UNKNOWN, TRACK_LIVE, TRACK_RELEASED } track;

typedef struct slot {
    track state;
    bool read;
    size_t made; /* offset of the block that pushed it */
} slot;

typedef struct checker {
    const pto_block_image *image;
    pto_source *source;
    pto_diag_list *diags;
    slot queue[4][PTO_BLOCK_DEPTH]; /* newest first */
    uint8_t *joins;                 /* offsets that a jump reaches */
    bool failed;
} checker;

static pto_where place(const checker *c, size_t offset) {
    const uint64_t address = c->image->address + offset;
    for (size_t i = 0; c->source && i < c->image->line_count; i++) {
        const pto_block_line *line = &c->image->line[i];
        if (address < line->address || address >= line->address + line->size)
            continue;
        size_t length;
        const char *text = pto_source_line(c->source, line->number, &length);
        const size_t begin = (size_t)(text - c->source->text);
        return pto_at(c->source, begin + strspn(text, " \t"), begin + length);
    }
    return pto_nowhere();
}

static void report(checker *c, pto_severity severity, const char *rule, size_t offset, const char *text) {
    c->failed |= severity == PTO_ERROR;
    pto_diag_add(c->diags, severity, rule, place(c, offset), "0x%llx: %s",
                 (unsigned long long)(c->image->address + offset), text);
}

static void forget(checker *c) { memset(c->queue, 0, sizeof c->queue); }

static void push(checker *c, unsigned queue, size_t offset) {
    slot *q = c->queue[queue];
    const slot *last = &q[PTO_BLOCK_DEPTH - 1];
    if (last->state == TRACK_LIVE && last->made)
        report(c, PTO_WARNING, last->read ? "PTO-W1682" : "PTO-W1680", last->made - 1,
               last->read ? "the tile is live when it leaves the queue" : "the tile leaves the queue unread");
    memmove(q + 1, q, (PTO_BLOCK_DEPTH - 1) * sizeof *q);
    q[0] = (slot){TRACK_LIVE, false, offset + 1};
}

static void end_tile_block(checker *c, const pto_block_state *s, size_t offset) {
    const pto_block_op *op = s->op;
    char text[160];
    pto_block_out out = {text, sizeof text, 0};
    if (op->geometry == GEOMETRY_UNBUILT) {
        pto_block_out_add(&out, "%s is encoded, but its execution is ILLEGAL", op->name);
        report(c, PTO_ERROR, "PTO-E1620", offset, text);
        return;
    }
    const bool row_max = op->geometry == GEOMETRY_ACCCVT && s->result_count == 2;
    if (s->source_count != op->tiles || s->extra_source || s->extra_result ||
        (s->result_count != op->results && !row_max)) {
        pto_block_out_add(&out, "%s binds %u tiles and %u results, not %u and %u", op->name, op->tiles,
                          op->results, s->source_count, s->result_count);
        report(c, PTO_ERROR, "PTO-E1632", offset, text);
    } else if (s->iot_count && !s->last) {
        report(c, PTO_ERROR, "PTO-E1633", offset, "the last B.IOT does not say last");
    } else if (op->regs_least && !s->ior_count) {
        pto_block_out_add(&out, "%s needs a B.IOR", op->name);
        report(c, PTO_ERROR, "PTO-E1632", offset, text);
    }
    const char *attribute = pto_block_wrong_attribute(s);
    out.length = 0;
    if (attribute) {
        pto_block_out_add(&out, "%s does not take %s", op->name, attribute);
        report(c, PTO_ERROR, "PTO-E1641", offset, text);
    }
    out.length = 0;
    if (!s->dim_given[0] && op->engine != ENGINE_CUBE && op->geometry != GEOMETRY_SORT)
        report(c, PTO_ERROR, "PTO-E1642", offset, "LB0 is not given");
    for (int k = 0; k < 3; k++)
        if (s->dim_given[k] && !s->dim_reg[k] && !(s->dim_imm[k] & 0xffff))
            report(c, PTO_ERROR, "PTO-E1642", offset, "a dimension of 0");
    const bool fixed = s->dim_given[0] && s->dim_given[2] && !s->dim_reg[0] && !s->dim_reg[2];
    if (fixed && op->engine != ENGINE_CUBE && op->geometry != GEOMETRY_SORT &&
        (uint16_t)s->dim_imm[0] > (uint16_t)s->dim_imm[2] && (uint16_t)s->dim_imm[2])
        report(c, PTO_ERROR, "PTO-E1642", offset, "ValidCol is larger than Col");
    if (!(op->types >> s->type & 1)) {
        pto_block_out_add(&out, "%s does not take %s", op->name, pto_block_type_name(s->type));
        report(c, PTO_ERROR, "PTO-E1643", offset, text);
    } else if (!attribute && !pto_block_second_type_fits(s)) {
        pto_block_out_add(&out, "%s of %s does not take %s", op->name, pto_block_type_name(s->type),
                          pto_block_type_name(s->type2));
        report(c, PTO_ERROR, "PTO-E1643", offset, text);
    }
    for (int i = 0; i < s->source_count; i++) {
        slot *tile = &c->queue[s->source[i].queue][s->source[i].distance - 1];
        out.length = 0;
        if (tile->state == TRACK_RELEASED) {
            pto_block_out_add(&out, "%c#%u was released", "TUMN"[s->source[i].queue],
                              s -> source[i].distance);
            report(c, PTO_ERROR, "PTO-E1644", offset, text);
        }
        tile->read = true;
        for (int k = 0; k < i; k++)
            if (s->source[k].queue == s->source[i].queue && s->source[k].distance == s->source[i].distance &&
                s->source[k].reuse != s->source[i].reuse)
                report(c, PTO_WARNING, "PTO-W1681", offset,
                       "mentions of one tile differ in .reuse: it is kept");
    }
    for (int i = 0; i < s->source_count; i++) {
        bool keep = false;
        for (int k = 0; k < s->source_count; k++)
            keep |= s->source[k].queue == s->source[i].queue &&
                    s->source[k].distance == s->source[i].distance && s->source[k].reuse;
        slot *tile = &c->queue[s->source[i].queue][s->source[i].distance - 1];
        if (!keep)
            tile->state = TRACK_RELEASED;
    }
    for (int i = 0; i < s->result_count; i++)
        push(c, s->result[i].queue, offset);
}

static void find_joins(checker *c) {
    pto_block_instr instr;
    for (size_t at = 0; at < c->image->size; at += instr.bytes) {
        if (pto_block_decode(c->image->bytes + at, c->image->size - at, &instr) != PTO_OK) {
            instr.bytes = 2;
            continue;
        }
        if (!pto_block_field_of(pto_block_form_get(instr.form), PTO_BLOCK_TARGET) ||
            !instr.field[PTO_BLOCK_TARGET])
            continue;
        const uint64_t target = at + (uint64_t)instr.field[PTO_BLOCK_TARGET];
        if (target < c->image->size)
            c->joins[target] = 1;
    }
}

pto_status pto_block_check(const pto_block_image *image, pto_source *source, pto_diag_list *diags) {
    checker c = {.image = image, .source = source, .diags = diags};
    c.joins = calloc(image->size + 1, 1);
    if (!c.joins)
        return PTO_ERR_NOMEM;
    find_joins(&c);
    /* before the program nothing was pushed */
    for (int q = 0; q < 4; q++)
        for (int i = 0; i < PTO_BLOCK_DEPTH; i++)
            c.queue[q][i].state = TRACK_RELEASED;
    pto_block_state state = {0};
    bool in_tile = false, in_header = false, in_scalar = false;
    size_t start = 0;
    pto_block_instr instr;
    for (size_t at = 0; at < image->size; at += instr.bytes) {
        if (pto_block_decode(image->bytes + at, image->size - at, &instr) != PTO_OK) {
            /* data behind the program is no mistake: only what follows an open block is read as code */
            if (in_tile || in_scalar)
                report(&c, PTO_ERROR, "PTO-E1620", at, "not an instruction");
            instr.bytes = 2;
            in_tile = in_scalar = false;
            continue;
        }
        const bool starts = pto_block_is_start(instr.form), stops = pto_block_is_stop(instr.form);
        if (starts || stops) {
            if (in_tile)
                end_tile_block(&c, &state, start);
            if (c.joins[at])
                forget(&c);
            in_tile = starts && pto_block_is_tile_start(instr.form);
            in_scalar = starts && !in_tile;
            in_header = starts;
            start = at;
            if (in_tile) {
                const pto_block_engine engine = instr.form == BF_BSTART_TEPL  ? ENGINE_TEPL
                                                : instr.form == BF_BSTART_TMA ? ENGINE_TMA
                                                                              : ENGINE_CUBE;
                state = (pto_block_state){
                    .op = pto_block_op_select(engine, (unsigned)instr.field[PTO_BLOCK_SELECTOR]),
                    .type = (uint8_t)instr.field[PTO_BLOCK_TYPE],
                    .pad = PTO_BLOCK_PAD_NULL,
                    .type2 = PTO_BLOCK_TYPE_NONE};
            }
            continue;
        }
        if (pto_block_is_header(instr.form)) {
            const char *rule = in_tile ? pto_block_add_header(&state, &instr) : NULL;
            if (!in_header || (!in_tile && !in_scalar))
                report(&c, PTO_ERROR, "PTO-E1630", at, "a header instruction outside of a header");
            else if (rule)
                report(&c, PTO_ERROR, rule, at, pto_block_form_name(instr.form));
        } else {
            if (!in_scalar)
                report(&c, PTO_ERROR, "PTO-E1630", at,
                       "a scalar instruction outside of an STD, FP or SYS block");
            in_header = false;
            if (instr.form == BF_EBREAK) { /* the end of what is known to run */
                in_scalar = false;
                break;
            }
        }
    }
    if (in_tile)
        end_tile_block(&c, &state, start);
    for (int q = 0; q < 4; q++)
        for (int i = 0; i < PTO_BLOCK_DEPTH; i++)
            if (c.queue[q][i].state == TRACK_LIVE && c.queue[q][i].made && !c.queue[q][i].read)
                report(&c, PTO_WARNING, "PTO-W1680", c.queue[q][i].made - 1, "the tile is never read");
    free(c.joins);
    return c.failed ? PTO_ERR_REFUSED : PTO_OK;
}
