/* SPDX-License-Identifier: Apache-2.0 */
/* What moves elements, mode 3 of TEPL and TMA (70, 9.7), on every type and against loops on codes: pads of
 * every kind, partial valid regions, layouts, masks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/block.h"
#include "support/block_testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const pads[] = {"Zero", "Max", "Min", "Null"};

static const char *name_of(unsigned type) { return reference_block_name(type); }

/* Runs the text on sources that stand in U (a) and T (b); the result is M#1. */
static block_bench run(const char *text, const block_values *a, const block_values *b, pto_block_tile *dst) {
    block_bench bench = block_bench_make(NULL, NULL);
    if (a)
        block_values_push(&bench, BLOCK_U, a);
    if (b)
        block_values_push(&bench, BLOCK_T, b);
    pto_block_set_gpr(bench.machine, 2, 2); /* a0, a1: a window */
    pto_block_set_gpr(bench.machine, 3, 4);
    pto_block_set_gpr(bench.machine, 4, BLOCK_MEMORY); /* a2, a3: memory */
    pto_block_set_gpr(bench.machine, 5, 256);
    pto_block_set_gpr(bench.machine, 6, 1);
    block_bench_run(&bench, text);
    if (dst)
        assert_true(pto_block_tile_at(bench.machine, BLOCK_M, 1, dst));
    return bench;
}

static void same(const pto_block_tile *dst, int32_t r, int32_t c, uint64_t wanted, const char *text) {
    if (block_tile_code(dst, r, c) != wanted)
        fail_msg("%s: (%d, %d) is 0x%llx, not 0x%llx", text, (int)r, (int)c,
                 (unsigned long long)block_tile_code(dst, r, c), (unsigned long long)wanted);
}

/* ---- copies of every type ---- */

static void copies(void **state) {
    (void)state;
    static block_values a, x;
    for (unsigned type = 0; type < 32; type++)
        for (unsigned pad = 0; name_of(type) && pad < 4; pad++) {
            char text[256];
            pto_block_tile dst;
            block_values_random(&a, type, 12, 16, 10, 14);
            block_values_random(&x, type, 10, 8, 10, 6);

            snprintf(text, sizeof text, "TCONCAT <20, 10, 24, %s, %s>, U#1, T#1, ->M<8KB>\nC.BSTOP",
                     name_of(type), pads[pad]);
            block_bench b = run(text, &a, &x, &dst);
            for (int32_t r = 0; r < 10; r++)
                for (int32_t c = 0; c < 20; c++)
                    same(&dst, r, c, c < 14 ? block_values_at(&a, r, c) : block_values_at(&x, r, c - 14),
                         text);
            block_check_pad(&dst, pad, text);
            block_bench_drop(&b);

            snprintf(text, sizeof text, "TEXTRACT <6, 5, 8, %s, %s>, U#1, [a0, a1], ->M<8KB>\nC.BSTOP",
                     name_of(type), pads[pad]);
            b = run(text, &a, NULL, &dst);
            for (int32_t r = 0; r < 5; r++)
                for (int32_t c = 0; c < 6; c++)
                    same(&dst, r, c, block_values_at(&a, r + 2, c + 4), text);
            block_check_pad(&dst, pad, text);
            block_bench_drop(&b);

            x.valid_rows = 5;
            snprintf(text, sizeof text, "TINSERT <6, 5, 8, %s, %s>, U#1, T#1, [a0, a1], ->M<8KB>\nC.BSTOP",
                     name_of(type), pads[pad]);
            b = run(text, &a, &x, &dst);
            for (int32_t r = 0; r < 10; r++)
                for (int32_t c = 0; c < 14; c++) {
                    const bool in = r >= 2 && r < 7 && c >= 4 && c < 10;
                    same(&dst, r, c, in ? block_values_at(&x, r - 2, c - 4) : block_values_at(&a, r, c),
                         text);
                }
            block_check_pad(&dst, pad, text);
            block_bench_drop(&b);

            snprintf(text, sizeof text, "TTRANS <14, 10, 16, %s, %s>, U#1, ->M<8KB>\nC.BSTOP", name_of(type),
                     pads[pad]);
            b = run(text, &a, NULL, &dst);
            assert_int_equal(dst.valid_rows, 14);
            assert_int_equal(dst.valid_cols, 10);
            for (int32_t r = 0; r < 14; r++)
                for (int32_t c = 0; c < 10; c++)
                    same(&dst, r, c, block_values_at(&a, c, r), text);
            block_check_pad(&dst, pad, text);
            block_bench_drop(&b);

            snprintf(text, sizeof text, "TMOV <14, 10, 16, %s, %s>, U#1, ->M<8KB>\nC.BSTOP", name_of(type),
                     pads[pad]);
            b = run(text, &a, NULL, &dst);
            for (int32_t r = 0; r < 10; r++)
                for (int32_t c = 0; c < 14; c++)
                    same(&dst, r, c, block_values_at(&a, r, c), text);
            block_check_pad(&dst, pad, text);
            block_bench_drop(&b);
        }
}

