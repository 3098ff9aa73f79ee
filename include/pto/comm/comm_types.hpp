/* SPDX-License-Identifier: Apache-2.0 */
/* Types of communication between ranks (part 50). */
#ifndef PTO_COMM_COMM_TYPES_HPP
#define PTO_COMM_COMM_TYPES_HPP

#include <pto/common/event.hpp>

PTO_NAMESPACE_BEGIN
namespace comm {

enum class DmaEngine : std::uint8_t { SDMA, URMA, RDMA };

/* A transfer in flight. */
struct AsyncSession {};
struct AsyncEvent {
    std::uint64_t handle = 0;
    DmaEngine engine = DmaEngine::SDMA;
    bool valid() const { return handle != 0; }
    bool Wait(const AsyncSession &) const { return true; }
    bool Test(const AsyncSession &) const { return true; }
};

} // namespace comm

/* TPREFETCH_ASYNC (30): this machine has no L2 cache to bring the tensor to. The event is not valid, waiting
 * for it is over at once. */
class PrefetchAsyncContext {
  public:
    explicit PrefetchAsyncContext(std::uint8_t *workspace_, comm::AsyncSession *external = nullptr)
        : workspace(workspace_), external_(external) {}
    const comm::AsyncSession &GetSession() const { return external_ ? *external_ : session; }

    std::uint8_t *workspace;
    comm::AsyncSession session;

  private:
    comm::AsyncSession *external_;
};
template <typename GlobalT, typename Event0 = void, typename... WaitEvents>
std::enable_if_t<all_events_v<WaitEvents...>, comm::AsyncEvent>
TPREFETCH_ASYNC(GlobalT &, PrefetchAsyncContext &, detail::Caller caller = detail::Caller::at(),
                WaitEvents &...events) {
    detail::wait_at(caller, events...);
    return {};
}
PTO_NAMESPACE_END

#endif
