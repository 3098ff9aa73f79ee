/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of the facade: element types, tiles, tensors, convolution tiles, addresses, pads. Built for every
 * target. */
#include <pto/pto-inst.hpp>
#include "support/cpp_testing.hpp"

#include <cmath>
#include <cstring>
#include <vector>

using namespace pto;

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2 && sizeof(float8_e4m3_t) == 1);
static_assert(sizeof(float4_e2m1x2_t) == 1 && sizeof(int4b_t) == 1 && sizeof(hifloat8_t) == 1);
static_assert(std::is_trivially_copyable_v<half> && std::is_trivially_copyable_v<float8_e8m0_t>);
static_assert(std::is_trivially_copyable_v<int4b_t> && std::is_trivially_copyable_v<float4_e1m2x2_t>);
static_assert(half(65519.0f).bits == 0x7bff && half(65520.0f).bits == 0x7c00 && half(1.0).bits == 0x3c00);
static_assert(PadValueCustom(-1.0f) == static_cast<PadValue>(0x1BF800000));
static_assert(PadValueCustom(int16_t(-1)) == static_cast<PadValue>(0x10000FFFF));
static_assert(PadValueCustom(int8_t(-128)) == static_cast<PadValue>(0x100000080));
static_assert(static_cast<int>(Layout::MAX) == 22 && static_cast<int>(Layout::NC1HWC0) == 12);
static_assert(static_cast<int>(TileType::Ctrl) == 9 && static_cast<int>(MaskPattern::P1111) == 7);
static_assert(static_cast<int>(STPhase::Final) == 3 && static_cast<int>(TInsertMode::SPLIT4) == 3);
static_assert(static_cast<int>(Op::OP_COUNT) == 135 && static_cast<int>(Op::TMOV_V2V) == 60);

static void numbers() {
    /* against the library, every bit pattern and every boundary between two halves */
    for (unsigned u = 0; u < 0x10000; u++) {
        const auto bits = static_cast<std::uint16_t>(u);
        const float h = half::from_bits(bits), b = bfloat16_t::from_bits(bits);
        const float want_h = pto_half_to_float(bits), want_b = pto_bfloat16_to_float(bits);
        CHECK(std::memcmp(&h, &want_h, 4) == 0 && std::memcmp(&b, &want_b, 4) == 0);
        if (testing::failures)
            return;
    }
    std::uint32_t x = 12345;
    for (int i = 0; i < 300000; i++) {
        x = x * 1664525u + 1013904223u;
        float f;
        std::memcpy(&f, &x, 4);
        if (i & 1) /* close to a half: ties and their neighbours */
            f = pto_half_to_float(static_cast<std::uint16_t>(x >> 16)) * (1.0f + 0x1p-11f);
        CHECK(half(f).bits == pto_half_from_float(f) && bfloat16_t(f).bits == pto_bfloat16_from_float(f));
        if (testing::failures)
            return;
    }
    CHECK(half(1.0 + 0x1p-11 + 0x1p-40).bits == 0x3c01); /* a double is rounded once */
    CHECK(half(1.0 + 0x1p-11).bits == 0x3c00);
    half h = 1.5f;
    h += h;
    CHECK(h == 3.0f && -h == -3.0f && h * half(2) == 6.0f && h / half(4.0f) == 0.75f && h - 1 == 2.0f);
    const bfloat16_t b = h;
    CHECK(b == 3.0f && b < half(3.5f) && static_cast<int>(b) == 3);
    CHECK(half(2049).bits == half(2048.0f).bits);
    CHECK(float8_e4m3_t(500.0f) == 448.0f && float8_e5m2_t(1.1f) == 1.0f && float8_e8m0_t(8.0f) == 8.0f);
    CHECK(hifloat8_t(2.0f) == 2.0f);
    float4_e2m1x2_t pair(1.5f, -6.0f);
    CHECK(pair.get(0) == 1.5f && pair.get(1) == -6.0f);
    pair.set(0, 100.0f);
    CHECK(pair.get(0) == 6.0f && pair.get(1) == -6.0f);
    CHECK(int4b_t(-3) == -3 && int4b_t(9) == -7 && int4b_t(23).storage == 7);
    CHECK(std::numeric_limits<half>::max() == 65504.0f &&
          std::numeric_limits<bfloat16_t>::epsilon() == 0x1p-7f);
}

