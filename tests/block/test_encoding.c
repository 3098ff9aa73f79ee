/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the block form: the published and worked ones, both directions; round trips; what is ILLEGAL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include <pto/block.h>

static pto_status assemble(const char *text, bool compress, uint64_t address, pto_block_image *image) {
    pto_source source;
    pto_source_init(&source, "test.s", text, strlen(text));
    pto_diag_list *diags = pto_diag_list_create();
    const pto_status status = pto_block_assemble(
        &source, &(pto_block_options){.compress = compress, .address = address}, diags, image);
    if (status != PTO_OK) {
        char message[512];
        pto_diag_render_buffer(diags, NULL, message, sizeof message);
        print_message("%s: %s\n", text, message);
    }
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
    return status;
}

/* Hexadecimal numbers, each an instruction word: its bytes, low first. */
static size_t words_of(const char *text, uint8_t *bytes) {
    size_t count = 0;
    while (*text) {
        const size_t digits = strspn(text, "0123456789abcdef");
        const uint64_t word = strtoull(text, NULL, 16);
        for (size_t i = 0; i < digits / 2; i++)
            bytes[count++] = (uint8_t)(word >> (8 * i));
        text += digits + strspn(text + digits, " ");
    }
    return count;
}

static bool collect(void *context, const char *data, size_t len) {
    char *text = context;
    strncat(text, data, len);
    return true;
}

typedef struct example {
    const char *text;
    bool compress;
    const char *words;
    const char *folded; /* the template line that comes back; NULL = as written */
} example;

