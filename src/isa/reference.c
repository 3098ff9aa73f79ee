/* SPDX-License-Identifier: Apache-2.0 */
/* Reference pages: everything on them comes from the table or the rule catalogue. */
#include "isa/reference.h"
#include "isa/isa.h"
#include "isa/legality.h"
#include "base/sink.h"
#include <pto/isa.h>
#include <pto/ops.h>

#include <stdio.h>
#include <string.h>

static const char *const role_names[] = {"out", "in/out", "in", "scratch", "scalar", "attribute"};
static const char *const text_names[PTO_TEXT_FORM_COUNT] = {"PTO-AS", "level 1", "level 2"};

static const char *attr_kind_name(pto_attr_kind kind) {
    static const char *const names[] = {
        [PTO_ATTR_NONE] = "",
        [PTO_ATTR_BOOL] = "bool",
        [PTO_ATTR_INT] = "int",
        [PTO_ATTR_ROUND_MODE] = "round_mode",
        [PTO_ATTR_SAT_MODE] = "saturation_mode",
        [PTO_ATTR_CMP_MODE] = "cmp",
        [PTO_ATTR_ST_PHASE] = "st_phase",
        [PTO_ATTR_ATOMIC] = "atomic",
        [PTO_ATTR_RELU] = "relu",
        [PTO_ATTR_ACC_TO_VEC] = "acc_to_vec_mode",
        [PTO_ATTR_PRECISION] = "precision",
        [PTO_ATTR_PRINT_FORMAT] = "print_format",
        [PTO_ATTR_MASK_PATTERN] = "mask_pattern",
        [PTO_ATTR_SELECT_AXIS] = "axis",
        [PTO_ATTR_COALESCE] = "coalesce",
        [PTO_ATTR_GATHER_OOB] = "gather_oob",
        [PTO_ATTR_SCATTER_OOB] = "scatter_oob",
        [PTO_ATTR_SCATTER_ATOMIC] = "scatter_atomic_op",
        [PTO_ATTR_SCATTER_CONFLICT] = "scatter_conflict",
        [PTO_ATTR_PAD_VALUE] = "pad_value",
        [PTO_ATTR_INSERT_MODE] = "insert_mode",
        [PTO_ATTR_DTYPE] = "element type",
        [PTO_ATTR_FMATRIX] = "fmatrix",
        [PTO_ATTR_QUANT_TYPE] = "quant_type",
        [PTO_ATTR_MX_QUANT_ALG] = "mx_quant_alg",
        [PTO_ATTR_GROUP_AXIS] = "group_axis",
        [PTO_ATTR_VEC_STORE_MODE] = "vec_store_mode",
    };
    bool known = (unsigned)kind < sizeof names / sizeof *names && names[kind];
    if (!known)
        return "attribute";
    return names[kind];
}

static void operand_type(const pto_operand_desc *o, char *buffer, size_t size) {
    pto_buffer out = {buffer, size, 0};
    pto_sink sink;
    pto_sink_init(&sink, pto_buffer_write, &out);
    if (o->role == PTO_ROLE_ATTR)
        pto_sink_text(&sink, attr_kind_name(o->attr));
    else if (o->fixed_dtype != PTO_DTYPE_NONE)
        pto_sink_text(&sink, pto_dtype_name(o->fixed_dtype));
    else if (o->type_var)
        pto_sink_char(&sink, o->type_var, 1);
    else
        pto_sink_text(&sink, "any type");
    pto_sink_flush(&sink);
    pto_buffer_finish(&out);
}

/* TADD(dst, src0, src1[, tmp]): the C macro, which has the operand order of the C++ intrinsic. */
static void call_form(pto_sink *sink, const pto_form_desc *form) {
    pto_sink_printf(sink, "%s(", form->mnemonic);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        bool optional = o->optional || o->role == PTO_ROLE_ATTR;
        pto_sink_printf(sink, "%s%s%s%s", optional ? "[" : "", i ? ", " : "", o->name, optional ? "]" : "");
    }
    pto_sink_text(sink, ")");
}

/* pto_tadd(core, &dst, &src0, &src1): the C function. */
static void c_call(pto_sink *sink, pto_form f) {
    const pto_form_desc *form = pto_form_get(f);
    pto_sink_printf(sink, "%s(core", form->function);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        bool value = o->role == PTO_ROLE_SCALAR || o->role == PTO_ROLE_ATTR;
        pto_sink_printf(sink, ", %s%s", value ? "" : "&", o->name);
    }
    pto_sink_text(sink, ")");
}

