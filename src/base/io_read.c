/* SPDX-License-Identifier: Apache-2.0 */
/* Reading whole files. */
#undef _GNU_SOURCE /* its strerror_r is another function */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

const char *pto_errno_text(int number, char buffer[PTO_ERRNO_SIZE]) {
    if (strerror_r(number, buffer, PTO_ERRNO_SIZE) != 0)
        memcpy(buffer, "unknown error", 14);
    return buffer;
}

const char *pto_path_shown(const char *path) { return strcmp(path, "-") == 0 ? "<stdin>" : path; }

int pto_fd_open(const char *path, pto_diag_list *diags) {
    char why[PTO_ERRNO_SIZE];
    pto_where where = pto_at_file(pto_path_shown(path));
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0100", where, "cannot open: %s", pto_errno_text(errno, why));
        return -1;
    }
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0101", where, "is a directory, not a file");
        close(fd);
        return -1;
    }
    return fd;
}

long long pto_fd_read(int fd, void *data, size_t len) {
    size_t done = 0;
    while (done < len) {
        /* Some systems refuse more than 2 GiB in one call. */
        size_t part = len - done < ((size_t)1 << 30) ? len - done : (size_t)1 << 30;
        ssize_t got = read(fd, (char *)data + done, part);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (long long)done;
}

static pto_status read_all(int fd, size_t limit, pto_where where, char **data, size_t *len,
                           pto_diag_list *diags) {
    /* The size that the system tells is a first guess only: pipes tell none, and files may grow meanwhile. */
    size_t capacity = 1 << 16;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        if ((unsigned long long)st.st_size > limit) {
            pto_diag_add(diags, PTO_ERROR, "PTO-E0103", where, "the file is too large");
            pto_diag_found(diags, "%lld bytes", (long long)st.st_size);
            pto_diag_allowed(diags, "at most %zu bytes", limit);
            return PTO_ERR_LIMIT;
        }
        capacity = (size_t)st.st_size + 2; /* the NUL, and one more to see the end without growing */
    }
    char *text = NULL;
    size_t used = 0;
    for (;;) {
        char *grown = realloc(text, capacity);
        if (!grown) {
            free(text);
            pto_diag_add(diags, PTO_ERROR, "PTO-E0104", where, "no memory for the file (%zu bytes)",
                         capacity);
            return PTO_ERR_NOMEM;
        }
        text = grown;
        size_t asked = capacity - used - 1;
        long long got = pto_fd_read(fd, text + used, asked);
        if (got < 0) {
            char why[PTO_ERRNO_SIZE];
            pto_diag_add(diags, PTO_ERROR, "PTO-E0102", where, "cannot read: %s", pto_errno_text(errno, why));
            free(text);
            return PTO_ERR_IO;
        }
        used += (size_t)got;
        if (used > limit) {
            free(text);
            pto_diag_add(diags, PTO_ERROR, "PTO-E0103", where, "the input is too large");
            pto_diag_allowed(diags, "at most %zu bytes", limit);
            return PTO_ERR_LIMIT;
        }
        if ((size_t)got < asked)
            break;
        capacity = capacity > limit / 2 ? limit + 2 : capacity * 2;
        if (capacity < used + 2)
            capacity = used + 2;
    }
    text[used] = '\0';
    *data = text;
    *len = used;
    return PTO_OK;
}

pto_status pto_file_read(const char *path, size_t limit, char **data, size_t *len, pto_diag_list *diags) {
    if (!path || !data || !len)
        return PTO_ERR_USAGE;
    *data = NULL;
    *len = 0;
    if (limit > SIZE_MAX / 4)
        limit = SIZE_MAX / 4;
    int fd = pto_fd_open(path, diags);
    if (fd < 0)
        return PTO_ERR_IO;
    pto_status status = read_all(fd, limit, pto_at_file(pto_path_shown(path)), data, len, diags);
    close(fd);
    return status;
}
