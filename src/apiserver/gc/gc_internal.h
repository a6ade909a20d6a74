/*
 * The parts of the garbage collector: the index of owners (gc.c), the queue of tasks (gc.c), and
 * the tasks themselves (gc_owners.c, gc_containers.c; gc_delete.c deletes for both).
 */
#pragma once

#include "apiserver/gc/gc.h"
#include "apiserver/registry/kind.h"
#include "async/scope.h"
#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

struct delete_options;
struct delete_result;

/* A task concerns one object. A task that finds nothing to do is harmless. */
enum gc_task {
    GC_TASK_OWNED,      /* an object with owners: check that they exist */
    GC_TASK_FOREGROUND, /* an object that waits for its dependents */
    GC_TASK_ORPHAN,     /* an object whose dependents are orphaned first */
    GC_TASK_NAMESPACE,  /* a namespace that is being deleted */
    GC_TASK_CRD,        /* a CustomResourceDefinition that is being deleted */
};

struct gc {
    struct api *api;
    struct map dependents; /* uid of an owner -> struct map of the ids of dependents */
    struct map going;      /* names of namespaces that wait for their content */
    struct map queue;      /* tasks to run, in order; see gc_queue() */
    struct scope scope;
    bool is_running;
};

/*
 * Queues a task for an object and starts the fiber if it is not running. A task that is queued
 * already is not added again.
 */
void gc_queue(struct gc *gc, enum gc_task task, struct store_id id);

/* An id as the key of a map, and back. The text lives in the arena. */
struct str gc_id_write(struct arena *arena, struct store_id id);
struct store_id gc_id_read(struct str text);

/* The ids of the dependents of an owner; NULL when there are none. */
const struct map *gc_dependents(const struct gc *gc, struct str uid);

/* A copy of them in the arena, because the index changes while the caller is suspended. */
struct store_id *gc_copy_dependents(const struct gc *gc, struct arena *arena, struct str uid,
                                    size_t *ret_count);

/* The tasks. Objects that were deleted meanwhile are no error. All suspend. */
MUST_USE struct error *gc_check_owned(struct gc *gc, struct store_id id);
MUST_USE struct error *gc_foreground(struct gc *gc, struct store_id id);
MUST_USE struct error *gc_orphan(struct gc *gc, struct store_id id);
MUST_USE struct error *gc_empty_namespace(struct gc *gc, struct str name);
MUST_USE struct error *gc_empty_definition(struct gc *gc, struct str name);

/* The kind whose objects are stored under a resource; NULL when it is not served. */
const struct kind *gc_kind(struct gc *gc, struct arena *arena, struct str resource);

/* References to owners, or dependents, that are followed in one turn of the loop. */
#define GC_OWNERS_AT_ONCE 256

/*
 * The id of the owner that a reference names. False when its kind is not served, or is namespaced
 * and the dependent is not.
 */
bool gc_owner(struct gc *gc, struct arena *arena, const struct json_value *reference,
              struct str namespace, struct store_id *ret_id);

/* Makes the changed object. NULL as the result means that nothing is to be done. */
typedef struct error *gc_edit_fn(void *data, const struct json_value *object,
                                 struct json_doc **ret_doc);
/*
 * Changes an object through api_decide(). Deletes it when no finalizer is left and deletion has
 * begun.
 */
MUST_USE struct error *gc_change(struct gc *gc, const struct kind *kind, struct store_id id,
                                 gc_edit_fn *edit, void *data);

/*
 * Deletes an object, or begins to. A Pod whose Node does not exist gets no time to end, because
 * nothing would end it; in Kubernetes the collector of Pods removes it. Suspends.
 */
MUST_USE struct error *gc_delete(struct gc *gc, const struct kind *kind, struct key key,
                                 struct delete_options options, struct delete_result *ret_result);

bool gc_has_finalizer(const struct json_value *object, struct str name);

/* Removes one finalizer. */
MUST_USE struct error *gc_release(struct gc *gc, const struct kind *kind, struct store_id id,
                                  struct str finalizer);
