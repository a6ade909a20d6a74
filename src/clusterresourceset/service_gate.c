#include "clusterresourceset/service_gate.h"

#include "apimachinery/gvk.h"
#include "client/client.h"
#include "clusterresourceset/server_version.h"

/* The first version the gate does not apply to. */
#define MAJOR 1
#define MINOR 25

bool service_gate_applies_to(struct str version)
{
    return server_version_is_before(version, MAJOR, MINOR);
}

/* Whether the Service exists is all that counts: the answer is not read. */
struct error *service_gate_check(struct client *client, struct str version, struct key cluster)
{
    if (!service_gate_applies_to(version))
        return NULL;
    TRY(client_get(client, GVR("", "v1", "services"), KEY("default", "kubernetes"), NULL, NULL),
        "failed to retrieve the Service for Kubernetes API Server of the cluster %.*s/%.*s",
        STR_ARG(cluster.namespace), STR_ARG(cluster.name));
    return NULL;
}
