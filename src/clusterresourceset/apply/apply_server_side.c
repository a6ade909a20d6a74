#include "clusterresourceset/apply/apply_server_side.h"

#include "apimachinery/object_edit.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/field_manager.h"
#include "json/json.h"

/* Writers who come between: each time the server has already tried for itself. */
#define ATTEMPTS_MAX 3

/* What to do about an object that exists and cannot be changed. */
#define IMMUTABLE_HINT "; what cannot be changed is made anew once it is deleted in the cluster"

/* What a server leaves out when it refuses an apply that would create. */
#define CREATE_HINT "to apply an object that is not there takes the right to create it, too"

static const struct {
    const char *name;
    struct json_place place;
} server_fields[] = {
    {"managedFields",              JSON_PLACE("metadata.managedFields")             },
    {"resourceVersion",            JSON_PLACE("metadata.resourceVersion")           },
    {"uid",                        JSON_PLACE("metadata.uid")                       },
    {"creationTimestamp",          JSON_PLACE("metadata.creationTimestamp")         },
    {"generation",                 JSON_PLACE("metadata.generation")                },
    {"selfLink",                   JSON_PLACE("metadata.selfLink")                  },
    {"deletionTimestamp",          JSON_PLACE("metadata.deletionTimestamp")         },
    {"deletionGracePeriodSeconds", JSON_PLACE("metadata.deletionGracePeriodSeconds")},
};

struct error *apply_server_side_trim(const struct object *manifest,
                                     const struct discovery_mapping *mapping,
                                     struct object **ret_object)
{
    const struct json_value *root = object_root(manifest),
                            *metadata = json_get(root, STR("metadata"));
    bool is_trimmed = false;
    SCOPED(object_edit) edit;
    object_edit_init(&edit, manifest);
    for (size_t i = 0; i < COUNT(server_fields); i++) {
        if (!json_get(metadata, str_from_c(server_fields[i].name)))
            continue;
        json_edit_remove(&edit.json, server_fields[i].place);
        is_trimmed = true;
    }
    if (mapping->has_status && json_get(root, STR("status"))) {
        json_edit_remove(&edit.json, JSON_PLACE("status"));
        is_trimmed = true;
    }
    if (!mapping->namespaced && object_namespace(manifest).len) {
        json_edit_remove(&edit.json, JSON_PLACE("metadata.namespace"));
        is_trimmed = true;
    }
    return is_trimmed ? object_edit_finish(&edit, ret_object) : NULL;
}

/* Generated manifests have "creationTimestamp: null" and "status: {}", which say nothing. */
static bool is_filled_in(const struct json_value *value)
{
    switch (json_type(value)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return false;
    case JSON_OBJECT:
    case JSON_ARRAY:
        return json_count(value) > 0;
    default:
        return true;
    }
}

size_t apply_server_side_name_server_fields(const struct object *manifest, bool has_status,
                                            struct buf *out)
{
    const struct json_value *root = object_root(manifest),
                            *metadata = json_get(root, STR("metadata"));
    size_t count = 0;
    for (size_t i = 0; i < COUNT(server_fields); i++)
        if (is_filled_in(json_get(metadata, str_from_c(server_fields[i].name))))
            buf_print(out, "%smetadata.%s", count++ ? ", " : "", server_fields[i].name);
    if (has_status && is_filled_in(json_get(root, STR("status"))))
        buf_print(out, "%sstatus", count++ ? ", " : "");
    return count;
}

bool apply_server_side_is_unknown(const struct error *err)
{
    return error_is(err, ERROR_UNSUPPORTED_MEDIA_TYPE);
}

bool apply_server_side_is_untyped(const struct error *err)
{
    static const struct str words[] = {STR_INIT("failed to create typed patch object"),
                                       STR_INIT("duplicate entries for key")};
    if (!err || !err->http_status)
        return false;
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_contains(str_from_c(err->message), words[i]))
            return true;
    return false;
}

/* The error with more words, as an answer of the server all the same. Takes the error. */
static struct error *add_hint(struct error *err, const char *hint)
{
    struct error *told = error_new(err->code, "%s%s", err->message, hint);
    told->http_status = err->http_status;
    told->retry_after = err->retry_after;
    error_free(err);
    return told;
}

/* Takes the error, and returns it with what to do if it is about something that cannot change. */
static struct error *explain_immutable(struct error *err)
{
    const bool is_immutable =
        err && err->http_status && str_contains(str_from_c(err->message), STR("immutable"));
    return is_immutable ? add_hint(err, IMMUTABLE_HINT) : err;
}

struct error *apply_server_side_explain_create(struct error *err)
{
    const bool is_untold = error_is(err, ERROR_FORBIDDEN) && err->http_status &&
                           str_ends_with(str_trim(str_from_c(err->message)), STR("is forbidden:"));
    return is_untold ? add_hint(err, CREATE_HINT) : err;
}

/* A conflict of another kind: somebody created, changed or deleted it in this moment. */
static bool is_race(const struct error *err)
{
    return (error_is(err, ERROR_CONFLICT) && !field_manager_is_conflict(err)) ||
           error_is(err, ERROR_ALREADY_EXISTS);
}

struct error *apply_server_side(struct apply_object *apply, const struct discovery_mapping *mapping)
{
    struct client_write_options options = {.field_manager = apply->target->field_manager,
                                           .dry_run = apply->target->dry_run};
    OWNED(object) trimmed = NULL;
    struct error *err;
    apply->verb = APPLY_APPLYING;
    apply->result = APPLY_APPLIED;
    apply->taken_from = STR("");
    error_free(TAKE(apply->conflict));
    TRY(apply_server_side_trim(apply->object, mapping, &trimmed));
    const struct object *sent = trimmed ? trimmed : apply->object;
    for (int attempt = 1;; attempt++) {
        err = client_apply(apply->target->client, mapping->gvr, sent, &options,
                           apply_object_answer(apply));
        const bool is_conflict = field_manager_is_conflict(err) && !options.force;
        if (!is_conflict && (!is_race(err) || attempt == ATTEMPTS_MAX))
            return apply_server_side_explain_create(explain_immutable(err));
        if (is_conflict) {
            apply->taken_from = field_manager_conflicting_set(err, apply->arena);
            options.force = true;
            error_free(apply->conflict);
            apply->conflict = TAKE(err);
        }
        error_free(err);
    }
}
