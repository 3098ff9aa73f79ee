/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of part 40 that are written by hand: TRANDOM with arrays, TGATHER by comparison, TPREFETCH_ASYNC.
 * Built for every target. */
#include <pto/pto-inst.hpp>

#include "support/cpp_testing.hpp"

using namespace pto;

static void prefetch() {
    float data[16] = {};
    std::uint8_t workspace[64] = {};
    using Whole = pto::Shape<1, 1, 1, 1, 16>;
    using Steps = pto::Stride<16, 16, 16, 16, 1>;
    GlobalTensor<float, Whole, Steps> tensor(data);
    PrefetchAsyncContext context(workspace);
    const comm::AsyncEvent event = TPREFETCH_ASYNC(tensor, context);
    CHECK(!event.valid() && event.Wait(context.GetSession()) && event.Test(context.GetSession()));
}

static void compare() {
    Tile<TileType::Vec, float, 2, 8> src;
    Tile<TileType::Vec, std::int32_t, 2, 8> dst;
    Tile<TileType::Vec, std::uint32_t, 1, 8> k;
    Tile<TileType::Vec, std::int32_t, 1, 8> count;
    Tile<TileType::Vec, float, 32, 32> tmp;
    for (std::uint32_t i = 0; i < 16; i++)
        src.SetValue(i, static_cast<float>(i % 4));
    k.SetValue(0, 2);
    k.SetValue(1, 0);
    TGATHER<decltype(dst), decltype(src), decltype(k), decltype(count), decltype(tmp), CmpMode::GT>(
        dst, src, k, count, tmp, 100u);
    CHECK(count.GetValue(0) == 2 && count.GetValue(1) == 6);
    CHECK(dst.GetValue(0) == 103 && dst.GetValue(1) == 107 && dst.GetValue(8) == 109);
}

#if !defined(__NPU_ARCH__) || __NPU_ARCH__ == 3510
static void random_words() {
    Tile<TileType::Vec, std::uint32_t, 1, 8> dst;
    const std::uint32_t key[2] = {0, 0}, counter[4] = {0, 0, 0, 0};
    TRANDOM(dst, key, counter);
    CHECK(dst.GetValue(0) == 0x6627E8D5u && dst.GetValue(3) == 0x9B00DBD8u && dst.GetValue(4) == 0xF8E4CCA4u);
    TRANDOM<7>(dst, key, counter);
    CHECK(dst.GetValue(0) == 0x5F6FB709u);
}
#else
static void random_words() {}
#endif

int main() {
    prefetch();
    compare();
    random_words();
    return testing::failures != 0;
}
