/* SPDX-License-Identifier: Apache-2.0 */
/* A tile block at its commit: the checks in the order of 70, 7.3, then the effects. */
#include "block/execute.h"
#include "number/half.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool pto_block_tile_fault(pto_block_job *job, const char *rule, const char *operand, const char *format,
                          ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pto_block_raise(job->m, PTO_BLOCK_TILE, rule, operand, "%s: %s", job->op->name, text);
}

const char *pto_block_source_name(const pto_block_job *job, int i, char buffer[16]) {
    snprintf(buffer, 16, "%c#%u", "TUMN"[job->s->source[i].queue & 3], job -> s -> source[i].distance);
    return buffer;
}

/* ---- types ---- */

pto_dtype pto_block_dtype(unsigned type) {
    static const uint8_t dtype[32] = {
        [BT_FP64] = PTO_F64,  [BT_FP32] = PTO_F32,  [BT_TF32] = PTO_TF32, [BT_HF32] = PTO_HF32,
        [BT_FP16] = PTO_F16,  [BT_BF16] = PTO_BF16, [BT_HIF8] = PTO_HIF8, [BT_E4M3] = PTO_E4M3,
        [BT_E5M2] = PTO_E5M2, [BT_E3M2] = PTO_E3M2, [BT_E2M3] = PTO_E2M3, [BT_E2M1] = PTO_E2M1,
        [BT_E1M2] = PTO_E1M2, [BT_E8M0] = PTO_E8M0, [BT_HIF4] = PTO_HIF4, [BT_S64] = PTO_S64,
        [BT_S32] = PTO_S32,   [BT_S16] = PTO_S16,   [BT_S8] = PTO_S8,     [BT_S4] = PTO_S4,
        [BT_U64] = PTO_U64,   [BT_U32] = PTO_U32,   [BT_U16] = PTO_U16,   [BT_U8] = PTO_U8,
        [BT_U4] = PTO_U4};
    return (pto_dtype)dtype[type & 31];
}
pto_dtype pto_block_bits_dtype(unsigned type) {
    switch (pto_block_type_bits(type)) {
    case 64:
        return PTO_U64;
    case 32:
        return PTO_U32;
    case 16:
        return PTO_U16;
    case 8:
        return PTO_U8;
    default:
        return PTO_S4;
    }
}
pto_format pto_block_format(unsigned type) { return pto_format_of_dtype(pto_block_dtype(type)); }

pto_round_mode pto_block_round_mode(unsigned rmode, unsigned dst_type, unsigned src_type) {
    static const uint8_t mode[8] = {0,
                                    PTO_CAST_RINT,
                                    PTO_CAST_TRUNC,
                                    PTO_CAST_FLOOR,
                                    PTO_CAST_CEIL,
                                    PTO_CAST_ROUND,
                                    PTO_CAST_ODD,
                                    PTO_CAST_HALF_UP};
    if (rmode)
        return (pto_round_mode)mode[rmode & 7];
    return pto_block_type_is_float(src_type) && !pto_block_type_is_float(dst_type) ? PTO_CAST_TRUNC
                                                                                   : PTO_CAST_RINT;
}

/* ---- elements ---- */

static int64_t offset_of(const pto_block_entry *entry, int32_t row, int32_t col) {
    if (entry->layout == PTO_BLOCK_LAYOUT_ACC)
        return (int64_t)(col / 16) * entry->rows * 16 + (int64_t)row * 16 + col % 16;
    return pto_block_offset(entry->layout, pto_block_type_bits(entry->type), entry->rows, entry->cols, row,
                            col);
}

