/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of convolution tiles: loads, stores, transposes, windows, and TIMG2COL (part 30; 00-model, 7). */
#include "isa/conv.h"
#include "isa/dtype_set.h"
#include "isa/rules_memory.h"
#include "isa/rules_shared.h"

#include <stdio.h>

static bool is_cpu(const pto_legality *legality) { return legality->target == PTO_TARGET_CPU; }

static const pto_conv *conv_of(const pto_legality *legality, int operand) {
    return legality->operand[operand].type.conv;
}

/* Both known, and not as wanted. */
static bool differ(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }
static bool exceeds(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a > b; }

/* ---- places and types ---- */

/* conv_place(operand...): in mat, on cpu also in vec. */
void pto_rule_conv_place(pto_legality *legality, const pto_rule_use *use) {
    for (int k = 0; k < use->arg_count; k++) {
        pto_loc loc = legality->operand[use->arg[k]].type.loc;
        if (loc != PTO_LOC_MAT && !(is_cpu(legality) && loc == PTO_LOC_VEC))
            pto_legality_refuse(legality, "PTO-E0795", use->arg[k], is_cpu(legality) ? "mat, vec" : "mat",
                                "%s", pto_loc_name(loc));
    }
}

/* conv_types(operand...): what the DMA engine of the target copies. */
void pto_rule_conv_types(pto_legality *legality, const pto_rule_use *use) {
    bool a5 = legality->target == PTO_TARGET_A5;
    uint32_t set = DTYPES_STD9 | (a5 ? DTYPES(PTO_E4M3) | DTYPES(PTO_E5M2) : 0);
    for (int k = 0; k < use->arg_count; k++) {
        const pto_legality_operand *operand = &legality->operand[use->arg[k]];
        pto_dtype dtype = operand->kind == PTO_OPERAND_TILE ? operand->type.dtype : operand->dtype;
        if (!dtype_in(dtype, set))
            pto_legality_refuse(legality, "PTO-E0702", use->arg[k],
                                a5 ? "s8 u8 s16 u16 s32 u32 f16 bf16 f32 e4m3 e5m2"
                                   : "s8 u8 s16 u16 s32 u32 f16 bf16 f32",
                                "%s", pto_dtype_name(dtype));
    }
}

/* The inner width of a split layout is 32 bytes on the hardware; 4 elements too where TTRANS makes it. */
static bool check_c0(pto_legality *legality, int operand, bool four) {
    const pto_legality_operand *tile = &legality->operand[operand];
    pto_conv_map map = pto_conv_map_tile(tile->type.conv);
    int64_t c0 = map.extent[PTO_CONV_C0], wanted = pto_conv_c0(tile->type.dtype);
    pto_layout layout = tile->type.conv->layout;
    bool split = layout != PTO_LAYOUT_NCHW && layout != PTO_LAYOUT_GNCHW && layout != PTO_LAYOUT_NCDHW &&
                 layout != PTO_LAYOUT_NHWC;
    bool n0 = map.blocks && map.extent[PTO_CONV_N0] != 16;
    if (is_cpu(legality) || !split || (!n0 && (c0 == wanted || (four && c0 == 4))))
        return true;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "N0 of 16, C0 of %lld, 32 bytes%s", (long long)wanted,
             four ? ", or 4" : "");
    pto_legality_refuse(legality, "PTO-E0794", operand, allowed, n0 ? "N0 of %lld" : "C0 of %lld",
                        (long long)(n0 ? map.extent[PTO_CONV_N0] : c0));
    return false;
}

/* ---- pairs of layouts ---- */

enum { CPU = 1 << PTO_TARGET_CPU, A2A3 = 1 << PTO_TARGET_A2A3, A5 = 1 << PTO_TARGET_A5 };
typedef struct layout_pair {
    pto_layout to, from;
    int targets;
} layout_pair;

