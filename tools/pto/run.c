/* SPDX-License-Identifier: Apache-2.0 */
/* pto run: executes a program on .npy arrays. */
#include "bind.h"
#include "block.h"
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ctrl-C: the run ends at its next instruction and no output appears. A second one kills, leaving nothing. */
static volatile int cancelled;
static const binding *volatile outputs; /* those that are open */
static void on_interrupt(int number) {
    if (!cancelled) {
        cancelled = 1;
        return;
    }
    if (outputs)
        binding_drop(outputs);
    signal(number, SIG_DFL);
    raise(number);
}

const volatile int *cli_catch_interrupts(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    /* one that is ignored (nohup, a job in the background) stays ignored */
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        struct sigaction old;
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    return &cancelled;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct meter {
    double start, shown;
    bool visible;
} meter;

/* A line on the terminal, at most ten times a second, after the first half second. */
static void show_progress(void *user, const pto_run_progress *progress) {
    meter *m = user;
    double t = now();
    if (t - m->start < 0.5 || t - m->shown < 0.1 || !progress->blocks_done)
        return;
    m->shown = t;
    m->visible = true;
    double left = (t - m->start) / progress->blocks_done * (progress->blocks - progress->blocks_done);
    fprintf(stderr, "\rblocks %u / %u, %.0f s left \033[K", (unsigned)progress->blocks_done,
            (unsigned)progress->blocks, left);
    fflush(stderr);
}

static void print_text(void *user, const char *text, size_t len) {
    (void)user;
    cli_write(stdout, text, len);
}

typedef struct run_settings {
    pto_run_options options;
    bool json, time;
} run_settings;

static pto_status run_program(pto_program *program, run_settings *settings, int argc, char **argv,
                              pto_diag_list *diags) {
    const pto_param *params;
    size_t count;
    pto_status status = pto_program_entry_params(program, settings->options.entry, &params, &count, diags);
    if (status != PTO_OK)
        return status;
    binding b;
    status = binding_make(&b, params, count, argc, argv, diags);
    if (status == PTO_OK) {
        outputs = &b;
        status = binding_open(&b, diags);
    }
    if (status == PTO_OK) {
        meter m = {.start = now()};
        if (isatty(STDERR_FILENO)) {
            settings->options.progress = show_progress;
            settings->options.progress_user = &m;
        }
        status = pto_program_run(program, b.arguments, count, &settings->options, diags);
        if (m.visible)
            fputs("\r\033[K", stderr);
        if (status == PTO_OK && settings->time)
            fprintf(stderr, "%.6f s\n", now() - m.start);
    }
    if (status == PTO_OK)
        status = binding_save(&b, &cancelled, diags);
    outputs = NULL;
    binding_release(&b);
    return status;
}

static int list_numeric_options(void) {
    const char *meaning;
    for (size_t i = 0; pto_numeric_option_name(i, &meaning); i++)
        printf("%-20s %s\n", pto_numeric_option_name(i, NULL), meaning);
    return cli_finish(CLI_OK);
}

bool cli_numeric(const cli_command *command, pto_numeric_options *numeric, const char *list) {
    for (const char *at = list;; at++) {
        char name[64];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 63), at);
        if (!pto_numeric_option_set(numeric, name, true)) {
            cli_usage(command, "unknown numeric option %s; pto run --numeric list tells them", name);
            return false;
        }
        at += length;
        if (!*at)
            return true;
    }
}

static bool set_checks(run_settings *settings, const char *list) {
    const char *wrong;
    if (pto_check_parse(list, &settings->options.checks, &wrong))
        return true;
    cli_usage(&cli_run, "unknown check %.*s; the checks are init, race, sync, memory, all and none",
              (int)strcspn(wrong, ","), wrong);
    return false;
}

