/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of loads and stores (part 30, TLOAD and TSTORE; 00-model, 6). Extents and strides of tensors that
 * are not known are negative; no rule fails on them. */
#include "isa/dtype_set.h"
#include "isa/extents.h"
#include "isa/rules_memory.h"
#include "isa/rules_shared.h"

#include <stdio.h>

static unsigned element_bytes(pto_dtype dtype) { /* 4-bit types count as one byte */
    unsigned bits = pto_dtype_bits(dtype);
    return bits < 8 ? 1 : bits / 8;
}

static int64_t elements_of_32_bytes(pto_dtype dtype) { return 256 / (int64_t)pto_dtype_bits(dtype); }

static bool is_npu(const pto_legality *legality) { return legality->target != PTO_TARGET_CPU; }

static bool known_other(int64_t value, int64_t wanted) { return value >= 0 && value != wanted; }

static bool one_batch(const pto_legality_operand *tensor) {
    return !known_other(tensor->shape[0], 1) && !known_other(tensor->shape[1], 1) &&
           !known_other(tensor->shape[2], 1);
}

/* ---- shared by loads and stores ---- */

static void refuse_pair(pto_legality *legality, int tile_operand, int tensor_operand, const char *allowed) {
    const pto_tile_type *type = &legality->operand[tile_operand].type;
    pto_legality_refuse(legality, "PTO-E0704", tile_operand, allowed, "%s tile of %s in %s with %s tensor",
                        pto_tile_type_layout_name(type), pto_dtype_name(type->dtype), pto_loc_name(type->loc),
                        pto_layout_name(legality->operand[tensor_operand].layout));
}

/* Convolution layouts that a store from acc (on cpu: of any tile) writes. */
static bool is_conv_layout(pto_layout layout) {
    return layout == PTO_LAYOUT_NC1HWC0 || layout == PTO_LAYOUT_NDC1HWC0 || layout == PTO_LAYOUT_NHWC ||
           layout == PTO_LAYOUT_NCHW || layout == PTO_LAYOUT_NCDHW;
}

static bool is_mx(pto_layout layout) { return layout >= PTO_LAYOUT_MX_A_ND && layout <= PTO_LAYOUT_MX_B_NN; }

/* Pairs innermost, boxes of 16 in the boxed ones. Of a pair both elements are loaded; a tensor of scales may
 * be larger than the tile. */
static void check_mx(pto_legality *legality, const pto_legality_operand *tile,
                     const pto_legality_operand *tensor) {
    const bool boxed = tensor->layout == PTO_LAYOUT_MX_A_ZZ || tensor->layout == PTO_LAYOUT_MX_B_NN;
    const bool left = tensor->layout <= PTO_LAYOUT_MX_A_ZZ;
    const int32_t pairs = left ? tile->valid_cols : tile->valid_rows;
    int64_t rows, cols;
    pto_layout_extents(tensor->layout, tensor->shape, 1, &rows, &cols);
    const bool inside = (rows < 0 || tile->valid_rows <= rows) && (cols < 0 || tile->valid_cols <= cols);
    char allowed[96];
    if (known_other(tensor->shape[4], 2) || (boxed && known_other(tensor->shape[3], 16)) ||
        known_other(tensor->shape[0], 1) || (!boxed && known_other(tensor->shape[1], 1))) {
        pto_legality_refuse(legality, "PTO-E0813", 1, boxed ? "1, x, x, 16, 2" : "1, 1, x, x, 2",
                            "%lld, %lld, %lld, %lld, %lld", (long long)tensor->shape[0],
                            (long long)tensor->shape[1], (long long)tensor->shape[2],
                            (long long)tensor->shape[3], (long long)tensor->shape[4]);
    } else if (!inside) {
        snprintf(allowed, sizeof allowed, "at most %lld x %lld, the rows and columns of %s", (long long)rows,
                 (long long)cols, legality->form->operand[1].name);
        pto_legality_refuse(legality, "PTO-E0703", 0, allowed, "%d x %d", tile->valid_rows, tile->valid_cols);
    } else if (is_npu(legality) && pairs > 0 && pairs % 2) {
        pto_legality_refuse(legality, "PTO-E0813", 0, left ? "even columns" : "even rows", "%d", pairs);
    }
}

