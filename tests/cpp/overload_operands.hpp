/* SPDX-License-Identifier: Apache-2.0 */
/* Operands for test_overloads.cpp where what the generator guesses from a row is no legal call. */

template <int Form, int Index> struct Operand : Guess<Form, Index> {};
template <int Form, int Index> struct Value { static constexpr int v = 2; };

#define OPERAND(form, index, ...)                                                                            \
    template <> struct Operand<PTO_FORM_##form, index> { using type = __VA_ARGS__; }
#define VALUE(form, index, value)                                                                            \
    template <> struct Value<PTO_FORM_##form, index> { static constexpr auto v = value; }

template <typename E, int R, int C> using Nd = Tile<TileType::Vec, E, R, C>;
template <typename E, int R, int C, int VR, int VC>
using Valid = Tile<TileType::Vec, E, R, C, BLayout::RowMajor, VR, VC>;
template <typename E> using Column = Tile<TileType::Vec, E, 32, 1, BLayout::ColMajor, 16, 1>;
template <typename E, int R, int C>
using MatNz = Tile<TileType::Mat, E, R, C, BLayout::ColMajor, R, C, SLayout::RowMajor>;
template <typename E, int R, int C>
using Padded = Tile<TileType::Vec, E, R, C, BLayout::RowMajor, R, C, SLayout::NoneBox, 512, PadValue::Max>;

/* packed masks: a bit an element */
OPERAND(TCMP, 0, Nd<std::uint8_t, 16, 32>);
OPERAND(TCMPS, 0, Nd<std::uint8_t, 16, 32>);
OPERAND(TCMPS_TILE, 0, Nd<std::uint8_t, 16, 32>);

#define E(form, index) Guess<PTO_FORM_##form, index>::type::DType

