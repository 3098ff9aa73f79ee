/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of blocks (70, 7.2 and 7.3): every code and every rule is provoked, the state of the machine is the
 * same byte for byte before and after, stepped, run and tried again; of two faults the earlier one in the
 * order of 7.3 is told, in blocks of every operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "block/machine.h"
#include "reference/block.h"
#include "support/block_calls.h"
#include <pto/isa.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 4096 };

/* ---- working memory of the host, which a test can take away ---- */

#ifdef PTO_TEST_WRAP_STAGING
static bool staging_fails;
void *__real_pto_block_staging(pto_block_machine *machine, size_t bytes);
void *__wrap_pto_block_staging(pto_block_machine *machine, size_t bytes);
void *__wrap_pto_block_staging(pto_block_machine *machine, size_t bytes) {
    return staging_fails ? NULL : __real_pto_block_staging(machine, bytes);
}
#endif

/* ---- the state of a machine ---- */

/* Everything that a program can see (70, 2), as bytes: registers, the active block with its dimensions and
 * bindings, queues with the contents of their live tiles, ACC, flags, memory and code. */
typedef struct snapshot {
    size_t size;
    uint8_t *bytes;
} snapshot;

static void keep(snapshot *s, const void *data, size_t size) {
    s->bytes = realloc(s->bytes, s->size + size);
    assert_non_null(s->bytes);
    memcpy(s->bytes + s->size, data, size);
    s->size += size;
}

static void keep_tiles(snapshot *s, const pto_block_machine *m) {
    for (int q = 0; q < 4; q++) {
        keep(s, &m->queue[q].pushes, sizeof m->queue[q].pushes);
        for (int i = 0; i < PTO_BLOCK_DEPTH; i++) {
            const pto_block_entry *e = &m->queue[q].entry[i];
            keep(s, &e->live, sizeof e->live);
            if (!e->live)
                continue;
            const int32_t shape[] = {e->type,       e->layout,     e->size,      e->rows,  e->cols,
                                     e->valid_rows, e->valid_cols, e->predicate, e->holes, e->all_defined};
            keep(s, shape, sizeof shape);
            const size_t bits = e->predicate ? 1 : pto_block_type_bits(e->type);
            keep(s, e->data,
                 ((size_t)e->rows * (size_t)e->cols * bits + 7) / 8); /* 3.1: the rest is unused */
        }
    }
    keep(s, &m->live_bytes, sizeof m->live_bytes);
    keep(s, &m->live_count, sizeof m->live_count);
}

static snapshot snapshot_of(const block_bench *b) {
    const pto_block_machine *m = b->machine;
    snapshot s = {0};
    keep(&s, &m->pc, sizeof m->pc);
    keep(&s, m->gpr, sizeof m->gpr);
    keep(&s, m->queue_t, sizeof m->queue_t);
    keep(&s, m->queue_u, sizeof m->queue_u);
    keep(&s, &m->fflags, sizeof m->fflags);
    keep(&s, &m->executed, sizeof m->executed);
    keep(&s, &m->kind, sizeof m->kind);
    if (m->kind != BLOCK_NONE) {
        const uint64_t block[] = {m->transfer,      m->bpc,        m->target,      m->bpcn,     m->taken,
                                  m->condition_set, m->target_set, m->scalar_seen, m->has_catr, m->trap};
        keep(&s, block, sizeof block);
    }
    if (m->kind == BLOCK_TILE)
        keep(&s, m->state, sizeof *m->state);
    keep_tiles(&s, m);
    keep(&s, &m->acc.live, sizeof m->acc.live);
    if (m->acc.live) {
        const int32_t shape[] = {m->acc.type, m->acc.rows, m->acc.cols};
        keep(&s, shape, sizeof shape);
        keep(&s, m->acc.data, (size_t)m->acc.rows * (size_t)m->acc.cols * 4);
    }
    keep(&s, m->image, m->image_size);
    keep(&s, b->memory, MEMORY_BYTES);
    return s;
}

static void same_state(const snapshot *a, const snapshot *b, const char *text, const char *what) {
    if (a->size != b->size || memcmp(a->bytes, b->bytes, a->size))
        fail_msg("%s: the state differs %s", text, what);
}

/* ---- one fault ---- */

static bool code_provoked[32];
static char rule_provoked[256][12];
static size_t rules_provoked;

static bool is_provoked(const char *rule) {
    for (size_t i = 0; i < rules_provoked; i++)
        if (!strcmp(rule_provoked[i], rule))
            return true;
    return false;
}

static void provoked(pto_block_fault fault, const char *rule) {
    code_provoked[fault] = true;
    if (!is_provoked(rule))
        snprintf(rule_provoked[rules_provoked++], sizeof *rule_provoked, "%s", rule);
}

