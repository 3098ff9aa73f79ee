/* SPDX-License-Identifier: Apache-2.0 */
/* From a straight-line entry to TileOp blocks: which operation of the block form does what an instruction
 * does, on which versions of its tiles. What gives other bits in block form (70, 11) is refused; what does so
 * only when a NaN or a zero divisor is met is told as a warning. */
#include "emit/blocks.h"

#include "block/execute.h"
#include "isa/legality.h"
#include "number/convert.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <stdarg.h>
#include <string.h>

enum {
    NO_VERSION = -1,
    MOST_ARGUMENTS = 8,
    LEAST_BYTES = 128,
    MOST_BYTES = 256 << 10,
    MOST_LIVE = 512 << 10
};

static void tell(pto_blocks *b, const pto_operation *op, pto_severity severity, const char *id,
                 const char *found) {
    const pto_rule_text *rule = pto_rule_find(id);
    pto_where where =
        b->program->source ? pto_at(b->program->source, op->span.begin, op->span.end) : pto_nowhere();
    pto_diag_add(b->diags, severity, id, where, "%s", rule ? rule->title : "no block form");
    pto_diag_found(b->diags, "%s", found);
    if (rule && rule->fix)
        pto_diag_fix(b->diags, "%s", rule->fix);
}

void pto_blocks_refuse(pto_blocks *b, const pto_operation *op, const char *format, ...) {
    if (b->failed)
        return;
    b->failed = true;
    va_list arguments;
    va_start(arguments, format);
    tell(b, op, PTO_ERROR, "PTO-E0264", pto_arena_vprintf(b->arena, format, arguments));
    va_end(arguments);
}

/* ---- types ---- */

static int type_of(pto_dtype dtype) {
    switch (dtype) {
    case PTO_F32:
        return BT_FP32;
    case PTO_F16:
        return BT_FP16;
    case PTO_BF16:
        return BT_BF16;
    case PTO_E4M3:
        return BT_E4M3;
    case PTO_E5M2:
        return BT_E5M2;
    case PTO_S64:
        return BT_S64;
    case PTO_S32:
        return BT_S32;
    case PTO_S16:
        return BT_S16;
    case PTO_S8:
        return BT_S8;
    case PTO_U64:
        return BT_U64;
    case PTO_U32:
        return BT_U32;
    case PTO_U16:
        return BT_U16;
    case PTO_U8:
        return BT_U8;
    default:
        return -1;
    }
}

/* ---- tiles ---- */

typedef struct extents {
    unsigned type;
    pto_dtype dtype;
    int32_t rows, cols;
    bool known;
} extents;

/* The valid region of a tile, which must be known. */
static extents extents_of(pto_blocks *b, const pto_operation *op, const pto_value *tile) {
    extents e = {0};
    pto_tile_type type = pto_fact_handle_type(tile);
    const pto_value *root = pto_fact_tile_root(tile);
    int64_t valid[2] = {type.valid_rows, type.valid_cols};
    if (root != tile || !root->def || root->def->kind != PTO_OPK_ALLOC_TILE) {
        pto_blocks_refuse(b, op, "a view of a tile, or a tile that comes from elsewhere");
        return e;
    }
    for (uint32_t d = 0; d < 2; d++) {
        uint32_t first, count = pto_fact_segment(root->def, 1 + d, &first);
        if (count && !pto_fact_int(root->def->operand[first], &valid[d]))
            valid[d] = PTO_UNKNOWN;
    }
    int code = type_of(type.dtype);
    if (code < 0)
        pto_blocks_refuse(b, op, "elements of %s", pto_dtype_name(type.dtype));
    else if (valid[0] < 0 || valid[1] < 0)
        pto_blocks_refuse(b, op, "a valid region that only the run knows");
    else if (valid[0] == 0 || valid[1] == 0)
        pto_blocks_refuse(b, op, "an empty valid region");
    else
        e = (extents){.type = (unsigned)code,
                      .dtype = type.dtype,
                      .rows = (int32_t)valid[0],
                      .cols = (int32_t)valid[1],
                      .known = true};
    return e;
}

static uint32_t register_bytes(uint64_t bytes) {
    uint32_t size = LEAST_BYTES;
    while (size < bytes && size <= MOST_BYTES)
        size *= 2;
    return size;
}