static void gathers_of_rows(void **state) {
    (void)state;
    static block_values a, index;
    static const unsigned index_types[] = {RB_U8, RB_S16, RB_U16, RB_S32, RB_U32, RB_U64, RB_S64};
    for (unsigned type = 0; type < 32; type++)
        for (int k = 0; name_of(type) && k < 7; k++) {
            char text[256];
            pto_block_tile dst;
            const unsigned pad = (unsigned)k % 4;
            block_values_random(&a, type, 8, 12, 7, 10);
            block_values_random(&index, index_types[k], 7, 12, 7, 10);
            for (int i = 0; i < 7 * 12; i++)
                index.code[i] %= 7;
            snprintf(text, sizeof text, "TGATHER <10, 7, 12, %s, %s>, U#1, T#1, ->M<8KB>\nC.BSTOP",
                     name_of(type), pads[pad]);
            block_bench b = run(text, &a, &index, &dst);
            for (int32_t r = 0; r < 7; r++)
                for (int32_t c = 0; c < 10; c++)
                    same(&dst, r, c, block_values_at(&a, (int32_t)block_values_at(&index, r, c), c), text);
            block_check_pad(&dst, pad, text);
            block_bench_drop(&b);

            snprintf(text, sizeof text, "TSCATTER <10, 7, 12, %s>, U#1, T#1, ->M<2KB>\nC.BSTOP",
                     name_of(type));
            b = run(text, &a, &index, &dst);
            uint64_t wanted[8][10] = {{0}};
            for (int32_t r = 0; r < 7; r++)
                for (int32_t c = 0; c < 10; c++)
                    wanted[block_values_at(&index, r, c)][c] = block_values_at(&a, r, c);
            for (int32_t r = 0; r < dst.rows; r++)
                for (int32_t c = 0; c < dst.cols; c++)
                    same(&dst, r, c, r < 7 && c < 10 ? wanted[r][c] : 0, text);
            block_bench_drop(&b);
        }
}

static void fills(void **state) {
    (void)state;
    static block_values a;
    for (unsigned type = 0; type < 32; type++) {
        if (!name_of(type) || reference_block_bits(type) < 8 || type == RB_HIF8 || type == RB_E8M0 ||
            type == RB_E3M2 || type == RB_E2M3)
            continue; /* N16 */
        char text[256];
        pto_block_tile dst;
        block_values_random(&a, type, 9, 16, 5, 9);
        snprintf(text, sizeof text, "TFILLPAD <9, 5, 16, %s>, U#1, [a4], ->M<8KB>\nC.BSTOP", name_of(type));
        block_bench b = run(text, &a, NULL, &dst);
        for (int32_t r = 0; r < dst.rows; r++)
            for (int32_t c = 0; c < dst.cols; c++)
                same(&dst, r, c, r < 5 && c < 9 ? block_values_at(&a, r, c) : 1, text);
        block_bench_drop(&b);
    }
}

static void generators(void **state) {
    (void)state;
    static const unsigned types[] = {RB_S32, RB_S16, RB_U32, RB_U16, RB_FP32, RB_FP16};
    for (int k = 0; k < 6; k++)
        for (unsigned flag = 0; flag < 2; flag++) {
            char text[256];
            pto_block_tile dst;
            const uint64_t ones = UINT64_MAX >> (64 - reference_block_bits(types[k]));
            block_bench b;
            if (k < 4) {
                snprintf(text, sizeof text, "TCI <13, 1, 16, %s, Max>, [a3, %s], ->M<1KB>\nC.BSTOP",
                         name_of(types[k]), flag ? "a4" : "zero");
                b = run(text, NULL, NULL, &dst);
                for (int32_t c = 0; c < 13; c++)
                    same(&dst, 0, c, (uint64_t)(flag ? 256 - c : 256 + c) & ones, text);
                block_check_pad(&dst, 1, text);
                block_bench_drop(&b);
            }
            snprintf(text, sizeof text, "TTRI <13, 11, 16, %s, Min>, [a0, %s], ->M<1KB>\nC.BSTOP",
                     name_of(types[k]), flag ? "a4" : "zero");
            b = run(text, NULL, NULL, &dst);
            const uint64_t one = k < 4 ? 1 : reference_block_to_float(types[k], RB_S32, 1);
            for (int32_t r = 0; r < 11; r++)
                for (int32_t c = 0; c < 13; c++)
                    same(&dst, r, c, (flag ? c >= r + 2 : c <= r + 2) ? one : 0, text);
            block_check_pad(&dst, 2, text);
            block_bench_drop(&b);
        }
}

