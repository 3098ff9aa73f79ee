/* SPDX-License-Identifier: Apache-2.0 */
/* PadValue (70, 8): every operation on every type with Null, Zero, Max, Min and a partial valid region. Every
 * element outside of it has the pad of the result's type, those inside are the same under every pad; what
 * does not pad leaves Null. The ledger of blocks counts what was compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/block.h"
#include "support/block_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD_NULL = 3, PADS = 4, NO_PAD = 4 };
static const char *const pads[] = {"Zero", "Max", "Min", "Null"};

static unsigned long compared[PTO_BLOCK_OP_COUNT][32][PADS];

/* What has no P in the tables of 70, 6, and ACCCVT with the products (70, 8). */
static bool pads_its_result(const pto_block_op *op) {
    static const char *const others[] = {
        "THISTOGRAM", "TQUANT", "TDEQUANT", "TSCATTER", "TDEINTERLEAVE", "TINTERLEAVE", "TPUSH",
        "TPOP",       "TALLOC", "TFREE",    "TSTORE",   "TPREFETCH",     "MSCATTER",    "MSCATTER.MASK"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(op->name, others[i]))
            return false;
    return op->engine != ENGINE_CUBE;
}

/* ---- the shape of a result ---- */

typedef struct shape {
    unsigned type;
    bool predicate;
    int32_t cols, valid_rows, valid_cols;
} shape;

/* 70, 7.4 and the rows of 9. */
static shape shape_of(const block_call *call, int result) {
    const char *name = call->op->name;
    shape s = {.type = call->type,
               .predicate = !strncmp(name, "TCMP", 4),
               .cols = call->dim[2],
               .valid_rows = call->dim[1],
               .valid_cols = call->dim[0]};
    if (!strcmp(name, "TCVT") || !strcmp(name, "TQUANT"))
        s.type = call->type2;
    if (!strcmp(name, "TDEQUANT"))
        s.type = RB_FP32;
    if (strstr(name, "ARG") || !strcmp(name, "THISTOGRAM") || (!strcmp(name, "TSORT") && result))
        s.type = RB_U32;
    if (!strncmp(name, "TROW", 4) && !strstr(name, "EXPAND"))
        s.cols = s.valid_cols = 1;
    if (!strncmp(name, "TCOL", 4) && !strstr(name, "EXPAND"))
        s.valid_rows = 1;
    if (!strcmp(name, "TINSERT")) {
        s.cols = call->source[0].cols;
        s.valid_rows = call->source[0].valid_rows;
        s.valid_cols = call->source[0].valid_cols;
    }
    if (!strcmp(name, "TTRANS")) {
        s.valid_rows = call->dim[0];
        s.cols = s.valid_cols = call->dim[1];
    }
    if (!strcmp(name, "THISTOGRAM"))
        s.cols = s.valid_cols = 256;
    if (!strcmp(name, "ACCCVT")) {
        s.valid_rows = call->dim[0];
        s.cols = s.valid_cols = call->dim[1];
    }
    return s;
}

/* 70, 3.5, in elements. */
static int64_t place(const pto_block_tile *t, int64_t r, int64_t c) {
    const int64_t bits = reference_block_bits(t->type), c0 = 256 / bits, r0 = c0;
    switch (t->layout) {
    case 1: /* DN */
        return c * t->rows + r;
    case 2: /* ZZ */
        return (r / 16) * t->cols * 16 + (c / c0) * 16 * c0 + (r % 16) * c0 + c % c0;
    case 3: /* ZN */
        return (r / r0) * t->cols * r0 + c * r0 + r % r0;
    case 4: /* NZ */
        return (c / c0) * t->rows * c0 + r * c0 + c % c0;
    case 5: /* NN */
        return (c / 16) * t->rows * 16 + (r / r0) * r0 * 16 + (c % 16) * r0 + r % r0;
    default:
        return r * t->cols + c;
    }
}

static uint64_t code_at(const pto_block_tile *t, int32_t r, int32_t c) {
    if (!t->layout)
        return block_tile_code(t, r, c);
    const pto_block_tile line = {.type = t->type, .cols = 1 << 30, .data = t->data};
    return block_tile_code(&line, 0, (int32_t)place(t, r, c));
}

/* The element is masked away: it has the pad, inside as well. */
static bool is_masked(const block_call *call, const block_values *values, int32_t r, int32_t c) {
    return !strcmp(call->op->name, "MGATHER.MASK") && !block_values_at(&values[1], r, c);
}

/* Compares a result; inside with `plain`, the codes of the run without a pad, which that run fills. The
 * number of elements outside. */