/* The version that a tile holds: -1 after a refusal. */
static int32_t read_tile(pto_blocks *b, const pto_operation *op, const pto_value *tile) {
    const int64_t *at = pto_value_map_find(&b->at, tile);
    if (b->acc == tile && tile)
        pto_blocks_refuse(b, op, "an accumulator as a source");
    else if (!at || *at == NO_VERSION)
        pto_blocks_refuse(b, op, "a tile that nothing has written");
    return b->failed ? NO_VERSION : (int32_t)*at;
}

static int32_t new_version(pto_blocks *b, const pto_operation *op, unsigned type, int32_t rows, int32_t cols,
                           bool predicate) {
    uint64_t bits = (uint64_t)rows * (uint64_t)cols * (predicate ? 1 : pto_block_type_bits(type));
    pto_blocks_version v = {.type = type,
                            .rows = rows,
                            .cols = cols,
                            .bytes = register_bytes((bits + 7) / 8),
                            .predicate = predicate,
                            .by = (int32_t)b->record.count,
                            .last = -1};
    if (v.bytes > MOST_BYTES)
        pto_blocks_refuse(b, op, "a tile of more than 256 KB");
    pto_vec_push(b->arena, &b->version, v);
    return (int32_t)b->version.count - 1;
}

static void push_record(pto_blocks *b, pto_blocks_record r) {
    if (!r.extra)
        r.extra = "";
    if (!b->failed)
        pto_vec_push(b->arena, &b->record, r);
}

static bool same_extents(const pto_blocks_version *v, int32_t rows, int32_t cols) {
    return v->rows == rows && v->cols == cols;
}

/* ---- scalars ---- */

static pto_blocks_scalar scalar_of(pto_blocks *b, const pto_operation *op, const pto_value *value,
                                   pto_dtype dtype) {
    int64_t integer;
    double number;
    const int64_t *argument = pto_value_map_find(&b->number, value);
    unsigned bits = pto_dtype_bits(dtype);
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    if (argument && pto_type_dtype(value->type) == dtype)
        return (pto_blocks_scalar){.kind = SCALAR_ARGUMENT, .argument = (uint32_t)*argument};
    if (pto_dtype_is_float(dtype) && pto_fact_float(value, &number))
        return (pto_blocks_scalar){
            .kind = SCALAR_BITS, .bits = pto_number_from_double(dtype, number, PTO_CAST_NONE, false) & mask};
    if (!pto_dtype_is_float(dtype) && pto_fact_int(value, &integer))
        return (pto_blocks_scalar){.kind = SCALAR_BITS, .bits = (uint64_t)integer & mask};
    pto_blocks_refuse(b, op, "a scalar that is neither a constant nor an argument of the element type");
    return (pto_blocks_scalar){0};
}

/* ---- memory ---- */

typedef struct window {
    uint32_t argument;
    int64_t offset;   /* elements */
    int64_t shape[2]; /* rows, cols */
    int64_t stride;   /* of rows, in elements */
    pto_dtype dtype;
} window;

/* Elements that partitions add to the start of a view, down to its pointer. */
static bool find_base(pto_blocks *b, const pto_value *view, window *w) {
    const pto_operation *op = view->def;
    pto_view_facts facts;
    if (op && op->kind == PTO_OPK_PARTITION_VIEW && pto_fact_view(op->operand[0], &facts)) {
        uint32_t first, count = pto_fact_segment(op, 1, &first);
        for (uint32_t i = 0; i < count && count <= 5; i++) {
            int64_t at, step = facts.stride[5 - count + i];
            if (!pto_fact_int(op->operand[first + i], &at) || (at && step < 0))
                return false;
            w->offset += at ? at * step : 0;
        }
        return find_base(b, op->operand[0], w);
    }
    if (op && (op->kind == PTO_OPK_MAKE_TENSOR_VIEW || op->kind == PTO_OPK_ADDPTR)) {
        int64_t at = 0;
        if (op->kind == PTO_OPK_ADDPTR && !pto_fact_int(op->operand[1], &at))
            return false;
        w->offset += at;
        return find_base(b, op->operand[0], w);
    }
    const int64_t *argument = pto_value_map_find(&b->number, view);
    w->argument = argument ? (uint32_t)*argument : 0;
    return argument && w->offset >= 0;
}

