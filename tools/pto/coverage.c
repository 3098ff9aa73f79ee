/* SPDX-License-Identifier: Apache-2.0 */
/* pto isa --coverage: the table of the library next to what the sources of tests and benchmarks name. */
#include "cli.h"

static const pto_isa_evidence evidence[] = {
#include "coverage.inc"
};

int cli_coverage(void) {
    size_t holes = 0;
    pto_isa_coverage(evidence, sizeof evidence / sizeof *evidence, &holes, cli_write, stdout);
    return cli_finish(holes ? CLI_REFUSED : CLI_OK);
}
