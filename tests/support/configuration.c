/* SPDX-License-Identifier: Apache-2.0 */
#include "support/configuration.h"

#include "isa/legality.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int variable_of(const pto_operand_desc *o) {
    static const char names[] = "TSDABI";
    const char *p = o->type_var ? strchr(names, o->type_var) : NULL;
    return p ? (int)(p - names) : -1;
}

static bool is_tile(const pto_operand_desc *o) {
    return o->role != PTO_ROLE_SCALAR && o->role != PTO_ROLE_ATTR && !o->is_global && !o->is_counts;
}

/* ---- types ----------------------------------------------------------------------------------- */

enum { TILE_TYPES = 18 };
static const pto_dtype tile_types[TILE_TYPES] = {
    PTO_F32, PTO_F16, PTO_BF16, PTO_S8,   PTO_U8,   PTO_S16,  PTO_U16,  PTO_S32,  PTO_U32,
    PTO_S64, PTO_U64, PTO_S4,   PTO_E4M3, PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_E2M1, PTO_E1M2,
};

static uint32_t used_variables(const pto_form_desc *form) {
    uint32_t used = 0;
    for (int i = 0; i < form->operand_count; i++)
        if (variable_of(&form->operand[i]) >= 0)
            used |= 1u << variable_of(&form->operand[i]);
    return used;
}

/* The index-th choice of members of the sets, the first variable fastest. */
static bool choose(const uint32_t set[6], int *index, pto_dtype var[6]) {
    int count = 1;
    for (int v = 0; v < 6; v++)
        if (set[v])
            count *= __builtin_popcount(set[v]);
    if (*index >= count) {
        *index -= count;
        return false;
    }
    for (int v = 0; v < 6; v++) {
        var[v] = PTO_DTYPE_NONE;
        if (!set[v])
            continue;
        int size = __builtin_popcount(set[v]), skip = *index % size;
        *index /= size;
        for (int d = 1; d < PTO_DTYPE_COUNT; d++)
            if (set[v] & 1u << d && skip-- == 0)
                var[v] = (pto_dtype)d;
    }
    return true;
}

bool configuration_types(const pto_form_desc *form, pto_target target, int index, pto_dtype var[6],
                         bool *explicit_types) {
    *explicit_types = true;
    for (int c = 0; c < form->type_count[target]; c++)
        if (choose(form->types[target][c].set, &index, var))
            return true;
    *explicit_types = false;
    if (!form->types_any[target] || index >= TILE_TYPES)
        return false;
    uint32_t used = used_variables(form);
    for (int v = 0; v < 6; v++)
        var[v] = v == 0 || used & 1u << v ? tile_types[index] : PTO_DTYPE_NONE;
    return true;
}

/* ---- from a description to operands ---------------------------------------------------------- */

static pto_tile_type type_of(const configuration_tile *t, pto_target target) {
    testing_layout layout = t->layout;
    if (t->loc == PTO_LOC_LEFT && layout == TESTING_NZ && target == PTO_TARGET_A2A3)
        layout = TESTING_ZZ;
    pto_tile_type type = testing_type_around(NULL, t->loc, t->dtype, layout, t->valid_rows, t->valid_cols, 0);
    type.fractal = t->fractal;
    int32_t box_rows, box_cols;
    pto_tile_type_box(&type, &box_rows, &box_cols);
    type.rows = (type.rows + box_rows - 1) / box_rows * box_rows + t->slack_rows * box_rows;
    type.cols = (type.cols + box_cols - 1) / box_cols * box_cols;
    type.cols += t->slack_cols * (type.slayout ? box_cols : 32);
    if (!type.slayout && type.blayout == PTO_COL_MAJOR)
        type.rows += t->slack_rows * 31;
    type.pad = t->pad;
    return type;
}

static bool has_conv(const pto_form_desc *form) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].conv == PTO_CONV_YES)
            return true;
    return false;
}

static int conv_extents(const configuration *c, int i, int64_t dims[6]) {
    const configuration_operand *o = &c->operand[i];
    return conv_dims(o->layout, o->five, c->image, 256 / (int64_t)pto_dtype_bits(o->tile.dtype), dims);
}

