/* SPDX-License-Identifier: Apache-2.0 */
/* Names and shapes of the operations that are not instructions (60, 3.3, 3.9). */
#include "program/program.h"

#include <string.h>

static const char *const names[PTO_OPK_COUNT] = {
#define PTO_OPK_ROW(kind, name) [PTO_OPK_##kind] = name,
#include "program/ops.def"
#undef PTO_OPK_ROW
};

static const uint8_t lengths[PTO_OPK_COUNT] = {
#define PTO_OPK_ROW(kind, name) [PTO_OPK_##kind] = (uint8_t)(sizeof name - 1),
#include "program/ops.def"
#undef PTO_OPK_ROW
};

static const char *const syntaxes[PTO_OPK_COUNT] = {
#define PTO_OPK_ROW(kind, name)
#define PTO_OPK_SYNTAX(kind, name, operands, results, segments, props, syntax) [PTO_OPK_##kind] = syntax,
#include "program/ops.def"
#undef PTO_OPK_ROW
};

const char *pto_op_kind_syntax(pto_op_kind kind) {
    return (unsigned)kind < PTO_OPK_COUNT ? syntaxes[kind] : NULL;
}

const char *pto_op_kind_ssa_syntax(pto_op_kind kind) {
    return kind == PTO_OPK_TPREFETCH_ASYNC ? "% , % attrs ?{ : ( T , T ) -> R ?}" : NULL;
}

const char *pto_op_kind_name(pto_op_kind kind) { return (unsigned)kind < PTO_OPK_COUNT ? names[kind] : NULL; }

pto_op_kind pto_op_kind_find(pto_str name) {
    const uint8_t *end = lengths + PTO_OPK_COUNT;
    for (const uint8_t *at = lengths; name.len < 256 && at < end; at++) {
        at = memchr(at, (int)name.len, (size_t)(end - at));
        if (!at)
            break;
        int i = (int)(at - lengths);
        if (names[i] && i != PTO_OPK_GROUP_GATHER && i != PTO_OPK_GROUP_SCATTER &&
            !memcmp(name.data, names[i], name.len))
            return (pto_op_kind)i;
    }
    if (pto_str_equal(name, PTO_STR("pto.wait_intra_block"))) /* of the same meaning */
        return PTO_OPK_WAIT_INTRA_CORE;
    /* the tile's type says of which kind it is */
    return pto_str_equal(name, PTO_STR("pto.alloc_conv_tile")) ? PTO_OPK_ALLOC_TILE : PTO_OPK_UNKNOWN;
}

bool pto_type_is_group(const pto_type *type) {
    return type && type->kind == PTO_TYPE_OPAQUE && pto_str_starts_with(type->text, PTO_STR("!pto.group<"));
}

pto_op_kind pto_op_kind_of_group(pto_str name) {
    return pto_str_equal(name, PTO_STR("pto.tgather"))    ? PTO_OPK_GROUP_GATHER
           : pto_str_equal(name, PTO_STR("pto.tscatter")) ? PTO_OPK_GROUP_SCATTER
                                                          : PTO_OPK_UNKNOWN;
}

#define INT_FLAGS "overflowFlags?"
#define FLOAT_FLAGS "fastmath?"
#define BINARY(kind, props) [PTO_OPK_ARITH_##kind] = {2, 2, 1, 1, 0, 0, props}
#define UNARY(kind, props) [PTO_OPK_ARITH_##kind] = {1, 1, 1, 1, 0, 0, props}
#define EFFECT(kind, operands, props) [PTO_OPK_##kind] = {operands, operands, 0, 0, 0, 0, props}

#define PTO_OPK_LEAST(least, most) least
#define PTO_OPK_MOST(least, most) most

