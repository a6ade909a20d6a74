/*
 * Writing one object to one cluster: which requests, and how a failure is told.
 *
 * Causes come back bare, so that whoever has many objects can tell the cause of one failure for
 * another; apply_write_explain() puts in front what was being done to which object.
 */
#pragma once

#include "apimachinery/gvk.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "clusterresourceset/apply/apply.h"

enum apply_verb { APPLY_CREATING, APPLY_READING, APPLY_PATCHING };

struct apply_write {
    const struct apply_target *target;
    const struct object *object;
    enum apply_strategy strategy;
    /* What came of it. */
    enum apply_verb verb; /* the last thing that was tried */
    enum apply_result result;
};

/* Suspends. The cause alone. */
MUST_USE struct error *apply_write_run(struct apply_write *write);

/* What is tried first. */
enum apply_verb apply_write_first_verb(enum apply_strategy strategy);

/* The kind of an object; empty when its apiVersion is none. */
struct gvk apply_write_gvk(const struct object *object);

/*
 * The error with "creating object /v1, Kind=ConfigMap ns1/cm1: " in front. Long causes are cut, and
 * so are excerpts of a Secret that old servers put into their messages.
 */
#define APPLY_CAUSE_MAX ((size_t)2048)
MUST_USE struct error *apply_write_explain(const struct object *object, enum apply_verb verb,
                                           struct error *cause);
