#include "web/web_access.h"

#include <stdio.h>

#include "async/loop.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sha256.h"
#include "client/rate_limit.h"
#include "http/server.h"

#define REQUESTS_PER_SECOND 10
#define REQUESTS_AT_ONCE    40
#define COOKIE_NAME_MAX     24

/* A secret that is known by its hash. */
struct secret {
    uint8_t hash[SHA256_LEN];
    bool is_set;
};

struct web_access {
    struct loop *loop;
    struct secret key, cookie;
    struct rate_limit rate;
    char cookie_name[COOKIE_NAME_MAX];
};

/* Hashes are compared, so that the time it takes says nothing about the secret. */
static bool is_secret(const struct secret *secret, struct str text)
{
    uint8_t hash[SHA256_LEN];
    sha256_of(text, hash);
    return secret->is_set && text.len &&
           str_eq(str_from((const char *)hash, sizeof(hash)),
                  str_from((const char *)secret->hash, sizeof(secret->hash)));
}

static void make_secret(struct secret *secret, char ret_text[static WEB_KEY_LEN + 1])
{
    uint8_t bytes[WEB_KEY_LEN / 2];
    random_bytes_secure(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(ret_text + 2 * i, 3, "%02x", bytes[i]);
    sha256_of(str_from(ret_text, WEB_KEY_LEN), secret->hash);
    secret->is_set = true;
    mem_wipe(bytes, sizeof(bytes));
}

struct web_access *web_access_new_local(struct loop *loop, char ret_key[static WEB_KEY_LEN + 1])
{
    struct web_access *access = NEW(struct web_access);
    access->loop = loop;
    make_secret(&access->key, ret_key);
    rate_limit_init(&access->rate, REQUESTS_PER_SECOND, REQUESTS_AT_ONCE);
    web_access_use_port(access, 0);
    return access;
}

void web_access_free(struct web_access *access)
{
    mem_free(access);
}

void web_access_use_port(struct web_access *access, uint16_t port)
{
    snprintf(access->cookie_name, sizeof(access->cookie_name), "corset-%u", (unsigned)port);
}

/* The value of our cookie; empty if there is none. */
static struct str find_cookie(const struct web_access *access, struct http_request *request)
{
    struct str cookies = http_headers_find(http_request_headers(request), STR("cookie"));
    struct str value, name;
    while (cookies.len) {
        str_cut(&cookies, ';', &value);
        value = str_trim(value);
        str_cut(&value, '=', &name);
        if (str_eq(name, str_from_c(access->cookie_name)))
            return value;
    }
    return STR("");
}

/* The key is used up, whoever comes with it next. */
static struct web_entry enter_with_key(struct web_access *access, struct http_request *request)
{
    char cookie[WEB_KEY_LEN + 1];
    struct web_entry entry = {.verdict = WEB_ENTERED};
    access->key.is_set = false;
    make_secret(&access->cookie, cookie);
    entry.cookie =
        arena_print(http_request_arena(request), "%s=%s; HttpOnly; SameSite=Strict; Path=/",
                    access->cookie_name, cookie);
    mem_wipe(cookie, sizeof(cookie));
    return entry;
}

struct web_entry web_access_enter(struct web_access *access, struct http_request *request,
                                  struct str key)
{
    if (is_secret(&access->key, key))
        return enter_with_key(access, request);
    if (key.len || !is_secret(&access->cookie, find_cookie(access, request)))
        return (struct web_entry){.verdict = WEB_REFUSED};
    if (!rate_limit_try(&access->rate))
        return (struct web_entry){.verdict = WEB_TOO_FAST};
    return (struct web_entry){.verdict = WEB_ADMITTED, .scope = {.is_all = true}};
}
