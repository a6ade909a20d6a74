/*
 * The embedded API server: one main API and any number of virtual clusters behind one address.
 *
 *     https://host:port/...                    the main API
 *     https://host:port/clusters/<name>/...    a virtual cluster: a whole API of its own, in memory
 *
 * TLS always. Whoever has no credentials gets health and version and nothing else.
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
struct json_doc;
struct loop;
struct network;

struct apiserver_options {
    struct network *network;
    struct str host;         /* to listen on; names and addresses of this machine are known */
    uint16_t port;           /* 0: any; see apiserver_port() */
    const char *folder;      /* where everything is kept; NULL: in memory */
    size_t virtual_clusters; /* named vc-0001 and so on */
    struct fault_injection
        faults; /* for all virtual clusters; changed at run time by PUT /debug/inject */

    /* Of the main API: kinds that know more than their definitions, and definitions it begins with.
     */
    struct crd_webhooks_table webhooks;
    const struct str *definitions; /* in YAML; one that is there is left alone unless it is ours */
    size_t definition_count;

    /* Limits; 0 means the default. */

    /* Under way at a time, watches apart; 0: 1000. More are told to come again. Each virtual
     * cluster adds two.
     */
    size_t requests;
    size_t watches_per_user; /* 20,000 */
    size_t connections;      /* 20,000 */
    size_t history_events;   /* of a watch, see store_options */
    duration history_age;
};

/* Serves when this has returned. Suspends. */
MUST_USE struct error *apiserver_new(struct loop *loop, const struct apiserver_options *options,
                                     struct apiserver **ret_server);

/* Ends watches and waits for requests; the caller's deadline bounds it. Suspends. */
MUST_USE struct error *apiserver_drain(struct apiserver *server);

/* Suspends until what was acknowledged is safe, which it is, and everything is closed. */
void apiserver_free(struct apiserver *server);
DEFINE_OWNED(apiserver)

/*
 * An object of the main API, by the process itself and not by a user: made, or given the members it
 * lacks. Nothing is checked. Suspends until it is durable; many at once share a commit.
 */
MUST_USE struct error *apiserver_put(struct apiserver *server, struct json_doc *doc);

/* The same for one that is there, as a merge patch; nothing happens otherwise. */
MUST_USE struct error *apiserver_amend(struct apiserver *server, struct json_doc *doc);

uint16_t apiserver_port(const struct apiserver *server);
struct str apiserver_authority(const struct apiserver *server);         /* certificate, PEM */
struct str apiserver_admin_certificate(const struct apiserver *server); /* PEM */
struct str apiserver_admin_key(const struct apiserver *server);         /* PEM, secret */

/* Virtual clusters by number, from 0. */
size_t apiserver_cluster_count(const struct apiserver *server);
struct str apiserver_cluster_name(const struct apiserver *server, size_t index);
void apiserver_cluster_token(const struct apiserver *server, size_t index, struct buf *out);
