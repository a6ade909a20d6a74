/* Registers clusters in the management cluster of a measurement. */
#pragma once

#include <stdint.h>

#include "base/str.h"

struct client;

struct registration {
    const char *name;   /* of the Cluster, in the namespace default */
    const char *labels; /* of the Cluster, the members of a JSON object */
    struct str kubeconfig;
    struct str host;
    uint16_t port;
};

/* Makes the Secret, and the Cluster with infrastructure and control plane. Suspends. */
void registration_make(struct client *client, const struct registration *registration);
