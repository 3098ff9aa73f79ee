/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map from string views to a pointer or a number, on an arena. Nothing is ever removed. */
#ifndef PTO_BASE_MAP_H
#define PTO_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef union pto_map_value {
    void *pointer;
    uint64_t number;
} pto_map_value;

typedef struct pto_map_slot {
    pto_str key;
    uint64_t hash; /* 0 marks an empty slot */
    pto_map_value value;
} pto_map_slot;

typedef struct pto_map {
    pto_arena *arena;
    pto_map_slot *slots;
    size_t count;
    size_t capacity; /* 0 or a power of two */
} pto_map;

void pto_map_init(pto_map *map, pto_arena *arena);

/* The value of a key, or NULL. The address is good until the next insertion. */
pto_map_value *pto_map_find(const pto_map *map, pto_str key);

/*
 * The value of a key, made and zeroed if the key is new (`*fresh`, may be NULL, tells). The bytes of the key
 * are not copied and must outlive the map. NULL without memory when the arena has no handler.
 */
pto_map_value *pto_map_insert(pto_map *map, pto_str key, bool *fresh);

/* 64-bit hash of a string; the same on every machine and run. */
uint64_t pto_str_hash(pto_str string);

#endif
