/* SPDX-License-Identifier: Apache-2.0 */
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

enum { NO_TYPE = 31, R = CALL_ROWS, C = CALL_COLS, P = CALL_PITCH, M = 4, N = 6, K = 10 };

static bool divides(const pto_block_op *op) {
    return strstr(op->name, "DIV") || strstr(op->name, "REM") || strstr(op->name, "FMOD");
}

static call_source of(unsigned type, int32_t rows, int32_t cols, int32_t valid_rows, int32_t valid_cols) {
    return (call_source){
        .type = type, .rows = rows, .cols = cols, .valid_rows = valid_rows, .valid_cols = valid_cols};
}
static call_source full(unsigned type) { return of(type, R + 2, P, R, C); }
static call_source mask(void) {
    call_source s = full(RB_U8);
    s.predicate = true;
    return s;
}
static call_source offsets(unsigned type) {
    call_source s = full(RB_U32);
    s.limit = 128;
    s.scale = reference_block_bits(type) / 8;
    return s;
}

static unsigned acc_type(unsigned type) {
    return reference_block_is_float(type) ? RB_FP32 : reference_block_is_signed(type) ? RB_S32 : RB_U32;
}

static void make_product(block_call *call) {
    const unsigned type = call->type;
    const bool mx = strstr(call->op->name, "MX"), gemv = strstr(call->op->name, "GEMV");
    const int32_t m = gemv ? 1 : M;
    int i = 0;
    call->dim[0] = m;
    call->dim[1] = N;
    call->dim[2] = K;
    call->source[i++] = of(type, m, P, m, K);
    if (mx)
        call->source[i++] = of(RB_E8M0, m, 1, m, 1);
    call->source[i++] = of(type, K + 2, 8, K, N);
    if (mx)
        call->source[i++] = of(RB_E8M0, 1, 8, 1, N);
    if (strstr(call->op->name, "BIAS"))
        call->source[i++] = of(type, 1, 8, 1, N);
    call->needs_acc = strstr(call->op->name, ".ACC");
}

void block_call_make(block_call *call, const pto_block_op *op, unsigned type) {
    *call = (block_call){.op = op,
                         .type = type,
                         .type2 = NO_TYPE,
                         .pad = 4,
                         .dim = {C, R, P},
                         .sources = op->tiles,
                         .results = op->results,
                         .regs = op->regs_most < 2 ? op->regs_most : 2};
    call_source *s = call->source;
    for (int i = 0; i < op->tiles; i++)
        s[i] = full(type);
    if (divides(op) && op->tiles == 2)
        s[1].nonzero = true;
    call->reg[0] = divides(op) && !reference_block_is_float(type) ? 1 : 0;
    switch (op->geometry) {
    case GEOMETRY_SELECT:
        s[0] = mask();
        break;
    case GEOMETRY_CONVERT:
        call->type2 = type == RB_FP32 ? RB_FP16 : RB_FP32;
        break;
    case GEOMETRY_ROW_EXPAND:
    case GEOMETRY_ROW_BROADCAST:
        s[op->tiles - 1].cols = s[op->tiles - 1].valid_cols = 1;
        break;
    case GEOMETRY_COL_EXPAND:
    case GEOMETRY_COL_BROADCAST:
        s[op->tiles - 1].valid_rows = 1;
        break;
    case GEOMETRY_CONCAT:
        s[0].valid_cols = 6;
        s[1].valid_cols = C - 6;
        break;
    case GEOMETRY_EXTRACT:
    case GEOMETRY_INSERT:
        s[0] = of(type, 12, 16, R + 3, C + 4);
        call->reg[0] = 2;
        call->reg[1] = 4;
        break;
    case GEOMETRY_FILLPAD:
        call->reg[0] = reference_block_pad(type, 1);
        break;
    case GEOMETRY_SEQUENCE:
        call->dim[1] = 1;
        call->reg[0] = 7;
        break;
    case GEOMETRY_HISTOGRAM:
        s[1] = of(RB_U8, R, 1, type == RB_U16 ? R : 3, 1);
        break;
    case GEOMETRY_QUANT:
        call->type2 = RB_S8;
        call->reg[0] = 0x3f800000;
        break;
    case GEOMETRY_DEQUANT:
        call->type2 = RB_FP32;
        call->reg[0] = 0x3f800000;
        break;
    case GEOMETRY_MERGE:
        call->dim[1] = 1;
        s[0] = of(type, 1, 6, 1, 6);
        s[1] = of(type, 1, C - 6, 1, C - 6);
        break;
    case GEOMETRY_GATHER:
    case GEOMETRY_SCATTER:
        s[1] = full(RB_U32);
        s[1].limit = op->geometry == GEOMETRY_GATHER ? R : 1; /* a scatter of 32 bytes has one row */
        s[1].scale = 1;
        break;
    case GEOMETRY_PARTIAL:
        s[1].valid_rows = 3;
        s[1].valid_cols = 7;
        break;
    case GEOMETRY_LOAD:
    case GEOMETRY_STORE:
    case GEOMETRY_PREFETCH:
        call->reg[0] = BLOCK_MEMORY;
        call->reg[1] = 128;
        break;
    case GEOMETRY_MGATHER:
    case GEOMETRY_CAS:
        call->reg[0] = BLOCK_MEMORY;
        s[0] = offsets(type);
        if (op->geometry == GEOMETRY_MGATHER && op->tiles == 2)
            s[1] = mask();
        break;
    case GEOMETRY_MSCATTER:
        call->reg[0] = BLOCK_MEMORY;
        s[1] = offsets(type);
        if (op->tiles == 3)
            s[2] = mask();
        break;
    case GEOMETRY_MATMUL:
        make_product(call);
        break;
    case GEOMETRY_ACCCVT:
        call->dim[0] = M;
        call->dim[1] = N;
        call->dim[2] = 0;
        call->regs = 0;
        call->needs_acc = true;
        break;
    default:
        break;
    }
}

