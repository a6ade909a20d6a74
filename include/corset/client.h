/*
 * Requests to the API server: for custom nodes, for on_delete, and for build, which only reads.
 *
 * Most controllers need none of these functions, since the library reads and applies the objects
 * of the graph. All of them Wait, and return an error if the run is cancelled. An empty or NULL
 * namespace means none. Objects that come back live as long as the run; ret_object may be NULL.
 *
 * The error of a failed request is unclassified. corset_error_is(err, "NotFound") tells more.
 */
#ifndef CORSET_CLIENT_H
#define CORSET_CLIENT_H

#include <corset/error.h>
#include <corset/export.h>
#include <corset/object.h>

CORSET_BEGIN

struct corset_run;

/* Names an object. For kinds without namespaces, name_space is NULL or "". */
struct corset_id {
    const char *api_version; /* "apps/v1" */
    const char *kind;        /* "Deployment" */
    const char *name_space;
    const char *name;
};

/* From memory if the kind is watched, which may be a moment behind; from the server otherwise. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_get(struct corset_run *run, const struct corset_id *id,
           const struct corset_object **ret_object);

/*
 * Calls visit for every object of a kind with these labels ("app=web,tier!=db"; NULL: all), in one
 * namespace or, if that is NULL, in all. The name of the id is not used. Asks the server. An error
 * of visit ends the list and is returned.
 */
typedef struct corset_error *corset_visit_fn(void *data, const struct corset_object *object);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_list(struct corset_run *run,
                                                               const struct corset_id *id,
                                                               const char *label_selector,
                                                               corset_visit_fn *visit, void *data);

/* The object says where it belongs. As the controller's field manager. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_create(struct corset_run *run, const struct corset_object *object,
              const struct corset_object **ret_object);

/* Server-side apply, taking over fields that others manage. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_apply(struct corset_run *run, const struct corset_object *object,
             const struct corset_object **ret_object);

/* A merge patch, YAML or JSON; subresource "status" or NULL. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_patch(struct corset_run *run, const struct corset_id *id, const char *subresource,
             const char *patch, const struct corset_object **ret_object);

/*
 * An object that does not exist is no error. A finalizer may keep the object for a while
 * afterwards.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_delete(struct corset_run *run,
                                                                 const struct corset_id *id);

CORSET_END

#endif
