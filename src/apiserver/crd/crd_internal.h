/*
 * The compiled form of a definition. Private to this folder.
 *
 * A struct crd owns an arena, in which its versions and all of their texts live, and one reference
 * to each schema. Versions that are stored but not served have a struct kind too, because objects
 * are converted from and to them.
 */
#pragma once

#include "apiserver/crd/crd.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd/crd_webhooks.h"
#include "apiserver/crd/jsonpath.h"
#include "base/map.h"
#include "base/sha256.h"

enum column_type {
    COLUMN_STRING,
    COLUMN_INTEGER,
    COLUMN_NUMBER,
    COLUMN_BOOLEAN,
    COLUMN_DATE,
    COLUMN_OTHER, /* an unknown type: the cell is null */
};

/* An additional printer column. The first column of the kind, Name, has no struct crd_column. */
struct crd_column {
    const struct jsonpath *path;
    enum column_type type;
};

struct crd_version {
    struct kind kind; /* crd_version_of() finds the version by this member */
    struct crd *crd;
    struct schema *schema; /* NULL when the version has none: every field is unknown then */
    bool is_served, is_storage;
    bool has_status, has_scale;
    struct crd_scale_paths scale;
    struct crd_column *columns; /* kind.column_count - 1 of them */
    struct kind_subresource subresources[2];
};

struct crd_pool {
    struct map crds; /* by the hash of spec and webhooks; not owned */
};

struct crd {
    size_t references;
    struct arena arena;
    struct crd_version *versions; /* as the definition lists them */
    size_t version_count;
    const struct kind **served; /* most preferred first */
    size_t served_count;
    const struct crd_version *storage;
    const struct crd_webhooks *webhooks; /* NULL: none, or the definition does not need them */
    struct json_doc *conversion;         /* spec.conversion.webhook; NULL: none is to be called */
    struct crd_conversions *conversions; /* of a view, see crd_conversion.h; NULL for none */
    struct crd_pool *pool;               /* that lists this crd; NULL for none */
    struct str pool_key;
    uint8_t spec_digest[SHA256_LEN]; /* see crd_digest() */
};

/* Called by crd_free() with the last reference to a crd that stands in a pool. */
void crd_pool_forget(struct crd_pool *pool, struct str key);

extern const struct kind_ops crd_ops;

const struct crd_version *crd_version_of(const struct kind *kind);

/* By name; NULL when the definition has no such version. */
const struct crd_version *crd_find_version(const struct crd *crd, struct str name);

/* Converts to another version of the same kind, and prunes by the schema of that version. */
MUST_USE struct error *crd_convert(const struct crd_version *to, struct json_doc *doc,
                                   struct json_doc **ret_doc);

/* The same for a kind with a conversion webhook, not pruned. Fails with a new question. */
MUST_USE struct error *crd_convert_by_webhook(const struct crd_version *to, struct json_doc *doc,
                                              struct json_doc **ret_doc);

/* Removes fields that a version's schema does not know. Their paths go to unknown, if not NULL. */
MUST_USE struct error *crd_prune(const struct crd_version *version, struct json_doc *doc,
                                 struct schema_unknown *unknown, struct json_doc **ret_doc);

/* Runs the defaulting webhook of the kind; a write to a subresource is returned as it is. */
MUST_USE struct error *crd_default_by_webhook(const struct kind *kind, struct str subresource,
                                              struct json_doc *doc, struct json_doc **ret_doc);

/* Adds what the compiled-in rules of the kind find wrong, unless errors of the schema forbid it. */
void crd_check_rules(const struct kind *kind, const struct json_value *object,
                     struct field_errors *errors);

/* Adds one value per column to the builder's open array; see kind_ops.cells. */
void crd_cells(const struct kind *kind, const struct json_value *object, timestamp now,
               struct json_builder *out);

/* How Go's decoder names the JSON type that it found. */
const char *crd_go_type(enum json_type type);

/*
 * Adds the metadata of a body to the builder as Go's ObjectMeta would write it again. Unknown
 * members are dropped and named in unknown (may be NULL), with paths that start with "metadata".
 * Empty optional members are dropped too. A value of the wrong type is ERROR_BAD_REQUEST with the
 * message of Go's decoder.
 */
MUST_USE struct error *crd_metadata_decode(const struct json_value *metadata,
                                           struct json_warnings *unknown, struct json_builder *out);

/*
 * Validation ratcheting (KEP-4008): removes errors about values that an update does not change.
 * Only errors from the index `first` on are looked at.
 */
void crd_ratchet(const struct schema *schema, const struct json_value *old,
                 const struct json_value *object, enum schema_scope scope, size_t first,
                 struct field_errors *errors);
