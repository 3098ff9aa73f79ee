/* SPDX-License-Identifier: Apache-2.0 */
/* Traits, capability tests and helper functions (00-model, 16.4). */
#ifndef PTO_COMMON_UTILS_HPP
#define PTO_COMMON_UTILS_HPP

#include <pto/common/conv_tile.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/common/pto_tile.hpp>

PTO_NAMESPACE_BEGIN

/* ---- classification ---- */

template <typename T> struct is_tile : std::false_type {
    static constexpr TileLayoutCustom layout_enum = TileLayoutCustom::NONE;
};
template <TileType L, typename E, int R, int C, BLayout B, int RV, int CV, SLayout S, int F, auto P,
          CompactMode M>
struct is_tile<Tile<L, E, R, C, B, RV, CV, S, F, P, M>> : std::true_type {
    static constexpr TileLayoutCustom layout_enum =
        S == SLayout::NoneBox ? (B == BLayout::RowMajor ? TileLayoutCustom::ND : TileLayoutCustom::DN)
        : F != 512            ? TileLayoutCustom::NONE
        : B == BLayout::ColMajor && S == SLayout::RowMajor ? TileLayoutCustom::NZ
        : B == BLayout::RowMajor && S == SLayout::ColMajor ? TileLayoutCustom::ZN
        : B == BLayout::RowMajor && S == SLayout::RowMajor ? TileLayoutCustom::ZZ
                                                           : TileLayoutCustom::NONE;
};
template <typename T> struct is_conv_tile : std::false_type {};
template <TileType L, typename E, int N, Layout Y, typename S>
struct is_conv_tile<ConvTile<L, E, N, Y, S>> : std::true_type {};
template <typename T> struct is_global : std::false_type {};
template <typename E, typename S, typename D, Layout L>
struct is_global<GlobalTensor<E, S, D, L>> : std::true_type {};

template <typename T> constexpr bool is_tile_data_v = is_tile<std::remove_cv_t<T>>::value;
template <typename T> constexpr bool is_conv_tile_v = is_conv_tile<std::remove_cv_t<T>>::value;
template <typename T> constexpr bool is_global_data_v = is_global<std::remove_cv_t<T>>::value;

namespace detail {
template <typename T, bool = is_tile_data_v<T>> struct Boxed : std::false_type {};
template <typename T> struct Boxed<T, true> : std::integral_constant<bool, T::isBoxedLayout> {};
template <typename T, TileLayoutCustom L>
constexpr bool has_layout = is_tile<std::remove_cv_t<T>>::layout_enum == L;
} // namespace detail
template <typename T> constexpr bool is_boxed_data_v = detail::Boxed<std::remove_cv_t<T>>::value;
template <typename T>
struct is_Nz_layout : std::bool_constant<detail::has_layout<T, TileLayoutCustom::NZ>> {};
template <typename T>
struct is_Zn_layout : std::bool_constant<detail::has_layout<T, TileLayoutCustom::ZN>> {};
template <typename T>
struct is_Zz_layout : std::bool_constant<detail::has_layout<T, TileLayoutCustom::ZZ>> {};

/* ---- what the build's target has ---- */

template <ChipArch arch> struct ArchTraits {
    static constexpr ChipArch value = arch;
    static constexpr bool isA2A3 = arch == ChipArch::A2A3;
    static constexpr bool isA5 = arch == ChipArch::A5;
};

