/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 largest of each row of 2048 scores, in descending order, and their columns: blocks of 32 are sorted,
 * runs of 32 merged four at a time to 128, 512 and 2048, and the leading pairs taken apart. */
#include "host.hpp"

#include <algorithm>
#include <numeric>

using namespace pto;

constexpr int WIDTH = 2048, BEST = 64;

__global__ AICORE void topk(__gm__ float *values, __gm__ uint32_t *columns, __gm__ float *scores, int rows) {
    using ScoreT = Tile<TileType::Vec, float, 1, WIDTH>;
    using IndexT = Tile<TileType::Vec, uint32_t, 1, WIDTH>;
    using PairsT = Tile<TileType::Vec, float, 1, 2 * WIDTH>; /* (score, column) of 8 bytes */
    using LeadingT = Tile<TileType::Vec, float, 1, 2 * BEST>;
    using WordsT = Tile<TileType::Vec, uint32_t, 1, 2 * BEST>;
    using ValueT = Tile<TileType::Vec, float, 1, BEST>;
    using ColumnT = Tile<TileType::Vec, uint32_t, 1, BEST>;
    ScoreT score;
    IndexT index;
    PairsT a, b;
    LeadingT leading;
    WordsT words;
    ValueT value;
    ColumnT column;
    TASSIGN(score, 0x0000);
    TASSIGN(index, 0x2000);
    TASSIGN(a, 0x4000);
    TASSIGN(b, 0x8000);
    TASSIGN(leading, 0x8000); /* the first pairs of b */
    TRESHAPE(words, leading);
    TASSIGN(value, 0xC000);
    TASSIGN(column, 0xC100);
    TCI<IndexT, uint32_t, 0>(index, 0);
    PtoSetWaitFlag<PIPE_S, PIPE_V>();
    for (int r = static_cast<int>(get_block_idx()); r < rows; r += static_cast<int>(get_block_num())) {
        GlobalTensor<float, pto::Shape<1, 1, 1, 1, WIDTH>, pto::Stride<WIDTH, WIDTH, WIDTH, WIDTH, 1>> from(
            scores + static_cast<std::ptrdiff_t>(r) * WIDTH);
        GlobalTensor<float, pto::Shape<1, 1, 1, 1, BEST>, pto::Stride<BEST, BEST, BEST, BEST, 1>> to(
            values + r * BEST);
        GlobalTensor<uint32_t, pto::Shape<1, 1, 1, 1, BEST>, pto::Stride<BEST, BEST, BEST, BEST, 1>>
            to_columns(columns + r * BEST);
        Event<Op::TLOAD, Op::TSORT32> loaded = TLOAD(score, from);
        TSYNC(loaded);
        TSORT32(a, score, index);
        pipe_barrier(PIPE_V);
        TMRGSORT(b, a, 64);
        pipe_barrier(PIPE_V);
        TMRGSORT(a, b, 256);
        pipe_barrier(PIPE_V);
        TMRGSORT(b, a, 1024);
        pipe_barrier(PIPE_V);
        TGATHER<ValueT, LeadingT, MaskPattern::P0101>(value, leading);
        Event<Op::TGATHER, Op::TSTORE_VEC> gathered =
            TGATHER<ColumnT, WordsT, MaskPattern::P1010>(column, words);
        TSTORE(to, value, gathered);
        TSTORE(to_columns, column);
        PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
        PtoSetWaitFlag<PIPE_V, PIPE_MTE2>();
    }
}

int main() {
    const int rows = 9;
    aclInit(nullptr);
    aclrtSetDevice(0);
    host::Array<float> scores(rows * WIDTH), values(rows * BEST);
    host::Array<uint32_t> columns(rows * BEST);
    host::fill(scores);
    host::launch("topk", 2, [&] { topk(values.device(), columns.device(), scores.device(), rows); });
    values.to_host();
    columns.to_host();
    host::Error error(1.0);
    std::vector<std::size_t> order(WIDTH);
    for (std::size_t r = 0; r < rows; r++) {
        const float *row = &scores.values[r * WIDTH];
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t x, std::size_t y) { return row[x] > row[y]; });
        for (std::size_t i = 0; i < BEST; i++) {
            error.add(static_cast<double>(values.values[r * BEST + i]), static_cast<double>(row[order[i]]));
            error.add(columns.values[r * BEST + i], static_cast<double>(order[i]));
        }
    }
    return error.report("top-k", 0.0);
}
