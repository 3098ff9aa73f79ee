/* SPDX-License-Identifier: Apache-2.0 */
/* The machine around the tiles: blocks, their life cycle, scalar instructions (70, 7.1 and 12). */
#include "block/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pto_block_raise(pto_block_machine *machine, pto_block_fault fault, const char *rule, const char *operand,
                     const char *format, ...) {
    pto_block_fault_info *info = &machine->fault;
    info->fault = fault;
    info->pc = machine->pc;
    info->block = machine->kind == BLOCK_NONE ? machine->pc : machine->bpc;
    info->rule = rule;
    snprintf(machine->fault_operand, sizeof machine->fault_operand, "%s", operand);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(machine->fault_text, sizeof machine->fault_text, format, arguments);
    va_end(arguments);
    info->operand = machine->fault_operand;
    info->text = machine->fault_text;
    return false;
}

static bool bundle(pto_block_machine *machine, const char *rule, const char *text) {
    return pto_block_raise(machine, PTO_BLOCK_BUNDLE, rule, "", "%s", text);
}

/* ---- code ---- */

static bool fetch(pto_block_machine *m, pto_block_instr *instr) {
    const uint64_t offset = m->pc - m->image_address;
    return offset < m->image_size &&
           pto_block_decode(m->image + offset, (size_t)(m->image_size - offset), instr) == PTO_OK;
}

static void decode(pto_block_machine *m, pto_block_code *code) {
    pto_block_instr instr;
    if (!fetch(m, &instr)) {
        code->form = CODE_ILLEGAL;
        return;
    }
    const int64_t *field = instr.field;
    const bool has_target = pto_block_field_of(pto_block_form_get(instr.form), PTO_BLOCK_TARGET) != NULL;
    *code = (pto_block_code){.form = (uint8_t)instr.form,
                             .bytes = instr.bytes,
                             .d = (uint8_t)field[PTO_BLOCK_D],
                             .l = (uint8_t)field[PTO_BLOCK_L],
                             .r = (uint8_t)field[PTO_BLOCK_R],
                             .p = (uint8_t)field[PTO_BLOCK_P],
                             .shift = (uint8_t)field[PTO_BLOCK_SHIFT],
                             .extend =
                                 (uint8_t)(field[PTO_BLOCK_EXTEND]            ? field[PTO_BLOCK_EXTEND]
                                           : field[PTO_BLOCK_EXTEND_NOT] == 3 ? 4
                                                                              : field[PTO_BLOCK_EXTEND_NOT]),
                             .imm = has_target ? field[PTO_BLOCK_TARGET] : field[PTO_BLOCK_IMM]};
}

void pto_block_forget_code(pto_block_machine *m) {
    for (size_t i = 0; i < m->image_size / 2 + 1; i++) {
        m->code[i].form = CODE_NEW;
        if (m->plan[i])
            m->plan[i]->tried = m->plan[i]->sound = false;
    }
    if (m->state && m->state != &m->building) { /* the active header outlives its plan */
        m->building = *m->state;
        m->state = &m->building;
    }
}

/* ---- scalar operands ---- */

static uint64_t read_scalar(const pto_block_machine *m, unsigned code) {
    return code < 24 ? m->gpr[code] : code < 28 ? m->queue_t[code - 24] : m->queue_u[code - 28];
}

static void push_scalar(uint64_t *queue, uint64_t value) {
    memmove(queue + 1, queue, 3 * sizeof *queue);
    queue[0] = value;
}

static void write_scalar(pto_block_machine *m, unsigned code, uint64_t value) {
    if (code == 31)
        push_scalar(m->queue_t, value);
    else if (code == 30)
        push_scalar(m->queue_u, value);
    else if (code && code < 24)
        m->gpr[code] = value;
}

static uint64_t read_extended(const pto_block_machine *m, const pto_block_code *code) {
    uint64_t value = read_scalar(m, code->r);
    if (code->extend == 1)
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    else if (code->extend == 2)
        value = (uint32_t)value;
    else if (code->extend == 3)
        value = 0 - value;
    else if (code->extend == 4)
        value = ~value;
    return value << code->shift;
}

/* ---- memory ---- */

uint8_t *pto_block_memory(const pto_block_machine *m, uint64_t address, uint64_t size, bool write) {
    uint8_t *host = pto_block_span(m, address, size, write);
    if (host && m->watch)
        m->watch(m->watch_user, host, size, write);
    return host;
}

