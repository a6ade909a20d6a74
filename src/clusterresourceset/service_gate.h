/*
 * Clusters older than 1.25: nothing is applied to them before their Service default/kubernetes is
 * there.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/str.h"

struct client;

/* By a version as servers tell it: "v1.24.17+k3s1". One that cannot be read is not old. */
bool service_gate_applies_to(struct str version);

/*
 * Nothing is asked unless the server is old. The cluster is named in the error: "failed to retrieve
 * the Service for Kubernetes API Server of the cluster ns/name: …". Suspends.
 */
MUST_USE struct error *service_gate_check(struct client *client, struct str version,
                                          struct key cluster);
