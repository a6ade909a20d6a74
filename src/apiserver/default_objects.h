/*
 * Objects that every cluster has and nobody creates: the ServiceAccount "default" and the ConfigMap
 * "kube-root-ca.crt" of each namespace, and the Service "kubernetes" of the namespace default.
 *
 * In Kubernetes controllers make them as soon as there is a namespace. Here a request makes them
 * that asks for them by their names, or that lists Services where the Service has to be. Clients
 * that need them do ask by name, and a namespace of which nobody asks costs nothing: a process may
 * have thousands of clusters.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct request;

/* What these objects tell of the server; it outlives the API. */
struct default_objects {
    const struct buf *authority; /* certificates to verify the server with; they may be replaced */
    uint16_t port;
};

/*
 * Makes the objects that a request of a known kind is about, if they are missing; mends the
 * certificates. Does nothing where the API has no struct default_objects. Suspends.
 */
MUST_USE struct error *default_objects_ensure(const struct request *request);
