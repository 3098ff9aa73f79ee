/* SPDX-License-Identifier: Apache-2.0 */
/* A finding in words: what happened, both accesses, the bytes and elements, the line that would order them,
 * the memory around. */
#include "run/findings.h"

#include "isa/isa.h"
#include "isa/legality.h"

#include <stdio.h>
#include <string.h>

static pto_pipe pipe_of(const pto_check_access *a) { return (pto_pipe)(a->lane % PTO_CHECK_PIPES); }
static const char *verb(const pto_check_access *a) {
    return !a->write ? "reads" : a->instr && a->operand < 0 ? "uses as scratch" : "writes";
}

static pto_where where_of(const pto_findings *all, const pto_check_access *a) {
    return all->words.where(all->words.user, a);
}

const char *pto_findings_title(const pto_findings *all, const pto_check_finding *f,
                               const pto_check_access *a) {
    /* calls that are no instructions have no name of their own */
    static const struct {
        const char *rule, *title;
    } calls[] = {{"PTO-E0417", "flag"},
                 {"PTO-E0920", "set_flag"},
                 {"PTO-E0921", "wait_flag"},
                 {"PTO-E0922", "set_flag"},
                 {"PTO-E0923", "cross-core wait"},
                 {"PTO-E0925", "buffer token"},
                 {"PTO-E0431", "signal"},
                 {"PTO-E1110", "wait"},
                 {"PTO-W1111", "barrier"},
                 {"PTO-E1121", "output"},
                 {"PTO-E1150", "allocation"},
                 {"PTO-E1151", "free"},
                 {"PTO-E1152", "free"},
                 {"PTO-E1153", "access"}};
    const char *title = all->words.title(all->words.user, a);
    for (size_t i = 0; !title && i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].rule, f->rule))
            title = calls[i].title;
    return title ? title : "scalar access";
}

/* "vec bytes 0 to 1023", "bytes 64 to 127 of argument x" */
static void words_of_bytes(const pto_check_finding *f, char *out, size_t size) {
    const unsigned long long begin = f->begin, last = f->end - 1;
    if (f->memory == PTO_CHECK_GLOBAL && f->name)
        snprintf(out, size, "bytes %llu to %llu of argument %s", begin, last, f->name);
    else if (f->memory == PTO_CHECK_GLOBAL && !strcmp(f->rule, "PTO-E1104")) /* relative to nothing */
        snprintf(out, size, "%llu bytes of global memory", last - begin + 1);
    else if (f->memory == PTO_CHECK_GLOBAL)
        snprintf(out, size, "bytes %llu to %llu of global memory", begin, last);
    else if (f->memory == PTO_CHECK_STORAGE)
        snprintf(out, size, "bytes %llu to %llu of the tile", begin, last);
    else
        snprintf(out, size, "%s bytes %llu to %llu", pto_loc_name((pto_loc)f->memory), begin, last);
}

static void words_of_elements(const pto_check_finding *f, char *out, size_t size) {
    *out = 0;
    if (!f->has_elements)
        return;
    char rows[32], columns[32];
    snprintf(rows, sizeof rows, f->row[0] == f->row[1] ? "row %d" : "rows %d to %d", (int)f->row[0],
             (int)f->row[1]);
    snprintf(columns, sizeof columns, f->col[0] == f->col[1] ? "column %d" : "columns %d to %d",
             (int)f->col[0], (int)f->col[1]);
    snprintf(out, size, "%s (%s, %s)", f->in_part ? ", not all of them" : "", rows, columns);
}

/* " in line 12" where the front end knows. */
static void words_of_line(const pto_findings *all, const pto_check_access *a, char *out, size_t size) {
    pto_where where = where_of(all, a);
    uint32_t line = where.line, column;
    if (where.source)
        pto_source_locate(where.source, where.begin, &line, &column);
    *out = 0;
    if (line)
        snprintf(out, size, " line %u", line);
}

/* ---- races ------------------------------------------------------------------------------------------ */

