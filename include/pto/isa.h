/* SPDX-License-Identifier: Apache-2.0 */
/* The reference pages of the instruction table and of the rule catalogue, as text and as JSON. */
#ifndef PTO_ISA_H
#define PTO_ISA_H

#include <pto/diag.h>

PTO_BEGIN_DECLS

/* Mnemonics in table order; NULL behind the last. */
PTO_API const char *pto_isa_name(size_t index);
/* Every instruction, a line each, by family. False if the callback stopped it. */
PTO_API bool pto_isa_list(pto_write_fn write, void *context);
/* The page of one instruction, any case, its examples executed; PTO_ERR_USAGE for an unknown name, nothing is
 * written then. Another status is that of an example that failed, which is a defect of the library. */
PTO_API pto_status pto_isa_page(const char *name, pto_write_fn write, void *context);
/* One object per call form, as an array: of one instruction, or of all for NULL. */
PTO_API pto_status pto_isa_json(const char *name, pto_write_fn write, void *context);
/* What proves and measures a call form outside of the library: names separated by spaces, "" = nothing. */
typedef struct pto_isa_evidence {
    const char *tests, *benchmarks;
} pto_isa_evidence;
/* A table of all call forms: targets, C, text forms, executor, and the evidence for each, which stands in
 * table order. `holes`, if given, receives how many cells are empty that should not be. PTO_ERR_USAGE if
 * `count` is not the number of forms. */
PTO_API pto_status pto_isa_coverage(const pto_isa_evidence *evidence, size_t count, size_t *holes,
                                    pto_write_fn write, void *context);
/* The known name nearest to a mistyped one, NULL if none is near. */
PTO_API const char *pto_isa_suggest(const char *name);

/* Rule ids in catalogue order; NULL behind the last. */
PTO_API const char *pto_rule_id(size_t index);
PTO_API bool pto_rule_list(pto_write_fn write, void *context);
PTO_API pto_status pto_rule_page(const char *id, pto_write_fn write, void *context);
PTO_API pto_status pto_rule_json(const char *id, pto_write_fn write, void *context); /* NULL = all */
PTO_API const char *pto_rule_suggest(const char *id);

PTO_END_DECLS
#endif
