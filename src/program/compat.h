/* SPDX-License-Identifier: Apache-2.0 */
/* What the MLIR assembler checks of an instruction (60, 3.10), as it stands: the lists of element types,
 * shapes and layouts that --ptoas-compat adds to the rules of the instruction itself. */
#ifndef PTO_PROGRAM_COMPAT_H
#define PTO_PROGRAM_COMPAT_H

#include "program/verify.h"

/* One instruction under the assembler's eyes. Operands are schema positions of its form, in the order of the
 * level 2 text; -1 = absent. */
typedef struct pto_compat {
    pto_verifier *v;
    const pto_operation *op;
    const char *types; /* element types of the rule set in force */
    bool a5;           /* rule set B of 60, 3.10 */
    int8_t in[PTO_MAX_OPERANDS], out[4];
    uint8_t in_count, out_count;
} pto_compat;

typedef bool (*pto_compat_check)(const pto_compat *c);

/* A row of the table in compat.c: what an operation must satisfy beside the instruction's own rules. */
typedef struct pto_compat_row {
    const char *opcode; /* pto.tadd */
    pto_compat_check check;
    const char *a, *b; /* element types on A2/A3, A5: see pto_compat_in; NULL = refused there */
} pto_compat_row;

/* Applies the row of the operation; refusals are reported through the verifier. */
void pto_compat_verify(pto_verifier *v, const pto_operation *op);

/* ---- building blocks (compat_blocks.c): each reports and gives false where the assembler refuses ---- */

const pto_type *pto_compat_type(const pto_compat *c, int position);      /* NULL when absent */
const pto_tile_type *pto_compat_tile(const pto_compat *c, int position); /* NULL when it is no tile */
const pto_type *pto_compat_element(const pto_compat *c, int position); /* of a tile or view; else the type */
unsigned pto_compat_bits(const pto_type *element);                     /* 0 when it has no size */
/* Is the type of the list? Words: iN signless, W8 W16 W32 W64 any sign, F = f16 f32, 4T = W16 W32 F,
 * f16 bf16 f32 fp8, U32 = signless or unsigned i32, SUP = f16 f32 and signless or unsigned i16 i32, u8 = ui8,
 * int = any integer, any. */
bool pto_compat_in(const pto_type *type, const char *list);
bool pto_compat_refuse(const pto_compat *c, const char *rule, int position, const char *allowed,
                       const char *found_format, ...) __attribute__((format(printf, 5, 6)));

bool pto_compat_is_tile(const pto_compat *c, int position); /* TILE */
bool pto_compat_types(const pto_compat *c, int position, const char *list);
bool pto_compat_space(const pto_compat *c, int position, pto_loc loc); /* SPACE */
bool pto_compat_row_major(const pto_compat *c, int position);
bool pto_compat_vec(const pto_compat *c, int position);    /* VEC */
bool pto_compat_vstore(const pto_compat *c, int position); /* VSTORE */
bool pto_compat_nd(const pto_compat *c, int position);     /* ND */
bool pto_compat_acc(const pto_compat *c, int position);    /* ACC */
bool pto_compat_nz(const pto_compat *c, int position);     /* NZ */
bool pto_compat_layout(const pto_compat *c, int position, pto_blayout b, pto_slayout s);
bool pto_compat_elem(const pto_compat *c, int a, int b); /* ELEM */
enum { PTO_COMPAT_ROWS = 1, PTO_COMPAT_COLS = 2, PTO_COMPAT_BOTH = 3 };
bool pto_compat_valid(const pto_compat *c, int a, int b, int dims); /* VALID, VALIDr, VALIDc */
bool pto_compat_shape(const pto_compat *c, int a, int b);           /* SHAPE */
bool pto_compat_nonempty(const pto_compat *c, int position, int dims);
/* A valid extent that must have one value; dynamic ones pass. */
bool pto_compat_extent(const pto_compat *c, int position, int dim, int64_t wanted);
bool pto_compat_fractal(const pto_compat *c, int position, int fractal);
bool pto_compat_same_bits(const pto_compat *c, int a, int b);
/* Constant value of a scalar operand. */
bool pto_compat_constant(const pto_compat *c, int position, int64_t *value);

