/* SPDX-License-Identifier: Apache-2.0 */
/* TSORT32 and TMRGSORT against the plain sorts of the reference, and their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/irregular.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)

static pto_operand counts_operand(pto_merge_counts *counts) {
    return (pto_operand){.kind = PTO_OPERAND_COUNTS, .counts = counts};
}

static pto_tile_type flat(pto_dtype dtype, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return type;
}

static int32_t up(int32_t n, int32_t to) { return (n + to - 1) / to * to; }

/* Pair p of a row, by bytes. */
static reference_pair pair_at(const pto_tile *tile, int32_t row, int32_t p) {
    unsigned size = pto_dtype_bits(tile->type.dtype) / 8;
    const uint8_t *at =
        (const uint8_t *)tile->data + (size_t)row * (size_t)tile->type.cols * size + 8 * (size_t)p;
    uint64_t value = 0;
    uint32_t index;
    memcpy(&value, at, 4);
    memcpy(&index, at + 4, 4);
    return (reference_pair){value, index};
}

static void put_pair(const pto_tile *tile, int32_t p, reference_pair pair) {
    uint8_t *at = (uint8_t *)tile->data + 8 * (size_t)p;
    uint32_t value = (uint32_t)pair.value;
    memcpy(at, &value, 4);
    memcpy(at + 4, &pair.index, 4);
}

/* ---- TSORT32 ---- */

static uint64_t pad_bits(pto_dtype dtype) {
    return dtype == PTO_F32    ? 0xFFC00000u
           : dtype == PTO_F16  ? 0xFE00u
           : dtype == PTO_BF16 ? 0xFFC0u
           : dtype == PTO_S16  ? 0x8000u
                               : 0x80000000u;
}

static void sort_once(pto_core *core, testing_random *random, pto_dtype dtype, bool with_tmp, int trial) {
    bool npu = pto_core_options(core)->target != PTO_TARGET_CPU;
    int32_t size = (int32_t)pto_dtype_bits(dtype) / 8, unit = 8 / size;
    int32_t rows = 1 + (int32_t)testing_below(random, 5), cols = 1 + (int32_t)testing_below(random, 150);
    if (trial == 0)
        rows = cols = 1;
    if (npu && !with_tmp)
        cols = up(cols, 32);
    int32_t step = 32 / size;
    int32_t idx_rows = testing_below(random, 3) ? rows : 1;
    int32_t pairs = with_tmp ? up(cols, 32) : cols;
    pto_tile src = testing_tile(core, random, flat(dtype, rows + 1, up(cols, step) + step), rows, cols);
    pto_tile idx = testing_tile(core, random, flat(PTO_U32, idx_rows, up(cols, 8)), idx_rows, cols);
    pto_tile dst = testing_tile(core, random, flat(dtype, rows, up(pairs * unit, step) + step), rows, 1);
    pto_tile tmp = testing_tile(core, random, flat(dtype, 1, up(cols, 32)), 1, 1);
    bool few = testing_below(random, 2); /* many equal values, equal indices too */
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols && few; c++) {
            testing_set(&src, r, c, testing_bits(random, dtype) & (dtype == PTO_F32 ? 0xFF800000u : 0xFC00u));
            testing_set(&idx, idx_rows == 1 ? 0 : r, c, testing_below(random, 4) - 1);
        }
    void *src_before = testing_snapshot(&src), *idx_before = testing_snapshot(&idx),
         *before = testing_snapshot(&dst);
    if (with_tmp)
        TESTING_ACCEPTED(core, PTO_FORM_TSORT32_TMP, TILE(&dst), TILE(&src), TILE(&idx), TILE(&tmp));
    else
        TESTING_ACCEPTED(core, PTO_FORM_TSORT32, TILE(&dst), TILE(&src), TILE(&idx));
    assert_memory_equal(src.data, src_before, pto_tile_type_bytes(&src.type));
    assert_memory_equal(idx.data, idx_before, pto_tile_type_bytes(&idx.type));
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t b = 0; b < cols; b += 32) {
            reference_pair want[32];
            int n = cols - b < 32 ? cols - b : 32, total = with_tmp ? 32 : n;
            for (int i = 0; i < n; i++)
                want[i] = (reference_pair){testing_get(&src, r, b + i),
                                           (uint32_t)testing_get(&idx, idx_rows == 1 ? 0 : r, b + i)};
            reference_sort(dtype, want, n);
            for (int i = n; i < total; i++)
                want[i] = (reference_pair){
                    pad_bits(dtype),
                    b + i < idx.type.cols ? (uint32_t)testing_get(&idx, idx_rows == 1 ? 0 : r, b + i) : 0};
            for (int i = 0; i < total; i++) {
                reference_pair have = pair_at(&dst, r, b + i);
                if (have.value != want[i].value || have.index != want[i].index)
                    fail_msg("%s %dx%d row %d pair %d: %llx %u, not %llx %u", pto_dtype_name(dtype), rows,
                             cols, r, b + i, (unsigned long long)have.value, have.index,
                             (unsigned long long)want[i].value, want[i].index);
            }
        }
        size_t from = ((size_t)r * (size_t)dst.type.cols) * (size_t)size + 8 * (size_t)pairs;
        size_t to = ((size_t)r + 1) * (size_t)dst.type.cols * (size_t)size;
        assert_memory_equal((uint8_t *)dst.data + from, (uint8_t *)before + from, to - from);
    }
    free(src_before);
    free(idx_before);
    free(before);
    pto_core_reset(core);
}

