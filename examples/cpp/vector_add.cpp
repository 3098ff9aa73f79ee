/* SPDX-License-Identifier: Apache-2.0 */
/* z = x + y over a long vector: two sets of buffers, so that the next tiles are loaded while these are added
 * and the last ones stored. Flags of each set: 0 and 1. */
#include "host.hpp"

using namespace pto;

constexpr int ROWS = 32, COLS = 128, COUNT = ROWS * COLS, BYTES = COUNT * 4;

__global__ AICORE void vector_add(__gm__ float *z, __gm__ float *x, __gm__ float *y, int tiles) {
    using TileT = Tile<TileType::Vec, float, ROWS, COLS>;
    using TensorT =
        GlobalTensor<float, pto::Shape<1, 1, 1, ROWS, COLS>, pto::Stride<COUNT, COUNT, COUNT, COLS, 1>>;
    TileT xs[2], ys[2], zs[2];
    for (int b = 0; b < 2; b++) {
        TASSIGN(xs[b], (3 * b + 0) * BYTES);
        TASSIGN(ys[b], (3 * b + 1) * BYTES);
        TASSIGN(zs[b], (3 * b + 2) * BYTES);
        set_flag(PIPE_V, PIPE_MTE2, b); /* x and y may be loaded */
        set_flag(PIPE_MTE3, PIPE_V, b); /* z may be written */
    }
    int turn = 0;
    for (int i = static_cast<int>(get_block_idx()); i < tiles;
         i += static_cast<int>(get_block_num()), turn ^= 1) {
        TensorT xg(x + static_cast<std::ptrdiff_t>(i) * COUNT),
            yg(y + static_cast<std::ptrdiff_t>(i) * COUNT);
        TensorT zg(z + static_cast<std::ptrdiff_t>(i) * COUNT);
        wait_flag(PIPE_V, PIPE_MTE2, turn);
        TLOAD(xs[turn], xg);
        TLOAD(ys[turn], yg);
        set_flag(PIPE_MTE2, PIPE_V, turn);

        wait_flag(PIPE_MTE2, PIPE_V, turn);
        wait_flag(PIPE_MTE3, PIPE_V, turn);
        TADD(zs[turn], xs[turn], ys[turn]);
        set_flag(PIPE_V, PIPE_MTE2, turn);
        set_flag(PIPE_V, PIPE_MTE3, turn);

        wait_flag(PIPE_V, PIPE_MTE3, turn);
        TSTORE(zg, zs[turn]);
        set_flag(PIPE_MTE3, PIPE_V, turn);
    }
    for (int b = 0; b < 2; b++) {
        wait_flag(PIPE_V, PIPE_MTE2, b);
        wait_flag(PIPE_MTE3, PIPE_V, b);
    }
}

int main(int argc, char **argv) {
    const int tiles = argc > 1 ? std::atoi(argv[1]) : 37;
    const std::size_t count = static_cast<std::size_t>(tiles) * COUNT;
    aclInit(nullptr);
    aclrtSetDevice(0);
    host::Array<float> x(count), y(count), z(count);
    host::fill(x);
    host::fill(y);
    host::launch("vector_add", 2, [&] { vector_add(z.device(), x.device(), y.device(), tiles); });
    z.to_host();
    host::Error error(1e-3);
    for (std::size_t i = 0; i < count; i++)
        error.add(static_cast<double>(z.values[i]),
                  static_cast<double>(x.values[i]) + static_cast<double>(y.values[i]));
    aclrtResetDevice(0);
    aclFinalize();
    return error.report("vector add", 0x1p-24 * 2);
}
