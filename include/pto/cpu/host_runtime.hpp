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
/* Zeroed, aligned to 64 bytes. Under PTO_CHECK the checkers know the buffer: <pto/check.h>. */
inline int aclrtMalloc(void **pointer, std::size_t bytes, int,
                       pto::detail::Here here = pto::detail::Here::at()) {
    if (!bytes) { /* as PTO_CPU_ASSERT, with the place of the call */
        std::fprintf(stderr, "[PTO][CA] bytes > 0: aclrtMalloc of 0 bytes (%s:%d)\n", here.file, here.line);
        std::abort();
    }
    *pointer = pto_check_malloc(bytes, here.file, here.line);
    return *pointer ? ACL_SUCCESS : 207001; /* out of memory */
}
inline int aclrtMallocHost(void **pointer, std::size_t bytes,
                           pto::detail::Here here = pto::detail::Here::at()) {
    const int error = aclrtMalloc(pointer, bytes, 0, here);
    if (error == ACL_SUCCESS) /* the host writes it without telling */
        pto_check_host_write(*pointer, bytes, here.file, here.line);
    return error;
}
inline int aclrtFree(void *pointer, pto::detail::Here here = pto::detail::Here::at()) {
    pto_check_free(pointer, here.file, here.line);
    return ACL_SUCCESS;
}
inline int aclrtFreeHost(void *pointer, pto::detail::Here here = pto::detail::Here::at()) {
    return aclrtFree(pointer, here);
}
inline int aclrtMemcpy(void *dst, std::size_t dst_bytes, const void *src, std::size_t bytes, int,
                       pto::detail::Here here = pto::detail::Here::at()) {
    const std::size_t n = bytes < dst_bytes ? bytes : dst_bytes;
    if (n) {
        pto_check_host_read(src, n, here.file, here.line);
        std::memcpy(dst, src, n);
        pto_check_host_write(dst, n, here.file, here.line);
    }
    return ACL_SUCCESS;
}
inline int aclrtMemset(void *dst, std::size_t dst_bytes, int value, std::size_t bytes,
                       pto::detail::Here here = pto::detail::Here::at()) {
    if (bytes == 0)
        return ACL_SUCCESS;
    if (!dst || bytes > dst_bytes)
        return 145000;
    std::memset(dst, value, bytes);
    pto_check_host_write(dst, bytes, here.file, here.line);
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
