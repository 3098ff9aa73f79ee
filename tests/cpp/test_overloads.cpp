/* SPDX-License-Identifier: Apache-2.0 */
/* Every C++ overload once, beside the C function of its form on equal operands: the same verdict, and where
 * the call is legal the same bytes in every operand; and whatever the number of events that it waits for,
 * each is waited for once, in order, and the call's place reaches the instruction, its waits, its result and
 * its refusal. The calls are generated from the table (tools/gen/cpp_test.c). Target cpu. */
#define PTO_NO_WARNINGS
#include <pto/pto-inst.hpp>
#include <pto/functions.h>
#include "support/cpp_testing.hpp"

#include <cstring>
#include <vector>

using namespace pto;

/* A tensor of 16 x 64 elements with memory of its own. */
template <typename T, int Rows = 16, int Cols = 64, Layout L = Layout::ND> struct Tensor {
    using DType = T;
    std::vector<T> data;
    GlobalTensor<T, TileShape2D<T, Rows, Cols, L>, BaseShape2D<T, Rows, Cols, L>, L> tensor;
    pto_global raw;
    Tensor() : data(Rows * Cols), tensor(data.data()) {}
    pto_global *handle() {
        raw = tensor.handle();
        return &raw;
    }
    std::size_t bytes() const { return data.size() * sizeof(T); }
};

/* 8 x 16 pixels of 32 bytes, as the guessed convolution tile. */
template <typename T> struct Pixels : Tensor<T> {
    static constexpr int c0 = 32 / static_cast<int>(sizeof(T));
    GlobalTensor<T, pto::Shape<1, 1, 8, 16, c0>, pto::Stride<128 * c0, 128 * c0, 16 * c0, c0, 1>,
                 Layout::NC1HWC0>
        tensor;
    pto_global raw;
    Pixels() : tensor(this->data.data()) {}
    pto_global *handle() {
        raw = tensor.handle();
        return &raw;
    }
};

template <typename T, typename = void> struct has_tensor : std::false_type {};
template <typename T>
struct has_tensor<T, std::void_t<decltype(std::declval<T &>().tensor)>> : std::true_type {};

template <int Form, int Index> struct Guess;

/* An event that tells when and where it was waited for. */
struct Waited : EventBase<Waited> {
    int turn = 0;
    pto::detail::Here here;
    static int turns;
    void Wait(pto::detail::Here at) {
        turn = ++turns;
        here = at;
    }
};
int Waited::turns;

/* Where the last instruction that passed the door stands. */
static const char *seen_file;
static int seen_line;
static void see(void *, const pto_core *, const pto_instr *instr) {
    seen_file = instr->file;
    seen_line = instr->line;
}

struct Case {
    Waited event[5];
    pto_form form = 0;
    int number = 0;
    bool refused = false, legal = false;
    std::string rule, text;

    pto_core *core() { return detail::core(); }
    void begin(int f, int n) {
        form = static_cast<pto_form>(f);
        number = n;
        refused = legal = false;
        rule.clear();
    }
    template <typename F> void cpp(F &&call) {
        try {
            call();
        } catch (const Error &error) {
            refused = true;
            rule = error.rule();
            text = error.what();
        }
    }
    void c(pto_status status) {
        legal = status == PTO_OK;
        if (legal == refused || (refused && !pto_diag_has(pto_core_diags(core()), rule.c_str())))
            fail("the verdicts differ");
        pto_diag_list_clear(pto_core_diags(core()));
    }
    template <typename F> void placed(int line, int events, F &&call) {
        for (Waited &e : event)
            e = Waited();
        Waited::turns = seen_line = 0;
        bool here = false;
        try {
            const pto::RecordEvent result = call();
            here = seen_line == line && seen_file && std::strstr(seen_file, "cpp_overloads.inc") &&
                   result.here.line == line && result.here.file == seen_file;
        } catch (const Error &error) {
            here = std::strstr(error.what(), ("cpp_overloads.inc:" + std::to_string(line) + ":").c_str());
        }
        for (int i = 0; i < 5; i++)
            here = here && event[i].turn == (i < events ? i + 1 : 0) &&
                   (i >= events || event[i].here.line == line);
        if (!here)
            fail(("the place of the call with " + std::to_string(events) + " events").c_str());
        calls_placed++;
    }
    int calls_placed = 0;
    void fail(const char *what) {
        std::fprintf(stderr, "overload %d, form %d: %s (%s)\n", number, form, what, rule.c_str());
        testing::failures++;
    }

