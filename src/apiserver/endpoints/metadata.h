/*
 * The server's part of an object's metadata: what it sets, keeps and refuses. Functions take a
 * document and return a new one.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "json/json.h"

struct kind;
struct random;

/* What a create sets. Fields that only the server may set are dropped from the client's object. */
struct metadata_new {
    struct str name, namespace, uid;
    timestamp now;
    bool has_generation;
};

MUST_USE struct error *metadata_create(struct json_doc *doc, const struct metadata_new *values,
                                       struct json_doc **ret_doc);

/* An update keeps what the server set: timestamps, the uid if none is given, the generation. */
MUST_USE struct error *metadata_keep(struct json_doc *doc, const struct json_value *old,
                                     struct str namespace, struct json_doc **ret_doc);

enum metadata_counting {
    METADATA_STATUS_APART = 1,       /* changes of the status do not count */
    METADATA_COUNTS_ANNOTATIONS = 2, /* changes of annotations count */
};

/* generation + 1 when something other than the metadata has changed; see enum metadata_counting. */
MUST_USE struct error *metadata_count_generation(struct json_doc *doc, const struct json_value *old,
                                                 unsigned counting, struct json_doc **ret_doc);

MUST_USE struct error *metadata_set_version(struct json_doc *doc, int64_t revision,
                                            struct json_doc **ret_doc);

/* Fields that are immutable once set, and finalizers that are added after deletion has begun. */
void metadata_check_change(struct field_errors *errors, const struct json_value *object,
                           const struct json_value *old);

/*
 * Finalizers of built-in kinds must have a domain or be one of those that Kubernetes itself uses.
 */
void metadata_check_qualified_finalizers(struct field_errors *errors,
                                         const struct json_value *object);

/* On custom resources such finalizers are allowed, but new ones get a warning. */
void metadata_warn_finalizers(struct json_warnings *warnings, const struct json_value *object,
                              const struct json_value *old);

/* generateName, cut to length, and five random characters. */
struct str metadata_generate_name(struct arena *arena, struct random *random, struct str prefix);

bool metadata_has_finalizers(const struct json_value *object);
bool metadata_is_deleting(const struct json_value *object);

/* metadata.deletionGracePeriodSeconds; 0 without it. */
int64_t metadata_grace(const struct json_value *object);

/* Nothing holds the object: deletion has begun and neither finalizers nor a grace period remain. */
bool metadata_is_finished(const struct json_value *object);
