/*
 * An embedded API server on a network of its own, in virtual time, and a test that speaks to it
 * directly, as admin of it and of its virtual clusters.
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

#define DESK_HOST STR("server.test")

struct desk {
    struct network *network;
    struct tls_context *tls;
    struct tls_trust *trust;
    struct tls_identity *admin;
    struct apiserver *server;
    struct http_client *direct;

    /* Of the last call. */
    struct buf answer;
    struct json_doc *doc; /* NULL: it was no JSON */
};

/* Network and host are filled in. Suspends. */
void desk_init(struct desk *desk, const struct apiserver_options *options);

/* Nobody else uses the network any more. Suspends. */
void desk_done(struct desk *desk);

/* The status; PATCH is a merge patch. The body may be NULL, or what the last answer holds. */
int desk_call(struct desk *desk, const char *method, const char *target, const char *body);

/* As above; fails the test unless it succeeds. */
void desk_do(struct desk *desk, const char *method, const char *target, const char *body);

/* Text, or JSON, at a path of an object; empty when it is not there. In the desk's answer. */
struct str desk_look(struct desk *desk, const char *target, const char *path);

/* Replaces the answer; the text may be a part of it. */
struct str desk_keep(struct desk *desk, struct str text);