#define L(name) PTO_LAYOUT_##name
static const layout_pair loads[] = {{L(NC1HWC0), L(NC1HWC0), CPU | A2A3 | A5},
                                    {L(NDC1HWC0), L(NDC1HWC0), CPU | A2A3},
                                    {L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5},
                                    {L(FRACTAL_Z_3D), L(FRACTAL_Z_3D), CPU | A2A3},
                                    {L(NC1HWC0), L(NHWC), CPU | A5},
                                    {L(NC1HWC0), L(NCHW), CPU | A5},
                                    {L(FRACTAL_Z), L(NCHW), CPU | A5},
                                    {L(FRACTAL_Z_3D), L(NCDHW), CPU | A5},
                                    {L(NDC1HWC0), L(NCDHW), CPU | A5}};
static const layout_pair stores[] = {{L(NC1HWC0), L(NC1HWC0), CPU}, {L(NDC1HWC0), L(NDC1HWC0), CPU}};
static const layout_pair transposes[] = {
    {L(NC1HWC0), L(NCHW), CPU | A2A3 | A5},      {L(NCHW), L(NC1HWC0), CPU | A2A3},
    {L(GNC1HWC0), L(GNCHW), CPU | A2A3 | A5},    {L(GNCHW), L(GNC1HWC0), CPU | A2A3},
    {L(FRACTAL_Z), L(NC1HWC0), CPU | A2A3 | A5}, {L(FRACTAL_Z), L(GNC1HWC0), CPU | A2A3 | A5},
    {L(FRACTAL_Z_3D), L(NCDHW), CPU | A2A3}};
#undef L
#define PAIRS(list) (list), sizeof(list) / sizeof *(list)

static bool check_pair(pto_legality *legality, pto_layout to, pto_layout from, const layout_pair *pairs,
                       size_t count) {
    char allowed[256] = "";
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(pairs[i].targets >> legality->target & 1))
            continue;
        if (pairs[i].to == to && pairs[i].from == from)
            return true;
        n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%s from %s", n ? ", " : "",
                              pto_layout_name(pairs[i].to), pto_layout_name(pairs[i].from));
    }
    pto_legality_refuse(legality, "PTO-E0793", 0, n ? allowed : NULL, "%s from %s", pto_layout_name(to),
                        pto_layout_name(from));
    return false;
}

void pto_rule_conv_load_layouts(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    if (check_pair(legality, conv_of(legality, 0)->layout, legality->operand[1].layout, PAIRS(loads)))
        check_c0(legality, 0, false);
}

void pto_rule_conv_store_layouts(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_pair(legality, legality->operand[0].layout, conv_of(legality, 1)->layout, PAIRS(stores));
}

void pto_rule_conv_trans_layouts(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_conv *to = conv_of(legality, 0), *from = conv_of(legality, 1);
    if (!check_pair(legality, to->layout, from->layout, PAIRS(transposes)) || !check_c0(legality, 0, true))
        return;
    check_c0(legality, 1, true);
}

/* ---- extents ---- */

static const char *const axis_names[PTO_CONV_AXES] = {"G", "N1", "N0", "D", "H", "W", "C1", "C0"};

static void refuse_extent(pto_legality *legality, int operand, const char *axis, const char *relation,
                          int64_t allowed, int64_t found) {
    char text[48];
    snprintf(text, sizeof text, "%s %s%lld", axis, relation, (long long)allowed);
    pto_legality_refuse(legality, "PTO-E0794", operand, text, "%s of %lld", axis, (long long)found);
}

/* A copy between equal layouts: the tile lies in the tensor; the inner width, and what flattens into row
 * blocks, is the same. a5 loads whole tensors. */
static void check_copy(pto_legality *legality, int tile_at, const pto_conv_map *tile,
                       const pto_conv_map *tensor) {
    bool fractal_rows = conv_of(legality, tile_at)->layout == PTO_LAYOUT_FRACTAL_Z && !tile->blocks;
    for (int a = 0; a < PTO_CONV_AXES; a++) {
        int64_t own = tile->extent[a], other = tensor->extent[a];
        bool whole = a == PTO_CONV_C0 || a == PTO_CONV_N0 || legality->target == PTO_TARGET_A5 ||
                     (fractal_rows && (a == PTO_CONV_H || a == PTO_CONV_W));
        if (whole ? differ(own, other) : exceeds(own, other)) {
            refuse_extent(legality, tile_at, axis_names[a], whole ? "" : "up to ", other, own);
            return;
        }
    }
}