static uint64_t load_code(const uint8_t *data, unsigned bits, int64_t index) {
    switch (bits) {
    case 64: {
        uint64_t v;
        memcpy(&v, data + 8 * index, 8);
        return v;
    }
    case 32: {
        uint32_t v;
        memcpy(&v, data + 4 * index, 4);
        return v;
    }
    case 16: {
        uint16_t v;
        memcpy(&v, data + 2 * index, 2);
        return v;
    }
    case 8:
        return data[index];
    default:
        return index & 1 ? data[index / 2] >> 4 : data[index / 2] & 15;
    }
}
static void store_code(uint8_t *data, unsigned bits, int64_t index, uint64_t code) {
    switch (bits) {
    case 64:
        memcpy(data + 8 * index, &code, 8);
        break;
    case 32: {
        const uint32_t v = (uint32_t)code;
        memcpy(data + 4 * index, &v, 4);
        break;
    }
    case 16: {
        const uint16_t v = (uint16_t)code;
        memcpy(data + 2 * index, &v, 2);
        break;
    }
    case 8:
        data[index] = (uint8_t)code;
        break;
    default: {
        const unsigned shift = index & 1 ? 4 : 0;
        data[index / 2] = (uint8_t)((data[index / 2] & ~(15u << shift)) | (code & 15) << shift);
    }
    }
}

uint64_t pto_block_get(const pto_block_entry *entry, int32_t row, int32_t col) {
    return load_code(entry->data, pto_block_type_bits(entry->type), offset_of(entry, row, col));
}
void pto_block_set(pto_block_entry *entry, int32_t row, int32_t col, uint64_t code) {
    store_code(entry->data, pto_block_type_bits(entry->type), offset_of(entry, row, col), code);
}
bool pto_block_get_bit(const pto_block_entry *entry, int32_t row, int32_t col) {
    const int64_t e = (int64_t)row * entry->cols + col;
    return entry->data[e / 8] >> (e & 7) & 1;
}
static void set_bit(pto_block_entry *entry, int32_t row, int32_t col, bool value) {
    const int64_t e = (int64_t)row * entry->cols + col;
    const uint8_t bit = (uint8_t)(1u << (e & 7));
    entry->data[e / 8] = (uint8_t)(value ? entry->data[e / 8] | bit : entry->data[e / 8] & ~bit);
}

/* ---- padding ---- */

uint64_t pto_block_pad_pattern(unsigned type, unsigned pad) {
    if (pad == 0 || pad == PTO_BLOCK_PAD_NULL)
        return 0;
    const bool max = pad == 1;
    const unsigned bits = pto_block_type_bits(type);
    const uint64_t ones = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    if (!pto_block_type_is_float(type)) {
        if (pto_block_type_is_signed(type))
            return max ? ones >> 1 : sign;
        return max ? ones : 0;
    }
    switch (type) {
    case BT_FP64:
        return max ? UINT64_C(0x7fefffffffffffff) : UINT64_C(0xffefffffffffffff);
    case BT_FP32:
        return max ? 0x7f7fffff : 0xff7fffff;
    case BT_TF32:
        return max ? 0x7f7fe000 : 0xff7fe000;
    case BT_HF32:
        return max ? 0x7f7ff000 : 0xff7ff000;
    case BT_FP16:
        return max ? 0x7bff : 0xfbff;
    case BT_BF16:
        return max ? 0x7f7f : 0xff7f;
    case BT_E4M3:
        return max ? 0x7e : 0xfe;
    case BT_E5M2:
        return max ? 0x7b : 0xfb;
    case BT_E8M0:
        return max ? 0xfe : 0;
    case BT_E3M2:
        return max ? 0x1f : 0x3f;
    case BT_E2M3:
        return max ? 0x1f : 0x3f;
    default: { /* largest finite value: what saturation gives */
        const double limit = max ? 1e300 : -1e300;
        return pto_number_encode_f64(pto_block_format(type), limit, PTO_CAST_RINT, true);
    }
    }
}

static void fill_run(uint8_t *data, unsigned bits, int64_t from, int64_t count, uint64_t pattern) {
    if (count <= 0)
        return;
    if (!pattern && bits >= 8) {
        memset(data + from * (bits / 8), 0, (size_t)count * (bits / 8));
        return;
    }
    for (int64_t i = from; i < from + count; i++)
        store_code(data, bits, i, pattern);
}

