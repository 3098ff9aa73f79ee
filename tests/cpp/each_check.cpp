/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C++ under the checkers: each fault is planted in a kernel that is silent without it; the rule
 * and the lines of both accesses are told. Built for every target: cpu has no races inside of a core, in auto
 * mode events and flags are none of the kernel's business. */
#define PTO_NO_CHECK_ENVIRONMENT /* this program reports itself */
#include <pto/pto-inst.hpp>
#include "support/cpp_planting.hpp"

#include <vector>

using namespace pto;
using T = Tile<TileType::Vec, float, 16, 64>;
using Half = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 8, 64>;
using G = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>>;
using GHalf = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 64, 1>>;

static float *x, *y; /* device memory, 4 x 16 rows of 64 */

static void flags() {
    T t, u;
    TASSIGN(t, 0);
    TASSIGN(u, 4096);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    for (int i = 0; i < 4; i++) {
        G gx(x + 1024 * i), gy(y + 1024 * i);
        WITHOUT(3) wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        AT(1) TLOAD(t, gx);
        WITHOUT(2) { AT(4) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
        WITH(8) { AT(8) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
        WITHOUT(1) { AT(5) wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
        WITHOUT(5) wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        AT(2) TADD(u, t, t);
        WITHOUT(6) pipe_barrier(PIPE_V);
        WITH(9) { AT(9) pipe_barrier(PIPE_M); }
        AT(3) TRELU(u, u);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        WITHOUT(4) wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        AT(0) TSTORE(gy, u);
        AT(6) set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    WITHOUT(7) wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}

/* The same once, with events. */
static void events() {
    T t, u;
    TASSIGN(t, 0);
    TASSIGN(u, 4096);
    G gx(x), gy(y);
    AT(1) Event<Op::TLOAD, Op::TADD> loaded = TLOAD(t, gx);
    WITHOUT(2) TSYNC(loaded);
    AT(2) Event<Op::TADD, Op::TRELU> added = TADD(u, t, t);
    WITHOUT(1) TSYNC(added);
    AT(3) Event<Op::TRELU, Op::TSTORE_VEC> done = TRELU(u, u);
    if (fault == 3) {
        AT(0) TSTORE(gy, u);
        done.Wait();
    } else {
        AT(4) TSTORE(gy, u, done);
        WITH(4) { AT(5) done.Wait(); }
    }
}

static void blocks() {
    T t;
    TASSIGN(t, 0);
    G gy(y + (fault == 1 ? 0 : 1024 * get_block_idx()));
    TEXPANDS(t, 1.0f);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    AT(0) TSTORE(gy, t);
}

static void meeting() {
    T t;
    TASSIGN(t, 0);
    G mine(y + 1024 * get_block_idx()), other(y + 1024 * (1 - get_block_idx()));
    TEXPANDS(t, 1.0f);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    AT(0) TSTORE(mine, t);
    PtoSetWaitFlag<PIPE_MTE3, PIPE_MTE2>();
    WITHOUT(1) SYNCALL();
    AT(1) TLOAD(t, other);
}

static void initialised() {
    T t, u, free_tile;
    Half upper;
    TASSIGN(t, 0);
    TASSIGN(upper, 0);
    TASSIGN(u, 4096);
    G gx(x), gy(y);
    GHalf gh(x);
    WITH(2) TLOAD(upper, gh);
    if (fault != 1 && fault != 2)
        TLOAD(t, gx);
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    WITHOUT(4) TEXPANDS(free_tile, 1.0f);
    AT(0) TRELU(u, t);
    pipe_barrier(PIPE_V);
    AT(1) TADD(u, free_tile, free_tile);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    PtoSetWaitFlag<PIPE_V, PIPE_S>();
    WITH(5) { /* an element of a tile that nobody wrote */
        T other;
        TASSIGN(other, 16384);
        AT(3) other.GetValue(7);
    }
    WITH(3) TASSIGN(u, 4096 + 2048); /* rows behind those that were written */
    AT(2) TSTORE(gy, u);
}

static void tokens() {
    AT(0) get_buf(PIPE_V, 3, 0);
    WITH(1) { AT(1) get_buf(PIPE_V, 3, 0); }
    WITHOUT(2) rls_buf(PIPE_V, 3, 0);
    WITH(3) { AT(1) rls_buf(PIPE_V, 3, 0); }
}

static void signals() {
    WITHOUT(1) set_intra_block(PIPE_V, 5);
    AT(0) wait_intra_block(PIPE_MTE2, 5);
}

static void crossing() {
    WITHOUT(1) set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    WITHOUT(1) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    AT(0) wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    AT(1) wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    WITH(1) set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    WITH(1) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
}

/* Buffers of the host: the kernel loads from one. */
static void loads_once(float *from) {
    T t;
    TASSIGN(t, 0);
    G g(from);
    AT(2) TLOAD(t, g);
}

static void run_once(float *from) {
    cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = 1;
    cpu_sim::LaunchKernelMultiCore(options, nullptr, [=] { loads_once(from); });
}

static void buffers() {
    void *device = nullptr, *output = nullptr;
    float values[1024] = {};
    AT(0) aclrtMalloc(&device, sizeof values, 0);
    aclrtMalloc(&output, sizeof values, 0);
    WITHOUT(1) aclrtMemcpy(device, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
    if (fault == 6)
        aclrtMemcpy(output, 4000, values, 4000, ACL_MEMCPY_HOST_TO_DEVICE);
    else
        aclrtMemset(output, sizeof values, 0, sizeof values);
    WITHOUT(2) run_once(static_cast<float *>(device));
    AT(5) aclrtMemcpy(values, sizeof values, output, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST);
    WITH(3) { AT(3) aclrtFree(static_cast<char *>(device) + 16); }
    AT(1) aclrtFree(device);
    WITH(4) { AT(4) aclrtFree(device); }
    WITH(2) run_once(static_cast<float *>(device));
    aclrtFree(output);
}

/* ---- the bench ---- */

template <typename F> static std::string refusal_of(F &&call) {
    try {
        call();
    } catch (const pto::Error &error) {
        return error.what();
    }
    return "";
}

int main() {
    source = __FILE__;
    CHECK(pto_check_process("all", nullptr) == PTO_OK);
    void *memory = nullptr;
    std::vector<float> zeros(4096);
    aclrtMalloc(&memory, 16384, 0);
    x = static_cast<float *>(memory);
    aclrtMemcpy(x, 16384, zeros.data(), 16384, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMalloc(&memory, 16384, 0);
    y = static_cast<float *>(memory);
    [[maybe_unused]] const bool a2a3 = pto::detail::target == PTO_TARGET_A2A3;

    plant(blocks, 2, 1, "PTO-E1104", 0, 0);
    plant(initialised, 1, 4, "PTO-E1120", 1, -1);
    if (!pto::detail::auto_mode) {
        plant(flags, 1, 2, "PTO-E0921", 5, -1);
        plant(flags, 1, 7, "PTO-E0922", 6, -1);
        plant(flags, 1, 8, "PTO-E0920", 8, 4);
        plant(flags, 1, 9, "PTO-W1111", 9, -1);
        plant(events, 1, 4, "PTO-E0921", 5, -1);
        plant(events, 1, 2, "PTO-E0922", 1, -1);
        plant(initialised, 1, 1, "PTO-E1120", 0, -1);
        plant(initialised, 1, 2, "PTO-E1120", 0, -1);
        plant(initialised, 1, 3, "PTO-E1120", 2, -1);
        plant(initialised, 1, 5, "PTO-E1120", 3, -1);
        plant(tokens, 1, 1, "PTO-E0925", 1, 0);
        plant(tokens, 1, 2, "PTO-E0925", 0, -1);
        plant(tokens, 1, 3, "PTO-E0925", 1, -1);
        plant(signals, 1, 1, "PTO-E0923", 0, -1);
        plant(crossing, 1, 1, "PTO-E1110", 0, 1);
        plant(meeting, 2, 1, "PTO-E1104", 1, 0);
    }
    if (pto::detail::target != PTO_TARGET_CPU && !pto::detail::auto_mode) {
        plant(flags, 1, 1, "PTO-E1101", 2, 1);
        plant(flags, 1, 3, a2a3 ? "PTO-E1101" : "PTO-E1102", 1, a2a3 ? 2 : 1);
        plant(flags, 1, 4, "PTO-E1101", 0, 3);
        plant(flags, 1, 5, "PTO-E1101", 2, 0);
        plant(events, 1, 2, "PTO-E1101", 2, 1);
        plant(events, 1, 3, "PTO-E1101", 0, 3);
    }
    if (a2a3) {
        plant(flags, 1, 6, "PTO-E1103", 3, 2);
        plant(events, 1, 1, "PTO-E1103", 3, 2);
    }
    plant_run(buffers, 1, "PTO-E1122", 2, 0);
    plant_run(buffers, 2, "PTO-E1153", 2, 1);
    { /* a window that leaves its buffer: refused, with the place of the call */
        T t;
        G beyond(x + 4096 - 512);
        const std::string text = refusal_of([&] { AT(0) TLOAD(t, beyond); });
        CHECK(text.find("PTO-E0901") != std::string::npos);
        CHECK(text.find("each_check.cpp:" + std::to_string(line_of[0])) != std::string::npos);
        planted++;
    }
    plant_run(buffers, 3, "PTO-E1152", 3, 0);
    plant_run(buffers, 4, "PTO-E1151", 4, 1);
    plant_run(buffers, 6, "PTO-E1121", 5, -1);
    aclrtFree(x);
    pto_diag_list_clear(diags);
    CHECK(pto_check_process_tell(diags, true) == 1 && pto_diag_has(diags, "PTO-E1150"));
    std::printf("%d planted faults, every one told\n", planted);
    CHECK(wrong == 0);
    return 0;
}