uint8_t *pto_block_span(const pto_block_machine *m, uint64_t address, uint64_t size, bool write) {
    for (int i = 0; i < m->region_count; i++) {
        const pto_block_region *region = &m->region[i];
        const uint64_t offset = address - region->address;
        if (offset < region->size && size <= region->size - offset)
            return write && region->read_only ? NULL : region->host + offset;
    }
    return NULL;
}

static uint8_t *access(pto_block_machine *m, uint64_t address, unsigned size, bool write) {
    if (address & (size - 1)) {
        m->fault.address = address;
        pto_block_raise(m, PTO_BLOCK_ALIGN, "PTO-E1671", "", "%u bytes at 0x%llx", size,
                        (unsigned long long)address);
        return NULL;
    }
    uint8_t *host = pto_block_memory(m, address, size, write);
    if (!host) {
        m->fault.address = address;
        pto_block_raise(m, PTO_BLOCK_PAGE, "PTO-E1672", "", "%s of 0x%llx", write ? "store" : "load",
                        (unsigned long long)address);
    } else if (write && host >= m->image && host < m->image + m->image_size) {
        pto_block_forget_code(m);
    }
    return host;
}

static bool load(pto_block_machine *m, uint64_t address, unsigned size, bool sign, unsigned d) {
    const uint8_t *host = access(m, address, size, false);
    if (!host)
        return false;
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | host[i];
    if (sign && size < 8 && value >> (8 * size - 1))
        value |= UINT64_MAX << (8 * size);
    write_scalar(m, d, value);
    return true;
}

static bool store(pto_block_machine *m, uint64_t address, unsigned size, uint64_t value) {
    uint8_t *host = access(m, address, size, true);
    if (!host)
        return false;
    for (unsigned i = 0; i < size; i++)
        host[i] = (uint8_t)(value >> (8 * i));
    return true;
}

/* ---- the end of a block ---- */

static bool commit(pto_block_machine *m, uint64_t continuation, uint64_t *next) {
    *next = continuation;
    switch (m->kind == BLOCK_TILE ? TRANSFER_FALL : m->transfer) {
    case TRANSFER_FALL:
        break;
    case TRANSFER_DIRECT:
    case TRANSFER_CALL:
        *next = m->target;
        break;
    case TRANSFER_COND:
        if (m->taken)
            *next = m->target;
        break;
    case TRANSFER_IND:
    case TRANSFER_ICALL:
        if (!m->target_set)
            return bundle(m, "PTO-E1634", "the block ends without setc.tgt");
        *next = m->bpcn;
        break;
    case TRANSFER_RET:
        *next = m->target_set ? m->bpcn : m->gpr[10];
        break;
    }
    if (*next & 1)
        return pto_block_raise(m, PTO_BLOCK_INSTPC, "PTO-E1670", "", "0x%llx", (unsigned long long)*next);
    if (m->kind == BLOCK_TILE && !pto_block_execute(m, m->state))
        return false;
    const bool trap = m->kind == BLOCK_TILE ? m->state->trap : m->trap;
    memset(m->queue_t, 0, sizeof m->queue_t);
    memset(m->queue_u, 0, sizeof m->queue_u);
    m->kind = BLOCK_NONE;
    m->state = NULL;
    if (trap) {
        m->pc = *next;
        return pto_block_raise(m, PTO_BLOCK_TRAP_AFTER, "PTO-E1673", "", "the block is committed");
    }
    return true;
}

/* ---- the beginning of a block ---- */

static void open_block(pto_block_machine *m, pto_block_kind kind, pto_block_transfer transfer,
                       int64_t offset) {
    m->kind = kind;
    m->transfer = transfer;
    m->bpc = m->pc;
    m->target = m->pc + (uint64_t)offset;
    m->taken = m->condition_set = m->target_set = m->scalar_seen = m->has_catr = m->trap = false;
}

static void start_kind(size_t form, pto_block_kind *kind, pto_block_transfer *transfer) {
    const char *name = pto_block_form_get(form)->name;
    *kind = strstr(name, ".FP") ? BLOCK_FP : strstr(name, ".SYS") ? BLOCK_SYS : BLOCK_STD;
    static const char *const word[] = {"FALL", "DIRECT", "COND", "CALL", "IND", "ICALL", "RET"};
    const char *last = strrchr(name, ' ');
    for (int i = 0; i < 7; i++)
        if (last && !strcmp(last + 1, word[i]))
            *transfer = (pto_block_transfer)i;
}

