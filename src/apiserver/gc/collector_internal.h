/*
 * The collector's parts: the index of owners, the queue of work, and the deeds.
 */
#pragma once

#include "apiserver/gc/collector.h"
#include "apiserver/registry/kind.h"
#include "async/scope.h"
#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

enum chore {
    CHORE_OWNED,      /* an object with owners: do they exist? */
    CHORE_FOREGROUND, /* an object that waits for its dependents */
    CHORE_ORPHAN,     /* an object whose dependents are to be set free first */
    CHORE_NAMESPACE,  /* a namespace that is going */
    CHORE_DEFINITION, /* a definition that is going */
};

struct collector {
    struct api *api;
    struct map dependents; /* uid of an owner -> struct map of the ids of dependents */
    struct map going;      /* names of namespaces that wait for their content */
    struct map queue;      /* chores by their text; those to come, in order */
    struct scope scope;
    bool is_running;
};

/* A chore for an object; one that waits already is not added twice. */
void collector_queue(struct collector *collector, enum chore chore, struct store_id id);

/* An id as the key of a map, and back. The text lives in the arena. */
struct str collector_id_write(struct arena *arena, struct store_id id);
struct store_id collector_id_read(struct str text);

/* The dependents of an owner by their ids, NULL when there are none. */
const struct map *collector_dependents(const struct collector *collector, struct str uid);

/* The deeds. Objects that are gone meanwhile are no error. */
MUST_USE struct error *collector_check_owned(struct collector *collector, struct store_id id);
MUST_USE struct error *collector_foreground(struct collector *collector, struct store_id id);
MUST_USE struct error *collector_orphan(struct collector *collector, struct store_id id);
MUST_USE struct error *collector_empty_namespace(struct collector *collector, struct str name);
MUST_USE struct error *collector_empty_definition(struct collector *collector, struct str name);

/* The kind whose objects are stored under a resource; NULL when there is none. */
const struct kind *collector_kind(struct collector *collector, struct arena *arena,
                                  struct str resource);

/*
 * The id of an owner that a reference names; false when its kind is not known, or lives in
 * namespaces and the dependent does not.
 */
bool collector_owner(struct collector *collector, struct arena *arena,
                     const struct json_value *reference, struct str namespace,
                     struct store_id *ret_id);

/* Changes an object; what no finalizer holds any more goes. NULL as the result: nothing to do. */
typedef struct error *collector_edit_fn(void *data, const struct json_value *object,
                                        struct json_doc **ret_doc);
MUST_USE struct error *collector_change(struct collector *collector, const struct kind *kind,
                                        struct store_id id, collector_edit_fn *edit, void *data);

/* Takes one finalizer away. */
MUST_USE struct error *collector_release(struct collector *collector, const struct kind *kind,
                                         struct store_id id, struct str finalizer);
