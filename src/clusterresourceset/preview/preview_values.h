/* Sets whose objects have values of the Cluster in them, for one cluster. Pure. */
#pragma once

#include "apimachinery/object.h"
#include "base/arena.h"
#include "clusterresourceset/preview/preview_cluster.h"

/*
 * The set as this Cluster, read as a whole, would get it: in the arena, or the set itself if all
 * clusters get the same. A value that cannot be put in is a problem of the set there.
 */
const struct preview_set *preview_values_fill(const struct preview_set *set,
                                              const struct object *cluster, struct arena *arena);
