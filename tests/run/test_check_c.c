/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C under the checkers: each fault is planted in a kernel that is silent without it; the rule and
 * the lines of both accesses are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pto/pto-inst.h>
#include <pto/pto.h>

/* The line of a statement, by number: written in front of it, on the same line. */
static atomic_int line_of[16];
#define AT(n) line_of[n] = __LINE__;

/* Which fault is planted; 0 = none. WITHOUT: left out when it is that one, WITH: there only then. */
static int fault;
#define WITHOUT(n) if (fault != (n))
#define WITH(n) if (fault == (n))

static float x[64 * 64], y[64 * 64 + 16];

/* Rows of 16 pass through load, vector and store; every flag and the barrier are needed on a2a3. */
static void pipeline(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, float, 16, 64);
    PTO_TILE(u, Vec, float, 16, 64);
    TASSIGN(t, 0);
    TASSIGN(u, 4096);
    WITHOUT(12) set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    for (int i = 0; i < 4; i++) {
        PTO_GLOBAL(gx, x + 1024 * i, float, 16, 64);
        PTO_GLOBAL(gy, y + 1024 * i, float, 16, 64);
        WITHOUT(3) { AT(7) wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); }
        AT(1) TLOAD(t, gx);
        WITHOUT(2) { AT(4) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
        WITH(8) { AT(8) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
        WITHOUT(1) { AT(5) wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
        WITHOUT(5) wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        AT(2) TADD(u, t, t);
        WITHOUT(6) pipe_barrier(PIPE_V);
        WITH(13) { AT(9) pipe_barrier(PIPE_M); }
        AT(3) TRELU(u, u);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE3, fault == 11 ? EVENT_ID1 : EVENT_ID0);
        WITHOUT(4) { AT(10) wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); }
        AT(0) TSTORE(gy, u);
        AT(6) set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    WITHOUT(7) wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}

/* Two loads of one tile: MTE2 of a5 keeps no order. */
static void loads(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, float, 16, 64);
    TASSIGN(t, 0);
    PTO_GLOBAL(gx, x, float, 16, 64);
    AT(0) TLOAD(t, gx);
    WITHOUT(1) pipe_barrier(PIPE_MTE2);
    AT(1) TLOAD(t, gx);
}

/* Every block its own rows, or all the same. */
static void blocks(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, float, 16, 64);
    TASSIGN(t, 0);
    PTO_GLOBAL(gy, y + (fault == 1 ? 0 : 1024 * pto_block_idx()), float, 16, 64);
    TEXPANDS(t, 1.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    AT(0) TSTORE(gy, t);
}

/* What is read was written: all of it. */
static void initialised(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, float, 16, 64);
    PTO_TILE(u, Vec, float, 16, 64);
    PTO_TILE_VALID(half, Vec, float, 16, 64, 8, 64);
    PTO_TILE(free_tile, Vec, float, 16, 64);
    TASSIGN(t, 0);
    TASSIGN(half, 0);
    TASSIGN(u, 4096);
    PTO_GLOBAL(gx, x, float, 16, 64);
    PTO_GLOBAL(gh, x, float, 8, 64);
    PTO_GLOBAL(gy, y, float, 16, 64);
    WITHOUT(1) {
        WITHOUT(2) TLOAD(t, gx);
        WITH(2) TLOAD(half, gh);
    }
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    WITHOUT(4) TEXPANDS(free_tile, 1.0f);
    AT(0) TRELU(u, t);
    AT(1) TADD(u, free_tile, free_tile);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    if (fault == 3) /* rows behind those that were written */
        TASSIGN(u, 4096 + 2048);
    AT(2) TSTORE(gy, u);
}

static void tokens(void *unused) {
    (void)unused;
    AT(0) get_buf(PIPE_V, 3, 0);
    WITH(1) { AT(1) get_buf(PIPE_V, 3, 0); }
    WITHOUT(2) rls_buf(PIPE_V, 3, 0);
    WITH(3) { AT(1) rls_buf(PIPE_V, 3, 0); }
}

static void signals(void *unused) {
    (void)unused;
    WITHOUT(1) set_intra_block(PIPE_V, 5);
    AT(0) wait_intra_block(PIPE_MTE2, 5);
}

/* V waits for MTE2 behind the set that MTE2 waits for, or in front of it. */
static void crossing(void *unused) {
    (void)unused;
    WITHOUT(1) set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    WITHOUT(1) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    AT(0) wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    AT(1) wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    WITH(1) set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    WITH(1) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
}

/* A tile in the implicit scratch of a2a3, read behind an instruction that uses it. */
static void scratch(void *unused) {
    (void)unused;
    PTO_TILE(kept, Vec, float, 8, 64);
    PTO_TILE(t, Vec, float, 8, 64);
    PTO_TILE(u, Vec, float, 8, 64);
    PTO_TILE_DN(column, Vec, float, 8, 1);
    TASSIGN(kept, fault == 1 ? 0x2f000 : 0x4000);
    TASSIGN(t, 0);
    TASSIGN(u, 0x1000);
    TASSIGN(column, 0x2000);
    TEXPANDS(kept, 1.0f);
    TEXPANDS(t, 1.0f);
    pipe_barrier(PIPE_V);
    TROWMAX(column, t, u);
    pipe_barrier(PIPE_V);
    TROWEXPANDADD(u, t, column);
    pipe_barrier(PIPE_V);
    AT(0) TRELU(kept, kept);
}

