/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as PTO-BC (60, 5): the same bytes as the released encoder's where that has an encoding, the
 * generic operation for the rest. Strings, types, dictionaries and constants are numbered at their first use
 * (5.4). */
#include "base/map.h"
#include "base/sink.h"
#include "base/vec.h"
#include "bytecode/bytecode.h"
#include "number/format.h"
#include "program/facts.h"
#include "program/value_map.h"
#include "text/mlir.h"
#include "text/print.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef PTO_VEC(uint8_t) bytes;

typedef struct pool {
    pto_map index; /* key -> number */
    uint32_t count;
    bytes out;
} pool;

typedef struct writer {
    pto_arena *arena;
    const pto_program *program;
    pto_diag_list *diags;
    bool strict, refused;
    pool strings, types, attrs, constants;
    pto_value_map values;
    uint32_t value_count;
    bytes module;
} writer;

/* ---- bytes ------------------------------------------------------------------------------------- */

static void put8(writer *w, bytes *out, unsigned value) { pto_vec_push(w->arena, out, (uint8_t)value); }

static void put16(writer *w, bytes *out, unsigned value) {
    put8(w, out, value & 255);
    put8(w, out, value >> 8);
}

static void put32(writer *w, bytes *out, uint32_t value) {
    put16(w, out, value & 0xffff);
    put16(w, out, value >> 16);
}

static void uleb(writer *w, bytes *out, uint64_t value) {
    do {
        unsigned low = value & 127;
        value >>= 7;
        put8(w, out, low | (value ? 128u : 0u));
    } while (value);
}

static void sleb(writer *w, bytes *out, int64_t value) {
    for (;;) {
        unsigned low = (unsigned)(value & 127);
        value = value < 0 ? ~(~value >> 7) : value >> 7;
        bool done = (value == 0 && !(low & 64)) || (value == -1 && (low & 64));
        put8(w, out, low | (done ? 0u : 128u));
        if (done)
            return;
    }
}

static void put_bytes(writer *w, bytes *out, const void *data, size_t len) {
    if (len && pto_vec_reserve(w->arena, out, len)) {
        memcpy(out->data + out->count, data, len);
        out->count += len;
    }
}

/* ---- tables ------------------------------------------------------------------------------------- */

static bool known(writer *w, pool *p, pto_str key, uint32_t *number) {
    bool fresh;
    pto_map_value *slot = pto_map_insert(&p->index, key, &fresh);
    if (fresh) {
        slot->number = p->count++;
        /* the map keeps the key: it must live as long */
    }
    *number = (uint32_t)slot->number;
    (void)w;
    return !fresh;
}

static uint32_t string_id(writer *w, pto_str text) {
    uint32_t id;
    if (!known(w, &w->strings, text, &id)) {
        uleb(w, &w->strings.out, text.len);
        put_bytes(w, &w->strings.out, text.data, text.len);
    }
    return id;
}

/* A type or a dictionary: tag, flags, the string of its text; 1-based. */
static uint32_t text_id(writer *w, pool *p, pto_str text) {
    uint32_t id;
    if (!known(w, p, text, &id)) {
        put8(w, &p->out, 0);
        put8(w, &p->out, 1);
        uleb(w, &p->out, string_id(w, text));
    }
    return id + 1;
}

typedef struct text_out {
    writer *w;
    bytes data;
} text_out;

static bool collect(void *context, const char *data, size_t len) {
    text_out *out = context;
    put_bytes(out->w, &out->data, data, len);
    return true;
}

static pto_str text_of(const text_out *out) {
    return (pto_str){(const char *)out->data.data, out->data.count};
}

static uint32_t type_id(writer *w, const pto_type *type) {
    text_out out = {.w = w};
    pto_sink sink;
    pto_sink_init(&sink, collect, &out);
    pto_text_print_type(&sink, type);
    pto_sink_flush(&sink);
    return text_id(w, &w->types, text_of(&out));
}

/* ---- dictionaries ------------------------------------------------------------------------------- */

typedef struct entry {
    pto_str name, text;
} entry;
typedef PTO_VEC(entry) entries;

