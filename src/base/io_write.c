/* SPDX-License-Identifier: Apache-2.0 */
/* Output files that appear whole or not at all. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"

struct pto_out_file {
    int fd;
    bool failed;     /* a write failed: commit must not publish what is there */
    char *shown;     /* as the caller named it */
    char *path;      /* the file to replace, links resolved */
    char *temporary; /* NULL when written directly */
};

static void release(pto_out_file *out) {
    if (out->fd >= 0)
        close(out->fd);
    free(out->shown);
    free(out->path);
    free(out->temporary);
    free(out);
}

static pto_status refuse(const pto_out_file *out, pto_diag_list *diags, const char *rule, const char *what) {
    char why[PTO_ERRNO_SIZE];
    pto_diag_add(diags, PTO_ERROR, rule, pto_at_file(strcmp(out->shown, "-") ? out->shown : "<stdout>"),
                 "%s: %s", what, pto_errno_text(errno, why));
    return PTO_ERR_IO;
}

/* The number N of "-", "/dev/stdout", "/dev/stderr", "/dev/fd/N"; -1 for any other path. */
static int descriptor_of(const char *path) {
    pto_str name = pto_str_from(path);
    if (pto_str_equal(name, PTO_STR("-")) || pto_str_equal(name, PTO_STR("/dev/stdout")))
        return STDOUT_FILENO;
    if (pto_str_equal(name, PTO_STR("/dev/stderr")))
        return STDERR_FILENO;
    static const pto_str prefixes[] = {{"/dev/fd/", 8}, {"/proc/self/fd/", 14}};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        uint64_t number;
        if (pto_str_starts_with(name, prefixes[i]) &&
            pto_str_parse_u64(pto_str_slice(name, prefixes[i].len, name.len), &number) == PTO_PARSE_OK &&
            number <= 0xffff)
            return (int)number;
    }
    return -1;
}

/* Makes the temporary in the directory of out->path. The kernel applies the umask to a mode of 0666. */
static int open_temporary(pto_out_file *out) {
    const char *slash = strrchr(out->path, '/');
    size_t directory = slash ? (size_t)(slash - out->path) + 1 : 0;
    size_t size = directory + 40;
    out->temporary = malloc(size);
    if (!out->temporary)
        return -1;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint32_t salt = (uint32_t)now.tv_nsec ^ (uint32_t)now.tv_sec << 20 ^ (uint32_t)(uintptr_t)out;
    for (unsigned i = 0; i < 1000; i++, salt += 0x9e3779b9u) {
        snprintf(out->temporary, size, "%.*s.pto-%ld-%08lx.tmp", (int)directory, out->path, (long)getpid(),
                 (unsigned long)salt);
        int fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static pto_status open_output(pto_out_file *out, pto_diag_list *diags) {
    int number = descriptor_of(out->shown);
    if (number >= 0) {
        out->fd = fcntl(number, F_DUPFD_CLOEXEC, 0);
        return out->fd >= 0 ? PTO_OK : refuse(out, diags, "PTO-E0105", "cannot write");
    }
    struct stat st;
    bool exists = stat(out->shown, &st) == 0;
    /* What rename would refuse later is refused before the caller computes anything. */
    size_t name_len = strlen(out->shown);
    if (!exists && (errno != ENOENT || name_len == 0))
        return refuse(out, diags, "PTO-E0105", "cannot write");
    if (!exists && out->shown[name_len - 1] == '/') {
        errno = EISDIR;
        return refuse(out, diags, "PTO-E0101", "cannot write");
    }
    if (exists && S_ISDIR(st.st_mode)) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0101", pto_at_file(out->shown), "is a directory, not a file");
        return PTO_ERR_IO;
    }
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(out->shown, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return out->fd >= 0 ? PTO_OK : refuse(out, diags, "PTO-E0105", "cannot write");
    }
    if (exists && access(out->shown, W_OK) != 0)
        return refuse(out, diags, "PTO-E0105", "cannot write");
    struct stat link;
    if (!exists && lstat(out->shown, &link) == 0) {
        errno = ENOENT;
        return refuse(out, diags, "PTO-E0105", "a symbolic link to nothing cannot be written");
    }
    /* The link's target is replaced, not the link. */
    out->path = exists ? realpath(out->shown, NULL) : strdup(out->shown);
    if (!out->path)
        return refuse(out, diags, "PTO-E0105", "cannot write");
    out->fd = open_temporary(out);
    if (out->fd < 0) {
        pto_status status = refuse(out, diags, "PTO-E0105", "cannot create a file in the directory");
        free(out->temporary);
        out->temporary = NULL;
        return status;
    }
    if (exists && fchmod(out->fd, st.st_mode & 0777) != 0)
        return refuse(out, diags, "PTO-E0105", "cannot set the file mode");
    return PTO_OK;
}

pto_status pto_out_open(const char *path, pto_out_file **result, pto_diag_list *diags) {
    if (!path || !result)
        return PTO_ERR_USAGE;
    *result = NULL;
    pto_out_file *out = calloc(1, sizeof *out);
    if (!out)
        return PTO_ERR_NOMEM;
    out->fd = -1;
    out->shown = strdup(path);
    if (!out->shown) {
        release(out);
        return PTO_ERR_NOMEM;
    }
    pto_status status = open_output(out, diags);
    if (status != PTO_OK) {
        pto_out_abort(out);
        return status;
    }
    *result = out;
    return PTO_OK;
}

pto_status pto_out_write(pto_out_file *out, const void *data, size_t len, pto_diag_list *diags) {
    if (!out || (!data && len))
        return PTO_ERR_USAGE;
    const char *at = data;
    while (len && !out->failed) {
        size_t part = len < ((size_t)1 << 30) ? len : (size_t)1 << 30;
        ssize_t done = write(out->fd, at, part);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            out->failed = true;
            return refuse(out, diags, "PTO-E0106", "cannot write");
        }
        at += done;
        len -= (size_t)done;
    }
    return out->failed ? PTO_ERR_IO : PTO_OK;
}

pto_status pto_out_commit(pto_out_file *out, bool sync, pto_diag_list *diags) {
    if (!out)
        return PTO_ERR_USAGE;
    pto_status status = out->failed ? PTO_ERR_IO : PTO_OK;
    /* Devices and pipes cannot be synced: that is no failure of theirs. */
    if (status == PTO_OK && sync && out->temporary && fsync(out->fd) != 0)
        status = refuse(out, diags, "PTO-E0106", "cannot write");
    /* Some file systems report a full disk at close alone. */
    int fd = out->fd;
    out->fd = -1;
    if (close(fd) != 0 && status == PTO_OK && errno != EINTR)
        status = refuse(out, diags, "PTO-E0106", "cannot write");
    if (status == PTO_OK && out->temporary && rename(out->temporary, out->path) != 0)
        status = refuse(out, diags, "PTO-E0107", "cannot replace the file");
    if (status == PTO_OK) {
        free(out->temporary);
        out->temporary = NULL;
    }
    pto_out_abort(out);
    return status;
}

void pto_out_abort(pto_out_file *out) {
    if (!out)
        return;
    if (out->temporary)
        unlink(out->temporary);
    release(out);
}

const char *pto_out_temporary(const pto_out_file *out) { return out ? out->temporary : NULL; }
