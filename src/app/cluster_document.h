/*
 * What a Cluster says that nobody provisions: where its API server is, and that it is ready to be
 * connected to.
 */
#pragma once

#include <stdint.h>

#include "json/builder.h"

/* Into the open object: its spec, and its status. */
void cluster_document_add_spec(struct json_builder *builder, struct str host, uint16_t port);
void cluster_document_add_status(struct json_builder *builder);