static int by_name(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return pto_str_compare(x->name, y->name);
}

static void add_text(writer *w, entries *list, const char *name, const char *text) {
    for (size_t i = 0; i < list->count; i++)
        if (pto_str_equal(list->data[i].name, pto_str_from(name)))
            return;
    pto_vec_push(w->arena, list, (entry){pto_str_from(name), pto_str_from(text)});
}

static void add_attr(writer *w, entries *list, const pto_named_attr *attr) {
    text_out out = {.w = w};
    pto_sink sink;
    pto_sink_init(&sink, collect, &out);
    pto_text_print_named_attr(&sink, attr);
    pto_sink_flush(&sink);
    pto_vec_push(w->arena, list, (entry){attr->name, text_of(&out)});
}

static uint32_t dictionary(writer *w, entries *list) {
    if (!list->count)
        return 0;
    qsort(list->data, list->count, sizeof *list->data, by_name);
    bytes text = {0};
    put8(w, &text, '{');
    for (size_t i = 0; i < list->count; i++) {
        put_bytes(w, &text, ", ", i ? 2 : 0);
        put_bytes(w, &text, list->data[i].text.data, list->data[i].text.len);
    }
    put8(w, &text, '}');
    return text_id(w, &w->attrs, (pto_str){(const char *)text.data, text.count});
}

/* Attributes that have a default are always stored (60, 3.9.8). */
static const struct {
    const char *op, *name, *text;
} defaults[] = {
    {"pto.tstore", "stPhase", "stPhase = #pto<st_phase unspecified>"},
    {"pto.tstore", "atomicType", "atomicType = #pto<atomic_type atomic_none>"},
    {"pto.tstore", "reluPreMode", "reluPreMode = #pto<relu_pre_mode no_relu>"},
    {"pto.tmov", "reluPreMode", "reluPreMode = #pto<relu_pre_mode no_relu>"},
    {"pto.mgather", "gatherOob", "gatherOob = #pto<gather_oob undefined>"},
    {"pto.mscatter", "scatterAtomicOp", "scatterAtomicOp = #pto<scatter_atomic_op none>"},
    {"pto.mscatter", "scatterOob", "scatterOob = #pto<scatter_oob undefined>"},
    {"pto.tci", "descending", "descending = false"},
    {"pto.ttri", "upperOrLower", "upperOrLower = 0 : i32"},
    {"pto.trandom", "rounds", "rounds = 10 : i32"},
    {"pto.tcmps", "cmpMode", "cmpMode = #pto<cmp eq>"},
    {"pto.tcvt", "rmode", "rmode = #pto<round_mode CAST_RINT>"},
    {"pto.tmrgsort", "exhausted", "exhausted = false"},
    {"pto.get_buf", "mode", "mode = 0 : i32"},
    {"pto.rls_buf", "mode", "mode = 0 : i32"},
};

static const char *const fast_math[] = {"arith.addf",     "arith.subf",    "arith.mulf",   "arith.divf",
                                        "arith.remf",     "arith.negf",    "arith.cmpf",   "arith.minimumf",
                                        "arith.maximumf", "arith.minnumf", "arith.maxnumf"};
static const char *const overflow[] = {"arith.addi", "arith.subi", "arith.muli", "arith.shli"};

static bool in_list(pto_str name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (pto_str_equal(name, pto_str_from(list[i])))
            return true;
    return false;
}

/* ---- operands in IR order, segments -------------------------------------------------------------- */

typedef struct shape {
    pto_str name;
    pto_value *const *operand;
    uint32_t count;
    uint32_t segment[8], segment_count;
    pto_value *buffer[PTO_MAX_OPERANDS];
} shape;

static bool given(const pto_operation *op, const char *name) {
    int at = pto_form_operand_index(pto_form_get(op->form), name);
    return at >= 0 && pto_instr_value(op, at);
}

/* Groups of operandSegmentSizes of an instruction, by the dialect (60, 3.9); the outputs are the last `outs`.
 */
