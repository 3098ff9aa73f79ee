/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution programs: one in every form on every target, and registers that end with their block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program_testing.h"
#include <pto/launch.h>
#include <pto/number.h>
#include <pto/pto-inst.h>

/* 4 x 4 pixels of 32 channels, 16 filters of 3 x 3, padding 1 of the value 1/2; small integers, so that every
 * sum is exact. x is NHWC on a5, where TLOAD changes the order, NC1HWC0 elsewhere. */
enum { SIZE = 4, CHANNELS = 32, FILTERS = 16, K = 9 * CHANNELS };

#define HEAD                                                                                                 \
    "!image = !pto.conv_tile<mat, NC1HWC0, 1x2x4x4x16xf16>\n"                                                \
    "!filters = !pto.conv_tile<mat, FRACTAL_Z, 18x1x16x16xf16>\n"                                            \
    "!left = !pto.tile_buf<left, 16x288xf16, blayout=col_major, slayout=row_major>\n"                        \
    "!right = !pto.tile_buf<right, 288x16xf16, slayout=col_major>\n"                                         \
    "!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n"             \
    "!wp = !pto.partition_tensor_view<18x1x16x16xf16>\n!yp = !pto.partition_tensor_view<16x16xf32>\n"        \
    "func.func @conv(%x: !pto.ptr<f16>, %w: !pto.ptr<f16>, %y: !pto.ptr<f32>) attributes {pto.entry} {\n"    \
    "%z = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"        \
    "%c4 = arith.constant 4 : index\n%c16 = arith.constant 16 : index\n%c18 = arith.constant 18 : index\n"   \
    "%c32 = arith.constant 32 : index\n%c64 = arith.constant 64 : index\n"                                   \
    "%c128 = arith.constant 128 : index\n%c256 = arith.constant 256 : index\n"                               \
    "%c512 = arith.constant 512 : index\n"                                                                   \
    "%wv = pto.make_tensor_view %w, shape = [%c18, %c1, %c16, %c16], strides = [%c256, %c256, %c16, %c1] "   \
    ": !pto.tensor_view<18x1x16x16xf16>\n"                                                                   \
    "%yv = pto.make_tensor_view %y, shape = [%c16, %c16], strides = [%c16, %c1] : "                          \
    "!pto.tensor_view<16x16xf32>\n"                                                                          \
    "%wi = pto.partition_view %wv, offsets = [%z, %z, %z, %z], sizes = [%c18, %c1, %c16, %c16] "             \
    ": !pto.tensor_view<18x1x16x16xf16> -> !wp\n"                                                            \
    "%yo = pto.partition_view %yv, offsets = [%z, %z], sizes = [%c16, %c16] "                                \
    ": !pto.tensor_view<16x16xf32> -> !yp\n"                                                                 \
    "%image = pto.alloc_conv_tile {fmap_h = 4, fmap_w = 4, filter_h = 3, filter_w = 3, "                     \
    "pad_list = [1, 1, 1, 1], pad_value = 0.5} : !image\n"                                                   \
    "%filters = pto.alloc_conv_tile : !filters\n%a = pto.alloc_tile : !left\n%b = pto.alloc_tile : !right\n" \
    "%c = pto.alloc_tile : !acc\n"                                                                           \
    "pto.tload ins(%wi : !wp) outs(%filters : !filters)\n"                                                   \
    "pto.textract ins(%filters, %z, %z : !filters, index, index) outs(%b : !right)\n"
#define LOAD(shape, strides, layout, type)                                                                   \
    "%xv = pto.make_tensor_view %x, shape = " shape ", strides = " strides layout ": !pto.tensor_view<" type \
    ">\n"                                                                                                    \
    "%xi = pto.partition_view %xv, offsets = [%z, %z, %z, %z, %z], sizes = " shape                           \
    " : !pto.tensor_view<" type "> -> !pto.partition_tensor_view<" type ">\n"                                \
    "pto.tload ins(%xi : !pto.partition_tensor_view<" type ">) outs(%image : !image)\n"
#define SPLIT LOAD("[%c1, %c2, %c4, %c4, %c16]", "[%c512, %c256, %c64, %c16, %c1] ", "", "1x2x4x4x16xf16")
#define NHWC                                                                                                 \
    LOAD("[%c1, %c1, %c4, %c4, %c32]", "[%c512, %c512, %c128, %c32, %c1] ", "{layout = #pto.layout<nhwc>} ", \
         "1x1x4x4x32xf16")
#define SET                                                                                                  \
    "pto.setfmatrix ins(%image : !image) outs()\npto.set_img2col_padding ins(%image : !image) outs()\n"