static block_bench empty(const pto_block_profile *profile) {
    block_bench b = {.machine = pto_block_machine_create(profile), .memory = malloc(MEMORY_BYTES)};
    assert_non_null(b.machine);
    assert_non_null(b.memory);
    for (int i = 0; i < MEMORY_BYTES; i++)
        b.memory[i] = (uint8_t)(i * 7 + (i >> 8));
    assert_int_equal(pto_block_map(b.machine, BLOCK_MEMORY, b.memory, MEMORY_BYTES, false), PTO_OK);
    return b;
}

/* The same registers, tiles and code in a second machine. */
static block_bench twin_of(const block_bench *b, const pto_block_profile *profile, const char *text) {
    block_bench twin = empty(profile);
    for (unsigned r = 1; r < 24; r++)
        pto_block_set_gpr(twin.machine, r, pto_block_gpr(b->machine, r));
    for (unsigned q = 0; q < 4; q++)
        for (unsigned d = (unsigned)pto_block_pushes(b->machine, q); d; d--) {
            pto_block_tile tile;
            assert_true(pto_block_tile_at(b->machine, q, d, &tile));
            assert_int_equal(pto_block_push(twin.machine, q, &tile), PTO_OK);
        }
    block_bench_load(&twin, text);
    return twin;
}

static void is_fault(const block_bench *b, const char *text, pto_block_fault fault, const char *rule) {
    const pto_block_fault_info *info = pto_block_last_fault(b->machine);
    if (info->fault != fault || strcmp(info->rule, rule))
        fail_msg("%s: %s %s (%s), not %s %s", text, pto_block_fault_name(info->fault), info->rule, info->text,
                 pto_block_fault_name(fault), rule);
}

/* Steps to the fault: the machine is as it was before the instruction. Runs to it in a second machine: the
 * same state. Tries again in both: the same fault, the same state. */
static void faults_in(block_bench *b, const pto_block_profile *profile, const char *text,
                      pto_block_fault fault, const char *rule) {
    block_bench twin = twin_of(b, profile, text);
    block_bench_load(b, text);
    snapshot before;
    for (;;) {
        before = snapshot_of(b);
        const pto_status status = pto_block_step(b->machine);
        if (status == PTO_ERR_REFUSED)
            break;
        if (status != PTO_OK)
            fail_msg("%s: no fault %s, status %d", text, rule, (int)status);
        free(before.bytes);
    }
    is_fault(b, text, fault, rule);
    assert_int_equal(pto_block_last_fault(b->machine)->pc, pto_block_pc(b->machine));
    provoked(fault, rule);
    snapshot after = snapshot_of(b);
    same_state(&before, &after, text, "after the fault");
    free(after.bytes);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(pto_block_run(twin.machine, 1000), PTO_ERR_REFUSED);
        is_fault(&twin, text, fault, rule);
        after = snapshot_of(&twin);
        same_state(&before, &after, text, turn ? "when tried again" : "between stepping and running");
        free(after.bytes);
    }
    free(before.bytes);
    block_bench_drop(&twin);
}

static void push_u16(block_bench *b, unsigned queue, int32_t valid_cols) {
    static block_values v;
    block_values_random(&v, RB_U16, 16, 32, 16, valid_cols);
    block_values_push(b, queue, &v);
}

/* On a machine with U#1 16x32 and T#1 16x30 of U16, sp = 70000, a0 = 1. */
static void faults_with(const pto_block_profile *profile, const char *text, pto_block_fault fault,
                        const char *rule) {
    block_bench b = empty(profile);
    push_u16(&b, BLOCK_U, 32);
    push_u16(&b, BLOCK_T, 30);
    pto_block_set_gpr(b.machine, 1, 70000);
    pto_block_set_gpr(b.machine, 2, 1);
    faults_in(&b, profile, text, fault, rule);
    block_bench_drop(&b);
}
static void faults(const char *text, pto_block_fault fault, const char *rule) {
    faults_with(NULL, text, fault, rule);
}

/* ---- each rule at its smallest ---- */

typedef struct fault_case {
    const char *text, *rule;
} fault_case;

