/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the program as C++ variables, and variables that receive a value from several places. */
#include "emit/emit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

int32_t pto_emit_new(pto_emitter *e, const pto_value *value, const char *type) {
    pto_emit_value *known = pto_vec_add(e->arena, &e->values);
    *known = (pto_emit_value){.name = pto_arena_printf(e->arena, "v%d", ++e->fn->names), .type = type};
    int32_t number = (int32_t)e->values.count - 1;
    if (value)
        pto_value_map_set(&e->at, value, number);
    return number;
}

pto_emit_value *pto_emit_get(pto_emitter *e, const pto_value *value) {
    const int64_t *number = pto_value_map_find(&e->at, value);
    if (!number) {
        pto_emit_refuse(e, "a value that has no definition before it");
        return &e->values.data[pto_emit_new(e, value, "int")];
    }
    return &e->values.data[*number];
}

const char *pto_emit_name(pto_emitter *e, const pto_value *value) { return pto_emit_get(e, value)->name; }

void pto_emit_variable(pto_emitter *e, int32_t number, const char *expression) {
    const pto_emit_value *value = &e->values.data[number];
    const char *declared = pto_emit_declare(e, value->type, value->name);
    if (!e->fn->flat) {
        pto_emit_line_for(e, number, expression ? "%s = %s;" : "%s;", declared, expression);
        return;
    }
    pto_emit_text body = e->fn->body;
    int indent = e->fn->indent;
    e->fn->body = e->fn->top;
    e->fn->indent = 1;
    pto_emit_line_for(e, number, "%s;", declared);
    e->fn->top = e->fn->body;
    e->fn->body = body;
    e->fn->indent = indent;
    if (expression)
        pto_emit_line_for(e, number, "%s = %s;", value->name, expression);
}

void pto_emit_define(pto_emitter *e, const pto_value *value, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *expression = pto_arena_vprintf(e->arena, format, arguments);
    va_end(arguments);
    int32_t number = pto_emit_new(e, value, pto_emit_scalar_type(e, value->type));
    pto_emit_variable(e, number, expression);
}

pto_emit_dim pto_emit_dim_of(pto_emitter *e, const pto_value *value) {
    pto_emit_dim dim = {0};
    if (!pto_fact_int(value, &dim.number))
        dim.text = pto_emit_name(e, value);
    return dim;
}

const char *pto_emit_dim_text(pto_emitter *e, pto_emit_dim dim) {
    return dim.text ? dim.text : pto_arena_printf(e->arena, "%" PRId64, dim.number);
}

/* ---- places ---------------------------------------------------------------------------------------- */

pto_emit_place *pto_emit_places(pto_emitter *e, pto_value *const *values, uint32_t count) {
    pto_emit_place *place = pto_arena_array(e->arena, count + 1, sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        place[i] = (pto_emit_place){.value = values ? values[i] : NULL, .at = -1};
    return place;
}

/* Tiles of SSA text are values: a place has storage of its own, and a move copies bytes. */
static bool is_bytes(const pto_emit_place *place) {
    return place->value && place->value->type->kind == PTO_TYPE_TILE;
}

/* The variable of a place takes the type of the first value that comes. */
static void settle(pto_emitter *e, pto_emit_place *place, const pto_value *from) {
    pto_emit_value source = *pto_emit_get(e, from);
    if (place->at < 0) {
        place->at = pto_emit_new(e, place->value, source.type);
        pto_emit_value *variable = &e->values.data[place->at];
        variable->tile = source.tile;
        if (is_bytes(place) && source.tile.conv)
            pto_emit_refuse(e, "a convolution tile that is moved");
        if (source.view) {
            const pto_emit_view *view = pto_emit_view_of(e, variable->name, source.view, true);
            variable = &e->values.data[place->at];
            variable->view = view;
            variable->type = pto_emit_view_type(e, view);
        }
        return;
    }
    const pto_emit_value *variable = &e->values.data[place->at];
    if (source.view ? source.view->layout != variable->view->layout
                    : strcmp(source.type, variable->type) != 0)
        pto_emit_refuse(e, "one variable for %s and %s", variable->type, source.type);
}

static const char *value_for(pto_emitter *e, const pto_value *from, const pto_emit_place *place) {
    const pto_emit_value *source = pto_emit_get(e, from);
    if (!source->view)
        return source->name;
    /* from the object: the variables that its extents came from may be places too */
    return pto_emit_view_value(e, pto_emit_view_of(e, source->name, source->view, true),
                               e->values.data[place->at].view);
}

const char *pto_emit_copy(pto_emitter *e, const char *to, const char *from) {
    e->helpers |= 1u << PTO_HELPER_COPY;
    return pto_arena_printf(e->arena, "ptoas_copy(%s, %s)", to, from);
}

void pto_emit_moves(pto_emitter *e, uint32_t count, pto_value *const *from, pto_emit_place *place) {
    const char **value = pto_arena_array(e->arena, count + 1, sizeof *value);
    bool spares = false;
    for (uint32_t i = 0; i < count && !e->failed; i++)
        settle(e, &place[i], from[i]);
    /* what is read behind its overwriting, perhaps as a view of its bytes, is kept in a spare variable */
    for (uint32_t i = 0; i < count && !e->failed; i++) {
        value[i] = value_for(e, from[i], &place[i]);
        bool spare = false;
        const char *name = pto_emit_name(e, from[i]);
        const char *whole = is_bytes(&place[i]) ? pto_emit_name(e, pto_fact_tile_root(from[i])) : name;
        for (uint32_t k = 0; k < i; k++) {
            const char *target = e->values.data[place[k].at].name;
            spare |= !strcmp(target, name) || !strcmp(target, whole) ||
                     strstr(value[i], pto_arena_printf(e->arena, "%s.", target));
        }
        if (!spare)
            continue;
        if (!spares)
            pto_emit_line(e, "{");
        spares = true;
        const char *kept = pto_arena_printf(e->arena, "next%u", i);
        const char *declared = pto_emit_declare(e, e->values.data[place[i].at].type, kept);
        if (is_bytes(&place[i])) /* a tile that is not assigned has storage */
            pto_emit_line(e, "    %s;\n%*s    %s;", declared, e->fn->indent * 4, "",
                          pto_emit_copy(e, kept, value[i]));
        else
            pto_emit_line(e, "    %s = %s;", declared, value[i]);
        value[i] = kept;
    }
    for (uint32_t i = 0; i < count && !e->failed; i++) {
        const char *target = e->values.data[place[i].at].name;
        if (strcmp(target, value[i]) == 0)
            continue;
        if (is_bytes(&place[i]))
            pto_emit_line(e, "%s%s;", spares ? "    " : "", pto_emit_copy(e, target, value[i]));
        else
            pto_emit_line(e, "%s%s = %s;", spares ? "    " : "", target, value[i]);
    }
    if (spares)
        pto_emit_line(e, "}");
}

void pto_emit_declare_places(pto_emitter *e, uint32_t count, const pto_emit_place *place) {
    for (uint32_t i = 0; i < count && !e->failed; i++) {
        int32_t at = place[i].at;
        if (at < 0) /* nothing ever arrives: no path leads there */
            at = pto_emit_new(e, place[i].value, pto_emit_scalar_type(e, place[i].value->type));
        pto_emit_variable(e, at, NULL);
        int32_t slot = is_bytes(&place[i]) ? pto_emit_slot(e, place[i].value, 0) : -1;
        if (slot >= 0)
            pto_emit_assign(e, at, slot);
    }
}