static pto_tile_type conv_type(const configuration *c, int i, pto_conv *conv) {
    int64_t dims[6];
    int32_t shape[6];
    int rank = conv_extents(c, i, dims);
    for (int d = 0; d < rank; d++)
        shape[d] = (int32_t)dims[d];
    *conv = pto_conv_make(c->operand[i].layout, rank, shape);
    return pto_tile_type_conv(c->operand[i].tile.loc, c->operand[i].tile.dtype, conv);
}

/* Either kind of tile; `conv` holds what a convolution tile refers to. */
static pto_tile_type type_at(const configuration *c, int i, pto_conv *conv) {
    return pto_form_get(c->form)->operand[i].conv == PTO_CONV_YES ? conv_type(c, i, conv)
                                                                  : type_of(&c->operand[i].tile, c->target);
}

/* Packed, and of NDC1HWC0 without the C0 that its shape does not show. */
static pto_global conv_global(const configuration *c, int i) {
    int64_t dims[6], step = 1;
    int rank = conv_extents(c, i, dims);
    pto_global g = {
        .dtype = c->operand[i].tile.dtype, .layout = c->operand[i].layout, .shape = {1, 1, 1, 1, 1}};
    int shown = rank == 6 ? 5 : rank;
    if (rank == 6)
        step = dims[5];
    for (int d = shown - 1; d >= 0; d--) {
        g.shape[5 - shown + d] = dims[d];
        g.stride[5 - shown + d] = step;
        step *= dims[d];
    }
    return g;
}

static pto_global global_of(const configuration *c, int i) {
    const configuration_operand *o = &c->operand[i];
    if (has_conv(pto_form_get(c->form)))
        return conv_global(c, i);
    const configuration_tile *t = &o->tile;
    int32_t rows = t->valid_rows, cols = t->valid_cols;
    if (o->layout != PTO_LAYOUT_NZ)
        return pto_global_make_2d(NULL, t->dtype, o->layout, rows, cols,
                                  (o->layout == PTO_LAYOUT_ND ? cols : rows) + o->gap);
    int32_t c0 = 256 / (int32_t)pto_dtype_bits(t->dtype); /* (1, C / C0, R / 16, 16, C0) */
    int64_t across = (cols + c0 - 1) / c0, down = (rows + 15) / 16;
    return (pto_global){.dtype = t->dtype,
                        .layout = PTO_LAYOUT_NZ,
                        .shape = {1, across, down, 16, c0},
                        .stride = {across * down * 16 * c0, down * 16 * c0, 16 * c0, c0, 1}};
}

static size_t global_elements(const pto_global *g) {
    int64_t last = 0;
    for (int d = 0; d < 5; d++)
        last += (g->shape[d] - 1) * g->stride[d];
    return (size_t)last + 1;
}

/* Tiles at addresses that follow each other in each memory; a shared one begins where the other begins. */
static bool place(const configuration *c, uint64_t address[PTO_MAX_OPERANDS]) {
    const pto_form_desc *form = pto_form_get(c->form);
    uint64_t next[PTO_LOC_COUNT] = {0};
    for (int i = 0; i < form->operand_count; i++) {
        const configuration_tile *t = &c->operand[i].tile;
        if (!is_tile(&form->operand[i]) || !c->operand[i].present || t->shares >= 0)
            continue;
        pto_conv conv;
        pto_tile_type type = type_at(c, i, &conv);
        uint64_t bytes = pto_tile_type_bytes(&type);
        if (bytes > CONFIGURATION_MAX_BYTES)
            return false;
        address[i] = next[t->loc];
        next[t->loc] += (bytes + 511) / 512 * 512;
        if (next[t->loc] > pto_loc_capacity(c->target, t->loc))
            return false;
    }
    for (int i = 0; i < form->operand_count; i++) {
        int from = c->operand[i].tile.shares;
        if (is_tile(&form->operand[i]) && c->operand[i].present && from >= 0) {
            if (!c->operand[from].present || c->operand[from].tile.shares >= 0)
                return false;
            address[i] = address[from];
            pto_conv conv;
            pto_tile_type type = type_at(c, i, &conv);
            if (address[i] + pto_tile_type_bytes(&type) > pto_loc_capacity(c->target, c->operand[i].tile.loc))
                return false;
        }
    }
    return true;
}

