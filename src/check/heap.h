/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of global memory that the checkers know: where each begins and ends, where it was made, which of
 * its bytes were written, whether it was freed. Used by several threads at once. */
#ifndef PTO_CHECK_HEAP_H
#define PTO_CHECK_HEAP_H

#include "check/check.h"

#include <pthread.h>

enum { PTO_CHECK_GUARD = 4096 }; /* bytes in front of and behind a buffer that the heap has made */

typedef struct pto_check_buffer {
    uint64_t begin, end;
    void *base; /* what free() takes; NULL = not ours */
    const char *name;
    const char *file; /* made here */
    int32_t line;
    const char *free_file; /* freed here */
    int32_t free_line;
    bool freed;
    bool defined;     /* its bytes may be read from the start */
    uint8_t *written; /* a byte a byte, NULL = not kept */
} pto_check_buffer;

typedef struct pto_check_heap {
    pthread_mutex_t mutex;
    pto_check_buffer *buffer; /* in order of address */
    size_t count, capacity;
    uint32_t checks;
    void (*found)(void *user, const pto_check_finding *finding);
    void *user;
} pto_check_heap;

bool pto_check_heap_init(pto_check_heap *heap, uint32_t checks,
                         void (*found)(void *user, const pto_check_finding *finding), void *user);
void pto_check_heap_release(pto_check_heap *heap); /* frees what it has made */

/* A buffer of its own, zeroed; NULL without memory. */
void *pto_check_heap_make(pto_check_heap *heap, size_t bytes, const char *file, int32_t line);
void pto_check_heap_free(pto_check_heap *heap, void *data, const char *file, int32_t line);
/* A buffer of the caller's; false without memory. The name is borrowed. */
bool pto_check_heap_add(pto_check_heap *heap, const void *data, size_t bytes, const char *name, bool defined);
/* An access of a kernel; the access is that of a finding. */
void pto_check_heap_access(pto_check_heap *heap, uint64_t begin, uint64_t end,
                           const pto_check_access *access);
void pto_check_heap_host(pto_check_heap *heap, uint64_t begin, uint64_t end, bool write, const char *file,
                         int32_t line);
/* The buffer that holds an address, freed ones included; copied. */
bool pto_check_heap_find(pto_check_heap *heap, uint64_t at, pto_check_buffer *buffer);
/* Tells buffers that were never freed. */
void pto_check_heap_leaks(pto_check_heap *heap);
/* Bytes of a buffer that nobody wrote: the first range of them. */
bool pto_check_heap_hole(pto_check_heap *heap, uint64_t data, uint64_t *begin, uint64_t *end,
                         uint64_t *total);

#endif
