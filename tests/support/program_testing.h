/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of programs share: parse a text, expect a rule at a line. */
#ifndef PTO_TESTS_PROGRAM_TESTING_H
#define PTO_TESTS_PROGRAM_TESTING_H

#include <pto/program.h>

/* What a writer of the library has written, with a NUL behind it; the caller frees `data`. */
typedef struct text_buffer {
    char *data;
    size_t len, capacity;
} text_buffer;

/* A pto_write_fn that appends to the text_buffer `context`. */
bool collect_text(void *context, const char *data, size_t len);

/* Parses; fails the test with the diagnostics when the text has errors. */
pto_program *parse_program(const char *text);
/* All diagnostics as text, in a static buffer. */
const char *diag_text(const pto_diag_list *diags);
/* An error of the rule was reported at the line (0 = anywhere); fails the test otherwise. */
void expect_rule(const pto_diag_list *diags, const char *rule, unsigned line);
/* `body` inside of a module and a function @main(args), the first line of the body being line 3. */
char *program_of(const char *args, const char *body);
/* Runs the text with options (NULL = defaults) and expects success; the arguments are the buffers. */
void run_text(const char *text, const pto_argument *arguments, size_t count, const pto_run_options *options);
/* Runs the text and expects an error of the rule. */
void run_fails(const char *text, const pto_argument *arguments, size_t count, const pto_run_options *options,
               const char *rule, unsigned line);

#endif
