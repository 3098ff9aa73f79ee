/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map of a placed program: who lies where, and when, as text or as a picture (SVG). */
#include "isa/legality.h"
#include "pass/code.h"

#include <stdlib.h>
#include <string.h>

enum { BAR = 60 };

typedef struct map_item {
    const pto_code_storage *storage;
    uint32_t first_line, last_line; /* of the source; 0 = unknown */
} map_item;

static int by_place(const void *a, const void *b) {
    const pto_code_storage *x = ((const map_item *)a)->storage, *y = ((const map_item *)b)->storage;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint32_t line_of(const pto_code *code, int32_t at) {
    const pto_operation *op = at >= 0 && at < code->op_count ? code->origin[at] : NULL;
    if (!op || !code->program->source || op->span.begin == op->span.end)
        return 0;
    uint32_t line, column;
    pto_source_locate(code->program->source, op->span.begin, &line, &column);
    return line;
}

typedef struct memory_use {
    map_item *item;
    int32_t count;
    uint64_t peak, fullest;
} memory_use;

static int by_moment(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* Bytes that live at the fullest moment. */
static uint64_t fullest(pto_arena *arena, const memory_use *use) {
    int64_t(*event)[2] = pto_arena_array(arena, (size_t)use->count * 2 + 1, sizeof *event);
    int64_t live = 0, most = 0;
    for (int32_t i = 0; i < use->count; i++) {
        const pto_code_storage *s = use->item[i].storage;
        event[2 * i][0] = (int64_t)s->begin * 2;
        event[2 * i][1] = (int64_t)s->bytes;
        event[2 * i + 1][0] = (int64_t)s->end * 2 + 1;
        event[2 * i + 1][1] = -(int64_t)s->bytes;
    }
    qsort(event, (size_t)use->count * 2, sizeof *event, by_moment);
    for (int32_t i = 0; i < 2 * use->count; i++) {
        live += event[i][1];
        most = live > most ? live : most;
    }
    return (uint64_t)most;
}

static memory_use gather(const pto_code *code, pto_arena *arena, pto_loc loc) {
    memory_use use = {.item = pto_arena_array(arena, (size_t)code->storage_count + 1, sizeof *use.item)};
    for (int32_t s = 0; s < code->storage_count; s++) {
        const pto_code_storage *own = &code->storage[s];
        if (own->loc != loc || own->begin > own->end)
            continue;
        use.item[use.count++] = (map_item){own, line_of(code, own->begin), line_of(code, own->end)};
        use.peak = own->addr + own->bytes > use.peak ? own->addr + own->bytes : use.peak;
    }
    qsort(use.item, (size_t)use.count, sizeof *use.item, by_place);
    use.fullest = fullest(arena, &use);
    return use;
}

static void text_map(const pto_code *code, const memory_use *use, pto_loc loc, pto_sink *sink) {
    pto_sink_printf(sink, "%s: peak %llu of %llu bytes, %llu at the fullest moment\n", pto_loc_name(loc),
                    (unsigned long long)use->peak, (unsigned long long)pto_loc_capacity(code->target, loc),
                    (unsigned long long)use->fullest);
    for (int32_t i = 0; i < use->count; i++) {
        const map_item *item = &use->item[i];
        const pto_code_storage *s = item->storage;
        char bar[BAR + 1];
        int64_t length = code->op_count > 0 ? code->op_count : 1;
        for (int c = 0; c < BAR; c++) {
            int64_t from = length * c / BAR, to = length * (c + 1) / BAR;
            bar[c] = s->begin < (to > from ? to : from + 1) && from <= s->end ? '#' : '.';
        }
        bar[BAR] = '\0';
        pto_sink_printf(sink, "  %7llu %7llu  %s  %%%.*s", (unsigned long long)s->addr,
                        (unsigned long long)(s->addr + s->bytes - 1), bar,
                        (int)(s->name.len > 40 ? 40 : s->name.len), s->name.data ? s->name.data : "");
        if (item->last_line > item->first_line)
            pto_sink_printf(sink, ", lines %u to %u", item->first_line, item->last_line);
        else if (item->first_line)
            pto_sink_printf(sink, ", line %u", item->first_line);
        pto_sink_char(sink, '\n', 1);
    }
}

/* ---- picture --------------------------------------------------------------------------------------- */

enum { WIDTH = 900, HEIGHT = 320, MARGIN = 40 };

static void svg_text(pto_sink *sink, pto_str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '<' || c == '>' || c == '&')
            pto_sink_printf(sink, "&#%d;", c);
        else
            pto_sink_put(sink, &text.data[i], 1);
    }
}

static void svg_map(const pto_code *code, const memory_use *use, pto_loc loc, int top, pto_sink *sink) {
    double wide = (double)WIDTH / (code->op_count > 0 ? code->op_count : 1);
    double high = (double)HEIGHT / (double)(use->peak ? use->peak : 1);
    pto_sink_printf(
        sink, "<text x=\"%d\" y=\"%d\">%s: peak %llu of %llu bytes, %llu at the fullest moment</text>\n",
        MARGIN, top - 8, pto_loc_name(loc), (unsigned long long)use->peak,
        (unsigned long long)pto_loc_capacity(code->target, loc), (unsigned long long)use->fullest);
    pto_sink_printf(sink, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f4f4f4\"/>\n", MARGIN,
                    top, WIDTH, HEIGHT);
    for (int32_t i = 0; i < use->count; i++) {
        const pto_code_storage *s = use->item[i].storage;
        int x = MARGIN + (int)(s->begin * wide), w = (int)((s->end - s->begin + 1) * wide);
        int y = top + (int)((double)s->addr * high), h = (int)((double)s->bytes * high);
        pto_sink_printf(sink,
                        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,60%%,75%%)\" ", x,
                        y, w > 0 ? w : 1, h > 0 ? h : 1, (int)(i * 137 % 360));
        pto_sink_text(sink, "stroke=\"#333\" stroke-width=\"0.5\"><title>%");
        svg_text(sink, s->name);
        pto_sink_printf(sink, ": bytes %llu to %llu, lines %u to %u</title></rect>\n",
                        (unsigned long long)s->addr, (unsigned long long)(s->addr + s->bytes - 1),
                        use->item[i].first_line, use->item[i].last_line);
        if (w > 40 && h > 12) {
            pto_sink_printf(sink, "<text x=\"%d\" y=\"%d\">%%", x + 3, y + 11);
            svg_text(sink, s->name);
            pto_sink_text(sink, "</text>\n");
        }
    }
}

void pto_show_memory(pto_code *code, bool picture, pto_sink *sink) {
    memory_use use[PTO_LOC_COUNT];
    int shown = 0;
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        use[loc] = gather(code, &code->arena, (pto_loc)loc);
        shown += use[loc].count > 0;
    }
    if (picture)
        pto_sink_printf(sink,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "font-family=\"sans-serif\" font-size=\"11\">\n",
                        WIDTH + 2 * MARGIN, shown * (HEIGHT + MARGIN) + MARGIN);
    int number = 0;
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        if (!use[loc].count)
            continue;
        if (picture)
            svg_map(code, &use[loc], (pto_loc)loc, MARGIN + number * (HEIGHT + MARGIN), sink);
        else
            text_map(code, &use[loc], (pto_loc)loc, sink);
        number++;
    }
    if (picture)
        pto_sink_text(sink, "</svg>\n");
    else if (!shown)
        pto_sink_text(sink, "no tile\n");
}
