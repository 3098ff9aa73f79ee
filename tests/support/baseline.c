/* SPDX-License-Identifier: Apache-2.0 */
#include "support/baseline.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list keeps every copy reachable for leak checkers. */
char *baseline_copy(const char *text) {
    static struct link {
        struct link *next;
        char text[];
    } * all;
    size_t size = strlen(text) + 1;
    struct link *link = malloc(sizeof *link + size);
    if (!link)
        abort();
    memcpy(link->text, text, size);
    link->next = all;
    all = link;
    return link->text;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Splits at commas outside of <>; trims. The parts are copies. */
static int parts_of(const char *text, const char **part, int max) {
    int count = 0, depth = 0;
    char *p = baseline_copy(text), *start = p;
    for (bool end = false; !end; p++) {
        depth += (*p == '<') - (*p == '>');
        end = !*p;
        if (end || (*p == ',' && !depth)) {
            *p = 0;
            while (*start == ' ')
                start++;
            if (*start && count < max)
                part[count++] = start;
            start = p + 1;
        }
    }
    return count;
}

/* "Phase?" and "Relu=NoRelu": the word before the mark. */
static const char *bare(const char *word) {
    char *copy = baseline_copy(word);
    copy[strcspn(copy, "?=*")] = 0;
    return copy;
}

static bool is_enum(const char *type) {
    static const char *const names[] = {"RoundMode", "SaturationMode", "CmpMode", "bool"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], type))
            return true;
    return false;
}

bool baseline_read_operands(const char *text, baseline_operands *out) {
    *out = (baseline_operands){.count = 0};
    if (*text == '<') {
        const char *end = strrchr(text, '>');
        if (!end)
            return false;
        char inside[512];
        snprintf(inside, sizeof inside, "%.*s", (int)(end - text - 1), text + 1);
        const char *part[12];
        int count = parts_of(inside, part, 12);
        for (int i = 0; i < count; i++)
            if (strcmp(part[i], "T") != 0) /* the element type: an operand says it */
                out->attribute[out->attribute_count++] = bare(part[i]);
        text = end + 1;
    }
    const char *part[12];
    int count = parts_of(text, part, 12);
    for (int i = 0; i < count; i++) {
        char *name = baseline_copy(part[i]), *type = strchr(name, ':');
        if (type)
            *type++ = 0;
        char *mark = name + strcspn(name, "*&?");
        baseline_operand o = {.scratch = *mark == '*', .inout = *mark == '&', .optional = *mark == '?'};
        *mark = 0;
        o.name = name;
        o.type = type ? bare(type) : "";
        if (type && is_enum(o.type))
            out->attribute[out->attribute_count++] = !strcmp(o.type, "bool") ? name : o.type;
        else
            out->operand[out->count++] = o;
    }
    return true;
}

bool baseline_operand_is(const baseline_operand *operand, const pto_operand_desc *desc) {
    if (strcmp(operand->name, desc->name) != 0 ||
        (operand->scratch && !desc->is_global) != (desc->role == PTO_ROLE_TMP))
        return false;
    if (operand->optional && !desc->optional)
        return false;
    bool global = !strncmp(operand->type, "global", 6);
    if (global != desc->is_global || operand->inout != (desc->role == PTO_ROLE_INOUT))
        return false;
    if (!strcmp(operand->type, "MrgSortExecutedNumList"))
        return desc->is_counts;
    if (!strcmp(operand->type, "conv"))
        return desc->conv == PTO_CONV_YES;
    bool scalar = *operand->type && !global && strcmp(operand->type, "ptr") != 0;
    if (scalar != (desc->role == PTO_ROLE_SCALAR))
        return false;
    static const struct {
        const char *type;
        pto_dtype dtype;
    } fixed[] = {{"f32", PTO_F32}, {"i32", PTO_S32}, {"u32", PTO_U32}, {"u16", PTO_U16}, {"u64", PTO_U64}};
    for (size_t i = 0; scalar && i < sizeof fixed / sizeof *fixed; i++)
        if (!strcmp(fixed[i].type, operand->type))
            return desc->fixed_dtype == fixed[i].dtype;
    return !scalar || strcmp(operand->type, "T") != 0 || desc->type_var;
}

