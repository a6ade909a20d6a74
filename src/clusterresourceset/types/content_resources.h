/*
 * ConfigMaps and Secrets from manifest files, in the form in which an API server would return them.
 *
 * The text is a stream of YAML documents or JSON objects, or a JSON array. Lists are expanded. The
 * stringData of a Secret moves into its data. ClusterResourceSets, which often stand beside their
 * resources, are passed over. DeliveryPolicies are kept apart. Other kinds are refused, and so are
 * data that an API server would refuse. A text without any object is most likely a mistake, and is
 * refused as well.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/content_items.h"

/*
 * Appends ConfigMaps and Secrets to the items, and DeliveryPolicies to policies (NULL: they are
 * passed over); on failure both stay as they are. source becomes the key of the new items.
 */
MUST_USE struct error *content_resources_read(struct str text, struct str source,
                                              struct content_items *items,
                                              struct content_items *policies);
