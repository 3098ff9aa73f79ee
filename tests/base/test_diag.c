/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: places, repeats, caps, the caret, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pto/diag.h>

static char text_out[1 << 16];

static const char *text_of(const pto_diag_list *list, const pto_render_options *options) {
    assert_true(pto_diag_render_buffer(list, options, text_out, sizeof text_out) < sizeof text_out);
    return text_out;
}

static const char *json_of(const pto_diag_list *list) {
    assert_true(pto_diag_render_json_buffer(list, text_out, sizeof text_out) < sizeof text_out);
    return text_out;
}

static void places_count_lines_and_code_points(void **state) {
    (void)state;
    static const char text[] = "ab\n\xc3\xa9x\r\n\nz";
    pto_source source;
    pto_source_init(&source, "f", text, sizeof text - 1);
    static const struct {
        size_t offset;
        uint32_t line, column;
    } rows[] = {{10, 4, 2}, {9, 4, 1}, {0, 1, 1}, {2, 1, 3},   {3, 2, 1}, {5, 2, 2},
                {4, 2, 1},  {6, 2, 3}, {8, 3, 1}, {900, 4, 2}, {1, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t line, column;
        pto_source_locate(&source, rows[i].offset, &line, &column);
        assert_int_equal(line, rows[i].line);
        assert_int_equal(column, rows[i].column);
    }
    size_t len;
    assert_memory_equal(pto_source_line(&source, 2, &len), "\xc3\xa9x", 3);
    assert_int_equal(len, 3);
    pto_source_line(&source, 3, &len);
    assert_int_equal(len, 0);
    pto_source_line(&source, 5, &len);
    assert_int_equal(len, 0);
    pto_source_line(&source, 0, &len);
    assert_int_equal(len, 0);
    pto_source_release(&source);

    pto_source_init(&source, "empty", NULL, 0);
    uint32_t line, column;
    pto_source_locate(&source, 0, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 1);
    pto_source_release(&source);
}

static void text_has_place_caret_and_reasons(void **state) {
    (void)state;
    static const char text[] = "func\n\t%d = trelu %x\nend";
    pto_source source;
    pto_source_init(&source, "k.pto", text, sizeof text - 1);
    pto_diag_list *list = pto_diag_list_create();
    size_t at = (size_t)(strstr(text, "trelu") - text);
    assert_true(
        pto_diag_add(list, PTO_ERROR, "PTO-E9999", pto_at(&source, at, at + 5), "no %s", "such thing"));
    pto_diag_found(list, "s%d", 64);
    pto_diag_allowed(list, "f16, f32");
    pto_diag_target(list, "a5");
    pto_diag_fix(list, "convert first");
    pto_diag_note(list, pto_at(&source, 0, 4), "within this");
    assert_string_equal(text_of(list, NULL), "k.pto:2:7: error: no such thing [PTO-E9999]\n"
                                             "    2 |         %d = trelu %x\n"
                                             "      |              ^~~~~\n"
                                             "      found: s64\n"
                                             "      allowed: f16, f32 (target a5)\n"
                                             "      fix: convert first\n"
                                             "k.pto:1:1: note: within this\n"
                                             "    1 | func\n"
                                             "      | ^~~~\n");
    pto_render_options color = {.color = true};
    assert_non_null(strstr(text_of(list, &color), "\x1b[1;31merror: "));
    pto_diag_list_destroy(list);
    pto_source_release(&source);
}

static void places_may_be_absent(void **state) {
    (void)state;
    pto_diag_list *list = pto_diag_list_create();
    pto_diag_add(list, PTO_ERROR, "PTO-E9999", pto_at_operand("dst"), "bad");
    pto_diag_add(list, PTO_ERROR, "PTO-E9999", pto_at_operand("src0"),
                 "bad"); /* another operand: no repeat */
    pto_diag_add(list, PTO_WARNING, NULL, pto_at_file("a.npy"), "odd");
    pto_diag_add(list, PTO_REMARK, NULL, pto_nowhere(), "well");
    pto_diag_target(list, "a5"); /* nothing is allowed instead */
    assert_string_equal(text_of(list, NULL), "error: operand 'dst': bad [PTO-E9999]\n"
                                             "error: operand 'src0': bad [PTO-E9999]\n"
                                             "a.npy: warning: odd\n"
                                             "remark: well\n"
                                             "      target: a5\n");
    pto_diag_list_destroy(list);
}

static void repeats_are_swallowed_with_their_details(void **state) {
    (void)state;
    static const char text[] = "abc";
    pto_source source;
    pto_source_init(&source, "f", text, 3);
    pto_diag_list *list = pto_diag_list_create();
    assert_true(pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_at(&source, 0, 1), "m"));
    pto_diag_found(list, "first");
    assert_false(pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_at(&source, 0, 1), "m"));
    pto_diag_found(list, "second"); /* must not change the first */
    pto_diag_note(list, pto_nowhere(), "lost");
    assert_true(pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_at(&source, 1, 2), "m"));
    assert_true(pto_diag_add(list, PTO_ERROR, "PTO-E2", pto_at(&source, 0, 1), "m"));
    assert_true(pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_at(&source, 0, 1), "n"));
    assert_true(pto_diag_add(list, PTO_WARNING, "PTO-E1", pto_at(&source, 0, 1), "m"));
    assert_int_equal(pto_diag_count(list, PTO_ERROR), 4);
    assert_int_equal(pto_diag_count(list, PTO_WARNING), 1);
    assert_string_equal(pto_diag_first(list)->found, "first");
    assert_null(pto_diag_first(list)->notes);
    assert_true(pto_diag_has(list, "PTO-E2"));
    assert_false(pto_diag_has(list, "PTO-E3"));
    pto_diag_list_clear(list);
    assert_int_equal(pto_diag_count(list, PTO_ERROR), 0);
    assert_true(pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_at(&source, 0, 1), "m"));
    pto_diag_list_destroy(list);
    pto_source_release(&source);
}