/* Every extent is positive, and the valid region of the tile is what the tensor covers. */
static void check_extents(pto_legality *legality, int tile_operand, int tensor_operand) {
    const pto_legality_operand *tile = &legality->operand[tile_operand];
    const pto_legality_operand *tensor = &legality->operand[tensor_operand];
    bool store = tensor_operand == 0;
    bool mx = !store && is_mx(tensor->layout);
    if ((unsigned)tensor->layout > PTO_LAYOUT_NZ && !mx && !(store && is_conv_layout(tensor->layout))) {
        refuse_pair(legality, tile_operand, tensor_operand,
                    store ? "tensors in ND, DN, NZ, NC1HWC0, NDC1HWC0, NHWC, NCHW, NCDHW"
                          : "tensors in ND, DN, NZ, MX_A_*, MX_B_*");
        return;
    }
    for (int d = 0; d < 5; d++)
        if (tensor->shape[d] == 0) {
            pto_legality_refuse(legality, "PTO-E0705", tensor_operand, "at least 1",
                                "extent 0 of dimension %d", d);
            return;
        }
    if (tile->valid_rows == 0 || tile->valid_cols == 0) {
        pto_legality_refuse(legality, "PTO-E0324", tile_operand, "at least 1 x 1", "%d x %d",
                            tile->valid_rows, tile->valid_cols);
        return;
    }
    if (mx) {
        check_mx(legality, tile, tensor);
        return;
    }
    bool leading = tensor->layout == PTO_LAYOUT_NHWC || tensor->layout == PTO_LAYOUT_NCHW;
    if (leading && known_other(tensor->shape[0], 1)) {
        pto_legality_refuse(legality, "PTO-E0704", tensor_operand, "extent 1 of dimension 0", "%lld",
                            (long long)tensor->shape[0]);
        return;
    }
    int64_t rows, cols;
    int64_t c0 = pto_layout_inner_width(tensor->layout, tensor->dtype, tile->type.loc == PTO_LOC_ACC);
    pto_layout_extents(tensor->layout, tensor->shape, c0, &rows, &cols);
    if ((tile->valid_rows >= 0 && known_other(rows, tile->valid_rows)) ||
        (tile->valid_cols >= 0 && known_other(cols, tile->valid_cols))) {
        char allowed[96];
        snprintf(allowed, sizeof allowed, "%lld x %lld, the rows and columns of %s", (long long)rows,
                 (long long)cols, legality->form->operand[tensor_operand].name);
        pto_legality_refuse(legality, "PTO-E0703", tile_operand, allowed, "%d x %d", tile->valid_rows,
                            tile->valid_cols);
    }
}

/* The DMA engines take the innermost strides as given by the layout (00-model, 6.4). A dimension of extent 1
 * has no stride. */
static void check_innermost_stride(pto_legality *legality, int tensor_operand) {
    const pto_legality_operand *tensor = &legality->operand[tensor_operand];
    int64_t c0 = elements_of_32_bytes(tensor->dtype);
    int64_t inner = tensor->shape[4] > 0 && tensor->layout == PTO_LAYOUT_NZ ? tensor->shape[4] : c0;
    const int64_t wanted[5] = {-1, -1, tensor->layout == PTO_LAYOUT_NZ ? 16 * inner : -1,
                               tensor->layout == PTO_LAYOUT_NZ   ? inner
                               : tensor->layout == PTO_LAYOUT_DN ? 1
                                                                 : -1,
                               tensor->layout == PTO_LAYOUT_DN || tensor->layout == PTO_LAYOUT_NDC1HWC0 ? -1
                                                                                                        : 1};
    for (int d = 4; d >= 2; d--) {
        if (wanted[d] < 0 || tensor->stride[d] == PTO_UNKNOWN || tensor->stride[d] == wanted[d] ||
            tensor->shape[d] == 1 || tensor->shape[d] < 0)
            continue;
        char allowed[32];
        snprintf(allowed, sizeof allowed, "%lld", (long long)wanted[d]);
        pto_legality_refuse(legality, "PTO-E0707", tensor_operand, allowed, "stride %lld of dimension %d",
                            (long long)tensor->stride[d], d);
        return;
    }
}

