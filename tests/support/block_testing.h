/* SPDX-License-Identifier: Apache-2.0 */
/* A block machine with code and memory for a test, tiles in and out of it. Include cmocka.h first. */
#ifndef PTO_TESTS_SUPPORT_BLOCK_TESTING_H
#define PTO_TESTS_SUPPORT_BLOCK_TESTING_H

#include <pto/block.h>

enum { BLOCK_CODE = 0x1000, BLOCK_MEMORY = 0x100000, BLOCK_MEMORY_BYTES = 1 << 20 };
enum { BLOCK_T, BLOCK_U, BLOCK_M, BLOCK_N };

typedef struct block_bench {
    pto_block_machine *machine;
    uint8_t *memory; /* at BLOCK_MEMORY */
} block_bench;

/* Elements of a tile, codes right-aligned, rows of cols. */
typedef struct block_values {
    unsigned type;
    int32_t rows, cols, valid_rows, valid_cols;
    uint64_t code[64 * 64];
} block_values;

/* The SIMD levels of this machine in turn, by number. */
pto_simd_level block_level(unsigned number);

/* Assembles and loads; the test fails when the text does not assemble. profile may be NULL. */
block_bench block_bench_make(const char *text, const pto_block_profile *profile);
/* Another text into the same machine: tiles and registers stay. */
void block_bench_load(block_bench *bench, const char *text);
void block_bench_drop(block_bench *bench);
/* Runs to the end; a fault fails the test. */
void block_bench_run(block_bench *bench, const char *text);

uint64_t block_random(void);
/* A code of the type, one in four of them special: zeros, ones, extremes, infinities, NaN. */
uint64_t block_random_code(unsigned type);
void block_values_random(block_values *v, unsigned type, int32_t rows, int32_t cols, int32_t valid_rows,
                         int32_t valid_cols);
/* Pushes them as an ND tile of the smallest size. */
void block_values_push(block_bench *bench, unsigned queue, const block_values *v);
uint64_t block_values_at(const block_values *v, int32_t r, int32_t c);
/* An element of a tile of the machine, ND. */
uint64_t block_tile_code(const pto_block_tile *tile, int32_t r, int32_t c);
/* Every element outside of the valid region is the pad of the type. */
void block_check_pad(const pto_block_tile *tile, unsigned pad, const char *what);

#endif
