/*
 * CustomResourceDefinitions as documents: defaults, validation and status, as pure functions.
 *
 * The steps of a write are those of every built-in kind, with two additions for this kind:
 * definition_default() runs after kind_ops.prepare, and definition_validate() beside
 * kind_ops.validate. After a write, definition_update_status() does what upstream's controllers do
 * a moment later. What a definition means for its objects is in crd.h.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions (v1/defaults.go, validation/),
 * pkg/controller/status and pkg/controller/establish.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "apiserver/registry/kind.h"
#include "base/error.h"
#include "json/json.h"

/*
 * Versions of one definition. Their names are compared each with each, and discovery visits each of
 * them in every request. Real definitions have a handful.
 */
#define DEFINITION_VERSIONS_MAX 100

/*
 * Fills in names.singular, names.listKind, conversion and the port of its service, the status of a
 * new definition, and the storage version in status.storedVersions. Runs after kind_ops.prepare,
 * which removes or keeps the status. Running it twice changes nothing more.
 */
MUST_USE struct error *definition_default(struct json_doc *doc, struct json_doc **ret_doc);

/*
 * Adds all errors of a definition, or of a change of one; old is NULL on create. Of the metadata it
 * checks only what is special to definitions: that metadata.name is made of plural and group, and
 * the approval of groups that belong to Kubernetes.
 */
void definition_validate(const struct json_value *definition, const struct json_value *old,
                         struct field_errors *errors);

/* Warns of formats in schemas that are not known; old is NULL on create. */
void definition_warn(const struct json_value *definition, const struct json_value *old,
                     struct json_warnings *warnings);

/* Whether another definition of the same group has accepted the name, as a kind or a resource. */
typedef bool definition_name_taken_fn(void *data, struct str name, bool is_kind);

/*
 * Sets status.acceptedNames and the conditions NamesAccepted and Established, and Terminating once
 * deletion has begun. Returns the same document, with one more reference, when nothing changes.
 */
MUST_USE struct error *definition_update_status(struct json_doc *doc, timestamp now,
                                                definition_name_taken_fn *taken, void *data,
                                                struct json_doc **ret_doc);

/* Whether a schema of the definition has rules (x-kubernetes-validations). */
bool definition_has_rules(const struct json_value *definition);

bool definition_is_established(const struct json_value *definition);
