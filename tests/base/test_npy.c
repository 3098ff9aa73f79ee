/* SPDX-License-Identifier: Apache-2.0 */
/* The .npy reader and writer: every type, order and version; damage at every byte; NumPy's own bytes. */
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include <pto/npy.h>

static pto_diag_list *diags;

static int fresh(void **state) {
    (void)state;
    diags = pto_diag_list_create();
    return diags ? 0 : -1;
}

static int drop(void **state) {
    (void)state;
    pto_diag_list_destroy(diags);
    return 0;
}

/* A file made by hand: version, dictionary as it stands, payload. */
static size_t make_file(unsigned char *to, unsigned version, const char *dictionary, const void *payload,
                        size_t len) {
    size_t text = strlen(dictionary), at = version == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version;
    memset(to + 7, 0, 5);
    to[8] = (unsigned char)(text & 0xff);
    to[9] = (unsigned char)(text >> 8);
    memcpy(to + at, dictionary, text);
    if (len)
        memcpy(to + at + text, payload, len);
    return at + text + len;
}

static unsigned char file[70000];
static pto_npy_info info;

static pto_status load(size_t len, void **data) {
    /* An exact copy, so that the sanitizers see a read behind the end. */
    unsigned char *copy = malloc(len ? len : 1);
    memcpy(copy, file, len);
    pto_diag_list_clear(diags);
    pto_status status = pto_npy_load_memory(copy, len, "memory", 1 << 20, &info, data, diags);
    free(copy);
    return status;
}

static void assert_refused(size_t len, const char *rule) {
    void *data = &info;
    assert_int_equal(load(len, &data), PTO_ERR_REFUSED);
    assert_null(data);
    assert_true(pto_diag_has(diags, rule));
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 1);
}

/* Little-endian, whatever the machine. */
static void put_number(unsigned char *to, uint64_t value, unsigned size, bool big) {
    for (unsigned i = 0; i < size; i++)
        to[big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static uint64_t native_number(const unsigned char *from, unsigned size) {
    uint64_t v8 = 0;
    uint32_t v4;
    uint16_t v2;
    switch (size) {
    case 1:
        return *from;
    case 2:
        memcpy(&v2, from, 2);
        return v2;
    case 4:
        memcpy(&v4, from, 4);
        return v4;
    default:
        memcpy(&v8, from, 8);
        return v8;
    }
}

static void every_type_order_and_version_is_read(void **state) {
    (void)state;
    static const char *const types[] = {"b1", "i1", "u1", "i2", "u2", "f2",
                                        "i4", "u4", "f4", "i8", "u8", "f8"};
    for (unsigned version = 1; version <= 3; version++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (int big = 0; big < 2; big++)
                for (int fortran = 0; fortran < 2; fortran++) {
                    unsigned size = (unsigned)(types[t][1] - '0');
                    unsigned char payload[24 * 8];
                    /* Element (i, j, k) of a 2x3x4 array holds a number made of its indices. */
                    for (unsigned i = 0; i < 2; i++)
                        for (unsigned j = 0; j < 3; j++)
                            for (unsigned k = 0; k < 4; k++) {
                                size_t at = fortran ? i + 2 * (j + 3 * k) : (i * 3 + j) * 4 + k;
                                uint64_t value = UINT64_C(0x8070605040302010) + i * 100 + j * 10 + k;
                                put_number(payload + at * size, value, size, big);
                            }
                    char text[128];
                    snprintf(text, sizeof text,
                             "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3, 4), }   \n",
                             big ? '>' : '<', types[t], fortran ? "True" : "False");
                    size_t len = make_file(file, version, text, payload, 24 * size);
                    void *data;
                    assert_int_equal(load(len, &data), PTO_OK);
                    assert_int_equal(info.kind, types[t][0]);
                    assert_int_equal(info.itemsize, size);
                    assert_int_equal(info.rank, 3);
                    assert_int_equal(info.count, 24);
                    assert_int_equal(info.fortran_order, fortran);
                    assert_int_equal(info.version, version);
                    for (unsigned n = 0; n < 24; n++) {
                        uint64_t want = UINT64_C(0x8070605040302010) + n / 12 * 100 + n / 4 % 3 * 10 + n % 4;
                        want &= UINT64_MAX >> (64 - 8 * size);
                        assert_true(native_number((unsigned char *)data + n * size, size) == want);
                    }
                    free(data);
                }
}

static void shapes_of_every_rank(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        unsigned rank;
        uint64_t count;
    } rows[] = {{"()", 0, 1},           {"(7,)", 1, 7},    {"( 7 , )", 1, 7},
                {"(2,3)", 2, 6},        {"(2, 3,)", 2, 6}, {"(0,)", 1, 0},
                {"(2, 0, 3)", 3, 0},    {"(5L,)", 1, 5},   {"(1,1,1,1,1,1,1,2)", 8, 2},
                {"(0, 99999999)", 2, 0}};
    unsigned char payload[16] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"shape\": %s, \"fortran_order\": True, \"descr\": '|u1'}",
                 rows[i].shape);
        void *data;
        assert_int_equal(load(make_file(file, 1, text, payload, rows[i].count), &data), PTO_OK);
        assert_int_equal(info.rank, rows[i].rank);
        assert_int_equal(info.count, rows[i].count);
        free(data);
    }
}

