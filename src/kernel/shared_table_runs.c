/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/table_runs.h"

#include "isa/isa.h"
#include "kernel/gather_index.h"

#include <stdlib.h>

static int64_t attribute(const pto_instr *instr, const pto_form_desc *form, int i) {
    return instr->operand[i].kind == PTO_OPERAND_SCALAR ? instr->operand[i].scalar.i
                                                        : form->operand[i].attr_default;
}

/* What the attributes of the row say of the table. */
static void modes_of(const pto_instr *instr, const pto_form_desc *form, bool *by_row, pto_table_oob *oob) {
    static const pto_table_oob gather[] = {PTO_TABLE_ERROR, PTO_TABLE_CLAMP, PTO_TABLE_WRAP, PTO_TABLE_DROP},
                               scatter[] = {PTO_TABLE_ERROR, PTO_TABLE_DROP, PTO_TABLE_CLAMP, PTO_TABLE_WRAP};
    for (int i = 0; i < form->operand_count; i++) {
        const pto_attr_kind attr = form->operand[i].attr;
        if (attr == PTO_ATTR_COALESCE)
            *by_row = attribute(instr, form, i) == PTO_COALESCE_ROW;
        else if (attr == PTO_ATTR_GATHER_OOB)
            *oob = gather[attribute(instr, form, i) & 3];
        else if (attr == PTO_ATTR_SCATTER_OOB)
            *oob = scatter[attribute(instr, form, i) & 3];
    }
}

/* The index tensor of a gather by row is read as a line, whatever its shape. */
static bool line_inside(const pto_global *from, int64_t count) {
    return !from->end || count <= ((const uint8_t *)from->end - (const uint8_t *)from->data) * 8 /
                                      (int64_t)pto_dtype_bits(from->dtype);
}

bool pto_table_runs_make(pto_table_runs *runs, const pto_instr *instr, int operand) {
    const pto_form_desc *form = pto_form_get(instr->form);
    const int index = pto_form_operand_index(form, "idx");
    if (index < 0 || operand != pto_form_operand_index(form, "table"))
        return false;
    const int data_at = operand ? 0 : 1; /* dst of a gather, src of a scatter */
    const pto_operand *numbers = &instr->operand[index];
    const pto_global *global = instr->operand[operand].global;
    const pto_tile *data = instr->operand[data_at].tile;
    bool by_row = true;
    pto_table_oob oob = PTO_TABLE_ERROR;
    modes_of(instr, form, &by_row, &oob);
    pto_table table = pto_table_make(global, numbers->kind == PTO_OPERAND_TILE ? numbers->tile : NULL, by_row,
                                     oob, data->valid_cols);
    if (numbers->kind == PTO_OPERAND_GLOBAL) {
        table.from = numbers->global;
        if (by_row && !line_inside(table.from, data->valid_rows))
            return false;
    }
    const int64_t width = by_row ? data->valid_cols : 1;
    const bool whole = by_row && !table.nz && global->stride[4] == 1;
    const int64_t parts = whole ? 1 : width;
    const int32_t lines = by_row ? 1 : data->valid_rows,
                  length = by_row ? data->valid_rows : data->valid_cols;
    *runs = (pto_table_runs){.length = whole ? width : 1};
    runs->at = malloc(((size_t)lines * (size_t)length * (size_t)parts + 1) * sizeof *runs->at);
    if (!runs->at)
        return false;
    for (int32_t r = 0; r < lines; r++)
        for (int32_t k = 0; k < length; k++) {
            uint32_t number;
            int64_t place;
            pto_table_load(&table, by_row ? k : r, by_row ? 0 : k, 1, &number);
            pto_table_resolve(&table, &number, 1, &place);
            if (place < 0 || (table.bounded && (!pto_table_inside(&table, place, 0) ||
                                                !pto_table_inside(&table, place, width - 1))))
                continue;
            for (int64_t j = 0; j < parts; j++)
                runs->at[runs->count++] = pto_table_offset(&table, place, j);
        }
    return true;
}
