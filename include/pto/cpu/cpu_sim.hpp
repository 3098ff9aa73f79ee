/* SPDX-License-Identifier: Apache-2.0 */
/* pto::cpu_sim: launching a kernel over threads, one per block and subblock, and what a thread is
 * (00-model, 14.2). */
#ifndef PTO_CPU_CPU_SIM_HPP
#define PTO_CPU_CPU_SIM_HPP

#include <pto/common/event.hpp>
#include <pto/common/memory.hpp>

#include <exception>

using aclrtStream = void *;

PTO_NAMESPACE_BEGIN
namespace cpu_sim {

struct RuntimeConfig {
    std::uint32_t num_cores = 4;
    bool trace_enabled = false;
    std::string trace_root = "cpu_sim_traces";
};

inline RuntimeConfig &runtime_config() {
    static RuntimeConfig config;
    return config;
}
/* Reads PTO_CPU_SIM_NUM_CORES. */
inline void InitializeRuntime() {
    RuntimeConfig config;
    if (const char *cores = std::getenv("PTO_CPU_SIM_NUM_CORES"))
        if (const unsigned long n = std::strtoul(cores, nullptr, 10))
            config.num_cores = static_cast<std::uint32_t>(n);
    if (const char *root = std::getenv("PTO_CPU_SIM_TRACE_DIR"))
        config.trace_root = root;
    runtime_config() = config;
}
inline void EnsureRuntimeInitialized() {
    static const bool once = (InitializeRuntime(), true);
    (void)once;
}
inline void ShutdownRuntime() {}
inline std::uint32_t GetConfiguredCoreCount() {
    EnsureRuntimeInitialized();
    return runtime_config().num_cores;
}
inline bool IsTraceEnabled() { return runtime_config().trace_enabled; }
inline const std::string &GetTraceRoot() { return runtime_config().trace_root; }
inline std::uint64_t NextLaunchId() {
    static std::atomic<std::uint64_t> next{0};
    return next++;
}
/* Where traces of a launch would go; nothing is made. */
inline std::string CreateKernelTraceDir(const std::string &kernel) {
    return GetTraceRoot() + "/" + kernel + "/launch_" + std::to_string(NextLaunchId());
}

struct KernelLaunchOptions {
    std::string kernel_name;
    std::uint32_t requested_cores = 0;
    std::uint32_t total_work_items = 0;
    std::uint32_t work_quantum = 1;
    std::uint32_t subblocks_per_block = 1;
    std::uint32_t explicit_block_count = 0;
    bool write_trace_files = true;
};

/* Fewer cores while the items of a core are no multiple of the quantum. */
inline std::uint32_t ResolveActiveCoreCount(std::uint32_t requested, std::uint32_t items,
                                            std::uint32_t quantum) {
    std::uint32_t cores = requested ? requested : GetConfiguredCoreCount();
    if (items && cores > items)
        cores = items;
    quantum = quantum ? quantum : 1;
    while (cores > 1 && items && ((items + cores - 1) / cores) % quantum)
        cores--;
    return cores ? cores : 1;
}

struct ExecutionContext {
    std::uint32_t block_idx = 0, subblock_id = 0, subblock_dim = 1, block_num = 1;
    std::uint64_t task_cookie = 0;
};
inline ExecutionContext execution_context() {
    const pto_agent a = pto_agent_current();
    return {a.block, a.subblock, a.subblocks, a.blocks, a.cookie};
}
inline void set_execution_context(std::uint32_t block, std::uint32_t subblock, std::uint32_t dim = 1) {
    pto_agent a = pto_agent_current();
    a.block = block;
    a.subblock = subblock;
    a.subblocks = dim;
    a.blocks = a.blocks > block ? a.blocks : block + 1;
    pto_agent_set_current(a);
}
inline void reset_execution_context() { pto_agent_set_current(pto_agent{0, 1, 0, 1, 0}); }
inline void set_task_cookie(std::uint64_t cookie) {
    pto_agent a = pto_agent_current();
    a.cookie = cookie;
    pto_agent_set_current(a);
}
/* Sets the context for its life. */
class ScopedExecutionContext {
  public:
    ScopedExecutionContext(std::uint32_t block, std::uint32_t subblock, std::uint32_t dim = 1)
        : before_(pto_agent_current()) {
        set_execution_context(block, subblock, dim);
    }
    ~ScopedExecutionContext() { pto_agent_set_current(before_); }
    ScopedExecutionContext(const ScopedExecutionContext &) = delete;
    ScopedExecutionContext &operator=(const ScopedExecutionContext &) = delete;

  private:
    pto_agent before_;
};
/* Hooks of other simulators: accepted, never called. */
template <typename F, typename G> void register_hooks(F, G) {}

namespace detail {
template <typename F> struct Launch {
    F *kernel;
    pto::detail::Here here;
    std::exception_ptr failure;
    std::atomic<bool> failed{false};

    static void run(void *argument) {
        auto *self = static_cast<Launch *>(argument);
#ifdef __cpp_exceptions
        try {
            (*self->kernel)();
            pto::detail::check(pto_agent_flags_end(true), self->here, "launch");
        } catch (...) {
            if (!self->failed.exchange(true))
                self->failure = std::current_exception();
        }
#else
        (*self->kernel)();
        pto::detail::check(pto_agent_flags_end(true), self->here, "launch");
#endif
    }
};
} // namespace detail

/* Runs kernel() once per block and subblock, each on a thread and a core of its own, waits for all and
 * rethrows the first exception. A flag that is still up at the end of a kernel is an error (PTO-E0922). */
template <typename F>
void LaunchKernelMultiCore(const KernelLaunchOptions &options, aclrtStream, F &&kernel,
                           pto::detail::Here here = pto::detail::Here::at()) {
    const std::uint32_t blocks =
        options.explicit_block_count
            ? options.explicit_block_count
            : ResolveActiveCoreCount(options.requested_cores, options.total_work_items, options.work_quantum);
    detail::Launch<std::remove_reference_t<F>> launch;
    launch.kernel = &kernel;
    launch.here = here;
    const pto_status status = pto_agent_launch(blocks, options.subblocks_per_block, launch.run, &launch);
#ifndef PTO_NO_CHECK_ENVIRONMENT
    if (pto_check_process_on() && pto_check_report_(false))
        pto_check_found_ = true;
#endif
    if (launch.failed)
        std::rethrow_exception(launch.failure);
    if (status != PTO_OK)
        pto::detail::raise(status, "", here.text() + "threads of the launch cannot be made");
}

} // namespace cpu_sim
PTO_NAMESPACE_END

#endif
