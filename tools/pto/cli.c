/* SPDX-License-Identifier: Apache-2.0 */
/* Option parsing, reports, loading of programs. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_usage(const cli_command *command, const char *format, ...) {
    va_list args;
    fprintf(stderr, "pto %s: ", command->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry 'pto %s --help'.\n", command->name);
    return CLI_USAGE;
}

static const cli_option *find_option(const cli_option *options, size_t count, const char *arg, size_t len) {
    for (size_t i = 0; i < count; i++) {
        bool by_name = strlen(options[i].name) == len && !strncmp(options[i].name, arg, len);
        bool by_letter = options[i].letter && len == 2 && arg[1] == options[i].letter;
        if (by_name || by_letter)
            return &options[i];
    }
    return NULL;
}

bool cli_parse(const cli_command *command, int *argc, char **argv, const cli_option *options, size_t count,
               int *status) {
    int kept = 0;
    bool only_operands = false;
    for (int i = 0; i < *argc; i++) {
        char *arg = argv[i];
        bool number = *arg == '-' && strchr("0123456789.", arg[1]); /* "-" itself too: standard input */
        if (only_operands || *arg != '-' || number) {
            argv[kept++] = arg;
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_operands = true;
            continue;
        }
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
            fputs(command->help, stdout);
            *status = cli_finish(CLI_OK);
            return false;
        }
        size_t len = strcspn(arg, "=");
        const cli_option *option = find_option(options, count, arg, len);
        if (!option) {
            *status = cli_usage(command, "unknown option %s", arg);
            return false;
        }
        if (option->flag) {
            if (arg[len]) {
                *status = cli_usage(command, "option %s takes no value", option->name);
                return false;
            }
            *option->flag = true;
        } else if (arg[len]) {
            *option->value = arg + len + 1;
        } else if (i + 1 < *argc) {
            *option->value = argv[++i];
        } else {
            *status = cli_usage(command, "option %s needs a value", option->name);
            return false;
        }
    }
    *argc = kept;
    return true;
}

bool cli_target(const cli_command *command, const char *text, pto_target *target, bool *has_target) {
    *has_target = text != NULL;
    if (!text || pto_target_from_name(text, target))
        return true;
    cli_usage(command, "unknown target %s; the targets are cpu, a2a3 (a2, a3) and a5", text);
    return false;
}

bool cli_number(const cli_command *command, const char *option, const char *text, uint32_t low, uint32_t high,
                uint32_t *value) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno || *end || *text < '0' || *text > '9' || number < low || number > high) {
        cli_usage(command, "%s takes a number from %u to %u, found %s", option, (unsigned)low, (unsigned)high,
                  text);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

static int write_error; /* why the first write to standard output failed: later calls change errno */

static void note_failure(void) {
    if (!write_error)
        write_error = errno;
}

static void flush_output(void) {
    if (fflush(stdout))
        note_failure();
}

bool cli_write(void *file, const char *data, size_t len) {
    if (fwrite(data, 1, len, file) == len)
        return true;
    note_failure();
    return false;
}

void cli_report(pto_diag_list *diags, bool json) {
    pto_diag_sort(diags);
    if (json) {
        pto_diag_render_json(diags, cli_write, stdout);
        return;
    }
    flush_output();
    const char *no_color = getenv("NO_COLOR");
    pto_render_options options = {.color = isatty(STDERR_FILENO) && !(no_color && *no_color)};
    pto_diag_render(diags, &options, cli_write, stderr);
}

int cli_status(pto_status status) {
    switch (status) {
    case PTO_OK:
        return CLI_OK;
    case PTO_ERR_REFUSED:
        return CLI_REFUSED;
    case PTO_ERR_CANCELLED:
        return CLI_INTERRUPTED;
    default:
        return CLI_USAGE;
    }
}

int cli_finish(int status) {
    flush_output();
    if (!ferror(stdout))
        return status;
    if (write_error != EPIPE)
        fprintf(stderr, "pto: writing to standard output failed: %s\n", strerror(write_error));
    return CLI_USAGE;
}

bool cli_load(cli_program *program, const char *path, const pto_parse_options *options, pto_status *status) {
    memset(program, 0, sizeof *program);
    program->diags = pto_diag_list_create();
    if (!program->diags) {
        *status = PTO_ERR_NOMEM;
        return false;
    }
    size_t len;
    *status = pto_file_read(path, PTO_TEXT_LIMIT, &program->text, &len, program->diags);
    if (*status != PTO_OK)
        return false;
    const char *name = !strcmp(path, "-") ? "<stdin>" : path;
    bool bytecode = pto_bytes_are_bytecode(program->text, len);
    if (!bytecode && strspn(program->text, " \t\r\n") == len) {
        pto_diag_add(program->diags, PTO_ERROR, "PTO-E0206", pto_at_file(name), "the file is empty");
        *status = PTO_ERR_REFUSED;
        return false;
    }
    program->program = bytecode ? pto_program_decode(name, program->text, len, options, program->diags)
                                : pto_program_parse(name, program->text, len, options, program->diags);
    if (!program->program)
        *status = pto_diag_count(program->diags, PTO_ERROR) ? PTO_ERR_REFUSED : PTO_ERR_NOMEM;
    else if (pto_diag_count(program->diags, PTO_ERROR))
        *status = PTO_ERR_REFUSED;
    return *status == PTO_OK;
}

void cli_unload(cli_program *program) {
    pto_diag_list_destroy(program->diags);
    pto_program_destroy(program->program);
    free(program->text);
}

typedef struct file_writer {
    pto_out_file *out;
    pto_diag_list *diags;
} file_writer;

static bool write_file(void *context, const char *data, size_t len) {
    file_writer *w = context;
    return pto_out_write(w->out, data, len, w->diags) == PTO_OK;
}

pto_status cli_write_to(const char *path, cli_produce produce, void *what, pto_diag_list *diags) {
    if (!strcmp(path, "-")) /* cli_finish tells a full disk, and is silent when the reader has gone */
        return produce(what, cli_write, stdout, diags);
    file_writer w = {NULL, diags};
    pto_status status = pto_out_open(path, &w.out, diags);
    if (status != PTO_OK)
        return status;
    status = produce(what, write_file, &w, diags);
    if (status == PTO_OK)
        return pto_out_commit(w.out, false, diags);
    pto_out_abort(w.out);
    return status;
}
