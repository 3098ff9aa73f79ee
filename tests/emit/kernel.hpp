/* SPDX-License-Identifier: Apache-2.0 */
/* What emitted kernels and their runner share: a list of kernels, and calling one with arguments whose C++
 * types its signature tells. */
#ifndef PTO_TESTS_EMIT_KERNEL_HPP
#define PTO_TESTS_EMIT_KERNEL_HPP

#include <pto/number.h>
#include <pto/program.h>

#include <type_traits>
#include <vector>

namespace emitted {

struct Argument {
    void *data;
    int64_t i;
    double f;
    int64_t lead; /* leading extent of an array */
    bool scalar;
};

struct Kernel {
    const char *path;
    int part; /* of a file with several programs */
    pto_target target;
    const char *entry;
    void (*call)(const Argument *arguments);
};

inline std::vector<Kernel> &kernels() {
    static std::vector<Kernel> list;
    return list;
}
struct Register {
    explicit Register(const Kernel &kernel) { kernels().push_back(kernel); }
};

/* The next argument as an A. An integer behind an array that no parameter gives is its leading extent. */
template <typename A> A take(const Argument *&next) {
    if constexpr (std::is_pointer_v<A>)
        return static_cast<A>((next++)->data);
    else if constexpr (std::is_same_v<A, bool>)
        return ((next++)->i & 1) != 0; /* as an i1 takes it */
    else if constexpr (std::is_integral_v<A>)
        return static_cast<A>(next->scalar ? (next++)->i : next[-1].lead);
    else
        return static_cast<A>((next++)->f);
}

/* What an entry returns nobody takes, in a run either. */
template <typename R, typename... A> void invoke(R (*kernel)(A...), const Argument *arguments) {
    struct Call { /* braces evaluate from left to right */
        Call(R (*k)(A...), A... a) { k(a...); }
    } call{kernel, take<A>(arguments)...};
    (void)call;
}

} // namespace emitted

#endif
