/* SPDX-License-Identifier: Apache-2.0 */
/* The block machine under the checkers: its memory as buffers of which every byte knows whether it was
 * written. */
#include "block/machine.h"
#include "check/heap.h"
#include "run/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OUTPUTS = 64 };

struct pto_block_watch {
    pto_block_machine *machine;
    pto_check_heap heap;
    pto_findings findings;
    struct {
        uint64_t address, size;
    } output[MAX_OUTPUTS];
    int output_count;
    /* while telling */
    const pto_block_image *image;
    pto_source *source;
    char title[96];
};

/* ---- words ------------------------------------------------------------------------------------------- */

static pto_where where(void *user, const pto_check_access *a) {
    const pto_block_watch *w = user;
    if (!w->image || a->site < 0)
        return pto_nowhere();
    const uint64_t at = w->image->address + 2 * (uint64_t)a->site;
    for (size_t i = 0; i < w->image->line_count && w->source; i++) {
        const pto_block_line *line = &w->image->line[i];
        if (at < line->address || at >= line->address + line->size)
            continue;
        size_t len;
        const char *text = pto_source_line(w->source, line->number, &len);
        const size_t begin = (size_t)(text - w->source->text);
        return pto_at(w->source, begin + strspn(text, " \t"), begin + len);
    }
    return pto_nowhere();
}

static const char *title(void *user, const pto_check_access *a) {
    pto_block_watch *w = user;
    pto_block_instr instr;
    const uint64_t offset = 2 * (uint64_t)a->site;
    if (!w->image || a->site < 0)
        return NULL;
    if (offset >= w->image->size ||
        pto_block_decode(w->image->bytes + offset, (size_t)(w->image->size - offset), &instr) != PTO_OK)
        return NULL;
    char text[64];
    pto_block_print(&instr, text, sizeof text);
    snprintf(w->title, sizeof w->title, "block at 0x%llx, %s",
             (unsigned long long)(w->image->address + offset), text);
    return w->title;
}

/* ---- life -------------------------------------------------------------------------------------------- */

/* Of the block that is running. */
static pto_check_access here(const pto_block_watch *w) {
    return (pto_check_access){
        .number = 1, .operand = -1, .site = (int32_t)((w->machine->bpc - w->machine->image_address) / 2)};
}

static void memory_access(void *user, const uint8_t *host, uint64_t size, bool write) {
    pto_block_watch *w = user;
    pto_check_access a = here(w);
    a.write = write;
    pto_check_heap_access(&w->heap, (uint64_t)(uintptr_t)host, (uint64_t)(uintptr_t)host + size, &a);
}

pto_block_watch *pto_block_watch_create(pto_block_machine *machine, uint32_t checks) {
    pto_block_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    const pto_findings_words words = {.user = w, .where = where, .title = title};
    w->machine = machine;
    if (!pto_findings_init(&w->findings, PTO_TARGET_CPU, &words, NULL) ||
        !pto_check_heap_init(&w->heap, checks, pto_findings_add, &w->findings)) {
        free(w);
        return NULL;
    }
    for (int i = 0; i < machine->region_count && checks & PTO_CHECK_INIT; i++)
        if (!machine->region[i].code &&
            !pto_check_heap_add(&w->heap, machine->region[i].host, machine->region[i].size, NULL, false)) {
            pto_block_watch_destroy(w);
            return NULL;
        }
    machine->watch = memory_access;
    machine->watch_user = w;
    return w;
}

void pto_block_watch_destroy(pto_block_watch *w) {
    if (!w)
        return;
    w->machine->watch = NULL;
    pto_check_heap_release(&w->heap);
    pto_findings_release(&w->findings);
    free(w);
}

void pto_block_watch_define(pto_block_watch *w, uint64_t address, uint64_t size) {
    const uint64_t host = (uint64_t)(uintptr_t)pto_block_span(w->machine, address, size, false);
    if (host)
        pto_check_heap_host(&w->heap, host, host + size, true, NULL, 0);
}

void pto_block_watch_output(pto_block_watch *w, uint64_t address, uint64_t size) {
    if (w->output_count == MAX_OUTPUTS)
        return;
    w->output[w->output_count].address = address;
    w->output[w->output_count++].size = size;
}

size_t pto_block_watch_tell(pto_block_watch *w, const pto_block_image *image, pto_source *source,
                            struct pto_suppressions *suppressions, pto_diag_list *diags) {
    for (int i = 0; i < w->output_count; i++) {
        const uint64_t size = w->output[i].size;
        const uint64_t host =
            (uint64_t)(uintptr_t)pto_block_span(w->machine, w->output[i].address, size, false);
        if (host) /* each at a place of its own, so that two are two findings */
            pto_check_heap_host(&w->heap, host, host + size, false, NULL, i + 1);
    }
    w->image = image;
    w->source = source;
    w->findings.suppressions = suppressions;
    const size_t count = pto_findings_tell(&w->findings, diags);
    w->image = NULL;
    return count;
}
