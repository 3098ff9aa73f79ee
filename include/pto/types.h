/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of PTO: element types, locations, layouts, targets, pipes, modes.
 * Numeric values are those of the specification (00-model, 2, 3.2, 10, 16.2); block and text forms
 * that number an enum otherwise convert by name. */
#ifndef PTO_TYPES_H
#define PTO_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pto/api.h>
#include <pto/status.h>

PTO_BEGIN_DECLS

/* Element types (00-model, 2). 4-bit types hold two elements a byte, low nibble first. */
typedef enum pto_dtype {
    PTO_DTYPE_NONE = 0,
    PTO_S8,
    PTO_U8,
    PTO_S16,
    PTO_U16,
    PTO_S32,
    PTO_U32,
    PTO_S64,
    PTO_U64,
    PTO_S4,
    PTO_F16,
    PTO_BF16,
    PTO_F32,
    PTO_F64, /* scalars and host arrays only, never a tile */
    PTO_E4M3,
    PTO_E5M2,
    PTO_E8M0,
    PTO_HIF8,
    PTO_E2M1,
    PTO_E1M2,
    PTO_DTYPE_COUNT
} pto_dtype;

/* Memory that a tile lives in: TileType of 00-model, 3.2. */
typedef enum pto_loc {
    PTO_LOC_VEC = 0,
    PTO_LOC_MAT = 1,
    PTO_LOC_LEFT = 2,
    PTO_LOC_RIGHT = 3,
    PTO_LOC_ACC = 4,
    PTO_LOC_BIAS = 5,
    PTO_LOC_SCALING = 6,
    PTO_LOC_SCALE_LEFT = 7,
    PTO_LOC_SCALE_RIGHT = 8,
    PTO_LOC_COUNT
} pto_loc;

typedef enum pto_blayout { PTO_ROW_MAJOR = 0, PTO_COL_MAJOR = 1 } pto_blayout;
typedef enum pto_slayout { PTO_NONE_BOX = 0, PTO_BOX_ROW_MAJOR = 1, PTO_BOX_COL_MAJOR = 2 } pto_slayout;

/* Pad policy (00-model, 3.6). A custom pad has bit 32 set and its payload in bits 31..0. */
typedef uint64_t pto_pad;
#define PTO_PAD_NULL UINT64_C(0)
#define PTO_PAD_ZERO UINT64_C(1)
#define PTO_PAD_MAX UINT64_C(2)
#define PTO_PAD_MIN UINT64_C(3)
#define PTO_PAD_CUSTOM(bits) (UINT64_C(0x100000000) | (uint32_t)(bits))

typedef enum pto_compact {
    PTO_COMPACT_NULL = 0,
    PTO_COMPACT_NORMAL = 1,
    PTO_COMPACT_ROW_PLUS_ONE = 2,
    PTO_COMPACT_ROW_ALIGNED_PADDING = 3
} pto_compact;

/* Layout tag of a global tensor or of a convolution tile (00-model, 6.3, 7, 16.2). MX: tensors of e8m0
 * scales. */
typedef enum pto_layout {
    PTO_LAYOUT_ND = 0,
    PTO_LAYOUT_DN = 1,
    PTO_LAYOUT_NZ = 2,
    PTO_LAYOUT_MX_A_ND = 4,
    PTO_LAYOUT_MX_A_DN = 5,
    PTO_LAYOUT_MX_A_ZZ = 6,
    PTO_LAYOUT_MX_B_ND = 7,
    PTO_LAYOUT_MX_B_DN = 8,
    PTO_LAYOUT_MX_B_NN = 9,
    PTO_LAYOUT_NC1HWC0 = 12,
    PTO_LAYOUT_GNC1HWC0 = 13,
    PTO_LAYOUT_NCHW = 14,
    PTO_LAYOUT_GNCHW = 15,
    PTO_LAYOUT_NHWC = 16,
    PTO_LAYOUT_NDC1HWC0 = 17,
    PTO_LAYOUT_NCDHW = 18,
    PTO_LAYOUT_FRACTAL_Z = 19,
    PTO_LAYOUT_FRACTAL_Z_3D = 21,
    PTO_LAYOUT_COUNT = 22
} pto_layout;

