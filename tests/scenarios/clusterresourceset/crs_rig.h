/*
 * The controllers of a whole process, the management cluster and three workload clusters, in
 * virtual time: the fixture of the scenarios CRS-* (and FW-100 to FW-106).
 *
 * Everything is in namespace "ns". The controllers speak to the management cluster through one
 * proxy, and to workload cluster c1, c2, c3 through one each; proxies note what is asked and
 * misbehave where they are told to. Hosts are "management.test", "c1.test" and so on, for
 * sim_network_set_faults(). The test speaks to all of them directly, as admin; the controllers are
 * the account of deploy/ there, and a request of theirs that its roles do not cover fails the test.
 *
 *     SCOPED(crs_rig) rig;
 *     crs_rig_init(&rig);
 *     crs_rig_start(&rig, NULL);
 *     crs_rig_cluster(&rig, 1);
 *     crs_rig_map(&rig, "cm1", CRS_RIG_MANIFEST("a", "1"));
 *     crs_rig_set(&rig, "crs1", "ApplyOnce", "ConfigMap/cm1");
 *     crs_rig_await_applied(&rig, "crs1");
 */
#pragma once

#include "app/controller_manager.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "client/kubeconfig/kubeconfig.h"
#include "support/proxy/desk.h"
#include "support/proxy/proxy.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

struct account_right;

#define CRS_RIG_CLUSTERS 3

#define CRS_RIG_ADDONS   "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/ns/"
#define CRS_RIG_SETS     CRS_RIG_ADDONS "clusterresourcesets"
#define CRS_RIG_SET      CRS_RIG_SETS "/crs1"
#define CRS_RIG_BINDINGS CRS_RIG_ADDONS "clusterresourcesetbindings"
#define CRS_RIG_BINDING  CRS_RIG_BINDINGS "/c1"
#define CRS_RIG_OWNERS   "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/clusters"
#define CRS_RIG_CLUSTER  CRS_RIG_OWNERS "/c1"
#define CRS_RIG_MAPS     "/api/v1/namespaces/ns/configmaps"
#define CRS_RIG_MAP      CRS_RIG_MAPS "/cm1"
#define CRS_RIG_SECRETS  "/api/v1/namespaces/ns/secrets"
#define CRS_RIG_SECRET   CRS_RIG_SECRETS "/s1"

/* Of workload cluster c1, c2, c3: "1" and so on. */
#define CRS_RIG_WORKLOAD(digit)      "/clusters/vc-000" digit
#define CRS_RIG_OBJECTS(digit)       CRS_RIG_WORKLOAD(digit) "/api/v1/namespaces/default/configmaps"
#define CRS_RIG_OBJECT(digit, name)  CRS_RIG_OBJECTS(digit) "/" name
#define CRS_RIG_POST                 "POST /api/v1/namespaces/default/configmaps"
#define CRS_RIG_MANIFEST(name, text) CRS_RIG_MANIFEST_IN("default", name, text)
#define CRS_RIG_MANIFEST_IN(namespace, name, text)            \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " name \
    ", namespace: " namespace "}\n"                           \
                              "data: {k: \"" text "\"}\n"

#define CRS_RIG_SECRET_TYPE "addons.cluster.x-k8s.io/resource-set"
#define CRS_RIG_SELECTOR    "{\"matchLabels\":{" CRS_RIG_LABELS "}}"
#define CRS_RIG_LABELS      "\"cni\":\"calico\""
#define CRS_RIG_NOT_APPLIED "Failed to apply ClusterResourceSet resources to Cluster"
#define CRS_RIG_CHECK_LOGS  "Please check controller logs for errors"
#define CRS_RIG_DOWN        "error getting client: connection to the workload cluster is down"

struct crs_rig {
    struct desk desk;
    struct http_client *account; /* as the controllers */
    struct proxy management, workloads[CRS_RIG_CLUSTERS];
    struct rest_config config;
    struct controller_manager *controllers; /* NULL while nothing runs */
    struct scope running;
    bool may_be_refused;

    struct buf log;
};

/* The servers and the namespace; no Cluster yet. */
void crs_rig_init(struct crs_rig *rig);
void crs_rig_init_without_webhooks(struct crs_rig *rig);
void crs_rig_init_without_right(struct crs_rig *rig, const struct account_right *missing);
void crs_rig_done(struct crs_rig *rig);

/* The controllers; options may be NULL, and what they leave open is filled in. */
void crs_rig_start(struct crs_rig *rig, const struct controller_manager_options *options);
void crs_rig_stop(struct crs_rig *rig);

/* The options it takes, for a second process. */
struct controller_manager_options crs_rig_options(struct crs_rig *rig,
                                                  const struct controller_manager_options *options);

/* Cluster c<number>, labelled cni=calico, provisioned, with its kubeconfig. */
void crs_rig_cluster(struct crs_rig *rig, size_t number);