static bool check_most(pto_legality *legality, int operand, const char *what, int64_t value, int64_t most) {
    if (value <= most)
        return true;
    char allowed[32];
    snprintf(allowed, sizeof allowed, "at most %lld", (long long)most);
    pto_legality_refuse(legality, "PTO-E0708", operand, allowed, "%s %lld", what, (long long)value);
    return false;
}

/* Bursts of an a2a3 copy between equal layouts. */
static bool check_bursts(pto_legality *legality, int tensor_operand) {
    const pto_legality_operand *tensor = &legality->operand[tensor_operand];
    static const int dim[] = {3, 4, 1}; /* ND, DN, NZ */
    return check_most(legality, tensor_operand, "burst count", tensor->shape[dim[tensor->layout]], 4095);
}

/* a2a3, mat: lines of whole 32-byte blocks. A load of a one-row ND (one-column DN) tile needs a tensor
 * without batches instead. */
static void check_mat_lines(pto_legality *legality, int tile_operand, int tensor_operand, bool load) {
    const pto_legality_operand *tile = &legality->operand[tile_operand];
    const pto_legality_operand *tensor = &legality->operand[tensor_operand];
    if (tensor->layout == PTO_LAYOUT_NZ)
        return;
    bool nd = tensor->layout == PTO_LAYOUT_ND;
    if (load && (nd ? tile->type.rows : tile->type.cols) == 1) {
        if (!one_batch(tensor))
            pto_legality_refuse(legality, "PTO-E0709", tensor_operand, "extents of dimensions 0 to 2 of 1",
                                "%lld, %lld, %lld", (long long)tensor->shape[0], (long long)tensor->shape[1],
                                (long long)tensor->shape[2]);
        return;
    }
    int64_t line = nd ? tensor->shape[4] : tensor->shape[3];
    if (line >= 0 && line % (32 / (int64_t)element_bytes(tensor->dtype)))
        pto_legality_refuse(legality, "PTO-E0709", tensor_operand, "a multiple of 32 bytes",
                            "%lld elements of %s in dimension %d", (long long)line,
                            pto_dtype_name(tensor->dtype), nd ? 4 : 3);
}

static bool is_layout(const pto_tile_type *type, const char *name) {
    const char *have = pto_tile_type_layout_name(type);
    return have[0] == name[0] && have[1] == name[1];
}

static bool same_layout(const pto_tile_type *type, pto_layout layout) {
    switch (layout) {
    case PTO_LAYOUT_DN:
        return is_layout(type, "DN");
    case PTO_LAYOUT_NZ:
        return is_layout(type, "Nz");
    case PTO_LAYOUT_ND:
        return is_layout(type, "ND");
    default:
        return false;
    }
}

/* ---- TLOAD: dst tile, src tensor ---- */

void pto_rule_load_location(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc loc = legality->operand[0].type.loc;
    if (loc != PTO_LOC_VEC && loc != PTO_LOC_MAT)
        pto_legality_refuse(legality, "PTO-E0701", 0, "vec, mat", "%s", pto_loc_name(loc));
}

void pto_rule_load_types(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    if (!is_npu(legality))
        return;
    uint32_t set = DTYPES_STD9 | DTYPES_INT64 | (legality->target == PTO_TARGET_A5 ? DTYPES_SMALL_FLOAT : 0);
    const pto_dtype dtypes[2] = {legality->operand[0].type.dtype, legality->operand[1].dtype};
    for (int i = 0; i < 2; i++)
        if (!dtype_in(dtypes[i], set))
            pto_legality_refuse(legality, "PTO-E0702", i,
                                legality->target == PTO_TARGET_A5
                                    ? "every type of 1, 2, 4 or 8 bytes, e2m1, e1m2"
                                    : "s8 u8 s16 u16 s32 u32 s64 u64 f16 bf16 f32",
                                "%s", pto_dtype_name(dtypes[i]));
}

