/* SPDX-License-Identifier: Apache-2.0 */
/* What authors of kernels get wrong: double buffers off by one, handovers from core to core, bytes that are
 * used twice, atomics beside plain stores, ids that a loop computes. Each fault is planted in a kernel that
 * is silent without it. */
#define PTO_NO_CHECK_ENVIRONMENT /* this program reports itself */
#include "support/cpp_planting.hpp"

#include <vector>

using namespace pto;
template <typename E, int R = 16, int C = 64, int VR = R, int VC = C>
using V = Tile<TileType::Vec, E, R, C, BLayout::RowMajor, VR, VC>;
using T = V<float>;
template <typename E, int R = 16, int C = 64, int Pitch = C>
using Gm = GlobalTensor<E, pto::Shape<1, 1, 1, R, C>, pto::Stride<R * Pitch, R * Pitch, R * Pitch, Pitch, 1>>;
using G = Gm<float>;
using L1 = Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor>;
using Sum = TileAcc<float, 64, 64>;
constexpr bool a2a3 = pto::detail::target == PTO_TARGET_A2A3;

static float *x, *y; /* device memory, 16 x 16 rows of 64 */
static std::int32_t *places;
static half *h;
static std::int8_t *q;
static std::uint64_t *scale_words;

static void flag(pipe_t from, pipe_t to, event_t id = EVENT_ID7) {
    set_flag(from, to, id);
    wait_flag(from, to, id);
}

/* ---- loops ---- */

/* Two buffers: 1 takes the buffer of the next turn, 2 the id of eight turns, 3 sets before the last reader, 4
 * drains one id of two, 5 skips the first wait. */
static void two_buffers() {
    T in[2], out[2];
    for (int i = 0; i < 2; i++) {
        TASSIGN(in[i], 4096 * i);
        TASSIGN(out[i], 8192 + 4096 * i);
        set_flag(PIPE_V, PIPE_MTE2, i);
        set_flag(PIPE_MTE3, PIPE_V, i);
    }
    for (int i = 0; i < 6; i++) {
        const int b = i % 2, other = fault == 1 ? (i + 1) % 2 : b, id = fault == 2 ? i % 8 : b;
        G from(x + 1024 * i), to(y + 1024 * i);
        if (fault != 5 || i > 1)
            wait_flag(PIPE_V, PIPE_MTE2, b);
        AT(0) TLOAD(in[other], from);
        set_flag(PIPE_MTE2, PIPE_V, b);
        AT(1) wait_flag(PIPE_MTE2, PIPE_V, id);
        wait_flag(PIPE_MTE3, PIPE_V, b);
        AT(2) TRELU(out[b], in[b]);
        AT(8) set_flag(PIPE_V, PIPE_MTE2, b);
        WITH(3) set_flag(PIPE_MTE3, PIPE_V, b);
        set_flag(PIPE_V, PIPE_MTE3, b);
        wait_flag(PIPE_V, PIPE_MTE3, b);
        AT(3) TSTORE(to, out[b]);
        WITHOUT(3) set_flag(PIPE_MTE3, PIPE_V, b);
    }
    for (int i = 0; i < 2; i++) {
        if (fault != 4 || !i)
            wait_flag(PIPE_V, PIPE_MTE2, i);
        wait_flag(PIPE_MTE3, PIPE_V, i);
    }
}

/* The flag of a branch that is not taken in the first turn. */
static void branch() {
    T t, u;
    TASSIGN(t, 0);
    TASSIGN(u, 4096);
    G from(x), to(y);
    TLOAD(t, from);
    flag(PIPE_MTE2, PIPE_V);
    for (int i = 0; i < 3; i++) {
        TRELU(u, t);
        if (i || fault != 1)
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        AT(0) wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, u);
        flag(PIPE_MTE3, PIPE_V);
        pipe_barrier(PIPE_V);
        pipe_barrier(PIPE_MTE3);
    }
}

/* ---- bytes that are used twice ---- */

