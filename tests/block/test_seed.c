/* SPDX-License-Identifier: Apache-2.0 */
/* The page of TRELU as a TileOp template block, rule by rule, and what part 70 works out of it: which case
 * shows which line. worked_words, worked_fields and whole_program are in test_encoding.c.
 *
 *  pseudo code  dst[r, c] = src[r, c] > 0 ? src[r, c] : 0        relu_of_every_code, special_inputs
 *               for r < Rv, c < Cv only                          outside_is_not_read
 *  syntax       TRELU <LB0:ValidCol, LB1:ValidRow, LB2:Col, DataType, PadValue>,
 *               SrcTile<.reuse>, ->DstTile<Size>                 syntax
 *  ValidCol     imm, reg, reg + imm, into LB0                    forms_of_dimensions
 *               has no default                                   required_and_defaults
 *  ValidRow     the same into LB1                                forms_of_dimensions
 *               default 1                                        required_and_defaults
 *  Col          the same into LB2                                forms_of_dimensions
 *               default ValidCol                                 required_and_defaults
 *  Row          SrcTileSize / (Col * sizeof(DataType))           rows_from_size
 *  DataType     16 types of 64, 32, 16, 8 bits, no other         types_of_the_table
 *  PadValue     Null, Zero, Max, Min; default Null               pad_values, block.padding
 *  SrcTile      queues T U M N                                   queues_and_reuse
 *  .reuse       keeps the tile, without it it goes               queues_and_reuse
 *  DstTile      queues T U M N                                   queues_and_reuse
 *  Size         those of the profile, no other                   sizes
 *  encoding     BSTART.TEPL TRELU, DataType                      expansion, worked_words, worked_fields
 *               B.DATR PadValue                                  expansion, worked_words, worked_fields
 *               B.DIM reg, imm, ->LB0 (ValidCol)                 expansion, worked_words, worked_fields
 *               B.DIM reg, imm, ->LB1 (ValidRow)                 expansion, worked_words, worked_fields
 *               B.DIM reg, imm, ->LB2 (Col)                      expansion, worked_words, worked_fields
 *               B.IOT SrcTile<.reuse>, last, ->DstTile<Size>     expansion, worked_words, worked_fields
 *  constraints  sizes have 16 bits                               sixteen_bits
 *               ValidRow <= Row, ValidCol <= Col                 valid_inside
 *               row-major                                        row_major
 *               negative values and NaN: the target decides      special_inputs
 *  example      TRELU <LB0:30, LB1:16, LB2:32, u16>, U#1.reuse, ->T<1KB>
 *               reads U#1, makes a new tile of T                 worked_example
 *               30 columns of 32, 16 rows                        worked_example
 *               16-bit integers, 2 bytes each                    worked_example
 *               U#1 is kept, T has 1 KiB                         worked_example
 *               outside nothing is initialised                   worked_example
 *               ->T names no register: the hardware picks one    worked_example
 *  remark       a template block: software writes a header only  header_only
 *  see also     TLRELU, TPRELU                                   every_operation in test_elementwise.c
 *
 *  70, 10       every worked word, line to word to line          worked_words, worked_fields
 *  70, 12.1     program to words to program                      whole_program
 *               the state at the stop                            whole_program_runs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/block.h"
#include "support/block_testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pads[] = {"Zero", "Max", "Min", "Null"};
static const char queues[] = "TUMN";

/* The words of the assembled text. */
static size_t words_of(const char *text, bool compress, uint8_t *bytes) {
    pto_source source;
    pto_source_init(&source, "test.s", text, strlen(text));
    pto_diag_list *diags = pto_diag_list_create();
    pto_block_image image;
    if (pto_block_assemble(&source, &(pto_block_options){.compress = compress}, diags, &image) != PTO_OK)
        fail_msg("%s: %s", text, pto_diag_first(diags)->message);
    const size_t size = image.size;
    assert_true(size <= 128);
    memcpy(bytes, image.bytes, size);
    pto_block_image_free(&image);
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
    return size;
}

static void same_words(const char *a, const char *b) {
    uint8_t x[128], y[128];
    const size_t n = words_of(a, false, x);
    if (n != words_of(b, false, y) || memcmp(x, y, n))
        fail_msg("%s\nis not\n%s", a, b);
}

