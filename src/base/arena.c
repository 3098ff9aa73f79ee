/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator over calloc'ed blocks of growing size. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
/* A gap after every allocation lets AddressSanitizer see an overrun inside a block. */
#define ARENA_GAP PTO_ARENA_ALIGN
#define ARENA_POISON(memory, size) ASAN_POISON_MEMORY_REGION(memory, size)
#define ARENA_UNPOISON(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
#define ARENA_GAP 0u
#define ARENA_POISON(memory, size) ((void)0)
#define ARENA_UNPOISON(memory, size) ((void)0)
#endif

#define BLOCK_SIZE_MIN ((size_t)4096)
#define BLOCK_SIZE_MAX ((size_t)1 << 20)

struct pto_arena_block {
    pto_arena_block *next;
    size_t size; /* bytes of the whole block, header included */
    size_t used; /* bytes taken, header included */
    size_t last; /* offset of the newest allocation */
};

#define HEADER_SIZE ((sizeof(pto_arena_block) + PTO_ARENA_ALIGN - 1) & ~(size_t)(PTO_ARENA_ALIGN - 1))

void pto_arena_init(pto_arena *arena, size_t limit) {
    *arena = (pto_arena){.limit = limit, .failure = PTO_OK};
}

void pto_arena_free(pto_arena *arena) {
    pto_arena_block *block = arena->blocks;
    while (block) {
        pto_arena_block *next = block->next;
        ARENA_UNPOISON((char *)block + HEADER_SIZE, block->size - HEADER_SIZE);
        free(block);
        block = next;
    }
    pto_arena_init(arena, arena->limit);
}

static void *fail(pto_arena *arena, pto_status status) {
    arena->failure = status;
    if (arena->on_failure)
        longjmp(*arena->on_failure, (int)status);
    return NULL;
}

/* Adds a block with room for `need` bytes (a multiple of the alignment), or reports why it cannot. */
static pto_status add_block(pto_arena *arena, size_t need) {
    size_t room = arena->limit ? (arena->limit > arena->held ? arena->limit - arena->held : 0) : SIZE_MAX;
    size_t least = HEADER_SIZE + need;
    if (least > room)
        return PTO_ERR_LIMIT;
    size_t size = arena->blocks ? arena->blocks->size : BLOCK_SIZE_MIN / 2;
    size = size >= BLOCK_SIZE_MAX / 2 ? BLOCK_SIZE_MAX : size * 2;
    if (size > room)
        size = room & ~(size_t)(PTO_ARENA_ALIGN - 1);
    if (size < least)
        size = least;
    pto_arena_block *block = calloc(1, size);
    if (!block)
        return PTO_ERR_NOMEM;
    block->next = arena->blocks;
    block->size = size;
    block->used = HEADER_SIZE;
    block->last = HEADER_SIZE;
    ARENA_POISON((char *)block + HEADER_SIZE, size - HEADER_SIZE);
    arena->blocks = block;
    arena->held += size;
    return PTO_OK;
}

/* Bytes that an allocation takes in a block, or 0 if that overflows. */
static size_t padded(size_t size) {
    if (size > SIZE_MAX / 2)
        return 0;
    if (size == 0)
        size = 1;
    return ((size + PTO_ARENA_ALIGN - 1) & ~(size_t)(PTO_ARENA_ALIGN - 1)) + ARENA_GAP;
}

void *pto_arena_alloc(pto_arena *arena, size_t size) {
    size_t need = padded(size);
    if (need == 0)
        return fail(arena, PTO_ERR_LIMIT);
    pto_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < need) {
        pto_status status = add_block(arena, need);
        if (status != PTO_OK)
            return fail(arena, status);
        block = arena->blocks;
    }
    char *memory = (char *)block + block->used;
    block->last = block->used;
    block->used += need;
    ARENA_UNPOISON(memory, size);
    return memory;
}

void *pto_arena_array(pto_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size)
        return fail(arena, PTO_ERR_LIMIT);
    return pto_arena_alloc(arena, count * size);
}

void *pto_arena_grow(pto_arena *arena, void *memory, size_t old_size, size_t new_size) {
    if (!memory)
        return pto_arena_alloc(arena, new_size);
    if (new_size <= old_size)
        return memory;
    pto_arena_block *block = arena->blocks;
    size_t need = padded(new_size);
    if (need != 0 && (char *)memory == (char *)block + block->last && block->size - block->last >= need) {
        block->used = block->last + need;
        ARENA_UNPOISON(memory, new_size);
        return memory;
    }
    void *copy = pto_arena_alloc(arena, new_size);
    if (copy)
        memcpy(copy, memory, old_size);
    return copy;
}

char *pto_arena_strdup(pto_arena *arena, pto_str string) {
    if (string.len == SIZE_MAX)
        return fail(arena, PTO_ERR_LIMIT);
    char *copy = pto_arena_alloc(arena, string.len + 1);
    if (copy && string.len)
        memcpy(copy, string.data, string.len);
    return copy;
}

char *pto_arena_vprintf(pto_arena *arena, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    char *text = NULL;
    int length = vsnprintf(NULL, 0, format, arguments);
    /* The handler may jump, so the second list is ended before memory is asked for. */
    if (length < 0) {
        va_end(again);
        return fail(arena, PTO_ERR_LIMIT);
    }
    jmp_buf *handler = arena->on_failure;
    arena->on_failure = NULL;
    text = pto_arena_alloc(arena, (size_t)length + 1);
    arena->on_failure = handler;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text ? text : fail(arena, arena->failure);
}

char *pto_arena_printf(pto_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    jmp_buf *handler = arena->on_failure;
    arena->on_failure = NULL;
    char *text = pto_arena_vprintf(arena, format, arguments);
    arena->on_failure = handler;
    va_end(arguments);
    return text ? text : fail(arena, arena->failure);
}