#define TAIL                                                                                                 \
    "pto.timg2col ins(%image : !image) outs(%a : !left)\n"                                                   \
    "pto.tmatmul ins(%a, %b : !left, !right) outs(%c : !acc)\npto.tstore ins(%c : !acc) outs(%yo : !yp)\n"   \
    "return\n}\n"

static uint16_t x[SIZE * SIZE * CHANNELS], nhwc[SIZE * SIZE * CHANNELS], w[K * FILTERS];
static float y[2 * SIZE * SIZE * FILTERS], want[SIZE * SIZE * FILTERS];
static void fill(void) {
    for (int h = 0; h < SIZE; h++)
        for (int v = 0; v < SIZE; v++)
            for (int c = 0; c < CHANNELS; c++) {
                uint16_t value = (uint16_t)pto_number_from_double(PTO_F16, (h * 5 + v * 3 + c) % 7 - 3,
                                                                  PTO_CAST_RINT, false);
                x[((c / 16 * SIZE + h) * SIZE + v) * 16 + c % 16] = value;
                nhwc[(h * SIZE + v) * CHANNELS + c] = value;
            }
    for (int i = 0; i < K * FILTERS; i++)
        w[i] = (uint16_t)pto_number_from_double(PTO_F16, i % 5 - 2, PTO_CAST_RINT, false);
    for (int oh = 0; oh < SIZE; oh++)
        for (int ow = 0; ow < SIZE; ow++)
            for (int n = 0; n < FILTERS; n++) {
                double sum = 0;
                for (int c = 0; c < CHANNELS; c++)
                    for (int f = 0; f < 9; f++) {
                        int ih = oh + f / 3 - 1, iw = ow + f % 3 - 1;
                        bool inside = ih >= 0 && ih < SIZE && iw >= 0 && iw < SIZE;
                        double pixel =
                            inside ? pto_number_to_double(PTO_F16, nhwc[(ih * SIZE + iw) * CHANNELS + c])
                                   : 0.5;
                        sum += pixel *
                               pto_number_to_double(PTO_F16, w[((c / 16 * 9 + f) * 16 + n) * 16 + c % 16]);
                    }
                want[(oh * SIZE + ow) * FILTERS + n] = (float)sum;
            }
}

static void run(pto_program *program, pto_target target, const uint16_t *pixels) {
    const pto_argument arguments[] = {
        {.data = (void *)(uintptr_t)pixels, .bytes = sizeof x, .read_only = true},
        {.data = w, .bytes = sizeof w, .read_only = true},
        {.data = y, .bytes = sizeof want}};
    const pto_run_options options = {.target = target, .has_target = true};
    pto_diag_list *diags = pto_diag_list_create();
    memset(y, 0, sizeof y);
    pto_status status = pto_program_run(program, arguments, 3, &options, diags);
    if (status != PTO_OK)
        print_message("%s\n", diag_text(diags));
    assert_int_equal(status, PTO_OK);
    assert_memory_equal(y, want, sizeof want);
    pto_diag_list_destroy(diags);
}

static void run_forms(const char *text, const uint16_t *pixels, int targets, int forms) {
    static const pto_dialect dialects[] = {PTO_DIALECT_LEVEL2, PTO_DIALECT_GENERIC, PTO_DIALECT_LEVEL1,
                                           PTO_DIALECT_AS};
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        if (!(targets >> t & 1))
            continue;
        /* the target decides the layout of left tiles while the text is read */
        const pto_parse_options options = {.target = (pto_target)t, .has_target = true};
        pto_diag_list *diags = pto_diag_list_create();
        pto_program *program = pto_program_parse("conv.pto", text, strlen(text), &options, diags);
        for (int f = 0; f < forms; f++) {
            pto_program *other = pto_program_convert(program, dialects[f], diags);
            pto_program *back = other ? pto_program_convert(other, PTO_DIALECT_LEVEL2, diags) : NULL;
            if (!back)
                print_message("%s\n", diag_text(diags));
            assert_non_null(back);
            run(other, (pto_target)t, pixels);
            run(back, (pto_target)t, pixels);
            pto_program_destroy(back);
            pto_program_destroy(other);
        }
        pto_diag_list_destroy(diags);
        pto_program_destroy(program);
    }
}

static void test_forms(void **state) {
    (void)state;
    fill();
    run_forms(HEAD SPLIT SET TAIL, x, 7, 4);
    run_forms(HEAD NHWC SET TAIL, nhwc, 1 << PTO_TARGET_CPU | 1 << PTO_TARGET_A5, 3);
}

/* What a block sets is gone in the next, whatever thread runs it: block 1 unrolls with the tile's own
 * padding. */
