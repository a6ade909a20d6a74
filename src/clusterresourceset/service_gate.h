/*
 * The service gate: nothing is applied to a cluster older than v1.25 before its Service
 * default/kubernetes exists. Cluster API does the same: an object that takes the Service's IP
 * address would break the cluster.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/str.h"

struct client;

/* By the gitVersion of the server, "v1.24.17+k3s1". A version that cannot be read passes. */
bool service_gate_applies_to(struct str version);

/*
 * Makes a request only for a cluster that the gate applies to. The error names the cluster: "failed
 * to retrieve the Service for Kubernetes API Server of the cluster ns/name: …". Suspends.
 */
MUST_USE struct error *service_gate_check(struct client *client, struct str version,
                                          struct key cluster);
