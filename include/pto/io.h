/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole-file reading with a limit, and output files that appear whole or not at all.
 * Reasons go to the diagnostic list (may be NULL) under PTO-E0100..E0119.
 */
#ifndef PTO_IO_H
#define PTO_IO_H

#include <stddef.h>

#include <pto/api.h>
#include <pto/diag.h>
#include <pto/status.h>

PTO_BEGIN_DECLS

#define PTO_TEXT_LIMIT ((size_t)64 << 20) /* what callers should pass for program texts: 64 MiB */

/*
 * Reads a file ("-": standard input) of at most `limit` bytes into malloc'ed memory with a NUL behind it; the
 * caller frees `*data`. PTO_ERR_IO, PTO_ERR_LIMIT or PTO_ERR_NOMEM with *data == NULL.
 */
PTO_API pto_status pto_file_read(const char *path, size_t limit, char **data, size_t *len,
                                 pto_diag_list *diags);

/*
 * An output that is written to a temporary beside its destination and renamed over it by pto_out_commit, so
 * that an interrupted run leaves the old file as it was. Devices, pipes, "-" and /dev/stdout are written
 * directly.
 */
typedef struct pto_out_file pto_out_file;

/* Refuses a directory and an existing file that may not be written. `*out` is NULL on failure. */
PTO_API pto_status pto_out_open(const char *path, pto_out_file **out, pto_diag_list *diags);
PTO_API pto_status pto_out_write(pto_out_file *out, const void *data, size_t len, pto_diag_list *diags);

/*
 * Makes the output visible and frees `out`, whatever the result; `sync` waits until the bytes are on the
 * disk. An existing file keeps its permission bits, a new one gets 0666 less the umask. After a failed write
 * it refuses.
 */
PTO_API pto_status pto_out_commit(pto_out_file *out, bool sync, pto_diag_list *diags);

/* Drops the output (the old file stays) and frees `out`; NULL is allowed. */
PTO_API void pto_out_abort(pto_out_file *out);

/*
 * The name of the temporary that must not outlive the process, or NULL if the output is written directly;
 * valid until commit or abort. A signal handler may unlink() it.
 */
PTO_API const char *pto_out_temporary(const pto_out_file *out);

PTO_END_DECLS

#endif
