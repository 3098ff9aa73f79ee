/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of global memory under the checkers. */
#include "check/heap.h"

#include <stdlib.h>
#include <string.h>

bool pto_check_heap_init(pto_check_heap *h, uint32_t checks,
                         void (*found)(void *user, const pto_check_finding *finding), void *user) {
    *h = (pto_check_heap){.checks = checks, .found = found, .user = user};
    return pthread_mutex_init(&h->mutex, NULL) == 0;
}

void pto_check_heap_release(pto_check_heap *h) {
    for (size_t i = 0; i < h->count; i++) {
        free(h->buffer[i].base);
        free(h->buffer[i].written);
    }
    free(h->buffer);
    pthread_mutex_destroy(&h->mutex);
}

/* The buffer that holds an address; NULL = none. */
static pto_check_buffer *find(pto_check_heap *h, uint64_t at) {
    size_t low = 0, high = h->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (h->buffer[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->count && h->buffer[low].begin <= at ? &h->buffer[low] : NULL;
}

static bool insert(pto_check_heap *h, const pto_check_buffer *buffer) {
    if (h->count == h->capacity) {
        const size_t wanted = h->capacity ? 2 * h->capacity : 16;
        pto_check_buffer *grown = realloc(h->buffer, wanted * sizeof *grown);
        if (!grown)
            return false;
        h->buffer = grown;
        h->capacity = wanted;
    }
    size_t at = h->count++;
    for (; at > 0 && h->buffer[at - 1].begin > buffer->begin; at--)
        h->buffer[at] = h->buffer[at - 1];
    h->buffer[at] = *buffer;
    return true;
}

static pto_check_access place(const char *file, int32_t line) {
    return (pto_check_access){.number = 1, .operand = -1, .site = -1, .file = file, .line = line};
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void tell(pto_check_heap *h, const char *rule, const pto_check_access *first,
                 const pto_check_access *second, const pto_check_buffer *buffer, uint64_t begin,
                 uint64_t end) {
    pto_check_finding f = {.rule = rule,
                           .second = *second,
                           .memory = PTO_CHECK_GLOBAL,
                           .begin = begin - (buffer ? buffer->begin : 0),
                           .end = end - (buffer ? buffer->begin : 0),
                           .name = buffer ? buffer->name : NULL,
                           .id = -1};
    if (first)
        f.first = *first;
    f.key = mix(mix(mix(1, (uintptr_t)second->file), (uint32_t)second->line), (uint8_t)rule[8]);
    f.key = mix(mix(f.key, (uint32_t)second->site), first ? (uint32_t)first->line : 0) | 1;
    h->found(h->user, &f);
}

void *pto_check_heap_make(pto_check_heap *h, size_t bytes, const char *file, int32_t line) {
    const size_t guard = h->checks & PTO_CHECK_MEMORY ? PTO_CHECK_GUARD : 64;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    pto_check_buffer buffer = {.file = file, .line = line};
    buffer.base = calloc(1, 2 * guard + bytes + 64);
    if (!buffer.base)
        return NULL;
    buffer.begin = ((uint64_t)(uintptr_t)buffer.base + guard + 63) & ~UINT64_C(63);
    buffer.end = buffer.begin + bytes;
    if (h->checks & PTO_CHECK_INIT)
        buffer.written = calloc(bytes, 1);
    pthread_mutex_lock(&h->mutex);
    const bool ok = insert(h, &buffer);
    pthread_mutex_unlock(&h->mutex);
    if (!ok) {
        free(buffer.base);
        free(buffer.written);
        return NULL;
    }
    return (void *)(uintptr_t)buffer.begin;
}

static void forget(pto_check_heap *h, pto_check_buffer *buffer) {
    const size_t at = (size_t)(buffer - h->buffer);
    free(buffer->base);
    free(buffer->written);
    memmove(buffer, buffer + 1, (h->count - at - 1) * sizeof *buffer);
    h->count--;
}

void pto_check_heap_free(pto_check_heap *h, void *data, const char *file, int32_t line) {
    if (!data)
        return;
    const uint64_t at = (uint64_t)(uintptr_t)data;
    const pto_check_access here = place(file, line);
    pthread_mutex_lock(&h->mutex);
    pto_check_buffer *buffer = find(h, at);
    const bool memory = h->checks & PTO_CHECK_MEMORY;
    if (buffer && buffer->begin == at && !buffer->freed) {
        buffer->freed = true;
        buffer->free_file = file;
        buffer->free_line = line;
        if (!memory)
            forget(h, buffer);
    } else if (memory) {
        const bool twice = buffer && buffer->freed;
        const pto_check_access first =
            buffer ? place(twice ? buffer->free_file : buffer->file, twice ? buffer->free_line : buffer->line)
                   : (pto_check_access){0};
        tell(h, twice ? "PTO-E1151" : "PTO-E1152", buffer ? &first : NULL, &here, buffer, at, at + 1);
    }
    pthread_mutex_unlock(&h->mutex);
}

bool pto_check_heap_add(pto_check_heap *h, const void *data, size_t bytes, const char *name, bool defined) {
    const uint64_t at = (uint64_t)(uintptr_t)data;
    const pto_check_buffer buffer = {.begin = at,
                                     .end = at + bytes,
                                     .name = name,
                                     .defined = defined,
                                     .written = bytes ? calloc(bytes, 1) : NULL};
    return buffer.written && insert(h, &buffer);
}

/* Marks, or tells the first hole. */
static void use(pto_check_heap *h, pto_check_buffer *buffer, uint64_t begin, uint64_t end, bool write,
                const char *rule, const pto_check_access *access) {
    if (!buffer->written || (buffer->defined && !write))
        return;
    uint8_t *map = buffer->written + (begin - buffer->begin);
    const size_t bytes = (size_t)(end - begin);
    if (write) {
        memset(map, 1, bytes);
        return;
    }
    const uint8_t *hole = memchr(map, 0, bytes);
    if (!hole)
        return;
    uint64_t from = begin + (uint64_t)(hole - map), stop = from;
    while (stop < end && !buffer->written[stop - buffer->begin])
        stop++;
    const pto_check_access made = place(buffer->file, buffer->line);
    tell(h, rule, buffer->file ? &made : NULL, access, buffer, from, stop);
}

void pto_check_heap_access(pto_check_heap *h, uint64_t begin, uint64_t end, const pto_check_access *access) {
    if (begin >= end)
        return;
    pthread_mutex_lock(&h->mutex);
    pto_check_buffer *buffer = find(h, begin);
    if (buffer && buffer->freed) {
        const pto_check_access first = place(buffer->free_file, buffer->free_line);
        tell(h, "PTO-E1153", &first, access, buffer, begin, end);
    } else if (buffer) {
        use(h, buffer, begin, end < buffer->end ? end : buffer->end, access->write || access->atomic,
            "PTO-E1122", access);
    }
    pthread_mutex_unlock(&h->mutex);
}

void pto_check_heap_host(pto_check_heap *h, uint64_t begin, uint64_t end, bool write, const char *file,
                         int32_t line) {
    const pto_check_access here = place(file, line);
    pthread_mutex_lock(&h->mutex);
    pto_check_buffer *buffer = begin < end ? find(h, begin) : NULL;
    if (buffer && buffer->freed && h->checks & PTO_CHECK_MEMORY) {
        const pto_check_access first = place(buffer->free_file, buffer->free_line);
        tell(h, "PTO-E1153", &first, &here, buffer, begin, end);
    } else if (buffer) {
        use(h, buffer, begin, end < buffer->end ? end : buffer->end, write, "PTO-E1121", &here);
    }
    pthread_mutex_unlock(&h->mutex);
}

bool pto_check_heap_find(pto_check_heap *h, uint64_t at, pto_check_buffer *out) {
    pthread_mutex_lock(&h->mutex);
    const pto_check_buffer *buffer = find(h, at);
    if (buffer)
        *out = *buffer;
    pthread_mutex_unlock(&h->mutex);
    return buffer != NULL;
}

void pto_check_heap_leaks(pto_check_heap *h) {
    pthread_mutex_lock(&h->mutex);
    for (size_t i = 0; i < h->count && h->checks & PTO_CHECK_MEMORY; i++) {
        pto_check_buffer *buffer = &h->buffer[i];
        const pto_check_access made = place(buffer->file, buffer->line);
        if (!buffer->freed)
            tell(h, "PTO-E1150", NULL, &made, buffer, buffer->begin, buffer->end);
        buffer->freed = true;
    }
    pthread_mutex_unlock(&h->mutex);
}

bool pto_check_heap_hole(pto_check_heap *h, uint64_t data, uint64_t *begin, uint64_t *end, uint64_t *total) {
    pto_check_buffer *buffer = find(h, data);
    const uint8_t *hole =
        buffer && buffer->written ? memchr(buffer->written, 0, (size_t)(buffer->end - buffer->begin)) : NULL;
    if (!hole)
        return false;
    const uint64_t bytes = buffer->end - buffer->begin;
    *begin = *end = (uint64_t)(hole - buffer->written);
    *total = 0;
    while (*end < bytes && !buffer->written[*end])
        ++*end;
    for (uint64_t i = *begin; i < bytes; i++)
        *total += !buffer->written[i];
    return true;
}
