/*
 * One cluster: a request passed on over the connection of the ClusterCache, and its answer passed
 * back while it arrives.
 *
 * Only headers that describe the message go through, in both directions. A connection that breaks
 * in the middle breaks the answer, too.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "client/kubeconfig/kubeconfig.h"
#include "fleet/fleet_path.h"
#include "fleet/fleet_reply.h"

struct clustercache;
struct http_request;

struct fleet_proxy_request {
    struct clustercache *clusters;
    struct http_request *http;
    const struct fleet_path *path;
    const struct rest_impersonation *as; /* NULL: as the kubeconfig says */
};

/* ERROR_FORBIDDEN for what a request with the rights of the kubeconfig may not ask. */
MUST_USE struct error *fleet_proxy_check_own(struct str method, const struct fleet_path *path);

/* The request is authorized. Suspends. */
MUST_USE struct error *fleet_proxy_serve(const struct fleet_proxy_request *request,
                                         struct fleet_reply *reply);
