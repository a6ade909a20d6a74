#include "clusterresourceset/types/approval.h"

bool approval_has(struct str tokens, struct str token)
{
    struct str item;
    if (!token.len)
        return false;
    for (bool is_last = false; !is_last;) {
        is_last = !str_cut(&tokens, ',', &item);
        if (str_eq(str_trim(item), token))
            return true;
    }
    return false;
}

bool approval_is_given(const struct object *set, struct str token)
{
    struct str tokens;
    return object_find_annotation(set, STR(APPROVAL_ANNOTATION), &tokens) &&
           approval_has(tokens, token);
}
