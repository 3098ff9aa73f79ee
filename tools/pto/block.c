/* SPDX-License-Identifier: Apache-2.0 */
/* pto as, pto dis, and running and checking TileOp blocks. */
#include "block.h"

#include <pto/check.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cli_is_block(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".s") || !strcmp(dot, ".bin"));
}

static bool is_binary(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".bin");
}

static bool parse_number(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !errno && !*end;
}

/* A file as an image, assembled or as it is; the text and the source outlive the diagnostics. */
typedef struct block_file {
    char *text;
    pto_source source;
    pto_block_image image;
    pto_diag_list *diags;
} block_file;

static pto_status load_file(block_file *file, const char *path, bool binary,
                            const pto_block_options *options) {
    memset(file, 0, sizeof *file);
    file->diags = pto_diag_list_create();
    size_t len;
    pto_status status = pto_file_read(path, PTO_TEXT_LIMIT, &file->text, &len, file->diags);
    if (status != PTO_OK)
        return status;
    pto_source_init(&file->source, strcmp(path, "-") ? path : "<stdin>", file->text, len);
    if (!binary)
        return pto_block_assemble(&file->source, options, file->diags, &file->image);
    file->image.address = options->address;
    file->image.size = len;
    file->image.bytes = malloc(len + 1);
    if (!file->image.bytes)
        return PTO_ERR_NOMEM;
    memcpy(file->image.bytes, file->text, len);
    return PTO_OK;
}

static void unload_file(block_file *file) {
    pto_block_image_free(&file->image);
    pto_diag_list_destroy(file->diags);
    pto_source_release(&file->source);
    free(file->text);
}

static bool read_address(const cli_command *command, const char *text, uint64_t *address) {
    if (text && !parse_number(text, address)) {
        cli_usage(command, "--address takes a number, found %s", text);
        return false;
    }
    return true;
}

/* ---- pto as ---- */

static int run_as(int argc, char **argv) {
    const char *output = NULL, *address = NULL;
    bool listing = false, json = false;
    pto_block_options options = {0};
    const cli_option table[] = {{"--output", 'o', &output, NULL},
                                {"--address", 0, &address, NULL},
                                {"--listing", 0, NULL, &listing},
                                {"--compress", 0, NULL, &options.compress},
                                {"--json", 0, NULL, &json}};
    int result;
    if (!cli_parse(&cli_as, &argc, argv, table, 5, &result))
        return result;
    if (argc != 1)
        return cli_usage(&cli_as, "one file, please");
    if (!read_address(&cli_as, address, &options.address))
        return CLI_USAGE;
    if (!output && !listing)
        return cli_usage(&cli_as, "nothing to do: give -o or --listing");
    block_file file;
    pto_status status = load_file(&file, argv[0], false, &options);
    if (status == PTO_OK && output) {
        pto_out_file *out;
        status = pto_out_open(output, &out, file.diags);
        if (status == PTO_OK) {
            status = pto_out_write(out, file.image.bytes, file.image.size, file.diags);
            if (status == PTO_OK)
                status = pto_out_commit(out, false, file.diags);
            else
                pto_out_abort(out);
        }
    }
    if (status == PTO_OK && listing)
        status = pto_block_listing(&file.source, &file.image, cli_write, stdout);
    cli_report(file.diags, json);
    unload_file(&file);
    return cli_finish(cli_status(status));
}

const cli_command cli_as = {
    "as", "assemble TileOp blocks",
    "usage: pto as FILE.s [-o FILE.bin] [--listing] [--compress] [--address N]\n\n"
    "Assembles template lines and physical lines of TileOp blocks into little-endian words.\n\n"
    "  -o, --output F   the code\n"
    "      --listing    addresses, words and source lines on standard output\n"
    "      --compress   dimensions 0..255 as 16-bit C.B.DIMI\n"
    "      --address N  address of the first byte (default 0, or .org first in the file)\n"
    "      --json       diagnostics as JSON on standard output\n\n"
    "example\n  pto as relu.s -o relu.bin --listing\n",
    run_as};

/* ---- pto dis ---- */

/* Folding needs to know whether the code was compressed. */
static bool has_compressed(const pto_block_image *image) {
    for (size_t at = 0; at < image->size;) {
        pto_block_instr instr;
        if (pto_block_decode(image->bytes + at, image->size - at, &instr) != PTO_OK) {
            at += 2;
            continue;
        }
        if (!strcmp(pto_block_form_name(instr.form), "C.B.DIMI"))
            return true;
        at += instr.bytes;
    }
    return false;
}

