/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are written by hand, views and what their storage does, events behind any operand list, refusals
 * at run time. Built for every target. */
#include <pto/pto-inst.hpp>
#include "support/cpp_testing.hpp"

#include <thread>
#include <vector>

using namespace pto;
using T = Tile<TileType::Vec, float, 8, 16>;

static void fill_pad() {
    using Src = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
    using Dst =
        Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Max>;
    using Wide = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512,
                      PadValueCustom(2.0f)>;
    Src src(3, 5);
    Dst dst;
    Wide wide;
    for (std::uint32_t i = 0; i < 128; i++)
        src.SetValue(i, static_cast<float>(i));
    TFILLPAD(dst, src);
    CHECK(dst.GetElement(2, 4) == 36.0f && dst.GetElement(2, 5) > 3e38f && dst.GetElement(3, 0) > 3e38f);
    TFILLPAD<TFillPadMode::Expand>(wide, src);
    CHECK(wide.GetElement(2, 4) == 36.0f && wide.GetElement(2, 5) == 2.0f && wide.GetElement(15, 15) == 2.0f);
    Dst same;
    TRESHAPE(same, src);
    TFILLPAD<TFillPadMode::InPlace>(same, src);
    CHECK(src.GetElement(2, 4) == 36.0f && src.GetElement(2, 5) > 3e38f);
    REFUSED("PTO-E0770", T plain; TFILLPAD<TFillPadMode::Normal>(plain, src));

    using Mat = Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 5, 16, SLayout::RowMajor>;
    Mat a, b;
    for (int i = 0; i < 256; i++)
        a.data()[i] = b.data()[i] = half(1.0f);
    TFILLPAD(b, a);
    CHECK(b.data()[4 * 16] == 1.0f && b.data()[5 * 16] == 0.0f && b.data()[255] == 0.0f);
    for (int i = 0; i < 256; i++)
        b.data()[i] = half(3.0f);
    TFILLPAD<Mat, PadValue::Null>(b, a);
    CHECK(b.data()[5 * 16] == 0.0f);
}

static void views() {
    using Line = Tile<TileType::Vec, float, 1, 128>;
    using Half = Tile<TileType::Vec, float, 4, 16>;
    std::vector<Line> kept;
    {
        T tile;
        for (std::uint32_t i = 0; i < 128; i++)
            tile.SetValue(i, static_cast<float>(i));
        Line line;
        TRESHAPE(line, tile);
        CHECK(line.data() == tile.data());
        kept.push_back(line);
        Half half_tile;
        TSUBVIEW(half_tile, tile, 4, 0);
        CHECK(half_tile.GetValue(0) == 64.0f);
        SUBVIEW(half_tile, tile, 2, 0);
        CHECK(half_tile.GetValue(1) == 33.0f);
        REFUSED("PTO-E0781", TSUBVIEW(half_tile, tile, 5, 0));
    }
    CHECK(kept[0].GetValue(127) == 127.0f); /* the storage lives as long as a view of it */
#ifndef __PTO_AUTO__
    T placed;
    TASSIGN(placed, 0x1000);
    Line line;
    TRESHAPE(line, placed);
    CHECK(line.data() == placed.data());
    TASSIGN(line, 0x2000); /* a view may be placed elsewhere */
    CHECK(line.data() != placed.data());
#endif
}

static void refusals() {
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> small(3, 3);
    T x, y;
    x.SetValue(0, 5.0f);
    y.SetValue(0, 7.0f);
    REFUSED("PTO-E0323", TADD(small, x, y));
    try {
        TADD(small, x, y);
    } catch (const std::runtime_error &error) {
        const std::string text = error.what();
        CHECK(text.find("src0") != std::string::npos && text.find("8 x 16") != std::string::npos);
    }
    TADD(x, x, y); /* and the core goes on */
    CHECK(x.GetValue(0) == 12.0f);
    float data[64] = {};
    GlobalTensor<const float, Shape<1, 1, 1, 8, 16>, Stride<128, 128, 128, 16, 1>> constant(data);
    REFUSED("PTO-E0711", TSTORE(constant, x));
}

/* An element type, an event and an enum in a variable behind any list of operands. */
static void arguments() {
    using I = Tile<TileType::Vec, int32_t, 8, 16>;
    T x, out;
    Tile<TileType::Vec, half, 8, 16> narrow;
    x.SetValue(0, 2.5f);
    RoundMode mode = RoundMode::CAST_FLOOR;
    SaturationMode sat = SaturationMode::ON;
    I integer;
    TCVT(integer, x, mode);
    CHECK(integer.GetValue(0) == 2);
    TCVT(integer, x, mode, sat);
    Event<Op::TADDS, Op::TSTORE_VEC> event = TADDS(out, x, 1);
    Event<Op::TADDS, Op::TSTORE_VEC> second = TMULS(out, x, half(2.0f));
    float data[128];
    GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<128, 128, 128, 16, 1>> g(data);
    TSTORE(g, out, event, second);
    CHECK(data[0] == 5.0f);
    TSTORE<T, decltype(g), AtomicType::AtomicAdd>(g, out);
    CHECK(data[0] == 10.0f);
    TDIVS(out, 5.0f, x);
    CHECK(out.GetValue(0) == 2.0f);
    float divisor = 5.0f;
    TDIVS(out, x, divisor);
    CHECK(out.GetValue(0) == 0.5f);
    TCVT<false>(narrow, x, RoundMode::CAST_RINT);
    CHECK(narrow.GetValue(0) == 2.5f);
    Tile<TileType::Vec, int32_t, 1, 16> line;
    TCI<decltype(line), int32_t, true>(line, 5);
    CHECK(line.GetValue(3) == 2);
    SETHF32MODE<true>();
    SETHF32MODE<false, RoundMode::CAST_RINT>();
}

static void kernel_on_a_thread(float *sum) {
    T x, y;
    TASSIGN(x, 0);
    TASSIGN(y, 0x200);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 0.0f);
    for (int i = 0; i < 500; i++)
        TADD(y, y, x);
    *sum = y.GetValue(7);
}

int main() {
    fill_pad();
    views();
    refusals();
    arguments();
    /* a kernel is a function, a thread a core */
    float sums[8];
    std::vector<std::thread> threads;
    for (float &sum : sums)
        threads.emplace_back(kernel_on_a_thread, &sum);
    for (std::thread &thread : threads)
        thread.join();
    for (const float sum : sums)
        CHECK(sum == 500.0f);
    return testing::failures != 0;
}
