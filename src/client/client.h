/*
 * A client of one Kubernetes API server: one set of verbs over objects of any kind.
 *
 * All fibers share a client. Every call returns its own outcome; an answer that is no success is an
 * error with the code, message and details of the server's Status. Options are structs whose zero
 * means the default. Results are objects of the caller's (OWNED(object)); pass NULL for those that
 * are not wanted.
 *
 *     OWNED(object) object = NULL;
 *     TRY(client_get(client, GVR_CONFIG_MAPS, KEY("default", "a"), NULL, &object));
 *
 * A request waits for its turn (rate_limit.h), then has its own limit of time, inside the fiber's
 * deadline. It is repeated where the server asks for it with Retry-After, and reads also when the
 * connection is lost; up to ten times. Reads follow redirects, without credentials once they lead
 * away from the server, and never from https to http.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/object_list.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "http/client.h"

struct client;
struct http_response;
struct loop;
struct metrics;
struct network;
struct rate_limit;
struct rest_config;
struct tls_context;

struct client_options {
    const struct rest_config *config; /* borrowed; outlives the client */
    struct network *network;
    struct tls_context *tls;
    struct str user_agent;   /* empty: "corset" */
    double qps, burst;       /* of each resource, discovery and raw requests apart; 0: 20 and 30 */
    duration timeout;        /* of one request; 0: 30 s. FOREVER: none */
    size_t answer_max;       /* bytes of one answer; 0: 256 MiB */
    struct metrics *metrics; /* rest_client_*; NULL for none */

    /* Called for each warning the server has put into headers; NULL: logged at level 2. */
    void (*warn)(void *data, struct str text);
    void *warn_data;

    /*
     * Asked right before a request that may change something goes out, repetitions included; NULL:
     * always. A no is ERROR_CANCELED. How a process that no longer leads is kept from writing, see
     * reconcile/leader.h.
     */
    bool (*may_write)(void *data);
    void *may_write_data;

    struct http_limits limits;
    struct http_timeouts timeouts;
    size_t connections; /* 0: as http/client.h has it */
    bool no_http2;      /* HTTP/1.1 alone is offered, until client_offer_http2() */
};

struct client *client_new(struct loop *loop, const struct client_options *options);

/* No call and no watch may be running. Suspends while a credential plugin is killed. */
void client_free(struct client *client);
DEFINE_OWNED(client)

/* "https://127.0.0.1:6443/prefix", for messages. */
struct str client_host(const struct client *client);

/*
 * From now on HTTP/2 is offered: one connection for any number of watches, at twice the memory of
 * an idle HTTP/1.1 connection.
 */
void client_offer_http2(struct client *client);

/* In which form objects come back. */
enum client_form {
    CLIENT_OBJECTS,
    CLIENT_METADATA, /* PartialObjectMetadata: metadata alone */
    CLIENT_TABLE,    /* as kubectl shows them */
};

struct client_get_options {
    struct str subresource; /* "status", "scale" */
    struct str resource_version;
    enum client_form form;
    duration timeout; /* 0: the client's */
    bool no_retry;    /* one try: whoever calls comes again on its own */
};

MUST_USE struct error *client_get(struct client *client, struct gvr gvr, struct key key,
                                  const struct client_get_options *options,
                                  struct object **ret_object);

struct client_list_options {
    struct str label_selector, field_selector;
    struct str resource_version, resource_version_match;
    int64_t
        limit; /* objects in a page; 0: 500 for client_list_each(), none for a page; < 0: none */
    struct str continue_token; /* client_list_page() alone */
    enum client_form form;
    duration timeout; /* of each page; 0: the client's */
};

/* One page. An empty namespace lists all of them. The arena holds the items. */
MUST_USE struct error *client_list_page(struct client *client, struct gvr gvr, struct str namespace,
                                        const struct client_list_options *options,
                                        struct arena *arena, struct object_list *ret_list);

/*
 * Every page: each is called for each object, in order; what it keeps it takes a reference to. When
 * the list has grown too old in the middle (410), restart() is called and it begins anew. The
 * version of the list is copied into version.
 */
struct client_list_sink {
    struct error *(*each)(void *data, struct object *object);
    void (*restart)(void *data);
    void *data;
};
MUST_USE struct error *client_list_each(struct client *client, struct gvr gvr, struct str namespace,
                                        const struct client_list_options *options,
                                        const struct client_list_sink *sink, struct buf *version);

struct client_write_options {
    struct str subresource;
    struct str field_manager;    /* empty: the server takes it from the user agent */
    struct str field_validation; /* "Ignore", "Warn", "Strict" */
    bool dry_run;
    bool force; /* apply alone: take fields over from other managers */
    duration timeout;
    bool no_retry;
};

/* The object says where it belongs: its namespace, and for the others its name. */
MUST_USE struct error *client_create(struct client *client, struct gvr gvr,
                                     const struct object *object,
                                     const struct client_write_options *options,
                                     struct object **ret_object);
MUST_USE struct error *client_update(struct client *client, struct gvr gvr,
                                     const struct object *object,
                                     const struct client_write_options *options,
                                     struct object **ret_object);

/* Server-side apply; field_manager is required. */
MUST_USE struct error *client_apply(struct client *client, struct gvr gvr,
                                    const struct object *object,
                                    const struct client_write_options *options,
                                    struct object **ret_object);

enum client_patch_type {
    CLIENT_PATCH_MERGE,
    CLIENT_PATCH_JSON,
    CLIENT_PATCH_STRATEGIC,
    CLIENT_PATCH_APPLY,
};

MUST_USE struct error *client_patch(struct client *client, struct gvr gvr, struct key key,
                                    enum client_patch_type type, struct str body,
                                    const struct client_write_options *options,
                                    struct object **ret_object);

struct client_delete_options {
    struct str uid, resource_version; /* preconditions */
    struct str propagation_policy;    /* "Background", "Foreground", "Orphan" */
    bool has_grace_period;
    int64_t grace_period_seconds;
    bool dry_run;
    duration timeout;
    bool no_retry;
};

/* ret_object is the object when something still holds it, and NULL when it is gone. */
MUST_USE struct error *client_delete(struct client *client, struct gvr gvr, struct key key,
                                     const struct client_delete_options *options,
                                     struct object **ret_object);

/* A request that is no verb on a resource: probes, discovery, /version. */
struct client_raw_request {
    struct str method; /* empty: GET */
    struct str path;   /* "/readyz", below the server's prefix */
    struct str query;  /* escaped; timeout is added */
    struct str accept; /* empty: "application/json" */
    struct str content_type, body;
    struct str if_none_match;
    struct rate_limit *rate_limit; /* NULL: the one all raw requests share */
    duration timeout;
    bool no_retry;
};

struct client_raw_answer {
    int status;
    struct str content_type, etag; /* in the arena */
};

/* Appends the body, up to its limit. Any answer of 200 to 299, and 304, is a success. */
MUST_USE struct error *client_raw(struct client *client, const struct client_raw_request *request,
                                  struct arena *arena, struct buf *body,
                                  struct client_raw_answer *ret_answer);
