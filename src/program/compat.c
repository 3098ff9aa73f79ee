/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler's table (60, 3.10): one row for each instruction that its dialect has. */
#include "program/compat.h"

#include <stdlib.h>
#include <string.h>

#define ROW(name, check, a, b)                                                                               \
    { "pto." name, pto_compat_##check, a, b }
#define BOTH(name, check, types) ROW(name, check, types, types)
#define FREE(name, check) ROW(name, check, "any", "any")

/* In the order of the sections; found by a linear search once per operation of a compatibility run. */
static const pto_compat_row rows[] = {
    /* 3.10.2 */
    FREE("tload", tload),
    FREE("tprefetch", tprefetch),
    FREE("tstore", tstore),
    FREE("tstore_fp", tstore_fp),
    FREE("tmov", tmov),
    FREE("tmov.fp", tmov_fp),
    FREE("textract", textract),
    FREE("tinsert", tinsert),
    FREE("textract_fp", window_fp),
    FREE("tinsert_fp", window_fp),
    ROW("mgather", mgather, NULL, "any"),
    ROW("mscatter", mscatter, NULL, "any"),
    FREE("tprint", tprint),
    FREE("treshape", treshape),
    /* 3.10.3 */
    ROW("tadd", r2, "4T", "4T W8 bf16"),
    ROW("tsub", r2, "4T", "4T W8"),
    ROW("tmax", r2, "4T", "4T W8"),
    ROW("tmin", r2, "4T", "4T W8"),
    BOTH("tmul", r2, "4T"),
    BOTH("tfmod", r2, "4T"),
    ROW("tdiv", r2, "F", "4T"),
    ROW("trem", trem, "W32 f32", "4T"),
    ROW("trems", trems, "W32 f32", "4T"),
    BOTH("tfmods", tfmods, "4T"),
    FREE("taddc", equal_shapes),
    FREE("taddsc", equal_shapes),
    FREE("tsubc", equal_ranks),
    FREE("tsubsc", equal_ranks),
    ROW("tadds", scalar_a_rc, "4T", "4T W8 bf16"),
    ROW("tsubs", scalar_a_rc, "4T", "4T W8 bf16"),
    ROW("tmuls", scalar_a_rc, "4T", "4T W8 bf16"),
    ROW("tmaxs", scalar_rc, "4T", "4T W8"),
    ROW("tmins", scalar_a_rc, "4T", "4T W8 bf16"),
    ROW("tdivs", tdivs, "4T", "4T W8"),
    ROW("taxpy", taxpy, "F", "F bf16"),
    ROW("tand", r2, "W8 W16", "W8 W16 W32"),
    ROW("tor", r2, "W8 W16", "W8 W16 W32"),
    ROW("txor", txor, "W8 W16", "W8 W16 W32"),
    ROW("tands", bit_scalar, "W8 W16", "W8 W16 W32"),
    ROW("tors", bit_scalar, "W8 W16", "W8 W16 W32"),
    ROW("txors", bit_scalar, "W8 W16", "W8 W16 W32"),
    BOTH("tshl", shift, "W8 W16 W32"),
    BOTH("tshr", shift, "W8 W16 W32"),
    BOTH("tshls", tshls, "int"),
    ROW("tshrs", tshrs, "W16 W32", "W8 W16 W32"),
    BOTH("tabs", unary, "F"),
    BOTH("texp", unary, "F"),
    BOTH("tlog", unary, "F"),
    BOTH("tsqrt", unary, "F"),
    BOTH("trecip", trecip, "F"),
    BOTH("trsqrt", trsqrt, "F"),
    BOTH("trelu", unary, "W32 F"),
    ROW("tneg", tneg, "4T", "4T W8 bf16"),
    ROW("tnot", unary, "W16", "W8 W16 W32"),
    BOTH("tlrelu", tlrelu, "F"),
    BOTH("tprelu", tprelu, "F"),
    ROW("tpartadd", tpart, "4T", "4T W8 bf16"),
    ROW("tpartmul", tpart, "4T", "4T W8 bf16"),
    ROW("tpartmax", tpart_extreme, "4T", "4T W8 bf16"),
    ROW("tpartmin", tpart_extreme, "4T", "4T W8 bf16"),
    BOTH("tconcat", tconcat, "i8 i16 i32 F bf16"),
    FREE("tcvt", tcvt),
    ROW("tcmp", tcmp, "W32 F", "4T W8 bf16"),
    ROW("tcmps", tcmps, "4T", "4T W8"),
    ROW("tsel", tsel, "4T", "4T W8"),
    ROW("tsels", tsels, "i16 i32 F", "i8 i16 i32 F"),
    ROW("texpands", texpands, "4T", "4T W8"),
    BOTH("tci", tci, "W16 W32"),
    ROW("ttri", ttri, "SUP", "SUP bf16 U8"),
    ROW("trandom", trandom, NULL, "W32"),
    ROW("tpack", tpack, NULL, "any"),
    /* 3.10.4 */
    BOTH("trowmax", row_reduce, "4T"),
    BOTH("trowsum", row_reduce, "4T"),
    BOTH("trowmin", row_reduce_tmp, "4T"),
    BOTH("trowprod", row_reduce_tmp, "4T"),
    BOTH("trowargmax", row_arg, "4T"),
    BOTH("trowargmin", row_arg, "4T"),
    ROW("tcolmax", col_extreme, "4T", "4T bf16 W8"),
    ROW("tcolmin", col_extreme, "4T", "4T bf16 W8"),
    ROW("tcolsum", tcolsum, "4T", "4T bf16 W8"),
    ROW("tcolprod", tcolprod, "4T", "4T bf16"),
    BOTH("tcolargmax", col_arg, "F"),
    BOTH("tcolargmin", col_arg, "F"),
    BOTH("tcolexpand", tcolexpand, "SUP bf16 U8"),
    ROW("tcolexpandadd", col_expand_op, "4T", "4T W8"),
    ROW("tcolexpandsub", col_expand_op, "4T", "4T W8"),
    ROW("tcolexpandmul", col_expand_op, "4T", "4T W8"),
    ROW("tcolexpandmax", col_expand_op, "4T", "4T W8"),
    ROW("tcolexpandmin", col_expand_op, "4T", "4T W8"),
    BOTH("tcolexpanddiv", col_expand_op, "F"),
    BOTH("tcolexpandexpdif", col_expand_op, "F"),
    BOTH("trowexpand", trowexpand, "SUP bf16 U8"),
    ROW("trowexpandmul", row_expand_free, "4T", "4T W8"),
    ROW("trowexpandsub", row_expand_free, "4T", "4T W8"),
    BOTH("trowexpanddiv", row_expand_free, "F"),
    ROW("trowexpandadd", trowexpandadd, "4T", "4T W8"),
    ROW("trowexpandmax", row_expand_either, "4T", "4T W8"),
    ROW("trowexpandmin", row_expand_either, "4T", "4T W8"),
    BOTH("trowexpandexpdif", row_expand_either, "F"),
    FREE("tfillpad", tfillpad),
    FREE("tfillpad_inplace", tfillpad),
    FREE("tfillpad_expand", tfillpad_expand),
    BOTH("ttrans", ttrans, "W32 f32 W16 f16 bf16 W8"),
    ROW("tgather", tgather, "4T", "4T W8"),
    FREE("tgatherb", tgatherb),
    BOTH("tscatter", tscatter, "W8 W16 W32 f16 bf16 f32"),
    BOTH("tsort32", tsort32, "F"),
    BOTH("tmrgsort", tmrgsort, "F"),
    FREE("tquant", tquant),
    FREE("tdequant", tdequant),
    ROW("thistogram", thistogram, NULL, "any"),
    ROW("tget_scale_addr", tget_scale_addr, NULL, "any"),
    /* 3.10.5 */
    FREE("tmatmul", tmatmul),
    FREE("tmatmul.acc", tmatmul_acc),
    FREE("tmatmul.bias", tmatmul_bias),
    FREE("tgemv", tgemv),
    FREE("tgemv.acc", tgemv_acc),
    FREE("tgemv.bias", tgemv_bias),
    FREE("tmatmul.mx", tmatmul_mx),
    FREE("tmatmul.mx.acc", tmatmul_mx_acc),
    FREE("tmatmul.mx.bias", tmatmul_mx_bias),
    ROW("tgemv.mx", tgemv_mx, NULL, "any"),
    ROW("tgemv.mx.acc", tgemv_mx_acc, NULL, "any"),
    ROW("tgemv.mx.bias", tgemv_mx_bias, NULL, "any"),
};

void pto_compat_verify(pto_verifier *v, const pto_operation *op) {
    const pto_text_pattern *text = &pto_form_get(op->form)->text[PTO_TEXT_LEVEL2];
    if (!text->opcode)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].opcode, text->opcode) != 0)
            continue;
        bool a5 = v->target == PTO_TARGET_A5;
        pto_compat c = {.v = v, .op = op, .a5 = a5, .types = a5 ? rows[i].b : rows[i].a};
        memset(c.in, -1, sizeof c.in);
        memset(c.out, -1, sizeof c.out);
        for (uint8_t k = 0; k < PTO_MAX_OPERANDS && text->operand[k] >= 0; k++) {
            if (!pto_instr_value(op, text->operand[k]))
                continue;
            c.in[k] = text->operand[k];
            c.in_count = (uint8_t)(k + 1);
        }
        for (int k = 0; k < 4 && text->result[k] >= 0; k++)
            c.out[c.out_count++] = text->result[k];
        if (!c.types)
            pto_compat_refuse(&c, "PTO-E1006", -1, "a5", "%s", a5 ? "a5" : "a3");
        else
            rows[i].check(&c);
        return;
    }
}