static void instr_segments(const pto_operation *op, shape *s, uint32_t outs) {
    const char *name = pto_form_get(op->form)->text[PTO_TEXT_LEVEL2].opcode + 4;
    uint32_t *g = s->segment;
    if (!strcmp(name, "tload")) {
        s->segment_count = 6;
        g[0] = g[1] = 1;
    } else if (!strcmp(name, "tmov")) {
        bool third = s->count == 3;
        bool scalar = third && pto_type_is_scalar(s->operand[2]->type);
        s->segment_count = 4;
        g[0] = g[1] = 1;
        g[2] = third && !scalar;
        g[3] = third && scalar;
    } else if (!strcmp(name, "tgather")) { /* src, dst, cdst, indices, tmp, kValue */
        s->segment_count = 6;
        g[0] = g[1] = 1;
        g[2] = outs > 1;
        g[3] = given(op, "indices");
        g[4] = given(op, "tmp");
        g[5] = s->count - 2 - g[2] - g[3] - g[4];
    } else if (!strcmp(name, "tmrgsort")) { /* srcs, blockLen, dsts, tmp, executed */
        bool list = outs > 1;
        s->segment_count = 5;
        g[0] = list ? s->count - outs - 1 : 1;
        g[1] = !list;
        g[2] = 1;
        g[3] = g[4] = list;
    } else if (!strcmp(name, "tsort32") ||
               (!strncmp(name, "trowexpand", 10) && name[10] && strcmp(name + 10, "add") != 0)) {
        s->segment_count = 4;
        g[0] = g[1] = g[3] = 1;
        g[2] = s->count > 3;
    } else if (!strcmp(name, "tquant")) {
        s->segment_count = 4;
        g[0] = g[1] = g[3] = 1;
        g[2] = s->count > 3;
    }
}

static bool describe(const pto_operation *op, shape *s) {
    *s = (shape){.operand = op->operand, .count = op->operand_count, .segment_count = op->segment_count};
    memcpy(s->segment, op->segment, sizeof s->segment);
    if (op->kind == PTO_OPK_UNKNOWN) {
        s->name = op->name;
    } else if (op->kind == PTO_OPK_AS_CONST) {
        s->name = PTO_STR("arith.constant");
    } else if (op->kind != PTO_OPK_INSTR) {
        s->name = pto_str_from(pto_op_kind_name(op->kind));
    } else {
        const pto_text_pattern *pattern = &pto_form_get(op->form)->text[PTO_TEXT_LEVEL2];
        if (!pattern->opcode)
            return false;
        int8_t order[PTO_MAX_OPERANDS + 1];
        pto_mlir_ir_order(pto_form_get(op->form), order);
        s->count = pto_print_present(op, order, s->buffer);
        s->operand = s->buffer;
        s->name = pto_str_from(pattern->opcode);
        uint32_t outs = 0;
        for (int i = 0; i < 4 && pattern->result[i] >= 0; i++)
            outs += op->operand[pattern->result[i]] != NULL;
        instr_segments(op, s, outs);
    }
    return true;
}

/* ---- operations ---------------------------------------------------------------------------------- */

static void refuse(writer *w, const pto_operation *op, const char *what) {
    pto_where where =
        w->program->source ? pto_at(w->program->source, op->span.begin, op->span.end) : pto_nowhere();
    const pto_rule_text *text = pto_rule_find("PTO-E0260");
    pto_diag_add(w->diags, PTO_ERROR, "PTO-E0260", where, "%s: %s",
                 op->kind == PTO_OPK_INSTR
                     ? pto_form_get(op->form)->mnemonic
                     : (pto_op_kind_name(op->kind) ? pto_op_kind_name(op->kind) : "operation"),
                 text ? text->title : "not expressible");
    pto_diag_found(w->diags, "%s", what);
    w->refused = true;
}

static const pto_attr *constant_of(const pto_operation *op) {
    return op->kind == PTO_OPK_ARITH_CONSTANT || op->kind == PTO_OPK_AS_CONST
               ? pto_operation_attr(op, "value")
               : NULL;
}

static bool constant_fits(const pto_operation *op) {
    const pto_attr *value = constant_of(op);
    return value && op->result_count == 1 &&
           (value->kind == PTO_AV_INT || value->kind == PTO_AV_BOOL || value->kind == PTO_AV_FLOAT) &&
           pto_type_is_scalar(op->result[0]->type);
}

