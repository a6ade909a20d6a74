/*
 * The resources of one group/version, from plain and aggregated documents. Private to this folder.
 *
 * The list is an array or NULL. The functions fill in version->resources and version->count in a
 * canonical order, so that both kinds of documents give equal versions for equal APIs.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "client/discovery/discovery_table.h"
#include "json/fields.h"
#include "json/json.h"

/* Subresources are entries of the list: "widgets/status". */
MUST_USE struct error *discovery_resources_read_plain(struct arena *arena,
                                                      const struct json_value *list,
                                                      struct discovery_version *version);

/* Subresources are listed inside their resource. */
MUST_USE struct error *discovery_resources_read_aggregated(struct arena *arena,
                                                           const struct json_value *list,
                                                           struct discovery_version *version);

/* Like json_read_fields(), but a field of the wrong type is ERROR_PROTOCOL. */
MUST_USE struct error *discovery_read_fields(struct arena *arena, const struct json_value *value,
                                             const struct json_field *fields, size_t count,
                                             void *out);