static void test_sort32(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_S16, PTO_S32};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            pto_core *core = testing_core((pto_target)t, level[l]);
            testing_random random = {31};
            for (int d = 0; d < (t == PTO_TARGET_CPU ? 5 : 2); d++)
                for (int trial = 0; trial < 200; trial++)
                    sort_once(core, &random, dtypes[d], trial & 1, trial / 2);
            pto_core_destroy(core);
        }
}

/* ---- TMRGSORT ---- */

/* Fills pairs [from, from + n) of a one-row tile with a descending list of random values. */
static void fill_list(testing_random *random, const pto_tile *tile, int32_t from, int n,
                      reference_pair *list) {
    bool few = testing_below(random, 2);
    for (int i = 0; i < n; i++) {
        uint64_t bits = testing_bits(random, tile->type.dtype);
        list[i] = (reference_pair){few ? bits & (tile->type.dtype == PTO_F32 ? 0xFF000000u : 0xFC00u) : bits,
                                   (uint32_t)testing_next(random)};
    }
    reference_sort(tile->type.dtype, list, n);
    for (int i = 0; i < n; i++)
        put_pair(tile, from + i, list[i]);
}

static void expect_pairs(const pto_tile *dst, int32_t from, const reference_pair *want, int n) {
    for (int i = 0; i < n; i++) {
        reference_pair have = pair_at(dst, 0, from + i);
        if (have.value != want[i].value || have.index != want[i].index)
            fail_msg("%s pair %d of %d: %llx %u, not %llx %u", pto_dtype_name(dst->type.dtype), i, n,
                     (unsigned long long)have.value, have.index, (unsigned long long)want[i].value,
                     want[i].index);
    }
}

static void merge_blocks_once(pto_core *core, testing_random *random, pto_dtype dtype) {
    int32_t unit = dtype == PTO_F32 ? 2 : 4;
    int32_t block = 64 * (1 + (int32_t)testing_below(random, 3));
    int32_t groups = 1 + (int32_t)testing_below(random, 3), n = block / unit, total = groups * 4 * n;
    pto_tile src = testing_tile(core, random, flat(dtype, 1, total * unit + 32), 1, total * unit);
    pto_tile dst = testing_tile(core, random, flat(dtype, 1, total * unit + 64), 1, total * unit);
    reference_pair *list = malloc((size_t)total * sizeof *list), *want = malloc((size_t)total * sizeof *want);
    int taken[4];
    for (int32_t g = 0; g < groups; g++) {
        const reference_pair *lists[4];
        const int lengths[4] = {n, n, n, n};
        for (int t = 0; t < 4; t++) {
            lists[t] = list + (g * 4 + t) * n;
            fill_list(random, &src, (g * 4 + t) * n, n, list + (g * 4 + t) * n);
        }
        reference_merge(dtype, lists, lengths, 4, false, want + g * 4 * n, taken);
    }
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, PTO_FORM_TMRGSORT, TILE(&dst), TILE(&src), testing_int_operand(PTO_U32, block));
    expect_pairs(&dst, 0, want, total);
    assert_memory_equal((uint8_t *)dst.data + 8 * total, (uint8_t *)before + 8 * total,
                        pto_tile_type_bytes(&dst.type) - 8 * (uint64_t)total);
    free(before);
    free(list);
    free(want);
    pto_core_reset(core);
}