const char *pto_block_add_header(pto_block_state *s, const pto_block_instr *instr) {
    const int64_t *field = instr->field;
    switch (instr->form) {
    case BF_B_DATR:
        if (s->has_datr)
            return "PTO-E1631";
        s->has_datr = true;
        s->cmode = (uint8_t)field[PTO_BLOCK_CMODE];
        s->pad = (uint8_t)field[PTO_BLOCK_PAD];
        s->sat = (uint8_t)field[PTO_BLOCK_SAT];
        s->canon = (uint8_t)field[PTO_BLOCK_CANON];
        s->type2 = (uint8_t)field[PTO_BLOCK_TYPE2];
        s->rmode = (uint8_t)field[PTO_BLOCK_RMODE];
        s->layout = (uint8_t)field[PTO_BLOCK_LAYOUT];
        return NULL;
    case BF_B_CATR:
        if (s->has_catr)
            return "PTO-E1631";
        s->has_catr = true;
        s->trap = field[PTO_BLOCK_TRAP] != 0;
        s->dr = (uint8_t)field[PTO_BLOCK_DR];
        return NULL;
    case BF_B_DIM:
    case BF_C_B_DIM:
    case BF_C_B_DIMI: {
        const int64_t k = field[PTO_BLOCK_DIM];
        if (s->dim_given[k])
            return "PTO-E1631";
        s->dim_given[k] = true;
        s->dim_reg[k] = (uint8_t)field[PTO_BLOCK_REG];
        s->dim_imm[k] = (uint32_t)field[PTO_BLOCK_IMM];
        return NULL;
    }
    case BF_B_IOT_2:
    case BF_B_IOT_1:
    case BF_B_IOT_0: {
        if (s->last || s->iot_count == 16)
            return "PTO-E1633";
        s->iot_count++;
        s->last = field[PTO_BLOCK_LAST] != 0;
        const int n = instr->form == BF_B_IOT_2 ? 2 : instr->form == BF_B_IOT_1;
        for (int i = 0; i < n; i++) {
            if (s->source_count == PTO_BLOCK_MAX_SOURCES) {
                s->extra_source = true;
                continue;
            }
            const int64_t code = field[i ? PTO_BLOCK_SRC1 : PTO_BLOCK_SRC0];
            s->source[s->source_count++] =
                (pto_block_source){(uint8_t)(code / 16), (uint8_t)(code % 16 + 1),
                                   field[i ? PTO_BLOCK_REUSE1 : PTO_BLOCK_REUSE0] != 0};
        }
        if (!field[PTO_BLOCK_SIZE])
            return NULL;
        if (s->result_count == PTO_BLOCK_MAX_RESULTS) {
            s->extra_result = true;
            return NULL;
        }
        s->result[s->result_count].queue = (uint8_t)field[PTO_BLOCK_QUEUE];
        s->result[s->result_count++].size = (uint8_t)field[PTO_BLOCK_SIZE];
        return NULL;
    }
    case BF_B_IOR:
        if (s->ior_count == 4)
            return "PTO-E1632";
        for (int i = 0; i < 3; i++)
            s->reg[3 * s->ior_count + i] = (uint8_t)field[PTO_BLOCK_REG0 + i];
        s->ior_count++;
        if (field[PTO_BLOCK_REGD])
            s->reg_dst = (uint8_t)field[PTO_BLOCK_REGD];
        return NULL;
    case BF_B_TEXT:
        return "PTO-E1630";
    default: /* dependences and hints are orders to a scheduler */
        return NULL;
    }
}

static void begin_state(pto_block_state *state, const pto_block_instr *instr) {
    const pto_block_engine engine = instr->form == BF_BSTART_TEPL  ? ENGINE_TEPL
                                    : instr->form == BF_BSTART_TMA ? ENGINE_TMA
                                                                   : ENGINE_CUBE;
    memset(state, 0, sizeof *state);
    state->op = pto_block_op_select(engine, (unsigned)instr->field[PTO_BLOCK_SELECTOR]);
    state->type = (uint8_t)instr->field[PTO_BLOCK_TYPE];
    state->pad = PTO_BLOCK_PAD_NULL;
    state->type2 = PTO_BLOCK_TYPE_NONE;
}