static void pipes(pto_sink *sink, const pto_form_desc *form) {
    for (int i = 0; i < form->pipe_count; i++) {
        const pto_pipe_use *use = &form->pipes[i];
        pto_sink_text(sink, i ? ", " : "");
        if (use->src_loc >= 0)
            pto_sink_printf(sink, "%s", pto_loc_name((pto_loc)use->src_loc));
        if (use->dst_loc >= 0)
            pto_sink_printf(sink, " -> %s", pto_loc_name((pto_loc)use->dst_loc));
        if (use->src_loc >= 0 || use->dst_loc >= 0)
            pto_sink_text(sink, ": ");
        pto_sink_text(sink, pto_pipe_name(use->pipe));
    }
}

static void rule_targets(pto_sink *sink, uint8_t targets) {
    if (targets == (1u << PTO_TARGET_COUNT) - 1)
        return;
    pto_sink_text(sink, " (");
    bool first = true;
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        if (targets & 1u << t) {
            pto_sink_printf(sink, "%s%s", first ? "" : ", ", pto_target_name((pto_target)t));
            first = false;
        }
    pto_sink_text(sink, ")");
}

static void form_page(pto_sink *sink, pto_form f) {
    const pto_form_desc *form = pto_form_get(f);
    pto_sink_printf(sink, "\n  form: %s\n    ", form->form);
    call_form(sink, form);
    pto_sink_text(sink, "\n    ");
    c_call(sink, f);
    pto_sink_printf(sink, "\n    %s\n\n    operands\n", form->summary);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        char type[32];
        operand_type(o, type, sizeof type);
        pto_sink_printf(sink, "      %-12s %-9s %-7s %s", o->name, role_names[o->role],
                        o->role == PTO_ROLE_SCALAR || o->role == PTO_ROLE_ATTR ? ""
                        : o->is_global                                         ? "global"
                        : o->conv == PTO_CONV_YES                              ? "conv"
                                                                               : "tile",
                        type);
        if (o->role == PTO_ROLE_ATTR)
            pto_sink_printf(sink, " (text key %s, default %lld)", o->attr_key, (long long)o->attr_default);
        pto_sink_text(sink, o->optional ? ", optional\n" : "\n");
    }
    pto_sink_text(sink, "\n    element types (target cpu also takes what another target takes)\n");
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        pto_sink_printf(sink, "      %-5s %s\n", pto_target_name((pto_target)t),
                        strcmp(form->type_text[t], "-") ? form->type_text[t] : "refused");
    pto_sink_text(sink, "\n    text\n");
    for (int t = 0; t < PTO_TEXT_FORM_COUNT; t++)
        if (form->text[t].spelling)
            pto_sink_printf(sink, "      %-8s %s\n", text_names[t], form->text[t].spelling);
    pto_sink_text(sink, "\n    pipe   ");
    pipes(sink, form);
    if (form->block)
        pto_sink_printf(sink, "\n    block  %s", form->block);
    pto_sink_text(sink, "\n");
    if (form->rule_count) {
        pto_sink_text(sink, "\n    rules (beside PTO-E0301 to PTO-E0315, which hold for every call)\n");
        for (int i = 0; i < form->rule_count; i++) {
            pto_sink_printf(sink, "      %s", form->rules[i].name);
            rule_targets(sink, form->rules[i].targets);
            pto_sink_printf(sink, ": %s", form->rules[i].text);
            pto_sink_text(sink, "  [");
            pto_sink_text(sink, form->rules[i].ids);
            pto_sink_text(sink, "]\n");
        }
    }
    if (form->notes)
        pto_sink_printf(sink, "\n    note: %s\n", form->notes);
}

const char *pto_isa_name(size_t index) { return index < PTO_OP_COUNT ? pto_op_table[index].mnemonic : NULL; }

bool pto_isa_list(pto_write_fn write, void *context) {
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    const char *family = "";
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        if (strcmp(family, form->family))
            pto_sink_printf(&sink, "%s%s\n", f ? "\n" : "", form->family);
        family = form->family;
        const pto_op_desc *op = &pto_op_table[form->op];
        if (op->first_form == (pto_form)f)
            pto_sink_printf(&sink, "  %-18s %s\n", form->mnemonic, form->summary);
    }
    return pto_sink_flush(&sink);
}

static pto_op find_op(const char *name) { return pto_op_find(name, strlen(name)); }

static void lines(pto_sink *sink, const char *title, const char *text) {
    if (!text)
        return;
    pto_sink_printf(sink, "\n  %s\n", title);
    while (*text) {
        size_t length = strcspn(text, "\n");
        pto_sink_text(sink, "      ");
        pto_sink_put(sink, text, length);
        pto_sink_text(sink, "\n");
        text += length + (text[length] == '\n');
    }
}

