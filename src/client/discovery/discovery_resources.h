/*
 * The resources of one group/version out of either kind of document. Private to this folder.
 *
 * The list is an array or NULL. Fills in resources and count, in canonical order: the same API
 * gives the same version, whichever document told of it.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "client/discovery/discovery_table.h"
#include "json/fields.h"
#include "json/json.h"

/* "widgets", and "widgets/status" for its subresource. */
MUST_USE struct error *discovery_resources_read_plain(struct arena *arena,
                                                      const struct json_value *list,
                                                      struct discovery_version *version);

/* Subresources stand inside their resource. */
MUST_USE struct error *discovery_resources_read_aggregated(struct arena *arena,
                                                           const struct json_value *list,
                                                           struct discovery_version *version);

/* As json_read_fields(); what is wrong is ERROR_PROTOCOL. */
MUST_USE struct error *discovery_read_fields(struct arena *arena, const struct json_value *value,
                                             const struct json_field *fields, size_t count,
                                             void *out);
