/* SPDX-License-Identifier: Apache-2.0 */
/* pto check: every rule of the target, nothing is run. */
#include "block.h"
#include "cli.h"

static pto_status check_file(const char *path, const pto_verify_options *verify, bool json) {
    pto_parse_options parse = {.target = verify->target, .has_target = verify->has_target};
    cli_program program;
    pto_status status;
    bool parsed = cli_load(&program, path, &parse, &status);
    if (program.program) {
        /* what did not parse is told already; the rest is checked all the same */
        if (parsed)
            status = pto_program_check(program.program, verify, program.diags);
        else
            pto_program_verify(program.program, verify, program.diags);
    }
    cli_report(program.diags, json);
    cli_unload(&program);
    return status;
}

static int run(int argc, char **argv) {
    const char *target = NULL;
    bool json = false, ptoas_compat = false, ptoas_only = false;
    pto_verify_options verify = {.target = PTO_TARGET_CPU};
    const cli_option options[] = {{"--target", 't', &target, NULL},
                                  {"--json", 0, NULL, &json},
                                  {"--strict", 0, NULL, &verify.strict},
                                  {"--ptoas-compat", 0, NULL, &ptoas_compat},
                                  {"--ptoas-only", 0, NULL, &ptoas_only}};
    int status;
    if (!cli_parse(&cli_check, &argc, argv, options, 5, &status))
        return status;
    if (!cli_target(&cli_check, target, &verify.target, &verify.has_target))
        return CLI_USAGE;
    if (!argc)
        return cli_usage(&cli_check, "no file given");
    verify.ptoas = ptoas_only ? PTO_PTOAS_ONLY : ptoas_compat ? PTO_PTOAS_ADD : PTO_PTOAS_OFF;
    int worst = CLI_OK;
    for (int i = 0; i < argc; i++) {
        int result = cli_status(cli_is_block(argv[i]) ? cli_block_check(argv[i], json)
                                                      : check_file(argv[i], &verify, json));
        if (result > worst)
            worst = result;
    }
    return cli_finish(worst);
}

const cli_command cli_check = {
    "check", "verify programs against the rules of a target",
    "usage: pto check FILE... [--target cpu|a2a3|a5] [--strict] [--ptoas-compat] [--ptoas-only] [--json]\n\n"
    "Parses and verifies programs in any text form (PTO-AS, levels 1 to 3, generic) and reports every "
    "mistake.\n"
    "FILE - reads standard input. TileOp blocks (.s, .bin): tiles read after their release or never, "
    "dimensions\n"
    "that are missing, words that are no instructions.\n\n"
    "  -t, --target T   the target (default: the program's pto.target_arch, else cpu)\n"
    "      --strict     also demand exact scalar types and explicit scratch tiles\n"
    "      --ptoas-compat\n"
    "                   also apply the lists of element types and shapes of the MLIR assembler\n"
    "      --ptoas-only\n"
    "                   only what the MLIR assembler checks: its verdict, without the rules of the "
    "instructions\n"
    "      --json       diagnostics as JSON on standard output, one array per file\n\n"
    "Exit status: 0 clean, 1 refused, 2 wrong usage or a file error.\n",
    run};
