/* SPDX-License-Identifier: Apache-2.0 */
/* A function on a thread of its own that takes turns with whoever resumes it: never both run. */
#ifndef PTO_RUN_COROUTINE_H
#define PTO_RUN_COROUTINE_H

#include <stdbool.h>

typedef struct pto_coroutine pto_coroutine;

/* NULL when no thread can be made. The function begins with the first resume. */
pto_coroutine *pto_coroutine_create(void (*body)(void *argument), void *argument);
/* Lets it run until it yields or returns; false: it has returned. */
bool pto_coroutine_resume(pto_coroutine *coroutine);
/* On its thread: back to whoever resumed it. */
void pto_coroutine_yield(pto_coroutine *coroutine);
/* One that has begun is resumed for the last time: it must not yield any more. One that has not never begins.
 */
void pto_coroutine_destroy(pto_coroutine *coroutine);

#endif
