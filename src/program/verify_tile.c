/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of pointers, views and tiles (60, 3.10.1). */
#include "program/verify.h"

#include <stdio.h>
#include <string.h>

static bool kind_is(pto_verifier *v, const pto_operation *op, uint32_t i, bool ok, const char *allowed) {
    char words[PTO_TYPE_WORDS];
    if (!ok)
        pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, i), NULL, allowed, "%s",
                          pto_type_words(op->operand[i]->type, words));
    return ok;
}

static bool result_is(pto_verifier *v, const pto_operation *op, bool ok, const char *allowed) {
    char words[PTO_TYPE_WORDS];
    if (!ok)
        pto_verify_refuse(v, "PTO-E0406", op, pto_verify_result_span(op, 0), NULL, allowed, "%s",
                          pto_type_words(op->result[0]->type, words));
    return ok;
}

static bool is_index(pto_verifier *v, const pto_operation *op, uint32_t i) {
    return kind_is(v, op, i, pto_type_int_width(op->operand[i]->type) != 0, "an index");
}

static bool is_view(const pto_type *type) {
    return type->kind == PTO_TYPE_TENSOR_VIEW || type->kind == PTO_TYPE_PARTITION_VIEW ||
           type->kind == PTO_TYPE_MEMREF;
}

typedef struct tile_report {
    pto_verifier *v;
    const pto_operation *op;
    pto_span span;
    const char *name;
} tile_report;

static void report_tile(void *user, const pto_refusal *refusal) {
    tile_report *report = user;
    pto_verify_refuse(report->v, refusal->rule, report->op, report->span, report->name, refusal->allowed,
                      "%s", refusal->found);
}

bool pto_verify_tile_type(pto_verifier *v, const pto_operation *op, pto_span span, const char *name,
                          const pto_type *type) {
    if (type->open) {
        pto_verify_refuse(v, "PTO-E0403", op, span, name, "a tile type with its parameters", "<...>");
        return false;
    }
    if (v->ptoas == PTO_PTOAS_ONLY)
        return true;
    tile_report report = {v, op, span, name};
    pto_legality legality = {.target = v->target, .report = report_tile, .user = &report};
    return pto_legality_check_tile_type(&legality, &type->tile, -1);
}

/* ---- pointers ---------------------------------------------------------------------------------- */

static void addptr(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 2, 1))
        return;
    kind_is(v, op, 0, op->operand[0]->type->kind == PTO_TYPE_PTR, "a pointer");
    is_index(v, op, 1);
    result_is(v, op, op->result[0]->type == op->operand[0]->type, "the type of the pointer");
}

static void load_scalar(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 2, 1))
        return;
    const pto_type *type = op->operand[0]->type;
    if (kind_is(v, op, 0, type->kind == PTO_TYPE_PTR, "a pointer"))
        result_is(v, op, op->result[0]->type == type->element, "the pointer's element type");
    is_index(v, op, 1);
}

static void store_scalar(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 3, 0))
        return;
    const pto_type *type = op->operand[0]->type;
    if (kind_is(v, op, 0, type->kind == PTO_TYPE_PTR, "a pointer"))
        pto_verify_same_type(v, op, 2, type->element);
    is_index(v, op, 1);
}

/* ---- views ------------------------------------------------------------------------------------- */

static const char *layout_name(pto_layout layout) {
    static const char *const names[] = {"nd", "dn", "nz"};
    return (unsigned)layout < 3 ? names[layout] : "?";
}

static void check_layout(pto_verifier *v, const pto_operation *op) {
    pto_view_facts facts;
    if (!pto_operation_attr(op, "layout") || !pto_fact_view(op->result[0], &facts))
        return;
    if (!facts.layout_given) {
        pto_verify_refuse(v, "PTO-E0426", op, op->span, "layout",
                          "nd, dn, nz, mx_a_nd, mx_a_dn, mx_a_zz, mx_b_nd, mx_b_dn, mx_b_nn",
                          "an unknown layout");
        return;
    }
    if (facts.layout > PTO_LAYOUT_NZ)
        return; /* what the dimensions mean, strides do not tell */
    for (int d = 0; d < 5; d++)
        if (facts.shape[d] < 0 || facts.stride[d] < 0)
            return; /* the user's word stands */
    bool ambiguous;
    pto_layout inferred = pto_fact_infer_layout(facts.dtype, facts.shape, facts.stride, &ambiguous);
    bool either = ambiguous && facts.layout != PTO_LAYOUT_NZ;
    if (inferred != facts.layout && !either)
        pto_verify_refuse(v, "PTO-E0418", op, op->span, "layout", layout_name(inferred), "%s",
                          layout_name(facts.layout));
}

