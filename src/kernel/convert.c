/* SPDX-License-Identifier: Apache-2.0 */
/* TCVT (part 10, 9): picks the vector loops of a type pair, or the exact scalar conversion where there are
 * none, and walks the tiles. */
#include "kernel/convert_tables.h"
#include "kernel/convert_wide.h"
#include "kernel/snapshot.h"
#include "tile/tile.h"

enum { OPERAND_DST, OPERAND_SRC, OPERAND_TMP, OPERAND_MODE, OPERAND_SAT };
enum { CHUNK = 512, MODES = PTO_CAST_HALF_UP + 1 };

/* How a call converts. Either direct, or load (NULL: the source is float), round (NULL: not needed) and store
 * (NULL: the destination is float and keeps what is there), or slow. */
typedef struct conversion {
    pto_dtype dst, src;
    pto_cvt_rule rule;
    bool fast;
    pto_cvt_direct direct;
    pto_cvt_load load;
    pto_cvt_round round;
    pto_cvt_store store;
} conversion;

#define BY_MODE(nearest, prefix)                                                                             \
    {                                                                                                        \
        NULL, nearest, prefix##_round, prefix##_floor, prefix##_ceil, prefix##_trunc, prefix##_odd,          \
            prefix##_half_up                                                                                 \
    }

static const pto_cvt_round rounds[MODES] = BY_MODE(pto_cvt_round_rint, pto_cvt_round);
static const pto_cvt_load loads_of_s32[MODES] = BY_MODE(pto_cvt_s32_f32_rint, pto_cvt_s32_f32);
static const pto_cvt_load loads_of_u32[MODES] = BY_MODE(pto_cvt_u32_f32_rint, pto_cvt_u32_f32);
static const pto_cvt_load loads_of_s64[MODES] = BY_MODE(pto_cvt_s64_f32_rint, pto_cvt_s64_f32_by);
static const pto_cvt_load loads_of_u64[MODES] = BY_MODE(pto_cvt_u64_f32_rint, pto_cvt_u64_f32);
static const pto_cvt_store stores_of_e2m1[MODES] = BY_MODE(pto_cvt_store_e2m1, pto_cvt_store_e2m1);
static const pto_cvt_store stores_of_e1m2[MODES] = BY_MODE(pto_cvt_store_e1m2, pto_cvt_store_e1m2);
static const pto_cvt_store stores_of_f16[MODES] = BY_MODE(pto_half_store_f16, pto_cvt_store_f16);
static const pto_cvt_store stores_of_bf16[MODES] = BY_MODE(pto_half_store_bf16, pto_cvt_store_bf16);

#if defined(PTO_LEVEL_AVX512)
#define LOAD_8(format) pto_cvt_table_##format
#else
#define LOAD_8(format) pto_cvt_load_##format
#endif

/* Exact loads; the others depend on the mode. */
static const pto_cvt_load loads[PTO_ELEMENT_COUNT] = {
    [PTO_F16] = pto_half_load_f16,  [PTO_BF16] = pto_half_load_bf16, [PTO_E4M3] = LOAD_8(e4m3),
    [PTO_E5M2] = LOAD_8(e5m2),      [PTO_HIF8] = LOAD_8(hif8),       [PTO_S16] = pto_cvt_load_s16,
    [PTO_U16] = pto_cvt_load_u16,   [PTO_S8] = pto_cvt_load_s8,      [PTO_U8] = pto_cvt_load_u8,
    [PTO_E2M1] = pto_cvt_load_e2m1, [PTO_E1M2] = pto_cvt_load_e1m2,  [PTO_S4] = pto_cvt_load_s4,
};

/* From integral floats; of a float that is not integral they take the truncation. */
static const pto_cvt_store integer_stores[PTO_ELEMENT_COUNT] = {
    [PTO_S64] = pto_cvt_store_s64, [PTO_S32] = pto_cvt_store_s32, [PTO_S16] = pto_cvt_store_s16,
    [PTO_U16] = pto_cvt_store_u16, [PTO_S8] = pto_cvt_store_s8,   [PTO_U8] = pto_cvt_store_u8,
    [PTO_S4] = pto_cvt_store_s4,   [PTO_U32] = pto_cvt_store_u32, [PTO_U64] = pto_cvt_store_u64,
};

