/* SPDX-License-Identifier: Apache-2.0 */
/* The enums of attributes with their ABI numbers (60, 3.5). */
#include "program/program.h"

#include <string.h>

#define ENUM(name, dialect, values)                                                                          \
    { name, dialect, values, sizeof(values) / sizeof *(values) }

static const pto_enum_value address_space[] = {{"zero", 0}, {"gm", 1},    {"mat", 2},
                                               {"left", 3}, {"right", 4}, {"acc", 5},
                                               {"vec", 6},  {"bias", 7},  {"scaling", 8}};
static const pto_enum_value pipe[] = {{"PIPE_S", 0},
                                      {"PIPE_V", 1},
                                      {"PIPE_M", 2},
                                      {"PIPE_MTE1", 3},
                                      {"PIPE_MTE2", 4},
                                      {"PIPE_MTE3", 5},
                                      {"PIPE_ALL", 6},
                                      {"PIPE_MTE4", 7},
                                      {"PIPE_MTE5", 8},
                                      {"PIPE_V2", 9},
                                      {"PIPE_FIX", 10},
                                      {"VIRTUAL_PIPE_MTE2_L1A", 11},
                                      {"VIRTUAL_PIPE_MTE2_L1B", 12},
                                      {"PIPE_NUM", 13},
                                      {"PIPE_UNASSIGNED", 99}};
static const pto_enum_value event[] = {{"EVENT_ID0", 0}, {"EVENT_ID1", 1}, {"EVENT_ID2", 2},
                                       {"EVENT_ID3", 3}, {"EVENT_ID4", 4}, {"EVENT_ID5", 5},
                                       {"EVENT_ID6", 6}, {"EVENT_ID7", 7}};
static const pto_enum_value endpoint[] = {{"TLOAD", 0},    {"TSTORE_ACC", 1},     {"TSTORE_VEC", 2},
                                          {"TMOV_M2L", 3}, {"TMOV_M2S", 4},       {"TMOV_M2B", 5},
                                          {"TMOV_M2V", 6}, {"TMOV_V2M", 7},       {"TMATMUL", 8},
                                          {"TVEC", 9},     {"TVECWAIT_EVENT", 10}};
/* nd, dn, nz; the MX and convolution layouts are ours (00-model, 16.2). */
static const pto_enum_value layout[] = {
    {"nd", 0},        {"dn", 1},      {"nz", 2},         {"mx_a_nd", 4},      {"mx_a_dn", 5}, {"mx_a_zz", 6},
    {"mx_b_nd", 7},   {"mx_b_dn", 8}, {"mx_b_nn", 9},    {"nc1hwc0", 12},     {"nchw", 14},   {"nhwc", 16},
    {"ndc1hwc0", 17}, {"ncdhw", 18},  {"fractal_z", 19}, {"fractal_z_3d", 21}};
static const pto_enum_value kernel_kind[] = {{"cube", 0}, {"vector", 1}};
static const pto_enum_value core_type[] = {{"AIC", 1}, {"AIV", 2}, {"MIX", 3}, {"AIC_OR_AIV", 4}};
static const pto_enum_value padmode[] = {{"PadNull", 0}, {"PadFirstElem", 1}, {"PadValue", 2}};
static const pto_enum_value acc_to_vec_mode[] = {
    {"single_mode_vec0", 0}, {"single_mode_vec1", 1}, {"dual_mode_split_m", 2}, {"dual_mode_split_n", 3}};
static const pto_enum_value mask_pattern[] = {{"P0101", 1}, {"P1010", 2}, {"P0001", 3}, {"P0010", 4},
                                              {"P0100", 5}, {"P1000", 6}, {"P1111", 7}};
