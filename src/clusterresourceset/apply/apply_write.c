#include "clusterresourceset/apply/apply_write.h"

#include "apimachinery/object_edit.h"
#include "base/buf.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_difference.h"
#include "json/json.h"

struct gvk apply_write_gvk(const struct object *object)
{
    struct gvk gvk = {0};
    struct error *err = gvk_from_api_version(object_api_version(object), object_kind(object), &gvk);
    if (err)
        gvk = (struct gvk){0};
    error_free(err);
    return gvk;
}

enum apply_verb apply_write_first_verb(enum apply_strategy strategy)
{
    return strategy == APPLY_ONCE ? APPLY_CREATING : APPLY_READING;
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

static struct error *check_namespace(const struct apply_write *write,
                                     const struct discovery_mapping *mapping)
{
    if (!mapping->namespaced || object_namespace(write->object).len)
        return NULL;
    return error_new(ERROR_INVALID, "an empty namespace may not be set %s",
                     write->strategy == APPLY_ONCE ? "during creation"
                                                   : "when a resource name is provided");
}

/* What belongs to no namespace is sent without one: it would stand in the path. */
static struct error *without_namespace(const struct object *object, struct object **ret_object)
{
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    json_edit_remove(&edit.json, JSON_PLACE("metadata.namespace"));
    return object_edit_finish(&edit, ret_object);
}

static struct error *create(struct apply_write *write, const struct discovery_mapping *mapping)
{
    OWNED(object) moved = NULL;
    write->verb = APPLY_CREATING;
    write->result = APPLY_CREATED;
    if (!mapping->namespaced && object_namespace(write->object).len)
        TRY(without_namespace(write->object, &moved));
    return client_create(write->target->client, mapping->gvr, moved ? moved : write->object, NULL,
                         NULL);
}

static struct error *create_once(struct apply_write *write, const struct discovery_mapping *mapping)
{
    struct error *err = create(write, mapping);
    if (error_is(err, ERROR_ALREADY_EXISTS))
        write->result = APPLY_UNCHANGED;
    return error_ignore(err, ERROR_ALREADY_EXISTS);
}

static struct key live_key(const struct apply_write *write, const struct discovery_mapping *mapping)
{
    return (struct key){mapping->namespaced ? object_namespace(write->object) : STR(""),
                        object_name(write->object)};
}

static struct error *read_live(struct apply_write *write, const struct discovery_mapping *mapping,
                               struct object **ret_live)
{
    write->verb = APPLY_READING;
    return client_get(write->target->client, mapping->gvr, live_key(write, mapping), NULL,
                      ret_live);
}

static struct error *patch(struct apply_write *write, const struct discovery_mapping *mapping,
                           const struct object *live)
{
    SCOPED(buf) body = {.secret = true};
    OWNED(object) patched = NULL;
    bool differs;
    write->verb = APPLY_PATCHING;
    write->result = APPLY_UNCHANGED;
    TRY(apply_difference(object_root(live), object_root(write->object), &body, &differs));
    if (!differs)
        return NULL;
    TRY(client_patch(write->target->client, mapping->gvr, live_key(write, mapping),
                     CLIENT_PATCH_MERGE, buf_str(&body), NULL, &patched));
    /* Defaults that were taken away and came back are no change. */
    if (!str_eq(object_resource_version(live), object_resource_version(patched)))
        write->result = APPLY_CHANGED;
    return NULL;
}

/* A 404 that names nothing is about the resource: the kind is gone, or not yet served. */
static bool is_lost(const struct error *err)
{
    OWNED(json_doc) doc = NULL;
    if (!error_is(err, ERROR_NOT_FOUND) || discovery_is_no_match(err))
        return false;
    if (err->details)
        error_free(json_read(str_from_c(err->details), &doc));
    return json_to_str(json_get(json_doc_root(doc), STR("name"))).len == 0;
}

/* Sure: discovery has just confirmed the kind, so whatever 404 means the object. */
static struct error *reconcile(struct apply_write *write, const struct discovery_mapping *mapping,
                               bool sure)
{
    OWNED(object) live = NULL;
    struct error *err = read_live(write, mapping, &live);
    if (error_is(err, ERROR_NOT_FOUND) && (sure || !is_lost(err))) {
        error_free(err);
        err = create(write, mapping);
        if (!error_is(err, ERROR_ALREADY_EXISTS))
            return err;
        error_free(err);
        err = read_live(write, mapping, &live);
    }
    TRY(err);
    return patch(write, mapping, live);
}

/*
 * Most likely there is nothing yet, so that is tried first. A refusal may still come from an object
 * that is there: a fixed port that is taken, by it, is told before its name is.
 */
static struct error *reconcile_first(struct apply_write *write,
                                     const struct discovery_mapping *mapping)
{
    OWNED(object) live = NULL;
    struct error *err = create(write, mapping);
    if (!err || !err->http_status || is_lost(err))
        return err;
    OWNED(error) absent = read_live(write, mapping, &live);
    if (absent) {
        write->verb = APPLY_CREATING;
        return err;
    }
    error_free(err);
    return patch(write, mapping, live);
}

static struct error *attempt(struct apply_write *write, struct gvk gvk, bool sure)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    write->verb = apply_write_first_verb(write->strategy);
    TRY(discovery_find_kind(write->target->discovery, &arena, gvk, &mapping));
    TRY(check_namespace(write, &mapping));
    if (write->strategy == APPLY_ONCE)
        return create_once(write, &mapping);
    return write->target->is_first ? reconcile_first(write, &mapping)
                                   : reconcile(write, &mapping, sure);
}

struct error *apply_write_run(struct apply_write *write)
{
    const struct gvk gvk = apply_write_gvk(write->object);
    write->verb = apply_write_first_verb(write->strategy);
    TRY(check_type(gvk));
    struct error *err = attempt(write, gvk, false);
    if (!is_lost(err))
        return err;
    error_free(err);
    discovery_forget(write->target->discovery, gvk.group, gvk.version);
    return attempt(write, gvk, true);
}

/* JSON readers of old servers quote the text around a problem. */
static void drop_excerpt(const struct object *object, char *message)
{
    const struct gvk gvk = apply_write_gvk(object);
    const size_t begin = str_find(str_from_c(message), STR(", error found in #"));
    if (begin != STR_NONE && !gvk.group.len && str_eq(gvk.kind, STR("Secret")))
        message[begin] = '\0';
}

static void shorten(char *message)
{
    static const char dots[] = "…";
    if (strlen(message) <= APPLY_CAUSE_MAX)
        return;
    size_t end = APPLY_CAUSE_MAX - (sizeof(dots) - 1);
    while (end > 0 && ((unsigned char)message[end] & 0xC0U) == 0x80U)
        end--;
    memcpy(message + end, dots, sizeof(dots));
}

struct error *apply_write_explain(const struct object *object, enum apply_verb verb,
                                  struct error *cause)
{
    static const char *const verbs[] = {
        [APPLY_CREATING] = "creating", [APPLY_READING] = "reading", [APPLY_PATCHING] = "patching"};
    SCOPED(buf) name = {.limit = 0};
    const struct gvk gvk = apply_write_gvk(object);
    drop_excerpt(object, cause->message);
    shorten(cause->message);
    key_write(&name, object_key(object));
    return error_wrap(cause, "%s object %.*s/%.*s, Kind=%.*s %.*s", verbs[verb], STR_ARG(gvk.group),
                      STR_ARG(gvk.version), STR_ARG(gvk.kind), STR_ARG(buf_str(&name)));
}
