/*
 * The input of corset render and corset plan: ConfigMaps, Secrets and DeliveryPolicies from files,
 * folders and standard input.
 */
#pragma once

#include "base/error.h"
#include "clusterresourceset/types/content_items.h"

/*
 * Adds the resources of a file; of a folder, those of its files that end in .yaml, .yml or .json,
 * in the order of their names; of "-", those on standard input. A file with nothing in it is an
 * error; one with ClusterResourceSets alone is none, and adds nothing. DeliveryPolicies go to
 * policies; NULL: they are passed over.
 */
MUST_USE struct error *render_input_read(const char *name, struct content_items *resources,
                                         struct content_items *policies);
