/* SPDX-License-Identifier: Apache-2.0 */
/* What the host parts of the C++ examples share: device memory, random inputs, comparison with double. */
#ifndef PTO_EXAMPLES_CPP_HOST_HPP
#define PTO_EXAMPLES_CPP_HOST_HPP

#include <pto/pto-inst.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace host {

/* An array on the host and its copy in device memory. */
template <typename T> class Array {
  public:
    explicit Array(std::size_t count) : values(count) {
        aclrtMalloc(&device_, bytes(), ACL_MEM_MALLOC_HUGE_FIRST);
    }
    ~Array() { aclrtFree(device_); }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    std::vector<T> values;
    std::size_t bytes() const { return values.size() * sizeof(T); }
    __gm__ T *device() { return static_cast<T *>(device_); }
    void to_device() { aclrtMemcpy(device_, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE); }
    void to_host() { aclrtMemcpy(values.data(), bytes(), device_, bytes(), ACL_MEMCPY_DEVICE_TO_HOST); }

  private:
    void *device_ = nullptr;
};

/* Uniform in [-1, 1), the same in every run. */
inline double uniform() {
    static std::uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
}
template <typename T> void fill(Array<T> &array, double scale = 1.0) {
    for (T &value : array.values)
        value = static_cast<T>(static_cast<float>(uniform() * scale));
    array.to_device();
}

/* The largest |got - want| / (|want| + floor). */
class Error {
  public:
    explicit Error(double floor) : floor_(floor) {}
    void add(double got, double want) {
        const double error = std::fabs(got - want) / (std::fabs(want) + floor_);
        worst_ = error > worst_ || error != error ? error : worst_;
    }
    /* Prints it; the status for exit(). */
    int report(const char *name, double limit) const {
        std::printf("%s: largest relative error %.3g, limit %.3g\n", name, worst_, limit);
        return worst_ <= limit ? 0 : 1;
    }

  private:
    double floor_, worst_ = 0;
};

/* Sets up the device, runs kernel() on `blocks` cores, and takes it down. */
template <typename F> void launch(const char *name, std::uint32_t blocks, F &&kernel) {
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    pto::cpu_sim::KernelLaunchOptions options;
    options.kernel_name = name;
    options.explicit_block_count = blocks;
    pto::cpu_sim::LaunchKernelMultiCore(options, stream, kernel);
    aclrtSynchronizeStream(stream);
    aclrtDestroyStream(stream);
}

} // namespace host

#endif
