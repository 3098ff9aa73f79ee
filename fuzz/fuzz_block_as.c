/* SPDX-License-Identifier: Apache-2.0 */
/* Block assembly: any text; what assembles comes back from the disassembler, plain and folded. */
#include <pto/block.h>

#include <stdlib.h>
#include <string.h>

typedef struct growing {
    char *data;
    size_t len, capacity;
} growing;

static bool grow(void *context, const char *data, size_t len) {
    growing *text = context;
    if (text->len + len > text->capacity) {
        text->capacity = 2 * (text->len + len);
        text->data = realloc(text->data, text->capacity);
        if (!text->data)
            abort();
    }
    memcpy(text->data + text->len, data, len);
    text->len += len;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return 0;
    const pto_block_options options = {.compress = data[0] & 1, .fold = data[0] & 2, .words = data[0] & 4};
    pto_source source;
    pto_source_init(&source, "fuzz.s", (const char *)data + 1, size - 1);
    pto_diag_list *diags = pto_diag_list_create();
    pto_block_image image;
    if (pto_block_assemble(&source, &options, diags, &image) == PTO_OK && image.size < 1 << 16) {
        growing text = {0};
        pto_block_disassemble(&image, &options, grow, &text);
        pto_source again_source;
        pto_source_init(&again_source, "again.s", text.data, text.len);
        pto_block_image again;
        if (image.size && (pto_block_assemble(&again_source, &options, NULL, &again) != PTO_OK ||
                           again.size != image.size || memcmp(again.bytes, image.bytes, image.size)))
            abort();
        if (image.size)
            pto_block_image_free(&again);
        text.len = 0;
        pto_block_listing(&source, &image, grow, &text);
        pto_block_check(&image, &source, diags);
        pto_source_release(&again_source);
        free(text.data);
    }
    pto_block_image_free(&image);
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
    return 0;
}
