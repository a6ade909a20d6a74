/*
 * Workload clusters: connections to the clusters whose Cluster objects (cluster.x-k8s.io/v1beta2)
 * are on the API server of the manager.
 *
 *     const struct corset_cluster *cluster;
 *     CORSET_TRY(corset_cluster_reader(run, "default", "prod", &cluster));
 *     CORSET_TRY(corset_cluster_list(cluster, &nodes, count_node, &count));
 *
 * The manager connects to each cluster whose infrastructure is provisioned, with the kubeconfig in
 * the Secret <cluster>-kubeconfig. It probes every connection, ends those that do not answer any
 * more, and tries again. Functions of this header answer from the current state: none of them waits
 * for a connection. For a cluster without one they return an error with the code
 * CORSET_NOT_CONNECTED. A run returns NULL then, because the source starts another run when the
 * cluster is connected:
 *
 *     struct corset_error *err = corset_cluster_client(run, name_space, name, &cluster);
 *     if (corset_error_is(err, CORSET_NOT_CONNECTED)) {
 *         corset_error_free(err);
 *         return NULL;
 *     }
 *
 * Connections exist if corset_manager_options.clusters is set, or if a controller has a
 * cluster_source or cluster_watches. The account of the process needs get, list and watch of
 * Clusters, and of Secrets with the label cluster.x-k8s.io/cluster-name.
 */
#ifndef CORSET_CLUSTERS_H
#define CORSET_CLUSTERS_H

#include <corset/client.h>
#include <corset/error.h>
#include <corset/export.h>
#include <corset/object.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CORSET_BEGIN

struct corset_keys;
struct corset_run;

/* The code of errors about a cluster that has no connection now; see corset_error_is(). */
#define CORSET_NOT_CONNECTED "NotConnected"

/* ---- The connection of a cluster. ---- */

/*
 * A connection, for as long as the run. It stays safe to use when the cluster is disconnected
 * meanwhile: reads from memory fail with CORSET_NOT_CONNECTED then, and requests still go out with
 * the credentials of the connection.
 */
struct corset_cluster;

/* Reads come from memory, as described below; writes go to the server. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_client(struct corset_run *run, const char *name_space, const char *name,
                      struct corset_cluster **ret_cluster);

/* The same without the writes. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_reader(struct corset_run *run, const char *name_space, const char *name,
                      const struct corset_cluster **ret_cluster);

/* Every read asks the server. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_uncached_client(struct corset_run *run, const char *name_space, const char *name,
                               struct corset_cluster **ret_cluster);

CORSET_EXPORT const char *corset_cluster_namespace(const struct corset_cluster *cluster);
CORSET_EXPORT const char *corset_cluster_name(const struct corset_cluster *cluster);

/* False once the connection has ended, even if there is a new one. */
CORSET_EXPORT bool corset_cluster_is_connected(const struct corset_cluster *cluster);

/*
 * Reads. All of them Wait, at most for the timeout of a request. From memory the first read of a
 * kind starts a watch on that cluster and waits for its objects; kinds in
 * corset_clusters_options.uncached are read from the server every time.
 *
 * The object of corset_cluster_get() lives as long as the run, those of lists during the visit. A
 * list reads one namespace, or all if that is NULL; the name of the id is not used. An error of
 * visit ends the list and is returned.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_get(const struct corset_cluster *cluster, const struct corset_id *id,
                   const struct corset_object **ret_object);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_list(const struct corset_cluster *cluster, const struct corset_id *id,
                    corset_visit_fn *visit, void *data);

/* The objects with this value of an index of corset_clusters_options, from memory. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_list_indexed(const struct corset_cluster *cluster, const struct corset_id *id,
                            const char *index, const char *value, corset_visit_fn *visit,
                            void *data);

/* Writes, as in corset/client.h. All of them Wait. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_create(struct corset_cluster *cluster, const struct corset_object *object,
                      const struct corset_object **ret_object);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_apply(struct corset_cluster *cluster, const struct corset_object *object,
                     const struct corset_object **ret_object);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_patch(struct corset_cluster *cluster, const struct corset_id *id,
                     const char *subresource, const char *patch,
                     const struct corset_object **ret_object);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_delete(struct corset_cluster *cluster, const struct corset_id *id);

/* ---- What else is known of a cluster. ---- */