/* 7.3 step 1 and 2, and what 7.1 says of the life of a block. */
static const fault_case illegal[] = {
    {".half 0x0080", "PTO-E1620"},
    {".word 0xa8019181", "PTO-E1620"},                              /* the type of code 21 */
    {".word 0xf8019181", "PTO-E1620"},                              /* 31 is none */
    {".word 0x01d19181", "PTO-E1620"},                              /* selector 29 */
    {"BSTART.TEPL TRELU, U16\n.word 0x00003043", "PTO-E1620"},      /* LB3 */
    {"BSTART.TEPL TRELU, U16\n.word 0x000c0043", "PTO-E1620"},      /* B.DIM of t#1 */
    {"BSTART.TEPL TRELU, U16\n.word 0x00005213", "PTO-E1620"},      /* a queue of code 4 */
    {"TRESHAPE <32, 16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1620"} /* encoded, not built */
};
static const fault_case bundle[] = {
    {"C.BSTOP", "PTO-E1630"},
    {"BSTOP", "PTO-E1630"},
    {"B.DIM zero, 1, ->LB0", "PTO-E1630"},
    {"addi zero, 1, ->a0", "PTO-E1630"},
    {"ebreak 0", "PTO-E1630"},
    {"BSTART.TEPL TRELU, U16\naddi zero, 1, ->a0", "PTO-E1630"},
    {"BSTART.TEPL TRELU, U16\nebreak 0", "PTO-E1630"},
    {"BSTART.TEPL TRELU, U16\nB.TEXT .+4", "PTO-E1630"},
    {"C.BSTART.STD FALL\nB.DIM zero, 1, ->LB0", "PTO-E1630"},
    {"C.BSTART.STD FALL\naddi zero, 1, ->a0\nB.CATR aq", "PTO-E1630"},
    {"C.BSTART.STD FALL\nsetc.eq zero, zero", "PTO-E1630"},
    {"C.BSTART.STD FALL\nsetc.tgt a0", "PTO-E1630"},
    {"BSTART.TEPL TRELU, U16\nB.DIM zero, 1, ->LB0\nB.DIM zero, 1, ->LB0", "PTO-E1631"},
    {"BSTART.TEPL TRELU, U16\nB.DIM zero, 1, ->LB2\nC.B.DIMI 1, ->LB2", "PTO-E1631"},
    {"BSTART.TEPL TRELU, U16\nC.B.DIM a0, ->LB1\nC.B.DIMI 1, ->LB1", "PTO-E1631"},
    {"BSTART.TEPL TRELU, U16\nB.DATR Zero\nB.DATR Zero", "PTO-E1631"},
    {"BSTART.TEPL TRELU, U16\nB.CATR aq\nB.CATR rl", "PTO-E1631"},
    {"C.BSTART.STD FALL\nB.CATR aq\nB.CATR rl", "PTO-E1631"},
    {"BSTART.STD COND, .+8\nsetc.eq zero, zero\nsetc.eq zero, zero", "PTO-E1631"},
    {"C.BSTART.STD RET\nsetc.tgt sp\nsetc.tgt sp", "PTO-E1631"},
    {"TADD <32, 16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1632"},
    {"TRELU <32, 16, u16>, U#1\nC.BSTOP", "PTO-E1632"},
    {"TADDS <32, 16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1632"},
    {"TRELU <32, 16, u16>, U#1, [a0], ->T<1KB>\nC.BSTOP", "PTO-E1632"},
    {"BSTART.TMA TPREFETCH, U16\nB.IOR a0\nB.IOR a0\nB.IOR a0\nB.IOR a0\nB.IOR a0", "PTO-E1632"},
    {"BSTART.TEPL TRELU, U16\nB.DIM zero, 32, ->LB0\nB.IOT U#1, ->T<1KB>\nC.BSTOP", "PTO-E1633"},
    {"BSTART.TEPL TRELU, U16\nB.IOT U#1, last, ->T<1KB>\nB.IOT U#1, last", "PTO-E1633"},
    {"C.BSTART.STD IND\nC.BSTOP", "PTO-E1634"},
    {"C.BSTART.STD ICALL\nC.BSTOP", "PTO-E1634"},
};
#define ACC_OF_16                                                                                            \
    "C.BSTART.STD FALL\nhl.lis 0x100000, ->a2\nTLOAD <16, 16, FP32>, [a2], ->M<1KB>\n"                       \
    "TMATMUL <16, 16, 16, FP32>, M#1.reuse, M#1.reuse\n"
