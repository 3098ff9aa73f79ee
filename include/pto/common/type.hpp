/* SPDX-License-Identifier: Apache-2.0 */
/* Element types as C++ values (00-model, 2): the size and the bits that they have in memory. Every conversion
 * rounds once to nearest even; 16-bit arithmetic is that of float, rounded. */
#ifndef PTO_COMMON_TYPE_HPP
#define PTO_COMMON_TYPE_HPP

#include <pto/common/arch_macro.hpp>

#include <pto/instr.h>
#include <pto/number.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/* ---- half and bf16 --------------------------------------------------------------------------------------
 */

/* Conversions of bits, usable in constant expressions; the values of pto_half_from_float and its kin. */
namespace pto_bits {
constexpr std::uint32_t of_float(float value) { return __builtin_bit_cast(std::uint32_t, value); }
constexpr float to_float(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

/* The float nearest to a double with a sticky last bit, so that rounding it again rounds the double once. */
constexpr float sticky(double value) {
    const float f = static_cast<float>(value);
    const double back = static_cast<double>(f);
    if (!(back != value) || value != value || f - f != 0.0f)
        return f;
    const std::uint32_t bits = of_float(f);
    if (bits & 1u)
        return f;
    const bool larger = (value < 0 ? -value : value) > (back < 0 ? -back : back);
    return to_float(larger ? bits + 1u : bits - 1u);
}

constexpr std::uint16_t half_of_float(float value) {
    const std::uint32_t u = of_float(value), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u)
        return 0x7e00u;
    if (a >= 0x47800000u)
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (a >= 0x38800000u)
        return static_cast<std::uint16_t>(sign | ((a + 0xfffu + (a >> 13 & 1u) - 0x38000000u) >> 13));
    if (a < 0x33000000u)
        return static_cast<std::uint16_t>(sign);
    const std::uint32_t mantissa = (a & 0x7fffffu) | 0x800000u, shift = 126u - (a >> 23);
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u);
    const std::uint32_t middle = 1u << (shift - 1u);
    return static_cast<std::uint16_t>(sign | (kept + (rest > middle || (rest == middle && (kept & 1u)))));
}

constexpr float float_of_half(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, e = bits >> 10 & 31u;
    const std::uint32_t m = bits & 0x3ffu;
    if (e == 31u)
        return m ? to_float(0x7fc00000u) : to_float(sign | 0x7f800000u);
    if (e)
        return to_float(sign | ((e + 112u) << 23) | m << 13);
    const float magnitude = static_cast<float>(m) * 5.9604644775390625e-8f; /* 2^-24 */
    return sign ? -magnitude : magnitude;
}

