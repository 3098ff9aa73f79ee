/* SPDX-License-Identifier: Apache-2.0 */
/* c = a * b in half with float sums: panels through L1 (Mat), slices of 64 through L0A and L0B (Left, Right)
 * in two sets, sums in L0C (Acc); gemm_f16.pto in C++. Flags order MTE2 -> MTE1 -> M -> FIX and back. */
#include "host.hpp"

using namespace pto;

constexpr int M = 128, N = 256, PANEL = 256, SLICE = 64;

__global__ AICORE void gemm(__gm__ float *c, __gm__ half *a, __gm__ half *b, int m, int n, int k) {
    using AMatT = Tile<TileType::Mat, half, M, PANEL, BLayout::ColMajor, M, PANEL, SLayout::RowMajor>;
    using BMatT = Tile<TileType::Mat, half, PANEL, N, BLayout::ColMajor, PANEL, N, SLayout::RowMajor>;
    using AGlobal = GlobalTensor<half, pto::Shape<1, 1, 1, M, PANEL>, pto::Stride<-1, -1, -1, -1, 1>>;
    using BGlobal = GlobalTensor<half, pto::Shape<1, 1, 1, PANEL, N>, pto::Stride<-1, -1, -1, -1, 1>>;
    using CGlobal = GlobalTensor<float, pto::Shape<1, 1, 1, M, N>, pto::Stride<-1, -1, -1, -1, 1>>;
    AMatT a1;
    BMatT b1;
    TileLeft<half, M, SLICE> a0[2];
    TileRight<half, SLICE, N> b0[2];
    TileAcc<float, M, N> sum;
    TASSIGN(a1, 0);
    TASSIGN(b1, M * PANEL * 2);
    for (int s = 0; s < 2; s++) {
        TASSIGN(a0[s], s * M * SLICE * 2);
        TASSIGN(b0[s], s * SLICE * N * 2);
        set_flag(PIPE_M, PIPE_MTE1, s); /* the slice may be filled */
    }
    TASSIGN(sum, 0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); /* the panels may be loaded */
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);     /* the sums may be overwritten */

    const int columns = n / N, tiles = m / M * columns;
    for (int tile = static_cast<int>(get_block_idx()); tile < tiles;
         tile += static_cast<int>(get_block_num())) {
        const std::ptrdiff_t row = tile / columns * M, column = tile % columns * N;
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        for (int kp = 0; kp < k; kp += PANEL) {
            AGlobal ag(a + row * k + kp, {}, pto::Stride<-1, -1, -1, -1, 1>(m * k, m * k, m * k, k));
            BGlobal bg(b + static_cast<std::ptrdiff_t>(kp) * n + column, {},
                       pto::Stride<-1, -1, -1, -1, 1>(k * n, k * n, k * n, n));
            wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
            TLOAD(a1, ag);
            TLOAD(b1, bg);
            set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
            for (int ks = 0, s = 0; ks < PANEL; ks += SLICE, s ^= 1) {
                wait_flag(PIPE_M, PIPE_MTE1, s);
                TEXTRACT(a0[s], a1, 0, static_cast<uint16_t>(ks));
                TEXTRACT(b0[s], b1, static_cast<uint16_t>(ks), 0);
                set_flag(PIPE_MTE1, PIPE_M, s);
                wait_flag(PIPE_MTE1, PIPE_M, s);
                if (kp + ks == 0)
                    TMATMUL(sum, a0[s], b0[s]);
                else
                    TMATMUL_ACC(sum, sum, a0[s], b0[s]);
                set_flag(PIPE_M, PIPE_MTE1, s);
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
        }
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        CGlobal cg(c + row * n + column, {}, pto::Stride<-1, -1, -1, -1, 1>(m * n, m * n, m * n, n));
        TSTORE(cg, sum);
        set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    }
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    for (int s = 0; s < 2; s++)
        wait_flag(PIPE_M, PIPE_MTE1, s);
}

int main(int argc, char **argv) {
    const int m = argc > 1 ? std::atoi(argv[1]) : 256, n = argc > 2 ? std::atoi(argv[2]) : 256;
    const int k = argc > 3 ? std::atoi(argv[3]) : 512;
    const auto size = [](int r, int c) { return static_cast<std::size_t>(r) * static_cast<std::size_t>(c); };
    aclInit(nullptr);
    aclrtSetDevice(0);
    host::Array<half> a(size(m, k)), b(size(k, n));
    host::Array<float> c(size(m, n));
    host::fill(a);
    host::fill(b);
    host::launch("gemm", 2, [&] { gemm(c.device(), a.device(), b.device(), m, n, k); });
    c.to_host();
    host::Error error(1.0);
    std::vector<double> row(static_cast<std::size_t>(n));
    for (int i = 0; i<m; i += m> 512 ? 61 : 1) { /* of a large product some rows */
        row.assign(row.size(), 0.0);
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++)
                row[static_cast<std::size_t>(j)] +=
                    static_cast<double>(
                        static_cast<float>(a.values[size(i, k) + static_cast<std::size_t>(l)])) *
                    static_cast<double>(
                        static_cast<float>(b.values[size(l, n) + static_cast<std::size_t>(j)]));
        for (int j = 0; j < n; j++)
            error.add(static_cast<double>(c.values[size(i, n) + static_cast<std::size_t>(j)]),
                      row[static_cast<std::size_t>(j)]);
    }
    return error.report("gemm", 1e-5);
}