bool baseline_attribute_is(const char *word, const pto_operand_desc *desc) {
    static const struct {
        const char *word;
        pto_attr_kind kind;
    } kinds[] = {
        {"Phase", PTO_ATTR_ST_PHASE},
        {"Atomic", PTO_ATTR_ATOMIC},
        {"Relu", PTO_ATTR_RELU},
        {"AccToVecMode", PTO_ATTR_ACC_TO_VEC},
        {"RoundMode", PTO_ATTR_ROUND_MODE},
        {"SaturationMode", PTO_ATTR_SAT_MODE},
        {"CmpMode", PTO_ATTR_CMP_MODE},
        {"PrintFormat", PTO_ATTR_PRINT_FORMAT},
        {"MaskPattern", PTO_ATTR_MASK_PATTERN},
        {"GatherAxis", PTO_ATTR_SELECT_AXIS},
        {"ScatterAxis", PTO_ATTR_SELECT_AXIS},
        {"Coalesce", PTO_ATTR_COALESCE},
        {"GatherOOB", PTO_ATTR_GATHER_OOB},
        {"ScatterOOB", PTO_ATTR_SCATTER_OOB},
        {"ScatterAtomicOp", PTO_ATTR_SCATTER_ATOMIC},
        {"ScatterConflict", PTO_ATTR_SCATTER_CONFLICT},
        {"PadValue", PTO_ATTR_PAD_VALUE},
        {"TInsertMode", PTO_ATTR_INSERT_MODE},
        {"OutType", PTO_ATTR_DTYPE},
        {"isBinary", PTO_ATTR_BOOL},
        {"descending", PTO_ATTR_BOOL},
        {"exhausted", PTO_ATTR_BOOL},
        {"enable", PTO_ATTR_BOOL},
        {"isUpperOrLower", PTO_ATTR_INT},
        {"HistByte", PTO_ATTR_INT},
        {"Rounds", PTO_ATTR_INT},
        {"GatherExec", PTO_ATTR_INT},
        {"grp_axis", PTO_ATTR_INT},
        {"SetFmatrixMode", PTO_ATTR_FMATRIX},
        {"grp_axis", PTO_ATTR_GROUP_AXIS},
        {"QuantType", PTO_ATTR_QUANT_TYPE},
        {"MxQuantAlg", PTO_ATTR_MX_QUANT_ALG},
        {"VecStoreMode", PTO_ATTR_VEC_STORE_MODE},
        {"interleave", PTO_ATTR_BOOL},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].word, word) && desc->attr == kinds[i].kind)
            return true;
    size_t length = strlen(word);
    if (length > 9 && !strcmp(word + length - 9, "Algorithm"))
        return desc->attr == PTO_ATTR_PRECISION;
    return false;
}

/* ---- sets of words --------------------------------------------------------------------------- */

static bool add_word(baseline_words *words, const char *a, const char *mark, const char *b) {
    char word[48];
    int length = snprintf(word, sizeof word, "%s%s%s", a, mark, b);
    if (length < 0 || (size_t)length >= sizeof word)
        return false;
    for (int i = 0; i < words->count; i++)
        if (!strcmp(words->word[i], word))
            return true;
    if (words->count == 128)
        return false;
    memcpy(words->word[words->count++], word, sizeof word);
    return true;
}

static const char *members(const char *group) {
    static const struct {
        const char *name, *members;
    } groups[] = {
        {"ints", "s8 u8 s16 u16 s32 u32 s64 u64"},
        {"b1", "s8 u8 e4m3 e5m2 e8m0 hif8"},
        {"b2", "s16 u16 f16 bf16"},
        {"b4", "s32 u32 f32"},
        {"b8", "s64 u64"},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(groups[i].name, group))
            return groups[i].members;
    return group;
}

