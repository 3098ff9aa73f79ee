/* SPDX-License-Identifier: Apache-2.0 */
/* The worked examples of the reference pages: a line of src/isa/reference names a form and its operands; the
 * door computes the rest. `[(FORM)] [on TARGET] operand; operand; ...` with operands
 *
 * - tile or tensor: NAME TYPE RxC WORD... [= numbers], repeated as often as needed; without numbers zeros.
 *   Words: a memory; dn nz zn zz nn; of RxC, the capacity; in NAME, the storage of that operand; at ADDRESS;
 *   pad zero, min or max.
 * - convolution tile: NAME TYPE conv LAYOUT DxDx... WORD... [= numbers]; words: a memory, filter HxW, padding
 * HxW
 * - scalar: NAME TYPE = number
 * - attribute: NAME = number, or a name of its enum
 */
#ifndef PTO_RUN_EXAMPLE_H
#define PTO_RUN_EXAMPLE_H

#include "base/sink.h"
#include "base/str.h"
#include "isa/isa.h"

/* Runs one line and writes the call and the values of its operands before and after. PTO_ERR_USAGE: the line
 * is malformed, PTO_ERR_REFUSED: the door refuses the call; the sink then says why. */
pto_status pto_example_write(pto_op op, pto_str line, pto_sink *sink);

#endif
