/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of one head of width 64 without the matrix of scores: 64 queries stay on the core while keys and
 * values pass by 64 at a time (online softmax). Cube and vector core meet in global memory, the way that
 * every target has. */
#include "host.hpp"

using namespace pto;

constexpr int B = 64, D = 64, COUNT = B * D; /* queries and keys a turn, width of the head */

/* Everything that runs on one pipe before this precedes everything that runs on the other after it. */
template <pipe_t Src, pipe_t Dst> AICORE void after() { PtoSetWaitFlag<Src, Dst>(); }

using MatT = Tile<TileType::Mat, half, B, D, BLayout::ColMajor, B, D, SLayout::RowMajor>;
using KeyT = Tile<TileType::Mat, half, D, B, BLayout::RowMajor, D, B, SLayout::ColMajor>;
using VecT = Tile<TileType::Vec, float, B, D>;
using HalfT = Tile<TileType::Vec, half, B, D>;
using ColumnT = Tile<TileType::Vec, float, B, 1, BLayout::ColMajor>;
using LineT = Tile<TileType::Vec, float, 1, B>; /* the same bytes as a row */
template <typename T>
using Rows = GlobalTensor<T, pto::Shape<1, 1, 1, B, D>, pto::Stride<COUNT, COUNT, COUNT, D, 1>>;
using Columns =
    GlobalTensor<half, pto::Shape<1, 1, 1, D, B>, pto::Stride<COUNT, COUNT, COUNT, 1, D>, Layout::DN>;

/* scores, p, pv: a tile of global memory for each group of queries */
__global__ AICORE void attention(__gm__ float *out, __gm__ half *q, __gm__ half *k, __gm__ half *v,
                                 __gm__ float *scores, __gm__ half *p, __gm__ float *pv, int groups,
                                 float temper) {
    MatT q1, v1, p1;
    KeyT k1;
    TileLeft<half, B, D> left;
    TileRight<half, D, B> right;
    TileAcc<float, B, B> acc;
    TASSIGN(q1, 0x0000);
    TASSIGN(v1, 0x2000);
    TASSIGN(p1, 0x4000);
    TASSIGN(k1, 0x6000);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    VecT score, update, result, tmp;
    HalfT rounded;
    ColumnT max, highest, shrink, sum, part;
    LineT max_line, highest_line, shrink_line, sum_line, part_line;
    TASSIGN(score, 0x0000);
    TASSIGN(update, 0x4000);
    TASSIGN(result, 0x8000);
    TASSIGN(tmp, 0xC000);
    TASSIGN(rounded, 0x10000);
    const auto place = [](ColumnT &column, LineT &line, int address) {
        TASSIGN(column, address);
        TASSIGN(line, address);
    };
    place(max, max_line, 0x12000);
    place(highest, highest_line, 0x12100);
    place(shrink, shrink_line, 0x12200);
    place(sum, sum_line, 0x12300);
    place(part, part_line, 0x12400);

    for (int g = static_cast<int>(get_block_idx()); g < groups; g += static_cast<int>(get_block_num())) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(g) * COUNT;
        Rows<half> qg(q + at), pg(p + at);
        Rows<float> sg(scores + at), pvg(pv + at), og(out + at);
        TLOAD(q1, qg);
        TEXPANDS(max_line, -3.0e38f);
        TEXPANDS(sum_line, 0.0f);
        TEXPANDS(result, 0.0f);
        pipe_barrier(PIPE_V);
        for (int key = 0; key < groups; key++) {
            const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(key) * COUNT;
            Columns kg(k + from);
            Rows<half> vg(v + from);

            /* cube: scores = q * k^T */
            TLOAD(k1, kg);
            TLOAD(v1, vg);
            after<PIPE_MTE2, PIPE_MTE1>();
            TMOV(left, q1);
            TMOV(right, k1);
            after<PIPE_MTE1, PIPE_M>();
            TMATMUL(acc, left, right);
            after<PIPE_M, PIPE_FIX>();
            TSTORE(sg, acc);
            after<PIPE_FIX, PIPE_MTE2>();

            /* vector: the new maximum, the weights, and what shrinks the old sums */
            TLOAD(score, sg);
            after<PIPE_MTE2, PIPE_V>();
            TMULS(score, score, temper);
            pipe_barrier(PIPE_V);
            TROWMAX(highest, score, tmp);
            pipe_barrier(PIPE_V);
            TMAX(highest_line, highest_line, max_line);
            pipe_barrier(PIPE_V);
            TSUB(shrink_line, max_line, highest_line);
            pipe_barrier(PIPE_V);
            TEXP(shrink_line, shrink_line);
            TMOV(max_line, highest_line);
            TROWEXPANDSUB(score, score, highest, tmp);
            pipe_barrier(PIPE_V);
            TEXP(score, score);
            pipe_barrier(PIPE_V);
            TROWSUM(part, score, tmp);
            TMUL(sum_line, sum_line, shrink_line);
            TCVT(rounded, score, RoundMode::CAST_RINT);
            pipe_barrier(PIPE_V);
            TADD(sum_line, sum_line, part_line);
            TROWEXPANDMUL(result, result, shrink, tmp);
            after<PIPE_V, PIPE_MTE3>();
            TSTORE(pg, rounded);
            after<PIPE_MTE3, PIPE_MTE2>();

            /* cube: the weighted values */
            TLOAD(p1, pg);
            after<PIPE_MTE2, PIPE_MTE1>();
            after<PIPE_M, PIPE_MTE1>();
            TMOV(left, p1);
            TMOV(right, v1);
            after<PIPE_MTE1, PIPE_M>();
            after<PIPE_FIX, PIPE_M>();
            TMATMUL(acc, left, right);
            after<PIPE_M, PIPE_FIX>();
            TSTORE(pvg, acc);
            after<PIPE_FIX, PIPE_MTE2>();

            /* vector: added to the result */
            TLOAD(update, pvg);
            after<PIPE_MTE2, PIPE_V>();
            pipe_barrier(PIPE_V);
            TADD(result, result, update);
            pipe_barrier(PIPE_V);
            after<PIPE_V, PIPE_MTE2>();
        }
        TROWEXPANDDIV(result, result, sum, tmp);
        after<PIPE_V, PIPE_MTE3>();
        TSTORE(og, result);
        after<PIPE_MTE3, PIPE_V>();
        after<PIPE_MTE1, PIPE_MTE2>();
    }
}

