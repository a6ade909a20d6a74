/* What is written into a set: its conditions, the generation that was observed, our finalizer. */
#include "apimachinery/guarded_patch.h"
#include "apimachinery/object_edit.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/buf.h"
#include "base/random.h"
#include "client/client.h"
#include "clusterresourceset/crs_internal.h"
#include "json/edit.h"

#define ATTEMPTS  5
#define PAUSE_MIN (100 * MILLISECOND)
#define FAREWELL  (8 * SECOND)

/* What a list of conditions shall say. */
struct saying {
    const char *path;
    enum condition_form form;
    const struct condition *conditions;
    size_t count;
};

/* NULL for a list that says all this already, in whatever order others keep it. */
static struct error *build_list(const struct object *object, const struct saying *saying,
                                timestamp now, struct arena *arena, struct json_doc **ret_doc)
{
    struct condition_list list;
    struct error *err =
        condition_list_read(arena, saying->form, object_path(object, saying->path), &list);
    if (err) { /* somebody's malformed list is replaced: it would stop us for good */
        error_free(err);
        TRY(condition_list_read(arena, saying->form, NULL, &list));
    }
    for (size_t i = 0; i < saying->count; i++)
        condition_list_set(&list, &saying->conditions[i], now);
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
    const timestamp now = loop_wall(set->controllers->loop);
    json_edit_init(&edit, object_root(object));
    if (status->count) {
        const struct saying saying = {"status.conditions", CONDITION_METAV1, status->conditions,
                                      status->count};
        TRY(build_list(object, &saying, now, &arena, &conditions));
        if (conditions)
            json_edit_set(&edit, JSON_PLACE("status.conditions"), json_doc_root(conditions));
    }
    if (status->v1beta1) {
        const struct saying saying = {"status.deprecated.v1beta1.conditions", CONDITION_V1BETA1,
                                      status->v1beta1, 1};
        TRY(build_list(object, &saying, now, &arena, &deprecated));
        if (deprecated)
            json_edit_set(&edit, JSON_PLACE("status.deprecated.v1beta1.conditions"),
                          json_doc_root(deprecated));
    }
    if (status->observed_generation)
        json_edit_set_int(&edit, JSON_PLACE("status.observedGeneration"),
                          status->observed_generation);
    return json_edit_finish(&edit, ret_after);
}

static struct error *send(struct crs_set *set, struct str subresource, struct str body)
{
    OWNED(object) written = NULL;
    const struct client_write_options options = {.subresource = subresource};
    FIBER_GRACE(FAREWELL);
    TRY(client_patch(set->controllers->options.client, GVR_CLUSTER_RESOURCE_SETS, set_key(set),
                     CLIENT_PATCH_MERGE, body, &options, &written));
    set_put_object(set, written);
    return NULL;
}

static struct error *refresh(struct crs_set *set)
{
    OWNED(object) fresh = NULL;
    TRY(client_get(set->controllers->options.client, GVR_CLUSTER_RESOURCE_SETS, set_key(set), NULL,
                   &fresh));
    if (!str_eq(object_uid(fresh), object_uid(set->object)))
        return error_new(ERROR_NOT_FOUND, "the set is another one of the same name");
    set_put_object(set, fresh);
    return NULL;
}

static struct error *write_once(struct crs_set *set, const struct set_status *status)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) after = NULL;
    OWNED(object) before = object_ref(set->object);
    TRY(edit_status(set, before, status, &after));
    TRY(guarded_patch_write(before, json_doc_root(after), &text));
    return text.len ? send(set, STR("status"), buf_str(&text)) : NULL;
}

struct error *set_write_status(struct crs_set *set, const struct set_status *status)
{
    struct random *random = loop_random(set->controllers->loop);
    struct error *err = write_once(set, status);
    for (size_t i = 1; i < ATTEMPTS && error_is(err, ERROR_CONFLICT); i++) {
        error_free(TAKE(err));
        TRY(fiber_sleep(PAUSE_MIN + (duration)random_below(random, PAUSE_MIN)));
        TRY(refresh(set));
        err = write_once(set, status);
    }
    return err;
}

static struct error *change_finalizer(struct crs_set *set, bool present)
{
    SCOPED(object_edit) edit = {0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) before = object_ref(set->object);
    OWNED(object) after = NULL;
    object_edit_init(&edit, before);
    const bool changed = present ? object_edit_add_finalizer(&edit, STR(CRS_FINALIZER))
                                 : object_edit_remove_finalizer(&edit, STR(CRS_FINALIZER));
    if (!changed)
        return NULL;
    TRY(object_edit_finish(&edit, &after));
    TRY(guarded_patch_write(before, object_root(after), &text));
    return send(set, STR(""), buf_str(&text));
}

/* With the version in it the list of others is safe; who was faster is read and joined. */
struct error *set_write_finalizer(struct crs_set *set, bool present)
{
    struct error *err = change_finalizer(set, present);
    for (size_t i = 1; i < ATTEMPTS && error_is(err, ERROR_CONFLICT); i++) {
        error_free(TAKE(err));
        TRY(refresh(set));
        err = change_finalizer(set, present);
    }
    return err;
}