/* Does the compact form hold the operation? */
static bool compact(const pto_operation *op, const shape *s, const pto_bc_opcode *code) {
    if (op->successor_count)
        return false;
    const pto_bc_variant *variant = pto_bc_variant_by_name(s->name);
    if (variant)
        return s->count == variant->operands && op->region_count == variant->regions && !op->result_count;
    if (op->result_count != code->results || op->region_count != pto_bc_regions(code->code))
        return false;
    switch (op->kind) {
    case PTO_OPK_ALLOC_TILE:
        return s->segment[0] == 0;
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_AS_CONST:
        return constant_fits(op);
    case PTO_OPK_ARITH_CMPI:
        return pto_fact_predicate(op) >= 0 && pto_fact_predicate(op) <= 5;
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT: {
        const pto_attr *src = pto_operation_attr(op, "src_op"), *dst = pto_operation_attr(op, "dst_op");
        return src && dst && pto_str_equal(src->enum_kind, PTO_STR("sync_op_type")) &&
               pto_str_equal(dst->enum_kind, PTO_STR("sync_op_type"));
    }
    default:
        return code->operands < 0 || s->count == (uint32_t)code->operands;
    }
}

static void constant_id(writer *w, const pto_operation *op) {
    const pto_attr *value = constant_of(op);
    const pto_type *type = op->result[0]->type;
    bytes item = {0};
    uint32_t id = type_id(w, type);
    if (value->kind == PTO_AV_FLOAT) {
        unsigned bits = pto_dtype_bits(type->dtype);
        uint64_t pattern = isfinite(value->f) ? 0 : (uint64_t)value->i; /* the bits of a NaN as written */
        if (!pattern && bits == 64)
            memcpy(&pattern, &value->f, sizeof pattern);
        else if (!pattern)
            pattern = pto_number_encode_f64(pto_format_of_dtype(type->dtype), value->f, PTO_CAST_RINT, false);
        put8(w, &item, PTO_BC_FLOAT);
        uleb(w, &item, id);
        uleb(w, &item, (bits + 7) / 8);
        for (unsigned i = 0; i < (bits + 7) / 8; i++)
            put8(w, &item, (unsigned)(pattern >> (8 * i)) & 255);
    } else {
        int64_t number = value->i;
        unsigned width = type->kind == PTO_TYPE_INT ? type->width : 64;
        if (width < 64 && (number >> (width - 1) & 1)) /* the bits, sign-extended: i1 true is -1 */
            number |= (int64_t)(~UINT64_C(0) << width);
        else if (width < 64)
            number &= (int64_t)((UINT64_C(1) << width) - 1);
        put8(w, &item, PTO_BC_INT);
        uleb(w, &item, id);
        sleb(w, &item, number);
    }
    uint32_t number;
    if (!known(w, &w->constants, (pto_str){(const char *)item.data, item.count}, &number))
        put_bytes(w, &w->constants.out, item.data, item.count);
    uleb(w, &w->module, number);
}

static void event_immediate(writer *w, const pto_operation *op, const char *key) {
    const pto_attr *attr = pto_operation_attr(op, key);
    const pto_enum_desc *desc = pto_enum_find(attr->enum_kind);
    const pto_enum_value *value = desc ? pto_enum_value_find(desc, attr->text) : NULL;
    put8(w, &w->module, value ? (unsigned)value->number & 255 : 0);
}

static void immediates(writer *w, const pto_operation *op, const shape *s, const pto_bc_opcode *code) {
    switch (op->kind) {
    case PTO_OPK_ARITH_CMPI:
        put8(w, &w->module, (unsigned)pto_fact_predicate(op));
        break;
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
        event_immediate(w, op, "src_op");
        event_immediate(w, op, "dst_op");
        event_immediate(w, op, "event_id");
        break;
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_AS_CONST:
        constant_id(w, op);
        break;
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
        put8(w, &w->module, 0);
        uleb(w, &w->module, s->segment[1]);
        uleb(w, &w->module, s->segment[2]);
        break;
    case PTO_OPK_ALLOC_TILE:
        put8(w, &w->module, s->segment[1] | s->segment[2] << 1);
        break;
    default:
        if (code->operands == PTO_BC_MANY)
            uleb(w, &w->module, s->count);
        break;
    }
}