    /* Small numbers, the same in both; what they are is the type's business. Offsets of TGATHERB are in
     * steps of 32 bytes. */
    template <typename T> void bytes_of(T *data, std::size_t count, int index) const {
        std::uint32_t x = 77u + static_cast<std::uint32_t>(index);
        const int step = form == PTO_FORM_TGATHERB && index == 2 ? 32 : 1;
        for (std::size_t i = 0; i < count; i++) {
            x = x * 1664525u + 1013904223u;
            if constexpr (IsTwinType<T>())
                data[i].bits = static_cast<std::uint8_t>(x >> 24);
            else
                data[i] = static_cast<T>(static_cast<int>(x >> 27) * step);
        }
    }
    template <typename T> void fill(T &a, T &b, int index) {
        if constexpr (has_tensor<T>::value) {
            bytes_of(a.data.data(), a.data.size(), index);
            b.data = a.data;
        } else {
            bytes_of(a.data(), size_of(a) / sizeof(typename T::DType), index);
            std::memcpy(static_cast<void *>(b.data()), a.data(), size_of(a));
        }
    }
    template <typename T> void fill_view(T &, T &, int) {}

    template <typename T> void equal(T &a, T &b, int index) {
        bool same;
        if constexpr (has_tensor<T>::value)
            same = std::memcmp(static_cast<const void *>(a.data.data()), b.data.data(), a.bytes()) == 0;
        else
            same = std::memcmp(static_cast<const void *>(a.data()), b.data(), size_of(a)) == 0;
        if (legal && !same)
            fail(("bytes of operand " + std::to_string(index)).c_str());
    }
    template <typename T> static std::size_t size_of(const T &tile) {
        return static_cast<std::size_t>(pto_tile_type_bytes(&tile.handle()->type));
    }
    void equal_counts(const MrgSortExecutedNumList &a, const pto_merge_counts &b) {
        if (legal && (a.mrgSortList0 != b.list[0] || a.mrgSortList1 != b.list[1] ||
                      a.mrgSortList2 != b.list[2] || a.mrgSortList3 != b.list[3]))
            fail("counts");
    }
};

#include "cpp_overloads.inc"

/* What the generator cannot guess: a payload with an address, and the quantisation with an offset. */
static void scale_address(Case &c) {
    TileLeft<float8_e4m3_t, 16, 64> src, src_c;
    TileLeftScale<float8_e8m0_t, 16, 2> dst, dst_c;
    TASSIGN(src, 1024);
    TASSIGN(src_c, 1024);
    c.begin(PTO_FORM_TGET_SCALE_ADDR, -1);
    c.cpp([&] { TGET_SCALE_ADDR(dst, src); });
    c.c(pto_tget_scale_addr(c.core(), dst_c.fresh(), src_c.handle()));
    CHECK(c.legal && dst.handle()->addr == 64 && dst_c.handle()->addr == 64);
}
static void quant_offset(Case &c, bool with_tmp) {
    Nd<std::uint8_t, 16, 64> dst, dst_c;
    Nd<float, 16, 64> src, src_c, scale, scale_c, tmp, tmp_c, offset, offset_c;
    c.begin(PTO_FORM_TQUANT, -1);
    c.fill(dst, dst_c, 0);
    c.fill(src, src_c, 1);
    c.fill(scale, scale_c, 2);
    c.fill(tmp, tmp_c, 3);
    c.fill(offset, offset_c, 4);
    c.cpp([&] {
        if (with_tmp)
            TQUANT<QuantType::INT8_ASYM>(dst, src, scale, tmp, &offset);
        else
            TQUANT<QuantType::INT8_ASYM>(dst, src, scale, &offset);
    });
    c.c(pto_tquant(c.core(), dst_c.handle(), src_c.handle(), scale_c.handle(),
                   with_tmp ? tmp_c.handle() : nullptr, offset_c.handle(), PTO_QUANT_INT8_ASYM));
    CHECK(c.legal);
    c.equal(dst, dst_c, 0);
    c.equal(src, src_c, 1);
}

int main() {
    std::vector<bool> called(PTO_FORM_COUNT), accepted(PTO_FORM_COUNT);
    int legal = 0, count = 0;
    Case c;
    pto_observer observer = {};
    observer.before = see;
    CHECK(pto_core_add_observer(c.core(), observer) == PTO_OK);
    pto_core_set_print(
        c.core(), [](void *, const char *, std::size_t) {}, nullptr); /* TPRINT is of no interest */
    for (const auto overload : overloads) {
        overload(c);
        count++;
        legal += c.legal;
        called[c.form] = true;
        accepted[c.form] = accepted[c.form] || c.legal;
        if (c.legal)
            continue;
        std::printf("refused: overload %d, form %d, %s\n", c.number, c.form, c.text.c_str());
        CHECK(c.form == PTO_FORM_TGET_SCALE_ADDR || c.form == PTO_FORM_TQUANT); /* below, by hand */
    }
    int forms = 0, good = 0;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        forms += called[static_cast<std::size_t>(f)];
        good += accepted[static_cast<std::size_t>(f)];
    }
    std::printf("%d calls with their places\n", c.calls_placed);
    CHECK(c.calls_placed == 3 * count);
    std::printf("%d overloads of %d forms (of %d); legal: %d overloads, %d forms\n", count, forms,
                PTO_FORM_COUNT, legal, good);
    CHECK(forms + forms_by_hand == PTO_FORM_COUNT);
    scale_address(c);
    quant_offset(c, true);
    quant_offset(c, false);
    return testing::failures != 0;
}
