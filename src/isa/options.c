/* SPDX-License-Identifier: Apache-2.0 */
/* Numeric options by name. */
#include <pto/options.h>

#include <stddef.h>
#include <string.h>

typedef struct numeric_option {
    const char *name, *meaning;
    size_t offset; /* of its flag */
} numeric_option;

#define OPTION(name, meaning)                                                                                \
    { #name, meaning, offsetof(pto_numeric_options, name) }
static const numeric_option numeric_options[] = {
    OPTION(relu_keeps_nan, "relu of NaN is NaN instead of +0"),
    OPTION(unfused, "multiply-add rounds the product and the sum"),
    OPTION(flush_subnormals, "subnormal inputs and outputs of float arithmetic become zero"),
    OPTION(trap_zero_divisor, "integer division by zero is an error before anything is written"),
    OPTION(matmul_addend_last, "cIn and bias are added to the finished product"),
    OPTION(typed_fold, "sums and products along an axis fold from the left in the type of the result"),
    OPTION(partial_arg_first, "TPARTARGMAX and TPARTARGMIN take src1 only where it is strictly better"),
    OPTION(convert_indefinite, "invalid float to integer without saturation gives one indefinite value"),
    OPTION(convert_ambient_off, "TCVT with the ambient saturation mode does not saturate"),
    OPTION(clobber_sources, "a2a3: TADDDEQRELU and TREM of s32 overwrite their sources as the hardware does"),
    OPTION(random_order_a5, "TRANDOM skips counters behind a row as the a5 does"),
    OPTION(random_order_cpu, "TRANDOM orders its words as the upstream simulator does"),
};
enum { COUNT = sizeof numeric_options / sizeof *numeric_options };
_Static_assert(sizeof(pto_numeric_options) == COUNT * sizeof(bool), "every option has a row");

const char *pto_numeric_option_name(size_t index, const char **meaning) {
    if (index >= COUNT)
        return NULL;
    if (meaning)
        *meaning = numeric_options[index].meaning;
    return numeric_options[index].name;
}

bool pto_numeric_option_set(pto_numeric_options *options, const char *name, bool value) {
    for (size_t i = 0; i < COUNT; i++)
        if (!strcmp(name, numeric_options[i].name)) {
            *(bool *)((char *)options + numeric_options[i].offset) = value;
            return true;
        }
    return false;
}
