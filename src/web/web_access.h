/*
 * Who may see the pages.
 *
 * Locally the address that is printed has a key of 128 bits. It works once and becomes a cookie;
 * every other request without the cookie is refused.
 *
 * In a cluster a bearer token is asked for, in the header Authorization or once in a form, which
 * makes a session of eight hours. A TokenReview finds its user, and SubjectAccessReviews find the
 * namespaces in which that user may list ClusterResourceSets: those are shown. They are remembered
 * for ten seconds.
 *
 * Secrets are kept as hashes alone. A session may ask ten times a second, and forty times at once.
 * After five wrong tokens a minute the address that showed them is not listened to.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "web/web_view.h"

struct client;
struct http_request;
struct loop;
struct web_access;
struct web_source;

#define WEB_KEY_LEN 32 /* hexadecimal digits */

enum web_verdict {
    WEB_ADMITTED,
    WEB_ENTERED,   /* the key or the token was right: a cookie, and on to the overview */
    WEB_REFUSED,   /* 403: no cookie */
    WEB_FORBIDDEN, /* 403: a user who may see no namespace */
    WEB_UNKNOWN,   /* a token is needed, or another one */
    WEB_TOO_FAST,  /* 429 */
};

/* Texts are in the arena of the request. */
struct web_entry {
    enum web_verdict verdict;
    struct web_scope scope;
    struct str cookie; /* the value of Set-Cookie */
};

/* For one user of this machine. ret_key is the key in the address. */
struct web_access *web_access_new_local(struct loop *loop, char ret_key[static WEB_KEY_LEN + 1]);

/* For users with tokens of the cluster that the client speaks to. */
struct web_access *web_access_new_tokens(struct loop *loop, struct client *client);
void web_access_free(struct web_access *access);
DEFINE_OWNED(web_access)

/* Whether tokens are asked for. */
bool web_access_has_login(const struct web_access *access);

/* The port is in the name of the local cookie: browsers do not tell ports of a host apart. */
void web_access_use_port(struct web_access *access, uint16_t port);

/* key is that of the address, or empty. An error is one of a review. Suspends with tokens. */
MUST_USE struct error *web_access_enter(struct web_access *access, struct http_request *request,
                                        struct str key, const struct web_source *source,
                                        struct web_entry *ret_entry);

/* The form was sent. Suspends. */
MUST_USE struct error *web_access_login(struct web_access *access, struct http_request *request,
                                        struct str token, struct web_entry *ret_entry);
