/*
 * Members of one object as a set: finds repeated names, and finds a member by name. Private to this
 * folder.
 *
 * Small objects are searched from the front. Large ones are sorted or hashed first, so that hostile
 * input cannot make a comparison quadratic.
 */
#pragma once

#include "json/json_internal.h"

/* Keys that repeat the name of an earlier member of their object. */
struct repeats {
    yyjson_val **keys; /* in no order */
    size_t count, capacity;
};

/*
 * Adds the keys of an object that repeat an earlier key. The earlier key is superseded and marked:
 * its type becomes YYJSON_TYPE_NONE.
 */
void repeats_find(struct repeats *repeats, yyjson_val *object);
void repeats_done(struct repeats *repeats);

/*
 * Maps a name to one bit of 64, from its first two bytes and its length. Equal names have equal
 * bits. Computed for every name that is read, so it is cheap. The factor was searched for so that
 * names that occur together in Kubernetes objects get different bits.
 */
static inline uint64_t member_fingerprint(const yyjson_val *key)
{
    const uint32_t len = (uint32_t)key->tag & ~(uint32_t)YYJSON_TAG_MASK; /* times 256 */
    if (len == 0)
        return 1;
    uint16_t front;
    memcpy(&front, key->uni.str, sizeof(front)); /* a NUL stands behind every name */
    return UINT64_C(1) << ((front ^ len) * UINT32_C(1825821879) >> 26);
}

static inline bool member_is_superseded(const yyjson_val *key)
{
    return val_type(key) == YYJSON_TYPE_NONE;
}

/* Repeated searches in one object; fastest in the order of its members. */
struct lookup {
    const yyjson_val *object;
    const yyjson_val *next; /* the key behind the one found last */
    const yyjson_val **sorted;
};

static inline struct lookup lookup_of(const yyjson_val *object)
{
    return (struct lookup){.object = object, .next = object ? object + 1 : NULL};
}

void lookup_done(struct lookup *lookup);

/* The member's value, or NULL. */
const yyjson_val *lookup_find(struct lookup *lookup, struct str name);