/* The union of two rectangles: the operation in both, a copy in one. */
static void partial(void **state) {
    (void)state;
    static block_values a, x;
    static const char *const names[] = {"ADD", "MUL", "MAX", "MIN"}, *const ops[] = {"TADD", "TMUL", "TMAX",
                                                                                     "TMIN"};
    static const unsigned types[] = {RB_S32, RB_U32, RB_FP32, RB_S16, RB_U16, RB_FP16, RB_BF16, RB_S8, RB_U8};
    for (int k = 0; k < 9; k++)
        for (int which = 0; which < 4; which++)
            for (unsigned pad = 0; pad < 4; pad++) {
                if (which == 1 && reference_block_bits(types[k]) == 8)
                    continue; /* A7 */
                char text[256];
                pto_block_tile dst;
                block_values_random(&a, types[k], 12, 24, 9, 20);
                block_values_random(&x, types[k], 12, 24, pad & 1 ? 9 : 4, pad & 2 ? 20 : 7);
                snprintf(text, sizeof text, "TPART%s <20, 9, 24, %s, %s>, U#1, T#1, ->M<2KB>\nC.BSTOP",
                         names[which], name_of(types[k]), pads[pad]);
                block_bench b = run(text, &a, &x, &dst);
                for (int32_t r = 0; r < 9; r++)
                    for (int32_t c = 0; c < 20; c++) {
                        const uint64_t p = block_values_at(&a, r, c);
                        same(&dst, r, c,
                             r < x.valid_rows && c < x.valid_cols
                                 ? reference_block(ops[which], types[k], p, block_values_at(&x, r, c), 0)
                                 : p,
                             text);
                    }
                block_check_pad(&dst, pad, text);
                block_bench_drop(&b);
            }
}

/* ---- histogram, quantisation ---- */

static void histograms(void **state) {
    (void)state;
    static block_values a, filter;
    for (unsigned byte = 0; byte < 6; byte++) {
        const bool wide = byte >= 2;
        const unsigned id = wide ? byte - 2 : byte;
        char text[256];
        pto_block_tile dst;
        block_values_random(&a, wide ? RB_U32 : RB_U16, 4, 64, 3, 60);
        block_values_random(&filter, RB_U8, 4, 1, 4, 1);
        for (int i = 0; i < 4 * 64; i++)
            a.code[i] &= wide ? 0x01010103 : 0x0107;
        for (int i = 0; i < 4; i++)
            filter.code[i] &= 1;
        snprintf(text, sizeof text, "THISTOGRAM <60, 3, 64, %s, Byte%u>, U#1, T#1, ->M<4KB>\nC.BSTOP",
                 wide ? "U32" : "U16", id);
        block_bench b = run(text, &a, &filter, &dst);
        assert_int_equal(dst.valid_cols, 256);
        for (int32_t r = 0; r < 3; r++) {
            uint32_t counts[256] = {0}, sum = 0;
            for (int32_t c = 0; c < 60; c++) {
                const uint64_t code = block_values_at(&a, r, c);
                bool taken = true;
                if (!wide && id == 0)
                    taken = code >> 8 == filter.code[r];
                for (unsigned above = 3; wide && above > id; above--)
                    taken &= (code >> 8 * above & 255) == filter.code[3 - above];
                counts[code >> 8 * id & 255] += taken;
            }
            for (int32_t v = 0; v < 256; v++)
                same(&dst, r, v, sum += counts[v], text);
        }
        block_bench_drop(&b);
    }
}

