/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ examples of the founding documents, letter for letter, with and without `using namespace pto`.
 * Built for every target. */
#define example_auto tadddeqrelu_auto
#include "data/seeds/tadddeqrelu_auto.hpp"
#undef example_auto
#define example_manual tadddeqrelu_manual
#include "data/seeds/tadddeqrelu_manual.hpp"
#undef example_manual
#define example tmuladddst
#include "data/seeds/tmuladddst.hpp"
#undef example
#define example trelu
#include "data/seeds/trelu.hpp"
#undef example
#include "support/cpp_testing.hpp"

namespace qualified {
/* The same calls by qualified names. */
static void example_manual(float deqScale) {
    using SrcTileT = pto::Tile<pto::TileType::Vec, int32_t, 16, 16>;
    using DstTileT = pto::Tile<pto::TileType::Vec, half, 16, 16>;
    SrcTileT src0, src1, tmp;
    DstTileT dst;
    pto::TASSIGN(src0, 0x0000);
    pto::TASSIGN(src1, 0x0800);
    pto::TASSIGN(tmp, 0x1000);
    pto::TASSIGN(dst, 0x1800);
    src0.SetValue(5, 3);
    src1.SetValue(5, 4);
    src0.SetValue(6, -30);
    src1.SetValue(6, 4);
    pto::TADDDEQRELU(dst, src0, src1, deqScale, tmp);
    CHECK(dst.GetValue(5) == 7.0f * deqScale);
    CHECK(dst.GetValue(6) == 0.0f && dst.GetValue(0) == 0.0f);
}
static void example() {
    using TileT = pto::Tile<pto::TileType::Vec, float, 16, 16>;
    TileT x, out, a;
    x.SetValue(0, -2.0f);
    x.SetValue(17, 2.5f);
    pto::TRELU(out, x);
    CHECK(out.GetValue(0) == 0.0f && out.GetValue(17) == 2.5f);
    a.SetValue(17, 4.0f);
    pto::TMULADDDST(out, x, a);
    CHECK(out.GetValue(17) == 12.5f);
}
} // namespace qualified

int main() {
    tadddeqrelu_auto(0.5f);
    tadddeqrelu_manual(0.5f);
    tmuladddst();
    trelu();
    qualified::example_manual(0.5f);
    qualified::example();
    return testing::failures != 0;
}