static void errors_are_capped_and_counted(void **state) {
    (void)state;
    pto_diag_list *list = pto_diag_list_create();
    for (int i = 0; i < 1000; i++) {
        pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_nowhere(), "number %d", i);
        assert_int_equal(pto_diag_full(list), i >= 199);
    }
    pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_nowhere(), "%1000d", 5);
    size_t kept = 0;
    for (const pto_diagnostic *d = pto_diag_first(list); d; d = d->next)
        kept++;
    assert_int_equal(kept, 200);
    assert_int_equal(pto_diag_count(list, PTO_ERROR), 1001);
    assert_int_equal(pto_diag_dropped(list), 801);
    assert_true(pto_diag_add(list, PTO_WARNING, NULL, pto_nowhere(), "still room"));
    assert_non_null(strstr(text_of(list, NULL), "801 more"));
    pto_diag_list_clear(list);
    pto_diag_list_set_cap(list, 1);
    assert_true(pto_diag_add(list, PTO_ERROR, NULL, pto_nowhere(), "%1000d", 1));
    assert_false(pto_diag_add(list, PTO_ERROR, NULL, pto_nowhere(), "b"));
    pto_diag_list_destroy(list);
}

static void null_list_swallows(void **state) {
    (void)state;
    assert_false(pto_diag_add(NULL, PTO_ERROR, "PTO-E1", pto_nowhere(), "x"));
    pto_diag_found(NULL, "x");
    pto_diag_note(NULL, pto_nowhere(), "x");
    assert_int_equal(pto_diag_count(NULL, PTO_ERROR), 0);
    assert_string_equal(text_of(NULL, NULL), "");
    assert_string_equal(json_of(NULL), "[]\n");
    pto_diag_list_destroy(NULL);
}

