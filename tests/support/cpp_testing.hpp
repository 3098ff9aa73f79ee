/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the C++ facade share: checks that print where they failed, and expecting a refusal by its
 * rule. */
#ifndef PTO_TESTS_CPP_TESTING_HPP
#define PTO_TESTS_CPP_TESTING_HPP

#include <pto/common/debug.h>

#include <cstdio>
#include <string>

namespace testing {
inline int failures = 0;

inline void check(bool good, const char *what, const char *file, int line) {
    if (!good) {
        std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
        failures++;
    }
}

/* The rule of the refusal that a call throws; "" when it throws none. */
template <typename F> std::string rule_of(F &&call) {
    try {
        call();
    } catch (const pto::Error &error) {
        return error.rule();
    }
    return "";
}
} // namespace testing

#define CHECK(condition) testing::check((condition), #condition, __FILE__, __LINE__)
#define REFUSED(id, ...)                                                                                     \
    testing::check(testing::rule_of([&] { __VA_ARGS__; }) == (id), "refused by " id ": " #__VA_ARGS__,       \
                   __FILE__, __LINE__)

#endif
