/*
 * The facts that pages show: the model of corset status, and what it has no room for (policies,
 * rollouts, Events, and how current all of it is).
 *
 * Pure. Objects are added in this order: sets, clusters, bindings, policies, Events. Then the facts
 * are finished and do not change any more: a page is made of one state of the fleet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/duration.h"
#include "base/map.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "status/status_model.h"

struct policy_schema;
struct web_contents;

/* The kinds of objects, in the order in which they are added. */
enum web_kind {
    WEB_KIND_SETS,
    WEB_KIND_CLUSTERS,
    WEB_KIND_BINDINGS,
    WEB_KIND_POLICIES,
    WEB_KIND_CLUSTER_EVENTS,
    WEB_KIND_SET_EVENTS,
    WEB_KINDS,
};

/* "clusterresourcesets", as a right is named. */
struct str web_kind_resource(enum web_kind kind);

struct web_event {
    timestamp time;
    struct str type, reason, message; /* "Warning", "ResourcesNotApplied" */
    struct str kind;                  /* of the object: "Cluster" */
    struct key about;
};

/* The annotation corset.dev/rollout of a set. */
struct web_rollout {
    struct str revision, wave, state;
    timestamp since;
};

/* What a ClusterCache knows of a connection, beyond the condition of the Cluster. */
struct web_connection {
    bool is_connected;
    timestamp last_probe; /* 0: none */
    uint32_t failures;    /* of probes, in a row */
    struct str problem; /* why the last attempt or probe failed; valid until the next suspension */
    duration next_try;  /* until the next attempt to connect; 0: there is a connection */
};

/* False: nothing is known of the cluster. Must not suspend. */
typedef bool web_connection_fn(void *data, struct key cluster, struct web_connection *ret);

struct web_facts {
    const struct policy_schema *schema; /* NULL: policies are not read */
    struct status_model model;
    struct web_event *events; /* newest first */
    size_t event_count, event_capacity;
    struct map policies; /* "namespace/name" -> struct delivery_policy */
    struct map rollouts; /* of sets: "namespace/name" -> struct web_rollout */

    /* Asked while a page is made. NULL: conditions alone tell of connections, contents are not
     * read.
     */
    web_connection_fn *connection;
    void *connection_data;
    const struct web_contents *contents;

    timestamp as_of;               /* of the objects */
    struct str missing[WEB_KINDS]; /* why objects of the kind are not there; empty: they are */
    struct str problem;            /* why the facts may be old; empty: they are current */
    timestamp problem_since;
    bool is_loading; /* objects are still coming */
    size_t loaded;   /* clusters so far */

    struct arena arena;
};

void web_facts_done(struct web_facts *facts);

void web_facts_add(struct web_facts *facts, enum web_kind kind, const struct object *object);
void web_facts_finish(struct web_facts *facts);

/* NULL: there is none, or it cannot be read. */
const struct delivery_policy *web_facts_policy(const struct web_facts *facts,
                                               const struct status_set *set);
const struct web_rollout *web_facts_rollout(const struct web_facts *facts,
                                            const struct status_set *set);
