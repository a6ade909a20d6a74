#include "controller/cache/cache_version.h"

#include "base/ascii.h"

/* "0" is a number. Leading zeros are not, since no server sends them. */
static bool is_number(struct str version)
{
    if (!version.len || (version.len > 1 && version.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < version.len; i++)
        if (!ascii_is_digit(version.ptr[i]))
            return false;
    return true;
}

/* Without leading zeros the longer number is the larger one, so no number type can overflow. */
bool cache_version_cmp(struct str a, struct str b, int *ret_order)
{
    if (!is_number(a) || !is_number(b))
        return false;
    *ret_order = a.len != b.len ? (a.len < b.len ? -1 : 1) : str_cmp(a, b);
    return true;
}

bool cache_version_is_older(struct str a, struct str b)
{
    int order;
    return cache_version_cmp(a, b, &order) && order < 0;
}