/* A change of order: equal images, enough room for the channels. */
static void check_reorder(pto_legality *legality, const pto_conv_map *to, const pto_conv_map *from,
                          bool blocks) {
    static const int equal[] = {PTO_CONV_G, PTO_CONV_D, PTO_CONV_H, PTO_CONV_W};
    for (int i = 0; i < 4; i++)
        if (differ(to->extent[equal[i]], from->extent[equal[i]])) {
            refuse_extent(legality, 0, axis_names[equal[i]], "", from->extent[equal[i]],
                          to->extent[equal[i]]);
            return;
        }
    int64_t n = pto_conv_map_n(to), from_n = pto_conv_map_n(from);
    if (blocks ? exceeds(from_n, n) : differ(n, from_n)) {
        refuse_extent(legality, 0, "N", blocks ? "at least " : "", from_n, n);
        return;
    }
    int64_t c = pto_conv_map_c(to), from_c = pto_conv_map_c(from);
    bool whole = from->extent[PTO_CONV_C0] > 1 && to->extent[PTO_CONV_C0] <= 1; /* the padding is dropped */
    if (whole ? exceeds(c, from_c) : exceeds(from_c, c))
        refuse_extent(legality, 0, "C", whole ? "up to " : "at least ", from_c, c);
}

static bool tensor_known(pto_legality *legality, int operand, int32_t rank, int64_t c0, pto_conv_map *map) {
    const pto_legality_operand *tensor = &legality->operand[operand];
    for (int d = 0; d < 5; d++)
        if (tensor->shape[d] == 0) {
            pto_legality_refuse(legality, "PTO-E0705", operand, "at least 1", "extent 0 of dimension %d", d);
            return false;
        }
    if (!pto_conv_map_tensor(tensor->layout, tensor->shape, tensor->stride, rank, c0, map))
        return false;
    bool five = tensor->layout == PTO_LAYOUT_NC1HWC0 || tensor->layout == PTO_LAYOUT_NDC1HWC0 ||
                tensor->layout == PTO_LAYOUT_NCDHW || (tensor->layout == PTO_LAYOUT_FRACTAL_Z && rank == 5);
    if (!five && tensor->shape[0] > 1) {
        pto_legality_refuse(legality, "PTO-E0794", operand, "extent 1 of dimension 0", "%lld",
                            (long long)tensor->shape[0]);
        return false;
    }
    return true;
}

void pto_rule_conv_load_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_conv *conv = conv_of(legality, 0);
    const pto_legality_operand *tensor = &legality->operand[1];
    pto_conv_map to = pto_conv_map_tile(conv), from;
    if (!tensor_known(legality, 1, conv->rank, conv->shape[conv->rank - 1], &from))
        return;
    if (tensor->layout == conv->layout) {
        check_copy(legality, 0, &to, &from);
    } else {
        bool blocks = to.blocks;
        /* a whole row of the image in one step */
        int64_t w = from.extent[PTO_CONV_W], packed;
        bool fractal = conv->layout == PTO_LAYOUT_FRACTAL_Z || conv->layout == PTO_LAYOUT_FRACTAL_Z_3D;
        bool known = w > 0 && from.extent[PTO_CONV_H] > 1 && from.step[PTO_CONV_W] != PTO_UNKNOWN &&
                     from.step[PTO_CONV_H] != PTO_UNKNOWN;
        if (fractal && known &&
            (__builtin_mul_overflow(w, from.step[PTO_CONV_W], &packed) || packed != from.step[PTO_CONV_H])) {
            pto_legality_refuse(legality, "PTO-E0707", 1, "rows of W one behind the other",
                                "stride %lld of H", (long long)from.step[PTO_CONV_H]);
            return;
        }
        if (!pto_conv_map_split(&to, &from, false)) {
            pto_legality_refuse(legality, "PTO-E0794", 0, "a multiple of D * H * W blocks", "%d blocks",
                                conv->shape[0]);
            return;
        }
        check_reorder(legality, &to, &from, blocks);
    }
    if (!legality->failed && exceeds(pto_conv_map_n(&to), 65535) && !is_cpu(legality))
        refuse_extent(legality, 0, "N", "up to ", 65535, pto_conv_map_n(&to));
}

