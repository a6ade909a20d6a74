/*
 * What "corset render" reads: ConfigMaps and Secrets from files, folders and standard input.
 */
#pragma once

#include "base/error.h"
#include "clusterresourceset/types/content_items.h"

/*
 * Adds what a file holds; of a folder its files that end in .yaml, .yml or .json, in the order of
 * their names; of "-" what comes on standard input.
 */
MUST_USE struct error *render_input_read(const char *name, struct content_items *resources);