/* The caret must stand under the marked byte wherever it is, whatever is in front of it. */
static void caret_stands_under_the_mark_in_long_lines(void **state) {
    (void)state;
    static const char *const fills[] = {"x", "\t", "\xc3\xa9", "\xe4\xb8\x80", "\xff"};
    static char text[3000];
    for (size_t f = 0; f < sizeof fills / sizeof fills[0]; f++) {
        size_t size = strlen(fills[f]);
        for (size_t before = 0; before < 400; before += 7) {
            size_t len = 0;
            for (size_t i = 0; i < 500; i++) {
                if (i == before)
                    text[len++] = '@';
                memcpy(text + len, fills[f], size);
                len += size;
            }
            size_t mark = before * size;
            pto_source source;
            pto_source_init(&source, "f", text, len);
            pto_diag_list *list = pto_diag_list_create();
            pto_diag_add(list, PTO_ERROR, NULL, pto_at(&source, mark, mark + 1), "m");
            pto_render_options options = {.width = 40};
            const char *line = strchr(text_of(list, &options), '\n') + 1;
            const char *caret_line = strchr(line, '\n') + 1;
            const char *at = strchr(line, '@'), *caret = strchr(caret_line, '^');
            assert_non_null(at);
            assert_true(at < caret_line);
            size_t columns = 0;
            for (const unsigned char *p = (const unsigned char *)line; p < (const unsigned char *)at; p++)
                if ((*p & 0xc0) != 0x80) /* U+4E00 is two columns wide; U+FFFD for a stray byte is one */
                    columns += *p == 0xe4 ? 2 : 1;
            assert_int_equal(columns, caret - caret_line);
            assert_true(strlen(line) < 300);
            assert_int_equal(caret[1], '\n');
            pto_diag_list_destroy(list);
            pto_source_release(&source);
        }
    }
}

static void odd_spans_are_safe(void **state) {
    (void)state;
    static const char text[] = "a\x1b[31m\nb\r\n";
    for (size_t begin = 0; begin < 14; begin++)
        for (size_t end = 0; end < 14; end++) {
            pto_source source;
            pto_source_init(&source, "f\x1b", text, sizeof text - 1);
            pto_diag_list *list = pto_diag_list_create();
            pto_diag_add(list, PTO_ERROR, NULL, pto_at(&source, begin, end), "m\n\x1b");
            const char *out = text_of(list, NULL);
            assert_null(strchr(out, '\x1b'));
            assert_non_null(strchr(out, '^'));
            pto_diag_list_destroy(list);
            pto_source_release(&source);
        }
    static const char lines[] = "one\ntwo\n";
    pto_source source;
    pto_source_init(&source, "f", lines, sizeof lines - 1);
    pto_diag_list *list = pto_diag_list_create();
    pto_diag_add(list, PTO_ERROR, NULL, pto_at(&source, 1, 6), "m");
    assert_string_equal(text_of(list, NULL), "f:1:2: error: m\n    1 | one\n      |  ^~\n");
    pto_diag_list_destroy(list);
    pto_source_release(&source);
}

static void json_escapes(void **state) {
    (void)state;
    pto_source source;
    pto_source_init(&source, "a\"b\\", "xy", 2);
    pto_diag_list *list = pto_diag_list_create();
    pto_diag_add(list, PTO_ERROR, "PTO-E1", pto_at(&source, 1, 2), "q\"\n\t\x01\xff\xc3\xa9");
    pto_diag_note(list, pto_nowhere(), "n");
    pto_diag_add(list, PTO_WARNING, NULL, pto_at_operand("dst"), "w");
    assert_string_equal(
        json_of(list),
        "[\n{\"severity\": \"error\", \"rule\": \"PTO-E1\", \"file\": \"a\\\"b\\\\\", \"line\": 1, "
        "\"column\": 2, "
        "\"endLine\": 1, \"endColumn\": 3, \"begin\": 1, \"end\": 2, \"operand\": null, "
        "\"message\": \"q\\\"\\n\\t\\u0001\xef\xbf\xbd\xc3\xa9\", \"found\": null, \"allowed\": null, "
        "\"target\": null, \"fix\": null, \"notes\": [{\"severity\": \"note\", \"rule\": null, \"file\": "
        "null, "
        "\"line\": null, \"column\": null, \"endLine\": null, \"endColumn\": null, \"begin\": null, \"end\": "
        "null, "
        "\"operand\": null, \"message\": \"n\", \"found\": null, \"allowed\": null, \"target\": null, "
        "\"fix\": null, \"notes\": []}]},\n"
        "{\"severity\": \"warning\", \"rule\": null, \"file\": null, \"line\": null, \"column\": null, "
        "\"endLine\": null, \"endColumn\": null, \"begin\": null, \"end\": null, \"operand\": \"dst\", "
        "\"message\": \"w\", \"found\": null, \"allowed\": null, \"target\": null, \"fix\": null, \"notes\": "
        "[]}\n]\n");
    pto_diag_list_destroy(list);
    pto_source_release(&source);
}

