/* SPDX-License-Identifier: Apache-2.0 */
/* Which form of the table an SSA statement is: by results, operands, their classes and the attributes. */
#include "text/ssa.h"

#include <string.h>

uint32_t pto_ssa_count(const int8_t *list, uint32_t limit) {
    uint32_t n = 0;
    while (n < limit && list[n] >= 0)
        n++;
    return n;
}

/* tmov.m2l and its like name the route that the locations of the tiles show anyway (60, 1.6). */
static bool is_tmov_route(pto_str opcode, size_t prefix) {
    static const char *const routes[] = {"m2l", "m2r", "m2b", "m2s", "a2v", "v2v", "v2m", "a2m", "s2d"};
    pto_str rest = pto_str_slice(opcode, prefix, opcode.len);
    if (rest.len != 8 || !pto_str_starts_with(rest, PTO_STR("tmov.")))
        return false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (pto_str_equal(pto_str_slice(rest, 5, 8), pto_str_from(routes[i])))
            return true;
    return false;
}

/* The words behind mgather. and mscatter. (60, 1.6); the first chooses the mode. */
static const struct {
    const char *word, *key, *kind, *value;
    bool gather, scatter, first;
} table_modes[] = {
    {"row", "coalesce", "coalesce", "row", true, true, true},
    {"elem", "coalesce", "coalesce", "elem", true, true, true},
    {"clamp", "gatherOob", "gather_oob", "clamp", true, false, false},
    {"wrap", "gatherOob", "gather_oob", "wrap", true, false, false},
    {"zero", "gatherOob", "gather_oob", "zero", true, false, false},
    {"clamp", "scatterOob", "scatter_oob", "clamp", false, true, false},
    {"wrap", "scatterOob", "scatter_oob", "wrap", false, true, false},
    {"skip", "scatterOob", "scatter_oob", "skip", false, true, false},
    {"atomic_add", "scatterAtomicOp", "scatter_atomic_op", "add", false, true, false},
    {"atomic_max", "scatterAtomicOp", "scatter_atomic_op", "max", false, true, false},
    {"atomic_min", "scatterAtomicOp", "scatter_atomic_op", "min", false, true, false},
};
enum { TABLE_MODES = sizeof table_modes / sizeof *table_modes };

/* Length of the opcode without the words, whose rows go to `found`; 0 when it is no such opcode. */
static size_t read_table_modes(pto_str opcode, size_t prefix, int found[3], int *count) {
    const pto_str rest = pto_str_slice(opcode, prefix, opcode.len);
    const bool gather = pto_str_starts_with(rest, PTO_STR("mgather.")),
               scatter = pto_str_starts_with(rest, PTO_STR("mscatter."));
    if (!gather && !scatter)
        return 0;
    const size_t base = gather ? 7 : 8;
    *count = 0;
    for (size_t at = base + 1; at <= rest.len;) {
        size_t end = at;
        while (end < rest.len && rest.data[end] != '.')
            end++;
        const pto_str word = pto_str_slice(rest, at, end);
        int row = 0;
        while (row < TABLE_MODES && !(pto_str_equal(word, pto_str_from(table_modes[row].word)) &&
                                      (gather ? table_modes[row].gather : table_modes[row].scatter) &&
                                      table_modes[row].first == (*count == 0)))
            row++;
        if (row == TABLE_MODES || *count == (gather ? 2 : 3))
            return 0;
        found[(*count)++] = row;
        at = end + 1;
    }
    return prefix + base;
}

bool pto_ssa_take_modes(pto_text_parser *p, pto_ssa_statement *s) {
    int found[3], count = 0;
    if (s->text != PTO_TEXT_AS || !read_table_modes(s->opcode.text, 0, found, &count))
        return false;
    const pto_span span = pto_text_span(s->opcode);
    for (int i = 0; i < count; i++)
        pto_text_set_attr(p, s->op, pto_str_from(table_modes[found[i]].key),
                          pto_attr_enum(p->program, pto_str_from(table_modes[found[i]].kind),
                                        pto_str_from(table_modes[found[i]].value)),
                          span, span);
    return true;
}

int pto_ssa_find_opcode(pto_text_form text, pto_str opcode) {
    int form = pto_form_find_opcode(text, opcode.data, opcode.len);
    size_t prefix = text == PTO_TEXT_AS ? 0 : 4;
    if (form < 0 && is_tmov_route(opcode, prefix))
        form = pto_form_find_opcode(text, opcode.data, prefix + 4);
    if (form < 0 && text == PTO_TEXT_LEVEL1 && pto_str_equal(opcode, PTO_STR("pto.tsubview")))
        form = pto_form_find_opcode(text, "pto.subview", 11); /* by its name in C++ (60, 1.6) */
    int found[3], count;
    const size_t base = form < 0 && text == PTO_TEXT_AS ? read_table_modes(opcode, prefix, found, &count) : 0;
    if (base)
        form = pto_form_find_opcode(text, opcode.data, base);
    return form;
}

