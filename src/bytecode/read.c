/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-BC as a program (60, 5). Types and dictionaries are text in the container, so reading ends in the text
 * parser: the reader checks the container and writes the generic form, which the parser checks like any other
 * text. */
#include "base/map.h"
#include "base/vec.h"
#include "bytecode/bytecode.h"
#include "isa/legality.h"
#include "program/program.h"
#include "text/print.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_LIMIT = 64 << 20, DEPTH_LIMIT = 128 };

typedef struct constant {
    uint8_t tag;
    uint32_t type;
    int64_t number;
    uint32_t size;
    const uint8_t *bits;
} constant;

typedef struct reader {
    pto_arena arena;
    const char *name;
    const uint8_t *data;
    size_t at, end;
    const char *error; /* what is wrong; NULL = nothing */
    size_t error_at;
    pto_str *string;
    uint32_t string_count;
    pto_str *type; /* 1-based id - 1 */
    uint32_t type_count;
    pto_str *attr;
    uint32_t attr_count;
    constant *constant;
    uint32_t constant_count;
    /* the text */
    PTO_VEC(char) text;
    /* of the function that is read */
    PTO_VEC(uint32_t) value_type; /* type id of each value */
    PTO_VEC(pto_str) value_name;
    uint32_t numbered;
    pto_map names; /* of constants -> how often */
    unsigned depth;
} reader;

/* ---- bytes ------------------------------------------------------------------------------------- */

static bool fail(reader *r, const char *what) {
    if (!r->error) {
        r->error = what;
        r->error_at = r->at;
    }
    return false;
}

static uint8_t get8(reader *r) {
    if (r->at >= r->end) {
        fail(r, "the data end too early");
        return 0;
    }
    return r->data[r->at++];
}

static uint32_t get16(reader *r) {
    uint32_t low = get8(r);
    return low | (uint32_t)get8(r) << 8;
}

static uint32_t get32(reader *r) {
    uint32_t low = get16(r);
    return low | get16(r) << 16;
}

static uint64_t uleb(reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = get8(r);
        if (shift == 63 && (byte & 0x7e))
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return value;
    }
    fail(r, "a number of more than 64 bits");
    return 0;
}

static int64_t sleb(reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = get8(r);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte & 128)
            continue;
        if (shift < 57 && (byte & 64))
            value |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)value;
    }
    fail(r, "a number of more than 64 bits");
    return 0;
}

/* A count of things that take at least one byte each. */
static uint32_t count(reader *r) {
    uint64_t n = uleb(r);
    if (n > r->end - r->at) {
        fail(r, "a count beyond the end of the data");
        return 0;
    }
    return (uint32_t)n;
}

static pto_str string_at(reader *r, uint64_t id) {
    if (id < r->string_count)
        return r->string[id];
    fail(r, "a string that does not exist");
    return (pto_str){"", 0};
}

/* ---- sections ----------------------------------------------------------------------------------- */

static void read_strings(reader *r) {
    uint32_t n = count(r);
    r->string = pto_arena_array(&r->arena, n, sizeof *r->string);
    for (uint32_t i = 0; i < n && !r->error; i++) {
        uint32_t len = count(r);
        r->string[i] = (pto_str){(const char *)r->data + r->at, len};
        r->at += len;
    }
    r->string_count = n;
}

/* One type or dictionary: brackets are closed, strings end, nothing could end the statement around it. */
static bool one_piece(pto_str text) {
    char open[64];
    size_t depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if ((unsigned char)c < ' ' || (c == '/' && i + 1 < text.len && text.data[i + 1] == '/'))
            return false;
        if (c == '"') {
            for (i++; i < text.len && text.data[i] != '"'; i++)
                if ((unsigned char)text.data[i] < ' ')
                    return false;
                else
                    i += text.data[i] == '\\';
            if (i >= text.len)
                return false;
        } else if (c == '(' || c == '[' || c == '{' || c == '<') {
            if (depth == sizeof open)
                return false;
            open[depth++] = c;
        } else if (c == ')' || c == ']' || c == '}' || (c == '>' && !(i && text.data[i - 1] == '-'))) {
            char wanted = (char)(c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<');
            if (!depth || open[--depth] != wanted)
                return false;
        }
    }
    return depth == 0 && text.len > 0;
}

