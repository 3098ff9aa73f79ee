/* SPDX-License-Identifier: Apache-2.0 */
/* y = softmax(x) over rows of 1024: tiles at addresses of our own choice, barriers between dependent steps of
 * the vector pipe (a2a3 runs them out of order otherwise). */
#include "host.hpp"

using namespace pto;

constexpr int ROWS = 8, COLS = 1024, COUNT = ROWS * COLS;

__global__ AICORE void row_softmax(__gm__ float *y, __gm__ float *x, int groups) {
    using TileT = Tile<TileType::Vec, float, ROWS, COLS>;
    using ColumnT = Tile<TileType::Vec, float, ROWS, 1, BLayout::ColMajor>;
    using ScratchT = Tile<TileType::Vec, float, ROWS, 64>;
    using TensorT =
        GlobalTensor<float, pto::Shape<1, 1, 1, ROWS, COLS>, pto::Stride<COUNT, COUNT, COUNT, COLS, 1>>;
    TileT in, out, tmp;
    ColumnT max, sum;
    ScratchT expand;
    TASSIGN(in, 0x00000);
    TASSIGN(out, 0x08000);
    TASSIGN(tmp, 0x10000);
    TASSIGN(max, 0x18000);
    TASSIGN(sum, 0x18020);
    TASSIGN(expand, 0x18100);
    for (int g = static_cast<int>(get_block_idx()); g < groups; g += static_cast<int>(get_block_num())) {
        TensorT from(x + static_cast<std::ptrdiff_t>(g) * COUNT),
            to(y + static_cast<std::ptrdiff_t>(g) * COUNT);
        TLOAD(in, from);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWMAX(max, in, tmp);
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(out, in, max, expand);
        pipe_barrier(PIPE_V);
        TEXP(out, out);
        pipe_barrier(PIPE_V);
        TROWSUM(sum, out, tmp);
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(out, out, sum, expand);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, out);
        /* the next turn loads over what V read and computes over what MTE3 reads */
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
}

int main() {
    const int groups = 12;
    const std::size_t rows = static_cast<std::size_t>(groups) * ROWS;
    aclInit(nullptr);
    aclrtSetDevice(0);
    host::Array<float> x(rows * COLS), y(rows * COLS);
    host::fill(x, 8.0);
    host::launch("row_softmax", 3, [&] { row_softmax(y.device(), x.device(), groups); });
    y.to_host();
    host::Error error(1e-6);
    for (std::size_t r = 0; r < rows; r++) {
        const float *in = &x.values[r * COLS];
        double max = static_cast<double>(in[0]), sum = 0;
        for (int c = 0; c < COLS; c++)
            max = std::fmax(max, static_cast<double>(in[c]));
        for (int c = 0; c < COLS; c++)
            sum += std::exp(static_cast<double>(in[c]) - max);
        for (std::size_t c = 0; c < COLS; c++)
            error.add(static_cast<double>(y.values[r * COLS + c]),
                      std::exp(static_cast<double>(in[c]) - max) / sum);
    }
    return error.report("row softmax", 4e-6);
}
