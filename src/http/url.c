/*
 * Reads URLs (RFC 3986), in the order scheme, authority, path, query, fragment. url_write.c writes
 * them. Errors never show the text, which may contain a password.
 */
#include "http/url.h"

#include "http/url_internal.h"

static const struct {
    struct str name;
    enum url_scheme scheme;
    uint16_t port;
} schemes[] = {
    {STR_INIT("http"),    URL_HTTP,   80  },
    {STR_INIT("https"),   URL_HTTPS,  443 },
    {STR_INIT("socks5"),  URL_SOCKS5, 1080},
    {STR_INIT("socks5h"), URL_SOCKS5, 1080},
};

struct str url_scheme_name(enum url_scheme scheme)
{
    return schemes[scheme].name;
}

uint16_t url_scheme_port(enum url_scheme scheme)
{
    return schemes[scheme].port;
}

/* True when text consists of unreserved characters, complete escapes and the given others. */
static bool is_made_of(struct str text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '%') {
            if (i + 2 >= text.len || url_hex_value(text.ptr[i + 1]) < 0 ||
                url_hex_value(text.ptr[i + 2]) < 0)
                return false;
            i += 2;
        } else if (!url_is_unreserved(c) && (c == '\0' || !strchr(others, c))) {
            return false;
        }
    }
    return true;
}

#define SUB_DELIMS "!$&'()*+,;="
#define PATH_CHARS SUB_DELIMS ":@/"
/* Also allows the characters that browsers and Go leave unescaped in queries. */
#define QUERY_CHARS PATH_CHARS "?[]{}|^`\\\"<>"

/* Sets scheme and default port; the text then starts at the authority. */
static struct error *read_scheme(struct str *text, struct url *url)
{
    const size_t end = str_find(*text, STR("://"));
    if (end == STR_NONE)
        return error_new(ERROR_PARSE, "URL has no scheme");
    const struct str name = str_slice(*text, 0, end);
    for (size_t i = 0; i < COUNT(schemes); i++) {
        if (str_eq_nocase(name, schemes[i].name)) {
            url->scheme = schemes[i].scheme;
            url->port = schemes[i].port;
            *text = str_skip(*text, end + 3);
            return NULL;
        }
    }
    return error_new(ERROR_PARSE, "URL has a scheme that is not supported");
}

/* The last "@" ends the user. An earlier one is refused as a character that needs an escape. */
static struct error *read_user(struct str *authority, struct url *url)
{
    const size_t at = str_find_last_char(*authority, '@');
    if (at == STR_NONE)
        return NULL;
    struct str password = str_slice(*authority, 0, at);
    *authority = str_skip(*authority, at + 1);
    url->has_user = true;
    url->has_password = str_cut(&password, ':', &url->user);
    url->password = password;
    if (!is_made_of(url->user, SUB_DELIMS) || !is_made_of(url->password, SUB_DELIMS ":"))
        return error_new(ERROR_PARSE, "URL has characters in its user that need escapes");
    return NULL;
}

static struct error *read_port(struct str text, struct url *url)
{
    uint64_t port;
    if (text.len > 5 || !is_made_of(text, "") || !ascii_is_digit(text.len ? text.ptr[0] : 'x') ||
        !str_to_uint64(text, &port) || port == 0 || port > UINT16_MAX)
        return error_new(ERROR_PARSE, "URL has a bad port");
    url->port = (uint16_t)port;
    return NULL;
}

/*
 * Hexadecimal groups, "::" at most once, at most eight groups, an IPv4 address instead of the last
 * two groups. The zone of a link-local address is not allowed.
 */
static bool is_ipv6(struct str text)
{
    size_t groups = 0, digits = 0, dots = 0;
    bool gap = false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == ':') {
            if (dots)
                return false;
            const bool doubled = i + 1 < text.len && text.ptr[i + 1] == ':';
            if (doubled && gap)
                return false;
            if (!doubled && (digits == 0 || i + 1 == text.len))
                return false;
            groups += digits > 0;
            digits = 0;
            gap |= doubled;
            i += doubled;
        } else if (c == '.') {
            if (digits == 0)
                return false;
            dots++;
            digits = 0;
        } else if (url_hex_value(c) < 0 || ++digits > 4 ||
                   (dots && (!ascii_is_digit(c) || digits > 3))) {
            return false;
        }
    }
    if (dots && (dots != 3 || digits == 0))
        return false;
    groups += digits > 0;
    groups += dots > 0;
    return gap ? groups < 8 : groups == 8;
}