/* Reads the whole header once; sound when no instruction of it breaks a rule. */
static const pto_block_plan *plan_at(pto_block_machine *m) {
    const size_t index = (size_t)(m->pc - m->image_address) / 2;
    pto_block_plan *plan = m->plan[index];
    if (!plan && !(plan = m->plan[index] = calloc(1, sizeof *plan)))
        return NULL;
    if (plan->tried)
        return plan->sound ? plan : NULL;
    plan->tried = true;
    size_t at = (size_t)(m->pc - m->image_address);
    pto_block_instr instr;
    if (pto_block_decode(m->image + at, m->image_size - at, &instr) != PTO_OK)
        return NULL;
    begin_state(&plan->state, &instr);
    plan->bytes = instr.bytes;
    plan->count = 1;
    for (;;) {
        if (pto_block_decode(m->image + at + plan->bytes, m->image_size - at - plan->bytes, &instr) !=
                PTO_OK ||
            !pto_block_is_header(instr.form))
            break;
        if (pto_block_add_header(&plan->state, &instr))
            return NULL;
        plan->bytes += instr.bytes;
        plan->count++;
    }
    plan->sound = true;
    return plan;
}

/* BSTART: commits the active block, then opens its own unless the transfer goes elsewhere. */
static bool start(pto_block_machine *m, const pto_block_code *decoded, bool fast) {
    /* a store of the block that ends here may make the machine forget what it has decoded */
    const pto_block_code own = *decoded, *code = &own;
    if (m->kind != BLOCK_NONE) {
        uint64_t next;
        const uint64_t here = m->pc;
        if (!commit(m, here, &next))
            return false;
        if (next != here) {
            m->pc = next;
            return true;
        }
    }
    if (!pto_block_is_tile_start(code->form)) {
        pto_block_kind kind;
        pto_block_transfer transfer = TRANSFER_FALL;
        start_kind(code->form, &kind, &transfer);
        open_block(m, kind, transfer, code->imm);
        m->pc += code->bytes;
        if (transfer == TRANSFER_CALL || transfer == TRANSFER_ICALL)
            m->gpr[10] = m->pc;
        return true;
    }
    open_block(m, BLOCK_TILE, TRANSFER_FALL, 0);
    const pto_block_plan *plan = fast ? plan_at(m) : NULL;
    if (plan) {
        m->state = &plan->state;
        m->pc += plan->bytes;
        m->executed += plan->count - 1;
        return true;
    }
    pto_block_instr instr;
    fetch(m, &instr);
    begin_state(&m->building, &instr);
    m->state = &m->building;
    m->pc += code->bytes;
    return true;
}

static bool header(pto_block_machine *m, const pto_block_code *code) {
    if (m->kind == BLOCK_NONE || m->scalar_seen)
        return bundle(m, "PTO-E1630", "a header instruction outside of a header");
    pto_block_instr instr;
    fetch(m, &instr);
    if (m->kind == BLOCK_TILE) {
        if (m->state != &m->building) {
            m->building = *m->state;
            m->state = &m->building;
        }
        const char *rule = pto_block_add_header(&m->building, &instr);
        if (rule)
            return bundle(m, rule, pto_block_form_get(code->form)->name);
    } else if (code->form == BF_B_CATR) {
        if (m->has_catr)
            return bundle(m, "PTO-E1631", "B.CATR");
        m->has_catr = true;
        m->trap = instr.field[PTO_BLOCK_TRAP] != 0;
    } else if (code->form != BF_B_HINT && code->form != BF_B_HINT_TRACE && code->form != BF_B_IOD) {
        return bundle(m, "PTO-E1630", "a tile header in a block of scalar code");
    }
    m->pc += code->bytes;
    return true;
}

/* ---- scalar instructions ---- */

static bool set_condition(pto_block_machine *m, bool value) {
    if (m->transfer != TRANSFER_COND)
        return bundle(m, "PTO-E1630", "a condition outside of a COND block");
    if (m->condition_set)
        return bundle(m, "PTO-E1631", "a second condition");
    m->condition_set = true;
    m->taken = value;
    return true;
}

