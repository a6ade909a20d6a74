/*
 * Applies objects to one cluster, in order. An object that fails does not stop the next one.
 *
 * Nothing is added to objects but the default namespace of their ConfigMap or Secret, if they need
 * one and have none: what the manifest says is what the cluster gets. Objects that failed
 * because something did not exist are tried once more at the end: their namespace may come later in
 * the list, or the definition of their kind. If one of the objects defines a kind that the cluster
 * does not have, that definition is waited for first, for some seconds in all.
 *
 * A cluster that does not answer gets no more requests: the rest of the objects fails with the same
 * cause.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/content.h"

struct apply_ledger;
struct apply_object;
struct client;
struct delivery_policy;
struct discovery;
struct failures;

enum apply_strategy {
    APPLY_ONCE,        /* created; an object that exists is left alone */
    APPLY_SERVER_SIDE, /* created, or its fields that the manifest names are set */
    APPLY_BY_POLICY,   /* the same as the policy of the target says, see apply_policy.h */
    APPLY_MERGE_PATCH, /* created, or all of it is brought to what the manifest says */
};

/* What is done about an object that drifted, or may have. */
enum apply_mend {
    APPLY_MEND_NONE,    /* nothing is known of drift: it is applied as ever */
    APPLY_MEND_INSPECT, /* it is read, and a dry run tells what applying it would leave */
    APPLY_MEND_REPAIR,  /* it is read, and applied whatever others have set, but no other set */
};

struct apply_target {
    struct client *client;
    struct discovery *discovery;
    struct str field_manager;             /* of server-side apply */
    const struct delivery_policy *policy; /* of APPLY_BY_POLICY */
    enum apply_mend mends;                /* the same */

    /* Of APPLY_MEND_REPAIR: whether an object has drifted, as it was read just now (live NULL:
     * there is none). One that has not is left as it is. NULL: all have. */
    bool (*has_drifted)(void *data, const struct object *manifest, const struct object *live);
    void *has_drifted_data;

    bool adopts;   /* the same: what others wrote becomes ours */
    bool is_first; /* the objects were never applied before: POST comes before GET */
    bool dry_run;  /* nothing is written: the server says what would become of an object */
};

/* applied: by server-side apply, which does not say whether it created or changed something. */
struct apply_report {
    size_t objects, created, changed, unchanged, failed; /* unchanged: existed as wanted */
    size_t applied;
};

/*
 * What a person should know of objects that were applied. Kept are the first of each type; texts
 * are in the arena of the failures. Empty texts: nothing to tell.
 */
struct apply_notices {
    bool no_server_side;   /* the server cannot do it; everything was merged */
    struct str merged;     /* an object that server-side apply does not take was merged */
    struct str merged_why; /* the server's words */
    struct str taken;      /* an object whose fields another set had */
    struct str taken_from; /* that set, "namespace/name" */
    size_t merged_count, taken_count;
};

/* An object and where it comes from. Borrowed. */
struct apply_item {
    const struct object *object;
    struct str key;               /* of the value in the ConfigMap or Secret */
    size_t document;              /* in that value, from 1 */
    struct str default_namespace; /* empty: an object that needs a namespace must have one */
    bool is_secret;               /* it comes from a Secret: no value of it is told */
};

/* content_count() items, in the arena. */
struct apply_item *apply_items_read(const struct content *content, struct arena *arena);

/* The objects of one resource, to be applied together. */
struct apply_batch {
    struct str resource; /* "ConfigMap cm1", where the items stand */
    const struct apply_item *items;
    size_t count;
    enum apply_strategy strategy;
    struct failures *failures; /* of all batches; gets each object that fails, and has the arena */
    struct failures *unserved; /* gets those instead whose kind the cluster does not have; NULL:
                                * `failures` does; with the same arena */
    struct apply_notices *notices; /* of all batches */
    struct apply_ledger
        *ledger; /* the same; gets each object that was applied by policy; NULL: none */

    /* Called for each item that was applied, with its index; NULL: nothing is called. */
    void (*applied)(void *data, size_t index, const struct apply_object *apply);
    void *applied_data;
};

/*
 * NULL if all objects were applied. Otherwise an error with the code of the first failure, or of
 * the failure that kept the rest from being applied; its text is short, and the failures tell all.
 * The report is filled in either way.
 *
 * Suspends. When the deadline of the caller is reached, the objects that are left have failed.
 */
MUST_USE struct error *apply_objects(const struct apply_target *target,
                                     const struct apply_batch *batch,
                                     struct apply_report *ret_report);
