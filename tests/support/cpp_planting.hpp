/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C++ with planted faults: silent without the fault; with it the rule is told at the lines of both
 * accesses. For one source file, under pto_check_process. */
#ifndef PTO_TESTS_CPP_PLANTING_HPP
#define PTO_TESTS_CPP_PLANTING_HPP

#include <pto/pto-inst.hpp>
#include "support/cpp_testing.hpp"

#include <atomic>
#include <cstring>

/* The line of a statement, by number; which fault is planted, 0 = none. */
static std::atomic<int> line_of[16];
static int fault;
#define AT(n) line_of[n] = __LINE__;
#define WITHOUT(n) if (fault != (n))
#define WITH(n) if (fault == (n))

static pto_diag_list *const diags = pto_diag_list_create();

static const char *source; /* of the kernels: __FILE__ */

static bool told(const char *rule, int second, int first) {
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        if (std::strcmp(d->rule, rule) != 0 || static_cast<int>(d->line) != line_of[second] ||
            std::strcmp(d->where.file, source) != 0)
            continue;
        if (first < 0)
            return true;
        for (const pto_diagnostic *note = d->notes; note; note = note->next)
            if (static_cast<int>(note->line) == line_of[first])
                return true;
    }
    return false;
}

static int planted, wrong;

static std::string rendered() {
    char text[4096];
    pto_diag_render_buffer(diags, nullptr, text, sizeof text);
    return text;
}

template <typename F> static void plant_run(F run, int number, const char *rule, int second, int first) {
    for (int turn = 0; turn < 2; turn++) {
        fault = turn ? number : 0;
        for (std::atomic<int> &line : line_of)
            line = 0;
        pto_diag_list_clear(diags);
        run();
        const std::size_t findings = pto_check_process_tell(diags, false);
        const bool advice = rule[4] == 'W';
        if (!turn && findings) {
            std::fprintf(stderr, "%s: not silent without the fault:\n%s", rule, rendered().c_str());
            wrong++;
        } else if (turn && ((findings == 0) != advice || !told(rule, second, first))) {
            std::fprintf(stderr, "fault %d, %s at line %d is not told:\n%s", number, rule,
                         line_of[second].load(), rendered().c_str());
            wrong++;
        }
    }
    planted++;
}

static void plant(void (*kernel)(), int blocks_of, int number, const char *rule, int second, int first) {
    plant_run(
        [=] {
            pto::cpu_sim::KernelLaunchOptions options;
            options.explicit_block_count = static_cast<std::uint32_t>(blocks_of);
            pto::cpu_sim::LaunchKernelMultiCore(options, nullptr, kernel);
        },
        number, rule, second, first);
}

#endif
