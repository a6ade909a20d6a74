/*
 * Any text may be refused; what is accepted is written and read again as the same URL, and what
 * goes into a request holds nothing that could end its line. Escapes undo themselves.
 */
#include "fuzz.h"
#include "http/head.h"
#include "http/url.h"
#include "testing/test.h"

static void check_same(const struct url *a, const struct url *b)
{
    CHECK_EQ((int)a->scheme, (int)b->scheme);
    CHECK_EQ(a->has_user, b->has_user);
    CHECK_EQ(a->has_password, b->has_password);
    CHECK_EQ(a->user, b->user);
    CHECK_EQ(a->password, b->password);
    CHECK_EQ(a->host, b->host);
    CHECK_EQ(a->is_ipv6, b->is_ipv6);
    CHECK_EQ(a->port, b->port);
    CHECK_EQ(a->path, b->path);
    CHECK_EQ(a->has_query, b->has_query);
    CHECK_EQ(a->query, b->query);
    CHECK_EQ(a->has_fragment, b->has_fragment);
    CHECK_EQ(a->fragment, b->fragment);
}

static void check_url(struct arena *arena, struct str text)
{
    struct url url, again;
    SCOPED(buf) written = {.limit = 0};
    OWNED(error) err = url_read(text, &url);
    if (err)
        return;
    url_write(&url, &written);
    CHECK_OK(url_read(buf_str(&written), &again));
    check_same(&url, &again);
    const struct http_head head = {.method = STR("GET"),
                                   .authority = url_authority(arena, &url),
                                   .target = url_join(arena, &url, STR("/api"), url.query)};
    CHECK_OK(http_head_check_request(&head));
    CHECK_OK(url_read(url_origin(arena, &url), &again));
    CHECK_EQ(again.port, url.port);
}

static void check_proxy(struct str text)
{
    struct url url, again;
    SCOPED(buf) written = {.limit = 0};
    OWNED(error) err = url_read_proxy(text, &url);
    if (err)
        return;
    url_write(&url, &written);
    CHECK_OK(url_read_proxy(buf_str(&written), &again));
    check_same(&url, &again);
}

static void check_escapes(struct arena *arena, struct str text)
{
    SCOPED(buf) segment = {.limit = 0};
    SCOPED(buf) query = {.limit = 0};
    struct str back = {0};
    url_escape_segment(&segment, text);
    CHECK_OK(url_unescape(arena, buf_str(&segment), &back));
    CHECK_EQ(back, text);
    url_escape_query(&query, text);
    CHECK_OK(url_unescape_query(arena, buf_str(&query), &back));
    CHECK_EQ(back, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    SCOPED(arena) arena = {.limit = 0};
    check_url(&arena, text);
    check_proxy(text);
    check_escapes(&arena, text);
    return 0;
}