static bool describe(const configuration *c, configuration_call *call) {
    const pto_form_desc *form = pto_form_get(c->form);
    uint64_t address[PTO_MAX_OPERANDS] = {0};
    memset(call, 0, sizeof *call);
    if (!place(c, address))
        return false;
    call->instr.form = c->form;
    for (int i = 0; i < form->operand_count; i++) {
        const configuration_operand *o = &c->operand[i];
        const pto_operand_desc *desc = &form->operand[i];
        pto_operand *to = &call->instr.operand[i];
        if (!o->present)
            continue;
        if (desc->role == PTO_ROLE_SCALAR || desc->role == PTO_ROLE_ATTR) {
            *to = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = o->scalar};
        } else if (desc->is_counts) {
            *to = (pto_operand){.kind = PTO_OPERAND_COUNTS, .counts = &call->counts};
        } else if (desc->is_global) {
            call->global[i] = global_of(c, i);
            *to = testing_global_operand(&call->global[i]);
        } else {
            pto_tile *tile = &call->tile[i];
            *tile = pto_tile_make(type_at(c, i, &call->conv[i]));
            if (!tile->type.conv) {
                tile->valid_rows = o->tile.valid_rows;
                tile->valid_cols = o->tile.valid_cols;
            }
            if (!desc->binds) {
                tile->addr = address[i];
                tile->assigned = true;
            }
            *to = testing_tile_operand(tile);
        }
    }
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void ignore(void *user, const struct pto_refusal *refusal) {
    (void)user;
    (void)refusal;
}

/* How far the checks get: -1 = the description has no operands, 0 = kinds or types fail, 1 + k = rule k
 * fails. */
static int progress(const configuration *c) {
    static configuration_call call; /* large, and only looked at */
    if (!describe(c, &call))
        return -1;
    const pto_form_desc *form = pto_form_get(c->form);
    pto_form_desc bare = *form;
    bare.rule_count = 0;
    pto_legality legality = {.form = &bare, .target = c->target, .explicit_tmp = true, .report = ignore};
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand *from = &call.instr.operand[i];
        pto_legality_operand *to = &legality.operand[i];
        *to = (pto_legality_operand){.kind = from->kind};
        if (from->kind == PTO_OPERAND_TILE) {
            to->type = from->tile->type;
            to->valid_rows = from->tile->valid_rows;
            to->valid_cols = from->tile->valid_cols;
            to->addr_known = from->tile->assigned;
            to->addr = from->tile->addr;
            to->identity = from->tile;
        } else if (from->kind == PTO_OPERAND_GLOBAL) {
            to->dtype = from->global->dtype;
            to->layout = from->global->layout;
            memcpy(to->shape, from->global->shape, sizeof to->shape);
            memcpy(to->stride, from->global->stride, sizeof to->stride);
        } else if (from->kind == PTO_OPERAND_SCALAR) {
            to->value_known = true;
            to->value = from->scalar;
        }
    }
    if (!pto_legality_check(&legality))
        return 0;
    legality.form = form;
    for (int r = 0; r < form->rule_count; r++) {
        if (!(form->rules[r].targets & 1u << c->target))
            continue;
        form->rules[r].check(&legality, &form->rules[r]);
        if (legality.failed)
            return 1 + r;
    }
    return 1 + form->rule_count;
}

static pto_loc usual_loc(const pto_form_desc *form, const pto_operand_desc *o) {
    static const struct {
        const char *name;
        pto_loc loc;
    } names[] = {{"a", PTO_LOC_LEFT},    {"b", PTO_LOC_RIGHT}, {"aScale", PTO_LOC_SCALE_LEFT},
                 {"bias", PTO_LOC_BIAS}, {"cIn", PTO_LOC_ACC}, {"bScale", PTO_LOC_SCALE_RIGHT},
                 {"fp", PTO_LOC_SCALING}};
    bool matrix = !strcmp(form->family, "matrix");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((matrix || names[i].loc == PTO_LOC_SCALING) && !strcmp(names[i].name, o->name))
            return names[i].loc;
    return matrix ? PTO_LOC_ACC : PTO_LOC_VEC;
}