/* Between integers: wrapping, clamping. */
#define PAIR(src, dst)                                                                                       \
    { pto_cvt_##src##_##dst##_wrap, pto_cvt_##src##_##dst##_clamp }
#define PAIRS(src)                                                                                           \
    {                                                                                                        \
        [PTO_S8] = PAIR(src, s8), [PTO_U8] = PAIR(src, u8), [PTO_S16] = PAIR(src, s16),                      \
        [PTO_U16] = PAIR(src, u16), [PTO_S32] = PAIR(src, s32), [PTO_U32] = PAIR(src, u32),                  \
        [PTO_S64] = PAIR(src, s64), [PTO_U64] = PAIR(src, u64), [PTO_S4] = PAIR(src, s4),                    \
    }
static const pto_cvt_direct integer_pairs[PTO_S4 + 1][PTO_S4 + 1][2] = {
    [PTO_S8] = PAIRS(s8),   [PTO_U8] = PAIRS(u8),   [PTO_S16] = PAIRS(s16),
    [PTO_U16] = PAIRS(u16), [PTO_S32] = PAIRS(s32), [PTO_U32] = PAIRS(u32),
    [PTO_S64] = PAIRS(s64), [PTO_U64] = PAIRS(u64), [PTO_S4] = PAIRS(s8), /* unpacked */
};

static void plan_store(conversion *plan) {
    switch (plan->dst) {
    case PTO_F32:
        plan->store = plan->rule.saturate ? pto_cvt_store_f32 : NULL;
        break;
    case PTO_F16:
        plan->store = stores_of_f16[plan->rule.mode];
        break;
    case PTO_BF16:
        plan->store = stores_of_bf16[plan->rule.mode];
        break;
    case PTO_E4M3:
        plan->store = pto_cvt_store_e4m3;
        break;
    case PTO_E5M2:
        plan->store = pto_cvt_store_e5m2;
        break;
    case PTO_HIF8:
        plan->store = pto_cvt_store_hif8;
        break;
    case PTO_E2M1:
    case PTO_E1M2:
        plan->store = (plan->dst == PTO_E2M1 ? stores_of_e2m1 : stores_of_e1m2)[plan->rule.mode];
        break;
    default:
        plan->store = integer_stores[plan->dst];
        if (plan->store && plan->rule.mode != PTO_CAST_TRUNC)
            plan->round = rounds[plan->rule.mode];
        plan->fast = plan->store != NULL;
        return;
    }
    plan->fast = true;
}

static void plan_fast(conversion *plan) {
    if (plan->dst >= PTO_DTYPE_COUNT || plan->src >= PTO_DTYPE_COUNT) /* element types of blocks */
        return;
    const bool integers = pto_dtype_is_int(plan->dst) && pto_dtype_is_int(plan->src);
    const bool indefinite = plan->rule.indefinite && !plan->rule.saturate && pto_dtype_is_int(plan->dst);
    if (plan->rule.copies_bits && pto_dtype_bits(plan->dst) == 4) { /* unpacked, since nibbles may move */
        plan->direct = pto_cvt_copy_bytes;
        plan->fast = true;
        return;
    }
    if (plan->rule.copies_bits || (indefinite && !integers))
        return;
    if (integers) {
        plan->direct = integer_pairs[plan->src][plan->dst][plan->rule.saturate];
        plan->fast = true;
        return;
    }
    if (plan->rule.to_integral) {
        plan->round = rounds[plan->rule.mode];
        plan->fast = true;
        return;
    }
    plan->load = loads[plan->src];
    const pto_cvt_load *by_mode = plan->src == PTO_S32   ? loads_of_s32
                                  : plan->src == PTO_U32 ? loads_of_u32
                                  : plan->src == PTO_S64 ? loads_of_s64
                                  : plan->src == PTO_U64 ? loads_of_u64
                                                         : NULL;
    if (by_mode) /* odd, so that the store rounds once */
        plan->load = by_mode[plan->dst == PTO_F32 ? plan->rule.mode : PTO_CAST_ODD];
    if (plan->load || plan->src == PTO_F32)
        plan_store(plan);
}

/* The stages over a buffer that stays in the cache. */
static void run_stages(const conversion *plan, uint8_t *to, const uint8_t *from, int64_t count) {
    const int64_t to_size = pto_dtype_bits(plan->dst) / 8, from_size = pto_dtype_bits(plan->src) / 8;
    _Alignas(64) float buffer[CHUNK];
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t n = count - i < CHUNK ? count - i : CHUNK;
        void *out = to + i * to_size;
        const void *in = from + i * from_size;
        /* whatever stage is the last writes to the destination */
        if (plan->load) {
            float *loaded = plan->round || plan->store ? buffer : out;
            plan->load(loaded, in, n);
            in = loaded;
        }
        if (plan->round) {
            float *rounded = plan->store ? buffer : out;
            plan->round(rounded, in, n);
            in = rounded;
        }
        if (plan->store)
            plan->store(out, in, n, plan->rule.saturate);
    }
}

