/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `pto` share. Exit status: 0 done, 1 refused, 2 wrong usage or I/O, 130 interrupted.
 */
#ifndef PTO_CLI_H
#define PTO_CLI_H

#include <pto/pto.h>

#include <stdio.h>

enum { CLI_OK = 0, CLI_REFUSED = 1, CLI_USAGE = 2, CLI_FOUND = 3, CLI_INTERRUPTED = 130 };

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *help; /* printed by --help */
    int (*run)(int argc, char **argv);
} cli_command;

extern const cli_command cli_run, cli_explore, cli_check, cli_fmt, cli_isa, cli_explain, cli_as, cli_dis,
    cli_emit;

/* Options come before, between or behind the other arguments; "--" ends them; "-" and "-1.5" are none.
 * An option of a subcommand: `value` receives its argument, or `flag` is set. */
typedef struct cli_option {
    const char *name; /* "--target" */
    char letter;      /* 't' or 0 */
    const char **value;
    bool *flag;
} cli_option;

/* Parses all options and compacts argv to the operands; false when the subcommand must end, with *status. */
bool cli_parse(const cli_command *command, int *argc, char **argv, const cli_option *options, size_t count,
               int *status);

/* A usage message on stderr with a hint to --help; returns CLI_USAGE. */
int cli_usage(const cli_command *command, const char *format, ...) PTO_PRINTF(2, 3);
bool cli_target(const cli_command *command, const char *text, pto_target *target, bool *has_target);
/* A decimal number from low to high; prints a usage message otherwise. */
bool cli_number(const cli_command *command, const char *option, const char *text, uint32_t low, uint32_t high,
                uint32_t *value);

/* name,name,... of numeric options; prints a usage message when a name is unknown. */
bool cli_numeric(const cli_command *command, pto_numeric_options *numeric, const char *list);
/* From now on Ctrl-C sets what the result points at; a second one kills. */
const volatile int *cli_catch_interrupts(void);

/* Diagnostics to stderr as text (coloured on a terminal unless NO_COLOR is set), or to stdout as JSON. */
void cli_report(pto_diag_list *diags, bool json);
int cli_status(pto_status status);

/* A file and the program parsed from it; all of it is freed by cli_unload. */
typedef struct cli_program {
    char *text;
    pto_program *program;
    pto_diag_list *diags;
} cli_program;
/* Reads and parses; false when there is no program to go on with, the reason is in program->diags. */
bool cli_load(cli_program *program, const char *path, const pto_parse_options *options, pto_status *status);
void cli_unload(cli_program *program);

/* pto_write_fn over a FILE *. */
bool cli_write(void *file, const char *data, size_t len);
/* Calls `produce` with a writer into the file, which appears when all of it is written; "-" is standard
 * output. */
typedef pto_status (*cli_produce)(void *what, pto_write_fn write, void *context, pto_diag_list *diags);
pto_status cli_write_to(const char *path, cli_produce produce, void *what, pto_diag_list *diags);
/* pto isa --coverage */
int cli_coverage(void);
/* Flushes stdout; a failed write (full disk, closed pipe) gives CLI_USAGE with a message. */
int cli_finish(int status);

#endif