namespace caps {
constexpr ChipArch GetCurrentArch() {
    return detail::target == PTO_TARGET_A2A3 ? ChipArch::A2A3
           : detail::target == PTO_TARGET_A5 ? ChipArch::A5
                                             : ChipArch::UNKNOWN;
}
/* The small floats exist everywhere but on a2a3. */
template <typename T> constexpr bool is(pto_dtype d) { return detail::dtype_v<T> == d; }
template <typename T> constexpr bool IsFP32() { return is<T>(PTO_F32); }
template <typename T> constexpr bool IsFP16() { return is<T>(PTO_F16); }
template <typename T> constexpr bool IsBF16() { return is<T>(PTO_BF16); }
constexpr bool small_floats = detail::target != PTO_TARGET_A2A3;
template <typename T> constexpr bool IsHF8() { return small_floats && is<T>(PTO_HIF8); }
template <typename T> constexpr bool IsFP8E4M3() { return small_floats && is<T>(PTO_E4M3); }
template <typename T> constexpr bool IsFP8E5M2() { return small_floats && is<T>(PTO_E5M2); }
template <typename T> constexpr bool IsFP8E8M0() { return small_floats && is<T>(PTO_E8M0); }
template <typename T> constexpr bool IsFP4E2M1() { return small_floats && is<T>(PTO_E2M1); }
template <typename T> constexpr bool IsFP4E1M2() { return small_floats && is<T>(PTO_E1M2); }
template <typename T> constexpr bool IsFP4() { return IsFP4E2M1<T>() || IsFP4E1M2<T>(); }
template <typename T> constexpr bool IsFP8() { return IsFP8E4M3<T>() || IsFP8E5M2<T>(); }
template <typename T> constexpr bool IsHIF4() { return false; }
template <typename T> constexpr bool IsInt4() { return is<T>(PTO_S4); }
template <typename T> constexpr bool IsSInt8() { return is<T>(PTO_S8); }
template <typename T> constexpr bool IsUInt8() { return is<T>(PTO_U8); }
template <typename T> constexpr bool IsSInt16() { return is<T>(PTO_S16); }
template <typename T> constexpr bool IsUInt16() { return is<T>(PTO_U16); }
template <typename T> constexpr bool IsSInt32() { return is<T>(PTO_S32); }
template <typename T> constexpr bool IsUInt32() { return is<T>(PTO_U32); }
template <typename T> constexpr bool IsSInt64() { return is<T>(PTO_S64); }
template <typename T> constexpr bool IsUInt64() { return is<T>(PTO_U64); }
template <typename T> constexpr bool IsInt8() { return IsSInt8<T>() || IsUInt8<T>(); }
template <typename T> constexpr bool IsInt16() { return IsSInt16<T>() || IsUInt16<T>(); }
template <typename T> constexpr bool IsInt32() { return IsSInt32<T>() || IsUInt32<T>(); }
template <typename T> constexpr bool IsInt64() { return IsSInt64<T>() || IsUInt64<T>(); }
template <typename T> constexpr bool IsFloatingPoint() {
    return IsFP32<T>() || IsFP16<T>() || IsBF16<T>() || IsFP8<T>() || IsHF8<T>() || IsFP8E8M0<T>() ||
           IsFP4<T>();
}
template <typename T> constexpr bool IsSInteger() {
    return IsSInt8<T>() || IsSInt16<T>() || IsSInt32<T>() || IsSInt64<T>() || IsInt4<T>();
}
template <typename T> constexpr bool IsUInteger() {
    return IsUInt8<T>() || IsUInt16<T>() || IsUInt32<T>() || IsUInt64<T>();
}
template <typename T> constexpr bool IsInteger() { return IsSInteger<T>() || IsUInteger<T>(); }
template <typename T> constexpr bool TypeSupported = IsFloatingPoint<T>() || IsInteger<T>();
} // namespace caps

/* ---- functions ---- */

/* The bits that the pad policy of a tile writes (00-model, 3.6). */
template <typename TileT> constexpr std::uint64_t GetPadValue() {
    constexpr pto_dtype d = detail::dtype_v<typename TileT::DType>;
    constexpr PadValue pad = TileT::PadVal;
    constexpr unsigned bits = detail::bits_of(d);
    if (isCustomPadValue(pad))
        return bits > 32 ? 0
                         : getCustomPadBits(pad) & (bits == 32   ? 0xffffffffu
                                                    : bits == 16 ? 0xffffu
                                                                 : 0xffu);
    if (pad != PadValue::Max && pad != PadValue::Min)
        return 0;
    const bool max = pad == PadValue::Max;
    switch (d) {
    case PTO_F32:
        return max ? 0x7f800000u : 0xff800000u;
    case PTO_F16:
        return max ? 0x7c00u : 0xfc00u;
    case PTO_BF16:
        return max ? 0x7f80u : 0xff80u;
    case PTO_S32:
        return max ? 0x7fffffffu : 0x80000000u;
    case PTO_U32:
        return max ? 0xffffffffu : 0u;
    case PTO_S16:
        return max ? 0x7fffu : 0x8000u;
    case PTO_U16:
        return max ? 0xffffu : 0u;
    case PTO_S8:
        return max ? 0x7fu : 0x80u;
    case PTO_U8:
        return max ? 0xffu : 0u;
    default:
        return 0;
    }
}

