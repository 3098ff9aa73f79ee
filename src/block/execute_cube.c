/* SPDX-License-Identifier: Apache-2.0 */
/* CUBE: products into ACC on the matrix kernel of the library, and the way out of ACC (70, 9.6). */
#include "block/execute.h"
#include "number/half.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 0 float, 1 signed, 2 unsigned */
static int class_of(unsigned type) {
    return pto_block_type_is_float(type) ? 0 : pto_block_type_is_signed(type) ? 1 : 2;
}
enum { MAX_ACC = 1 << 20 }; /* bytes of an accumulator */
static const uint8_t acc_type[3] = {BT_FP32, BT_S32, BT_U32};

typedef struct product {
    const pto_block_entry *a, *b, *scale_a, *scale_b, *bias;
    int32_t m, n, k;
    int kind; /* class_of */
    bool accumulates;
} product;

static bool check_operand(pto_block_job *job, int i, unsigned type, int32_t rows, int32_t cols) {
    char name[16];
    const pto_block_entry *src = job->src[i];
    if (!pto_block_check_type(job, i, type))
        return false;
    if (src->valid_rows < rows || src->valid_cols < cols)
        return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, i, name), "%dx%d, not %dx%d",
                                    (int)src->valid_rows, (int)src->valid_cols, (int)rows, (int)cols);
    return pto_block_check_values(job, i);
}

static bool check_layout(pto_block_job *job, int i, unsigned wanted) {
    char name[16];
    return !job->m->profile.strict_layout || job->src[i]->layout == wanted ||
           pto_block_tile_fault(job, "PTO-E1645", pto_block_source_name(job, i, name), "not %s",
                                pto_block_tile_layout_name[wanted]);
}

static bool check_product(pto_block_job *job, product *p) {
    const bool mx = strstr(job->op->name, "MX") != NULL, gemv = strstr(job->op->name, "GEMV") != NULL;
    const int b = mx ? 2 : 1, bias = mx ? 4 : 2;
    *p = (product){.m = job->cols,
                   .n = job->rows,
                   .k = job->pitch,
                   .kind = class_of(job->type),
                   .accumulates = strstr(job->op->name, ".ACC") != NULL};
    if (gemv && p->m != 1)
        return pto_block_tile_fault(job, "PTO-E1642", "LB0", "M is 1");
    const unsigned wide = pto_block_type_bits(job->type2);
    if (wide == 64 || class_of(job->type2) != p->kind || (mx && p->kind))
        return pto_block_tile_fault(job, "PTO-E1643", "DataType", "%s with %s",
                                    pto_block_type_name(job->type), pto_block_type_name(job->type2));
    const int32_t groups = (p->k + 31) / 32;
    if (!check_operand(job, 0, job->type, p->m, p->k) || !check_layout(job, 0, 4) ||
        (mx && !(check_operand(job, 1, BT_E8M0, p->m, groups) && check_layout(job, 1, 2))) ||
        !check_operand(job, b, job->type2, p->k, p->n) || !check_layout(job, b, 3) ||
        (mx && !(check_operand(job, 3, BT_E8M0, groups, p->n) && check_layout(job, 3, 5))))
        return false;
    p->a = job->src[0];
    p->b = job->src[b];
    if (mx) {
        p->scale_a = job->src[1];
        p->scale_b = job->src[3];
    }
    if (job->op->tiles > bias) {
        const unsigned type = job->src[bias]->type == job->type ? job->type : acc_type[p->kind];
        if (!check_operand(job, bias, type, 1, p->n))
            return false;
        p->bias = job->src[bias];
    }
    if (p->accumulates && (!job->m->acc.live || job->m->acc.rows != p->m || job->m->acc.cols != p->n ||
                           job->m->acc.type != acc_type[p->kind]))
        return pto_block_tile_fault(job, "PTO-E1652", "ACC",
                                    job->m->acc.live ? "another shape or class" : "not live");
    return true;
}

/* Room for rows x cols words; the old contents stay when it is large enough. */
static bool reserve_acc(pto_block_job *job, int32_t rows, int32_t cols) {
    const size_t bytes = (size_t)rows * (size_t)cols * 4;
    if (bytes > MAX_ACC)
        return pto_block_raise(job->m, PTO_BLOCK_ALLOC, "PTO-E1662", "ACC", "%s: %d x %d accumulators",
                               job->op->name, (int)rows, (int)cols);
    if (bytes <= job->m->acc.capacity)
        return true;
    void *grown = malloc(bytes);
    if (!grown)
        return pto_block_tile_fault(job, "PTO-E1662", "ACC", "no memory of the host");
    free(job->m->acc.data);
    job->m->acc.data = grown;
    job->m->acc.capacity = bytes;
    return true;
}

/* ---- integers: a plain chain, modulo 2^32 ---- */

