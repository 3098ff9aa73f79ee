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

static const uint8_t lengths[] = {
#define PTO_RULE(id, ...) sizeof id - 1,
#include "isa/rules.def"
#undef PTO_RULE
};

const pto_rule_text *pto_rule_find(const char *id) {
    enum { DIGITS = 4 }; /* at the end of every id; they tell nearly all of them apart */
    size_t len = strlen(id);
    if (len < DIGITS)
        return NULL;
    for (size_t i = 0; i < pto_rule_count(); i++) {
        const char *own = rules[i].id;
        if (lengths[i] == len && !memcmp(own + len - DIGITS, id + len - DIGITS, DIGITS) &&
            !strcasecmp(own, id))
            return &rules[i];
    }
    return NULL;
}

const pto_rule_example *pto_rule_example_find(const char *id) {
    for (size_t i = 0; i < pto_rule_example_count; i++)
        if (!strcasecmp(pto_rule_examples[i].id, id))
            return &pto_rule_examples[i];
    return NULL;
}
