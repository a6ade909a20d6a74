#include "clusterresourceset/prune_token.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sha256.h"

#define DIGITS 12

static int compare_names(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

struct str prune_token(struct arena *arena, struct str set_uid, enum prune_reason reason,
                       struct str revision, const struct str *clusters, size_t count)
{
    SCOPED(buf) text = {.limit = 0};
    char digits[DIGITS + 1];
    const struct str name = prune_reason_name(reason);
    struct str *sorted = arena_alloc_array(arena, count + 1, sizeof(*sorted));
    if (count)
        memcpy(sorted, clusters, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_names);
    buf_print(&text, "%.*s\n%.*s\n%.*s\n", STR_ARG(set_uid), STR_ARG(name), STR_ARG(revision));
    for (size_t i = 0; i < count; i++)
        buf_print(&text, "%.*s\n", STR_ARG(sorted[i]));
    const struct str id = sha256_start(buf_str(&text), DIGITS, digits);
    return arena_print(arena, PRUNE_TOKEN_PREFIX "%.*s", STR_ARG(id));
}