static void fix_race(const pto_findings *all, const pto_check_finding *f, pto_diag_list *diags) {
    char first[32], second[32], set[32] = "";
    if (f->set.number)
        words_of_line(all, &f->set, set, sizeof set);
    words_of_line(all, &f->first, first, sizeof first);
    words_of_line(all, &f->second, second, sizeof second);
    const char *src = pto_pipe_name(f->src), *dst = pto_pipe_name(f->dst);
    const bool c = all->words.source_code;
    if (!strcmp(f->rule, "PTO-E1104"))
        pto_diag_fix(diags, "give every block bytes of its own, or add atomically");
    else if (!strcmp(f->rule, "PTO-E1105"))
        pto_diag_fix(diags,
                     "signal the other core on %s behind%s and await the signal before%s (sync.set, "
                     "sync.wait)",
                     src, first, second);
    else if (c && f->memory == PTO_CHECK_GLOBAL && f->first.cores && f->second.cores &&
             !(f->first.cores & f->second.cores)) /* flags are of one core */
        pto_diag_fix(diags,
                     all->target == PTO_TARGET_A5
                         ? "the cube and the vector core: insert set_intra_block(%s, %d); behind%s and "
                           "wait_intra_block(%s, %d); before%s"
                         : "the cube and the vector core: insert a cross-core signal of %s, id %d, behind%s "
                           "and its wait (of %s, id %d) before%s",
                     src, f->signal, first, dst, f->signal, second);
    else if (f->src == f->dst)
        pto_diag_fix(diags, c ? "insert pipe_barrier(%s); before%s" : "insert pto.barrier <%s> before%s", dst,
                     second);
    else if (f->set.number)
        pto_diag_fix(diags,
                     c ? "insert wait_flag(%s, %s, EVENT_ID%d); before%s: its set is%s"
                       : "insert pto.wait_flag[<%s>, <%s>, <EVENT_ID%d>] before%s: its set is%s",
                     src, dst, f->id, second, set);
    else
        pto_diag_fix(
            diags,
            c ? "insert set_flag(%s, %s, EVENT_ID%d); behind%s and wait_flag(%s, %s, EVENT_ID%d); "
                "before%s"
              : "insert pto.set_flag[<%s>, <%s>, <EVENT_ID%d>] behind%s and pto.wait_flag[<%s>, <%s>, "
                "<EVENT_ID%d>] before%s",
            src, dst, f->id, first, src, dst, f->id, second);
}

static void map_notes(const pto_findings *all, const pto_check_finding *f, pto_diag_list *diags) {
    char text[512];
    size_t at = 0;
    for (int i = 0; i < f->map_count && at < sizeof text - 96; i++) {
        const pto_check_neighbour *n = &f->map[i];
        char line[32];
        words_of_line(all, &n->access, line, sizeof line);
        const char *title = all->words.title(all->words.user, &n->access);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu..%llu%s %s%s%s", i ? "; " : "",
                               (unsigned long long)n->begin, (unsigned long long)n->end - 1,
                               n->begin == f->begin ? " (here)" : "", title ? title : "scalar access",
                               n->access.write ? " wrote" : " read", line);
    }
    if (f->map_count > 1)
        pto_diag_note(diags, pto_nowhere(), "memory around: %s", text);
}

static void tell_race(const pto_findings *all, const pto_check_finding *f, pto_diag_list *diags) {
    char bytes[160], elements[112];
    words_of_bytes(f, bytes, sizeof bytes);
    words_of_elements(f, elements, sizeof elements);
    bool blocks = !strcmp(f->rule, "PTO-E1104"), cores = !strcmp(f->rule, "PTO-E1105");
    pto_diag_found(diags, "%s on %s %s %s%s that %s on %s %s%s, and nothing orders them",
                   pto_findings_title(all, f, &f->second), pto_pipe_name(f->dst), verb(&f->second), bytes,
                   elements, pto_findings_title(all, f, &f->first), pto_pipe_name(f->src), verb(&f->first),
                   blocks  ? " in another block"
                   : cores ? " on the other core"
                           : "");
    fix_race(all, f, diags);
    char turn[48] = "";
    if (blocks)
        snprintf(turn, sizeof turn, " (run %u; the later one in run %u)", f->first.block, f->second.block);
    else if (f->first.turn > 1 || f->second.turn > 1)
        snprintf(turn, sizeof turn, " (turn %u; the later one in turn %u)", f->first.turn, f->second.turn);
    pto_diag_note(diags, where_of(all, &f->first), "the earlier access is here%s", turn);
    if (f->writer.number && !f->first.write)
        pto_diag_note(diags, where_of(all, &f->writer), "last written here by %s",
                      pto_findings_title(all, f, &f->writer));
    map_notes(all, f, diags);
}

/* ---- flags ------------------------------------------------------------------------------------------- */