/* A machine with a tile of random codes in a queue. */
static block_bench with_tile(unsigned queue, unsigned type, int32_t rows, int32_t cols, int32_t valid_rows,
                             int32_t valid_cols, block_values *v) {
    block_bench b = block_bench_make(NULL, NULL);
    block_values_random(v, type, rows, cols, valid_rows, valid_cols);
    block_values_push(&b, queue, v);
    return b;
}

static void refuses(block_bench *b, const char *text, const char *rule) {
    block_bench_load(b, text);
    assert_int_equal(pto_block_run(b->machine, 1000), PTO_ERR_REFUSED);
    if (strcmp(pto_block_last_fault(b->machine)->rule, rule))
        fail_msg("%s: %s, not %s", text, pto_block_last_fault(b->machine)->rule, rule);
}

/* ---- the value ---- */

static bool in_table(unsigned type) {
    static const char *const names[] = {"S64", "U64", "FP64", "S32",  "U32", "FP32", "TF32", "HF32",
                                        "S16", "U16", "FP16", "BF16", "S8",  "U8",   "E4M3", "E5M2"};
    for (int i = 0; i < 16; i++)
        if (reference_block_name(type) && !strcmp(reference_block_name(type), names[i]))
            return true;
    return false;
}

/* The line of the page on codes: x > 0 ? x : 0, where a NaN is not greater than anything. */
static uint64_t relu(unsigned type, uint64_t code) {
    return reference_block_compare(3, type, code, 0) ? code : 0;
}

/* Every code of 8 and 16 bits, a great many of the others. */
static void relu_of_every_code(void **state) {
    (void)state;
    static block_values v;
    for (unsigned type = 0; type < 32; type++) {
        if (!in_table(type))
            continue;
        const unsigned bits = reference_block_bits(type);
        for (uint64_t first = 0; first < (bits == 8 ? 256 : 65536); first += 2048) {
            block_bench b =
                block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)(first / 2048))});
            block_values_random(&v, type, 32, 64, 32, 64);
            for (int i = 0; i < 2048 && bits <= 16; i++)
                v.code[i] = (first + (unsigned)i) & (UINT64_MAX >> (64 - bits));
            block_values_push(&b, BLOCK_U, &v);
            char text[128];
            snprintf(text, sizeof text, "TRELU <64, 32, %s>, U#1, ->T<16KB>\nC.BSTOP",
                     reference_block_name(type));
            block_bench_run(&b, text);
            pto_block_tile dst;
            assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
            for (int i = 0; i < 2048; i++)
                if (block_tile_code(&dst, i / 64, i % 64) != relu(type, v.code[i]))
                    fail_msg("%s: 0x%llx becomes 0x%llx", text, (unsigned long long)v.code[i],
                             (unsigned long long)block_tile_code(&dst, i / 64, i % 64));
            block_bench_drop(&b);
        }
    }
}

