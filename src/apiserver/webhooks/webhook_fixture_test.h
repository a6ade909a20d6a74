/*
 * An API server and a server of webhooks, over the simulated network. What a webhook does is in the
 * path that it is called at; see answers in webhook_fixture_test.c. Texts of JSON are written with
 * single quotes.
 */
#pragma once

#include "apiserver/apiserver_fixture_test.h"
#include "async/event.h"

#define WEBHOOK_FIXTURE_HOST "10.1.2.3"
#define WEBHOOK_FIXTURE_PORT 8443

struct webhook_fixture {
    struct apiserver_fixture server;
    struct tls_server *tls;
    struct http_server *http, *misnamed; /* the second at other.test, which its certificate lacks */
    struct buf authority;                /* in base64 */
    struct arena arena;

    struct buf calls;        /* the paths that were asked, "/allow /deny" */
    struct json_doc *review; /* the last one */
    struct event release;    /* ends the calls of /hold */
    size_t held;             /* calls of /hold, and of /convert with that fault, that wait */

    /* Of /convert; see conversion_fixture_test.c. */
    const char *fault; /* NULL: the webhook answers well */
    size_t reviews;    /* that were asked */
    size_t converted;  /* objects that were in them */
};

/* Starts the server of webhooks; the test starts the API server. Suspends. */
MUST_USE struct error *webhook_fixture_init(struct webhook_fixture *fixture);
void webhook_fixture_done(struct webhook_fixture *fixture);

/* With double quotes instead of single ones. */
const char *webhook_fixture_json(struct webhook_fixture *fixture, const char *text);

/*
 * Creates a configuration, "Validating" or "Mutating", with one webhook <name>.test.io about
 * ConfigMaps. more is further members, such as 'timeoutSeconds':1, and may be empty.
 */
void webhook_fixture_configure(struct webhook_fixture *fixture, const char *type, const char *name,
                               const char *path, const char *more);

MUST_USE struct error *webhook_fixture_try_configure(struct webhook_fixture *fixture,
                                                     const char *type, const char *name,
                                                     const char *path, const char *more,
                                                     int *ret_status);

/* The status of a request; its body has single quotes. */
int webhook_fixture_call(struct webhook_fixture *fixture, const char *method, const char *target,
                         const char *body);

/* Waits until so many calls are held. */
void webhook_fixture_await_held(const struct webhook_fixture *fixture, size_t count);

/* A text of the last review. */
struct str webhook_fixture_reviewed(const struct webhook_fixture *fixture, const char *path);
