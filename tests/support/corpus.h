/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of tests/programs. Their verdict stands in a comment: "expect: accept", or, where the targets
 * differ, "expect a3: reject PTO-E0301 at 7:5" and "expect a5: accept". */
#ifndef PTO_TESTS_CORPUS_H
#define PTO_TESTS_CORPUS_H

#include <stddef.h>

/* Calls of every program; a file with separators holds several, each alone. What does not belong to the
 * program is blank, so that positions count in the file. Returns the number of files. */
int corpus_each(void (*use)(const char *path, const char *text, size_t len));
/* The whole file with a NUL behind it; the caller frees it. */
char *corpus_read_file(const char *path, size_t *len);
/* What the comment says for "a3" or "a5", "" when it says nothing. */
enum { CORPUS_VERDICT = 4096 };
void corpus_expected(const char *text, const char *arch, char verdict[CORPUS_VERDICT]);

#endif