constexpr std::int32_t CeilDivision(std::int32_t a, std::int32_t b) { return b ? (a + b - 1) / b : 0; }
constexpr std::uint32_t CeilAlignment(std::uint32_t a, std::uint32_t b) {
    return b ? (a + b - 1) / b * b : 0;
}

/* The nibble of a packed 4-bit value, by logical index; of other types the element. */
template <typename T> auto GetProperDataPart(const T *buffer, std::size_t offset) {
    if constexpr (IsTwinType<T>())
        return buffer[offset / 2].get(static_cast<int>(offset & 1));
    else
        return buffer[offset];
}
template <typename T, typename V> void SetProperDataPart(T *buffer, std::size_t offset, V value) {
    if constexpr (IsTwinType<T>())
        buffer[offset / 2].set(static_cast<int>(offset & 1), static_cast<float>(value));
    else
        buffer[offset] = static_cast<T>(value);
}

/* ---- dumps to stdout; the raw ones ignore the layout ---- */

namespace detail {
template <typename T> void print_element(T value, int width) {
    if constexpr (std::is_integral_v<T>)
        std::printf("%*lld ", width, static_cast<long long>(value));
    else if constexpr (IsTwinType<T>())
        std::printf("%*g %*g ", width, static_cast<double>(value.get(0)), width,
                    static_cast<double>(value.get(1)));
    else if constexpr (std::is_same_v<T, int4b_t>)
        std::printf("%*d ", width, static_cast<std::int8_t>(value));
    else
        std::printf("%*g ", width, static_cast<double>(static_cast<float>(value)));
}
} // namespace detail

template <typename T>
void printRawMemory(const T *buffer, std::size_t count, const char *name = "", int width = 10,
                    int per_row = 8) {
    std::printf("%s\n", name);
    for (std::size_t i = 0; i < count; i++) {
        detail::print_element(buffer[i], width);
        if (i + 1 == count || (i + 1) % static_cast<std::size_t>(per_row) == 0)
            std::printf("\n");
    }
}
template <typename TileT>
void printTile(TileT &tile, const char *name = "", int width = 5, int maxR = TileT::Rows,
               int maxC = TileT::Cols) {
    std::printf("%s\n", name);
    for (int r = 0; r < maxR && r < TileT::Rows; r++) {
        for (int c = 0; c < maxC && c < TileT::Cols; c++)
            detail::print_element(tile.GetElement(r, c), width);
        std::printf("\n");
    }
}
template <typename TileT>
void printRawTile(TileT &tile, const char *name = "", int width = 5, int maxR = TileT::Rows,
                  int maxC = TileT::Cols) {
    std::printf("%s\n", name);
    for (int r = 0; r < maxR && r < TileT::Rows; r++) {
        for (int c = 0; c < maxC && c < TileT::Cols; c++)
            detail::print_element(tile.data()[r * TileT::Cols + c], width);
        std::printf("\n");
    }
}
template <typename GT>
void printRawGT(GT &tensor, const char *name = "", int width = 5, int maxR = 16, int maxC = 16) {
    std::printf("%s\n", name);
    for (std::int64_t r = 0; r < maxR && r < tensor.GetShape(3); r++) {
        for (std::int64_t c = 0; c < maxC && c < tensor.GetShape(4); c++)
            detail::print_element(tensor.data()[r * tensor.GetShape(4) + c], width);
        std::printf("\n");
    }
}

PTO_NAMESPACE_END

#endif
