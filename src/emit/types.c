/* SPDX-License-Identifier: Apache-2.0 */
/* Types and enumerators of the C++ facade (60, 6.2 and 6.3; include/pto/common). */
#include "emit/emit.h"

#include "isa/conv.h"

#include <inttypes.h>
#include <string.h>

const char *pto_emit_element(pto_dtype dtype) {
    static const char *const names[PTO_DTYPE_COUNT] = {
        [PTO_S8] = "int8_t",           [PTO_U8] = "uint8_t",
        [PTO_S16] = "int16_t",         [PTO_U16] = "uint16_t",
        [PTO_S32] = "int32_t",         [PTO_U32] = "uint32_t",
        [PTO_S64] = "int64_t",         [PTO_U64] = "uint64_t",
        [PTO_S4] = "int4b_t",          [PTO_F16] = "half",
        [PTO_BF16] = "bfloat16_t",     [PTO_F32] = "float",
        [PTO_F64] = "double",          [PTO_E4M3] = "float8_e4m3_t",
        [PTO_E5M2] = "float8_e5m2_t",  [PTO_E8M0] = "float8_e8m0_t",
        [PTO_HIF8] = "hifloat8_t",     [PTO_E2M1] = "float4_e2m1x2_t",
        [PTO_E1M2] = "float4_e1m2x2_t"};
    return dtype < PTO_DTYPE_COUNT ? names[dtype] : NULL;
}

const char *pto_emit_scalar_type(pto_emitter *e, const pto_type *type) {
    if (type->kind == PTO_TYPE_INDEX)
        return "int64_t";
    if (type->kind == PTO_TYPE_INT && type->width == 1)
        return "bool";
    if (type->kind == PTO_TYPE_INT && type->width >= 8 && type->width <= 64 &&
        !(type->width & (type->width - 1)))
        return pto_arena_printf(e->arena, "%sint%u_t", type->signedness == PTO_UNSIGNED ? "u" : "",
                                type->width);
    if (type->kind == PTO_TYPE_FLOAT && pto_emit_element(type->dtype))
        return pto_emit_element(type->dtype);
    if (type->kind == PTO_TYPE_PTR && type->element && pto_emit_element(type->dtype))
        return pto_arena_printf(e->arena, "__gm__ %s *", pto_emit_element(type->dtype));
    if (type->kind == PTO_TYPE_VECTOR)
        return "MrgSortExecutedNumList";
    if (type->kind == PTO_TYPE_INT)
        pto_emit_refuse(e, "an integer of %u bits", type->width);
    else
        pto_emit_refuse(e, "a value whose type C++ does not have");
    return "int";
}

static const char *conv_type(pto_emitter *e, const pto_tile_type *type) {
    const pto_conv *conv = type->conv;
    char *extents = pto_arena_printf(e->arena, "%d", conv->shape[0]);
    for (int i = 1; i < conv->rank; i++)
        extents = pto_arena_printf(e->arena, "%s, %d", extents, conv->shape[i]);
    return pto_arena_printf(e->arena, "ConvTile<TileType::%s, %s, %d, Layout::%s, ConvTileShape<%s>>",
                            type->loc == PTO_LOC_MAT ? "Mat" : "Vec", pto_emit_element(type->dtype),
                            type->rows * type->cols, pto_layout_name(conv->layout), extents);
}

const char *pto_emit_tile_type(pto_emitter *e, const pto_tile_type *type) {
    static const char *const locs[PTO_LOC_COUNT] = {"Vec",  "Mat",     "Left",      "Right",     "Acc",
                                                    "Bias", "Scaling", "ScaleLeft", "ScaleRight"};
    static const char *const slayouts[] = {"NoneBox", "RowMajor", "ColMajor"};
    if (!pto_emit_element(type->dtype)) {
        pto_emit_refuse(e, "a tile whose element type C++ does not have");
        return "int";
    }
    if (type->conv)
        return conv_type(e, type);
    return pto_arena_printf(
        e->arena, "Tile<TileType::%s, %s, %d, %d, BLayout::%s, %d, %d, SLayout::%s, %d, %s, %s>",
        locs[type->loc], pto_emit_element(type->dtype), type->rows, type->cols,
        type->blayout == PTO_ROW_MAJOR ? "RowMajor" : "ColMajor",
        type->valid_rows < 0 ? -1 : type->valid_rows, type->valid_cols < 0 ? -1 : type->valid_cols,
        slayouts[type->slayout], type->fractal, pto_emit_enumerator(e, "PadValue", (int64_t)type->pad),
        pto_emit_enumerator(e, "CompactMode", (int64_t)type->compact));
}