static int run_dis(int argc, char **argv) {
    const char *address = NULL;
    pto_block_options options = {0};
    const cli_option table[] = {{"--address", 0, &address, NULL},
                                {"--template", 0, NULL, &options.fold},
                                {"--words", 0, NULL, &options.words}};
    int result;
    if (!cli_parse(&cli_dis, &argc, argv, table, 3, &result))
        return result;
    if (argc != 1)
        return cli_usage(&cli_dis, "one file, please");
    if (!read_address(&cli_dis, address, &options.address))
        return CLI_USAGE;
    block_file file;
    pto_status status = load_file(&file, argv[0], true, &options);
    if (status == PTO_OK) {
        options.compress = has_compressed(&file.image);
        if (options.fold && options.compress)
            fputs("// assemble with --compress\n", stdout);
        status = pto_block_disassemble(&file.image, &options, cli_write, stdout);
    }
    cli_report(file.diags, false);
    unload_file(&file);
    return cli_finish(cli_status(status));
}

const cli_command cli_dis = {
    "dis", "disassemble TileOp blocks",
    "usage: pto dis FILE.bin [--template] [--words] [--address N]\n\n"
    "Prints code as text that assembles to the same bytes; what is no instruction prints as data.\n\n"
    "      --template   headers in canonical order as template lines\n"
    "      --words      addresses and words as comments\n"
    "      --address N  address of the first byte (default 0)\n\n"
    "example\n  pto dis relu.bin --template\n",
    run_dis};

/* ---- pto run ---- */

enum { MAX_ARRAYS = 64 };

typedef struct block_array {
    uint64_t address;
    void *data;
    size_t bytes;
    const char *output; /* dumped here */
    pto_npy_info info;
} block_array;

typedef struct block_run {
    block_array mem[MAX_ARRAYS], dump[MAX_ARRAYS];
    int mem_count, dump_count;
    const char *path;
    bool trace, json;
    uint64_t limit, address;
    uint32_t checks;
    const char *suppress;
    pto_block_machine *machine;
    pto_diag_list *diags;
} block_run;

static int usage(const char *what, const char *text) { return cli_usage(&cli_run, "%s: %s", what, text); }

/* addr=in.npy, or addr=size for zeros */
static int add_mem(block_run *run, char *text) {
    char *equals = strchr(text, '=');
    if (!equals || run->mem_count == MAX_ARRAYS)
        return usage("--mem takes ADDRESS=FILE.npy or ADDRESS=SIZE", text);
    *equals = 0;
    block_array *array = &run->mem[run->mem_count];
    if (!parse_number(text, &array->address))
        return usage("not an address", text);
    uint64_t size;
    if (parse_number(equals + 1, &size)) {
        array->bytes = (size_t)size;
        array->data = size && size <= (uint64_t)1 << 32 ? calloc(1, (size_t)size) : NULL;
        if (!array->data)
            return usage("not a size", equals + 1);
    } else {
        const pto_status status =
            pto_npy_load(equals + 1, (size_t)1 << 36, &array->info, &array->data, run->diags);
        if (status != PTO_OK)
            return cli_status(status);
        array->bytes = (size_t)array->info.bytes;
    }
    run->mem_count++;
    if (array->bytes &&
        pto_block_map(run->machine, array->address, array->data, array->bytes, false) != PTO_OK)
        return usage("the memory overlaps other memory", text);
    return CLI_OK;
}

/* addr:dtype:shape=out.npy */
static int add_dump(block_run *run, char *text) {
    char *equals = strchr(text, '='), *type = strchr(text, ':'), *shape = type ? strchr(type + 1, ':') : NULL;
    if (!equals || !shape || shape > equals || run->dump_count == MAX_ARRAYS)
        return usage("--dump takes ADDRESS:TYPE:ROWSxCOLS=FILE.npy", text);
    *equals = *type = *shape = 0;
    block_array *array = &run->dump[run->dump_count];
    array->output = equals + 1;
    const pto_dtype dtype = pto_dtype_from_name(type + 1, strlen(type + 1));
    const unsigned bits = pto_dtype_bits(dtype);
    if (!parse_number(text, &array->address) || bits < 8)
        return usage("not an address and an element type", text);
    const bool is_float = dtype == PTO_F16 || dtype == PTO_F32 || dtype == PTO_F64;
    array->info.kind = is_float ? 'f' : pto_dtype_is_int(dtype) && pto_dtype_is_signed(dtype) ? 'i' : 'u';
    array->info.itemsize = (uint8_t)(bits / 8);
    for (char *at = shape + 1; *at;) {
        char *end;
        const unsigned long long extent = strtoull(at, &end, 10);
        if (end == at || array->info.rank == PTO_NPY_RANK_MAX || (*end && *end != 'x') || extent > (1u << 30))
            return usage("not a shape", shape + 1);
        array->info.shape[array->info.rank++] = extent;
        at = *end ? end + 1 : end;
    }
    const pto_status status = pto_npy_describe(&array->info, run->diags);
    if (status != PTO_OK)
        return cli_status(status);
    array->bytes = (size_t)array->info.bytes;
    run->dump_count++;
    for (int i = 0; i < run->mem_count; i++) /* a part of memory that is there */
        if (array->address >= run->mem[i].address && array->bytes <= run->mem[i].bytes &&
            array->address - run->mem[i].address <= run->mem[i].bytes - array->bytes)
            return CLI_OK;
    array->data = array->bytes <= (size_t)1 << 32 ? calloc(1, array->bytes + 1) : NULL;
    if (!array->data)
        return usage("too large", shape + 1);
    if (array->bytes &&
        pto_block_map(run->machine, array->address, array->data, array->bytes, false) != PTO_OK)
        return usage("the memory overlaps other memory", text);
    return CLI_OK;
}

