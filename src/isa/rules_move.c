/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of moves, transposes and views on chip (part 30, TMOV, TTRANS, TRESHAPE; 00-model, 9), and of
 * printing (part 40, 6). */
#include "isa/dtype_set.h"
#include "isa/rules_memory.h"
#include "isa/rules_shared.h"

#include <stdio.h>

static bool is_layout(const pto_tile_type *type, const char *name) {
    const char *have = pto_tile_type_layout_name(type);
    return have[0] == name[0] && have[1] == name[1];
}

static bool same_layout(const pto_tile_type *a, const pto_tile_type *b) {
    return a->blayout == b->blayout && a->slayout == b->slayout &&
           (a->slayout == PTO_NONE_BOX || a->fractal == b->fractal);
}

static unsigned element_bytes(pto_dtype dtype) {
    unsigned bits = pto_dtype_bits(dtype);
    return bits < 8 ? 1 : bits / 8;
}

/* ---- TMOV: dst, src ---- */

enum { CPU = 1 << PTO_TARGET_CPU, A2A3 = 1 << PTO_TARGET_A2A3, A5 = 1 << PTO_TARGET_A5 };

/* Targets that have the path (00-model, 8.2); cpu has all of them. */
static unsigned path_targets(pto_loc src, pto_loc dst) {
    if (src == PTO_LOC_VEC)
        return dst == PTO_LOC_VEC ? CPU | A2A3 | A5 : dst == PTO_LOC_MAT ? CPU | A5 : 0;
    if (src == PTO_LOC_MAT)
        switch (dst) {
        case PTO_LOC_LEFT:
        case PTO_LOC_RIGHT:
        case PTO_LOC_BIAS:
        case PTO_LOC_SCALING:
            return CPU | A2A3 | A5;
        case PTO_LOC_SCALE_LEFT:
        case PTO_LOC_SCALE_RIGHT:
            return CPU | A5;
        default:
            return 0;
        }
    if (src == PTO_LOC_ACC)
        return dst == PTO_LOC_MAT ? CPU | A2A3 | A5 : dst == PTO_LOC_VEC ? CPU | A5 : 0;
    return 0;
}

void pto_rule_mov_path(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc dst = legality->operand[0].type.loc, src = legality->operand[1].type.loc;
    if (path_targets(src, dst) & 1u << legality->target)
        return;
    pto_legality_refuse(
        legality, "PTO-E0720", 1,
        legality->target == PTO_TARGET_A2A3
            ? "vec to vec, mat to left, right, bias, scaling, acc to mat"
            : "vec to vec, mat; mat to left, right, bias, scaling, scale_left, scale_right; acc "
              "to mat, vec",
        "%s to %s", pto_loc_name(src), pto_loc_name(dst));
}

/* Accumulators are converted by part 30, Q.1; the plain form of the table alone stands here. */
static bool acc_types(pto_target target, pto_dtype src, pto_dtype dst) {
    if (src == PTO_F32)
        return dst == PTO_F16 || dst == PTO_BF16 || (dst == PTO_F32 && target != PTO_TARGET_A2A3);
    return src == PTO_S32 && dst == PTO_S32 && target != PTO_TARGET_A2A3;
}

static bool bias_types(pto_target target, pto_dtype src, pto_dtype dst) {
    if (dst == PTO_S32)
        return src == PTO_S32;
    return dst == PTO_F32 &&
           (src == PTO_F32 || src == PTO_F16 || (src == PTO_BF16 && target == PTO_TARGET_A5));
}

