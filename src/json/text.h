/*
 * Memory for the strings of a document that was built or repaired. Private to this folder.
 *
 * A list of blocks; strings do not move once they are there.
 */
#pragma once

#include "base/str.h"

struct json_text {
    struct json_text *next;
    size_t len, capacity;
    char bytes[];
};

/* Room for len bytes and a NUL. */
char *json_text_alloc(struct json_text **list, size_t len);
void json_text_free(struct json_text *list);

/* A copy with a NUL behind it. */
struct str json_text_copy(struct json_text **list, struct str s);

/* A copy in which each byte that starts no valid UTF-8 sequence is U+FFFD, as Go does it. */
struct str json_text_repair(struct json_text **list, struct str s);
