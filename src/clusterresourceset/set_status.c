/*
 * The kinds of writes to a set. Each of them follows the same scheme: edit a copy, send the
 * difference as a merge patch that names the version of the copy, and after a conflict read the set
 * and begin again.
 */
#include "clusterresourceset/set_status.h"

#include "apimachinery/guarded_patch.h"
#include "apimachinery/object_edit.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/buf.h"
#include "base/random.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/crs_spec.h"
#include "json/edit.h"

#define ATTEMPTS  5
#define PAUSE_MIN (100 * MILLISECOND)
#define GRACE     (8 * SECOND) /* a write that has begun may end although the process stops */

/* The conditions that one list of the status shall contain. */
struct wanted_conditions {
    const char *path;
    enum condition_form form;
    const struct condition *conditions;
    size_t count;
    const struct str *dropped; /* types that shall not be there */
    size_t dropped_count;
};

/*
 * Builds the list with the wanted conditions in it. *ret_doc stays NULL if the list has them all,
 * whatever their order. A list that cannot be read is replaced: it would stop us for good.
 */
static struct error *build_list(const struct object *object, const struct wanted_conditions *wanted,
                                timestamp now, struct arena *arena, struct json_doc **ret_doc)
{
    struct condition_list list;
    struct error *err =
        condition_list_read(arena, wanted->form, object_path(object, wanted->path), &list);
    if (err) {
        error_free(err);
        TRY(condition_list_read(arena, wanted->form, NULL, &list));
    }
    for (size_t i = 0; i < wanted->count; i++)
        condition_list_set(&list, &wanted->conditions[i], now);
    for (size_t i = 0; i < wanted->dropped_count; i++)
        condition_list_remove(&list, wanted->dropped[i]);
    if (!list.changed)
        return NULL;
    condition_list_sort(&list);
    return condition_list_build(&list, ret_doc);
}

static struct error *edit_status(struct crs_set *set, const struct object *object,
                                 const struct set_status *status, struct json_doc **ret_after)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) conditions = NULL;
    OWNED(json_doc) deprecated = NULL;
    const timestamp now = loop_wall(set_controllers(set)->loop);
    json_edit_init(&edit, object_root(object));
    if (status->count) {
        const struct wanted_conditions wanted = {"status.conditions", CONDITION_METAV1,
                                                 status->conditions,  status->count,
                                                 status->dropped,     status->dropped_count};
        TRY(build_list(object, &wanted, now, &arena, &conditions));
        if (conditions)
            json_edit_set(&edit, JSON_PLACE("status.conditions"), json_doc_root(conditions));
    }
    if (status->v1beta1) {
        const struct wanted_conditions wanted = {
            "status.deprecated.v1beta1.conditions", CONDITION_V1BETA1, status->v1beta1, 1, NULL, 0};
        TRY(build_list(object, &wanted, now, &arena, &deprecated));
        if (deprecated)
            json_edit_set(&edit, JSON_PLACE("status.deprecated.v1beta1.conditions"),
                          json_doc_root(deprecated));
    }
    if (status->observed_generation)
        json_edit_set_int(&edit, JSON_PLACE("status.observedGeneration"),
                          status->observed_generation);
    return json_edit_finish(&edit, ret_after);
}

/* The answer is the newest copy of the set: the next write is based on it. */
static struct error *send_patch(struct crs_set *set, struct str subresource, struct str body)
{
    OWNED(object) written = NULL;
    const struct client_write_options options = {.subresource = subresource};
    FIBER_GRACE(GRACE);
    TRY(client_patch(set_controllers(set)->options.client, GVR_CLUSTER_RESOURCE_SETS, set_key(set),
                     CLIENT_PATCH_MERGE, body, &options, &written));
    set_put_object(set, written);
    return NULL;
}

static struct error *refresh_set(struct crs_set *set)
{
    OWNED(object) fresh = NULL;
    TRY(client_get(set_controllers(set)->options.client, GVR_CLUSTER_RESOURCE_SETS, set_key(set),
                   NULL, &fresh));
    if (!str_eq(object_uid(fresh), object_uid(set_object(set))))
        return error_new(ERROR_NOT_FOUND, "the set is another one of the same name");
    set_put_object(set, fresh);
    return NULL;
}

static struct error *patch_status(struct crs_set *set, const struct set_status *status)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) after = NULL;
    OWNED(object) before = object_ref(set_object(set)); /* send_patch() replaces the copy */
    TRY(edit_status(set, before, status, &after));
    TRY(guarded_patch_write(before, json_doc_root(after), &text));
    return text.len ? send_patch(set, STR("status"), buf_str(&text)) : NULL;
}

/* The pause is random, so that two writers in conflict do not meet again. */
struct error *set_write_status(struct crs_set *set, const struct set_status *status)
{
    struct random *random = loop_random(set_controllers(set)->loop);
    struct error *err = patch_status(set, status);
    for (size_t i = 1; i < ATTEMPTS && error_is(err, ERROR_CONFLICT); i++) {
        error_free(TAKE(err));
        TRY(fiber_sleep(PAUSE_MIN + (duration)random_below(random, PAUSE_MIN)));
        TRY(refresh_set(set));
        err = patch_status(set, status);
    }
    return err;
}

/* Caches hold no managedFields. */
struct error *set_find_rival(struct crs_set *set, struct arena *arena, struct str *ret_manager)
{
    OWNED(object) fresh = NULL;
    TRY(client_get(set_controllers(set)->options.client, GVR_CLUSTER_RESOURCE_SETS, set_key(set),
                   NULL, &fresh));
    *ret_manager = arena_str(arena, rivalry_find_manager(fresh));
    return NULL;
}

/* A merge patch replaces the whole list of finalizers; the version protects those of others. */
static struct error *patch_finalizer(struct crs_set *set, bool present)
{
    SCOPED(object_edit) edit = {0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) before = object_ref(set_object(set)); /* send_patch() replaces the copy */
    OWNED(object) after = NULL;
    object_edit_init(&edit, before);
    const bool changed = present ? object_edit_add_finalizer(&edit, STR(CRS_FINALIZER))
                                 : object_edit_remove_finalizer(&edit, STR(CRS_FINALIZER));
    if (!changed)
        return NULL;
    TRY(object_edit_finish(&edit, &after));
    TRY(guarded_patch_write(before, object_root(after), &text));
    return send_patch(set, STR(""), buf_str(&text));
}

struct error *set_write_finalizer(struct crs_set *set, bool present)
{
    struct error *err = patch_finalizer(set, present);
    for (size_t i = 1; i < ATTEMPTS && error_is(err, ERROR_CONFLICT); i++) {
        error_free(TAKE(err));
        TRY(refresh_set(set));
        err = patch_finalizer(set, present);
    }
    return err;
}

static struct error *patch_annotation(struct crs_set *set, struct str name, struct str value)
{
    SCOPED(object_edit) edit = {0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) before = object_ref(set_object(set)); /* send_patch() replaces the copy */
    OWNED(object) after = NULL;
    object_edit_init(&edit, before);
    json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.annotations", name), value);
    TRY(object_edit_finish(&edit, &after));
    TRY(guarded_patch_write(before, object_root(after), &text));
    return text.len ? send_patch(set, STR(""), buf_str(&text)) : NULL;
}

struct error *set_write_annotation(struct crs_set *set, struct str name, struct str text)
{
    struct error *err = patch_annotation(set, name, text);
    if (!error_is(err, ERROR_CONFLICT))
        return err;
    OWNED(error) conflict = err;
    TRY(refresh_set(set));
    return TAKE(conflict);
}
