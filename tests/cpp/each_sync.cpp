/* SPDX-License-Identifier: Apache-2.0 */
/* Flags, events, barriers, launches and the host's stand-ins. Built for every target. */
#include <pto/pto-inst.hpp>
#include "support/cpp_testing.hpp"

#include <cstring>
#include <unistd.h>

using namespace pto;
using T = Tile<TileType::Vec, float, 16, 16>;
using G = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 16>, pto::Stride<256, 256, 256, 16, 1>>;

static void flags() {
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    REFUSED("PTO-E0920", set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0));
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    REFUSED("PTO-E0921", wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0));
    REFUSED("PTO-E0416", set_flag(PIPE_V, PIPE_V, EVENT_ID0));
    REFUSED("PTO-E0417", set_flag(PIPE_V, PIPE_M, 8));
    REFUSED("PTO-E0416", pipe_barrier(8));
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_V);
    PtoSetWaitFlag<PIPE_MTE2, PIPE_S>();
    get_buf(PIPE_V, 3, 0);
    REFUSED("PTO-E0925", get_buf(PIPE_MTE2, 3, 0));
    rls_buf(PIPE_V, 3, 0);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, 5));
    wait_flag_dev(5);
    REFUSED("PTO-E0923", wait_flag_dev(5));
    set_intra_block(PIPE_FIX, 16);
    wait_intra_block(PIPE_V, 16);
    REFUSED("PTO-E0908", trap());
}

static void events() {
    float data[256];
    for (int i = 0; i < 256; i++)
        data[i] = static_cast<float>(i);
    G g(data);
    T a, b;
    Event<Op::TLOAD, Op::TADD> loaded = TLOAD(a, g);
    static_assert(decltype(loaded)::srcPipe == PIPE_MTE2 && decltype(loaded)::dstPipe == PIPE_V);
    static_assert(!decltype(loaded)::isSamePipe && !decltype(loaded)::IsCrossCore &&
                  is_event<decltype(loaded)>::value);
    Event<Op::TADD, Op::TMUL> added = TADD(b, a, a, loaded);
    static_assert(decltype(added)::isSamePipe);
    TMUL(b, b, a, added);
    CHECK(b.GetValue(3) == 18.0f);
#ifndef __PTO_AUTO__
    REFUSED("PTO-E0921", TADD(b, a, a, loaded)); /* waited for twice, recorded once */
    Event<Op::TADD, Op::TSTORE_VEC, false, EVENT_ID3> stored;
    CHECK(stored.token == 3);
    stored = TADD(b, a, a);
    REFUSED("PTO-E0921", wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2));
    TSYNC(stored);
#endif
    TSYNC();
    TSYNC<Op::TLOAD>();
    EventIdCounter<PIPE_V, PIPE_M>::Reset();
    for (int i = 0; i < 9; i++)
        CHECK((EventIdCounter<PIPE_V, PIPE_M>::GetNextId() == i % 8));
#if defined(PTO_NPU_ARCH_A2A3) && !defined(__PTO_AUTO__)
    Event<Op::TMOV_V2M, Op::TMOV_M2L, false> cross;
    static_assert(decltype(cross)::IsCrossCore);
    cross.Record<4>();
    cross.Wait<4>();
    REFUSED("PTO-E0923", cross.Wait<4>());
#endif
}

static void launches() {
    void *device = nullptr, *stream = nullptr;
    CHECK(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    CHECK(aclrtMalloc(&device, 8 * 256 * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    float host[256];
    for (int i = 0; i < 256; i++)
        host[i] = static_cast<float>(i);
    auto *gm = static_cast<float *>(device);
    for (int b = 0; b < 8; b++)
        CHECK(aclrtMemcpy(gm + b * 256, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE) == 0);

    cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = 4;
    options.subblocks_per_block = 2;
    std::atomic<int> met{0}, wrong{0};
    cpu_sim::LaunchKernelMultiCore(options, stream, [&] {
        const auto core = get_coreid();
        wrong +=
            get_block_num() != 4 || get_subblockdim() != 2 || core != get_block_idx() * 2 + get_subblockid();
        T tile;
        TASSIGN(tile, 0); /* the same address in every core: memories are their own */
        G g(gm + core * 256);
        for (int i = 0; i < 200; i++) {
            TLOAD(tile, g);
            TADDS(tile, tile, 1.0f);
            TSTORE(g, tile);
        }
        met++;
        SYNCALL();
#ifndef __PTO_AUTO__ /* which ignores it */
        wrong += met != 8;
#endif
    });
    CHECK(wrong == 0);
    for (int i = 0; i < 8 * 256; i++)
        CHECK(gm[i] == static_cast<float>(i % 256 + 200));
    CHECK(get_block_idx() == 0 && get_block_num() == 1);

    options.explicit_block_count = 3;
    options.subblocks_per_block = 1;
    REFUSED("PTO-E0922",
            cpu_sim::LaunchKernelMultiCore(options, stream, [] { set_flag(PIPE_V, PIPE_M, 1); }));
#ifndef __PTO_AUTO__
    REFUSED("PTO-E0924", cpu_sim::LaunchKernelMultiCore(options, stream, [] {
                if (get_block_idx())
                    SYNCALL();
            }));
#endif
    bool caught = false;
    try {
        cpu_sim::LaunchKernelMultiCore(options, stream, [] { throw 42; });
    } catch (int value) {
        caught = value == 42;
    }
    CHECK(caught);

    CHECK(cpu_sim::ResolveActiveCoreCount(8, 6, 1) == 6 && cpu_sim::ResolveActiveCoreCount(8, 20, 4) == 6);
    {
        cpu_sim::ScopedExecutionContext scope(2, 1, 2);
        CHECK(get_block_idx() == 2 && get_subblockid() == 1 && get_subblockdim() == 2);
    }
    CHECK(get_block_idx() == 0 && get_subblockdim() == 1);
    cpu_sim::set_task_cookie(7);
    CHECK(get_task_cookie() == 7);
    set_ctrl(sbitset1(get_ctrl(), 48));
    CHECK(get_ctrl() == std::uint64_t{1} << 48 && sbitset0(get_ctrl(), 48) == 0);

    CHECK(aclrtMemset(device, 16, 1, 17) == 145000 && aclrtMemset(nullptr, 0, 0, 0) == 0);
    CHECK(aclrtMemset(device, 16, 1, 4) == 0 && static_cast<char *>(device)[3] == 1);
    aclrtFree(device);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}

/* TPRINT reaches stdout. */
static void printing() {
    Tile<TileType::Vec, int32_t, 1, 8> tile;
    tile.SetValue(0, 4711);
    std::fflush(stdout);
    std::FILE *out = std::tmpfile();
    const int saved = dup(1);
    dup2(fileno(out), 1);
    TPRINT(tile);
    TPRINT<PrintFormat::Width8_Precision2>(tile);
    std::fflush(stdout);
    dup2(saved, 1);
    close(saved);
    std::rewind(out);
    char text[4096];
    text[std::fread(text, 1, sizeof text - 1, out)] = 0;
    std::fclose(out);
    const char *first = std::strstr(text, "4711");
    CHECK(first && std::strstr(first + 1, "4711"));
}

int main() {
    printing();
    flags();
    events();
    launches();
    return testing::failures != 0;
}
