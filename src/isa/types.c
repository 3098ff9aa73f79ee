/* SPDX-License-Identifier: Apache-2.0 */
/* Names, sizes and capacities of the vocabulary (00-model, 2, 3, 8.1). */
#include "number/element_types.h"

#include <string.h>
#include <strings.h>

typedef struct dtype_info {
    const char *name;
    uint8_t bits;
    bool is_float, is_signed;
} dtype_info;

static const dtype_info dtype_table[PTO_ELEMENT_COUNT] = {
    [PTO_DTYPE_NONE] = {"none", 0, false, false}, [PTO_S8] = {"s8", 8, false, true},
    [PTO_U8] = {"u8", 8, false, false},           [PTO_S16] = {"s16", 16, false, true},
    [PTO_U16] = {"u16", 16, false, false},        [PTO_S32] = {"s32", 32, false, true},
    [PTO_U32] = {"u32", 32, false, false},        [PTO_S64] = {"s64", 64, false, true},
    [PTO_U64] = {"u64", 64, false, false},        [PTO_S4] = {"s4", 4, false, true},
    [PTO_F16] = {"f16", 16, true, true},          [PTO_BF16] = {"bf16", 16, true, true},
    [PTO_F32] = {"f32", 32, true, true},          [PTO_F64] = {"f64", 64, true, true},
    [PTO_E4M3] = {"e4m3", 8, true, true},         [PTO_E5M2] = {"e5m2", 8, true, true},
    [PTO_E8M0] = {"e8m0", 8, true, false},        [PTO_HIF8] = {"hif8", 8, true, true},
    [PTO_E2M1] = {"e2m1", 4, true, true},         [PTO_E1M2] = {"e1m2", 4, true, true},
    [PTO_TF32] = {"tf32", 32, true, true},        [PTO_HF32] = {"hf32", 32, true, true},
    [PTO_E3M2] = {"e3m2", 8, true, true},         [PTO_E2M3] = {"e2m3", 8, true, true},
    [PTO_HIF4] = {"hif4", 4, true, true},         [PTO_U4] = {"u4", 4, false, false},
};

static const dtype_info *info(pto_dtype dtype) {
    return &dtype_table[(unsigned)dtype < PTO_ELEMENT_COUNT ? dtype : PTO_DTYPE_NONE];
}

unsigned pto_dtype_bits(pto_dtype dtype) { return info(dtype)->bits; }
const char *pto_dtype_name(pto_dtype dtype) { return info(dtype)->name; }
bool pto_dtype_is_float(pto_dtype dtype) { return info(dtype)->is_float; }
bool pto_dtype_is_signed(pto_dtype dtype) { return info(dtype)->is_signed; }
bool pto_dtype_is_int(pto_dtype dtype) { return info(dtype)->bits && !info(dtype)->is_float; }

pto_dtype pto_dtype_from_name(const char *name, size_t len) {
    static const struct {
        const char *name;
        pto_dtype dtype;
    } synonyms[] = {
        {"i8", PTO_S8},
        {"i16", PTO_S16},
        {"i32", PTO_S32},
        {"i64", PTO_S64},
        {"si8", PTO_S8},
        {"si16", PTO_S16},
        {"si32", PTO_S32},
        {"si64", PTO_S64},
        {"ui8", PTO_U8},
        {"ui16", PTO_U16},
        {"ui32", PTO_U32},
        {"ui64", PTO_U64},
        {"int8_t", PTO_S8},
        {"int16_t", PTO_S16},
        {"int32_t", PTO_S32},
        {"int64_t", PTO_S64},
        {"uint8_t", PTO_U8},
        {"uint16_t", PTO_U16},
        {"uint32_t", PTO_U32},
        {"uint64_t", PTO_U64},
        {"half", PTO_F16},
        {"float", PTO_F32},
        {"double", PTO_F64},
        {"bfloat16_t", PTO_BF16},
        {"f8e4m3", PTO_E4M3},
        {"f8e5m2", PTO_E5M2},
        {"f8e8m0", PTO_E8M0},
        {"hifloat8", PTO_HIF8},
        {"f8e4m3fn", PTO_E4M3},
        {"float4_e2m1x2", PTO_E2M1},
        {"float4_e1m2x2", PTO_E1M2},
        {"i4", PTO_S4},
    };
    for (int d = 1; d < PTO_DTYPE_COUNT; d++)
        if (strlen(dtype_table[d].name) == len && !strncasecmp(dtype_table[d].name, name, len))
            return (pto_dtype)d;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strlen(synonyms[i].name) == len && !strncasecmp(synonyms[i].name, name, len))
            return synonyms[i].dtype;
    return PTO_DTYPE_NONE;
}

