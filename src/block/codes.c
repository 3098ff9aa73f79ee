/* SPDX-License-Identifier: Apache-2.0 */
/* The code tables of fields (70, 2.1 and 5.1) and the table of operations. */
#include "block/encoding.h"
#include <pto/ops.h>

#include <string.h>

/* ---- names ---- */

typedef struct code_name {
    const char *name;
    int code;
} code_name;

/* The first name of a code is the one that is printed. */
static const code_name type_names[] = {{"FP64", BT_FP64},
                                       {"FP32", BT_FP32},
                                       {"TF32", BT_TF32},
                                       {"HF32", BT_HF32},
                                       {"FP16", BT_FP16},
                                       {"BF16", BT_BF16},
                                       {"HiF8", BT_HIF8},
                                       {"E4M3", BT_E4M3},
                                       {"E5M2", BT_E5M2},
                                       {"E3M2", BT_E3M2},
                                       {"E2M3", BT_E2M3},
                                       {"E2M1x2", BT_E2M1},
                                       {"E1M2x2", BT_E1M2},
                                       {"E8M0", BT_E8M0},
                                       {"HiF4x2", BT_HIF4},
                                       {"S64", BT_S64},
                                       {"S32", BT_S32},
                                       {"S16", BT_S16},
                                       {"S8", BT_S8},
                                       {"S4x2", BT_S4},
                                       {"U64", BT_U64},
                                       {"U32", BT_U32},
                                       {"U16", BT_U16},
                                       {"U8", BT_U8},
                                       {"U4x2", BT_U4},
                                       {"fp8", BT_E4M3},
                                       {"int64", BT_S64},
                                       {"int32", BT_S32},
                                       {"int16", BT_S16},
                                       {"int8", BT_S8},
                                       {"uint64", BT_U64},
                                       {"uint32", BT_U32},
                                       {"uint16", BT_U16},
                                       {"uint8", BT_U8},
                                       {"none", PTO_BLOCK_TYPE_NONE}};
static const code_name pad_names[] = {{"Zero", 0},  {"Max", 1},   {"Min", 2},   {"Null", 3},
                                      {"Byte0", 0}, {"Byte1", 1}, {"Byte2", 2}, {"Byte3", 3}};
static const code_name cmode_names[] = {{"EQ", 0}, {"NE", 1}, {"LT", 2}, {"GT", 3}, {"LE", 4}, {"GE", 5}};
static const code_name rmode_names[] = {{"NONE", 0}, {"RNE", 1}, {"RTZ", 2}, {"RDN", 3}, {"RUP", 4},
                                        {"RNA", 5},  {"RTO", 6}, {"RHB", 7}, {"RTM", 3}, {"RTP", 4}};
static const code_name gpr_names[] = {{"zero", 0}, {"sp", 1},  {"a0", 2},  {"a1", 3},  {"a2", 4},
                                      {"a3", 5},   {"a4", 6},  {"a5", 7},  {"a6", 8},  {"a7", 9},
                                      {"ra", 10},  {"s0", 11}, {"s1", 12}, {"s2", 13}, {"s3", 14},
                                      {"s4", 15},  {"s5", 16}, {"s6", 17}, {"s7", 18}, {"s8", 19},
                                      {"x0", 20},  {"x1", 21}, {"x2", 22}, {"x3", 23}, {"fp", 11}};