static bool window_of(pto_blocks *b, const pto_operation *op, const pto_value *view, window *w) {
    pto_view_facts facts;
    *w = (window){0};
    if (!pto_fact_view(view, &facts) || !find_base(b, view, w)) {
        pto_blocks_refuse(b, op, "a view whose start only the run knows");
        return false;
    }
    const int64_t *shape = facts.shape, *stride = facts.stride;
    if (shape[0] != 1 || shape[1] != 1 || shape[2] != 1 || shape[3] < 0 || shape[4] < 0 ||
        (shape[3] > 1 && stride[3] < 0)) {
        pto_blocks_refuse(b, op, "a view that is not of rows and columns of known extents and strides");
        return false;
    }
    if (facts.layout != PTO_LAYOUT_ND && !(facts.layout == PTO_LAYOUT_DN && shape[4] == 1)) {
        pto_blocks_refuse(b, op, "a view in layout %s", pto_layout_name(facts.layout));
        return false;
    }
    if (shape[4] > 1 && stride[4] != 1) {
        pto_blocks_refuse(b, op, "columns that do not follow each other in memory");
        return false;
    }
    w->dtype = facts.dtype;
    w->shape[0] = shape[3];
    w->shape[1] = shape[4];
    w->stride = shape[3] > 1 ? stride[3] : shape[4];
    return true;
}

static void set_window(pto_blocks_record *r, const window *w) {
    uint64_t size = pto_dtype_bits(w->dtype) / 8;
    r->lb[0] = (int32_t)w->shape[1];
    r->lb[1] = (int32_t)w->shape[0];
    r->lbs = 2;
    r->scalar[0] = (pto_blocks_scalar){
        .kind = SCALAR_ADDRESS, .bits = (uint64_t)w->offset * size, .argument = w->argument};
    if (w->stride != w->shape[1])
        r->scalar[1] = (pto_blocks_scalar){.kind = SCALAR_BITS, .bits = (uint64_t)w->stride * size};
}

static const pto_block_op *named(const char *name) { return pto_block_op_named(pto_str_from(name)); }

static void write_tile(pto_blocks *b, const pto_value *tile, int32_t version) {
    if (b->acc == tile)
        b->acc = NULL;
    pto_value_map_set(&b->at, tile, version);
}

static void load(pto_blocks *b, const pto_operation *op) {
    const pto_value *tile = pto_instr_value(op, pto_form_operand_index(pto_form_get(op->form), "dst"));
    const pto_value *view = pto_instr_value(op, pto_form_operand_index(pto_form_get(op->form), "src"));
    window w;
    extents e = extents_of(b, op, tile);
    if (!e.known || !window_of(b, op, view, &w))
        return;
    if (w.shape[0] != e.rows || w.shape[1] != e.cols || w.dtype != e.dtype) {
        pto_blocks_refuse(b, op, "%lld x %lld elements of memory and a tile with %d x %d valid ones",
                          (long long)w.shape[0], (long long)w.shape[1], e.rows, e.cols);
        return;
    }
    pto_blocks_record r = {.op = named("TLOAD"), .from = op, .type = e.type};
    set_window(&r, &w);
    r.dst = new_version(b, op, e.type, e.rows, e.cols, false);
    push_record(b, r);
    write_tile(b, tile, r.dst);
}

/* What ACC holds becomes a version: it can be read once, and nothing is added to it any more. */
static void convert_acc(pto_blocks *b, const pto_operation *op, const pto_value *tile) {
    extents e = extents_of(b, op, tile);
    if (!e.known)
        return;
    pto_blocks_record r = {.op = named("ACCCVT"), .from = op, .type = e.type, .modifier = "NZ2ND"};
    r.lb[0] = e.rows;
    r.lb[1] = e.cols;
    r.lbs = 2;
    r.extra = pto_arena_printf(b->arena, ", %s", pto_block_type_name(e.type));
    r.dst = new_version(b, op, e.type, e.rows, e.cols, false);
    push_record(b, r);
    write_tile(b, tile, r.dst);
}

static void store(pto_blocks *b, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_value *tile = pto_instr_value(op, pto_form_operand_index(form, "src"));
    const pto_value *view = pto_instr_value(op, pto_form_operand_index(form, "dst"));
    window w;
    if (b->acc == tile && tile)
        convert_acc(b, op, tile);
    if (b->failed || !window_of(b, op, view, &w))
        return;
    int32_t version = read_tile(b, op, tile);
    if (b->failed)
        return;
    const pto_blocks_version *v = &b->version.data[version];
    if (v->predicate || w.shape[0] != v->rows || w.shape[1] != v->cols ||
        pto_dtype_bits(w.dtype) != pto_block_type_bits(v->type) ||
        pto_dtype_is_float(w.dtype) != pto_block_type_is_float(v->type)) {
        pto_blocks_refuse(b, op, "%lld x %lld elements of %s in memory for a tile with %d x %d of %s",
                          (long long)w.shape[0], (long long)w.shape[1], pto_dtype_name(w.dtype), v->rows,
                          v->cols, v->predicate ? "bits" : pto_block_type_name(v->type));
        return;
    }
    pto_blocks_record r = {
        .op = named("TSTORE"), .from = op, .type = v->type, .dst = -1, .src = {version}, .srcs = 1};
    set_window(&r, &w);
    push_record(b, r);
}