static const pto_op_shape shapes[PTO_OPK_COUNT] = {
#define PTO_OPK_ROW(kind, name)
#define PTO_OPK_SYNTAX(kind, name, operands, results, segments, props, syntax)                               \
    [PTO_OPK_##kind] = {PTO_OPK_LEAST operands,                                                              \
                        PTO_OPK_MOST operands,                                                               \
                        PTO_OPK_LEAST results,                                                               \
                        PTO_OPK_MOST results,                                                                \
                        0,                                                                                   \
                        segments,                                                                            \
                        props},
#include "program/ops.def"
#undef PTO_OPK_ROW
    [PTO_OPK_MODULE] = {0, 0, 0, 0, 1, 0, "sym_name?"},
    [PTO_OPK_FUNC] = {0, 0, 0, 0, 1, 0, "sym_name function_type sym_visibility? arg_attrs? res_attrs?"},
    [PTO_OPK_RETURN] = {0, -1, 0, 0, 0, 0, ""},
    [PTO_OPK_CALL] = {0, -1, 0, -1, 0, 0, "callee"},
    [PTO_OPK_ADDPTR] = {2, 2, 1, 1, 0, 0, ""},
    [PTO_OPK_LOAD_SCALAR] = {2, 2, 1, 1, 0, 0, ""},
    EFFECT(STORE_SCALAR, 3, ""),
    [PTO_OPK_MAKE_TENSOR_VIEW] = {1, -1, 1, 1, 0, 3, "layout?"},
    [PTO_OPK_PARTITION_VIEW] = {1, -1, 1, 1, 0, 3, ""},
    [PTO_OPK_GET_TENSOR_VIEW_DIM] = {2, 2, 1, 1, 0, 0, ""},
    [PTO_OPK_ALLOC_TILE] = {0, 3, 1, 1, 0, 3, ""},
    [PTO_OPK_SUBSET] = {3, 3, 1, 1, 0, 0, "sizes"},
    EFFECT(SET_VALIDSHAPE, 3, ""),
    [PTO_OPK_BITCAST] = {1, 1, 1, 1, 0, 0, ""},
    EFFECT(TSETVAL, 3, ""),
    [PTO_OPK_TGETVAL] = {2, 2, 1, 1, 0, 0, ""},
    EFFECT(SET_FLAG, 0, "src_pipe dst_pipe event_id"),
    EFFECT(WAIT_FLAG, 0, "src_pipe dst_pipe event_id"),
    EFFECT(BARRIER, 0, "pipe"),
    EFFECT(RECORD_EVENT, 0, "src_op dst_op event_id"),
    EFFECT(WAIT_EVENT, 0, "src_op dst_op event_id"),
    EFFECT(BARRIER_SYNC, 0, "op_type"),
    [PTO_OPK_TSYNC] = {0, -1, 0, 0, 0, 0, ""},
    [PTO_OPK_GET_BLOCK_IDX] = {0, 0, 1, 1, 0, 0, ""},
    [PTO_OPK_GET_BLOCK_NUM] = {0, 0, 1, 1, 0, 0, ""},
    [PTO_OPK_GET_SUBBLOCK_IDX] = {0, 0, 1, 1, 0, 0, ""},
    [PTO_OPK_GET_SUBBLOCK_NUM] = {0, 0, 1, 1, 0, 0, ""},
    [PTO_OPK_SECTION_CUBE] = {0, 0, 0, 0, 1, 0, ""},
    [PTO_OPK_SECTION_VECTOR] = {0, 0, 0, 0, 1, 0, ""},
    [PTO_OPK_PRINT] = {1, 1, 0, 0, 0, 0, "format"},
    EFFECT(TRAP, 0, ""),
    [PTO_OPK_AS_CONST] = {0, 0, 1, 1, 0, 0, "value"},
    [PTO_OPK_ARITH_CONSTANT] = {0, 0, 1, 1, 0, 0, "value"},
    BINARY(ADDI, INT_FLAGS),
    BINARY(SUBI, INT_FLAGS),
    BINARY(MULI, INT_FLAGS),
    BINARY(DIVSI, ""),
    BINARY(DIVUI, ""),
    BINARY(REMSI, ""),
    BINARY(REMUI, ""),
    BINARY(CEILDIVSI, ""),
    BINARY(CEILDIVUI, ""),
    BINARY(FLOORDIVSI, ""),
    BINARY(ANDI, ""),
    BINARY(ORI, ""),
    BINARY(XORI, ""),
    BINARY(SHLI, INT_FLAGS),
    BINARY(SHRSI, ""),
    BINARY(SHRUI, ""),
    BINARY(CMPI, "predicate"),
    [PTO_OPK_ARITH_SELECT] = {3, 3, 1, 1, 0, 0, ""},
    BINARY(MINSI, ""),
    BINARY(MINUI, ""),
    BINARY(MAXSI, ""),
    BINARY(MAXUI, ""),
    UNARY(EXTSI, ""),
    UNARY(EXTUI, ""),
    UNARY(TRUNCI, INT_FLAGS),
    UNARY(INDEX_CAST, ""),
    UNARY(INDEX_CASTUI, ""),
    BINARY(ADDF, FLOAT_FLAGS),
    BINARY(SUBF, FLOAT_FLAGS),
    BINARY(MULF, FLOAT_FLAGS),
    BINARY(DIVF, FLOAT_FLAGS),
    BINARY(REMF, FLOAT_FLAGS),
    UNARY(NEGF, FLOAT_FLAGS),
    BINARY(CMPF, "predicate fastmath?"),
    BINARY(MINIMUMF, FLOAT_FLAGS),
    BINARY(MAXIMUMF, FLOAT_FLAGS),
    BINARY(MINNUMF, FLOAT_FLAGS),
    BINARY(MAXNUMF, FLOAT_FLAGS),
    UNARY(EXTF, FLOAT_FLAGS),
    UNARY(TRUNCF, FLOAT_FLAGS),
    UNARY(SITOFP, ""),
    UNARY(UITOFP, ""),
    UNARY(FPTOSI, ""),
    UNARY(FPTOUI, ""),
    UNARY(BITCAST, ""),
    [PTO_OPK_MEMREF_SUBVIEW] = {1, -1, 1, 1, 0, 4, "static_offsets static_sizes static_strides"},
    [PTO_OPK_MEMREF_REINTERPRET_CAST] = {1, -1, 1, 1, 0, 4, "static_offsets static_sizes static_strides"},
    [PTO_OPK_SCF_FOR] = {3, -1, 0, -1, 1, 0, "unsignedCmp?"},
    [PTO_OPK_SCF_IF] = {1, 1, 0, -1, 2, 0, ""},
    [PTO_OPK_SCF_WHILE] = {0, -1, 0, -1, 2, 0, ""},
    [PTO_OPK_SCF_INDEX_SWITCH] = {1, 1, 0, -1, PTO_OP_ANY_REGIONS, 0, "cases"},
    [PTO_OPK_SCF_EXECUTE_REGION] = {0, 0, 0, -1, 1, 0, "no_inline?"},
    [PTO_OPK_CF_BR] = {0, -1, 0, 0, 0, 0, ""},
    [PTO_OPK_CF_COND_BR] = {1, -1, 0, 0, 0, 3, ""},
    [PTO_OPK_CF_SWITCH] = {1, -1, 0, 0, 0, 3, "case_values case_operand_segments"},
    [PTO_OPK_SCF_CONDITION] = {1, -1, 0, 0, 0, 0, ""},
    [PTO_OPK_SCF_YIELD] = {0, -1, 0, 0, 0, 0, ""},
};

const pto_op_shape *pto_op_shape_of(pto_op_kind kind) {
    return (unsigned)kind < PTO_OPK_COUNT && names[kind] ? &shapes[kind] : NULL;
}

void pto_operation_set_segments(pto_operation *op) {
    uint32_t n = op->operand_count;
    switch (op->kind) {
    case PTO_OPK_BIND_TILE: /* source, valid_row, valid_col */
        op->segment[0] = 1;
        op->segment[1] = op->segment[2] = n > 1;
        break;
    case PTO_OPK_POINTER_CAST: /* addrs, valid_row, valid_col */
        op->segment[0] = n;
        op->segment[1] = op->segment[2] = 0;
        break;
    default: /* valid_row, valid_col */
        op->segment[0] = op->segment[1] = n > 0;
        break;
    }
    const pto_op_shape *shape = pto_op_shape_of(op->kind);
    op->segment_count = shape ? shape->segments : 0;
}