const char *pto_loc_name(pto_loc loc) {
    static const char *const names[PTO_LOC_COUNT] = {"vec",  "mat",     "left",       "right",      "acc",
                                                     "bias", "scaling", "scale_left", "scale_right"};
    return (unsigned)loc < PTO_LOC_COUNT ? names[loc] : "unknown";
}

const char *pto_target_name(pto_target target) {
    static const char *const names[PTO_TARGET_COUNT] = {"cpu", "a2a3", "a5"};
    return (unsigned)target < PTO_TARGET_COUNT ? names[target] : "unknown";
}

bool pto_target_from_name(const char *name, pto_target *target) {
    static const struct {
        const char *name;
        pto_target target;
    } names[] = {{"cpu", PTO_TARGET_CPU},
                 {"a2a3", PTO_TARGET_A2A3},
                 {"a2", PTO_TARGET_A2A3},
                 {"a3", PTO_TARGET_A2A3},
                 {"a5", PTO_TARGET_A5}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(names[i].name, name)) {
            *target = names[i].target;
            return true;
        }
    return false;
}

static const char *const layout_names[PTO_LAYOUT_COUNT] = {
    [PTO_LAYOUT_ND] = "ND",
    [PTO_LAYOUT_DN] = "DN",
    [PTO_LAYOUT_NZ] = "NZ",
    [PTO_LAYOUT_MX_A_ND] = "MX_A_ND",
    [PTO_LAYOUT_MX_A_DN] = "MX_A_DN",
    [PTO_LAYOUT_MX_A_ZZ] = "MX_A_ZZ",
    [PTO_LAYOUT_MX_B_ND] = "MX_B_ND",
    [PTO_LAYOUT_MX_B_DN] = "MX_B_DN",
    [PTO_LAYOUT_MX_B_NN] = "MX_B_NN",
    [PTO_LAYOUT_NC1HWC0] = "NC1HWC0",
    [PTO_LAYOUT_GNC1HWC0] = "GNC1HWC0",
    [PTO_LAYOUT_NCHW] = "NCHW",
    [PTO_LAYOUT_GNCHW] = "GNCHW",
    [PTO_LAYOUT_NHWC] = "NHWC",
    [PTO_LAYOUT_NDC1HWC0] = "NDC1HWC0",
    [PTO_LAYOUT_NCDHW] = "NCDHW",
    [PTO_LAYOUT_FRACTAL_Z] = "FRACTAL_Z",
    [PTO_LAYOUT_FRACTAL_Z_3D] = "FRACTAL_Z_3D",
};

const char *pto_layout_name(pto_layout layout) {
    const char *name = (unsigned)layout < PTO_LAYOUT_COUNT ? layout_names[layout] : NULL;
    return name ? name : "unknown";
}

bool pto_layout_from_name(const char *name, size_t len, pto_layout *layout) {
    for (int i = 0; i < PTO_LAYOUT_COUNT; i++)
        if (layout_names[i] && strlen(layout_names[i]) == len && !strncasecmp(layout_names[i], name, len)) {
            *layout = (pto_layout)i;
            return true;
        }
    return false;
}

const char *pto_pipe_name(pto_pipe pipe) {
    static const char *const names[PTO_PIPE_COUNT] = {"PIPE_S",    "PIPE_V", "PIPE_MTE1", "PIPE_MTE2",
                                                      "PIPE_MTE3", "PIPE_M", "PIPE_ALL",  "PIPE_FIX"};
    return (unsigned)pipe < PTO_PIPE_COUNT ? names[pipe] : "unknown";
}

uint32_t pto_loc_capacity(pto_target target, pto_loc loc) {
    enum { K = 1024 };
    static const uint32_t a2a3[PTO_LOC_COUNT] = {192 * K, 512 * K, 64 * K, 64 * K, 128 * K,
                                                 1 * K,   2 * K,   0,      0};
    static const uint32_t a5[PTO_LOC_COUNT] = {256 * K, 512 * K, 64 * K, 64 * K, 256 * K,
                                               4 * K,   4 * K,   4 * K,  4 * K};
    if ((unsigned)loc >= PTO_LOC_COUNT)
        return 0;
    return target == PTO_TARGET_A2A3 ? a2a3[loc] : a5[loc];
}

pto_tile_type pto_tile_type_make(pto_loc loc, pto_dtype dtype, int32_t rows, int32_t cols) {
    return (pto_tile_type){.loc = loc,
                           .dtype = dtype,
                           .rows = rows,
                           .cols = cols,
                           .valid_rows = rows,
                           .valid_cols = cols,
                           .blayout = PTO_ROW_MAJOR,
                           .slayout = PTO_NONE_BOX,
                           .fractal = 512,
                           .pad = PTO_PAD_NULL,
                           .compact = PTO_COMPACT_NULL};
}