/* ---- the checks by family ---- */
#define PTO_COMPAT_CHECK(name) bool pto_compat_##name(const pto_compat *c)
PTO_COMPAT_CHECK(none);
/* compat_elementwise.c: 3.10.3 */
PTO_COMPAT_CHECK(r2);
PTO_COMPAT_CHECK(trem);
PTO_COMPAT_CHECK(trems);
PTO_COMPAT_CHECK(tfmods);
PTO_COMPAT_CHECK(equal_shapes);
PTO_COMPAT_CHECK(equal_ranks);
PTO_COMPAT_CHECK(scalar_rc);   /* SCAL(r, c) */
PTO_COMPAT_CHECK(scalar_a_rc); /* A SCAL(r, c), B SCAL(c) */
PTO_COMPAT_CHECK(tdivs);
PTO_COMPAT_CHECK(taxpy);
PTO_COMPAT_CHECK(txor);
PTO_COMPAT_CHECK(bit_scalar);
PTO_COMPAT_CHECK(shift);
PTO_COMPAT_CHECK(tshls);
PTO_COMPAT_CHECK(tshrs);
PTO_COMPAT_CHECK(unary);
PTO_COMPAT_CHECK(trecip);
PTO_COMPAT_CHECK(trsqrt);
PTO_COMPAT_CHECK(tneg);
PTO_COMPAT_CHECK(tlrelu);
PTO_COMPAT_CHECK(tprelu);
PTO_COMPAT_CHECK(tpart);
PTO_COMPAT_CHECK(tpart_extreme);
PTO_COMPAT_CHECK(tconcat);
PTO_COMPAT_CHECK(tcvt);
PTO_COMPAT_CHECK(tcmp);
PTO_COMPAT_CHECK(tcmps);
PTO_COMPAT_CHECK(tsel);
PTO_COMPAT_CHECK(tsels);
PTO_COMPAT_CHECK(texpands);
PTO_COMPAT_CHECK(tci);
PTO_COMPAT_CHECK(ttri);
PTO_COMPAT_CHECK(trandom);
PTO_COMPAT_CHECK(tpack);
/* compat_axis.c: 3.10.4 */
PTO_COMPAT_CHECK(row_reduce);
PTO_COMPAT_CHECK(row_reduce_tmp);
PTO_COMPAT_CHECK(row_arg);
PTO_COMPAT_CHECK(col_extreme);
PTO_COMPAT_CHECK(tcolsum);
PTO_COMPAT_CHECK(tcolprod);
PTO_COMPAT_CHECK(col_arg);
PTO_COMPAT_CHECK(tcolexpand);
PTO_COMPAT_CHECK(col_expand_op);
PTO_COMPAT_CHECK(trowexpand);
PTO_COMPAT_CHECK(row_expand_free);
PTO_COMPAT_CHECK(trowexpandadd);
PTO_COMPAT_CHECK(row_expand_either);
PTO_COMPAT_CHECK(tfillpad);
PTO_COMPAT_CHECK(tfillpad_expand);
PTO_COMPAT_CHECK(ttrans);
PTO_COMPAT_CHECK(tgather);
PTO_COMPAT_CHECK(tgatherb);
PTO_COMPAT_CHECK(tscatter);
PTO_COMPAT_CHECK(tsort32);
PTO_COMPAT_CHECK(tmrgsort);
PTO_COMPAT_CHECK(tquant);
PTO_COMPAT_CHECK(tdequant);
PTO_COMPAT_CHECK(thistogram);
PTO_COMPAT_CHECK(tget_scale_addr);
/* compat_move.c: 3.10.2, 3.10.5 */
PTO_COMPAT_CHECK(tload);
PTO_COMPAT_CHECK(tprefetch);
PTO_COMPAT_CHECK(tstore);
PTO_COMPAT_CHECK(tstore_fp);
PTO_COMPAT_CHECK(tmov);
PTO_COMPAT_CHECK(tmov_fp);
PTO_COMPAT_CHECK(textract);
PTO_COMPAT_CHECK(tinsert);
PTO_COMPAT_CHECK(window_fp);
PTO_COMPAT_CHECK(mgather);
PTO_COMPAT_CHECK(mscatter);
PTO_COMPAT_CHECK(tprint);
PTO_COMPAT_CHECK(treshape);
PTO_COMPAT_CHECK(tmatmul);
PTO_COMPAT_CHECK(tmatmul_acc);
PTO_COMPAT_CHECK(tmatmul_bias);
PTO_COMPAT_CHECK(tgemv);
PTO_COMPAT_CHECK(tgemv_acc);
PTO_COMPAT_CHECK(tgemv_bias);
PTO_COMPAT_CHECK(tmatmul_mx);
PTO_COMPAT_CHECK(tmatmul_mx_acc);
PTO_COMPAT_CHECK(tmatmul_mx_bias);
PTO_COMPAT_CHECK(tgemv_mx);
PTO_COMPAT_CHECK(tgemv_mx_acc);
PTO_COMPAT_CHECK(tgemv_mx_bias);

#endif
