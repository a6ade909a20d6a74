/*
 * What the sources behind the public headers share.
 *
 * Errors, runs and nodes of the public headers are those of the framework under another name: a
 * cast converts them, and the public types are never defined. Objects are wrapped, because authors
 * change them and read C strings from them. Graphs are wrapped, because a node needs its run.
 */
#pragma once

#include <corset/corset.h>
#include <stdarg.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "framework/framework.h"
#include "json/edit.h"

struct corset_object {
    struct object *object; /* never NULL; without the changes that are being made */
    struct json_edit edit; /* changes, while is_editing */
    struct map texts;      /* hash -> struct library_text */
    struct error *problem; /* the first */
    bool is_editing;
    bool is_heap; /* the caller's to free */
};

struct corset_graph {
    struct graph *graph;
    struct framework_run *run;
};

/* The queue that a map function adds owners to, and the priority of the event. */
struct corset_keys {
    struct queue *queue;
    int priority;
};

/* A watch in workload clusters that was asked for, and the controller its events lead to. */
struct library_cluster_watch {
    struct library_cluster_watch *next;
    struct library_controller *controller;
    const struct corset_cluster_watch *watch;
};

/* A controller as its author described it, and the objects it runs with. */
struct library_controller {
    const struct corset_controller *description;
    struct gvk owner;
    struct framework_watch *watches;
    struct framework *framework;

    struct client *client;
    struct discovery *discovery;
    struct cache_set *caches;
    struct metrics *metrics;
    struct recorder *recorder;

    struct clustercache *clusters;                 /* NULL: this process has no workload clusters */
    struct queue *queue;                           /* of the controller, while the manager has it */
    struct library_cluster_watch *cluster_watches; /* that were asked for; a list */
};

/* Reads the description and makes the framework. May be called again after a failure. Suspends. */
MUST_USE struct error *library_controller_open(struct library_controller *controller,
                                               struct loop *loop);
void library_controller_close(struct library_controller *controller);

/*
 * Workload clusters, in corset_clusters.c. The options may be NULL; members of the environment that
 * come from the process are set by it.
 */
struct clustercache_options;
MUST_USE struct error *library_clusters_new(struct loop *loop, struct arena *arena,
                                            const struct corset_clusters_options *options,
                                            struct clustercache_options *environment,
                                            struct clustercache **ret_clusters);

/* The part of it that translates the options. */
MUST_USE struct error *library_clusters_read(struct arena *arena,
                                             const struct corset_clusters_options *options,
                                             struct clustercache_options *environment);

/* True if the description asks for workload clusters. */
bool library_clusters_are_wanted(const struct corset_controller *description);

/* Starts the watches of the description in every cluster. Called before anything runs. */
void library_clusters_add_controller(struct library_controller *controller);

/* Starts a watch on one cluster. The name is unique among those of the controller. */
MUST_USE struct error *library_clusters_watch(struct library_controller *controller,
                                              struct key cluster,
                                              const struct corset_cluster_watch *watch);

/* Adds the owners that an event in a cluster leads to. */
void library_clusters_map_event(const struct corset_cluster_watch *watch, struct key cluster,
                                const struct cache_event *event, struct queue *queue);

/* Adds the owners that a connect or disconnect leads to. */
void library_clusters_map_cluster(const struct corset_controller *description, bool owns_clusters,
                                  const struct object *cluster, struct corset_keys *keys);

/* After the connections have ended. */
void library_clusters_remove_controller(struct library_controller *controller);

/* Where requests of a run go: to the API server of the manager, or to a workload cluster. */
struct library_server {
    struct library_controller *controller;
    struct arena *arena; /* of the run */
    struct client *client;
    struct discovery *discovery;
};

/* The functions of corset/client.h for one server, without a cache. All of them suspend. */
struct client_list_sink;
MUST_USE struct error *library_send_get(const struct library_server *server,
                                        const struct corset_id *id,
                                        const struct corset_object **ret_object);
MUST_USE struct error *library_send_list(const struct library_server *server,
                                         const struct corset_id *id, const char *label_selector,
                                         const struct client_list_sink *sink);
MUST_USE struct error *library_send_create(const struct library_server *server,
                                           const struct corset_object *object,
                                           const struct corset_object **ret_object);
MUST_USE struct error *library_send_apply(const struct library_server *server,
                                          const struct corset_object *object,
                                          const struct corset_object **ret_object);
MUST_USE struct error *library_send_patch(const struct library_server *server,
                                          const struct corset_id *id, const char *subresource,
                                          const char *text,
                                          const struct corset_object **ret_object);
MUST_USE struct error *library_send_delete(const struct library_server *server,
                                           const struct corset_id *id);

struct key library_key(const struct corset_id *id);

/* ERROR_INVALID if one of the texts is missing. The texts are borrowed. */
MUST_USE struct error *library_read_kind(const char *api_version, const char *kind,
                                         struct gvk *ret_gvk);

static inline struct error *library_error(struct corset_error *err)
{
    return (struct error *)err;
}

static inline struct corset_error *library_error_out(struct error *err)
{
    return (struct corset_error *)err;
}

static inline struct framework_run *library_run(struct corset_run *run)
{
    return (struct framework_run *)run;
}

static inline struct corset_run *library_run_out(struct framework_run *run)
{
    return (struct corset_run *)run;
}

static inline struct library_controller *library_controller(struct framework_run *run)
{
    return framework_data(run);
}

/* Wraps an object for as long as the arena lives. Takes a reference to the object. */
struct corset_object *library_wrap(struct arena *arena, struct object *object);

/*
 * One side of an event as an object of the public type. NULL for a side that is absent or cannot be
 * read.
 */
struct corset_object *library_read_side(struct arena *arena, struct object_text *text);

/* Ends the edit, if there is one, and returns the object. It is borrowed until the next change. */
struct object *library_settle(const struct corset_object *object);

/* The same for functions that use the object: a copy of its problem, if it has one, is returned. */
MUST_USE struct error *library_use(const struct corset_object *object, struct object **ret_object);

/* A copy of the text as a C string that lives as long as the object. */
const char *library_keep(const struct corset_object *object, struct str text);

/* Appends what printf() would print, however long. */
void library_print(struct buf *out, const char *format, va_list args) PRINTF_LIKE(2, 0);

/* The value at a path of corset/object.h; NULL if there is none. */
const struct json_value *library_path(const struct json_value *value, const char *path);
