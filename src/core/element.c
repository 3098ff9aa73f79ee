/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements of a tile, read and written by the scalar unit (30, the last table). */
#include "core/core.h"
#include "kernel/exact.h"
#include "tile/tile.h"
#include <pto/number.h>

/* What an offset counts: elements, of 4-bit types bytes. */
static pto_dtype unit_of(pto_dtype dtype) { return pto_dtype_bits(dtype) < 8 ? PTO_U8 : dtype; }

static bool refuse(pto_core *core, const char *id) {
    const pto_rule_text *rule = pto_rule_find(id);
    pto_diag_add(core->diags, PTO_ERROR, id, pto_at_operand("tile"), "%s", rule ? rule->title : "refused");
    return false;
}

static bool reachable(pto_core *core, const pto_tile *tile, uint32_t offset) {
    const uint64_t count = pto_tile_type_bytes(&tile->type) * 8 / pto_dtype_bits(unit_of(tile->type.dtype));
    if (tile->type.loc != PTO_LOC_VEC) {
        refuse(core, "PTO-E0320");
        pto_diag_found(core->diags, "%s", pto_loc_name(tile->type.loc));
        pto_diag_allowed(core->diags, "vec");
        return false;
    }
    if (offset < count)
        return true;
    refuse(core, "PTO-E0909");
    pto_diag_found(core->diags, "%u", offset);
    pto_diag_allowed(core->diags, "0..%llu", (unsigned long long)count - 1);
    return false;
}

pto_status pto_tile_get_value(pto_core *core, pto_tile *tile, uint32_t offset, pto_scalar *value) {
    if (!reachable(core, tile, offset))
        return PTO_ERR_REFUSED;
    const pto_status status = pto_tile_bind(core, tile);
    if (status != PTO_OK)
        return status;
    const pto_dtype dtype = unit_of(tile->type.dtype);
    const uint64_t code = pto_exact_load(tile->data, dtype, offset);
    *value = (pto_scalar){.dtype = dtype};
    if (pto_dtype_is_float(dtype)) {
        value->f = pto_number_to_double(dtype, code);
    } else {
        const unsigned unused = 64 - pto_dtype_bits(dtype);
        value->i = pto_dtype_is_signed(dtype) ? (int64_t)(code << unused) >> unused : (int64_t)code;
    }
    return PTO_OK;
}

pto_status pto_tile_set_value(pto_core *core, pto_tile *tile, uint32_t offset, pto_scalar value) {
    if (!reachable(core, tile, offset))
        return PTO_ERR_REFUSED;
    const pto_status status = pto_tile_bind(core, tile);
    if (status != PTO_OK)
        return status;
    const pto_dtype dtype = unit_of(tile->type.dtype);
    pto_exact_store(tile->data, dtype, offset, pto_scalar_code(dtype, value));
    return PTO_OK;
}