static const fault_case tile[] = {
    {"TTRI <32, 16, s16>, [sp, zero], ->T<1KB>\nC.BSTOP", "PTO-E1640"},
    {"TTRI <32, 16, s16>, [zero, sp], ->T<1KB>\nC.BSTOP", "PTO-E1640"},
    {"TCI <32, 1, s16>, [a0, sp], ->T<1KB>\nC.BSTOP", "PTO-E1640"},
    {"TSORT <32, 16, FP32>, U#1, [sp], ->T<1KB>, T<1KB>\nC.BSTOP", "PTO-E1640"},
    {"TMRGSORT <32, 1, FP32>, U#1, T#1, [sp], ->T<1KB>\nC.BSTOP", "PTO-E1640"},
    {"TRELU <32, 16, u16, RNE>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1641"},
    {"TRELU <32, 16, u16, Sat>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1641"},
    {"TRELU <32, 16, u16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1641"},
    {"BSTART.TEPL TRELU, U16\nB.DATR EQ, ND2NZ\nB.DIM zero, 32, ->LB0\nB.DIM zero, 16, ->LB1\n"
     "B.IOT U#1, last, ->T<1KB>\nC.BSTOP",
     "PTO-E1641"},
    {"BSTART.TEPL TRELU, U16\nB.CATR dr\nB.DIM zero, 32, ->LB0\nB.DIM zero, 16, ->LB1\n"
     "B.IOT U#1, last, ->T<1KB>\nC.BSTOP",
     "PTO-E1641"},
    {"BSTART.TEPL TADDS, U16\nB.DIM zero, 32, ->LB0\nB.DIM zero, 16, ->LB1\nB.IOT U#1, last, ->T<1KB>\n"
     "B.IOR a0, ->a1\nC.BSTOP",
     "PTO-E1641"},
    {"TSTORE <32, 16, u16, Max>, U#1, [a0]\nC.BSTOP", "PTO-E1641"},
    {"THISTOGRAM <32, 16, u16, Byte2>, U#1, T#1, ->T<16KB>\nC.BSTOP", "PTO-E1641"},
    {"BSTART.TEPL TCVT, U16\nB.DATR NORM.canon\nB.DIM zero, 32, ->LB0\nB.DIM zero, 16, ->LB1\n"
     "B.IOT U#1, last, ->T<1KB>\nC.BSTOP",
     "PTO-E1641"},
    {"TRELU <u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TRELU <LB0:zero, LB1:16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TRELU <LB0:32, LB1:zero, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TRELU <LB0:32, LB1:16, LB2:zero, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TRELU <LB0:65536, LB1:16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"}, /* 16 bits of it */
    {"TRELU <LB0:32, LB1:16, LB2:31, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TCI <32, 2, s16>, [a0, zero], ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TSORT <65, 16, FP32>, U#1, ->T<1KB>, T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TGEMV <2, 16, 16, FP16>, U#1, T#1\nC.BSTOP", "PTO-E1642"},
    {"TMOV <31, 16, U4x2>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1642"},
    {"TEXP <32, 16, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1643"},
    {"TAND <32, 16, FP16>, U#1, T#1, ->T<1KB>\nC.BSTOP", "PTO-E1643"},
    {"TQUANT <32, 16, FP32>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1643"}, /* FP32 is none of its results */
    {ACC_OF_16 "TMATMUL <16, 16, 16, FP64>, M#1, M#1\nC.BSTOP", "PTO-E1643"},
    {"TRELU <32, 16, u16>, U#2, ->T<1KB>\nC.BSTOP", "PTO-E1644"},
    {"TRELU <32, 16, u16>, N#1, ->T<1KB>\nC.BSTOP", "PTO-E1644"},
    {"TRELU <32, 16, u16>, U#1, ->M<1KB>\nTRELU <32, 16, u16>, U#1, ->M<1KB>\nC.BSTOP", "PTO-E1644"},
    {ACC_OF_16 "TSTORE <16, 16, FP32>, M#2, [a2]\nC.BSTOP", "PTO-E1644"},
    {"TMOV.ND2NZ <32, 16, U16>, U#1, ->N<1KB>\nTRELU <32, 16, U16>, N#1, ->T<1KB>\nC.BSTOP", "PTO-E1645"},
    {"TMOV.NZ2ND <32, 16, U16>, U#1, ->N<1KB>\nC.BSTOP", "PTO-E1645"},
    {"TRELU <32, 16, s16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1646"},
    {"TMATMUL.ACC <16, 32, 32, FP32>, T#1, T#1\nC.BSTOP", "PTO-E1646"},
    {ACC_OF_16 "TMATMUL.ACC <16, 16, 16, FP16>, M#1, M#1\nC.BSTOP", "PTO-E1646"},
    {"TCMP.EQ <32, 16, U16>, U#1.reuse, U#1, ->N<128B>\nTRELU <32, 16, U16>, N#1, ->T<1KB>\nC.BSTOP",
     "PTO-E1646"}, /* a predicate */
    {"THISTOGRAM <32, 16, u16>, U#1.reuse, U#1, ->T<16KB>\nC.BSTOP", "PTO-E1646"},
    {"TRELU <30, 16, 32, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1647"},
    {"TRELU <32, 15, u16>, U#1, ->T<1KB>\nC.BSTOP", "PTO-E1647"},
    {"TRELU <30, 16, 30, u16>, T#1, ->T<1KB>\nC.BSTOP", "PTO-E1647"}, /* only Col differs */
    {ACC_OF_16 "TADD <16, 16, FP32>, M#1, M#1.reuse, ->T<16KB>\n"
               "TADD <15, 16, FP32>, T#1, M#1, ->T<16KB>\nC.BSTOP",
     "PTO-E1647"},
    {"C.BSTART.STD FALL\nhl.lis 0x100000, ->a2\nTCMP.NE <32, 16, U16>, U#1.reuse, U#1.reuse, ->N<128B>\n"
     "MGATHER.MASK <32, 16, U8>, U#1, N#1, [a2], ->M<1KB>\nTNOT <32, 16, U8>, M#1, ->T<1KB>\nC.BSTOP",
     "PTO-E1648"},
    {"C.BSTART.STD FALL\nhl.lis 0x100000, ->a2\nTCMP.NE <32, 16, U16>, U#1.reuse, U#1.reuse, ->N<128B>\n"
     "MGATHER.MASK <32, 16, U8>, U#1, N#1, [a2], ->M<1KB>\nTNOT <32, 16, U8>, M#1, ->T<32B>\nC.BSTOP",
     "PTO-E1648"}, /* before the size */
    {"TEXPANDS <8, 4, TF32>, [a0], ->T<128B>\nC.BSTOP", "PTO-E1649"},
    {"TEXPANDS <8, 4, S32>, [a0], ->N<128B>\nC.BSTART.STD FALL\nhl.lis 0x100400, ->a2\n"
     "TSTORE <8, 4, S32>, N#1, [a2]\nTLOAD <8, 4, HF32>, [a2], ->M<128B>\n"
     "TABS <8, 4, HF32>, M#1, ->T<128B>\nC.BSTOP",
     "PTO-E1649"},
    {"TDIVS <32, 16, u16>, U#1, [zero], ->T<1KB>\nC.BSTOP", "PTO-E1650"},
    {"TXOR <32, 16, U16>, U#1.reuse, U#1.reuse, ->N<1KB>\nTREM <32, 16, U16>, U#1, N#1, ->T<1KB>\nC.BSTOP",
     "PTO-E1650"},
    {"TFILLPAD <32, 16, U16>, U#1.reuse, [a1], ->N<1KB>\nTCVT <32, 16, U16, U32>, N#1, ->N<2KB>\n"
     "TGATHER <32, 16, U16>, U#1, N#1, ->T<1KB>\nC.BSTOP",
     "PTO-E1651"},
    {"TEXTRACT <32, 16, U16>, U#1, [a0, zero], ->T<1KB>\nC.BSTOP", "PTO-E1651"},
    {"TEXPANDS <32, 16, U16>, [sp], ->N<1KB>\nTSCATTER <32, 16, U16>, U#1, N#1, ->T<1KB>\nC.BSTOP",
     "PTO-E1651"},
    {"ACCCVT <16, 16, FP32>, ACC, ->T<1KB>\nC.BSTOP", "PTO-E1652"},
    {ACC_OF_16 "TMATMUL.ACC <16, 8, 16, FP32>, M#1, M#1\nC.BSTOP", "PTO-E1652"},
    {ACC_OF_16 "ACCCVT <16, 16, S32>, ACC, ->T<1KB>\nC.BSTOP", "PTO-E1652"},
};
static const fault_case alloc[] = {
    {"TRELU <32, 16, u16>, U#1, ->T<64B>\nC.BSTOP", "PTO-E1660"},
    {"TRELU <32, 16, u16>, U#1, ->T<512KB>\nC.BSTOP", "PTO-E1660"},
    {"TRELU <32, 16, u16>, U#1, ->T<512B>\nC.BSTOP", "PTO-E1661"},
    {"TEXPANDS <64, 64, FP32>, [a0], ->M<256KB>\nTEXPANDS <64, 64, FP32>, [a0], ->M<128KB>\n"
     "TEXPANDS <64, 64, FP32>, [a0], ->M<256KB>\nC.BSTOP",
     "PTO-E1662"},
    {"TEXPANDS <1, 600, FP32>, [a0], ->M<4KB>\nTEXPANDS <600, 1, FP32>, [a0], ->M<4KB>\n"
     "TMATMUL <600, 600, 1, FP32>, M#2, M#1\nC.BSTOP",
     "PTO-E1662"}, /* ACC holds 1 MiB */
};
static const fault_case access[] = {
    {"TLOAD <32, 16, u16>, [a0], ->T<1KB>\nC.BSTOP", "PTO-E1671"},
    {"C.BSTART.STD FALL\nldi [a0, 0], ->a2", "PTO-E1671"},
    {"C.BSTART.STD FALL\nsdi a0, [a0, 0]", "PTO-E1671"},
    {"C.BSTART.STD FALL\nhl.lis 0x100000, ->a2\nTSTORE <32, 16, u16>, U#1, [a2, a0]\nC.BSTOP",
     "PTO-E1671"}, /* a stride of 1 */
};
static const fault_case page[] = {
    {"TLOAD <32, 16, u16>, [a1], ->T<1KB>\nC.BSTOP", "PTO-E1672"},
    {"C.BSTART.STD FALL\nldi [a1, 0], ->a2", "PTO-E1672"},
    {"C.BSTART.STD FALL\nhl.lis 0x100ff0, ->a2\nTSTORE <32, 16, u16>, U#1, [a2]\nC.BSTOP",
     "PTO-E1672"},                                          /* the first words would fit */
    {"C.BSTART.STD FALL\naddi zero, 1, ->a2", "PTO-E1672"}, /* off the end with a block active */
};

