/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND and TCOLEXPAND with MAX, MIN (part 20, 4.1; N5): any NaN gives the canonical NaN, -0 < +0; in
 * the block form a number wins over a NaN. */
#include "kernel/expand.h"
#include "kernel/formulas.h"

#define OP(name, NAME)                                                                                       \
    EXPAND_MAP(name##_s8, int8_t, PTO_##NAME)                                                                \
    EXPAND_MAP(name##_u8, uint8_t, PTO_##NAME)                                                               \
    EXPAND_MAP(name##_s16, int16_t, PTO_##NAME)                                                              \
    EXPAND_MAP(name##_u16, uint16_t, PTO_##NAME)                                                             \
    EXPAND_MAP(name##_s32, int32_t, PTO_##NAME)                                                              \
    EXPAND_MAP(name##_u32, uint32_t, PTO_##NAME)                                                             \
    FLOATS(name, name, NAME)                                                                                 \
    FLOATS(name, number_##name, NUMBER_##NAME)                                                               \
    PTO_KERNEL(trowexpand##name) {                                                                           \
        return expand_rows(call, call->host->block_form ? &number_##name##_op : &name##_op);                 \
    }                                                                                                        \
    PTO_KERNEL(tcolexpand##name) {                                                                           \
        return expand_columns(call, call->host->block_form ? &number_##name##_op : &name##_op);              \
    }
#define FLOATS(name, floats, NAME)                                                                           \
    EXPAND_MAP(floats##_f16, int16_t, PTO_##NAME##_F16)                                                      \
    EXPAND_MAP(floats##_bf16, int16_t, PTO_##NAME##_BF16)                                                    \
    EXPAND_MAP(floats##_f32, float, PTO_##NAME##_F32)                                                        \
    static const expand_op floats##_op = {PTO_EXACT_##NAME,                                                  \
                                          {[PTO_S8] = EXPAND_LOOPS(name##_s8),                               \
                                           [PTO_U8] = EXPAND_LOOPS(name##_u8),                               \
                                           [PTO_S16] = EXPAND_LOOPS(name##_s16),                             \
                                           [PTO_U16] = EXPAND_LOOPS(name##_u16),                             \
                                           [PTO_S32] = EXPAND_LOOPS(name##_s32),                             \
                                           [PTO_U32] = EXPAND_LOOPS(name##_u32),                             \
                                           [PTO_F16] = EXPAND_LOOPS(floats##_f16),                           \
                                           [PTO_BF16] = EXPAND_LOOPS(floats##_bf16),                         \
                                           [PTO_F32] = EXPAND_LOOPS(floats##_f32)}};

OP(max, MAX)
OP(min, MIN)
