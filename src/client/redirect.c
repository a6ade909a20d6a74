/*
 * Locations are relative references (RFC 3986): with a scheme, "//host/path", "/path", "?query" or
 * a path relative to the folder of the request.
 */
#include "client/redirect.h"

#include "base/buf.h"

bool redirect_is_followed(struct str method, int status, struct str location)
{
    if (!str_eq(method, STR("GET")) && !str_eq(method, STR("HEAD")))
        return false;
    const bool is_one =
        status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    return is_one && location.len > 0;
}

/* A colon before any of "/?#" ends a scheme. */
static bool has_scheme(struct str location)
{
    const size_t colon = str_find_char(location, ':');
    const struct str head = str_slice(location, 0, colon);
    return colon != STR_NONE && str_find_char(head, '/') == STR_NONE &&
           str_find_char(head, '?') == STR_NONE && str_find_char(head, '#') == STR_NONE;
}

/* Adds the part of the base URL that the location lacks. */
static void add_base(struct buf *out, const struct url *from, struct str location)
{
    SCOPED(arena) arena = {0};
    if (has_scheme(location))
        return;
    if (str_starts_with(location, STR("//"))) {
        buf_add(out, url_scheme_name(from->scheme));
        buf_add_char(out, ':');
        return;
    }
    buf_add(out, url_origin(&arena, from));
    if (str_starts_with(location, STR("/")))
        return;
    const bool is_query = str_starts_with(location, STR("?"));
    const size_t slash = str_find_last_char(from->path, '/');
    const struct str folder = slash == STR_NONE ? STR("/") : str_slice(from->path, 0, slash + 1);
    buf_add(out, is_query ? from->path : folder);
}

/* "/a/./b/../c" becomes "/a/c". ".." at the root is dropped (RFC 3986, section 5.2.4). */
static struct str without_dots(struct arena *arena, struct str path)
{
    SCOPED(buf) out = {0};
    struct str rest = str_starts_with(path, STR("/")) ? str_skip(path, 1) : path, segment;
    bool more;
    do {
        more = str_cut(&rest, '/', &segment);
        const bool is_up = str_eq(segment, STR("..")), is_here = str_eq(segment, STR("."));
        if (is_up && out.len)
            buf_truncate(&out, str_find_last_char(buf_str(&out), '/'));
        if (!is_up && !is_here)
            buf_print(&out, "/%.*s", STR_ARG(segment));
        else if (!more)
            buf_add_char(&out, '/');
    } while (more);
    return arena_str(arena, buf_str(&out));
}

/* The fragment is dropped, because it is never sent to a server. */
struct error *redirect_read(struct arena *arena, const struct url *from, struct str location,
                            struct url *ret_to)
{
    SCOPED(buf) text = {0};
    struct url to;
    if (location.len > URL_LENGTH_MAX)
        return error_new(ERROR_INTERNAL, "redirected to a URL that is too long");
    add_base(&text, from, location);
    buf_add(&text, location);
    struct error *err = url_read(arena_str(arena, buf_str(&text)), &to);
    if (err) {
        err->code = ERROR_INTERNAL; /* the server is wrong, not the input of a user */
        return error_wrap(err, "redirected");
    }
    if (to.has_user)
        return error_new(ERROR_INTERNAL, "redirected to a URL with a user in it");
    if (from->scheme == URL_HTTPS && to.scheme != URL_HTTPS)
        return error_new(ERROR_INTERNAL, "redirected from https to http");
    if (!str_eq_nocase(from->host, to.host))
        return error_new(ERROR_INTERNAL, "redirected to another host, %.*s, which is not followed",
                         STR_ARG(to.host));
    to.path = without_dots(arena, to.path);
    to.has_fragment = false;
    to.fragment = STR("");
    *ret_to = to;
    return NULL;
}

bool redirect_is_same_server(const struct url *a, const struct url *b)
{
    return a->scheme == b->scheme && a->port == b->port && str_eq_nocase(a->host, b->host);
}
