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
 *     SCOPED(crs_fixture) fixture;
 *     crs_fixture_init(&fixture);
 *     crs_fixture_start(&fixture, NULL);
 *     crs_fixture_cluster(&fixture, 1);
 *     crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
 *     crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
 *     crs_fixture_await_applied(&fixture, "crs1");
 */
#pragma once

#include "app/controller_manager.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "client/kubeconfig/kubeconfig.h"
#include "support/proxy/apiserver_fixture.h"
#include "support/proxy/proxy.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

struct account_right;

#define CRS_FIXTURE_CLUSTERS 3

#define CRS_FIXTURE_ADDONS   "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/ns/"
#define CRS_FIXTURE_SETS     CRS_FIXTURE_ADDONS "clusterresourcesets"
#define CRS_FIXTURE_SET      CRS_FIXTURE_SETS "/crs1"
#define CRS_FIXTURE_BINDINGS CRS_FIXTURE_ADDONS "clusterresourcesetbindings"
#define CRS_FIXTURE_BINDING  CRS_FIXTURE_BINDINGS "/c1"
#define CRS_FIXTURE_OWNERS   "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/clusters"
#define CRS_FIXTURE_CLUSTER  CRS_FIXTURE_OWNERS "/c1"
#define CRS_FIXTURE_MAPS     "/api/v1/namespaces/ns/configmaps"
#define CRS_FIXTURE_MAP      CRS_FIXTURE_MAPS "/cm1"
#define CRS_FIXTURE_SECRETS  "/api/v1/namespaces/ns/secrets"
#define CRS_FIXTURE_SECRET   CRS_FIXTURE_SECRETS "/s1"

/* Of workload cluster c1, c2, c3: "1" and so on. */
#define CRS_FIXTURE_WORKLOAD(digit) "/clusters/vc-000" digit
#define CRS_FIXTURE_OBJECTS(digit) \
    CRS_FIXTURE_WORKLOAD(digit) "/api/v1/namespaces/default/configmaps"
#define CRS_FIXTURE_OBJECT(digit, name)  CRS_FIXTURE_OBJECTS(digit) "/" name
#define CRS_FIXTURE_POST                 "POST /api/v1/namespaces/default/configmaps"
#define CRS_FIXTURE_MANIFEST(name, text) CRS_FIXTURE_MANIFEST_IN("default", name, text)
#define CRS_FIXTURE_MANIFEST_IN(namespace, name, text)        \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " name \
    ", namespace: " namespace "}\n"                           \
                              "data: {k: \"" text "\"}\n"

#define CRS_FIXTURE_SECRET_TYPE "addons.cluster.x-k8s.io/resource-set"
#define CRS_FIXTURE_SELECTOR    "{\"matchLabels\":{" CRS_FIXTURE_LABELS "}}"
#define CRS_FIXTURE_LABELS      "\"cni\":\"calico\""
#define CRS_FIXTURE_NOT_APPLIED "Failed to apply ClusterResourceSet resources to Cluster"
#define CRS_FIXTURE_CHECK_LOGS  "Please check controller logs for errors"
/* Of a cluster that crs_fixture_refuse() refuses; and during the first attempts. */
#define CRS_FIXTURE_DOWN(digit)    "connect to c" digit ".test:80: Connection refused"
#define CRS_FIXTURE_NOT_YET(digit) "not connected yet: " CRS_FIXTURE_DOWN(digit)

struct crs_fixture {
    struct apiserver_fixture apiserver;
    struct http_client *account; /* as the controllers */
    struct proxy management, workloads[CRS_FIXTURE_CLUSTERS];
    struct rest_config config;
    struct controller_manager *controllers; /* NULL while nothing runs */
    struct scope running;
    bool may_be_refused;

    struct buf log;
};

/* The servers and the namespace; no Cluster yet. */
void crs_fixture_init(struct crs_fixture *fixture);
void crs_fixture_init_without_webhooks(struct crs_fixture *fixture);
void crs_fixture_init_without_right(struct crs_fixture *fixture,
                                    const struct account_right *missing);
void crs_fixture_done(struct crs_fixture *fixture);

/* The controllers; options may be NULL, and what they leave open is filled in. */
void crs_fixture_start(struct crs_fixture *fixture,
                       const struct controller_manager_options *options);
void crs_fixture_stop(struct crs_fixture *fixture);

/* The controllers as corset up has them: they say in the status of Clusters who can be reached. */
void crs_fixture_start_as_owner(struct crs_fixture *fixture);

/* The options it takes, for a second process. */
struct controller_manager_options
crs_fixture_options(struct crs_fixture *fixture, const struct controller_manager_options *options);

/* Cluster c<number>, labelled cni=calico, provisioned, with its kubeconfig. */
void crs_fixture_cluster(struct crs_fixture *fixture, size_t number);

/* The same in any namespace with any labels ("\"a\":\"b\"") and further metadata (",..."). */
void crs_fixture_cluster_as(struct crs_fixture *fixture, const char *namespace, size_t number,
                            const char *labels, const char *metadata);

/* Cluster c<number> in any namespace, which is one of the three workload clusters. */
void crs_fixture_cluster_at(struct crs_fixture *fixture, const char *namespace, size_t number,
                            size_t workload);

