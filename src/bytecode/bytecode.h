/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-BC version 0, what reader and writer share (60, 5). Little endian; counts are LEB128. */
#ifndef PTO_BYTECODE_BYTECODE_H
#define PTO_BYTECODE_BYTECODE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { PTO_BC_HEADER = 14 }; /* magic 6, version 2, flags 2, payload length 4 */
extern const uint8_t pto_bc_magic[6];

enum {
    PTO_BC_STRINGS = 0x01,
    PTO_BC_TYPES = 0x02,
    PTO_BC_ATTRS = 0x03,
    PTO_BC_CONSTPOOL = 0x04,
    PTO_BC_MODULE = 0x06,
    PTO_BC_DEBUGINFO = 0x07,
    PTO_BC_EXTRA = 0x7f
};
enum {
    PTO_BC_INT = 1,
    PTO_BC_FLOAT = 2,
    PTO_BC_INDEX_VECTOR = 3,
    PTO_BC_WIDE_INT = 4
}; /* tags of constants */

/* Operand modes that are no number. */
enum { PTO_BC_MANY = -1, PTO_BC_VARIANT = -2, PTO_BC_LISTS = -3, PTO_BC_MASK = -4 };
enum { PTO_BC_GENERIC = 0xffff };

typedef struct pto_bc_opcode {
    uint16_t code;
    const char *name;
    int8_t operands;
    uint8_t results;
} pto_bc_opcode;
const pto_bc_opcode *pto_bc_by_name(pto_str name); /* NULL when there is none */
const pto_bc_opcode *pto_bc_by_code(uint16_t code);

/* The name behind a variant byte and its operands: section, tgemv, tmatmul, tmatmul.mx. */
typedef struct pto_bc_variant {
    uint16_t code;
    uint8_t variant;
    const char *name;
    uint8_t operands, regions;
} pto_bc_variant;
const pto_bc_variant *pto_bc_variant_by_name(pto_str name);
const pto_bc_variant *pto_bc_variant_by_code(uint16_t code, uint8_t variant);

uint8_t pto_bc_regions(uint16_t code); /* scf.for 1, scf.if 2; a section by its variant */

#endif