pto_tile_type pto_tile_type_dn(pto_loc loc, pto_dtype dtype, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(loc, dtype, rows, cols);
    type.blayout = PTO_COL_MAJOR;
    return type;
}

pto_tile_type pto_tile_type_nz(pto_loc loc, pto_dtype dtype, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_dn(loc, dtype, rows, cols);
    type.slayout = PTO_BOX_ROW_MAJOR;
    return type;
}

pto_tile_type pto_tile_type_left(pto_target target, pto_dtype dtype, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_LEFT, dtype, rows, cols);
    type.blayout = target == PTO_TARGET_A2A3 ? PTO_ROW_MAJOR : PTO_COL_MAJOR;
    type.slayout = PTO_BOX_ROW_MAJOR;
    return type;
}

pto_tile_type pto_tile_type_right(pto_dtype dtype, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_RIGHT, dtype, rows, cols);
    type.slayout = PTO_BOX_COL_MAJOR;
    return type;
}

pto_tile_type pto_tile_type_acc(pto_dtype dtype, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_ACC, dtype, rows, cols);
    type.blayout = PTO_COL_MAJOR;
    type.slayout = PTO_BOX_ROW_MAJOR;
    type.fractal = 1024;
    return type;
}

pto_conv pto_conv_make(pto_layout layout, int32_t rank, const int32_t *shape) {
    pto_conv conv = {.layout = layout,
                     .rank = rank < 0               ? 0
                             : rank > PTO_CONV_DIMS ? PTO_CONV_DIMS
                                                    : rank,
                     .filter_h = 1,
                     .filter_w = 1,
                     .dilation_h = 1,
                     .dilation_w = 1,
                     .stride_h = 1,
                     .stride_w = 1,
                     .repeat_time = 1};
    for (int32_t i = 0; i < conv.rank; i++)
        conv.shape[i] = shape[i];
    return conv;
}

int64_t pto_conv_elements(const pto_conv *conv) {
    int64_t elements = 1;
    for (int32_t i = 0; i < conv->rank; i++) {
        if (conv->shape[i] <= 0)
            return 0;
        if (__builtin_mul_overflow(elements, (int64_t)conv->shape[i], &elements))
            elements = INT64_MAX;
    }
    return elements;
}

pto_tile_type pto_tile_type_conv(pto_loc loc, pto_dtype dtype, const pto_conv *conv) {
    int64_t elements = pto_conv_elements(conv);
    pto_tile_type type =
        pto_tile_type_make(loc, dtype, 1, elements > INT32_MAX ? INT32_MAX : (int32_t)elements);
    type.conv = conv;
    return type;
}

pto_tile_type pto_tile_type_left_scale(pto_loc loc, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(loc, PTO_E8M0, rows, cols);
    type.slayout = PTO_BOX_ROW_MAJOR;
    type.fractal = 32;
    return type;
}

pto_tile_type pto_tile_type_right_scale(pto_loc loc, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(loc, PTO_E8M0, rows, cols);
    type.blayout = PTO_COL_MAJOR;
    type.slayout = PTO_BOX_COL_MAJOR;
    type.fractal = 32;
    return type;
}

uint64_t pto_tile_type_bytes(const pto_tile_type *type) {
    if (type->rows <= 0 || type->cols <= 0)
        return 0;
    /* at most 2^62 * 64 / 8 would overflow: halve the bits first (4-bit types have even rows or columns) */
    uint64_t elements = (uint64_t)type->rows * (uint64_t)type->cols;
    unsigned bits = pto_dtype_bits(type->dtype);
    return bits >= 8 ? elements * (bits / 8) : (elements * bits + 7) / 8;
}

void pto_tile_type_box(const pto_tile_type *type, int32_t *box_rows, int32_t *box_cols) {
    int32_t ir = 1, ic = 1;
    if (type->slayout != PTO_NONE_BOX) {
        unsigned bits = pto_dtype_bits(type->dtype);
        int32_t c0 = bits ? (int32_t)(256 / bits) : 1;
        bool inner_row = type->slayout == PTO_BOX_ROW_MAJOR;
        if (type->fractal == 1024) {
            ir = ic = 16;
        } else if (type->fractal == 32) {
            ir = inner_row ? 16 : 2;
            ic = inner_row ? 2 : 16;
        } else {
            ir = inner_row ? 16 : c0;
            ic = inner_row ? c0 : 16;
        }
    }
    *box_rows = ir;
    *box_cols = ic;
}
