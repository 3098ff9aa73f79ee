/* SPDX-License-Identifier: Apache-2.0 */
/* Enums and constants with the values of 00-model, 16.2 and 16.3. */
#ifndef PTO_COMMON_CONSTANTS_HPP
#define PTO_COMMON_CONSTANTS_HPP

#include <pto/common/type.hpp>

PTO_NAMESPACE_BEGIN

constexpr int DYNAMIC = -1;

enum class TileType : std::uint8_t { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };
enum class BLayout : std::uint8_t { RowMajor = 0, ColMajor = 1 };
enum class SLayout : std::uint8_t { NoneBox = 0, RowMajor = 1, ColMajor = 2 };
/* Values from 0x1'0000'0000 on are custom: bit 32 and a payload (PadCustom, PadValueCustom). */
enum class PadValue : std::uint64_t { Null = 0, Zero = 1, Max = 2, Min = 3, CustomBase = 0x100000000 };
enum class CompactMode : std::uint8_t { Null, Normal, RowPlusOne, RowAlignedPadding };
enum class Layout : std::uint8_t {
    ND,
    DN,
    NZ,
    SCALE,
    MX_A_ND,
    MX_A_DN,
    MX_A_ZZ,
    MX_B_ND,
    MX_B_DN,
    MX_B_NN,
    HIF4_A_ZZ,
    HIF4_B_NN,
    NC1HWC0,
    GNC1HWC0,
    NCHW,
    GNCHW,
    NHWC,
    NDC1HWC0,
    NCDHW,
    FRACTAL_Z,
    FRACTAL_Z_S16S8,
    FRACTAL_Z_3D,
    MAX
};
enum class TileLayoutCustom : std::uint8_t { ND, DN, NZ, ZN, ZZ, NONE };
enum class CmpMode : std::uint8_t { EQ, NE, LT, LE, GT, GE };
enum class RoundMode : std::uint8_t {
    CAST_NONE,
    CAST_RINT,  /* nearest, ties to even */
    CAST_ROUND, /* nearest, ties away */
    CAST_FLOOR,
    CAST_CEIL,
    CAST_TRUNC,
    CAST_ODD
};
enum class SaturationMode : std::uint8_t { ON, OFF };
/* Read from right to left: the rightmost digit is the lowest index. */
enum class MaskPattern : std::uint8_t { P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111 };
enum class PrintFormat : std::uint8_t { Width8_Precision4, Width8_Precision2, Width10_Precision6 };
enum class AtomicType : std::uint8_t { AtomicNone, AtomicAdd };
enum class ReluPreMode : std::uint8_t { NoRelu, NormalRelu };
enum class AccToVecMode : std::uint8_t { SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN };
enum class STPhase : std::uint8_t { Unspecified = 0, Partial = 2, Final = 3 };
enum class AccPhase : std::uint8_t { Unspecified = 0, Unknown = 0, Partial = 2, Final = 3 };
enum class TInsertMode : std::uint8_t { SPLIT2 = 2, SPLIT4 = 3 };
enum class TFillPadMode : std::uint8_t { Normal, InPlace, Expand };
enum class SetFmatrixMode { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };
enum class Coalesce : std::uint8_t { Row, Elem };
enum class GatherOOB : std::uint8_t { Undefined, Clamp, Wrap, Zero };
enum class ScatterOOB : std::uint8_t { Undefined, Skip, Clamp, Wrap };
enum class ScatterAtomicOp : std::uint8_t { None, Add, Max, Min };
enum class ScatterConflict : std::uint8_t { Last, Default };
enum class GatherExec : std::uint8_t { Scalar, Simt };
enum class ScatterAxis : std::uint8_t { SCATTER_ROW, SCATTER_COL };
enum class GatherAxis : std::uint8_t { GATHER_ROW, GATHER_COL };
enum class QuantType { MXFP8, MXFP4_E2M1, INT8_SYM, INT8_ASYM };
enum class QuantScaleAlg { OCP, NV };
enum class MxQuantAlg { OcpMxFp8E4M3, NvMxFp8E4M3, OcpMxFp4E2M1, NvMxFp4E2M1, Hif4 };
enum class VecStoreMode { ND, NZ };
enum class TCopyMode { SHALLOW_COPY, DEEP_COPY };
enum VFImplKind : unsigned {
    VFIMPL_DEFAULT,
    VFIMPL_1D_NO_POST_UPDATE,
    VFIMPL_2D_NO_POST_UPDATE,
    VFIMPL_1D_POST_UPDATE,
    VFIMPL_2D_POST_UPDATE
};
enum class HistByte : std::uint8_t { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
enum class PowAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class DivAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RsqrtAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RecipAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class ExpAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class FmodAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class FmodSAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RemAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RemSAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class TileSplitAxis : std::uint8_t {
    TILE_NO_SPLIT,
    TILE_UP_DOWN,
    TILE_LEFT_RIGHT,
    TILE_UP_DOWN_ODD,
    TILE_LEFT_RIGHT_ODD
};
enum class SyncAllMode { Hard, Soft };
enum class SyncCoreType { AIVOnly, AICOnly, Mix };
enum class ClipReluMode_t { NOCLIP_RELU, CLIP_RELU };
enum class LayoutMode_t { NZ2NZ, NZ2ND, NZ2DN };
enum class DequantType { SCALAR, TENSOR };
enum class NPUArch { A2A3, A5 };
enum class ChipArch : std::uint8_t { A2A3 = 0, A5 = 1, KIRIN9030 = 2, KIRINX90 = 3, A6 = 4, UNKNOWN = 255 };
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 2,
    REQ8 = 3,
    VDEQF16 = 4,
    DEQF16 = 5,
    VSHIFTS322S16 = 12,
    SHIFTS322S16 = 13,
    F322BF16 = 16,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    QF322F16_PRE = 32,
    QF322BF16_PRE = 34,
    QS322BF16_PRE = 35,
    VQS322BF16_PRE = 36
};

