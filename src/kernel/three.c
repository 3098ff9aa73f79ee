/* SPDX-License-Identifier: Apache-2.0 */
/* TADDC TSUBC (10, 3.8) and TADDSC TSUBSC (20, 2): two additions from left to right, each rounded or wrapped.
 */
#include "kernel/map_half.h"

#define LOOP_TTT(name, T, F)                                                                                 \
    static void name##_ttt(void *dst, const void *a, const void *b, const void *c, int64_t n) {              \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b, *z = c;                                                                      \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y[i], z[i]);                      \
    }
#define LOOP_TST(name, T, F)                                                                                 \
    static void name##_tst(void *dst, const void *a, const void *b, const void *c, int64_t n) {              \
        T *d = dst;                                                                                          \
        const T *x = a, *z = c;                                                                              \
        const T y = *(const T *)b;                                                                           \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y, z[i]);                         \
    }
#define LOOPS(name, T, F) LOOP_TTT(name, T, F) LOOP_TST(name, T, F)

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define ADD_8(x, y, z) ((uint8_t)((unsigned)(x) + (y) + (z)))
#define SUB_8(x, y, z) ((uint8_t)((unsigned)(x) - (y) + (z)))
#define ADD_16(x, y, z) ((uint16_t)((unsigned)(x) + (y) + (z)))
#define SUB_16(x, y, z) ((uint16_t)((unsigned)(x) - (y) + (z)))
#define ADD_ADD(x, y, z) ((x) + (y) + (z))
#define SUB_ADD(x, y, z) ((x) - (y) + (z))
#define ADD_F32(x, y, z) pto_f32_canonical((x) + (y) + (z))
#define SUB_F32(x, y, z) pto_f32_canonical((x) - (y) + (z))

LOOPS(add_8, uint8_t, ADD_8)
LOOPS(sub_8, uint8_t, SUB_8)
LOOPS(add_16, uint16_t, ADD_16)
LOOPS(sub_16, uint16_t, SUB_16)
LOOPS(add_32, uint32_t, ADD_ADD)
LOOPS(sub_32, uint32_t, SUB_ADD)
LOOPS(add_64, uint64_t, ADD_ADD)
LOOPS(sub_64, uint64_t, SUB_ADD)
LOOPS(add_f32, float, ADD_F32)
LOOPS(sub_f32, float, SUB_F32)

#define HALF_ONE(name, format, OP)                                                                           \
    static inline uint16_t name(uint16_t x, uint16_t y, uint16_t z) {                                        \
        const uint16_t first =                                                                               \
            PTO_HALF_NARROW_##format(OP(PTO_HALF_WIDEN_##format(x), PTO_HALF_WIDEN_##format(y)));            \
        return PTO_HALF_NARROW_##format(PTO_HALF_WIDEN_##format(first) + PTO_HALF_WIDEN_##format(z));        \
    }
HALF_ONE(add_f16_one, f16, ADD)
HALF_ONE(sub_f16_one, f16, SUB)
HALF_ONE(add_bf16_one, bf16, ADD)
HALF_ONE(sub_bf16_one, bf16, SUB)

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

#define HALF_LOOP(name, format, OP, ONE, b_is_run)                                                           \
    static void name(void *dst, const void *a, const void *b, const void *c, int64_t n) {                    \
        uint16_t *d = dst;                                                                                   \
        const uint16_t *p = a, *q = b, *r = c;                                                               \
        pto_lanes y = pto_lanes_fill((b_is_run) ? 0.0f : PTO_HALF_WIDEN_##format(*q));                       \
        int64_t i = 0;                                                                                       \
        for (; i + PTO_LANES <= n; i += PTO_LANES) {                                                         \
            const pto_lanes x = pto_lanes_load_##format(p + i), z = pto_lanes_load_##format(r + i);          \
            if (b_is_run)                                                                                    \
                y = pto_lanes_load_##format(q + i);                                                          \
            pto_lanes_store_##format(d + i, pto_lanes_round_##format(OP(x, y)) + z);                         \
        }                                                                                                    \
        for (; i < n; i++)                                                                                   \
            d[i] = ONE(p[i], (b_is_run) ? q[i] : *q, r[i]);                                                  \
    }
#define HALF_LOOPS(name, format, OP)                                                                         \
    HALF_LOOP(name##_##format##_ttt, format, OP, name##_##format##_one, true)                                \
    HALF_LOOP(name##_##format##_tst, format, OP, name##_##format##_one, false)

#else
#define HALF_LOOPS(name, format, OP) LOOPS(name##_##format, uint16_t, name##_##format##_one)
#endif

HALF_LOOPS(add, f16, ADD)
HALF_LOOPS(sub, f16, SUB)
HALF_LOOPS(add, bf16, ADD)
HALF_LOOPS(sub, bf16, SUB)

#define OP(name, form, exact_op)                                                                             \
    static const pto_map_op name##_##form = {.loop3 = {[PTO_S8] = name##_8_##form,                           \
                                                       [PTO_U8] = name##_8_##form,                           \
                                                       [PTO_S16] = name##_16_##form,                         \
                                                       [PTO_U16] = name##_16_##form,                         \
                                                       [PTO_S32] = name##_32_##form,                         \
                                                       [PTO_U32] = name##_32_##form,                         \
                                                       [PTO_S64] = name##_64_##form,                         \
                                                       [PTO_U64] = name##_64_##form,                         \
                                                       [PTO_F16] = name##_f16_##form,                        \
                                                       [PTO_BF16] = name##_bf16_##form,                      \
                                                       [PTO_F32] = name##_f32_##form},                       \
                                             .exact = exact_op};

#define KERNELS(name, exact_op)                                                                              \
    OP(name, ttt, exact_op)                                                                                  \
    OP(name, tst, exact_op)                                                                                  \
    PTO_KERNEL(t##name##c) {                                                                                 \
        return pto_map_run3(call, &name##_ttt, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)), \
                            pto_map_tile(pto_call_tile(call, 2)), pto_map_tile(pto_call_tile(call, 3)));     \
    }                                                                                                        \
    PTO_KERNEL(t##name##sc) {                                                                                \
        pto_tile *dst = pto_call_tile(call, 0);                                                              \
        const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));                   \
        return pto_map_run3(call, &name##_tst, dst, pto_map_tile(pto_call_tile(call, 1)),                    \
                            pto_map_value(&value), pto_map_tile(pto_call_tile(call, 3)));                    \
    }

KERNELS(add, PTO_EXACT_ADD_ADD)
KERNELS(sub, PTO_EXACT_SUB_ADD)