/* A byte tile over the second half of a float tile that is still stored. */
static void other_type() {
    T t;
    V<std::int8_t, 16, 64> bytes;
    V<half, 16, 64> halves;
    TASSIGN(t, 0);
    TASSIGN(halves, 4096);
    TASSIGN(bytes, fault == 1 ? 3072 : 8192);
    G to(y);
    TEXPANDS(t, 1.0f);
    TEXPANDS(halves, static_cast<half>(2.0f));
    flag(PIPE_V, PIPE_MTE3);
    pipe_barrier(PIPE_V);
    AT(0) TSTORE(to, t);
    AT(1) TCVT(bytes, halves, RoundMode::CAST_RINT);
}

/* The tmp of a reduction lies in a tile that is still stored. */
static void scratch() {
    T t, tmp, stored;
    Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor> sums;
    TASSIGN(t, 0);
    TASSIGN(stored, 4096);
    TASSIGN(tmp, fault == 1 ? 4096 + 2048 : 8192);
    TASSIGN(sums, 16384);
    G from(x), to(y);
    TLOAD(t, from);
    TEXPANDS(stored, 3.0f);
    flag(PIPE_V, PIPE_MTE3);
    flag(PIPE_MTE2, PIPE_V);
    pipe_barrier(PIPE_V);
    AT(0) TSTORE(to, stored);
    AT(1) TROWSUM(sums, t, tmp);
}

/* Windows of one tile: the store reads the upper rows while the lower ones are computed. */
static void windows() {
    T t;
    V<float, 8, 64> upper, lower;
    TASSIGN(t, 0);
    TEXPANDS(t, 1.0f);
    TSUBVIEW(upper, t, 0, 0);
    TSUBVIEW(lower, t, fault == 1 ? 7 : 8, 0);
    flag(PIPE_V, PIPE_MTE3);
    pipe_barrier(PIPE_V);
    Gm<float, 8> to(y);
    AT(0) TSTORE(to, upper);
    AT(1) TEXPANDS(lower, 2.0f);
}

/* ---- what was not written ---- */

/* 1: 60 of 64 columns are loaded, the next instruction takes 64; 2: 8 rows are computed, 16 stored. */
static void partial() {
    V<float, 16, 64, 16, 60> some;
    V<float, 16, 64, 8, 64> upper, upper_of_u;
    T all, u;
    TASSIGN(some, 0);
    TASSIGN(all, 0);
    TASSIGN(upper, 0);
    TASSIGN(u, 4096);
    TASSIGN(upper_of_u, 4096);
    Gm<float, 16, 60, 64> narrow(x);
    G from(x), to(y);
    if (fault == 1)
        TLOAD(some, narrow);
    else
        TLOAD(all, from);
    flag(PIPE_MTE2, PIPE_V);
    if (fault == 2)
        TEXP(upper_of_u, upper);
    else {
        AT(0) TEXP(u, all);
    }
    flag(PIPE_V, PIPE_MTE3);
    AT(1) TSTORE(to, u);
}

/* Padding reaches the store: filled, or not. */
static void padding() {
    using Padded =
        Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Zero>;
    V<float, 16, 64, 16, 40> part;
    T u;
    Padded filled;
    TASSIGN(part, 0);
    TASSIGN(u, 0);
    TASSIGN(filled, 4096);
    Gm<float, 16, 40, 64> narrow(x);
    G to(y);
    TLOAD(part, narrow);
    flag(PIPE_MTE2, PIPE_V);
    flag(PIPE_MTE2, PIPE_MTE3);
    TFILLPAD(filled, part);
    flag(PIPE_V, PIPE_MTE3);
    if (fault == 1) {
        AT(0) TSTORE(to, u);
    } else
        TSTORE(to, filled);
}

/* ---- global memory ---- */

/* A table that the store before wrote: MGATHER on the vector pipe. */
static void table() {
    V<std::int32_t, 1, 16> index;
    T rows, u;
    TASSIGN(index, 0);
    TASSIGN(rows, 4096);
    TASSIGN(u, 8192);
    Gm<std::int32_t, 1, 16> gi(places);
    G made(y);
    TLOAD(index, gi);
    TEXPANDS(u, 1.0f);
    flag(PIPE_V, PIPE_MTE3);
    AT(0) TSTORE(made, u);
    flag(PIPE_MTE2, PIPE_V);
    WITHOUT(1) flag(PIPE_MTE3, PIPE_V);
    AT(1) MGATHER(rows, made, index);
}

