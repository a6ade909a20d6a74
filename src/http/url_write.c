/* Writes URLs and parts of them, and converts escapes in both directions. url.c reads URLs. */
#include "http/url.h"
#include "http/url_internal.h"

static void add_host(struct buf *out, const struct url *url)
{
    if (url->is_ipv6)
        buf_print(out, "[%.*s]", STR_ARG(url->host));
    else
        buf_add(out, url->host);
}

static void add_authority(struct buf *out, const struct url *url)
{
    add_host(out, url);
    if (url->port != url_scheme_port(url->scheme))
        buf_print(out, ":%u", url->port);
}

void url_write(const struct url *url, struct buf *out)
{
    buf_add(out, url_scheme_name(url->scheme));
    buf_add(out, STR("://"));
    if (url->has_user) {
        buf_add(out, url->user);
        if (url->has_password) {
            buf_add_char(out, ':');
            buf_add(out, url->password);
        }
        buf_add_char(out, '@');
    }
    add_authority(out, url);
    buf_add(out, url->path);
    if (url->has_query) {
        buf_add_char(out, '?');
        buf_add(out, url->query);
    }
    if (url->has_fragment) {
        buf_add_char(out, '#');
        buf_add(out, url->fragment);
    }
}

struct str url_authority(struct arena *arena, const struct url *url)
{
    SCOPED(buf) text = {0};
    add_authority(&text, url);
    return arena_str(arena, buf_str(&text));
}

struct str url_origin(struct arena *arena, const struct url *url)
{
    SCOPED(buf) text = {0};
    buf_add(&text, url_scheme_name(url->scheme));
    buf_add(&text, STR("://"));
    add_host(&text, url);
    buf_print(&text, ":%u", url->port);
    return arena_str(arena, buf_str(&text));
}

/* Slashes at the end of the prefix are dropped, so "/a/" and "/b" give "/a/b". */
struct str url_join(struct arena *arena, const struct url *base, struct str path, struct str query)
{
    struct str prefix = base->path;
    while (str_ends_with(prefix, STR("/")))
        prefix.len--;
    const struct str slash = str_starts_with(path, STR("/")) ? STR("") : STR("/");
    const struct str mark = query.len ? STR("?") : STR("");
    return ARENA_JOIN(arena, prefix, slash, path, mark, query);
}

/* Unreserved characters and also_plain stand for themselves, all others become %XX. */
static void escape_text(struct buf *out, struct str text, const char *also_plain)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const unsigned char code = (unsigned char)c;
        if (url_is_unreserved(c) || (c != '\0' && strchr(also_plain, c)))
            buf_add_char(out, c);
        else
            buf_add(out, str_from((char[]){'%', digits[code >> 4], digits[code & 0xf]}, 3));
    }
}

/* The characters that Go's url.PathEscape() leaves alone, so that both write the same paths. */
void url_escape_segment(struct buf *out, struct str text)
{
    escape_text(out, text, "$&+=:@");
}

void url_escape_query(struct buf *out, struct str text)
{
    escape_text(out, text, "");
}

/* The result is never longer than the text. It may contain any byte, NUL included. */
static struct error *unescape_text(struct arena *arena, struct str text, bool plus,
                                   struct str *ret_text)
{
    char *out = arena_try_alloc(arena, text.len + 1);
    if (!out)
        return error_new(ERROR_TOO_LARGE, "escaped text of %zu bytes", text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            const int high = i + 2 < text.len ? url_hex_value(text.ptr[i + 1]) : -1;
            const int low = i + 2 < text.len ? url_hex_value(text.ptr[i + 2]) : -1;
            if (high < 0 || low < 0)
                return error_new(ERROR_PARSE, "broken escape at byte %zu", i);
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        out[len++] = c;
    }
    *ret_text = str_from(out, len);
    return NULL;
}

struct error *url_unescape(struct arena *arena, struct str text, struct str *ret_text)
{
    return unescape_text(arena, text, false, ret_text);
}

struct error *url_unescape_query(struct arena *arena, struct str text, struct str *ret_text)
{
    return unescape_text(arena, text, true, ret_text);
}
