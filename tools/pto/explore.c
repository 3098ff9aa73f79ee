/* SPDX-License-Identifier: Apache-2.0 */
/* pto explore: one program in many orders. */
#include "bind.h"
#include "block.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct settings {
    pto_run_options options;
    pto_explore_options how;
    pto_explore_result result;
} settings;

static pto_status explore(pto_program *program, settings *s, int argc, char **argv, pto_diag_list *diags) {
    const pto_param *params;
    size_t count;
    pto_status status = pto_program_entry_params(program, s->options.entry, &params, &count, diags);
    if (status != PTO_OK)
        return status;
    binding b;
    status = binding_make(&b, params, count, argc, argv, diags);
    if (status == PTO_OK)
        status = pto_program_explore(program, b.arguments, count, &s->options, &s->how, &s->result, diags);
    binding_release(&b);
    return status;
}

static bool number(const char *option, const char *text, uint64_t *value) {
    uint32_t small;
    if (!text)
        return true;
    if (!cli_number(&cli_explore, option, text, !strcmp(option, "--runs"), UINT32_MAX, &small))
        return false;
    *value = small;
    return true;
}

static int run(int argc, char **argv) {
    const char *target = NULL, *blocks = NULL, *subblocks = NULL, *numeric = NULL, *runs = NULL, *seed = NULL;
    bool json = false;
    settings s = {.how = {.runs = 100}};
    const cli_option options[] = {
        {"--entry", 'e', &s.options.entry, NULL},
        {"--target", 't', &target, NULL},
        {"--blocks", 'b', &blocks, NULL},
        {"--subblocks", 0, &subblocks, NULL},
        {"--numeric", 0, &numeric, NULL},
        {"--runs", 'n', &runs, NULL},
        {"--seed", 0, &seed, NULL},
        {"--json", 0, NULL, &json},
    };
    int status;
    if (!cli_parse(&cli_explore, &argc, argv, options, sizeof options / sizeof *options, &status))
        return status;
    if (!cli_target(&cli_explore, target, &s.options.target, &s.options.has_target) ||
        (blocks && !cli_number(&cli_explore, "--blocks", blocks, 1, 1u << 24, &s.options.blocks)) ||
        (subblocks && !cli_number(&cli_explore, "--subblocks", subblocks, 1, 2, &s.options.subblocks)) ||
        !number("--runs", runs, &s.how.runs) || !number("--seed", seed, &s.how.seed) ||
        (numeric && !cli_numeric(&cli_explore, &s.options.numeric, numeric)))
        return CLI_USAGE;
    if (!argc)
        return cli_usage(&cli_explore, "no file given");
    if (cli_is_block(argv[0]))
        return cli_usage(&cli_explore, "%s holds TileOp blocks, which run in their order", argv[0]);
    s.options.cancel = cli_catch_interrupts();
    pto_parse_options parse = {.target = s.options.target, .has_target = s.options.has_target};
    const pto_verify_options verify = {.target = parse.target, .has_target = parse.has_target};
    cli_program program;
    pto_status done;
    if (cli_load(&program, argv[0], &parse, &done))
        done = explore(program.program, &s, argc - 1, argv + 1, program.diags);
    else if (program.program)
        pto_program_verify(program.program, &verify, program.diags);
    cli_report(program.diags, json);
    cli_unload(&program);
    if (done == PTO_ERR_CANCELLED)
        fputs("pto explore: interrupted\n", stderr);
    if (done == PTO_OK && !s.result.differs && !json)
        printf("%llu schedules: the outputs are those of program order\n", (unsigned long long)s.result.runs);
    return cli_finish(done == PTO_OK && s.result.differs ? CLI_FOUND : cli_status(done));
}

const cli_command cli_explore = {
    "explore", "run a program in other orders and compare the outputs",
    "usage: pto explore FILE [OPTION...] ARGUMENT...\n\n"
    "Runs a program in program order and then in orders that the hardware would be free to choose: every "
    "pipe\n"
    "works through a queue of its own, only flags, barriers, tokens and signals tie them, blocks take "
    "turns.\n"
    "Compares the outputs bit for bit. The first difference is shrunk to the two operations that, exchanged, "
    "make\n"
    "it: both are told, with the line that orders them and the schedule that shows it again.\n"
    "Arguments are those of pto run; no output is written.\n\n"
    "  -n, --runs N      schedules: the adversarial one, then random ones (default 100)\n"
    "      --seed N      seed of the first random one (default 0)\n"
    "  -e, --entry NAME  the function to run (default: the only one, or the one marked pto.entry)\n"
    "  -t, --target T    cpu, a2a3 or a5 (default: the program's pto.target_arch, else cpu)\n"
    "  -b, --blocks N    number of blocks (default 1)\n"
    "  --subblocks N     vector cores of a block, 1 or 2 (default 1)\n"
    "      --numeric N   variants of the arithmetic, commas between\n"
    "      --json        diagnostics as JSON on standard output\n\n"
    "Exit status: 0 all outputs alike, 1 the program was refused, 2 wrong usage or a file error, 3 a "
    "difference.\n\n"
    "example\n  pto explore kernel.pto --target a2a3 --runs 200 x=in.npy y:=\n",
    run};