static void quantisation(void **state) {
    (void)state;
    static block_values a;
    for (int k = 0; k < 4; k++) {
        const bool is_signed = k & 1;
        pto_block_tile dst;
        block_bench b = block_bench_make(NULL, NULL);
        block_values_random(&a, RB_FP32, 8, 16, 7, 13);
        block_values_push(&b, BLOCK_U, &a);
        const float scale = k & 2 ? 13.25f : -0.5f;
        uint32_t bits;
        memcpy(&bits, &scale, 4);
        pto_block_set_gpr(b.machine, 2, bits);
        pto_block_set_gpr(b.machine, 3, (uint64_t)-3);
        char text[256];
        snprintf(text, sizeof text,
                 "TQUANT <13, 7, 16, FP32, %s>, U#1, [a0, a1], ->M<256B>\n"
                 "TDEQUANT <13, 7, 16, %s, FP32>, M#1.reuse, [a0, a1], ->N<512B>\nC.BSTOP",
                 is_signed ? "S8" : "U8", is_signed ? "S8" : "U8");
        block_bench_run(&b, text);
        pto_block_tile back;
        assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
        assert_true(pto_block_tile_at(b.machine, BLOCK_N, 1, &back));
        for (int32_t r = 0; r < 7; r++)
            for (int32_t c = 0; c < 13; c++) {
                float x;
                const uint32_t code = (uint32_t)block_values_at(&a, r, c);
                memcpy(&x, &code, 4);
                const double least = is_signed ? -128 : 0, most = least + 255;
                double q = isnan(x * scale) ? -3 : nearbyint((double)(x * scale)) - 3;
                q = q < least ? least : q > most ? most : q;
                same(&dst, r, c, (uint64_t)(int64_t)q & 255, text);
                const float whole = (float)(q + 3) * scale;
                uint32_t wanted;
                memcpy(&wanted, &whole, 4);
                same(&back, r, c, wanted, text);
            }
        block_bench_drop(&b);
    }
}

/* ---- memory ---- */

static uint64_t memory_code(const uint8_t *memory, size_t byte, unsigned bits, bool high) {
    uint64_t code = 0;
    if (bits == 4)
        return memory[byte] >> (high ? 4 : 0) & 15;
    memcpy(&code, memory + byte, bits / 8);
    return code;
}

static void loads_and_stores(void **state) {
    (void)state;
    for (unsigned type = 0; type < 32; type++)
        for (unsigned pad = 0; name_of(type) && pad < 4; pad++) {
            const unsigned bits = reference_block_bits(type);
            char text[512];
            /* 6 rows of 10, 256 bytes apart; back without a stride, and by columns */
            snprintf(text, sizeof text,
                     "TLOAD <10, 6, 12, %s, %s>, [a2, a3], ->M<2KB>\n"
                     "C.BSTART.STD FALL\nhl.lis 0x110000, ->a2\nhl.lis 0x120000, ->a4\n"
                     "TSTORE <10, 6, 12, %s>, M#1.reuse, [a2]\n"
                     "TSTORE.ND2DN <10, 6, 12, %s>, M#1.reuse, [a4, a3]\n"
                     "TLOAD.DN2ND <10, 6, 12, %s, %s>, [a4, a3], ->N<2KB>\nC.BSTOP",
                     name_of(type), pads[pad], name_of(type), name_of(type), name_of(type), pads[pad]);
            block_bench b = block_bench_make(NULL, NULL);
            for (int i = 0; i < 2048; i += 8) {
                uint64_t word = 0;
                for (unsigned at = 0; at < 64; at += bits)
                    word |= block_random_code(type) << at;
                memcpy(b.memory + i, &word, 8);
            }
            pto_block_set_gpr(b.machine, 4, BLOCK_MEMORY);
            pto_block_set_gpr(b.machine, 5, 256);
            block_bench_run(&b, text);
            pto_block_tile dst, back;
            assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
            assert_true(pto_block_tile_at(b.machine, BLOCK_N, 1, &back));
            const size_t packed = (10 * bits + 7) / 8;
            for (int32_t r = 0; r < 6; r++)
                for (int32_t c = 0; c < 10; c++) {
                    const uint64_t wanted =
                        memory_code(b.memory, (size_t)r * 256 + (size_t)c * bits / 8, bits, c & 1);
                    same(&dst, r, c, wanted, text);
                    same(&back, r, c, wanted, text);
                    assert_int_equal(memory_code(b.memory + 0x10000,
                                                 (size_t)r * packed + (size_t)c * bits / 8, bits, c & 1),
                                     wanted);
                    assert_int_equal(
                        memory_code(b.memory + 0x20000, (size_t)c * 256 + (size_t)r * bits / 8, bits, r & 1),
                        wanted);
                }
            block_check_pad(&dst, pad, text);
            block_check_pad(&back, pad, text);
            assert_int_equal(b.memory[0x10000 + 6 * packed], 0); /* nothing beyond the valid region */
            block_bench_drop(&b);
        }
}

