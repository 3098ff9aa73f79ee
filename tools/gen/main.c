/* SPDX-License-Identifier: Apache-2.0 */
/* pto-gen TABLE DIRECTORY: writes what cmake/Generate.cmake lists. */
#include "gen.h"

#include <stdlib.h>

static void write_file(const char *directory, const char *name, const gen_table *table,
                       void (*emit)(const gen_table *, FILE *)) {
    char *path = gen_format("%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "pto-gen: cannot write %s\n", path);
        exit(1);
    }
    emit(table, out);
    if (fclose(out)) {
        fprintf(stderr, "pto-gen: cannot write %s\n", path);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: pto-gen TABLE DIRECTORY\n");
        return 2;
    }
    gen_table table = gen_read(argv[1]);
    write_file(argv[2], "include/pto/ops.h", &table, gen_emit_ops);
    write_file(argv[2], "include/pto/functions.h", &table, gen_emit_functions_header);
    write_file(argv[2], "include/pto/inst_macros.h", &table, gen_emit_macros);
    write_file(argv[2], "src/kernels.inc", &table, gen_emit_kernels);
    write_file(argv[2], "src/isa/table.c", &table, gen_emit_table);
    write_file(argv[2], "src/core/functions.c", &table, gen_emit_functions_source);
    return 0;
}