void pto_reference_head(pto_op op, pto_sink *sink) {
    const pto_op_desc *desc = &pto_op_table[op];
    const pto_form_desc *first = pto_form_get(desc->first_form);
    pto_sink_printf(sink, "%s  [%s; specification %s]\n", first->mnemonic, first->family, first->spec);
    lines(sink, "meaning", desc->formula);
    lines(sink, "details", desc->text);
    lines(sink, "scratch", desc->scratch);
}

void pto_reference_forms(pto_op op, pto_sink *sink) {
    const pto_op_desc *desc = &pto_op_table[op];
    for (int f = 0; f < desc->form_count; f++)
        form_page(sink, (pto_form)((int)desc->first_form + f));
}

/* ,"key":"text" */
static void member(pto_sink *sink, const char *key, const char *text) {
    pto_sink_printf(sink, ",\"%s\":", key);
    pto_sink_json(sink, text);
}

static void form_json(pto_sink *sink, const pto_form_desc *form) {
    pto_sink_text(sink, "{\"mnemonic\":");
    pto_sink_json(sink, form->mnemonic);
    member(sink, "form", form->form);
    member(sink, "family", form->family);
    member(sink, "spec", form->spec);
    member(sink, "summary", form->summary);
    member(sink, "formula", pto_op_table[form->op].formula);
    member(sink, "details", pto_op_table[form->op].text);
    member(sink, "scratch", pto_op_table[form->op].scratch);
    pto_sink_text(sink, ",\"operands\":[");
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        char type[32];
        operand_type(o, type, sizeof type);
        pto_sink_printf(sink, "%s{\"name\":", i ? "," : "");
        pto_sink_json(sink, o->name);
        member(sink, "role", role_names[o->role]);
        member(sink, "type", type);
        pto_sink_printf(sink, ",\"global\":%s,\"conv\":%s,\"optional\":%s", o->is_global ? "true" : "false",
                        o->conv == PTO_CONV_YES ? "true" : "false", o->optional ? "true" : "false");
        if (o->role == PTO_ROLE_ATTR) {
            member(sink, "key", o->attr_key);
            pto_sink_printf(sink, ",\"default\":%lld", (long long)o->attr_default);
        }
        pto_sink_text(sink, "}");
    }
    pto_sink_text(sink, "],\"types\":{");
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_sink_printf(sink, "%s\"%s\":", t ? "," : "", pto_target_name((pto_target)t));
        pto_sink_json(sink, strcmp(form->type_text[t], "-") ? form->type_text[t] : NULL);
    }
    pto_sink_text(sink, "},\"text\":{");
    static const char *const keys[] = {"pto-as", "level1", "level2"};
    for (int t = 0; t < PTO_TEXT_FORM_COUNT; t++) {
        pto_sink_printf(sink, "%s\"%s\":", t ? "," : "", keys[t]);
        pto_sink_json(sink, form->text[t].spelling);
    }
    pto_sink_text(sink, "},\"rules\":[");
    for (int i = 0; i < form->rule_count; i++) {
        pto_sink_text(sink, i ? ",{\"name\":" : "{\"name\":");
        pto_sink_json(sink, form->rules[i].name);
        member(sink, "text", form->rules[i].text);
        member(sink, "ids", form->rules[i].ids);
        pto_sink_text(sink, ",\"targets\":[");
        bool first = true;
        for (int t = 0; t < PTO_TARGET_COUNT; t++)
            if (form->rules[i].targets & 1u << t) {
                pto_sink_printf(sink, "%s\"%s\"", first ? "" : ",", pto_target_name((pto_target)t));
                first = false;
            }
        pto_sink_text(sink, "]}");
    }
    pto_sink_text(sink, "]");
    member(sink, "block", form->block);
    member(sink, "notes", form->notes);
    pto_sink_text(sink, "}");
}

pto_status pto_isa_json(const char *name, pto_write_fn write, void *context) {
    pto_op op = name ? find_op(name) : PTO_OP_COUNT;
    if (name && op == PTO_OP_COUNT)
        return PTO_ERR_USAGE;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    pto_sink_text(&sink, "[");
    bool first = true;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        if (name && form->op != op)
            continue;
        pto_sink_text(&sink, first ? "\n" : ",\n");
        form_json(&sink, form);
        first = false;
    }
    pto_sink_text(&sink, "\n]\n");
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}

