#include "cmd/reconcile_with.h"

#include "base/str.h"

bool reconcile_with_read(const char *text, enum crs_reconcile_with *ret_way)
{
    static const struct {
        const char *name;
        enum crs_reconcile_with way;
    } ways[] = {
        {"server-side-apply", CRS_SERVER_SIDE_APPLY},
        {"merge-patch",       CRS_MERGE_PATCH      },
    };
    const struct str wanted = str_from_c(text && *text ? text : RECONCILE_WITH_DEFAULT);
    for (size_t i = 0; i < COUNT(ways); i++) {
        if (!str_eq(wanted, str_from_c(ways[i].name)))
            continue;
        *ret_way = ways[i].way;
        return true;
    }
    return false;
}