typedef enum pto_target {
    PTO_TARGET_CPU = 0,
    PTO_TARGET_A2A3 = 1,
    PTO_TARGET_A5 = 2,
    PTO_TARGET_COUNT
} pto_target;

/* Execution pipes (00-model, 10). */
typedef enum pto_pipe {
    PTO_PIPE_S = 0,
    PTO_PIPE_V = 1,
    PTO_PIPE_MTE1 = 2,
    PTO_PIPE_MTE2 = 3,
    PTO_PIPE_MTE3 = 4,
    PTO_PIPE_M = 5,
    PTO_PIPE_ALL = 6,
    PTO_PIPE_FIX = 7,
    PTO_PIPE_COUNT
} pto_pipe;

/* Rounding and saturation of conversions (10-elementwise, 1.7). ON is zero. */
typedef enum pto_round_mode {
    PTO_CAST_NONE = 0,
    PTO_CAST_RINT = 1,
    PTO_CAST_ROUND = 2,
    PTO_CAST_FLOOR = 3,
    PTO_CAST_CEIL = 4,
    PTO_CAST_TRUNC = 5,
    PTO_CAST_ODD = 6
} pto_round_mode;
/* DEFAULT: that of the type pair. AMBIENT: that of the core, for TCVT only (NeedSetCtrl = false, 10, 9.1);
 * elsewhere ON. */
typedef enum pto_sat_mode {
    PTO_SAT_ON = 0,
    PTO_SAT_OFF = 1,
    PTO_SAT_DEFAULT = 2,
    PTO_SAT_AMBIENT = 3
} pto_sat_mode;

typedef enum pto_cmp_mode {
    PTO_CMP_EQ = 0,
    PTO_CMP_NE,
    PTO_CMP_LT,
    PTO_CMP_LE,
    PTO_CMP_GT,
    PTO_CMP_GE
} pto_cmp_mode;

/* Columns or rows that the mask forms of TGATHER and TSCATTER select (40, 4.1); rightmost digit first. */
typedef enum pto_mask_pattern {
    PTO_MASK_P0101 = 1,
    PTO_MASK_P1010,
    PTO_MASK_P0001,
    PTO_MASK_P0010,
    PTO_MASK_P0100,
    PTO_MASK_P1000,
    PTO_MASK_P1111
} pto_mask_pattern;
typedef enum pto_select_axis { PTO_SELECT_ROW = 0, PTO_SELECT_COL = 1 } pto_select_axis;

/* MGATHER and MSCATTER (30): what an index names, and what one out of range means. */
typedef enum pto_coalesce { PTO_COALESCE_ROW = 0, PTO_COALESCE_ELEM = 1 } pto_coalesce;
typedef enum pto_gather_oob {
    PTO_GATHER_UNDEFINED = 0, /* an error */
    PTO_GATHER_CLAMP,
    PTO_GATHER_WRAP,
    PTO_GATHER_ZERO
} pto_gather_oob;
typedef enum pto_scatter_oob {
    PTO_SCATTER_UNDEFINED = 0, /* an error */
    PTO_SCATTER_SKIP,
    PTO_SCATTER_CLAMP,
    PTO_SCATTER_WRAP
} pto_scatter_oob;
typedef enum pto_scatter_atomic {
    PTO_SCATTER_REPLACE = 0,
    PTO_SCATTER_ADD,
    PTO_SCATTER_MAX,
    PTO_SCATTER_MIN
} pto_scatter_atomic;
typedef enum pto_scatter_conflict { PTO_SCATTER_LAST = 0, PTO_SCATTER_DEFAULT = 1 } pto_scatter_conflict;