/* The file of --suppress, else of PTO_SUPPRESSIONS; false when it cannot be read or understood. */
static bool load_suppressions(run_settings *settings, const char *path) {
    if (!path)
        path = getenv("PTO_SUPPRESSIONS");
    if (!path || !settings->options.checks)
        return true;
    pto_diag_list *diags = pto_diag_list_create();
    settings->options.suppressions = pto_suppressions_load(path, diags);
    cli_report(diags, settings->json);
    pto_diag_list_destroy(diags);
    return settings->options.suppressions != NULL;
}

static int run(int argc, char **argv) {
    const char *target = NULL, *show = NULL, *check = NULL, *blocks = NULL, *subblocks = NULL;
    const char *threads = NULL, *simd = NULL, *numeric = NULL, *suppress = NULL, *schedule = NULL;
    for (int i = 0; i < argc; i++)
        if (cli_is_block(argv[i]))
            return cli_block_run(argc, argv);
    run_settings settings = {.options = {.print = print_text, .cancel = &cancelled}};
    const cli_option options[] = {
        {"--entry", 'e', &settings.options.entry, NULL},
        {"--target", 't', &target, NULL},
        {"--blocks", 'b', &blocks, NULL},
        {"--subblocks", 0, &subblocks, NULL},
        {"--threads", 'j', &threads, NULL},
        {"--simd", 0, &simd, NULL},
        {"--numeric", 0, &numeric, NULL},
        {"--show", 0, &show, NULL},
        {"--check", 0, &check, NULL},
        {"--suppress", 0, &suppress, NULL},
        {"--schedule", 0, &schedule, NULL},
        {"--json", 0, NULL, &settings.json},
        {"--time", 0, NULL, &settings.time},
    };
    int result;
    if (!cli_parse(&cli_run, &argc, argv, options, sizeof options / sizeof *options, &result))
        return result;
    if (!cli_target(&cli_run, target, &settings.options.target, &settings.options.has_target))
        return CLI_USAGE;
    if ((blocks && !cli_number(&cli_run, "--blocks", blocks, 1, 1u << 24, &settings.options.blocks)) ||
        (subblocks && !cli_number(&cli_run, "--subblocks", subblocks, 1, 2, &settings.options.subblocks)) ||
        (threads && !cli_number(&cli_run, "--threads", threads, 1, 4096, &settings.options.threads)))
        return CLI_USAGE;
    static const char *const levels[] = {"best", "base", "avx2", "avx512"};
    for (int i = 0; simd && i < 5; i++) {
        if (i == 4)
            return cli_usage(&cli_run, "unknown SIMD level %s; the levels are best, base, avx2 and avx512",
                             simd);
        if (!strcmp(simd, levels[i])) {
            settings.options.simd = (pto_simd_level)i;
            break;
        }
    }
    if (numeric && !strcmp(numeric, "list"))
        return list_numeric_options();
    if (numeric && !cli_numeric(&cli_run, &settings.options.numeric, numeric))
        return CLI_USAGE;
    if (!check && !schedule)
        check = getenv("PTO_CHECK");
    if (check && *check && !set_checks(&settings, check))
        return CLI_USAGE;
    if (schedule && !pto_schedule_parse(schedule, &settings.options.schedule))
        return cli_usage(&cli_run,
                         "unknown schedule %s; the schedules are program, adversarial and random:SEED",
                         schedule);
    if (settings.options.checks && settings.options.schedule.kind != PTO_SCHEDULE_PROGRAM)
        return cli_usage(&cli_run, "--check judges the order of the program, which holds for every schedule: "
                                   "give --check or --schedule");
    size_t findings = 0;
    settings.options.findings = &findings;
    bool picture = show && !strcmp(show, "memory.svg");
    if (show && !picture && strcmp(show, "memory") != 0)
        return cli_usage(&cli_run, "unknown view %s; the views are memory and memory.svg", show);
    if (!argc)
        return cli_usage(&cli_run, "no file given");
    if (!load_suppressions(&settings, suppress))
        return CLI_USAGE;
    cli_catch_interrupts();
    pto_parse_options parse = {.target = settings.options.target, .has_target = settings.options.has_target};
    const pto_verify_options verify = {.target = parse.target, .has_target = parse.has_target};
    cli_program program;
    pto_status status;
    bool loaded = cli_load(&program, argv[0], &parse, &status);
    if (loaded && show)
        status = pto_program_show_memory(program.program, settings.options.entry, &verify, picture, cli_write,
                                         stdout, program.diags);
    else if (loaded)
        status = run_program(program.program, &settings, argc - 1, argv + 1, program.diags);
    else if (program.program) /* all mistakes in one run, as check tells them */
        pto_program_verify(program.program, &verify, program.diags);
    cli_report(program.diags, settings.json);
    cli_unload(&program);
    pto_suppressions_destroy(settings.options.suppressions);
    if (status == PTO_ERR_CANCELLED)
        fputs("pto run: interrupted, no output was written\n", stderr);
    if (status == PTO_OK && findings)
        return cli_finish(CLI_FOUND);
    return cli_finish(cli_status(status));
}

