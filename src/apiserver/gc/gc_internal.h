/*
 * The parts of the garbage collector: the index of owners, the queue of work, and the deeds.
 */
#pragma once

#include "apiserver/gc/gc.h"
#include "apiserver/registry/kind.h"
#include "async/scope.h"
#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

enum gc_task {
    GC_TASK_OWNED,      /* an object with owners: do they exist? */
    GC_TASK_FOREGROUND, /* an object that waits for its dependents */
    GC_TASK_ORPHAN,     /* an object whose dependents are to be set free first */
    GC_TASK_NAMESPACE,  /* a namespace that is going */
    GC_TASK_CRD,        /* a definition that is going */
};

struct gc {
    struct api *api;
    struct map dependents; /* uid of an owner -> struct map of the ids of dependents */
    struct map going;      /* names of namespaces that wait for their content */
    struct map queue;      /* tasks by their text; those to come, in order */
    struct scope scope;
    bool is_running;
};

/* A task for an object; one that waits already is not added twice. */
void gc_queue(struct gc *gc, enum gc_task task, struct store_id id);

/* An id as the key of a map, and back. The text lives in the arena. */
struct str gc_id_write(struct arena *arena, struct store_id id);
struct store_id gc_id_read(struct str text);

/* The dependents of an owner by their ids, NULL when there are none. */
const struct map *gc_dependents(const struct gc *gc, struct str uid);

/* The deeds. Objects that are gone meanwhile are no error. */
MUST_USE struct error *gc_check_owned(struct gc *gc, struct store_id id);
MUST_USE struct error *gc_foreground(struct gc *gc, struct store_id id);
MUST_USE struct error *gc_orphan(struct gc *gc, struct store_id id);
MUST_USE struct error *gc_empty_namespace(struct gc *gc, struct str name);
MUST_USE struct error *gc_empty_definition(struct gc *gc, struct str name);

/* The kind whose objects are stored under a resource; NULL when there is none. */
const struct kind *gc_kind(struct gc *gc, struct arena *arena, struct str resource);

/*
 * The id of an owner that a reference names; false when its kind is not known, or lives in
 * namespaces and the dependent does not.
 */
bool gc_owner(struct gc *gc, struct arena *arena, const struct json_value *reference,
              struct str namespace, struct store_id *ret_id);

/* Changes an object; what no finalizer holds any more goes. NULL as the result: nothing to do. */
typedef struct error *gc_edit_fn(void *data, const struct json_value *object,
                                 struct json_doc **ret_doc);
MUST_USE struct error *gc_change(struct gc *gc, const struct kind *kind, struct store_id id,
                                 gc_edit_fn *edit, void *data);

/* Takes one finalizer away. */
MUST_USE struct error *gc_release(struct gc *gc, const struct kind *kind, struct store_id id,
                                  struct str finalizer);
