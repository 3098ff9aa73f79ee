/* SPDX-License-Identifier: Apache-2.0 */
/* pto-gen TABLE DIRECTORY SOURCES: writes what cmake/Generate.cmake lists. */
#define _POSIX_C_SOURCE 200809L
#include "gen.h"

#include <stdlib.h>
#include <string.h>

/* Has the file just these bytes? */
static bool same_content(const char *path, const char *text, size_t length) {
    FILE *in = fopen(path, "rb");
    if (!in)
        return false;
    char *old = gen_alloc(length + 1);
    size_t got = fread(old, 1, length + 1, in);
    fclose(in);
    bool same = got == length && memcmp(old, text, length) == 0;
    return same;
}

/* A file that would not change is left alone, so that nothing is compiled again for it. */
static void write_file(const char *directory, const char *name, const gen_table *table,
                       void (*emit)(const gen_table *, FILE *)) {
    char *path = gen_format("%s/%s", directory, name);
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        emit(table, memory);
    if (!memory || fclose(memory)) {
        fprintf(stderr, "pto-gen: out of memory\n");
        exit(1);
    }
    if (!same_content(path, text, length)) {
        FILE *out = fopen(path, "wb");
        bool written = out && fwrite(text, 1, length, out) == length;
        if (!out || fclose(out) || !written) {
            fprintf(stderr, "pto-gen: cannot write %s\n", path);
            exit(1);
        }
    }
    free(text);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: pto-gen TABLE DIRECTORY SOURCES\n");
        return 2;
    }
    gen_table table = gen_read(argv[1]);
    table.root = argv[3];
    gen_reference(&table);
    write_file(argv[2], "include/pto/ops.h", &table, gen_emit_ops);
    write_file(argv[2], "include/pto/functions.h", &table, gen_emit_functions_header);
    write_file(argv[2], "include/pto/inst_macros.h", &table, gen_emit_macros);
    write_file(argv[2], "include/pto/common/instr_forms.hpp", &table, gen_emit_cpp);
    write_file(argv[2], "src/cpp_overloads.inc", &table, gen_emit_cpp_test);
    write_file(argv[2], "src/emit/calls.c", &table, gen_emit_cpp_calls);
    write_file(argv[2], "src/kernels.inc", &table, gen_emit_kernels);
    write_file(argv[2], "src/isa/table.c", &table, gen_emit_table);
    write_file(argv[2], "src/core/functions.c", &table, gen_emit_functions_source);
    write_file(argv[2], "src/isa/examples.c", &table, gen_emit_examples);
    write_file(argv[2], "tools/coverage.inc", &table, gen_emit_coverage);
    return 0;
}