static int check_result(const block_call *call, int result, const pto_block_tile *t,
                        const block_values *values, uint64_t *plain, const char *text) {
    const shape s = shape_of(call, result);
    const unsigned bits = s.predicate ? 1 : reference_block_bits(s.type);
    const unsigned pad = pads_its_result(call->op) && call->pad < PADS ? call->pad : PAD_NULL;
    uint64_t wanted = s.predicate ? pad == 1 : reference_block_pad(s.type, pad);
    int outside = 0;
    assert_int_equal(t->predicate, s.predicate);
    if (!s.predicate)
        assert_int_equal(t->type, s.type);
    assert_int_equal(t->cols, s.cols);
    assert_int_equal(t->valid_cols, s.valid_cols);
    if (!strcmp(call->op->name, "TSCATTER")) /* the whole destination is valid */
        assert_int_equal(t->valid_rows, t->rows);
    else
        assert_int_equal(t->valid_rows, s.valid_rows);
    if (t->layout < 2)
        assert_int_equal(t->rows, (int64_t)t->bytes * 8 / ((int64_t)s.cols * bits));
    if (!strcmp(call->op->name, "TFILLPAD")) /* by its scalar, whatever PadValue says */
        wanted = call->reg[0];
    for (int32_t r = 0; r < t->rows; r++)
        for (int32_t c = 0; c < t->cols; c++) {
            const uint64_t got = code_at(t, r, c);
            const bool inside = r < t->valid_rows && c < t->valid_cols;
            outside += !inside;
            if (inside && call->pad == NO_PAD)
                plain[r * t->cols + c] = got;
            const uint64_t expected =
                !inside || is_masked(call, values, r, c) ? wanted : plain[r * t->cols + c];
            if (got != expected)
                fail_msg("%s: (%d, %d) of %dx%d is 0x%llx, not 0x%llx", text, (int)r, (int)c,
                         (int)t->valid_rows, (int)t->valid_cols, (unsigned long long)got,
                         (unsigned long long)expected);
        }
    return outside;
}

/* ---- all pads of one block ---- */

static void try_pads(block_call *call, size_t op) {
    static block_values values[5];
    static uint64_t plain[2][1 << 17];
    static uint8_t before[8192];
    block_bench b =
        block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)block_random())});
    for (int i = 0; i < 8192; i++)
        b.memory[i] = (uint8_t)block_random();
    memcpy(before, b.memory, 8192);
    call->reuse = true;
    block_call_push(call, b.machine, values);
    for (unsigned turn = 0; turn <= PADS; turn++) {
        char text[1024];
        if (turn && !pads_its_result(call->op))
            break;
        call->pad = turn ? turn - 1 : NO_PAD; /* the first has no B.DATR for it: Null */
        memcpy(b.memory, before, 8192);
        block_call_text(call, text, sizeof text);
        block_bench_run(&b, text);
        for (int result = 0; result < call->results; result++) {
            pto_block_tile t;
            assert_true(pto_block_tile_at(b.machine, result ? BLOCK_N : BLOCK_T, 1, &t));
            const int outside = check_result(call, result, &t, values, plain[result], text);
            if (turn && outside)
                compared[op][call->type][call->pad]++;
        }
    }
    block_bench_drop(&b);
}

static void every_operation(void **state) {
    (void)state;
    int operations = 0;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        assert_int_equal((op->attributes & DATR_PAD) != 0, pads_its_result(op));
        if (op->geometry == GEOMETRY_UNBUILT || !op->results)
            continue;
        operations += pads_its_result(op);
        for (unsigned type = 0; type < 32; type++) {
            if (!(op->types >> type & 1))
                continue;
            block_call call;
            block_call_make(&call, op, type);
            if (op->geometry == GEOMETRY_ACCCVT)
                call.layout = "NZ2ND";
            try_pads(&call, i);
        }
    }
    print_message("%d operations pad\n", operations);
}

/* The pad of a conversion is that of the type that it makes. */
static void every_conversion(void **state) {
    (void)state;
    for (unsigned from = 0; from < 32; from++)
        for (unsigned to = 0; to < 32; to++) {
            if (!reference_block_name(from) || !reference_block_name(to))
                continue;
            block_call call;
            const pto_block_op *op = pto_block_op_named(pto_str_from("TCVT"));
            block_call_make(&call, op, from);
            call.type2 = to;
            size_t i = 0;
            while (pto_block_op_get(i) != op)
                i++;
            try_pads(&call, i);
        }
}

/* Results of other layouts pad at the places that 3.5 gives their elements. */
static void every_layout(void **state) {
    (void)state;
    static const char *const layouts[] = {"ND2DN", "ND2ZZ", "ND2ZN", "ND2NZ", "ND2NN"};
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        for (unsigned type = 0; type < 32; type++)
            for (int k = 0; k < 5; k++) {
                if (!reference_block_name(type) ||
                    (op->geometry != GEOMETRY_LOAD && op->geometry != GEOMETRY_MOVE))
                    continue;
                block_call call;
                block_call_make(&call, op, type);
                call.layout = layouts[k];
                call.dim[0] = 50;
                call.dim[2] = 64;
                call.source[0].valid_cols = 50;
                call.source[0].cols = 64;
                call.reg[1] = 512;
                try_pads(&call, i);
            }
    }
}

/* What was compared, for the ledger: "TADD <tab> FP32 <tab> Zero <tab> results". */
static int write_ledger(void **state) {
    (void)state;
    FILE *file = getenv("PTO_LEDGER") ? fopen(getenv("PTO_LEDGER"), "w") : NULL;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT && file; i++)
        for (unsigned type = 0; type < 32; type++)
            for (unsigned pad = 0; pad < PADS; pad++)
                if (compared[i][type][pad])
                    fprintf(file, "%s\t%s\t%s\t%lu\n", pto_block_op_get(i)->name, reference_block_name(type),
                            pads[pad], compared[i][type][pad]);
    return file ? fclose(file) : 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),
        cmocka_unit_test(every_conversion),
        cmocka_unit_test(every_layout),
    };
    return cmocka_run_group_tests(tests, NULL, write_ledger);
}