void pto_rule_mov_types(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    bool a5 = legality->target == PTO_TARGET_A5, ok, equal = dst->dtype == src->dtype;
    const char *allowed;
    const uint32_t repack = DTYPES(PTO_S8) | DTYPES(PTO_U8) | DTYPES(PTO_S32) | DTYPES(PTO_F16) |
                            DTYPES(PTO_BF16) | DTYPES(PTO_F32) | (DTYPES_SMALL_FLOAT & ~DTYPES(PTO_E8M0));
    if (src->loc == PTO_LOC_ACC) {
        ok = acc_types(legality->target, src->dtype, dst->dtype);
        allowed =
            legality->target == PTO_TARGET_A2A3 ? "f32 to f16, bf16" : "f32 to f32, f16, bf16; s32 to s32";
    } else if (legality->target == PTO_TARGET_CPU) {
        return; /* any type to any type */
    } else if (src->loc == PTO_LOC_VEC) {
        /* a2a3 refuses other layouts later, whatever the types */
        bool plain = dst->loc == PTO_LOC_VEC && (same_layout(dst, src) || !a5);
        uint32_t set = plain ? UINT32_MAX : dst->loc == PTO_LOC_MAT ? repack | DTYPES(PTO_E8M0) : repack;
        ok = equal && dtype_in(src->dtype, set);
        allowed = plain ? "equal types" : "equal types of s8 u8 s32 f16 bf16 f32 e4m3 e5m2 hif8 e2m1 e1m2";
    } else if (dst->loc == PTO_LOC_BIAS) {
        ok = bias_types(legality->target, src->dtype, dst->dtype);
        allowed = a5 ? "s32 to s32; f32, f16, bf16 to f32" : "s32 to s32; f32, f16 to f32";
    } else if (dst->loc == PTO_LOC_SCALING) {
        ok = equal && dtype_in(src->dtype, DTYPES_INT64);
        allowed = "equal types of s64 u64";
    } else if (dst->loc == PTO_LOC_SCALE_LEFT || dst->loc == PTO_LOC_SCALE_RIGHT) {
        ok = equal && src->dtype == PTO_E8M0;
        allowed = "e8m0";
    } else {
        uint32_t set = DTYPES(PTO_S8) | DTYPES(PTO_F16) | DTYPES(PTO_BF16) | DTYPES(PTO_F32);
        ok = equal && dtype_in(src->dtype, a5 ? set | (DTYPES_SMALL_FLOAT & ~DTYPES(PTO_E8M0)) : set);
        allowed =
            a5 ? "equal types of s8 hif8 e5m2 e4m3 f16 bf16 f32 e2m1 e1m2" : "equal types of s8 f16 bf16 f32";
    }
    if (!ok)
        pto_legality_refuse(legality, "PTO-E0721", 0, allowed, "%s to %s", pto_dtype_name(src->dtype),
                            pto_dtype_name(dst->dtype));
}

/* What the hardware paths make of layouts; cpu moves between any two. NULL = accepted. */
static const char *layout_refusal(pto_target target, const pto_tile_type *dst, const pto_tile_type *src) {
    bool a5 = target == PTO_TARGET_A5;
    if (src->loc == PTO_LOC_VEC) {
        if (same_layout(dst, src) &&
            (dst->loc == PTO_LOC_VEC || is_layout(src, "ND") || is_layout(src, "Nz")))
            return NULL;
        if (a5 && is_layout(src, "ND") && dst->fractal == 512 &&
            (is_layout(dst, "Nz") || is_layout(dst, "Zn")))
            return NULL;
        return !a5                       ? "equal layouts"
               : dst->loc == PTO_LOC_VEC ? "equal layouts; ND to Nz or Zn with fractal 512"
                                         : "ND to ND, Nz to Nz; ND to Nz or Zn with fractal 512";
    }
    switch (dst->loc) {
    case PTO_LOC_LEFT:
    case PTO_LOC_RIGHT: {
        bool source =
            is_layout(src, "Zn") || is_layout(src, "Nz") || (src->rows == 1 && is_layout(src, "ND"));
        const char *wanted = dst->loc == PTO_LOC_RIGHT ? "Zn" : a5 ? "Nz" : "Zz";
        if (source && is_layout(dst, wanted) && dst->fractal == 512)
            return NULL;
        return dst->loc == PTO_LOC_RIGHT ? "Zn, Nz or one-row ND to Zn with fractal 512"
               : a5                      ? "Zn, Nz or one-row ND to Nz with fractal 512"
                                         : "Zn, Nz or one-row ND to Zz with fractal 512";
    }
    case PTO_LOC_BIAS:
    case PTO_LOC_SCALING:
        return is_layout(dst, "ND") && (is_layout(src, "ND") || src->rows == 1) ? NULL : "one row to ND";
    case PTO_LOC_SCALE_LEFT:
        return is_layout(dst, "Zz") && dst->fractal == 32 && same_layout(dst, src) ? NULL
                                                                                   : "Zz to Zz, fractal 32";
    case PTO_LOC_SCALE_RIGHT:
        return is_layout(dst, "Nn") && dst->fractal == 32 && same_layout(dst, src) ? NULL
                                                                                   : "Nn to Nn, fractal 32";
    case PTO_LOC_MAT:
        return is_layout(src, "Nz") && is_layout(dst, "Nz") && dst->fractal == 512
                   ? NULL
                   : "Nz to Nz with fractal 512";
    default: /* acc to vec */
        return is_layout(src, "Nz") && (is_layout(dst, "ND") || is_layout(dst, "DN") || is_layout(dst, "Nz"))
                   ? NULL
                   : "Nz to ND, DN or Nz";
    }
}