static void merge_lists_once(pto_core *core, testing_random *random, pto_dtype dtype, int count) {
    int32_t unit = dtype == PTO_F32 ? 2 : 4, sum = 0, columns = 0;
    bool exhausted = testing_below(random, 2);
    pto_tile src[4];
    reference_pair list[4][64], want[256];
    const reference_pair *lists[4];
    int lengths[4] = {0}, taken[4] = {0};
    for (int t = 0; t < count; t++) {
        lengths[t] = (int)testing_below(random, 65);
        sum += lengths[t];
        src[t] = testing_tile(core, random, flat(dtype, 1, 64 * unit), 1, lengths[t] * unit);
        columns += 64 * unit;
        fill_list(random, &src[t], 0, lengths[t], list[t]);
        lists[t] = list[t];
    }
    int32_t kept = (int32_t)testing_below(random, (uint32_t)sum + 10);
    if (kept > 64 * count)
        kept = 64 * count;
    pto_tile dst = testing_tile(core, random, flat(dtype, 1, columns), 1, kept * unit);
    pto_tile tmp = testing_tile(core, random, flat(dtype, 1, columns), 1, columns);
    int total = reference_merge(dtype, lists, lengths, count, exhausted, want, taken);
    if (total > kept)
        total = kept;
    pto_merge_counts counts = {{9, 9, 9, 9}};
    void *before = testing_snapshot(&dst);
    pto_operand operands[PTO_MAX_OPERANDS] = {TILE(&dst), counts_operand(&counts), TILE(&tmp)};
    for (int t = 0; t < count; t++)
        operands[3 + t] = TILE(&src[t]);
    operands[3 + count] = ATTR(exhausted);
    static const pto_form forms[] = {PTO_FORM_TMRGSORT_2_LISTS, PTO_FORM_TMRGSORT_3_LISTS,
                                     PTO_FORM_TMRGSORT_4_LISTS};
    testing_expect(core, testing_execute(core, forms[count - 2], 4 + count, operands), NULL, __FILE__,
                   __LINE__);
    expect_pairs(&dst, 0, want, total);
    assert_memory_equal((uint8_t *)dst.data + 8 * total, (uint8_t *)before + 8 * total,
                        pto_tile_type_bytes(&dst.type) - 8 * (uint64_t)total);
    for (int t = 0; t < 4; t++)
        assert_int_equal(counts.list[t], taken[t]);
    free(before);
    pto_core_reset(core);
}

static void test_merges(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            pto_core *core = testing_core((pto_target)t, level[l]);
            testing_random random = {32};
            for (int trial = 0; trial < 640; trial++) {
                pto_dtype dtype = trial & 1 ? PTO_F16 : PTO_F32;
                merge_blocks_once(core, &random, dtype);
                merge_lists_once(core, &random, dtype, 2 + trial / 2 % 3);
            }
            pto_core_destroy(core);
        }
}

/* ---- rules ---- */

static void sort_rule(pto_target target, const char *rule, pto_tile_type dst, pto_tile_type src,
                      pto_tile_type idx, const pto_tile_type *tmp) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile d = pto_tile_make(dst), s = pto_tile_make(src), i = pto_tile_make(idx), t;
    pto_status status;
    if (tmp) {
        t = pto_tile_make(*tmp);
        status = TESTING_EXECUTE(core, PTO_FORM_TSORT32_TMP, TILE(&d), TILE(&s), TILE(&i), TILE(&t));
    } else {
        status = TESTING_EXECUTE(core, PTO_FORM_TSORT32, TILE(&d), TILE(&s), TILE(&i));
    }
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static pto_tile_type vec(pto_dtype dtype, int32_t rows, int32_t cols) {
    return pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
}