static int set_register(block_run *run, char *text) {
    char *equals = strchr(text, '=');
    uint64_t value;
    if (!equals || !parse_number(equals + 1, &value))
        return usage("--reg takes NAME=VALUE", text);
    *equals = 0;
    /* the assembler knows the names */
    char line[64];
    snprintf(line, sizeof line, "B.IOR zero, %.20s", text);
    pto_source source;
    pto_source_init(&source, "--reg", line, strlen(line));
    pto_block_image image;
    pto_block_instr instr;
    const bool good = pto_block_assemble(&source, NULL, NULL, &image) == PTO_OK &&
                      pto_block_decode(image.bytes, image.size, &instr) == PTO_OK;
    if (good)
        pto_block_set_gpr(run->machine, (unsigned)instr.field[PTO_BLOCK_REG1], value);
    pto_block_image_free(&image);
    pto_source_release(&source);
    return good ? CLI_OK : usage("no such register", text);
}

static const void *find_dump(const block_run *run, const block_array *dump) {
    if (dump->data)
        return dump->data;
    for (int i = 0; i < run->mem_count; i++)
        if (dump->address >= run->mem[i].address && dump->address - run->mem[i].address < run->mem[i].bytes)
            return (const char *)run->mem[i].data + (dump->address - run->mem[i].address);
    return NULL;
}

/* The instruction at the fault, and where it stands. */
static void report_fault(block_run *run, block_file *file) {
    const pto_block_fault_info *fault = pto_block_last_fault(run->machine);
    char line[256] = "";
    pto_block_instr instr;
    const uint64_t at = fault->block - file->image.address;
    if (at < file->image.size &&
        pto_block_decode(file->image.bytes + at, (size_t)(file->image.size - at), &instr) == PTO_OK)
        pto_block_print(&instr, line, sizeof line);
    pto_where where = pto_at_file(run->path);
    for (size_t i = 0; i < file->image.line_count; i++) {
        const pto_block_line *one = &file->image.line[i];
        if (fault->block < one->address || fault->block >= one->address + one->size)
            continue;
        size_t len;
        const char *text = pto_source_line(&file->source, one->number, &len);
        const size_t begin = (size_t)(text - file->source.text);
        where = pto_at(&file->source, begin + strspn(text, " \t"), begin + len);
    }
    pto_diag_add(file->diags, PTO_ERROR, fault->rule, where, "%s: %s", pto_block_fault_name(fault->fault),
                 fault->text);
    pto_diag_note(file->diags, pto_nowhere(), "block at 0x%llx: %s", (unsigned long long)fault->block, line);
    pto_diag_note(file->diags, pto_nowhere(), "raised at 0x%llx%s%s", (unsigned long long)fault->pc,
                  *fault->operand ? ", operand " : "", fault->operand);
}

static int set_checks(block_run *run, const char *text) {
    const char *wrong;
    return pto_check_parse(text, &run->checks, &wrong)
               ? CLI_OK
               : usage("unknown check; the checks are init, race, sync, memory, all and none", wrong);
}

static int parse_run(block_run *run, int argc, char **argv) {
    for (int pass = 0; pass < 2; pass++) /* dumps look at what is mapped */
        for (int i = 0; i < argc; i++) {
            char *arg = argv[i], *equals = strchr(arg, '=');
            char *value = NULL;
            static const char *const names[] = {"--mem",     "--dump",  "--reg",     "--steps",
                                                "--address", "--check", "--suppress"};
            int option = -1;
            for (int k = 0; k < 7; k++) {
                const size_t n = strlen(names[k]);
                if (strncmp(arg, names[k], n) || (arg[n] && arg[n] != '='))
                    continue;
                option = k;
                value = arg[n] ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
            }
            if (option >= 0 && !value)
                return usage("an option needs a value", arg);
            int result = CLI_OK;
            if (!strcmp(arg, "--trace"))
                run->trace = true;
            else if (!strcmp(arg, "--json"))
                run->json = true;
            else if (option < 0 && *arg == '-')
                return usage("unknown option for TileOp blocks", arg);
            else if (option < 0 && !pass && run->path)
                return usage("one file, please", arg);
            else if (option < 0)
                run->path = arg;
            else if (option == 1)
                result = pass ? add_dump(run, value) : CLI_OK;
            else if (!pass && option == 0)
                result = add_mem(run, value);
            else if (!pass && option == 2)
                result = set_register(run, value);
            else if (option == 5)
                result = set_checks(run, value);
            else if (option == 6)
                run->suppress = value;
            else if (!pass && !parse_number(value, option == 3 ? &run->limit : &run->address))
                return usage("not a number", value);
            if (result != CLI_OK)
                return result;
        }
    return CLI_OK;
}

