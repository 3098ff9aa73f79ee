/* SPDX-License-Identifier: Apache-2.0 */
/* pto check: every rule of the target, nothing is run. */
#include "block.h"
#include "cli.h"

#include <stdlib.h>

typedef struct check_settings {
    pto_verify_options verify;
    bool json, deep;
    uint32_t blocks;
    pto_suppressions *suppressions;
    size_t findings;
} check_settings;

static pto_status check_deep(pto_program *program, check_settings *settings, pto_diag_list *diags) {
    const pto_deep_options options = {.target = settings->verify.target,
                                      .has_target = settings->verify.has_target,
                                      .blocks = settings->blocks,
                                      .suppressions = settings->suppressions};
    size_t findings = 0;
    pto_status status = pto_program_check_deep(program, &options, &findings, diags);
    settings->findings += findings;
    return status;
}

static pto_status check_file(const char *path, check_settings *settings) {
    const pto_verify_options *verify = &settings->verify;
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
    if (parsed && status == PTO_OK && settings->deep)
        status = check_deep(program.program, settings, program.diags);
    cli_report(program.diags, settings->json);
    cli_unload(&program);
    return status;
}

static bool load_suppressions(check_settings *settings) {
    const char *path = getenv("PTO_SUPPRESSIONS");
    if (!path || !settings->deep)
        return true;
    pto_diag_list *diags = pto_diag_list_create();
    settings->suppressions = pto_suppressions_load(path, diags);
    cli_report(diags, settings->json);
    pto_diag_list_destroy(diags);
    return settings->suppressions != NULL;
}

static int run(int argc, char **argv) {
    const char *target = NULL, *blocks = NULL;
    bool ptoas_compat = false, ptoas_only = false;
    check_settings settings = {.verify = {.target = PTO_TARGET_CPU}};
    pto_verify_options *verify = &settings.verify;
    const cli_option options[] = {
        {"--target", 't', &target, NULL},       {"--json", 0, NULL, &settings.json},
        {"--strict", 0, NULL, &verify->strict}, {"--deep", 0, NULL, &settings.deep},
        {"--blocks", 'b', &blocks, NULL},       {"--ptoas-compat", 0, NULL, &ptoas_compat},
        {"--ptoas-only", 0, NULL, &ptoas_only}};
    int status;
    if (!cli_parse(&cli_check, &argc, argv, options, sizeof options / sizeof *options, &status))
        return status;
    if (!cli_target(&cli_check, target, &verify->target, &verify->has_target) ||
        (blocks && !cli_number(&cli_check, "--blocks", blocks, 1, 1u << 16, &settings.blocks)))
        return CLI_USAGE;
    if (!argc)
        return cli_usage(&cli_check, "no file given");
    if (blocks && !settings.deep)
        return cli_usage(&cli_check, "--blocks belongs to --deep");
    if (!load_suppressions(&settings))
        return CLI_USAGE;
    verify->ptoas = ptoas_only ? PTO_PTOAS_ONLY : ptoas_compat ? PTO_PTOAS_ADD : PTO_PTOAS_OFF;
    int worst = CLI_OK;
    for (int i = 0; i < argc; i++) {
        int result = cli_status(cli_is_block(argv[i]) ? cli_block_check(argv[i], settings.json)
                                                      : check_file(argv[i], &settings));
        if (result > worst)
            worst = result;
    }
    pto_suppressions_destroy(settings.suppressions);
    if (worst == CLI_OK && settings.findings)
        worst = CLI_FOUND;
    return cli_finish(worst);
}

const cli_command cli_check = {
    "check", "verify programs against the rules of a target",
    "usage: pto check FILE... [--target cpu|a2a3|a5] [--strict] [--ptoas-compat] [--ptoas-only] [--json]\n"
    "       pto check --deep FILE... [--target cpu|a2a3|a5] [--blocks N] [--json]\n\n"
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
    "      --deep       also follow control flow and addresses without inputs, and tell what pto run "
    "--check\n"
    "                   would find: races, bytes that nobody wrote, flags; a bound, a branch or an address "
    "that\n"
    "                   depends on an argument or on an element ends it, which is told (PTO-W1130)\n"
    "  -b, --blocks N   blocks that --deep follows (default 1)\n"
    "      --json       diagnostics as JSON on standard output, one array per file\n\n"
    "Exit status: 0 clean, 1 refused, 2 wrong usage or a file error, 3 --deep found something.\n",
    run};
