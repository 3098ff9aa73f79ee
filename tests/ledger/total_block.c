/* SPDX-License-Identifier: Apache-2.0 */
/* total_block FILE...: adds the ledgers of the block tests up. One of them must have executed every operation
 * that the machine has on every type that it accepts ("TADD <tab> FP32 <tab> count"), and one must have
 * compared what every operation that pads leaves outside of a partial valid region, on every type with every
 * PadValue ("TADD <tab> FP32 <tab> Zero <tab> count"). */
#include "block/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PADS = 4 };
static unsigned long executed[PTO_BLOCK_OP_COUNT][32], padded[PTO_BLOCK_OP_COUNT][32][PADS];

static void add(const pto_block_op *op, int type, const char *third, const char *fourth) {
    const int pad = fourth ? pto_block_pad_find(pto_str_from(third)) : -1;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        if (pto_block_op_get(i) != op)
            continue;
        if (!fourth)
            executed[i][type] += strtoul(third, NULL, 10);
        else if (pad >= 0)
            padded[i][type][pad] += strtoul(fourth, NULL, 10);
    }
}

static bool read_file(const char *path) {
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        const char *name = strtok(line, "\t\n"), *type = strtok(NULL, "\t\n"), *third = strtok(NULL, "\t\n"),
                   *fourth = strtok(NULL, "\t\n");
        const pto_block_op *op = name ? pto_block_op_named(pto_str_from(name)) : NULL;
        const int code = type ? pto_block_type_find(pto_str_from(type)) : -1;
        if (op && code >= 0 && third)
            add(op, code, third, fourth);
    }
    fclose(file);
    return true;
}

int main(int argc, char **argv) {
    unsigned long all = 0;
    int pairs = 0, missing = 0, cells = 0, bare = 0;
    for (int i = 1; i < argc; i++)
        if (!read_file(argv[i])) {
            fprintf(stderr, "%s: not a ledger\n", argv[i]);
            return 2;
        }
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        if (op->geometry == GEOMETRY_UNBUILT)
            continue;
        for (unsigned type = 0; type < 32; type++) {
            all += executed[i][type];
            if (!(op->types >> type & 1))
                continue;
            pairs++;
            if (!executed[i][type]) {
                printf("%s of %s: never executed\n", op->name, pto_block_type_name(type));
                missing++;
            }
            for (unsigned pad = 0; pad < PADS && op->attributes & DATR_PAD; pad++, cells++)
                if (!padded[i][type][pad]) {
                    printf("%s of %s with %s: padding never compared\n", op->name, pto_block_type_name(type),
                           pto_block_pad_name(pad));
                    bare++;
                }
        }
    }
    printf("%lu blocks executed; %d pairs of operation and type, %d of them never\n", all, pairs, missing);
    printf("%d of operation, type and PadValue, %d of them never compared\n", cells, bare);
    return missing || bare;
}
