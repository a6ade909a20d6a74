/*
 * /debug/inject: the faults of virtual clusters, read and changed while the server runs.
 *
 *     GET /debug/inject[?cluster=vc-0001]
 *     PUT /debug/inject[?cluster=vc-0001]      latency=20ms,error=0.01
 *     DELETE /debug/inject[?cluster=vc-0001]
 *
 * Without a cluster it is about all that have no faults of their own. An empty body is no faults.
 * DELETE gives a cluster the faults of all back; without one it ends all faults everywhere.
 *
 * Only on the main API, and only for those who may use the path: the admin.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/endpoints/request.h"
#include "base/error.h"

struct virtual_clusters;

bool debug_is_path(const struct request *request);
MUST_USE struct error *debug_serve(struct virtual_clusters *clusters, struct request *request);