/* Rows of a table that blocks scatter to: each its own, or (1) all the same. */
static void scattered() {
    V<std::int32_t, 1, 16> index;
    T rows;
    TASSIGN(index, 0);
    TASSIGN(rows, 4096);
    Gm<std::int32_t, 1, 16> gi(places + (fault == 1 ? 0 : 16 * get_block_idx()));
    Gm<float, 64, 64> whole(y);
    TLOAD(index, gi);
    TEXPANDS(rows, 1.0f);
    flag(PIPE_MTE2, PIPE_V);
    pipe_barrier(PIPE_V);
    AT(0) MSCATTER(whole, rows, index);
}

/* Both blocks update the same rows: with one operation, or (1) with two, whose order tells in the result. */
static void updates() {
    V<std::int32_t, 1, 16> index;
    V<std::int32_t> rows;
    TASSIGN(index, 0);
    TASSIGN(rows, 4096);
    Gm<std::int32_t, 1, 16> gi(places);
    Gm<std::int32_t, 64, 64> whole(reinterpret_cast<std::int32_t *>(y));
    TLOAD(index, gi);
    TEXPANDS(rows, 1);
    flag(PIPE_MTE2, PIPE_V);
    pipe_barrier(PIPE_V);
    if (fault == 1 && get_block_idx() == 1) {
        AT(1) MSCATTER<Coalesce::Row, ScatterAtomicOp::Max>(whole, rows, index);
    } else {
        AT(0) MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(whole, rows, index);
    }
}

/* 1: a prefetch of what is still stored; 2: it takes the place of the load. */
static void prefetched() {
    T t, u;
    TASSIGN(t, 0);
    TASSIGN(u, 4096);
    G g(y);
    TEXPANDS(u, 1.0f);
    flag(PIPE_V, PIPE_MTE3);
    AT(0) TSTORE(g, u);
    WITHOUT(1) flag(PIPE_MTE3, PIPE_MTE2);
    AT(1) TPREFETCH(t, g);
    pipe_barrier(PIPE_MTE2);
    WITHOUT(2) TLOAD(t, g);
    flag(PIPE_MTE2, PIPE_V);
    pipe_barrier(PIPE_V);
    AT(2) TRELU(u, t);
}

/* All blocks add to the same rows. 1: block 0 clears them first. 2: one reads them. 3: one replaces them. */
static void sums() {
    T t, z, back;
    TASSIGN(t, 0);
    TASSIGN(z, 4096);
    TASSIGN(back, 8192);
    G g(y);
    TEXPANDS(t, 1.0f);
    TEXPANDS(z, 0.0f);
    flag(PIPE_V, PIPE_MTE3);
    if (fault == 1 && get_block_idx() == 0) {
        AT(1) TSTORE(g, z);
        pipe_barrier(PIPE_MTE3);
    }
    AT(0) TSTORE<T, G, AtomicType::AtomicAdd>(g, t);
    if (get_block_idx() == 1) {
        flag(PIPE_MTE3, PIPE_MTE2);
        WITH(2) { AT(1) TLOAD(back, g); }
        pipe_barrier(PIPE_MTE3);
        WITH(3) { AT(1) TSTORE(g, z); }
    }
}

/* The same in one core: cleared by MTE3, added to by FIX and then, too early, by MTE3. */
static void cleared() {
    Sum c;
    TileLeft<half, 64, 64> a;
    TileRight<half, 64, 64> b;
    L1 m;
    V<float, 64, 64> t, z;
    TASSIGN(c, 0);
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(m, 0);
    TASSIGN(t, 0);
    TASSIGN(z, 16384);
    Gm<half, 64, 64> from(h);
    Gm<float, 64, 64> g(y);
    TEXPANDS(t, 1.0f);
    TEXPANDS(z, 0.0f);
    TLOAD(m, from);
    flag(PIPE_MTE2, PIPE_MTE1);
    TMOV(a, m);
    TMOV(b, m);
    flag(PIPE_MTE1, PIPE_M);
    TMATMUL(c, a, b);
    flag(PIPE_V, PIPE_MTE3);
    AT(0) TSTORE(g, z);
    flag(PIPE_M, PIPE_FIX);
    flag(PIPE_MTE3, PIPE_FIX);
    TSTORE<Sum, Gm<float, 64, 64>, AtomicType::AtomicAdd>(g, c);
    WITHOUT(1) pipe_barrier(PIPE_MTE3);
    AT(1) TSTORE<V<float, 64, 64>, Gm<float, 64, 64>, AtomicType::AtomicAdd>(g, t);
}

