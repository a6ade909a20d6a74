/*
 * A definition, compiled. Private to this folder.
 */
#pragma once

#include "apiserver/crd/crd.h"
#include "apiserver/crd/crd_webhooks.h"
#include "apiserver/crd/jsonpath.h"
#include "base/map.h"

enum column_type {
    COLUMN_STRING,
    COLUMN_INTEGER,
    COLUMN_NUMBER,
    COLUMN_BOOLEAN,
    COLUMN_DATE,
    COLUMN_OTHER, /* shows nothing */
};

/* A printer column; the kind's first one, the name, has none. */
struct crd_column {
    const struct jsonpath *path;
    enum column_type type;
};

struct crd_version {
    struct kind kind; /* complete for served versions only */
    struct crd *crd;
    struct schema *schema; /* NULL: none, and so no field is known */
    bool is_served, is_storage;
    bool has_status, has_scale;
    struct crd_scale_paths scale;
    struct crd_column *columns; /* one less than the kind's */
    struct kind_subresource subresources[2];
};

struct crd_pool {
    struct map crds; /* by the hash of spec and extension; not owned */
};

struct crd {
    size_t references;
    struct arena arena;
    struct crd_version *versions; /* as the definition lists them */
    size_t version_count;
    const struct kind **served; /* most preferred first */
    size_t served_count;
    const struct crd_version *storage;
    const struct crd_webhooks *webhooks; /* NULL for none */
    struct crd_pool *pool;               /* that knows it; NULL for none */
    struct str pool_key;
};

/* Takes a custom that is about to go off its pool. */
void crd_pool_forget(struct crd_pool *pool, struct str key);

extern const struct kind_ops crd_ops;

const struct crd_version *crd_version_of(const struct kind *kind);

/* NULL when the definition has no such version. */
const struct crd_version *crd_find_version(const struct crd *crd, struct str name);

/* In another version of the same kind, and only what its schema knows. */
MUST_USE struct error *crd_convert(const struct crd_version *to, struct json_doc *doc,
                                   struct json_doc **ret_doc);

/* Only what a version's schema knows; what it does not is named in unknown, which may be NULL. */
MUST_USE struct error *crd_prune(const struct crd_version *version, struct json_doc *doc,
                                 struct schema_unknown *unknown, struct json_doc **ret_doc);

/* The extension's part of preparing a write: its defaults, unless it is one of a subresource. */
MUST_USE struct error *crd_default_by_webhook(const struct kind *kind, struct str subresource,
                                              struct json_doc *doc, struct json_doc **ret_doc);

/* One value per column; see kind_ops. */
void crd_cells(const struct kind *kind, const struct json_value *object, timestamp now,
               struct json_builder *out);

/* How Go's decoder names the JSON type that it found. */
const char *crd_go_type(enum json_type type);

/*
 * The metadata of a body as ObjectMeta reads and writes it again: unknown members are named in
 * unknown (may be NULL) below "metadata" and dropped, so is what is empty. ERROR_BAD_REQUEST in the
 * decoder's words for a value of the wrong type. Adds one object to the builder.
 */
MUST_USE struct error *crd_metadata_decode(const struct json_value *metadata,
                                           struct json_warnings *unknown, struct json_builder *out);

/*
 * Takes those errors back, from the first on, that are about values the update leaves as they were.
 */
void crd_ratchet(const struct schema *schema, const struct json_value *old,
                 const struct json_value *object, enum schema_scope scope, size_t first,
                 struct field_errors *errors);