static const example examples[] = {
    /* 10.1, the seed */
    {"TRELU <LB0:30, LB1:16, LB2:32, u16>, U#1.reuse, ->T<1KB>", false,
     "d1719181 01e00043 01001043 02002043 010b5413",
     "TRELU <LB0:30, LB1:16, LB2:32, U16>, U#1.reuse, ->T<1KB>"},
    {"TRELU <LB0:30, LB1:16, LB2:32, u16>, U#1.reuse, ->T<1KB>", true, "d1719181 07bc 443c 883c 010b5413",
     "TRELU <LB0:30, LB1:16, LB2:32, U16>, U#1.reuse, ->T<1KB>"},
    {"TRELU <LB0:30, LB1:16, LB2:32, u16, Null>, U#1.reuse, ->T<1KB>", false,
     "d1719181 19f01023 01e00043 01001043 02002043 010b5413",
     "TRELU <LB0:30, LB1:16, LB2:32, U16, Null>, U#1.reuse, ->T<1KB>"},
    /* 10.2 to 10.11 */
    {"TADD <60, 64, 64, FP32, Zero>, T#1, U#3.reuse, ->M<16KB>", true,
     "08019181 01f01023 0f3c 503c 903c 480d4913",
     "TADD <LB0:60, LB1:64, LB2:64, FP32, Zero>, T#1, U#3.reuse, ->M<16KB>"},
    {"TMULS <LB0:a1, LB1:a2+8, LB2:128, fp16>, T#2, [a3], ->T<4KB>", false,
     "22219181 00018043 00821043 08002043 001c5013 00028013",
     "TMULS <LB0:a1, LB1:a2+8, LB2:128, FP16>, T#2, [a3], ->T<4KB>"},
    {"TLOAD.NORM <64, 32, 64, FP32, Zero>, [a0, a3], ->T<8KB>", true,
     "08011181 01f01023 103c 483c 903c 000ce013 00510013",
     "TLOAD <LB0:64, LB1:32, LB2:64, FP32, Zero>, [a0, a3], ->T<8KB>"},
    {"TSTORE.NORM <64, 32, FP32>, M#1, [a1, a3]", true, "08111181 103c 483c 02085013 00518013",
     "TSTORE <LB0:64, LB1:32, FP32>, M#1, [a1, a3]"},
    {"TCVT <LB0:50, LB1:32, LB2:64, fp32, fp16, RNE, Sat>, T#3, ->T<4KB>", true,
     "09b19181 1c409023 0cbc 483c 903c 002c5013",
     "TCVT <LB0:50, LB1:32, LB2:64, FP32, FP16, RNE, Sat>, T#3, ->T<4KB>"},
    {"TCMP.LT <32, 32, S32>, T#1.reuse, T#2.reuse, ->N<128B>", true, "88d19181 59f01023 083c 483c 0409cd93",
     "TCMP.LT <LB0:32, LB1:32, S32>, T#1.reuse, T#2.reuse, ->N<128B>"},
    {"TSEL <32, 32, S32>, N#1, T#1, T#2, ->U<4KB>", true, "89a19181 083c 483c 03004013 001c5093",
     "TSEL <LB0:32, LB1:32, S32>, N#1, T#1, T#2, ->U<4KB>"},
    {"TMATMUL <M:64, N:32, K:128, FP16>, T#2, T#1, ->ACC<8KB>", true, "20031181 103c 483c a03c 00184013",
     "TMATMUL <M:64, N:32, K:128, FP16>, T#2, T#1"},
    {"ACCCVT NZ2ND, <Row:64, Col:32, FP32, FP16, RNE>, ACC, ->M<4KB>", true,
     "08831181 18409da3 103c 483c 000c6113",
     "ACCCVT NZ2ND, <LB0:64, LB1:32, FP32, FP16, RNE>, ACC, ->M<4KB>"},
    {"MGATHER <16, 4, S32, Zero>, U#16.reuse, [a0], ->T<256B>", true,
     "88411181 01f01023 043c 413c 01fa5413 00010013",
     "MGATHER <LB0:16, LB1:4, S32, Zero>, U#16.reuse, [a0], ->T<256B>"},
    {"TROWSUM <64, 32, FP32>, T#1.reuse, ->U<128B>", true, "0c019181 103c 483c 0009d493",
     "TROWSUM <LB0:64, LB1:32, FP32>, T#1.reuse, ->U<128B>"},
    /* 10.12 and the published words */
    {"B.DIM zero, 300, ->LB0", false, "12c00043", NULL},
    {"B.DIM x3, 65535, ->LB1", false, "fffb97c3", NULL},
    {"B.DIM zero, 131071, ->LB2", false, "fff02fc3", NULL},
    {"addi zero, 1024, ->a6", false, "40000415", NULL},
    {"c.movi 1, ->t", false, "f856", NULL},
    {"setc.ltui a5, 6", false, "0063e075", NULL},
    {"swi zero, [t#2, 8]", false, "05902059", NULL},
    {"c.setc.tgt ra", false, "029c", NULL},
    {"C.BSTART.STD RET", false, "3800", NULL},
    {"C.BSTART.STD FALL", false, "0800", NULL},
    {"B.IOT T#1, last, ->U<2KB>", false, "000bd093", NULL},
    {"B.CATR trap, atomic, aqrl, far, dr", false, "040f8023", "B.CATR trap, atomic, aq, rl, far, dr"},
    {"hl.lis 0x100000, ->a0", false, "0000010d001e", "hl.lis 1048576, ->a0"},
    {"ebreak 0", false, "0010102b", NULL},
    /* other spellings of one word */
    {"BSTART.TEPL 0b1000001, 1", false, "0c119181", "TROWMAX <FP32>"},
    {"BSTART.TEPL 2, 1, FP32", false, "0c119181", "TROWMAX <FP32>"},
    {"bstart.trowmax fp32", false, "0c119181", "TROWMAX <FP32>"},
    {"BSTART.VEC TROWMAX, FP32", false, "0c119181", "TROWMAX <FP32>"},
    {"B.IOT [t#1, t#2], last, ->t<8KB>", false, "040cc013", "B.IOT T#1, T#2, last, ->T<8KB>"},
    {"B.IOR [a0], []", false, "00010013", "B.IOR a0"},
    {"B.IOT T#1, last, ->T<6>", false, "000b5013", "B.IOT T#1, last, ->T<1KB>"},
};

static void check_example(const example *one) {
    pto_block_image image;
    assert_int_equal(assemble(one->text, one->compress, 0, &image), PTO_OK);
    uint8_t expected[64];
    const size_t count = words_of(one->words, expected);
    assert_int_equal(image.size, count);
    assert_memory_equal(image.bytes, expected, count);
    char text[512] = "";
    assert_int_equal(pto_block_disassemble(&image,
                                           &(pto_block_options){.fold = true, .compress = one->compress},
                                           collect, text),
                     PTO_OK);
    char wanted[512];
    snprintf(wanted, sizeof wanted, "    %s\n", one->folded ? one->folded : one->text);
    assert_string_equal(text, wanted);
    /* and physically, back to the same words */
    *text = 0;
    pto_block_disassemble(&image, NULL, collect, text);
    pto_block_image again;
    assert_int_equal(assemble(text, false, 0, &again), PTO_OK);
    assert_int_equal(again.size, count);
    assert_memory_equal(again.bytes, expected, count);
    pto_block_image_free(&again);
    pto_block_image_free(&image);
}

