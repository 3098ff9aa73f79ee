/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction: the calls are generated from the table into instr_forms.hpp; here are those that choose
 * between forms. */
#ifndef PTO_COMMON_PTO_INSTR_HPP
#define PTO_COMMON_PTO_INSTR_HPP

#include <pto/common/instr_forms.hpp>
#include <pto/common/memory.hpp>

PTO_NAMESPACE_BEGIN

/* ---- TFILLPAD: in Vec the destination's pad policy and a mode, in Mat a pad value ---- */

namespace detail {
template <PadValue pad, typename DstT, typename SrcT> RecordEvent fill_mat(DstT &dst, SrcT &src, Here here) {
    (void)sizeof(Check_TFILLPAD_MAT<DstT, SrcT>);
    const pto_operand operands[] = {tile_operand(dst.handle()), tile_operand(src.handle()),
                                    attr_operand(pad)};
    return issue(PTO_FORM_TFILLPAD_MAT, operands, here);
}
} // namespace detail

template <typename DstT, typename SrcT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TFILLPAD(DstT &dst, SrcT &src, detail::Caller caller = detail::Caller::at(),
                              WaitEvents &...events) {
    detail::wait_at(caller, events...);
    if constexpr (detail::Facts<DstT>::loc_bit == 1u << static_cast<int>(TileType::Mat)) {
        return detail::fill_mat<PadValue::Zero>(dst, src, caller.here);
    } else {
        (void)sizeof(detail::Check_TFILLPAD<DstT, SrcT>);
        const pto_operand operands[] = {detail::tile_operand(dst.handle()),
                                        detail::tile_operand(src.handle())};
        return detail::issue(PTO_FORM_TFILLPAD, operands, caller.here);
    }
}
template <TFillPadMode mode, typename DstT, typename SrcT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TFILLPAD(DstT &dst, SrcT &src, detail::Caller caller = detail::Caller::at(),
                              WaitEvents &...events) {
    if constexpr (mode == TFillPadMode::InPlace)
        return TFILLPAD_INPLACE(dst, src, caller, events...);
    else if constexpr (mode == TFillPadMode::Expand)
        return TFILLPAD_EXPAND(dst, src, caller, events...);
    else
        return TFILLPAD(dst, src, caller, events...);
}
template <typename DstT, PadValue pad, typename SrcT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TFILLPAD(DstT &dst, SrcT &src, detail::Caller caller = detail::Caller::at(),
                              WaitEvents &...events) {
    detail::wait_at(caller, events...);
    return detail::fill_mat<pad>(dst, src, caller.here);
}

/* ---- TQUANT by element type and rule, as older kernels name the MX algorithms (40, 2.2 and 2.4) ---- */

namespace detail {
constexpr MxQuantAlg mx_alg(QuantType type, QuantScaleAlg rule) {
    return type == QuantType::MXFP4_E2M1
               ? (rule == QuantScaleAlg::NV ? MxQuantAlg::NvMxFp4E2M1 : MxQuantAlg::OcpMxFp4E2M1)
               : (rule == QuantScaleAlg::NV ? MxQuantAlg::NvMxFp8E4M3 : MxQuantAlg::OcpMxFp8E4M3);
}
} // namespace detail

