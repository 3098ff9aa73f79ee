/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes, flags and barriers in the global namespace (00-model, 10, 11.2 and 11.7). Operations of a thread run
 * in program order, so a flag never blocks; what would hang or get lost on hardware is an error. */
#ifndef PTO_COMMON_PIPES_HPP
#define PTO_COMMON_PIPES_HPP

#include <pto/common/runtime.hpp>

using pipe_t = int;
using event_t = int;

constexpr pipe_t PIPE_S = PTO_PIPE_S;
constexpr pipe_t PIPE_V = PTO_PIPE_V;
constexpr pipe_t PIPE_MTE1 = PTO_PIPE_MTE1;
constexpr pipe_t PIPE_MTE2 = PTO_PIPE_MTE2;
constexpr pipe_t PIPE_MTE3 = PTO_PIPE_MTE3;
constexpr pipe_t PIPE_M = PTO_PIPE_M;
constexpr pipe_t PIPE_ALL = PTO_PIPE_ALL;
constexpr pipe_t PIPE_FIX = PTO_PIPE_FIX;

constexpr event_t EVENT_ID0 = 0;
constexpr event_t EVENT_ID1 = 1;
constexpr event_t EVENT_ID2 = 2;
constexpr event_t EVENT_ID3 = 3;
constexpr event_t EVENT_ID4 = 4;
constexpr event_t EVENT_ID5 = 5;
constexpr event_t EVENT_ID6 = 6;
constexpr event_t EVENT_ID7 = 7;

enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB };
namespace cache_line_t {
constexpr int SINGLE_CACHE_LINE = 0;
constexpr int ENTIRE_DATA_CACHE = 0;
constexpr int CACHELINE_OUT = 0;
} // namespace cache_line_t
namespace dcci_dst_t {
constexpr int CACHELINE_OUT = 0;
}
constexpr int SINGLE_CACHE_LINE = 0;
constexpr int ENTIRE_DATA_CACHE = 0;
constexpr int CACHELINE_OUT = 0;

/* Static: what they do depends on the target of the unit. */
static inline void set_flag(pipe_t src, pipe_t dst, event_t id,
                            pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_flag_set(static_cast<pto_pipe>(src), static_cast<pto_pipe>(dst), id), here,
                       "set_flag");
}
static inline void wait_flag(pipe_t src, pipe_t dst, event_t id,
                             pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_flag_wait(static_cast<pto_pipe>(src), static_cast<pto_pipe>(dst), id), here,
                       "wait_flag");
}
static inline void pipe_barrier(pipe_t pipe, pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_pipe_barrier(static_cast<pto_pipe>(pipe)), here, "pipe_barrier");
}

template <typename T> void dcci(T *, int) {}
template <typename T> void dcci(T *, int, int) {}
inline void dsb(int) {}
inline void mem_bar(int) {}
inline void set_mask_norm() {}
template <typename A, typename B> void set_vector_mask(A, B) {}

/* a2a3: message of a cross-core signal, and the signal. */
constexpr std::uint64_t getFFTSMsg(std::uint64_t mode, std::uint64_t id) {
    return 1u + (mode << 4) + ((id & 15u) << 8);
}
static inline void ffts_cross_core_sync(pipe_t pipe, std::uint64_t message,
                                        pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_signal_on(static_cast<pto_pipe>(pipe), static_cast<int>(message >> 8 & 15u)),
                       here, "ffts_cross_core_sync");
}
static inline void wait_flag_dev(int id, pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_signal_wait_on(PTO_PIPE_S, id), here, "wait_flag_dev");
}
inline void set_ffts_base_addr(std::uint64_t) {}
/* a5 */
static inline void set_intra_block(pipe_t pipe, int id, pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_signal_on(static_cast<pto_pipe>(pipe), id), here, "set_intra_block");
}
static inline void wait_intra_block(pipe_t pipe, int id, pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_signal_wait_on(static_cast<pto_pipe>(pipe), id), here, "wait_intra_block");
}
static inline void get_buf(pipe_t pipe, int id, int, pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_token_get(static_cast<pto_pipe>(pipe), id), here, "get_buf");
}
static inline void rls_buf(pipe_t pipe, int id, int, pto::detail::Here here = pto::detail::Here::at()) {
    here.tell();
    pto::detail::check(pto_agent_token_release(static_cast<pto_pipe>(pipe), id), here, "rls_buf");
}

[[noreturn]] static inline void trap(pto::detail::Here here = pto::detail::Here::at()) {
    pto::detail::raise(PTO_ERR_REFUSED, "PTO-E0908", here.text() + "trap() was executed");
}

#endif
