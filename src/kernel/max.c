/* SPDX-License-Identifier: Apache-2.0 */
/* TMAX TMIN and TMAXS TMINS (10, 3.1; 20, 2). Floats: any NaN gives the canonical NaN, -0 < +0; in the block
 * form a number wins over a NaN. */
#include "kernel/formulas.h"

#define LOOPS(name, NAME)                                                                                    \
    PTO_MAP_BINARY(name##_s8, int8_t, PTO_##NAME)                                                            \
    PTO_MAP_BINARY(name##_u8, uint8_t, PTO_##NAME)                                                           \
    PTO_MAP_BINARY(name##_s16, int16_t, PTO_##NAME)                                                          \
    PTO_MAP_BINARY(name##_u16, uint16_t, PTO_##NAME)                                                         \
    PTO_MAP_BINARY(name##_s32, int32_t, PTO_##NAME)                                                          \
    PTO_MAP_BINARY(name##_u32, uint32_t, PTO_##NAME)                                                         \
    PTO_MAP_BINARY(name##_s64, int64_t, PTO_##NAME)                                                          \
    PTO_MAP_BINARY(name##_u64, uint64_t, PTO_##NAME)                                                         \
    FLOAT_LOOPS(name, NAME)                                                                                  \
    FLOAT_LOOPS(number_##name, NUMBER_##NAME)
#define FLOAT_LOOPS(name, NAME)                                                                              \
    PTO_MAP_BINARY(name##_f16, int16_t, PTO_##NAME##_F16)                                                    \
    PTO_MAP_BINARY(name##_bf16, int16_t, PTO_##NAME##_BF16)                                                  \
    PTO_MAP_BINARY(name##_f32, float, PTO_##NAME##_F32)

LOOPS(max, MAX)
LOOPS(min, MIN)

#define OP(name, floats, form, exact_op)                                                                     \
    static const pto_map_op floats##_##form = {.loop = {[PTO_S8] = name##_s8_##form,                         \
                                                        [PTO_U8] = name##_u8_##form,                         \
                                                        [PTO_S16] = name##_s16_##form,                       \
                                                        [PTO_U16] = name##_u16_##form,                       \
                                                        [PTO_S32] = name##_s32_##form,                       \
                                                        [PTO_U32] = name##_u32_##form,                       \
                                                        [PTO_S64] = name##_s64_##form,                       \
                                                        [PTO_U64] = name##_u64_##form,                       \
                                                        [PTO_F16] = floats##_f16_##form,                     \
                                                        [PTO_BF16] = floats##_bf16_##form,                   \
                                                        [PTO_F32] = floats##_f32_##form},                    \
                                               .exact = exact_op};

#define KERNELS(name, exact_op, number_op)                                                                   \
    OP(name, name, tt, exact_op)                                                                             \
    OP(name, name, ts, exact_op)                                                                             \
    OP(name, number_##name, tt, number_op)                                                                   \
    OP(name, number_##name, ts, number_op)                                                                   \
    PTO_KERNEL(t##name) {                                                                                    \
        return pto_map_run(call, call->host->block_form ? &number_##name##_tt : &name##_tt,                  \
                           pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),                     \
                           pto_map_tile(pto_call_tile(call, 2)));                                            \
    }                                                                                                        \
    PTO_KERNEL(t##name##s) {                                                                                 \
        pto_tile *dst = pto_call_tile(call, 0);                                                              \
        const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));                   \
        return pto_map_run(call, call->host->block_form ? &number_##name##_ts : &name##_ts, dst,             \
                           pto_map_tile(pto_call_tile(call, 1)), pto_map_value(&value));                     \
    }

KERNELS(max, PTO_EXACT_MAX, PTO_EXACT_NUMBER_MAX)
KERNELS(min, PTO_EXACT_MIN, PTO_EXACT_NUMBER_MIN)