template <QuantType type, QuantScaleAlg rule, typename DstT, typename SrcT, typename ExpT, typename MaxT,
          typename ScalingT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TQUANT(DstT &dst, SrcT &src, ExpT *exp, MaxT *max, ScalingT *scaling,
                            detail::Caller caller = detail::Caller::at(), WaitEvents &...events) {
    return TQUANT<1, detail::mx_alg(type, rule)>(dst, src, exp, max, scaling, caller, events...);
}
template <QuantType type, typename DstT, typename SrcT, typename ExpT, typename MaxT, typename ScalingT,
          QuantScaleAlg rule = QuantScaleAlg::OCP, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TQUANT(DstT &dst, SrcT &src, ExpT *exp, MaxT *max, ScalingT *scaling,
                            detail::Caller caller = detail::Caller::at(), WaitEvents &...events) {
    return TQUANT<1, detail::mx_alg(type, rule)>(dst, src, exp, max, scaling, caller, events...);
}
template <QuantType type, VecStoreMode mode, typename DstT, typename SrcT, typename ExpT, typename MaxT,
          typename ScalingT, typename ZzT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TQUANT(DstT &dst, SrcT &src, ExpT *exp, MaxT *max, ScalingT *scaling, ZzT *exp_zz,
                            detail::Caller caller = detail::Caller::at(), WaitEvents &...events) {
    return TQUANT<detail::mx_alg(type, QuantScaleAlg::OCP), mode>(dst, src, exp, max, scaling, exp_zz, caller,
                                                                  events...);
}

/* The manual's name of TSUBVIEW. */
template <typename DstT, typename SrcT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent SUBVIEW(DstT &dst, SrcT &src, std::uint16_t row, std::uint16_t col,
                             detail::Caller caller = detail::Caller::at(), WaitEvents &...events) {
    return TSUBVIEW(dst, src, row, col, caller, events...);
}

/* ---- TRANDOM: key and counter are arrays ---- */

template <int Rounds = 10, typename DstT, typename Event0 = void, typename... WaitEvents>
PTO_INST RecordEvent TRANDOM(DstT &dst, const std::uint32_t (&key)[2], const std::uint32_t (&counter)[4],
                             detail::Caller caller = detail::Caller::at(), WaitEvents &...events) {
    static_assert(Rounds == 7 || Rounds == 10, "[PTO][SA] PTO-E0885 TRANDOM: 7 or 10 rounds");
    detail::wait_at(caller, events...);
    const pto_operand operands[] = {detail::tile_operand(dst.handle()), detail::scalar_operand(key[0]),
                                    detail::scalar_operand(key[1]),     detail::scalar_operand(counter[0]),
                                    detail::scalar_operand(counter[1]), detail::scalar_operand(counter[2]),
                                    detail::scalar_operand(counter[3]), detail::attr_operand(Rounds)};
    return detail::issue(PTO_FORM_TRANDOM, operands, caller.here);
}

/* ---- TGATHER by comparison: a threshold a row, or one for all ---- */

template <typename DstT, typename SrcT, typename KT, typename CountT, typename TmpT, CmpMode cmpMode,
          typename Event0 = void, typename... WaitEvents>
PTO_INST detail::Result<all_events_v<WaitEvents...> && is_tile_data_v<DstT>>
TGATHER(DstT &dst, SrcT &src, KT &k, CountT &count, TmpT &tmp, std::uint32_t offset,
        detail::Caller caller = detail::Caller::at(), WaitEvents &...events) {
    static_assert(cmpMode == CmpMode::EQ || cmpMode == CmpMode::GT, "[PTO][SA] PTO-E0876 TGATHER: eq or gt");
    detail::wait_at(caller, events...);
    if constexpr (is_tile_data_v<KT>) {
        const pto_operand operands[] = {
            detail::tile_operand(dst.handle()), detail::tile_operand(src.handle()),
            detail::tile_operand(k.handle()),   detail::tile_operand(count.handle()),
            detail::tile_operand(tmp.handle()), detail::attr_operand(cmpMode),
            detail::attr_operand(offset)};
        detail::issue(PTO_FORM_TGATHER_COMPARE, operands, caller.here);
    } else {
        const pto_operand operands[] = {
            detail::tile_operand(dst.handle()), detail::tile_operand(src.handle()),
            detail::scalar_operand(k),          detail::tile_operand(count.handle()),
            detail::tile_operand(tmp.handle()), detail::attr_operand(cmpMode),
            detail::attr_operand(offset)};
        detail::issue(PTO_FORM_TGATHER_COMPARE_SCALAR, operands, caller.here);
    }
    return RecordEvent(caller.here);
}

PTO_NAMESPACE_END

#endif
