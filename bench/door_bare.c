/* SPDX-License-Identifier: Apache-2.0 */
/* The door without its hooks for checkers and schedules, the rest letter for letter: the peer of bench_check.
 * It needs the inside of the library, which a shared one keeps to itself. */
#ifndef PTO_BENCH_SHARED
#define PTO_DOOR_HOOKS false
#define pto_core_execute bench_bare_execute
#define pto_core_verify bench_bare_verify
#define pto_core_describe bench_bare_describe
#include "core/door.c"
#else
typedef int door_bare_is_empty;
#endif
