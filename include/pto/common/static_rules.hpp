/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler can tell of an operand, for the checks that the generated calls carry: the rules of the
 * library as far as types decide them. Every message names the rule (pto explain RULE), the operand and what
 * is allowed. */
#ifndef PTO_COMMON_STATIC_RULES_HPP
#define PTO_COMMON_STATIC_RULES_HPP

#include <pto/common/event.hpp>
#include <pto/common/utils.hpp>

PTO_NAMESPACE_BEGIN
namespace detail {

/* Facts of a type; defaults that no rule objects to where it is no tile, or void (an operand not given). */
template <typename T, bool = is_tile_data_v<T>> struct Facts {
    static constexpr bool tile = false;
    static constexpr unsigned loc_bit = ~0u;
    static constexpr bool flat_row_major = true, boxed = false, row_major = true, inner_row_major = false;
    static constexpr int fractal = 512, rows = 0, cols = 0, valid_rows = -1, valid_cols = -1;
    static constexpr std::uint64_t bytes = ~0ull;
};
template <typename T> struct Facts<T, true> {
    static constexpr bool tile = true;
    static constexpr unsigned loc_bit = 1u << static_cast<int>(T::Loc);
    static constexpr bool boxed = T::isBoxedLayout, row_major = T::isRowMajor;
    static constexpr bool inner_row_major = T::isInnerRowMajor, flat_row_major = row_major && !boxed;
    static constexpr int fractal = T::SFractalSize, rows = T::Rows, cols = T::Cols;
    static constexpr int valid_rows = T::ValidRow, valid_cols = T::ValidCol;
    static constexpr std::uint64_t bytes =
        (static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) *
             bits_of(dtype_v<typename T::DType>) +
         7) /
        8;
};

template <typename T> constexpr bool given = !std::is_void_v<T>;

/* The element type of a tile or tensor; NONE for anything else. */
template <typename T, typename = void> struct Element { static constexpr pto_dtype value = PTO_DTYPE_NONE; };
template <typename T> struct Element<T, std::void_t<typename T::DType>> {
    static constexpr pto_dtype value = dtype_v<typename T::DType>;
};
template <typename T> constexpr pto_dtype element = Element<T>::value;

/* The element type that the table calls so. */
constexpr pto_dtype dtype_named(const char *name) {
    constexpr const char *names[] = {"none", "s8",   "u8",   "s16",  "u16",  "s32", "u32",
                                     "s64",  "u64",  "s4",   "f16",  "bf16", "f32", "f64",
                                     "e4m3", "e5m2", "e8m0", "hif8", "e2m1", "e1m2"};
    for (int i = 0; i < 20; i++) {
        const char *a = names[i], *b = name;
        for (; *a && *a == *b; a++, b++)
            ;
        if (*a == *b)
            return static_cast<pto_dtype>(i);
    }
    return PTO_DTYPE_NONE;
}

/* ---- the rules; each holds where an operand is not given ---- */

template <typename T> constexpr bool in(unsigned locs) { return (Facts<T>::loc_bit & locs) != 0; }
template <typename T>
constexpr bool in_bias = Facts<T>::tile &&Facts<T>::loc_bit == 1u << static_cast<int>(TileType::Bias);
template <typename T, typename U>
constexpr bool same_element = !given<T> || !given<U> || element<T> == element<U>;
template <typename T> constexpr bool has_element(unsigned set) {
    return !given<T> || (set >> element<T> & 1u);
}
template <typename T, typename U> constexpr bool same_size = bits_of(element<T>) == bits_of(element<U>);
constexpr bool extents_agree(int a, int b) { return a < 0 || b < 0 || a == b; }
template <typename T, typename U>
constexpr bool same_valid = extents_agree(Facts<T>::valid_rows, Facts<U>::valid_rows) &&
                            extents_agree(Facts<T>::valid_cols, Facts<U>::valid_cols);
template <typename T> constexpr bool not_empty = Facts<T>::valid_rows != 0 && Facts<T>::valid_cols != 0;
template <typename T, typename U>
constexpr bool same_layout =
    !given<T> || !given<U> || !Facts<T>::tile || !Facts<U>::tile ||
    (Facts<T>::row_major == Facts<U>::row_major && Facts<T>::boxed == Facts<U>::boxed &&
     (!Facts<T>::boxed ||
      (Facts<T>::inner_row_major == Facts<U>::inner_row_major && Facts<T>::fractal == Facts<U>::fractal)));