/* The same in any namespace with any labels ("\"a\":\"b\"") and further metadata (",..."). */
void crs_rig_cluster_as(struct crs_rig *rig, const char *namespace, size_t number,
                        const char *labels, const char *metadata);

/* ConfigMap with the text under the key "data"; made, or given this as all its data. */
void crs_rig_map(struct crs_rig *rig, const char *name, const char *text);

/* A Secret likewise, of a type ("": the one that sets take). */
void crs_rig_secret(struct crs_rig *rig, const char *name, const char *type, const char *text);

/* A set over clusters labelled cni=calico: "ApplyOnce", "ConfigMap/cm1 Secret/s1". */
void crs_rig_set(struct crs_rig *rig, const char *name, const char *strategy,
                 const char *resources);

/* The same with any selector ("{...}") and further metadata (",..."). */
void crs_rig_set_as(struct crs_rig *rig, const char *name, const char *strategy,
                    const char *resources, const char *selector, const char *metadata);

/* "{...}" of a set's spec.resources, for patches; lives until the next call. */
const char *crs_rig_resources(struct crs_rig *rig, const char *resources);

/* An object that nothing checks, as if it had come before the rules. */
void crs_rig_put(struct crs_rig *rig, const char *object);

/* A set that is as crs_rig_set() makes it, but for its selector. */
void crs_rig_put_set(struct crs_rig *rig, const char *selector);

/* cm1, s1 and crs1 with both, on c1; everything is applied. */
void crs_rig_ready(struct crs_rig *rig, const char *strategy);
void crs_rig_ready_on(struct crs_rig *rig, const char *strategy); /* clusters that are there */

/* cm1 and crs1 with it alone, on c1; nothing is waited for. */
void crs_rig_begin(struct crs_rig *rig, const char *strategy);
void crs_rig_begin_on(struct crs_rig *rig, const char *strategy); /* clusters that are there */

/* Nobody listens at a host, "c1.test", until it is said again with false. */
void crs_rig_refuse(struct crs_rig *rig, const char *host, bool refused);

/* A pass of the set, by hand. */
void crs_rig_kick(struct crs_rig *rig, const char *set);

/* Directly to the server: the status; the answer is on the desk. PATCH is a merge patch. */
int crs_rig_call(struct crs_rig *rig, const char *method, const char *target, const char *body);

/* As above; fails the test unless it succeeds. */
void crs_rig_do(struct crs_rig *rig, const char *method, const char *target, const char *body);

bool crs_rig_exists(struct crs_rig *rig, const char *target);

/* Scalar at a path of an object, as text; empty when it is not there. */
struct str crs_rig_look(struct crs_rig *rig, const char *target, const char *path);

/* How many elements or members are at a path. */
size_t crs_rig_elements(struct crs_rig *rig, const char *target, const char *path);

/* Condition of a set, "True/reason/message", "-" when it is not there; and the deprecated
 * ResourcesApplied, "False/reason/severity/message". */
struct str crs_rig_condition(struct crs_rig *rig, const char *set, const char *type);
struct str crs_rig_deprecated(struct crs_rig *rig, const char *set);

/*
 * What a binding says of a set: "ConfigMap/cm1 true hash, Secret/s1 false", each with " untimed"
 * behind it when there is no time; "none" without resources, "-" without an entry.
 */
struct str crs_rig_entry(struct crs_rig *rig, const char *cluster, const char *set);

/* Suspend until it is so; fail the test after minutes. */
void crs_rig_await(struct crs_rig *rig, const char *target, const char *path, const char *text);
void crs_rig_await_gone(struct crs_rig *rig, const char *target);
void crs_rig_await_condition(struct crs_rig *rig, const char *set, const char *type,
                             const char *start);
void crs_rig_await_entry(struct crs_rig *rig, const char *cluster, const char *set,
                         const char *text);
void crs_rig_await_applied(struct crs_rig *rig, const char *set); /* and observed */

/* Requests so far are forgotten. */
void crs_rig_forget(struct crs_rig *rig);

/* All that was asked of workload clusters; writes to the management cluster. */
size_t crs_rig_workload_requests(const struct crs_rig *rig);

/* What is under way ends; then, for so long, nobody writes and no workload cluster is asked. */
void crs_rig_check_quiet(struct crs_rig *rig, duration span);

/* The first request with one part came before the first with the other. */
bool crs_rig_is_before(const struct proxy *proxy, const char *part, const char *other);

bool crs_rig_logged(const struct crs_rig *rig, const char *text);

/* Value of a series, as exposed; 0 for none. Reconciles of sets and of their clusters that failed.
 */
double crs_rig_metric(struct crs_rig *rig, const char *series);
double crs_rig_errors(struct crs_rig *rig);

/* Seconds of virtual time since a moment. */
double crs_rig_seconds_since(int64_t moment);
