/* SPDX-License-Identifier: Apache-2.0 */
/* pto isa: the reference pages of the instruction table. */
#include "cli.h"

static int run(int argc, char **argv) {
    bool json = false, coverage = false;
    const cli_option options[] = {{"--json", 0, NULL, &json}, {"--coverage", 0, NULL, &coverage}};
    int status;
    if (!cli_parse(&cli_isa, &argc, argv, options, 2, &status))
        return status;
    if (argc > 1)
        return cli_usage(&cli_isa, "one instruction at a time, found %s too", argv[1]);
    if (coverage && (argc || json))
        return cli_usage(&cli_isa, "--coverage shows all instructions, as text");
    if (coverage)
        return cli_coverage();
    const char *name = argc ? argv[0] : NULL;
    pto_status result = PTO_OK;
    if (json)
        result = pto_isa_json(name, cli_write, stdout);
    else if (name)
        result = pto_isa_page(name, cli_write, stdout);
    else
        pto_isa_list(cli_write, stdout);
    if (!json && name && *name && pto_block_page(name, cli_write, stdout))
        result = PTO_OK; /* some operations exist in the block form alone */
    if (result == PTO_ERR_USAGE) {
        const char *near = pto_isa_suggest(name);
        return cli_usage(&cli_isa,
                         near ? "unknown instruction %s; did you mean %s?" : "unknown instruction %s", name,
                         near);
    }
    return cli_finish(cli_status(result));
}

const cli_command cli_isa = {
    "isa", "the reference page of an instruction, or the list",
    "usage: pto isa [NAME] [--json]\n       pto isa --coverage\n\n"
    "Prints the reference page of an instruction from the table: call forms, operands, element types of "
    "every\n"
    "target, text spellings, pipe and rules. Without NAME, the list of instructions.\n\n"
    "  --json       the same as a JSON array, one object per call form\n"
    "  --coverage   every call form: where it exists, which tests compare it with a reference and which\n"
    "               benchmarks measure it; 1 if something is missing\n\n"
    "example\n  pto isa TADDDEQRELU\n",
    run};
