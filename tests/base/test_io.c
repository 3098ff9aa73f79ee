/* SPDX-License-Identifier: Apache-2.0 */
/* Files: limits, atomic outputs, modes, links, pipes. */
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pto/io.h>

static char directory[200];
static pto_diag_list *diags;

static char *in_directory(const char *name) {
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static int make_directory(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.150s/pto-io-XXXXXX", base ? base : ".");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    return rmdir(directory);
}

static int fresh(void **state) {
    (void)state;
    diags = pto_diag_list_create();
    return diags ? 0 : -1;
}

/* Every test leaves the directory empty, so a temporary left behind fails the test that left it. */
static int clean(void **state) {
    (void)state;
    pto_diag_list_destroy(diags);
    int left = 0;
    DIR *entries = opendir(directory);
    for (struct dirent *e = entries ? readdir(entries) : NULL; e; e = readdir(entries)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        left += strncmp(e->d_name, ".pto-", 5) == 0;
        remove(in_directory(e->d_name));
    }
    if (entries)
        closedir(entries);
    return left ? -1 : 0;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_content(const char *path, const char *want) {
    char *data;
    size_t len;
    assert_int_equal(pto_file_read(path, 1000, &data, &len, NULL), PTO_OK);
    assert_int_equal(len, strlen(want));
    assert_string_equal(data, want);
    free(data);
}

static void limits_hold_to_the_byte(void **state) {
    (void)state;
    char *path = in_directory("a"), *data;
    size_t len;
    put(path, "12345");
    assert_int_equal(pto_file_read(path, 5, &data, &len, diags), PTO_OK);
    assert_string_equal(data, "12345");
    free(data);
    assert_int_equal(pto_file_read(path, 4, &data, &len, diags), PTO_ERR_LIMIT);
    assert_null(data);
    assert_true(pto_diag_has(diags, "PTO-E0103"));
    put(path, "");
    assert_int_equal(pto_file_read(path, 0, &data, &len, diags), PTO_OK);
    assert_int_equal(len, 0);
    free(data);
    /* A device tells no size and never ends. */
    pto_diag_list_clear(diags);
    assert_int_equal(pto_file_read("/dev/zero", 300000, &data, &len, diags), PTO_ERR_LIMIT);
    assert_true(pto_diag_has(diags, "PTO-E0103"));
}

static void pipes_are_read_whole(void **state) {
    (void)state;
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "from the pipe", 13), 13);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    char *data;
    size_t len;
    pto_status status = pto_file_read("-", 13, &data, &len, diags);
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_int_equal(status, PTO_OK);
    assert_string_equal(data, "from the pipe");
    free(data);
}

