/* SPDX-License-Identifier: Apache-2.0 */
/* What the room's own files share about file access beyond pto/io.h. */
#ifndef PTO_BASE_IO_H
#define PTO_BASE_IO_H

#include <pto/io.h>

#define PTO_ERRNO_SIZE 128

/* The system's words for an errno value, in `buffer`. */
const char *pto_errno_text(int number, char buffer[PTO_ERRNO_SIZE]);

/* Opens for reading; "-" is a duplicate of standard input. -1, with a diagnostic, for a directory or on
 * failure. */
int pto_fd_open(const char *path, pto_diag_list *diags);

/* Reads until `len` bytes or the end; returns how many, or -1 with errno set. */
long long pto_fd_read(int fd, void *data, size_t len);

/* How a path is named in messages. */
const char *pto_path_shown(const char *path);

#endif