/* ---- what can go wrong ---- */

static unsigned foreign_type(const pto_block_op *op) {
    for (unsigned type = 0; type < 32; type++)
        if (reference_block_name(type) && !(op->types >> type & 1))
            return type;
    return NO_TYPE;
}

static unsigned wrong_second_type(const block_call *call) {
    switch (call->op->geometry) {
    case GEOMETRY_ROW_BROADCAST:
    case GEOMETRY_COL_BROADCAST:
        return call->op->attributes & DATR_TYPE ? RB_S8 : NO_TYPE;
    case GEOMETRY_HISTOGRAM:
    case GEOMETRY_QUANT:
    case GEOMETRY_DEQUANT:
        return RB_S64;
    case GEOMETRY_MATMUL: /* of another class */
        return reference_block_is_float(call->type) ? RB_S8 : RB_FP16;
    default:
        return NO_TYPE;
    }
}

static bool reads_memory(const pto_block_op *op) { return op->engine == ENGINE_TMA && op->regs_least; }

/* Bits that a value of the type must not have (70, 5.1). */
static uint64_t unused_bits(unsigned type) {
    return type == RB_TF32 ? 0x1000 : type == RB_HF32 ? 1 : type == RB_E3M2 || type == RB_E2M3 ? 0x40 : 0;
}

static bool takes_flag(const pto_block_op *op) {
    return op->geometry == GEOMETRY_SEQUENCE || op->geometry == GEOMETRY_TRIANGLE ||
           op->geometry == GEOMETRY_SORT || op->geometry == GEOMETRY_MERGE;
}

bool block_call_breaks(const block_call *call, call_break what) {
    const pto_block_op *op = call->op;
    switch (what) {
    case BREAK_CONTROL:
        return takes_flag(op);
    case BREAK_TYPE:
        return foreign_type(op) != NO_TYPE;
    case BREAK_SECOND_TYPE:
        return wrong_second_type(call) != NO_TYPE;
    case BREAK_SHAPE: /* an extract takes a window of any shape */
        return call->sources > 0 && op->geometry != GEOMETRY_EXTRACT;
    case BREAK_SOURCE:
    case BREAK_SOURCE_TYPE:
        return call->sources > 0;
    case BREAK_ENCODING:
        return call->sources > 0 && unused_bits(call->source[call->sources - 1].type);
    case BREAK_DIVISOR:
        return divides(op) && !reference_block_is_float(call->type);
    case BREAK_INDEX: /* of a scatter into 32 bytes: rows that do not fit are told of instead */
        return op->geometry == GEOMETRY_GATHER || op->geometry == GEOMETRY_EXTRACT ||
               op->geometry == GEOMETRY_INSERT ||
               (op->geometry == GEOMETRY_SCATTER && P * reference_block_bits(call->type) <= 256);
    case BREAK_ACC:
        return call->needs_acc;
    case BREAK_SIZE:
        return call->results > 0;
    case BREAK_MEMORY:
        return reads_memory(op);
    default:
        return true;
    }
}