/* Columns of two blocks, interleaved: one too many. */
static void columns() {
    T t;
    V<float, 16, 32> mine;
    V<float, 16, 40> wide;
    TASSIGN(mine, 0);
    TASSIGN(wide, 4096);
    TEXPANDS(mine, 1.0f);
    TEXPANDS(wide, 1.0f);
    flag(PIPE_V, PIPE_MTE3);
    Gm<float, 16, 32, 64> g(y + 32 * get_block_idx());
    Gm<float, 16, 40, 80> more(y + 32 * get_block_idx());
    if (fault == 1) {
        AT(0) TSTORE(more, wide);
    } else
        TSTORE(g, mine);
}

/* ---- the cube core ---- */

/* 1: the table of scales is moved before it came; 2: the sums are stored before they are there; 3: the next
 * product overwrites them. */
static void quantised() {
    using A = TileLeft<std::int8_t, 64, 64>;
    using B = TileRight<std::int8_t, 64, 64>;
    using C = TileAcc<std::int32_t, 64, 64>;
    Tile<TileType::Mat, std::int8_t, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor> m;
    Tile<TileType::Mat, std::uint64_t, 1, 64> scales;
    Tile<TileType::Scaling, std::uint64_t, 1, 64> fp;
    A a;
    B b;
    C c;
    TASSIGN(m, 0);
    TASSIGN(scales, 8192);
    TASSIGN(fp, 0);
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    Gm<std::int8_t, 64, 64> from(q), to(reinterpret_cast<std::int8_t *>(y));
    Gm<std::uint64_t, 1, 64> words(scale_words);
    TLOAD(m, from);
    AT(0) TLOAD(scales, words);
    flag(PIPE_MTE2, PIPE_MTE1);
    WITHOUT(1) flag(PIPE_MTE2, PIPE_FIX);
    AT(1) TMOV(fp, scales);
    TMOV(a, m);
    TMOV(b, m);
    flag(PIPE_MTE1, PIPE_M);
    AT(2) TMATMUL(c, a, b);
    WITHOUT(2) flag(PIPE_M, PIPE_FIX);
    AT(3) TSTORE_FP(to, c, fp);
    WITHOUT(3) flag(PIPE_FIX, PIPE_M);
    AT(4) TMATMUL(c, a, b);
}

/* Quantised into L1, and from there on: the handover from FIX to MTE1. */
static void requantised() {
    using A = TileLeft<std::int8_t, 64, 64>;
    using B = TileRight<std::int8_t, 64, 64>;
    using M8 = Tile<TileType::Mat, std::int8_t, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor>;
    M8 m, again;
    A a;
    B b;
    TileAcc<std::int32_t, 64, 64> c;
    TASSIGN(m, 0);
    TASSIGN(again, 8192);
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    Gm<std::int8_t, 64, 64> from(q);
    TLOAD(m, from);
    flag(PIPE_MTE2, PIPE_MTE1);
    TMOV(a, m);
    TMOV(b, m);
    flag(PIPE_MTE1, PIPE_M);
    TMATMUL(c, a, b);
    flag(PIPE_M, PIPE_FIX);
    AT(0) TMOV(again, c, std::uint64_t{0x400000000000 + 0x3f800000});
    WITHOUT(1) flag(PIPE_FIX, PIPE_MTE1);
    WITHOUT(2) flag(PIPE_M, PIPE_MTE1);
    AT(1) TMOV(a, again);
    flag(PIPE_MTE1, PIPE_M);
    AT(2) TMATMUL(c, a, b);
}

/* The unit flag of a product orders the store behind it: with the phases final and a phase, not otherwise. */
static void unit_flag() {
    TileLeft<half, 64, 64> a;
    TileRight<half, 64, 64> b;
    L1 m;
    Sum c;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    TASSIGN(m, 0);
    Gm<half, 64, 64> from(h);
    Gm<float, 64, 64> to(y);
    TLOAD(m, from);
    flag(PIPE_MTE2, PIPE_MTE1);
    TMOV(a, m);
    TMOV(b, m);
    flag(PIPE_MTE1, PIPE_M);
    TMATMUL<AccPhase::Partial>(c, a, b);
    if (fault == 1) {
        AT(0) TMATMUL_ACC<AccPhase::Partial>(c, c, a, b);
    } else {
        AT(0) TMATMUL_ACC<AccPhase::Final>(c, c, a, b);
    }
    if (fault == 2) {
        AT(1) TSTORE(to, c);
    } else {
        AT(1) TSTORE<STPhase::Final>(to, c);
    }
}

