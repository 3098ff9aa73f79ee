/* SPDX-License-Identifier: Apache-2.0 */
/* Agents: numbers, flags, signals, tokens, the barrier and threads of a launch. */
#include <pto/agent.h>

#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static void refused(pto_status status, const char *rule) {
    assert_int_equal(status, PTO_ERR_REFUSED);
    pto_diag_list *diags = pto_core_diags(pto_core_current());
    assert_true(pto_diag_has(diags, rule));
    pto_diag_list_clear(diags);
}

static void flags(void **state) {
    (void)state;
    assert_int_equal(pto_agent_flag_set(PTO_PIPE_MTE2, PTO_PIPE_V, 0), PTO_OK);
    assert_int_equal(pto_agent_flag_set(PTO_PIPE_MTE2, PTO_PIPE_V, 7), PTO_OK);
    assert_int_equal(pto_agent_flag_set(PTO_PIPE_V, PTO_PIPE_MTE2, 0), PTO_OK);
    refused(pto_agent_flag_set(PTO_PIPE_MTE2, PTO_PIPE_V, 7), "PTO-E0920");
    assert_int_equal(pto_agent_flag_wait(PTO_PIPE_MTE2, PTO_PIPE_V, 7), PTO_OK);
    refused(pto_agent_flag_wait(PTO_PIPE_MTE2, PTO_PIPE_V, 7), "PTO-E0921");
    assert_int_equal(pto_agent_flag_wait(PTO_PIPE_MTE2, PTO_PIPE_V, 0), PTO_OK);
    refused(pto_agent_flag_set(PTO_PIPE_V, PTO_PIPE_V, 0), "PTO-E0416");
    refused(pto_agent_flag_set(PTO_PIPE_ALL, PTO_PIPE_V, 0), "PTO-E0416");
    refused(pto_agent_flag_wait(PTO_PIPE_M, PTO_PIPE_V, 8), "PTO-E0417");
    refused(pto_agent_flag_wait(PTO_PIPE_M, PTO_PIPE_V, -1), "PTO-E0417");
    refused(pto_agent_flags_end(true), "PTO-E0922"); /* V -> MTE2, 0 */
    assert_int_equal(pto_agent_flags_end(true), PTO_OK);
}

static void signals_and_tokens(void **state) {
    (void)state;
    assert_int_equal(pto_agent_signal(3), PTO_OK);
    assert_int_equal(pto_agent_signal(3), PTO_OK);
    assert_int_equal(pto_agent_signal_wait(3), PTO_OK);
    assert_int_equal(pto_agent_signal_wait(3), PTO_OK);
    refused(pto_agent_signal_wait(3), "PTO-E0923");
    refused(pto_agent_signal(32), "PTO-E0417");
    assert_int_equal(pto_agent_token_get(PTO_PIPE_V, 31), PTO_OK);
    refused(pto_agent_token_get(PTO_PIPE_V, 31), "PTO-E0925");
    refused(pto_agent_token_release(PTO_PIPE_MTE2, 31), "PTO-E0925");
    assert_int_equal(pto_agent_token_release(PTO_PIPE_V, 31), PTO_OK);
    assert_int_equal(pto_agent_token_get(PTO_PIPE_MTE2, 31), PTO_OK);
    pto_agent_flags_end(false);
}

typedef struct counts {
    atomic_int seen[6], before, early, refusals;
    bool leave; /* agent 0 ends without the barrier */
} counts;

static void meet(void *argument) {
    counts *c = argument;
    pto_agent agent = pto_agent_current();
    atomic_fetch_add(&c->seen[agent.block * agent.subblocks + agent.subblock], 1);
    assert_int_equal(agent.blocks, 3);
    assert_null(pto_core_existing());
    if (c->leave && agent.block == 0 && agent.subblock == 0)
        return;
    atomic_fetch_add(&c->before, 1);
    pto_status status = pto_agent_barrier();
    if (status != PTO_OK)
        atomic_fetch_add(&c->refusals, pto_diag_has(pto_core_diags(pto_core_current()), "PTO-E0924"));
    else if (atomic_load(&c->before) != 6)
        atomic_fetch_add(&c->early, 1);
    status = status == PTO_OK ? pto_agent_barrier() : status;
}

static void launch(void **state) {
    (void)state;
    static counts c;
    assert_int_equal(pto_agent_launch(3, 2, meet, &c), PTO_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(c.seen[i], 1);
    assert_int_equal(c.early, 0);
    assert_int_equal(c.refusals, 0);
    static counts left = {.leave = true};
    assert_int_equal(pto_agent_launch(3, 2, meet, &left), PTO_OK);
    assert_int_equal(left.refusals, 5);
    assert_int_equal(pto_agent_launch(70000, 1, meet, &c), PTO_ERR_LIMIT);
}

static void own_core(void **state) {
    (void)state;
    pto_options options = {.target = PTO_TARGET_A5};
    pto_core *core = pto_core_make_own(&options);
    assert_ptr_equal(pto_core_existing(), core);
    assert_int_equal(pto_core_options(pto_core_current())->target, PTO_TARGET_A5);
    uint32_t bytes = 0;
    assert_non_null(pto_core_memory(core, PTO_LOC_VEC, &bytes));
    assert_int_equal(bytes, 256 * 1024);
    assert_int_equal(pto_agent_barrier(), PTO_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flags), cmocka_unit_test(signals_and_tokens),
                                       cmocka_unit_test(launch), cmocka_unit_test(own_core)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