const char *block_call_rule(const block_call *call, call_break what) {
    static const char *const rule[CALL_BREAKS] = {
        [BREAK_DUPLICATE] = "PTO-E1631",   [BREAK_WORD] = "PTO-E1620",        [BREAK_BINDINGS] = "PTO-E1632",
        [BREAK_CONTROL] = "PTO-E1640",     [BREAK_ATTRIBUTE] = "PTO-E1641",   [BREAK_DIMENSION] = "PTO-E1642",
        [BREAK_TYPE] = "PTO-E1643",        [BREAK_SECOND_TYPE] = "PTO-E1643", [BREAK_SOURCE] = "PTO-E1644",
        [BREAK_SOURCE_TYPE] = "PTO-E1646", [BREAK_SHAPE] = "PTO-E1647",       [BREAK_SIZE] = "PTO-E1660",
        [BREAK_ENCODING] = "PTO-E1649",    [BREAK_DIVISOR] = "PTO-E1650",     [BREAK_INDEX] = "PTO-E1651",
        [BREAK_ACC] = "PTO-E1652",         [BREAK_MEMORY] = "PTO-E1672"};
    if (call->op->geometry == GEOMETRY_UNBUILT && what > BREAK_WORD)
        return "PTO-E1620";
    return rule[what];
}

/* ---- as text ---- */

static bool broken(const block_call *call, call_break what) {
    return call->breaks >> what & 1 && block_call_breaks(call, what);
}

typedef struct writer {
    char *text;
    size_t capacity, length;
} writer;

static void add(writer *w, const char *format, ...) PTO_PRINTF(2, 3);
static void add(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(w->text + w->length, w->capacity - w->length, format, arguments);
    va_end(arguments);
    w->length += (size_t)n;
    assert_true(w->length < w->capacity);
}

static void add_attributes(writer *w, const block_call *call) {
    static const char *const pads[] = {"Zero", "Max", "Min", "Null"};
    const bool compares = call->op->attributes & DATR_CMODE, bad = broken(call, BREAK_ATTRIBUTE);
    const unsigned type2 = broken(call, BREAK_SECOND_TYPE) ? wrong_second_type(call) : call->type2;
    if (!bad && type2 == NO_TYPE && call->pad > 3 && !call->layout)
        return;
    add(w, "B.DATR ");
    const char *between = "";
    if (call->layout) {
        add(w, "%s", call->layout);
        between = ", ";
    }
    if (type2 != NO_TYPE) {
        add(w, "%s%s", between, reference_block_name(type2));
        between = ", ";
    }
    if (bad) {
        add(w, "%s%s", between, compares ? "RNE" : "NE");
        between = ", ";
    }
    if (call->op->attributes & DATR_BYTE)
        add(w, "%sByte0", between);
    else if (call->pad < 4)
        add(w, "%s%s", between, pads[call->pad]);
    add(w, "\n");
}

static void add_tiles(writer *w, const block_call *call) {
    const int extra = broken(call, BREAK_BINDINGS) && (call->sources || call->results);
    const int sources = call->sources + extra;
    const unsigned missing = broken(call, BREAK_SOURCE) ? (unsigned)call->sources - 1 : 99;
    int source = 0, result = 0;
    while (source < sources || result < call->results) {
        add(w, "B.IOT ");
        for (int k = 0; k < 2 && source < sources; k++, source++) {
            if ((unsigned)source == missing)
                add(w, "N#16, ");
            else
                add(w, "U#%d%s, ", source < call->sources ? call->sources - source : 1,
                    call->reuse ? ".reuse" : "");
        }
        if (source < sources) {
            w->length -= 2;
            add(w, "\n");
            continue;
        }
        const bool last = call->results - result <= 1;
        if (last)
            add(w, "last, ");
        if (result < call->results)
            add(w, "->%s, ", result ? "N<4KB>" : broken(call, BREAK_SIZE) ? "T<32B>" : "T<8KB>");
        result++;
        w->length -= 2;
        w->text[w->length] = 0;
        add(w, "\n");
    }
}

