/* SPDX-License-Identifier: Apache-2.0 */
/* Reading .npy files from disk or memory. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/npy_header.h"

/* Where the bytes come from: a descriptor, or memory when fd is -1. */
typedef struct input {
    int fd;
    const unsigned char *data;
    size_t len, at;
    uint64_t size; /* of the whole input, if known */
    bool size_known;
    const char *name;
    pto_diag_list *diags;
} input;

/* Reads up to `len` bytes; fewer only at the end. */
static pto_status take(input *in, void *to, size_t len, size_t *got) {
    *got = 0;
    if (in->fd < 0) {
        *got = len < in->len - in->at ? len : in->len - in->at;
        if (*got)
            memcpy(to, in->data + in->at, *got);
        in->at += *got;
        return PTO_OK;
    }
    long long done = pto_fd_read(in->fd, to, len);
    if (done < 0) {
        char why[PTO_ERRNO_SIZE];
        pto_diag_add(in->diags, PTO_ERROR, "PTO-E0102", pto_at_file(in->name), "cannot read: %s",
                     pto_errno_text(errno, why));
        return PTO_ERR_IO;
    }
    *got = (size_t)done;
    return PTO_OK;
}

static pto_status wrong_size(const input *in, const pto_npy_info *info, bool shorter, uint64_t size) {
    if (shorter)
        pto_diag_add(in->diags, PTO_ERROR, "PTO-E0128", pto_at_file(in->name), "the array is cut short");
    else
        pto_diag_add(in->diags, PTO_ERROR, "PTO-E0129", pto_at_file(in->name),
                     "there are bytes behind the array");
    if (size)
        pto_diag_found(in->diags, "%llu bytes in the file", (unsigned long long)size);
    pto_diag_allowed(in->diags, "exactly %llu bytes (a header of %llu and %llu elements of %u)",
                     (unsigned long long)(info->data_offset + info->bytes),
                     (unsigned long long)info->data_offset, (unsigned long long)info->count, info->itemsize);
    return PTO_ERR_REFUSED;
}

static pto_status read_header(input *in, pto_npy_info *info) {
    memset(info, 0, sizeof *info);
    char bytes[PTO_NPY_PREFIX_MAX + PTO_NPY_HEADER_MAX];
    size_t have, more, offset = 0, len = 0;
    /* Version 1 has 10 bytes in front of its text, the others 12; a text of fewer than 2 bytes is malformed
     * anyway. */
    pto_status status = take(in, bytes, PTO_NPY_PREFIX_MAX, &have);
    if (status == PTO_OK)
        status = pto_npy_prefix(bytes, have, in->name, &info->version, &offset, &len, in->diags);
    if (status != PTO_OK)
        return status;
    size_t need = offset + len;
    if (need > have) {
        status = take(in, bytes + have, need - have, &more);
        if (status != PTO_OK)
            return status;
        have += more;
    }
    if (have < need) {
        pto_diag_add(in->diags, PTO_ERROR, "PTO-E0121", pto_at_file(in->name),
                     "the .npy header is cut short");
        pto_diag_found(in->diags, "%zu bytes", have);
        pto_diag_allowed(in->diags, "a header of %zu bytes", need);
        return PTO_ERR_REFUSED;
    }
    status = pto_npy_header_text((pto_str){bytes + offset, len}, in->name, info, in->diags);
    if (status == PTO_OK)
        status = pto_npy_measure(info, in->name, in->diags);
    if (status != PTO_OK)
        return status;
    info->data_offset = need;
    if (in->size_known && in->size != need + info->bytes)
        return wrong_size(in, info, in->size < need + info->bytes, in->size);
    return PTO_OK;
}

static void swap_bytes(unsigned char *data, uint64_t count, size_t itemsize) {
    for (uint64_t i = 0; i < count; i++, data += itemsize)
        for (size_t k = 0; k < itemsize / 2; k++) {
            unsigned char byte = data[k];
            data[k] = data[itemsize - 1 - k];
            data[itemsize - 1 - k] = byte;
        }
}

/* Copies Fortran order to C order: walks the destination, the source index follows by its strides. */
static void transpose(unsigned char *to, const unsigned char *from, const pto_npy_info *info) {
    size_t stride[PTO_NPY_RANK_MAX], index[PTO_NPY_RANK_MAX] = {0};
    size_t itemsize = info->itemsize, at = 0;
    stride[0] = itemsize;
    for (unsigned i = 1; i < info->rank; i++)
        stride[i] = stride[i - 1] * (size_t)info->shape[i - 1];
    for (uint64_t n = 0; n < info->count; n++, to += itemsize) {
        memcpy(to, from + at, itemsize);
        for (unsigned i = info->rank; i-- > 0;) {
            at += stride[i];
            if (++index[i] < info->shape[i])
                break;
            at -= stride[i] * (size_t)info->shape[i];
            index[i] = 0;
        }
    }
}

static pto_status no_memory(const input *in, uint64_t bytes) {
    pto_diag_add(in->diags, PTO_ERROR, "PTO-E0104", pto_at_file(in->name),
                 "no memory for the file (%llu bytes)", (unsigned long long)bytes);
    return PTO_ERR_NOMEM;
}

