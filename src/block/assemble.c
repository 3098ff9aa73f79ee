/* SPDX-License-Identifier: Apache-2.0 */
/* Block assembly: statements, labels and directives in two equal passes, the second of which knows the
 * labels. */
#include "block/assemble.h"

#include "base/sink.h"

#include <stdlib.h>
#include <string.h>

static bool put(pto_block_assembler *as, uint64_t value, unsigned bytes) {
    if (as->bytes.count + bytes > PTO_BLOCK_MAX_IMAGE)
        return pto_block_refuse(as, as->start, "PTO-E1606", "the section is larger than 64 MiB");
    for (unsigned i = 0; i < bytes; i++)
        pto_vec_push(&as->arena, &as->bytes, (uint8_t)(value >> (8 * i)));
    return true;
}

bool pto_block_emit(pto_block_assembler *as, const pto_block_instr *instr) {
    const pto_block_form_desc *form = pto_block_form_get(instr->form);
    uint64_t word = form->match;
    if ((as->origin + as->bytes.count) & 1)
        return pto_block_refuse(as, as->start, "PTO-E1606", "instructions are aligned to 2 bytes");
    /* values of the first pass may be wrong: the length is not */
    if (as->final && pto_block_encode(instr, &word) != PTO_OK) {
        for (int i = 0; i < form->field_count; i++)
            if (!pto_block_field_legal(instr->form, &form->field[i], instr->field[form->field[i].field]))
                return pto_block_refuse(as, as->start, "PTO-E1603", "%s cannot hold %lld", form->name,
                                        (long long)instr->field[form->field[i].field]);
        return pto_block_refuse(as, as->start, "PTO-E1604", "%s: these codes do not go together", form->name);
    }
    return put(as, word, form->bytes);
}

/* ---- symbols ---- */

static bool define(pto_block_assembler *as, pto_str name, size_t begin, int64_t value, bool is_label,
                   bool known) {
    if (pto_block_gpr_find(name) >= 0)
        return pto_block_refuse(as, begin, "PTO-E0215", "%.*s is a register", PTO_STR_ARG(name));
    bool fresh;
    pto_map_value *slot = pto_map_insert(&as->symbols, name, &fresh);
    if (!slot)
        return false;
    if (fresh)
        slot->pointer = pto_arena_new(&as->arena, pto_block_symbol);
    pto_block_symbol *symbol = slot->pointer;
    if (!symbol)
        return false;
    if (!fresh && symbol->defined != begin)
        return pto_block_refuse(as, begin, "PTO-E0215", "%.*s is defined twice", PTO_STR_ARG(name));
    *symbol = (pto_block_symbol){value, begin, is_label, known};
    return true;
}

/* ---- directives ---- */

/* A number that must be the same in both passes. */
static bool fixed_value(pto_block_assembler *as, int64_t *value) {
    const size_t begin = (pto_block_skip(as), as->at);
    if (!pto_block_expression(as, value))
        return false;
    return !(as->unknown || as->moving) ||
           pto_block_refuse(as, begin, "PTO-E1606",
                            "sizes depend on constants defined before, not on labels");
}

static bool fill_to(pto_block_assembler *as, uint64_t bytes) {
    if (bytes > PTO_BLOCK_MAX_IMAGE || as->bytes.count + bytes > PTO_BLOCK_MAX_IMAGE)
        return pto_block_refuse(as, as->start, "PTO-E1606", "the section is larger than 64 MiB");
    while (bytes) {
        const unsigned n = bytes > 8 ? 8 : (unsigned)bytes;
        if (!put(as, 0, n))
            return false;
        bytes -= n;
    }
    return true;
}

static bool data(pto_block_assembler *as, unsigned bytes) {
    do {
        int64_t value;
        const size_t begin = (pto_block_skip(as), as->at);
        as->address = as->origin + as->bytes.count;
        if (!pto_block_expression(as, &value))
            return false;
        const unsigned bits = 8 * bytes;
        if (as->final && bits < 64 && (value >= INT64_C(1) << bits || value < -(INT64_C(1) << (bits - 1))))
            return pto_block_refuse(as, begin, "PTO-E1603", "the value has more than %u bits", bits);
        if (!put(as, (uint64_t)value, bytes))
            return false;
    } while (pto_block_accept(as, ","));
    return true;
}

