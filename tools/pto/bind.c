/* SPDX-License-Identifier: Apache-2.0 */
/* Matching, checking, loading and saving of `pto run` arguments. */
#include "bind.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_LIMIT ((size_t)1 << 40)

static bool is_name(const char *s, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-", s[i]))
            return false;
    return true;
}

static int find_param(const binding *b, const char *name, size_t len) {
    for (size_t i = 0; i < b->count; i++)
        if (strlen(b->params[i].name) == len && !strncmp(b->params[i].name, name, len))
            return (int)i;
    return -1;
}

/* "name, name and name" of the parameters, for messages. */
static void param_names(const binding *b, char *text, size_t size) {
    size_t n = 0;
    *text = 0;
    for (size_t i = 0; i < b->count && n + 40 < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%.30s", i ? ", " : "", b->params[i].name);
}

static pto_status refuse(pto_diag_list *diags, const char *rule, const char *operand, const char *message,
                         const char *found, const char *allowed) {
    pto_diag_add(diags, PTO_ERROR, rule, pto_at_operand(operand), "%s", message);
    if (found)
        pto_diag_found(diags, "%s", found);
    if (allowed)
        pto_diag_allowed(diags, "%s", allowed);
    return PTO_ERR_USAGE;
}

static bool is_bound(const bound_param *p) { return p->input || p->output || p->number; }

/* One word of the command line: [name]=value, [name]:=output or a bare value; the value is stored in its
 * parameter. */
static pto_status match(binding *b, char *word, size_t *position, pto_diag_list *diags) {
    char *equals = strchr(word, '=');
    bool output = equals && equals > word && equals[-1] == ':';
    size_t len = equals ? (size_t)(equals - word) - output : 0;
    bool by_name = equals && is_name(word, len);
    char *value = by_name ? equals + 1 : word;
    output &= by_name;
    int i;
    if (by_name && len) {
        i = find_param(b, word, len);
        if (i < 0) {
            char names[256];
            param_names(b, names, sizeof names);
            return refuse(diags, "PTO-E0951", word, "the entry has no parameter of this name", word, names);
        }
    } else {
        while (*position < b->count && is_bound(&b->bound[*position]))
            ++*position;
        if (*position == b->count)
            return refuse(diags, "PTO-E0951", word, "more arguments than parameters", word, NULL);
        i = (int)*position;
    }
    bound_param *p = &b->bound[i];
    const pto_param *param = &b->params[i];
    const char **slot = output ? &p->output : param->kind == PTO_PARAM_SCALAR ? &p->number : &p->input;
    if (output && param->kind == PTO_PARAM_SCALAR)
        return refuse(diags, "PTO-E0954", param->name, "a scalar cannot be an output", word, NULL);
    if (*slot)
        return refuse(diags, "PTO-E0956", param->name, "argument given twice", word, NULL);
    *slot = value;
    char *at = output ? strrchr(value, '@') : NULL;
    if (at) {
        *at = 0;
        p->output_shape = at + 1;
    }
    return PTO_OK;
}

static void npy_type(const pto_param *param, char *kind, uint8_t *itemsize) {
    unsigned bits = pto_dtype_bits(param->dtype);
    bool plain_float = param->dtype == PTO_F16 || param->dtype == PTO_F32 || param->dtype == PTO_F64;
    *itemsize = (uint8_t)(bits < 8 ? 1 : bits / 8);
    *kind = plain_float                                                                        ? 'f'
            : pto_dtype_is_int(param->dtype) && pto_dtype_is_signed(param->dtype) && bits >= 8 ? 'i'
                                                                                               : 'u';
}

/* Floats without a NumPy type travel as raw integers of their size. */
static bool type_fits(const pto_param *param, const pto_npy_info *info) {
    char kind;
    uint8_t itemsize;
    npy_type(param, &kind, &itemsize);
    if (info->itemsize != itemsize)
        return false;
    if (kind == 'f' || info->kind == 'f')
        return kind == info->kind;
    bool raw = !pto_dtype_is_int(param->dtype) || pto_dtype_bits(param->dtype) < 8;
    return info->kind == kind || raw || param->signless || info->kind == 'b';
}

static void shape_text(const pto_npy_info *info, char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "%c%u ", info->kind, (unsigned)info->itemsize);
    for (int d = 0; d < info->rank && n < size; d++)
        n += (size_t)snprintf(text + n, size - n, "%s%llu", d ? "x" : "", (unsigned long long)info->shape[d]);
    if (!info->rank)
        snprintf(text + n, size - n, "scalar");
}