/* Values are written once, so that a copy is another name; out of ACC it is a conversion. */
static void move(pto_blocks *b, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_value *src = pto_instr_value(op, pto_form_operand_index(form, "src"));
    const pto_value *dst = pto_instr_value(op, pto_form_operand_index(form, "dst"));
    if (b->acc == src && src)
        convert_acc(b, op, src);
    extents e = extents_of(b, op, dst);
    if (b->failed)
        return;
    int32_t version = read_tile(b, op, src);
    if (b->failed)
        return;
    const pto_blocks_version *v = &b->version.data[version];
    if (v->type != e.type || !same_extents(v, e.rows, e.cols))
        pto_blocks_refuse(b, op, "a move between other types or valid regions");
    else
        write_tile(b, dst, version);
}

/* ---- the cube ---- */

static void product(pto_blocks *b, const pto_operation *op, const pto_block_op *block) {
    const pto_form_desc *form = pto_form_get(op->form);
    static const char *const sources[] = {"a", "b", "bias"};
    const pto_value *dst = pto_instr_value(op, pto_form_operand_index(form, "dst"));
    int old = pto_form_operand_index(form, "cIn");
    bool adds = strstr(form->mnemonic, "_ACC") != NULL;
    extents e = extents_of(b, op, dst);
    pto_blocks_record r = {.op = block, .from = op, .dst = -1, .acc = true, .lbs = 3};
    if (adds && old >= 0 && pto_instr_value(op, old) && pto_instr_value(op, old) != dst)
        pto_blocks_refuse(b, op, "a sum into another accumulator than it continues");
    else if (adds && b->acc != dst)
        pto_blocks_refuse(b, op, "an accumulator that ACC no longer holds");
    for (int i = 0; i < 3 && !b->failed; i++) {
        int position = pto_form_operand_index(form, sources[i]);
        if (position >= 0 && pto_instr_value(op, position))
            r.src[r.srcs++] = read_tile(b, op, pto_instr_value(op, position));
    }
    if (b->failed || !e.known)
        return;
    const pto_blocks_version *x = &b->version.data[r.src[0]], *y = &b->version.data[r.src[1]];
    if (!(block->types >> x->type & 1) || x->rows != e.rows || y->cols != e.cols || x->cols != y->rows) {
        pto_blocks_refuse(b, op, "%d x %d times %d x %d elements of %s", x->rows, x->cols, y->rows, y->cols,
                          pto_block_type_name(x->type));
        return;
    }
    r.type = x->type;
    if (y->type != x->type)
        r.extra = pto_arena_printf(b->arena, ", %s", pto_block_type_name(y->type));
    r.lb[0] = e.rows;
    r.lb[1] = e.cols;
    r.lb[2] = x->cols;
    push_record(b, r);
    if (b->acc && b->acc != dst) /* what it held is gone */
        pto_value_map_set(&b->at, b->acc, NO_VERSION);
    b->acc = dst;
    pto_value_map_set(&b->at, dst, NO_VERSION);
}

/* ---- instructions of the vector core ---- */

static const pto_block_op *block_of(pto_form form) {
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        if (op && op->form == (int16_t)form && op->geometry != GEOMETRY_UNBUILT)
            return op;
    }
    return NULL;
}

/* Attributes that the block form has no word for must be at their defaults. */
static bool plain_attributes(pto_blocks *b, const pto_operation *op, const char *codes) {
    const pto_form_desc *form = pto_form_get(op->form);
    size_t count = strlen(codes);
    for (int i = 0; i < form->operand_count; i++) {
        int64_t value;
        if (form->operand[i].role != PTO_ROLE_ATTR || ((size_t)i < count && codes[i] != '-'))
            continue;
        if (!pto_fact_attr(op, i, &value) || value != form->operand[i].attr_default) {
            pto_blocks_refuse(b, op, "%s with an attribute %s of its own", form->mnemonic,
                              form->operand[i].name);
            return false;
        }
    }
    return true;
}