void pto_rule_load_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_extents(legality, 0, 1);
}

void pto_rule_load_layout_pair(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *tile = &legality->operand[0].type;
    const pto_legality_operand *tensor = &legality->operand[1];
    if (!is_npu(legality))
        return; /* any pair */
    bool a5 = legality->target == PTO_TARGET_A5, mat = tile->loc == PTO_LOC_MAT;
    unsigned bits = pto_dtype_bits(tile->dtype);
    if (is_mx(tensor->layout)) {
        const bool left = tensor->layout <= PTO_LAYOUT_MX_A_ZZ;
        if (!a5 || !mat || tile->fractal != 32 || !is_layout(tile, left ? "Zz" : "Nn") ||
            tile->dtype != PTO_E8M0 || tensor->dtype != PTO_E8M0)
            refuse_pair(legality, 0, 1,
                        a5 ? "e8m0 in mat, fractal 32: Zz from MX_A_ZZ, MX_A_ND, MX_A_DN, Nn from MX_B_NN, "
                             "MX_B_ND, MX_B_DN"
                           : "tensors in ND, DN, NZ");
        return;
    }
    if (bits == 64 && (!same_layout(tile, tensor->layout) || tensor->layout == PTO_LAYOUT_NZ)) {
        refuse_pair(legality, 0, 1, "8-byte elements: ND from ND, DN from DN");
        return;
    }
    if (!same_layout(tile, tensor->layout)) {
        bool boxes = mat && tile->fractal == 512;
        bool nz_from_nd = boxes && is_layout(tile, "Nz") && tensor->layout == PTO_LAYOUT_ND;
        bool nz_from_dn =
            boxes && is_layout(tile, "Nz") && tensor->layout == PTO_LAYOUT_DN && a5 && bits != 4;
        bool zn_from_dn = boxes && is_layout(tile, "Zn") && tensor->layout == PTO_LAYOUT_DN;
        if (!nz_from_nd && !nz_from_dn && !zn_from_dn) {
            refuse_pair(legality, 0, 1,
                        mat ? (a5 ? "ND from ND, DN from DN, Nz from NZ, ND or DN (not 4-bit), Zn from DN; "
                                    "fractal 512 where the layouts differ"
                                  : "ND from ND, DN from DN, Nz from NZ or ND, Zn from DN; fractal 512 where "
                                    "the layouts differ")
                            : "ND from ND, DN from DN, Nz from NZ");
            return;
        }
        if (!a5 && !one_batch(tensor)) {
            pto_legality_refuse(legality, "PTO-E0704", 1, "extents of dimensions 0 to 2 of 1",
                                "%lld, %lld, %lld", (long long)tensor->shape[0], (long long)tensor->shape[1],
                                (long long)tensor->shape[2]);
            return;
        }
    }
    if (tensor->layout == PTO_LAYOUT_NZ &&
        (known_other(tensor->shape[3], 16) ||
         known_other(tensor->shape[4], elements_of_32_bytes(tensor->dtype)))) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "16 x %lld, 32 bytes a row",
                 (long long)elements_of_32_bytes(tensor->dtype));
        pto_legality_refuse(legality, "PTO-E0706", 1, allowed, "%lld x %lld", (long long)tensor->shape[3],
                            (long long)tensor->shape[4]);
    }
}

