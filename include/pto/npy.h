/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NumPy's .npy files, versions 1.0, 2.0 and 3.0: one dense array each.
 *
 * Read: booleans, signed and unsigned integers and floats of 1 to 8 bytes; any byte order; C and Fortran
 * order. What is given back is always in the machine's byte order and in C order. Structured, complex,
 * object, text and date types are refused. A file that is shorter or longer than its header says is refused.
 * Reasons: PTO-E0120..E0139.
 */
#ifndef PTO_NPY_H
#define PTO_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pto/api.h>
#include <pto/diag.h>
#include <pto/io.h>
#include <pto/status.h>

PTO_BEGIN_DECLS

#define PTO_NPY_RANK_MAX 8
#define PTO_NPY_HEADER_MAX 65535 /* bytes of header text accepted and written */

typedef struct pto_npy_info {
    char kind;          /* 'f' float, 'i' signed, 'u' unsigned, 'b' boolean (one byte) */
    uint8_t itemsize;   /* f: 2 4 8; i, u: 1 2 4 8; b: 1 */
    uint8_t rank;       /* 0..PTO_NPY_RANK_MAX; 0 is one scalar */
    bool big_endian;    /* of the file; what is read is native */
    bool fortran_order; /* of the file; what is read is in C order */
    uint8_t version;    /* 1, 2 or 3 */
    uint64_t shape[PTO_NPY_RANK_MAX];
    uint64_t count;       /* elements: the product of the shape */
    uint64_t bytes;       /* count * itemsize; fits size_t */
    uint64_t data_offset; /* where the elements start in the file */
} pto_npy_info;

/* Parses the front of a file of which `len` bytes are at hand. `name` is for diagnostics. */
PTO_API pto_status pto_npy_parse(const void *data, size_t len, const char *name, pto_npy_info *info,
                                 pto_diag_list *diags);

/* Reads the header of a file, and checks the size of the file against it where the system tells the size. */
PTO_API pto_status pto_npy_peek(const char *path, pto_npy_info *info, pto_diag_list *diags);

/*
 * Reads a file into the caller's buffer. PTO_ERR_USAGE (PTO-E0130) if info->bytes exceeds `capacity`. On
 * failure the buffer may be partly written.
 */
PTO_API pto_status pto_npy_read(const char *path, pto_npy_info *info, void *buffer, size_t capacity,
                                pto_diag_list *diags);

/* Reads a file of at most `limit` bytes of elements into malloc'ed memory (never NULL on success) that the
 * caller frees. */
PTO_API pto_status pto_npy_load(const char *path, size_t limit, pto_npy_info *info, void **data,
                                pto_diag_list *diags);

/* The same from memory; the whole file is at hand. */
PTO_API pto_status pto_npy_load_memory(const void *file, size_t len, const char *name, size_t limit,
                                       pto_npy_info *info, void **data, pto_diag_list *diags);

/* Fills the derived members (count, bytes, version 1, native, C order) from kind, itemsize, rank and shape.
 */
PTO_API pto_status pto_npy_describe(pto_npy_info *info, pto_diag_list *diags);

/*
 * The header that NumPy itself writes for this array (version 1.0, C order, padded to 64 bytes), as snprintf
 * does: returns its length, writes it only if it fits. 0 if the description is not valid.
 */
PTO_API size_t pto_npy_format_header(const pto_npy_info *info, char *buffer, size_t capacity);

/* Writes header and elements (native byte order, C order, info->bytes of them; see pto_npy_describe). */
PTO_API pto_status pto_npy_write(pto_out_file *out, const pto_npy_info *info, const void *data,
                                 pto_diag_list *diags);

/* Opens, writes and commits. The old file stays as it was if anything fails. */
PTO_API pto_status pto_npy_save(const char *path, const pto_npy_info *info, const void *data,
                                pto_diag_list *diags);

PTO_END_DECLS

#endif