#ifndef __SANITIZE_ADDRESS__ /* the kernel would then be stopped at the address itself */
static void aligned(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, int16_t, 16, 64);
    TASSIGN(t, 0);
    PTO_GLOBAL(gx, (char *)x + (fault == 1), int16_t, 16, 64);
    AT(0) TLOAD(t, gx);
}
#endif

static const pto_target a2a3 = PTO_TARGET_A2A3, a5 = PTO_TARGET_A5;

static size_t run(void (*kernel)(void *), pto_target target, pto_diag_list *diags) {
    size_t findings = 99;
    const pto_launch_options options = {.core = {.target = target},
                                        .blocks = 2,
                                        .threads = 1,
                                        .checks = PTO_CHECK_ALL,
                                        .findings = &findings};
    if (pto_launch(&options, kernel, NULL, diags) != PTO_OK || findings == 99)
        fail_msg("the launch fails");
    return findings;
}

static bool told(const pto_diag_list *diags, const char *rule, int second, int first) {
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        if (strcmp(d->rule, rule) != 0 || (int)d->line != second || !strstr(d->where.file, "test_check_c.c"))
            continue;
        if (!first)
            return true;
        for (const pto_diagnostic *note = d->notes; note; note = note->next)
            if ((int)note->line == first)
                return true;
    }
    return false;
}

static int planted;

static void plant(void (*kernel)(void *), pto_target target, int number, const char *rule, int second,
                  int first) {
    char text[4096];
    pto_diag_list *diags = pto_diag_list_create();
    fault = 0;
    if (kernel != blocks && kernel != pipeline && kernel != initialised && run(kernel, target, diags)) {
        pto_diag_render_buffer(diags, NULL, text, sizeof text);
        fail_msg("the kernel without a fault is not silent:\n%s", text);
    }
    pto_diag_list_clear(diags);
    for (int i = 0; i < 16; i++)
        line_of[i] = 0;
    fault = number;
    const size_t findings = run(kernel, target, diags);
    const bool advice = !strncmp(rule, "PTO-W", 5);
    pto_diag_render_buffer(diags, NULL, text, sizeof text);
    if ((findings == 0) != advice || !told(diags, rule, line_of[second], first < 0 ? 0 : line_of[first]))
        fail_msg("%s at line %d, first at %d, is not told:\n%s", rule, line_of[second],
                 first < 0 ? 0 : line_of[first], text);
    pto_diag_list_destroy(diags);
    planted++;
}

/* pipeline and initialised store to the same rows in both blocks: they are launched with one. */
static void alone(void (*kernel)(void *), pto_target target, int number, const char *rule, int second,
                  int first) {
    pto_diag_list *diags = pto_diag_list_create();
    char text[4096];
    for (int turn = 0; turn < 2; turn++) {
        size_t findings;
        const pto_launch_options options = {
            .core = {.target = target}, .checks = PTO_CHECK_ALL, .findings = &findings};
        pto_diag_list_clear(diags);
        for (int i = 0; i < 16; i++)
            line_of[i] = 0;
        fault = turn ? number : 0;
        assert_int_equal(pto_launch(&options, kernel, NULL, diags), PTO_OK);
        pto_diag_render_buffer(diags, NULL, text, sizeof text);
        if (!turn && findings)
            fail_msg("the kernel without a fault is not silent:\n%s", text);
        const bool advice = !strncmp(rule, "PTO-W", 5);
        if (turn && ((findings == 0) != advice ||
                     !told(diags, rule, line_of[second], first < 0 ? 0 : line_of[first])))
            fail_msg("%s at line %d, first at %d, is not told:\n%s", rule, line_of[second],
                     first < 0 ? 0 : line_of[first], text);
    }
    pto_diag_list_destroy(diags);
    planted++;
}

