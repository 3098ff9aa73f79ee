/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the block form: instruction forms, operations, the codes of their fields (70, 5 and 6). */
#ifndef PTO_BLOCK_ENCODING_H
#define PTO_BLOCK_ENCODING_H

#include "base/str.h"
#include <pto/block.h>

/* ---- instruction forms (forms.def) ---- */

typedef enum pto_block_form {
#define FORM(id, ...) BF_##id,
#include "block/forms.def"
#undef FORM
    PTO_BLOCK_FORM_COUNT
} pto_block_form;

enum { PTO_BLOCK_MAX_FIELDS = 7 };

/* Bits hi..lo, then hi2..lo2 below them when hi2 is not 0; times 2^scale. */
typedef struct pto_block_field_desc {
    uint8_t field;
    uint8_t hi, lo, hi2, lo2, scale;
    bool is_signed;
} pto_block_field_desc;

typedef struct pto_block_form_desc {
    const char *name, *operands;
    uint64_t mask, match;
    uint8_t bytes, field_count;
    pto_block_field_desc field[PTO_BLOCK_MAX_FIELDS];
} pto_block_form_desc;

const pto_block_form_desc *pto_block_form_get(size_t form);
const pto_block_field_desc *pto_block_field_of(const pto_block_form_desc *form, pto_block_field field);
/* Can the field hold the value, and is the code assigned? */
bool pto_block_field_legal(size_t form, const pto_block_field_desc *field, int64_t value);

static inline bool pto_block_is_tile_start(size_t form) {
    return form == BF_BSTART_TEPL || form == BF_BSTART_TMA || form == BF_BSTART_CUBE;
}
static inline bool pto_block_is_start(size_t form) {
    return form >= BF_C_BSTART_STD_FALL && form <= BF_L_BSTART_STD_CALL && form != BF_BSTOP &&
           form != BF_L_BSTOP;
}
static inline bool pto_block_is_stop(size_t form) {
    return form == BF_C_BSTOP || form == BF_BSTOP || form == BF_L_BSTOP;
}
static inline bool pto_block_is_header(size_t form) { return form >= BF_C_B_DIM && form <= BF_B_TEXT; }
static inline bool pto_block_is_scalar(size_t form) { return form >= BF_C_SETRET; }
static inline bool pto_block_is_iot(size_t form) {
    return form == BF_B_IOT_2 || form == BF_B_IOT_1 || form == BF_B_IOT_0;
}

/* ---- codes ---- */

enum { PTO_BLOCK_TYPE_NONE = 31, PTO_BLOCK_PAD_NULL = 3, PTO_BLOCK_QUEUE_NONE = 7 };
enum {
    BT_FP64,
    BT_FP32,
    BT_TF32,
    BT_HF32,
    BT_FP16,
    BT_BF16,
    BT_HIF8,
    BT_E4M3,
    BT_E5M2,
    BT_E3M2,
    BT_E2M3,
    BT_E2M1,
    BT_E1M2,
    BT_E8M0,
    BT_HIF4,
    BT_S64 = 16,
    BT_S32,
    BT_S16,
    BT_S8,
    BT_S4,
    BT_U64 = 24,
    BT_U32,
    BT_U16,
    BT_U8,
    BT_U4
};

/* The names of a code table, in order; NULL for a reserved code. */
const char *pto_block_type_name(unsigned code); /* "FP32"; "none" for 31 */
unsigned pto_block_type_bits(unsigned code);    /* of storage; 0 = reserved */
bool pto_block_type_is_float(unsigned code);
bool pto_block_type_is_signed(unsigned code);
const char *pto_block_pad_name(unsigned code);
const char *pto_block_cmode_name(unsigned code);
const char *pto_block_rmode_name(unsigned code);
const char *pto_block_layout_name(unsigned code); /* "NORM", "ND2NZ" */
const char *pto_block_gpr_name(unsigned code);
/* Codes by name, letters in any case, with the aliases of 70, 4.1; -1 when unknown. */
int pto_block_type_find(pto_str name);
int pto_block_pad_find(pto_str name);
int pto_block_cmode_find(pto_str name);
int pto_block_rmode_find(pto_str name);
int pto_block_layout_find(pto_str name);
int pto_block_gpr_find(pto_str name);
/* 0 ND 1 DN 2 ZZ 3 ZN 4 NZ 5 NN: what a layout code converts from and to; NORM keeps. False: NORM. */
bool pto_block_layout_ends(unsigned code, unsigned *from, unsigned *to);
extern const char *const pto_block_tile_layout_name[6];

/* ---- operations (ops.def) ---- */

typedef enum pto_block_engine { ENGINE_TEPL, ENGINE_TMA, ENGINE_CUBE } pto_block_engine;

typedef enum pto_block_geometry {
    GEOMETRY_SAME,
    GEOMETRY_COMPARE,
    GEOMETRY_SELECT,
    GEOMETRY_CONVERT,
    GEOMETRY_FUSED,
    GEOMETRY_UPDATE,
    GEOMETRY_FILL,
    GEOMETRY_ROW_REDUCE,
    GEOMETRY_COL_REDUCE,
    GEOMETRY_ROW_ARG,
    GEOMETRY_COL_ARG,
    GEOMETRY_ROW_EXPAND,
    GEOMETRY_COL_EXPAND,
    GEOMETRY_ROW_BROADCAST,
    GEOMETRY_COL_BROADCAST,
    GEOMETRY_CONCAT,
    GEOMETRY_EXTRACT,
    GEOMETRY_INSERT,
    GEOMETRY_FILLPAD,
    GEOMETRY_SEQUENCE,
    GEOMETRY_TRIANGLE,
    GEOMETRY_HISTOGRAM,
    GEOMETRY_QUANT,
    GEOMETRY_DEQUANT,
    GEOMETRY_SORT,
    GEOMETRY_MERGE,
    GEOMETRY_TRANSPOSE,
    GEOMETRY_GATHER,
    GEOMETRY_SCATTER,
    GEOMETRY_PARTIAL,
    GEOMETRY_LOAD,
    GEOMETRY_STORE,
    GEOMETRY_MOVE,
    GEOMETRY_PREFETCH,
    GEOMETRY_MGATHER,
    GEOMETRY_MSCATTER,
    GEOMETRY_CAS,
    GEOMETRY_MATMUL,
    GEOMETRY_ACCCVT,
    GEOMETRY_UNBUILT
} pto_block_geometry;

enum {
    DATR_PAD = 1,
    DATR_CMODE = 2,
    DATR_TYPE = 4,
    DATR_RMODE = 8,
    DATR_SAT = 16,
    DATR_CANON = 32,
    DATR_LAYOUT = 64,
    DATR_BYTE = 128
};

typedef struct pto_block_op {
    const char *name;
    pto_block_engine engine;
    uint8_t selector;
    pto_block_geometry geometry;
    uint8_t tiles, results, regs_least, regs_most;
    uint8_t attributes;
    uint32_t types; /* bit set of type codes */
    int16_t form;   /* pto_form; PTO_FORM_COUNT = no single one */
    const char *operands;
} pto_block_op;

enum { PTO_BLOCK_OP_COUNT = 128 };
const pto_block_op *pto_block_op_get(size_t index);
/* NULL for a reserved selector. */
const pto_block_op *pto_block_op_select(pto_block_engine engine, unsigned selector);
const pto_block_op *pto_block_op_named(pto_str name);

#endif