static void test_registers_end_with_the_block(void **state) {
    (void)state;
    fill();
    static const char text[] =
        HEAD SPLIT "%other = pto.alloc_conv_tile {fmap_h = 2, fmap_w = 2, filter_h = 3, filter_w = 3, "
                   "pad_list = [2, 2, 2, 2]} : !image\n"
                   "%block = pto.get_block_idx\n%k0 = arith.constant 0 : i64\n"
                   "%first = arith.cmpi eq, %block, %k0 : i64\n"
                   "scf.if %first {\npto.setfmatrix ins(%other : !image) outs()\n"
                   "pto.set_img2col_padding ins(%other : !image) outs()\n}\n"
                   "pto.timg2col ins(%image : !image) outs(%a : !left)\n"
                   "pto.tmatmul ins(%a, %b : !left, !right) outs(%c : !acc)\n"
                   "%at = arith.index_cast %block : i64 to index\n%row = arith.muli %at, %c16 : index\n"
                   "%both = pto.make_tensor_view %y, shape = [%c32, %c16], strides = [%c16, %c1] : "
                   "!pto.tensor_view<32x16xf32>\n"
                   "%mine = pto.partition_view %both, offsets = [%row, %z], sizes = [%c16, %c16] : "
                   "!pto.tensor_view<32x16xf32> -> !yp\n"
                   "pto.tstore ins(%c : !acc) outs(%mine : !yp)\nreturn\n}\n";
    const pto_argument arguments[] = {{.data = x, .bytes = sizeof x, .read_only = true},
                                      {.data = w, .bytes = sizeof w, .read_only = true},
                                      {.data = y, .bytes = sizeof y}};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        const pto_run_options options = {
            .target = PTO_TARGET_A5, .has_target = true, .blocks = 2, .threads = threads};
        memset(y, 0, sizeof y);
        run_text(text, arguments, 3, &options);
        assert_memory_equal(y + SIZE * SIZE * FILTERS, want, sizeof want);
        assert_memory_not_equal(y, want, sizeof want);
    }
}

/* The same through the macros: the kind of each argument chooses the form. */
static void kernel(void *unused) {
    (void)unused;
    PTO_CONV_TILE(image, Mat, half, NC1HWC0, 1, 2, 4, 4, 16);
    PTO_CONV_TILE(filters, Mat, half, FRACTAL_Z, 18, 1, 16, 16);
    image_conv->filter_h = image_conv->filter_w = 3;
    memset(image_conv->pad_list, 1, sizeof image_conv->pad_list);
    image_conv->pad_value = 0x3800; /* 1/2 */
    PTO_TILE_LEFT(a, half, 16, 288);
    PTO_TILE_RIGHT(b, half, 288, 16);
    PTO_TILE_ACC(c, float, 16, 16);
    pto_global xs = {.dtype = PTO_F16,
                     .layout = PTO_LAYOUT_NHWC,
                     .shape = {1, 1, 4, 4, 32},
                     .stride = {512, 512, 128, 32, 1},
                     .data = nhwc};
    pto_global ws = {.dtype = PTO_F16,
                     .layout = PTO_LAYOUT_FRACTAL_Z,
                     .shape = {1, 18, 1, 16, 16},
                     .stride = {4608, 256, 256, 16, 1},
                     .data = w};
    PTO_GLOBAL(out, y, float, 16, 16);
    TASSIGN(image, 0x10000);
    TLOAD(image, &xs);
    TLOAD(filters, &ws);
    TEXTRACT(b, filters, 0, 0);
    SETFMATRIX(image);
    SET_IMG2COL_RPT(image);
    SET_IMG2COL_PADDING(image, PTO_FMATRIX_A_MANUAL);
    TIMG2COL(a, image, 0, 0, PTO_FMATRIX_A_MANUAL);
    TMATMUL(c, a, b);
    TSTORE(out, c);
}

static void test_macros(void **state) {
    (void)state;
    fill();
    for (int t = PTO_TARGET_CPU; t <= PTO_TARGET_A5; t += PTO_TARGET_A5) {
        const pto_launch_options options = {.core = {.target = (pto_target)t}, .blocks = 1};
        pto_diag_list *diags = pto_diag_list_create();
        memset(y, 0, sizeof y);
        assert_int_equal(pto_launch(&options, kernel, NULL, diags), PTO_OK);
        if (pto_diag_count(diags, PTO_ERROR))
            print_message("%s\n", diag_text(diags));
        assert_int_equal(pto_diag_count(diags, PTO_ERROR) + pto_diag_count(diags, PTO_WARNING), 0);
        assert_memory_equal(y, want, sizeof want);
        pto_diag_list_destroy(diags);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_registers_end_with_the_block),
                                       cmocka_unit_test(test_macros)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
