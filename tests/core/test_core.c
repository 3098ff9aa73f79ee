/* SPDX-License-Identifier: Apache-2.0 */
/* The door and the core: placement, aliasing, storage of unassigned tiles, observers, bounds, verification
 * once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <pto/pto.h>

static pto_core *make(pto_target target, bool auto_mode) {
    pto_options options = {.target = target, .auto_mode = auto_mode};
    pto_core *core = pto_core_create(&options);
    assert_non_null(core);
    return core;
}

static void fill(pto_tile *tile, float first) {
    float *x = tile->data;
    for (int i = 0; i < tile->type.rows * tile->type.cols; i++)
        x[i] = first + (float)i;
}

static void test_assign_places_bytes(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A2A3, false);
    pto_tile a = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 16));
    pto_tile b = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 8, 16));
    assert_int_equal(pto_tile_assign(core, &a, 0x1000), PTO_OK);
    assert_int_equal(pto_tile_assign(core, &b, 0x1200), PTO_OK);
    /* b is the lower half of a: the same bytes, whatever the types */
    assert_ptr_equal((char *)a.data + 0x200, b.data);
    fill(&a, 1.0f);
    float from_b;
    memcpy(&from_b, b.data, sizeof from_b);
    assert_true(from_b == 129.0f);
    pto_core_destroy(core);
}

static void expect_refused(pto_core *core, pto_status status, const char *rule) {
    assert_int_equal(status, PTO_ERR_REFUSED);
    assert_true(pto_diag_has(pto_core_diags(core), rule));
    pto_diag_list_clear(pto_core_diags(core));
}

static void test_assign_refusals(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A2A3, false);
    pto_tile a = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 16)); /* 1024 bytes */
    assert_int_equal(pto_tile_assign(core, &a, 196608 - 1024), PTO_OK);
    expect_refused(core, pto_tile_assign(core, &a, 196608 - 992), "SA-0353");
    expect_refused(core, pto_tile_assign(core, &a, UINT64_MAX - 31), "SA-0353");
    expect_refused(core, pto_tile_assign(core, &a, 16), "SA-0354");
    assert_int_equal(a.addr, 196608 - 1024); /* a refused placement changes nothing */
    pto_core_destroy(core);
}

static void test_auto_mode_ignores_assign(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A5, true);
    pto_tile a = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 16));
    assert_int_equal(pto_tile_assign(core, &a, 0x1000), PTO_OK);
    assert_false(a.assigned);
    pto_core_destroy(core);
}

static void test_unassigned_tiles_own_storage(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_CPU, false);
    pto_tile x = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8)), y = x;
    assert_null(x.data);
    assert_int_equal(pto_tile_bind(core, &x), PTO_OK);
    void *kept = x.data;
    fill(&x, -16.0f);
    assert_int_equal(pto_trelu(core, &y, &x), PTO_OK);
    assert_ptr_equal(x.data, kept);
    assert_non_null(y.data);
    assert_ptr_not_equal(x.data, y.data);
    for (int i = 0; i < 32; i++)
        assert_true(((float *)y.data)[i] == (i > 16 ? (float)(i - 16) : 0.0f));
    pto_core_destroy(core);
}

static void test_refusal_writes_nothing(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A2A3, false);
    pto_tile x = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_U16, 4, 16)), y = x;
    assert_int_equal(pto_tile_bind(core, &y), PTO_OK);
    memset(y.data, 0x5a, 128);
    expect_refused(core, pto_trelu(core, &y, &x), "PTO-E0302");
    for (int i = 0; i < 128; i++)
        assert_int_equal(((unsigned char *)y.data)[i], 0x5a);
    pto_core_destroy(core);
}

static void test_global_bounds(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_CPU, false);
    float memory[4 * 8];
    for (int i = 0; i < 32; i++)
        memory[i] = (float)i;
    pto_tile x = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8));
    pto_global g = pto_global_make_2d(memory, PTO_F32, PTO_LAYOUT_ND, 4, 8, 8);
    g.begin = memory;
    g.end = memory + 32;
    g.name = "m";
    assert_int_equal(pto_tload(core, &x, &g), PTO_OK);
    assert_true(((float *)x.data)[31] == 31.0f);
    g.end = memory + 31;
    ((float *)x.data)[0] = -1.0f;
    expect_refused(core, pto_tload(core, &x, &g), "PTO-E0901");
    assert_true(((float *)x.data)[0] == -1.0f);
    g.end = memory + 32;
    g.stride[3] = -8; /* runs below the buffer */
    expect_refused(core, pto_tload(core, &x, &g), "PTO-E0901");
    pto_core_destroy(core);
}

