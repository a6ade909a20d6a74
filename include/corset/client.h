/*
 * Objects by hand: for custom nodes, for on_delete, and for build, which only reads.
 *
 * Most controllers need none of this: what is in the graph is read and applied by itself. All of
 * these Wait, and a loop that is cancelled gets an error from them. An empty or NULL namespace
 * means that there is none. What comes back lives as long as the loop; ret_object may be NULL.
 *
 * A failed request is unclassified. corset_error_is(err, "NotFound") and the like tell more.
 */
#ifndef CORSET_CLIENT_H
#define CORSET_CLIENT_H

#include <corset/error.h>
#include <corset/export.h>
#include <corset/object.h>

CORSET_BEGIN

struct corset_run;

/* Which object. Objects of kinds without namespaces have NULL there, or "". */
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
 * Every object of a kind with these labels ("app=web,tier!=db"; NULL: all), of one namespace or, if
 * that is NULL, of all; the id's name is not used. From the server. An error of visit ends it and
 * comes back.
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

/* One that is not there is no error. It may still be there afterwards if something holds it. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_delete(struct corset_run *run,
                                                                 const struct corset_id *id);

CORSET_END

#endif