static void worked_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_example(&examples[i]);
}

/* ---- every word of 70, 10 by itself ---- */

/* The physical line of a word and what its fields hold: "DataType 26" and so on, by the names of 70. */
typedef struct worked {
    uint64_t word;
    const char *line, *fields;
} worked;

static const worked worked_word[] = {
    /* 10.1 */
    {0xd1719181, "BSTART.TEPL TRELU, U16", "type 26 sel 23"},
    {0x19f01023, "B.DATR Null", "pad 3 type2 31 cmode 0 rmode 0 sat 0 layout 0"},
    {0x01e00043, "B.DIM zero, 30, ->LB0", "imm 30 reg 0 dim 0"},
    {0x01001043, "B.DIM zero, 16, ->LB1", "imm 16 reg 0 dim 1"},
    {0x02002043, "B.DIM zero, 32, ->LB2", "imm 32 reg 0 dim 2"},
    {0x010b5413, "B.IOT U#1.reuse, last, ->T<1KB>", "src0 16 last 1 size 6 reuse0 1 queue 0"},
    {0x07bc, "C.B.DIMI 30, ->LB0", "imm 30 dim 0"},
    {0x443c, "C.B.DIMI 16, ->LB1", "imm 16 dim 1"},
    {0x883c, "C.B.DIMI 32, ->LB2", "imm 32 dim 2"},
    /* 10.2 */
    {0x08019181, "BSTART.TEPL TADD, FP32", "type 1 sel 0"},
    {0x01f01023, "B.DATR Zero", "pad 0 type2 31"},
    {0x0f3c, "C.B.DIMI 60, ->LB0", "imm 60 dim 0"},
    {0x503c, "C.B.DIMI 64, ->LB1", "imm 64 dim 1"},
    {0x903c, "C.B.DIMI 64, ->LB2", "imm 64 dim 2"},
    {0x480d4913, "B.IOT T#1, U#3.reuse, last, ->M<16KB>",
     "src1 18 src0 0 last 1 size 10 reuse1 1 reuse0 0 queue 2"},
    /* 10.3 */
    {0x22219181, "BSTART.TEPL TMULS, FP16", "type 4 sel 34"},
    {0x00018043, "B.DIM a1, 0, ->LB0", "imm 0 reg 3 dim 0"},
    {0x00821043, "B.DIM a2, 8, ->LB1", "imm 8 reg 4 dim 1"},
    {0x08002043, "B.DIM zero, 128, ->LB2", "imm 128 reg 0 dim 2"},
    {0x001c5013, "B.IOT T#2, last, ->T<4KB>", "src0 1 last 1 size 8 queue 0 reuse0 0"},
    {0x00028013, "B.IOR a3", "reg0 5 reg1 0 reg2 0 regd 0"},
    /* 10.4 */
    {0x08011181, "BSTART.TMA TLOAD, FP32", "type 1 sel 0"},
    {0x103c, "C.B.DIMI 64, ->LB0", "imm 64 dim 0"},
    {0x483c, "C.B.DIMI 32, ->LB1", "imm 32 dim 1"},
    {0x000ce013, "B.IOT last, ->T<8KB>", "last 1 size 9 queue 0"},
    {0x00510013, "B.IOR a0, a3", "reg0 2 reg1 5 reg2 0"},
    /* 10.5 */
    {0x08111181, "BSTART.TMA TSTORE, FP32", "type 1 sel 1"},
    {0x02085013, "B.IOT M#1, last", "src0 32 last 1 size 0 queue 0"},
    {0x00518013, "B.IOR a1, a3", "reg0 3 reg1 5"},
    /* 10.6 */
    {0x09b19181, "BSTART.TEPL TCVT, FP32", "type 1 sel 27"},
    {0x1c409023, "B.DATR FP16, RNE, Sat", "type2 4 rmode 1 sat 1 pad 3"},
    {0x0cbc, "C.B.DIMI 50, ->LB0", "imm 50 dim 0"},
    {0x002c5013, "B.IOT T#3, last, ->T<4KB>", "src0 2 size 8"},
    /* 10.7 */
    {0x88d19181, "BSTART.TEPL TCMP, S32", "type 17 sel 13"},
    {0x59f01023, "B.DATR LT", "cmode 2 pad 3 type2 31"},
    {0x083c, "C.B.DIMI 32, ->LB0", "imm 32 dim 0"},
    {0x0409cd93, "B.IOT T#1.reuse, T#2.reuse, last, ->N<128B>",
     "src1 1 src0 0 last 1 size 3 reuse1 1 reuse0 1 queue 3"},
    /* 10.8 */
    {0x89a19181, "BSTART.TEPL TSEL, S32", "type 17 sel 26"},
    {0x03004013, "B.IOT N#1, T#1", "src0 48 src1 0 last 0 size 0"},
    {0x001c5093, "B.IOT T#2, last, ->U<4KB>", "src0 1 last 1 size 8 queue 1"},
    /* 10.9 */
    {0x20031181, "BSTART.CUBE TMATMUL, FP16", "type 4 sel 0"},
    {0xa03c, "C.B.DIMI 128, ->LB2", "imm 128 dim 2"},
    {0x00184013, "B.IOT T#2, T#1, last", "src1 0 src0 1 last 1 size 0"},
    {0x08831181, "BSTART.CUBE ACCCVT, FP32", "type 1 sel 8"},
    {0x18409da3, "B.DATR NZ2ND, FP16, RNE", "layout 27 rmode 1 type2 4 pad 3"},
    {0x000c6113, "B.IOT last, ->M<4KB>", "last 1 size 8 queue 2"},
    /* 10.10 */
    {0x88411181, "BSTART.TMA MGATHER, S32", "type 17 sel 4"},
    {0x043c, "C.B.DIMI 16, ->LB0", "imm 16 dim 0"},
    {0x413c, "C.B.DIMI 4, ->LB1", "imm 4 dim 1"},
    {0x01fa5413, "B.IOT U#16.reuse, last, ->T<256B>", "src0 31 reuse0 1 last 1 size 4"},
    {0x00010013, "B.IOR a0", "reg0 2 reg1 0"},
    /* 10.11 */
    {0x0c019181, "BSTART.TEPL TROWSUM, FP32", "type 1 sel 64"},
    {0x0009d493, "B.IOT T#1.reuse, last, ->U<128B>", "src0 0 reuse0 1 last 1 size 3 queue 1"},
    /* 10.12 */
    {0x12c00043, "B.DIM zero, 300, ->LB0", "imm 300 reg 0 dim 0"},
    {0xfffb97c3, "B.DIM x3, 65535, ->LB1", "imm 65535 reg 23 dim 1"},
    {0xfff02fc3, "B.DIM zero, 131071, ->LB2", "imm 131071 reg 0 dim 2"},
    /* published */
    {0x000b5493, "B.IOT T#1.reuse, last, ->U<1KB>", "src0 0 reuse0 1 size 6 queue 1"},
    {0x440cc513, "B.IOT T#1.reuse, U#2, last, ->M<8KB>", "src0 0 src1 17 reuse0 1 reuse1 0 size 9 queue 2"},
    {0x02285413, "B.IOT M#3.reuse, last", "src0 34 reuse0 1 last 1 size 0"},
    {0x0009e193, "B.IOT last, ->N<128B>", "size 3 queue 3 last 1"},
    {0xd0304813, "B.IOT T#4, N#5.reuse", "src0 3 src1 52 reuse1 1 reuse0 0 last 0 size 0"},
    {0xb6231123, "B.DATR ND2ZZ.canon, TF32, GE, RTO, Sat, Min",
     "layout 2 type2 2 cmode 5 rmode 6 sat 1 pad 2"},
    {0x18d19ea3, "B.DATR NZ2ZZ, E8M0, RDN", "layout 29 type2 13 rmode 3 pad 3"},
    {0x18501ea3, "B.DATR NZ2ZZ, BF16", "layout 29 type2 5 pad 3"},
    {0xc0019181, "BSTART.TEPL TADD, U64", "type 24 sel 0"},
    {0xc7d19181, "BSTART.TEPL TFREE, U64", "type 24 sel 125"},
    {0x0ee19181, "BSTART.TEPL TTRANS, FP32", "type 1 sel 110"},
    {0x24419181, "BSTART.TEPL TROWEXPAND, FP16", "type 4 sel 68"},
    {0x040f8023, "B.CATR trap, atomic, aq, rl, far, dr", NULL},
    {0x000a0013, "B.IOR x0", "reg0 20"},
    {0x008b0013, "B.IOR x2, a6", "reg0 22 reg1 8"},
    {0x00858013, "B.IOR s0, a6", "reg0 11 reg1 8"},
    {0x0800, "C.BSTART.STD FALL", NULL},
    {0x3800, "C.BSTART.STD RET", NULL},
    {0x40000415, "addi zero, 1024, ->a6", NULL},
    {0xf856, "c.movi 1, ->t", NULL},
    {0x0063e075, "setc.ltui a5, 6", NULL},
    {0x0636, "c.setc.ne t#1, zero", NULL},
    {0x05902059, "swi zero, [t#2, 8]", NULL},
    {0x029c, "c.setc.tgt ra", NULL},
};