const char *pto_isa_suggest(const char *name) {
    pto_str names[PTO_OP_COUNT];
    for (int i = 0; i < PTO_OP_COUNT; i++)
        names[i] = pto_str_from(pto_op_table[i].mnemonic);
    int i = pto_str_nearest(pto_str_from(name), names, PTO_OP_COUNT);
    return i < 0 ? NULL : pto_op_table[i].mnemonic;
}

/* ---- rules ----------------------------------------------------------------------------------- */

const char *pto_rule_id(size_t index) {
    const pto_rule_text *rule = pto_rule_at(index);
    return rule ? rule->id : NULL;
}

static const char *stage_name(pto_stage stage) {
    static const char *const names[] = {"type", "shape", "layout", "profile", "other"};
    return names[stage];
}

bool pto_rule_list(pto_write_fn write, void *context) {
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    for (size_t i = 0; i < pto_rule_count(); i++) {
        const pto_rule_text *rule = pto_rule_at(i);
        pto_sink_printf(&sink, "%-10s %-24s %s\n", rule->id, rule->name, rule->title);
    }
    return pto_sink_flush(&sink);
}

static void rule_example(pto_sink *sink, const char *id) {
    const pto_rule_example *example = pto_rule_example_find(id);
    if (!example)
        return;
    char title[96];
    bool check = !strcmp(example->kind, "check"), strict = !strcmp(example->kind, "strict");
    bool ptoas = !strcmp(example->kind, "ptoas"), watch = !strcmp(example->kind, "watch");
    bool deep = !strcmp(example->kind, "deep");
    if (check || strict || ptoas || watch || deep || !strcmp(example->kind, "run"))
        snprintf(title, sizeof title, "example: pto %s%s -t %s example.pto",
                 check || strict || ptoas || deep ? "check" : "run",
                 strict  ? " --strict"
                 : ptoas ? " --ptoas-only"
                 : watch ? " --check=all"
                 : deep  ? " --deep"
                         : "",
                 example->target);
    else
        snprintf(title, sizeof title, "%s", strcmp(example->kind, "none") ? "example" : "no text breaks it");
    lines(sink, title, example->text);
}

pto_status pto_rule_page(const char *id, pto_write_fn write, void *context) {
    const pto_rule_text *rule = pto_rule_find(id);
    if (!rule)
        return PTO_ERR_USAGE;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    pto_sink_printf(&sink, "%s  %s: %s\n", rule->id, rule->name, rule->title);
    pto_sink_printf(&sink, "\n  severity  %s\n  targets   %s\n  stage     %s\n",
                    pto_severity_name(rule->severity), rule->targets, stage_name(rule->stage));
    pto_sink_text(&sink, "  rule      ");
    pto_sink_text(&sink, rule->text);
    if (rule->fix) {
        pto_sink_text(&sink, "\n  fix       ");
        pto_sink_text(&sink, rule->fix);
    }
    pto_sink_printf(&sink, "\n  spec      %s\n", rule->spec);
    rule_example(&sink, id);
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}

pto_status pto_rule_json(const char *id, pto_write_fn write, void *context) {
    if (id && !pto_rule_find(id))
        return PTO_ERR_USAGE;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    pto_sink_text(&sink, "[");
    bool first = true;
    for (size_t i = 0; i < pto_rule_count(); i++) {
        const pto_rule_text *rule = pto_rule_at(i);
        if (id && rule != pto_rule_find(id))
            continue;
        pto_sink_text(&sink, first ? "\n{\"id\":" : ",\n{\"id\":");
        pto_sink_json(&sink, rule->id);
        member(&sink, "name", rule->name);
        member(&sink, "severity", pto_severity_name(rule->severity));
        member(&sink, "stage", stage_name(rule->stage));
        member(&sink, "targets", rule->targets);
        member(&sink, "title", rule->title);
        member(&sink, "text", rule->text);
        member(&sink, "fix", rule->fix);
        member(&sink, "spec", rule->spec);
        const pto_rule_example *example = pto_rule_example_find(rule->id);
        member(&sink, "exampleKind", example ? example->kind : NULL);
        member(&sink, "exampleTarget", example ? example->target : NULL);
        member(&sink, "example", example ? example->text : NULL);
        pto_sink_text(&sink, "}");
        first = false;
    }
    pto_sink_text(&sink, "\n]\n");
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}

const char *pto_rule_suggest(const char *id) {
    const char *best = NULL;
    unsigned nearest = 3;
    for (size_t i = 0; i < pto_rule_count(); i++) {
        const char *candidate = pto_rule_at(i)->id;
        unsigned distance = pto_str_distance(pto_str_from(id), pto_str_from(candidate), 2);
        if (distance < nearest) {
            nearest = distance;
            best = candidate;
        }
    }
    return best;
}