static void each(const fault_case *cases, size_t count, pto_block_fault fault) {
    for (size_t i = 0; i < count; i++)
        faults(cases[i].text, fault, cases[i].rule);
}
#define EACH(cases, fault) each(cases, sizeof(cases) / sizeof *(cases), fault)

/* Memory that the program may only read. */
static void read_only_memory(void) {
    static uint8_t bytes[256];
    block_bench b = empty(NULL);
    assert_int_equal(pto_block_map(b.machine, 0x8000, bytes, sizeof bytes, true), PTO_OK);
    block_bench_load(&b,
                     "C.BSTART.STD FALL\nhl.lis 0x8000, ->a0\nldi [a0, 0], ->a1\nsdi a0, [a0, 0]\nC.BSTOP");
    assert_int_equal(pto_block_run(b.machine, 100), PTO_ERR_REFUSED);
    is_fault(&b, "a store into memory that is read", PTO_BLOCK_PAGE, "PTO-E1672");
    assert_int_equal(pto_block_last_fault(b.machine)->address, 0x8000);
    block_bench_drop(&b);
}

/* The seventeenth push over a live entry: a release by default, a fault in the strict mode. */
static void strict_depth(void) {
    char text[2048] = "";
    for (int i = 0; i < 16; i++)
        strcat(text, "TCI <16, 1, S32>, [a0, zero], ->M<128B>\n");
    strcat(text, "C.BSTART.STD FALL\nC.BSTART.STD FALL\n");
    faults_with(&(pto_block_profile){.strict_depth = true},
                strcat(text, "TCI <16, 1, S32>, [a0, zero], ->M<128B>\nC.BSTOP"), PTO_BLOCK_ALLOC,
                "PTO-E1663");
}

