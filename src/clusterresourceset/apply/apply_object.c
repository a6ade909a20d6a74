/*
 * apply_object() looks up the resource of the object's kind by discovery, makes the requests, and
 * if the resource turns out not to be served, looks it up anew and begins again, once.
 *
 * The texts of errors are those of Cluster API and its client library where they have one.
 */
#include "clusterresourceset/apply/apply_object.h"

#include "apimachinery/object_edit.h"
#include "base/buf.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_difference.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/apply/apply_server_side.h"
#include "json/json.h"

/* What to do about objects that have no namespace and need one. */
#define NAMESPACE_HINT                                                     \
    "set metadata.namespace, or the annotation " CONTENT_DEFAULT_NAMESPACE \
    " of the ConfigMap or Secret"

struct str apply_verb_name(enum apply_verb verb)
{
    static const struct str names[] = {[APPLY_CREATING] = STR_INIT("creating"),
                                       [APPLY_READING] = STR_INIT("reading"),
                                       [APPLY_PATCHING] = STR_INIT("patching"),
                                       [APPLY_APPLYING] = STR_INIT("applying")};
    return names[verb];
}

struct gvk apply_object_gvk(const struct object *object)
{
    struct gvk gvk = {0};
    struct error *err = gvk_from_api_version(object_api_version(object), object_kind(object), &gvk);
    if (err)
        gvk = (struct gvk){0};
    error_free(err);
    return gvk;
}

enum apply_verb apply_object_first_verb(enum apply_strategy strategy)
{
    static const enum apply_verb verbs[] = {[APPLY_ONCE] = APPLY_CREATING,
                                            [APPLY_SERVER_SIDE] = APPLY_APPLYING,
                                            [APPLY_BY_POLICY] = APPLY_APPLYING,
                                            [APPLY_MERGE_PATCH] = APPLY_READING};
    return verbs[strategy];
}

static struct error *check_type(struct gvk gvk)
{
    if (!gvk.kind.len)
        return error_new(ERROR_INVALID,
                         "Object 'Kind' is missing in 'unstructured object has no kind'");
    if (!gvk.version.len)
        return error_new(ERROR_INVALID,
                         "Object 'apiVersion' is missing in 'unstructured object has no version'");
    return NULL;
}

void apply_object_done(struct apply_object *apply)
{
    object_free(TAKE(apply->placed));
    error_free(TAKE(apply->refusal));
    object_free(TAKE(apply->live));
    object_free(TAKE(apply->answer));
    error_free(TAKE(apply->conflict));
}

struct object **apply_object_answer(struct apply_object *apply)
{
    object_free(TAKE(apply->answer));
    return apply->target->dry_run ? &apply->answer : NULL;
}

/* Puts the object into the default namespace; from here on everything is about the copy. */
static struct error *place_object(struct apply_object *apply)
{
    SCOPED(object_edit) edit;
    object_edit_init(&edit, apply->object);
    json_edit_set_str(&edit.json, JSON_PLACE("metadata.namespace"), apply->default_namespace);
    TRY(object_edit_finish(&edit, &apply->placed));
    apply->object = apply->placed;
    return NULL;
}

/* Looks up the resource of the kind, and sees that the object has a namespace if it needs one. */
static struct error *find_mapping(struct apply_object *apply, struct gvk gvk, struct arena *arena,
                                  struct discovery_mapping *ret_mapping)
{
    apply->verb = apply_object_first_verb(apply->strategy);
    TRY(discovery_find_kind(apply->target->discovery, arena, gvk, ret_mapping));
    if (!ret_mapping->namespaced || object_namespace(apply->object).len)
        return NULL;
    if (apply->default_namespace.len)
        return place_object(apply);
    return error_new(ERROR_INVALID, "an empty namespace may not be set %s; " NAMESPACE_HINT,
                     apply->strategy == APPLY_ONCE ? "during creation"
                                                   : "when a resource name is provided");
}

/* An object of a cluster-scoped kind is sent without its namespace, which would be in the path. */
static struct error *without_namespace(const struct object *object, struct object **ret_object)
{
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    json_edit_remove(&edit.json, JSON_PLACE("metadata.namespace"));
    return object_edit_finish(&edit, ret_object);
}

static struct error *create_object(struct apply_object *apply,
                                   const struct discovery_mapping *mapping)
{
    OWNED(object) moved = NULL;
    apply->verb = APPLY_CREATING;
    apply->result = APPLY_CREATED;
    if (!mapping->namespaced && object_namespace(apply->object).len)
        TRY(without_namespace(apply->object, &moved));
    const struct client_write_options options = {.dry_run = apply->target->dry_run};
    return client_create(apply->target->client, mapping->gvr, moved ? moved : apply->object,
                         &options, apply_object_answer(apply));
}

static struct key live_key(const struct apply_object *apply,
                           const struct discovery_mapping *mapping)
{
    return (struct key){mapping->namespaced ? object_namespace(apply->object) : STR(""),
                        object_name(apply->object)};
}

static struct error *read_live(struct apply_object *apply, const struct discovery_mapping *mapping)
{
    apply->verb = APPLY_READING;
    object_free(TAKE(apply->live));
    return client_get(apply->target->client, mapping->gvr, live_key(apply, mapping), NULL,
                      &apply->live);
}

