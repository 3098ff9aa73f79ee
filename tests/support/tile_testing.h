/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of tiles and kernels share: cores for every level, random tiles, and elements by (row, column)
 * through addresses found by walking a tile in storage order, independent of src/tile. */
#ifndef PTO_TESTS_TILE_TESTING_H
#define PTO_TESTS_TILE_TESTING_H

#include <pto/core.h>

/* ---- random numbers, repeatable ---- */
typedef struct testing_random {
    uint64_t state;
} testing_random;
uint64_t testing_next(testing_random *random);
/* Uniform in 0..limit-1; 0 when limit is 0. */
uint32_t testing_below(testing_random *random, uint32_t limit);
/* Random bits of an element type: all patterns, with zeros, ones, NaN, infinities, subnormals and extreme
 * integers far more frequent than chance gives them. */
uint64_t testing_bits(testing_random *random, pto_dtype dtype);

/* ---- cores ---- */
/* SIMD levels from base up; *count of them exist on this machine. */
const pto_simd_level *testing_levels(int *count);
/* A core of a target at a level; the test fails when there is none. */
pto_core *testing_core(pto_target target, pto_simd_level level);

/* ---- tiles ---- */
typedef enum testing_layout {
    TESTING_ND,
    TESTING_DN,
    TESTING_NZ,
    TESTING_ZN,
    TESTING_ZZ,
    TESTING_NN,
    TESTING_LAYOUT_COUNT
} testing_layout;
/* The type with this layout (fractal 512), all valid, pad null. */
pto_tile_type testing_type(pto_loc loc, pto_dtype dtype, testing_layout layout, int32_t rows, int32_t cols);
/* The smallest capacity of that layout that is legal in `loc` and holds rows x cols, enlarged by up to
 * `slack` boxes (32-byte blocks) at random in each direction; dynamic valid extents. random NULL = exact. */
pto_tile_type testing_type_around(testing_random *random, pto_loc loc, pto_dtype dtype, testing_layout layout,
                                  int32_t rows, int32_t cols, uint32_t slack);
/* A tile of the type with storage of the core and these valid extents (type extents must be dynamic or
 * equal); its whole capacity filled with random elements, or zero when random is NULL. */
pto_tile testing_tile(pto_core *core, testing_random *random, pto_tile_type type, int32_t valid_rows,
                      int32_t valid_cols);
/* Element number of (row, col), by walking the layout of 00-model, 4 box by box. */
int64_t testing_offset(const pto_tile_type *type, int32_t row, int32_t col);
/* Bits of an element, anywhere in the capacity. */
uint64_t testing_get(const pto_tile *tile, int32_t row, int32_t col);
void testing_set(pto_tile *tile, int32_t row, int32_t col, uint64_t bits);
/* Element `index` of packed memory. */
uint64_t testing_load(const void *data, pto_dtype dtype, int64_t index);
void testing_store(void *data, pto_dtype dtype, int64_t index, uint64_t bits);
/* A copy of the tile's bytes (malloc), and whether the bytes outside of the valid region equal it. */
void *testing_snapshot(const pto_tile *tile);
bool testing_outside_unchanged(const pto_tile *tile, const void *snapshot);

/* ---- instructions ---- */
pto_operand testing_tile_operand(pto_tile *tile); /* NULL = absent */
pto_operand testing_global_operand(pto_global *global);
pto_operand testing_int_operand(pto_dtype dtype, int64_t value); /* PTO_DTYPE_NONE: an attribute */
pto_operand testing_float_operand(pto_dtype dtype, double value);
/* Executes a form with operands by schema position; the rest is absent. */
pto_status testing_execute(pto_core *core, pto_form form, int count, const pto_operand *operands);
#define TESTING_EXECUTE(core, form, ...)                                                                     \
    testing_execute((core), (form), (int)(sizeof((pto_operand[]){__VA_ARGS__}) / sizeof(pto_operand)),       \
                    (pto_operand[]){__VA_ARGS__})
/* Assert that the call is executed; that it is refused with this rule. Clears the diagnostics. */
#define TESTING_ACCEPTED(core, form, ...)                                                                    \
    testing_expect((core), TESTING_EXECUTE(core, form, __VA_ARGS__), NULL, __FILE__, __LINE__)
#define TESTING_REFUSED(core, rule, form, ...)                                                               \
    testing_expect((core), TESTING_EXECUTE(core, form, __VA_ARGS__), (rule), __FILE__, __LINE__)
void testing_expect(pto_core *core, pto_status status, const char *rule, const char *file, int line);

#endif