static void make_tensor_view(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, 1))
        return;
    const pto_type *type = op->result[0]->type;
    if (!result_is(v, op, type->kind == PTO_TYPE_TENSOR_VIEW || type->kind == PTO_TYPE_MEMREF,
                   "a tensor view"))
        return;
    uint32_t s, t, dims = pto_fact_segment(op, 1, &s), strides = pto_fact_segment(op, 2, &t);
    if (op->operand_count < 1 || dims != type->rank || strides != type->rank || dims < 1 || dims > 5 ||
        op->operand_count != 1 + dims + strides) {
        pto_verify_refuse(v, "PTO-E0410", op, op->name_span, NULL,
                          "as many as the view has dimensions, 1 to 5",
                          "%u shape and %u stride operands for %u dimensions", dims, strides, type->rank);
        return;
    }
    const pto_type *pointer = op->operand[0]->type;
    if (kind_is(v, op, 0, pointer->kind == PTO_TYPE_PTR, "a pointer"))
        kind_is(v, op, 0, pto_type_dtype(pointer->element) == pto_type_dtype(type->element),
                "a pointer to the view's element type");
    for (uint32_t i = 1; i < op->operand_count; i++)
        is_index(v, op, i);
    for (uint32_t i = 0; i < dims; i++) {
        int64_t dim;
        if (!pto_fact_int(op->operand[s + i], &dim))
            continue;
        if (dim < 0)
            pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, s + i), NULL, "0 or more",
                              "%lld", (long long)dim);
        else if (type->dim[i] >= 0 && dim != type->dim[i])
            pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, s + i), NULL,
                              "the dimension of the view's type", "%lld where the type says %lld",
                              (long long)dim, (long long)type->dim[i]);
    }
    check_layout(v, op);
}

static void partition_view(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, 1) || op->operand_count < 1)
        return;
    const pto_type *source = op->operand[0]->type, *type = op->result[0]->type;
    if (!kind_is(v, op, 0, is_view(source), "a view") ||
        !result_is(v, op, type->kind == PTO_TYPE_PARTITION_VIEW, "a partition view") ||
        !result_is(v, op, pto_type_dtype(type->element) == pto_type_dtype(source->element),
                   "the element type of the source"))
        return;
    uint32_t o, s, offsets = pto_fact_segment(op, 1, &o), sizes = pto_fact_segment(op, 2, &s);
    if (offsets != source->rank || sizes != source->rank || op->operand_count != 1 + offsets + sizes) {
        pto_verify_refuse(v, "PTO-E0410", op, op->name_span, NULL, "as many as the source has dimensions",
                          "%u offsets and %u sizes for %u dimensions", offsets, sizes, source->rank);
        return;
    }
    pto_view_facts facts;
    pto_fact_view(op->operand[0], &facts);
    for (uint32_t i = 0; i < sizes; i++) {
        int64_t offset = 0, size = 0, dim = facts.shape[5 - sizes + i];
        bool offset_known = pto_fact_int(op->operand[o + i], &offset);
        bool size_known = pto_fact_int(op->operand[s + i], &size);
        is_index(v, op, o + i);
        is_index(v, op, s + i);
        char allowed[64];
        if (offset_known && offset < 0)
            pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, o + i), NULL,
                              "an offset of 0 or more", "%lld", (long long)offset);
        else if (size_known && size <= 0)
            pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, s + i), NULL, "a size above 0",
                              "%lld", (long long)size);
        else if (size_known && dim >= 0 && (size > dim || (offset_known && offset > dim - size))) {
            snprintf(allowed, sizeof allowed, "up to %lld", (long long)dim);
            pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, s + i), NULL, allowed,
                              "elements %lld to %lld of dimension %u", (long long)offset,
                              (long long)(offset_known ? offset + size - 1 : size - 1), i);
        } else if (size_known && type->rank == source->rank && type->dim[i] >= 0 && size != type->dim[i])
            pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, s + i), NULL,
                              "the dimension of the result's type", "%lld where the type says %lld",
                              (long long)size, (long long)type->dim[i]);
    }
}