/* Sends what differs. A version that stays the same means that the server put its defaults back. */
static struct error *patch_object(struct apply_object *apply,
                                  const struct discovery_mapping *mapping)
{
    SCOPED(buf) body = {.secret = true};
    OWNED(object) patched = NULL;
    bool differs;
    apply->verb = APPLY_PATCHING;
    apply->result = APPLY_UNCHANGED;
    TRY(apply_difference(object_root(apply->live), object_root(apply->object), &body, &differs));
    if (!differs)
        return NULL;
    const struct client_write_options options = {.dry_run = apply->target->dry_run};
    TRY(client_patch(apply->target->client, mapping->gvr, live_key(apply, mapping),
                     CLIENT_PATCH_MERGE, buf_str(&body), &options, &patched));
    if (!str_eq(object_resource_version(apply->live), object_resource_version(patched)))
        apply->result = APPLY_CHANGED;
    struct object **answer = apply_object_answer(apply);
    if (answer)
        *answer = TAKE(patched);
    return NULL;
}

bool apply_object_is_resource_missing(const struct error *err)
{
    OWNED(json_doc) doc = NULL;
    if (!error_is(err, ERROR_NOT_FOUND) || discovery_is_no_match(err))
        return false;
    if (err->details)
        error_free(json_read(str_from_c(err->details), &doc));
    return json_to_str(json_get(json_doc_root(doc), STR("name"))).len == 0;
}

/* is_sure: discovery has just confirmed the kind, so that every 404 is about the object. */
static struct error *reconcile_object(struct apply_object *apply,
                                      const struct discovery_mapping *mapping, bool is_sure)
{
    struct error *err = read_live(apply, mapping);
    if (error_is(err, ERROR_NOT_FOUND) && (is_sure || !apply_object_is_resource_missing(err))) {
        error_free(err);
        err = create_object(apply, mapping);
        if (!error_is(err, ERROR_ALREADY_EXISTS))
            return err;
        error_free(err);
        err = read_live(apply, mapping);
    }
    TRY(err);
    return patch_object(apply, mapping);
}

/*
 * The answer to a POST that was made without looking first. For ApplyOnce an object that exists is
 * fine. For Reconcile it is patched, after any refusal: a server may complain about something else
 * before it gets to the name, say about a port of a Service that this very object has taken.
 */
static struct error *finish_create(struct apply_object *apply,
                                   const struct discovery_mapping *mapping, struct error *err)
{
    if (apply->strategy == APPLY_ONCE && error_is(err, ERROR_ALREADY_EXISTS))
        apply->result = APPLY_UNCHANGED;
    if (apply->strategy == APPLY_ONCE)
        return error_ignore(err, ERROR_ALREADY_EXISTS);
    if (!err || !err->http_status || apply_object_is_resource_missing(err))
        return err;
    OWNED(error) absent = read_live(apply, mapping);
    if (absent) {
        apply->verb = APPLY_CREATING;
        return err;
    }
    error_free(err);
    return patch_object(apply, mapping);
}

/* The first time there is most likely no object yet: a POST saves the GET. */
static bool creates_first(const struct apply_object *apply)
{
    return apply->strategy == APPLY_ONCE ||
           (apply->strategy == APPLY_MERGE_PATCH && apply->target->is_first);
}

/* For a dry run of server-side apply, whose answer does not tell what changed. Suspends. */
static struct error *look_at_live(struct apply_object *apply,
                                  const struct discovery_mapping *mapping)
{
    return apply->target->dry_run ? error_ignore(read_live(apply, mapping), ERROR_NOT_FOUND) : NULL;
}

/* By the strategy. An object that server-side apply does not take, or no server, is merged. */
static struct error *send_object(struct apply_object *apply,
                                 const struct discovery_mapping *mapping, bool is_sure)
{
    if (apply->strategy == APPLY_BY_POLICY) {
        TRY(look_at_live(apply, mapping));
        return apply_by_policy(apply, mapping);
    }
    if (creates_first(apply))
        return finish_create(apply, mapping, create_object(apply, mapping));
    if (apply->strategy == APPLY_SERVER_SIDE) {
        TRY(look_at_live(apply, mapping));
        struct error *err = apply_server_side(apply, mapping);
        if (!apply_server_side_is_unknown(err) && !apply_server_side_is_untyped(err))
            return err;
        error_free(apply->refusal);
        apply->refusal = err;
    }
    return reconcile_object(apply, mapping, is_sure);
}

struct error *apply_object(struct apply_object *apply)
{
    const struct gvk gvk = apply_object_gvk(apply->object);
    apply->verb = apply_object_first_verb(apply->strategy);
    TRY(check_type(gvk));
    for (bool is_sure = false;; is_sure = true) {
        SCOPED(arena) arena = {0};
        struct discovery_mapping mapping;
        struct error *err = find_mapping(apply, gvk, &arena, &mapping);
        if (!err)
            err = send_object(apply, &mapping, is_sure);
        if (is_sure || !apply_object_is_resource_missing(err))
            return err;
        error_free(err);
        discovery_forget(apply->target->discovery, gvk.group, gvk.version);
    }
}