static pto_block_field field_named(const char *name) {
    static const struct {
        const char *name;
        pto_block_field field;
    } names[] = {{"type", PTO_BLOCK_TYPE},     {"sel", PTO_BLOCK_SELECTOR},  {"pad", PTO_BLOCK_PAD},
                 {"type2", PTO_BLOCK_TYPE2},   {"cmode", PTO_BLOCK_CMODE},   {"rmode", PTO_BLOCK_RMODE},
                 {"sat", PTO_BLOCK_SAT},       {"layout", PTO_BLOCK_LAYOUT}, {"imm", PTO_BLOCK_IMM},
                 {"reg", PTO_BLOCK_REG},       {"dim", PTO_BLOCK_DIM},       {"src0", PTO_BLOCK_SRC0},
                 {"src1", PTO_BLOCK_SRC1},     {"last", PTO_BLOCK_LAST},     {"size", PTO_BLOCK_SIZE},
                 {"reuse0", PTO_BLOCK_REUSE0}, {"reuse1", PTO_BLOCK_REUSE1}, {"queue", PTO_BLOCK_QUEUE},
                 {"reg0", PTO_BLOCK_REG0},     {"reg1", PTO_BLOCK_REG1},     {"reg2", PTO_BLOCK_REG2},
                 {"regd", PTO_BLOCK_REGD}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, name))
            return names[i].field;
    fail_msg("no field %s", name);
    return PTO_BLOCK_FIELD_COUNT;
}

