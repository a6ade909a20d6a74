/*
 * ConfigMaps and Secrets from manifests, in the form in which an API server would give them.
 *
 * A stream of YAML documents, JSON objects or a JSON array; lists count as what they hold. The
 * stringData of a Secret moves into its data. Anything but a ConfigMap or a Secret is refused, and
 * so is one that an API server would not take for its data.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/content_items.h"

/* Adds to the items; on failure those stay as they are. The source is the key of the new ones. */
MUST_USE struct error *content_resources_read(struct str text, struct str source,
                                              struct content_items *items);
