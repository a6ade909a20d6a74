/*
 * /debug/inject: the faults of virtual clusters, read and changed while the server runs.
 *
 *     GET /debug/inject[?cluster=vc-0001]
 *     PUT /debug/inject[?cluster=vc-0001]      latency=20ms,error=0.01
 *     DELETE /debug/inject[?cluster=vc-0001]
 *
 * Without a cluster the request is about all clusters without their own faults. An empty body means
 * no faults. DELETE gives a cluster the common faults back; without a cluster it removes all
 * faults.
 *
 * Served on the main API only, to users who are authorized for the path: the admin.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/endpoints/request.h"
#include "base/error.h"

struct virtual_clusters;

bool debug_is_path(const struct request *request);
MUST_USE struct error *debug_serve(struct virtual_clusters *clusters, struct request *request);