bool pto_ssa_fits(const pto_operand_desc *desc, const pto_type *type) {
    if (!type)
        return true;
    bool view = type->kind == PTO_TYPE_TENSOR_VIEW || type->kind == PTO_TYPE_PARTITION_VIEW ||
                type->kind == PTO_TYPE_MEMREF || type->kind == PTO_TYPE_PTR;
    if (desc->role == PTO_ROLE_SCALAR)
        return pto_type_is_scalar(type) || type->kind == PTO_TYPE_VECTOR;
    if (desc->is_counts)
        return type->kind == PTO_TYPE_VECTOR;
    if (desc->is_global)
        return view;
    return pto_type_is_tile(type) && (type->open || pto_operand_takes_tile(desc, &type->tile));
}

int pto_ssa_read_modify_write(const pto_form_desc *form, pto_text_form text) {
    const pto_text_pattern *pattern = &form->text[text];
    int first = pattern->result[0];
    return first >= 0 && form->operand[first].role == PTO_ROLE_INOUT ? first : -1;
}

static bool item_fits(const pto_operand_desc *desc, const pto_ssa_item *item) {
    if (item->kind != PTO_SSA_NAME)
        return desc->role == PTO_ROLE_SCALAR;
    return pto_ssa_fits(desc, item->value ? item->value->type : NULL);
}

static uint32_t optional_count(const pto_text_pattern *pattern, uint32_t from) {
    uint32_t n = 0;
    for (uint32_t i = from; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++)
        n += pattern->optional_mask >> i & 1;
    return n;
}

bool pto_ssa_assign(const pto_form_desc *form, const pto_text_pattern *pattern, const pto_ssa_item *items,
                    uint32_t count, int8_t slot[PTO_MAX_OPERANDS], uint32_t *misfits) {
    uint32_t slots = pto_ssa_count(pattern->operand, PTO_MAX_OPERANDS);
    uint32_t optional = optional_count(pattern, 0);
    if (count > slots || count + optional < slots)
        return false;
    uint32_t omit = slots - count, next = 0;
    *misfits = 0;
    for (uint32_t i = 0; i < slots; i++) {
        const pto_operand_desc *desc = &form->operand[pattern->operand[i]];
        bool may_omit = (pattern->optional_mask >> i & 1) && omit > 0;
        if (may_omit &&
            (optional_count(pattern, i) == omit || next == count || !item_fits(desc, &items[next]))) {
            slot[i] = -1;
            omit--;
            continue;
        }
        slot[i] = (int8_t)next;
        *misfits += !item_fits(desc, &items[next]);
        next++;
    }
    return true;
}

uint32_t pto_ssa_assign_old(const pto_form_desc *form, pto_text_form text, const pto_ssa_item *items,
                            uint32_t count, int8_t slot[PTO_MAX_OPERANDS], uint32_t *misfits) {
    const pto_text_pattern *pattern = &form->text[text];
    if (!pto_ssa_assign(form, pattern, items, count, slot, misfits))
        *misfits = UINT32_MAX;
    int8_t other_slot[PTO_MAX_OPERANDS];
    uint32_t other;
    if (*misfits == 0 || count == 0 || pto_ssa_read_modify_write(form, text) < 0 ||
        !pto_ssa_assign(form, pattern, items, count - 1, other_slot, &other) || other >= *misfits)
        return 0;
    memcpy(slot, other_slot, sizeof other_slot);
    *misfits = other;
    return 1;
}

/* `src[r, c]` where the form has no indexed operand: the indices are operands of their own. */
static uint32_t flat_count(const pto_ssa_statement *s, const pto_text_pattern *pattern, uint32_t from) {
    uint32_t n = 0;
    for (size_t i = from; i < s->item.count; i++)
        n += 1 + (pattern->indexed < 0 ? s->item.data[i].index_count : 0);
    return n;
}

static bool has_key(const pto_form_desc *form, pto_str key) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].role == PTO_ROLE_ATTR &&
            pto_str_equal(key, pto_str_from(form->operand[i].attr_key)))
            return true;
    return false;
}

