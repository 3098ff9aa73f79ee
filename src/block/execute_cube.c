/* SPDX-License-Identifier: Apache-2.0 */
/* CUBE: products into ACC on the matrix kernel of the library, and the way out of ACC (70, 9.6). */
#include "block/execute.h"
#include "kernel/flags.h"
#include <pto/ops.h>

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
    const bool mx = strstr(job->op->name, "MX") != NULL;
    const int b = mx ? 2 : 1, bias = mx ? 4 : 2;
    *p = (product){.m = job->cols,
                   .n = job->rows,
                   .k = job->pitch,
                   .kind = class_of(job->type),
                   .accumulates = strstr(job->op->name, ".ACC") != NULL};
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
    if (bytes <= job->m->acc.capacity)
        return true;
    void *grown = malloc(bytes);
    if (!grown)
        return pto_block_raise(job->m, PTO_BLOCK_ALLOC, "PTO-E1662", "ACC", "%s: no memory of the host",
                               job->op->name);
    free(job->m->acc.data);
    job->m->acc.data = grown;
    job->m->acc.capacity = bytes;
    return true;
}

static int32_t round_up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

/* ACC as a row-major tile. */
static pto_tile acc_tile(const pto_block_job *job, pto_dtype dtype, int32_t rows, int32_t cols) {
    const pto_block_entry entry = {
        .rows = rows, .cols = cols, .valid_rows = rows, .valid_cols = cols, .data = job->m->acc.data};
    return pto_block_tile_of(&entry, dtype);
}

/* The corner of a source that the product uses. */
static pto_tile corner_of(const pto_block_entry *entry, int32_t rows, int32_t cols) {
    pto_tile tile = pto_block_tile_of(entry, pto_block_dtype(entry->type));
    tile.valid_rows = rows;
    tile.valid_cols = cols;
    return tile;
}

/* What the chain begins with: what ACC holds, the bias in every row, or zeros. */
static bool begin_chain(pto_block_job *job, const product *p, pto_dtype type) {
    if (p->accumulates)
        return true;
    memset(job->m->acc.data, 0, (size_t)p->m * (size_t)p->n * 4);
    if (!p->bias)
        return true;
    pto_tile acc = acc_tile(job, type, p->m, p->n), row = acc_tile(job, type, 1, p->n),
             bias = corner_of(p->bias, 1, p->n);
    pto_instr convert = {.form = type == bias.type.dtype ? PTO_FORM_TMOV : PTO_FORM_TCVT,
                         .operand = {pto_block_operand(&row), pto_block_operand(&bias)}};
    if (convert.form == PTO_FORM_TCVT) {
        convert.operand[3] = pto_block_attr(PTO_CAST_RINT);
        convert.operand[4] = pto_block_attr(PTO_SAT_OFF);
    }
    pto_instr repeat = {.form = PTO_FORM_TCOLEXPAND,
                        .operand = {pto_block_operand(&acc), pto_block_operand(&row)}};
    return pto_block_door(job, &convert) && pto_block_door(job, &repeat);
}

/* Room for copies of both factors and of ACC in f32, which every float format is exact in. */
static bool float_room(pto_block_job *job, const product *p, pto_tile room[3]) {
    const int32_t rows = round_up(p->m, 16), mid = round_up(p->k, 16), cols = round_up(p->n, 16);
    const size_t size_a = (size_t)rows * (size_t)mid, size_b = (size_t)mid * (size_t)cols,
                 size_c = (size_t)rows * (size_t)cols;
    float *a = pto_block_staging(job->m, (size_a + size_b + size_c) * 4);
    if (!a)
        return false;
    memset(a, 0, (size_a + size_b + size_c) * 4);
    room[0] = pto_tile_make_valid(pto_tile_type_left(PTO_TARGET_CPU, PTO_F32, rows, mid), p->m, p->k);
    room[1] = pto_tile_make_valid(pto_tile_type_right(PTO_F32, mid, cols), p->k, p->n);
    room[2] = pto_tile_make_valid(pto_tile_type_acc(PTO_F32, rows, cols), p->m, p->n);
    room[0].data = a;
    room[1].data = a + size_a;
    room[2].data = a + size_a + size_b;
    return true;
}

