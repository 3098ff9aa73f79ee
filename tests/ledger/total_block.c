/* SPDX-License-Identifier: Apache-2.0 */
/* total_block FILE...: adds the ledgers of the block tests up: one of them must have executed every operation
 * that the machine has on every type that it accepts. */
#include "block/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long executed[PTO_BLOCK_OP_COUNT][32];

static bool read_file(const char *path) {
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        char *name = strtok(line, "\t\n"), *type = strtok(NULL, "\t\n"), *count = strtok(NULL, "\t\n");
        const pto_block_op *op = name ? pto_block_op_named(pto_str_from(name)) : NULL;
        int code = type ? pto_block_type_find(pto_str_from(type)) : -1;
        for (size_t i = 0; op && code >= 0 && count && i < PTO_BLOCK_OP_COUNT; i++)
            if (pto_block_op_get(i) == op)
                executed[i][code] += strtoul(count, NULL, 10);
    }
    fclose(file);
    return true;
}

int main(int argc, char **argv) {
    unsigned long all = 0;
    int pairs = 0, missing = 0;
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
        }
    }
    printf("%lu blocks executed; %d pairs of operation and type, %d of them never\n", all, pairs, missing);
    return missing != 0;
}