static const pto_enum_value blayout[] = {{"row_major", 0}, {"col_major", 1}};
static const pto_enum_value slayout[] = {{"none_box", 0}, {"row_major", 1}, {"col_major", 2}};
static const pto_enum_value pad_value[] = {{"null", 0}, {"zero", 1}, {"max", 2}, {"min", 3}};
static const pto_enum_value compact_mode[] = {{"null", 0}, {"normal", 1}, {"row_plus_one", 2}};
static const pto_enum_value cmp[] = {{"eq", 0}, {"ne", 1}, {"lt", 2}, {"le", 3}, {"gt", 4}, {"ge", 5}};
static const pto_enum_value round_mode[] = {{"NONE", 0}, {"RINT", 1},  {"ROUND", 2}, {"FLOOR", 3},
                                            {"CEIL", 4}, {"TRUNC", 5}, {"ODD", 6},   {"CAST_RINT", 7}};
static const pto_enum_value saturation_mode[] = {{"ON", 0}, {"OFF", 1}};
static const pto_enum_value st_phase[] = {{"unspecified", 0}, {"partial", 2}, {"final", 3}};
static const pto_enum_value atomic_type[] = {{"atomic_none", 0}, {"atomic_add", 1}};
static const pto_enum_value relu_pre_mode[] = {{"no_relu", 0}, {"normal_relu", 1}};
static const pto_enum_value gather_oob[] = {{"undefined", 0}, {"clamp", 1}, {"wrap", 2}, {"zero", 3}};
static const pto_enum_value scatter_atomic_op[] = {{"none", 0}, {"add", 1}, {"max", 2}, {"min", 3}};
static const pto_enum_value scatter_oob[] = {{"undefined", 0}, {"skip", 1}, {"clamp", 2}, {"wrap", 3}};
/* PTOAS numbers its two quant types from 0; the MX ones are ours. pto_attr_isa_value has the library's. */
static const pto_enum_value quant_type[] = {
    {"INT8_SYM", 0}, {"INT8_ASYM", 1}, {"MXFP8", 2}, {"MXFP4_E2M1", 3}};
/* Ours: 10, 1.7 and 40, 6. */
static const pto_enum_value precision[] = {{"default", 0}, {"high", 1}};
static const pto_enum_value print_format[] = {
    {"Width8_Precision4", 0}, {"Width8_Precision2", 1}, {"Width10_Precision6", 2}};

/* Ours: 40, 2.2 to 2.4. */
static const pto_enum_value mx_quant_alg[] = {
    {"OcpMxFp8E4M3", 0}, {"NvMxFp8E4M3", 1}, {"OcpMxFp4E2M1", 2}, {"NvMxFp4E2M1", 3}, {"Hif4", 4}};
static const pto_enum_value group_axis[] = {{"dn", 0}, {"nd", 1}};
static const pto_enum_value vec_store_mode[] = {{"nd", 0}, {"nz", 1}};
/* Ours: 40, 4.3; 30, MGATHER and MSCATTER. */
static const pto_enum_value select_axis[] = {{"row", 0}, {"col", 1}};
static const pto_enum_value coalesce[] = {{"row", 0}, {"elem", 1}};
static const pto_enum_value scatter_conflict[] = {{"last", 0}, {"default", 1}};
static const pto_enum_value insert_mode[] = {{"split2", 2}, {"split4", 3}};
static const pto_enum_value fmatrix[] = {{"a_auto", 0}, {"b_auto", 1}, {"a_manual", 2}, {"b_manual", 3}};

/* Ours: 60, 3.9.7 and 50, 9. */
static const pto_enum_value sync_core[] = {{"aiv", 0}, {"aic", 1}, {"mix", 2}};
static const pto_enum_value sync_mode[] = {{"hard", 0}, {"soft", 1}};
static const pto_enum_value notify_op[] = {{"set", 0}, {"atomic_add", 1}};
static const pto_enum_value reduce_op[] = {{"sum", 0}, {"max", 1}, {"min", 2}};

