/*
 * Who may see the pages.
 *
 * Locally the address that is printed has a key of 128 bits. It works once and becomes a cookie;
 * every other request without the cookie is refused. Secrets are kept as hashes alone.
 *
 * A session may ask ten times a second, and forty times at once.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "web/web_view.h"

struct http_request;
struct loop;
struct web_access;

#define WEB_KEY_LEN 32 /* hexadecimal digits */

enum web_verdict {
    WEB_ADMITTED,
    WEB_ENTERED,  /* the key was right: a cookie, and the address without it */
    WEB_REFUSED,  /* 403 */
    WEB_TOO_FAST, /* 429 */
};

/* Texts are in the arena of the request. */
struct web_entry {
    enum web_verdict verdict;
    struct web_scope scope;
    struct str cookie; /* the value of Set-Cookie */
};

/* For one user of this machine. ret_key is the key in the address. */
struct web_access *web_access_new_local(struct loop *loop, char ret_key[static WEB_KEY_LEN + 1]);
void web_access_free(struct web_access *access);
DEFINE_OWNED(web_access)

/* The port is in the name of the cookie, since browsers do not tell ports of a host apart. */
void web_access_use_port(struct web_access *access, uint16_t port);

/* key is that of the address, or empty. Does not suspend. */
struct web_entry web_access_enter(struct web_access *access, struct http_request *request,
                                  struct str key);