void pto_rule_mov_layouts(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    if (legality->target == PTO_TARGET_CPU)
        return;
    const char *allowed = layout_refusal(legality->target, dst, src);
    if (allowed)
        pto_legality_refuse(legality, "PTO-E0722", 0, allowed, "%s (fractal %d) to %s (fractal %d)",
                            pto_tile_type_layout_name(src), src->fractal, pto_tile_type_layout_name(dst),
                            dst->fractal);
}

static void check_line_bytes(pto_legality *legality, int operand, uint64_t unit, uint64_t most) {
    const pto_tile_type *type = &legality->operand[operand].type;
    uint64_t bytes = (uint64_t)type->cols * element_bytes(type->dtype);
    if (bytes % unit == 0 && (legality->target != PTO_TARGET_A5 || bytes <= most))
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "a multiple of %llu bytes, at most %llu", (unsigned long long)unit,
             (unsigned long long)most);
    pto_legality_refuse(legality, "PTO-E0724", operand, allowed, "%llu bytes", (unsigned long long)bytes);
}

void pto_rule_mov_shapes(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    bool a5 = legality->target == PTO_TARGET_A5, npu = legality->target != PTO_TARGET_CPU;
    bool line = dst->loc == PTO_LOC_BIAS || dst->loc == PTO_LOC_SCALING;
    if (npu && line && (dst->rows != 1 || src->rows != 1)) {
        int many = dst->rows != 1 ? 0 : 1;
        pto_legality_refuse(legality, "PTO-E0723", many, "one row", "%d rows",
                            legality->operand[many].type.rows);
        return;
    }
    bool equal_capacity = legality->target == PTO_TARGET_A2A3 || (a5 && src->loc == PTO_LOC_MAT);
    if (equal_capacity && (dst->rows != src->rows || dst->cols != src->cols)) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "%d x %d, as %s", src->rows, src->cols,
                 legality->form->operand[1].name);
        pto_legality_refuse(legality, "PTO-E0723", 0, allowed, "%d x %d", dst->rows, dst->cols);
        return;
    }
    if (src->loc != PTO_LOC_VEC || dst->loc != PTO_LOC_VEC) /* vec to vec moves what both have */
        pto_legality_require_valid(legality, 1, 0);
    if (!npu || legality->failed)
        return;
    if (dst->loc == PTO_LOC_BIAS)
        check_line_bytes(legality, a5 ? 0 : 1, 64, 4096);
    if (dst->loc == PTO_LOC_SCALING)
        check_line_bytes(legality, 0, 128, 4096);
    /* the repack to Zn walks the source with the valid columns of the destination as its pitch */
    bool to_zn = src->loc == PTO_LOC_VEC && is_layout(src, "ND") && is_layout(dst, "Zn");
    int32_t c0 = (int32_t)(256 / pto_dtype_bits(dst->dtype)), vc = legality->operand[0].valid_cols;
    if (to_zn && (dst->rows % c0 || dst->cols % 16)) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "multiples of %d rows and 16 columns", c0);
        pto_legality_refuse(legality, "PTO-E0723", 0, allowed, "%d x %d", dst->rows, dst->cols);
    } else if (to_zn && vc >= 0 && vc != src->cols) {
        pto_legality_refuse(legality, "PTO-E0723", 1, "as many columns as are valid in the destination",
                            "%d columns, %d valid", src->cols, vc);
    }
}

