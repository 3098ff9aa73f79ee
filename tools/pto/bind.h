/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of `pto run`: matched to the entry's parameters, checked and loaded before anything runs. */
#ifndef PTO_BIND_H
#define PTO_BIND_H

#include <pto/pto.h>

typedef struct bound_param {
    const char *input;  /* file, NULL = none */
    const char *output; /* file, "" = scratch that is not saved, NULL = none */
    char *output_shape; /* "32x64" behind '@', NULL = from the program */
    const char *number; /* scalars */
    pto_npy_info info;  /* of the buffer */
    void *data;
    pto_out_file *out;     /* open output */
    const char *temporary; /* the file behind it that must not outlive the process, or NULL */
} bound_param;

typedef struct binding {
    const pto_param *params;
    size_t count;
    bound_param *bound;
    pto_argument *arguments;
} binding;

/* Matches `argv`, loads inputs, zeroes outputs. On failure the reasons are in `diags`; release in any case.
 */
pto_status binding_make(binding *b, const pto_param *params, size_t count, int argc, char **argv,
                        pto_diag_list *diags);
/* Opens the outputs, so that what cannot be written is told before the run and not after it. */
pto_status binding_open(binding *b, pto_diag_list *diags);
/* Writes all outputs to temporaries first, then renames them; stops before the renaming when *cancel is set.
 */
pto_status binding_save(binding *b, const volatile int *cancel, pto_diag_list *diags);
/* Removes the temporaries of a process that is about to die; a signal handler may call it. */
void binding_drop(const binding *b);
void binding_release(binding *b);

#endif
