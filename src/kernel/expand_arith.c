/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND and TCOLEXPAND with ADD, SUB, MUL (part 20, 4.1): integers wrap, floats round once. */
#include "kernel/expand.h"
#include "kernel/formulas.h"

#define OP(name, NAME)                                                                                       \
    EXPAND_MAP(name##_8, uint8_t, PTO_##NAME##_8)                                                            \
    EXPAND_MAP(name##_16, uint16_t, PTO_##NAME##_16)                                                         \
    EXPAND_MAP(name##_32, uint32_t, PTO_##NAME##_32)                                                         \
    EXPAND_MAP(name##_f32, float, PTO_##NAME##_F32)                                                          \
    PTO_HALF_TT(name, PTO_##NAME##_LANES, PTO_##NAME##_LANES)                                                \
    PTO_HALF_TS(name, PTO_##NAME##_LANES, PTO_##NAME##_LANES)                                                \
    PTO_HALF_ST(name, PTO_##NAME##_LANES, PTO_##NAME##_LANES)                                                \
    static const expand_op name##_op = {PTO_EXACT_##NAME,                                                    \
                                        {[PTO_S8] = EXPAND_LOOPS(name##_8),                                  \
                                         [PTO_U8] = EXPAND_LOOPS(name##_8),                                  \
                                         [PTO_S16] = EXPAND_LOOPS(name##_16),                                \
                                         [PTO_U16] = EXPAND_LOOPS(name##_16),                                \
                                         [PTO_S32] = EXPAND_LOOPS(name##_32),                                \
                                         [PTO_U32] = EXPAND_LOOPS(name##_32),                                \
                                         [PTO_F16] = EXPAND_LOOPS(name##_f16),                               \
                                         [PTO_BF16] = EXPAND_LOOPS(name##_bf16),                             \
                                         [PTO_F32] = EXPAND_LOOPS(name##_f32)}};                             \
    EXPAND_KERNELS(name)

OP(add, ADD)
OP(sub, SUB)
OP(mul, MUL)