void pto_rule_mov_compact(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0];
    if (dst->type.compact != PTO_COMPACT_ROW_PLUS_ONE || !is_layout(&dst->type, "Nz") ||
        legality->operand[1].type.loc != PTO_LOC_VEC || !is_layout(&legality->operand[1].type, "ND") ||
        dst->valid_rows < 0)
        return;
    int64_t needed = ((int64_t)dst->valid_rows + 15) / 16 * 16 + 1;
    if (dst->type.rows < needed) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "at least %lld rows", (long long)needed);
        pto_legality_refuse(legality, "PTO-E0725", 0, allowed, "%d rows", dst->type.rows);
    }
}

/* A tile moved to itself is no effect; any other overlap is an error. */
void pto_rule_mov_overlap(pto_legality *legality, const pto_rule_use *use) {
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    pto_overlap overlap = pto_legality_overlap(legality, 0, 1);
    bool itself = overlap == PTO_OVERLAP_SAME_START && dst->dtype == src->dtype && same_layout(dst, src) &&
                  dst->rows == src->rows && dst->cols == src->cols;
    if (!itself)
        pto_rule_overlap_none(legality, use);
}

/* ---- TTRANS: dst, src, tmp ---- */

void pto_rule_trans_types(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int i = 0; i < 2; i++)
        if (!dtype_in(legality->operand[i].type.dtype, DTYPES_STD9))
            pto_legality_refuse(legality, "PTO-E0721", i, "s8 u8 s16 u16 s32 u32 f16 bf16 f32", "%s",
                                pto_dtype_name(legality->operand[i].type.dtype));
}

void pto_rule_trans_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    bool rows = dst->valid_rows < 0 || src->valid_cols < 0 || dst->valid_rows >= src->valid_cols;
    bool cols = dst->valid_cols < 0 || src->valid_rows < 0 || dst->valid_cols >= src->valid_rows;
    if (rows && cols)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least %d x %d", src->valid_cols, src->valid_rows);
    pto_legality_refuse(legality, "PTO-E0730", 0, allowed, "%d x %d", dst->valid_rows, dst->valid_cols);
}

void pto_rule_trans_layout(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int i = 0; i < 2; i++)
        if (!pto_tile_type_is_flat_row_major(&legality->operand[i].type))
            pto_legality_refuse(legality, "PTO-E0321", i, "ND (row_major, none_box)", "%s",
                                pto_tile_type_layout_name(&legality->operand[i].type));
}

void pto_rule_trans_area(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *src = &legality->operand[1].type;
    int64_t area = (int64_t)src->rows * src->cols;
    if (pto_dtype_bits(src->dtype) <= 16 && area > 65535)
        pto_legality_refuse(legality, "PTO-E0731", 1, "at most 65535 elements of 1 or 2 bytes",
                            "%lld elements", (long long)area);
}

/* The scratch of the a2a3 path, which it takes where the pitches suit it. */
void pto_rule_trans_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *src = &legality->operand[1];
    int64_t bytes = element_bytes(src->type.dtype), strip = bytes == 1 ? 32 : 16;
    bool used = legality->operand[0].type.cols % strip == 0 && src->type.cols * bytes / 32 <= 255;
    if (!used)
        return;
    if (!pto_legality_is_tile(legality, 2)) {
        if (legality->explicit_tmp)
            pto_legality_refuse(legality, "PTO-E0329", 2, "a scratch tile", "nothing");
        return;
    }
    if (src->valid_rows >= 0 && src->valid_cols >= 0)
        pto_legality_require_tmp_bytes(
            legality, 2,
            (uint64_t)(src->valid_cols * ((src->valid_rows + strip - 1) / strip * strip) * bytes));
}

/* ---- TRESHAPE: dst, src ---- */

void pto_rule_reshape_same_location(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc dst = legality->operand[0].type.loc, src = legality->operand[1].type.loc;
    if (dst != src)
        pto_legality_refuse(legality, "PTO-E0740", 0, pto_loc_name(src), "%s", pto_loc_name(dst));
}

void pto_rule_reshape_same_bytes(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    uint64_t dst = pto_tile_type_bytes(&legality->operand[0].type);
    uint64_t src = pto_tile_type_bytes(&legality->operand[1].type);
    if (dst == src)
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "%llu bytes, as %s", (unsigned long long)src,
             legality->form->operand[1].name);
    pto_legality_refuse(legality, "PTO-E0741", 0, allowed, "%llu bytes", (unsigned long long)dst);
}