int main() {
    const int groups = 4;
    const std::size_t n = static_cast<std::size_t>(groups) * B, count = n * D;
    const double temper = 1.0 / std::sqrt(static_cast<double>(D));
    aclInit(nullptr);
    aclrtSetDevice(0);
    host::Array<half> q(count), k(count), v(count), p(count);
    host::Array<float> out(count), scores(count), pv(count);
    host::fill(q, 3.0);
    host::fill(k, 3.0);
    host::fill(v);
    host::launch("attention", 2, [&] {
        attention(out.device(), q.device(), k.device(), v.device(), scores.device(), p.device(), pv.device(),
                  groups, static_cast<float>(temper));
    });
    out.to_host();
    const auto value = [](const host::Array<half> &array, std::size_t i) {
        return static_cast<double>(static_cast<float>(array.values[i]));
    };
    host::Error error(1.0);
    std::vector<double> weight(n);
    for (std::size_t i = 0; i < n; i++) {
        double max = -1e300, sum = 0;
        for (std::size_t j = 0; j < n; j++) {
            weight[j] = 0;
            for (std::size_t d = 0; d < D; d++)
                weight[j] += value(q, i * D + d) * value(k, j * D + d) * temper;
            max = std::fmax(max, weight[j]);
        }
        for (double &w : weight)
            sum += w = std::exp(w - max);
        for (std::size_t d = 0; d < D; d++) {
            double exact = 0;
            for (std::size_t j = 0; j < n; j++)
                exact += weight[j] * value(v, j * D + d);
            error.add(static_cast<double>(out.values[i * D + d]), exact / sum);
        }
    }
    return error.report("flash attention", 0x1p-11); /* the weights are rounded to half */
}
