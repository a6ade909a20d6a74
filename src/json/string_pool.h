/*
 * Memory for the strings of a document that was built or repaired. Private to this folder.
 *
 * A pool is a list of blocks, the newest first. Strings never move. NULL is an empty pool.
 */
#pragma once

#include "base/str.h"

struct string_pool {
    struct string_pool *next;
    size_t len, capacity;
    char bytes[];
};

/* Allocates len bytes and a NUL. */
char *string_pool_alloc(struct string_pool **pool, size_t len);
void string_pool_free(struct string_pool *pool);

/* Copies a string and adds a NUL. */
struct str string_pool_copy(struct string_pool **pool, struct str s);

/* Copies a string; each byte that starts no valid UTF-8 sequence becomes U+FFFD, as in Go. */
struct str string_pool_repair(struct string_pool **pool, struct str s);
