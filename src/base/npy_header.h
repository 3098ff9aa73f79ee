/* SPDX-License-Identifier: Apache-2.0 */
/* The header text of a .npy file, shared by reader and writer. */
#ifndef PTO_BASE_NPY_HEADER_H
#define PTO_BASE_NPY_HEADER_H

#include <pto/npy.h>

#include "base/str.h"

#define PTO_NPY_MAGIC_SIZE 6
#define PTO_NPY_PREFIX_MAX 12 /* magic, version and the longer form of the header length */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PTO_NPY_NATIVE_BIG true
#else
#define PTO_NPY_NATIVE_BIG false
#endif

/*
 * Reads magic, version and header length from the first bytes (12 are always enough) and gives the offset and
 * the length of the header text. `len` bytes are at hand and no more exist.
 */
pto_status pto_npy_prefix(const void *data, size_t len, const char *name, uint8_t *version,
                          size_t *text_offset, size_t *text_len, pto_diag_list *diags);

/* Parses the dictionary into kind, itemsize, order, rank and shape. */
pto_status pto_npy_header_text(pto_str text, const char *name, pto_npy_info *info, pto_diag_list *diags);

/* count and bytes from shape and itemsize; PTO_ERR_REFUSED with PTO-E0126 on overflow. */
pto_status pto_npy_measure(pto_npy_info *info, const char *name, pto_diag_list *diags);

/* True for the pairs of kind and itemsize that we handle. */
bool pto_npy_type_known(char kind, unsigned itemsize);

#endif
