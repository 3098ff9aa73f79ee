/* SPDX-License-Identifier: Apache-2.0 */
/* Every call of the C++ facade that is no row of the table tells where it stands: calls written by hand,
 * flags, events, tokens, signals, tiles, launches. (The rows: tests/cpp/test_overloads.cpp.) */
#define PTO_NO_WARNINGS
#include <pto/pto-inst.hpp>
#include "support/cpp_testing.hpp"

#include <cstring>

using namespace pto;
constexpr bool a2a3 = pto::detail::target == PTO_TARGET_A2A3;
constexpr bool automatic = pto::detail::auto_mode;

template <typename E, int R, int C, auto Pad = PadValue::Null>
using V = Tile<TileType::Vec, E, R, C, BLayout::RowMajor, R, C, SLayout::NoneBox, 512, Pad>;
using T = V<float, 16, 64>;
using Dynamic = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using DynamicRows = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 64>;
using Mat = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor>;
using MatWhole = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;

struct Waited : EventBase<Waited> {
    int turn = 0, line = 0;
    static int turns;
    void Wait(pto::detail::Here at) {
        turn = ++turns;
        line = at.line;
    }
};
int Waited::turns;
static Waited e0, e1, e2, e3;

static int seen_line, calls;
static const char *seen_file;
static void see(void *, const pto_core *, const pto_instr *instr) {
    seen_line = instr->line;
    seen_file = instr->file;
}

/* The call of this line waited for the first so many events, in order. */
static bool waited(int line, int events) {
    bool good = true;
    int i = 0;
    for (Waited *e : {&e0, &e1, &e2, &e3}) {
        good = good && e->turn == (i < events ? i + 1 : 0) && (i >= events || e->line == line);
        *e = Waited();
        i++;
    }
    Waited::turns = 0;
    calls++;
    return good;
}

/* The same, and the last instruction stands at this line of this file. */
static bool seen(int line, int events) {
    const bool good = seen_line == line && seen_file && std::strcmp(seen_file, __FILE__) == 0;
    seen_line = 0;
    return waited(line, events) && good;
}

/* The refusal of the call names its line. */
template <typename F> static bool refused_at(int line, const char *rule, F &&call) {
    calls++;
    try {
        call();
    } catch (const Error &error) {
        const std::string place = "each_places.cpp:" + std::to_string(line) + ":";
        const bool good = std::strcmp(error.rule(), rule) == 0 && std::strstr(error.what(), place.c_str());
        if (!good)
            std::fprintf(stderr, "%s\n", error.what());
        return good;
    }
    return false;
}

#define SEEN(events, ...) ((void)(__VA_ARGS__), CHECK(seen(__LINE__, events)))
#define WAITED(events, ...) ((void)(__VA_ARGS__), CHECK(waited(__LINE__, events)))
#define REFUSED_HERE(id, ...) CHECK(refused_at(__LINE__, id, [&] { __VA_ARGS__; }))
/* without events, with one, with as many as there are */
#define PLACES(name, ...)                                                                                    \
    do {                                                                                                     \
        SEEN(0, name(__VA_ARGS__));                                                                          \
        SEEN(1, name(__VA_ARGS__, e0));                                                                      \
        SEEN(4, name(__VA_ARGS__, e0, e1, e2, e3));                                                          \
    } while (0)

static void by_hand() {
    T t, u;
    V<float, 16, 64, PadValue::Zero> padded;
    V<float, 32, 128, PadValue::Zero> wide;
    MatWhole mat;
    Mat part;
    TEXPANDS(t, 1.0f);
    PLACES(TFILLPAD, padded, t);
    PLACES(TFILLPAD<TFillPadMode::Normal>, padded, t);
    PLACES(TFILLPAD<TFillPadMode::Expand>, wide, t);
    PLACES(TFILLPAD<TFillPadMode::InPlace>, padded, padded);
    PLACES(TFILLPAD, mat, mat);
    PLACES((TFILLPAD<Mat, PadValue::Null>), part, part);
    V<float, 4, 64> window;
    PLACES(TSUBVIEW, window, t, 4, 0);
    PLACES(SUBVIEW, window, t, 4, 0);
    REFUSED_HERE("PTO-E0781", SUBVIEW(window, t, 15, 0));
    if constexpr (!a2a3) {
        const std::uint32_t key[2] = {1, 2}, counter[4] = {};
        V<std::uint32_t, 16, 64> random;
        PLACES(TRANDOM, random, key, counter);
        PLACES(TRANDOM<7>, random, key, counter);
    }
    { /* TGATHER by comparison, with a threshold a row and one for all */
        V<float, 2, 8> src;
        V<std::int32_t, 2, 8> dst;
        V<std::uint32_t, 1, 8> k;
        V<std::int32_t, 1, 8> count;
        V<float, 32, 32> tmp;
        float all = 2;
        PLACES(
            (TGATHER<decltype(dst), decltype(src), decltype(k), decltype(count), decltype(tmp), CmpMode::GT>),
            dst, src, k, count, tmp, 100u);
        PLACES((TGATHER<decltype(dst), decltype(src), decltype(all), decltype(count), decltype(tmp),
                        CmpMode::GT>),
               dst, src, all, count, tmp, 100u);
    }
    if constexpr (!a2a3) { /* the MX algorithms by their older names */
        V<float8_e4m3_t, 16, 64> dst;
        T src, max, scaling;
        V<std::uint8_t, 1, 32> exp, zz;
        PLACES((TQUANT<QuantType::MXFP8, QuantScaleAlg::OCP>), dst, src, &exp, &max, &scaling);
        PLACES(TQUANT<QuantType::MXFP8>, dst, src, &exp, &max, &scaling);
        if constexpr (pto::detail::target == PTO_TARGET_CPU)
            PLACES((TQUANT<QuantType::MXFP8, VecStoreMode::NZ>), dst, src, &exp, &max, &scaling, &zz);
    }
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>> tensor;
    PrefetchAsyncContext context(nullptr);
    WAITED(0, TPREFETCH_ASYNC(tensor, context));
    WAITED(3, TPREFETCH_ASYNC(tensor, context, e0, e1, e2));
}