void pto_rule_conv_store_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_conv *conv = conv_of(legality, 1);
    pto_conv_map from = pto_conv_map_tile(conv), to;
    if (tensor_known(legality, 0, conv->rank, conv->shape[conv->rank - 1], &to))
        check_copy(legality, 1, &from, &to);
}

void pto_rule_conv_trans_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_conv *conv = conv_of(legality, 0);
    pto_conv_map to = pto_conv_map_tile(conv), from = pto_conv_map_tile(conv_of(legality, 1));
    bool blocks = to.blocks;
    if (!pto_conv_map_split(&to, &from, true)) {
        pto_legality_refuse(legality, "PTO-E0794", 0, "a multiple of G * D * H * W blocks", "%d blocks",
                            conv->shape[0]);
        return;
    }
    if (from.extent[PTO_CONV_C0] > 1 && to.extent[PTO_CONV_C0] > 1 &&
        from.extent[PTO_CONV_C0] != to.extent[PTO_CONV_C0]) {
        refuse_extent(legality, 0, "C0", "", from.extent[PTO_CONV_C0], to.extent[PTO_CONV_C0]);
        return;
    }
    check_reorder(legality, &to, &from, blocks);
    /* the a2a3 and a5 transposition of planes moves whole blocks */
    int64_t bytes = from.extent[PTO_CONV_H] * from.extent[PTO_CONV_W] *
                    (int64_t)(pto_dtype_bits(legality->operand[1].type.dtype) / 8);
    if (!legality->failed && !is_cpu(legality) && conv->layout == PTO_LAYOUT_NC1HWC0 && bytes % 32)
        pto_legality_refuse(legality, "PTO-E0794", 1, "planes of a multiple of 32 bytes", "%lld bytes",
                            (long long)bytes);
}

/* The scratch of a2a3, given or not (part 30, TTRANS). */
void pto_rule_conv_trans_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_conv_map to = pto_conv_map_tile(conv_of(legality, 0)), from = pto_conv_map_tile(conv_of(legality, 1));
    pto_layout layout = conv_of(legality, 0)->layout, source = conv_of(legality, 1)->layout;
    int64_t size = (int64_t)(pto_dtype_bits(legality->operand[1].type.dtype) / 8), rs = size == 1 ? 32 : 16;
    int64_t plane = from.extent[PTO_CONV_H] * from.extent[PTO_CONV_W], c0 = to.extent[PTO_CONV_C0];
    int64_t bytes = 0;
    if (layout == PTO_LAYOUT_NC1HWC0 || layout == PTO_LAYOUT_GNC1HWC0) {
        bytes = plane * ((c0 + rs - 1) / rs) * rs * size;
    } else if (source == PTO_LAYOUT_NC1HWC0 || source == PTO_LAYOUT_GNC1HWC0) {
        bool back = layout == PTO_LAYOUT_NCHW || layout == PTO_LAYOUT_GNCHW;
        bytes = back ? from.extent[PTO_CONV_C0] * ((plane + rs - 1) / rs) * rs * size : 0;
    } else {
        int64_t n = pto_conv_map_n(&from), c1 = (pto_conv_map_c(&from) + c0 - 1) / c0;
        int64_t all = n * c1 * c0 * plane, block = plane * ((c0 + rs - 1) / rs) * rs;
        bytes = (all + (all > block ? all : block)) * size;
    }
    if (!bytes)
        return;
    if (legality->operand[2].kind == PTO_OPERAND_TILE)
        pto_legality_require_tmp_bytes(legality, 2, (uint64_t)bytes);
    else if (legality->explicit_tmp)
        pto_legality_refuse(legality, "PTO-E0329", 2, "a scratch tile", "nothing");
}

