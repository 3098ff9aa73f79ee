/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most three quarters full. */
#include "base/map.h"

uint64_t pto_str_hash(pto_str string) {
    /* FNV-1a, then a finisher: linear probing needs good low bits. */
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < string.len; i++)
        hash = (hash ^ (unsigned char)string.data[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ (hash >> 32);
}

void pto_map_init(pto_map *map, pto_arena *arena) { *map = (pto_map){.arena = arena}; }

static uint64_t slot_hash(pto_str key) {
    uint64_t hash = pto_str_hash(key);
    return hash ? hash : 1;
}

/* The slot that holds the key or would take it. Ends, since a slot is always empty. */
static pto_map_slot *probe(const pto_map *map, pto_str key, uint64_t hash) {
    size_t mask = map->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        pto_map_slot *slot = &map->slots[i];
        if (slot->hash == 0 || (slot->hash == hash && pto_str_equal(slot->key, key)))
            return slot;
    }
}

pto_map_value *pto_map_find(const pto_map *map, pto_str key) {
    if (map->count == 0)
        return NULL;
    pto_map_slot *slot = probe(map, key, slot_hash(key));
    return slot->hash ? &slot->value : NULL;
}

static bool make_room(pto_map *map) {
    if (map->count < map->capacity - map->capacity / 4)
        return true;
    pto_map wider = *map;
    wider.capacity = map->capacity ? map->capacity * 2 : 16;
    wider.slots = pto_arena_array(map->arena, wider.capacity, sizeof *wider.slots);
    if (!wider.slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].hash)
            *probe(&wider, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    *map = wider;
    return true;
}

pto_map_value *pto_map_insert(pto_map *map, pto_str key, bool *fresh) {
    if (!make_room(map))
        return NULL;
    uint64_t hash = slot_hash(key);
    pto_map_slot *slot = probe(map, key, hash);
    if (fresh)
        *fresh = slot->hash == 0;
    if (slot->hash == 0) {
        slot->key = key;
        slot->hash = hash;
        map->count++;
    }
    return &slot->value;
}
