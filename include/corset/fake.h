/*
 * A fake world for tests: an API server and workload clusters in the memory of a program that has
 * no server, no network and no sockets. A controller runs in it once, for one owner, and the test
 * looks at what it has written.
 *
 *     struct corset_fake *fake = corset_fake_new(NULL);
 *     struct corset_fake_api *management = corset_fake_management(fake);
 *     struct corset_fake_api *prod = corset_fake_cluster(fake, "default", "prod");
 *     const struct corset_id id = {"cluster.x-k8s.io/v1beta2", "Cluster", "default", "prod"};
 *
 *     CORSET_TRY(corset_fake_put_yaml(management,
 *         "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster,"
 *         " metadata: {namespace: default, name: prod}}"));
 *     CORSET_TRY(corset_fake_put_yaml(prod, "{apiVersion: v1, kind: Node, metadata: {name: n1}}"));
 *     CORSET_TRY(corset_fake_run(fake, &controller, "default", "prod", NULL));
 *     assert(corset_object_has(corset_fake_get(management, &id), "metadata.annotations.nodes"));
 *     corset_fake_free(fake);
 *
 * The controller is the real one: its functions get a real run, and all functions of the other
 * headers work in it, for the API server and for the clusters. Only the servers are fakes. They do
 *
 * - what is read and written: get, list with selectors of labels, watch, create, merge patch, apply
 *   and delete, with the errors of an API server ("NotFound", "AlreadyExists", "Conflict" …);
 * - uid, creationTimestamp, generateName; a resourceVersion that grows with every change; a
 *   generation that grows with changes outside of metadata and status;
 * - the subresource status: a request writes the status or everything else, never both;
 * - finalizers: an object that has some is only marked as being deleted;
 * - the kinds of Kubernetes, the Clusters and Machines of Cluster API (v1beta2), and those of the
 *   CustomResourceDefinitions that were put or created there. Versions of a kind differ in their
 *   apiVersion alone.
 *
 * They do not do, so that a test which needs it needs a server, such as `corset apiserver`:
 *
 * - admission, validation by schemas, defaults and conversion: what is written is kept as it is.
 *   Namespaces need not exist;
 * - ownership of fields: apply merges the object into the one that is there, removes fields that
 *   the same controller has applied before and does not any more, replaces lists as a whole, and
 *   never meets a conflict. There is no metadata.managedFields;
 * - garbage collection: objects stay when their owner goes;
 * - the controllers of Kubernetes: a Deployment gets no Pods. Put the status that they would write;
 * - other requests: subresources apart from status, field selectors apart from those of
 *   metadata.name and metadata.namespace, and paths without objects, apart from discovery, fail as
 *   they fail on a server that does not have them.
 *
 * A test and its controllers run on one thread. None of these functions may be called by a function
 * of a controller. Log lines go to standard error, as in a process.
 */
#ifndef CORSET_FAKE_H
#define CORSET_FAKE_H

#include <corset/client.h>
#include <corset/clusters.h>
#include <corset/controller.h>
#include <corset/error.h>
#include <corset/export.h>
#include <corset/object.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CORSET_BEGIN

struct corset_fake;

/* An API server of the world: that of the manager, or that of a workload cluster. */
struct corset_fake_api;

/*
 * An empty world. The options are those that the process would have (corset_manager_options); NULL:
 * none. Of them the fake uses what concerns reads: uncached, caches, indexes, transform,
 * timeout_ms. Which clusters are connected is said below, and not by filters. private_keys is
 * refused by corset_fake_run(): the fake makes none.
 */
CORSET_EXPORT struct corset_fake *corset_fake_new(const struct corset_clusters_options *options);
CORSET_EXPORT void corset_fake_free(struct corset_fake *fake); /* NULL is fine */

/* Both live as long as the world. A cluster exists from the first call with its name. */
CORSET_EXPORT struct corset_fake_api *corset_fake_management(struct corset_fake *fake);
CORSET_EXPORT struct corset_fake_api *corset_fake_cluster(struct corset_fake *fake,
                                                          const char *name_space, const char *name);

