/*
 * Discovery over all clusters: the union of what they serve, each group, version and resource once,
 * as the first cluster that serves it describes it.
 */
#pragma once

#include "fleet/fleet_list.h"

/* Sends the answer to /api, /apis, /apis/GROUP, /api/VERSION or /apis/GROUP/VERSION. Suspends. */
MUST_USE struct error *fleet_discovery_serve(const struct fleet_asker *asker,
                                             const struct fleet_path *path,
                                             const struct fleet_question *question,
                                             struct fleet_reply *reply,
                                             struct fleet_outcome *outcome);

/* Appends the APIResourceList of this API itself, and its APIGroup. */
void fleet_discovery_write_own(struct buf *out);
void fleet_discovery_write_group(struct buf *out);