/* Which registers TIMG2COL takes its feature map from, and whether it sets them itself (30, TIMG2COL). */
typedef enum pto_fmatrix_mode {
    PTO_FMATRIX_A_AUTO = 0,
    PTO_FMATRIX_B_AUTO = 1,
    PTO_FMATRIX_A_MANUAL = 2,
    PTO_FMATRIX_B_MANUAL = 3
} pto_fmatrix_mode;

/* The tensor that a convolution tile holds, and its convolution parameters (00-model, 7). Storage is dense
 * and row-major over the dimensions, in the order of the tag:
 * - NC1HWC0 N,C1,H,W,C0; NDC1HWC0 N,D,C1,H,W,C0; GNC1HWC0 G,N,C1,H,W,C0; NHWC N,H,W,C
 * - NCHW N,C,H,W; GNCHW G,N,C,H,W; NCDHW N,C,D,H,W
 * - FRACTAL_Z C1*H*W,N/16,16,C0 or C1,H,W,N,C0; FRACTAL_Z_3D D*C1*H*W,N/16,16,C0 */
enum { PTO_CONV_DIMS = 6 };
typedef struct pto_conv {
    pto_layout layout;
    int32_t rank; /* dimensions in use */
    int32_t shape[PTO_CONV_DIMS];
    uint16_t fmap_h, fmap_w;                            /* 0 = H and W of the shape */
    uint8_t pad_list[4];                                /* left, right, top, bottom */
    uint16_t filter_h, filter_w;                        /* 1 */
    uint8_t dilation_h, dilation_w, stride_h, stride_w; /* 1 */
    uint64_t pad_value;                                 /* the bits of an element */
    uint16_t channel_size;                              /* 0 = C1 * C0 */
    uint16_t repeat_stride;
    uint8_t repeat_time, repeat_mode; /* 1, 0 */
    bool transpose;
    uint16_t dst_stride, dst_m_position;
} pto_conv;

/* TQUANT (40, 0): what is made, how the shared exponent of a group is chosen, where groups of 32 lie. */
typedef enum pto_quant_type {
    PTO_QUANT_MXFP8 = 0,
    PTO_QUANT_MXFP4_E2M1 = 1,
    PTO_QUANT_INT8_SYM = 2,
    PTO_QUANT_INT8_ASYM = 3
} pto_quant_type;
typedef enum pto_quant_scale_alg { PTO_QUANT_OCP = 0, PTO_QUANT_NV = 1 } pto_quant_scale_alg;
typedef enum pto_mx_quant_alg {
    PTO_OCP_MXFP8_E4M3 = 0,
    PTO_NV_MXFP8_E4M3 = 1,
    PTO_OCP_MXFP4_E2M1 = 2,
    PTO_NV_MXFP4_E2M1 = 3,
    PTO_HIF4 = 4
} pto_mx_quant_alg;
typedef enum pto_group_axis { PTO_GROUP_DN = 0, PTO_GROUP_ND = 1 } pto_group_axis;
typedef enum pto_vec_store_mode { PTO_VEC_STORE_ND = 0, PTO_VEC_STORE_NZ = 1 } pto_vec_store_mode;

/* What a tile is (00-model, 3.1). Extents are elements. `valid_*` may be PTO_DYNAMIC. */
#define PTO_DYNAMIC (-1)
typedef struct pto_tile_type {
    pto_loc loc;
    pto_dtype dtype;
    int32_t rows, cols;             /* capacity; decides every address */
    int32_t valid_rows, valid_cols; /* static valid extents or PTO_DYNAMIC */
    pto_blayout blayout;
    pto_slayout slayout;
    int32_t fractal; /* bytes of an inner box: 512, 1024 or 32 */
    pto_pad pad;
    pto_compact compact;
    /* A convolution tile: one flat row of bytes in vec or mat that holds this tensor; borrowed, and read by
     * every instruction anew. NULL = an ordinary tile. */
    const pto_conv *conv;
} pto_tile_type;

