/* SPDX-License-Identifier: Apache-2.0 */
/* An image as text that assembles to the same bytes: labels for jump targets, data for what does not decode.
 */
#include "block/text.h"

#include "base/sink.h"

#include <stdlib.h>
#include <string.h>

typedef struct listing {
    const pto_block_image *image;
    const pto_block_options *options;
    pto_sink sink;
    uint8_t *mark; /* per byte: 1 an instruction begins here, 2 a target */
} listing;

static bool target_of(const listing *list, size_t at, const pto_block_instr *instr, size_t *offset) {
    if (!pto_block_field_of(pto_block_form_get(instr->form), PTO_BLOCK_TARGET))
        return false;
    const uint64_t target = (uint64_t)at + (uint64_t)instr->field[PTO_BLOCK_TARGET];
    *offset = (size_t)target;
    return target <= list->image->size && (target == list->image->size || (list->mark[target] & 1)) &&
           !(pto_block_form_falls(instr->form) && !instr->field[PTO_BLOCK_TARGET]);
}

static void out_prefix(listing *list, size_t at, size_t bytes) {
    if (!list->options->words)
        return;
    char word[20] = "";
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes && i < 8; i++) {
        const uint8_t byte = list->image->bytes[at + bytes - 1 - i];
        word[2 * i] = digit[byte >> 4];
        word[2 * i + 1] = digit[byte & 15];
        word[2 * i + 2] = 0;
    }
    pto_sink_printf(&list->sink, "/* %llx: %-16s */ ", (unsigned long long)(list->image->address + at), word);
}

static void out_line(listing *list, size_t at, const pto_block_instr *instr) {
    char text[256], label[32];
    size_t target;
    pto_block_out out = {text, sizeof text, 0};
    const bool has_target = target_of(list, at, instr, &target);
    pto_block_out name = {label, sizeof label, 0};
    if (has_target)
        pto_block_out_add(&name, "L%llx", (unsigned long long)(list->image->address + target));
    pto_block_out_instr(&out, instr, has_target ? label : NULL);
    while (out.length && text[out.length - 1] == ' ')
        text[--out.length] = 0;
    out_prefix(list, at, instr->bytes);
    pto_sink_printf(&list->sink, "    %s\n", text);
}

static size_t out_data(listing *list, size_t at) {
    const uint8_t *byte = list->image->bytes + at;
    const size_t rest = list->image->size - at;
    size_t n = rest >= 2 ? pto_block_length((uint16_t)(byte[0] | byte[1] << 8)) : 1;
    n = rest < 2 ? 1 : n == 4 && rest >= 4 ? 4 : 2;
    out_prefix(list, at, n);
    if (n == 1)
        pto_sink_printf(&list->sink, "    .byte 0x%02x\n", byte[0]);
    else if (n == 2)
        pto_sink_printf(&list->sink, "    .half 0x%02x%02x\n", byte[1], byte[0]);
    else
        pto_sink_printf(&list->sink, "    .word 0x%02x%02x%02x%02x\n", byte[3], byte[2], byte[1], byte[0]);
    return n;
}

/* Bytes that do not decode are told as one word; how many. */
static size_t data_size(const pto_block_image *image, size_t at) {
    const size_t rest = image->size - at;
    if (rest < 2)
        return 1;
    const unsigned n = pto_block_length((uint16_t)(image->bytes[at] | image->bytes[at + 1] << 8));
    return n == 4 && rest >= 4 ? 4 : 2;
}

pto_status pto_block_disassemble(const pto_block_image *image, const pto_block_options *options,
                                 pto_write_fn write, void *context) {
    static const pto_block_options none = {0};
    listing list = {.image = image, .options = options ? options : &none};
    list.mark = calloc(image->size + 1, 1);
    if (!list.mark)
        return PTO_ERR_NOMEM;
    pto_sink_init(&list.sink, write, context);
    pto_block_instr instr;
    for (size_t at = 0; at < image->size;) {
        list.mark[at] |= 1;
        at += pto_block_decode(image->bytes + at, image->size - at, &instr) == PTO_OK ? instr.bytes
                                                                                      : data_size(image, at);
    }
    for (size_t at = 0, target; at < image->size;) {
        const bool good = pto_block_decode(image->bytes + at, image->size - at, &instr) == PTO_OK;
        if (good && target_of(&list, at, &instr, &target))
            list.mark[target] |= 2;
        at += good ? instr.bytes : data_size(image, at);
    }
    if (image->address)
        pto_sink_printf(&list.sink, "    .org 0x%llx\n", (unsigned long long)image->address);
    for (size_t at = 0; at < image->size;) {
        if (list.mark[at] & 2)
            pto_sink_printf(&list.sink, "L%llx:\n", (unsigned long long)(image->address + at));
        if (pto_block_decode(image->bytes + at, image->size - at, &instr) != PTO_OK) {
            at += out_data(&list, at);
            continue;
        }
        if (list.options->fold && pto_block_is_tile_start(instr.form)) {
            pto_block_instr group[PTO_BLOCK_MAX_HEADER];
            size_t count = 0, bytes = 0;
            while (count < PTO_BLOCK_MAX_HEADER &&
                   pto_block_decode(image->bytes + at + bytes, image->size - at - bytes, &group[count]) ==
                       PTO_OK &&
                   (!count || (pto_block_is_header(group[count].form) && !(list.mark[at + bytes] & 2))))
                bytes += group[count++].bytes;
            pto_block_header header;
            if (pto_block_fold(group, count, list.options->compress, &header) == (int)count) {
                char text[512];
                pto_block_out out = {text, sizeof text, 0};
                pto_block_out_template(&out, &header);
                out_prefix(&list, at, group[0].bytes);
                pto_sink_text(&list.sink, "    ");
                pto_sink_text(&list.sink, text);
                pto_sink_char(&list.sink, '\n', 1);
                at += bytes;
                continue;
            }
        }
        out_line(&list, at, &instr);
        at += instr.bytes;
    }
    if (list.mark[image->size] & 2)
        pto_sink_printf(&list.sink, "L%llx:\n", (unsigned long long)(image->address + image->size));
    free(list.mark);
    return pto_sink_flush(&list.sink) ? PTO_OK : PTO_ERR_IO;
}