/* A trap that the block asks for comes after its effects, and the program goes on behind it. */
static void trap_after(void) {
    static const char text[] = "BSTART.TEPL TRELU, U16\nB.CATR trap\nB.DIM zero, 32, ->LB0\n"
                               "B.DIM zero, 16, ->LB1\nB.IOT U#1, last, ->M<1KB>\nC.BSTOP";
    block_bench b = empty(NULL);
    push_u16(&b, BLOCK_U, 32);
    block_bench_load(&b, text);
    assert_int_equal(pto_block_run(b.machine, 100), PTO_ERR_REFUSED);
    is_fault(&b, text, PTO_BLOCK_TRAP_AFTER, "PTO-E1673");
    provoked(PTO_BLOCK_TRAP_AFTER, "PTO-E1673");
    pto_block_tile tile_;
    assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &tile_));
    assert_false(pto_block_tile_at(b.machine, BLOCK_U, 1, &tile_));
    assert_int_equal(pto_block_run(b.machine, 100), PTO_OK);
    block_bench_drop(&b);
}

/* ebreak ends the program and changes nothing else; its fault is there for who asks. */
static void software_break(void) {
    block_bench b = empty(NULL);
    block_bench_load(&b, "C.BSTART.STD FALL\naddi zero, 1, ->a0\nebreak 5\nC.BSTOP");
    assert_int_equal(pto_block_step(b.machine), PTO_OK);
    assert_int_equal(pto_block_step(b.machine), PTO_OK);
    b.machine->executed++; /* the ebreak counts */
    snapshot before = snapshot_of(&b);
    b.machine->executed--;
    assert_int_equal(pto_block_step(b.machine), PTO_ERR_CANCELLED);
    const snapshot after = snapshot_of(&b);
    same_state(&before, &after, "ebreak 5", "after the break");
    free(before.bytes);
    free(after.bytes);
    const pto_block_fault_info *info = pto_block_last_fault(b.machine);
    assert_int_equal(info->fault, PTO_BLOCK_BREAK);
    assert_int_equal(info->pc, pto_block_pc(b.machine));
    assert_int_equal(pto_block_exit_code(b.machine), 5);
    code_provoked[PTO_BLOCK_BREAK] = true;
    block_bench_drop(&b);
}

