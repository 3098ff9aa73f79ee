/* SPDX-License-Identifier: Apache-2.0 */
/* TADD TSUB TMUL and TADDS TSUBS TMULS (10, 3.1; 20, 2): integers wrap, floats round once. */
#include "kernel/formulas.h"
#include "kernel/map_half.h"

#define LOOPS(name, NAME)                                                                                    \
    PTO_MAP_BINARY(name##_8, uint8_t, PTO_##NAME##_8)                                                        \
    PTO_MAP_BINARY(name##_16, uint16_t, PTO_##NAME##_16)                                                     \
    PTO_MAP_BINARY(name##_32, uint32_t, PTO_##NAME##_32)                                                     \
    PTO_MAP_BINARY(name##_64, uint64_t, PTO_##NAME##_64)                                                     \
    PTO_MAP_BINARY(name##_f32, float, PTO_##NAME##_F32)                                                      \
    PTO_HALF_TT(name, PTO_##NAME##_LANES, PTO_##NAME##_LANES)                                                \
    PTO_HALF_TS(name, PTO_##NAME##_LANES, PTO_##NAME##_LANES)

LOOPS(add, ADD)
LOOPS(sub, SUB)
LOOPS(mul, MUL)

#define OP(name, form, exact_op)                                                                             \
    static const pto_map_op name##_##form = {.loop = {[PTO_S8] = name##_8_##form,                            \
                                                      [PTO_U8] = name##_8_##form,                            \
                                                      [PTO_S16] = name##_16_##form,                          \
                                                      [PTO_U16] = name##_16_##form,                          \
                                                      [PTO_S32] = name##_32_##form,                          \
                                                      [PTO_U32] = name##_32_##form,                          \
                                                      [PTO_S64] = name##_64_##form,                          \
                                                      [PTO_U64] = name##_64_##form,                          \
                                                      [PTO_F16] = name##_f16_##form,                         \
                                                      [PTO_BF16] = name##_bf16_##form,                       \
                                                      [PTO_F32] = name##_f32_##form},                        \
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

KERNELS(add, PTO_EXACT_ADD)
KERNELS(sub, PTO_EXACT_SUB)
KERNELS(mul, PTO_EXACT_MUL)