static void tiles() {
    using T = Tile<TileType::Vec, float, 4, 8>;
    static_assert(T::Numel == 32 && T::RowStride == 8 && T::ColStride == 1 && T::GetValidRow() == 4);
    static_assert(!T::isBoxedLayout && T::isRowMajor && T::InnerRows == 1);
    CHECK(GetTileOffset<T>(2, 3) == 19);
    CHECK((GetTileOffset<TileAcc<float, 1, 32>>(0, 20) == 20)); /* one row: a plain vector, boxed or not */
    using DN = Tile<TileType::Vec, float, 8, 2, BLayout::ColMajor>;
    using Nz = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
    using Zz = Tile<TileType::Mat, half, 32, 64, BLayout::RowMajor, 32, 64, SLayout::RowMajor>;
    using Zn = Tile<TileType::Mat, int8_t, 64, 32, BLayout::RowMajor, 64, 32, SLayout::ColMajor>;
    CHECK(GetTileOffset<DN>(5, 1) == 13 && GetTileOffset<Nz>(17, 18) == 786 &&
          GetTileOffset<Zz>(17, 18) == 1298);
    CHECK((GetTileOffset<TileRight<half, 32, 32>>(17, 18) == 801 && GetTileOffset<Zn>(33, 17) == 1569));
    CHECK((GetTileOffset<TileAcc<float, 32, 32>>(17, 18) == 786));
    static_assert(is_Nz_layout<Nz>::value && is_Zn_layout<Zn>::value && is_Zz_layout<Zz>::value);
    static_assert(is_tile<TileAcc<float, 16, 16>>::layout_enum == TileLayoutCustom::NONE);
    static_assert(is_tile_data_v<T> && !is_global_data_v<T> && is_boxed_data_v<Nz> && !is_boxed_data_v<T>);
    static_assert(TileLeft<half, 16, 16>::isRowMajor == (detail::target == PTO_TARGET_A2A3));
    static_assert(TileLeftCompact<half, 16, 16>::Compact == CompactMode::Normal);
#ifndef PTO_NPU_ARCH_A2A3
    CHECK((GetTileOffset<TileLeftScale<float8_e8m0_t, 32, 4>>(17, 3) == 99));
    CHECK((GetTileOffset<TileRightScale<float8_e8m0_t, 4, 32>>(3, 17) == 99));
#endif

    using D = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
    D d(3, 7);
    CHECK(d.GetValidRow() == 3 && d.GetValidCol() == 7 && d.RowMaskInternal == 3);
    d.SetValidShape(16, 32);
    d.SetValidRow(2);
    CHECK(d.GetValidRow() == 2 && d.GetValidCol() == 32);
    REFUSED("PTO-E0310", d.SetValidCol(33));
    Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, DYNAMIC, 32> rows(5);
    Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 16, DYNAMIC> cols(6);
    CHECK(rows.GetValidRow() == 5 && cols.GetValidCol() == 6 && cols.GetValidRow() == 16);

    /* copies share their bytes, assigned or not; storage outlives the first handle */
    std::vector<T> kept;
    {
        T t;
        t.SetValue(3, 4.0f);
        kept.push_back(t);
    }
    CHECK(kept[0].GetValue(3) == 4.0f);
    T fresh, copy(fresh);
    copy.SetElement(1, 2, 9.0f);
    CHECK(fresh.GetElement(1, 2) == 9.0f && fresh.data() == copy.data());
    REFUSED("PTO-E0909", fresh.GetValue(32));

    using P = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 8, SLayout::NoneBox, 512, PadValue::Min>;
    using Q = Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512,
                   PadValueCustom16(0x3c00)>;
    static_assert(GetPadValue<P>() == 0xff800000u && GetPadValue<Q>() == 0x3c00u && GetPadValue<T>() == 0);
    static_assert(caps::IsInt8<uint8_t>() && caps::IsFloatingPoint<half>() && !caps::IsInteger<float>());
    static_assert(caps::IsFP8<float8_e4m3_t>() == (detail::target != PTO_TARGET_A2A3));
    static_assert(CeilDivision(7, 2) == 4 && CeilDivision(7, 0) == 0 && CeilAlignment(33, 32) == 64);
}

