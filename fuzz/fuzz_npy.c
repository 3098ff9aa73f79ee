/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target of the .npy reader: no input may harm; what is accepted must survive a round trip. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pto/npy.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool swallow(void *context, const char *data, size_t len) {
    (void)context;
    (void)data;
    (void)len;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_npy_info info, again;
    void *elements, *back = NULL;
    pto_status status = pto_npy_load_memory(data, size, "fuzz.npy", (size_t)1 << 24, &info, &elements, diags);
    if (status != PTO_OK) {
        if (elements || (diags && pto_diag_count(diags, PTO_ERROR) != 1))
            abort();
        pto_diag_render(diags, NULL, swallow, NULL);
        pto_diag_render_json(diags, swallow, NULL);
    } else {
        char header[1024];
        again = info;
        if (pto_npy_describe(&again, NULL) != PTO_OK || again.bytes != info.bytes)
            abort();
        size_t len = pto_npy_format_header(&again, header, sizeof header);
        char *file = malloc(len + (size_t)info.bytes);
        if (!file || len != again.data_offset || len > sizeof header)
            abort();
        memcpy(file, header, len);
        memcpy(file + len, elements, (size_t)info.bytes);
        if (pto_npy_load_memory(file, len + (size_t)info.bytes, NULL, SIZE_MAX, &again, &back, NULL) !=
                PTO_OK ||
            memcmp(back, elements, (size_t)info.bytes) != 0)
            abort();
        free(file);
        free(back);
    }
    free(elements);
    pto_diag_list_destroy(diags);
    return 0;
}
