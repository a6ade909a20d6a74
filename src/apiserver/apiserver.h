/*
 * The embedded API server: one main API and any number of virtual clusters behind one address.
 *
 *     https://host:port/...                    the main API
 *     https://host:port/clusters/<name>/...    a virtual cluster: a whole API of its own, in memory
 *
 *     https://host:port/metrics                numbers about the main API and the process
 *
 * Always with TLS. Anonymous requests get health and version and nothing else.
 */
#pragma once

#include <stdint.h>

#include "apiserver/crd/crd_webhooks.h"
#include "apiserver/virtual/fault_injection.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct api;
struct apiserver;
struct extension;
struct json_doc;
struct loop;
struct network;

struct apiserver_options {
    struct network *network;
    struct str host;               /* to listen on: a name or address of this machine */
    uint16_t port;                 /* 0: any; see apiserver_port() */
    const char *folder;            /* for data and keys; NULL: everything is in memory */
    bool accept_loss;              /* start without acknowledged writes that are missing */
    size_t virtual_clusters;       /* named vc-0001 and so on */
    struct fault_injection faults; /* of all virtual clusters; PUT /debug/inject changes them */

    /*
     * The networks by which webhooks are called: of the main API and of virtual clusters,
     * whose administrators are strangers. NULL: webhooks cannot be called.
     */
    struct network *webhook_network, *cluster_webhook_network;

    /* Of the main API: definitions it begins with, and code that belongs to custom kinds. */
    struct crd_webhooks_table webhooks;
    const struct str *definitions; /* in YAML; see crd_registry_install() */
    size_t definition_count;

    /* Limits; 0 means the default. */

    /* Requests in flight, without watches; 0: 1000. More get 429. Each virtual cluster adds two. */
    size_t requests;
    size_t watches_per_user;     /* 20,000 */
    size_t connections;          /* 20,000 */
    size_t history_events;       /* of a watch, see store_options */
    duration history_age;        /* and the interval of compaction */
    duration max_token_lifetime; /* of tokens of ServiceAccounts: 24 h */

    /*
     * Bytes of objects, those of virtual clusters included: half of the memory that the process may
     * use, at most 2 GiB. All virtual clusters together may hold half of it, one a tenth.
     */
    int64_t storage;
};

/* The server accepts requests when this returns. Suspends. */
MUST_USE struct error *apiserver_new(struct loop *loop, const struct apiserver_options *options,
                                     struct apiserver **ret_server);

/* Ends watches and waits for requests; the caller's deadline limits it. Suspends. */
MUST_USE struct error *apiserver_drain(struct apiserver *server);

/* Suspends until everything is closed. Acknowledged writes are durable already. */
void apiserver_free(struct apiserver *server);
DEFINE_OWNED(apiserver)

/*
 * An API of its own below /apis/<group> of the main API, which another module serves; see
 * endpoints/extension.h. Copied. NULL: there is none any more; requests that are under way must
 * have ended by then.
 */
void apiserver_extend(struct apiserver *server, const struct extension *extension);

/*
 * Creates or merge-patches an object of the main API on behalf of the process, not of a user.
 * Nothing is validated. Suspends until the object is durable; concurrent calls share a commit.
 */
MUST_USE struct error *apiserver_put(struct apiserver *server, struct json_doc *doc);

/* The same as a merge patch of an existing object; does nothing when there is none. */
MUST_USE struct error *apiserver_amend(struct apiserver *server, struct json_doc *doc);

/*
 * Called on a fiber after credentials have changed. May suspend. After an error, which is logged,
 * it is called again.
 */
typedef struct error *credentials_changed_fn(void *data);

/*
 * Renews certificates for as long as the server runs, takes credentials that were rotated in its
 * folder, and tells so. Without it they end at their time. changed may be NULL. To be called once.
 * From then on the server also makes backups of its folder when it is asked to; see
 * folder_backup.h.
 */
void apiserver_keep_credentials(struct apiserver *server, credentials_changed_fn *changed,
                                void *data);

uint16_t apiserver_port(const struct apiserver *server);
struct str apiserver_authority(const struct apiserver *server);         /* certificate, PEM */
struct str apiserver_admin_certificate(const struct apiserver *server); /* PEM */
struct str apiserver_admin_key(const struct apiserver *server);         /* PEM, secret */

/* Virtual clusters by number, from 0. */
size_t apiserver_cluster_count(const struct apiserver *server);
struct str apiserver_cluster_name(const struct apiserver *server, size_t index);
void apiserver_cluster_token(const struct apiserver *server, size_t index, struct buf *out);