static void test_sort_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        bool npu = target != PTO_TARGET_CPU;
        pto_tile_type src = vec(PTO_F32, 2, 64), idx = vec(PTO_U32, 2, 64), dst = vec(PTO_F32, 2, 128);
        sort_rule(target, NULL, dst, src, idx, NULL);
        sort_rule(target, NULL, dst, src, vec(PTO_U32, 1, 64), NULL);
        sort_rule(target, "PTO-E0861", vec(PTO_F32, 3, 128), vec(PTO_F32, 3, 64), idx, NULL);
        sort_rule(target, "PTO-E0861", dst, src, vec(PTO_U32, 2, 56), NULL);
        sort_rule(target, "PTO-E0860", vec(PTO_F32, 3, 128), src, idx, NULL);
        sort_rule(target, "PTO-E0862", vec(PTO_F32, 2, 120), src, idx, NULL);
        sort_rule(target, "PTO-E0302", dst, src, vec(PTO_S32, 2, 64), NULL);
        sort_rule(target, "PTO-E0303", vec(PTO_F16, 2, 256), src, idx, NULL);
        sort_rule(target, NULL, vec(PTO_F16, 2, 256), vec(PTO_F16, 2, 64), idx, NULL);
        sort_rule(target, "PTO-E0862", vec(PTO_F16, 2, 240), vec(PTO_F16, 2, 64), idx, NULL);
        sort_rule(target, npu ? "PTO-E0302" : NULL, vec(PTO_S32, 2, 128), vec(PTO_S32, 2, 64), idx, NULL);
        sort_rule(target, "PTO-E0302", vec(PTO_U32, 2, 128), vec(PTO_U32, 2, 64), idx, NULL);
        pto_tile_type mat = dst;
        mat.loc = PTO_LOC_MAT;
        sort_rule(target, "PTO-E0320", mat, src, idx, NULL);
        sort_rule(target, "PTO-E0321", pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 8, 128), vec(PTO_F32, 8, 64),
                  vec(PTO_U32, 8, 64), NULL);
        /* the tail: 33 valid columns */
        pto_tile_type odd = src, odd_idx = idx;
        odd.valid_cols = odd_idx.valid_cols = 33;
        sort_rule(target, npu ? "PTO-E0863" : NULL, dst, odd, odd_idx, NULL);
        pto_tile_type tmp = vec(PTO_F32, 1, 64), small = vec(PTO_F32, 1, 56);
        sort_rule(target, NULL, dst, odd, odd_idx, &tmp);
        sort_rule(target, npu ? "PTO-E0330" : NULL, dst, odd, odd_idx, &small);
        sort_rule(target, "PTO-E0862", vec(PTO_F32, 2, 120), odd, odd_idx, &tmp);
        pto_tile_type other = vec(PTO_F16, 1, 64);
        sort_rule(target, "PTO-E0303", dst, odd, odd_idx, &other);
    }
    /* 8160 elements (a2a3) or bytes (a5) a call: longer rows take the scratch of one block */
    pto_tile_type one = vec(PTO_F16, 1, 32), src = vec(PTO_F16, 1, 8192), idx = vec(PTO_U32, 1, 8192);
    src.valid_cols = idx.valid_cols = 8161;
    sort_rule(PTO_TARGET_A2A3, NULL, vec(PTO_F16, 1, 32768), src, idx, &one);
    src.valid_cols = idx.valid_cols = 8160;
    sort_rule(PTO_TARGET_A2A3, "PTO-E0330", vec(PTO_F16, 1, 32768), src, idx, &one);
    sort_rule(PTO_TARGET_A5, NULL, vec(PTO_F16, 1, 32768), src, idx, &one);
    src.valid_cols = idx.valid_cols = 4080;
    sort_rule(PTO_TARGET_A5, "PTO-E0330", vec(PTO_F16, 1, 32768), src, idx, &one);

    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BASE);
    pto_tile d = pto_tile_make(vec(PTO_F32, 1, 64)), s = pto_tile_make(vec(PTO_F32, 1, 32)),
             i = pto_tile_make(vec(PTO_U32, 1, 32));
    assert_int_equal(pto_tile_assign(core, &d, 0), PTO_OK);
    assert_int_equal(pto_tile_assign(core, &s, 0), PTO_OK);
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TSORT32, TILE(&d), TILE(&s), TILE(&i));
    assert_int_equal(pto_tile_assign(core, &s, 256), PTO_OK);
    TESTING_ACCEPTED(core, PTO_FORM_TSORT32, TILE(&d), TILE(&s), TILE(&i));
    pto_core_destroy(core);
}

