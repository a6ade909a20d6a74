/*
 * One simulated run in which clusters do not stay what they were: is the account still true?
 *
 * Two sets share a cluster or two. In each round clusters are rebuilt behind their address,
 * replaced under their name, restored from backups, they die and return, people pause and change
 * things and remove objects by hand, while every server misbehaves, the controller is killed, or
 * the other replica takes over. Then the faults end, and a quiet moment comes: a model looks into
 * every cluster and compares each object of each set with what bindings, conditions and `corset
 * status` say. README.md has the rules.
 *
 * All that happens depends on the seed alone.
 */
#pragma once

#include "base/timestamp.h"
#include "json/json.h"
#include "support/simulation/draw.h"
#include "support/simulation/front.h"
#include "support/simulation/life.h"
#include "support/simulation/seeds.h"
#include "support/simulation/trace.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define SETS       2 /* s0 reconciles, s1 applies once */
#define CLUSTERS   2 /* at most */
#define RESOURCES  3 /* s0 names r0 and r1, s1 names r1 and r2 */
#define REFERENCES 2 /* of each set */
#define OBJECTS    2 /* of each resource: a ConfigMap and a Secret */
#define PLACES     ((size_t)RESOURCES * OBJECTS)
#define REPLICAS   2

#define HASH_LEN 71 /* "sha256:" and digits */
#define TEXT_MAX 1024
#define UID_MAX  64

enum quality {
    FINE,
    PARTIAL, /* the second of its objects is refused */
    BROKEN,  /* cannot be read */
};

/* What a resource held at some time. */
struct content_version {
    size_t resource;
    enum quality quality;
    unsigned number; /* in a label of every object of it */
    char hash[HASH_LEN + 1];
};

/* What a backup keeps of a cluster. */
struct backup {
    bool is_taken;
    char uid[UID_MAX];
    unsigned numbers[PLACES]; /* 0: there was no object */
};

/* An object of a cluster that went, or went back, without any way for a controller to know. */
struct loss {
    uint64_t lost;    /* when; 0: never */
    uint64_t touched; /* when the controller last asked about it */
    timestamp time;   /* of the loss, as records have it */
};

struct workload {
    char name[32], hosts[2][40], back[40];
    bool is_next_host;
    size_t tokens; /* made so far: a cluster that is rebuilt often has another kubeconfig */
    bool is_dead, is_silent; /* a dead one refuses, or swallows everything */
    bool is_paused;          /* spec.paused of its Cluster */
    struct backup backup;
    struct loss losses[PLACES];
};

struct account {
    uint64_t seed;
    struct random dice; /* of what people do */
    struct trace trace;
    struct network *network;
    struct front management, fronts[CLUSTERS];
    struct workload workloads[CLUSTERS];
    struct life lives[REPLICAS];
    size_t clusters, replicas;
    duration probe, retry;
    bool cuts_when_killed;
    struct client *client; /* of corset status */

    struct content_version *versions;
    size_t version_count;
    uint64_t clock; /* counts losses and touches, so that none are at the same time */
};

#define SETS_TARGET     "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesets"
#define CLUSTERS_TARGET "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"

/* Whether the set names the resource, and whether it reconciles. */
bool account_names(size_t set, size_t resource);
bool account_reconciles(size_t set);

/* contents.c: what resources hold, and what clusters have of it. */
void contents_write(struct account *account, size_t resource, enum quality quality);
const struct content_version *contents_current(const struct account *account, size_t resource);
const struct content_version *contents_find(const struct account *account, size_t resource,
                                            struct str hash);
/* The version an object in a cluster is of; 0: there is none. */
unsigned contents_look(struct account *account, size_t cluster, size_t place);
void contents_put(struct account *account, size_t cluster, size_t place, unsigned number);
void contents_remove(struct account *account, size_t cluster, size_t place);
front_asked_fn contents_touched; /* of the front of a workload cluster */

/* fleet.c: what becomes of clusters. Suspend. */
void fleet_make(struct account *account, size_t cluster);
void fleet_rebuild(struct account *account, size_t cluster, bool moves);
void fleet_replace(struct account *account, size_t cluster, bool rebuilds);
void fleet_back_up(struct account *account, size_t cluster);
void fleet_restore(struct account *account, size_t cluster);
void fleet_kill(struct account *account, size_t cluster);
void fleet_revive(struct account *account, size_t cluster);
void fleet_pause(struct account *account, size_t cluster, bool paused);
void fleet_remove_object(struct account *account, size_t cluster, size_t place);
void fleet_clear_sky(struct account *account, size_t cluster); /* a dead one stays dead */
/* The UID of kube-system as it is, and as the binding has it; empty: none. */
void fleet_uid(struct account *account, size_t cluster, char uid[static UID_MAX]);
void fleet_recorded_uid(struct account *account, size_t cluster, char uid[static UID_MAX]);

/* Objects of the management cluster as stored; NULL. */
struct json_doc *account_find(struct account *account, struct gvr gvr, char letter, size_t number);

/* simulated_users.c */
void simulated_users_begin(struct account *account);
MUST_USE struct error *simulated_users_edit(void *account);

/* model.c: what is not as it should be; NULL when account and clusters agree. Suspends. */
MUST_USE struct error *model_check(struct account *account);

/* run.c */
seeds_run_fn account_run;