static void worked_fields(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof worked_word / sizeof *worked_word; i++) {
        const worked *one = &worked_word[i];
        uint8_t code[4];
        for (int k = 0; k < 4; k++)
            code[k] = (uint8_t)(one->word >> (8 * k));
        const unsigned bytes = pto_block_length((uint16_t)one->word);
        pto_block_instr instr;
        assert_int_equal(pto_block_decode(code, bytes, &instr), PTO_OK);
        assert_int_equal(instr.bytes, bytes);
        char line[256], name[16];
        pto_block_print(&instr, line, sizeof line);
        if (strcmp(line, one->line))
            fail_msg("%08llx prints as %s, not %s", (unsigned long long)one->word, line, one->line);
        pto_block_image image;
        assert_int_equal(assemble(one->line, false, 0, &image), PTO_OK);
        assert_int_equal(image.size, bytes);
        assert_memory_equal(image.bytes, code, bytes);
        pto_block_image_free(&image);
        int length, value;
        for (const char *at = one->fields; at && sscanf(at, "%15s %d%n", name, &value, &length) == 2;
             at += length)
            if (instr.field[field_named(name)] != value)
                fail_msg("%s: %s is %lld, not %d", one->line, name, (long long)instr.field[field_named(name)],
                         value);
    }
}

static const char program[] =
    "    .org 0x1000\n"
    "C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x200000, ->a1\nc.movi 4, ->a4\n"
    "L1: BSTART.TMA TLOAD, FP32\nC.B.DIMI 16, ->LB0 ; C.B.DIMI 32, ->LB1\n"
    "B.IOT last, ->T<2KB>\nB.IOR a0\nBSTART.TEPL TRELU, FP32\n"
    "C.B.DIMI 16, ->LB0 ; C.B.DIMI 32, ->LB1\nB.IOT T#1, last, ->U<2KB>\n"
    "BSTART.TMA TSTORE, FP32\nC.B.DIMI 16, ->LB0 ; C.B.DIMI 32, ->LB1\nB.IOT U#1, last\n"
    "B.IOR a1\nBSTART.STD COND, L1\naddi a0, 2048, ->a0\naddi a1, 2048, ->a1\n"
    "subi a4, 1, ->a4\nsetc.ne a4, zero\nC.BSTART.STD FALL\nebreak 0\nC.BSTOP\n";