const char *const pto_block_tile_layout_name[6] = {"ND", "DN", "ZZ", "ZN", "NZ", "NN"};
static const char *const layout_names[32] = {
    "NORM",  "ND2DN", "ND2ZZ", "ND2ZN", "ND2NZ", "ND2NN", "DN2ND", "DN2ZZ", "DN2ZN", "DN2NZ", "DN2NN",
    "ZZ2ND", "ZZ2DN", "ZZ2ZN", "ZZ2NZ", "ZZ2NN", NULL,    "ZN2ND", "ZN2DN", "ZN2ZZ", "ZN2NZ", "ZN2NN",
    "NN2ND", "NN2DN", "NN2ZZ", "NN2ZN", "NN2NZ", "NZ2ND", "NZ2DN", "NZ2ZZ", "NZ2ZN", "NZ2NN"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int find(const code_name *names, size_t count, pto_str name) {
    for (size_t i = 0; i < count; i++)
        if (pto_str_equal_ignore_case(name, pto_str_from(names[i].name)))
            return names[i].code;
    return -1;
}

static const char *name_of(const code_name *names, size_t count, unsigned code) {
    for (size_t i = 0; i < count; i++)
        if (names[i].code == (int)code)
            return names[i].name;
    return NULL;
}

const char *pto_block_type_name(unsigned code) { return name_of(type_names, COUNT(type_names), code); }
const char *pto_block_pad_name(unsigned code) { return name_of(pad_names, COUNT(pad_names), code); }
const char *pto_block_cmode_name(unsigned code) { return name_of(cmode_names, COUNT(cmode_names), code); }
const char *pto_block_rmode_name(unsigned code) { return name_of(rmode_names, COUNT(rmode_names), code); }
const char *pto_block_layout_name(unsigned code) { return code < 32 ? layout_names[code] : NULL; }
const char *pto_block_gpr_name(unsigned code) { return name_of(gpr_names, COUNT(gpr_names), code); }

int pto_block_type_find(pto_str name) {
    int64_t code;
    if (pto_str_parse_i64(name, &code) == PTO_PARSE_OK)
        return code >= 0 && code < 32 && pto_block_type_bits((unsigned)code) ? (int)code : -1;
    return find(type_names, COUNT(type_names), name);
}
int pto_block_pad_find(pto_str name) { return find(pad_names, COUNT(pad_names), name); }
int pto_block_cmode_find(pto_str name) { return find(cmode_names, COUNT(cmode_names), name); }
int pto_block_rmode_find(pto_str name) { return find(rmode_names, COUNT(rmode_names), name); }
int pto_block_layout_find(pto_str name) {
    for (int i = 0; i < 32; i++)
        if (layout_names[i] && pto_str_equal_ignore_case(name, pto_str_from(layout_names[i])))
            return i;
    return -1;
}
int pto_block_gpr_find(pto_str name) {
    const int code = find(gpr_names, COUNT(gpr_names), name);
    if (code >= 0 || name.len < 2 || name.len > 3 || (name.data[0] | 32) != 'r')
        return code;
    int number = 0;
    for (size_t i = 1; i < name.len; i++) {
        if (name.data[i] < '0' || name.data[i] > '9')
            return -1;
        number = number * 10 + name.data[i] - '0';
    }
    return number < 24 && !(name.len == 3 && name.data[1] == '0') ? number : -1;
}

bool pto_block_layout_ends(unsigned code, unsigned *from, unsigned *to) {
    const char *name = pto_block_layout_name(code);
    if (!name || !code)
        return false;
    for (unsigned i = 0; i < 6; i++) {
        if (!strncmp(name, pto_block_tile_layout_name[i], 2))
            *from = i;
        if (!strcmp(name + 3, pto_block_tile_layout_name[i]))
            *to = i;
    }
    return true;
}

unsigned pto_block_type_bits(unsigned code) {
    static const uint8_t bits[32] = {64, 32, 32, 32, 16, 16, 8, 8, 8,  8,  8,  4, 4, 8, 4, 0,
                                     64, 32, 16, 8,  4,  0,  0, 0, 64, 32, 16, 8, 4, 0, 0, 0};
    return code < 32 ? bits[code] : 0;
}
bool pto_block_type_is_float(unsigned code) { return code <= BT_HIF4; }
bool pto_block_type_is_signed(unsigned code) { return code >= BT_S64 && code <= BT_S4; }

/* ---- operations ---- */

#define BIT(code) (UINT32_C(1) << (code))
#define I8                                                                                                   \
    (BIT(BT_S64) | BIT(BT_S32) | BIT(BT_S16) | BIT(BT_S8) | BIT(BT_U64) | BIT(BT_U32) | BIT(BT_U16) |        \
     BIT(BT_U8))
#define F8                                                                                                   \
    (BIT(BT_FP64) | BIT(BT_FP32) | BIT(BT_TF32) | BIT(BT_HF32) | BIT(BT_FP16) | BIT(BT_BF16) |               \
     BIT(BT_E4M3) | BIT(BT_E5M2))
#define N16 (I8 | F8)
#define N16_WIDE (N16 & ~(BIT(BT_S8) | BIT(BT_U8) | BIT(BT_E4M3) | BIT(BT_E5M2)))
#define A7                                                                                                   \
    (BIT(BT_S32) | BIT(BT_U32) | BIT(BT_FP32) | BIT(BT_S16) | BIT(BT_U16) | BIT(BT_FP16) | BIT(BT_BF16))
#define A9 (A7 | BIT(BT_S8) | BIT(BT_U8))
#define ALL UINT32_C(0x1f1f7fff)
#define NARROW (BIT(BT_E2M1) | BIT(BT_E1M2) | BIT(BT_HIF4) | BIT(BT_S4) | BIT(BT_U4))
#define BYTES (ALL & ~NARROW)
#define CI (BIT(BT_S32) | BIT(BT_S16) | BIT(BT_U32) | BIT(BT_U16))
#define TRI (CI | BIT(BT_FP32) | BIT(BT_FP16))
#define HIST (BIT(BT_U16) | BIT(BT_U32))
#define F32_ONLY BIT(BT_FP32)
#define B8_INT (BIT(BT_S8) | BIT(BT_U8))
#define F32_F16 (BIT(BT_FP32) | BIT(BT_FP16))
#define CUBE_IN (ALL & ~(BIT(BT_FP64) | BIT(BT_S64) | BIT(BT_U64)))
#define CUBE_FLOAT (CUBE_IN & ~(I8 | BIT(BT_S4) | BIT(BT_U4)))
#define ACC (BIT(BT_FP32) | BIT(BT_S32) | BIT(BT_U32))

static const pto_block_op ops[] = {
#define OP(id, name, engine, selector, geometry, tiles, results, least, most, attributes, types, form,       \
           operands)                                                                                         \
    {name, ENGINE_##engine,       selector, GEOMETRY_##geometry, tiles,   results, least,                    \
     most, (uint8_t)(attributes), types,    PTO_FORM_##form,     operands},
#include "block/ops.def"
#undef OP
};
_Static_assert(COUNT(ops) == PTO_BLOCK_OP_COUNT, "one row for each of the 106 + 9 + 13 operations");

const pto_block_op *pto_block_op_get(size_t index) { return index < COUNT(ops) ? &ops[index] : NULL; }

const pto_block_op *pto_block_op_select(pto_block_engine engine, unsigned selector) {
    for (size_t i = 0; i < COUNT(ops); i++)
        if (ops[i].engine == engine && ops[i].selector == selector)
            return &ops[i];
    return NULL;
}

const pto_block_op *pto_block_op_named(pto_str name) {
    for (size_t i = 0; i < COUNT(ops); i++)
        if (pto_str_equal_ignore_case(name, pto_str_from(ops[i].name)))
            return &ops[i];
    return NULL;
}