static uint64_t load_element(const uint8_t *data, unsigned bits, int64_t index) {
    switch (bits) {
    case 4:
        return (index & 1 ? data[index / 2] >> 4 : data[index / 2]) & 15u;
    case 8:
        return data[index];
    case 16:
        return ((const uint16_t *)(const void *)data)[index];
    case 32:
        return ((const uint32_t *)(const void *)data)[index];
    default:
        return ((const uint64_t *)(const void *)data)[index];
    }
}

static void store_element(uint8_t *data, unsigned bits, int64_t index, uint64_t value) {
    switch (bits) {
    case 4: {
        const unsigned shift = index & 1 ? 4 : 0;
        uint8_t *byte = &data[index / 2];
        *byte = (uint8_t)((*byte & ~(15u << shift)) | (unsigned)(value & 15) << shift);
        break;
    }
    case 8:
        data[index] = (uint8_t)value;
        break;
    case 16:
        ((uint16_t *)(void *)data)[index] = (uint16_t)value;
        break;
    case 32:
        ((uint32_t *)(void *)data)[index] = (uint32_t)value;
        break;
    default:
        ((uint64_t *)(void *)data)[index] = value;
        break;
    }
}

/* Long runs of bytes to bytes by a table of all codes. */
static void run_bytes(const conversion *plan, uint8_t *to, const uint8_t *from, int64_t count) {
    uint8_t code[256], table[256];
    for (int i = 0; i < 256; i++)
        code[i] = (uint8_t)i;
    run_stages(plan, table, code, 256);
    for (int64_t i = 0; i < count; i++)
        to[i] = table[from[i]];
}

static void run_unpacked(const conversion *plan, uint8_t *to, const uint8_t *from, int64_t count) {
    if (plan->direct)
        plan->direct(to, from, count);
    else
        run_stages(plan, to, from, count);
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
/* From packed elements at the start of a byte to 8 or 16 bits, by a table of all codes: how many are done. */
static int64_t run_by_table(const conversion *plan, uint8_t *to, const uint8_t *from, int64_t count) {
    const unsigned to_bits = pto_dtype_bits(plan->dst);
    if (count < 128 || (to_bits != 8 && to_bits != 16))
        return 0;
    uint8_t code[16];
    for (int i = 0; i < 16; i++)
        code[i] = (uint8_t)i;
    if (plan->src == PTO_S4 && plan->direct)
        pto_cvt_extend_s4(code, 16);
    _Alignas(32) uint16_t table[16];
    run_unpacked(plan, (uint8_t *)table, code, 16);
    if (to_bits == 8)
        pto_cvt_expand_to_8(to, from, count / 32, (const uint8_t *)table);
    else
        pto_cvt_expand_to_16((uint16_t *)(void *)to, from, count / 32, table);
    return count / 32 * 32;
}
#endif

/* As run_stages, with 4-bit elements on one side or both. */
static void run_packed(const conversion *plan, uint8_t *dst, int64_t start, const uint8_t *src, int64_t first,
                       int64_t count) {
    const unsigned to_bits = pto_dtype_bits(plan->dst), from_bits = pto_dtype_bits(plan->src);
    uint8_t unpacked[CHUNK], packed[CHUNK];
    int64_t done = 0;
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
    if (from_bits == 4 && first % 2 == 0 && to_bits > 4)
        done = run_by_table(plan, dst + start * (to_bits / 8), src + first / 2, count);
#endif
    for (int64_t i = done; i < count; i += CHUNK) {
        const int64_t n = count - i < CHUNK ? count - i : CHUNK;
        const uint8_t *from = src + (first + i) * (from_bits / 8);
        uint8_t *to = dst + (start + i) * (to_bits / 8);
        if (from_bits == 4) {
            pto_cvt_unpack(unpacked, src, first + i, n);
            if (plan->src == PTO_S4 && plan->direct)
                pto_cvt_extend_s4(unpacked, n);
            from = unpacked;
        }
        run_unpacked(plan, to_bits == 4 ? packed : to, from, n);
        if (to_bits == 4)
            pto_cvt_pack(dst, start + i, packed, n);
    }
}

/* count consecutive elements from element `first` of src to element `start` of dst. */
static void run(const conversion *plan, uint8_t *dst, int64_t start, const uint8_t *src, int64_t first,
                int64_t count) {
    const unsigned to_bits = pto_dtype_bits(plan->dst), from_bits = pto_dtype_bits(plan->src);
    if (plan->fast && (to_bits == 4 || from_bits == 4)) {
        run_packed(plan, dst, start, src, first, count);
        return;
    }
    if (plan->fast) {
        uint8_t *to = dst + start * (to_bits / 8);
        const uint8_t *from = src + first * (from_bits / 8);
        if (plan->direct)
            plan->direct(to, from, count);
        else if (to_bits == 8 && from_bits == 8 && count >= 2048)
            run_bytes(plan, to, from, count);
        else
            run_stages(plan, to, from, count);
        return;
    }
    if (plan->rule.copies_bits && to_bits >= 8) {
        memmove(dst + start * (to_bits / 8), src + first * (from_bits / 8), (size_t)count * (to_bits / 8));
        return;
    }
    const pto_format to_format = pto_format_of_dtype(plan->dst), from_format = pto_format_of_dtype(plan->src);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t code = load_element(src, from_bits, first + i);
        store_element(dst, to_bits, start + i,
                      pto_number_convert_by_rule(to_format, from_format, code, plan->rule));
    }
}

