/* SPDX-License-Identifier: Apache-2.0 */
/* pto: assemble, check, run and explain PTO programs. */
#include "cli.h"

#include <signal.h>
#include <string.h>

static const cli_command *const commands[] = {&cli_run,     &cli_explore, &cli_check, &cli_fmt, &cli_isa,
                                              &cli_explain, &cli_as,      &cli_dis,   &cli_emit};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *out) {
    fputs("usage: pto COMMAND [ARGUMENT...]\n\n"
          "Assembles, checks, runs and explains PTO tile programs (.pto).\n\ncommands\n",
          out);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'pto COMMAND --help' tells the arguments of a command. Exit status: 0 done, 1 the program was "
          "refused,\n"
          "2 wrong usage or a file error, 130 interrupted.\n",
          out);
}

int main(int argc, char **argv) {
    /* a closed pipe is a failed write, told by its status */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "version")) {
        printf("pto %s\n", pto_version());
        return cli_finish(CLI_OK);
    }
    bool help = !strcmp(name, "help");
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || (help && argc == 2)) {
        print_help(stdout);
        return cli_finish(CLI_OK);
    }
    if (help)
        name = argv[2];
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, name)) {
            if (!help)
                return commands[i]->run(argc - 2, argv + 2);
            fputs(commands[i]->help, stdout);
            return cli_finish(CLI_OK);
        }
    fprintf(stderr, "pto: unknown command %s\nTry 'pto --help'.\n", name);
    return CLI_USAGE;
}
