/*
 * A client of one Kubernetes API server: the verbs of the API over objects of any kind.
 *
 * Any number of fibers may use a client at the same time. An answer that is not a success becomes
 * an error with the code, the message and the details of the server's Status. Options are structs
 * whose zero value means the default; NULL means all defaults. Returned objects belong to the
 * caller (OWNED(object)). A ret_object may be NULL if the object is not needed.
 *
 *     OWNED(object) object = NULL;
 *     TRY(client_get(client, GVR_CONFIG_MAPS, KEY("default", "a"), NULL, &object));
 *
 * A request first waits for the client-side rate limit (rate_limit.h). Then it has its own timeout
 * inside the deadline of the fiber. It is repeated up to ten times: any verb when the server sends
 * Retry-After, reads also when the connection is lost. Reads follow redirects, but never from https
 * to http. Credentials are not sent to any other server. All verbs suspend.
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

struct answer_pool;
struct client;
struct http_response;
struct json_doc;
struct loop;
struct metrics;
struct network;
struct proxy_environment;
struct rate_limit;
struct rest_config;
struct rest_impersonation;
struct tls_context;

struct client_options {
    const struct rest_config *config; /* borrowed; outlives the client */
    struct network *network;
    struct tls_context *tls;
    const struct proxy_environment *proxies; /* outlives the client; NULL: config's proxy alone */
    struct str user_agent;                   /* empty: "corset" */
    double qps, burst;           /* for each resource, and for all raw requests; 0: 20 and 30 */
    duration timeout;            /* of one request; 0: 30 s, FOREVER: none */
    size_t answer_max;           /* bytes of one response; 0: 256 MiB */
    size_t page_max;             /* bytes of one page of a list; 0: answer_max */
    struct answer_pool *answers; /* what responses of several clients share; NULL: nothing */
    struct metrics *metrics;     /* rest_client_*; NULL for none */
    struct str
        metrics_host; /* a constant, their label "host"; empty: host and port of the server */

    /* Called for each Warning header of a response; NULL: warnings are logged at level 2. */
    void (*warn)(void *data, struct str text);
    void *warn_data;

    /*
     * Called right before each request that may change something is sent, repetitions included. If
     * it returns false the request fails with ERROR_CANCELED. NULL: every request may be sent. This
     * keeps a process from writing that is no longer the leader; see controller/leader.h.
     */
    bool (*may_write)(void *data);
    void *may_write_data;

    struct http_limits limits;
    struct http_timeouts timeouts;
    size_t connections; /* 0: as http/client.h has it */
    bool no_http2;      /* HTTP/1.1 alone is offered, until client_offer_http2() */
};

struct client *client_new(struct loop *loop, const struct client_options *options);

/* No call and no watch may be running. Suspends until a running credential plugin is killed. */
void client_free(struct client *client);
DEFINE_OWNED(client)

/* The URL of the server, such as "https://127.0.0.1:6443/prefix", for messages. */
struct str client_host(const struct client *client);

/*
 * Suspends until the server has answered any request of this client, other than with 429 or a
 * status of 500 and above. ERROR_DEADLINE if there was none within the limit. For whoever pauses
 * because the server could not be reached.
 */
MUST_USE struct error *client_wait_answer(struct client *client, duration limit);

/* True while somebody is in client_wait_answer(). */
bool client_is_awaited(const struct client *client);

/*
 * Makes new connections offer HTTP/2, which no_http2 had turned off. HTTP/2 needs one connection
 * for any number of watches, but an idle connection takes twice the memory of an HTTP/1.1
 * connection.
 */
void client_offer_http2(struct client *client);

/* Whether the server speaks HTTP/2, as far as it was asked. */
bool client_speaks_http2(const struct client *client);

/*
 * Connections made to the server so far. As long as it stays, so does the server that answers:
 * another one takes another connection.
 */
uint64_t client_dial_count(const struct client *client);

/* The representation of objects in responses. */
enum client_form {
    CLIENT_OBJECTS,
    CLIENT_METADATA, /* PartialObjectMetadata */
    CLIENT_TABLE,    /* Table, as "kubectl get" shows it */
};