/* `f16`, `ints`, `{f16 bf16}` or nothing: the names, groups expanded, each followed by a space. */
static void expand(const char *set, char *out, size_t size) {
    char copy[256], *rest;
    snprintf(copy, sizeof copy, "%s", *set == '{' ? set + 1 : set);
    *out = 0;
    for (char *t = strtok_r(copy, " ,}", &rest); t; t = strtok_r(NULL, " ,}", &rest))
        snprintf(out + strlen(out), size - strlen(out), "%s ", members(t));
}

static bool add_pairs(baseline_words *words, const char *source, const char *target) {
    char sources[256], targets[256], *outer, *inner;
    expand(target, targets, sizeof targets);
    if (!*source || strchr(source, 'x')) /* no pair, or `axb>c`, which both sides write alike */
        snprintf(sources, sizeof sources, "%s", source);
    else
        expand(source, sources, sizeof sources);
    bool pair = *source;
    char *s = pair ? strtok_r(sources, strchr(source, 'x') ? "\n" : " ", &outer) : sources;
    for (; s; s = pair ? strtok_r(NULL, " ", &outer) : NULL) {
        char copy[256];
        snprintf(copy, sizeof copy, "%s", targets);
        for (char *t = strtok_r(copy, " ", &inner); t; t = strtok_r(NULL, " ", &inner))
            if (!add_word(words, s, pair ? ">" : "", t))
                return false;
    }
    return true;
}

/* `f16 bf16 with s32 u32`: a pair of each. */
static bool add_with(baseline_words *words, char *segment, char *with) {
    *with = 0;
    char source[128];
    snprintf(source, sizeof source, "{%s}", segment);
    return add_pairs(words, source, with + 6);
}

static bool add_segment(baseline_words *words, char *segment) {
    char *with = strstr(segment, " with "), source[64] = "";
    if (with)
        return add_with(words, segment, with);
    for (char *p = segment; *p;) {
        if (*p == ' ') {
            p++;
            continue;
        }
        if (*p == '(') { /* a remark */
            p += strcspn(p, ")");
            p += *p == ')';
            continue;
        }
        char word[128];
        int n = 0, depth = 0;
        for (; p[n] && (depth || p[n] != ' '); n++)
            depth += (p[n] == '{') - (p[n] == '}');
        snprintf(word, sizeof word, "%.*s", n, p);
        p += n;
        char *arrow = strchr(word, '>');
        if (arrow) {
            *arrow = 0;
            snprintf(source, sizeof source, "%.63s", word);
        }
        if (!add_pairs(words, source, arrow ? arrow + 1 : word))
            return false;
    }
    return true;
}

bool baseline_types(const char *text, baseline_words *words) {
    char copy[1024], *rest;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *segment = strtok_r(copy, ";", &rest); segment; segment = strtok_r(NULL, ";", &rest))
        if (!add_segment(words, segment))
            return false;
    return true;
}

bool baseline_pipes(const char *text, baseline_words *words) {
    char copy[512], *rest;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *use = strtok_r(copy, ";", &rest); use; use = strtok_r(NULL, ";", &rest)) {
        while (*use == ' ')
            use++;
        char *colon = strchr(use, ':'), *arrow = strchr(use, '>'), *inner, *outer;
        if (!colon) {
            for (char *p = use; *p; p++)
                *p = (char)toupper((unsigned char)*p);
            if (!add_word(words, use, "", ""))
                return false;
            continue;
        }
        *colon = 0;
        if (arrow)
            *arrow = 0;
        for (char *a = strtok_r(use, ",", &outer); a; a = strtok_r(NULL, ",", &outer)) {
            char targets[256], source[64];
            snprintf(targets, sizeof targets, "%s", arrow ? arrow + 1 : "-");
            snprintf(source, sizeof source, "%s>", a);
            for (char *b = strtok_r(targets, ",", &inner); b; b = strtok_r(NULL, ",", &inner)) {
                char pair[128];
                snprintf(pair, sizeof pair, "%s%s", source, b);
                if (!add_word(words, pair, ":", colon + 1))
                    return false;
            }
        }
    }
    return true;
}

bool baseline_same_words(const baseline_words *a, const baseline_words *b) {
    for (int i = 0; i < a->count; i++) {
        bool found = false;
        for (int k = 0; k < b->count; k++)
            found |= !strcmp(a->word[i], b->word[k]);
        if (!found)
            return false;
    }
    return a->count == b->count;
}