static const pto_enum_desc enums[] = {
    ENUM("address_space", false, address_space),
    ENUM("pipe", false, pipe),
    ENUM("event", false, event),
    ENUM("pipe_event_type", false, endpoint),
    ENUM("sync_op_type", false, endpoint),
    ENUM("layout", false, layout),
    ENUM("kernel_kind", false, kernel_kind),
    ENUM("func_core_type", false, core_type),
    ENUM("module_core_type", false, core_type),
    ENUM("padmode", false, padmode),
    ENUM("acc_to_vec_mode", false, acc_to_vec_mode),
    ENUM("mask_pattern", false, mask_pattern),
    ENUM("blayout", false, blayout),
    ENUM("slayout", false, slayout),
    ENUM("pad_value", false, pad_value),
    ENUM("compact_mode", false, compact_mode),
    ENUM("cmp", true, cmp),
    ENUM("round_mode", true, round_mode),
    ENUM("saturation_mode", true, saturation_mode),
    ENUM("st_phase", true, st_phase),
    ENUM("atomic_type", true, atomic_type),
    ENUM("relu_pre_mode", true, relu_pre_mode),
    ENUM("gather_oob", true, gather_oob),
    ENUM("scatter_atomic_op", true, scatter_atomic_op),
    ENUM("scatter_oob", true, scatter_oob),
    ENUM("quant_type", true, quant_type),
    ENUM("precision", true, precision),
    ENUM("print_format", true, print_format),
    ENUM("select_axis", true, select_axis),
    ENUM("coalesce", true, coalesce),
    ENUM("scatter_conflict", true, scatter_conflict),
    ENUM("insert_mode", true, insert_mode),
    ENUM("fmatrix", true, fmatrix),
    ENUM("mx_quant_alg", true, mx_quant_alg),
    ENUM("group_axis", true, group_axis),
    ENUM("vec_store_mode", true, vec_store_mode),
    ENUM("sync_core", true, sync_core),
    ENUM("sync_mode", true, sync_mode),
    ENUM("notify_op", true, notify_op),
    ENUM("reduce_op", true, reduce_op),
};

size_t pto_enum_count(void) { return sizeof enums / sizeof *enums; }
const pto_enum_desc *pto_enum_at(size_t index) { return index < pto_enum_count() ? &enums[index] : NULL; }

/* Most names differ in their first letter. */
static bool is_name(pto_str text, const char *name) {
    return text.len && (text.data[0] | 0x20) == (name[0] | 0x20) &&
           pto_str_equal_ignore_case(text, pto_str_from(name));
}

const pto_enum_desc *pto_enum_find(pto_str name) {
    if (pto_str_equal_ignore_case(name, PTO_STR("sat_mode")))
        name = PTO_STR("saturation_mode");
    for (size_t i = 0; i < pto_enum_count(); i++)
        if (is_name(name, enums[i].name))
            return &enums[i];
    return NULL;
}

const pto_enum_value *pto_enum_value_find(const pto_enum_desc *desc, pto_str value) {
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < desc->count; i++)
            if (is_name(value, desc->values[i].name))
                return &desc->values[i];
        /* PTO-AS writes every round mode with CAST_. */
        if (desc->values != round_mode || value.len < 5 ||
            !pto_str_equal_ignore_case(pto_str_slice(value, 0, 5), PTO_STR("CAST_")))
            return NULL;
        value = pto_str_slice(value, 5, value.len);
    }
    return NULL;
}