/* ---- Connections. ---- */

enum corset_fake_link {
    CORSET_FAKE_CONNECTED,    /* at first */
    CORSET_FAKE_DISCONNECTED, /* known, and every call about it fails with CORSET_NOT_CONNECTED */
    CORSET_FAKE_UNKNOWN,      /* the same, and there is neither health nor a private key */
};

/* For the runs that follow. The objects of the cluster stay. */
CORSET_EXPORT void corset_fake_set_link(struct corset_fake_api *cluster,
                                        enum corset_fake_link link);

/*
 * What corset_cluster_health() says in the runs that follow. Without it a connected cluster was
 * probed successfully when the run began, and a disconnected one has failed once.
 */
CORSET_EXPORT void corset_fake_set_health(struct corset_fake_api *cluster,
                                          const struct corset_cluster_health *health);

/* ---- Objects. ---- */

/*
 * Creates or replaces objects, with their status. They are no writes of a controller. The text has
 * one document of YAML or JSON, or several with "---" between them; so has the file.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_fake_put(struct corset_fake_api *api, const struct corset_object *object);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_fake_put_yaml(struct corset_fake_api *api,
                                                                        const char *text);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_fake_put_file(struct corset_fake_api *api,
                                                                        const char *path);

/* As a request: finalizers keep the object. The error for one that does not exist is "NotFound". */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_fake_delete(struct corset_fake_api *api,
                                                                      const struct corset_id *id);

/* The object as it is now; NULL if there is none. It lives as long as the world. */
CORSET_EXPORT const struct corset_object *corset_fake_get(struct corset_fake_api *api,
                                                          const struct corset_id *id);

/*
 * The objects of a kind, in the order of namespaces and names: their number, and each of them.
 * Those of one namespace, or all if that is NULL. The name of the id is not used.
 */
CORSET_EXPORT size_t corset_fake_count(struct corset_fake_api *api, const struct corset_id *id);
CORSET_EXPORT const struct corset_object *corset_fake_at(struct corset_fake_api *api,
                                                         const struct corset_id *id, size_t index);

/*
 * Requests of runs that were to write and were not refused, since the world was made: status,
 * finalizers and Events included, and also those that changed nothing.
 */
CORSET_EXPORT size_t corset_fake_writes(const struct corset_fake_api *api);

/* ---- Runs and events. ---- */

/* What the queue of a process would do with the owner after the run. */
struct corset_fake_result {
    bool is_again;    /* another run follows without an event */
    int64_t after_ms; /* so much later; 0: after the back-off */
};

/*
 * One run for one owner, as an event would start it. What the run writes may be an event that
 * starts another run: call this again. An owner that does not exist is no error; nothing is called
 * then.
 *
 * Returned is what a process would count and log: errors that are unclassified or unrecoverable. An
 * error that asks to be tried again later is in the status of the owner alone, and in ret_result,
 * which may be NULL.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_fake_run(struct corset_fake *fake, const struct corset_controller *controller,
                const char *name_space, const char *name, struct corset_fake_result *ret_result);

/*
 * Something that happens in a workload cluster: an object that is new (old is NULL), has changed,
 * or is deleted (now is NULL). Without both, the cluster was connected or disconnected.
 */
struct corset_fake_event {
    const char *cluster_namespace, *cluster_name;
    const struct corset_object *old, *now;
};

/*
 * The owners that an event leads to, "namespace/name" with blanks between them, by filter and map
 * of the controller's watches and source: "" for an event that leads to none. NULL if the
 * controller does not hear of the event: it watches no such kind, or has no source. Watches are
 * those of the description and those that its runs here have asked for, in whatever cluster. A
 * connect and a disconnect need the Cluster on the API server. Nothing is written. The text lives
 * as long as the world.
 */
CORSET_EXPORT const char *corset_fake_owners(struct corset_fake *fake,
                                             const struct corset_controller *controller,
                                             const struct corset_fake_event *event);

CORSET_END

#endif