void pto_block_fill_outside(pto_block_entry *entry, bool defined, uint64_t pattern) {
    entry->all_defined = defined;
    if (entry->valid_rows == entry->rows && entry->valid_cols == entry->cols)
        return;
    if (entry->predicate || entry->layout) {
        for (int32_t r = 0; r < entry->rows; r++)
            for (int32_t c = r < entry->valid_rows ? entry->valid_cols : 0; c < entry->cols; c++) {
                if (entry->predicate)
                    set_bit(entry, r, c, pattern & 1);
                else
                    pto_block_set(entry, r, c, pattern);
            }
        return;
    }
    const unsigned bits = pto_block_type_bits(entry->type);
    for (int32_t r = 0; r < entry->valid_rows && entry->valid_cols < entry->cols; r++)
        fill_run(entry->data, bits, (int64_t)r * entry->cols + entry->valid_cols,
                 entry->cols - entry->valid_cols, pattern);
    fill_run(entry->data, bits, (int64_t)entry->valid_rows * entry->cols,
             (int64_t)(entry->rows - entry->valid_rows) * entry->cols, pattern);
}

void pto_block_pad(pto_block_job *job, int i) {
    pto_block_entry *entry = &job->dst[i];
    const unsigned pad = job->op->attributes & DATR_PAD ? job->s->pad : PTO_BLOCK_PAD_NULL;
    const uint64_t pattern = entry->predicate ? pad == 1 : pto_block_pad_pattern(entry->type, pad);
    pto_block_fill_outside(entry, pad != PTO_BLOCK_PAD_NULL, pattern);
}

/* ---- destinations ---- */

static bool alloc_fault(pto_block_job *job, const char *rule, int i, const char *text, uint64_t found,
                        uint64_t limit) {
    char name[24];
    snprintf(name, sizeof name, "->%c", "TUMN"[job->s->result[i].queue & 3]);
    return pto_block_raise(job->m, PTO_BLOCK_ALLOC, rule, name, "%s: %s: %llu, limit %llu", job->op->name,
                           text, (unsigned long long)found, (unsigned long long)limit);
}

static int32_t round_down(int64_t value, int64_t unit) { return (int32_t)(value / unit * unit); }

/* The live tiles while destinations are made: sources that the block releases still count, for they are read.
 */
bool pto_block_allocate(pto_block_job *job, int i, unsigned type, bool predicate, unsigned layout,
                        int32_t cols, int32_t valid_rows, int32_t valid_cols) {
    pto_block_machine *m = job->m;
    const unsigned size = job->s->result[i].size;
    const uint64_t bytes = pto_block_size_bytes(size);
    if (bytes < m->profile.tile_bytes_min)
        return alloc_fault(job, "PTO-E1660", i, "bytes of the tile", bytes, m->profile.tile_bytes_min);
    if (bytes > m->profile.tile_bytes_max)
        return alloc_fault(job, "PTO-E1660", i, "bytes of the tile", bytes, m->profile.tile_bytes_max);
    const unsigned bits = predicate ? 1 : pto_block_type_bits(type);
    int64_t rows = (int64_t)(bytes * 8 / ((uint64_t)cols * bits));
    const int32_t c0 = bits < 8 ? 64 : (int32_t)(256 / bits);
    if (layout == 2) /* ZZ */
        rows = round_down(rows, 16);
    else if (layout == 3) /* ZN */
        rows = round_down(rows, c0);
    else if (layout == 5) /* NN */
        rows = round_down(rows, c0);
    if (rows < valid_rows)
        return alloc_fault(job, "PTO-E1661", i, "rows that fit", (uint64_t)rows, (uint64_t)valid_rows);
    uint64_t total = m->live_bytes + bytes;
    for (int k = 0; k < i; k++)
        total += pto_block_size_bytes(job->s->result[k].size);
    if (total > m->profile.tile_bytes_live)
        return alloc_fault(job, "PTO-E1662", i, "bytes of all live tiles", total, m->profile.tile_bytes_live);
    if (m->profile.strict_depth) {
        unsigned before = 0;
        for (int k = 0; k < i; k++)
            before += job->s->result[k].queue == job->s->result[i].queue;
        const pto_block_queue *q = &m->queue[job->s->result[i].queue & 3];
        if (q->entry[(q->pushes + before) % PTO_BLOCK_DEPTH].live)
            return alloc_fault(job, "PTO-E1663", i, "distance of the live tile", 16, 15);
    }
    uint8_t *data = pto_block_take(m, size);
    if (!data)
        return alloc_fault(job, "PTO-E1662", i, "host memory for bytes", bytes, 0);
    job->dst[i] = (pto_block_entry){.live = true,
                                    .predicate = predicate,
                                    .type = (uint8_t)type,
                                    .layout = (uint8_t)layout,
                                    .size = (uint8_t)size,
                                    .rows = (int32_t)rows,
                                    .cols = cols,
                                    .valid_rows = valid_rows,
                                    .valid_cols = valid_cols,
                                    .data = data};
    return true;
}

