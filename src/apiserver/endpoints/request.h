/*
 * A request as the API understands it: a user asks for a verb on a resource, or for a path that is
 * no resource.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apiserver/auth/auth.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "http/query.h"
#include "json/json.h"

struct api;
struct virtual_cluster_visit;
struct inflight_limits_pass;
struct http_request;
struct kind;

enum verb {
    VERB_NONE, /* a method that no resource has: HEAD, OPTIONS, ... */
    VERB_GET,
    VERB_LIST,
    VERB_WATCH,
    VERB_CREATE,
    VERB_UPDATE,
    VERB_PATCH,
    VERB_DELETE,
    VERB_DELETECOLLECTION,
};

struct str verb_name(enum verb verb);

struct request {
    struct http_request *http;
    struct arena *arena; /* lives as long as the request */
    struct api *api;
    struct virtual_cluster_visit *visit; /* NULL on the main API */
    struct inflight_limits_pass *pass;   /* its place in the limits; NULL: no limits */
    struct user_info user;
    timestamp now;

    struct str method;
    struct str path; /* unescaped, below the prefix of a virtual cluster */
    struct query query;

    bool is_resource; /* a path below /api/<version>/ or /apis/<group>/<version>/ */
    enum verb verb;
    struct gvr gvr;
    struct str namespace, subresource;
    struct str name;          /* of a watch: the object of an old watch path */
    struct str selected_name; /* the one that the field selector of a list or watch admits */

    const struct kind *kind;         /* NULL: no such resource */
    const struct quota_claim *quota; /* of a write; NULL: none */
    struct json_warnings warnings;   /* for the headers of the response */
    uint64_t interruptions;          /* of the API's watches, when the user was identified */
};

/*
 * ERROR_NO_SUCH_PATH: nothing is served at the path. The answer is a page of plain text instead of
 * a Status, because the path names no object.
 */
MUST_USE struct error *request_no_such_path(void);

/*
 * Reads method and target ("/path?query") into all fields but user, kind and api.
 * ERROR_NO_SUCH_PATH for ambiguous paths: empty segments, dots, NUL, broken escapes.
 */
MUST_USE struct error *request_read(struct request *request, struct str method, struct str target);

/*
 * The key of an object of the request's kind: in the request's namespace, or in none if the kind
 * has no namespaces. The kind must be known.
 */
struct key request_key(const struct request *request, struct str name);

/* The attributes to authorize before the request is served. */
struct rbac_attributes request_attributes(const struct request *request);
