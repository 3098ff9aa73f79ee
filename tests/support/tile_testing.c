/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of tiles and kernels, see tile_testing.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"

#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
/* The memories of every new core come zeroed from the system instead of being cleared, which tests that make
 * thousands of cores would wait for. */
__attribute__((constructor)) static void map_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 1 << 17); }
#endif

/* ---- random numbers ---- */

uint64_t testing_next(testing_random *random) { /* splitmix64 */
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t testing_below(testing_random *random, uint32_t limit) {
    return limit ? (uint32_t)(testing_next(random) % limit) : 0;
}

/* Sixteen kinds of elements of a type, each as bits that are drawn and bits that are given: zeros,
 * infinities, NaN, subnormals, ones, the largest; the rest are moderate numbers, or any bits. Without
 * branches, since tests draw millions. */
typedef struct element_kinds {
    uint64_t drawn[16], given[16];
    uint64_t exponent[16]; /* 15 exponents that are drawn as well, around that of 1 */
    unsigned bits, mantissa;
} element_kinds;

static element_kinds kinds_of(pto_dtype dtype) {
    element_kinds kinds = {.bits = pto_dtype_bits(dtype)};
    const uint64_t mask = kinds.bits == 64 ? UINT64_MAX : (UINT64_C(1) << kinds.bits) - 1;
    const uint64_t sign = UINT64_C(1) << (kinds.bits - 1);
    kinds.mantissa = dtype == PTO_F16 ? 10 : dtype == PTO_BF16 ? 7 : dtype == PTO_F32 ? 23 : 0;
    const uint64_t fraction = (UINT64_C(1) << kinds.mantissa) - 1, infinity = (sign - 1) & ~fraction;
    const uint64_t one = (infinity >> 1) & infinity; /* the exponent bits but the highest: 1.0 */
    const uint64_t near_one = one - (UINT64_C(8) << kinds.mantissa);
    for (int k = 0; k < 16; k++) {
        static const uint8_t integer[16] = {0, 0, 0, 0, 15, 15, 15};
        if (kinds.mantissa) {
            const uint64_t drawn[] = {sign, sign, mask, sign | fraction, sign, sign, mask, sign | fraction};
            const uint64_t given[] = {0, infinity, infinity | 1, 0, one, infinity - 1, 0, near_one};
            kinds.drawn[k] = drawn[k < 7 ? k : 7];
            kinds.given[k] = given[k < 7 ? k : 7];
            kinds.exponent[k] = k < 7 ? 0 : 15;
        } else {
            kinds.drawn[k] = k < 7 ? integer[k] & mask : mask;
            kinds.given[k] = k == 1 ? mask : k == 2 ? sign : k == 3 ? sign - 1 : 0;
        }
    }
    return kinds;
}

static inline uint64_t draw(testing_random *random, const element_kinds *kinds) {
    const uint64_t any = testing_next(random), choice = kinds->bits > 32 ? testing_next(random) : any;
    const unsigned kind = (unsigned)(choice >> 60);
    return (any & kinds->drawn[kind]) |
           (kinds->given[kind] + ((choice >> 56 & kinds->exponent[kind]) << kinds->mantissa));
}

uint64_t testing_bits(testing_random *random, pto_dtype dtype) {
    static element_kinds known[PTO_DTYPE_COUNT];
    if (!known[dtype].bits)
        known[dtype] = kinds_of(dtype);
    return draw(random, &known[dtype]);
}

/* ---- cores ---- */

const pto_simd_level *testing_levels(int *count) {
    static pto_simd_level levels[3];
    static int known;
    *count = known;
    for (int level = PTO_SIMD_BASE; !known && level <= PTO_SIMD_AVX512; level++) {
        pto_options options = {.simd = (pto_simd_level)level};
        pto_core *core = pto_core_create(&options);
        if (core)
            levels[(*count)++] = (pto_simd_level)level;
        pto_core_destroy(core);
    }
    known = *count;
    return levels;
}

pto_core *testing_core(pto_target target, pto_simd_level level) {
    pto_options options = {.target = target, .simd = level};
    pto_core *core = pto_core_create(&options);
    assert_non_null(core);
    return core;
}

/* ---- tiles ---- */

pto_tile_type testing_type(pto_loc loc, pto_dtype dtype, testing_layout layout, int32_t rows, int32_t cols) {
    static const pto_blayout outer[] = {PTO_ROW_MAJOR, PTO_COL_MAJOR, PTO_COL_MAJOR,
                                        PTO_ROW_MAJOR, PTO_ROW_MAJOR, PTO_COL_MAJOR};
    static const pto_slayout inner[] = {PTO_NONE_BOX,      PTO_NONE_BOX,      PTO_BOX_ROW_MAJOR,
                                        PTO_BOX_COL_MAJOR, PTO_BOX_ROW_MAJOR, PTO_BOX_COL_MAJOR};
    return (pto_tile_type){.loc = loc,
                           .dtype = dtype,
                           .rows = rows,
                           .cols = cols,
                           .valid_rows = rows,
                           .valid_cols = cols,
                           .blayout = outer[layout],
                           .slayout = inner[layout],
                           .fractal = 512};
}

/* Box extents, read off the table of 00-model, 3.3. */
static void box_of(const pto_tile_type *type, int32_t *ir, int32_t *ic) {
    int32_t bits = (int32_t)pto_dtype_bits(type->dtype), c0 = 256 / bits;
    bool rows_first = type->slayout == PTO_BOX_ROW_MAJOR;
    *ir = *ic = 1;
    if (type->slayout == PTO_NONE_BOX)
        return;
    *ir = *ic = 16;
    if (type->fractal == 32)
        *(rows_first ? ic : ir) = 2;
    else if (type->fractal == 512)
        *(rows_first ? ic : ir) = c0;
}

static int32_t round_up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

pto_tile_type testing_type_around(testing_random *random, pto_loc loc, pto_dtype dtype, testing_layout layout,
                                  int32_t rows, int32_t cols, uint32_t slack) {
    pto_tile_type type = testing_type(loc, dtype, layout, rows, cols);
    int32_t bytes = (int32_t)pto_dtype_bits(dtype) / 8, block = 32 / (bytes ? bytes : 1);
    int32_t row_unit = 1, col_unit = 1;
    box_of(&type, &row_unit, &col_unit);
    if (layout == TESTING_ND)
        col_unit = block;
    else if (layout == TESTING_DN)
        row_unit = block;
    else if (layout == TESTING_NZ && loc == PTO_LOC_VEC)
        row_unit = 1;
    int32_t more_rows = random ? (int32_t)testing_below(random, slack + 1) : 0;
    int32_t more_cols = random ? (int32_t)testing_below(random, slack + 1) : 0;
    type.rows = round_up(rows ? rows : 1, row_unit) + more_rows * row_unit;
    type.cols = round_up(cols ? cols : 1, col_unit) + more_cols * col_unit;
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return type;
}

pto_tile testing_tile(pto_core *core, testing_random *random, pto_tile_type type, int32_t valid_rows,
                      int32_t valid_cols) {
    pto_tile tile = pto_tile_make(type);
    assert_int_equal(pto_tile_bind(core, &tile), PTO_OK);
    assert_int_equal(pto_tile_set_valid(core, &tile, valid_rows, valid_cols), PTO_OK);
    if (!random)
        return tile;
    const element_kinds kinds = kinds_of(type.dtype);
    const int64_t elements = (int64_t)type.rows * type.cols;
    uint8_t *bytes = tile.data;
    for (int64_t i = 0; i < elements; i++) {
        const uint64_t value = draw(random, &kinds);
        if (kinds.bits == 4)
            testing_store(bytes, type.dtype, i, value);
        else if (kinds.bits == 8)
            bytes[i] = (uint8_t)value;
        else if (kinds.bits == 16)
            memcpy(bytes + 2 * i, &value, 2); /* hosts are little-endian */
        else if (kinds.bits == 32)
            memcpy(bytes + 4 * i, &value, 4);
        else
            memcpy(bytes + 8 * i, &value, 8);
    }
    return tile;
}

/* Offsets of one layout, found by walking it; the last few are kept. */
typedef struct layout_map {
    pto_tile_type type;
    int64_t *offset;
} layout_map;

static int64_t *walk(const pto_tile_type *type) {
    int32_t rows = type->rows, cols = type->cols, ir, ic;
    int64_t *map = calloc((size_t)rows * (size_t)cols, sizeof *map), next = 0;
    assert_non_null(map);
    box_of(type, &ir, &ic);
    bool rows_outside = type->blayout == PTO_ROW_MAJOR, rows_inside = type->slayout == PTO_BOX_ROW_MAJOR;
    if (rows == 1) {
        for (int32_t c = 0; c < cols; c++)
            map[c] = c;
        return map;
    }
    int32_t outer_end = rows_outside ? rows : cols, outer_step = rows_outside ? ir : ic;
    int32_t box_end = rows_outside ? cols : rows, box_step = rows_outside ? ic : ir;
    for (int32_t outer = 0; outer < outer_end; outer += outer_step)
        for (int32_t box = 0; box < box_end; box += box_step) {
            int32_t r0 = rows_outside ? outer : box, c0 = rows_outside ? box : outer;
            int32_t slow_end = rows_inside ? ir : ic, fast_end = rows_inside ? ic : ir;
            for (int32_t slow = 0; slow < slow_end; slow++)
                for (int32_t fast = 0; fast < fast_end; fast++) {
                    int32_t r = r0 + (rows_inside ? slow : fast), c = c0 + (rows_inside ? fast : slow);
                    if (r < rows && c < cols) /* the last box of a column block ends with the rows (Nz) */
                        map[(int64_t)r * cols + c] = next++;
                }
        }
    assert_int_equal(next, (int64_t)rows * cols);
    return map;
}

int64_t testing_offset(const pto_tile_type *type, int32_t row, int32_t col) {
    enum { KEPT = 8 };
    static layout_map maps[KEPT];
    static int next;
    layout_map *found = NULL;
    for (int i = 0; i < KEPT && !found; i++) {
        const pto_tile_type *t = &maps[i].type;
        if (maps[i].offset && t->rows == type->rows && t->cols == type->cols && t->blayout == type->blayout &&
            t->slayout == type->slayout && t->fractal == type->fractal &&
            pto_dtype_bits(t->dtype) == pto_dtype_bits(type->dtype))
            found = &maps[i];
    }
    if (!found) {
        found = &maps[next];
        next = (next + 1) % KEPT;
        free(found->offset);
        *found = (layout_map){*type, walk(type)};
    }
    assert_true(row >= 0 && row < type->rows && col >= 0 && col < type->cols);
    return found->offset[(int64_t)row * type->cols + col];
}

uint64_t testing_load(const void *data, pto_dtype dtype, int64_t index) {
    unsigned bits = pto_dtype_bits(dtype);
    const uint8_t *bytes = (const uint8_t *)data + index * bits / 8;
    if (bits == 4)
        return index & 1 ? *bytes >> 4 : *bytes & 15;
    uint64_t value = 0;
    memcpy(&value, bytes, bits / 8); /* hosts are little-endian */
    return value;
}

void testing_store(void *data, pto_dtype dtype, int64_t index, uint64_t value) {
    unsigned bits = pto_dtype_bits(dtype);
    uint8_t *bytes = (uint8_t *)data + index * bits / 8;
    if (bits == 4) {
        *bytes = (uint8_t)(index & 1 ? (*bytes & 15) | ((value & 15) << 4) : (*bytes & 240) | (value & 15));
        return;
    }
    memcpy(bytes, &value, bits / 8);
}

uint64_t testing_get(const pto_tile *tile, int32_t row, int32_t col) {
    return testing_load(tile->data, tile->type.dtype, testing_offset(&tile->type, row, col));
}

void testing_set(pto_tile *tile, int32_t row, int32_t col, uint64_t bits) {
    testing_store(tile->data, tile->type.dtype, testing_offset(&tile->type, row, col), bits);
}

void *testing_snapshot(const pto_tile *tile) {
    size_t bytes = (size_t)pto_tile_type_bytes(&tile->type);
    void *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, tile->data, bytes);
    return copy;
}

