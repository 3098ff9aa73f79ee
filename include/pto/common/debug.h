/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions of kernels (00-model, 15), and what happens to a refusal of the library: it is thrown as
 * pto::Error, or, without exceptions or with PTO_ABORT_ON_ERROR, printed to stderr before abort(). */
#ifndef PTO_COMMON_DEBUG_H
#define PTO_COMMON_DEBUG_H

#include <pto/common/arch_macro.hpp>

#include <pto/status.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#define PTO_SA_SELECT(_1, _2, name, ...) name
#define PTO_SA_ONE(cond) static_assert(cond, "[PTO][SA] " #cond)
#define PTO_SA_TWO(cond, msg) static_assert(cond, "[PTO][SA] " msg)
#define PTO_STATIC_ASSERT(...) PTO_SA_SELECT(__VA_ARGS__, PTO_SA_TWO, PTO_SA_ONE, unused)(__VA_ARGS__)

/* Always checked; prints one line and aborts. */
#define PTO_CA_ONE(cond) PTO_CA_TWO(cond, "")
#define PTO_CA_TWO(cond, msg)                                                                                \
    ((cond) ? (void)0                                                                                        \
            : (std::fprintf(stderr, "[PTO][CA] %s: %s (%s:%d)\n", #cond, msg, __FILE__, __LINE__),           \
               std::abort()))
#define PTO_CPU_ASSERT(...) PTO_SA_SELECT(__VA_ARGS__, PTO_CA_TWO, PTO_CA_ONE, unused)(__VA_ARGS__)

/* Checked with _DEBUG. */
#ifdef _DEBUG
#define PTO_ASSERT(cond, msg)                                                                                \
    ((cond) ? (void)0                                                                                        \
            : (std::fprintf(stderr, "[PTO][ASSERT] %s\n  Condition: %s\n  Location: %s:%d\n", msg, #cond,    \
                            __FILE__, __LINE__),                                                             \
               std::abort()))
#else
#define PTO_ASSERT(cond, msg) ((void)0)
#endif
#define DEBUG_CHECK(cond, msg) PTO_ASSERT(cond, msg)

namespace pto {

/* A refusal: what() is the diagnostic as `pto` prints it, rule() its stable id ("PTO-E0323"). */
class Error : public std::runtime_error {
  public:
    Error(pto_status status, const std::string &rule, const std::string &text)
        : std::runtime_error(text), status_(status), rule_(rule) {}
    pto_status status() const noexcept { return status_; }
    const char *rule() const noexcept { return rule_.c_str(); }

  private:
    pto_status status_;
    std::string rule_;
};

} // namespace pto

PTO_NAMESPACE_BEGIN
namespace detail {
[[noreturn]] inline void raise(pto_status status, const std::string &rule, const std::string &text) {
#if defined(__cpp_exceptions) && !defined(PTO_ABORT_ON_ERROR)
    throw Error(status, rule, text);
#else
    (void)status;
    (void)rule;
    std::fprintf(stderr, "[PTO][CA] %s\n", text.c_str());
    std::abort();
#endif
}
} // namespace detail
PTO_NAMESPACE_END

#endif