static struct error *read_bracketed(struct str *authority, struct url *url)
{
    const size_t end = str_find_char(*authority, ']');
    if (end == STR_NONE)
        return error_new(ERROR_PARSE, "URL has a bracket that is not closed");
    url->host = str_slice(*authority, 1, end);
    url->is_ipv6 = true;
    *authority = str_skip(*authority, end + 1);
    if (!is_ipv6(url->host))
        return error_new(ERROR_PARSE, "URL has a bad IPv6 address");
    return NULL;
}

/* Letters, digits, hyphens, dots and underscores. Escapes are not allowed in a host. */
static bool is_host_name(struct str host)
{
    for (size_t i = 0; i < host.len; i++)
        if (!url_is_unreserved(host.ptr[i]) || host.ptr[i] == '~')
            return false;
    return host.len > 0 && host.len <= 253 && host.ptr[0] != '.' && host.ptr[0] != '-';
}

static struct error *read_authority(struct str authority, struct url *url)
{
    TRY(read_user(&authority, url));
    if (str_starts_with(authority, STR("["))) {
        TRY(read_bracketed(&authority, url));
    } else {
        const size_t colon = str_find_char(authority, ':');
        url->host = str_slice(authority, 0, colon);
        authority = str_skip(authority, colon);
        if (!is_host_name(url->host))
            return error_new(ERROR_PARSE, "URL has no valid host");
    }
    if (authority.len == 0)
        return NULL;
    if (authority.ptr[0] != ':')
        return error_new(ERROR_PARSE, "URL has text behind its host");
    return read_port(str_skip(authority, 1), url);
}

/* Path, query and fragment, taken from the end. */
static struct error *read_rest(struct str rest, struct url *url)
{
    size_t at = str_find_char(rest, '#');
    if (at != STR_NONE) {
        url->has_fragment = true;
        url->fragment = str_skip(rest, at + 1);
        rest = str_slice(rest, 0, at);
    }
    at = str_find_char(rest, '?');
    if (at != STR_NONE) {
        url->has_query = true;
        url->query = str_skip(rest, at + 1);
        rest = str_slice(rest, 0, at);
    }
    url->path = rest;
    if (!is_made_of(url->path, PATH_CHARS))
        return error_new(ERROR_PARSE, "URL has characters in its path that need escapes");
    if (!is_made_of(url->query, QUERY_CHARS) || !is_made_of(url->fragment, QUERY_CHARS))
        return error_new(ERROR_PARSE, "URL has characters in its query that need escapes");
    return NULL;
}

static size_t find_first_of(struct str text, const char *any)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\0' && strchr(any, text.ptr[i]))
            return i;
    return text.len;
}

static struct error *read_any(struct str text, struct url *url)
{
    if (text.len > URL_LENGTH_MAX)
        return error_new(ERROR_PARSE, "URL is longer than %zu bytes", URL_LENGTH_MAX);
    TRY(read_scheme(&text, url));
    const size_t end = find_first_of(text, "/?#");
    TRY(read_authority(str_slice(text, 0, end), url));
    return read_rest(str_skip(text, end), url);
}

struct error *url_read(struct str text, struct url *ret_url)
{
    struct url url = {0};
    TRY(read_any(text, &url));
    if (url.scheme == URL_SOCKS5)
        return error_new(ERROR_PARSE, "URL has a scheme that is not supported");
    *ret_url = url;
    return NULL;
}

/* "host:port" without a scheme, as HTTPS_PROXY often has it. */
static struct error *read_bare(struct str text, struct url *url)
{
    url->scheme = URL_HTTP;
    url->port = url_scheme_port(URL_HTTP);
    const size_t end = find_first_of(text, "/?#");
    TRY(read_authority(str_slice(text, 0, end), url));
    return read_rest(str_skip(text, end), url);
}

struct error *url_read_proxy(struct str text, struct url *ret_url)
{
    struct url url = {0};
    if (text.len <= URL_LENGTH_MAX && !str_contains(text, STR("://")))
        TRY(read_bare(text, &url), "proxy");
    else
        TRY(read_any(text, &url), "proxy");
    if ((url.path.len && !str_eq(url.path, STR("/"))) || url.has_query || url.has_fragment)
        return error_new(ERROR_PARSE, "proxy: URL has more than a host and a port");
    url.path = STR("");
    *ret_url = url;
    return NULL;
}