static void every_fault_is_told(void **state) {
    (void)state;
    alone(pipeline, a2a3, 1, "PTO-E1101", 2, 1);
    alone(pipeline, a5, 1, "PTO-E1101", 2, 1);
    alone(pipeline, a5, 1, "PTO-E0920", 4, 4);
    alone(pipeline, a2a3, 2, "PTO-E0921", 5, -1);
    alone(pipeline, a2a3, 3, "PTO-E1101", 1, 2);
    alone(pipeline, a5, 3, "PTO-E1102", 1, 1);
    alone(pipeline, a2a3, 4, "PTO-E1101", 0, 3);
    alone(pipeline, a5, 5, "PTO-E1101", 2, 0);
    alone(pipeline, a2a3, 6, "PTO-E1103", 3, 2);
    alone(pipeline, a5, 7, "PTO-E0922", 6, -1);
    alone(pipeline, a2a3, 8, "PTO-E0920", 8, 4);
    alone(pipeline, a5, 11, "PTO-E0921", 10, -1) /* another id is another flag */;
    alone(pipeline, a2a3, 12, "PTO-E1110", 7, 5);
    alone(pipeline, a5, 13, "PTO-W1111", 9, -1);
    plant(loads, a5, 1, "PTO-E1102", 1, 0);
    plant(blocks, a2a3, 1, "PTO-E1104", 0, 0);
    alone(initialised, a5, 1, "PTO-E1120", 0, -1);
    alone(initialised, a5, 2, "PTO-E1120", 0, -1);
    alone(initialised, a5, 3, "PTO-E1120", 2, -1);
    alone(initialised, a5, 4, "PTO-E1120", 1, -1);
    plant(tokens, a5, 1, "PTO-E0925", 1, 0);
    plant(tokens, a5, 2, "PTO-E0925", 0, -1);
    plant(tokens, a5, 3, "PTO-E0925", 1, -1);
    plant(signals, a5, 1, "PTO-E0923", 0, -1);
    plant(crossing, a2a3, 1, "PTO-E1110", 0, 1);
    plant(scratch, a2a3, 1, "PTO-E1142", 0, -1);
#ifndef __SANITIZE_ADDRESS__
    plant(aligned, a5, 1, "PTO-E1141", 0, -1);
#endif
    print_message("%d planted faults in C, every one told\n", planted);
}

/* A core of one's own, functions instead of macros, a suppression. */
static void functions_are_watched(void **state) {
    (void)state;
    pto_diag_list *diags = pto_diag_list_create();
    static const char text[] = "# ours\nrace:TRE*\n";
    pto_suppressions *suppressions = pto_suppressions_parse("ignore", text, strlen(text), diags);
    assert_non_null(suppressions);
    for (int turn = 0; turn < 2; turn++) {
        pto_watch *watch = pto_watch_create(PTO_CHECK_RACE, turn ? suppressions : NULL);
        pto_core *core = pto_core_create(&(pto_options){.target = a2a3});
        assert_int_equal(pto_watch_core(watch, core), PTO_OK);
        assert_int_equal(pto_watch_core(watch, core), PTO_ERR_USAGE);
        PTO_TILE(t, Vec, float, 16, 64);
        pto_scalar one = {.dtype = PTO_F32, .f = 1};
        assert_int_equal(PTO_HERE(pto_texpands(core, t, one)), PTO_OK);
        int line = 0;
        assert_int_equal((line = __LINE__, PTO_HERE(pto_trelu(core, t, t))), PTO_OK);
        pto_core_destroy(core);
        const size_t findings = pto_watch_tell(watch, diags);
        assert_int_equal(findings, turn ? 0 : 2); /* it reads and it writes what TEXPANDS wrote */
        if (!turn)
            assert_true(told(diags, "PTO-E1103", line, line - 2));
        pto_watch_destroy(watch);
    }
    pto_suppressions_destroy(suppressions);
    pto_diag_list_clear(diags);
    assert_null(pto_suppressions_parse("ignore", "speed:x", 7, diags));
    assert_true(pto_diag_has(diags, "PTO-E0157"));
    pto_diag_list_destroy(diags);
}

/* Agents that meet: what one stores before, another loads behind. */
static void meeting(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, float, 16, 64);
    TASSIGN(t, 0);
    PTO_GLOBAL(mine, y + 1024 * pto_block_idx(), float, 16, 64);
    PTO_GLOBAL(other, y + 1024 * (1 - pto_block_idx()), float, 16, 64);
    TEXPANDS(t, 1.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(mine, t);
    if (fault != 1)
        pto_agent_barrier();
    TLOAD(t, other);
}

static void a_meeting_orders_blocks(void **state) {
    (void)state;
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(pto_check_process("race", NULL), PTO_OK);
    for (fault = 0; fault < 2; fault++) {
        assert_int_equal(pto_agent_launch(2, 1, meeting, NULL), PTO_OK);
        pto_diag_list_clear(diags);
        pto_check_process_tell(diags, false);
        assert_int_equal(pto_diag_has(diags, "PTO-E1104"), fault == 1);
    }
    pto_diag_list_destroy(diags);
}

static void names_of_checks(void **state) {
    (void)state;
    uint32_t checks;
    const char *wrong;
    assert_true(pto_check_parse("race,init", &checks, NULL) && checks == (PTO_CHECK_RACE | PTO_CHECK_INIT));
    assert_true(pto_check_parse("none", &checks, NULL) && checks == 0);
    assert_true(pto_check_parse("all", &checks, NULL) && checks == PTO_CHECK_ALL);
    assert_false(pto_check_parse("race,speed", &checks, &wrong));
    assert_string_equal(wrong, "speed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_told), cmocka_unit_test(functions_are_watched),
        cmocka_unit_test(names_of_checks), cmocka_unit_test(a_meeting_orders_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
