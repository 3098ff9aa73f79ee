/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of one instruction on one target: the only place that decides it. The verifier calls it
 * with what is known statically, the door with run-time values; the rules are the same functions.
 * Order of stages: type -> shape -> layout -> profile (00-model, 15). */
#ifndef PTO_ISA_LEGALITY_H
#define PTO_ISA_LEGALITY_H

#include "isa/isa.h"
#include <pto/diag.h>

#define PTO_UNKNOWN (-1)

/* What is known of one operand. Unknown numbers are PTO_UNKNOWN; a rule never fails on unknowns. */
typedef struct pto_legality_operand {
    pto_operand_kind kind;
    /* tiles */
    pto_tile_type type;
    int32_t valid_rows, valid_cols;
    bool view;       /* a view of another tile: only its valid window counts as its bytes */
    bool addr_known; /* on-chip placement is known: bytes [addr, addr + bytes) of type.loc */
    uint64_t addr;
    const void *host;     /* host address of element 0 when the tile has storage: decides overlap exactly */
    const void *identity; /* equal non-NULL identities = the same tile object / SSA value */
    /* global tensors */
    pto_dtype dtype;
    pto_layout layout;
    int64_t shape[5], stride[5];
    bool read_only;
    /* scalars and attributes */
    bool value_known;
    pto_scalar value;
} pto_legality_operand;

struct pto_refusal;
typedef struct pto_legality pto_legality;
struct pto_legality {
    const pto_form_desc *form;
    pto_target target;
    bool strict;        /* part 60, 3.10.7 */
    bool explicit_tmp;  /* level 3 and C: a scratch tile that the a2a3 hardware uses must be given (60, 2) */
    uint32_t subblocks; /* vector cores of the block; 0 = unknown */
    bool run_time;      /* scalars are values of a run: rules about literals do not concern them */
    pto_legality_operand operand[PTO_MAX_OPERANDS]; /* by schema position */
    /* Receives every refusal; `operand` is a schema position or -1 for the whole instruction. */
    uint32_t memory_bytes[PTO_LOC_COUNT]; /* enlarged memories, 0 = the target's capacity */
    void (*report)(void *user, const struct pto_refusal *refusal);
    void *user;
    bool failed; /* an error (not a warning) was reported */
};

/* One refusal or warning. Strings live until the callback returns. */
typedef struct pto_refusal {
    const char *rule; /* "PTO-E0312"; its text and severity stand in rules.def */
    int operand;      /* schema position, -1 = instruction */
    const char *found;
    const char *allowed; /* what the target allows; may be NULL */
} pto_refusal;

/* Runs every check of the form on the target: availability, types, then the rules in table order.
 * Stops after the first stage that failed, so that one mistake gives one message. Returns !failed. */
bool pto_legality_check(pto_legality *legality);

/* For rule functions: printf-style found and allowed (allowed may be NULL). The severity comes from
 * the rule's row in rules.def. */
void pto_legality_refuse(pto_legality *legality, const char *rule, int operand, const char *allowed,
                         const char *found_format, ...) __attribute__((format(printf, 5, 6)));

/* Legality of a tile type alone: L1..L6 and capacity (00-model, 3.4, 8.1). Uses the same report path. */
bool pto_legality_check_tile_type(pto_legality *legality, const pto_tile_type *type, int operand);

/* The rule catalogue, from rules.def. */
typedef enum pto_stage {
    PTO_STAGE_TYPE,
    PTO_STAGE_SHAPE,
    PTO_STAGE_LAYOUT,
    PTO_STAGE_PROFILE,
    PTO_STAGE_OTHER
} pto_stage;
typedef struct pto_rule_text {
    const char *id;        /* "PTO-E0312" */
    const char *name;      /* short name: "valid-equal" */
    pto_severity severity; /* diag.h */
    pto_stage stage;
    const char *targets; /* "all", "a2a3", "a2a3 a5", ... */
    const char *title;   /* message of the diagnostic, one clause */
    const char *text;    /* the rule, for pto explain */
    const char *fix;     /* how to fix it */
    const char *spec;    /* section */
} pto_rule_text;
const pto_rule_text *pto_rule_find(const char *id); /* exact id, any case; NULL when unknown */
size_t pto_rule_count(void);
/* The smallest input that breaks a rule, from src/isa/examples. */
typedef struct pto_rule_example {
    const char *id;
    const char *kind;   /* "check": a program that pto check refuses; "strict": that it refuses with --strict;
                           "run": that   is refused while it runs; "shell": a command line; "none": why no text
                           breaks the rule */
    const char *target; /* "cpu", "a2a3", "a5" */
    const char *also;   /* ids of other rules that the program cannot help breaking, separated by spaces */
    const char *text;   /* lines that end in \n */
} pto_rule_example;
extern const pto_rule_example pto_rule_examples[];
extern const size_t pto_rule_example_count;
const pto_rule_example *pto_rule_example_find(const char *id); /* NULL = none */
const pto_rule_text *pto_rule_at(size_t index);

#endif
