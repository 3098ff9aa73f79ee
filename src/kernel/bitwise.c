/* SPDX-License-Identifier: Apache-2.0 */
/* TAND TOR TXOR TNOT and TANDS TORS TXORS (10, 4.1; 20, 2): the bits of the element. Scratch is never used.
 */
#include "kernel/map.h"

#define AND(x, y) ((T)((x) & (y)))
#define OR(x, y) ((T)((x) | (y)))
#define XOR(x, y) ((T)((x) ^ (y)))

#define LOOP_TT(name, TYPE, F)                                                                               \
    static void name##_tt(void *dst, const void *a, const void *b, int64_t n, const void *extra) {           \
        (void)extra;                                                                                         \
        typedef TYPE T;                                                                                      \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y[i]);                            \
    }
#define LOOP_TS(name, TYPE, F)                                                                               \
    static void name##_ts(void *dst, const void *a, const void *b, int64_t n, const void *extra) {           \
        (void)extra;                                                                                         \
        typedef TYPE T;                                                                                      \
        T *d = dst;                                                                                          \
        const T *x = a;                                                                                      \
        const T y = *(const T *)b;                                                                           \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y);                               \
    }

#define LOOPS(name, F)                                                                                       \
    LOOP_TT(name##_8, uint8_t, F)                                                                            \
    LOOP_TT(name##_16, uint16_t, F)                                                                          \
    LOOP_TT(name##_32, uint32_t, F)                                                                          \
    LOOP_TT(name##_64, uint64_t, F)                                                                          \
    LOOP_TS(name##_8, uint8_t, F)                                                                            \
    LOOP_TS(name##_16, uint16_t, F)                                                                          \
    LOOP_TS(name##_32, uint32_t, F)                                                                          \
    LOOP_TS(name##_64, uint64_t, F)

LOOPS(and, AND)
LOOPS(or, OR)
LOOPS(xor, XOR)

#define NOT_8(x) ((uint8_t) ~(x))
#define NOT_16(x) ((uint16_t) ~(x))
#define NOT(x) (~(x))
PTO_MAP_UNARY(not_8_tt, uint8_t, NOT_8)
PTO_MAP_UNARY(not_16_tt, uint16_t, NOT_16)
PTO_MAP_UNARY(not_32_tt, uint32_t, NOT)
PTO_MAP_UNARY(not_64_tt, uint64_t, NOT)

#define OP(name, form, exact_op)                                                                             \
    static const pto_map_op name##_##form = {.loop = {[PTO_S8] = name##_8_##form,                            \
                                                      [PTO_U8] = name##_8_##form,                            \
                                                      [PTO_S16] = name##_16_##form,                          \
                                                      [PTO_U16] = name##_16_##form,                          \
                                                      [PTO_S32] = name##_32_##form,                          \
                                                      [PTO_U32] = name##_32_##form,                          \
                                                      [PTO_S64] = name##_64_##form,                          \
                                                      [PTO_U64] = name##_64_##form},                         \
                                             .exact = exact_op};

#define KERNELS(name, exact_op)                                                                              \
    OP(name, tt, exact_op)                                                                                   \
    OP(name, ts, exact_op)                                                                                   \
    PTO_KERNEL(t##name) {                                                                                    \
        return pto_map_run(call, &name##_tt, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),   \
                           pto_map_tile(pto_call_tile(call, 2)));                                            \
    }                                                                                                        \
    PTO_KERNEL(t##name##s) {                                                                                 \
        pto_tile *dst = pto_call_tile(call, 0);                                                              \
        const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));                   \
        return pto_map_run(call, &name##_ts, dst, pto_map_tile(pto_call_tile(call, 1)),                      \
                           pto_map_value(&value));                                                           \
    }

KERNELS(and, PTO_EXACT_AND)
KERNELS(or, PTO_EXACT_OR)
KERNELS(xor, PTO_EXACT_XOR)

OP(not, tt, PTO_EXACT_NOT)
PTO_KERNEL(tnot) {
    return pto_map_run(call, &not_tt, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),
                       pto_map_none());
}