PTO_KERNEL(tcvt) {
    const pto_tile *dst = pto_call_tile(call, OPERAND_DST), *src = pto_call_tile(call, OPERAND_SRC);
    const uint8_t *from = pto_source_data(call, dst, src);
    if (!from)
        return PTO_ERR_NOMEM;
    uint8_t *to = dst->data;
    conversion plan = {.dst = dst->type.dtype, .src = src->type.dtype};
    pto_sat_mode sat = (pto_sat_mode)pto_call_attr(call, OPERAND_SAT);
    if (sat == PTO_SAT_AMBIENT)
        sat = call->numeric->convert_ambient_off ? PTO_SAT_OFF : PTO_SAT_ON;
    plan.rule = pto_cvt_resolve(pto_format_of_dtype(plan.dst), pto_format_of_dtype(plan.src),
                                (pto_round_mode)pto_call_attr(call, OPERAND_MODE), sat);
    plan.rule.indefinite = call->numeric->convert_indefinite;
    plan_fast(&plan);

    const bool boxed = dst->type.slayout != PTO_NONE_BOX;
    if (boxed && pto_dtype_bits(plan.dst) != pto_dtype_bits(plan.src)) {
        /* boxes of different widths have no runs in common */
        for (int32_t r = 0; r < dst->valid_rows; r++)
            for (int32_t c = 0; c < dst->valid_cols; c++)
                run(&plan, to, pto_tile_offset(&dst->type, r, c), from, pto_tile_offset(&src->type, r, c), 1);
        return PTO_OK;
    }
    pto_runs runs;
    const pto_tile_type *const types[] = {&dst->type, &src->type};
    if (!pto_runs_begin(&runs, types, 2, dst->valid_rows, dst->valid_cols))
        return PTO_OK;
    do {
        for (int64_t k = 0; k < runs.count; k++) {
            const int64_t outer = k / runs.inner, inner = k % runs.inner;
            run(&plan, to, runs.start[0] + outer * runs.outer_step[0] + inner * runs.inner_step[0], from,
                runs.start[1] + outer * runs.outer_step[1] + inner * runs.inner_step[1], runs.length);
        }
    } while (pto_runs_next(&runs));
    return PTO_OK;
}

void PTO_KERNEL_SYMBOL(assign_line)(pto_dtype dst, pto_dtype src, void *to, const void *from, int64_t count);
void PTO_KERNEL_SYMBOL(assign_line)(pto_dtype dst, pto_dtype src, void *to, const void *from, int64_t count) {
    const bool cut = pto_dtype_is_int(dst) && !pto_dtype_is_int(src);
    conversion plan = {.dst = dst, .src = src};
    plan.rule = pto_cvt_resolve(pto_format_of_dtype(dst), pto_format_of_dtype(src),
                                cut ? PTO_CAST_TRUNC : PTO_CAST_NONE, cut ? PTO_SAT_ON : PTO_SAT_OFF);
    plan_fast(&plan);
    run(&plan, to, 0, from, 0, count);
}
