/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger.h"
#include "core/core.h"
#include "isa/isa.h"
#include <pto/ops.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 1 << 14, SHAPES = 1 << 10 };

typedef struct entry {
    pto_form form;
    pto_target target;
    pto_dtype var[6];
    uint64_t calls, shape_count;
    uint64_t shape[SHAPES]; /* hashes; 0 = free */
} entry;

static struct {
    pthread_mutex_t mutex;
    const char *path;
    entry *entry[ENTRIES];
} ledger = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void write_ledger(void) {
    FILE *file = fopen(ledger.path, "w");
    if (!file)
        return;
    for (int i = 0; i < ENTRIES; i++) {
        const entry *e = ledger.entry[i];
        if (!e)
            continue;
        const pto_form_desc *form = pto_form_get(e->form);
        char types[LEDGER_TYPES];
        ledger_types(e->var, types);
        fprintf(file, "%s\t%s\t%s\t%s\t%llu\t%llu\n", form->mnemonic, form->form, pto_target_name(e->target),
                types, (unsigned long long)e->calls, (unsigned long long)e->shape_count);
    }
    fclose(file);
}

/* Types of the variables, and a hash of the extents, layouts and places of the operands. */
static uint64_t look(const pto_instr *instr, pto_dtype var[6]) {
    const pto_form_desc *form = pto_form_get(instr->form);
    uint64_t hash = 1;
    for (int v = 0; v < 6; v++)
        var[v] = PTO_DTYPE_NONE;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand *operand = &instr->operand[i];
        pto_dtype dtype = PTO_DTYPE_NONE;
        hash = mix(hash, operand->kind);
        if (operand->kind == PTO_OPERAND_TILE) {
            const pto_tile_type *type = &operand->tile->type;
            dtype = type->dtype;
            hash = mix(hash, (uint64_t)type->rows << 32 | (uint32_t)type->cols);
            hash = mix(hash, (uint64_t)operand->tile->valid_rows << 32 | (uint32_t)operand->tile->valid_cols);
            hash = mix(hash, (uint64_t)type->loc << 16 | (uint64_t)type->blayout << 8 | type->slayout);
        } else if (operand->kind == PTO_OPERAND_GLOBAL) {
            dtype = operand->global->dtype;
            for (int d = 0; d < 5; d++)
                hash =
                    mix(mix(hash, (uint64_t)operand->global->shape[d]), (uint64_t)operand->global->stride[d]);
        } else if (operand->kind == PTO_OPERAND_SCALAR) {
            dtype = operand->scalar.dtype;
        }
        const char *variable = form->operand[i].type_var ? strchr("TSDABI", form->operand[i].type_var) : NULL;
        if (variable && dtype != PTO_DTYPE_NONE && var[variable - "TSDABI"] == PTO_DTYPE_NONE)
            var[variable - "TSDABI"] = dtype;
    }
    return hash ? hash : 1;
}

static void count(void *user, const pto_core *core, const pto_instr *instr) {
    (void)user;
    pto_dtype var[6];
    uint64_t shape = look(instr, var);
    pto_target target = pto_core_options(core)->target;
    uint64_t at = mix(mix(7, instr->form), target);
    for (int v = 0; v < 6; v++)
        at = mix(at, var[v]);
    pthread_mutex_lock(&ledger.mutex);
    entry *e = NULL;
    for (int i = 0; i < ENTRIES; i++, at++) {
        entry **slot = &ledger.entry[at % ENTRIES];
        if (!*slot) {
            *slot = calloc(1, sizeof **slot);
            if (!(e = *slot))
                break;
            e->form = instr->form;
            e->target = target;
            memcpy(e->var, var, sizeof var);
        }
        if ((*slot)->form == instr->form && (*slot)->target == target &&
            !memcmp((*slot)->var, var, sizeof var)) {
            e = *slot;
            break;
        }
    }
    if (e) {
        e->calls++;
        for (uint64_t i = 0; i < SHAPES && e->shape_count < SHAPES / 2; i++) {
            uint64_t *slot = &e->shape[(shape + i) % SHAPES];
            if (*slot == shape)
                break;
            if (!*slot) {
                *slot = shape;
                e->shape_count++;
                break;
            }
        }
    }
    pthread_mutex_unlock(&ledger.mutex);
}

static void watch(pto_core *core) { (void)pto_core_add_observer(core, (pto_observer){.before = count}); }

/* Before main(): every core that is created from now on is watched. */
__attribute__((constructor)) static void start(void) {
    ledger.path = getenv("PTO_LEDGER");
    if (ledger.path) {
        pto_core_set_hook(watch);
        atexit(write_ledger);
    }
}