/* Of the hardware targets: pad policies, counts that its instructions hold, strides that it assumes. */
void pto_rule_load_limits(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *tile = &legality->operand[0].type;
    const pto_legality_operand *tensor = &legality->operand[1];
    bool mat = tile->loc == PTO_LOC_MAT, nd = tensor->layout == PTO_LAYOUT_ND;
    if (legality->target == PTO_TARGET_A5) {
        if (pto_dtype_bits(tile->dtype) == 64 && tile->pad != PTO_PAD_NULL && tile->pad != PTO_PAD_ZERO)
            pto_legality_refuse(legality, "PTO-E0710", 0, "null, zero", "pad 0x%llx",
                                (unsigned long long)tile->pad);
        else if (!mat || check_most(legality, 0, "rows", tile->rows, 16384))
            check_innermost_stride(legality, 1);
        return;
    }
    if (!check_most(legality, 0, "rows", tile->rows, mat ? 16384 : 4095))
        return;
    if (same_layout(tile, tensor->layout)) {
        if (!check_bursts(legality, 1))
            return;
        if (mat)
            check_mat_lines(legality, 0, 1, true);
    } else {
        /* the repacking engine: extents and pitch of the tensor */
        int outer = nd ? 3 : 4, inner = nd ? 4 : 3;
        if (!check_most(legality, 1, "outer extent", tensor->shape[outer], 16384) ||
            !check_most(legality, 1, "inner extent", tensor->shape[inner], 65535))
            return;
        int64_t pitch = tensor->stride[outer];
        if (pitch != PTO_UNKNOWN && (pitch < 1 || pitch > 65535)) {
            pto_legality_refuse(legality, "PTO-E0708", 1, "1 to 65535", "pitch %lld", (long long)pitch);
            return;
        }
        if (!nd && !check_most(legality, 0, "columns", tile->cols, 16384))
            return;
    }
    if (!legality->failed)
        check_innermost_stride(legality, 1);
}

/* ---- TSTORE: dst tensor, src tile ---- */

void pto_rule_store_location(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc loc = legality->operand[1].type.loc;
    bool a5 = legality->target == PTO_TARGET_A5;
    if (loc != PTO_LOC_VEC && loc != PTO_LOC_ACC && (loc != PTO_LOC_MAT || a5))
        pto_legality_refuse(legality, "PTO-E0701", 1, a5 ? "vec, acc" : "vec, mat, acc", "%s",
                            pto_loc_name(loc));
}

void pto_rule_store_types(pto_legality *legality, const pto_rule_use *use) {
    pto_dtype to = legality->operand[0].dtype, from = legality->operand[1].type.dtype;
    if (legality->operand[1].type.loc == PTO_LOC_ACC) {
        bool ok = (from == PTO_F32 && (to == PTO_F32 || to == PTO_F16 || to == PTO_BF16)) ||
                  (from == PTO_S32 && to == PTO_S32);
        if (!ok)
            pto_legality_refuse(legality, "PTO-E0702", 0, "f32 to f32, f16, bf16; s32 to s32", "%s to %s",
                                pto_dtype_name(from), pto_dtype_name(to));
        return;
    }
    pto_rule_element_size_equal(legality, use);
    if (legality->failed || !is_npu(legality))
        return;
    bool a5 = legality->target == PTO_TARGET_A5;
    uint32_t set = DTYPES_STD9 | DTYPES_INT64 | (a5 ? DTYPES_SMALL_FLOAT : 0);
    const pto_dtype dtypes[2] = {to, from};
    for (int i = 0; i < 2; i++)
        if (!dtype_in(dtypes[i], set))
            pto_legality_refuse(
                legality, "PTO-E0702", i,
                a5 ? "s8 u8 s16 u16 s32 u32 s64 u64 f16 bf16 f32 e4m3 e5m2 e8m0 hif8 e2m1 e1m2"
                   : "s8 u8 s16 u16 s32 u32 s64 u64 f16 bf16 f32",
                "%s", pto_dtype_name(dtypes[i]));
}