static bool set_target(pto_block_machine *m, uint64_t value) {
    if (m->transfer != TRANSFER_IND && m->transfer != TRANSFER_ICALL && m->transfer != TRANSFER_RET)
        return bundle(m, "PTO-E1630", "setc.tgt outside of an IND, ICALL or RET block");
    if (m->target_set)
        return bundle(m, "PTO-E1631", "a second setc.tgt");
    m->target_set = true;
    m->bpcn = value;
    return true;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder) {
    if (!b)
        return remainder ? a : UINT64_MAX;
    if (!is_signed)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX)
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static bool scalar(pto_block_machine *m, const pto_block_code *code) {
    if (m->kind == BLOCK_NONE || m->kind == BLOCK_TILE)
        return bundle(m, "PTO-E1630", "a scalar instruction outside of an STD, FP or SYS block");
    const uint64_t l = read_scalar(m, code->l), imm = (uint64_t)code->imm;
    uint64_t value;
    switch (code->form) {
    case BF_C_SETRET:
    case BF_SETRET:
        m->gpr[10] = m->pc + 2 * imm;
        return true;
    case BF_ADDTPC:
        value = m->pc + 2 * imm;
        break;
    case BF_C_MOVI:
    case BF_HL_LIS:
    case BF_HL_LIU:
        value = imm;
        break;
    case BF_HL_LUI:
        value = imm << 32;
        break;
    case BF_LUI:
        value = imm << 12;
        break;
    case BF_C_MOVR:
        value = l;
        break;
    case BF_C_ADDI:
        push_scalar(m->queue_t, l + imm);
        return true;
    case BF_C_ADD:
        push_scalar(m->queue_t, l + read_scalar(m, code->r));
        return true;
    case BF_C_SUB:
        push_scalar(m->queue_t, l - read_scalar(m, code->r));
        return true;
    case BF_C_AND:
        push_scalar(m->queue_t, l & read_scalar(m, code->r));
        return true;
    case BF_C_OR:
        push_scalar(m->queue_t, l | read_scalar(m, code->r));
        return true;
    case BF_ADDI:
        value = l + imm;
        break;
    case BF_SUBI:
        value = l - imm;
        break;
    case BF_ANDI:
        value = l & imm;
        break;
    case BF_ORI:
        value = l | imm;
        break;
    case BF_XORI:
        value = l ^ imm;
        break;
    case BF_SLLI:
        value = l << imm;
        break;
    case BF_SRLI:
        value = l >> imm;
        break;
    case BF_SRAI:
        value = (uint64_t)((int64_t)l >> imm);
        break;
    case BF_ADD:
        value = l + read_extended(m, code);
        break;
    case BF_SUB:
        value = l - read_extended(m, code);
        break;
    case BF_AND:
        value = l & read_extended(m, code);
        break;
    case BF_OR:
        value = l | read_extended(m, code);
        break;
    case BF_XOR:
        value = l ^ read_extended(m, code);
        break;
    case BF_SLL:
        value = l << (read_scalar(m, code->r) & 63);
        break;
    case BF_SRL:
        value = l >> (read_scalar(m, code->r) & 63);
        break;
    case BF_SRA:
        value = (uint64_t)((int64_t)l >> (read_scalar(m, code->r) & 63));
        break;
    case BF_MUL:
        value = l * read_scalar(m, code->r);
        break;
    case BF_DIV:
        value = divide(l, read_scalar(m, code->r), true, false);
        break;
    case BF_DIVU:
        value = divide(l, read_scalar(m, code->r), false, false);
        break;
    case BF_REM:
        value = divide(l, read_scalar(m, code->r), true, true);
        break;
    case BF_REMU:
        value = divide(l, read_scalar(m, code->r), false, true);
        break;
    case BF_CSEL:
        value = read_scalar(m, code->p) ? l : read_extended(m, code);
        break;
    case BF_C_LDI:
        return load(m, l + imm, 8, true, 31);
    case BF_C_LWI:
        return load(m, l + imm, 4, true, 31);
    case BF_C_SDI:
        return store(m, l + imm, 8, m->queue_t[0]);
    case BF_C_SWI:
        return store(m, l + imm, 4, m->queue_t[0]);
    case BF_LDI:
        return load(m, l + imm, 8, true, code->d);
    case BF_LWI:
        return load(m, l + imm, 4, true, code->d);
    case BF_LHI:
        return load(m, l + imm, 2, true, code->d);
    case BF_LBI:
        return load(m, l + imm, 1, true, code->d);
    case BF_LWUI:
        return load(m, l + imm, 4, false, code->d);
    case BF_LHUI:
        return load(m, l + imm, 2, false, code->d);
    case BF_LBUI:
        return load(m, l + imm, 1, false, code->d);
    case BF_SDI:
        return store(m, read_scalar(m, code->r) + imm, 8, l);
    case BF_SWI:
        return store(m, read_scalar(m, code->r) + imm, 4, l);
    case BF_SHI:
        return store(m, read_scalar(m, code->r) + imm, 2, l);
    case BF_SBI:
        return store(m, read_scalar(m, code->r) + imm, 1, l);
    case BF_C_SETC_EQ:
    case BF_SETC_EQ:
        return set_condition(m, l == read_extended(m, code));
    case BF_C_SETC_NE:
    case BF_SETC_NE:
        return set_condition(m, l != read_extended(m, code));
    case BF_SETC_LT:
        return set_condition(m, (int64_t)l < (int64_t)read_extended(m, code));
    case BF_SETC_GE:
        return set_condition(m, (int64_t)l >= (int64_t)read_extended(m, code));
    case BF_SETC_LTU:
        return set_condition(m, l < read_extended(m, code));
    case BF_SETC_GEU:
        return set_condition(m, l >= read_extended(m, code));
    case BF_SETC_EQI:
        return set_condition(m, l == imm << code->shift);
    case BF_SETC_NEI:
        return set_condition(m, l != imm << code->shift);
    case BF_SETC_LTI:
        return set_condition(m, (int64_t)l < (int64_t)(imm << code->shift));
    case BF_SETC_GEI:
        return set_condition(m, (int64_t)l >= (int64_t)(imm << code->shift));
    case BF_SETC_LTUI:
        return set_condition(m, l < imm << code->shift);
    case BF_SETC_GEUI:
        return set_condition(m, l >= imm << code->shift);
    case BF_SETC_TGT:
    case BF_C_SETC_TGT:
        return set_target(m, l);
    default:
        return bundle(m, "PTO-E1630", "not a scalar instruction");
    }
    write_scalar(m, code->d, value);
    return true;
}