static uint32_t op_dictionary(writer *w, const pto_operation *op, const shape *s, bool hide_value) {
    entries list = {0};
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (!hide_value || !pto_str_equal(op->attr[i].name, PTO_STR("value")))
            add_attr(w, &list, &op->attr[i]);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (pto_str_equal(s->name, pto_str_from(defaults[i].op)))
            add_text(w, &list, defaults[i].name, defaults[i].text);
    if (in_list(s->name, fast_math, sizeof fast_math / sizeof *fast_math))
        add_text(w, &list, "fastmath", "fastmath = #arith.fastmath<none>");
    if (in_list(s->name, overflow, sizeof overflow / sizeof *overflow))
        add_text(w, &list, "overflowFlags", "overflowFlags = #arith.overflow<none>");
    if (s->segment_count) {
        char text[128] = "operandSegmentSizes = array<i32";
        size_t len = strlen(text);
        for (uint32_t i = 0; i < s->segment_count; i++)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", i ? ", " : ": ", s->segment[i]);
        snprintf(text + len, sizeof text - len, ">");
        add_text(w, &list, "operandSegmentSizes", pto_arena_strdup(w->arena, pto_str_from(text)));
    }
    return dictionary(w, &list);
}

static void write_region(writer *w, const pto_region *region);

static void operands(writer *w, const pto_operation *op, const shape *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const int64_t *id = pto_value_map_find(&w->values, s->operand[i]);
        if (!id) {
            refuse(w, op, "a use before the definition");
            return;
        }
        uleb(w, &w->module, (uint64_t)*id);
    }
}

static void result_types(writer *w, const pto_operation *op) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        uleb(w, &w->module, type_id(w, op->result[i]->type));
        pto_value_map_set(&w->values, op->result[i], w->value_count++);
    }
}

static void write_operation(writer *w, const pto_operation *op) {
    shape s;
    if (op->kind == PTO_OPK_FUNC || op->kind == PTO_OPK_MODULE || !describe(op, &s)) {
        refuse(w, op, "an operation without an encoding");
        return;
    }
    if (op->successor_count) {
        refuse(w, op, "a branch between blocks");
        return;
    }
    const pto_bc_opcode *code = pto_bc_by_name(s.name);
    if (code && compact(op, &s, code)) {
        const pto_bc_variant *variant = pto_bc_variant_by_name(s.name);
        put16(w, &w->module, code->code);
        uleb(w, &w->module, op_dictionary(w, op, &s, constant_of(op) != NULL));
        if (variant)
            put8(w, &w->module, variant->variant);
        immediates(w, op, &s, code);
        operands(w, op, &s);
        result_types(w, op);
    } else {
        if (w->strict) {
            refuse(w, op, code ? "more than its opcode holds" : "an operation without opcode");
            return;
        }
        put16(w, &w->module, PTO_BC_GENERIC);
        uint32_t dict = op_dictionary(w, op, &s, false);
        uleb(w, &w->module, dict);
        uleb(w, &w->module, string_id(w, s.name));
        uleb(w, &w->module, op->result_count);
        result_types(w, op);
        uleb(w, &w->module, s.count);
        operands(w, op, &s);
        uleb(w, &w->module, op->region_count);
    }
    for (uint32_t i = 0; i < op->region_count; i++)
        write_region(w, op->region[i]);
}

static void write_region(writer *w, const pto_region *region) {
    uint32_t blocks = 0;
    for (const pto_block *b = region->first; b; b = b->next)
        blocks++;
    uleb(w, &w->module, blocks);
    for (const pto_block *b = region->first; b; b = b->next) {
        uint64_t count = 0;
        uleb(w, &w->module, b->arg_count);
        for (uint32_t i = 0; i < b->arg_count; i++) {
            uleb(w, &w->module, type_id(w, b->arg[i]->type));
            pto_value_map_set(&w->values, b->arg[i], w->value_count++);
        }
        for (const pto_operation *op = b->first; op; op = op->next)
            count++;
        uleb(w, &w->module, count);
        for (const pto_operation *op = b->first; op && !w->refused; op = op->next)
            write_operation(w, op);
    }
}