struct TileConfig {
    static constexpr int alignedSize = 32;
    static constexpr int fixedRowSize = 16;
    static constexpr int fixedColSize = 16;
    static constexpr int fixedMxRowSize = 16;
    static constexpr int fixedMxColSize = 2;
    static constexpr int fractalABSize = 512;
    static constexpr int fractalCSize = 1024;
    static constexpr int fractalMxSize = 32;
};

constexpr int REPEAT_BYTE = 256;
constexpr int BLOCK_MAX_PER_REPEAT = 8;
constexpr int REPEAT_MAX = 255;
constexpr int BLOCK_BYTE_SIZE = 32;
constexpr int FIXP_BURST_UNIT_LEN = 64;
constexpr int SHIFT_BLOCK_LEN = 4;
constexpr int SHIFT_BLOCK_BYTE = 5;
constexpr int SHIFT_FRACTAL_BYTE = 9;
constexpr int REPEAT_STRIDE_MAX = 255;
constexpr int TMP_UB_SIZE = 8192;
constexpr int TMP_UB_OFFSET = 188416;
constexpr int MASK_LEN = 64;
constexpr int BLOCK_LEN = 16;
constexpr int CUBE_BLOCK_SIZE = 512;
constexpr int C0_SIZE_BYTE = 32;
constexpr int FRACTAL_NZ_ROW = 16;
constexpr int FRACTAL_ZZ_ROW = 16;
constexpr int ACC_C0_SIZE = 16;
constexpr int B4_C0_SIZE = 64;
constexpr int MX_COL_LEN = 2;
constexpr int MX_ROW_LEN = 16;
constexpr int MX_BLOCK_SIZE = 32;
constexpr int HIF4_COL_LEN = 4;
constexpr int HIF4_ROW_LEN = 16;
constexpr int HIF4_BLOCK_SIZE = 64;
constexpr int B8_DATA_TYPE_OFFSET = 8;
constexpr int MAD_MODE_BIT = 46;
constexpr int MAD_ROUND_MODE_BIT = 47;
constexpr int PAD_SHIFT_LENGTH = 32;
constexpr int EVENT_ID_MAX = 8;
constexpr int SYNC_AIC_FLAG = 11;
constexpr int SYNC_AIV_FLAG = 12;
constexpr int SYNC_AIC_AIV_FLAG = 13;
constexpr int SYNC_AIV_ONLY_ALL = 14;
constexpr int SYNC_FLAG_ID_MAX = 16;
constexpr int SYNCALL_SOFT_WORKSPACE_INT32 = 16;
constexpr int SYNCALL_SOFT_BACKOFF_THRESHOLD = 16;
constexpr int SYNCALL_SOFT_MAX_POLL_ITERATIONS = 1000000;
constexpr int PTO_RANDOM_KEY_SIZE = 2;
constexpr int PTO_RANDOM_COUNTER_SIZE = 4;
constexpr int SHIFT_MX_ADDR = 4;
constexpr int QUANT_SCALAR_REG_OFFSET = 0;
constexpr int QUANT_VECTOR_REG_OFFSET = 1;

using TRandomKey = std::uint32_t[PTO_RANDOM_KEY_SIZE];
using TRandomCounter = std::uint32_t[PTO_RANDOM_COUNTER_SIZE];

struct MrgSortExecutedNumList {
    std::uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3;
};

/* ---- custom pads (00-model, 3.6): bit 32 and the payload in bits 31 to 0 ---- */

constexpr bool isCustomPadValue(PadValue value) {
    return (static_cast<std::uint64_t>(value) & 0x100000000u) != 0;
}
constexpr std::uint32_t getCustomPadBits(PadValue value) { return static_cast<std::uint32_t>(value); }

namespace detail {
constexpr PadValue pad_of(std::uint32_t bits) { return static_cast<PadValue>(0x100000000u | bits); }
} // namespace detail

constexpr PadValue PadValueCustom(float value) { return detail::pad_of(pto_bits::of_float(value)); }
constexpr PadValue PadValueCustom(std::int32_t value) {
    return detail::pad_of(static_cast<std::uint32_t>(value));
}
constexpr PadValue PadValueCustom(std::uint32_t value) { return detail::pad_of(value); }
constexpr PadValue PadValueCustom16(std::uint16_t bits) { return detail::pad_of(bits); }
constexpr PadValue PadValueCustom(std::int16_t value) {
    return PadValueCustom16(static_cast<std::uint16_t>(value));
}
constexpr PadValue PadValueCustom(std::int8_t value) {
    return detail::pad_of(static_cast<std::uint8_t>(value));
}
constexpr PadValue PadValueCustom(std::uint8_t value) { return detail::pad_of(value); }
template <pto_dtype K> constexpr PadValue PadValueCustom(pto_float16<K> value) {
    return PadValueCustom16(value.bits);
}
#if __cplusplus >= 202002L
/* A pad from a constant: floats as float bits, integers as 32 bits. */
template <auto V>
constexpr PadValue PadCustom = std::is_floating_point_v<decltype(V)>
                                   ? PadValueCustom(static_cast<float>(V))
                                   : PadValueCustom(static_cast<std::uint32_t>(V));
#else
template <auto V> constexpr PadValue PadCustom = PadValueCustom(static_cast<std::uint32_t>(V));
#endif

PTO_NAMESPACE_END

#endif