static bool is_one_of(pto_form form, const pto_form *forms, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (forms[i] == form)
            return true;
    return false;
}
#define IS_ONE_OF(form, ...)                                                                                 \
    is_one_of(form, (const pto_form[]){__VA_ARGS__}, sizeof((pto_form[]){__VA_ARGS__}) / sizeof(pto_form))

/* Where the values of the two forms differ (70, 11). */
static void compare_values(pto_blocks *b, const pto_operation *op, const pto_blocks_record *r) {
    pto_form f = op->form;
    unsigned type = r->type;
    bool is_float = pto_block_type_is_float(type);
    if (is_float && IS_ONE_OF(f, PTO_FORM_TROWSUM, PTO_FORM_TCOLSUM, PTO_FORM_TROWPROD, PTO_FORM_TCOLPROD))
        pto_blocks_refuse(b, op, "%s of %s, whose partial results are rounded in another order in block form",
                          pto_form_get(f)->mnemonic, pto_block_type_name(type));
    bool nan = is_float && IS_ONE_OF(f, PTO_FORM_TMAX, PTO_FORM_TMIN, PTO_FORM_TMAXS, PTO_FORM_TMINS,
                                     PTO_FORM_TROWMAX, PTO_FORM_TROWMIN, PTO_FORM_TCOLMAX, PTO_FORM_TCOLMIN,
                                     PTO_FORM_TROWARGMAX, PTO_FORM_TROWARGMIN, PTO_FORM_TCOLARGMAX,
                                     PTO_FORM_TCOLARGMIN, PTO_FORM_TROWEXPANDMAX, PTO_FORM_TROWEXPANDMIN,
                                     PTO_FORM_TCOLEXPANDMAX, PTO_FORM_TCOLEXPANDMIN);
    bool zero = !is_float &&
                IS_ONE_OF(f, PTO_FORM_TDIV, PTO_FORM_TDIVS, PTO_FORM_TREM, PTO_FORM_TREMS, PTO_FORM_TFMOD,
                          PTO_FORM_TFMODS, PTO_FORM_TROWEXPANDDIV, PTO_FORM_TCOLEXPANDDIV);
    if (r->scalar[0].kind == SCALAR_BITS && r->scalar[0].bits) /* a divisor that is known */
        zero = false;
    bool minus_zero = is_float && f == PTO_FORM_TRSQRT;
    if (!b->failed && (nan || zero || minus_zero))
        tell(b, op, PTO_WARNING, "PTO-W0265",
             pto_arena_printf(b->arena, "%s: %s", pto_form_get(f)->mnemonic,
                              nan    ? "of a NaN and a number the block gives the number"
                              : zero ? "a zero divisor is a fault"
                                     : "of -0 the block gives +Inf"));
}

/* The sources as the geometry wants them, for `cols` x `rows` of LB0, LB1; what the block pushes. */
static bool fits(pto_blocks *b, const pto_blocks_record *r, int32_t rows, int32_t cols) {
    for (int i = 0; i < r->srcs; i++) {
        const pto_blocks_version *v = &b->version.data[r->src[i]];
        bool mask = r->op->geometry == GEOMETRY_SELECT && i == 0;
        int32_t want_rows = rows, want_cols = cols;
        if (r->op->geometry == GEOMETRY_ROW_EXPAND || (r->op->geometry == GEOMETRY_ROW_BROADCAST && i == 1))
            want_cols = 1;
        if (r->op->geometry == GEOMETRY_COL_EXPAND || (r->op->geometry == GEOMETRY_COL_BROADCAST && i == 1))
            want_rows = 1;
        if (v->predicate != mask || !same_extents(v, want_rows, want_cols) || (!mask && v->type != r->type)) {
            pto_blocks_refuse(b, r->from, "a source with %d x %d %s where the block takes %d x %d of %s",
                              v->rows, v->cols, v->predicate ? "bits" : pto_block_type_name(v->type),
                              want_rows, want_cols, mask ? "a comparison" : pto_block_type_name(r->type));
            return false;
        }
    }
    return true;
}