static void usual_layout(configuration_tile *t) {
    static const testing_layout layouts[PTO_LOC_COUNT] = {
        TESTING_ND, TESTING_NZ, TESTING_NZ, TESTING_ZN, TESTING_NZ,
        TESTING_ND, TESTING_ND, TESTING_ZZ, TESTING_NN,
    };
    static const int32_t fractals[PTO_LOC_COUNT] = {512, 512, 512, 512, 1024, 512, 512, 32, 32};
    t->layout = layouts[t->loc];
    t->fractal = fractals[t->loc];
}

static int pick(testing_random *random, int count) { return (int)testing_below(random, (uint32_t)count); }

/* A route that the form has a pipe for: the memories of the first source and destination. */
static void take_route(configuration *c, testing_random *random) {
    const pto_form_desc *form = pto_form_get(c->form);
    const pto_pipe_use *use = &form->pipes[pick(random, form->pipe_count)];
    bool source = false, result = false;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        configuration_tile *t = &c->operand[i].tile;
        if (!is_tile(o))
            continue;
        t->loc = usual_loc(form, o);
        if (o->role == PTO_ROLE_IN && !source && use->src_loc >= 0)
            t->loc = (pto_loc)use->src_loc;
        if ((o->role == PTO_ROLE_OUT || o->role == PTO_ROLE_INOUT) && !result && use->dst_loc >= 0)
            t->loc = (pto_loc)use->dst_loc;
        source |= o->role == PTO_ROLE_IN;
        result |= o->role == PTO_ROLE_OUT || o->role == PTO_ROLE_INOUT;
        usual_layout(t);
    }
}

static pto_dtype type_for(const configuration *c, const pto_operand_desc *o) {
    int v = variable_of(o);
    if (o->fixed_dtype != PTO_DTYPE_NONE)
        return o->fixed_dtype;
    if (v >= 0 && c->var[v] != PTO_DTYPE_NONE)
        return c->var[v];
    if (v == 5)
        return PTO_U32;
    for (v = 0; v < 6; v++)
        if (c->var[v] != PTO_DTYPE_NONE)
            return c->var[v];
    return PTO_F32;
}

static pto_layout some_conv_layout(testing_random *random) {
    static const pto_layout layouts[] = {PTO_LAYOUT_NC1HWC0, PTO_LAYOUT_NDC1HWC0,  PTO_LAYOUT_GNC1HWC0,
                                         PTO_LAYOUT_NCHW,    PTO_LAYOUT_GNCHW,     PTO_LAYOUT_NCDHW,
                                         PTO_LAYOUT_NHWC,    PTO_LAYOUT_FRACTAL_Z, PTO_LAYOUT_FRACTAL_Z_3D,
                                         PTO_LAYOUT_NC1HWC0};
    return layouts[pick(random, 10)];
}

static configuration_tile *tile_named(configuration *c, const char *name) {
    int i = pto_form_operand_index(pto_form_get(c->form), name);
    return i < 0 ? NULL : &c->operand[i].tile;
}

static void shape_named(configuration *c, const char *name, int32_t rows, int32_t cols) {
    configuration_tile *tile = tile_named(c, name);
    if (tile) {
        tile->valid_rows = rows;
        tile->valid_cols = cols;
    }
}

/* Operands whose extents hang together in more ways than a search meets by chance: a product with a scale for
 * every 32 of its depth; a quantisation that has an offset exactly when it is asymmetric. */
static void start_related(configuration *c, testing_random *random) {
    const pto_form_desc *form = pto_form_get(c->form);
    if (tile_named(c, "aScale")) {
        int32_t m = strncmp(form->mnemonic, "TGEMV", 5) ? 16 * (1 + pick(random, 3)) : 1;
        int32_t k = 64 * (1 + pick(random, 2)), n = 32 * (1 + pick(random, 2));
        shape_named(c, "a", m, k);
        shape_named(c, "aScale", m, k / 32);
        shape_named(c, "b", k, n);
        shape_named(c, "bScale", k / 32, n);
        shape_named(c, "dst", m, n);
        shape_named(c, "cIn", m, n);
        shape_named(c, "bias", 1, n);
    }
    int kind = pto_form_operand_index(form, "quant_type"), offset = pto_form_operand_index(form, "offset");
    if (kind >= 0 && offset >= 0) {
        bool asymmetric = tile_named(c, "dst")->dtype == PTO_U8;
        c->operand[kind].scalar.i = asymmetric ? PTO_QUANT_INT8_ASYM : PTO_QUANT_INT8_SYM;
        c->operand[offset].present = asymmetric;
        const char *const parameters[] = {"scale", "offset"};
        for (int i = 0; i < 2; i++) {
            shape_named(c, parameters[i], tile_named(c, "src")->valid_rows, 1);
            tile_named(c, parameters[i])->layout = TESTING_DN;
        }
    }
}