/* From the cube to the vector core through GM: signalled behind the product, not behind the store. */
static void handover() {
    TileLeft<half, 64, 64> a;
    TileRight<half, 64, 64> b;
    L1 m;
    Sum c;
    V<float, 64, 64> t;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    TASSIGN(m, 0);
    TASSIGN(t, 0);
    Gm<half, 64, 64> from(h);
    Gm<float, 64, 64> between(y);
    TLOAD(m, from);
    flag(PIPE_MTE2, PIPE_MTE1);
    TMOV(a, m);
    TMOV(b, m);
    flag(PIPE_MTE1, PIPE_M);
    TMATMUL(c, a, b);
    flag(PIPE_M, PIPE_FIX);
    AT(0) TSTORE(between, c);
    const pipe_t behind = fault == 1 ? PIPE_M : PIPE_FIX;
    if constexpr (a2a3) {
        ffts_cross_core_sync(behind, getFFTSMsg(2, 3));
        AT(2) wait_flag_dev(fault == 2 ? 4 : 3);
    } else {
        set_intra_block(behind, 3);
        AT(2) wait_intra_block(PIPE_MTE2, fault == 2 ? 4 : 3);
    }
    AT(1) TLOAD(t, between);
}

/* ---- the scalar unit ---- */

/* 1: a sum is read before the reduction has ended; 2: an index is written by S and used at once. */
static void scalars() {
    T t, tmp, picked;
    V<std::int32_t, 16, 64> index, spare;
    Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor> sum;
    TASSIGN(t, 0);
    TASSIGN(tmp, 4096);
    TASSIGN(spare, 20480);
    TASSIGN(index, 8192);
    TASSIGN(picked, 12288);
    TASSIGN(sum, 16384);
    TEXPANDS(t, 1.0f);
    TEXPANDS(index, 0);
    pipe_barrier(PIPE_V);
    AT(0) TROWSUM(sum, t, tmp);
    WITHOUT(1) flag(PIPE_V, PIPE_S);
    AT(1) const float first = sum.GetValue(0);
    WITH(1) flag(PIPE_V, PIPE_S);
    AT(2) index.SetValue(3, static_cast<std::int32_t>(first) % 4);
    WITHOUT(2) flag(PIPE_S, PIPE_V);
    pipe_barrier(PIPE_V);
    AT(3) TGATHER(picked, t, index, spare);
}

/* An event that is recorded in every turn and waited for in every other. */
static void event_twice() {
    T t, u;
    TASSIGN(t, 0);
    TASSIGN(u, 4096);
    G from(x);
    Event<Op::TLOAD, Op::TADD> loaded;
    for (int i = 0; i < 4; i++) {
        AT(0) loaded = TLOAD(t, from);
        if (fault != 1 || i % 2)
            TRELU(u, t, loaded);
        flag(PIPE_V, PIPE_MTE2);
        pipe_barrier(PIPE_V);
        pipe_barrier(PIPE_MTE2);
    }
}

/* Sorting in two steps on the vector pipe: on a2a3 the second reads what the first still writes. */
static void sorted() {
    V<float, 1, 128> keys;
    V<std::uint32_t, 1, 128> index;
    V<float, 1, 256> pairs, merged;
    TASSIGN(keys, 0);
    TASSIGN(index, 1024);
    TASSIGN(pairs, 2048);
    TASSIGN(merged, 4096);
    TEXPANDS(keys, 1.0f);
    TEXPANDS(index, 3u);
    pipe_barrier(PIPE_V);
    AT(0) TSORT32(pairs, keys, index);
    WITHOUT(1) pipe_barrier(PIPE_V);
    AT(1) TMRGSORT(merged, pairs, 64);
}