static uint32_t integer_at(const pto_block_entry *e, int32_t r, int32_t c) {
    const unsigned bits = pto_block_type_bits(e->type);
    uint64_t code = pto_block_get(e, r, c);
    if (pto_block_type_is_signed(e->type) && code >> (bits - 1) & 1)
        code |= UINT64_MAX << (bits - 1);
    return (uint32_t)code;
}

static bool integer_product(pto_block_job *job, const product *p, uint32_t *result) {
    uint32_t *a = pto_block_staging(job->m, ((size_t)p->m * (size_t)p->k + (size_t)p->k * (size_t)p->n) * 4);
    if (!a)
        return false;
    uint32_t *b = a + (size_t)p->m * (size_t)p->k;
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t k = 0; k < p->k; k++)
            a[(size_t)i * (size_t)p->k + (size_t)k] = integer_at(p->a, i, k);
    for (int32_t k = 0; k < p->k; k++)
        for (int32_t j = 0; j < p->n; j++)
            b[(size_t)k * (size_t)p->n + (size_t)j] = integer_at(p->b, k, j);
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t k = 0; k < p->k; k++)
            for (int32_t j = 0; j < p->n; j++)
                result[(size_t)i * (size_t)p->n + (size_t)j] +=
                    a[(size_t)i * (size_t)p->k + (size_t)k] * b[(size_t)k * (size_t)p->n + (size_t)j];
    return true;
}

/* ---- floats: every format is exact in f32, so one kernel serves all ---- */

static float float_of(const pto_block_entry *e, const pto_block_entry *scale, int32_t r, int32_t c,
                      bool by_rows) {
    float value = (float)pto_number_to_f64(pto_block_format(e->type), pto_block_get(e, r, c));
    if (!scale)
        return value;
    const uint64_t code = by_rows ? pto_block_get(scale, r / 32, c) : pto_block_get(scale, r, c / 32);
    return code == 255 ? NAN : ldexpf(value, (int)code - 127);
}

static int32_t round_up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

static bool float_product(pto_block_job *job, const product *p, float *result) {
    const int32_t rows = round_up(p->m, 16), mid = round_up(p->k, 16), cols = round_up(p->n, 16);
    const size_t size_a = (size_t)rows * (size_t)mid, size_b = (size_t)mid * (size_t)cols,
                 size_c = (size_t)rows * (size_t)cols;
    float *a = pto_block_staging(job->m, (size_a + size_b + size_c) * 4);
    if (!a)
        return false;
    float *b = a + size_a, *c = b + size_b;
    memset(a, 0, (size_a + size_b + size_c) * 4);
    pto_tile left = pto_tile_make_valid(pto_tile_type_left(PTO_TARGET_CPU, PTO_F32, rows, mid), p->m, p->k);
    pto_tile right = pto_tile_make_valid(pto_tile_type_right(PTO_F32, mid, cols), p->k, p->n);
    pto_tile acc = pto_tile_make_valid(pto_tile_type_acc(PTO_F32, rows, cols), p->m, p->n);
    left.data = a;
    right.data = b;
    acc.data = c;
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t k = 0; k < p->k; k++)
            a[pto_block_offset(4, 32, rows, mid, i, k)] = float_of(p->a, p->scale_a, i, k, false);
    for (int32_t k = 0; k < p->k; k++)
        for (int32_t j = 0; j < p->n; j++)
            b[pto_block_offset(3, 32, mid, cols, k, j)] = float_of(p->b, p->scale_b, k, j, true);
    /* the accumulator begins with zeros, the bias or what was there, and the chain goes on from it */
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t j = 0; j < p->n; j++)
            c[(size_t)(j / 16) * (size_t)rows * 16 + (size_t)i * 16 + (size_t)(j % 16)] =
                result[(size_t)i * (size_t)p->n + (size_t)j];
    pto_instr instr = {.form = PTO_FORM_TMATMUL_ACC, .verified = true};
    if (!p->bias && !p->accumulates)
        instr.form = PTO_FORM_TMATMUL;
    int at = 0;
    instr.operand[at++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &acc};
    if (instr.form == PTO_FORM_TMATMUL_ACC)
        instr.operand[at++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &acc};
    instr.operand[at++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &left};
    instr.operand[at] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &right};
    if (pto_core_execute(job->m->core, &instr) != PTO_OK)
        return pto_block_tile_fault(job, "PTO-E1621", "", "the product could not be executed");
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t j = 0; j < p->n; j++)
            result[(size_t)i * (size_t)p->n + (size_t)j] =
                c[(size_t)(j / 16) * (size_t)rows * 16 + (size_t)i * 16 + (size_t)(j % 16)];
    return true;
}