template <typename Small, typename Large>
constexpr bool covers = !given<Small> || Facts<Small>::valid_rows < 0 || Facts<Large>::valid_rows < 0 ||
                        Facts<Small>::valid_cols < 0 || Facts<Large>::valid_cols < 0 ||
                        (Facts<Small>::valid_rows >= Facts<Large>::valid_rows &&
                         Facts<Small>::valid_cols >= Facts<Large>::valid_cols);

/* Left, right and acc as the target's cube unit reads them (40, 1.1). */
template <typename T>
constexpr bool left_layout_ok =
    !Facts<T>::tile || (Facts<T>::boxed && Facts<T>::inner_row_major && Facts<T>::fractal == 512 &&
                        (target == PTO_TARGET_CPU || Facts<T>::row_major == (target == PTO_TARGET_A2A3)));
template <typename T>
constexpr bool right_layout_ok = !Facts<T>::tile || (Facts<T>::boxed && !Facts<T>::inner_row_major &&
                                                     Facts<T>::row_major && Facts<T>::fractal == 512);
template <typename T>
constexpr bool acc_layout_ok = !Facts<T>::tile || (Facts<T>::boxed && Facts<T>::inner_row_major &&
                                                   !Facts<T>::row_major && Facts<T>::fractal == 1024);

/* Element types of the variables T S D A B I against the rows of a form's table on a target. */
struct Combo {
    std::uint32_t set[6];
};
template <std::size_t N>
constexpr bool admits(const Combo (&combos)[N], pto_dtype t, pto_dtype s, pto_dtype d, pto_dtype a,
                      pto_dtype b, pto_dtype i) {
    const pto_dtype have[6] = {t, s, d, a, b, i};
    for (const Combo &combo : combos) {
        bool fits = true;
        for (int v = 0; v < 6; v++)
            fits = fits && (have[v] == PTO_DTYPE_NONE || !combo.set[v] || (combo.set[v] >> have[v] & 1u));
        if (fits)
            return true;
    }
    return false;
}

/* ---- kinds of arguments, for calls that no form takes ---- */

enum class Kind { tile, conv, global, counts, pointer, event, scalar };
template <typename A> constexpr Kind kind_of() {
    using T = std::remove_cv_t<std::remove_reference_t<A>>;
    return is_tile_data_v<T>                            ? Kind::tile
           : is_conv_tile_v<T>                          ? Kind::conv
           : is_global_data_v<T>                        ? Kind::global
           : std::is_same_v<T, MrgSortExecutedNumList>  ? Kind::counts
           : std::is_pointer_v<T> || std::is_array_v<T> ? Kind::pointer
           : is_event<T>::value                         ? Kind::event
                                                        : Kind::scalar;
}
/* What a call takes: kinds, the first `required` of them always; events may follow. */
struct Call {
    int required, count;
    Kind kind[8];
};
template <typename... Args, std::size_t N> constexpr bool takes(const Call (&calls)[N]) {
    const Kind have[] = {kind_of<Args>()..., Kind::event};
    constexpr int count = sizeof...(Args);
    for (const Call &call : calls) {
        int i = 0;
        while (i < count && i < call.count && have[i] == call.kind[i])
            i++;
        bool fits = i >= call.required;
        for (; i < count; i++)
            fits = fits && have[i] == Kind::event;
        if (fits)
            return true;
    }
    return false;
}
template <typename...> constexpr bool never = false;

/* Is the rule in force: is the target in the set? */
constexpr bool here(unsigned targets) { return (targets & target_bit) != 0; }

/* The C library numbers this enum the other way round. */
inline pto_operand attr_operand(ScatterConflict conflict) {
    return attr_operand(
        static_cast<int>(conflict == ScatterConflict::Last ? PTO_SCATTER_LAST : PTO_SCATTER_DEFAULT));
}

/* The destination of a view stands in the storage of what it shows, unless it went to another memory. */
template <typename D, typename S> void follow(D &dst, const S &src) {
    if (dst.raw()->type.loc == src.raw()->type.loc)
        dst.adopt(src);
    else
        dst.own(nullptr);
}

} // namespace detail
PTO_NAMESPACE_END

#define PTO_SA(rule, text, ...) static_assert(__VA_ARGS__, "[PTO][SA] " rule " " text)

#endif
