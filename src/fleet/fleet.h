/*
 * One endpoint for all clusters: the connections of the ClusterCache, for callers in any language.
 *
 *     P = /apis/fleet.corset.dev/v1alpha1
 *     P/namespaces/NS/clusters/NAME/proxy/...    the API of one cluster, as it is
 *     P/fleet/...                                the same reading request to all clusters
 *
 * The module serves requests whose user is known: the embedded API server, or a server behind
 * kube-apiserver, says who asks. What the user may do is asked of an authorizer. On the workload
 * cluster a request acts as the user, by impersonation, so that the RBAC of the cluster decides;
 * or, with own_identity, with the rights of the kubeconfig, and then reads only and no Secrets.
 *
 * docs/fleet.md is the manual.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "client/kubeconfig/kubeconfig.h"
#include "fleet/fleet_path.h"
#include "fleet/fleet_reply.h"

struct clustercache;
struct fleet;
struct http_request;
struct loop;
struct metrics;

/* Whether a user may use "clusters/proxy" of fleet.corset.dev. Empty: all namespaces, all names. */
struct fleet_attributes {
    struct str verb, namespace, name;
};

struct fleet_authorizer {
    /* May suspend. NULL: everything is allowed, for a process that asks for itself. */
    struct error *(*decide)(void *data, const struct rest_impersonation *user,
                            const struct fleet_attributes *attributes, bool *ret_allowed);
    void *data;
};

/* Zero means the default, which is named first. */
struct fleet_options {
    struct clustercache *clusters; /* required; outlives the fleet */
    struct metrics *metrics;       /* none */
    struct fleet_authorizer authorizer;
    size_t concurrency;        /* 512: requests to single clusters, and the window of a question */
    size_t memory;             /* 64 MiB: what answers hold that are ahead of their turn */
    bool own_identity;         /* no impersonation */
    bool (*leads)(void *data); /* always; a process that does not lead answers 503 */
    void *leads_data;
};

#define FLEET_CONCURRENCY      512
#define FLEET_QUESTIONS        64 /* to all clusters at a time */
#define FLEET_QUESTIONS_BY_ONE 8  /* of one user */

struct fleet *fleet_new(struct loop *loop, const struct fleet_options *options);

/* Ends the requests that are under way. The ClusterCache must still be there. Suspends. */
void fleet_free(struct fleet *fleet);
DEFINE_OWNED(fleet)

/* A request below the group of this API; see fleet_path_is_ours(). */
struct fleet_request {
    struct http_request *http;
    struct arena *arena;
    struct str target;
    struct rest_impersonation user;
    bool may_impersonate; /* Impersonate-* headers were obeyed before; else they are refused */
};

/* Sends the response. An error breaks it off, or could not be sent any more. Suspends. */
MUST_USE struct error *fleet_serve(struct fleet *fleet, const struct fleet_request *request);

/*
 * The question behind P/fleet, for a process that asks for itself: target is
 * "/api/v1/nodes?limit=1". Nothing is authorized here, and clusters decide by their kubeconfigs.
 * Suspends.
 */
MUST_USE struct error *fleet_ask(struct fleet *fleet, struct arena *arena, struct str target,
                                 struct str accept, struct fleet_reply *reply);
