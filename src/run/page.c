/* SPDX-License-Identifier: Apache-2.0 */
/* The reference page of an instruction: what the table says, and its examples, executed. */
#include "isa/reference.h"
#include "run/example.h"
#include <pto/isa.h>
#include <pto/ops.h>

#include <string.h>

pto_status pto_isa_page(const char *name, pto_write_fn write, void *context) {
    pto_op op = pto_op_find(name, strlen(name));
    if (op == PTO_OP_COUNT)
        return PTO_ERR_USAGE;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    pto_reference_head(op, &sink);
    const char *example = pto_op_table[op].examples;
    if (example)
        pto_sink_text(&sink, "\n  example, computed by this library\n");
    pto_status status = PTO_OK;
    while (example && *example) {
        size_t length = strcspn(example, "\n");
        pto_status result = pto_example_write(op, (pto_str){example, length}, &sink);
        if (result != PTO_OK)
            status = result;
        example += length + (example[length] == '\n');
        if (*example)
            pto_sink_text(&sink, "\n");
    }
    pto_reference_forms(op, &sink);
    return pto_sink_flush(&sink) ? status : PTO_ERR_IO;
}
