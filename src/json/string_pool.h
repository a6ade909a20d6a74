/*
 * Memory for the strings of a document that was built or repaired. Private to this folder.
 *
 * A list of blocks; strings do not move once they are there.
 */
#pragma once

#include "base/str.h"

struct string_pool {
    struct string_pool *next;
    size_t len, capacity;
    char bytes[];
};

/* Room for len bytes and a NUL. */
char *string_pool_alloc(struct string_pool **pool, size_t len);
void string_pool_free(struct string_pool *pool);

/* A copy with a NUL behind it. */
struct str string_pool_copy(struct string_pool **pool, struct str s);

/* A copy in which each byte that starts no valid UTF-8 sequence is U+FFFD, as Go does it. */
struct str string_pool_repair(struct string_pool **pool, struct str s);
