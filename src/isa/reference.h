/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a reference page that need no execution; src/run/page.c puts the page together. */
#ifndef PTO_ISA_REFERENCE_H
#define PTO_ISA_REFERENCE_H

#include "base/sink.h"
#include "isa/isa.h"

/* Name, family, formula, text and scratch. */
void pto_reference_head(pto_op op, pto_sink *sink);
/* Each call form. */
void pto_reference_forms(pto_op op, pto_sink *sink);

#endif