static bool directive(pto_block_assembler *as, pto_str word, size_t begin) {
    int64_t value;
    const uint64_t address = as->origin + as->bytes.count;
    if (pto_str_equal_ignore_case(word, PTO_STR(".word")))
        return data(as, 4);
    if (pto_str_equal_ignore_case(word, PTO_STR(".half")))
        return data(as, 2);
    if (pto_str_equal_ignore_case(word, PTO_STR(".byte")))
        return data(as, 1);
    if (pto_str_equal_ignore_case(word, PTO_STR(".quad")))
        return data(as, 8);
    if (pto_str_equal_ignore_case(word, PTO_STR(".space")))
        return fixed_value(as, &value) &&
               (value >= 0 ? fill_to(as, (uint64_t)value)
                           : pto_block_refuse(as, begin, "PTO-E1603", "a space is not negative"));
    if (pto_str_equal_ignore_case(word, PTO_STR(".align"))) {
        if (!fixed_value(as, &value))
            return false;
        if (value < 1 || value > 1 << 20 || (value & (value - 1)))
            return pto_block_refuse(as, begin, "PTO-E1603", "an alignment is a power of two, in bytes");
        return fill_to(as, (0 - address) & (uint64_t)(value - 1));
    }
    if (pto_str_equal_ignore_case(word, PTO_STR(".org"))) {
        if (!fixed_value(as, &value))
            return false;
        if (!as->bytes.count && !as->lines.count && !as->symbols.count) {
            as->origin = (uint64_t)value;
            return true;
        }
        if ((uint64_t)value < address)
            return pto_block_refuse(as, begin, "PTO-E1606", "the address lies before the code above");
        return fill_to(as, (uint64_t)value - address);
    }
    if (pto_str_equal_ignore_case(word, PTO_STR(".equ")) ||
        pto_str_equal_ignore_case(word, PTO_STR(".set"))) {
        const size_t at = (pto_block_skip(as), as->at);
        const pto_str name = pto_block_word(as);
        return name.len && pto_block_expect(as, ",") && pto_block_expression(as, &value) &&
               define(as, name, at, value, as->moving, !as->unknown);
    }
    return pto_block_refuse(as, begin, "PTO-E1602", "no directive of this name");
}

/* ---- statements ---- */

static void statement(pto_block_assembler *as) {
    as->statement_failed = false;
    for (;;) { /* labels */
        if (pto_block_done(as))
            return;
        const size_t begin = as->at;
        as->start = begin;
        as->address = as->origin + as->bytes.count;
        const pto_str word = pto_block_word(as);
        if (!word.len) {
            pto_block_refuse(as, begin, "PTO-E0202", "expected an instruction");
            return;
        }
        if (pto_block_accept(as, ":")) {
            if (!define(as, word, begin, (int64_t)as->address, true, true))
                return;
            continue;
        }
        if (pto_block_accept(as, "=")) {
            int64_t value;
            if (pto_block_expression(as, &value) &&
                define(as, word, begin, value, as->moving, !as->unknown) && !pto_block_done(as))
                pto_block_refuse(as, as->at, "PTO-E0201", "unexpected text behind the value");
            return;
        }
        const uint64_t address = as->address;
        const size_t before = as->bytes.count;
        const uint64_t origin = as->origin;
        if (word.data[0] == '.') {
            if (directive(as, word, begin) && !pto_block_done(as))
                pto_block_refuse(as, as->at, "PTO-E0201", "unexpected text behind the directive");
        } else if (!pto_block_parse_physical(as, word) && !pto_block_parse_template(as, word)) {
            pto_block_refuse(as, begin, "PTO-E1602", "%.*s is no instruction", PTO_STR_ARG(word));
        }
        if (as->bytes.count > before && as->origin == origin) {
            uint32_t line, column;
            pto_source_locate(as->source, begin, &line, &column);
            pto_vec_push(&as->arena, &as->lines,
                         (pto_block_line){address, (uint32_t)(as->bytes.count - before), line});
        }
        return;
    }
}

/* Statements end at a line end or a semicolon; comments are `//` to the line end, C comments, and lines that
 * begin with #. */
