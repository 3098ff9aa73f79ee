/* SPDX-License-Identifier: Apache-2.0 */
/* Types of communication between ranks (part 50). */
#ifndef PTO_COMM_COMM_TYPES_HPP
#define PTO_COMM_COMM_TYPES_HPP

#include <pto/common/utils.hpp>

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
PTO_NAMESPACE_END

#endif
