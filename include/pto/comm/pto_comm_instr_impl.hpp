/* SPDX-License-Identifier: Apache-2.0 */
/* Communication between ranks (part 50): the calls as declarations. Using one is refused by the compiler
 * until the library has ranks. */
#ifndef PTO_COMM_PTO_COMM_INSTR_IMPL_HPP
#define PTO_COMM_PTO_COMM_INSTR_IMPL_HPP

#include <pto/comm/comm_types.hpp>
#include <pto/common/fifo.hpp>

PTO_NAMESPACE_BEGIN
namespace comm {

#define PTO_NOT_YET(name)                                                                                    \
    template <typename... Explicit, typename... Args> void name(Args &&...) {                                \
        static_assert(pto::detail::never<Args...>,                                                           \
                      "[PTO][SA] PTO-E0301 " #name ": communication is not in this library yet");            \
    }
PTO_NOT_YET(TPUT)
PTO_NOT_YET(TGET)
PTO_NOT_YET(TPUT_ASYNC)
PTO_NOT_YET(TGET_ASYNC)
PTO_NOT_YET(TNOTIFY)
PTO_NOT_YET(TWAIT)
PTO_NOT_YET(TTEST)
PTO_NOT_YET(TBROADCAST)
PTO_NOT_YET(TGATHER)
PTO_NOT_YET(TSCATTER)
PTO_NOT_YET(TREDUCE)
PTO_NOT_YET(BuildAsyncSession)
#undef PTO_NOT_YET

} // namespace comm
PTO_NAMESPACE_END

#endif
