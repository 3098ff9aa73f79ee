/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as code: what decodes encodes to the same word, the text of all assembles to the same bytes. */
#include <pto/block.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct buffer {
    char *text;
    size_t length, capacity;
} buffer;

static bool grow(void *context, const char *data, size_t length) {
    buffer *b = context;
    if (b->length + length + 1 > b->capacity) {
        b->capacity = 2 * (b->length + length + 1);
        char *text = realloc(b->text, b->capacity);
        if (!text)
            return false;
        b->text = text;
    }
    memcpy(b->text + b->length, data, length);
    b->length += length;
    b->text[b->length] = 0;
    return true;
}

static void each_word(const uint8_t *data, size_t size) {
    for (size_t at = 0; at + 1 < size;) {
        pto_block_instr instr;
        uint64_t word;
        char line[256];
        const unsigned length = pto_block_length((uint16_t)(data[at] | data[at + 1] << 8));
        if (pto_block_decode(data + at, size - at, &instr) == PTO_OK &&
            (instr.bytes != length || pto_block_encode(&instr, &word) != PTO_OK || word != instr.word ||
             pto_block_print(&instr, line, sizeof line) >= sizeof line))
            abort();
        at += length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 4096)
        return 0;
    const pto_block_options options = {.compress = data[0] & 1, .fold = data[0] & 2, .words = data[0] & 4};
    data++;
    size--;
    each_word(data, size);
    uint8_t *code = malloc(size);
    if (!code)
        return 0;
    memcpy(code, data, size);
    const pto_block_image image = {.address = 0x1000, .bytes = code, .size = size};
    buffer text = {0};
    pto_block_disassemble(&image, &options, grow, &text);
    pto_source source;
    pto_source_init(&source, "fuzz.s", text.text ? text.text : "", text.length);
    pto_block_image again;
    if (pto_block_assemble(&source, &options, NULL, &again) != PTO_OK || again.size != size ||
        memcmp(again.bytes, code, size))
        abort();
    pto_block_image_free(&again);
    pto_source_release(&source);
    pto_block_check(&image, NULL, NULL);
    free(text.text);
    free(code);
    return 0;
}