static void read_texts(reader *r, pto_str **out, uint32_t *out_count, bool braces) {
    uint32_t n = count(r);
    *out = pto_arena_array(&r->arena, n, sizeof **out);
    for (uint32_t i = 0; i < n && !r->error; i++) {
        uint8_t tag = get8(r), flags = get8(r);
        pto_str text = string_at(r, uleb(r));
        if (r->error)
            return;
        if (tag != 0 || !(flags & 1)) {
            fail(r, "a type or dictionary without text");
            return;
        }
        if (!one_piece(text) || (braces && (text.data[0] != '{' || text.data[text.len - 1] != '}'))) {
            fail(r, braces ? "a dictionary that is none" : "a type that is none");
            return;
        }
        (*out)[i] = text;
    }
    *out_count = n;
}

static bool is_type(reader *r, uint64_t id) {
    return (id >= 1 && id <= r->type_count) || fail(r, "a type that does not exist");
}

static void read_constants(reader *r) {
    uint32_t n = count(r);
    r->constant = pto_arena_array(&r->arena, n, sizeof *r->constant);
    for (uint32_t i = 0; i < n && !r->error; i++) {
        constant *c = &r->constant[i];
        c->tag = get8(r);
        if (c->tag == PTO_BC_INDEX_VECTOR) {
            for (uint32_t k = count(r); k && !r->error; k--)
                sleb(r);
            continue;
        }
        if (c->tag != PTO_BC_INT && c->tag != PTO_BC_FLOAT && c->tag != PTO_BC_WIDE_INT) {
            fail(r, "a constant of an unknown kind");
            return;
        }
        uint64_t type = uleb(r);
        if (!is_type(r, type))
            return;
        c->type = (uint32_t)type;
        if (c->tag == PTO_BC_INT) {
            c->number = sleb(r);
            continue;
        }
        c->size = count(r);
        c->bits = r->data + r->at;
        r->at += c->size;
    }
    r->constant_count = n;
}

/* ---- text --------------------------------------------------------------------------------------- */

static void put_str(reader *r, pto_str text) {
    if (r->text.count + text.len > TEXT_LIMIT) {
        fail(r, "more than 64 MiB of text");
        return;
    }
    if (text.len && pto_vec_reserve(&r->arena, &r->text, text.len)) {
        memcpy(r->text.data + r->text.count, text.data, text.len);
        r->text.count += text.len;
    }
}

static void put(reader *r, const char *text) { put_str(r, pto_str_from(text)); }

static void put_indent(reader *r) {
    for (unsigned i = 0; i < r->depth; i++)
        put(r, "  ");
}

static void put_quoted(reader *r, pto_str text) {
    put(r, "\"");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        char hex[4];
        if (c == '"' || c == '\\' || c < ' ') {
            snprintf(hex, sizeof hex, "\\%02X", c);
            put(r, hex);
        } else {
            put_str(r, (pto_str){text.data + i, 1});
        }
    }
    put(r, "\"");
}

static void put_type(reader *r, uint32_t id) {
    if (is_type(r, id))
        put_str(r, r->type[id - 1]);
}

static void put_value(reader *r, uint32_t id) {
    put(r, "%");
    put_str(r, r->value_name.data[id]);
}

/* A new value: numbered, or with the name of its constant. */
static uint32_t add_value(reader *r, uint32_t type, pto_str name) {
    char number[16];
    if (!name.len) {
        int len = snprintf(number, sizeof number, "%u", r->numbered++);
        name = (pto_str){pto_arena_strdup(&r->arena, (pto_str){number, (size_t)len}), (size_t)len};
    }
    pto_vec_push(&r->arena, &r->value_type, type);
    pto_vec_push(&r->arena, &r->value_name, name);
    return (uint32_t)r->value_type.count - 1;
}