static void start(configuration *c, testing_random *random, int32_t rows, int32_t cols) {
    const pto_form_desc *form = pto_form_get(c->form);
    memset(c->operand, 0, sizeof c->operand);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        configuration_operand *to = &c->operand[i];
        to->present = true;
        to->tile = (configuration_tile){
            .dtype = type_for(c, o), .valid_rows = rows, .valid_cols = cols, .fractal = 512, .shares = -1};
        to->scalar = (pto_scalar){.dtype = o->role == PTO_ROLE_ATTR ? PTO_DTYPE_NONE : type_for(c, o)};
        to->scalar.i = o->role == PTO_ROLE_ATTR ? o->attr_default : pick(random, 2);
        to->scalar.f = (double)to->scalar.i;
    }
    c->image = (conv_tensor){1, 1, 1, cols, (rows + 7) / 8, rows < 8 ? rows : 8};
    for (int i = 0; has_conv(form) && i < form->operand_count; i++)
        c->operand[i].layout = some_conv_layout(random);
    take_route(c, random);
    start_related(c, random);
}

/* An extent that instructions like. */
static int32_t extent(testing_random *random) {
    static const int32_t usual[] = {1,  2,  3,  4,  5,  8,   16,  16,  17,  32,
                                    32, 33, 64, 64, 65, 100, 128, 256, 512, 1024};
    return usual[pick(random, sizeof usual / sizeof *usual)];
}

static int32_t scaled(int32_t n, testing_random *random) {
    static const int factors[] = {2, 4, 8, 16};
    int factor = factors[pick(random, 4)];
    int32_t result = pick(random, 2) ? n * factor : (n + factor - 1) / factor;
    return result > 4096 ? 4096 : result;
}

/* Every operand that holds elements. */
static int element_operand(const pto_form_desc *form, testing_random *random) {
    for (int tries = 0; tries < 16; tries++) {
        int i = pick(random, form->operand_count);
        if (is_tile(&form->operand[i]) || form->operand[i].is_global)
            return i;
    }
    return -1;
}

static void change_extents(configuration *c, testing_random *random, int i) {
    const pto_form_desc *form = pto_form_get(c->form);
    configuration_tile *t = &c->operand[i].tile;
    int other = element_operand(form, random);
    const configuration_tile *from = &c->operand[other < 0 ? i : other].tile;
    switch (pick(random, 10)) {
    case 0:
        t->valid_rows = extent(random);
        break;
    case 1:
        t->valid_cols = extent(random);
        break;
    case 2:
        t->valid_rows = from->valid_rows;
        t->valid_cols = from->valid_cols;
        break;
    case 3:
        t->valid_rows = from->valid_cols;
        t->valid_cols = from->valid_rows;
        break;
    case 4:
        t->valid_rows = from->valid_rows;
        t->valid_cols = scaled(from->valid_cols, random);
        break;
    case 5:
        t->valid_rows = scaled(from->valid_rows, random);
        t->valid_cols = from->valid_cols;
        break;
    case 6:
        t->valid_cols = from->valid_cols;
        break;
    case 7:
        t->valid_rows = from->valid_rows;
        break;
    case 8:
        *(pick(random, 2) ? &t->valid_rows : &t->valid_cols) = 1;
        break;
    default: /* every operand */
        for (int k = 0, rows = extent(random), cols = extent(random); k < form->operand_count; k++) {
            c->operand[k].tile.valid_rows = rows;
            c->operand[k].tile.valid_cols = cols;
        }
    }
}