static void unreadable_paths_are_refused(void **state) {
    (void)state;
    char *data;
    size_t len;
    assert_int_equal(pto_file_read(in_directory("none"), 5, &data, &len, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0100"));
    assert_non_null(strstr(pto_diag_first(diags)->message, strerror(ENOENT)));
    assert_int_equal(pto_file_read(directory, 5, &data, &len, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0101"));
    assert_int_equal(pto_file_read(NULL, 5, &data, &len, diags), PTO_ERR_USAGE);
}

static void output_appears_at_commit(void **state) {
    (void)state;
    char *path = in_directory("out");
    pto_out_file *out;
    assert_int_equal(pto_out_open(path, &out, diags), PTO_OK);
    assert_int_equal(pto_out_write(out, "new", 3, diags), PTO_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(pto_out_temporary(out), F_OK), 0);
    assert_int_equal(pto_out_commit(out, true, diags), PTO_OK);
    assert_content(path, "new");
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

static void abort_leaves_the_old_file(void **state) {
    (void)state;
    char *path = in_directory("out");
    put(path, "old");
    pto_out_file *out;
    assert_int_equal(pto_out_open(path, &out, diags), PTO_OK);
    assert_int_equal(pto_out_write(out, "new", 3, diags), PTO_OK);
    pto_out_abort(out);
    assert_content(path, "old");
    pto_out_abort(NULL);
}

static void existing_mode_and_links_stay(void **state) {
    (void)state;
    char *path = in_directory("out"), *link = in_directory("link");
    put(path, "old");
    assert_int_equal(chmod(path, 0751), 0);
    assert_int_equal(symlink("out", link), 0);
    pto_out_file *out;
    assert_int_equal(pto_out_open(link, &out, diags), PTO_OK);
    assert_int_equal(pto_out_write(out, "new", 3, diags), PTO_OK);
    assert_int_equal(pto_out_commit(out, false, diags), PTO_OK);
    assert_content(path, "new");
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0751);
}

static void impossible_outputs_are_refused_at_once(void **state) {
    (void)state;
    pto_out_file *out;
    assert_int_equal(pto_out_open(directory, &out, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0101"));
    assert_null(out);
    char long_name[300];
    memset(long_name, 'x', sizeof long_name);
    long_name[299] = '\0';
    put(in_directory("file"), "");
    assert_int_equal(symlink("nothing", in_directory("dangling")), 0);
    const char *const bad[] = {"", in_directory("no/such/place"), in_directory("file/below"),
                               in_directory("dangling"), long_name};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pto_diag_list_clear(diags);
        assert_int_equal(pto_out_open(bad[i], &out, diags), PTO_ERR_IO);
        assert_true(pto_diag_has(diags, "PTO-E0105"));
        assert_null(out);
    }
    pto_diag_list_clear(diags);
    assert_int_equal(pto_out_open(in_directory("new/"), &out, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0101"));
}

static void devices_are_written_directly(void **state) {
    (void)state;
    pto_out_file *out;
    assert_int_equal(pto_out_open("/dev/null", &out, diags), PTO_OK);
    assert_null(pto_out_temporary(out));
    assert_int_equal(pto_out_write(out, "x", 1, diags), PTO_OK);
    assert_int_equal(pto_out_commit(out, true, diags), PTO_OK);

    int ends[2];
    char name[32], got[3];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_int_equal(pto_out_open(name, &out, diags), PTO_OK);
    assert_int_equal(pto_out_write(out, "abc", 3, diags), PTO_OK);
    assert_int_equal(pto_out_commit(out, false, diags), PTO_OK);
    assert_int_equal(read(ends[0], got, 3), 3);
    assert_memory_equal(got, "abc", 3);
    close(ends[0]);
    close(ends[1]);
}

static void failed_write_never_commits(void **state) {
    (void)state;
    pto_out_file *out;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(pto_out_open("/dev/full", &out, diags), PTO_OK);
    assert_int_equal(pto_out_write(out, "x", 1, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0106"));
    assert_int_equal(pto_out_write(out, "x", 1, diags), PTO_ERR_IO);
    assert_int_equal(pto_out_commit(out, false, diags), PTO_ERR_IO);
}

static void vanished_destination_is_reported(void **state) {
    (void)state;
    char *sub = in_directory("sub"), *path = in_directory("sub/out");
    assert_int_equal(mkdir(sub, 0777), 0);
    pto_out_file *out;
    assert_int_equal(pto_out_open(path, &out, diags), PTO_OK);
    assert_int_equal(unlink(pto_out_temporary(out)), 0);
    assert_int_equal(rmdir(sub), 0);
    assert_int_equal(pto_out_commit(out, false, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0107"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, clean)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(limits_hold_to_the_byte),
        TEST(pipes_are_read_whole),
        TEST(unreadable_paths_are_refused),
        TEST(output_appears_at_commit),
        TEST(abort_leaves_the_old_file),
        TEST(existing_mode_and_links_stay),
        TEST(impossible_outputs_are_refused_at_once),
        TEST(devices_are_written_directly),
        TEST(failed_write_never_commits),
        TEST(vanished_destination_is_reported),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