static bool run_product(pto_block_job *job) {
    product p;
    pto_tile scale_a, scale_b, room[3];
    if (!check_product(job, &p))
        return false;
    if ((size_t)p.m * (size_t)p.n * 4 > MAX_ACC)
        return pto_block_raise(job->m, PTO_BLOCK_ALLOC, "PTO-E1662", "ACC", "%s: %d x %d accumulators",
                               job->op->name, (int)p.m, (int)p.n);
    if (p.kind == 0 && !float_room(job, &p, room)) /* before ACC makes room: it may be live */
        return pto_block_tile_fault(job, "PTO-E1621", "", "the host has no memory for it");
    if (!reserve_acc(job, p.m, p.n))
        return false;
    const pto_dtype type = pto_block_dtype(acc_type[p.kind]);
    pto_tile acc = acc_tile(job, type, p.m, p.n), a = corner_of(p.a, p.m, p.k), b = corner_of(p.b, p.k, p.n);
    pto_instr instr = {.form = PTO_FORM_TMATMUL,
                       .operand = {pto_block_operand(&acc), pto_block_operand(&a), pto_block_operand(&b)}};
    if (p.scale_a) {
        scale_a = pto_block_tile_of(p.scale_a, PTO_E8M0);
        scale_b = pto_block_tile_of(p.scale_b, PTO_E8M0);
        instr.operand[3] = pto_block_operand(&scale_a);
        instr.operand[4] = pto_block_operand(&scale_b);
    }
    for (int i = 0; i < 3 && p.kind == 0; i++)
        instr.operand[5 + i] = pto_block_operand(&room[i]);
    /* nothing fails from here on but memory of the host; then ACC is dead */
    job->m->acc.live = p.accumulates;
    if (!begin_chain(job, &p, type))
        return false;
    pto_tile addend = acc; /* kept where it can explain a NaN */
    addend.data = p.kind == 0 && pto_flags_special(&acc) ? malloc((size_t)p.m * (size_t)p.n * 4) : NULL;
    if (addend.data)
        memcpy(addend.data, acc.data, (size_t)p.m * (size_t)p.n * 4);
    const bool done = pto_block_door(job, &instr);
    if (done && p.kind == 0 && pto_flags_special(&acc))
        job->flags = pto_flags_product(&acc, addend.data ? &addend : NULL, p.scale_a ? &room[0] : &a,
                                       p.scale_a ? &room[1] : &b);
    free(addend.data);
    if (!done)
        return false;
    job->m->acc.live = true;
    job->m->acc.type = acc_type[p.kind];
    job->m->acc.rows = p.m;
    job->m->acc.cols = p.n;
    return true;
}

/* ---- the way out ---- */

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
    const pto_dtype dtype = pto_block_dtype(job->type2);
    pto_tile acc = acc_tile(job, pto_block_dtype(job->type), rows, cols),
             dst = pto_block_tile_of(&job->dst[0], dtype), most = pto_block_tile_of(&job->dst[1], dtype);
    pto_instr instr = {.form = PTO_FORM_TMOV_ACCTOVEC,
                       .operand = {pto_block_operand(&dst),
                                   pto_block_operand(&acc),
                                   {0},
                                   {0},
                                   pto_block_attr(pto_block_round_mode(job->s->rmode, job->type2, job->type)),
                                   pto_block_attr(job->s->sat ? PTO_SAT_ON : PTO_SAT_OFF)}};
    if (job->s->result_count == 2)
        instr.operand[2] = pto_block_operand(&most);
    if (job->reg_given[0]) /* the scale has the bits of the accumulator's type */
        instr.operand[3] = pto_block_attr((int64_t)(uint32_t)job->reg[0]);
    if (!pto_block_door(job, &instr))
        return false;
    for (int i = 0; i < job->s->result_count; i++)
        pto_block_fill_outside(&job->dst[i], false, 0);
    job->acc_dies = true;
    return true;
}

bool pto_block_run_cube(pto_block_job *job) {
    return job->op->geometry == GEOMETRY_ACCCVT ? run_acccvt(job) : run_product(job);
}
