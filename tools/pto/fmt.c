/* SPDX-License-Identifier: Apache-2.0 */
/* pto fmt: prints a program in a form of choice. */
#include "cli.h"

#include <string.h>

typedef struct work {
    pto_program *program;
    const pto_dialect *dialect; /* NULL: bytecode */
    bool strict, blocks;
    pto_verify_options verify; /* of blocks */
} work;

/* Text of the form, bytecode, or TileOp blocks. */
static pto_status produce(void *what, pto_write_fn write, void *context, pto_diag_list *diags) {
    const work *w = what;
    if (w->blocks)
        return pto_program_emit(w->program, PTO_LANGUAGE_BLOCK, &w->verify, write, context, diags);
    pto_encode_options options = {.strict = w->strict};
    return w->dialect ? pto_program_print(w->program, *w->dialect, write, context, diags)
                      : pto_program_encode(w->program, &options, write, context, diags);
}

/* ---- passes: names with commas between them --------------------------------------------------------- */

static const char *const pass_names[] = {"place", "sync"};
enum { PASSES = sizeof pass_names / sizeof *pass_names };

/* The pass at the start of the list, and what is behind it. */
static const char *next_pass(const char *list, const char **rest) {
    size_t len = strcspn(list, ",");
    *rest = list[len] ? list + len + 1 : NULL;
    for (int i = 0; i < PASSES; i++)
        if (strlen(pass_names[i]) == len && !memcmp(pass_names[i], list, len))
            return pass_names[i];
    return NULL;
}

static bool passes_exist(const char *list) {
    while (list)
        if (!next_pass(list, &list))
            return false;
    return true;
}

static pto_status run_passes(pto_program *program, const char *list, const pto_parse_options *parse,
                             pto_diag_list *diags) {
    pto_verify_options options = {.target = parse->target, .has_target = parse->has_target};
    pto_status status = PTO_OK;
    while (list && status == PTO_OK)
        status = pto_program_pass(program, next_pass(list, &list), &options, diags);
    return status;
}

static int run(int argc, char **argv) {
    const char *to = NULL, *target = NULL, *output = "-", *passes = NULL;
    bool in_place = false, json = false, strict = false;
    const cli_option options[] = {{"--to", 0, &to, NULL},           {"--target", 't', &target, NULL},
                                  {"--output", 'o', &output, NULL}, {"--in-place", 'i', NULL, &in_place},
                                  {"--strict", 0, NULL, &strict},   {"--json", 0, NULL, &json},
                                  {"--pass", 0, &passes, NULL}};
    int result;
    if (!cli_parse(&cli_fmt, &argc, argv, options, 7, &result))
        return result;
    pto_parse_options parse = {.target = PTO_TARGET_CPU};
    if (!cli_target(&cli_fmt, target, &parse.target, &parse.has_target))
        return CLI_USAGE;
    if (argc != 1)
        return cli_usage(&cli_fmt, argc ? "one file at a time" : "no file given");
    bool bytecode = to && !strcmp(to, "bytecode"), blocks = to && !strcmp(to, "block");
    parse.keep_layouts = bytecode;
    pto_dialect dialect = bytecode || blocks ? PTO_DIALECT_LEVEL2 : PTO_DIALECT_AS;
    if (to && !bytecode && !blocks && !pto_dialect_from_name(to, &dialect))
        return cli_usage(&cli_fmt,
                         "unknown form %s; the forms are pto-as, level1, level2, generic, bytecode and block",
                         to);
    if (passes && !passes_exist(passes))
        return cli_usage(&cli_fmt, "unknown pass in %s; the passes are place and sync", passes);
    cli_program program;
    pto_program *converted = NULL;
    pto_status status;
    if (cli_load(&program, argv[0], &parse, &status)) {
        pto_program *shown = program.program;
        if (!to)
            dialect = pto_program_dialect(program.program);
        if (passes && (dialect == PTO_DIALECT_AS || dialect == PTO_DIALECT_LEVEL1))
            dialect = PTO_DIALECT_LEVEL2; /* SSA text has neither addresses nor flags */
        if (dialect != pto_program_dialect(program.program) &&
            !((bytecode || blocks) && pto_program_dialect(program.program) == PTO_DIALECT_GENERIC))
            shown = converted = pto_program_convert(program.program, dialect, program.diags);
        status = shown ? run_passes(shown, passes, &parse, program.diags) : PTO_ERR_REFUSED;
        work w = {shown,
                  bytecode ? NULL : &dialect,
                  strict,
                  blocks,
                  {.target = parse.target, .has_target = parse.has_target}};
        if (status == PTO_OK)
            status = cli_write_to(in_place ? argv[0] : output, produce, &w, program.diags);
    }
    cli_report(program.diags, json);
    pto_program_destroy(converted);
    cli_unload(&program);
    return cli_finish(cli_status(status));
}

const cli_command cli_fmt = {
    "fmt", "print a program in canonical form, or in another form",
    "usage: pto fmt [--to pto-as|level1|level2|generic|bytecode|block] [--pass LIST] [-t TARGET] [-o OUT | "
    "--in-place] FILE\n\n"
    "Prints a program in the canonical spelling of its form, or converts it to another form of the same "
    "meaning.\n"
    "FILE - reads standard input.\n\n"
    "      --to FORM    pto-as, level1, level2 (also level 3: addresses are kept) generic (MLIR generic "
    "form)\n"
    "                   bytecode (PTO-BC version 0) or block (TileOp blocks: see docs/blocks.md)\n"
    "      --pass LIST  change it first: place gives every tile its address, sync inserts the flags and\n"
    "                   barriers that the target needs; place,sync both. Text in an SSA form becomes level2\n"
    "      --strict     bytecode: refuse what its opcodes do not hold\n"
    "  -t, --target T   the target of --pass and of the layout of left operands (default: the program's)\n"
    "  -o, --output F   write to F (default: standard output)\n"
    "  -i, --in-place   write back to FILE\n"
    "      --json       diagnostics as JSON\n",
    run};