static void get_dim(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 2, 1))
        return;
    bool view = kind_is(v, op, 0, is_view(op->operand[0]->type), "a view");
    is_index(v, op, 1);
    result_is(v, op, op->result[0]->type->kind == PTO_TYPE_INDEX, "index");
    int64_t dim;
    if (view && pto_fact_int(op->operand[1], &dim) && (dim < 0 || dim >= op->operand[0]->type->rank))
        pto_verify_refuse(v, "PTO-E0411", op, pto_verify_operand_span(op, 1), NULL, "a dimension of the view",
                          "%lld of %u", (long long)dim, op->operand[0]->type->rank);
}

/* ---- tiles ------------------------------------------------------------------------------------- */

static void check_address(pto_verifier *v, const pto_operation *op, uint32_t operand,
                          const pto_tile_type *type) {
    int64_t addr;
    if (!pto_fact_int(op->operand[operand], &addr))
        return;
    pto_span span = pto_verify_operand_span(op, operand);
    uint64_t bytes = pto_tile_type_bytes(type), capacity = pto_loc_capacity(v->target, type->loc);
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%llu bytes of %s", (unsigned long long)capacity,
             pto_loc_name(type->loc));
    if (addr < 0 || (uint64_t)addr > capacity || bytes > capacity - (uint64_t)addr)
        pto_verify_refuse(v, "SA-0353", op, span, "addr", allowed, "bytes %lld to %lld", (long long)addr,
                          (long long)addr + (long long)bytes - 1);
    else if (addr % 32)
        pto_verify_refuse(v, "SA-0354", op, span, "addr", "a multiple of 32", "%lld", (long long)addr);
}

static bool check_valid_operand(pto_verifier *v, const pto_operation *op, uint32_t segment, int32_t of_type,
                                int32_t capacity, const char *name) {
    uint32_t first, count = pto_fact_segment(op, segment, &first);
    if ((of_type < 0) != (count > 0)) {
        pto_verify_refuse(v, "PTO-E0409", op, count ? pto_verify_operand_span(op, first) : op->span, name,
                          "given exactly when the type's extent is ?", "%s for an extent that is %s",
                          count ? "an operand" : "no operand", of_type < 0 ? "?" : "static");
        return false;
    }
    int64_t number;
    if (count && is_index(v, op, first) && pto_fact_int(op->operand[first], &number) &&
        (number < 0 || number > capacity)) {
        char allowed[32];
        snprintf(allowed, sizeof allowed, "0 to %d", capacity);
        pto_verify_refuse(v, "PTO-E0310", op, pto_verify_operand_span(op, first), name, allowed, "%lld",
                          (long long)number);
    }
    return true;
}

static void alloc_tile(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, 1))
        return;
    const pto_type *type = op->result[0]->type;
    if (!result_is(v, op, pto_type_is_tile(type), "a tile") ||
        !pto_verify_tile_type(v, op, pto_verify_result_span(op, 0), NULL, type))
        return;
    uint32_t first, addr = pto_fact_segment(op, 0, &first);
    if (v->has_addresses && !addr)
        pto_verify_refuse(v, "PTO-E0415", op, op->span, "addr", "an address on every alloc_tile, or on none",
                          "an alloc_tile without one");
    if (addr) {
        kind_is(v, op, first, pto_type_int_width(op->operand[first]->type) == 64, "i64");
        check_address(v, op, first, &type->tile);
    }
    /* one mistake often breaks both: said once */
    if (check_valid_operand(v, op, 1, type->tile.valid_rows, type->tile.rows, "valid_row"))
        check_valid_operand(v, op, 2, type->tile.valid_cols, type->tile.cols, "valid_col");
}