/* Byte of (r, c) in a layout (70, 3.5), elements of at least a byte. */
static size_t layout_offset(int layout, size_t s, size_t rows, size_t cols, size_t r, size_t c) {
    const size_t c0 = 32 / s;
    switch (layout) {
    case 1:
        return (c * rows + r) * s;
    case 2:
        return (r / 16 * cols * 16 + c / c0 * 16 * c0 + r % 16 * c0 + c % c0) * s;
    case 3:
        return (r / c0 * cols * c0 + c * c0 + r % c0) * s;
    case 4:
        return (c / c0 * rows * c0 + r * c0 + c % c0) * s;
    case 5:
        return (c / 16 * rows * 16 + r / c0 * c0 * 16 + c % 16 * c0 + r % c0) * s;
    default:
        return (r * cols + c) * s;
    }
}

static void layouts(void **state) {
    (void)state;
    static const char *const names[] = {"ND", "DN", "ZZ", "ZN", "NZ", "NN"};
    static const unsigned types[] = {RB_FP32, RB_BF16, RB_S8};
    static block_values a;
    for (int k = 0; k < 3; k++)
        for (int to = 1; to < 6; to++) {
            const size_t s = reference_block_bits(types[k]) / 8;
            char text[512];
            snprintf(text, sizeof text,
                     "TMOV.ND2%s <30, 30, 32, %s>, U#1, ->N<4KB>\nTMOV.%s2ND <30, 30, 32, %s>, N#1.reuse, "
                     "->M<4KB>\nC.BSTOP",
                     names[to], name_of(types[k]), names[to], name_of(types[k]));
            block_values_random(&a, types[k], 32, 32, 30, 30);
            pto_block_tile dst, turned;
            block_bench b = run(text, &a, NULL, &dst);
            assert_true(pto_block_tile_at(b.machine, BLOCK_N, 1, &turned));
            assert_int_equal(turned.layout, to);
            for (int32_t r = 0; r < 30; r++)
                for (int32_t c = 0; c < 30; c++) {
                    same(&dst, r, c, block_values_at(&a, r, c), text);
                    uint64_t code = 0;
                    memcpy(&code,
                           (const uint8_t *)turned.data + layout_offset(to, s, (size_t)turned.rows,
                                                                        (size_t)turned.cols, (size_t)r,
                                                                        (size_t)c),
                           s);
                    if (code != block_values_at(&a, r, c))
                        fail_msg("%s: (%d, %d)", text, (int)r, (int)c);
                }
            block_bench_drop(&b);
        }
}

