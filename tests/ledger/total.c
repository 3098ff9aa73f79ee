/* SPDX-License-Identifier: Apache-2.0 */
/* total FILE...: adds the ledgers of the kernel tests up and holds them against the table: every call form,
 * with every combination of element types that a target accepts, must have been compared with its reference
 * in at least WANTED calls of different shapes. Prints what is short and a closing line. */
#include "ledger/ledger.h"
#include "support/configuration.h"

#include <stdlib.h>
#include <string.h>

enum { WANTED = 200 };

typedef struct line {
    pto_form form;
    pto_target target;
    char types[LEDGER_TYPES];
    unsigned long long calls, shapes;
} line;
static line *lines;
static size_t line_count;

/* What makes no elements: names, addresses and registers, and text. */
static const struct {
    const char *mnemonic, *tests;
} without[] = {
    {"TPRINT", "kernel.print: the text, byte by byte"},
    {"TRESHAPE", "kernel.view: another type over the same bytes"},
    {"TALIAS", "kernel.view: another name of the same bytes"},
    {"TGET_SCALE_ADDR", "kernel.view: an address"},
    {"TASSIGN", "kernel.view: an address"},
    {"TPREFETCH", "kernel.view: nothing to be seen"},
    {"SET_QUANT_SCALAR", "kernel.store_quant, kernel.view: a register that conversions read"},
    {"SET_QUANT_VECTOR", "kernel.store_quant, kernel.view: a register that conversions read"},
    {"SETFMATRIX", "kernel.img2col: a register that TIMG2COL reads"},
    {"SET_IMG2COL_RPT", "kernel.img2col: a register that TIMG2COL reads"},
    {"SET_IMG2COL_PADDING", "kernel.img2col: a register that TIMG2COL reads"},
};

static bool has_elements(const pto_form_desc *form) {
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (!strcmp(without[i].mnemonic, form->mnemonic))
            return false;
    return true;
}

static bool read_line(char *text, line *l) {
    char *field[6];
    for (int i = 0; i < 6; i++)
        if (!(field[i] = strtok(i ? NULL : text, "\t\n")))
            return false;
    l->form = PTO_FORM_COUNT;
    for (int f = 0; f < PTO_FORM_COUNT; f++)
        if (!strcmp(pto_form_get((pto_form)f)->mnemonic, field[0]) &&
            !strcmp(pto_form_get((pto_form)f)->form, field[1]))
            l->form = (pto_form)f;
    l->target = PTO_TARGET_COUNT;
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        if (!strcmp(pto_target_name((pto_target)t), field[2]))
            l->target = (pto_target)t;
    snprintf(l->types, sizeof l->types, "%s", field[3]);
    l->calls = strtoull(field[4], NULL, 10);
    l->shapes = strtoull(field[5], NULL, 10);
    return l->form != PTO_FORM_COUNT && l->target != PTO_TARGET_COUNT;
}

static bool read_file(const char *path) {
    char text[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(text, sizeof text, file)) {
        line *grown = realloc(lines, (line_count + 1) * sizeof *lines);
        if (!grown)
            abort();
        lines = grown;
        if (!read_line(text, &lines[line_count])) {
            fclose(file);
            return false;
        }
        line_count++;
    }
    fclose(file);
    return true;
}

/* A line counts for a combination when it has its types; it may have more, of variables that it leaves open.
 */
static bool has_types(const char *types, const pto_dtype var[6]) {
    for (int v = 0; v < 6; v++) {
        char one[32];
        if (var[v] == PTO_DTYPE_NONE)
            continue;
        size_t size = (size_t)snprintf(one, sizeof one, "%c=%s", "TSDABI"[v], pto_dtype_name(var[v]));
        const char *at = strstr(types, one);
        if (!at || (at[size] && at[size] != ','))
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    unsigned long long all = 0, combinations = 0, shortest = ~0ull;
    int missing = 0;
    for (int i = 1; i < argc; i++)
        if (!read_file(argv[i])) {
            fprintf(stderr, "%s: not a ledger\n", argv[i]);
            return 2;
        }
    for (size_t i = 0; i < line_count; i++)
        all += lines[i].calls;
    for (int f = 0; f < PTO_FORM_COUNT; f++)
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            const pto_form_desc *form = pto_form_get((pto_form)f);
            pto_dtype var[6];
            bool explicit_types;
            if (!has_elements(form))
                break;
            for (int n = 0; configuration_types(form, (pto_target)t, n, var, &explicit_types); n++) {
                unsigned long long calls = 0, shapes = 0;
                if (!explicit_types && n)
                    break;
                for (size_t i = 0; i < line_count; i++)
                    if (lines[i].form == (pto_form)f && lines[i].target == (pto_target)t &&
                        (!explicit_types || has_types(lines[i].types, var))) {
                        calls += lines[i].calls;
                        shapes += lines[i].shapes;
                    }
                combinations++;
                shortest = calls < shortest ? calls : shortest;
                if (calls < WANTED) {
                    char types[LEDGER_TYPES];
                    ledger_types(var, types);
                    printf("%s %s on %s, %s: %llu calls, %llu shapes\n", form->mnemonic, form->form,
                           pto_target_name((pto_target)t), explicit_types ? types : "any type", calls,
                           shapes);
                    missing++;
                }
            }
        }
    printf("%llu calls compared with a reference; %llu combinations of call form, element types and target, "
           "%d of "
           "them with fewer than %d\n",
           all, combinations, missing, WANTED);
    free(lines);
    return missing != 0;
}
