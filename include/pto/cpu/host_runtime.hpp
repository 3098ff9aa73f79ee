/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the host runtime and for the device's own functions, in the global namespace
 * (00-model, 16.5). */
#ifndef PTO_CPU_HOST_RUNTIME_HPP
#define PTO_CPU_HOST_RUNTIME_HPP

#include <pto/cpu/cpu_sim.hpp>

#include <cstdarg>
#include <cstring>

using aclFloat16 = half;
using aclError = int;

constexpr int ACL_SUCCESS = 0;
constexpr int ACL_MEM_MALLOC_HUGE_FIRST = 0;
constexpr int ACL_MEMCPY_HOST_TO_DEVICE = 0;
constexpr int ACL_MEMCPY_DEVICE_TO_HOST = 1;
constexpr int ACL_MEMCPY_DEVICE_TO_DEVICE = 2;
#define aclFloat16ToFloat(x) static_cast<float>(x)

static inline int aclInit(const char *) {
    pto::cpu_sim::InitializeRuntime();
    return ACL_SUCCESS;
}
inline int aclFinalize() { return ACL_SUCCESS; }
inline int aclrtSetDevice(int) { return ACL_SUCCESS; }
inline int aclrtResetDevice(int) { return ACL_SUCCESS; }
/* A handle; the launch functions ignore it. */
inline int aclrtCreateStream(aclrtStream *stream) {
    static char handle;
    *stream = &handle;
    return ACL_SUCCESS;
}
inline int aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
inline int aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
/* Zeroed, aligned to 64 bytes. */
inline int aclrtMalloc(void **pointer, std::size_t bytes, int) {
    PTO_CPU_ASSERT(bytes > 0, "aclrtMalloc of 0 bytes");
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    *pointer = std::aligned_alloc(64, rounded);
    if (!*pointer)
        return 207001; /* out of memory */
    std::memset(*pointer, 0, rounded);
    return ACL_SUCCESS;
}
inline int aclrtMallocHost(void **pointer, std::size_t bytes) { return aclrtMalloc(pointer, bytes, 0); }
inline int aclrtFree(void *pointer) {
    std::free(pointer);
    return ACL_SUCCESS;
}
inline int aclrtFreeHost(void *pointer) { return aclrtFree(pointer); }
inline int aclrtMemcpy(void *dst, std::size_t dst_bytes, const void *src, std::size_t bytes, int) {
    const std::size_t n = bytes < dst_bytes ? bytes : dst_bytes;
    if (n)
        std::memcpy(dst, src, n);
    return ACL_SUCCESS;
}
inline int aclrtMemset(void *dst, std::size_t dst_bytes, int value, std::size_t bytes) {
    if (bytes == 0)
        return ACL_SUCCESS;
    if (!dst || bytes > dst_bytes)
        return 145000;
    std::memset(dst, value, bytes);
    return ACL_SUCCESS;
}

inline std::uint32_t get_block_idx() { return pto_agent_current().block; }
inline std::uint32_t get_block_num() { return pto_agent_current().blocks; }
inline std::uint32_t get_subblockid() { return pto_agent_current().subblock; }
inline std::uint32_t get_subblockdim() { return pto_agent_current().subblocks; }
inline std::uint32_t get_coreid() {
    const pto_agent a = pto_agent_current();
    return a.block * a.subblocks + a.subblock;
}
inline std::uint64_t get_task_cookie() { return pto_agent_current().cookie; }

namespace pto_host {
inline std::uint64_t &ctrl() {
    static thread_local std::uint64_t value = 0;
    return value;
}
} // namespace pto_host
inline std::uint64_t get_ctrl() { return pto_host::ctrl(); }
inline void set_ctrl(std::uint64_t value) { pto_host::ctrl() = value; }
constexpr std::uint64_t sbitset1(std::uint64_t value, int bit) { return value | std::uint64_t{1} << bit; }
constexpr std::uint64_t sbitset0(std::uint64_t value, int bit) { return value & ~(std::uint64_t{1} << bit); }

namespace cce {
__attribute__((format(printf, 1, 2))) inline int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = std::vprintf(format, arguments);
    va_end(arguments);
    return n;
}
} // namespace cce

/* ---- communication: one rank ---- */

constexpr int HCCL_MAX_RANK_NUM = 64;
struct HcclRootInfo {
    char internal[4096];
};
struct CommDeviceContext {
    std::uint64_t workSpace, workSpaceSize;
    std::uint32_t rankId, rankNum;
    std::uint64_t winSize, windowsIn[HCCL_MAX_RANK_NUM], windowsOut[HCCL_MAX_RANK_NUM];
};
template <typename A, typename B> void HcclHostBarrier(A, B) {}
template <typename A, typename B> bool CommMpiInit(A, B) { return true; }
inline void CommMpiFinalize() {}
#define SKIP_IF_RANKS_LT(n)

#endif
