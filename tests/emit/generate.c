/* SPDX-License-Identifier: Apache-2.0 */
/* emit_generate DIRECTORY SIZE FILE...: the C++ of every program that a target accepts, SIZE kernels a
 * translation unit, as DIRECTORY/TARGET_N.cpp, for tests/emit/kernels.sh. Programs that are refused stand in
 * DIRECTORY/refused: file, part, target, rule and what was found. EMIT_EVERY=n takes every n-th program of
 * files with several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"

typedef struct text {
    char *data;
    size_t len, capacity;
} text;

static bool append(void *context, const char *data, size_t len) {
    text *t = context;
    if (t->capacity - t->len < len + 1) {
        t->capacity = (t->len + len + 1) * 2;
        t->data = realloc(t->data, t->capacity);
        if (!t->data)
            exit(2);
    }
    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = 0;
    return true;
}

typedef struct unit {
    FILE *out;
    int count, number;
} unit;

static const char *directory;
static int unit_size, kernel_number;
static unit units[PTO_TARGET_COUNT];
static FILE *refused;

static FILE *unit_of(pto_target target) {
    unit *u = &units[target];
    if (u->out && u->count++ < unit_size - 1)
        return u->out;
    if (u->out)
        fclose(u->out);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s_%d.cpp", directory, pto_target_name(target), u->number++);
    u->out = fopen(path, "w");
    u->count = 0;
    if (!u->out)
        exit(2);
    fputs("#include <pto/pto-inst.hpp>\n#include <cmath>\n#include <cstring>\n#include <limits>\n#include "
          "<tuple>\n"
          "#include <type_traits>\n#include \"emit/kernel.hpp\"\n",
          u->out);
    return u->out;
}

/* The module in a namespace of its own, includes left out, and a line for each of its entries. */
static void write_unit(const pto_program *program, const char *path, int part, pto_target target,
                       const char *code) {
    FILE *out = unit_of(target);
    int number = kernel_number++;
    fprintf(out, "\nnamespace k%d { /* %s, part %d */\n", number, path, part);
    for (const char *line = code; *line;) {
        size_t len = strcspn(line, "\n") + 1;
        if (strncmp(line, "#include", 8) != 0)
            fwrite(line, 1, len, out);
        line += len;
    }
    const char *at = code, *mark = "__global__ AICORE ";
    for (const pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f)) {
        if (!pto_function_body(f) || !pto_function_is_entry(program, f))
            continue;
        at = strstr(at, mark);
        if (!at)
            exit(3);
        at = strchr(at + strlen(mark), '(');
        while (at[-1] != ' ' && at[-1] != '*')
            at--;
        pto_str name = pto_function_name(f);
        fprintf(out,
                "static const emitted::Register r_%.*s({\"%s\", %d, static_cast<pto_target>(%d), \"%.*s\",\n"
                "    [](const emitted::Argument *a) { emitted::invoke(&%.*s, a); }});\n",
                (int)strcspn(at, "("), at, path, part, (int)target, PTO_STR_ARG(name), (int)strcspn(at, "("),
                at);
    }
    fputs("}\n", out);
}

/* The same C++ as before, from another form of the program. */
static bool is_known(pto_target target, const char *code) {
    static struct {
        uint64_t hash;
        int target;
    } seen[1 << 16];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *p = code; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    size_t at = (size_t)(hash >> 40) & 0xffff;
    while (seen[at].hash) {
        if (seen[at].hash == hash && seen[at].target == (int)target)
            return true;
        at = (at + 1) & 0xffff;
    }
    seen[at].hash = hash;
    seen[at].target = (int)target;
    return false;
}

static void emit_one(const char *path, int part, const char *source, size_t len) {
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_parse_options parse = {.target = (pto_target)t, .has_target = true};
        pto_verify_options verify = {.target = (pto_target)t, .has_target = true};
        pto_diag_list *diags = pto_diag_list_create();
        pto_program *program = pto_program_parse(path, source, len, &parse, diags);
        text code = {0};
        if (program && !pto_diag_count(diags, PTO_ERROR) &&
            pto_program_check(program, &verify, diags) == PTO_OK) {
            pto_diag_list_clear(diags);
            if (pto_program_emit(program, PTO_LANGUAGE_CPP, &verify, append, &code, diags) == PTO_OK) {
                if (!is_known((pto_target)t, code.data))
                    write_unit(program, path, part, (pto_target)t, code.data);
            } else {
                for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
                    if (d->severity == PTO_ERROR)
                        fprintf(refused, "%s %d %s %s %s\n", path, part, pto_target_name((pto_target)t),
                                d->rule, d->found ? d->found : d->message);
            }
        }
        free(code.data);
        pto_program_destroy(program);
        pto_diag_list_destroy(diags);
    }
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    directory = argv[1];
    unit_size = atoi(argv[2]);
    const char *step = getenv("EMIT_EVERY");
    int every = step ? atoi(step) : 1;
    char path[4096];
    snprintf(path, sizeof path, "%s/refused", directory);
    refused = fopen(path, "w");
    for (int i = 3; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (!in || !refused)
            return 2;
        text source = {0};
        char buffer[4096];
        append(&source, "", 0);
        for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
            append(&source, buffer, n);
        fclose(in);
        int part = 0;
        static const char mark[] = "// -----\n";
        bool several = strstr(source.data, mark) != NULL;
        for (char *at = source.data; at; part++) {
            char *end = strstr(at, mark);
            if (!several || part % every == 0)
                emit_one(argv[i], part, at, end ? (size_t)(end - at) : strlen(at));
            at = end ? end + strlen(mark) : NULL;
        }
        free(source.data);
    }
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        if (units[t].out)
            fclose(units[t].out);
    return fclose(refused) ? 2 : 0;
}
