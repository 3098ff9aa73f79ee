/* SPDX-License-Identifier: Apache-2.0 */
/* The rule catalogue. */
#include "isa/legality.h"

#include <string.h>
#include <strings.h>

static const pto_rule_text rules[] = {
#define PTO_RULE(...) {__VA_ARGS__},
#include "isa/rules.def"
#undef PTO_RULE
};

size_t pto_rule_count(void) { return sizeof rules / sizeof *rules; }

const pto_rule_text *pto_rule_at(size_t index) { return index < pto_rule_count() ? &rules[index] : NULL; }

const pto_rule_text *pto_rule_find(const char *id) {
    enum { LENGTH = sizeof "PTO-E0000" - 1, DIGITS = 4 }; /* the digits tell nearly all of them apart */
    if (strlen(id) != LENGTH)
        return NULL;
    for (size_t i = 0; i < pto_rule_count(); i++)
        if (!memcmp(rules[i].id + LENGTH - DIGITS, id + LENGTH - DIGITS, DIGITS) &&
            !strcasecmp(rules[i].id, id))
            return &rules[i];
    return NULL;
}

const pto_rule_example *pto_rule_example_find(const char *id) {
    for (size_t i = 0; i < pto_rule_example_count; i++)
        if (!strcasecmp(pto_rule_examples[i].id, id))
            return &pto_rule_examples[i];
    return NULL;
}
