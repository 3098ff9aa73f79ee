/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles, views and modules of a program: who owns the storage, what is known of a view. */
#include "program/facts.h"
#include <pto/ops.h>

#include <string.h>

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_out(const pto_operand_desc *desc) {
    return desc->role == PTO_ROLE_OUT || desc->role == PTO_ROLE_INOUT;
}

int pto_instr_result(const pto_operation *op, int position) {
    const pto_form_desc *form = pto_form_get(op->form);
    if (!is_out(&form->operand[position]) || form->operand[position].is_global)
        return -1;
    int k = 0;
    for (int i = 0; i < position; i++) {
        bool given = (uint32_t)i < op->operand_count && op->operand[i];
        if (is_out(&form->operand[i]) && !form->operand[i].is_global && !given)
            k++;
    }
    bool given = (uint32_t)position < op->operand_count && op->operand[position];
    return !given && (uint32_t)k < op->result_count ? k : -1;
}

pto_span pto_instr_span(const pto_operation *op, int position) {
    if (position < 0)
        return op->name_span;
    if ((uint32_t)position < op->operand_count && op->operand[position])
        return op->operand_span ? op->operand_span[position] : op->span;
    int result = pto_instr_result(op, position);
    return result >= 0 && op->result[result] ? op->result[result]->span : op->span;
}

const pto_value *pto_instr_value(const pto_operation *op, int position) {
    if ((uint32_t)position < op->operand_count && op->operand[position])
        return op->operand[position];
    int result = pto_instr_result(op, position);
    return result >= 0 ? op->result[result] : NULL;
}

const pto_value *pto_instr_old_value(const pto_operation *op) {
    if (op->kind != PTO_OPK_INSTR || op->result_count == 0 || pto_instr_result(op, 0) != 0)
        return NULL;
    const pto_form_desc *form = pto_form_get(op->form);
    if (form->operand[0].role == PTO_ROLE_INOUT)
        return op->acc;
    int c_in = pto_form_operand_index(form, "cIn");
    return c_in >= 0 && (uint32_t)c_in < op->operand_count ? op->operand[c_in] : NULL;
}

bool pto_instr_is_scratch(const pto_operation *op, int position) {
    return pto_form_get(op->form)->operand[position].role == PTO_ROLE_TMP &&
           ((uint32_t)position >= op->operand_count || !op->operand[position]);
}

static void swallow(void *user, const pto_refusal *refusal) {
    (void)user;
    (void)refusal;
}

bool pto_fact_scratch_type(pto_legality *legality, int position, pto_tile_type *type) {
    /* the shapes of the other tiles first, then flat rows of growing size; words and bytes for masks */
    static const pto_dtype others[] = {PTO_DTYPE_NONE, PTO_U32, PTO_U8};
    pto_tile_type candidate[PTO_MAX_OPERANDS + 24];
    int count = 0;
    const pto_form_desc *form = legality->form;
    pto_dtype dtype = PTO_DTYPE_NONE;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < form->operand_count; i++) {
            const pto_legality_operand *other = &legality->operand[i];
            bool source = form->operand[i].role == PTO_ROLE_IN;
            if (i == position || other->kind != PTO_OPERAND_TILE || source != (pass == 0))
                continue;
            if (dtype == PTO_DTYPE_NONE)
                dtype = other->type.dtype;
            if (other->type.conv)
                continue;
            candidate[count] = other->type;
            candidate[count].valid_rows = other->type.rows;
            candidate[count].valid_cols = other->type.cols;
            count++;
        }
    }
    if (dtype == PTO_DTYPE_NONE)
        return false;
    if (form->operand[position].fixed_dtype != PTO_DTYPE_NONE)
        dtype = form->operand[position].fixed_dtype;
    bool fixed = form->operand[position].fixed_dtype != PTO_DTYPE_NONE;
    for (size_t k = 0; k < (fixed ? 1 : sizeof others / sizeof *others); k++)
        for (int32_t cols = 64; cols <= 65536; cols *= 4)
            candidate[count++] = pto_tile_type_make(PTO_LOC_VEC, k ? others[k] : dtype, 1, cols);
    if (!fixed && count && candidate[0].rows < INT32_MAX &&
        candidate[0].cols < INT32_MAX - 32) /* a row more, of bytes */
        candidate[count++] = pto_tile_type_make(PTO_LOC_VEC, PTO_U8, candidate[0].rows + 1,
                                                (candidate[0].cols + 31) / 32 * 32);
    pto_legality trial = *legality;
    trial.report = swallow;
    trial.explicit_tmp = true;
    for (int i = 0; i < count; i++) {
        trial.failed = false;
        trial.operand[position] = (pto_legality_operand){.kind = PTO_OPERAND_TILE,
                                                         .type = candidate[i],
                                                         .valid_rows = candidate[i].rows,
                                                         .valid_cols = candidate[i].cols};
        if (pto_legality_check(&trial)) {
            *type = candidate[i];
            return true;
        }
    }
    *type = candidate[0];
    return false;
}