static void param_text(const pto_param *param, char *text, size_t size) {
    char kind;
    uint8_t itemsize;
    npy_type(param, &kind, &itemsize);
    size_t n =
        (size_t)snprintf(text, size, "%c%u (%s) ", kind, (unsigned)itemsize, pto_dtype_name(param->dtype));
    for (int d = 0; d < param->rank && n < size; d++)
        n += (size_t)snprintf(text + n, size - n, "%s%lld", d ? "x" : "", (long long)param->shape[d]);
}

/* Extents that are scalar parameters take their values: the shape of an output. An input may be smaller than
 * a view that only parts of are used of. */
static pto_param with_extents(const binding *b, const pto_param *param) {
    pto_param resolved = *param;
    for (int d = 0; d < param->rank; d++)
        if (param->shape[d] < 0)
            resolved.shape[d] = b->arguments[-1 - param->shape[d]].i;
    return resolved;
}

/* Elements that the program's largest view of the parameter spans; 0 when they are not known. */
static uint64_t static_count(const pto_param *param) {
    uint64_t count = param->rank ? 1 : 0;
    for (int d = 0; d < param->rank; d++)
        count = param->shape[d] > 0 ? count * (uint64_t)param->shape[d] : 0;
    return count;
}

static pto_status check_array(const pto_param *param, const pto_npy_info *info, pto_diag_list *diags) {
    char found[128], allowed[128];
    shape_text(info, found, sizeof found);
    param_text(param, allowed, sizeof allowed);
    if (!type_fits(param, info))
        return refuse(diags, "PTO-E0952", param->name, "wrong element type of the array", found, allowed);
    uint64_t need = static_count(param);
    if (!need)
        return PTO_OK;
    if (pto_dtype_bits(param->dtype) == 4)
        need = (need + 1) / 2;
    bool fits = info->count >= need && (info->rank == 1 || info->rank == param->rank);
    if (fits && info->rank == param->rank && info->rank > 1 && pto_dtype_bits(param->dtype) >= 8)
        for (int d = 0; d < param->rank; d++)
            fits &= info->shape[d] == (uint64_t)param->shape[d];
    return fits ? PTO_OK
                : refuse(diags, "PTO-E0955", param->name, "wrong shape of the array", found, allowed);
}

/* "32x64" */
static bool parse_shape(const char *text, pto_npy_info *info) {
    info->rank = 0;
    for (const char *p = text;;) {
        char *end;
        errno = 0;
        unsigned long long extent = strtoull(p, &end, 10);
        if (errno || end == p || *p == '-' || *p == '+' || info->rank == PTO_NPY_RANK_MAX)
            return false;
        info->shape[info->rank++] = extent;
        if (!*end)
            return true;
        if (*end != 'x')
            return false;
        p = end + 1;
    }
}