constexpr std::uint16_t bfloat16_of_float(float value) {
    const std::uint32_t u = of_float(value);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0u;
    return static_cast<std::uint16_t>((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

constexpr float float_of_bfloat16(std::uint16_t bits) {
    if ((bits & 0x7fffu) > 0x7f80u)
        return to_float(0x7fc00000u);
    return to_float(static_cast<std::uint32_t>(bits) << 16);
}
} // namespace pto_bits

/* A 16-bit float: half (PTO_F16) or bfloat16_t (PTO_BF16). */
template <pto_dtype Kind> struct pto_float16 {
    std::uint16_t bits;

    pto_float16() = default;
    constexpr pto_float16(float value) : bits(narrow(value)) {}
    constexpr pto_float16(double value) : bits(narrow(pto_bits::sticky(value))) {}
    template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    constexpr pto_float16(T value) : bits(narrow(pto_bits::sticky(static_cast<double>(value)))) {}
    template <pto_dtype Other, std::enable_if_t<Other != Kind, int> = 0>
    constexpr pto_float16(pto_float16<Other> value) : bits(narrow(static_cast<float>(value))) {}

    constexpr operator float() const {
        return Kind == PTO_F16 ? pto_bits::float_of_half(bits) : pto_bits::float_of_bfloat16(bits);
    }
    static constexpr pto_float16 from_bits(std::uint16_t bits) {
        pto_float16 value(0.0f);
        value.bits = bits;
        return value;
    }

    template <typename T> constexpr pto_float16 &operator+=(T v) { return *this = pto_float16(*this + v); }
    template <typename T> constexpr pto_float16 &operator-=(T v) { return *this = pto_float16(*this - v); }
    template <typename T> constexpr pto_float16 &operator*=(T v) { return *this = pto_float16(*this * v); }
    template <typename T> constexpr pto_float16 &operator/=(T v) { return *this = pto_float16(*this / v); }

  private:
    static constexpr std::uint16_t narrow(float value) {
        return Kind == PTO_F16 ? pto_bits::half_of_float(value) : pto_bits::bfloat16_of_float(value);
    }
};

template <pto_dtype K> constexpr pto_float16<K> operator+(pto_float16<K> a, pto_float16<K> b) {
    return static_cast<float>(a) + static_cast<float>(b);
}
template <pto_dtype K> constexpr pto_float16<K> operator-(pto_float16<K> a, pto_float16<K> b) {
    return static_cast<float>(a) - static_cast<float>(b);
}
template <pto_dtype K> constexpr pto_float16<K> operator*(pto_float16<K> a, pto_float16<K> b) {
    return static_cast<float>(a) * static_cast<float>(b);
}
template <pto_dtype K> constexpr pto_float16<K> operator/(pto_float16<K> a, pto_float16<K> b) {
    return static_cast<float>(a) / static_cast<float>(b);
}
template <pto_dtype K> constexpr pto_float16<K> operator-(pto_float16<K> a) {
    return pto_float16<K>::from_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
}

using half = pto_float16<PTO_F16>;
using bfloat16_t = pto_float16<PTO_BF16>;
#ifndef __ARM_NEON_H /* which has names of its own for these */
using float16_t = half;
using float32_t = float;
#endif

/* ---- 8-bit and packed 4-bit floats ----------------------------------------------------------------------
 */

/* Values are saturated, as TCVT does by default (10, 9). */
template <pto_dtype Kind> struct pto_float8 {
    std::uint8_t bits;

    pto_float8() = default;
    template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    pto_float8(T value)
        : bits(static_cast<std::uint8_t>(
              pto_number_from_double(Kind, static_cast<double>(value), PTO_CAST_NONE, true))) {}
    template <pto_dtype K> pto_float8(pto_float16<K> value) : pto_float8(static_cast<float>(value)) {}
    operator float() const { return static_cast<float>(pto_number_to_double(Kind, bits)); }
    static pto_float8 from_bits(std::uint8_t bits) {
        pto_float8 value;
        value.bits = bits;
        return value;
    }
};
using float8_e4m3_t = pto_float8<PTO_E4M3>;
using float8_e5m2_t = pto_float8<PTO_E5M2>;
using float8_e8m0_t = pto_float8<PTO_E8M0>;
using hifloat8_t = pto_float8<PTO_HIF8>;

/* Two 4-bit floats in a byte: value 0 in the low nibble. */
template <pto_dtype Kind> struct pto_float4x2 {
    std::uint8_t bits;

    pto_float4x2() = default;
    pto_float4x2(float low, float high) : bits(static_cast<std::uint8_t>(nibble(low) | nibble(high) << 4)) {}
    float get(int index) const { return static_cast<float>(pto_number_to_double(Kind, code(index))); }
    void set(int index, float value) { set_code(index, nibble(value)); }
    std::uint8_t code(int index) const {
        return static_cast<std::uint8_t>((index & 1 ? bits >> 4 : bits) & 15);
    }
    void set_code(int index, unsigned code) {
        bits = static_cast<std::uint8_t>(index & 1 ? (bits & 0x0fu) | (code & 15u) << 4
                                                   : (bits & 0xf0u) | (code & 15u));
    }
    friend bool operator==(pto_float4x2 a, pto_float4x2 b) { return a.bits == b.bits; }
    friend bool operator!=(pto_float4x2 a, pto_float4x2 b) { return a.bits != b.bits; }

  private:
    static unsigned nibble(float value) {
        return static_cast<unsigned>(
            pto_number_from_double(Kind, static_cast<double>(value), PTO_CAST_NONE, true));
    }
};
using float4_e2m1x2_t = pto_float4x2<PTO_E2M1>;
using float4_e1m2x2_t = pto_float4x2<PTO_E1M2>;

PTO_NAMESPACE_BEGIN

/* A signed 4-bit integer; alone it fills a byte, in a tile two share one, low nibble first. */
struct int4b_t {
    std::uint8_t storage;

    int4b_t() = default;
    constexpr explicit int4b_t(std::int32_t value) : storage(static_cast<std::uint8_t>(value & 15)) {}
    constexpr operator std::int8_t() const {
        return static_cast<std::int8_t>((storage & 15) - (storage & 8 ? 16 : 0));
    }
};

using ::bfloat16_t;
using ::float4_e1m2x2_t;
using ::float4_e2m1x2_t;
using ::float8_e4m3_t;
using ::float8_e5m2_t;
using ::float8_e8m0_t;
using ::half;
using ::hifloat8_t;

namespace detail {

/* The element type of the library for a C++ type; PTO_DTYPE_NONE = none. */
template <typename T> struct dtype_of {
    static constexpr pto_dtype integer(std::size_t size, bool is_signed) {
        return size == 1   ? (is_signed ? PTO_S8 : PTO_U8)
               : size == 2 ? (is_signed ? PTO_S16 : PTO_U16)
               : size == 4 ? (is_signed ? PTO_S32 : PTO_U32)
                           : (is_signed ? PTO_S64 : PTO_U64);
    }
    static constexpr pto_dtype value = std::is_integral_v<T> && !std::is_same_v<T, bool>
                                           ? integer(sizeof(T), std::is_signed_v<T>)
                                       : std::is_same_v<T, float> ? PTO_F32
                                                                  : PTO_DTYPE_NONE;
};
template <pto_dtype K> struct dtype_of<pto_float16<K>> { static constexpr pto_dtype value = K; };
template <pto_dtype K> struct dtype_of<pto_float8<K>> { static constexpr pto_dtype value = K; };
template <pto_dtype K> struct dtype_of<pto_float4x2<K>> { static constexpr pto_dtype value = K; };
template <> struct dtype_of<int4b_t> { static constexpr pto_dtype value = PTO_S4; };
template <typename T> constexpr pto_dtype dtype_v = dtype_of<std::remove_cv_t<T>>::value;

constexpr unsigned bits_of(pto_dtype dtype) {
    switch (dtype) {
    case PTO_S4:
    case PTO_E2M1:
    case PTO_E1M2:
        return 4;
    case PTO_S16:
    case PTO_U16:
    case PTO_F16:
    case PTO_BF16:
        return 16;
    case PTO_S32:
    case PTO_U32:
    case PTO_F32:
        return 32;
    case PTO_S64:
    case PTO_U64:
    case PTO_F64:
        return 64;
    case PTO_DTYPE_NONE:
    case PTO_DTYPE_COUNT:
        return 0;
    default:
        return 8;
    }
}

/* A number as an operand; the library converts it to the element type of its tile (20, 2). */
template <typename T> pto_scalar scalar(T value) {
    pto_scalar s = {};
    if constexpr (std::is_same_v<T, bool>) {
        s.dtype = PTO_S32;
        s.i = value;
    } else if constexpr (std::is_same_v<T, int4b_t>) {
        s.dtype = PTO_S4;
        s.i = static_cast<std::int8_t>(value);
    } else if constexpr (std::is_integral_v<T>) {
        s.dtype = dtype_v<T>;
        s.i = static_cast<std::int64_t>(value);
    } else if constexpr (std::is_enum_v<T>) {
        s.dtype = PTO_S64;
        s.i = static_cast<std::int64_t>(value);
    } else if constexpr (std::is_same_v<T, float4_e2m1x2_t> || std::is_same_v<T, float4_e1m2x2_t>) {
        s.dtype = dtype_v<T>;
        s.f = static_cast<double>(value.get(0));
    } else {
        s.dtype = dtype_v<T> == PTO_DTYPE_NONE ? PTO_F64 : dtype_v<T>;
        s.f = static_cast<double>(
            static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value));
    }
    return s;
}

} // namespace detail

/* Strips __gm__ (nothing here) and const, volatile. */
template <typename T> struct remove_gm { using type = std::remove_cv_t<T>; };
template <typename T> using remove_gm_t = typename remove_gm<T>::type;

template <typename T> constexpr bool IsTwinType() {
    return std::is_same_v<std::remove_cv_t<T>, float4_e2m1x2_t> ||
           std::is_same_v<std::remove_cv_t<T>, float4_e1m2x2_t>;
}

/* T is one of Ts. */
template <typename T, typename... Ts> constexpr bool isSupportType = (std::is_same_v<T, Ts> || ...);

PTO_NAMESPACE_END

namespace std {
template <pto_dtype K> class numeric_limits<pto_float16<K>> {
    using F = pto_float16<K>;
    static constexpr bool is_half = K == PTO_F16;

  public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = false;
    static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false;
    static constexpr int radix = 2, digits = is_half ? 11 : 8;
    static constexpr int max_exponent = is_half ? 16 : 128, min_exponent = is_half ? -13 : -125;
    static constexpr F min() noexcept { return F::from_bits(is_half ? 0x0400u : 0x0080u); }
    static constexpr F max() noexcept { return F::from_bits(is_half ? 0x7bffu : 0x7f7fu); }
    static constexpr F lowest() noexcept { return F::from_bits(is_half ? 0xfbffu : 0xff7fu); }
    static constexpr F epsilon() noexcept { return F::from_bits(is_half ? 0x1400u : 0x3c00u); }
    static constexpr F infinity() noexcept { return F::from_bits(is_half ? 0x7c00u : 0x7f80u); }
    static constexpr F quiet_NaN() noexcept { return F::from_bits(is_half ? 0x7e00u : 0x7fc0u); }
    static constexpr F denorm_min() noexcept { return F::from_bits(1u); }
};
template <pto_dtype K> class numeric_limits<pto_float4x2<K>> {
  public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
    static constexpr bool has_infinity = false, has_quiet_NaN = false;
    static float max() noexcept { return K == PTO_E2M1 ? 6.0f : 1.75f; }
    static float lowest() noexcept { return -max(); }
};
} // namespace std

#endif