typedef struct counts {
    int before, after;
} counts;
static void count_before(void *user, const pto_core *core, const pto_instr *instr) {
    (void)core;
    (void)instr;
    ((counts *)user)->before++;
}
static void count_after(void *user, const pto_core *core, const pto_instr *instr) {
    (void)core;
    assert_int_equal(instr->form, PTO_FORM_TRELU);
    ((counts *)user)->after++;
}

static void test_observers(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A2A3, false);
    counts seen = {0, 0};
    for (int i = 0; i < 8; i++)
        assert_int_equal(pto_core_add_observer(core, (pto_observer){count_before, count_after, &seen}),
                         PTO_OK);
    assert_int_equal(pto_core_add_observer(core, (pto_observer){0}), PTO_ERR_LIMIT);
    pto_tile x = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8)), y = x;
    assert_int_equal(pto_trelu(core, &y, &x), PTO_OK);
    pto_tile bad = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_S8, 4, 32));
    expect_refused(core, pto_trelu(core, &bad, &bad), "PTO-E0302"); /* a refused instruction is not seen */
    assert_int_equal(seen.before, 8);
    assert_int_equal(seen.after, 8);
    pto_core_destroy(core);
}

static void test_verify_once(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A5, false);
    pto_tile x = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8)), y = x;
    pto_instr instr = {.form = PTO_FORM_TRELU};
    instr.operand[0] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &y};
    instr.operand[1] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &x};
    assert_int_equal(pto_core_verify(core, &instr), PTO_OK);
    assert_true(instr.verified);
    assert_int_equal(pto_core_execute(core, &instr), PTO_OK);
    instr.operand[1].tile = NULL;
    instr.operand[1].kind = PTO_OPERAND_ABSENT;
    expect_refused(core, pto_core_verify(core, &instr), "PTO-E0305");
    instr.form = PTO_FORM_COUNT;
    assert_int_equal(pto_core_execute(core, &instr), PTO_ERR_USAGE);
    pto_core_destroy(core);
}

static void test_valid_extents(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_CPU, false);
    pto_tile x = pto_tile_make_valid(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8), 3, 7);
    assert_int_equal(pto_tile_set_valid(core, &x, 4, 8), PTO_OK);
    expect_refused(core, pto_tile_set_valid(core, &x, 5, 8), "PTO-E0310");
    expect_refused(core, pto_tile_set_valid(core, &x, -1, 8), "PTO-E0310");
    pto_tile fixed = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8));
    expect_refused(core, pto_tile_set_valid(core, &fixed, 3, 8), "PTO-E0310");
    pto_core_destroy(core);
}

static void test_reset_zeroes(void **state) {
    (void)state;
    pto_core *core = make(PTO_TARGET_A2A3, false);
    pto_tile x = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8));
    assert_int_equal(pto_tile_assign(core, &x, 64), PTO_OK);
    fill(&x, 1.0f);
    pto_core_reset(core);
    for (int i = 0; i < 32; i++)
        assert_true(((float *)x.data)[i] == 0.0f);
    pto_core_destroy(core);
    pto_options bad = {.target = PTO_TARGET_COUNT};
    assert_null(pto_core_create(&bad));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assign_places_bytes),
        cmocka_unit_test(test_assign_refusals),
        cmocka_unit_test(test_auto_mode_ignores_assign),
        cmocka_unit_test(test_unassigned_tiles_own_storage),
        cmocka_unit_test(test_refusal_writes_nothing),
        cmocka_unit_test(test_global_bounds),
        cmocka_unit_test(test_observers),
        cmocka_unit_test(test_verify_once),
        cmocka_unit_test(test_valid_extents),
        cmocka_unit_test(test_reset_zeroes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
