/*
 * A kind as it is served in one version: its names, its verbs, and what the server asks about its
 * objects.
 *
 * Built-in kinds are a table (kinds_all()); each version of a custom resource makes one of its own
 * (crd/). The server treats both alike: what differs stands behind struct kind_ops.
 *
 *     body -> decode -> default_ -> (metadata) -> (managed fields) -> prepare -> validate
 *          -> (admission) -> store
 *     store -> present -> response
 *
 * Steps in brackets are not the kind's: endpoints/write_draft.c does them. A server-side apply
 * begins with its managed fields, which merge the body into the old object, and goes on with
 * decode. Where prepare_makes_fields is set, prepare runs once more before the managed fields.
 *
 * Every step takes a document and gives a document, the same with one more reference when nothing
 * changes. None of them suspends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/field_error.h"
#include "apimachinery/field_selector.h"
#include "apimachinery/gvk.h"
#include "apimachinery/metadata_validation.h"
#include "apiserver/types/go_type.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/builder.h"
#include "json/json.h"

struct kind;

enum kind_verbs {
    KIND_CREATE = 1,
    KIND_DELETE = 2,
    KIND_DELETECOLLECTION = 4,
    KIND_GET = 8,
    KIND_LIST = 16,
    KIND_PATCH = 32,
    KIND_UPDATE = 64,
    KIND_WATCH = 128,
    KIND_ALL = 255,
};

/* What goes in and out of a subresource. */
enum kind_part {
    KIND_PART_OBJECT,   /* the object itself */
    KIND_PART_SCALE,    /* a Scale that is made from the object and written back; see crd/scale.h */
    KIND_PART_TOKEN,    /* a TokenRequest, which is answered and not stored */
    KIND_PART_BINDING,  /* a Binding, which changes the Pod */
    KIND_PART_EVICTION, /* an Eviction, which deletes the Pod */
};

/* A part of an object with a URL of its own. */
struct kind_subresource {
    const char *name; /* "status", "scale", "token", "finalize" */
    enum kind_part part;
    unsigned verbs;
    struct gvk gvk; /* of request and response; empty: that of the kind itself */
};

struct kind_column {
    const char *name, *type, *format, *description;
    int priority; /* above 0: shown by kubectl get -o wide only */
};

struct kind_names {
    const struct str *items;
    size_t count;
};

/* The circumstances of a write, for prepare and validate. */
struct kind_write {
    const struct json_value *old; /* the stored object in this kind's version; NULL on create */
    struct str subresource;       /* "" for the whole object, or "status", "finalize", ... */
    struct str namespace;         /* of the request */
    timestamp now;
    struct arena *arena;
    const struct json_value *user; /* of kinds that record it: username, uid, groups, extra */
};

struct kind_ops {
    /*
     * Reads a body as the kind's type. Fields that the type does not have are dropped and named in
     * unknown, if it is not NULL, as: unknown field "spec.x". A value of the wrong type is
     * ERROR_BAD_REQUEST with the message of Go's decoder.
     */
    struct error *(*decode)(const struct kind *kind, struct json_doc *doc,
                            struct json_warnings *unknown, struct json_doc **ret_doc);

    /* Fills in the defaults of absent fields. */
    struct error *(*default_)(const struct kind *kind, struct json_doc *doc,
                              struct json_doc **ret_doc);

    /* The same for an object that was applied; NULL: as any other. */
    struct error *(*default_applied)(const struct kind *kind, struct json_doc *doc,
                                     struct json_doc **ret_doc);

    /*
     * Takes from the old object, or drops, what this write may not change: the status on a write to
     * the whole object, everything else on a write to /status. Sets fields that the server
     * generates. Metadata that belongs to the server is set elsewhere.
     */
    struct error *(*prepare)(const struct kind *kind, const struct kind_write *write,
                             struct json_doc *doc, struct json_doc **ret_doc);

    /* Adds the errors of the object except those of its metadata, and on update of the change. */
    void (*validate)(const struct kind *kind, const struct kind_write *write,
                     const struct json_value *object, struct field_errors *errors);

    /* Converts a stored object to this version. NULL when objects are shown as they are stored. */
    struct error *(*present)(const struct kind *kind, struct json_doc *doc,
                             struct json_doc **ret_doc);

    /* Adds one value per column to the builder's open array. */
    void (*cells)(const struct kind *kind, const struct json_value *object, timestamp now,
                  struct json_builder *out);

    /*
     * Warnings for the response to a write whose object is valid, even if it is refused later: its
     * name may be taken. NULL when the kind has none.
     */
    void (*warn)(const struct kind *kind, const struct kind_write *write,
                 const struct json_value *object, struct json_warnings *warnings);
};

struct kind {
    struct gvk gvk;
    struct str plural, singular, list_kind;
    bool namespaced;
    struct kind_names short_names, categories;
    unsigned verbs;
    const struct kind_subresource *subresources;
    size_t subresource_count;

    struct str stored_as; /* resource in the store, "deployments.apps"; versions share it */
    bool has_generation;
    bool counts_changes;        /* CSIDriver: changes make a generation; a new object has none */
    bool create_on_update;      /* PUT of what is not there makes it: Lease */
    bool unconditional_update;  /* PUT without a resourceVersion overwrites */
    bool delete_returns_object; /* a DELETE that is done at once answers the object, not a Status */
    bool has_two_groups;       /* Event: stored as written, shown as asked, checked as the core's */
    bool records_user;         /* CertificateSigningRequest: who made it is in its spec */
    bool is_converted;         /* HorizontalPodAutoscaler in v1: stored in another version */
    bool prepare_makes_fields; /* Secret, DaemonSet, StatefulSet: what prepare adds has owners */
    bool counts_annotations;   /* Deployment: changed annotations make a new generation */
    bool plain_finalizers;     /* CustomResourceDefinition, Lease: finalizers need no domain */
    bool plain_finalizers_of_status; /* CronJob: in a write of the status they need none either */
    bool metadata_last;      /* Event, PodDisruptionBudget: a create with other faults hides its */
    bool orphans_dependents; /* Job, ReplicationController: a DELETE without a policy is Orphan */
    bool is_custom;          /* a version of a custom resource; see crd/crd.h */
    const char *row_order;   /* FlowSchema: a Table has its rows by this number; NULL: by key */
    struct str deprecation;  /* warning on every answer; empty for none */

    name_check_fn *check_name;
    const struct field_label *field_labels; /* besides metadata.name and metadata.namespace */
    size_t field_label_count;
    const struct kind_column *columns;
    size_t column_count;

    const struct go_type *type; /* NULL for custom resources */
    const struct kind_ops *ops;
};

struct gvr kind_gvr(const struct kind *kind);

/* By name; NULL when the kind has no such subresource. */
const struct kind_subresource *kind_subresource(const struct kind *kind, struct str name);

/* The built-in kinds, in the order in which discovery lists them. */
const struct kind *kinds_all(size_t *ret_count);

/* Built-in kinds by resource or by kind; NULL when there is none. */
const struct kind *kinds_find(struct gvr gvr);
const struct kind *kinds_find_kind(struct gvk gvk);
