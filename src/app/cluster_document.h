/*
 * The parts of a Cluster object that Cluster API's providers would fill in: where the API server
 * is, and that the cluster is ready for connections. For clusters that corset registers itself.
 */
#pragma once

#include <stdint.h>

#include "json/builder.h"

/* Add a member to the object that is open in the builder. */
void cluster_document_add_spec(struct json_builder *builder, struct str host, uint16_t port);
void cluster_document_add_status(struct json_builder *builder);