static pto_status describe_output(const pto_param *param, bound_param *p, pto_diag_list *diags) {
    npy_type(param, &p->info.kind, &p->info.itemsize);
    if (p->output_shape) {
        if (!parse_shape(p->output_shape, &p->info))
            return refuse(diags, "PTO-E0953", param->name, "an output shape is written ROWSxCOLS",
                          p->output_shape, "e.g. @32x64");
    } else if (static_count(param)) {
        p->info.rank = (uint8_t)param->rank;
        for (int d = 0; d < param->rank; d++)
            p->info.shape[d] = (uint64_t)param->shape[d];
        if (pto_dtype_bits(param->dtype) == 4)
            p->info.shape[param->rank - 1] = (p->info.shape[param->rank - 1] + 1) / 2;
    } else {
        return refuse(diags, "PTO-E0953", param->name, "the program does not give the shape of this output",
                      NULL, "name:=file.npy@32x64");
    }
    pto_status status = pto_npy_describe(&p->info, diags);
    if (status != PTO_OK)
        return status;
    status = check_array(param, &p->info, diags);
    if (status != PTO_OK)
        return status;
    p->data = calloc(p->info.bytes ? (size_t)p->info.bytes : 1, 1);
    return p->data ? PTO_OK : PTO_ERR_NOMEM;
}

static pto_status parse_number(const pto_param *param, const char *text, pto_argument *argument,
                               pto_diag_list *diags) {
    char *end;
    errno = 0;
    bool ok = *text != 0;
    if (pto_dtype_is_float(param->dtype)) {
        argument->f = strtod(text, &end);
        ok &= !*end && !(isinf(argument->f) && errno); /* "inf" is a number, 1e999 is none */
    } else if (!strcmp(text, "true") || !strcmp(text, "false")) {
        argument->i = *text == 't';
    } else {
        const unsigned bits = param->bits;
        /* of an integer of another width (i1) the run takes the low bits */
        const bool is_signed = param->dtype == PTO_DTYPE_NONE || pto_dtype_is_signed(param->dtype);
        const bool signless = param->dtype == PTO_DTYPE_NONE || param->signless;
        bool negative = *text == '-';
        argument->i = negative ? (int64_t)strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
        ok &= !*end && !errno;
        if (bits == 64 && ok && !negative && is_signed && !signless)
            ok = argument->i >= 0;
        if (bits < 64 && ok) {
            int64_t low = -((int64_t)1 << (bits - 1)), high = ((int64_t)1 << bits) - 1;
            if (is_signed && !signless)
                high = -low - 1;
            ok = argument->i >= (is_signed ? low : 0) && argument->i <= high;
        }
    }
    return ok ? PTO_OK
              : refuse(diags, "PTO-E0954", param->name, "not a number of the parameter's type", text,
                       pto_dtype_name(param->dtype));
}

/* A session, an event: nothing that a command line could give, and nothing that a run asks for. */
static bool is_opaque(const pto_param *param) { return param->kind == PTO_PARAM_SCALAR && !param->bits; }

static bool refuse_missing(const pto_param *param, pto_diag_list *diags) {
    refuse(diags, "PTO-E0950", param->name, "argument missing", "nothing",
           param->kind == PTO_PARAM_SCALAR ? "name=NUMBER"
           : param->written                ? "name:=out.npy, or name=in.npy"
                                           : "name=in.npy");
    return true;
}

static pto_status load(binding *b, size_t i, pto_diag_list *diags) {
    const pto_param *param = &b->params[i];
    bound_param *p = &b->bound[i];
    pto_argument *argument = &b->arguments[i];
    pto_status status;
    if (p->input) {
        status = pto_npy_load(p->input, ARRAY_LIMIT, &p->info, &p->data, diags);
        if (status == PTO_ERR_REFUSED)
            status = PTO_ERR_IO; /* the file is at fault, not the program */
        if (status == PTO_OK)
            status = check_array(param, &p->info, diags);
        /* what is written again has the type of the program */
        if (status == PTO_OK && p->output && p->output_shape)
            status = refuse(diags, "PTO-E0953", param->name, "an in-out array has the shape of its input",
                            p->output_shape, NULL);
    } else {
        const pto_param resolved = with_extents(b, param);
        status = describe_output(&resolved, p, diags);
    }
    argument->data = p->data;
    argument->bytes = (size_t)p->info.bytes;
    argument->fresh = !p->input && p->output && *p->output;
    if (status == PTO_OK && param->written && !p->output)
        pto_diag_add(diags, PTO_WARNING, "PTO-W0957", pto_at_operand(param->name),
                     "the program writes this array, but no output is named: the result is dropped");
    return status;
}