/* A watch that knows the inputs and the outputs; NULL when nothing is to be checked. */
static pto_block_watch *make_watch(block_run *run) {
    pto_block_watch *watch = run->checks ? pto_block_watch_create(run->machine, run->checks) : NULL;
    for (int i = 0; i < run->mem_count && watch; i++)
        if (run->mem[i].info.kind)
            pto_block_watch_define(watch, run->mem[i].address, run->mem[i].bytes);
    for (int i = 0; i < run->dump_count && watch; i++)
        pto_block_watch_output(watch, run->dump[i].address, run->dump[i].bytes);
    return watch;
}

/* What the watch has found; the exit status. */
static int tell_findings(block_run *run, block_file *file, pto_block_watch *watch, int result) {
    pto_suppressions *suppressions = NULL;
    if (run->suppress && !(suppressions = pto_suppressions_load(run->suppress, run->diags)))
        result = CLI_USAGE;
    pto_source *source = file->image.line_count ? &file->source : NULL;
    if (pto_block_watch_tell(watch, &file->image, source, suppressions, file->diags) && result == CLI_OK)
        result = CLI_FOUND;
    pto_suppressions_destroy(suppressions);
    pto_block_watch_destroy(watch);
    return result;
}

int cli_block_run(int argc, char **argv) {
    block_run run = {.machine = pto_block_machine_create(NULL), .diags = pto_diag_list_create()};
    block_file file = {0};
    const char *checks = getenv("PTO_CHECK");
    run.suppress = getenv("PTO_SUPPRESSIONS");
    int result = checks && *checks ? set_checks(&run, checks) : CLI_OK;
    if (result == CLI_OK)
        result = parse_run(&run, argc, argv);
    unsigned exit_code = 0;
    pto_block_watch *watch = NULL;
    if (result == CLI_OK) {
        pto_status status =
            load_file(&file, run.path, is_binary(run.path), &(pto_block_options){.address = run.address});
        if (status == PTO_OK && pto_block_load(run.machine, &file.image) != PTO_OK)
            result = usage("the code overlaps the memory, or its address is odd", run.path);
        if (status == PTO_OK && result == CLI_OK) {
            if (run.trace)
                pto_block_set_trace(run.machine, cli_write, stdout);
            watch = make_watch(&run);
            status = pto_block_run(run.machine, run.limit);
            exit_code = pto_block_exit_code(run.machine);
            if (status == PTO_ERR_REFUSED)
                report_fault(&run, &file);
            if (status == PTO_ERR_LIMIT)
                fprintf(stderr, "pto run: stopped after %llu instructions\n", (unsigned long long)run.limit);
        }
        for (int i = 0; i < run.dump_count && status == PTO_OK && result == CLI_OK; i++)
            status = pto_npy_save(run.dump[i].output, &run.dump[i].info, find_dump(&run, &run.dump[i]),
                                  file.diags);
        if (result == CLI_OK)
            result = cli_status(status);
        if (watch)
            result = tell_findings(&run, &file, watch, result);
        cli_report(file.diags, run.json);
    }
    cli_report(run.diags, false);
    pto_block_machine_destroy(run.machine);
    for (int i = 0; i < run.mem_count; i++)
        free(run.mem[i].data);
    for (int i = 0; i < run.dump_count; i++)
        free(run.dump[i].data);
    pto_diag_list_destroy(run.diags);
    unload_file(&file);
    /* ebreak N ends with N, which is not to look like a refusal */
    return cli_finish(result == CLI_OK && exit_code ? 128 + (int)exit_code : result);
}

/* ---- pto check ---- */

pto_status cli_block_check(const char *path, bool json) {
    block_file file;
    pto_status status = load_file(&file, path, is_binary(path), &(pto_block_options){0});
    if (status == PTO_OK)
        status = pto_block_check(&file.image, is_binary(path) ? NULL : &file.source, file.diags);
    cli_report(file.diags, json);
    unload_file(&file);
    return status;
}
