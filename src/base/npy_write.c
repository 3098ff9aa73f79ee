/* SPDX-License-Identifier: Apache-2.0 */
/* Writing .npy files, byte for byte as NumPy does. */
#include <string.h>

#include "base/npy_header.h"
#include "base/sink.h"

/* NumPy leaves room for the growing extent to reach this many digits, so that it can be rewritten in place.
 */
#define GROWTH_DIGITS 21
#define HEADER_ALIGN 64
#define HEADER_ROOM 512 /* eight extents of 20 digits need 300 bytes */

pto_status pto_npy_describe(pto_npy_info *info, pto_diag_list *diags) {
    if (!info)
        return PTO_ERR_USAGE;
    if (!pto_npy_type_known(info->kind, info->itemsize) || info->rank > PTO_NPY_RANK_MAX) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0131", pto_nowhere(),
                     "this array cannot be written as a .npy file");
        pto_diag_found(diags, "kind %d, element size %u, rank %u", info->kind, info->itemsize, info->rank);
        return PTO_ERR_USAGE;
    }
    pto_status status = pto_npy_measure(info, NULL, diags);
    if (status != PTO_OK)
        return status;
    info->big_endian = info->itemsize > 1 && PTO_NPY_NATIVE_BIG;
    info->fortran_order = false;
    info->version = 1;
    info->data_offset = pto_npy_format_header(info, NULL, 0);
    return PTO_OK;
}

size_t pto_npy_format_header(const pto_npy_info *info, char *buffer, size_t capacity) {
    if (!info || !pto_npy_type_known(info->kind, info->itemsize) || info->rank > PTO_NPY_RANK_MAX)
        return 0;
    char text[HEADER_ROOM];
    pto_buffer out = {text, sizeof text, 0};
    pto_sink sink;
    pto_sink_init(&sink, pto_buffer_write, &out);
    /* The two bytes behind the version are the length, filled in at the end. */
    pto_sink_put(&sink, "\x93NUMPY\x01\x00\x00\x00", 10);
    pto_sink_printf(&sink, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                    info->itemsize == 1  ? '|'
                    : PTO_NPY_NATIVE_BIG ? '>'
                                         : '<',
                    info->kind, info->itemsize);
    for (unsigned i = 0; i < info->rank; i++)
        pto_sink_printf(&sink,
                        i + 1 < info->rank ? "%llu, "
                        : info->rank == 1  ? "%llu,"
                                           : "%llu",
                        (unsigned long long)info->shape[i]);
    pto_sink_text(&sink, "), }");
    if (info->rank) {
        char digits[PTO_FORMAT_SIZE];
        pto_buffer growing = {digits, sizeof digits, 0};
        pto_sink count;
        pto_sink_init(&count, pto_buffer_write, &growing);
        pto_sink_printf(&count, "%llu", (unsigned long long)info->shape[0]);
        pto_sink_flush(&count);
        pto_sink_char(&sink, ' ', GROWTH_DIGITS - growing.len);
    }
    pto_sink_flush(&sink);
    /* The line end counts; a header that is aligned already gets another 64 blanks, as in NumPy. */
    size_t padding = HEADER_ALIGN - (out.len + 1) % HEADER_ALIGN;
    pto_sink_char(&sink, ' ', padding);
    pto_sink_char(&sink, '\n', 1);
    pto_sink_flush(&sink);
    size_t text_len = out.len - 10;
    text[8] = (char)(text_len & 0xff);
    text[9] = (char)(text_len >> 8);
    if (out.len <= capacity)
        memcpy(buffer, text, out.len);
    return out.len;
}

pto_status pto_npy_write(pto_out_file *out, const pto_npy_info *info, const void *data,
                         pto_diag_list *diags) {
    if (!out || !info || (!data && info->bytes))
        return PTO_ERR_USAGE;
    /* What the caller filled in by hand is derived again: a wrong size must not become a wrong file. */
    pto_npy_info checked = *info;
    pto_status status = pto_npy_describe(&checked, diags);
    if (status != PTO_OK)
        return status;
    if (checked.bytes != info->bytes || (info->itemsize > 1 && info->big_endian != checked.big_endian) ||
        info->fortran_order) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0131", pto_nowhere(),
                     "the description of the array contradicts itself");
        return PTO_ERR_USAGE;
    }
    char header[HEADER_ROOM];
    size_t len = pto_npy_format_header(&checked, header, sizeof header);
    status = pto_out_write(out, header, len, diags);
    if (status == PTO_OK && checked.bytes)
        status = pto_out_write(out, data, (size_t)checked.bytes, diags);
    return status;
}

pto_status pto_npy_save(const char *path, const pto_npy_info *info, const void *data, pto_diag_list *diags) {
    pto_out_file *out;
    pto_status status = pto_out_open(path, &out, diags);
    if (status != PTO_OK)
        return status;
    status = pto_npy_write(out, info, data, diags);
    if (status == PTO_OK)
        return pto_out_commit(out, false, diags);
    pto_out_abort(out);
    return status;
}