/* A product that finds no working memory leaves the live ACC, however large its own would be. */
static void no_host_memory(void) {
#ifdef PTO_TEST_WRAP_STAGING
    block_bench b = empty(NULL);
    block_bench_load(&b, ACC_OF_16 "TMATMUL <64, 64, 1, FP32>, T#1, T#2\nC.BSTOP");
    while (pto_block_pc(b.machine) + 2 < BLOCK_CODE + b.machine->image_size)
        assert_int_equal(pto_block_step(b.machine), PTO_OK);
    static block_values v;
    block_values_random(&v, RB_FP32, 1, 64, 1, 64);
    block_values_push(&b, BLOCK_T, &v);
    block_values_random(&v, RB_FP32, 64, 1, 64, 1);
    block_values_push(&b, BLOCK_T, &v);
    const snapshot before = snapshot_of(&b);
    staging_fails = true;
    assert_true(b.machine->acc.live);
    assert_int_equal(pto_block_step(b.machine), PTO_ERR_REFUSED);
    is_fault(&b, "a product", PTO_BLOCK_TILE, "PTO-E1621");
    staging_fails = false;
    const snapshot after = snapshot_of(&b);
    same_state(&before, &after, "a product", "after the fault");
    free(before.bytes);
    free(after.bytes);
    assert_int_equal(pto_block_step(b.machine), PTO_OK); /* and then there is memory again */
    provoked(PTO_BLOCK_TILE, "PTO-E1621");
    block_bench_drop(&b);
#endif
}

/* The ledger: every code of 7.2 and every rule of the catalogue that a machine can raise. */
static void every_fault(void **state) {
    (void)state;
    EACH(illegal, PTO_BLOCK_ILLEGAL);
    EACH(bundle, PTO_BLOCK_BUNDLE);
    EACH(tile, PTO_BLOCK_TILE);
    EACH(alloc, PTO_BLOCK_ALLOC);
    faults("C.BSTART.STD IND\nsetc.tgt a0\nC.BSTOP", PTO_BLOCK_INSTPC, "PTO-E1670"); /* a0 = 1 */
    EACH(access, PTO_BLOCK_ALIGN);
    EACH(page, PTO_BLOCK_PAGE);
    read_only_memory();
    strict_depth();
    trap_after();
    software_break();
    no_host_memory();
    int codes = 0, rules = 0;
    for (unsigned fault = 1; strcmp(pto_block_fault_name((pto_block_fault)fault), "unknown");
         fault++, codes++)
        if (!code_provoked[fault])
            fail_msg("nothing provokes %s", pto_block_fault_name((pto_block_fault)fault));
    for (size_t i = 0; pto_rule_id(i); i++) {
        const char *rule = pto_rule_id(i);
        if (strcmp(rule, "PTO-E1620") < 0 || strcmp(rule, "PTO-E1679") > 0)
            continue;
#ifndef PTO_TEST_WRAP_STAGING
        if (!strcmp(rule, "PTO-E1621"))
            continue;
#endif
        rules++;
        if (!is_provoked(rule))
            fail_msg("nothing provokes %s", rule);
    }
    assert_true(codes >= 9 && rules >= 27);
    print_message("%d fault codes, %d rules\n", codes, rules);
}

/* ---- two at once ---- */

static pto_block_fault code_of(const char *rule) {
    const int number = atoi(rule + 5);
    return number == 1620  ? PTO_BLOCK_ILLEGAL
           : number < 1640 ? PTO_BLOCK_BUNDLE
           : number < 1660 ? PTO_BLOCK_TILE
           : number < 1670 ? PTO_BLOCK_ALLOC
                           : PTO_BLOCK_PAGE;
}

/* A block of the operation that breaks all of these: the first one in the order of 7.3 is told. */
static void breaks(const pto_block_op *op, unsigned type, unsigned set) {
    block_call call;
    char text[1024];
    block_call_make(&call, op, type);
    call.breaks = set;
    int first = 0;
    while (!(set >> first & 1))
        first++;
    block_bench b = empty(NULL);
    block_call_push(&call, b.machine, NULL);
    block_call_text(&call, text, sizeof text);
    const char *rule = block_call_rule(&call, (call_break)first);
    faults_in(&b, NULL, text, code_of(rule), rule);
    block_bench_drop(&b);
}

/* Some type of the table, of these if there is one. */
static unsigned type_of(const pto_block_op *op, uint32_t wanted) {
    unsigned type = (unsigned)(block_random() % 32);
    const uint32_t types = op->types & wanted ? op->types & wanted : op->types;
    while (!(types >> type & 1))
        type = (type + 1) % 32;
    return type;
}

static void earlier_fault_is_told(void **state) {
    (void)state;
    /* any type; one with bits that must be 0; an integer, for divisors and indices */
    static const uint32_t wanted[] = {UINT32_MAX,
                                      1u << RB_TF32 | 1u << RB_HF32 | 1u << RB_E3M2 | 1u << RB_E2M3,
                                      1u << RB_S16 | 1u << RB_U16 | 1u << RB_S8 | 1u << RB_U8};
    int blocks = 0, pairs = 0;
    for (size_t i = 0; i < 3 * PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i / 3);
        const unsigned type = type_of(op, wanted[i % 3]);
        unsigned possible = 0;
        block_call call;
        block_call_make(&call, op, type);
        for (unsigned k = 0; k < CALL_BREAKS; k++)
            if (block_call_breaks(&call, (call_break)k))
                possible |= 1u << k;
        for (unsigned k = 0; k < CALL_BREAKS; k++)
            for (unsigned j = k; j < CALL_BREAKS && possible >> k & 1; j++)
                if (possible >> j & 1) {
                    breaks(op, type, 1u << k | 1u << j);
                    blocks++;
                    pairs += j > k;
                }
        breaks(op, type, possible);
        blocks++;
    }
    print_message("%d blocks, %d of them with two faults\n", blocks, pairs);
}

