/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/block.h"
#include "support/block_testing.h"
#include "support/tile_testing.h"

#include <stdlib.h>
#include <string.h>

pto_simd_level block_level(unsigned number) {
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    return levels[number % (unsigned)count];
}

block_bench block_bench_make(const char *text, const pto_block_profile *profile) {
    block_bench bench = {.machine = pto_block_machine_create(profile),
                         .memory = calloc(1, BLOCK_MEMORY_BYTES)};
    assert_non_null(bench.machine);
    assert_int_equal(pto_block_map(bench.machine, BLOCK_MEMORY, bench.memory, BLOCK_MEMORY_BYTES, false),
                     PTO_OK);
    if (text)
        block_bench_load(&bench, text);
    return bench;
}

void block_bench_load(block_bench *bench, const char *text) {
    pto_source source;
    pto_source_init(&source, "test.s", text, strlen(text));
    pto_diag_list *diags = pto_diag_list_create();
    pto_block_image image;
    if (pto_block_assemble(&source, &(pto_block_options){.address = BLOCK_CODE}, diags, &image) != PTO_OK) {
        char message[1024];
        pto_diag_render_buffer(diags, NULL, message, sizeof message);
        fail_msg("%s: %s", text, message);
    }
    assert_int_equal(pto_block_load(bench->machine, &image), PTO_OK);
    pto_block_image_free(&image);
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
}

void block_bench_drop(block_bench *bench) {
    pto_block_machine_destroy(bench->machine);
    free(bench->memory);
}

void block_bench_run(block_bench *bench, const char *text) {
    if (text)
        block_bench_load(bench, text);
    if (pto_block_run(bench->machine, 10000000) != PTO_OK) {
        const pto_block_fault_info *fault = pto_block_last_fault(bench->machine);
        fail_msg("%s: %s at 0x%llx: %s %s", text ? text : "", pto_block_fault_name(fault->fault),
                 (unsigned long long)fault->pc, fault->rule, fault->text);
    }
}

uint64_t block_random(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Bits that a code of the type may have. */
static uint64_t legal_bits(unsigned type) {
    const uint64_t all = UINT64_MAX >> (64 - reference_block_bits(type));
    return type == RB_TF32                      ? all & ~UINT64_C(0x1fff)
           : type == RB_HF32                    ? all & ~UINT64_C(0xfff)
           : type == RB_E3M2 || type == RB_E2M3 ? 0x3f
                                                : all;
}

/* About 1, so that products and sums are not all infinite or all zero. */
static uint64_t moderate(unsigned type) {
    const uint64_t word = block_random();
    switch (type) {
    case RB_FP64:
        return (word & 0x800fffffffffffffu) | (1020 + block_random() % 8) << 52;
    case RB_FP32:
    case RB_TF32:
    case RB_HF32:
    case RB_BF16: {
        const uint64_t wide = (word & 0x807fffff) | (124 + block_random() % 8) << 23;
        return type == RB_BF16 ? wide >> 16 : wide;
    }
    case RB_FP16:
        return (word & 0x83ff) | (12 + block_random() % 8) << 10;
    default:
        return word;
    }
}

uint64_t block_random_code(unsigned type) {
    const uint64_t bits = legal_bits(type), sign = UINT64_C(1) << (reference_block_bits(type) - 1);
    const uint64_t word = block_random();
    uint64_t code = word;
    switch (word >> 32 & 15) {
    case 0:
        code = word & 1 ? sign : 0;
        break;
    case 1:
        code = reference_block_pad(type, 1 + (word & 1));
        break;
    case 2: /* an infinity or NaN of floats, small integers */
        code = reference_block_is_float(type)
                   ? reference_block_pad(type, 1 + (word & 1)) + (word >> 8 & 2) * (bits & (0 - bits)) -
                         (bits & (0 - bits))
                   : word & 3;
        break;
    case 3: /* any NaN, now and then */
        code = word | (reference_block_is_float(type) ? reference_block_pad(type, 1) : 0);
        break;
    case 4:
        code = word;
        break;
    default:
        code = moderate(type);
    }
    return code & bits;
}

void block_values_random(block_values *v, unsigned type, int32_t rows, int32_t cols, int32_t valid_rows,
                         int32_t valid_cols) {
    *v = (block_values){
        .type = type, .rows = rows, .cols = cols, .valid_rows = valid_rows, .valid_cols = valid_cols};
    for (int i = 0; i < rows * cols; i++)
        v->code[i] = block_random_code(type);
}

uint64_t block_values_at(const block_values *v, int32_t r, int32_t c) { return v->code[r * v->cols + c]; }

void block_values_push(block_bench *bench, unsigned queue, const block_values *v) {
    const unsigned bits = reference_block_bits(v->type);
    uint32_t bytes = 128;
    while ((int64_t)bytes * 8 < (int64_t)v->rows * v->cols * bits)
        bytes *= 2;
    uint8_t *data = calloc(1, bytes);
    for (int i = 0; i < v->rows * v->cols; i++) {
        if (bits == 4)
            data[i / 2] = (uint8_t)(data[i / 2] | v->code[i] << (i & 1 ? 4 : 0));
        else
            memcpy(data + (size_t)i * (bits / 8), &v->code[i], bits / 8);
    }
    const pto_block_tile tile = {.type = v->type,
                                 .bytes = bytes,
                                 .rows = v->rows,
                                 .cols = v->cols,
                                 .valid_rows = v->valid_rows,
                                 .valid_cols = v->valid_cols,
                                 .data = data};
    assert_int_equal(pto_block_push(bench->machine, queue, &tile), PTO_OK);
    free(data);
}

uint64_t block_tile_code(const pto_block_tile *tile, int32_t r, int32_t c) {
    const int64_t at = (int64_t)r * tile->cols + c;
    const uint8_t *data = tile->data;
    if (tile->predicate)
        return data[at / 8] >> (at & 7) & 1;
    const unsigned bits = reference_block_bits(tile->type);
    uint64_t code = 0;
    if (bits == 4)
        return data[at / 2] >> (at & 1 ? 4 : 0) & 15;
    memcpy(&code, data + at * (bits / 8), bits / 8);
    return code;
}

void block_check_pad(const pto_block_tile *tile, unsigned pad, const char *what) {
    const uint64_t wanted = tile->predicate ? pad == 1 : reference_block_pad(tile->type, pad);
    for (int32_t r = 0; r < tile->rows; r++)
        for (int32_t c = 0; c < tile->cols; c++)
            if ((r >= tile->valid_rows || c >= tile->valid_cols) && block_tile_code(tile, r, c) != wanted)
                fail_msg("%s: (%d, %d) is 0x%llx, pad %u is 0x%llx", what, (int)r, (int)c,
                         (unsigned long long)block_tile_code(tile, r, c), pad, (unsigned long long)wanted);
}