const cli_command cli_run = {
    "run", "execute a program on .npy arrays",
    "usage: pto run FILE [OPTION...] ARGUMENT...\n\n"
    "Verifies a program and executes its entry. Arguments are matched to the entry's parameters by name or, "
    "without\n"
    "a name, by position; types and sizes are checked before anything runs, outputs appear whole or not at "
    "all.\n\n"
    "  name=in.npy         an array (f32 f16 f64, s8..s64, u8..u64, bool; bf16 and 8-bit floats as raw "
    "integers)\n"
    "  name:=out.npy       an output, zero at the start, of the shape that the program gives it\n"
    "  name:=out.npy@32x64 an output of this shape\n"
    "  name:=              scratch memory that is not saved (name:=@32x64 with a shape)\n"
    "  name=in.npy name:=out.npy   an array that is read and written\n"
    "  name=3.5            a scalar\n\n"
    "  -e, --entry NAME  the function to run (default: the only one, or the one marked pto.entry)\n"
    "  -t, --target T    cpu, a2a3 or a5 (default: the program's pto.target_arch, else cpu)\n"
    "  -b, --blocks N    number of blocks (default 1)\n"
    "  --subblocks N     vector cores of a block, 1 or 2 (default 1): the entry runs once for each\n"
    "  -j, --threads N   threads that share the blocks (default: all processors); results do not depend on "
    "it\n"
    "      --simd L      best, base, avx2 or avx512 (default best); results do not depend on it\n"
    "      --numeric N   variants of the arithmetic, commas between; --numeric list tells them\n"
    "      --check C,... init (bytes nobody wrote), race (accesses that nothing orders), sync (flags), "
    "memory\n"
    "                    (alignment, scratch), all; what they find is told, the exit status is 3 (default:\n"
    "                    PTO_CHECK of the environment)\n"
    "      --suppress F  findings not to be told, lines kind:pattern (default: PTO_SUPPRESSIONS)\n"
    "      --schedule S  the order of execution: program, adversarial or random:SEED: one that the hardware\n"
    "                    would be free to choose; outputs that depend on it come from a race\n"
    "      --show VIEW   run nothing; print the memory map of the entry (memory, memory.svg)\n"
    "      --time        print the time of the run to standard error\n"
    "      --json        diagnostics as JSON on standard output\n\n"
    "TileOp blocks: pto run FILE.s|FILE.bin [--mem ADDRESS=in.npy] [--mem ADDRESS=SIZE] [--reg NAME=VALUE]\n"
    "               [--dump ADDRESS:TYPE:ROWSxCOLS=out.npy] [--trace] [--steps N] [--address N]\n"
    "               [--check C,...] [--suppress F] [--json]\n"
    "  runs to ebreak or to the end of the code, and stops at the first fault; ebreak N gives the status 128 "
    "+ N\n\n"
    "example\n  pto run examples/softmax/softmax.pto --blocks 16 x=in.npy y:=out.npy\n",
    run};