/* ---- spellings ------------------------------------------------------------------------------- */

static size_t name_length(const char *p) {
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

static void copy_name(char *to, size_t size, const char *from, size_t length) {
    snprintf(to, size, "%.*s", (int)length, from);
}

/* `{rmode = #pto<round_mode RINT>, sat}`: the keys. Returns the end. */
static const char *read_keys(const char *p, baseline_spelling *s) {
    int depth = 0;
    bool key = true;
    for (; *p && !(*p == '}' && !depth); p++) {
        depth += (*p == '<' || *p == '{') - (*p == '>' || *p == '}');
        if (*p == ',' && !depth)
            key = true;
        else if (key && isalpha((unsigned char)*p) && s->key_count < 12) {
            size_t n = name_length(p);
            copy_name(s->key[s->key_count++], sizeof s->key[0], p, n);
            p += n - 1;
            key = false;
        }
    }
    return *p ? p + 1 : p;
}

bool baseline_read_spelling(const char *text, baseline_spelling *s) {
    memset(s, 0, sizeof *s);
    const char *p = text, *equal = *p == '%' ? strstr(p, " = ") : NULL;
    for (; equal && p < equal; p++)
        if (*p == '%' && s->result_count < 6)
            copy_name(s->result[s->result_count++], sizeof s->result[0], p + 1, name_length(p + 1));
    if (equal)
        p = equal + 3;
    size_t n = strcspn(p, " ([");
    copy_name(s->opcode, sizeof s->opcode, p, n);
    p += n;
    bool outs = false, optional = false;
    while (*p) {
        if (!strncmp(p, " outs(", 6)) {
            outs = true;
            p += 6;
        } else if (*p == '%') {
            n = name_length(p + 1);
            if (s->operand_count == 12 || s->result_count == 6)
                return false;
            if (outs) {
                copy_name(s->result[s->result_count++], sizeof s->result[0], p + 1, n);
            } else {
                s->optional[s->operand_count] = optional;
                copy_name(s->operand[s->operand_count++], sizeof s->operand[0], p + 1, n);
            }
            p += 1 + n;
            if (*p == '[' && p[1] == '%') /* %view[%r, %c] */
                p += strcspn(p, "]") + 1;
        } else if (*p == '{') {
            p = read_keys(p + 1, s);
        } else {
            optional = *p == '[' ? true : *p == ']' ? false : optional;
            p++;
        }
    }
    return *s->opcode;
}

static bool same_name(const char *pattern, const char *name, const pto_form_desc *form) {
    bool named = false;
    for (int i = 0; i < form->operand_count; i++)
        named |= !strcmp(form->operand[i].name, name);
    return !named || !strcmp(pattern, name);
}

bool baseline_spelling_fits(const baseline_spelling *pattern, const baseline_spelling *instance,
                            const pto_form_desc *form) {
    if (strcmp(pattern->opcode, instance->opcode) != 0 || pattern->result_count != instance->result_count)
        return false;
    for (int i = 0; i < pattern->result_count; i++)
        if (!same_name(pattern->result[i], instance->result[i], form))
            return false;
    bool accumulates = form->operand[0].role == PTO_ROLE_INOUT;
    int count = instance->operand_count, next = 0;
    /* `[, %acc]`, the old value of the destination, goes without saying in SSA text */
    if (accumulates && count && instance->optional[count - 1] && !strcmp(instance->operand[count - 1], "acc"))
        count--;
    for (int i = 0; i < pattern->operand_count; i++) {
        bool here = next < count && same_name(pattern->operand[i], instance->operand[next], form);
        if (here && instance->optional[next] && !pattern->optional[i])
            return false;
        if (here)
            next++;
        else if (!pattern->optional[i])
            return false;
    }
    for (int i = 0; i < instance->key_count; i++) {
        bool found = false;
        for (int k = 0; k < pattern->key_count; k++)
            found |= !strcmp(pattern->key[k], instance->key[i]);
        if (!found)
            return false;
    }
    return next == count;
}