static int64_t dense_item(const pto_attr *attr, uint32_t i) {
    if (!attr || i >= attr->count)
        return -1;
    if (attr->kind == PTO_AV_DENSE && attr->dense)
        return attr->dense[i];
    if (attr->kind == PTO_AV_ARRAY && attr->items && attr->items[i]->kind == PTO_AV_INT)
        return attr->items[i]->i;
    return -1;
}

static void subset(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 3, 1))
        return;
    const pto_type *source = op->operand[0]->type, *type = op->result[0]->type;
    if (!kind_is(v, op, 0, pto_type_is_tile(source) && !source->open, "a tile") ||
        !result_is(v, op, pto_type_is_tile(type) && !type->open, "a tile"))
        return;
    const pto_attr *sizes = pto_operation_attr(op, "sizes");
    const pto_tile_type *from = &source->tile;
    int64_t size[2] = {dense_item(sizes, 0), dense_item(sizes, 1)}, extent[2] = {from->rows, from->cols};
    if (!sizes || sizes->count != 2 || type->tile.rows != size[0] || type->tile.cols != size[1] ||
        type->tile.dtype != from->dtype || type->tile.loc != from->loc || size[0] < 1 || size[1] < 1) {
        pto_verify_refuse(v, "PTO-E0412", op, op->span, "sizes",
                          "two sizes above 0; the result has them, and the source's element and memory",
                          "%lld x %lld", (long long)size[0], (long long)size[1]);
        return;
    }
    bool boxed = from->slayout != PTO_NONE_BOX;
    int32_t box[2];
    pto_tile_type_box(from, &box[0], &box[1]);
    int whole = from->blayout == PTO_ROW_MAJOR ? 1 : 0; /* the axis that must be taken whole when boxed */
    for (int axis = 0; axis < 2; axis++) {
        int64_t offset = 0;
        bool known = pto_fact_int(op->operand[1 + axis], &offset);
        pto_span span = pto_verify_operand_span(op, 1 + (uint32_t)axis);
        char allowed[64];
        if (size[axis] > extent[axis] || (known && (offset < 0 || offset > extent[axis] - size[axis]))) {
            snprintf(allowed, sizeof allowed, "inside 0 to %lld", (long long)extent[axis] - 1);
            pto_verify_refuse(v, "PTO-E0412", op, span, NULL, allowed, "%lld to %lld", (long long)offset,
                              (long long)(offset + size[axis] - 1));
        } else if (boxed && (size[axis] % box[axis] || (known && offset % box[axis]))) {
            snprintf(allowed, sizeof allowed, "multiples of %d", box[axis]);
            pto_verify_refuse(v, "PTO-E0412", op, span, NULL, allowed, "offset %lld, size %lld",
                              (long long)offset, (long long)size[axis]);
        } else if (boxed && axis == whole && (size[axis] != extent[axis] || !known || offset != 0)) {
            pto_verify_refuse(v, "PTO-E0412", op, span, NULL, "the whole extent of the source, from 0",
                              "size %lld of %lld", (long long)size[axis], (long long)extent[axis]);
        }
    }
}

static void set_validshape(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 3, 0))
        return;
    const pto_type *type = op->operand[0]->type;
    if (!kind_is(v, op, 0, pto_type_is_tile(type) && !type->open, "a tile"))
        return;
    const pto_tile_type *tile = &type->tile;
    if (tile->valid_rows >= 0 || tile->valid_cols >= 0) {
        pto_verify_refuse(v, "PTO-E0413", op, pto_verify_operand_span(op, 0), NULL,
                          "a tile whose valid extents are both ?", "static extents");
        pto_verify_note_value(v, op->operand[0]);
        return;
    }
    const pto_value *root = pto_fact_tile_root(op->operand[0]);
    if (root && (!root->def || root->def->kind != PTO_OPK_ALLOC_TILE)) {
        pto_verify_refuse(v, "PTO-E0413", op, pto_verify_operand_span(op, 0), NULL,
                          "a tile of alloc_tile, perhaps through bitcast or treshape", "%s",
                          root->def ? pto_operation_title(root->def) : "an argument");
        return;
    }
    int32_t capacity[2] = {tile->rows, tile->cols};
    for (uint32_t i = 0; i < 2; i++) {
        int64_t number;
        char allowed[32];
        snprintf(allowed, sizeof allowed, "0 to %d", capacity[i]);
        if (is_index(v, op, 1 + i) && pto_fact_int(op->operand[1 + i], &number) &&
            (number < 0 || number > capacity[i]))
            pto_verify_refuse(v, "PTO-E0310", op, pto_verify_operand_span(op, 1 + i), NULL, allowed, "%lld",
                              (long long)number);
    }
}