/* TEXPANDS: whole blocks of 32 bytes, as many as the engine counts. */
void pto_rule_conv_fill(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0];
    pto_layout layout = dst->type.conv->layout;
    bool a5 = legality->target == PTO_TARGET_A5;
    bool known = layout == PTO_LAYOUT_NC1HWC0 || layout == PTO_LAYOUT_FRACTAL_Z ||
                 (a5 && (layout == PTO_LAYOUT_NDC1HWC0 || layout == PTO_LAYOUT_FRACTAL_Z_3D));
    if (is_cpu(legality))
        return;
    if (!known) {
        pto_legality_refuse(legality, "PTO-E0793", 0,
                            a5 ? "NC1HWC0, FRACTAL_Z, NDC1HWC0, FRACTAL_Z_3D" : "NC1HWC0, FRACTAL_Z", "%s",
                            pto_layout_name(layout));
        return;
    }
    int64_t bytes = pto_conv_elements(dst->type.conv) * pto_dtype_bits(dst->type.dtype) / 8;
    if (bytes % 32 || bytes / 32 > 32767)
        pto_legality_refuse(legality, "PTO-E0768", 0, "1 to 32767 blocks of 32 bytes", "%lld bytes",
                            (long long)bytes);
}

/* ---- TEXTRACT from FRACTAL_Z: dst, src, row, column ---- */

static int64_t index_of(const pto_legality *legality, int operand) {
    const pto_legality_operand *index = &legality->operand[operand];
    return index->kind == PTO_OPERAND_ABSENT           ? 0
           : index->value_known && index->value.i >= 0 ? index->value.i
                                                       : PTO_UNKNOWN;
}

void pto_rule_conv_extract_path(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc dst = legality->operand[0].type.loc, src = legality->operand[1].type.loc;
    pto_layout layout = conv_of(legality, 1)->layout;
    if (src != PTO_LOC_MAT || dst != PTO_LOC_RIGHT)
        pto_legality_refuse(legality, "PTO-E0795", src != PTO_LOC_MAT ? 1 : 0, "mat to right", "%s to %s",
                            pto_loc_name(src), pto_loc_name(dst));
    else if (layout != PTO_LAYOUT_FRACTAL_Z && layout != PTO_LAYOUT_FRACTAL_Z_3D)
        pto_legality_refuse(legality, "PTO-E0793", 1, "FRACTAL_Z, FRACTAL_Z_3D", "%s",
                            pto_layout_name(layout));
}

void pto_rule_conv_extract_boxes(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type;
    const char *have = pto_tile_type_layout_name(dst);
    if (have[0] != 'Z' || have[1] != 'n' || dst->fractal != 512)
        pto_legality_refuse(legality, "PTO-E0764", 0, "Zn with boxes of 512 bytes", "%s", have);
    else
        check_c0(legality, 1, false);
}

void pto_rule_conv_extract_window(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    pto_conv_map map = pto_conv_map_tile(src->type.conv);
    int64_t n = pto_conv_map_n(&map), k = pto_conv_elements(src->type.conv) / n;
    int64_t row = index_of(legality, 2), col = index_of(legality, 3), c0 = map.extent[PTO_CONV_C0];
    if (!is_cpu(legality) && ((row > 0 && row % c0) || (col > 0 && col % 16))) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "multiples of %lld and 16", (long long)c0);
        pto_legality_refuse(legality, "PTO-E0765", row > 0 && row % c0 ? 2 : 3, allowed, "(%lld, %lld)",
                            (long long)row, (long long)col);
        return;
    }
    bool rows_fit = row < 0 || dst->valid_rows < 0 || row + dst->valid_rows <= k;
    bool cols_fit = col < 0 || dst->valid_cols < 0 || col + dst->valid_cols <= n;
    if (!rows_fit || !cols_fit) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "inside %lld x %lld", (long long)k, (long long)n);
        pto_legality_refuse(legality, "PTO-E0762", rows_fit ? 3 : 2, allowed, "%d x %d at (%lld, %lld)",
                            dst->valid_rows, dst->valid_cols, (long long)row, (long long)col);
    }
}

/* ---- TIMG2COL: dst, src, posM, posK, fmatrix ---- */

/* fmatrix_mode(attribute) */
void pto_rule_fmatrix_mode(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[0]];
    if (mode->value_known && (mode->value.i < 0 || mode->value.i > PTO_FMATRIX_B_MANUAL))
        pto_legality_refuse(legality, "PTO-E0779", use->arg[0], "a_auto 0, b_auto 1, a_manual 2, b_manual 3",
                            "%lld", (long long)mode->value.i);
}

