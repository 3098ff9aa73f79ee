/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator: everything that one parse or one program owns lives in one arena and dies with it. */
#ifndef PTO_BASE_ARENA_H
#define PTO_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <pto/status.h>

#include "base/str.h"

#define PTO_ARENA_ALIGN 16u

typedef struct pto_arena_block pto_arena_block;

/*
 * When an allocation cannot be met, `failure` becomes PTO_ERR_NOMEM or PTO_ERR_LIMIT; then, if `on_failure`
 * is set, control leaves by longjmp(*on_failure, failure), else the call returns NULL. An entry point that
 * sets the handler clears it before it returns; nothing leaks over the jump as long as all that the callee
 * owns is in the arena.
 */
typedef struct pto_arena {
    pto_arena_block *blocks; /* newest first */
    size_t held;             /* bytes held from malloc, headers included */
    size_t limit;            /* upper bound for `held`; 0 means none */
    jmp_buf *on_failure;
    pto_status failure; /* PTO_OK until the first failure */
} pto_arena;

void pto_arena_init(pto_arena *arena, size_t limit);

/* Frees every block; the arena is then as after pto_arena_init with the same limit and no handler. */
void pto_arena_free(pto_arena *arena);

/* `size` zeroed bytes aligned to PTO_ARENA_ALIGN. A size of 0 gives a unique valid pointer. */
void *pto_arena_alloc(pto_arena *arena, size_t size);

/* `count` elements of `size` bytes, zeroed; a product that overflows fails as PTO_ERR_LIMIT. */
void *pto_arena_array(pto_arena *arena, size_t count, size_t size);

/*
 * Resizes an allocation of `old_size` bytes upward: in place when it is the newest one and the block has
 * room, else by copy (the old bytes stay valid until the arena dies). The new tail is zeroed. `memory` may be
 * NULL.
 */
void *pto_arena_grow(pto_arena *arena, void *memory, size_t old_size, size_t new_size);

/* A NUL-terminated copy of the string. */
char *pto_arena_strdup(pto_arena *arena, pto_str string);

/* printf into the arena. Do not print floating values with it: printf follows the host's locale. */
char *pto_arena_printf(pto_arena *arena, const char *format, ...) PTO_PRINTF(2, 3);
char *pto_arena_vprintf(pto_arena *arena, const char *format, va_list arguments) PTO_PRINTF(2, 0);

/* New element or array of a type: `pto_arena_new(arena, pto_value)`. */
#define pto_arena_new(arena, type) ((type *)pto_arena_alloc((arena), sizeof(type)))
#define pto_arena_new_array(arena, type, count) ((type *)pto_arena_array((arena), (count), sizeof(type)))

#endif
