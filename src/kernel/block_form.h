/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of the library do in the block form (host.block_form) where the two forms share no more
 * than the name (part 70, 9.6, 9.7, 11). Compiled once. Operands by position; tiles of any layout and element
 * type:
 *
 *     sort       values out, indices out, src, group, descending      rows in groups, stable, NaN last
 *     merge      dst, src0, src1, descending                          two sorted rows, src0 first among
 * equals gather     dst, src, rows                                       dst(r, c) = src(rows(r, c), c)
 *     scatter    dst, src, rows                                       zeros, then dst(rows(r, c), c) = src(r,
 * c) quantise   dst, src, scale, zero point, rounding                sat(round(src * scale) + zero point)
 *     dequantise dst, src, scale, zero point                          (src - zero point) * scale
 *     acc_out    dst, acc, row maximum?, scale?, rounding, saturation the accumulator converted
 */
#ifndef PTO_KERNEL_BLOCK_FORM_H
#define PTO_KERNEL_BLOCK_FORM_H

#include "kernel/kernel.h"

pto_status pto_block_form_sort(const pto_kernel_call *call);
pto_status pto_block_form_merge(const pto_kernel_call *call);
pto_status pto_block_form_gather(const pto_kernel_call *call);
pto_status pto_block_form_scatter(const pto_kernel_call *call);
pto_status pto_block_form_quantise(const pto_kernel_call *call);
pto_status pto_block_form_dequantise(const pto_kernel_call *call);
pto_status pto_block_form_acc_out(const pto_kernel_call *call);

/* Products: dst (row-major, of the accumulator's type) += a x b modulo 2^32. */
void pto_block_form_multiply(pto_tile *dst, const pto_tile *a, const pto_tile *b);
/* Every element of src in f32, which is exact, times the power of two of its group of 32 along k (scale may
 * be NULL; by_rows: k runs down the rows). */
void pto_block_form_widen(pto_tile *dst, const pto_tile *src, const pto_tile *scale, bool by_rows);

#endif