/* What pto check finds without running is what the machine tells of, all of it that stands in the header;
 * what it cannot know of is that the tiles of these blocks come from a host. */
static void check_agrees(void **state) {
    (void)state;
    int found = 0;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++)
        for (unsigned k = 0; k <= CALL_BREAKS; k++) { /* the last is not broken */
            const pto_block_op *op = pto_block_op_get(i);
            block_call call;
            char text[1024];
            block_call_make(&call, op, type_of(op, UINT32_MAX));
            if (k < CALL_BREAKS && !block_call_breaks(&call, (call_break)k))
                continue;
            call.breaks = 1u << k;
            block_call_text(&call, text, sizeof text);
            const char *rule = k < CALL_BREAKS                    ? block_call_rule(&call, (call_break)k)
                               : op->geometry == GEOMETRY_UNBUILT ? "PTO-E1620"
                                                                  : "";
            pto_source source;
            pto_source_init(&source, "test.s", text, strlen(text));
            pto_diag_list *diags = pto_diag_list_create();
            pto_block_image image;
            assert_int_equal(pto_block_assemble(&source, NULL, diags, &image), PTO_OK);
            pto_block_check(&image, &source, diags);
            if (k <= BREAK_SECOND_TYPE && k != BREAK_CONTROL && !pto_diag_has(diags, rule))
                fail_msg("%s: pto check does not tell of %s", text, rule);
            for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
                if (d->severity != PTO_ERROR || !strcmp(d->rule, "PTO-E1644"))
                    continue;
                found++;
                if (strcmp(d->rule, rule) != 0 &&
                    !(op->geometry == GEOMETRY_UNBUILT && !strcmp(d->rule, "PTO-E1620")))
                    fail_msg("%s: pto check tells of %s, the machine of %s", text, d->rule, rule);
            }
            pto_block_image_free(&image);
            pto_diag_list_destroy(diags);
            pto_source_release(&source);
        }
    assert_true(found > PTO_BLOCK_OP_COUNT);
    print_message("%d errors found without running\n", found);
}

/* The legal blocks that the others are broken copies of. */
static void unbroken_blocks_run(void **state) {
    (void)state;
    int blocks = 0;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        for (unsigned type = 0; type < 32; type++) {
            if (!(op->types >> type & 1) || op->geometry == GEOMETRY_UNBUILT)
                continue;
            block_call call;
            char text[1024];
            block_call_make(&call, op, type);
            block_bench b = empty(NULL);
            block_call_push(&call, b.machine, NULL);
            block_call_text(&call, text, sizeof text);
            block_bench_run(&b, text);
            blocks++;
            block_bench_drop(&b);
        }
    }
    print_message("%d blocks\n", blocks);
}

/* Word level: of one instruction ILLEGAL before BUNDLE; of several the first that is read. A word that is
 * illegal is told before the block in front of it is committed; a fault of that block before the new one
 * opens. */
static void order_of_words(void **state) {
    (void)state;
    faults("BSTART.TEPL TRELU, U16\n.half 0x0080", PTO_BLOCK_ILLEGAL, "PTO-E1620"); /* misplaced as well */
    faults(".word 0x00003043", PTO_BLOCK_ILLEGAL, "PTO-E1620");
    faults("BSTART.TEPL TRELU, U16\nC.B.DIMI 1, ->LB0\nC.B.DIMI 1, ->LB0\n.half 0x0080", PTO_BLOCK_BUNDLE,
           "PTO-E1631");
    faults("BSTART.TEPL TRELU, U16\n.word 0xa8019181", PTO_BLOCK_ILLEGAL, "PTO-E1620");
    faults("BSTART.TEPL TRELU, U16\nBSTART.TEPL TRELU, U16", PTO_BLOCK_BUNDLE, "PTO-E1632");
    faults("C.BSTART.STD IND\nsetc.tgt a0\n.word 0xa8019181", PTO_BLOCK_ILLEGAL, "PTO-E1620");
    faults("C.BSTART.STD IND\nsetc.tgt a0\nBSTART.TEPL TRELU, U16", PTO_BLOCK_INSTPC, "PTO-E1670");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault),         cmocka_unit_test(order_of_words),
        cmocka_unit_test(unbroken_blocks_run), cmocka_unit_test(earlier_fault_is_told),
        cmocka_unit_test(check_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
