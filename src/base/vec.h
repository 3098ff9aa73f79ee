/* SPDX-License-Identifier: Apache-2.0 */
/* Growable typed arrays on an arena. A vector starts as {0}; it is never freed alone. */
#ifndef PTO_BASE_VEC_H
#define PTO_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"

/* `typedef PTO_VEC(int) int_vec;` or as a member: `PTO_VEC(pto_value *) values;` */
#define PTO_VEC(type)                                                                                        \
    struct {                                                                                                 \
        type *data;                                                                                          \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

/* Room for `extra` more elements. False (nothing changed) without memory; pointers into the array may move.
 */
#define pto_vec_reserve(arena, vec, extra)                                                                   \
    ((vec)->data =                                                                                           \
         pto_vec_fit((arena), (vec)->data, (vec)->count, &(vec)->capacity, (extra), sizeof *(vec)->data),    \
     pto_vec_has_room((vec)->count, (vec)->capacity, (extra)))

/* Appends one value; false without memory. `vec` is evaluated more than once. */
#define pto_vec_push(arena, vec, ...)                                                                        \
    (pto_vec_reserve((arena), (vec), 1) ? ((vec)->data[(vec)->count++] = (__VA_ARGS__), true) : false)

/* Appends a zeroed element and gives its address, or NULL. */
#define pto_vec_add(arena, vec)                                                                              \
    (pto_vec_reserve((arena), (vec), 1)                                                                      \
         ? (memset(&(vec)->data[(vec)->count], 0, sizeof *(vec)->data), &(vec)->data[(vec)->count++])        \
         : NULL)

#define pto_vec_last(vec) ((vec)->data[(vec)->count - 1])
#define pto_vec_pop(vec) ((vec)->data[--(vec)->count])
#define pto_vec_clear(vec) ((void)((vec)->count = 0))

static inline bool pto_vec_has_room(size_t count, size_t capacity, size_t extra) {
    return capacity - count >= extra;
}

/* The work behind pto_vec_reserve: returns the old array, capacity untouched, if it cannot grow. */
static inline void *pto_vec_fit(pto_arena *arena, void *data, size_t count, size_t *capacity, size_t extra,
                                size_t size) {
    if (*capacity - count >= extra)
        return data;
    size_t most = ((size_t)-1) / 2 / size;
    if (count > most || extra > most - count) {
        /* Ask for what cannot be had, so that the arena reports it in its own way. */
        pto_arena_array(arena, (size_t)-1, size + 1);
        return data;
    }
    size_t wanted = *capacity > most / 2 ? most : *capacity * 2;
    if (wanted < 8)
        wanted = 8;
    if (wanted < count + extra)
        wanted = count + extra;
    void *grown = pto_arena_grow(arena, data, *capacity * size, wanted * size);
    if (!grown)
        return data;
    *capacity = wanted;
    return grown;
}

#endif
