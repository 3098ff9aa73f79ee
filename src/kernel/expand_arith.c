/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND and TCOLEXPAND with ADD, SUB, MUL (part 20, 4.1): integers wrap, floats round once. */
#include "kernel/expand.h"

/* Integers are computed unsigned and wide enough that nothing overflows in C. */
#define ADD_8(x, y) ((uint8_t)((unsigned)(x) + (y)))
#define ADD_16(x, y) ((uint16_t)((unsigned)(x) + (y)))
#define SUB_8(x, y) ((uint8_t)((unsigned)(x) - (y)))
#define SUB_16(x, y) ((uint16_t)((unsigned)(x) - (y)))
#define MUL_8(x, y) ((uint8_t)((unsigned)(x) * (y)))
#define MUL_16(x, y) ((uint16_t)((unsigned)(x) * (y)))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define ADD_F32(x, y) pto_f32_canonical((x) + (y))
#define SUB_F32(x, y) pto_f32_canonical((x) - (y))
#define MUL_F32(x, y) pto_f32_canonical((x) * (y))

#define OP(name, NAME)                                                                                       \
    EXPAND_MAP(name##_8, uint8_t, NAME##_8)                                                                  \
    EXPAND_MAP(name##_16, uint16_t, NAME##_16)                                                               \
    EXPAND_MAP(name##_32, uint32_t, NAME)                                                                    \
    EXPAND_MAP(name##_f32, float, NAME##_F32)                                                                \
    PTO_HALF_TT(name, NAME, NAME)                                                                            \
    PTO_HALF_TS(name, NAME, NAME)                                                                            \
    PTO_HALF_ST(name, NAME, NAME)                                                                            \
    static const expand_op name##_op = {{[PTO_S8] = EXPAND_LOOPS(name##_8),                                  \
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