static void addresses() {
    using T = Tile<TileType::Vec, float, 16, 16>;
    T a, b;
    TASSIGN(a, 0x400);
    TASSIGN<0x400>(b);
    REFUSED("SA-0354", TASSIGN(b, 0x410));
    REFUSED("SA-0353", TASSIGN(b, PTO_UBUF_SIZE_BYTES));
#ifndef __PTO_AUTO__
    CHECK(a.data() == b.data());
    NPUMemoryModel &model = NPUMemoryModel::Instance();
    CHECK(model.GetNPUAddr(a.data()) == 0x400 &&
          model.ContainsAddress(reinterpret_cast<std::uintptr_t>(a.data())));
    CHECK(model.GetPointer<T>(0x400) == a.data() && model.GetSizes().l1 == 512 * 1024);
    TASSIGN(b, reinterpret_cast<std::uintptr_t>(a.data() + 8));
    CHECK(b.data() == a.data() + 8);
    a.SetValue(0, 1.0f);
    NPU_MEMORY_CLEAR();
    CHECK(a.GetValue(0) == 0.0f);
    CHECK(model.GetSizes().ub == PTO_UBUF_SIZE_BYTES && PTO_L0C_SIZE_BYTES == model.GetSizes().l0c);
#endif
}

static void tensors() {
    float data[256] = {};
    GlobalTensor<float, Shape<1, 1, 2, -1, -1>, Stride<96, 96, 48, 16, 1>> g(data,
                                                                             Shape<1, 1, 2, -1, -1>(3, 8));
    CHECK(g.GetShape(2) == 2 && g.GetShape(3) == 3 && g.GetShape(4) == 8 && g.GetShape(5) == -1);
    CHECK(decltype(g)::GetShape<2>() == 2 && decltype(g)::GetStride<3>() == 16 && g.GetStride(2) == 48);
    g.SetShape<3, 4>(2, 5);
    CHECK(g.GetShape(3) == 2 && g.GetShape(4) == 5);
    CHECK((Shape<1, 2, -1, -1, 5>(9, 9, 9, 9, 9).shape[2] == 9 &&
           Shape<1, 2, -1, -1, 5>(9, 9, 9, 9, 9).shape[1] == 2));
    CHECK((Shape<1, 2, -1, 4, 5>().shape[2] == 1 && Stride<-1, -1, -1, -1, 1>(1, 2, 3, 4).stride[3] == 4));
    TileShape2D<half, 32, 64, Layout::NZ> nz;
    BaseShape2D<half, 32, 64, Layout::NZ> nzs;
    CHECK(nz.shape[1] == 4 && nz.shape[2] == 2 && nz.shape[3] == 16 && nz.shape[4] == 16);
    CHECK(nzs.stride[1] == 512 && nzs.stride[2] == 256 && nzs.stride[3] == 16);
    TileShape2D<float> dynamic(5, 24);
    BaseShape2D<float> strides(5, 24);
    CHECK(dynamic.shape[3] == 5 && dynamic.shape[4] == 24 && strides.stride[3] == 24 &&
          strides.stride[0] == 120);
    BaseShape2D<float, -1, -1, Layout::DN> dn(5, 24);
    CHECK(dn.stride[3] == 1 && dn.stride[4] == 5);
    TASSIGN(g, data + 1);
    CHECK(g.data() == data + 1);

#ifndef __PTO_AUTO__ /* which has static shapes only */
    ConvTile<TileType::Mat, half, 2048, Layout::NC1HWC0, ConvTileShape<1, -1, 8, 8, 16>> conv(2);
    CHECK(conv.GetShape(1) == 2 && conv.GetShape(4) == 16 && conv.GetFilterH() == 1 &&
          conv.GetStrideW() == 1);
    conv.SetFilterH(3);
    conv.SetPadList(2, 1);
    conv.SetPadValue(half(1.0f));
    CHECK(conv.GetFilterH() == 3 && conv.GetPadListArray()[2] == 1 && conv.GetPadValue() == 1.0f);
    static_assert(is_conv_tile_v<decltype(conv)> && decltype(conv)::isDynamicDim[1] &&
                  decltype(conv)::totalDimCount == 5);
#endif
}

int main() {
    numbers();
    tiles();
    addresses();
    tensors();
    return testing::failures != 0;
}
