/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that emitted C++ begins with when it uses them (60, 6.1). They do what a run does: a divisor of
 * 0 and a shift out of range end the kernel. */
#include "emit/emit.h"

static const char *const texts[PTO_HELPER_COUNT] = {
    [PTO_HELPER_COPY] =
        "template <typename TileT> inline void ptoas_copy(TileT &to, TileT &from) {\n"
        "    if (to.data() != from.data())\n"
        "        std::memmove(static_cast<void *>(to.data()), static_cast<const void *>(from.data()), "
        "TileT::GetSizeInBytes());\n"
        "    if constexpr (TileT::ValidRow < 0 || TileT::ValidCol < 0)\n"
        "        to.SetValidShape(from.GetValidRow(), from.GetValidCol());\n"
        "}\n",
    [PTO_HELPER_ROWS] =
        "/* a tile from its rows in memory, and back into them */\n"
        "template <typename TileT> inline void ptoas_take(TileT &tile, const typename TileT::DType *rows) {\n"
        "    for (int r = 0; r < TileT::Rows; r++)\n"
        "        for (int c = 0; c < TileT::Cols; c++)\n"
        "            tile.SetElement(r, c, rows[static_cast<int64_t>(r) * TileT::Cols + c]);\n"
        "}\n"
        "/* every block has the tile for itself: the last one's is kept */\n"
        "template <typename TileT> inline void ptoas_give(TileT &tile, typename TileT::DType *rows) {\n"
        "    if (get_block_idx() + 1 != get_block_num() || get_subblockid() + 1 != get_subblockdim())\n"
        "        return;\n"
        "    for (int r = 0; r < TileT::Rows; r++)\n"
        "        for (int c = 0; c < TileT::Cols; c++)\n"
        "            rows[static_cast<int64_t>(r) * TileT::Cols + c] = tile.GetElement(r, c);\n"
        "}\n",
    [PTO_HELPER_DIVIDE] = "template <typename I> inline I ptoas_div(I a, I b) {\n"
                          "    if (b == 0)\n"
                          "        trap();\n"
                          "    if (std::is_signed_v<I> && b == static_cast<I>(-1))\n"
                          "        return static_cast<I>(0 - static_cast<uint64_t>(a));\n"
                          "    return static_cast<I>(a / b);\n"
                          "}\n"
                          "template <typename I> inline I ptoas_rem(I a, I b) {\n"
                          "    if (b == 0)\n"
                          "        trap();\n"
                          "    return std::is_signed_v<I> && b == static_cast<I>(-1) ? static_cast<I>(0) : "
                          "static_cast<I>(a % b);\n"
                          "}\n"
                          "template <typename I> inline I ptoas_ceildiv(I a, I b) {\n"
                          "    const I rest = ptoas_rem<I>(a, b);\n"
                          "    return static_cast<I>(static_cast<uint64_t>(ptoas_div<I>(a, b)) + (rest != 0 "
                          "&& (rest < 0) == (b < 0)));\n"
                          "}\n"
                          "template <typename I> inline I ptoas_floordiv(I a, I b) {\n"
                          "    const I rest = ptoas_rem<I>(a, b);\n"
                          "    return static_cast<I>(static_cast<uint64_t>(ptoas_div<I>(a, b)) - (rest != 0 "
                          "&& (rest < 0) != (b < 0)));\n"
                          "}\n",
    [PTO_HELPER_SHIFT] = "template <typename I> inline I ptoas_shl(I a, uint64_t amount, unsigned width) {\n"
                         "    if (amount >= width)\n"
                         "        trap();\n"
                         "    return static_cast<I>(static_cast<uint64_t>(a) << amount);\n"
                         "}\n"
                         "template <typename I> inline I ptoas_shr(I a, uint64_t amount, unsigned width) {\n"
                         "    if (amount >= width)\n"
                         "        trap();\n"
                         "    return static_cast<I>(a >> amount);\n"
                         "}\n",
    [PTO_HELPER_EXTREME] =
        "/* +0 is above -0 */\n"
        "inline double ptoas_larger(double a, double b) { return a > b || (a == b && !std::signbit(a)) ? a : "
        "b; }\n"
        "inline double ptoas_maximum(double a, double b) {\n"
        "    return a != a || b != b ? std::numeric_limits<double>::quiet_NaN() : ptoas_larger(a, b);\n"
        "}\n"
        "inline double ptoas_maxnum(double a, double b) { return a != a ? b : b != b ? a : ptoas_larger(a, "
        "b); }\n"
        "inline double ptoas_minimum(double a, double b) {\n"
        "    return a != a || b != b ? std::numeric_limits<double>::quiet_NaN() : -ptoas_larger(-a, -b);\n"
        "}\n"
        "inline double ptoas_minnum(double a, double b) { return a != a ? b : b != b ? a : -ptoas_larger(-a, "
        "-b); }\n",
    [PTO_HELPER_BITCAST] =
        "template <typename To, typename From> inline To ptoas_bitcast(From from) {\n"
        "    static_assert(sizeof(To) == sizeof(From), \"bitcast between sizes\");\n"
        "    To to;\n"
        "    std::memcpy(static_cast<void *>(&to), static_cast<const void *>(&from), sizeof to);\n"
        "    return to;\n"
        "}\n",
    [PTO_HELPER_TO_INT] = "/* out of range: the nearest value; NaN: 0 */\n"
                          "template <typename I> inline I ptoas_to_int(double value) {\n"
                          "    const double whole = std::trunc(value);\n"
                          "    const double top = std::ldexp(1.0, std::numeric_limits<I>::digits);\n"
                          "    if (whole != whole)\n"
                          "        return 0;\n"
                          "    if (whole >= top)\n"
                          "        return std::numeric_limits<I>::max();\n"
                          "    return whole < (std::is_signed_v<I> ? -top : 0.0) ? "
                          "std::numeric_limits<I>::min() : static_cast<I>(whole);\n"
                          "}\n",
};

const char *pto_emit_helper_text(pto_emit_helper helper) { return texts[helper]; }
