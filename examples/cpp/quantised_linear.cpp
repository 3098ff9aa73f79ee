/* SPDX-License-Identifier: Apache-2.0 */
/* y = relu((x * w + bias) * scale): int8 inputs and weights, int32 sums on the cube core, TADDDEQRELU on the
 * vector core; half results. */
#include "host.hpp"

using namespace pto;

constexpr int M = 64, N = 64, K = 128;

__global__ AICORE void quantised_linear(__gm__ half *y, __gm__ int8_t *x, __gm__ int8_t *w,
                                        __gm__ int32_t *bias, __gm__ int32_t *sums, int groups, float scale) {
    using XMatT = Tile<TileType::Mat, int8_t, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor>;
    using WMatT = Tile<TileType::Mat, int8_t, K, N, BLayout::ColMajor, K, N, SLayout::RowMajor>;
    using SumT = Tile<TileType::Vec, int32_t, M, N>;
    using RowT = Tile<TileType::Vec, int32_t, 1, N>;
    using OutT = Tile<TileType::Vec, half, M, N>;
    XMatT x1;
    WMatT w1;
    TileLeft<int8_t, M, K> x0;
    TileRight<int8_t, K, N> w0;
    TileAcc<int32_t, M, N> acc;
    SumT sum, offset, tmp;
    RowT row;
    OutT out;
    TASSIGN(x1, 0x0000);
    TASSIGN(w1, 0x2000);
    TASSIGN(x0, 0);
    TASSIGN(w0, 0);
    TASSIGN(acc, 0);
    TASSIGN(sum, 0x0000);
    TASSIGN(offset, 0x4000);
    TASSIGN(tmp, 0x8000);
    TASSIGN(out, 0xC000);
    TASSIGN(row, 0xE000);

    GlobalTensor<int8_t, pto::Shape<1, 1, 1, K, N>, pto::Stride<K * N, K * N, K * N, N, 1>> wg(w);
    GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, N>, pto::Stride<N, N, N, N, 1>> bg(bias);
    TLOAD(w1, wg);
    TLOAD(row, bg);
    PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE1>();
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    TMOV(w0, w1);
    TCOLEXPAND(offset, row);
    pipe_barrier(PIPE_V);
    for (int g = static_cast<int>(get_block_idx()); g < groups; g += static_cast<int>(get_block_num())) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(g) * M * N;
        GlobalTensor<int8_t, pto::Shape<1, 1, 1, M, K>, pto::Stride<M * K, M * K, M * K, K, 1>> xg(
            x + static_cast<std::ptrdiff_t>(g) * M * K);
        GlobalTensor<int32_t, pto::Shape<1, 1, 1, M, N>, pto::Stride<M * N, M * N, M * N, N, 1>> sg(sums +
                                                                                                    at);
        GlobalTensor<half, pto::Shape<1, 1, 1, M, N>, pto::Stride<M * N, M * N, M * N, N, 1>> yg(y + at);
        TLOAD(x1, xg);
        PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE1>();
        TMOV(x0, x1);
        PtoSetWaitFlag<PIPE_MTE1, PIPE_M>();
        TMATMUL(acc, x0, w0);
        PtoSetWaitFlag<PIPE_M, PIPE_FIX>();
        TSTORE(sg, acc);
        PtoSetWaitFlag<PIPE_FIX, PIPE_MTE2>();
        TLOAD(sum, sg);
        PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
        TADDDEQRELU(out, sum, offset, scale, tmp);
        PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
        TSTORE(yg, out);
        PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
        PtoSetWaitFlag<PIPE_M, PIPE_MTE1>();
        PtoSetWaitFlag<PIPE_MTE1, PIPE_MTE2>();
        PtoSetWaitFlag<PIPE_V, PIPE_MTE2>();
    }
}

int main() {
    const int groups = 5;
    const std::size_t rows = static_cast<std::size_t>(groups) * M;
    const double scale = 0.0009765625;
    aclInit(nullptr);
    aclrtSetDevice(0);
    host::Array<int8_t> x(rows * K), w(K * N);
    host::Array<int32_t> bias(N), sums(rows * N);
    host::Array<half> y(rows * N);
    host::fill(x, 127.0);
    host::fill(w, 127.0);
    host::fill(bias, 20000.0);
    host::launch("quantised_linear", 2, [&] {
        quantised_linear(y.device(), x.device(), w.device(), bias.device(), sums.device(), groups,
                         static_cast<float>(scale));
    });
    y.to_host();
    host::Error error(1e-3);
    for (std::size_t i = 0; i < rows; i++)
        for (std::size_t j = 0; j < N; j++) {
            double exact = bias.values[j];
            for (std::size_t k = 0; k < K; k++)
                exact += static_cast<double>(x.values[i * K + k]) * static_cast<double>(w.values[k * N + j]);
            error.add(static_cast<double>(static_cast<float>(y.values[i * N + j])),
                      std::fmax(0.0, exact * scale));
        }
    return error.report("quantised linear", 0x1p-11);
}
