/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map from addresses (values, operations) to a number, on an arena. Nothing is removed. */
#ifndef PTO_PROGRAM_VALUE_MAP_H
#define PTO_PROGRAM_VALUE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pto_value_map {
    pto_arena *arena;
    struct pto_value_map_slot {
        const void *key; /* NULL = empty */
        int64_t number;
    } * slot;
    size_t count, capacity; /* capacity: 0 or a power of two */
} pto_value_map;

static inline size_t pto_value_map_start(const pto_value_map *map, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 20) & (map->capacity - 1);
}

/* The number of a key, or NULL. The address is good until the next insertion. */
static inline int64_t *pto_value_map_find(const pto_value_map *map, const void *key) {
    if (!map->capacity || !key)
        return NULL;
    for (size_t i = pto_value_map_start(map, key);; i = (i + 1) & (map->capacity - 1)) {
        if (map->slot[i].key == key)
            return &map->slot[i].number;
        if (!map->slot[i].key)
            return NULL;
    }
}

/* Sets the number of a key. The arena has a handler: it does not return without memory. */
static inline void pto_value_map_set(pto_value_map *map, const void *key, int64_t number) {
    int64_t *known = pto_value_map_find(map, key);
    if (known) {
        *known = number;
        return;
    }
    if (map->count * 4 >= map->capacity * 3) {
        pto_value_map grown = {.arena = map->arena, .capacity = map->capacity ? map->capacity * 2 : 64};
        grown.slot = pto_arena_array(map->arena, grown.capacity, sizeof *grown.slot);
        if (!grown.slot)
            return;
        for (size_t i = 0; i < map->capacity; i++)
            if (map->slot[i].key)
                pto_value_map_set(&grown, map->slot[i].key, map->slot[i].number);
        *map = grown;
    }
    size_t i = pto_value_map_start(map, key);
    while (map->slot[i].key)
        i = (i + 1) & (map->capacity - 1);
    map->slot[i].key = key;
    map->slot[i].number = number;
    map->count++;
}

#endif
