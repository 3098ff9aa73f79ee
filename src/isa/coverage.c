/* SPDX-License-Identifier: Apache-2.0 */
/* The coverage table: what exists of every call form. A hole is a cell that nothing in the table excuses: a
 * form that exists on no target, has no line at level 2 (which spells every call), no kernel, no test or no
 * benchmark. */
#include "base/sink.h"
#include "isa/isa.h"
#include <pto/isa.h>
#include <pto/ops.h>

static const char hole[] = "HOLE";

static const char *mark(bool there, const char *otherwise, size_t *holes) {
    *holes += !there && otherwise == hole;
    return there ? "yes" : otherwise;
}

pto_status pto_isa_coverage(const pto_isa_evidence *evidence, size_t count, size_t *holes, pto_write_fn write,
                            void *context) {
    if (count != PTO_FORM_COUNT)
        return PTO_ERR_USAGE;
    size_t empty = 0;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    pto_sink_printf(&sink, "%-18s %-16s %-4s %-4s %-4s %-4s %-6s %-7s %-7s %-8s %s\n", "instruction", "form",
                    "cpu", "a2a3", "a5", "C", "PTO-AS", "level 1", "level 2", "executor",
                    "reference tests; benchmarks");
    for (size_t f = 0; f < count; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        const pto_isa_evidence *e = &evidence[f];
        bool on[PTO_TARGET_COUNT], anywhere = false;
        for (int t = 0; t < PTO_TARGET_COUNT; t++)
            anywhere |= on[t] = form->type_count[t] || form->types_any[t];
        const char *none = anywhere ? "-" : hole; /* refused there, as the table says */
        const char *cpu = mark(on[PTO_TARGET_CPU], none, &empty),
                   *a2a3 = mark(on[PTO_TARGET_A2A3], none, &empty);
        const char *a5 = mark(on[PTO_TARGET_A5], none, &empty);
        const char *as = mark(form->text[PTO_TEXT_AS].opcode, "-", &empty);
        const char *level1 = mark(form->text[PTO_TEXT_LEVEL1].opcode, "-", &empty);
        const char *level2 = mark(form->text[PTO_TEXT_LEVEL2].opcode, hole, &empty);
        const char *executor = mark(form->kernel_name, hole, &empty);
        const char *tests = *e->tests ? e->tests : hole, *benchmarks = *e->benchmarks ? e->benchmarks : hole;
        empty += tests == hole;
        empty += benchmarks == hole;
        pto_sink_printf(&sink, "%-18s %-16s %-4s %-4s %-4s %-4s %-6s %-7s %-7s %-8s %s; %s\n", form->mnemonic,
                        form->form, cpu, a2a3, a5, "yes", as, level1, level2, executor, tests, benchmarks);
    }
    pto_sink_printf(&sink, "\n%zu instructions, %zu call forms, %zu holes\n", (size_t)PTO_OP_COUNT, count,
                    empty);
    if (holes)
        *holes = empty;
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}