/* %c16, %c16_i32; the second of a name gets _1, the third _2. */
static pto_str constant_name(reader *r, const constant *c) {
    pto_str type = r->type[c->type - 1];
    if (c->tag != PTO_BC_INT || type.len > 8 || pto_str_equal(type, PTO_STR("i1")))
        return (pto_str){NULL, 0};
    for (size_t i = 0; i < type.len; i++)
        if (!((type.data[i] >= 'a' && type.data[i] <= 'z') || (type.data[i] >= '0' && type.data[i] <= '9')))
            return (pto_str){NULL, 0};
    bool index = pto_str_equal(type, PTO_STR("index"));
    char *base = pto_arena_printf(&r->arena, "c%lld%s%.*s", (long long)c->number, index ? "" : "_",
                                  index ? 0 : (int)type.len, type.data);
    bool fresh;
    pto_map_value *uses = pto_map_insert(&r->names, pto_str_from(base), &fresh);
    if (!uses->number++)
        return pto_str_from(base);
    return pto_str_from(pto_arena_printf(&r->arena, "%s_%llu", base, (unsigned long long)uses->number - 1));
}

static void put_constant(reader *r, const constant *c) {
    char text[64];
    if (c->tag == PTO_BC_INT) {
        bool boolean = pto_str_equal(r->type[c->type - 1], PTO_STR("i1"));
        if (boolean) {
            put(r, c->number ? "true" : "false");
            return;
        }
        snprintf(text, sizeof text, "%lld", (long long)c->number);
        put(r, text);
    } else {
        if (c->size == 0 || c->size > 8) {
            fail(r, "a constant of more than 64 bits");
            return;
        }
        put(r, "0x");
        for (uint32_t i = c->size; i-- > 0;) {
            snprintf(text, sizeof text, "%02X", c->bits[i]);
            put(r, text);
        }
    }
    put(r, " : ");
    put_type(r, c->type);
}

/* ---- operations ---------------------------------------------------------------------------------- */

typedef PTO_VEC(uint32_t) ids;

static void read_operands(reader *r, ids *operands, uint64_t n) {
    if (n > r->end - r->at) {
        fail(r, "a count beyond the end of the data");
        return;
    }
    for (uint64_t i = 0; i < n && !r->error; i++) {
        uint64_t id = uleb(r);
        if (id >= r->value_type.count)
            fail(r, "an operand that is not defined yet");
        else
            pto_vec_push(&r->arena, operands, (uint32_t)id);
    }
}

static void read_results(reader *r, ids *results, uint32_t n) {
    for (uint32_t i = 0; i < n && !r->error; i++) {
        uint64_t id = uleb(r);
        if (is_type(r, id))
            pto_vec_push(&r->arena, results, (uint32_t)id);
    }
}

static void read_region(reader *r);

static const char *predicate_name(uint8_t number) {
    static const char *const names[] = {"0", "1", "2", "3", "4", "5"};
    return number < 6 ? names[number] : NULL;
}

static bool has_key(pto_str dict, const char *key) {
    size_t len = strlen(key);
    for (size_t i = 1; i + len < dict.len; i++)
        if (!memcmp(dict.data + i, key, len) &&
            (dict.data[i - 1] == '{' || dict.data[i - 1] == ' ' || dict.data[i - 1] == ',') &&
            (dict.data[i + len] == ' ' || dict.data[i + len] == '=' || dict.data[i + len] == ','))
            return true;
    return false;
}

typedef struct operation {
    pto_str name, dict;
    const constant *value;
    char extra[96]; /* an attribute that the immediates give and the dictionary lacks */
    ids operands, results;
    uint32_t regions;
} operation;