/* a reduced destination: one column, or one row */
template <typename E> using Reduced_ROW = Valid<E, 16, 32, 16, 1>;
template <typename E> using Reduced_COL = Valid<E, 1, 64, 1, 64>;
#define ARG(row, op)                                                                                         \
    OPERAND(T##row##ARG##op, 0, Reduced_##row<E(T##row##ARG##op, 0)>);                                       \
    OPERAND(T##row##ARG##op##_VALUE_INDEX, 0, Reduced_##row<E(T##row##ARG##op##_VALUE_INDEX, 0)>);           \
    OPERAND(T##row##ARG##op##_VALUE_INDEX, 1, Reduced_##row<E(T##row##ARG##op##_VALUE_INDEX, 1)>)
ARG(ROW, MAX);
ARG(ROW, MIN);
ARG(COL, MAX);
ARG(COL, MIN);

/* an expanded operand: a column of scalars */
#define EXPANDED(op) OPERAND(TROWEXPAND##op, 2, Column<E(TROWEXPAND##op, 2)>)
EXPANDED(ADD);
EXPANDED(SUB);
EXPANDED(MUL);
EXPANDED(DIV);
EXPANDED(MAX);
EXPANDED(MIN);
EXPANDED(EXPDIF);

/* moves out of acc, and windows */
using AccF = TileAcc<float, 16, 64>;
OPERAND(TMOV_ACCTOVEC, 0, Nd<float, 16, 64>);
OPERAND(TMOV_ACCTOVEC, 1, AccF);
OPERAND(TEXTRACT, 0, Nd<float, 8, 32>);
OPERAND(TEXTRACT_TWO_WINDOWS, 0, Nd<float, 8, 32>);
OPERAND(TEXTRACT_TWO_WINDOWS, 1, Nd<float, 8, 32>);
VALUE(TEXTRACT, 2, 0);
VALUE(TEXTRACT, 3, 0);
VALUE(TEXTRACT_TWO_WINDOWS, 3, 0);
VALUE(TEXTRACT_TWO_WINDOWS, 4, 8);
VALUE(TEXTRACT_TWO_WINDOWS, 5, 8);
VALUE(TEXTRACT_TWO_WINDOWS, 6, 8);
OPERAND(TEXTRACT_ACCTOVEC, 0, Nd<float, 16, 32>);
OPERAND(TEXTRACT_ACCTOVEC, 1, AccF);
VALUE(TEXTRACT_ACCTOVEC, 2, 0);
VALUE(TEXTRACT_ACCTOVEC, 3, 16);
OPERAND(TINSERT, 1, Nd<float, 8, 32>);
VALUE(TINSERT, 3, 8);
OPERAND(TINSERT_ACCTOVEC, 0, Nd<float, 32, 128>);
OPERAND(TINSERT_ACCTOVEC, 1, AccF);
VALUE(TINSERT_ACCTOVEC, 2, 8);
VALUE(TINSERT_ACCTOVEC, 3, 16);

/* quantised moves: a table or one word */
#define QUANTISED(form, ...)                                                                                 \
    OPERAND(form, 0, __VA_ARGS__);                                                                           \
    OPERAND(form, 1, AccF)
QUANTISED(TMOV_FP, MatNz<std::int8_t, 16, 64>);
QUANTISED(TMOV_FP_MODE, Nd<std::int8_t, 16, 64>);
QUANTISED(TMOV_PREQUANT, MatNz<std::int8_t, 16, 64>);
QUANTISED(TEXTRACT_FP, MatNz<std::int8_t, 16, 32>);
QUANTISED(TEXTRACT_FP_MODE, Nd<std::int8_t, 16, 32>);
QUANTISED(TEXTRACT_PREQUANT, MatNz<std::int8_t, 16, 32>);
QUANTISED(TINSERT_FP, MatNz<std::int8_t, 16, 128>);
QUANTISED(TINSERT_FP_MODE, Nd<std::int8_t, 16, 128>);
QUANTISED(TINSERT_PREQUANT, MatNz<std::int8_t, 16, 128>);
#define ORIGIN(form, row, column)                                                                            \
    VALUE(form, row, 0);                                                                                     \
    VALUE(form, column, 0)
ORIGIN(TEXTRACT_FP, 3, 4);
ORIGIN(TEXTRACT_FP_MODE, 3, 4);
ORIGIN(TEXTRACT_PREQUANT, 3, 4);
ORIGIN(TINSERT_FP, 3, 4);
ORIGIN(TINSERT_FP_MODE, 3, 4);
ORIGIN(TINSERT_PREQUANT, 3, 4);
#define QUANT_WORD (0x400000000000 + 0x3f800000) /* signed, scale 1 */
VALUE(TMOV_PREQUANT, 2, QUANT_WORD);
VALUE(TEXTRACT_PREQUANT, 2, QUANT_WORD);
VALUE(TINSERT_PREQUANT, 2, QUANT_WORD);
OPERAND(TINSERT_SPLIT, 0, MatNz<half, 64, 64>);
OPERAND(TINSERT_SPLIT, 1, Tile<TileType::Vec, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor>);
ORIGIN(TINSERT_SPLIT, 2, 3);

/* memory */
OPERAND(TTRANS, 0, Nd<float, 64, 16>);
OPERAND(TSUBVIEW, 0, Nd<float, 8, 64>);
VALUE(TSUBVIEW, 3, 0);
OPERAND(TFILLPAD_EXPAND, 0, Padded<E(TFILLPAD_EXPAND, 0), 32, 64>);
OPERAND(TCONCAT, 0, Nd<float, 16, 128>);
OPERAND(TDEINTERLEAVE_ONE, 2, Nd<E(TDEINTERLEAVE_ONE, 2), 16, 128>);
#define CONCAT_INDEX(form, index) OPERAND(form, index, Valid<std::int32_t, 16, 8, 16, 1>)
CONCAT_INDEX(TCONCAT_INDEX, 3);
CONCAT_INDEX(TCONCAT_INDEX, 4);
CONCAT_INDEX(TCONCAT_INDEX_OUT, 3);
CONCAT_INDEX(TCONCAT_INDEX_OUT, 4);
CONCAT_INDEX(TCONCAT_INDEX_OUT, 5);

/* sorting */
OPERAND(TSORT32, 0, Nd<E(TSORT32, 0), 16, 256>);
OPERAND(TSORT32_TMP, 0, Nd<E(TSORT32_TMP, 0), 16, 256>);
OPERAND(TMRGSORT, 0, Nd<E(TMRGSORT, 0), 1, 256>);
OPERAND(TMRGSORT, 1, Nd<E(TMRGSORT, 1), 1, 256>);
VALUE(TMRGSORT, 2, 64);
#define LISTS(form, count)                                                                                   \
    OPERAND(form, 0, Nd<E(form, 0), 1, 64 * count>);                                                         \
    OPERAND(form, 2, Nd<E(form, 2), 1, 64 * count>);                                                         \
    OPERAND(form, 3, Nd<E(form, 3), 1, 64>);                                                                 \
    OPERAND(form, 4, Nd<E(form, 4), 1, 64>)
LISTS(TMRGSORT_2_LISTS, 2);
LISTS(TMRGSORT_3_LISTS, 3);
LISTS(TMRGSORT_4_LISTS, 4);
OPERAND(TMRGSORT_3_LISTS, 5, Nd<E(TMRGSORT_3_LISTS, 5), 1, 64>);
OPERAND(TMRGSORT_4_LISTS, 5, Nd<E(TMRGSORT_4_LISTS, 5), 1, 64>);
OPERAND(TMRGSORT_4_LISTS, 6, Nd<E(TMRGSORT_4_LISTS, 6), 1, 64>);

/* a row vector times a matrix: 1 x 64 */
#define GEMV(form, left, right)                                                                              \
    OPERAND(form, 0, TileAcc<E(form, 0), 16, 64, 1, 64>);                                                    \
    OPERAND(form, left, TileLeft<E(form, left), 16, 64, 1, 64>);                                             \
    OPERAND(form, right, TileRight<E(form, right), 64, 64>)
GEMV(TGEMV, 1, 2);
GEMV(TGEMV_ACC, 2, 3);
OPERAND(TGEMV_ACC, 1, TileAcc<E(TGEMV_ACC, 1), 16, 64, 1, 64>);
GEMV(TGEMV_BIAS, 1, 2);
GEMV(TGEMV_MX, 1, 3);
GEMV(TGEMV_MX_ACC, 2, 4);
GEMV(TGEMV_MX_BIAS, 1, 3);
OPERAND(TGEMV_MX_ACC, 1, TileAcc<E(TGEMV_MX_ACC, 1), 16, 64, 1, 64>);
#define ROW_SCALE(form, index) OPERAND(form, index, TileLeftScale<float8_e8m0_t, 16, 2, 1, 2>)
ROW_SCALE(TGEMV_MX, 2);
ROW_SCALE(TGEMV_MX_ACC, 3);
ROW_SCALE(TGEMV_MX_BIAS, 2);

/* convolution: 8 x 16 pixels, a filter of one */
OPERAND(TIMG2COL, 0, TileLeft<E(TIMG2COL, 0), 16, 32 / sizeof(E(TIMG2COL, 0))>);
OPERAND(TTRANS_CONV, 0,
        ConvTile<TileType::Vec, half, 4096, Layout::NC1HWC0, ConvTileShape<1, 1, 16, 16, 16>>);
OPERAND(TTRANS_CONV, 1, ConvTile<TileType::Vec, half, 4096, Layout::NCHW, ConvTileShape<1, 16, 16, 16>>);
OPERAND(TLOAD_CONV, 1, Pixels<float>);
OPERAND(TSTORE_CONV, 0, Pixels<float>);
OPERAND(TEXTRACT_CONV, 0, TileRight<float, 16, 16>);
OPERAND(TEXTRACT_CONV, 1,
        ConvTile<TileType::Mat, float, 4096, Layout::FRACTAL_Z, ConvTileShape<4, 3, 16, 8>>);
VALUE(TEXTRACT_CONV, 2, 8);
VALUE(TEXTRACT_CONV, 3, 16);

/* tables in memory: 32 rows for indices of 0 to 31 */
#define INDEXED(form, table, index)                                                                          \
    OPERAND(form, table, Tensor<float, 32, 64>);                                                             \
    OPERAND(form, index, Nd<std::int32_t, 1, 16>)
INDEXED(MGATHER, 1, 2);
INDEXED(MSCATTER, 0, 2);
OPERAND(MGATHER_L1, 0, MatNz<float, 16, 64>);
OPERAND(MGATHER_L1, 1, Tensor<float, 32, 64>);
OPERAND(MGATHER_L1, 2, Tensor<std::int32_t, 1, 16>);
OPERAND(THISTOGRAM, 0, Nd<std::uint32_t, 16, 256>);
OPERAND(THISTOGRAM, 2, Column<std::uint8_t>);

/* scales */
using Zz = Tile<TileType::Vec, std::uint8_t, 16, 64, BLayout::RowMajor, 16, 64, SLayout::RowMajor, 32>;
OPERAND(TMOV_SCALE_BOXING, 0, Zz);
OPERAND(TQUANT_MX, 2, Nd<std::uint8_t, 1, 32>);
OPERAND(TQUANT_MX_NZ, 2, Nd<std::uint8_t, 1, 32>);
OPERAND(TQUANT_MX_NZ, 5, Nd<std::uint8_t, 1, 32>);
OPERAND(TFILLPAD_INPLACE, 0, Padded<E(TFILLPAD_INPLACE, 0), 16, 64>);