pto_status binding_make(binding *b, const pto_param *params, size_t count, int argc, char **argv,
                        pto_diag_list *diags) {
    memset(b, 0, sizeof *b);
    b->params = params;
    b->count = count;
    b->bound = calloc(count + 1, sizeof *b->bound);
    b->arguments = calloc(count + 1, sizeof *b->arguments);
    if (!b->bound || !b->arguments)
        return PTO_ERR_NOMEM;
    pto_status worst = PTO_OK;
    bool missing = false;
    size_t position = 0;
    for (int i = 0; i < argc; i++) {
        pto_status status = match(b, argv[i], &position, diags);
        if (status != PTO_OK)
            worst = status;
    }
    for (size_t i = 0; i < count && worst == PTO_OK; i++)
        if (!is_bound(&b->bound[i]) && !is_opaque(&params[i]))
            missing |= refuse_missing(&params[i], diags);
    if (missing || worst != PTO_OK)
        return missing ? PTO_ERR_USAGE : worst;
    /* scalars first: they may be extents of outputs */
    for (size_t i = 0; i < count; i++) {
        if (params[i].kind != PTO_PARAM_SCALAR || is_opaque(&params[i]))
            continue;
        pto_status status = parse_number(&params[i], b->bound[i].number, &b->arguments[i], diags);
        if (status != PTO_OK)
            worst = status;
    }
    const bool numbers = worst == PTO_OK;
    for (size_t i = 0; i < count && numbers; i++) {
        pto_status status = params[i].kind == PTO_PARAM_SCALAR ? PTO_OK : load(b, i, diags);
        if (status != PTO_OK)
            worst = status;
    }
    return worst;
}

static bool is_saved(const bound_param *p) { return p->output && *p->output; }

pto_status binding_open(binding *b, pto_diag_list *diags) {
    pto_status worst = PTO_OK;
    for (size_t i = 0; i < b->count; i++) {
        bound_param *p = &b->bound[i];
        pto_status status = is_saved(p) ? pto_out_open(p->output, &p->out, diags) : PTO_OK;
        if (status != PTO_OK)
            worst = status;
        p->temporary = p->out ? pto_out_temporary(p->out) : NULL;
        for (size_t k = 0; k < i; k++)
            if (p->temporary && b->bound[k].temporary && !strcmp(p->output, b->bound[k].output))
                worst = refuse(diags, "PTO-E0956", b->params[i].name, "two outputs have the same file",
                               p->output, "a file for each");
    }
    return worst;
}

pto_status binding_save(binding *b, const volatile int *cancel, pto_diag_list *diags) {
    pto_status status = PTO_OK;
    for (size_t i = 0; i < b->count && status == PTO_OK; i++) {
        if (!b->bound[i].out)
            continue;
        pto_npy_info info = b->bound[i].info;
        info.big_endian = info.fortran_order = false;
        info.version = 1;
        status = pto_npy_write(b->bound[i].out, &info, b->bound[i].data, diags);
    }
    if (status == PTO_OK && *cancel)
        status = PTO_ERR_CANCELLED;
    for (size_t i = 0; i < b->count && status == PTO_OK; i++) {
        bound_param *p = &b->bound[i];
        if (!p->out)
            continue;
        p->temporary = NULL;
        status = pto_out_commit(p->out, false, diags);
        p->out = NULL;
    }
    return status;
}

void binding_drop(const binding *b) {
    for (size_t i = 0; i < b->count; i++)
        if (b->bound[i].temporary)
            unlink(b->bound[i].temporary);
}

void binding_release(binding *b) {
    for (size_t i = 0; i < b->count && b->bound; i++) {
        b->bound[i].temporary = NULL;
        pto_out_abort(b->bound[i].out);
        free(b->bound[i].data);
    }
    free(b->bound);
    free(b->arguments);
}