void block_call_text(const block_call *call, char *text, size_t capacity) {
    static const char *const engine[] = {"TEPL", "TMA", "CUBE"};
    writer w = {text, capacity, 0};
    const pto_block_op *op = call->op;
    if (call->needs_acc && !broken(call, BREAK_ACC)) /* a product of one step, on tiles of M */
        add(&w, "BSTART.CUBE 0, %s\nB.DIM zero, %d, ->LB0\nB.DIM zero, %d, ->LB1\nB.IOT M#2, M#1, last\n",
            reference_block_name(acc_type(call->type)), (int)call->dim[0], (int)call->dim[1]);
    add(&w, "BSTART.%s %d, %s\n", engine[op->engine], op->selector,
        reference_block_name(broken(call, BREAK_TYPE) ? foreign_type(op) : call->type));
    add_attributes(&w, call);
    for (int k = 0; k < 3; k++)
        if (call->dim[k])
            add(&w, "B.DIM zero, %d, ->LB%d\n",
                k == 0 && broken(call, BREAK_DIMENSION) ? 0 : (int)call->dim[k], k);
    add_tiles(&w, call);
    if (call->regs && !(broken(call, BREAK_BINDINGS) && !call->sources && !call->results))
        add(&w, call->regs == 2 ? "B.IOR a0, a1\n" : "B.IOR a0\n");
    if (broken(call, BREAK_DUPLICATE))
        add(&w, "B.DIM zero, 1, ->LB0\n");
    add(&w, broken(call, BREAK_WORD) ? ".word 0xa8019181\n" : "C.BSTOP\n"); /* a type of code 21 */
}

/* ---- on the machine ---- */

/* first: for the code of the first element, or NULL */
static void push(pto_block_machine *machine, unsigned queue, const call_source *s, const uint64_t *first,
                 block_values *v) {
    block_bench bench = {.machine = machine};
    block_values_random(v, s->type, s->rows, s->cols, s->valid_rows, s->valid_cols);
    for (int i = 0; i < s->rows * s->cols; i++) {
        if (s->limit)
            v->code[i] = v->code[i] % s->limit * s->scale;
        if (s->nonzero && !reference_block_is_float(s->type))
            v->code[i] += v->code[i] == 0;
    }
    if (first)
        v->code[0] = *first;
    if (!s->predicate) {
        block_values_push(&bench, queue, v);
        return;
    }
    uint8_t bits[128] = {0};
    for (int i = 0; i < s->rows * s->cols; i++) {
        v->code[i] &= 1;
        bits[i / 8] = (uint8_t)(bits[i / 8] | v->code[i] << (i & 7));
    }
    const pto_block_tile tile = {.type = s->type,
                                 .predicate = true,
                                 .bytes = sizeof bits,
                                 .rows = s->rows,
                                 .cols = s->cols,
                                 .valid_rows = s->valid_rows,
                                 .valid_cols = s->valid_cols,
                                 .data = bits};
    assert_int_equal(pto_block_push(machine, queue, &tile), PTO_OK);
}

void block_call_push(const block_call *call, pto_block_machine *machine, block_values *values) {
    static _Thread_local block_values room;
    if (call->needs_acc) {
        const call_source a = of(acc_type(call->type), call->dim[0], 1, call->dim[0], 1),
                          b = of(acc_type(call->type), 1, call->dim[1], 1, call->dim[1]);
        push(machine, BLOCK_M, &a, NULL, &room);
        push(machine, BLOCK_M, &b, NULL, &room);
    }
    for (int i = 0; i < call->sources; i++) {
        call_source s = call->source[i];
        if (i == call->sources - 1 && broken(call, BREAK_SHAPE)) {
            if (call->op->geometry == GEOMETRY_PARTIAL)
                s.valid_cols = P;
            else if (s.valid_rows > 1)
                s.valid_rows--;
            else if (s.valid_cols > 2)
                s.valid_cols -= 2;
        }
        if (i == call->sources - 1 && broken(call, BREAK_SOURCE_TYPE)) {
            s.type = s.type == RB_FP64 ? RB_S8 : RB_FP64;
            s.predicate = false;
            s.limit = 0;
        }
        const uint64_t bad = broken(call, BREAK_ENCODING)           ? unused_bits(s.type)
                             : s.limit && broken(call, BREAK_INDEX) ? 60000
                                                                    : 0;
        const bool spoils = i == call->sources - 1 && !broken(call, BREAK_SOURCE_TYPE) &&
                            (bad || (broken(call, BREAK_DIVISOR) && s.nonzero));
        push(machine, BLOCK_U, &s, spoils ? &bad : NULL, values ? &values[i] : &room);
    }
    const bool flag_first = call->op->geometry == GEOMETRY_SORT || call->op->geometry == GEOMETRY_MERGE;
    for (int i = 0; i < call->regs; i++) {
        uint64_t value = call->reg[i];
        if (i == 0 && broken(call, BREAK_MEMORY))
            value = 0x4000;
        if (i == 0 && broken(call, BREAK_DIVISOR))
            value = 0;
        if (i == 0 && broken(call, BREAK_INDEX)) /* the window overhangs */
            value = 4;
        if (broken(call, BREAK_CONTROL) && i == (flag_first ? 0 : 1))
            value = 2;
        pto_block_set_gpr(machine, 2 + (unsigned)i, value);
    }
}
