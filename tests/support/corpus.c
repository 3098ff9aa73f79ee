/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/corpus.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *corpus_read_file(const char *path, size_t *len) {
    FILE *in = fopen(path, "rb");
    if (!in)
        fail_msg("%s does not open", path);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long size = ftell(in);
    rewind(in);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    *len = fread(text, 1, (size_t)size, in);
    fclose(in);
    return text;
}

int corpus_each(void (*use)(const char *path, const char *text, size_t len)) {
    static const char separator[] = "// -----\n";
    const char *root = getenv("SRC");
    char pattern[4096];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/tests/programs/*.pto", root ? root : ".");
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    int count = (int)files.gl_pathc;
    for (size_t f = 0; f < files.gl_pathc; f++) {
        size_t len;
        char *text = corpus_read_file(files.gl_pathv[f], &len);
        for (char *at = text, *end; at; at = end) {
            end = strstr(at, separator);
            end = end ? end + strlen(separator) : NULL;
            char *alone = strdup(text);
            assert_non_null(alone);
            for (size_t i = 0; i < len; i++)
                if ((i < (size_t)(at - text) || (end && i >= (size_t)(end - text))) && alone[i] != '\n')
                    alone[i] = ' ';
            use(files.gl_pathv[f], alone, len);
            free(alone);
        }
        free(text);
    }
    globfree(&files);
    return count;
}

void corpus_expected(const char *text, const char *arch, char verdict[CORPUS_VERDICT]) {
    verdict[0] = '\0';
    for (const char *at = strstr(text, " expect"); at; at = strstr(at, " expect")) {
        at += strlen(" expect");
        if (*at == ' ' && !strncmp(at + 1, arch, 2))
            at += 3;
        if (strncmp(at, ": ", 2) != 0)
            continue;
        snprintf(verdict, CORPUS_VERDICT, "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
        return;
    }
}