static const char *five(pto_emitter *e, const char *name, const pto_emit_dim dim[5]) {
    int64_t number[5];
    for (int d = 0; d < 5; d++)
        number[d] = dim[d].text || dim[d].number < 0 ? -1 : dim[d].number;
    return pto_arena_printf(e->arena,
                            "pto::%s<%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ">", name,
                            number[0], number[1], number[2], number[3], number[4]);
}

const char *pto_emit_view_type(pto_emitter *e, const pto_emit_view *view) {
    if (!pto_emit_element(view->dtype)) {
        pto_emit_refuse(e, "a view whose element type C++ does not have");
        return "int";
    }
    return pto_arena_printf(e->arena, "GlobalTensor<%s, %s, %s, pto::Layout::%s>",
                            pto_emit_element(view->dtype), five(e, "Shape", view->shape),
                            five(e, "Stride", view->stride), pto_layout_name(view->layout));
}

const char *pto_emit_declare(pto_emitter *e, const char *type, const char *name) {
    size_t len = strlen(type);
    return pto_arena_printf(e->arena, "%s%s%s", type,
                            len && (type[len - 1] == '*' || type[len - 1] == '&') ? "" : " ", name);
}

/* ---- enumerators (include/pto/common/constants.hpp), by value; - where there is none ---- */

static const struct {
    const char *type, *names;
} enums[] = {
    {"RoundMode", "CAST_NONE CAST_RINT CAST_ROUND CAST_FLOOR CAST_CEIL CAST_TRUNC CAST_ODD"},
    {"SaturationMode", "ON OFF"},
    {"CmpMode", "EQ NE LT LE GT GE"},
    {"AtomicType", "AtomicNone AtomicAdd"},
    {"ReluPreMode", "NoRelu NormalRelu"},
    {"AccToVecMode", "SingleModeVec0 SingleModeVec1 DualModeSplitM DualModeSplitN"},
    {"PrintFormat", "Width8_Precision4 Width8_Precision2 Width10_Precision6"},
    {"MaskPattern", "- P0101 P1010 P0001 P0010 P0100 P1000 P1111"},
    {"Coalesce", "Row Elem"},
    {"GatherOOB", "Undefined Clamp Wrap Zero"},
    {"ScatterOOB", "Undefined Skip Clamp Wrap"},
    {"ScatterAtomicOp", "None Add Max Min"},
    {"ScatterConflict", "Last Default"},
    {"GatherExec", "Scalar Simt"},
    {"PadValue", "Null Zero Max Min"},
    {"CompactMode", "Null Normal RowPlusOne RowAlignedPadding"},
    {"TInsertMode", "- - SPLIT2 SPLIT4"},
    {"SetFmatrixMode", "FMATRIX_A_AUTO FMATRIX_B_AUTO FMATRIX_A_MANUAL FMATRIX_B_MANUAL"},
    {"QuantType", "MXFP8 MXFP4_E2M1 INT8_SYM INT8_ASYM"},
    {"MxQuantAlg", "OcpMxFp8E4M3 NvMxFp8E4M3 OcpMxFp4E2M1 NvMxFp4E2M1 Hif4"},
    {"VecStoreMode", "ND NZ"},
    {"HistByte", "BYTE_0 BYTE_1 BYTE_2 BYTE_3"},
    {"AccPhase", "Unspecified - Partial Final"},
    {"STPhase", "Unspecified - Partial Final"},
    {"ScatterAxis", "SCATTER_ROW SCATTER_COL"},
    {"GatherAxis", "GATHER_ROW GATHER_COL"},
};

static const char *names_of(const char *type) {
    size_t len = strlen(type);
    if (len > 9 && !strcmp(type + len - 9, "Algorithm"))
        return "DEFAULT HIGH_PRECISION";
    for (size_t i = 0; i < sizeof enums / sizeof *enums; i++)
        if (!strcmp(enums[i].type, type))
            return enums[i].names;
    return NULL;
}

const char *pto_emit_enumerator(pto_emitter *e, const char *type, int64_t value) {
    if (!strcmp(type, "bool"))
        return value ? "true" : "false";
    const char *name = names_of(type);
    int64_t left = value;
    for (; name && left > 0; left--) {
        name = strchr(name, ' ');
        name = name ? name + 1 : NULL;
    }
    if (name && left == 0 && *name != '-')
        return pto_arena_printf(e->arena, "%s::%.*s", type, (int)strcspn(name, " "), name);
    if (!strcmp(type, "PadValue"))
        return pto_arena_printf(e->arena, "static_cast<PadValue>(0x%" PRIx64 "ull)", (uint64_t)value);
    if (!strcmp(type, "int") || !strcmp(type, "auto"))
        return pto_arena_printf(e->arena, "%" PRId64, value);
    return pto_arena_printf(e->arena, "static_cast<%s>(%" PRId64 ")", type, value);
}
