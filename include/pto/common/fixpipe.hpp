/* SPDX-License-Identifier: Apache-2.0 */
/* FixpipeParams: what a quantising TPUSH does on the way out of L0C (40, 7.3). */
#ifndef PTO_COMMON_FIXPIPE_HPP
#define PTO_COMMON_FIXPIPE_HPP

#include <pto/common/constants.hpp>

PTO_NAMESPACE_BEGIN

template <LayoutMode_t layoutMode_ = LayoutMode_t::NZ2ND, QuantMode_t quant_ = NoQuant,
          ReluPreMode relu_ = ReluPreMode::NoRelu, STPhase phase_ = STPhase::Unspecified, int subBlockId_ = 0,
          AtomicType atomic_ = AtomicType::AtomicNone, ClipReluMode_t clip_ = ClipReluMode_t::NOCLIP_RELU,
          bool isChannelSplit_ = false>
struct FixpipeParams {
    static constexpr LayoutMode_t layoutMode = layoutMode_;
    static constexpr QuantMode_t quant = quant_;
    static constexpr ReluPreMode relu = relu_;
    static constexpr STPhase phase = phase_;
    static constexpr int subBlockId = subBlockId_;
    static constexpr AtomicType atomic = atomic_;
    static constexpr ClipReluMode_t clip = clip_;
    static constexpr bool isChannelSplit = isChannelSplit_;
};

PTO_NAMESPACE_END

#endif
