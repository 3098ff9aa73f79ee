/* SPDX-License-Identifier: Apache-2.0 */
/* The public number functions (pto/number.h): element types in front of the format table. */
#include <pto/number.h>

#include "convert.h"
#include "half.h"

float pto_half_to_float(uint16_t half) { return pto_f32_from_f16(half); }

uint16_t pto_half_from_float(float value) { return pto_f16_from_f32(value); }

float pto_bfloat16_to_float(uint16_t bf16) { return pto_f32_from_bf16(bf16); }

uint16_t pto_bfloat16_from_float(float value) { return pto_bf16_from_f32(value); }

double pto_number_to_double(pto_dtype type, uint64_t bits) {
    const pto_format format = pto_format_of_dtype(type);
    return format == PTO_FORMAT_COUNT ? 0.0 : pto_number_to_f64(format, bits);
}

uint64_t pto_number_from_double(pto_dtype type, double value, pto_round_mode mode, bool saturate) {
    const pto_format format = pto_format_of_dtype(type);
    if (format == PTO_FORMAT_COUNT)
        return 0;
    if (mode == PTO_CAST_NONE && format == PTO_FORMAT_HIF8)
        mode = PTO_CAST_ROUND;
    return pto_number_encode_f64(format, value, mode, saturate);
}

uint64_t pto_number_convert(pto_dtype dst, pto_dtype src, uint64_t bits, pto_round_mode mode,
                            pto_sat_mode sat) {
    const pto_format to = pto_format_of_dtype(dst), from = pto_format_of_dtype(src);
    if (to == PTO_FORMAT_COUNT || from == PTO_FORMAT_COUNT)
        return 0;
    return pto_number_convert_by_rule(to, from, bits, pto_cvt_resolve(to, from, mode, sat));
}