/*
 * How the cluster is reached, for other libraries and programs. Both texts live as long as the run.
 * The kubeconfig is complete, and secret: it holds the credentials. Certificates are in it only
 * with corset_clusters_options.rest_configs.
 */
struct corset_rest_config {
    const char *host; /* "https://prod.example.com:6443" */
    const char *kubeconfig;
};
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_rest_config(struct corset_run *run, const char *name_space, const char *name,
                           struct corset_rest_config *ret_config);

/*
 * An RSA key that was made for the cluster when it was first connected, as PEM; "" without
 * corset_clusters_options.private_keys. The error for a cluster that is not known has the code
 * "NotFound". Secret. Deprecated, as in Cluster API.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_private_key(struct corset_run *run, const char *name_space, const char *name,
                           const char **ret_pem);

/* Times are milliseconds since 1970; 0: never. All zero for a cluster that is not known. */
struct corset_cluster_health {
    int64_t last_probe_ms, last_success_ms; /* attempts to connect count as probes */
    uint32_t failures;                      /* in a row */
};
CORSET_EXPORT struct corset_cluster_health
corset_cluster_health(struct corset_run *run, const char *name_space, const char *name);

/* ---- One question to all clusters. ---- */

/* The same GET request for every cluster that is selected. */
struct corset_question {
    const char *path;             /* "/api/v1/nodes". Required */
    const char *query;            /* "labelSelector=a%3Db", escaped; NULL: none */
    const char *cluster_selector; /* labels of Clusters: "env=prod"; NULL: all */
    const char *name_space;       /* of Clusters; NULL: all */
    size_t window;                /* requests at a time; 0: 512 */
    int64_t timeout_ms;           /* until an answer begins, and without progress; 0: 5 s */
    size_t answer_max;            /* bytes of an answer, larger ones are failures; 0: 4 MiB */
};

/* What a cluster answered, whatever the status; it lives during the call. */
struct corset_answer {
    const char *cluster_namespace, *cluster_name;
    int status;
    const char *body; /* ends in a NUL that body_size does not count */
    size_t body_size;
};
typedef struct corset_error *corset_answer_fn(void *data, const struct corset_answer *answer);

/* A cluster that did not answer: it has no connection, was too slow, or broke off. */
struct corset_unanswered {
    const char *cluster_namespace, *cluster_name, *reason;
};

/* The texts live as long as the run. */
struct corset_summary {
    size_t asked, answered;
    const struct corset_unanswered *unanswered;
    size_t unanswered_count;
};

/*
 * Waits. Asks all clusters at once and calls the function for each answer, one after the other in
 * the order of namespaces and names. Clusters that do not answer are in the summary; that is no
 * error. An error of the function ends the question and is returned.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_clusters_each(struct corset_run *run, const struct corset_question *question,
                     corset_answer_fn *each, void *data, struct corset_summary *ret_summary);

/* ---- Watches and events. ---- */

/*
 * A kind in workload clusters whose events lead to owners. Without map, an event leads to the owner
 * with the namespace and the name of the Cluster: right for a controller of Clusters. With map, it
 * leads to the owners that map adds; map is called with the object before and after the change.
 * filter, if set, selects the events that count; old is NULL for a new object, now for a deleted
 * one. Neither function may wait.
 *
 * The struct must live as long as the process. Watched kinds are kept in memory.
 */
struct corset_cluster_watch {
    const char *name;        /* unique among the watches of the controller. Required */
    const char *api_version; /* "v1" */
    const char *kind;        /* "Node" */
    void (*map)(void *data, const char *cluster_namespace, const char *cluster_name,
                const struct corset_object *object, struct corset_keys *keys);
    bool (*filter)(void *data, const struct corset_object *old, const struct corset_object *now);
    void *data;
};