void pto_rule_reshape_boxing(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    if ((dst->slayout == PTO_NONE_BOX) != (src->slayout == PTO_NONE_BOX))
        pto_legality_refuse(legality, "PTO-E0742", 0, "both flat or both boxed", "%s of %s",
                            pto_tile_type_layout_name(dst), pto_tile_type_layout_name(src));
}

/* ---- TASSIGN: tile, addr ---- */

void pto_rule_assign_address(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *type = &legality->operand[0].type;
    uint64_t bytes = pto_tile_type_bytes(type), capacity = pto_loc_capacity(legality->target, type->loc);
    char allowed[64];
    if (!capacity) {
        pto_legality_refuse(legality, "SA-0351", 0, "another memory or target", "%s on %s",
                            pto_loc_name(type->loc), pto_target_name(legality->target));
        return;
    }
    if (legality->memory_bytes[type->loc])
        capacity = legality->memory_bytes[type->loc];
    if (bytes > capacity) {
        snprintf(allowed, sizeof allowed, "at most %llu bytes of %s", (unsigned long long)capacity,
                 pto_loc_name(type->loc));
        pto_legality_refuse(legality, "SA-0352", 0, allowed, "%llu bytes", (unsigned long long)bytes);
        return;
    }
    if (!legality->operand[1].value_known)
        return;
    int64_t addr = legality->operand[1].value.i;
    if (addr < 0 || (uint64_t)addr > capacity - bytes) {
        snprintf(allowed, sizeof allowed, "0 to %llu in %s", (unsigned long long)(capacity - bytes),
                 pto_loc_name(type->loc));
        pto_legality_refuse(legality, "SA-0353", 1, allowed, "%lld for %llu bytes", (long long)addr,
                            (unsigned long long)bytes);
    } else if (addr % 32) {
        pto_legality_refuse(legality, "SA-0354", 1, "a multiple of 32", "%lld", (long long)addr);
    }
}

/* ---- TPRINT: src, format ---- */

void pto_rule_print_location(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc loc = legality->operand[0].type.loc;
    if (legality->target != PTO_TARGET_CPU && loc != PTO_LOC_VEC)
        pto_legality_refuse(legality, "PTO-E0750", 0, "vec", "%s", pto_loc_name(loc));
}

void pto_rule_print_format(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *format = &legality->operand[use->arg[0]];
    if (format->value_known && (format->value.i < 0 || format->value.i > 2))
        pto_legality_refuse(legality, "PTO-E0714", use->arg[0],
                            "Width8_Precision4 0, Width8_Precision2 1, Width10_Precision6 2", "%lld",
                            (long long)format->value.i);
}

void pto_rule_print_layout(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    if ((unsigned)legality->operand[0].layout > PTO_LAYOUT_NZ)
        pto_legality_refuse(legality, "PTO-E0704", 0, "ND, DN, NZ", "layout %d",
                            (int)legality->operand[0].layout);
}

void pto_rule_print_by_tensor(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *src = &legality->operand[use->arg[0]], *tmp = &legality->operand[use->arg[1]];
    static const char *const allowed[PTO_TARGET_COUNT] = {"any", "vec, acc, mat", "vec, acc"};
    pto_loc loc = src->type.loc;
    bool printed = loc == PTO_LOC_VEC || loc == PTO_LOC_ACC ||
                   (loc == PTO_LOC_MAT && legality->target == PTO_TARGET_A2A3);
    if (legality->target != PTO_TARGET_CPU && !printed) {
        pto_legality_refuse(legality, "PTO-E0750", use->arg[0], allowed[legality->target], "%s",
                            pto_loc_name(loc));
        return;
    }
    int64_t elements = 1;
    for (int d = 0; d < 5; d++) {
        if (tmp->shape[d] < 0 || (elements && tmp->shape[d] > INT64_MAX / 64 / elements))
            return; /* not known, or larger than any tile */
        elements *= tmp->shape[d];
    }
    uint64_t bytes = (uint64_t)elements * pto_dtype_bits(tmp->dtype) / 8,
             need = pto_tile_type_bytes(&src->type);
    if (legality->target != PTO_TARGET_CPU && bytes < need)
        pto_legality_refuse(legality, "PTO-E0759", use->arg[1], "the bytes of the tile",
                            "%llu bytes for %llu", (unsigned long long)bytes, (unsigned long long)need);
}