static void tell_cycle(const pto_findings *all, const pto_check_finding *f, pto_diag_list *diags) {
    pto_diag_found(diags, "%d waits, each in front of the set that another one waits for",
                   f->cycle_count / 2);
    for (int i = 0; i + 1 < f->cycle_count; i += 2) {
        pto_diag_note(diags, where_of(all, &f->cycle[i]), "%s waits here",
                      pto_pipe_name(pipe_of(&f->cycle[i])));
        pto_diag_note(diags, where_of(all, &f->cycle[i + 1]), "%s would set it here, behind the next wait",
                      pto_pipe_name(pipe_of(&f->cycle[i + 1])));
    }
}

static void tell_sync(const pto_findings *all, const pto_check_finding *f, pto_diag_list *diags) {
    if (f->cycle_count) {
        tell_cycle(all, f, diags);
        return;
    }
    const char *src = pto_pipe_name(f->src), *dst = pto_pipe_name(f->dst);
    if (f->id < 0)
        pto_diag_found(diags, "nothing was issued to %s since the barrier before", src);
    else if (f->src != f->dst && f->dst != PTO_PIPE_ALL)
        pto_diag_found(diags, "flag %d from %s to %s", f->id, src, dst);
    else
        pto_diag_found(diags, "id %d on %s", f->id, src);
    if (f->first.number)
        pto_diag_note(diags, where_of(all, &f->first),
                      strcmp(f->rule, "PTO-E0921") && strcmp(f->rule, "PTO-E0923") != 0
                          ? "the earlier one is here"
                          : "the set is here, behind the wait: put it in front");
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

static bool is_of_buffer(const char *rule) {
    return !strncmp(rule, "PTO-E115", 8) || !strcmp(rule, "PTO-E1121") || !strcmp(rule, "PTO-E1122");
}

static void tell_buffer(const pto_findings *all, const pto_check_finding *f, pto_diag_list *diags) {
    char bytes[160];
    words_of_bytes(f, bytes, sizeof bytes);
    if (!f->name)
        snprintf(bytes, sizeof bytes, "bytes %llu to %llu of the buffer", (unsigned long long)f->begin,
                 (unsigned long long)f->end - 1);
    if (!strcmp(f->rule, "PTO-E1151"))
        pto_diag_found(diags, "a buffer that was freed before");
    else if (!strcmp(f->rule, "PTO-E1150"))
        pto_diag_found(diags, "a buffer of %llu bytes", (unsigned long long)(f->end - f->begin));
    else if (!strcmp(f->rule, "PTO-E1152"))
        pto_diag_found(diags, "%s",
                       f->first.number ? "an address inside of a buffer" : "no buffer begins here");
    else
        pto_diag_found(diags, "%s", bytes);
    if (f->first.number)
        pto_diag_note(diags, where_of(all, &f->first), "the buffer was %s here",
                      !strcmp(f->rule, "PTO-E1151") || !strcmp(f->rule, "PTO-E1153") ? "freed" : "made");
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void fix_of_rule(const pto_rule_text *text, pto_diag_list *diags) {
    if (text && text->fix && *text->fix)
        pto_diag_fix(diags, "%s", text->fix);
}

bool pto_findings_words_of(const pto_findings *all, const pto_findings_record *record, pto_diag_list *diags) {
    const pto_check_finding *f = &record->finding;
    const pto_rule_text *text = pto_rule_find(f->rule);
    if (!pto_diag_add(diags, text ? text->severity : PTO_ERROR, f->rule, where_of(all, &f->second), "%s: %s",
                      pto_findings_title(all, f, &f->second), text ? text->title : "finding"))
        return false;
    pto_diag_target(diags, pto_target_name(all->target));
    if (is_of_buffer(f->rule)) {
        tell_buffer(all, f, diags);
        fix_of_rule(text, diags);
    } else if (f->memory >= 0 && f->first.number) {
        tell_race(all, f, diags);
    } else if (f->memory >= 0) {
        char bytes[160], elements[112];
        words_of_bytes(f, bytes, sizeof bytes);
        words_of_elements(f, elements, sizeof elements);
        pto_diag_found(diags, "%s%s", bytes, elements);
        fix_of_rule(text, diags);
        if (f->second.turn > 1)
            pto_diag_note(diags, pto_nowhere(), "in turn %u of the line", f->second.turn);
    } else {
        tell_sync(all, f, diags);
        fix_of_rule(text, diags);
    }
    if (record->count > 1)
        pto_diag_note(diags, pto_nowhere(), "met %llu times", (unsigned long long)record->count);
    return true;
}