static void change_tile(configuration *c, testing_random *random, int i) {
    const pto_form_desc *form = pto_form_get(c->form);
    configuration_tile *t = &c->operand[i].tile;
    int other = element_operand(form, random);
    switch (pick(random, 8)) {
    case 0:
        t->layout = (testing_layout)pick(random, TESTING_LAYOUT_COUNT);
        break;
    case 1:
        t->loc = pick(random, 3) ? c->operand[other < 0 ? i : other].tile.loc
                                 : (pto_loc)pick(random, PTO_LOC_COUNT);
        usual_layout(t);
        break;
    case 2:
        t->shares = t->shares >= 0 || other == i ? -1 : other;
        if (t->shares >= 0 && !is_tile(&form->operand[other]))
            t->shares = -1;
        if (t->shares >= 0 && pick(random, 2)) { /* the whole tile */
            *t = c->operand[other].tile;
            t->shares = other;
            t->dtype = type_for(c, &form->operand[i]);
        }
        break;
    case 3:
        t->slack_rows = pick(random, 3);
        break;
    case 4:
        t->slack_cols = pick(random, 3);
        break;
    case 5:
        t->pad = (pto_pad)pick(random, 4);
        break;
    case 6:
        t->fractal = (int32_t[]){512, 512, 1024, 32}[pick(random, 4)];
        break;
    default:
        take_route(c, random);
    }
}

static pto_scalar some_scalar(testing_random *random, pto_dtype dtype) {
    static const int64_t values[] = {
        0, 0, 1, 1, 2, 3, 4, 16, 32, 64, 128, INT64_C(0x3f800000), INT64_C(0x40003f800000)};
    int64_t value = values[pick(random, dtype == PTO_DTYPE_NONE ? 7 : 13)];
    if (dtype == PTO_DTYPE_NONE && value == 16)
        value = pick(random, 20);
    return (pto_scalar){.dtype = dtype, .i = value, .f = (double)(value % 1000)};
}

static void change(configuration *c, testing_random *random) {
    const pto_form_desc *form = pto_form_get(c->form);
    int i = pick(random, form->operand_count);
    const pto_operand_desc *o = &form->operand[i];
    configuration_operand *to = &c->operand[i];
    bool tensor = o->conv == PTO_CONV_YES || (o->is_global && has_conv(form));
    if (tensor && !o->is_global && pick(random, 4) == 0) {
        to->tile.loc = pick(random, 2) ? PTO_LOC_MAT : PTO_LOC_VEC;
    } else if (tensor && pick(random, 2)) {
        to->layout = some_conv_layout(random);
        to->five = pick(random, 2);
    } else if (tensor) {
        int64_t *extents[] = {&c->image.g, &c->image.n, &c->image.d, &c->image.c, &c->image.h, &c->image.w};
        int64_t *one = extents[pick(random, 6)];
        *one = 1 + pick(random, one == &c->image.c ? 64 : 16);
    } else if (o->optional && pick(random, 4) == 0) {
        to->present = !to->present;
    } else if (o->role == PTO_ROLE_SCALAR || o->role == PTO_ROLE_ATTR) {
        to->scalar = some_scalar(random, to->scalar.dtype);
    } else if (o->is_counts) {
        return;
    } else if (variable_of(o) < 0 && o->fixed_dtype == PTO_DTYPE_NONE && pick(random, 4) == 0) {
        to->tile.dtype = tile_types[pick(random, TILE_TYPES)];
    } else if (variable_of(o) == 5 && pick(random, 4) == 0) { /* an index: all of the variable */
        pto_dtype dtype = tile_types[pick(random, TILE_TYPES)];
        for (int k = 0; k < form->operand_count; k++)
            if (variable_of(&form->operand[k]) == 5)
                c->operand[k].tile.dtype = dtype;
    } else if (o->is_global && pick(random, 2)) {
        to->layout = (pto_layout)pick(random, 3);
        to->gap = pick(random, 2) * 8;
    } else if (o->is_global || pick(random, 2)) {
        change_extents(c, random, i);
    } else {
        change_tile(c, random, i);
    }
}