/* ---- the door ---- */

pto_tile pto_block_tile_of(const pto_block_entry *entry, pto_dtype dtype) {
    static const struct {
        uint8_t blayout, slayout;
    } order[] = {{PTO_ROW_MAJOR, PTO_NONE_BOX},      {PTO_COL_MAJOR, PTO_NONE_BOX},
                 {PTO_ROW_MAJOR, PTO_BOX_ROW_MAJOR}, {PTO_ROW_MAJOR, PTO_BOX_COL_MAJOR},
                 {PTO_COL_MAJOR, PTO_BOX_ROW_MAJOR}, {PTO_COL_MAJOR, PTO_BOX_COL_MAJOR},
                 {PTO_COL_MAJOR, PTO_BOX_ROW_MAJOR}};
    return (pto_tile){.type = {.loc = PTO_LOC_VEC,
                               .dtype = dtype,
                               .rows = entry->rows,
                               .cols = entry->cols,
                               .valid_rows = PTO_DYNAMIC,
                               .valid_cols = PTO_DYNAMIC,
                               .blayout = (pto_blayout)order[entry->layout].blayout,
                               .slayout = (pto_slayout)order[entry->layout].slayout,
                               .fractal = entry->layout == PTO_BLOCK_LAYOUT_ACC ? 1024 : 512},
                      .valid_rows = entry->valid_rows,
                      .valid_cols = entry->valid_cols,
                      .data = entry->data};
}

pto_operand pto_block_scalar(pto_dtype type, uint64_t bits) {
    pto_scalar scalar = {.dtype = type};
    const unsigned width = pto_dtype_bits(type);
    bits &= UINT64_MAX >> (64 - width);
    if (pto_dtype_is_float(type)) {
        scalar.f = pto_number_to_double(type, bits);
    } else {
        scalar.i = (int64_t)bits;
        if (pto_dtype_is_signed(type) && bits >> (width - 1))
            scalar.i = (int64_t)(bits | (width < 64 ? UINT64_MAX << width : 0));
    }
    return (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = scalar};
}

pto_operand pto_block_attr(int64_t value) {
    return (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = value}};
}

bool pto_block_door(pto_block_job *job, pto_instr *instr) {
    instr->verified = true; /* the legality of blocks is 70, 7.3 */
    if (pto_core_execute(job->m->core, instr) == PTO_OK)
        return true;
    pto_diag_list_clear(pto_core_diags(job->m->core));
    return pto_block_tile_fault(job, "PTO-E1621", "", "the host has no memory for it");
}