const pto_enum_desc *pto_enum_of_attr(pto_attr_kind kind) {
    switch (kind) {
    case PTO_ATTR_ROUND_MODE:
        return pto_enum_find(PTO_STR("round_mode"));
    case PTO_ATTR_SAT_MODE:
        return pto_enum_find(PTO_STR("saturation_mode"));
    case PTO_ATTR_CMP_MODE:
        return pto_enum_find(PTO_STR("cmp"));
    case PTO_ATTR_ST_PHASE:
        return pto_enum_find(PTO_STR("st_phase"));
    case PTO_ATTR_ATOMIC:
        return pto_enum_find(PTO_STR("atomic_type"));
    case PTO_ATTR_RELU:
        return pto_enum_find(PTO_STR("relu_pre_mode"));
    case PTO_ATTR_ACC_TO_VEC:
        return pto_enum_find(PTO_STR("acc_to_vec_mode"));
    case PTO_ATTR_PRECISION:
        return pto_enum_find(PTO_STR("precision"));
    case PTO_ATTR_PRINT_FORMAT:
        return pto_enum_find(PTO_STR("print_format"));
    case PTO_ATTR_MASK_PATTERN:
        return pto_enum_find(PTO_STR("mask_pattern"));
    case PTO_ATTR_SELECT_AXIS:
        return pto_enum_find(PTO_STR("select_axis"));
    case PTO_ATTR_COALESCE:
        return pto_enum_find(PTO_STR("coalesce"));
    case PTO_ATTR_GATHER_OOB:
        return pto_enum_find(PTO_STR("gather_oob"));
    case PTO_ATTR_SCATTER_OOB:
        return pto_enum_find(PTO_STR("scatter_oob"));
    case PTO_ATTR_SCATTER_ATOMIC:
        return pto_enum_find(PTO_STR("scatter_atomic_op"));
    case PTO_ATTR_SCATTER_CONFLICT:
        return pto_enum_find(PTO_STR("scatter_conflict"));
    case PTO_ATTR_QUANT_TYPE:
        return pto_enum_find(PTO_STR("quant_type"));
    case PTO_ATTR_MX_QUANT_ALG:
        return pto_enum_find(PTO_STR("mx_quant_alg"));
    case PTO_ATTR_GROUP_AXIS:
        return pto_enum_find(PTO_STR("group_axis"));
    case PTO_ATTR_VEC_STORE_MODE:
        return pto_enum_find(PTO_STR("vec_store_mode"));
    case PTO_ATTR_PAD_VALUE:
        return pto_enum_find(PTO_STR("pad_value"));
    case PTO_ATTR_INSERT_MODE:
        return pto_enum_find(PTO_STR("insert_mode"));
    case PTO_ATTR_FMATRIX:
        return pto_enum_find(PTO_STR("fmatrix"));
    case PTO_ATTR_DTYPE:
    case PTO_ATTR_NONE:
    case PTO_ATTR_BOOL:
    case PTO_ATTR_INT:
        break;
    }
    return NULL;
}

const pto_enum_desc *pto_enum_of_key(const pto_operation *op, pto_str key) {
    static const struct {
        pto_op_kind kind;
        const char *key, *name;
    } keys[] = {
        {PTO_OPK_MAKE_TENSOR_VIEW, "layout", "layout"},
        {PTO_OPK_FUNC, "pto.kernel_kind", "kernel_kind"},
        {PTO_OPK_MODULE, "pto.kernel_kind", "kernel_kind"},
        {PTO_OPK_SET_FLAG, "src_pipe", "pipe"},
        {PTO_OPK_SET_FLAG, "dst_pipe", "pipe"},
        {PTO_OPK_SET_FLAG, "event_id", "event"},
        {PTO_OPK_WAIT_FLAG, "src_pipe", "pipe"},
        {PTO_OPK_WAIT_FLAG, "dst_pipe", "pipe"},
        {PTO_OPK_WAIT_FLAG, "event_id", "event"},
        {PTO_OPK_BARRIER, "pipe", "pipe"},
        {PTO_OPK_RECORD_EVENT, "src_op", "pipe_event_type"},
        {PTO_OPK_RECORD_EVENT, "dst_op", "pipe_event_type"},
        {PTO_OPK_RECORD_EVENT, "event_id", "event"},
        {PTO_OPK_WAIT_EVENT, "src_op", "pipe_event_type"},
        {PTO_OPK_WAIT_EVENT, "dst_op", "pipe_event_type"},
        {PTO_OPK_WAIT_EVENT, "event_id", "event"},
        {PTO_OPK_BARRIER_SYNC, "op_type", "sync_op_type"},
        {PTO_OPK_SYNCALL, "core", "sync_core"},
        {PTO_OPK_SYNCALL, "mode", "sync_mode"},
        {PTO_OPK_TPUT, "atomicType", "atomic_type"},
        {PTO_OPK_TNOTIFY, "op", "notify_op"},
        {PTO_OPK_TWAIT, "cmp", "cmp"},
        {PTO_OPK_TTEST, "cmp", "cmp"},
        {PTO_OPK_TREDUCE, "op", "reduce_op"},
    };
    if (op->kind == PTO_OPK_INSTR) {
        const pto_form_desc *form = pto_form_get(op->form);
        for (int i = 0; i < form->operand_count; i++)
            if (form->operand[i].role == PTO_ROLE_ATTR &&
                pto_str_equal(key, pto_str_from(form->operand[i].attr_key)))
                return pto_enum_of_attr(form->operand[i].attr);
        return NULL;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].kind == op->kind && pto_str_equal(key, pto_str_from(keys[i].key)))
            return pto_enum_find(pto_str_from(keys[i].name));
    /* @key/enum in the syntax of the operation */
    for (const char *at = pto_op_kind_syntax(op->kind); at && (at = strchr(at, '@')) != NULL; at++) {
        size_t len = strcspn(at + 1, "/: ");
        if (at[1 + len] == '/' && pto_str_equal(key, (pto_str){at + 1, len}))
            return pto_enum_find((pto_str){at + len + 2, strcspn(at + len + 2, " ")});
    }
    return NULL;
}