bool configuration_find(configuration *c, testing_random *random, pto_form form, pto_target target,
                        const pto_dtype var[6], int32_t rows, int32_t cols, const configuration *hint) {
    const pto_form_desc *desc = pto_form_get(form);
    enum { STARTS = 40, STEPS = 1500, PATIENCE = 500 };
    for (int s = 0; s < STARTS; s++) {
        c->form = form;
        c->target = target;
        memcpy(c->var, var, sizeof c->var);
        start(c, random, s ? extent(random) : rows, s ? extent(random) : cols);
        if (hint && s == 0) { /* its operands with other types and extents */
            memcpy(c->operand, hint->operand, sizeof c->operand);
            for (int i = 0; i < desc->operand_count; i++) {
                const pto_operand_desc *o = &desc->operand[i];
                if (variable_of(o) >= 0)
                    c->operand[i].tile.dtype = type_for(c, o);
                if (o->role == PTO_ROLE_SCALAR)
                    c->operand[i].scalar.dtype = type_for(c, o);
            }
        }
        int best = progress(c), since = 0;
        for (int step = 0;
             best <= desc->rule_count && step < STEPS && since < PATIENCE && desc->operand_count; step++) {
            configuration next = *c;
            for (int changes = 1 + pick(random, 3); changes > 0; changes--)
                change(&next, random);
            int reached = progress(&next);
            since = reached > best ? 0 : since + 1;
            if (reached >= best) {
                *c = next;
                best = reached;
            }
        }
        if (best > desc->rule_count)
            return true;
    }
    return false;
}

/* ---- execution ------------------------------------------------------------------------------- */

static uint64_t ordinary(testing_random *random, pto_dtype dtype) {
    uint64_t bits = testing_next(random);
    switch (dtype) { /* 1/2 to 2, either sign */
    case PTO_F32:
        return (bits & 0x80ffffff) | 0x3f000000;
    case PTO_F16:
        return (bits & 0x87ff) | 0x3800;
    case PTO_BF16:
        return (bits & 0x80ff) | 0x3f00;
    default:
        return bits;
    }
}

/* What an operand holds decides whether the call does anything: indices are small, byte offsets whole blocks.
 * The first elements are random, the others repeat them. */
static void fill(testing_random *random, bool all_kinds, const pto_operand_desc *o, pto_dtype dtype,
                 void *data, int64_t count) {
    enum { POOL = 997 };
    uint64_t pool[POOL];
    bool offsets = !strcmp(o->name, "offset");
    bool indices =
        o->type_var == 'I' || strstr(o->name, "idx") || strstr(o->name, "Idx") || strstr(o->name, "ind");
    uint32_t bound = count < 200 ? (uint32_t)count : 200;
    for (int64_t k = 0; k < count; k++) {
        if (k < POOL)
            pool[k] = offsets     ? testing_below(random, (uint32_t)(count / 32 + 1)) * 32 % 512
                      : indices   ? testing_below(random, bound)
                      : all_kinds ? testing_bits(random, dtype)
                                  : ordinary(random, dtype);
        testing_store(data, dtype, k, pool[k % POOL]);
    }
}

void configuration_start(const configuration *c, pto_core *core, uint64_t seed, configuration_call *call) {
    const pto_form_desc *form = pto_form_get(c->form);
    bool described = describe(c, call);
    if (!described)
        abort(); /* only legal calls get here */
    testing_random random = {seed};
    for (int i = 0; i < form->operand_count; i++) {
        pto_operand *o = &call->instr.operand[i];
        const pto_operand_desc *desc = &form->operand[i];
        if (o->kind == PTO_OPERAND_TILE && o->tile->assigned) {
            uint64_t address = o->tile->addr;
            o->tile->assigned = false;
            if (pto_tile_assign(core, o->tile, address) != PTO_OK)
                abort();
            fill(&random, seed != 0, desc, o->tile->type.dtype, o->tile->data,
                 (int64_t)o->tile->type.rows * o->tile->type.cols);
        } else if (o->kind == PTO_OPERAND_GLOBAL) {
            size_t count = global_elements(o->global) + 64;
            size_t bytes = count * pto_dtype_bits(o->global->dtype) / 8 + 1;
            call->buffer[i] = malloc(bytes);
            if (!call->buffer[i])
                abort();
            call->buffer_bytes[i] = bytes;
            memset(call->buffer[i], 0, bytes);
            fill(&random, seed != 0, desc, o->global->dtype, call->buffer[i], (int64_t)count);
            o->global->data = call->buffer[i];
            o->global->begin = call->buffer[i];
            o->global->end = (char *)call->buffer[i] + bytes;
        }
    }
}