/* Bits of one element: 4, 8, 16, 32 or 64; 0 for PTO_DTYPE_NONE. */
PTO_API unsigned pto_dtype_bits(pto_dtype dtype);
/* "f32", "s8", ... and back (also i8/si8/ui8/float/half/int32_t spellings); PTO_DTYPE_NONE when unknown. */
PTO_API const char *pto_dtype_name(pto_dtype dtype);
PTO_API pto_dtype pto_dtype_from_name(const char *name, size_t len);
PTO_API bool pto_dtype_is_float(pto_dtype dtype);
PTO_API bool pto_dtype_is_int(pto_dtype dtype);
PTO_API bool pto_dtype_is_signed(pto_dtype dtype);

PTO_API const char *pto_loc_name(pto_loc loc); /* "vec", "mat", ... */
/* "ND", "NC1HWC0", ...; "unknown" for numbers that name no layout. */
PTO_API const char *pto_layout_name(pto_layout layout);
/* In any case; false when unknown. */
PTO_API bool pto_layout_from_name(const char *name, size_t len, pto_layout *layout);
PTO_API const char *pto_target_name(pto_target target); /* "cpu", "a2a3", "a5" */
/* Accepts cpu, a2a3, a2, a3, a5 in any case; false when unknown. */
PTO_API bool pto_target_from_name(const char *name, pto_target *target);
PTO_API const char *pto_pipe_name(pto_pipe pipe); /* "PIPE_V", ... */
/* Capacity in bytes of a memory on a target (00-model, 8.1); 0 = absent. */
PTO_API uint32_t pto_loc_capacity(pto_target target, pto_loc loc);

/* A flat tile type with default layout: row-major, no box, valid = capacity. */
PTO_API pto_tile_type pto_tile_type_make(pto_loc loc, pto_dtype dtype, int32_t rows, int32_t cols);
/* Flat column-major (DN), and blocks of 16 rows x 32 bytes in columns (Nz). */
PTO_API pto_tile_type pto_tile_type_dn(pto_loc loc, pto_dtype dtype, int32_t rows, int32_t cols);
PTO_API pto_tile_type pto_tile_type_nz(pto_loc loc, pto_dtype dtype, int32_t rows, int32_t cols);
/* Layout aliases of 00-model, 5: TileLeft (Zz on a2a3, else Nz), TileRight (Zn), TileAcc (Nz, 1024). */
PTO_API pto_tile_type pto_tile_type_left(pto_target target, pto_dtype dtype, int32_t rows, int32_t cols);
PTO_API pto_tile_type pto_tile_type_right(pto_dtype dtype, int32_t rows, int32_t cols);
PTO_API pto_tile_type pto_tile_type_acc(pto_dtype dtype, int32_t rows, int32_t cols);
/* A tensor of `rank` extents under a tag with default parameters (filter, dilation, stride, repeat time 1).
 */
PTO_API pto_conv pto_conv_make(pto_layout layout, int32_t rank, const int32_t *shape);
/* Elements of the tensor; 0 for extents that are not positive, INT64_MAX when it is more. */
PTO_API int64_t pto_conv_elements(const pto_conv *conv);
/* A convolution tile of exactly these elements; `conv` lives as long as tiles of the type are used. */
PTO_API pto_tile_type pto_tile_type_conv(pto_loc loc, pto_dtype dtype, const pto_conv *conv);
/* Scales e8m0 of an operand: TileLeftScale (Zz, 32), TileRightScale (Nn, 32); or the same layouts in mat. */
PTO_API pto_tile_type pto_tile_type_left_scale(pto_loc loc, int32_t rows, int32_t cols);
PTO_API pto_tile_type pto_tile_type_right_scale(pto_loc loc, int32_t rows, int32_t cols);
/* Bytes of the tile's capacity: rows*cols*bits/8. 64-bit, cannot overflow for int32 extents. */
PTO_API uint64_t pto_tile_type_bytes(const pto_tile_type *type);
/* Inner box extents (00-model, 3.3); 1 x 1 for flat tiles. 4-bit boxes are 64 elements wide. */
PTO_API void pto_tile_type_box(const pto_tile_type *type, int32_t *box_rows, int32_t *box_cols);

PTO_END_DECLS
#endif
