/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPANDEXPDIF, TCOLEXPANDEXPDIF (part 20, 4.1): the difference rounded to the element type, then its
 * exponential rounded once; TROWEXPANDSUB followed by TEXP gives the same bits. */
#include "kernel/expand.h"
#include "kernel/reduce.h"
#include "kernel/vec_math.h"

static inline float expdif_of_f32(float x, float y) { return pto_expf(x - y); }

static inline uint16_t expdif_of_f16(uint16_t x, uint16_t y) {
    return pto_f16_from_f32(pto_expf(reduce_round_f16(pto_f32_from_f16(x) - pto_f32_from_f16(y))));
}

EXPAND_MAP(expdif_f32, float, expdif_of_f32)
EXPAND_MAP(expdif_f16, uint16_t, expdif_of_f16)

static const expand_op expdif_op = {
    {[PTO_F16] = EXPAND_LOOPS(expdif_f16), [PTO_F32] = EXPAND_LOOPS(expdif_f32)}};

EXPAND_KERNELS(expdif)
