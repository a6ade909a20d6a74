/*
 * The server fixture of the scenarios: an embedded API server on a simulated network, and a client
 * that calls it directly, as the admin of the main API and of its virtual clusters.
 */
#pragma once

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/json.h"

struct http_client;
struct network;
struct tls_context;
struct tls_identity;
struct tls_trust;

#define APISERVER_FIXTURE_HOST STR("server.test")

struct apiserver_fixture {
    struct network *network;
    struct tls_context *tls;
    struct tls_trust *trust;
    struct tls_identity *admin;
    struct apiserver *server;
    struct http_client *direct;

    /* The answer to the last call. */
    struct buf answer;
    struct json_doc *doc; /* NULL: the answer was no JSON */
};

/* Network and host of the options are set here. Suspends. */
void apiserver_fixture_init(struct apiserver_fixture *fixture,
                            const struct apiserver_options *options);

/* All other users of the network must be gone. Waits until its connections are closed. Suspends. */
void apiserver_fixture_done(struct apiserver_fixture *fixture);

/* Returns the status. PATCH is a merge patch. The body may be NULL, or text in the last answer. */
int apiserver_fixture_call(struct apiserver_fixture *fixture, const char *method,
                           const char *target, const char *body);

/* The same; fails the test unless the status is 2xx. */
void apiserver_fixture_do(struct apiserver_fixture *fixture, const char *method, const char *target,
                          const char *body);

/* The text or JSON at a path of an object; empty if absent. It is kept in the answer. */
struct str apiserver_fixture_look(struct apiserver_fixture *fixture, const char *target,
                                  const char *path);

/* Replaces the answer by a text, which may be a part of it. */
struct str apiserver_fixture_keep(struct apiserver_fixture *fixture, struct str text);