/* Offsets in bytes, masks, duplicates, compare and swap. */
static void gathers_of_memory(void **state) {
    (void)state;
    static block_values off, data;
    static const unsigned off_types[] = {RB_U16, RB_U32, RB_U64, RB_S32, RB_S64};
    for (unsigned type = 0; type < 32; type++)
        for (int k = 0; name_of(type) && reference_block_bits(type) >= 8 && k < 5; k++) {
            const unsigned bits = reference_block_bits(type), s = bits / 8, pad = (unsigned)k % 4;
            char text[768];
            block_bench b = block_bench_make(NULL, NULL);
            for (int i = 0; i < 4096; i += (int)s) {
                const uint64_t code = block_random_code(type);
                memcpy(b.memory + i, &code, s);
                memcpy(b.memory + 0x20000 + i, &code, s);
            }
            block_values_random(&off, off_types[k], 5, 8, 5, 6);
            for (int i = 0; i < 40; i++)
                off.code[i] = block_random() % 40 * s;
            block_values_random(&data, type, 5, 8, 5, 6);
            pto_block_set_gpr(b.machine, 4, BLOCK_MEMORY);
            pto_block_set_gpr(b.machine, 5, BLOCK_MEMORY + 0x10000);
            pto_block_set_gpr(b.machine, 6, BLOCK_MEMORY + 0x20000);
            block_values_push(&b, BLOCK_T, &off);
            block_values_push(&b, BLOCK_U, &data);
            const char *name = name_of(type), *off_name = name_of(off_types[k]);
            const bool swaps = (type >= RB_S64 && type <= RB_S8) || (type >= RB_U64 && type <= RB_U8);
            snprintf(text, sizeof text,
                     "TCMPS.GT <6, 5, 8, %s>, T#1.reuse, [a7], ->N<128B>\n"
                     "MGATHER <6, 5, 8, %s, %s>, T#1.reuse, [a2], ->M<1KB>\n"
                     "MSCATTER <6, 5, 8, %s>, U#1.reuse, T#1.reuse, [a3]\n"
                     "%s%s%s",
                     off_name, name, pads[pad], name, swaps ? "MGATHER.CAS <6, 5, 8, " : "",
                     swaps ? name : "",
                     swaps ? ", Max>, T#1.reuse, M#1.reuse, U#1.reuse, [a4], ->U<1KB>\nC.BSTOP" : "C.BSTOP");
            pto_block_set_gpr(b.machine, 9, 20 * s);
            block_bench_run(&b, text);
            pto_block_tile dst, old;
            assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
            uint8_t expected[8192] = {0}, swapped[8192];
            memcpy(swapped, b.memory, 4096);
            for (int32_t r = 0; r < 5; r++)
                for (int32_t c = 0; c < 6; c++) {
                    const size_t at = (size_t)block_values_at(&off, r, c);
                    const uint64_t code = block_values_at(&data, r, c);
                    same(&dst, r, c, memory_code(b.memory, at, bits, false), text);
                    memcpy(expected + at, &code, s); /* the last in row-major order */
                }
            assert_memory_equal(expected, b.memory + 0x10000, 40 * s);
            block_check_pad(&dst, pad, text);
            if (swaps) {
                assert_true(pto_block_tile_at(b.machine, BLOCK_U, 1, &old));
                for (int32_t r = 0; r < 5; r++)
                    for (int32_t c = 0; c < 6; c++) {
                        const size_t at = (size_t)block_values_at(&off, r, c);
                        const uint64_t before = memory_code(swapped, at, bits, false),
                                       code = block_values_at(&data, r, c);
                        same(&old, r, c, before, text);
                        if (before == block_tile_code(&dst, r, c))
                            memcpy(swapped + at, &code, s);
                    }
                assert_memory_equal(swapped, b.memory + 0x20000, 40 * s);
                block_check_pad(&old, 1, text);
            }
            /* under a mask: offsets above 20 elements only; nothing else is touched, whatever it is */
            for (int i = 0; i < 40; i++) /* odd: an access would be a fault */
                off.code[i] -= off.code[i] <= 20 * s && off.code[i] && s > 1;
            memset(b.memory + 0x10000, 0, 8192);
            block_values_push(&b, BLOCK_T, &off);
            block_values_push(&b, BLOCK_U, &data);
            snprintf(text, sizeof text,
                     "TCMPS.GT <6, 5, 8, %s>, T#1.reuse, [a7], ->N<128B>\n"
                     "MGATHER.MASK <6, 5, 8, %s, %s>, T#1.reuse, N#1.reuse, [a2], ->M<1KB>\n"
                     "MSCATTER.MASK <6, 5, 8, %s>, U#1, T#1, N#1, [a3]\nC.BSTOP",
                     off_name, name, pads[pad], name);
            block_bench_run(&b, text);
            assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
            memset(expected, 0, sizeof expected);
            for (int32_t r = 0; r < 5; r++)
                for (int32_t c = 0; c < 6; c++) {
                    const size_t at = (size_t)block_values_at(&off, r, c);
                    const uint64_t code = block_values_at(&data, r, c);
                    const bool taken = at > 20 * s;
                    same(&dst, r, c,
                         taken ? memory_code(b.memory, at, bits, false) : reference_block_pad(type, pad),
                         text);
                    if (taken)
                        memcpy(expected + at, &code, s);
                }
            assert_memory_equal(expected, b.memory + 0x10000, 40 * s);
            block_bench_drop(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),       cmocka_unit_test(gathers_of_rows),
        cmocka_unit_test(fills),        cmocka_unit_test(generators),
        cmocka_unit_test(partial),      cmocka_unit_test(histograms),
        cmocka_unit_test(quantisation), cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(layouts),      cmocka_unit_test(gathers_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
