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

/* An access whose turn may come later. */
typedef struct element_access {
    void *data;
    pto_dtype dtype;
    uint32_t offset;
    pto_scalar value;
} element_access;

static void load(void *user) {
    element_access *a = user;
    const uint64_t code = pto_exact_load(a->data, a->dtype, a->offset);
    a->value = (pto_scalar){.dtype = a->dtype};
    if (pto_dtype_is_float(a->dtype)) {
        a->value.f = pto_number_to_double(a->dtype, code);
    } else {
        const unsigned unused = 64 - pto_dtype_bits(a->dtype);
        a->value.i = pto_dtype_is_signed(a->dtype) ? (int64_t)(code << unused) >> unused : (int64_t)code;
    }
}

static void store(void *user) {
    const element_access *a = user;
    pto_exact_store(a->data, a->dtype, a->offset, pto_scalar_code(a->dtype, a->value));
}

static pto_status take_turn(pto_core *core, void (*call)(void *), element_access *access, bool wait) {
    if (core->issuer)
        return core->issuer->element(core->issuer->user, call, access, sizeof *access, wait);
    call(access);
    return PTO_OK;
}

pto_status pto_tile_get_value(pto_core *core, pto_tile *tile, uint32_t offset, pto_scalar *value) {
    if (!reachable(core, tile, offset))
        return PTO_ERR_REFUSED;
    const pto_status status = pto_tile_bind(core, tile);
    if (status != PTO_OK)
        return status;
    element_access access = {.data = tile->data, .dtype = unit_of(tile->type.dtype), .offset = offset};
    const pto_status done = take_turn(core, load, &access, true);
    *value = access.value;
    return done;
}

pto_status pto_tile_set_value(pto_core *core, pto_tile *tile, uint32_t offset, pto_scalar value) {
    if (!reachable(core, tile, offset))
        return PTO_ERR_REFUSED;
    const pto_status status = pto_tile_bind(core, tile);
    if (status != PTO_OK)
        return status;
    element_access access = {
        .data = tile->data, .dtype = unit_of(tile->type.dtype), .offset = offset, .value = value};
    return take_turn(core, store, &access, false);
}
