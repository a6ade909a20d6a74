/*
 * Applies one object to one cluster: which requests are made.
 *
 *   ApplyOnce               POST; an object that exists is left alone
 *   server-side apply       PATCH, which creates, too (apply_server_side.h)
 *   merge patch, first time POST; an object that exists is read and patched
 *   merge patch, later      GET, then PATCH if it differs; POST if it does not exist
 *
 * What server-side apply does not take is merged, unless a policy says how to apply
 * (apply_policy.h).
 *
 * A dry run makes the same requests with dryRun=All, and a GET before a server-side apply: live and
 * answer tell what would change.
 *
 * apply_object() returns the bare cause of a failure, because the same cause may have kept other
 * objects back, too.
 */
#pragma once

#include "apimachinery/gvk.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/apply/apply_ledger.h"

enum apply_verb { APPLY_CREATING, APPLY_READING, APPLY_PATCHING, APPLY_APPLYING };
enum apply_result { APPLY_CREATED, APPLY_CHANGED, APPLY_UNCHANGED, APPLY_APPLIED };

struct apply_object {
    const struct apply_target *target;
    const struct object *object;
    enum apply_strategy strategy;
    struct str default_namespace; /* as in struct apply_item */
    bool is_secret;               /* of a dry run: keys of its lists are not told */
    /* Written by apply_object(). */
    enum apply_verb verb; /* of the last request, or of the request that was not reached */
    enum apply_result result;
    struct object *placed;  /* object is this one, if it got the default namespace */
    struct error *refusal;  /* why server-side apply did not take the object, which was merged */
    struct str taken_from;  /* another set that had fields of it, in the arena; empty: none */
    struct object *live;    /* as it was read; NULL: not there, or not looked for */
    struct object *answer;  /* of a dry run: what it would be; NULL: it would stay as it is. Of
                             * apply_target.mends: what it is, or would be; live is its metadata */
    struct error *conflict; /* of server-side apply: who had fields that were taken; NULL: nobody */
    bool recreates;         /* of a dry run by policy: refusal says why it would be made anew */
    struct str dropped;     /* the same, in the arena: fields that would go once they are adopted */
    struct apply_receipt receipt; /* of APPLY_BY_POLICY, in the arena */
    struct arena *arena;
};

void apply_object_done(struct apply_object *apply);

/* Suspends. A kind that the cluster does not have is an error with discovery_is_no_match(). */
MUST_USE struct error *apply_object(struct apply_object *apply);

/* True for a 404 that names no object: it is about the resource, which is gone or not yet served.
 */
bool apply_object_is_resource_missing(const struct error *err);

/* Where the answer to a write goes; NULL unless it is a dry run. A former answer is dropped. */
struct object **apply_object_answer(struct apply_object *apply);

/* The verb of an object that no request was made for. */
enum apply_verb apply_object_first_verb(enum apply_strategy strategy);

/* The kind of an object; empty if its apiVersion cannot be read. */
struct gvk apply_object_gvk(const struct object *object);

/* "creating" */
struct str apply_verb_name(enum apply_verb verb);