/* Ours: 0 of a negative value, of -0 and of NaN; the option has NaN quiet (70, 9.1). */
static void special_inputs(void **state) {
    (void)state;
    static const struct {
        unsigned type;
        uint64_t in, plain, quiet;
    } cases[] = {
        {RB_FP32, 0x80000000, 0, 0},
        {RB_FP32, 0xff800000, 0, 0},
        {RB_FP32, 0x80000001, 0, 0},
        {RB_FP32, 1, 1, 1},
        {RB_FP32, 0x7f800000, 0x7f800000, 0x7f800000},
        {RB_FP32, 0x7fc12345, 0, 0x7fc00000},
        {RB_FP32, 0x7f800001, 0, 0x7fc00000},
        {RB_FP32, 0xffc00000, 0, 0x7fc00000},
        {RB_FP16, 0xfe00, 0, 0x7e00},
        {RB_BF16, 0x7f81, 0, 0x7fc0},
        {RB_FP64, 0xfff0000000000001, 0, 0x7ff8000000000000},
        {RB_E4M3, 0x7f, 0, 0x7f},
        {RB_E5M2, 0x7d, 0, 0x7e},
        {RB_TF32, 0x7fffe000, 0, 0x7fc00000},
        {RB_S16, 0x8000, 0, 0},
        {RB_S64, UINT64_MAX, 0, 0},
        {RB_U16, 0x8000, 0x8000, 0x8000},
        {RB_U64, UINT64_MAX, UINT64_MAX, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int keeps = 0; keeps < 2; keeps++) {
            block_bench b = block_bench_make(NULL, &(pto_block_profile){.relu_keeps_nan = keeps});
            block_values v = {.type = cases[i].type, .rows = 1, .cols = 1, .valid_rows = 1, .valid_cols = 1};
            v.code[0] = cases[i].in;
            block_values_push(&b, BLOCK_U, &v);
            char text[128];
            snprintf(text, sizeof text, "TRELU <1, %s>, U#1, ->T<128B>\nC.BSTOP",
                     reference_block_name(v.type));
            block_bench_run(&b, text);
            pto_block_tile dst;
            assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
            if (block_tile_code(&dst, 0, 0) != (keeps ? cases[i].quiet : cases[i].plain))
                fail_msg("%s of 0x%llx, NaN %s: 0x%llx", text, (unsigned long long)cases[i].in,
                         keeps ? "kept" : "dropped", (unsigned long long)block_tile_code(&dst, 0, 0));
            block_bench_drop(&b);
        }
}

/* Source elements outside of the valid region may be anything, even what is no encoding of the type. */
static void outside_is_not_read(void **state) {
    (void)state;
    static block_values v;
    for (int turn = 0; turn < 2; turn++) {
        block_bench b = block_bench_make(NULL, NULL);
        block_values_random(&v, RB_TF32, 16, 8, 5, 6);
        for (int i = 0; i < 16 * 8; i++)
            if (i / 8 >= 5 || i % 8 >= 6)
                v.code[i] = 0x3f801fff; /* the low 13 bits of TF32 are zero */
        if (turn)
            v.code[8 * 4 + 5] = 0x3f800001;
        block_values_push(&b, BLOCK_U, &v);
        if (turn) {
            refuses(&b, "TRELU <6, 5, 8, TF32, Zero>, U#1, ->T<512B>\nC.BSTOP", "PTO-E1649");
        } else {
            block_bench_run(&b, "TRELU <6, 5, 8, TF32, Zero>, U#1, ->T<512B>\nC.BSTOP");
            pto_block_tile dst;
            assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
            block_check_pad(&dst, 0, "TRELU");
        }
        block_bench_drop(&b);
    }
}

/* ---- the line ---- */

static void syntax(void **state) {
    (void)state;
    static const char line[] = "TRELU <LB0:30, LB1:16, LB2:32, u16, Zero>, U#1.reuse, ->T<1KB>";
    static const char *const spellings[] = {
        "TRELU <30, 16, 32, u16, Zero>, U#1.reuse, ->T<1KB>",
        "trelu <lb0:30, lb1:16, lb2:32, U16, zero>, u#1.REUSE, ->t<1kb>",
        "TRELU <ValidCol:30, ValidRow:16, Col:32, uint16, Zero>, U#1.reuse, ->T<1KB>",
        "TRELU <LB2:32, LB0:30, LB1:16, u16, Zero> U#1.reuse, ->T<1024B>",
        "TRELU <LB0:30,LB1:16,LB2:32,u16,Zero>,U#1.reuse,->T<6>",
        "TRELU <LB0:0x1e, LB1:0b10000, LB2:4*8, u16, Zero>, U#1.reuse, ->T<1K>",
        "TRELU <LB0:zero+30, LB1:R0+16, LB2:zero+32, u16, Zero>, U#1.reuse, ->T<1KiB>",
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        same_words(line, spellings[i]);
}

/* The list of the page: these instructions in this order, and a B.DATR only where a pad is asked for. */
static void expansion(void **state) {
    (void)state;
    for (unsigned pad = 0; pad < 4; pad++)
        for (int reuse = 0; reuse < 2; reuse++) {
            char line[256], list[512];
            snprintf(line, sizeof line, "TRELU <LB0:a0+30, LB1:a1, LB2:32, FP16, %s>, M#3%s, ->N<2KB>",
                     pads[pad], reuse ? ".reuse" : "");
            snprintf(list, sizeof list,
                     "BSTART.TEPL TRELU, FP16\nB.DATR %s\nB.DIM a0, 30, ->LB0\nB.DIM a1, 0, ->LB1\n"
                     "B.DIM zero, 32, ->LB2\nB.IOT M#3%s, last, ->N<2KB>",
                     pads[pad], reuse ? ".reuse" : "");
            same_words(line, list);
        }
    same_words("TRELU <LB0:30, LB1:16, LB2:32, u16>, U#1, ->T<1KB>",
               "BSTART.TEPL TRELU, U16\nB.DIM zero, 30, ->LB0\nB.DIM zero, 16, ->LB1\nB.DIM zero, 32, ->LB2\n"
               "B.IOT U#1, last, ->T<1KB>");
    same_words("TRELU <30, u16>, U#1, ->T<1KB>",
               "BSTART.TEPL TRELU, U16\nB.DIM zero, 30, ->LB0\nB.IOT U#1, last, ->T<1KB>");
}

/* ---- dimensions ---- */

/* Each of the three as an immediate, a register, both: the words, and the tile that comes out. */
static void forms_of_dimensions(void **state) {
    (void)state;
    static const int32_t value[] = {30, 16, 32};
    static const char *const reg[] = {"a0", "a1", "a2"};
    static block_values v;
    for (int form = 0; form < 27; form++) {
        char dim[3][16], text[256];
        block_bench b = with_tile(BLOCK_U, RB_U16, 16, 32, 16, 30, &v);
        for (int k = 0, rest = form; k < 3; k++, rest /= 3) {
            const int imm = rest % 3 == 0 ? value[k] : rest % 3 == 1 ? 0 : 5;
            snprintf(dim[k], sizeof dim[k],
                     rest % 3 == 0   ? "%s%d"
                     : rest % 3 == 1 ? "%s"
                                     : "%s+%d",
                     rest % 3 == 0 ? "" : reg[k], imm);
            pto_block_set_gpr(b.machine, 2 + (unsigned)k, (uint64_t)(value[k] - imm));
        }
        snprintf(text, sizeof text, "TRELU <LB0:%s, LB1:%s, LB2:%s, u16>, U#1, ->T<1KB>\nC.BSTOP", dim[0],
                 dim[1], dim[2]);
        block_bench_run(&b, text);
        pto_block_tile dst;
        assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
        assert_int_equal(dst.valid_cols, 30);
        assert_int_equal(dst.valid_rows, 16);
        assert_int_equal(dst.cols, 32);
        assert_int_equal(dst.rows, 16);
        block_bench_drop(&b);
    }
}

static void required_and_defaults(void **state) {
    (void)state;
    static block_values v;
    pto_block_tile dst;
    block_bench b = with_tile(BLOCK_U, RB_U16, 1, 30, 1, 30, &v);
    refuses(&b, "TRELU <u16>, U#1, ->T<128B>\nC.BSTOP", "PTO-E1642");
    refuses(&b, "TRELU <LB1:1, LB2:30, u16>, U#1, ->T<128B>\nC.BSTOP", "PTO-E1642");
    block_bench_run(&b, "TRELU <30, u16>, U#1, ->T<256B>\nC.BSTOP");
    assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
    assert_int_equal(dst.valid_rows, 1);
    assert_int_equal(dst.valid_cols, 30);
    assert_int_equal(dst.cols, 30);
    assert_int_equal(dst.rows, 256 / (30 * 2));
    block_bench_drop(&b);
    b = with_tile(BLOCK_U, RB_U16, 1, 32, 1, 30, &v); /* Col without ValidRow */
    block_bench_run(&b, "TRELU <LB0:30, LB2:32, u16>, U#1, ->T<128B>\nC.BSTOP");
    assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
    assert_int_equal(dst.valid_rows, 1);
    assert_int_equal(dst.cols, 32);
    block_bench_drop(&b);
}

/* Row = Size / (Col * sizeof), of sources and of results, rounded down. */
static void rows_from_size(void **state) {
    (void)state;
    for (unsigned type = 0; type < 32; type++)
        for (int k = 0; in_table(type) && k < 4; k++) {
            static const struct {
                int32_t cols, bytes;
            } sizes_[] = {{32, 1024}, {36, 2048}, {100, 4096}, {1, 128}};
            const int32_t cols = sizes_[k].cols, bytes = sizes_[k].bytes,
                          size = (int32_t)reference_block_bits(type) / 8;
            char text[256];
            block_bench b = block_bench_make(NULL, NULL);
            pto_block_set_gpr(b.machine, 2, BLOCK_MEMORY);
            snprintf(text, sizeof text,
                     "TLOAD <%d, %s>, [a0], ->U<%dB>\nTRELU <%d, %s>, U#1.reuse, ->T<%dB>\nC.BSTOP",
                     (int)cols, reference_block_name(type), (int)bytes, (int)cols, reference_block_name(type),
                     2 * (int)bytes);
            block_bench_run(&b, text);
            pto_block_tile src, dst;
            assert_true(pto_block_tile_at(b.machine, BLOCK_U, 1, &src));
            assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
            assert_int_equal(src.rows, bytes / (cols * size));
            assert_int_equal(dst.rows, 2 * bytes / (cols * size));
            block_bench_drop(&b);
        }
}

/* LB registers have 16 bits: 65535 is a size, 65536 is 0 and refused, 65537 is 1. */
static void sixteen_bits(void **state) {
    (void)state;
    static const char *const ways[][3] = {
        {"65535", "65536", "65537"}, {"a0", "a1", "a2"}, {"a0+0", "a3+1", "a3+2"}}; /* a3 = 65535 */
    uint8_t *row = calloc(1, 65536);
    for (int i = 0; i < 65535; i++)
        row[i] = (uint8_t)(i * 31 >> 3);
    for (int way = 0; way < 3; way++) {
        block_bench b = block_bench_make(NULL, NULL);
        for (unsigned k = 0; k < 3; k++)
            pto_block_set_gpr(b.machine, 2 + k, 65535 + k);
        pto_block_set_gpr(b.machine, 5, 65535);
        const pto_block_tile wide = {.type = RB_U8,
                                     .bytes = 65536,
                                     .rows = 1,
                                     .cols = 65535,
                                     .valid_rows = 1,
                                     .valid_cols = 65535,
                                     .data = row},
                             narrow = {.type = RB_U8,
                                       .bytes = 128,
                                       .rows = 1,
                                       .cols = 1,
                                       .valid_rows = 1,
                                       .valid_cols = 1,
                                       .data = row};
        assert_int_equal(pto_block_push(b.machine, BLOCK_U, &wide), PTO_OK);
        assert_int_equal(pto_block_push(b.machine, BLOCK_M, &narrow), PTO_OK);
        char text[256];
        pto_block_tile dst;
        snprintf(text, sizeof text, "TRELU <%s, u8>, U#1.reuse, ->T<64KB>\nC.BSTOP", ways[way][0]);
        block_bench_run(&b, text);
        assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
        assert_int_equal(dst.valid_cols, 65535);
        assert_memory_equal(dst.data, row, 65535);
        snprintf(text, sizeof text, "TRELU <%s, u8>, U#1.reuse, ->T<64KB>\nC.BSTOP", ways[way][1]);
        refuses(&b, text, "PTO-E1642");
        snprintf(text, sizeof text, "TRELU <1, %s, u8>, U#1.reuse, ->T<64KB>\nC.BSTOP", ways[way][1]);
        refuses(&b, text, "PTO-E1642");
        snprintf(text, sizeof text, "TRELU <%s, u8>, M#1, ->T<128B>\nC.BSTOP", ways[way][2]);
        block_bench_run(&b, text);
        assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
        assert_int_equal(dst.valid_cols, 1);
        block_bench_drop(&b);
    }
    free(row);
}

/* Both sides of each bound: ValidCol at Col and one above, ValidRow at Row and one above. */
static void valid_inside(void **state) {
    (void)state;
    static block_values v;
    block_bench b = with_tile(BLOCK_U, RB_U16, 17, 32, 16, 32, &v);
    block_bench_run(&b, "TRELU <32, 16, 32, u16>, U#1.reuse, ->T<1KB>\nC.BSTOP");
    refuses(&b, "TRELU <33, 16, 32, u16>, U#1.reuse, ->T<1KB>\nC.BSTOP", "PTO-E1642");
    block_bench_drop(&b);
    b = with_tile(BLOCK_U, RB_U16, 17, 32, 17, 32, &v); /* 1 KiB has 16 rows */
    refuses(&b, "TRELU <32, 17, 32, u16>, U#1.reuse, ->T<1KB>\nC.BSTOP", "PTO-E1661");
    block_bench_run(&b, "TRELU <32, 17, 32, u16>, U#1.reuse, ->T<2KB>\nC.BSTOP");
    pto_block_tile tile;
    assert_true(pto_block_tile_at(b.machine, BLOCK_U, 1, &tile));
    tile.valid_rows = tile.rows; /* and of a source, which a host hands over */
    assert_int_equal(pto_block_push(b.machine, BLOCK_M, &tile), PTO_OK);
    tile.valid_rows++;
    assert_int_equal(pto_block_push(b.machine, BLOCK_M, &tile), PTO_ERR_USAGE);
    tile.valid_rows = 1;
    tile.valid_cols = tile.cols + 1;
    assert_int_equal(pto_block_push(b.machine, BLOCK_M, &tile), PTO_ERR_USAGE);
    block_bench_drop(&b);
}

/* ---- types, layout, pads ---- */

static void types_of_the_table(void **state) {
    (void)state;
    static block_values v;
    int taken = 0;
    for (unsigned type = 0; type < 32; type++) {
        if (!reference_block_name(type))
            continue;
        char text[128];
        block_bench b = with_tile(BLOCK_U, type, 4, 8, 4, 6, &v);
        snprintf(text, sizeof text, "TRELU <6, 4, 8, %s>, U#1, ->T<512B>\nC.BSTOP",
                 reference_block_name(type));
        if (in_table(type))
            block_bench_run(&b, text);
        else
            refuses(&b, text, "PTO-E1643");
        taken += in_table(type);
        block_bench_drop(&b);
    }
    assert_int_equal(taken, 16);
    same_words("TRELU <6, fp8>, U#1, ->T<512B>", "TRELU <6, E4M3>, U#1, ->T<512B>");
}

static void row_major(void **state) {
    (void)state;
    static const char *const layouts[] = {"ND2DN", "ND2NZ", "ND2ZN", "ND2ZZ", "ND2NN"};
    static block_values v;
    for (int k = 0; k < 5; k++) {
        char text[256];
        block_bench b = with_tile(BLOCK_U, RB_U16, 32, 32, 32, 32, &v);
        snprintf(text, sizeof text,
                 "TMOV.%s <32, 32, u16>, U#1, ->M<2KB>\nTRELU <32, 32, u16>, M#1, ->T<2KB>\nC.BSTOP",
                 layouts[k]);
        refuses(&b, text, "PTO-E1645");
        block_bench_drop(&b);
    }
}

static void pad_values(void **state) {
    (void)state;
    static block_values v;
    for (unsigned type = 0; type < 32; type++)
        for (unsigned pad = 0; in_table(type) && pad < 5; pad++) { /* 4: not given */
            char text[128];
            block_bench b = with_tile(BLOCK_U, type, 16, 32, 16, 30, &v);
            snprintf(text, sizeof text, "TRELU <30, 16, 32, %s%s%s>, U#1, ->T<8KB>\nC.BSTOP",
                     reference_block_name(type), pad < 4 ? ", " : "", pad < 4 ? pads[pad] : "");
            block_bench_run(&b, text);
            pto_block_tile dst;
            assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
            assert_true(dst.rows > 16); /* rows are padded as well as columns */
            block_check_pad(&dst, pad < 4 ? pad : 3, text);
            for (int i = 0; i < 16 * 30; i++)
                assert_int_equal(block_tile_code(&dst, i / 30, i % 30),
                                 relu(type, block_values_at(&v, i / 30, i % 30)));
            block_bench_drop(&b);
        }
}

/* ---- tiles ---- */

static void queues_and_reuse(void **state) {
    (void)state;
    static block_values v;
    for (unsigned from = 0; from < 4; from++)
        for (unsigned to = 0; to < 4; to++)
            for (int reuse = 0; reuse < 2; reuse++) {
                char text[128];
                block_bench b = with_tile(from, RB_S16, 4, 8, 4, 8, &v);
                snprintf(text, sizeof text, "TRELU <8, 4, s16>, %c#1%s, ->%c<128B>\nC.BSTOP", queues[from],
                         reuse ? ".reuse" : "", queues[to]);
                block_bench_run(&b, text);
                pto_block_tile src, dst;
                assert_true(pto_block_tile_at(b.machine, to, 1, &dst));
                for (int i = 0; i < 32; i++)
                    assert_int_equal(block_tile_code(&dst, i / 8, i % 8), relu(RB_S16, v.code[i]));
                /* the distance counts the push of the result, too */
                assert_int_equal(pto_block_tile_at(b.machine, from, from == to ? 2 : 1, &src), reuse);
                assert_int_equal(pto_block_pushes(b.machine, to), from == to ? 2 : 1);
                assert_int_equal(pto_block_live_tiles(b.machine, NULL), 1u + (unsigned)reuse);
                block_bench_drop(&b);
            }
}

static void sizes(void **state) {
    (void)state;
    static block_values v;
    for (unsigned code = 1; code < 16; code++) {
        char text[128];
        block_bench b = with_tile(BLOCK_U, RB_U8, 1, 8, 1, 8, &v);
        const uint32_t bytes = 16u << code;
        snprintf(text, sizeof text, "TRELU <8, u8>, U#1, ->T<%u>\nC.BSTOP", code);
        if (bytes < 128 || bytes > 256 << 10) {
            refuses(&b, text, "PTO-E1660");
        } else {
            block_bench_run(&b, text);
            pto_block_tile dst;
            assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
            assert_int_equal(dst.bytes, bytes);
            assert_int_equal(dst.rows, bytes / 8);
        }
        char other[128];
        snprintf(other, sizeof other,
                 bytes < 1024 ? "TRELU <8, u8>, U#1, ->T<%uB>\nC.BSTOP"
                              : "TRELU <8, u8>, U#1, ->T<%uKB>\nC.BSTOP",
                 bytes < 1024 ? bytes : bytes / 1024);
        same_words(text, other);
        block_bench_drop(&b);
    }
}

/* ---- the example of the page ---- */

static void worked_example(void **state) {
    (void)state;
    static block_values v;
    static const char line[] = "TRELU <LB0:30, LB1:16, LB2:32, u16>, U#1.reuse, ->T<1KB>";
    char text[512];
    block_bench b = with_tile(BLOCK_U, RB_U16, 16, 32, 16, 30, &v);
    block_values other;
    block_values_random(&other, RB_U16, 16, 32, 16, 30);
    block_values_push(&b, BLOCK_T, &other); /* an older tile of T: the result takes another register */
    snprintf(text, sizeof text, "%s\nC.BSTOP", line);
    block_bench_run(&b, text);
    pto_block_tile src, dst, older;
    assert_true(pto_block_tile_at(b.machine, BLOCK_U, 1, &src)); /* kept, as it was */
    assert_true(pto_block_tile_at(b.machine, BLOCK_T, 1, &dst));
    assert_true(pto_block_tile_at(b.machine, BLOCK_T, 2, &older));
    assert_int_equal(dst.type, RB_U16);
    assert_int_equal(dst.bytes, 1024);
    assert_int_equal(dst.rows, 16);
    assert_int_equal(dst.cols, 32);
    assert_int_equal(dst.valid_rows, 16);
    assert_int_equal(dst.valid_cols, 30);
    assert_int_equal(dst.layout, 0);
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 32; c++) {
            assert_int_equal(block_tile_code(&src, r, c), block_values_at(&v, r, c));
            assert_int_equal(block_tile_code(&older, r, c), block_values_at(&other, r, c));
            uint16_t element; /* two bytes each, rows of 64 bytes */
            memcpy(&element, (const uint8_t *)dst.data + 64 * r + 2 * c, 2);
            assert_int_equal(element, c < 30 ? block_values_at(&v, r, c) : 0); /* ours: Null stores zeros */
        }
    /* without .reuse it is gone after the block */
    block_bench_run(&b, "TRELU <LB0:30, LB1:16, LB2:32, u16>, U#1, ->T<1KB>\nC.BSTOP");
    assert_false(pto_block_tile_at(b.machine, BLOCK_U, 1, &src));
    block_bench_drop(&b);
}

/* Instructions of a program do not belong into the block, whatever stands behind the header. */
static void header_only(void **state) {
    (void)state;
    static const char *const inside[] = {"addi zero, 1, ->a0", "ldi [sp, 0], ->a0", "c.movi 1, ->t",
                                         "ebreak 0", "B.TEXT .+4"};
    static block_values v;
    for (int i = 0; i < 5; i++) {
        char text[256];
        block_bench b = with_tile(BLOCK_U, RB_U16, 16, 32, 16, 30, &v);
        snprintf(text, sizeof text, "TRELU <30, 16, 32, u16>, U#1, ->T<1KB>\n%s\nC.BSTOP", inside[i]);
        refuses(&b, text, "PTO-E1630");
        assert_int_equal(pto_block_pushes(b.machine, BLOCK_T), 0);
        block_bench_drop(&b);
    }
}

/* ---- the program of 70, 12.1 ---- */

static void whole_program_runs(void **state) {
    (void)state;
    static const char text[] =
        "    .org 0x1000\n"
        "C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x200000, ->a1\nc.movi 4, ->a4\n"
        "L1: BSTART.TMA TLOAD, FP32\nC.B.DIMI 16, ->LB0 ; C.B.DIMI 32, ->LB1\nB.IOT last, ->T<2KB>\nB.IOR "
        "a0\n"
        "BSTART.TEPL TRELU, FP32\nC.B.DIMI 16, ->LB0 ; C.B.DIMI 32, ->LB1\nB.IOT T#1, last, ->U<2KB>\n"
        "BSTART.TMA TSTORE, FP32\nC.B.DIMI 16, ->LB0 ; C.B.DIMI 32, ->LB1\nB.IOT U#1, last\nB.IOR a1\n"
        "BSTART.STD COND, L1\naddi a0, 2048, ->a0\naddi a1, 2048, ->a1\nsubi a4, 1, ->a4\nsetc.ne a4, zero\n"
        "C.BSTART.STD FALL\nebreak 0\nC.BSTOP\n";
    for (int stepped = 0; stepped < 2; stepped++) {
        block_bench b = block_bench_make(text, NULL);
        enum { COUNT = 4 * 16 * 32 };
        float *x = (float *)(void *)b.memory, *y = calloc(COUNT + 1, sizeof *y);
        for (int i = 0; i < COUNT; i++)
            x[i] = (float)(int32_t)block_random() * 0x1p-20f;
        y[COUNT] = 77;
        assert_int_equal(pto_block_map(b.machine, 0x200000, y, (COUNT + 1) * sizeof *y, false), PTO_OK);
        if (stepped) {
            pto_status status;
            while ((status = pto_block_step(b.machine)) == PTO_OK)
                ;
            assert_int_equal(status, PTO_ERR_CANCELLED);
        } else {
            block_bench_run(&b, NULL);
        }
        for (int i = 0; i < COUNT; i++)
            assert_true(y[i] == (x[i] > 0 ? x[i] : 0));
        assert_true(y[COUNT] == 77);
        pto_block_tile tile;
        uint64_t bytes = 1;
        for (unsigned q = 0; q < 4; q++) { /* four released entries each in T and U */
            assert_int_equal(pto_block_pushes(b.machine, q), q < 2 ? 4 : 0);
            for (unsigned d = 1; d <= 16; d++)
                assert_false(pto_block_tile_at(b.machine, q, d, &tile));
        }
        assert_int_equal(pto_block_live_tiles(b.machine, &bytes), 0);
        assert_int_equal(bytes, 0);
        assert_int_equal(pto_block_gpr(b.machine, 6), 0); /* a4 */
        assert_int_equal(pto_block_gpr(b.machine, 2), 0x100000 + 4 * 2048);
        assert_int_equal(pto_block_gpr(b.machine, 3), 0x200000 + 4 * 2048);
        assert_int_equal(pto_block_exit_code(b.machine), 0);
        assert_int_equal(pto_block_pc(b.machine), 0x1052); /* at the ebreak */
        block_bench_drop(&b);
        free(y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relu_of_every_code),
        cmocka_unit_test(special_inputs),
        cmocka_unit_test(outside_is_not_read),
        cmocka_unit_test(syntax),
        cmocka_unit_test(expansion),
        cmocka_unit_test(forms_of_dimensions),
        cmocka_unit_test(required_and_defaults),
        cmocka_unit_test(rows_from_size),
        cmocka_unit_test(sixteen_bits),
        cmocka_unit_test(valid_inside),
        cmocka_unit_test(types_of_the_table),
        cmocka_unit_test(row_major),
        cmocka_unit_test(pad_values),
        cmocka_unit_test(queues_and_reuse),
        cmocka_unit_test(sizes),
        cmocka_unit_test(worked_example),
        cmocka_unit_test(header_only),
        cmocka_unit_test(whole_program_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