bool pto_block_call(pto_block_job *job, pto_form form, const char *operands, pto_tile *dst,
                    pto_tile *const *src, pto_dtype scalar_type) {
    static const uint8_t compare[8] = {PTO_CMP_EQ, PTO_CMP_NE, PTO_CMP_LT,
                                       PTO_CMP_GT, PTO_CMP_LE, PTO_CMP_GE};
    pto_instr instr = {.form = form};
    int i = 0;
    for (const char *c = operands; *c; c++, i++) {
        pto_operand *operand = &instr.operand[i];
        switch (*c) {
        case 'D':
            *operand = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = dst};
            break;
        case 'A':
        case 'B':
        case 'C':
            *operand = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = src[*c - 'A']};
            break;
        case 's':
            *operand = pto_block_scalar(scalar_type, job->reg[0]);
            break;
        case 'S':
            *operand = pto_block_scalar(scalar_type, job->reg[1]);
            break;
        case 'g':
            *operand = pto_block_attr((int64_t)job->reg[1]);
            break;
        case 'c':
            *operand = pto_block_attr(compare[job->s->cmode & 7]);
            break;
        case 'r':
            *operand = pto_block_attr(pto_block_round_mode(job->s->rmode, job->type2, job->type));
            break;
        case 'x':
            *operand = pto_block_attr(job->s->sat ? PTO_SAT_ON : PTO_SAT_OFF);
            break;
        default:
            break;
        }
    }
    return pto_block_door(job, &instr);
}

/* ---- checks ---- */

static bool check_bindings(pto_block_job *job) {
    const pto_block_state *s = job->s;
    const pto_block_op *op = job->op;
    const bool has_row_max = op->geometry == GEOMETRY_ACCCVT && s->result_count == 2;
    if (s->iot_count && !s->last)
        return pto_block_raise(job->m, PTO_BLOCK_BUNDLE, "PTO-E1633", "",
                               "%s: the last B.IOT does not say last", op->name);
    if (s->source_count != op->tiles || s->extra_source || s->extra_result ||
        (s->result_count != op->results && !has_row_max))
        return pto_block_raise(job->m, PTO_BLOCK_BUNDLE, "PTO-E1632", "",
                               "%s binds %u tiles and %u results, not %u and %u", op->name, op->tiles,
                               op->results, s->source_count, s->result_count);
    int used = 0;
    for (int i = 0; i < PTO_BLOCK_MAX_REGS; i++) {
        job->reg_given[i] = s->reg[i] != 0;
        job->reg[i] = job->m->gpr[s->reg[i]];
        used = s->reg[i] ? i + 1 : used;
    }
    if (used > op->regs_most || (op->regs_least && !s->ior_count))
        return pto_block_raise(job->m, PTO_BLOCK_BUNDLE, "PTO-E1632", "",
                               "%s takes %u to %u registers, not %d", op->name, op->regs_least, op->regs_most,
                               used);
    return true;
}

static bool check_controls(pto_block_job *job) {
    int flag = -1;
    switch (job->op->geometry) {
    case GEOMETRY_SEQUENCE:
        flag = 1;
        break;
    case GEOMETRY_TRIANGLE: {
        flag = 1;
        const int64_t diagonal = (int64_t)job->reg[0];
        if (diagonal < -65535 || diagonal > 65535)
            return pto_block_tile_fault(job, "PTO-E1640", "RegSrc0", "the diagonal is %lld",
                                        (long long)diagonal);
        break;
    }
    case GEOMETRY_SORT:
    case GEOMETRY_MERGE:
        flag = 0;
        break;
    default:
        break;
    }
    if (flag >= 0 && job->reg[flag] > 1)
        return pto_block_tile_fault(job, "PTO-E1640", flag ? "RegSrc1" : "RegSrc0", "the flag is %llu",
                                    (unsigned long long)job->reg[flag]);
    return true;
}

static bool check_attributes(pto_block_job *job) {
    const char *what = pto_block_wrong_attribute(job->s);
    if (what)
        return pto_block_tile_fault(job, "PTO-E1641", what, "not an attribute of this operation");
    job->type2 = pto_block_second_type(job->s);
    return true;
}

