/* SPDX-License-Identifier: Apache-2.0 */
/* The core of a thread, and the way of a call to the door of the library: pto_core_execute. A thread is a
 * core (00-model, 12): it gets one with the target and the mode of the build at its first instruction, unless
 * a launcher set one with pto_core_set_current. */
#ifndef PTO_COMMON_RUNTIME_HPP
#define PTO_COMMON_RUNTIME_HPP

#include <pto/common/constants.hpp>
#include <pto/common/debug.h>

#include <pto/agent.h>
#include <pto/check.h>
#include <pto/core.h>
#include <pto/ops.h>

#include <atomic>

PTO_NAMESPACE_BEGIN

namespace detail {

/* The place of a call in the source, as a default argument; null = not known. */
struct Here {
    const char *file = nullptr;
    int line = 0;
    static constexpr Here at(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        Here here;
        here.file = file;
        here.line = line;
        return here;
    }
    void tell() const { pto_here(file, line); }
    /* As text in front of a message: "gemm.cpp:12: ". */
    std::string text() const { return file ? std::string(file) + ":" + std::to_string(line) + ": " : ""; }
};

} // namespace detail

/* What an instruction returns; initialises an Event (00-model, 11.1). */
struct RecordEvent {
    RecordEvent() = default;
    explicit RecordEvent(detail::Here place) : here(place) {}
    detail::Here here;
};

namespace detail {

constexpr pto_target target =
#if defined(PTO_NPU_ARCH_A2A3)
    PTO_TARGET_A2A3;
#elif defined(PTO_NPU_ARCH_A5)
    PTO_TARGET_A5;
#else
    PTO_TARGET_CPU;
#endif
/* The bit of the target in a set of targets. */
constexpr unsigned target_bit = 1u << target;
#ifdef __PTO_AUTO__
constexpr bool auto_mode = true;
#else
constexpr bool auto_mode = false;
#endif

/* Capacities of a target (00-model, 8.1), as pto_loc_capacity has them. */
constexpr std::uint32_t capacity(pto_target t, int loc) {
    const bool a2a3 = t == PTO_TARGET_A2A3;
    switch (loc) {
    case PTO_LOC_VEC:
        return (a2a3 ? 192u : 256u) * 1024u;
    case PTO_LOC_MAT:
        return 512u * 1024u;
    case PTO_LOC_LEFT:
    case PTO_LOC_RIGHT:
        return 64u * 1024u;
    case PTO_LOC_ACC:
        return (a2a3 ? 128u : 256u) * 1024u;
    case PTO_LOC_BIAS:
        return (a2a3 ? 1u : 4u) * 1024u;
    case PTO_LOC_SCALING:
        return (a2a3 ? 2u : 4u) * 1024u;
    case PTO_LOC_SCALE_LEFT:
    case PTO_LOC_SCALE_RIGHT:
        return a2a3 ? 0u : 4u * 1024u;
    default:
        return 0u;
    }
}

/* Set by NPU_MEMORY_INIT for all threads: whose capacities target cpu has. */
inline std::atomic<int> cpu_capacities{static_cast<int>(NPUArch::A5)};

inline std::uint32_t environment_bytes(const char *name) {
    const char *text = std::getenv(name);
    return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 0)) : 0u;
}

/* The options of a thread's core; the environment may enlarge memories (00-model, 14.1). */
inline pto_options options() {
    pto_options o = {};
    o.target = target;
    o.auto_mode = auto_mode;
    if (target == PTO_TARGET_CPU && cpu_capacities == static_cast<int>(NPUArch::A2A3))
        for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
            o.memory_bytes[loc] = capacity(PTO_TARGET_A2A3, loc);
            /* what the build says of a memory's size; <pto/common/memory.hpp> defines the rest as the
             * target's */
#ifdef PTO_UBUF_SIZE_BYTES
    o.memory_bytes[PTO_LOC_VEC] = PTO_UBUF_SIZE_BYTES;
#endif
#ifdef PTO_CBUF_SIZE_BYTES
    o.memory_bytes[PTO_LOC_MAT] = PTO_CBUF_SIZE_BYTES;
#endif
#ifdef PTO_L0A_SIZE_BYTES
    o.memory_bytes[PTO_LOC_LEFT] = PTO_L0A_SIZE_BYTES;
#endif
#ifdef PTO_L0B_SIZE_BYTES
    o.memory_bytes[PTO_LOC_RIGHT] = PTO_L0B_SIZE_BYTES;
#endif
#ifdef PTO_L0C_SIZE_BYTES
    o.memory_bytes[PTO_LOC_ACC] = PTO_L0C_SIZE_BYTES;
#endif
#ifdef PTO_BIAS_SIZE_BYTES
    o.memory_bytes[PTO_LOC_BIAS] = PTO_BIAS_SIZE_BYTES;
#endif
#ifdef PTO_FBUF_SIZE_BYTES
    o.memory_bytes[PTO_LOC_SCALING] = PTO_FBUF_SIZE_BYTES;
#endif
    static const struct {
        pto_loc loc;
        const char *name;
    } variables[] = {{PTO_LOC_VEC, "PTO_CPU_SIM_UB_BYTES"},
                     {PTO_LOC_MAT, "PTO_CPU_SIM_L1_BYTES"},
                     {PTO_LOC_LEFT, "PTO_CPU_SIM_L0A_BYTES"},
                     {PTO_LOC_RIGHT, "PTO_CPU_SIM_L0B_BYTES"},
                     {PTO_LOC_ACC, "PTO_CPU_SIM_L0C_BYTES"}};
    for (const auto &variable : variables)
        if (const std::uint32_t bytes = environment_bytes(variable.name))
            o.memory_bytes[variable.loc] = bytes;
    return o;
}

