/* SPDX-License-Identifier: Apache-2.0 */
/* The opcode table and its look-ups (60, 5.2). */
#include "bytecode/bytecode.h"

#include <string.h>

const uint8_t pto_bc_magic[6] = {'P', 'T', 'O', 'B', 'C', 0};

static const pto_bc_opcode opcodes[] = {
#define PTO_BC(code, name, operands, results) {code, name, operands, results},
#include "bytecode/opcodes.def"
#undef PTO_BC
};
enum { OPCODES = sizeof opcodes / sizeof *opcodes };

static const pto_bc_variant variants[] = {
    {0x0006, 0, "pto.section.cube", 0, 1},   {0x0006, 1, "pto.section.vector", 0, 1},
    {0x102A, 0, "pto.tgemv", 3, 0},          {0x102A, 1, "pto.tgemv.acc", 4, 0},
    {0x102A, 2, "pto.tgemv.bias", 4, 0},     {0x102A, 3, "pto.tgemv.mx", 5, 0},
    {0x102A, 4, "pto.tgemv.mx.acc", 6, 0},   {0x102A, 5, "pto.tgemv.mx.bias", 6, 0},
    {0x1032, 0, "pto.tmatmul", 3, 0},        {0x1032, 1, "pto.tmatmul.acc", 4, 0},
    {0x1032, 2, "pto.tmatmul.bias", 4, 0},   {0x1033, 0, "pto.tmatmul.mx", 5, 0},
    {0x1033, 1, "pto.tmatmul.mx.acc", 6, 0}, {0x1033, 2, "pto.tmatmul.mx.bias", 6, 0}};
enum { VARIANTS = sizeof variants / sizeof *variants };

const pto_bc_opcode *pto_bc_by_name(pto_str name) {
    for (int i = 0; i < OPCODES; i++)
        if (opcodes[i].operands != PTO_BC_VARIANT && pto_str_equal(name, pto_str_from(opcodes[i].name)))
            return &opcodes[i];
    const pto_bc_variant *variant = pto_bc_variant_by_name(name);
    return variant ? pto_bc_by_code(variant->code) : NULL;
}

const pto_bc_opcode *pto_bc_by_code(uint16_t code) {
    for (int i = 0; i < OPCODES; i++)
        if (opcodes[i].code == code)
            return &opcodes[i];
    return NULL;
}

const pto_bc_variant *pto_bc_variant_by_name(pto_str name) {
    for (int i = 0; i < VARIANTS; i++)
        if (pto_str_equal(name, pto_str_from(variants[i].name)))
            return &variants[i];
    return NULL;
}

const pto_bc_variant *pto_bc_variant_by_code(uint16_t code, uint8_t variant) {
    for (int i = 0; i < VARIANTS; i++)
        if (variants[i].code == code && variants[i].variant == variant)
            return &variants[i];
    return NULL;
}

uint8_t pto_bc_regions(uint16_t code) { return code == 0x4000 ? 1 : code == 0x4001 ? 2 : 0; }