static void block_rule(pto_target target, const char *rule, pto_tile_type dst, pto_tile_type src,
                       int64_t block) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile d = pto_tile_make(dst), s = pto_tile_make(src);
    testing_expect(
        core,
        TESTING_EXECUTE(core, PTO_FORM_TMRGSORT, TILE(&d), TILE(&s), testing_int_operand(PTO_U32, block)),
        rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void test_merge_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        pto_tile_type list = vec(PTO_F32, 1, 512);
        block_rule(target, NULL, list, list, 128);
        block_rule(target, NULL, list, list, 64);
        block_rule(target, "PTO-E0866", list, list, 96);
        block_rule(target, "PTO-E0866", list, list, 0);
        block_rule(target, "PTO-E0866", list, list, -64);
        block_rule(target, "PTO-E0867", list, list, 192);
        block_rule(target, "PTO-E0867", list, list, 256);
        block_rule(target, "PTO-E0862", vec(PTO_F32, 1, 504), list, 128);
        block_rule(target, "PTO-E0865", list, vec(PTO_F32, 2, 512), 128);
        block_rule(target, "PTO-E0302", vec(PTO_BF16, 1, 512), vec(PTO_BF16, 1, 512), 128);
        pto_core *core = testing_core(target, PTO_SIMD_BASE);
        pto_tile dst = pto_tile_make(list), a = pto_tile_make(vec(PTO_F32, 1, 64)), b = a;
        pto_tile tmp = pto_tile_make(vec(PTO_F32, 1, 128)), small = pto_tile_make(vec(PTO_F32, 1, 120));
        pto_tile rows = pto_tile_make(vec(PTO_F32, 2, 128));
        TESTING_ACCEPTED(core, PTO_FORM_TMRGSORT_2_LISTS, TILE(&dst), TILE(NULL), TILE(&tmp), TILE(&a),
                         TILE(&b));
        TESTING_REFUSED(core, "PTO-E0868", PTO_FORM_TMRGSORT_2_LISTS, TILE(&dst), TILE(NULL), TILE(&small),
                        TILE(&a), TILE(&b));
        TESTING_REFUSED(core, "PTO-E0865", PTO_FORM_TMRGSORT_2_LISTS, TILE(&dst), TILE(NULL), TILE(&rows),
                        TILE(&a), TILE(&b));
        TESTING_REFUSED(core, "PTO-E0304", PTO_FORM_TMRGSORT_2_LISTS, TILE(&dst), TILE(&a), TILE(&tmp),
                        TILE(&a), TILE(&b));
        pto_core_destroy(core);
    }
    /* a2a3 takes at most 255 groups */
    pto_tile_type few = vec(PTO_F16, 1, 40960);
    few.valid_cols = 255 * 64 * 4 > 40960 ? 40960 : 255 * 64 * 4;
    block_rule(PTO_TARGET_A2A3, NULL, few, few, 64);
    /* together the tiles stay below the capacity */
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BASE);
    pto_tile dst = pto_tile_make(vec(PTO_F32, 1, 16384)), a = pto_tile_make(vec(PTO_F32, 1, 8192)), b = a;
    pto_tile tmp = pto_tile_make(vec(PTO_F32, 1, 16384));
    TESTING_REFUSED(core, "PTO-E0869", PTO_FORM_TMRGSORT_2_LISTS, TILE(&dst), TILE(NULL), TILE(&tmp),
                    TILE(&a), TILE(&b));
    pto_tile less = pto_tile_make(vec(PTO_F32, 1, 16376)); /* one block less than the capacity */
    TESTING_ACCEPTED(core, PTO_FORM_TMRGSORT_2_LISTS, TILE(&less), TILE(NULL), TILE(&tmp), TILE(&a),
                     TILE(&b));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort32),
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_sort_rules),
        cmocka_unit_test(test_merge_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