/* ---- tiles ------------------------------------------------------------------------------------- */

const pto_value *pto_fact_tile_root(const pto_value *tile) {
    for (int depth = 0; tile && tile->def && depth < 4096; depth++) {
        const pto_operation *op = tile->def;
        const pto_value *next = NULL;
        if (op->kind == PTO_OPK_BITCAST && op->operand_count > 0)
            next = op->operand[0];
        else if (op->kind == PTO_OPK_INSTR &&
                 (op->form == PTO_FORM_TRESHAPE || op->form == PTO_FORM_TALIAS) && op->operand_count > 1)
            next = op->operand[1];
        else if (op->kind == PTO_OPK_INSTR)
            next = pto_instr_old_value(op);
        if (!next)
            return tile;
        tile = next;
    }
    return tile;
}

pto_tile_type pto_fact_handle_type(const pto_value *tile) {
    pto_tile_type type = tile->type->tile;
    const bool row_major = type.blayout == PTO_ROW_MAJOR;
    /* a source has no fewer rows and columns, so all up to the outermost one share its pitch */
    if (type.slayout != PTO_NONE_BOX || (row_major ? type.rows : type.cols) <= 1)
        return type;
    const pto_value *source = tile;
    while (source->def && (source->def->kind == PTO_OPK_SUBSET || source->def->kind == PTO_OPK_BITCAST) &&
           source->def->operand_count > 0 && pto_type_is_tile(source->def->operand[0]->type))
        source = source->def->operand[0];
    if (row_major)
        type.cols = source->type->tile.cols;
    else
        type.rows = source->type->tile.rows;
    return type;
}

bool pto_fact_tile_addr(const pto_value *tile, uint64_t *addr) {
    const pto_value *root = pto_fact_tile_root(tile);
    const pto_operation *op = root ? root->def : NULL;
    const pto_value *value = NULL;
    if (!op)
        return false;
    if (op->kind == PTO_OPK_ALLOC_TILE) {
        uint32_t first, count = pto_fact_segment(op, 0, &first);
        value = count ? op->operand[first] : NULL;
    } else if (op->kind == PTO_OPK_INSTR && op->form == PTO_FORM_TASSIGN && op->operand_count > 1) {
        value = op->operand[1];
    }
    int64_t number;
    if (!value || !pto_fact_int(value, &number))
        return false;
    *addr = (uint64_t)number;
    return true;
}

uint32_t pto_fact_segment(const pto_operation *op, uint32_t index, uint32_t *first) {
    *first = 0;
    if (index >= op->segment_count)
        return 0;
    for (uint32_t i = 0; i < index; i++)
        *first += op->segment[i];
    uint32_t count = op->segment[index];
    if (*first > op->operand_count || count > op->operand_count - *first)
        return 0;
    return count;
}

/* ---- views ------------------------------------------------------------------------------------- */