struct client_get_options {
    struct str subresource; /* "status", "scale" */
    struct str resource_version;
    enum client_form form;
    duration timeout; /* 0: the client's */
    bool no_retry;    /* send once; for callers that repeat the call themselves */
};

MUST_USE struct error *client_get(struct client *client, struct gvr gvr, struct key key,
                                  const struct client_get_options *options,
                                  struct object **ret_object);

struct client_list_options {
    struct str label_selector, field_selector;
    struct str resource_version, resource_version_match;
    /* Objects per page. 0: 500 for client_list_each(), no limit for client_list_page(). Below 0: no
     * limit. */
    int64_t limit;
    struct str continue_token; /* for client_list_page() only */
    enum client_form form;
    duration timeout; /* of each page; 0: the client's */
};

/* Reads one page. An empty namespace means all namespaces. The items live in the arena. */
MUST_USE struct error *client_list_page(struct client *client, struct gvr gvr, struct str namespace,
                                        const struct client_list_options *options,
                                        struct arena *arena, struct object_list *ret_list);

/*
 * Reads every page and calls each() for every object, in order. each() borrows the object. If the
 * continue token has expired (410), restart() is called and the list begins anew: objects that were
 * passed to each() before must be dropped then. *version becomes the resourceVersion of the list.
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
    struct str field_manager;    /* empty: the server derives it from the user agent */
    struct str field_validation; /* "Ignore", "Warn", "Strict" */
    bool dry_run;
    bool force; /* for apply only: take fields over from other managers */
    duration timeout;
    bool no_retry;
};

/* The path is made from the metadata of the object. */
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

/* *ret_object is the object if finalizers or a grace period keep it, and NULL if it is deleted. */
MUST_USE struct error *client_delete(struct client *client, struct gvr gvr, struct key key,
                                     const struct client_delete_options *options,
                                     struct object **ret_object);

/*
 * A request whose response the caller reads as it comes, whatever its status, for proxies and
 * streams. It is sent once, without a timeout of its own, and redirects are not followed.
 */
struct client_stream_request {
    struct str method;                  /* empty: GET */
    struct str path;                    /* below the server's prefix */
    struct str query;                   /* already escaped */
    const struct http_headers *headers; /* all but User-Agent and credentials */
    struct str agent;                   /* behind the user agent of the client; may be empty */
    struct str body;
    const struct rest_impersonation *as; /* NULL: as the config says */
    bool keeps_encoding;                 /* a compressed body is not inflated */
    struct rate_limit *rate_limit;       /* NULL: none */
};

/* Suspends until the head of the response has arrived. */
MUST_USE struct error *client_stream(struct client *client,
                                     const struct client_stream_request *request,
                                     struct http_response **ret_response);

/* A request without a verb on a resource: probes, discovery, reviews, /version. */
struct client_raw_request {
    struct str method; /* empty: GET */
    struct str path;   /* "/readyz", below the server's prefix */
    struct str query;  /* already escaped; "timeout" is added */
    struct str accept; /* empty: "application/json" */
    struct str content_type, body;
    struct str if_none_match;
    struct rate_limit *rate_limit; /* NULL: the limit that all raw requests share */
    duration timeout;
    bool no_retry;
};

struct client_raw_answer {
    int status;
    struct str content_type, etag; /* in the arena */
};

/* Appends the body of the response, up to body->limit. 200 to 299 and 304 are successes. */
MUST_USE struct error *client_raw(struct client *client, const struct client_raw_request *request,
                                  struct arena *arena, struct buf *body,
                                  struct client_raw_answer *ret_answer);

/* The same with the body parsed. A body of more than limit bytes is ERROR_TOO_LARGE. */
MUST_USE struct error *client_raw_json(struct client *client,
                                       const struct client_raw_request *request, size_t limit,
                                       struct arena *arena, struct client_raw_answer *ret_answer,
                                       struct json_doc **ret_doc);
