/* SPDX-License-Identifier: Apache-2.0 */
/* libpto: the PTO tile instruction set in C. This header is all of it. */
#ifndef PTO_PTO_H
#define PTO_PTO_H

#include <pto/agent.h>
#include <pto/async.h>
#include <pto/block.h>
#include <pto/builder.h>
#include <pto/check.h>
#include <pto/core.h>
#include <pto/diag.h>
#include <pto/functions.h>
#include <pto/io.h>
#include <pto/isa.h>
#include <pto/launch.h>
#include <pto/npy.h>
#include <pto/ops.h>
#include <pto/number.h>
#include <pto/program.h>

#endif
