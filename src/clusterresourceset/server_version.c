#include "clusterresourceset/server_version.h"

#include "base/ascii.h"

/* Takes the digits at the front; false without any. */
static bool take_number(struct str *text, int64_t *ret_number)
{
    size_t digits = 0;
    while (digits < text->len && ascii_is_digit(text->ptr[digits]))
        digits++;
    const struct str number = str_slice(*text, 0, digits);
    *text = str_skip(*text, digits);
    return str_to_int64(number, ret_number);
}

bool server_version_is_before(struct str version, int64_t major, int64_t minor)
{
    int64_t found_major, found_minor;
    struct str rest = str_starts_with(version, STR("v")) ? str_skip(version, 1) : version;
    if (!take_number(&rest, &found_major) || !str_starts_with(rest, STR(".")))
        return false;
    rest = str_skip(rest, 1);
    if (!take_number(&rest, &found_minor))
        return false;
    return found_major < major || (found_major == major && found_minor < minor);
}

struct str server_version_policy_refusal(struct arena *arena, struct str version)
{
    if (!server_version_is_before(version, 1, 22))
        return STR("");
    return arena_print(arena,
                       "server-side apply needs Kubernetes 1.22, and the cluster has %.*s; the "
                       "policy of the set needs server-side apply",
                       STR_ARG(version));
}