static void write_module(writer *w) {
    const pto_operation *module = w->program->module;
    entries list = {0};
    string_id(w, PTO_STR("func.func"));
    string_id(w, PTO_STR("func.return"));
    for (uint32_t i = 0; i < module->attr_count; i++)
        add_attr(w, &list, &module->attr[i]);
    put8(w, &w->module, 0);  /* profile */
    put8(w, &w->module, 64); /* bits of an index */
    uleb(w, &w->module, dictionary(w, &list));
    uleb(w, &w->module, 0); /* globals */
    uint64_t functions = 0;
    const pto_block *body = module->region[0]->first;
    for (const pto_operation *op = body ? body->first : NULL; op; op = op->next) {
        functions++;
        if (op->kind != PTO_OPK_FUNC) {
            refuse(w, op, "a module inside of the module");
            return;
        }
    }
    uleb(w, &w->module, functions);
    for (const pto_operation *op = body ? body->first : NULL; op; op = op->next) {
        entries dict = {0};
        uint32_t name = string_id(w, pto_function_name(op));
        uint32_t type = type_id(w, pto_operation_attr(op, "function_type")->type);
        for (uint32_t i = 0; i < op->attr_count; i++)
            add_attr(w, &dict, &op->attr[i]);
        uint32_t attrs = dictionary(w, &dict);
        uleb(w, &w->module, name);
        uleb(w, &w->module, type);
        put8(w, &w->module, 0);
        uleb(w, &w->module, attrs);
    }
    for (const pto_operation *op = body ? body->first : NULL; op && !w->refused; op = op->next) {
        w->value_count = 0;
        w->values = (pto_value_map){.arena = w->arena};
        write_region(w, op->region[0]);
    }
}

static void section(writer *w, bytes *out, unsigned id, const pool *p) {
    bytes count = {0};
    uleb(w, &count, p->count);
    put8(w, out, id);
    put32(w, out, (uint32_t)(count.count + p->out.count));
    put_bytes(w, out, count.data, count.count);
    put_bytes(w, out, p->out.data, p->out.count);
}

static pto_status encode(writer *w, pto_write_fn write, void *context) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    w->arena->on_failure = &failure;
    pool *const pools[] = {&w->strings, &w->types, &w->attrs, &w->constants};
    for (int i = 0; i < 4; i++)
        pto_map_init(&pools[i]->index, w->arena);
    write_module(w);
    if (w->refused)
        return PTO_ERR_REFUSED;
    bytes out = {0}, payload = {0};
    section(w, &payload, PTO_BC_STRINGS, &w->strings);
    section(w, &payload, PTO_BC_TYPES, &w->types);
    section(w, &payload, PTO_BC_ATTRS, &w->attrs);
    section(w, &payload, PTO_BC_CONSTPOOL, &w->constants);
    put8(w, &payload, PTO_BC_MODULE);
    put32(w, &payload, (uint32_t)w->module.count);
    put_bytes(w, &payload, w->module.data, w->module.count);
    put_bytes(w, &out, pto_bc_magic, sizeof pto_bc_magic);
    put16(w, &out, 0);
    put16(w, &out, 0);
    put32(w, &out, (uint32_t)payload.count);
    put_bytes(w, &out, payload.data, payload.count);
    return write(context, (const char *)out.data, out.count) ? PTO_OK : PTO_ERR_IO;
}

pto_status pto_program_encode(const pto_program *program, const pto_encode_options *options,
                              pto_write_fn write, void *context, pto_diag_list *diags) {
    if (!program || !program->module || !write)
        return PTO_ERR_USAGE;
    pto_arena arena;
    pto_arena_init(&arena, 0);
    writer w = {.arena = &arena, .program = program, .diags = diags, .strict = options && options->strict};
    pto_status status = encode(&w, write, context);
    pto_arena_free(&arena);
    return status;
}