/* Reads the elements behind the header into `buffer` of info->bytes bytes. */
static pto_status read_elements(input *in, const pto_npy_info *info, void *buffer) {
    bool reorder = info->fortran_order && info->rank > 1 && info->count > 1;
    unsigned char *raw = reorder ? malloc((size_t)info->bytes) : buffer;
    if (reorder && !raw)
        return no_memory(in, info->bytes);
    size_t got = 0, extra = 0;
    unsigned char byte;
    pto_status status = info->bytes ? take(in, raw, (size_t)info->bytes, &got) : PTO_OK;
    if (status == PTO_OK && got < info->bytes)
        status = wrong_size(in, info, true, info->data_offset + got);
    if (status == PTO_OK)
        status = take(in, &byte, 1, &extra);
    if (status == PTO_OK && extra)
        status = wrong_size(in, info, false, 0);
    if (status == PTO_OK) {
        if (info->itemsize > 1 && info->big_endian != PTO_NPY_NATIVE_BIG)
            swap_bytes(raw, info->count, info->itemsize);
        if (reorder)
            transpose(buffer, raw, info);
    }
    if (reorder)
        free(raw);
    return status;
}

static pto_status load(input *in, size_t limit, pto_npy_info *info, void **data) {
    *data = NULL;
    pto_status status = read_header(in, info);
    if (status != PTO_OK)
        return status;
    if (info->bytes > limit) {
        pto_diag_add(in->diags, PTO_ERROR, "PTO-E0103", pto_at_file(in->name), "the array is too large");
        pto_diag_found(in->diags, "%llu bytes", (unsigned long long)info->bytes);
        pto_diag_allowed(in->diags, "at most %zu bytes", limit);
        return PTO_ERR_LIMIT;
    }
    void *buffer = malloc(info->bytes ? (size_t)info->bytes : 1);
    if (!buffer)
        return no_memory(in, info->bytes);
    status = read_elements(in, info, buffer);
    if (status == PTO_OK)
        *data = buffer;
    else
        free(buffer);
    return status;
}

static pto_status open_input(input *in, const char *path, pto_diag_list *diags) {
    memset(in, 0, sizeof *in);
    in->name = pto_path_shown(path);
    in->diags = diags;
    in->fd = pto_fd_open(path, diags);
    if (in->fd < 0)
        return PTO_ERR_IO;
    /* Standard input may be a file that is already read in part, so its size tells nothing. */
    struct stat st;
    if (strcmp(path, "-") != 0 && fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0) {
        in->size = (uint64_t)st.st_size;
        in->size_known = true;
    }
    return PTO_OK;
}

static input memory_input(const void *data, size_t len, const char *name, pto_diag_list *diags) {
    return (input){.fd = -1, .data = data, .len = len, .name = name, .diags = diags};
}

pto_status pto_npy_parse(const void *data, size_t len, const char *name, pto_npy_info *info,
                         pto_diag_list *diags) {
    if ((!data && len) || !info)
        return PTO_ERR_USAGE;
    input in = memory_input(data, len, name, diags);
    return read_header(&in, info);
}

pto_status pto_npy_peek(const char *path, pto_npy_info *info, pto_diag_list *diags) {
    if (!path || !info)
        return PTO_ERR_USAGE;
    input in;
    pto_status status = open_input(&in, path, diags);
    if (status != PTO_OK)
        return status;
    status = read_header(&in, info);
    close(in.fd);
    return status;
}

pto_status pto_npy_read(const char *path, pto_npy_info *info, void *buffer, size_t capacity,
                        pto_diag_list *diags) {
    if (!path || !info || (!buffer && capacity))
        return PTO_ERR_USAGE;
    input in;
    pto_status status = open_input(&in, path, diags);
    if (status != PTO_OK)
        return status;
    status = read_header(&in, info);
    if (status == PTO_OK && info->bytes > capacity) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0130", pto_at_file(in.name),
                     "the array does not fit its buffer");
        pto_diag_found(diags, "%llu bytes", (unsigned long long)info->bytes);
        pto_diag_allowed(diags, "at most %zu bytes", capacity);
        status = PTO_ERR_USAGE;
    }
    if (status == PTO_OK)
        status = read_elements(&in, info, buffer);
    close(in.fd);
    return status;
}

pto_status pto_npy_load(const char *path, size_t limit, pto_npy_info *info, void **data,
                        pto_diag_list *diags) {
    if (!path || !info || !data)
        return PTO_ERR_USAGE;
    *data = NULL;
    input in;
    pto_status status = open_input(&in, path, diags);
    if (status != PTO_OK)
        return status;
    status = load(&in, limit, info, data);
    close(in.fd);
    return status;
}

pto_status pto_npy_load_memory(const void *file, size_t len, const char *name, size_t limit,
                               pto_npy_info *info, void **data, pto_diag_list *diags) {
    if ((!file && len) || !info || !data)
        return PTO_ERR_USAGE;
    input in = memory_input(file, len, name, diags);
    in.size = len;
    in.size_known = true;
    return load(&in, limit, info, data);
}