/* ---- the loop ---- */

static pto_status step(pto_block_machine *m, bool fast) {
    const uint64_t offset = m->pc - m->image_address;
    if (offset >= m->image_size) {
        if (offset == m->image_size && m->kind == BLOCK_NONE) {
            m->exit_code = 0;
            return PTO_ERR_CANCELLED;
        }
        m->fault.address = m->pc;
        pto_block_raise(m, PTO_BLOCK_PAGE, "PTO-E1672", "", "no code at 0x%llx", (unsigned long long)m->pc);
        return PTO_ERR_REFUSED;
    }
    pto_block_code *code = &m->code[offset / 2];
    if (code->form == CODE_NEW)
        decode(m, code);
    bool ok = true;
    if (code->form == CODE_ILLEGAL) {
        ok = pto_block_raise(m, PTO_BLOCK_ILLEGAL, "PTO-E1620", "", "halfword 0x%02x%02x",
                             offset + 1 < m->image_size ? m->image[offset + 1] : 0, m->image[offset]);
    } else if (pto_block_is_scalar(code->form)) {
        if (code->form == BF_EBREAK && m->kind != BLOCK_NONE && m->kind != BLOCK_TILE) {
            m->exit_code = (unsigned)code->imm;
            m->executed++;
            pto_block_raise(m, PTO_BLOCK_BREAK, "", "", "ebreak %u", m->exit_code);
            return PTO_ERR_CANCELLED;
        }
        ok = scalar(m, code);
        if (ok) {
            m->scalar_seen = true;
            m->pc += code->bytes;
        }
    } else if (pto_block_is_header(code->form)) {
        ok = header(m, code);
    } else if (pto_block_is_stop(code->form)) {
        uint64_t next;
        ok = m->kind == BLOCK_NONE ? bundle(m, "PTO-E1630", "a stop without a block")
                                   : commit(m, m->pc + code->bytes, &next);
        if (ok)
            m->pc = next;
    } else {
        ok = start(m, code, fast);
    }
    if (!ok)
        return PTO_ERR_REFUSED;
    m->executed++;
    return PTO_OK;
}

pto_status pto_block_step(pto_block_machine *machine) {
    machine->fault = (pto_block_fault_info){.rule = "", .operand = "", .text = ""};
    return step(machine, false);
}

pto_status pto_block_run(pto_block_machine *machine, uint64_t limit) {
    machine->fault = (pto_block_fault_info){.rule = "", .operand = "", .text = ""};
    const uint64_t end = limit ? machine->executed + limit : UINT64_MAX;
    while (machine->executed < end) {
        const pto_status status = step(machine, true);
        if (status != PTO_OK)
            return status == PTO_ERR_CANCELLED ? PTO_OK : status;
    }
    return PTO_ERR_LIMIT;
}