bool pto_attr_isa_value(pto_attr_kind kind, const pto_attr *attr, int64_t *value) {
    if (kind == PTO_ATTR_BOOL) {
        *value = attr->kind == PTO_AV_UNIT ? 1 : attr->i;
        return attr->kind == PTO_AV_BOOL || attr->kind == PTO_AV_UNIT;
    }
    if (kind == PTO_ATTR_DTYPE) {
        *value = attr->kind == PTO_AV_TYPE ? (int64_t)pto_type_dtype(attr->type) : PTO_DTYPE_NONE;
        return *value != PTO_DTYPE_NONE;
    }
    if (kind == PTO_ATTR_INT) {
        *value = attr->i;
        return attr->kind == PTO_AV_INT;
    }
    const pto_enum_desc *desc = pto_enum_of_attr(kind);
    if (!desc || attr->kind != PTO_AV_ENUM || pto_enum_find(attr->enum_kind) != desc)
        return false;
    const pto_enum_value *found = pto_enum_value_find(desc, attr->text);
    if (!found)
        return false;
    /* Every enum has the numbers of pto/types.h, but the dialect names RINT twice and numbers quant types
     * otherwise. */
    static const int64_t quant_types[] = {PTO_QUANT_INT8_SYM, PTO_QUANT_INT8_ASYM, PTO_QUANT_MXFP8,
                                          PTO_QUANT_MXFP4_E2M1};
    *value = desc->values == round_mode && found->number == 7 ? PTO_CAST_RINT
             : desc->values == quant_type                     ? quant_types[found->number]
                                                              : found->number;
    return true;
}

pto_pipe pto_attr_pipe(const pto_attr *attr) {
    if (!attr || attr->kind != PTO_AV_ENUM)
        return PTO_PIPE_COUNT;
    const pto_enum_desc *desc = pto_enum_find(attr->enum_kind);
    const pto_enum_value *found = desc ? pto_enum_value_find(desc, attr->text) : NULL;
    if (!found)
        return PTO_PIPE_COUNT;
    if (desc->values == endpoint) {
        static const pto_pipe pipes[] = {PTO_PIPE_MTE2, PTO_PIPE_FIX,  PTO_PIPE_MTE3, PTO_PIPE_MTE1,
                                         PTO_PIPE_FIX,  PTO_PIPE_MTE1, PTO_PIPE_V,    PTO_PIPE_FIX,
                                         PTO_PIPE_M,    PTO_PIPE_V,    PTO_PIPE_V};
        return pipes[found->number];
    }
    if (desc->values == pipe)
        for (int i = 0; i < PTO_PIPE_COUNT; i++)
            if (!strcmp(pto_pipe_name((pto_pipe)i), found->name))
                return (pto_pipe)i;
    return PTO_PIPE_COUNT;
}