/*
 * Watches one cluster. A second call with the same name does nothing, so a run may call it every
 * time. Success means that the watch is recorded: a kind that the cluster does not serve yet is
 * tried again. The watch ends with the connection, and must be asked for again after the next
 * connect. The cluster_watches of a controller's description are asked for by the library, in all
 * clusters.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_cluster_watch(struct corset_run *run, const char *name_space, const char *name,
                     const struct corset_cluster_watch *watch);

/*
 * Leads to runs when a cluster is connected, when it is disconnected, and when its probes have not
 * succeeded for one of these times, once per outage. Without map, to the owner with the namespace
 * and the name of the Cluster; map gets the Cluster object and must not wait. The struct must live
 * as long as the process.
 */
struct corset_cluster_source {
    void (*map)(void *data, const struct corset_object *cluster, struct corset_keys *keys);
    void *data;
    const int64_t *probe_failures_ms;
    size_t probe_failure_count;
};

/* ---- Options of the process. ---- */

/* A kind whose objects are read from the server every time. */
struct corset_cluster_kind {
    const char *api_version, *kind;
};

/* Changes an object before it is kept in memory: removes what is not needed. Must not wait. */
typedef void corset_transform_fn(void *data, struct corset_object *object);

/* What is kept in memory of a kind. metadata.managedFields is always removed. */
struct corset_cluster_cache {
    const char *api_version, *kind;
    const char *name_space; /* NULL: all */
    const char *label_selector, *field_selector;
    corset_transform_fn *transform; /* NULL: that of the options */
    void *data;
};

/* The values of an object in an index; see corset_cluster_index. */
struct corset_values;
CORSET_EXPORT void corset_values_add(struct corset_values *values, const char *value);

/* An index over a kind. Its objects are there before a cluster counts as connected. */
struct corset_cluster_index {
    const char *api_version, *kind;
    const char *name; /* "spec.providerID" */
    void (*values)(void *data, const struct corset_object *object, struct corset_values *values);
    void *data;
};

/* It must live as long as the process, with all it points to. */
struct corset_clusters_options {
    const char *name_space;   /* of the Clusters and their Secrets; NULL: all */
    const char *watch_filter; /* the label cluster.x-k8s.io/watch-filter of Clusters; NULL: any */
    bool (*filter)(void *data, const struct corset_object *cluster); /* NULL: all Clusters */
    void *filter_data;

    int64_t timeout_ms;     /* of a request and of a read from memory; 0: 10 s */
    double qps, burst;      /* requests per second to each cluster; 0: 20 and 30 */
    size_t concurrency;     /* Clusters that are looked at at a time; 0: 100 */
    size_t handshakes;      /* simultaneous attempts to connect; 0: 64 */
    int64_t resync_ms;      /* every Cluster is looked at again; 0: 10 min */
    int64_t sync_period_ms; /* every object in memory is an event again; 0: 10 h */
    bool private_keys;      /* see corset_cluster_private_key() */
    bool rest_configs;      /* see corset_cluster_rest_config(); takes memory per cluster */

    const struct corset_cluster_kind *uncached;
    size_t uncached_count;
    const struct corset_cluster_cache *caches;
    size_t cache_count;
    const struct corset_cluster_index *indexes;
    size_t index_count;
    corset_transform_fn *transform; /* of kinds without their own */
    void *transform_data;

    int64_t retry_ms;           /* between attempts to connect; 0: 30 s */
    int64_t probe_ms;           /* between probes; 0: 10 s */
    int64_t probe_timeout_ms;   /* 0: 5 s */
    uint32_t failure_threshold; /* failed probes in a row that end a connection; 0: 5 */
    int64_t sync_timeout_ms;    /* until the indexes of a new connection are there; 0: 5 min */
    int64_t fallback_ms;        /* after a Cluster could not be read; 0: 10 s */

    /* For measurements: a probe starts, so late. Must not wait. */
    void (*on_probe)(void *data, const char *name_space, const char *name, int64_t late_ms);
    void *on_probe_data;
};

CORSET_END

#endif