/* TPRINT writes to stdout. */
inline void print(void *, const char *text, std::size_t length) { std::fwrite(text, 1, length, stdout); }

inline pto_core *make_core() {
    const pto_options o = options();
    pto_core *core = pto_core_make_own(&o);
    if (!core)
        raise(PTO_ERR_NOMEM, "", "no memory for a core");
    pto_core_set_print(core, print, nullptr);
    return core;
}

inline pto_core *core() {
    pto_core *existing = pto_core_existing();
    return existing ? existing : make_core();
}

/* The diagnostics of one severity, rendered. */
inline std::string render(pto_diag_list *diags, pto_severity severity, std::size_t skip, std::string *rule) {
    std::string text;
    pto_diag_list *some = pto_diag_list_create();
    for (const pto_diagnostic *d = pto_diag_first(diags); some && d; d = d->next) {
        if (d->severity != severity)
            continue;
        if (skip) {
            skip--;
            continue;
        }
        if (rule && rule->empty() && d->rule)
            *rule = d->rule;
        pto_diag_copy(some, d);
    }
    const std::size_t length = pto_diag_render_buffer(some, nullptr, nullptr, 0);
    text.resize(length + 1);
    pto_diag_render_buffer(some, nullptr, &text[0], length + 1);
    text.resize(length);
    pto_diag_list_destroy(some);
    return text;
}

/* Throws what the library said; the core can be used again. */
[[noreturn]] inline void fail(pto_core *core, pto_status status) {
    pto_diag_list *diags = pto_core_diags(core);
    std::string rule, text = render(diags, PTO_ERROR, 0, &rule);
    if (text.empty())
        text = status == PTO_ERR_NOMEM ? "out of memory" : "the call failed";
    pto_diag_list_clear(diags);
    raise(status, rule, text);
}

inline void check(pto_status status) {
    if (status != PTO_OK)
        fail(core(), status);
}
/* The same of a call whose refusal does not know its place: it is noted as the door does. */
inline void check(pto_status status, Here here, const char *call) {
    if (status == PTO_OK)
        return;
    if (here.file)
        pto_diag_note(pto_core_diags(core()), pto_at_line(here.file, static_cast<std::uint32_t>(here.line)),
                      "in the %s of line %d", call, here.line);
    check(status);
}

/* Warnings go to stderr, each kind once; PTO_NO_WARNINGS keeps them in pto_core_diags. */
inline void warn(pto_core *core) {
#ifndef PTO_NO_WARNINGS
    static thread_local struct {
        const pto_core *core;
        std::size_t shown;
    } state;
    pto_diag_list *diags = pto_core_diags(core);
    const std::size_t count = pto_diag_count(diags, PTO_WARNING);
    if (state.core != core || count < state.shown) {
        state.core = core;
        state.shown = 0;
    }
    if (count > state.shown) {
        const std::string text = render(diags, PTO_WARNING, state.shown, nullptr);
        state.shown = count;
        std::fputs(text.c_str(), stderr);
    }
#else
    (void)core;
#endif
}

inline void run(pto_form form, const pto_operand *operands, int count, Here here) {
    pto_instr instr;
    instr.form = form;
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        instr.operand[i] = i < count ? operands[i] : pto_operand{};
    instr.file = here.file;
    instr.line = here.line;
    instr.column = 0;
    instr.verified = false;
    pto_core *c = core();
    const pto_status status = pto_core_execute(c, &instr);
    if (status != PTO_OK)
        fail(c, status);
    if (pto_diag_first(pto_core_diags(c)))
        warn(c);
}

template <std::size_t N> RecordEvent issue(pto_form form, const pto_operand (&operands)[N], Here here) {
    run(form, operands, static_cast<int>(N), here);
    return RecordEvent(here);
}

/* ---- operands ---- */

inline pto_operand tile_operand(pto_tile *tile) {
    pto_operand operand = {};
    operand.kind = PTO_OPERAND_TILE;
    operand.tile = tile;
    return operand;
}
inline pto_operand global_operand(pto_global *global) {
    pto_operand operand = {};
    operand.kind = PTO_OPERAND_GLOBAL;
    operand.global = global;
    return operand;
}
inline pto_operand counts_operand(pto_merge_counts *counts) {
    pto_operand operand = {};
    operand.kind = PTO_OPERAND_COUNTS;
    operand.counts = counts;
    return operand;
}
template <typename T> pto_operand scalar_operand(T value) {
    pto_operand operand = {};
    operand.kind = PTO_OPERAND_SCALAR;
    operand.scalar = scalar(value);
    return operand;
}
/* An attribute: an enum, a bool or an int. */
template <typename T> pto_operand attr_operand(T value) {
    pto_operand operand = {};
    operand.kind = PTO_OPERAND_SCALAR;
    operand.scalar.i = static_cast<std::int64_t>(value);
    return operand;
}
inline pto_operand absent() { return pto_operand{}; }

} // namespace detail

PTO_NAMESPACE_END

#endif
