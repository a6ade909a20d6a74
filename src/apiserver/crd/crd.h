/*
 * A crd: a CustomResourceDefinition, compiled for serving its objects.
 *
 * A definition is compiled once per change. Each served version gives a struct kind whose kind_ops
 * are driven by that version's schema, printer columns, subresources and selectable fields.
 *
 *     a body:           decode -> default -> prepare -> validate -> crd_to_storage()
 *     a stored object:  prune and default by the version it is stored in -> convert
 *
 * Objects are stored in the storage version and presented in the version of the request. Conversion
 * with strategy None writes another apiVersion and prunes by the schema of the new version. A kind
 * with a conversion function (crd_webhooks.h) uses that function before it prunes, and one with a
 * conversion webhook what the webhook answered (crd_conversion.h). Defaults are those of the
 * version in which an object is read, be it from a body or from the store.
 *
 * Upstream: crdInfo of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
 * References are counted on one thread.
 */
#pragma once

#include "apiserver/crd/schema/schema.h"
#include "apiserver/registry/kind.h"
#include "base/error.h"
#include "base/owned.h"

struct crd;
struct crd_webhooks;

/*
 * Compiles a definition that is valid and has its defaults; ERROR_INVALID names the version that
 * does not compile. The webhooks may be NULL. They are used only if the definition leaves work to
 * a server with webhooks: a schema has rules (x-kubernetes-validations), or conversion has the
 * strategy Webhook. They must outlive the crd.
 */
MUST_USE struct error *crd_compile(const struct json_value *definition,
                                   const struct crd_webhooks *webhooks, struct crd **ret_crd);
struct crd *crd_ref(struct crd *crd);
void crd_free(struct crd *crd); /* gives one reference back */
DEFINE_OWNED(crd)

/* The served versions, most preferred first. The kinds live as long as the crd. */
size_t crd_kind_count(const struct crd *crd);
const struct kind *crd_kind(const struct crd *crd, size_t index);

/* crd_spec_digest() of the definition. The crd must come from a pool. */
const uint8_t *crd_digest(const struct crd *crd);

/* The crd and the schema of a kind that crd_kind() returned. The schema may be NULL. */
struct crd *crd_of_kind(const struct kind *kind);
const struct schema *crd_schema(const struct kind *kind);

/*
 * ERROR_BAD_REQUEST for a body whose apiVersion is not that of the kind. kind_ops.decode accepts
 * such a body and reports all of its fields as unknown, because kube-apiserver reports unknown
 * fields first. A wrong kind is an error of kind_ops.validate.
 */
MUST_USE struct error *crd_check_version(const struct kind *kind, const struct json_value *object);

/*
 * Whether objects are converted otherwise than by writing another apiVersion: by a function, or by
 * a webhook that may be called.
 */
bool crd_has_conversion(const struct kind *kind);

/* Converts an object of any version of the kind to the version of this kind. */
MUST_USE struct error *crd_present(const struct kind *kind, struct json_doc *doc,
                                   struct json_doc **ret_doc);

/* The object as it is stored: in the storage version, pruned by the schema of that version. */
MUST_USE struct error *crd_to_storage(const struct kind *kind, struct json_doc *doc,
                                      struct json_doc **ret_doc);

/*
 * Runs the validating webhook of the kind on an object, or on a change of one, that passed all
 * other checks. The error is the Status of an admission webhook that denied the request. Both
 * objects are of the kind's version; old is NULL on create.
 */
MUST_USE struct error *crd_admit(const struct kind *kind, struct str subresource,
                                 const struct json_value *old, const struct json_value *object);

/* The JSON paths of subresources.scale, such as ".spec.replicas"; selector may be empty. */
struct crd_scale_paths {
    struct str spec_replicas, status_replicas, selector;
};

/* False when the version has no /scale. */
bool crd_scale_paths(const struct kind *kind, struct crd_scale_paths *ret_paths);
