/*
 * URLs of servers and proxies.
 *
 * Reading is strict: a blank, a control character, a bad port or a broken escape is an error,
 * because URLs that two programs read differently are a security risk. The parts are views of the
 * text and keep their escapes.
 *
 *     struct url url;
 *     TRY(url_read(STR("https://[::1]:6443/prefix"), &url));
 *     struct str target = url_join(arena, &url, STR("/api/v1/pods"), STR("watch=1"));
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum url_scheme {
    URL_HTTP,
    URL_HTTPS,
    URL_SOCKS5, /* proxies only; "socks5h" means the same here: the proxy looks names up */
};

struct url {
    enum url_scheme scheme;
    bool has_user, has_password;
    struct str user, password; /* still escaped; see url_unescape() */
    struct str host; /* a name, an IPv4 address, or an IPv6 address without its brackets */
    bool is_ipv6;
    uint16_t port;   /* the scheme's default when none was given */
    struct str path; /* empty or starting with "/" */
    bool has_query, has_fragment;
    struct str query, fragment; /* without "?" and "#" */
};

/* ERROR_PARSE; the message never shows user or password. The longest text is URL_LENGTH_MAX. */
#define URL_LENGTH_MAX (8 * KILOBYTE)
MUST_USE struct error *url_read(struct str text, struct url *ret_url);

/* The same for proxies: socks5 is allowed, "host:port" alone means http, and a path other than "/",
 * a query or a fragment is refused. */
MUST_USE struct error *url_read_proxy(struct str text, struct url *ret_url);

/* The whole URL in canonical form: lower-case scheme, no default port. */
void url_write(const struct url *url, struct buf *out);

/* "host:port" for Host and :authority: IPv6 in brackets, the port only if it is not the default. */
struct str url_authority(struct arena *arena, const struct url *url);

/* "scheme://host:port", always with the port: identifies a server. */
struct str url_origin(struct arena *arena, const struct url *url);

/*
 * A request's target: the URL's path as prefix, then exactly one slash, then path, then query. The
 * query may be empty. Path and query must be escaped already.
 */
struct str url_join(struct arena *arena, const struct url *base, struct str path, struct str query);

struct str url_scheme_name(enum url_scheme scheme);
uint16_t url_scheme_port(enum url_scheme scheme);

/* Append text, escaped as one segment of a path, or as one name or value of a query. */
void url_escape_segment(struct buf *out, struct str text);
void url_escape_query(struct buf *out, struct str text);

/* Decode escapes; "+" means a blank in queries only. ERROR_PARSE for a broken escape. */
MUST_USE struct error *url_unescape(struct arena *arena, struct str text, struct str *ret_text);
MUST_USE struct error *url_unescape_query(struct arena *arena, struct str text,
                                          struct str *ret_text);
