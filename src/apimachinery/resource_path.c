#include "apimachinery/resource_path.h"

#include "base/ascii.h"
#include "base/buf.h"

/* What RFC 3986 lets stand in a segment, less what some proxy or server gives a meaning. */
static bool is_plain(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == ':' ||
           c == '@' || c == '$';
}

static void add_segment(struct buf *out, struct str text)
{
    /* "." and ".." are not names but steps, unless escaped. */
    const bool is_step = str_eq(text, STR(".")) || str_eq(text, STR(".."));
    buf_add_char(out, '/');
    for (size_t i = 0; i < text.len; i++) {
        if (is_plain(text.ptr[i]) && !is_step)
            buf_add_char(out, text.ptr[i]);
        else
            buf_print(out, "%%%02X", (unsigned)(unsigned char)text.ptr[i]);
    }
}

struct str resource_path_write(struct arena *arena, const struct resource_path *path)
{
    SCOPED(buf) out = {.limit = 0};
    buf_add(&out, path->gvr.group.len ? STR("/apis") : STR("/api"));
    if (path->gvr.group.len)
        add_segment(&out, path->gvr.group);
    add_segment(&out, path->gvr.version);
    if (path->namespace.len) {
        buf_add(&out, STR("/namespaces"));
        add_segment(&out, path->namespace);
    }
    add_segment(&out, path->gvr.resource);
    if (path->name.len)
        add_segment(&out, path->name);
    struct str rest = path->name.len ? path->subresource : STR(""), segment;
    while (rest.len) {
        str_cut(&rest, '/', &segment);
        add_segment(&out, segment);
    }
    return arena_str(arena, buf_str(&out));
}

static bool unescape(struct arena *arena, struct str text, struct str *ret_text)
{
    char *out = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '%') {
            out[len++] = text.ptr[i];
            continue;
        }
        const int high = i + 2 < text.len ? ascii_hex_value(text.ptr[i + 1]) : -1;
        const int low = i + 2 < text.len ? ascii_hex_value(text.ptr[i + 2]) : -1;
        if (high < 0 || low < 0)
            return false;
        out[len++] = (char)(high * 16 + low);
        i += 2;
    }
    *ret_text = str_from(out, len);
    return true;
}

/* The next segment, unescaped; false at the end or when it is empty or broken. */
static bool next_segment(struct arena *arena, struct str *rest, struct str *ret_segment)
{
    struct str raw;
    str_cut(rest, '/', &raw);
    return raw.len > 0 && unescape(arena, raw, ret_segment);
}

static bool read_group_version(struct arena *arena, struct str *rest, struct gvr *ret_gvr)
{
    ret_gvr->group = STR("");
    if (str_starts_with(*rest, STR("/api/"))) {
        *rest = str_skip(*rest, sizeof("/api/") - 1);
        return next_segment(arena, rest, &ret_gvr->version);
    }
    if (!str_starts_with(*rest, STR("/apis/")))
        return false;
    *rest = str_skip(*rest, sizeof("/apis/") - 1);
    return next_segment(arena, rest, &ret_gvr->group) &&
           next_segment(arena, rest, &ret_gvr->version);
}

/* Of "namespaces/a/status" and "namespaces/a/finalize" the last word is no resource. */
static bool is_of_namespace_itself(struct str rest)
{
    return rest.len == 0 || str_eq(rest, STR("status")) || str_eq(rest, STR("finalize"));
}

bool resource_path_read(struct arena *arena, struct str text, struct resource_path *ret_path)
{
    struct resource_path path = {.namespace = STR("")};
    struct str rest = text;
    if (!read_group_version(arena, &rest, &path.gvr) ||
        !next_segment(arena, &rest, &path.gvr.resource))
        return false;
    if (rest.len && !next_segment(arena, &rest, &path.name))
        return false;
    if (str_eq(path.gvr.resource, STR("namespaces")) && path.name.len &&
        !is_of_namespace_itself(rest)) {
        path.namespace = path.name;
        path.name = STR("");
        if (!next_segment(arena, &rest, &path.gvr.resource))
            return false;
        if (rest.len && !next_segment(arena, &rest, &path.name))
            return false;
    }
    if (rest.len && !unescape(arena, rest, &path.subresource))
        return false;
    *ret_path = path;
    return true;
}