static bool check_second_type(pto_block_job *job) {
    return pto_block_second_type_fits(job->s) ||
           pto_block_tile_fault(job, "PTO-E1643", "DataType", "%s with %s", pto_block_type_name(job->type),
                                pto_block_type_name(job->type2));
}

/* Dimensions that an operation limits further. */
static bool check_limits(pto_block_job *job) {
    const bool pairs = pto_block_type_bits(job->type) < 8 ||
                       (job->op->geometry == GEOMETRY_CONVERT && pto_block_type_bits(job->type2) < 8);
    if (job->op->engine != ENGINE_CUBE && pairs && ((job->cols | job->pitch) & 1))
        return pto_block_tile_fault(job, "PTO-E1642", "LB0", "4-bit elements stand in pairs");
    if (job->op->geometry == GEOMETRY_TRANSPOSE && pairs && (job->rows & 1))
        return pto_block_tile_fault(job, "PTO-E1642", "LB1", "4-bit elements stand in pairs");
    if (job->op->geometry == GEOMETRY_SEQUENCE && job->rows != 1)
        return pto_block_tile_fault(job, "PTO-E1642", "LB1", "a sequence has one row");
    if (job->op->geometry == GEOMETRY_SORT && job->cols > 64)
        return pto_block_tile_fault(job, "PTO-E1642", "LB0", "groups of %d, 64 at most", (int)job->cols);
    if (job->op->geometry == GEOMETRY_MATMUL && job->op->selector >= 0x10 && job->cols != 1) /* TGEMV */
        return pto_block_tile_fault(job, "PTO-E1642", "LB0", "M is 1");
    return true;
}

static bool check_dimensions(pto_block_job *job) {
    const pto_block_state *s = job->s;
    const bool cube = job->op->engine == ENGINE_CUBE, sort = job->op->geometry == GEOMETRY_SORT;
    int32_t value[3];
    for (int k = 0; k < 3; k++) {
        static const char *const name[] = {"LB0", "LB1", "LB2"};
        value[k] = (uint16_t)(job->m->gpr[s->dim_reg[k]] + s->dim_imm[k]);
        if (s->dim_given[k] && !value[k])
            return pto_block_tile_fault(job, "PTO-E1642", name[k], "a dimension of 0");
    }
    if (!s->dim_given[0] && !cube && !sort)
        return pto_block_tile_fault(job, "PTO-E1642", "LB0", "ValidCol is not given");
    job->cols = s->dim_given[0] ? value[0] : sort ? 32 : 1;
    job->rows = s->dim_given[1] ? value[1] : 1;
    job->pitch = s->dim_given[2] ? value[2] : cube ? 1 : job->cols;
    if (job->op->engine != ENGINE_CUBE && !sort && job->cols > job->pitch)
        return pto_block_tile_fault(job, "PTO-E1642", "LB2", "ValidCol %d, Col %d", (int)job->cols,
                                    (int)job->pitch);
    if (!(job->op->types >> job->type & 1))
        return pto_block_tile_fault(job, "PTO-E1643", "", "not on %s", pto_block_type_name(job->type));
    return check_limits(job) && check_second_type(job);
}

static bool check_sources(pto_block_job *job) {
    char name[16];
    for (int i = 0; i < job->s->source_count; i++) {
        job->src[i] = pto_block_find_entry(job->m, job->s->source[i].queue, job->s->source[i].distance);
        if (!job->src[i])
            return pto_block_tile_fault(job, "PTO-E1644", pto_block_source_name(job, i, name),
                                        "never written or released");
    }
    for (int i = 0; i < job->s->source_count && job->op->engine == ENGINE_TEPL; i++)
        if (job->src[i]->layout)
            return pto_block_tile_fault(
                job, "PTO-E1645", pto_block_source_name(job, i, name), "the layout is %s, not ND",
                pto_block_tile_layout_name[job->src[i]->layout == 6 ? 4 : job->src[i]->layout]);
    return true;
}