int main() {
    source = __FILE__;
    CHECK(pto_check_process("all", nullptr) == PTO_OK);
    void *memory = nullptr;
    std::vector<float> zeros(16384);
    for (float **where : {&x, &y}) {
        aclrtMalloc(&memory, 65536, 0);
        *where = static_cast<float *>(memory);
        aclrtMemcpy(memory, 65536, zeros.data(), 65536, ACL_MEMCPY_HOST_TO_DEVICE);
    }
    h = reinterpret_cast<half *>(x);
    q = reinterpret_cast<std::int8_t *>(x);
    std::vector<std::int32_t> index(64);
    for (int i = 0; i < 64; i++)
        index[static_cast<std::size_t>(i)] = i;
    aclrtMalloc(&memory, 256, 0);
    aclrtMemcpy(memory, 256, index.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE);
    places = static_cast<std::int32_t *>(memory);
    const std::vector<std::uint64_t> ones(64, 0x400000000000 + 0x3f800000); /* signed, scale 1 */
    aclrtMalloc(&memory, 512, 0);
    aclrtMemcpy(memory, 512, ones.data(), 512, ACL_MEMCPY_HOST_TO_DEVICE);
    scale_words = static_cast<std::uint64_t *>(memory);

    plant(scattered, 2, 1, "PTO-E1104", 0, 0);
    if constexpr (!a2a3)
        plant(updates, 2, 1, "PTO-E1104", 1, 0);
    plant(sums, 2, 1, "PTO-E1104", 0, 1);
    plant(sums, 2, 2, "PTO-E1104", 1, 0);
    plant(sums, 2, 3, "PTO-E1104", 1, 0);
    plant(columns, 2, 1, "PTO-E1104", 0, 0);
    if (!pto::detail::auto_mode) {
        plant(two_buffers, 1, 2, "PTO-E0921", 1, -1);
        plant(two_buffers, 1, 4, "PTO-E0922", 8, -1);
        plant(branch, 1, 1, "PTO-E0921", 0, -1);
        plant(partial, 1, 1, "PTO-E1120", 0, -1);
        plant(partial, 1, 2, "PTO-E1120", 1, -1);
        plant(padding, 1, 1, "PTO-E1120", 0, -1);
        plant(prefetched, 1, 2, "PTO-E1120", 2, -1);
        plant(handover, 1, 2, "PTO-E0923", 2, -1);
        plant(event_twice, 1, 1, "PTO-E0920", 0, 0);
    }
    if (pto::detail::target != PTO_TARGET_CPU && !pto::detail::auto_mode) {
        plant(two_buffers, 1, 1, "PTO-E1101", 0, 2);
        plant(two_buffers, 1, 3, "PTO-E1101", 2, 3);
        plant(two_buffers, 1, 5, "PTO-E0920", 8, -1);
        plant(other_type, 1, 1, "PTO-E1101", 1, 0);
        plant(scratch, 1, 1, "PTO-E1101", 1, 0);
        plant(windows, 1, 1, "PTO-E1101", 1, 0);
        plant(table, 1, 1, "PTO-E1101", 1, 0);
        plant(prefetched, 1, 1, "PTO-E1101", 1, 0);
        plant(cleared, 1, 1, "PTO-E1102", 1, 0);
        plant(quantised, 1, 1, "PTO-E1101", 1, 0);
        plant(quantised, 1, 2, "PTO-E1101", 3, 2);
        plant(quantised, 1, 3, "PTO-E1101", 4, 3);
        plant(requantised, 1, 1, "PTO-E1101", 1, 0);
        plant(unit_flag, 1, 1, "PTO-E1101", 1, 0);
        plant(unit_flag, 1, 2, "PTO-E1101", 1, 0);
        plant(handover, 1, 1, "PTO-E1101", 1, 0);
        CHECK(rendered().find(a2a3 ? std::string("cross-core signal of PIPE_FIX, id 0")
                                   : "insert set_intra_block(PIPE_FIX, 0); behind line " +
                                         std::to_string(line_of[0])) != std::string::npos);
        plant(scalars, 1, 1, "PTO-E1101", 1, 0);
        plant(scalars, 1, 2, "PTO-E1101", 3, 2);
    }
    if (a2a3)
        plant(sorted, 1, 1, "PTO-E1102", 1, 0);
    std::printf("%d planted faults\n", planted);
    CHECK(wrong == 0);
    std::exit(testing::failures != 0);
}