static const char program_words[] =
    "0800 0000010d001e 0000018d002e 3116 08011181 043c 483c 000be013 00010013 09719181 043c 483c 000bd093 "
    "08111181 043c "
    "483c 01085013 00018013 fff53001 80010115 80018195 00131315 00031065 0800 0010102b 0000";

static void whole_program(void **state) {
    (void)state;
    pto_block_image image, again;
    uint8_t expected[256];
    const size_t count = words_of(program_words, expected);
    assert_int_equal(assemble(program, false, 0, &image), PTO_OK);
    assert_int_equal(image.address, 0x1000);
    assert_int_equal(image.size, count);
    assert_memory_equal(image.bytes, expected, count);
    for (int fold = 0; fold < 2; fold++) {
        char text[4096] = "";
        pto_block_disassemble(&image, &(pto_block_options){.fold = fold, .compress = true}, collect, text);
        assert_non_null(strstr(text, "L1010:"));
        assert_int_equal(fold, strstr(text, "TRELU <LB0:16, LB1:32, FP32>, T#1, ->U<2KB>") != NULL);
        assert_int_equal(assemble(text, true, 0, &again), PTO_OK);
        assert_int_equal(again.address, 0x1000);
        assert_int_equal(again.size, count);
        assert_memory_equal(again.bytes, expected, count);
        pto_block_image_free(&again);
    }
    pto_block_image_free(&image);
}

/* print, assemble, compare */
static void round_trip(uint64_t word, unsigned bytes) {
    uint8_t code[8];
    for (unsigned i = 0; i < bytes; i++)
        code[i] = (uint8_t)(word >> (8 * i));
    pto_block_instr instr;
    if (pto_block_decode(code, bytes, &instr) != PTO_OK)
        return;
    assert_int_equal(instr.bytes, bytes);
    uint64_t encoded = 0;
    assert_int_equal(pto_block_encode(&instr, &encoded), PTO_OK);
    assert_int_equal(encoded, word);
    char text[256];
    assert_true(pto_block_print(&instr, text, sizeof text) < sizeof text);
    pto_block_image image;
    if (assemble(text, false, 0x4000, &image) != PTO_OK || image.size != bytes ||
        memcmp(image.bytes, code, bytes))
        fail_msg("%0*llx: %s", (int)bytes * 2, (unsigned long long)word, text);
    pto_block_image_free(&image);
}

static void all_16_bit_words(void **state) {
    (void)state;
    for (uint32_t word = 0; word < 0x10000; word++)
        if (pto_block_length((uint16_t)word) == 2)
            round_trip(word, 2);
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Random bits in the variable places of every form, then wholly random words. PTO_BLOCK_WORDS enlarges it. */
static void random_words(void **state) {
    (void)state;
    const char *wanted = getenv("PTO_BLOCK_WORDS");
    const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : 40000;
    static const uint64_t seeds[] = {
        0x00019181, 0x00011181, 0x00031181, 0x1001, 0x2001, 0x3001, 0x4001, 0x11,      0x21,   0x43,
        0x1043,     0x2043,     0x1023,     0x23,   0x4013, 0x5013, 0x6013, 0x13,      0x1013, 0x33,
        0x3,        0x507,      0x7,        0x15,   0x7015, 0x5,    0x2005, 0x7005,    0x47,   0x17,
        0x3019,     0x3059,     0x65,       0x75,   0x6075, 0x403b, 0x77,   0x0010102b};
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t seed = seeds[i % (sizeof seeds / sizeof *seeds)];
        uint64_t keep = 0x7f | (random_word() & 1 ? 0x7000 : 0) | (random_word() & 1 ? 0xfff80 : 0);
        round_trip((seed & keep) | (random_word() & 0xffffffff & ~keep & random_word()), 4);
        const uint64_t word = random_word();
        if (pto_block_length((uint16_t)word) == 4)
            round_trip(word & 0xffffffff, 4);
        round_trip((word & UINT64_C(0xffffff80fff0)) | 0x0000000d000e, 6);
        round_trip((random_word() & UINT64_C(0xffff8000fff0)) | 0x1001000e, 6);
        round_trip((random_word() & UINT64_C(0xffff8000ffffff80)) | UINT64_C(0x000010010000000f), 8);
    }
}