/* How badly the statement fits a form; UINT32_MAX when it does not fit. */
static uint32_t misfit(const pto_ssa_statement *s, const pto_form_desc *form) {
    const pto_text_pattern *pattern = &form->text[s->text];
    uint32_t results = pto_ssa_count(pattern->result, PTO_MAX_RESULTS);
    uint32_t from = 0;
    if (s->results.count == 0 && results > 0) {
        from = results; /* destination first (60, 1.5) */
        if (s->item.count < from)
            return UINT32_MAX;
    } else if (s->results.count != results) {
        return UINT32_MAX;
    }
    uint32_t count = flat_count(s, pattern, from);
    if (count > 32)
        return UINT32_MAX;
    pto_ssa_item items[32] = {0};
    uint32_t n = 0;
    for (size_t i = from; i < s->item.count; i++) {
        const pto_ssa_item *item = &s->item.data[i];
        items[n++] = *item;
        for (uint32_t k = 0; pattern->indexed < 0 && k < item->index_count; k++)
            items[n++] = item->index[k];
    }
    int8_t slot[PTO_MAX_OPERANDS];
    uint32_t misfits = 0;
    pto_ssa_assign_old(form, s->text, items, count, slot, &misfits);
    if (misfits == UINT32_MAX)
        return UINT32_MAX;
    uint32_t badness = misfits * 1000;
    /* forms of the same operands differ in what they make */
    for (uint32_t k = 0; k < results; k++) {
        const pto_operand_desc *desc = &form->operand[pattern->result[k]];
        const pto_type *made = pto_ssa_written_result(s, k, results);
        if (from && s->item.data[k].value) /* the name has a type already */
            made = s->item.data[k].value->type;
        if (made && pto_type_is_tile(made) && !made->open)
            badness += 1000u * !pto_operand_takes_tile(desc, &made->tile);
        else
            badness += desc->conv == PTO_CONV_YES; /* without a type: an ordinary tile */
    }
    /* forms of the same kinds differ in the memory of the source */
    const pto_type *source = count > 0 && items[0].value ? items[0].value->type : NULL;
    if (source && pto_type_is_tile(source) && !source->open && !pto_form_takes(form, (int)source->tile.loc))
        badness += 500;
    for (uint32_t i = 0; i < s->op->attr_count; i++)
        if (!has_key(form, s->op->attr[i].name))
            badness += 100;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *desc = &form->operand[i];
        if (desc->role == PTO_ROLE_ATTR && !pto_operation_attr(s->op, desc->attr_key))
            badness++;
    }
    return badness;
}

/* "2", "2 or 3" operands of the forms of an opcode. */
static void wanted(const pto_ssa_statement *s, int first, bool of_results, char *text, size_t size) {
    uint32_t set = 0;
    for (int f = first; f >= 0; f = pto_form_next_opcode(s->text, f)) {
        const pto_text_pattern *pattern = &pto_form_get((pto_form)f)->text[s->text];
        uint32_t most = of_results ? pto_ssa_count(pattern->result, PTO_MAX_RESULTS)
                                   : pto_ssa_count(pattern->operand, PTO_MAX_OPERANDS);
        uint32_t least = of_results ? most : most - optional_count(pattern, 0);
        for (uint32_t n = least; n <= most && n < 32; n++)
            set |= UINT32_C(1) << n;
    }
    text[0] = '\0';
    for (uint32_t n = 0; n < 32; n++) {
        if (!(set >> n & 1))
            continue;
        set &= ~(UINT32_C(1) << n);
        size_t len = strlen(text);
        const char number[3] = {(char)(n < 10 ? '0' + n : '0' + n / 10), (char)(n < 10 ? '\0' : '0' + n % 10),
                                '\0'};
        const char *joint = len == 0 ? "" : set ? ", " : " or ";
        if (len + strlen(joint) + strlen(number) + 1 > size)
            return;
        strcat(text, joint);
        strcat(text, number);
    }
}

int pto_ssa_choose_form(pto_text_parser *p, const pto_ssa_statement *s) {
    int first = (int)s->op->form, best = -1;
    uint32_t least = UINT32_MAX;
    bool results_fit = false;
    for (int f = first; f >= 0; f = pto_form_next_opcode(s->text, f)) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        uint32_t badness = misfit(s, form);
        uint32_t results = pto_ssa_count(form->text[s->text].result, PTO_MAX_RESULTS);
        results_fit = results_fit || s->results.count == results || s->results.count == 0;
        if (badness < least) {
            least = badness;
            best = f;
        }
    }
    if (best >= 0)
        return best;
    char counts[64];
    wanted(s, first, !results_fit, counts, sizeof counts);
    const char *what = results_fit ? "operand" : "result";
    size_t found = results_fit ? s->item.count : s->results.count;
    pto_text_error(p, "PTO-E0213", pto_text_span(s->opcode), "%.*s has %s %s%s, found %zu",
                   PTO_STR_ARG(s->opcode.text), counts, what, strcmp(counts, "1") ? "s" : "", found);
    return -1;
}
