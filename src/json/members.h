/*
 * Members of one object as a set: which occur twice, and which member has a name. Private to this
 * folder.
 *
 * Small objects are searched from the front. Large ones are indexed once something has to be
 * searched for, so that outsiders cannot make a comparison quadratic.
 */
#pragma once

#include "json/json_internal.h"

/* Keys of members that another member with the same name follows, and keys that repeat one. */
struct repeats {
    yyjson_val **keys; /* in no order */
    size_t count, capacity;
};

/*
 * Finds the keys of an object that repeat an earlier one and adds them. The superseded key, the
 * earlier one, is marked: its type becomes YYJSON_TYPE_NONE.
 */
void repeats_find(struct repeats *repeats, yyjson_val *object);
void repeats_done(struct repeats *repeats);

/*
 * One bit of 64 that equal names share, from their first two bytes and the length. It is made for
 * every name that is read, so it is cheap; the factor was searched for, so that the names which
 * stand together in Kubernetes objects get bits of their own.
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

/* Searches an object again and again, best in the order of its members. */
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