static int64_t dense_step(int64_t dim, int64_t stride) {
    if (dim < 0 || stride < 0)
        return PTO_UNKNOWN;
    int64_t product;
    return __builtin_mul_overflow(dim, stride, &product) ? PTO_UNKNOWN : product;
}

/* Pads on the left to five dimensions (60, 4.5). `shape` and `stride` hold the last `rank` entries. */
static void pad_left(int rank, int64_t shape[5], int64_t stride[5]) {
    for (int d = 4 - rank; d >= 0; d--) {
        shape[d] = 1;
        stride[d] = d == 4 ? 1 : dense_step(shape[d + 1], stride[d + 1]);
    }
}

pto_layout pto_fact_infer_layout(pto_dtype dtype, const int64_t shape[5], const int64_t stride[5],
                                 bool *ambiguous) {
    *ambiguous = false;
    int64_t bits = pto_dtype_bits(dtype);
    for (int d = 0; d < 5; d++)
        if (shape[d] < 0 || stride[d] < 0)
            return PTO_LAYOUT_ND;
    if (shape[2] == 16 && shape[3] <= 512 && shape[2] * shape[3] * bits / 8 == 512 && stride[4] == 1 &&
        stride[3] == shape[4])
        return PTO_LAYOUT_NZ;
    int64_t rows = shape[3], cols = shape[4], rs = stride[3], cs = stride[4];
    bool nd = (cols == 1 || cs == 1) && (rows == 1 || (cols == 1 ? rs == 1 : rs == cols));
    bool dn = (rows == 1 || rs == 1) && (cols == 1 || (rows == 1 ? cs == 1 : cs == rows));
    *ambiguous = nd && dn;
    if (nd && dn)
        return cols == 1 && rows != 1 ? PTO_LAYOUT_DN : PTO_LAYOUT_ND;
    return dn ? PTO_LAYOUT_DN : PTO_LAYOUT_ND;
}

static bool given_layout(const pto_operation *op, pto_layout *layout) {
    const pto_attr *attr = pto_operation_attr(op, "layout");
    const pto_enum_desc *names = attr ? pto_enum_find(PTO_STR("layout")) : NULL;
    for (uint32_t i = 0; attr && i < names->count; i++)
        if (attr->kind == PTO_AV_INT
                ? attr->i == names->values[i].number
                : pto_str_equal_ignore_case(attr->text, pto_str_from(names->values[i].name))) {
            *layout = (pto_layout)names->values[i].number;
            return true;
        }
    return false;
}

static int64_t known(const pto_value *value) {
    int64_t number;
    return pto_fact_int(value, &number) && number >= 0 ? number : PTO_UNKNOWN;
}

static void facts_of_type(const pto_type *type, pto_view_facts *facts) {
    int rank = type->rank > 5 ? 5 : type->rank;
    facts->rank = rank;
    for (int i = 0; i < rank; i++) {
        facts->shape[5 - rank + i] = type->dim[i] >= 0 ? type->dim[i] : PTO_UNKNOWN;
        facts->stride[5 - rank + i] = PTO_UNKNOWN;
    }
    facts->column = rank > 0 && type->dim[rank - 1] == 1;
}