void configuration_end(configuration_call *call) {
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        free(call->buffer[i]);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes) {
    const uint8_t *p = data;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 32;
    }
    for (; bytes; bytes--)
        hash = (hash ^ *p++) * UINT64_C(1099511628211);
    return hash;
}

uint64_t configuration_hash(const configuration_call *call) {
    uint64_t hash = UINT64_C(14695981039346656037);
    const pto_form_desc *form = pto_form_get(call->instr.form);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand *o = &call->instr.operand[i];
        if (o->kind == PTO_OPERAND_TILE && o->tile->data) {
            hash = hash_bytes(hash, &o->tile->valid_rows, sizeof o->tile->valid_rows);
            hash = hash_bytes(hash, &o->tile->valid_cols, sizeof o->tile->valid_cols);
            hash = hash_bytes(hash, o->tile->data, (size_t)pto_tile_type_bytes(&o->tile->type));
        } else if (o->kind == PTO_OPERAND_GLOBAL) {
            hash = hash_bytes(hash, call->buffer[i], call->buffer_bytes[i]);
        }
    }
    return hash_bytes(hash, &call->counts, sizeof call->counts);
}

static size_t conv_bytes(const configuration *c, int i) {
    int64_t dims[6];
    size_t elements = 1;
    for (int d = 0, rank = conv_extents(c, i, dims); d < rank; d++)
        elements *= (size_t)dims[d];
    return elements * pto_dtype_bits(c->operand[i].tile.dtype) / 8;
}

size_t configuration_bytes(const configuration *c) {
    const pto_form_desc *form = pto_form_get(c->form);
    size_t bytes = 0;
    for (int i = 0; i < form->operand_count; i++) {
        const configuration_operand *o = &c->operand[i];
        if (form->operand[i].conv == PTO_CONV_YES || (form->operand[i].is_global && has_conv(form)))
            bytes += conv_bytes(c, i);
        else if (o->present &&
                 (form->operand[i].is_global || (is_tile(&form->operand[i]) && o->tile.shares < 0)))
            bytes +=
                (size_t)o->tile.valid_rows * (size_t)o->tile.valid_cols * pto_dtype_bits(o->tile.dtype) / 8;
    }
    return bytes;
}

void configuration_text(const configuration *c, char *text, size_t size) {
    static const char *const layouts[] = {"ND", "DN", "Nz", "Zn", "Zz", "Nn"};
    const pto_form_desc *form = pto_form_get(c->form);
    int n = snprintf(text, size, "%s %s on %s:", form->mnemonic, form->form, pto_target_name(c->target));
    for (int i = 0; i < form->operand_count && n > 0 && (size_t)n < size; i++) {
        const configuration_operand *o = &c->operand[i];
        const pto_operand_desc *desc = &form->operand[i];
        char *end = text + n;
        size_t room = size - (size_t)n;
        if (!o->present)
            n += snprintf(end, room, " %s absent", desc->name);
        else if (desc->role == PTO_ROLE_SCALAR || desc->role == PTO_ROLE_ATTR)
            n += snprintf(end, room, " %s %lld", desc->name, (long long)o->scalar.i);
        else if (desc->conv == PTO_CONV_YES || (desc->is_global && has_conv(form)))
            n += snprintf(end, room, " %s %s %s", desc->name, pto_layout_name(o->layout),
                          pto_dtype_name(o->tile.dtype));
        else if (is_tile(desc))
            n += snprintf(end, room, " %s %s %s %s %dx%d%s", desc->name, pto_loc_name(o->tile.loc),
                          pto_dtype_name(o->tile.dtype), layouts[o->tile.layout], o->tile.valid_rows,
                          o->tile.valid_cols, o->tile.shares >= 0 ? " shared" : "");
        else
            n += snprintf(end, room, " %s %s %dx%d", desc->name, pto_dtype_name(o->tile.dtype),
                          o->tile.valid_rows, o->tile.valid_cols);
    }
}
