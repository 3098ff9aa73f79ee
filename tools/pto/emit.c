/* SPDX-License-Identifier: Apache-2.0 */
/* pto emit: a program as C++. */
#include "cli.h"

#include <string.h>

typedef struct work {
    pto_program *program;
    pto_verify_options options;
} work;

static pto_status produce(void *what, pto_write_fn write, void *context, pto_diag_list *diags) {
    work *w = what;
    return pto_program_emit(w->program, PTO_LANGUAGE_CPP, &w->options, write, context, diags);
}

static int run(int argc, char **argv) {
    const char *lang = "c++", *target = NULL, *output = "-";
    bool json = false;
    const cli_option options[] = {{"--lang", 'l', &lang, NULL},
                                  {"--target", 't', &target, NULL},
                                  {"--output", 'o', &output, NULL},
                                  {"--json", 0, NULL, &json}};
    int result;
    if (!cli_parse(&cli_emit, &argc, argv, options, 4, &result))
        return result;
    work w = {.options = {.target = PTO_TARGET_CPU}};
    if (!cli_target(&cli_emit, target, &w.options.target, &w.options.has_target))
        return CLI_USAGE;
    if (strcmp(lang, "c++") != 0)
        return cli_usage(&cli_emit, "unknown language %s; there is c++", lang);
    if (argc != 1)
        return cli_usage(&cli_emit, argc ? "one file at a time" : "no file given");
    pto_parse_options parse = {.target = w.options.target, .has_target = w.options.has_target};
    cli_program program;
    pto_status status;
    if (cli_load(&program, argv[0], &parse, &status)) {
        w.program = program.program;
        status = cli_write_to(output, produce, &w, program.diags);
    }
    cli_report(program.diags, json);
    cli_unload(&program);
    return cli_finish(cli_status(status));
}

const cli_command cli_emit = {
    "emit", "write a program as C++",
    "usage: pto emit [--lang c++] [-t TARGET] [-o OUT] FILE\n\n"
    "Verifies a program, places its tiles as a run does, and writes it as C++ over <pto/pto-inst.hpp>:\n"
    "every entry a __global__ function that gives the bits of pto run on that target.\n"
    "FILE - reads standard input.\n\n"
    "  -l, --lang L     the language: c++\n"
    "  -t, --target T   cpu, a2a3 or a5 (default: the program's, else cpu); build the output with\n"
    "                   -D__NPU_ARCH__=2201 (a2a3), 3510 (a5) or without (cpu)\n"
    "  -o, --output F   write to F (default: standard output)\n"
    "      --json       diagnostics as JSON\n",
    run};