static void tiles() {
    T t;
    SEEN(0, TASSIGN(t, 1024));
    CHECK(TASSIGN(t, 1024).here.line == __LINE__);
    SEEN(0, TASSIGN<2048>(t));
    if (!automatic)
        REFUSED_HERE("SA-0354", TASSIGN(t, 1025));
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>> g;
    CHECK(TASSIGN(g, static_cast<float *>(nullptr)).here.line == __LINE__);
    REFUSED_HERE("PTO-E0909", t.GetValue(1024));
    REFUSED_HERE("PTO-E0909", t.SetValue(1024, 1.0f));
    REFUSED_HERE("PTO-E0310", Dynamic(17, 64));
    REFUSED_HERE("PTO-E0310", DynamicRows(17));
    Dynamic d;
    REFUSED_HERE("PTO-E0310", d.SetValidShape(17, 64));
    REFUSED_HERE("PTO-E0310", d.SetValidRow(17));
    REFUSED_HERE("PTO-E0310", d.SetValidCol(65));
    float x = 0;
    REFUSED_HERE("SA-0353", NPUMemoryModel::Instance().GetNPUAddr(&x));
    REFUSED_HERE("SA-0353", GetScaleAddr(&x));
    SEEN(0, t.SetMadTF32Mode());
    SEEN(0, t.ResetMadMode());
}

static void synchronisation() {
    WAITED(1, TSYNC(e0));
    WAITED(2, TSYNC(e0, e1));
    WAITED(4, TSYNC(e0, e1, e2, e3));
    WAITED(1, WaitAllEvents(e0));
    WAITED(4, WaitAllEvents(e0, e1, e2, e3));
    REFUSED_HERE("PTO-E0417", set_flag(PIPE_V, PIPE_MTE2, 8));
    REFUSED_HERE("PTO-E0921", wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0));
    REFUSED_HERE("PTO-E0416", pipe_barrier(99));
    REFUSED_HERE("PTO-E0417", ffts_cross_core_sync(PIPE_V, ~0ull << 8), ffts_cross_core_sync(PIPE_V, 0),
                 set_intra_block(PIPE_V, 32));
    REFUSED_HERE("PTO-E0923", wait_flag_dev(1));
    REFUSED_HERE("PTO-E0417", set_intra_block(PIPE_V, 32));
    REFUSED_HERE("PTO-E0923", wait_intra_block(PIPE_V, 5));
    REFUSED_HERE("PTO-E0925", get_buf(PIPE_V, 32, 0));
    REFUSED_HERE("PTO-E0925", rls_buf(PIPE_V, 3, 0));
    REFUSED_HERE("PTO-E0908", trap());
    if constexpr (!automatic) {
        Event<Op::TLOAD, Op::TADD> loaded;
        REFUSED_HERE("PTO-E0921", loaded.Wait());
        REFUSED_HERE("PTO-E0921", TSYNC(loaded));
        REFUSED_HERE("PTO-E0921", TSYNC(e0, e1, e2, loaded));
        REFUSED_HERE("PTO-E0921", WaitAllEvents(e0, e1, e2, loaded));
        T t, u;
        REFUSED_HERE("PTO-E0921", TRELU(u, t, e0, e1, e2, e3, loaded));
        REFUSED_HERE("PTO-E0920", loaded.Record(); loaded.Record());
        REFUSED_HERE("PTO-E0920", loaded = TRELU(u, t, e0, e1, e2));
        loaded.Wait();
        REFUSED_HERE("PTO-E0417", (PtoSetWaitFlag<PIPE_V, PIPE_MTE2>(EVENT_ID0, 9)));
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    }
    seen(0, 0);
}

static void launches() {
    cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = 1;
    REFUSED_HERE("PTO-E0922", cpu_sim::LaunchKernelMultiCore(options, nullptr,
                                                             [] { set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); }));
    if constexpr (!automatic) {
        options.explicit_block_count = 2;
        REFUSED_HERE("PTO-E0924", cpu_sim::LaunchKernelMultiCore(options, nullptr, [] {
                         if (get_block_idx())
                             SYNCALL();
                     }));
    }
}

int main() {
    pto_observer observer = {};
    observer.before = see;
    CHECK(pto_core_add_observer(pto::detail::core(), observer) == PTO_OK);
    by_hand();
    tiles();
    synchronisation();
    launches();
    std::printf("%d calls with their places\n", calls);
    return testing::failures != 0;
}
