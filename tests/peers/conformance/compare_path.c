/* Where the walk is, and what the exchange's patterns say about that place. */
#include "base/buf.h"
#include "json/json_pointer_test.h"
#include "json/path.h"
#include "peers/conformance/compare_internal.h"

bool compare_enter(struct comparison *comparison, struct str token)
{
    if (comparison->depth == COMPARE_DEPTH_MAX) {
        COMPARE_DIFFERS(comparison, "nested deeper than %d", COMPARE_DEPTH_MAX);
        return false;
    }
    comparison->path[comparison->depth++] = token;
    return true;
}

bool compare_enter_index(struct comparison *comparison, size_t index)
{
    return compare_enter(comparison, arena_print(comparison->arena, "%zu", index));
}

void compare_leave(struct comparison *comparison)
{
    comparison->depth--;
}

struct str compare_token(const struct comparison *comparison, size_t up)
{
    return up < comparison->depth ? comparison->path[comparison->depth - 1 - up] : STR("");
}

bool compare_is_covered(const struct comparison *comparison,
                        const struct exchange_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (pointer_covers(&patterns->items[i], comparison->path, comparison->depth))
            return true;
    return false;
}

struct str compare_place(const struct comparison *comparison)
{
    SCOPED(buf) place = {0};
    for (size_t i = 0; i < comparison->depth; i++)
        json_pointer_add(&place, comparison->path[i]);
    return place.len ? arena_str(comparison->arena, buf_str(&place)) : STR("body");
}