static bool run_product(pto_block_job *job) {
    product p;
    if (!check_product(job, &p) || !reserve_acc(job, p.m, p.n))
        return false;
    uint32_t *result = (uint32_t *)(void *)job->m->acc.data;
    const size_t count = (size_t)p.m * (size_t)p.n;
    /* nothing fails from here on but memory of the host; then ACC is dead */
    if (!p.accumulates) {
        job->m->acc.live = false;
        memset(result, 0, count * 4);
    }
    for (size_t e = 0; p.bias && e < count; e++) {
        const int32_t j = (int32_t)(e % (size_t)p.n);
        if (p.kind)
            result[e] = integer_at(p.bias, 0, j);
        else
            result[e] = pto_f32_bits(float_of(p.bias, NULL, 0, j, false));
    }
    if (!(p.kind ? integer_product(job, &p, result) : float_product(job, &p, (float *)(void *)result)))
        return false;
    job->m->acc.live = true;
    job->m->acc.type = acc_type[p.kind];
    job->m->acc.rows = p.m;
    job->m->acc.cols = p.n;
    return true;
}

/* ---- the way out ---- */

static bool larger(unsigned type, uint64_t a, uint64_t b) {
    const double x = pto_number_to_f64(pto_block_format(type), a),
                 y = pto_number_to_f64(pto_block_format(type), b);
    if (isnan(y) || isnan(x))
        return isnan(y) && !isnan(x);
    return x > y || (x == y && signbit(y) && !signbit(x));
}

static bool run_acccvt(pto_block_job *job) {
    pto_block_machine *m = job->m;
    const int32_t rows = job->cols, cols = job->rows; /* LB0 = Row, LB1 = Col */
    if (!m->acc.live || m->acc.type != job->type || m->acc.rows != rows || m->acc.cols != cols)
        return pto_block_tile_fault(job, "PTO-E1652", "ACC",
                                    m->acc.live ? "another shape or type" : "not live");
    unsigned from, to = PTO_BLOCK_LAYOUT_ACC;
    const bool converts = pto_block_layout_ends(job->s->layout, &from, &to);
    if (converts && (from != 4 || to > 1))
        return pto_block_tile_fault(job, "PTO-E1645", "Layout", "ACC leaves as NZ, ND or DN");
    if (!converts && job->s->canon)
        to = 4;
    if (job->s->result_count == 2 && !converts)
        return pto_block_tile_fault(job, "PTO-E1645", "Layout", "a row maximum needs NZ2ND or NZ2DN");
    const unsigned bits = pto_block_type_bits(job->type2);
    const int32_t unit = to == PTO_BLOCK_LAYOUT_ACC ? 16
                         : to == 4                  ? (bits < 8 ? 64 : (int32_t)(256 / bits))
                                                    : 1;
    const int32_t pitch = round_up(cols, unit);
    if (bits < 8 && (pitch & 1))
        return pto_block_tile_fault(job, "PTO-E1642", "LB1", "4-bit elements stand in pairs");
    if (!pto_block_allocate(job, 0, job->type2, false, to, pitch, rows, cols) ||
        (job->s->result_count == 2 && !pto_block_allocate(job, 1, job->type2, false, 0, 1, rows, 1)))
        return false;
    pto_block_entry in = {.type = (uint8_t)job->type,
                          .rows = rows,
                          .cols = cols,
                          .valid_rows = rows,
                          .valid_cols = cols,
                          .data = m->acc.data};
    if (job->reg_given[0]) { /* the scale has the bits of the accumulator's type */
        uint32_t *scaled = pto_block_staging(m, (size_t)rows * (size_t)cols * 4);
        if (!scaled)
            return false;
        memcpy(scaled, m->acc.data, (size_t)rows * (size_t)cols * 4);
        for (size_t e = 0; e < (size_t)rows * (size_t)cols; e++)
            scaled[e] =
                job->type == BT_FP32
                    ? pto_f32_bits(pto_f32_from_bits(scaled[e]) * pto_f32_from_bits((uint32_t)job->reg[0]))
                    : scaled[e] * (uint32_t)job->reg[0];
        in.data = (uint8_t *)scaled;
    }
    /* one type on both sides is a copy here, not TCVT's rounding to whole numbers */
    for (int32_t e = 0; job->type2 == job->type && e < rows * cols; e++)
        pto_block_set(&job->dst[0], e / cols, e % cols, pto_block_get(&in, e / cols, e % cols));
    if (job->type2 != job->type && !pto_block_convert(job, &in, &job->dst[0], job->s->rmode, job->s->sat))
        return false;
    for (int32_t r = 0; r < rows && job->s->result_count == 2; r++) {
        uint64_t best = pto_block_get(&job->dst[0], r, 0);
        for (int32_t c = 1; c < cols; c++) {
            const uint64_t code = pto_block_get(&job->dst[0], r, c);
            best = larger(job->type2, code, best) ? code : best;
        }
        pto_block_set(&job->dst[1], r, 0, best);
    }
    for (int i = 0; i < job->s->result_count; i++)
        pto_block_fill_outside(&job->dst[i], false, 0);
    job->acc_dies = true;
    return true;
}

bool pto_block_run_cube(pto_block_job *job) {
    return job->op->geometry == GEOMETRY_ACCCVT ? run_acccvt(job) : run_product(job);
}