/* The attributes of TSTORE: phase, atomic, relu. */
void pto_rule_store_attributes(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    static const pto_legality_operand absent = {.kind = PTO_OPERAND_ABSENT};
    const pto_legality_operand *phase = &absent, *atomic = &absent;
    int phase_at = -1, atomic_at = -1;
    for (int i = 0; i < legality->form->operand_count; i++)
        if (legality->form->operand[i].attr == PTO_ATTR_ST_PHASE)
            phase = &legality->operand[phase_at = i];
        else if (legality->form->operand[i].attr == PTO_ATTR_ATOMIC)
            atomic = &legality->operand[atomic_at = i];
    if (phase->value_known && phase->value.i != 0 && phase->value.i != 2 && phase->value.i != 3)
        pto_legality_refuse(legality, "PTO-E0714", phase_at, "unspecified 0, partial 2, final 3", "%lld",
                            (long long)phase->value.i);
    if (atomic->value_known && atomic->value.i != 0 && atomic->value.i != 1)
        pto_legality_refuse(legality, "PTO-E0714", atomic_at, "none 0, add 1", "%lld",
                            (long long)atomic->value.i);
    else if (atomic->value_known && atomic->value.i == 1 &&
             !dtype_in(legality->operand[0].dtype, DTYPES(PTO_F16) | DTYPES(PTO_BF16) | DTYPES(PTO_F32) |
                                                       DTYPES(PTO_S8) | DTYPES(PTO_S16) | DTYPES(PTO_S32)))
        pto_legality_refuse(legality, "PTO-E0713", 0, "f16 bf16 f32 s8 s16 s32", "%s",
                            pto_dtype_name(legality->operand[0].dtype));
}

/* relu(attribute, source tile): only the way out of the accumulator has one. */
void pto_rule_acc_relu(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *relu = &legality->operand[use->arg[0]];
    pto_loc loc = legality->operand[use->arg[1]].type.loc;
    if (!relu->value_known || relu->value.i == 0)
        return;
    if (relu->value.i != 1)
        pto_legality_refuse(legality, "PTO-E0714", use->arg[0], "no relu 0, normal relu 1", "%lld",
                            (long long)relu->value.i);
    else if (loc != PTO_LOC_ACC)
        pto_legality_refuse(legality, "PTO-E0712", use->arg[1], "acc", "%s", pto_loc_name(loc));
}

void pto_rule_store_read_only(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    if (legality->operand[0].read_only)
        pto_legality_refuse(legality, "PTO-E0711", 0, "a tensor that may be written", "a read-only tensor");
}

void pto_rule_store_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_extents(legality, 1, 0);
}

/* The inner width of an NZ or NC1HWC0 tensor that takes an accumulator. */
static void check_acc_nz(pto_legality *legality) {
    const pto_legality_operand *tensor = &legality->operand[0];
    int64_t c0 = elements_of_32_bytes(tensor->dtype), width = tensor->shape[4];
    bool f32 = tensor->dtype == PTO_F32;
    bool ok = width < 0 || width == (tensor->dtype == PTO_S32 ? 16 : c0) || (f32 && width == 16);
    if (ok && (tensor->layout != PTO_LAYOUT_NZ || !known_other(tensor->shape[3], 16)))
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "16 x %s%d", f32 ? "8 or 16 x " : "", f32 || c0 == 8 ? 16 : (int)c0);
    pto_legality_refuse(legality, "PTO-E0706", 0, allowed, "%lld x %lld", (long long)tensor->shape[3],
                        (long long)width);
}

/* The fixpipe writes the rows of a tile at one pitch (NHWC) or one after the other (NCHW, NCDHW): H and W are
 * packed, and no other extent lies between (00-model, 6.4). */
static void check_packed(pto_legality *legality) {
    const pto_legality_operand *tensor = &legality->operand[0];
    const int64_t *s = tensor->shape, *t = tensor->stride;
    int one = tensor->layout == PTO_LAYOUT_NCHW ? 1 : tensor->layout == PTO_LAYOUT_NCDHW ? 2 : -1;
    if (one >= 0 && known_other(s[one], 1)) {
        pto_legality_refuse(legality, "PTO-E0704", 0, "an extent of 1", "extent %lld of dimension %d",
                            (long long)s[one], one);
        return;
    }
    int w = tensor->layout == PTO_LAYOUT_NHWC ? 3 : 4, h = w - 1;
    bool known = s[w] > 0 && s[h] > 1 && t[w] != PTO_UNKNOWN && t[h] != PTO_UNKNOWN;
    int64_t packed;
    if (tensor->layout == PTO_LAYOUT_NDC1HWC0 || !known ||
        (!__builtin_mul_overflow(s[w], t[w], &packed) && packed == t[h]))
        return;
    pto_legality_refuse(legality, "PTO-E0707", 0, "rows of W one behind the other",
                        "stride %lld of dimension %d", (long long)t[h], h);
}

