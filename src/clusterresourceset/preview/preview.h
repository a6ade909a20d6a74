/*
 * A preview: what sets would do to clusters, as the clusters themselves say. Clusters with equal
 * results are one group.
 *
 *     SCOPED(preview) preview = {0};
 *     struct preview_result *result = preview_result_new();
 *     preview_result_add(result, &object);
 *     TRY(preview_add(&preview, cluster, result));
 *     preview_sort(&preview);
 *
 * Pure. Of values that must stay secret a preview holds numbers alone, see preview_secrets.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/owned.h"
#include "base/str.h"
#include "clusterresourceset/preview/preview_changes.h"

enum preview_sign {
    PREVIEW_CREATED, /* + */
    PREVIEW_CHANGED, /* ~ */
    PREVIEW_PRUNED,  /* - */
    PREVIEW_REFUSED, /* !: a refusal, or a conflict with another writer */
    PREVIEW_UNKNOWN, /* ?: cannot be known yet */
};

char preview_sign_char(enum preview_sign sign);

/* One object of a set on a cluster that would not stay as it is. */
struct preview_object {
    struct str set;               /* its name */
    struct str resource;          /* "ConfigMap cm1", where the manifest stands */
    struct str api_version, kind; /* may be empty: then all of the resource is meant */
    struct str namespace, name;
    enum preview_sign sign;
    struct str text;                /* of -, ! and ?: why */
    struct preview_changes changes; /* of ~ */
    struct object *manifest;        /* of +: what is created; owned by the result */
    bool is_secret;                 /* no value of it may be shown */
};

/* What would become of one cluster. */
struct preview_result {
    struct arena arena; /* of all texts and objects */
    struct preview_object *objects;
    size_t count, capacity;
};

struct preview_result *preview_result_new(void);
void preview_result_free(struct preview_result *result);
DEFINE_OWNED(preview_result)

/* The texts and changes must be in the arena of the result. Takes a reference to the manifest. */
void preview_result_add(struct preview_result *result, const struct preview_object *object);

struct preview_group {
    struct preview_result *result;
    struct str *clusters; /* "namespace/name" */
    size_t count, capacity;
};

/* A cluster that could not be asked. */
struct preview_silence {
    struct str cluster;
    struct str reason;  /* a word or two: "timeout" */
    struct str message; /* all of it */
};

struct preview {
    struct arena arena;            /* of names and messages */
    struct map by_digest;          /* of the result -> struct preview_group */
    size_t used;                   /* by results that are kept */
    struct preview_group **groups; /* the largest first, once sorted; none without changes */
    size_t group_count, group_capacity;
    struct preview_group unchanged;
    struct preview_silence *silences;
    size_t silence_count, silence_capacity;
    size_t left_out; /* clusters that were not asked on purpose */
};

void preview_done(struct preview *preview);

/* Takes the result. ERROR_TOO_LARGE when there are too many different ones. */
MUST_USE struct error *preview_add(struct preview *preview, struct key cluster,
                                   struct preview_result *result);

/* For a cluster that did not answer. */
void preview_add_silence(struct preview *preview, struct key cluster, const struct error *err);

/* Groups by size and name, clusters by name. To be called once, at the end. */
void preview_sort(struct preview *preview);
