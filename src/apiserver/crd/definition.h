/*
 * CustomResourceDefinitions themselves: defaults, validation and status, as pure functions.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "apiserver/registry/kind.h"
#include "base/error.h"
#include "json/json.h"

/*
 * names.singular, names.listKind, conversion and the port of its service; status as a create leaves
 * it, and the storage version among its storedVersions. Comes behind kind_ops.prepare, which drops
 * or keeps the status; a second time it changes nothing.
 */
MUST_USE struct error *definition_default(struct json_doc *doc, struct json_doc **ret_doc);

/*
 * All that is wrong with one, or with the change of one; old is NULL on create. Of the metadata
 * only what is special about definitions: that the name fits the names, and approval of groups that
 * belong to Kubernetes.
 */
void definition_validate(const struct json_value *definition, const struct json_value *old,
                         struct field_errors *errors);

/* Names in use by the other definitions of the group; true answers that this one is taken. */
typedef bool definition_name_taken_fn(void *data, struct str name, bool is_kind);

/*
 * The status as it should be: acceptedNames, the conditions NamesAccepted and Established, and
 * Terminating once deletion has begun. The same document when nothing is to change.
 */
MUST_USE struct error *definition_update_status(struct json_doc *doc, timestamp now,
                                                definition_name_taken_fn *taken, void *data,
                                                struct json_doc **ret_doc);

bool definition_is_established(const struct json_value *definition);