/* The decoder takes exactly what the tables of 70, 5 and 6 name. */
static bool decodes(uint64_t word) {
    uint8_t code[8];
    for (int i = 0; i < 8; i++)
        code[i] = (uint8_t)(word >> (8 * i));
    pto_block_instr instr;
    return pto_block_decode(code, 8, &instr) == PTO_OK;
}

static void exhaustive_starts(void **state) {
    (void)state;
    int accepted[3] = {0};
    static const uint64_t engine[] = {0x00019181, 0x00011181, 0x00031181};
    for (int e = 0; e < 3; e++)
        for (uint64_t high = 0; high < 4096; high++)
            accepted[e] += decodes(engine[e] | high << 20);
    assert_int_equal(accepted[0], 106 * 25);
    assert_int_equal(accepted[1], 9 * 25);
    assert_int_equal(accepted[2], 13 * 25);
    /* the engines that have no block here */
    for (uint64_t other = 0; other < 8; other++)
        assert_int_equal(decodes(0x1181 | other << 15), other == 2 || other == 3 || other == 6);
    /* operations that one release rejects, and two that stay reserved (1.2) */
    static const uint64_t ours[] = {0xc0519181, 0xc1819181, 0xc1919181, 0xc1c19181,
                                    0xc2519181, 0xc2e19181, 0xc3819181, 0xc3919181};
    for (int i = 0; i < 8; i++)
        assert_true(decodes(ours[i]));
    assert_false(decodes(0xc6919181));
    assert_false(decodes(0xc2001181));
}

static void reserved_codes(void **state) {
    (void)state;
    for (uint64_t func = 0; func < 8; func++) {
        assert_int_equal(decodes(0x43 | func << 12), func <= 2);
        assert_int_equal(decodes(0x23 | func << 12), func <= 1);
        assert_int_equal(decodes(0x13 | func << 12), func <= 1 || (func >= 4 && func <= 6));
    }
    for (uint64_t reg = 0; reg < 32; reg++) {
        assert_int_equal(decodes(0x43 | reg << 15), reg < 24);
        assert_int_equal(decodes(0x13 | reg << 15), reg < 24);
        assert_int_equal(decodes(0x13 | reg << 27), reg < 24);
        assert_int_equal(decodes(0xc03c | reg << 6), reg < 24);
        assert_int_equal(decodes(0x1013 | reg << 15), reg <= 8);
        assert_int_equal(decodes(0x1013 | reg << 7), reg <= 1);
        assert_int_equal(decodes(0x01f01023 | reg << 7), reg != 16);
        assert_int_equal(decodes(0x00001023 | reg << 20),
                         !(reg == 15 || (reg >= 21 && reg <= 23) || reg == 29 || reg == 30));
    }
    for (uint64_t code = 0; code < 8; code++) {
        assert_int_equal(decodes(0x01f01023 | code << 29), code <= 5);
        assert_true(decodes(0x01f01023 | code << 15));
        assert_int_equal(decodes(0xc03c | code << 11), code <= 2);
        for (uint64_t size = 0; size < 16; size++)
            assert_int_equal(decodes(0x5013 | size << 15 | code << 7),
                             size ? code < 4 : code == 0 || code == 7);
        assert_int_equal(decodes(code << 11), code == 0 || code == 1 || code >= 5);
        assert_int_equal(decodes(0x80 | code << 11), code == 1 || code >= 5);
        assert_int_equal(decodes(0x40 | code << 11), code == 1);
    }
    assert_false(decodes(0x01f41023)); /* [19:18] of B.DATR */
    assert_false(decodes(0x04005013)); /* a second source of a one-source form */
    assert_false(decodes(0x2023));     /* B.FPATR is of another revision */
}

/* assemble() refuses; the rule is the reason. */
static void refused(const char *text, const char *rule) {
    pto_source source;
    pto_source_init(&source, "test.s", text, strlen(text));
    pto_diag_list *diags = pto_diag_list_create();
    pto_block_image image;
    assert_int_equal(pto_block_assemble(&source, NULL, diags, &image), PTO_ERR_REFUSED);
    if (!pto_diag_has(diags, rule))
        fail_msg("%s: not %s but %s", text, rule,
                 pto_diag_first(diags) ? pto_diag_first(diags)->rule : "nothing");
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
}