bool testing_outside_unchanged(const pto_tile *tile, const void *snapshot) {
    const size_t bytes = (size_t)pto_tile_type_bytes(&tile->type);
    const pto_dtype dtype = tile->type.dtype;
    uint8_t *now = testing_snapshot(tile);
    for (int32_t r = 0; r < tile->valid_rows; r++)
        for (int32_t c = 0; c < tile->valid_cols; c++) {
            const int64_t offset = testing_offset(&tile->type, r, c);
            testing_store(now, dtype, offset, testing_load(snapshot, dtype, offset));
        }
    const bool same = memcmp(now, snapshot, bytes) == 0;
    free(now);
    return same;
}

/* ---- instructions ---- */

pto_operand testing_tile_operand(pto_tile *tile) {
    return (pto_operand){.kind = tile ? PTO_OPERAND_TILE : PTO_OPERAND_ABSENT, .tile = tile};
}

pto_operand testing_global_operand(pto_global *global) {
    return (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = global};
}

pto_operand testing_int_operand(pto_dtype dtype, int64_t value) {
    return (pto_operand){.kind = PTO_OPERAND_SCALAR,
                         .scalar = {.dtype = dtype, .i = value, .f = (double)value}};
}

pto_operand testing_float_operand(pto_dtype dtype, double value) {
    return (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = dtype, .f = value}};
}

pto_status testing_execute(pto_core *core, pto_form form, int count, const pto_operand *operands) {
    pto_instr instr = {.form = form};
    for (int i = 0; i < count; i++)
        instr.operand[i] = operands[i];
    return pto_core_execute(core, &instr);
}

void testing_expect(pto_core *core, pto_status status, const char *rule, const char *file, int line) {
    pto_diag_list *diags = pto_core_diags(core);
    bool right = rule ? status == PTO_ERR_REFUSED && pto_diag_has(diags, rule)
                      : status == PTO_OK && pto_diag_count(diags, PTO_ERROR) == 0;
    if (!right) {
        char text[2048];
        size_t length = pto_diag_render_buffer(diags, NULL, text, sizeof text);
        print_error("%s:%d: expected %s, got status %s and diagnostics:\n%.*s\n", file, line,
                    rule ? rule : "success", pto_status_name(status),
                    (int)(length < sizeof text ? length : sizeof text - 1), text);
        _fail(file, line);
    }
    pto_diag_list_clear(diags);
}