/* The kubeconfig of Cluster c<number> alone, for any of the workload clusters. */
void crs_fixture_kubeconfig(struct crs_fixture *fixture, size_t number, size_t workload);

/* ConfigMap with the text under the key "data"; made, or given this as all its data. */
void crs_fixture_map(struct crs_fixture *fixture, const char *name, const char *text);

/* A Secret likewise, of a type ("": the one that sets take). */
void crs_fixture_secret(struct crs_fixture *fixture, const char *name, const char *type,
                        const char *text);

/* A set over clusters labelled cni=calico: "ApplyOnce", "ConfigMap/cm1 Secret/s1". */
void crs_fixture_set(struct crs_fixture *fixture, const char *name, const char *strategy,
                     const char *resources);

/* The same with any selector ("{...}") and further metadata (",..."). */
void crs_fixture_set_as(struct crs_fixture *fixture, const char *name, const char *strategy,
                        const char *resources, const char *selector, const char *metadata);

/* "{...}" of a set's spec.resources, for patches; lives until the next call. */
const char *crs_fixture_resources(struct crs_fixture *fixture, const char *resources);

/* An object that nothing checks, as if it had come before the rules. */
void crs_fixture_put(struct crs_fixture *fixture, const char *object);

/* A set that is as crs_fixture_set() makes it, but for its selector. */
void crs_fixture_put_set(struct crs_fixture *fixture, const char *selector);

/* cm1, s1 and crs1 with both, on c1; everything is applied. */
void crs_fixture_ready(struct crs_fixture *fixture, const char *strategy);
void crs_fixture_ready_on(struct crs_fixture *fixture,
                          const char *strategy); /* clusters that are there */

/* cm1 and crs1 with it alone, on c1; nothing is waited for. */
void crs_fixture_begin(struct crs_fixture *fixture, const char *strategy);
void crs_fixture_begin_on(struct crs_fixture *fixture,
                          const char *strategy); /* clusters that are there */

/* Nobody listens at a host, "c1.test", until it is said again with false. */
void crs_fixture_refuse(struct crs_fixture *fixture, const char *host, bool refused);

/* Nobody answers at c1, on open connections either; or it is back. */
void crs_fixture_vanish(struct crs_fixture *fixture, bool vanishes);

/* A pass of the set, by hand. */
void crs_fixture_kick(struct crs_fixture *fixture, const char *set);

/* Directly to the server: the status; the answer is in fixture->apiserver. PATCH is a merge patch.
 */
int crs_fixture_call(struct crs_fixture *fixture, const char *method, const char *target,
                     const char *body);

/* As above; fails the test unless it succeeds. */
void crs_fixture_do(struct crs_fixture *fixture, const char *method, const char *target,
                    const char *body);

bool crs_fixture_exists(struct crs_fixture *fixture, const char *target);

/* Scalar at a path of an object, as text; empty when it is not there. */
struct str crs_fixture_look(struct crs_fixture *fixture, const char *target, const char *path);

/* How many elements or members are at a path. */
size_t crs_fixture_elements(struct crs_fixture *fixture, const char *target, const char *path);

/* Condition of a set, "True/reason/message", "-" when it is not there; and the deprecated
 * ResourcesApplied, "False/reason/severity/message". */
struct str crs_fixture_condition(struct crs_fixture *fixture, const char *set, const char *type);
struct str crs_fixture_deprecated(struct crs_fixture *fixture, const char *set);

/*
 * What a binding says of a set: "ConfigMap/cm1 true hash, Secret/s1 false", each with " untimed"
 * behind it when there is no time; "none" without resources, "-" without an entry.
 */
struct str crs_fixture_entry(struct crs_fixture *fixture, const char *cluster, const char *set);

/* Suspend until it is so; fail the test after minutes. */
void crs_fixture_await(struct crs_fixture *fixture, const char *target, const char *path,
                       const char *text);
void crs_fixture_await_gone(struct crs_fixture *fixture, const char *target);
void crs_fixture_await_condition(struct crs_fixture *fixture, const char *set, const char *type,
                                 const char *start);
void crs_fixture_await_entry(struct crs_fixture *fixture, const char *cluster, const char *set,
                             const char *text);
void crs_fixture_await_applied(struct crs_fixture *fixture, const char *set); /* and observed */

/* Requests so far are forgotten. */
void crs_fixture_forget(struct crs_fixture *fixture);

/* All that was asked of workload clusters; writes to the management cluster. */
size_t crs_fixture_workload_requests(const struct crs_fixture *fixture);

/* What is under way ends; then, for so long, nobody writes and no workload cluster is asked. */
void crs_fixture_check_quiet(struct crs_fixture *fixture, duration span);

/* The first request with one part came before the first with the other. */
bool crs_fixture_is_before(const struct proxy *proxy, const char *part, const char *other);

bool crs_fixture_logged(const struct crs_fixture *fixture, const char *text);

/* Value of a series, as exposed; 0 for none. Reconciles of sets and of their clusters that failed.
 */
double crs_fixture_metric(struct crs_fixture *fixture, const char *series);
double crs_fixture_errors(struct crs_fixture *fixture);

/* Seconds of virtual time since a moment. */
double crs_fixture_seconds_since(int64_t moment);