/* The rounding and saturation that the pair has in the library, in words. */
static const char *conversion(pto_blocks *b, const pto_operation *op, unsigned from, unsigned to) {
    static const char *const modes[] = {"NONE", "RNE", "RNA", "RDN", "RUP", "RTZ", "RTO"};
    const pto_form_desc *form = pto_form_get(op->form);
    int64_t mode, sat;
    if (!pto_fact_attr(op, pto_form_operand_index(form, "mode"), &mode) ||
        !pto_fact_attr(op, pto_form_operand_index(form, "sat"), &sat)) {
        pto_blocks_refuse(b, op, "an attribute without meaning");
        return "";
    }
    pto_cvt_rule rule = pto_cvt_resolve(pto_block_format(to), pto_block_format(from), (pto_round_mode)mode,
                                        (pto_sat_mode)sat);
    if (mode == PTO_CAST_NONE)
        mode = rule.mode;
    if (mode < PTO_CAST_RINT || mode > PTO_CAST_ODD) {
        pto_blocks_refuse(b, op, "a rounding mode without a block form");
        return "";
    }
    return pto_arena_printf(b->arena, ", %s, %s%s", pto_block_type_name(to), modes[mode],
                            rule.saturate ? ", Sat" : "");
}

static void instruction(pto_blocks *b, const pto_operation *op, const pto_block_op *block) {
    static const char *const relations[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    const pto_form_desc *form = pto_form_get(op->form);
    pto_blocks_record r = {.op = block, .from = op};
    const pto_value *dst = NULL;
    int scalars = 0;
    if (!plain_attributes(b, op, block->operands))
        return;
    for (int letter = 'A'; letter <= 'C'; letter++) /* in the order of B.IOT */
        for (int i = 0; block->operands[i] && !b->failed; i++)
            if (block->operands[i] == letter) {
                const pto_value *value = pto_instr_value(op, i);
                r.src[r.srcs++] = value ? read_tile(b, op, value) : NO_VERSION;
            }
    for (int i = 0; block->operands[i] && !b->failed; i++) {
        const pto_value *value = pto_instr_value(op, i);
        if (block->operands[i] == 'D')
            dst = value;
    }
    if (b->failed || !dst)
        return;
    if (block->geometry == GEOMETRY_FUSED) { /* a x b + what was there */
        r.src[r.srcs++] = read_tile(b, op, dst);
    } else if (block->geometry == GEOMETRY_UPDATE) {
        r.src[1] = r.src[0];
        r.src[0] = read_tile(b, op, dst);
        r.srcs = 2;
    }
    extents e = extents_of(b, op, dst);
    if (b->failed || !e.known)
        return;
    int32_t rows = e.rows, cols = e.cols;
    unsigned result = e.type;
    bool predicate = block->geometry == GEOMETRY_COMPARE;
    r.type = r.srcs ? b->version.data[r.src[r.srcs - 1]].type : e.type;
    switch (block->geometry) {
    case GEOMETRY_ROW_REDUCE:
    case GEOMETRY_COL_REDUCE:
    case GEOMETRY_ROW_ARG:
    case GEOMETRY_COL_ARG:
    case GEOMETRY_COMPARE: /* dimensions of the source */
    case GEOMETRY_TRANSPOSE:
        rows = b->version.data[r.src[0]].rows;
        cols = b->version.data[r.src[0]].cols;
        break;
    default:
        break;
    }
    int32_t to_rows = rows, to_cols = cols;
    bool by_row = block->geometry == GEOMETRY_ROW_REDUCE || block->geometry == GEOMETRY_ROW_ARG;
    bool by_col = block->geometry == GEOMETRY_COL_REDUCE || block->geometry == GEOMETRY_COL_ARG;
    if (by_row)
        to_cols = 1;
    if (by_col)
        to_rows = 1;
    if (block->geometry == GEOMETRY_TRANSPOSE) {
        to_rows = cols;
        to_cols = rows;
    }
    if (block->geometry == GEOMETRY_ROW_ARG || block->geometry == GEOMETRY_COL_ARG) {
        if (pto_dtype_bits(e.dtype) != 32)
            pto_blocks_refuse(b, op, "positions of %s", pto_dtype_name(e.dtype));
        result = BT_U32;
    } else if (!predicate && block->geometry != GEOMETRY_CONVERT && result != r.type) {
        pto_blocks_refuse(b, op, "%s from %s to %s", form->mnemonic, pto_block_type_name(r.type),
                          pto_block_type_name(result));
    }
    if (!predicate && (to_rows != e.rows || to_cols != e.cols))
        pto_blocks_refuse(b, op, "a result of %d x %d for a tile with %d x %d valid elements", to_rows,
                          to_cols, e.rows, e.cols);
    if (!(block->types >> r.type & 1))
        pto_blocks_refuse(b, op, "%s of %s", form->mnemonic, pto_block_type_name(r.type));
    if (b->failed || !fits(b, &r, rows, cols))
        return;
    for (int i = 0; block->operands[i] && !b->failed; i++) {
        int64_t value = 0;
        switch (block->operands[i]) {
        case 's':
            r.scalar[scalars++] = scalar_of(b, op, pto_instr_value(op, i), pto_block_dtype(r.type));
            break;
        case 'g':
            if (!pto_fact_attr(op, i, &value))
                pto_blocks_refuse(b, op, "a flag without meaning");
            r.scalar[scalars++] = (pto_blocks_scalar){.kind = SCALAR_BITS, .bits = value != 0};
            break;
        case 'c':
            if (!pto_fact_attr(op, i, &value) || value < 0 || value > 5)
                pto_blocks_refuse(b, op, "a comparison without a block form");
            else
                r.modifier = relations[value];
            break;
        default:
            break;
        }
    }
    if (block->geometry == GEOMETRY_CONVERT)
        r.extra = conversion(b, op, r.type, result);
    compare_values(b, op, &r);
    if (b->failed)
        return;
    r.lb[0] = cols;
    r.lb[1] = rows;
    r.lbs = 2;
    r.dst = new_version(b, op, predicate ? r.type : result, to_rows, to_cols, predicate);
    push_record(b, r);
    write_tile(b, dst, r.dst);
}

/* ---- operations ---- */

static bool has_block_geometry(const pto_block_op *block) {
    return block && (block->geometry <= GEOMETRY_COL_BROADCAST || block->geometry == GEOMETRY_SEQUENCE ||
                     block->geometry == GEOMETRY_TRANSPOSE);
}

static void operation(pto_blocks *b, const pto_operation *op) {
    if (pto_fact_sync(op).kind != PTO_SYNC_NOTHING) /* blocks commit in order */
        return;
    switch (op->kind) {
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
    case PTO_OPK_ADDPTR:
    case PTO_OPK_ALLOC_TILE:
    case PTO_OPK_RETURN:
        return;
    case PTO_OPK_INSTR:
        break;
    default: /* arithmetic is folded where it is used */
        if (op->region_count || !op->result_count || op->kind == PTO_OPK_CALL ||
            !pto_type_is_scalar(op->result[0]->type))
            pto_blocks_refuse(b, op, "%s",
                              pto_op_kind_name(op->kind) ? pto_op_kind_name(op->kind) : "an operation");
        return;
    }
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_block_op *block = block_of(op->form);
    switch ((int)op->form) {
    case PTO_FORM_TLOAD:
        if (plain_attributes(b, op, ""))
            load(b, op);
        return;
    case PTO_FORM_TSTORE:
        if (plain_attributes(b, op, ""))
            store(b, op);
        return;
    case PTO_FORM_TMOV:
        if (plain_attributes(b, op, ""))
            move(b, op);
        return;
    case PTO_FORM_TMATMUL_ACC_IN_PLACE:
        block = named("TMATMUL.ACC");
        break;
    default:
        break;
    }
    if (block && block->geometry == GEOMETRY_MATMUL && plain_attributes(b, op, ""))
        product(b, op, block);
    else if (has_block_geometry(block))
        instruction(b, op, block);
    else if (!b->failed)
        pto_blocks_refuse(b, op, "%s%s%s has no block form that does the same", form->mnemonic,
                          *form->form ? " " : "", form->form);
}

/* ---- which records are needed, how long versions live ---- */

/* Products add to one accumulator: they are needed when its conversion is. */
static void find_lives(pto_blocks *b) {
    bool acc_needed = false;
    for (size_t i = b->record.count; i-- > 0;) {
        pto_blocks_record *r = &b->record.data[i];
        bool converts = r->op->geometry == GEOMETRY_ACCCVT;
        r->live = r->acc ? acc_needed : r->dst < 0 || b->version.data[r->dst].last >= 0;
        if (converts && r->live)
            acc_needed = true;
        if (r->acc && !strstr(r->op->name, ".ACC"))
            acc_needed = false; /* the first of its chain */
        for (int s = 0; s < r->srcs && r->live; s++)
            if (b->version.data[r->src[s]].last < (int32_t)i)
                b->version.data[r->src[s]].last = (int32_t)i;
    }
}

/* What lives at once has 512 KB (70, 3.4). */
static void check_room(pto_blocks *b) {
    uint64_t live = 0;
    for (size_t i = 0; i < b->record.count && !b->failed; i++) {
        const pto_blocks_record *r = &b->record.data[i];
        if (!r->live)
            continue;
        if (r->dst >= 0)
            live += b->version.data[r->dst].bytes;
        if (live > MOST_LIVE)
            pto_blocks_refuse(b, r->from, "tiles of %llu bytes that live at once, of %d",
                              (unsigned long long)live, MOST_LIVE);
        for (int s = 0; s < r->srcs; s++) {
            bool again = false;
            for (int k = 0; k < s; k++)
                again |= r->src[k] == r->src[s];
            if (!again && b->version.data[r->src[s]].last == (int32_t)i)
                live -= b->version.data[r->src[s]].bytes;
        }
    }
}

/* Two tiles with one address (level 3) must not lend each other their bytes. */
static bool overlap(const pto_operation *x, const pto_operation *y) {
    uint64_t a, c;
    if (!pto_fact_tile_addr(x->result[0], &a) || !pto_fact_tile_addr(y->result[0], &c))
        return false;
    const pto_tile_type *s = &x->result[0]->type->tile, *t = &y->result[0]->type->tile;
    return s->loc == t->loc && a < c + pto_tile_type_bytes(t) && c < a + pto_tile_type_bytes(s);
}

/* From its first write in the text to its last mention. */
static void span_of(const pto_block *body, const pto_value *tile, int32_t *first, int32_t *last) {
    int32_t at = 0;
    *first = *last = -1;
    for (const pto_operation *op = body->first; op; op = op->next, at++)
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (op->operand[i] == tile) {
                *first = *first < 0 ? at : *first;
                *last = at;
            }
}

static void check_overlaps(pto_blocks *b, const pto_block *body) {
    for (const pto_operation *x = body->first; x && !b->failed; x = x->next)
        for (const pto_operation *y = x->next; y && x->kind == PTO_OPK_ALLOC_TILE; y = y->next) {
            int32_t x_first, x_last, y_first, y_last;
            if (y->kind != PTO_OPK_ALLOC_TILE || !overlap(x, y))
                continue;
            span_of(body, x->result[0], &x_first, &x_last);
            span_of(body, y->result[0], &y_first, &y_last);
            if (x_first >= 0 && y_first >= 0 && x_first <= y_last && y_first <= x_last) {
                pto_blocks_refuse(b, y, "two tiles in use at one address");
                return;
            }
        }
}

/* ---- all of it ---- */

static pto_status write_blocks(pto_blocks *b, pto_write_fn write, void *context) {
    const pto_operation *entry = pto_program_entry(b->program, NULL, b->diags);
    if (!entry)
        return PTO_ERR_REFUSED;
    const pto_block *body = pto_function_body(entry);
    if (b->program->dialect == PTO_DIALECT_AS || b->program->dialect == PTO_DIALECT_LEVEL1)
        pto_blocks_refuse(b, entry, "%s; convert it to level2 first", pto_dialect_name(b->program->dialect));
    else if (body->next)
        pto_blocks_refuse(b, entry, "branches between blocks");
    else if (body->arg_count > MOST_ARGUMENTS)
        pto_blocks_refuse(b, entry, "%u parameters, of 8 registers a0..a7", body->arg_count);
    for (uint32_t i = 0; i < body->arg_count && !b->failed; i++) {
        if (pto_type_is_tile(body->arg[i]->type))
            pto_blocks_refuse(b, entry, "a tile as a parameter");
        pto_value_map_set(&b->number, body->arg[i], i);
    }
    if (!b->failed)
        check_overlaps(b, body);
    for (const pto_operation *op = body->first; op && !b->failed; op = op->next)
        operation(b, op);
    if (b->failed)
        return PTO_ERR_REFUSED;
    find_lives(b);
    check_room(b);
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    if (b->failed || !pto_blocks_write(b, entry, &sink))
        return PTO_ERR_REFUSED;
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}

pto_status pto_emit_tile_blocks(pto_program *program, pto_write_fn write, void *context,
                                pto_diag_list *diags) {
    pto_arena arena;
    jmp_buf failure;
    pto_arena_init(&arena, 0);
    pto_blocks b = {.program = program,
                    .arena = &arena,
                    .diags = diags,
                    .at = {.arena = &arena},
                    .number = {.arena = &arena}};
    pto_status status;
    if (setjmp(failure)) {
        status = arena.failure;
    } else {
        arena.on_failure = &failure;
        status = write_blocks(&b, write, context);
    }
    pto_arena_free(&arena);
    return status;
}