void pto_rule_store_layout_pair(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *tensor = &legality->operand[0];
    const pto_tile_type *tile = &legality->operand[1].type;
    if (!is_npu(legality))
        return; /* any pair */
    if (tile->loc == PTO_LOC_ACC) {
        static const uint32_t a2a3 = 1u << PTO_LAYOUT_ND | 1u << PTO_LAYOUT_NZ | 1u << PTO_LAYOUT_NC1HWC0 |
                                     1u << PTO_LAYOUT_NDC1HWC0,
                              a5 = 1u << PTO_LAYOUT_ND | 1u << PTO_LAYOUT_NZ | 1u << PTO_LAYOUT_NHWC |
                                   1u << PTO_LAYOUT_NCHW | 1u << PTO_LAYOUT_NCDHW;
        bool is_a5 = legality->target == PTO_TARGET_A5;
        if (!((is_a5 ? a5 : a2a3) >> tensor->layout & 1))
            refuse_pair(legality, 1, 0, is_a5 ? "ND, NZ, NHWC, NCHW, NCDHW" : "ND, NZ, NC1HWC0, NDC1HWC0");
        else if (tensor->layout == PTO_LAYOUT_NZ || tensor->layout == PTO_LAYOUT_NC1HWC0)
            check_acc_nz(legality);
        else if (is_conv_layout(tensor->layout))
            check_packed(legality);
        else if (legality->target == PTO_TARGET_A2A3 && !one_batch(tensor))
            pto_legality_refuse(legality, "PTO-E0704", 0, "extents of dimensions 0 to 2 of 1",
                                "%lld, %lld, %lld", (long long)tensor->shape[0], (long long)tensor->shape[1],
                                (long long)tensor->shape[2]);
        return;
    }
    bool line = tile->slayout == PTO_NONE_BOX && tensor->layout != PTO_LAYOUT_NZ &&
                (tile->rows == 1 || tile->cols == 1);
    bool wide_nz = tensor->layout == PTO_LAYOUT_NZ && pto_dtype_bits(tile->dtype) == 64;
    if ((!same_layout(tile, tensor->layout) && !line) || wide_nz)
        refuse_pair(legality, 1, 0,
                    "ND to ND, DN to DN, Nz to NZ (not 8-byte elements); one row or one column: ND, DN");
}

void pto_rule_store_limits(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *tensor = &legality->operand[0], *source = &legality->operand[1];
    const pto_tile_type *tile = &source->type;
    bool a2a3 = legality->target == PTO_TARGET_A2A3;
    if (tile->loc == PTO_LOC_ACC) {
        if (!check_most(legality, 1, "columns", tile->cols, 4095) ||
            !check_most(legality, 1, "rows", tile->rows, tensor->layout == PTO_LAYOUT_ND ? 8192 : 65535))
            return;
        bool nz = tensor->layout == PTO_LAYOUT_NZ, nd = tensor->layout == PTO_LAYOUT_ND;
        if (!nd && (tile->cols % 16 || (nz && a2a3 && source->valid_cols > 0 && source->valid_cols % 16)))
            pto_legality_refuse(legality, "PTO-E0708", 1, "a multiple of 16 columns", "%d columns, %d valid",
                                tile->cols, source->valid_cols);
    } else if (a2a3) {
        if (!check_bursts(legality, 0))
            return;
        if (tile->loc == PTO_LOC_MAT)
            check_mat_lines(legality, 1, 0, false);
    }
    if (!legality->failed)
        check_innermost_stride(legality, 0);
}