static void run_pass(pto_block_assembler *as) {
    const char *text = as->source->text;
    const size_t length = as->source->len;
    as->text = text;
    as->bytes.count = as->lines.count = 0;
    bool line_start = true;
    for (size_t at = 0; at < length && !pto_diag_full(as->diags);) {
        size_t end = at;
        const char *first = text + at;
        while (first < text + length && (*first == ' ' || *first == '\t'))
            first++;
        const bool comment = line_start && first < text + length && *first == '#';
        size_t stop = length; /* where the statement's text ends */
        while (end < length && text[end] != '\n' && (comment || text[end] != ';')) {
            if (text[end] == '/' && end + 1 < length && text[end + 1] == '/' && !comment) {
                stop = end;
                while (end < length && text[end] != '\n')
                    end++;
                break;
            }
            if (text[end] == '/' && end + 1 < length && text[end + 1] == '*' && !comment) {
                end += 2;
                while (end < length && !(text[end] == '*' && end + 1 < length && text[end + 1] == '/'))
                    end++;
                end = end + 2 < length ? end + 2 : length;
                continue;
            }
            end++;
        }
        as->at = at;
        as->end = stop < end ? stop : end;
        /* a C comment may span lines: skip() knows it, and a line end inside it is not a blank elsewhere */
        if (!comment)
            statement(as);
        line_start = end < length && text[end] == '\n';
        at = end + 1;
    }
}

pto_status pto_block_assemble(pto_source *source, const pto_block_options *options, pto_diag_list *diags,
                              pto_block_image *image) {
    memset(image, 0, sizeof *image);
    pto_block_assembler as = {.source = source, .diags = diags};
    pto_arena_init(&as.arena, (size_t)1 << 30);
    pto_map_init(&as.symbols, &as.arena);
    as.compress = options && options->compress;
    const uint64_t address = options ? options->address : 0;
    as.origin = address;
    if (source->len > PTO_BLOCK_MAX_IMAGE) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0203", pto_at(source, 0, 0), "the text is larger than 64 MiB");
        return PTO_ERR_REFUSED;
    }
    run_pass(&as);
    if (!as.failed) {
        as.final = true;
        run_pass(&as);
    }
    pto_status status = as.failed ? PTO_ERR_REFUSED : as.arena.failure;
    if (status == PTO_OK) {
        image->address = as.origin;
        image->size = as.bytes.count;
        image->line_count = as.lines.count;
        image->bytes = malloc(image->size + 1);
        image->line = malloc((image->line_count + 1) * sizeof *image->line);
        if (!image->bytes || !image->line) {
            pto_block_image_free(image);
            status = PTO_ERR_NOMEM;
        } else {
            if (image->size)
                memcpy(image->bytes, as.bytes.data, image->size);
            if (image->line_count)
                memcpy(image->line, as.lines.data, image->line_count * sizeof *image->line);
        }
    }
    pto_arena_free(&as.arena);
    return status;
}

void pto_block_image_free(pto_block_image *image) {
    free(image->bytes);
    free(image->line);
    memset(image, 0, sizeof *image);
}

/* ---- listing ---- */

pto_status pto_block_listing(pto_source *source, const pto_block_image *image, pto_write_fn write,
                             void *context) {
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    size_t next = 0;
    uint32_t last, column;
    pto_source_locate(source, source->len, &last, &column);
    for (uint32_t number = 1; number <= last; number++) {
        size_t length;
        const char *text = pto_source_line(source, number, &length);
        if (number == last && !length)
            break;
        bool told = false;
        while (next < image->line_count && image->line[next].number == number) {
            const pto_block_line *line = &image->line[next++];
            for (uint32_t at = 0; at < line->size;) {
                const size_t offset = (size_t)(line->address - image->address) + at;
                pto_block_instr instr;
                uint32_t n = line->size - at < 4 ? line->size - at : 4;
                if (pto_block_decode(image->bytes + offset, line->size - at, &instr) == PTO_OK)
                    n = instr.bytes;
                char word[20] = "";
                for (uint32_t i = n; i-- > 0;) {
                    static const char digit[] = "0123456789abcdef";
                    char *to = word + 2 * (n - 1 - i);
                    to[0] = digit[image->bytes[offset + i] >> 4];
                    to[1] = digit[image->bytes[offset + i] & 15];
                    to[2] = 0;
                }
                pto_sink_printf(&sink, "%6llx: %-16s", (unsigned long long)(line->address + at), word);
                if (!told) {
                    pto_sink_char(&sink, ' ', 1);
                    pto_sink_put(&sink, text, length);
                }
                pto_sink_char(&sink, '\n', 1);
                told = true;
                at += n;
            }
        }
        if (!told) {
            pto_sink_char(&sink, ' ', 25);
            pto_sink_put(&sink, text, length);
            pto_sink_char(&sink, '\n', 1);
        }
    }
    return pto_sink_flush(&sink) ? PTO_OK : PTO_ERR_IO;
}
