/* SPDX-License-Identifier: Apache-2.0 */
/* TMATMUL, TGEMV and their ACC and BIAS forms (part 40, 1.3 to 1.5).
 *
 * Every element of the result is one chain: the addend (+0, cIn or the bias), then a fused multiply-add per
 * k, k ascending, each rounded to f32; s8 products add up modulo 2^32 in any order. So vectors run over
 * columns, blocks of VEC_ROWS x VEC_COLS vectors keep their sums in registers for the whole k, and every
 * level gives the same bits. A NaN of the result is canonical: which payload an fma keeps depends on the
 * machine.
 *
 * The accumulator's 16 x 16 boxes hold 16 columns of a row side by side, so it is read and written in place.
 * The right operand is packed panel by panel, the left one only where it is not f32 in the right order. */
#include "kernel/block_form.h"
#include "kernel/kernel.h"
#include "kernel/matmul_block.h"

/* Where the left operand can stay as it is: f32 whose blocks of rows never cross a box. */
static bool use_left_as_is(matmul_job *job, const pto_tile *left, const matmul_format *format) {
    const pto_tile_type *type = &left->type;
    const bool nz = type->blayout == PTO_COL_MAJOR || type->rows == 1;
    if (!matmul_is_as_is(format) || (!nz && 16 % VEC_ROWS != 0))
        return false;
    job->a = left->data;
    job->a_block = nz ? (int64_t)type->rows * MATMUL_LEFT_UNITS : MATMUL_BOX / 4;
    job->a_group = nz ? MATMUL_BOX / 4 : (int64_t)type->cols * 16;
    return true;
}

/* dst = addend + left x right, the first m rows; the addend's place stands in the job. */
static pto_status multiply(const pto_kernel_call *call, matmul_job *job, int m, const pto_tile *dst,
                           const pto_tile *left, const pto_tile *right) {
    const int k = right->valid_rows, n = right->valid_cols;
    const bool flush = call->numeric->flush_subnormals;
    matmul_format a = matmul_format_of(left->type.dtype, flush);
    matmul_format b = matmul_format_of(right->type.dtype, flush);
    if (a.dtype == PTO_F32 && call->host->cube_f32_bits) {
        a.dropped = b.dropped = (uint8_t)(23 - call->host->cube_f32_bits);
        a.ties_away = b.ties_away = call->host->cube_f32_round == PTO_CAST_ROUND;
    }
    job->m = m;
    job->n = n;
    job->units = (k + a.per_unit - 1) / a.per_unit;
    job->integer = a.dtype == PTO_S8;
    job->addend_last = call->numeric->matmul_addend_last && job->addend && !job->integer;
    job->normal = flush && !job->integer ? UINT32_C(0x00800000) : 0;
    job->c = dst->data;
    job->c_panel = (int64_t)dst->type.rows * 16;

    const bool as_is = use_left_as_is(job, left, &a);
    const int64_t panel_words = (int64_t)matmul_round_up(k, 32) * MATMUL_PANEL;
    const int64_t left_words = as_is ? 0 : (int64_t)m * matmul_round_up(job->units, MATMUL_LEFT_UNITS);
    vec_word *scratch =
        call->host->scratch(call->host->user, (size_t)(panel_words + left_words) * sizeof *scratch);
    if (!scratch)
        return PTO_ERR_NOMEM;
    if (!as_is) {
        vec_word *packed = scratch + panel_words;
        matmul_pack_left(packed, left, &a, m, k);
        job->a = packed;
        job->a_block = (int64_t)m * MATMUL_LEFT_UNITS;
        job->a_group = MATMUL_BOX / 4;
    }
    for (int col = 0; col < n; col += MATMUL_PANEL) {
        matmul_pack_right(scratch, right, &b, col, n - col < MATMUL_PANEL ? n - col : MATMUL_PANEL, k);
        /* with short vectors a panel is wider than a block */
        for (int part = 0; part < MATMUL_PANEL && col + part < n; part += VEC_LANES * VEC_COLS) {
            if (job->integer)
                integer_panel(job, scratch + part, col + part);
            else
                float_panel(job, scratch + part, col + part);
        }
    }
    return PTO_OK;
}

/* The block form: acc, a, b, scales of a and b (optional), room for f32 copies of a and b and for a boxed
 * acc. Without room the elements are integers. The chain goes on from what acc holds. */
static pto_status block_product(const pto_kernel_call *call) {
    pto_tile *acc = pto_call_tile(call, 0), *left = pto_call_tile(call, 5), *right = pto_call_tile(call, 6),
             *boxed = pto_call_tile(call, 7);
    if (!left) {
        pto_block_form_multiply(acc, pto_call_tile(call, 1), pto_call_tile(call, 2));
        return PTO_OK;
    }
    pto_block_form_widen(left, pto_call_tile(call, 1), pto_call_tile(call, 3), false);
    pto_block_form_widen(right, pto_call_tile(call, 2), pto_call_tile(call, 4), true);
    pto_block_form_widen(boxed, acc, NULL, false);
    matmul_job job = from_tile(boxed);
    const pto_status status = multiply(call, &job, left->valid_rows, boxed, left, right);
    pto_block_form_widen(acc, boxed, NULL, false);
    return status;
}

PTO_KERNEL(tmatmul) {
    if (call->host->block_form)
        return block_product(call);
    matmul_job job = {0};
    const pto_tile *left = pto_call_tile(call, 1);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 2));
}

PTO_KERNEL(tmatmul_acc) {
    matmul_job job = from_tile(pto_call_tile(call, 1));
    const pto_tile *left = pto_call_tile(call, 2);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 3));
}

PTO_KERNEL(tmatmul_acc_in_place) {
    matmul_job job = from_tile(pto_call_tile(call, 0));
    const pto_tile *left = pto_call_tile(call, 1);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 2));
}

PTO_KERNEL(tmatmul_bias) {
    matmul_job job = from_bias(pto_call_tile(call, 3));
    const pto_tile *left = pto_call_tile(call, 1);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 2));
}

/* A row vector times a matrix: m is 1 whatever the left tile holds below its first row. */
PTO_KERNEL(tgemv) {
    matmul_job job = {0};
    return multiply(call, &job, 1, pto_call_tile(call, 0), pto_call_tile(call, 1), pto_call_tile(call, 2));
}

PTO_KERNEL(tgemv_acc) {
    matmul_job job = from_tile(pto_call_tile(call, 1));
    return multiply(call, &job, 1, pto_call_tile(call, 0), pto_call_tile(call, 2), pto_call_tile(call, 3));
}

PTO_KERNEL(tgemv_bias) {
    matmul_job job = from_bias(pto_call_tile(call, 3));
    return multiply(call, &job, 1, pto_call_tile(call, 0), pto_call_tile(call, 1), pto_call_tile(call, 2));
}
