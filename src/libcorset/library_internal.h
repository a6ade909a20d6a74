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
};

/* Reads the description and makes the framework. May be called again after a failure. Suspends. */
MUST_USE struct error *library_controller_open(struct library_controller *controller,
                                               struct loop *loop);
void library_controller_close(struct library_controller *controller);

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
