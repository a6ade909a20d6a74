/*
 * Warnings about addresses of IPv6 that are not written as RFC 5952 says.
 *
 * Upstream: GetWarningsForIP() and GetWarningsForCIDR() of
 * k8s.io/apimachinery/pkg/util/validation.
 */
#include <arpa/inet.h>
#include <string.h>

#include "apiserver/registry/kind_warn_internal.h"

#define GROUPS 8

/* An address of IPv6 as its eight groups. False for any other text. */
static bool read_groups(struct str text, unsigned ret_groups[static GROUPS])
{
    char room[INET6_ADDRSTRLEN + 1];
    unsigned char bytes[2 * GROUPS];
    if (text.len >= sizeof(room) || str_find_char(text, '\0') != STR_NONE)
        return false;
    memcpy(room, text.ptr, text.len);
    room[text.len] = '\0';
    if (inet_pton(AF_INET6, room, bytes) != 1)
        return false;
    for (size_t i = 0; i < GROUPS; i++)
        ret_groups[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
    return true;
}

/* The first of the longest runs of zeros, if it is longer than one. */
static size_t find_zeros(const unsigned groups[static GROUPS], size_t *ret_begin)
{
    size_t longest = 1, run = 0;
    *ret_begin = GROUPS;
    for (size_t i = 0; i < GROUPS; i++) {
        run = groups[i] ? 0 : run + 1;
        if (run > longest) {
            longest = run;
            *ret_begin = i + 1 - run;
        }
    }
    return *ret_begin < GROUPS ? longest : 0;
}

/* inet_ntop() will not do: it writes ::102:304 as ::1.2.3.4. */
static struct str write_groups(struct kind_warner *w, const unsigned groups[static GROUPS])
{
    SCOPED(buf) text = {.limit = 0};
    size_t begin;
    const size_t zeros = find_zeros(groups, &begin);
    for (size_t i = 0; i < GROUPS; i++) {
        if (i == begin) {
            buf_add(&text, STR("::"));
            i += zeros - 1;
            continue;
        }
        buf_print(&text, "%s%x", i && i != begin + zeros ? ":" : "", groups[i]);
    }
    return arena_str(w->arena, buf_str(&text));
}

/* One of IPv4, which validation refuses. */
static bool is_mapped(const unsigned groups[static GROUPS])
{
    size_t begin;
    return groups[GROUPS - 3] == 0xffff && find_zeros(groups, &begin) == GROUPS - 3 && begin == 0;
}

/* False for an address of another family, and for one that is written as it should be. */
static bool is_spelled_otherwise(struct kind_warner *w, struct str address,
                                 struct str *ret_canonical)
{
    unsigned groups[GROUPS];
    if (str_find_char(address, ':') == STR_NONE || !read_groups(address, groups) ||
        is_mapped(groups))
        return false;
    *ret_canonical = write_groups(w, groups);
    return !str_eq(*ret_canonical, address);
}

static void warn_of_spelling(struct kind_warner *w, struct str path, const char *what,
                             struct str text, struct str canonical)
{
    json_warn(w->warnings,
              arena_print(w->arena,
                          "%.*s: IPv6 %s %.*s should be in RFC 5952 canonical format (%.*s)",
                          STR_ARG(path), what, STR_ARG(warn_quote(w, text)),
                          STR_ARG(warn_quote(w, canonical))));
}

void warn_of_address(struct kind_warner *w, struct str path, struct str address)
{
    struct str canonical;
    if (is_spelled_otherwise(w, address, &canonical))
        warn_of_spelling(w, path, "address", address, canonical);
}

void warn_of_block(struct kind_warner *w, struct str path, struct str block)
{
    struct str bits = block, address, canonical;
    if (!str_cut(&bits, '/', &address) || !is_spelled_otherwise(w, address, &canonical))
        return;
    warn_of_spelling(w, path, "CIDR value", block, ARENA_JOIN(w->arena, canonical, STR("/"), bits));
}

void warn_of_addresses(struct kind_warner *w, struct str path, const struct json_value *addresses)
{
    const struct json_value *address;
    size_t index = 0;
    JSON_FOREACH (key, address, addresses)
        warn_of_address(w, warn_path(w, path, index++, ""), json_to_str(address));
}

void warn_of_blocks(struct kind_warner *w, struct str path, const struct json_value *blocks)
{
    const struct json_value *block;
    size_t index = 0;
    JSON_FOREACH (key, block, blocks)
        warn_of_block(w, warn_path(w, path, index++, ""), json_to_str(block));
}