/* ---- effects ---- */

static void out_trace(const pto_block_job *job) {
    pto_block_machine *m = job->m;
    char text[512];
    pto_block_out out = {text, sizeof text, 0};
    pto_block_out_add(&out, "%llx: %s %s %dx%d", (unsigned long long)m->bpc, job->op->name,
                      pto_block_type_name(job->type), (int)job->rows, (int)job->cols);
    if (job->pitch != job->cols)
        pto_block_out_add(&out, " of %d", (int)job->pitch);
    for (int i = 0; i < job->s->source_count; i++) {
        const pto_block_source *source = &job->s->source[i];
        pto_block_out_add(&out, ", %c#%u%s (%c%llu)", "TUMN"[source->queue], source -> distance,
                          source -> reuse ? ".reuse" : "", "TUMN"[source->queue],
                          (unsigned long long)(m->queue[source->queue].pushes - source->distance));
    }
    for (int i = 0; i < job->s->ior_count * 3; i++)
        if (job->s->reg[i])
            pto_block_out_add(&out, ", %s=0x%llx", pto_block_gpr_name(job->s->reg[i]),
                              (unsigned long long)job->reg[i]);
    unsigned pushed[4] = {0};
    for (int i = 0; i < job->s->result_count; i++) {
        const pto_block_entry *entry = &job->dst[i];
        const unsigned q = job->s->result[i].queue;
        pto_block_out_add(&out, ", ->%c%llu %dx%d of %dx%d", "TUMN"[q],
                          (unsigned long long)(m->queue[q].pushes + pushed[q]++), (int)entry -> valid_rows,
                          (int)entry -> valid_cols, (int)entry -> rows, (int)entry -> cols);
    }
    pto_block_out_add(&out, "\n");
    m->trace(m->trace_context, text, out.length < sizeof text ? out.length : sizeof text - 1);
}

static void publish(pto_block_job *job) {
    pto_block_machine *m = job->m;
    const pto_block_state *s = job->s;
    if (m->trace)
        out_trace(job);
    for (int i = 0; i < s->source_count; i++) {
        bool keep = false;
        for (int k = 0; k < s->source_count; k++)
            keep |= job->src[k] == job->src[i] && s->source[k].reuse;
        if (!keep)
            pto_block_release_entry(m, job->src[i]);
    }
    for (int i = 0; i < s->result_count; i++)
        pto_block_push_entry(m, s->result[i].queue, &job->dst[i]);
    if (job->acc_dies)
        m->acc.live = false;
    m->fflags |= job->flags;
}

bool pto_block_execute(pto_block_machine *m, const pto_block_state *s) {
    pto_block_job job = {.m = m, .s = s, .op = s->op, .type = s->type};
    if (s->op->geometry == GEOMETRY_UNBUILT)
        return pto_block_raise(m, PTO_BLOCK_ILLEGAL, "PTO-E1620", "", "%s has no complete encoding",
                               s->op->name);
    if (!check_bindings(&job) || !check_controls(&job) || !check_attributes(&job) ||
        !check_dimensions(&job) || !check_sources(&job))
        return false;
    const pto_block_geometry geometry = s->op->geometry;
    const bool done = geometry >= GEOMETRY_MATMUL   ? pto_block_run_cube(&job)
                      : geometry >= GEOMETRY_LOAD   ? pto_block_run_memory(&job)
                      : geometry >= GEOMETRY_CONCAT ? pto_block_run_irregular(&job)
                                                    : pto_block_run_elementwise(&job);
    if (done) {
        publish(&job);
    } else {
        for (int i = 0; i < PTO_BLOCK_MAX_RESULTS; i++)
            if (job.dst[i].data)
                pto_block_give(m, job.dst[i].data, job.dst[i].size);
    }
    return done;
}