static void mistakes(void **state) {
    (void)state;
    refused("TRELU <30, u16>, U#1, ->T<a1>", "PTO-E1605");
    refused("TRELU <30, u16>, U#17, ->T<1KB>", "PTO-E1607");
    refused("TRELU <30, u16>, U#1, ->T<3KB>", "PTO-E1603");
    refused("TRELU <30, u16>, U#1, ->T<16>", "PTO-E1603");
    refused("TRELU <later, u16>, U#1, ->T<1KB>", "PTO-E0214");
    refused("TRELU <30>, U#1, ->T<1KB>", "PTO-E0201");
    refused("TRELU <LB0:1, LB0:2, u16>, U#1, ->T<1KB>", "PTO-E0215");
    refused("TRELU <131072, u16>, U#1, ->T<1KB>", "PTO-E1603");
    refused("TNONSENSE <30, u16>", "PTO-E1602");
    refused("BSTART.TEPL 29, FP32", "PTO-E1604");
    refused("B.DIM t#1, 0, ->LB0", "PTO-E0201");
    refused("addi zero, 4096, ->a0", "PTO-E1603");
    refused("ldi [a0, 4], ->a0", "PTO-E1603");
    refused("c.movi 1, ->ra", "PTO-E1603");
    refused("BSTART.STD COND, nowhere", "PTO-E0214");
    refused("a: a:", "PTO-E0215");
    refused("a = 1\na = 2", "PTO-E0215");
    refused(".space later\nlater = 4", "PTO-E1606");
    refused(".byte 256", "PTO-E1603");
    refused(".word 1/0", "PTO-E1603");
    refused("C.BSTART DIRECT, .+4096", "PTO-E1603");
    refused("a0 = 4", "PTO-E0215");
    refused(".byte 1\nBSTOP", "PTO-E1606");
}

static void directives_and_expressions(void **state) {
    (void)state;
    pto_block_image image;
    static const char text[] =
        "# a comment, with TRELU in it\n"
        "size = 1 << 4 | 3 // another\n"
        "start: .word (size - 3) * 2, end - start, ~0\n"
        ".half 0x1234; .byte 1, /* and one */ 0b101\n"
        ".align 8\n.space 2\n.org 32\n.equ twice, size * 2\n.byte twice % 7\n.align 2\nend:\n"
        "addi zero, size + 1, ->a0\n";
    assert_int_equal(assemble(text, false, 0, &image), PTO_OK);
    static const uint8_t expected[] = {32,   0, 0, 0, 34, 0, 0, 0, 255,  255,  255,  255, 0x34,
                                       0x12, 1, 5, 0, 0,  0, 0, 0, 0,    0,    0,    0,   0,
                                       0,    0, 0, 0, 0,  0, 3, 0, 0x15, 0x01, 0x40, 0x01};
    assert_int_equal(image.size, sizeof expected);
    assert_memory_equal(image.bytes, expected, sizeof expected);
    pto_block_image_free(&image);
}

/* Bytes that mean nothing come back as data. */
static void undecodable_round_trip(void **state) {
    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint8_t bytes[41];
        const size_t size = random_word() % sizeof bytes;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)random_word();
        const pto_block_image image = {.address = 0x100, .bytes = bytes, .size = size};
        const bool fold = random_word() & 1, compress = random_word() & 1;
        char text[8192] = "";
        pto_block_disassemble(&image,
                              &(pto_block_options){.fold = fold, .compress = compress, .words = round & 4},
                              collect, text);
        pto_block_image again;
        if (assemble(text, compress, 0, &again) != PTO_OK || again.size != size ||
            memcmp(again.bytes, bytes, size))
            fail_msg("%s", text);
        pto_block_image_free(&again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_words),
        cmocka_unit_test(worked_fields),
        cmocka_unit_test(whole_program),
        cmocka_unit_test(all_16_bit_words),
        cmocka_unit_test(random_words),
        cmocka_unit_test(exhaustive_starts),
        cmocka_unit_test(reserved_codes),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(directives_and_expressions),
        cmocka_unit_test(undecodable_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