/* An attribute that stands in the immediates; a dictionary that says otherwise is refused. */
static void add_segments(reader *r, operation *op, const uint32_t *sizes, unsigned n) {
    char text[96];
    size_t len = (size_t)snprintf(text, sizeof text, "operandSegmentSizes = array<i32");
    for (unsigned i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", i ? ", " : ": ", sizes[i]);
    snprintf(text + len, sizeof text - len, ">");
    if (!has_key(op->dict, "operandSegmentSizes")) {
        snprintf(op->extra, sizeof op->extra, "%s", text);
        return;
    }
    for (size_t i = 0; i + strlen(text) <= op->dict.len; i++)
        if (!memcmp(op->dict.data + i, text, strlen(text)))
            return;
    fail(r, "operandSegmentSizes that contradict the operands");
}

static void read_event(reader *r, operation *op) {
    static const char *const keys[] = {"src_op", "dst_op", "event_id"};
    const char *const kinds[] = {"sync_op_type", "sync_op_type", "event"};
    size_t len = 0;
    for (int i = 0; i < 3; i++) {
        int number = get8(r);
        const pto_enum_desc *desc = pto_enum_find(pto_str_from(kinds[i]));
        const pto_enum_value *value = NULL;
        for (uint32_t k = 0; desc && k < desc->count; k++)
            if (desc->values[k].number == number)
                value = &desc->values[k];
        if (!value) {
            fail(r, "an endpoint or event that does not exist");
            return;
        }
        if (!has_key(op->dict, keys[i]))
            len += (size_t)snprintf(op->extra + len, sizeof op->extra - len, "%s%s = #pto.%s<%s>",
                                    len ? ", " : "", keys[i], kinds[i], value->name);
        if (len >= sizeof op->extra) {
            fail(r, "an endpoint or event that does not exist");
            return;
        }
    }
}

static bool read_compact(reader *r, operation *op, const pto_bc_opcode *code) {
    uint64_t n = 0;
    op->name = pto_str_from(code->name);
    op->regions = pto_bc_regions(code->code);
    if (code->operands == PTO_BC_VARIANT) {
        const pto_bc_variant *variant = pto_bc_variant_by_code(code->code, get8(r));
        if (!variant)
            return fail(r, "a variant that does not exist");
        op->name = pto_str_from(variant->name);
        op->regions = variant->regions;
        n = variant->operands;
    } else if (code->operands == PTO_BC_LISTS) {
        if (get8(r) != 0)
            return fail(r, "a list mode other than 0");
        uint64_t first = uleb(r), second = uleb(r);
        if (first > 64 || second > 64)
            return fail(r, "a list of more than 64 operands");
        n = 1 + first + second;
        const uint32_t sizes[] = {1, (uint32_t)first, (uint32_t)second};
        add_segments(r, op, sizes, 3);
    } else if (code->operands == PTO_BC_MASK) {
        uint8_t mask = get8(r);
        if (mask > 3)
            return fail(r, "a mask with unknown bits");
        const uint32_t sizes[] = {0, mask & 1, mask >> 1};
        n = sizes[1] + sizes[2];
        add_segments(r, op, sizes, 3);
    } else if (!strcmp(code->name, "arith.cmpi")) {
        const char *predicate = predicate_name(get8(r));
        if (!predicate)
            return fail(r, "a predicate that does not exist");
        if (!has_key(op->dict, "predicate"))
            snprintf(op->extra, sizeof op->extra, "predicate = %s : i64", predicate);
        n = 2;
    } else if (!strcmp(code->name, "arith.constant")) {
        uint64_t id = uleb(r);
        if (id >= r->constant_count || !r->constant[id].type)
            return fail(r, "a constant that does not exist");
        op->value = &r->constant[id];
    } else if (!strcmp(code->name, "pto.record_event") || !strcmp(code->name, "pto.wait_event")) {
        read_event(r, op);
    } else {
        n = code->operands == PTO_BC_MANY ? uleb(r) : (uint64_t)code->operands;
    }
    read_operands(r, &op->operands, n);
    read_results(r, &op->results, code->results);
    return !r->error;
}

static void put_dict(reader *r, const operation *op) {
    pto_str inner = op->dict.len > 2 ? pto_str_slice(op->dict, 1, op->dict.len - 1) : (pto_str){"", 0};
    if (!inner.len && !op->extra[0] && !op->value)
        return;
    put(r, " {");
    put_str(r, inner);
    put(r, inner.len && op->extra[0] ? ", " : "");
    put(r, op->extra);
    if (op->value) {
        put(r, inner.len || op->extra[0] ? ", value = " : "value = ");
        put_constant(r, op->value);
    }
    put(r, "}");
}

static void put_types(reader *r, const ids *list, bool values) {
    put(r, "(");
    for (size_t i = 0; i < list->count && !r->error; i++) {
        put(r, i ? ", " : "");
        put_type(r, values ? r->value_type.data[list->data[i]] : list->data[i]);
    }
    put(r, ")");
}

static void read_operation(reader *r) {
    operation op = {0};
    uint32_t opcode = get16(r);
    uint64_t attr = uleb(r);
    if (attr > r->attr_count) {
        fail(r, "a dictionary that does not exist");
        return;
    }
    op.dict = attr ? r->attr[attr - 1] : (pto_str){"", 0};
    if (opcode == PTO_BC_GENERIC) {
        op.name = string_at(r, uleb(r));
        uint32_t n = count(r);
        read_results(r, &op.results, n);
        read_operands(r, &op.operands, uleb(r));
        op.regions = count(r);
        if (op.regions > 64)
            fail(r, "an operation of more than 64 regions");
    } else {
        const pto_bc_opcode *code = pto_bc_by_code((uint16_t)opcode);
        if (!code) {
            fail(r, "an opcode that does not exist");
            return;
        }
        read_compact(r, &op, code);
    }
    if (r->error)
        return;
    put_indent(r);
    pto_str name = op.value ? constant_name(r, op.value) : (pto_str){NULL, 0};
    for (size_t i = 0; i < op.results.count; i++) {
        put(r, i ? ", " : "");
        put_value(r, add_value(r, op.results.data[i], i ? (pto_str){NULL, 0} : name));
    }
    put(r, op.results.count ? " = " : "");
    put_quoted(r, op.name);
    put(r, "(");
    for (size_t i = 0; i < op.operands.count; i++) {
        put(r, i ? ", " : "");
        put_value(r, op.operands.data[i]);
    }
    put(r, ")");
    for (uint32_t i = 0; i < op.regions && !r->error; i++) {
        put(r, i ? ", " : " (");
        read_region(r);
    }
    put(r, op.regions ? ")" : "");
    put_dict(r, &op);
    put(r, " : ");
    put_types(r, &op.operands, true);
    put(r, " -> ");
    put_types(r, &op.results, false);
    put(r, "\n");
}

static void read_region(reader *r) {
    if (++r->depth > DEPTH_LIMIT) {
        fail(r, "regions nested too deeply");
        return;
    }
    uint32_t blocks = count(r);
    put(r, "{\n");
    for (uint32_t b = 0; b < blocks && !r->error; b++) {
        char label[32];
        uint32_t args = count(r);
        snprintf(label, sizeof label, "^bb%u", b);
        put_indent(r);
        put(r, label);
        for (uint32_t i = 0; i < args && !r->error; i++) {
            uint64_t type = uleb(r);
            if (!is_type(r, type))
                return;
            put(r, i ? ", " : "(");
            put_value(r, add_value(r, (uint32_t)type, (pto_str){NULL, 0}));
            put(r, ": ");
            put_type(r, (uint32_t)type);
        }
        put(r, args ? "):\n" : ":\n");
        for (uint32_t n = count(r); n && !r->error; n--)
            read_operation(r);
    }
    r->depth--;
    put_indent(r);
    put(r, "}");
}

typedef struct declaration {
    pto_str dict;
    bool import;
} declaration;

static void read_module(reader *r) {
    if (get8(r) != 0) {
        fail(r, "an unknown profile");
        return;
    }
    if (get8(r) != 64) {
        fail(r, "an index of other than 64 bits");
        return;
    }
    uint64_t attr = uleb(r);
    if (attr > r->attr_count) {
        fail(r, "a dictionary that does not exist");
        return;
    }
    if (uleb(r) != 0) {
        fail(r, "globals");
        return;
    }
    uint32_t functions = count(r);
    declaration *list = pto_arena_array(&r->arena, functions, sizeof *list);
    for (uint32_t i = 0; i < functions && !r->error; i++) {
        string_at(r, uleb(r));
        is_type(r, uleb(r));
        list[i].import = get8(r) & 1;
        uint64_t id = uleb(r);
        if (id > r->attr_count || !id)
            fail(r, "a function without its dictionary");
        else
            list[i].dict = r->attr[id - 1];
    }
    put(r, "\"builtin.module\"() ({\n");
    r->depth = 1;
    for (uint32_t i = 0; i < functions && !r->error; i++) {
        pto_vec_clear(&r->value_type);
        pto_vec_clear(&r->value_name);
        r->numbered = 0;
        pto_map_init(&r->names, &r->arena);
        put_indent(r);
        put(r, "\"func.func\"() <");
        put_str(r, list[i].dict);
        put(r, "> (");
        if (list[i].import)
            put(r, "{}");
        else
            read_region(r);
        put(r, ") : () -> ()\n");
    }
    put(r, "})");
    if (attr) {
        put(r, " ");
        put_str(r, r->attr[attr - 1]);
    }
    put(r, " : () -> ()\n");
}

/* ---- the container ------------------------------------------------------------------------------- */

static void read_container(reader *r) {
    static const uint8_t order[] = {PTO_BC_STRINGS, PTO_BC_TYPES, PTO_BC_ATTRS, PTO_BC_CONSTPOOL,
                                    PTO_BC_MODULE};
    size_t size = r->end;
    for (int i = 0; i < 6; i++)
        if (get8(r) != pto_bc_magic[i]) {
            fail(r, "no PTO-BC file");
            return;
        }
    if (get16(r) != 0) {
        fail(r, "a version other than 0");
        return;
    }
    get16(r);
    if (get32(r) != size - PTO_BC_HEADER) {
        fail(r, "a length that is not that of the file");
        return;
    }
    unsigned next = 0;
    bool debug = false;
    while (r->at < size && !r->error) {
        uint8_t id = get8(r);
        uint32_t len = get32(r);
        if (r->error || len > size - r->at) {
            fail(r, "a section beyond the end of the file");
            return;
        }
        size_t end = r->at + len;
        if (next == sizeof order && id == PTO_BC_EXTRA) {
            r->at = end;
            continue;
        }
        if (next == sizeof order && id == PTO_BC_DEBUGINFO && !debug) {
            debug = true; /* informative; names of values are not needed */
            r->at = end;
            continue;
        }
        if (next == sizeof order || id != order[next]) {
            fail(r, "a section out of order");
            return;
        }
        next++;
        r->end = end;
        switch (id) {
        case PTO_BC_STRINGS:
            read_strings(r);
            break;
        case PTO_BC_TYPES:
            read_texts(r, &r->type, &r->type_count, false);
            break;
        case PTO_BC_ATTRS:
            read_texts(r, &r->attr, &r->attr_count, true);
            break;
        case PTO_BC_CONSTPOOL:
            read_constants(r);
            break;
        default:
            read_module(r);
            break;
        }
        if (!r->error && r->at != end)
            fail(r, "bytes left over in a section");
        r->end = size;
    }
    if (!r->error && next < sizeof order)
        fail(r, "a missing section");
}

static pto_status read_all(reader *r) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    r->arena.on_failure = &failure;
    read_container(r);
    return r->error ? PTO_ERR_REFUSED : PTO_OK;
}

bool pto_bytes_are_bytecode(const void *bytes, size_t len) {
    return len >= sizeof pto_bc_magic && !memcmp(bytes, pto_bc_magic, sizeof pto_bc_magic);
}

pto_program *pto_program_decode(const char *name, const void *bytes, size_t len,
                                const pto_parse_options *options, pto_diag_list *diags) {
    reader r = {.name = name, .data = bytes, .end = len};
    pto_program *program = NULL;
    pto_arena_init(&r.arena, options && options->byte_limit ? options->byte_limit : (size_t)1 << 30);
    if (!bytes && len)
        return NULL;
    pto_status status = read_all(&r);
    if (status == PTO_OK) {
        program = pto_program_parse(name, r.text.data, r.text.count, options, diags);
    } else if (status == PTO_ERR_REFUSED) {
        const pto_rule_text *text = pto_rule_find("PTO-E0261");
        pto_diag_add(diags, PTO_ERROR, "PTO-E0261", pto_at_file(name), "%s",
                     text ? text->title : "broken bytecode");
        pto_diag_found(diags, "%s, at byte %zu", r.error, r.error_at);
    }
    pto_arena_free(&r.arena);
    return program;
}