bool pto_fact_view(const pto_value *view, pto_view_facts *facts) {
    *facts = (pto_view_facts){0};
    if (!view || !view->type)
        return false;
    const pto_type *type = view->type;
    if (type->kind != PTO_TYPE_TENSOR_VIEW && type->kind != PTO_TYPE_PARTITION_VIEW &&
        type->kind != PTO_TYPE_MEMREF)
        return false;
    facts->dtype = type->dtype;
    facts_of_type(type, facts);
    const pto_operation *op = view->def;
    if (op && op->kind == PTO_OPK_PARTITION_VIEW && op->operand_count > 0) {
        pto_view_facts source;
        uint32_t first, count = pto_fact_segment(op, 2, &first);
        if (!pto_fact_view(op->operand[0], &source) || count == 0 || count > 5)
            return true;
        int64_t type_shape[5];
        memcpy(type_shape, facts->shape, sizeof type_shape);
        int type_rank = facts->rank;
        *facts = source;
        facts->rank = type_rank;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t d = 5 - count + i;
            facts->shape[d] = known(op->operand[first + i]);
            if (facts->shape[d] < 0 && type_rank == (int)count)
                facts->shape[d] = type_shape[d];
        }
        return true;
    }
    if (op && op->kind == PTO_OPK_MAKE_TENSOR_VIEW) {
        uint32_t s, t, dims = pto_fact_segment(op, 1, &s), strides = pto_fact_segment(op, 2, &t);
        if (dims == 0 || dims > 5 || strides != dims)
            return true;
        facts->root = op;
        for (uint32_t i = 0; i < dims; i++) {
            uint32_t d = 5 - dims + i;
            facts->shape[d] = known(op->operand[s + i]);
            facts->stride[d] = known(op->operand[t + i]);
        }
        facts->rank = (int)dims;
        facts->column = facts->shape[4] == 1;
        pad_left((int)dims, facts->shape, facts->stride);
        facts->layout =
            pto_fact_infer_layout(facts->dtype, facts->shape, facts->stride, &facts->layout_ambiguous);
        facts->layout_given = given_layout(op, &facts->layout);
        return true;
    }
    if (type->kind == PTO_TYPE_MEMREF) {
        for (int d = 4; d > 4 - facts->rank; d--)
            facts->stride[d] = d == 4 ? 1 : dense_step(facts->shape[d + 1], facts->stride[d + 1]);
        pad_left(facts->rank, facts->shape, facts->stride);
        facts->layout =
            pto_fact_infer_layout(facts->dtype, facts->shape, facts->stride, &facts->layout_ambiguous);
        return true;
    }
    /* a view that comes from a block argument or a call: its shape is what the type says */
    for (int d = 0; d < 5 - facts->rank; d++) {
        facts->shape[d] = 1;
        facts->stride[d] = PTO_UNKNOWN;
    }
    return true;
}

pto_layout pto_fact_layout_for(const pto_view_facts *facts, const pto_tile_type *tile) {
    if (tile->conv)
        return facts->layout_given ? facts->layout : tile->conv->layout;
    if (facts->layout_given || !facts->layout_ambiguous || !facts->column || tile->loc != PTO_LOC_VEC ||
        tile->slayout != PTO_NONE_BOX)
        return facts->layout;
    return tile->blayout == PTO_ROW_MAJOR ? PTO_LAYOUT_ND : PTO_LAYOUT_DN;
}

/* ---- modules ----------------------------------------------------------------------------------- */

pto_operation *pto_fact_callee(const pto_program *program, const pto_operation *call) {
    pto_str name = pto_fact_symbol(call, "callee");
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        if (name.len && pto_str_equal(pto_function_name(f), name))
            return f;
    return NULL;
}

void pto_fact_walk(const pto_operation *op, void (*visit)(void *user, const pto_operation *op), void *user) {
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const pto_block *block = op->region[r] ? op->region[r]->first : NULL; block; block = block->next)
            for (const pto_operation *inner = block->first; inner; inner = inner->next) {
                visit(user, inner);
                if (inner->region_count)
                    pto_fact_walk(inner, visit, user);
            }
}

static void find_address(void *user, const pto_operation *op) {
    uint32_t first;
    if (op->kind == PTO_OPK_ALLOC_TILE && pto_fact_segment(op, 0, &first) > 0)
        *(bool *)user = true;
}

bool pto_fact_has_addresses(const pto_program *program) {
    bool found = false;
    if (program->module)
        pto_fact_walk(program->module, find_address, &found);
    return found;
}

pto_target pto_fact_target(const pto_program *program, bool has_target, pto_target target) {
    if (has_target)
        return target;
    return pto_program_target(program, &target) ? target : PTO_TARGET_CPU;
}
