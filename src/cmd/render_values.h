/* corset render with values of a Cluster: reads the Cluster, and fills contents. */
#pragma once

#include "apimachinery/object.h"
#include "clusterresourceset/types/content.h"
#include "cmd/global_flags.h"

/*
 * name is NAMESPACE/NAME, or NAME in the namespace of the flags. Returns the exit code of the
 * program: a failure has been printed. Runs a loop.
 */
MUST_USE int render_values_read(const struct global_flags *globals, const char *name,
                                struct object **ret_cluster);

/*
 * The content with values of the Cluster in it, or the reason why it cannot be used on that
 * cluster. NULL: there are no tokens in it. Pure.
 */
struct content *render_values_fill(const struct content *content, const struct object *cluster);