static void bitcast(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 1, 1))
        return;
    const pto_type *from = op->operand[0]->type, *to = op->result[0]->type;
    if (!kind_is(v, op, 0, pto_type_is_tile(from) && !from->open, "a tile") ||
        !result_is(v, op, pto_type_is_tile(to) && !to->open, "a tile") ||
        !pto_verify_tile_type(v, op, pto_verify_result_span(op, 0), NULL, to))
        return;
    pto_tile_type wanted = from->tile;
    wanted.dtype = to->tile.dtype;
    const pto_tile_type *t = &to->tile;
    bool same = wanted.loc == t->loc && wanted.rows == t->rows && wanted.cols == t->cols &&
                wanted.valid_rows == t->valid_rows && wanted.valid_cols == t->valid_cols &&
                wanted.blayout == t->blayout && wanted.slayout == t->slayout &&
                wanted.fractal == t->fractal && wanted.pad == t->pad && wanted.compact == t->compact;
    if (!same || from->tile.dtype == t->dtype || pto_tile_type_bytes(t) > pto_tile_type_bytes(&from->tile)) {
        char words[PTO_TYPE_WORDS];
        pto_verify_refuse(v, "PTO-E0414", op, pto_verify_result_span(op, 0), NULL,
                          "another element type of at most the same size, everything else equal", "%s",
                          pto_type_words(to, words));
    }
}

static void element_access(pto_verifier *v, const pto_operation *op, const pto_type *scalar, pto_span span) {
    const pto_type *type = op->operand[0]->type;
    if (!kind_is(v, op, 0, pto_type_is_tile(type) && !type->open, "a tile"))
        return;
    if (type->tile.loc != PTO_LOC_VEC)
        pto_verify_refuse(v, "PTO-E0320", op, pto_verify_operand_span(op, 0), NULL, "vec", "%s",
                          pto_loc_name(type->tile.loc));
    if (pto_type_dtype(scalar) != type->tile.dtype) {
        char words[PTO_TYPE_WORDS];
        pto_verify_refuse(v, "PTO-E0405", op, span, NULL, pto_dtype_name(type->tile.dtype), "%s",
                          pto_type_words(scalar, words));
    }
    int64_t index, count = (int64_t)type->tile.rows * type->tile.cols;
    if (is_index(v, op, 1) && pto_fact_int(op->operand[1], &index) && (index < 0 || index >= count)) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "0 to %lld", (long long)count - 1);
        pto_verify_refuse(v, "PTO-E0909", op, pto_verify_operand_span(op, 1), NULL, allowed, "%lld",
                          (long long)index);
    }
}

void pto_verify_tile(pto_verifier *v, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_ADDPTR:
        addptr(v, op);
        break;
    case PTO_OPK_LOAD_SCALAR:
        load_scalar(v, op);
        break;
    case PTO_OPK_STORE_SCALAR:
        store_scalar(v, op);
        break;
    case PTO_OPK_MAKE_TENSOR_VIEW:
        make_tensor_view(v, op);
        break;
    case PTO_OPK_PARTITION_VIEW:
        partition_view(v, op);
        break;
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
        get_dim(v, op);
        break;
    case PTO_OPK_ALLOC_TILE:
        alloc_tile(v, op);
        break;
    case PTO_OPK_SUBSET:
        subset(v, op);
        break;
    case PTO_OPK_SET_VALIDSHAPE:
        set_validshape(v, op);
        break;
    case PTO_OPK_BITCAST:
        bitcast(v, op);
        break;
    case PTO_OPK_TSETVAL:
        if (pto_verify_counts(v, op, 3, 0))
            element_access(v, op, op->operand[2]->type, pto_verify_operand_span(op, 2));
        break;
    default: /* TGETVAL */
        if (pto_verify_counts(v, op, 2, 1))
            element_access(v, op, op->result[0]->type, pto_verify_result_span(op, 0));
        break;
    }
}