#define DICTIONARY(descr, order, shape)                                                                      \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static void bad_headers_name_their_rule(void **state) {
    (void)state;
    static const struct {
        const char *rule, *text;
    } rows[] = {
        {"PTO-E0125", DICTIONARY("'<c8'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'|O'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'<U5'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'<M8[ns]'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'|V2'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'<f16'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'<f1'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'<i3'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("''", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("'<'", "False", "(1,)")},
        {"PTO-E0125", DICTIONARY("[('a', '<f4')]", "False", "(1,)")},
        {"PTO-E0126", DICTIONARY("'<f4'", "False", "(9223372036854775807, 2)")},
        {"PTO-E0126", DICTIONARY("'<f4'", "False", "(99999999999999999999,)")},
        {"PTO-E0126", DICTIONARY("'<f8'", "False", "(4294967296, 4294967296, 0)")},
        {"PTO-E0126", DICTIONARY("'<f8'", "False", "(2305843009213693952,)")},
        {"PTO-E0127", DICTIONARY("'<f4'", "False", "(1,1,1,1,1,1,1,1,1)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "False", "(3)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "False", "(-1,)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "False", "(,)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "False", "(1,,2)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "False", "[1]")},
        {"PTO-E0124", DICTIONARY("'<f4'", "False", "(1 2)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "false", "(1,)")},
        {"PTO-E0124", DICTIONARY("'<f4'", "Falsey", "(1,)")},
        {"PTO-E0124", DICTIONARY("f4", "False", "(1,)")},
        {"PTO-E0124", "{'descr': '<f4"},
        {"PTO-E0124", ""},
        {"PTO-E0124", "{}"},
        {"PTO-E0124", "{'descr': '<f4', 'shape': (1,)}"},
        {"PTO-E0124", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': True, 'shape': (1,)}"},
        {"PTO-E0124", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), 'more': 1}"},
        {"PTO-E0124", "{'descr': '<f4' 'fortran_order': True, 'shape': (1,)}"},
        {"PTO-E0124", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)} x"},
        {"PTO-E0124", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(make_file(file, 1, rows[i].text, "\0\0\0\0", 4), rows[i].rule);
    /* Not one NUL byte may hide what follows it. */
    size_t len = make_file(file, 1, DICTIONARY("'<f4'", "False", "(1,)") "  ", "\0\0\0\0", 4);
    file[len - 5] = '\0';
    assert_refused(len, "PTO-E0124");
}

static void bad_prefixes_name_their_rule(void **state) {
    (void)state;
    size_t len = make_file(file, 1, DICTIONARY("'<f4'", "False", "(1,)"), "\0\0\0\0", 4);
    for (unsigned i = 0; i < 6; i++) {
        file[i] ^= 1;
        assert_refused(len, "PTO-E0120");
        file[i] ^= 1;
    }
    for (unsigned version = 0; version < 256; version++) {
        if (version >= 1 && version <= 3)
            continue;
        file[6] = (unsigned char)version;
        assert_refused(len, "PTO-E0122");
    }
    len = make_file(file, 2, DICTIONARY("'<f4'", "False", "(1,)"), "\0\0\0\0", 4);
    file[7] = 1;
    assert_refused(len, "PTO-E0122");
    file[7] = 0;
    file[10] = 1;
    assert_refused(len, "PTO-E0123");
    file[11] = 0xff;
    assert_refused(len, "PTO-E0123");
}

static void cut_at_every_byte_and_one_too_many(void **state) {
    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        const char *text = DICTIONARY("'>f4'", "True", "(2, 3)");
        unsigned char payload[25] = {0};
        size_t len = make_file(file, version, text, payload, 24), header = len - 24;
        for (size_t cut = 0; cut < len; cut++)
            assert_refused(cut, cut < header ? "PTO-E0121" : "PTO-E0128");
        assert_refused(len + 1, "PTO-E0129");
    }
}

static void damage_never_harms(void **state) {
    (void)state;
    uint32_t seed = 1;
    unsigned accepted = 0;
    for (unsigned round = 0; round < 30000; round++) {
        unsigned char payload[24] = {0};
        size_t len = make_file(file, 1 + round % 3, DICTIONARY("'<i4'", "True", "(2, 3)"), payload, 24);
        unsigned changes = 1 + round % 4;
        if (round % 16 == 0) /* garbage behind the magic */
            changes = 60;
        for (unsigned i = 0; i < changes; i++) {
            seed = seed * 1664525u + 1013904223u;
            file[6 + (seed >> 16) % (len - 6)] = (unsigned char)(seed >> 8);
        }
        void *data;
        if (load(len, &data) == PTO_OK) {
            assert_non_null(data);
            assert_true(info.bytes + info.data_offset == len);
            accepted++;
        } else {
            assert_int_equal(pto_diag_count(diags, PTO_ERROR), 1);
        }
        free(data);
    }
    assert_in_range(accepted, 100, 29000);
}

static void limit_is_to_the_byte(void **state) {
    (void)state;
    size_t len = make_file(file, 1, DICTIONARY("'<f4'", "False", "(2,)"), "\0\0\0\0\0\0\0\0", 8);
    void *data;
    assert_int_equal(pto_npy_load_memory(file, len, "m", 7, &info, &data, diags), PTO_ERR_LIMIT);
    assert_null(data);
    assert_true(pto_diag_has(diags, "PTO-E0103"));
    assert_int_equal(pto_npy_load_memory(file, len, "m", 8, &info, &data, diags), PTO_OK);
    free(data);
}

/* Headers as NumPy 1.24 writes them: what differs is the text and the number of blanks behind it. */
static void headers_are_numpys_own(void **state) {
    (void)state;
    static const struct {
        char kind;
        uint8_t itemsize, rank;
        uint64_t shape[8];
        const char *text;
        size_t blanks, len;
    } rows[] = {
        {'f', 4, 2, {3, 4}, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 58, 128},
        {'u', 1, 0, {0}, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", 62, 128},
        {'i', 8, 1, {5}, "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }", 60, 128},
        {'b', 1, 3, {2, 0, 3}, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 0, 3), }", 55, 128},
        {'f',
         8,
         3,
         {1000000, 0, UINT64_C(4294967296)},
         "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 0, 4294967296), }",
         40,
         128},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pto_npy_info made = {.kind = rows[i].kind, .itemsize = rows[i].itemsize, .rank = rows[i].rank};
        memcpy(made.shape, rows[i].shape, sizeof made.shape);
        char got[512], want[512];
        assert_int_equal(pto_npy_format_header(&made, got, sizeof got), rows[i].len);
        memcpy(want, "\x93NUMPY\x01", 8);
        want[8] = (char)(rows[i].len - 10);
        want[9] = 0;
        int n = snprintf(want + 10, sizeof want - 10, "%s%*s\n", rows[i].text, (int)rows[i].blanks, "");
        assert_int_equal(n + 10, rows[i].len);
        assert_memory_equal(got, want, rows[i].len);
        assert_int_equal(pto_npy_format_header(&made, NULL, 0), rows[i].len);
    }
    pto_npy_info bad = {.kind = 'c', .itemsize = 8};
    assert_int_equal(pto_npy_format_header(&bad, NULL, 0), 0);
    assert_int_equal(pto_npy_describe(&bad, diags), PTO_ERR_USAGE);
    assert_true(pto_diag_has(diags, "PTO-E0131"));
}

static void what_is_saved_is_loaded(void **state) {
    (void)state;
    char path[] = "pto-npy-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    const float values[6] = {1, -2, 3.5f, -0.0f, 1e30f, 7};
    pto_npy_info made = {.kind = 'f', .itemsize = 4, .rank = 2, .shape = {2, 3}};
    assert_int_equal(pto_npy_describe(&made, diags), PTO_OK);
    assert_int_equal(pto_npy_save(path, &made, values, diags), PTO_OK);
    assert_int_equal(pto_npy_peek(path, &info, diags), PTO_OK);
    assert_memory_equal(&info, &made, sizeof made);
    float back[6];
    assert_int_equal(pto_npy_read(path, &info, back, sizeof back, diags), PTO_OK);
    assert_memory_equal(back, values, sizeof back);
    assert_int_equal(pto_npy_read(path, &info, back, sizeof back - 1, diags), PTO_ERR_USAGE);
    assert_true(pto_diag_has(diags, "PTO-E0130"));
    void *data;
    assert_int_equal(pto_npy_load(path, 24, &info, &data, diags), PTO_OK);
    assert_memory_equal(data, values, sizeof back);
    free(data);
    /* Claims of the header are checked against the file before memory is asked for. */
    made.bytes = 20;
    assert_int_equal(pto_npy_save(path, &made, values, diags), PTO_ERR_USAGE);
    assert_int_equal(truncate(path, 150), 0);
    pto_diag_list_clear(diags);
    assert_int_equal(pto_npy_peek(path, &info, diags), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(diags, "PTO-E0128"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(pto_npy_peek(path, &info, diags), PTO_ERR_IO);
    assert_true(pto_diag_has(diags, "PTO-E0100"));
}

static void streams_are_checked_to_the_byte(void **state) {
    (void)state;
    /* A pipe tells no size: a short or long one is found while it is read. */
    for (int change = -1; change <= 1; change++) {
        size_t len = make_file(file, 1, DICTIONARY("'<i2'", "False", "(2,)"), "\1\0\2\0\0", 5) - 1;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        size_t sent = change < 0 ? len - 1 : change > 0 ? len + 1 : len;
        assert_int_equal(write(ends[1], file, sent), sent);
        close(ends[1]);
        char path[32];
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        void *data;
        pto_diag_list_clear(diags);
        pto_status status = pto_npy_load(path, 100, &info, &data, diags);
        close(ends[0]);
        assert_int_equal(status, change ? PTO_ERR_REFUSED : PTO_OK);
        assert_int_equal(pto_diag_has(diags, "PTO-E0128"), change < 0);
        assert_int_equal(pto_diag_has(diags, "PTO-E0129"), change > 0);
        free(data);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, drop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_type_order_and_version_is_read),
        TEST(shapes_of_every_rank),
        TEST(bad_headers_name_their_rule),
        TEST(bad_prefixes_name_their_rule),
        TEST(cut_at_every_byte_and_one_too_many),
        TEST(damage_never_harms),
        TEST(limit_is_to_the_byte),
        TEST(headers_are_numpys_own),
        TEST(what_is_saved_is_loaded),
        TEST(streams_are_checked_to_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
