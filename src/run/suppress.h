/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings are suppressed; the file format is told in <pto/check.h>. */
#ifndef PTO_RUN_SUPPRESS_H
#define PTO_RUN_SUPPRESS_H

#include <pto/check.h>

/* Is a finding of the rule suppressed by one of its names? Names may be NULL; so may the suppressions. */
bool pto_suppressions_match(const pto_suppressions *suppressions, const char *rule, const char *const *names,
                            size_t count);
/* memory, init, race or sync: the check that a rule belongs to. */
const char *pto_check_kind_of_rule(const char *rule);

#endif
