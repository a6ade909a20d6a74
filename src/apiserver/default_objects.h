/*
 * Objects that users expect in every cluster without creating them: the ServiceAccount "default"
 * and the ConfigMap "kube-root-ca.crt" of each namespace, and the Service "kubernetes" of the
 * namespace default.
 *
 * In Kubernetes, controllers make these objects when a namespace is created. Here a request makes
 * an object when it asks for the object by name. A list of Services also makes the Service. Clients
 * that need the objects ask by name. An empty namespace stores nothing, because a process may have
 * thousands of virtual clusters.
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
