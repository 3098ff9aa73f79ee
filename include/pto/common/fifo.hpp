/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes between cube and vector cores (40, 7): types, and the calls as declarations. Using one is refused by
 * the compiler until the library models the second core. */
#ifndef PTO_COMMON_FIFO_HPP
#define PTO_COMMON_FIFO_HPP

#include <pto/common/event.hpp>
#include <pto/common/fixpipe.hpp>
#include <pto/common/static_rules.hpp>

PTO_NAMESPACE_BEGIN

struct Direction {
    enum Value : std::uint8_t {
        UNDEFINED,
        DIR_C2V,
        DIR_V2C,
        DIR_BOTH,
        DIR_V2C_CTRL,
        DIR_C2V_GM,
        DIR_V2C_GM,
        DIR_BOTH_GM
    };
};
enum class FIFOType : std::uint8_t { GM_FIFO, VEC_FIFO, MAT_FIFO, CTRL_FIFO };
enum class VecCubeRatio : std::uint8_t { V1C1_VEC0, V1C1_VEC1, V2C1_VECS };

/* FlagID, Dir, bytes of a slot, slots. */
template <std::uint8_t FlagID, std::uint8_t Dir, std::uint32_t SlotSize, std::uint32_t SlotNum,
          std::uint32_t LocalSlotNum = 2, bool IsNoSplit = false, bool EN_UNIT_FLAG = false>
struct TPipe {
    static constexpr std::uint32_t SyncPeriod = SlotNum <= 2 ? SlotNum : SlotNum / 2;
    template <typename Gm> TPipe(Gm *, std::uint32_t, std::uint32_t) {
        static_assert(detail::never<Gm>,
                      "[PTO][SA] PTO-E0301 TPipe: pipes between cores are not in this library yet");
    }
};

#define PTO_NOT_YET(name)                                                                                    \
    template <typename... Explicit, typename... Args> void name(Args &&...) {                                \
        static_assert(detail::never<Args...>,                                                                \
                      "[PTO][SA] PTO-E0301 " #name ": pipes between cores are not in this library yet");     \
    }                                                                                                        \
    template <typename Pipe, TileSplitAxis, typename... Args> void name(Pipe &pipe, Args &&...) {            \
        name(pipe);                                                                                          \
    }                                                                                                        \
    template <typename Pipe, typename Operand, TileSplitAxis, typename... Args>                              \
    void name(Pipe &pipe, Operand &, Args &&...) {                                                           \
        name(pipe);                                                                                          \
    }
PTO_NOT_YET(TPUSH)
PTO_NOT_YET(TPOP)
PTO_NOT_YET(TALLOC)
PTO_NOT_YET(TFREE)
#undef PTO_NOT_YET

PTO_NAMESPACE_END

#endif
