/*
 * The address behind a Service: that of one of its endpoints, as the cluster's own objects name
 * them.
 *
 * EndpointSlices of the Service come first, then its Endpoints. Addresses that are not ready do not
 * count. There is no kube-proxy where the server runs, so that the clusterIP leads nowhere.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct api;

struct webhook_address {
    struct str host;
    uint16_t port;
};

/*
 * The errors are in the words of kube-apiserver. One of several addresses is drawn. Texts are in
 * the arena.
 */
MUST_USE struct error *webhook_service_resolve(struct api *api, struct arena *arena,
                                               struct str namespace, struct str name, uint16_t port,
                                               struct webhook_address *ret_address);