/* img2col_position(attribute...) */
void pto_rule_img2col_position(pto_legality *legality, const pto_rule_use *use) {
    for (int k = 0; k < use->arg_count; k++) {
        const pto_legality_operand *position = &legality->operand[use->arg[k]];
        if (position->value_known && (position->value.i < 0 || position->value.i > UINT16_MAX))
            pto_legality_refuse(legality, "PTO-E0779", use->arg[k], "0 to 65535", "%lld",
                                (long long)position->value.i);
    }
}

void pto_rule_img2col_places(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    pto_layout layout = src->conv->layout;
    if (dst->loc != PTO_LOC_LEFT || src->loc != PTO_LOC_MAT) {
        pto_legality_refuse(legality, "PTO-E0795", dst->loc != PTO_LOC_LEFT ? 0 : 1, "mat to left",
                            "%s to %s", pto_loc_name(src->loc), pto_loc_name(dst->loc));
        return;
    }
    if (layout != PTO_LAYOUT_NC1HWC0 && layout != PTO_LAYOUT_NDC1HWC0) {
        pto_legality_refuse(legality, "PTO-E0793", 1, "NC1HWC0, NDC1HWC0", "%s", pto_layout_name(layout));
        return;
    }
    const char *have = pto_tile_type_layout_name(dst);
    bool zz = have[0] == 'Z' && have[1] == 'z', nz = have[0] == 'N' && have[1] == 'z';
    static const char *const allowed[PTO_TARGET_COUNT] = {
        "Nz or Zz in boxes of 512 bytes", "Zz in boxes of 512 bytes", "Nz in boxes of 512 bytes"};
    bool good = legality->target == PTO_TARGET_A2A3 ? zz : legality->target == PTO_TARGET_A5 ? nz : zz || nz;
    if (!good || dst->fractal != 512) {
        pto_legality_refuse(legality, "PTO-E0799", 0, allowed[legality->target], "%s, %d bytes", have,
                            dst->fractal);
        return;
    }
    check_c0(legality, 1, false);
}

void pto_rule_img2col_parameters(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_conv *conv = conv_of(legality, 1);
    pto_conv_map map = pto_conv_map_tile(conv);
    int64_t channels = pto_conv_map_c(&map);
    if ((conv->channel_size && conv->channel_size != channels) || conv->transpose || conv->dst_stride ||
        conv->dst_m_position || conv->repeat_time > 1) {
        char allowed[96];
        snprintf(allowed, sizeof allowed,
                 "channel size 0 or %lld, repeat time 0 or 1, no transpose, no destination stride",
                 (long long)channels);
        pto_legality_refuse(
            legality, "PTO-E0797", 1, allowed,
            "channel size %u, repeat time %u, transpose %d, destination stride %u, position %u",
            conv->channel_size, conv->repeat_time, conv->transpose, conv->dst_stride, conv->dst_m_position);
        return;
    }
    if (!conv->filter_h || !conv->filter_w || conv->filter_h > 511 || conv->filter_w > 511 ||
        !conv->stride_h || !conv->stride_w || !conv->dilation_h || !conv->dilation_w) {
        pto_legality_refuse(
            legality, "PTO-E0798", 1, "filters of 1 to 511, strides and dilations of at least 1",
            "filter %u x %u, stride %u x %u, dilation %u x %u", conv->filter_h, conv->filter_w,
            conv->stride_h, conv->stride_w, conv->dilation_h, conv->dilation_w);
        return;
    }
    /* in the MANUAL modes of a hardware target a register may hold another feature map */
    const pto_legality_operand *mode = &legality->operand[4];
    int64_t value = mode->kind == PTO_OPERAND_ABSENT ? PTO_FMATRIX_A_MANUAL
                    : mode->value_known              ? mode->value.i
                                                     : PTO_FMATRIX_A_MANUAL;
    if (!is_cpu(legality) && value != PTO_FMATRIX_A_AUTO && value != PTO_FMATRIX_B_AUTO)
        return;
    pto_img2col g = pto_img2col_of(conv);
    if (g.out_h < 1 || g.out_w < 1)
        pto_legality_refuse(legality, "PTO-E0798", 1, "at least one output position",
                            "filter %u x %u on a feature map of %lld x %lld", conv->filter_h, conv->filter_w,
                            (long long)g.h, (long long)g.w);
}