static bool stop_at_once(void *context, const char *data, size_t len) {
    (void)data;
    (void)len;
    ++*(int *)context;
    return false;
}

static void callback_and_buffer_may_stop_early(void **state) {
    (void)state;
    pto_diag_list *list = pto_diag_list_create();
    for (int i = 0; i < 100; i++)
        pto_diag_add(list, PTO_ERROR, NULL, pto_nowhere(), "number %d of a hundred lines", i);
    int calls = 0;
    assert_false(pto_diag_render(list, NULL, stop_at_once, &calls));
    assert_int_equal(calls, 1);
    calls = 0;
    assert_false(pto_diag_render_json(list, stop_at_once, &calls));
    assert_int_equal(calls, 1);
    char small[10];
    size_t full = pto_diag_render_buffer(list, NULL, NULL, 0);
    assert_int_equal(pto_diag_render_buffer(list, NULL, small, sizeof small), full);
    assert_string_equal(small, "error: nu");
    assert_true(full > 3000);
    pto_diag_list_destroy(list);
}

static void statuses_have_names(void **state) {
    (void)state;
    for (int i = 0; i <= PTO_ERR_INTERNAL; i++) {
        assert_string_not_equal(pto_status_name((pto_status)i), "unknown");
        for (int k = 0; k < i; k++)
            assert_string_not_equal(pto_status_name((pto_status)i), pto_status_name((pto_status)k));
    }
    assert_string_equal(pto_status_name((pto_status)(PTO_ERR_INTERNAL + 1)), "unknown");
}

static void test_sort_by_place(void **state) {
    (void)state;
    pto_source source;
    pto_source_init(&source, "s", "abcdefgh", 8);
    pto_diag_list *list = pto_diag_list_create();
    static const int at[] = {5, 3, 7, 3, 0, 6, 1};
    for (int i = 0; i < 7; i++)
        pto_diag_add(list, PTO_ERROR, NULL, pto_at(&source, (size_t)at[i], 8), "%d", i);
    pto_diag_add(list, PTO_ERROR, NULL, pto_nowhere(), "none");
    pto_diag_sort(list);
    static const char *const want[] = {"none", "4", "6", "1", "3", "0", "5", "2"};
    int n = 0;
    for (const pto_diagnostic *d = pto_diag_first(list); d; d = d->next)
        assert_string_equal(d->message, want[n++]);
    assert_int_equal(n, 8);
    pto_diag_add(list, PTO_NOTE, NULL, pto_nowhere(), "last");
    for (const pto_diagnostic *d = pto_diag_first(list); d; d = d->next)
        n -= !d->next && !strcmp(d->message, "last");
    assert_int_equal(n, 7);
    pto_diag_list_destroy(list);
    pto_source_release(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_count_lines_and_code_points),
        cmocka_unit_test(text_has_place_caret_and_reasons),
        cmocka_unit_test(places_may_be_absent),
        cmocka_unit_test(repeats_are_swallowed_with_their_details),
        cmocka_unit_test(errors_are_capped_and_counted),
        cmocka_unit_test(null_list_swallows),
        cmocka_unit_test(caret_stands_under_the_mark_in_long_lines),
        cmocka_unit_test(odd_spans_are_safe),
        cmocka_unit_test(json_escapes),
        cmocka_unit_test(callback_and_buffer_may_stop_early),
        cmocka_unit_test(test_sort_by_place),
        cmocka_unit_test(statuses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
