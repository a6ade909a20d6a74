/*
 * Custom resources: what a CustomResourceDefinition makes of its objects.
 *
 * A definition is compiled once per change. Each served version gives a struct kind, with the steps
 * of kinds/kind.h driven by that version's schema, printer columns, subresources and selectable
 * fields. Objects are stored in the storage version and presented in the one that was asked for.
 * Conversion (strategy None) is a new apiVersion and pruning by the schema of that version, unless
 * the kind has an extension (crd_webhooks.h) that knows more;
 * defaults are those of the version in which an object is read, be it from a body or from the
 * store.
 *
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
 * From a CustomResourceDefinition that is valid and has its defaults. The extension, which may be
 * NULL, stands in for what definitions leave to others: it counts where the schema has rules or
 * conversion is by webhook. A definition with neither gets what its schema says.
 */
MUST_USE struct error *crd_compile(const struct json_value *definition,
                                   const struct crd_webhooks *webhooks, struct crd **ret_custom);
struct crd *crd_ref(struct crd *crd);
void crd_free(struct crd *crd); /* gives one reference back */
DEFINE_OWNED(crd)

/* The versions that are served, most preferred first; they live as long as the custom. */
size_t crd_kind_count(const struct crd *crd);
const struct kind *crd_kind(const struct crd *crd, size_t index);

/* Of a kind that crd_kind() gave. */
struct crd *crd_of_kind(const struct kind *kind);
const struct schema *crd_schema(const struct kind *kind);

/*
 * ERROR_BAD_REQUEST for a body whose apiVersion is not the kind's. Decoding lets it pass, with all
 * fields unknown, because a server complains of these first. A wrong kind is left to validation.
 */
MUST_USE struct error *crd_check_version(const struct kind *kind, const struct json_value *object);

/* An object of any version of the kind in this one, and whether its fields may differ there. */
bool crd_has_conversion(const struct kind *kind);
MUST_USE struct error *crd_present(const struct kind *kind, struct json_doc *doc,
                                   struct json_doc **ret_doc);

/* An object of the kind as it goes into the store: in the storage version, pruned by its schema. */
MUST_USE struct error *crd_to_storage(const struct kind *kind, struct json_doc *doc,
                                      struct json_doc **ret_doc);

/*
 * What the kind's extension has against an object, or a change of one, that is otherwise fine: the
 * Status of an admission webhook that denied the request. Both are of the kind's version; old is
 * NULL on create.
 */
MUST_USE struct error *crd_admit(const struct kind *kind, struct str subresource,
                                 const struct json_value *old, const struct json_value *object);

/* Where /scale finds its numbers (JSON paths such as ".spec.replicas"); false without /scale. */
struct crd_scale_paths {
    struct str spec_replicas, status_replicas, selector;
};
bool crd_scale_paths(const struct kind *kind, struct crd_scale_paths *ret_scale);
