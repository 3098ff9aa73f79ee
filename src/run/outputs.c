/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of outputs that nobody wrote. */
#include "run/outputs.h"

#include "isa/legality.h"
#include "program/facts.h"

static void ignore(void *user, const pto_check_finding *finding) {
    (void)user;
    (void)finding;
}

bool pto_outputs_watch(pto_check_heap *heap, const pto_machine_buffer *buffers, size_t count) {
    if (!pto_check_heap_init(heap, PTO_CHECK_INIT, ignore, NULL))
        return false;
    for (size_t i = 0; i < count; i++)
        if (buffers[i].fresh && buffers[i].bytes &&
            !pto_check_heap_add(heap, buffers[i].data, buffers[i].bytes, buffers[i].name, true)) {
            pto_check_heap_release(heap);
            return false;
        }
    return true;
}

/* "element 640 (row 10, column 0)": where the parameter's type tells */
static void tell_elements(const pto_value *value, uint64_t begin, uint64_t end, pto_diag_list *diags) {
    pto_view_facts facts;
    if (!pto_fact_view(value, &facts) || pto_dtype_bits(facts.dtype) < 8)
        return;
    const uint64_t size = pto_dtype_bits(facts.dtype) / 8;
    const int64_t cols = facts.rank > 0 ? facts.shape[4] : -1;
    if (cols > 0)
        pto_diag_note(diags, pto_nowhere(), "from row %llu, column %llu to row %llu, column %llu",
                      (unsigned long long)(begin / size / (uint64_t)cols),
                      (unsigned long long)(begin / size % (uint64_t)cols),
                      (unsigned long long)((end - 1) / size / (uint64_t)cols),
                      (unsigned long long)((end - 1) / size % (uint64_t)cols));
}

size_t pto_outputs_tell(pto_check_heap *heap, const pto_program *program, pto_value *const *values,
                        const pto_machine_buffer *buffers, size_t count, const pto_suppressions *suppressions,
                        pto_diag_list *diags) {
    size_t told = 0;
    const pto_rule_text *rule = pto_rule_find("PTO-E1121");
    for (size_t i = 0; i < count; i++) {
        uint64_t begin, end, total;
        const char *names[] = {"PTO-E1121", buffers[i].name, program->source ? program->source->name : NULL};
        if (!buffers[i].fresh || pto_suppressions_match(suppressions, "PTO-E1121", names, 3) ||
            !pto_check_heap_hole(heap, (uint64_t)(uintptr_t)buffers[i].data, &begin, &end, &total))
            continue;
        const pto_value *value = values[i];
        pto_diag_add(diags, PTO_ERROR, "PTO-E1121",
                     program->source ? pto_at(program->source, value->span.begin, value->span.end)
                                     : pto_nowhere(),
                     "output %s: %s", buffers[i].name, rule->title);
        pto_diag_found(diags, "bytes %llu to %llu of argument %s; %llu bytes in all",
                       (unsigned long long)begin, (unsigned long long)end - 1, buffers[i].name,
                       (unsigned long long)total);
        pto_diag_fix(diags, "%s", rule->fix);
        tell_elements(value, begin, end, diags);
        told++;
    }
    return told;
}
