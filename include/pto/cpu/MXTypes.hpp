/* SPDX-License-Identifier: Apache-2.0 */
/* MXType: the emulated small floats under the names of the simulator. Here they are the element types
 * themselves, which round and know NaN and infinity (00-model, 2). */
#ifndef PTO_CPU_MXTYPES_HPP
#define PTO_CPU_MXTYPES_HPP

#include <pto/common/type.hpp>

PTO_NAMESPACE_BEGIN

namespace detail {
template <int Exponent, int Mantissa, bool Twin> struct MxSelect {
    static_assert(Exponent < 0, "[PTO][SA] PTO-E0302 MXType: one of e4m3, e5m2, e8m0, e2m1 x2, e1m2 x2");
};
template <> struct MxSelect<4, 3, false> { using type = float8_e4m3_t; };
template <> struct MxSelect<5, 2, false> { using type = float8_e5m2_t; };
template <> struct MxSelect<8, 0, false> { using type = float8_e8m0_t; };
template <> struct MxSelect<2, 1, true> { using type = float4_e2m1x2_t; };
template <> struct MxSelect<1, 2, true> { using type = float4_e1m2x2_t; };
} // namespace detail

template <int expbits, int manbits, int bias = 0, bool isx2 = false>
using MXType = typename detail::MxSelect<expbits, manbits, isx2>::type;

PTO_NAMESPACE_END

#endif
