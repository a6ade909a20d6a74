/*
 * struct kind_ops for custom resources. The server calls these functions in the order in which they
 * stand here; kind.h says what each step is for.
 *
 *     decode_object    metadata by ObjectMeta, all else pruned by the schema
 *     default_object   defaults of the schema
 *     prepare_object   the defaulting webhook, then the status that a write may not change
 *     validate_object  the schema and its rules, ratcheting on updates, the fields of /scale
 *     present_object   from the stored version to that of the request
 *
 * An object may claim any apiVersion. Until validate_object() has compared it with the kind,
 * schemas are chosen by the version that the object names (version_named()).
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go and the decoder
 * in pkg/apiserver/customresource_handler.go.
 */
#include "apimachinery/status.h"
#include "apiserver/crd/crd_internal.h"
#include "apiserver/crd/scale_internal.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

/* Returns the document with another value at a place, or without one there if value is NULL. */
static struct error *with_member(struct json_doc *doc, struct json_place place,
                                 const struct json_value *value, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(doc));
    if (value)
        json_edit_set(&edit, place, value);
    else
        json_edit_remove(&edit, place);
    return json_edit_finish(&edit, ret_doc);
}

static struct error *decode_metadata(struct json_doc *doc, struct json_warnings *unknown,
                                     struct json_doc **ret_doc)
{
    const struct json_value *metadata = json_get(json_doc_root(doc), STR("metadata"));
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) clean = NULL;
    if (metadata) {
        TRY(crd_metadata_decode(metadata, unknown, &builder));
        TRY(json_builder_finish(&builder, &clean));
    }
    if (!metadata || json_equal(metadata, json_doc_root(clean))) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    return with_member(doc, JSON_PLACE("metadata"), json_doc_root(clean), ret_doc);
}

/* apiVersion and kind must be strings, or absent. */
static struct error *check_type_meta(const struct json_value *object, const char *name)
{
    const struct json_value *value = json_get(object, str_from_c(name));
    const enum json_type type = json_type(value);
    if (type == JSON_STRING || type == JSON_ABSENT || type == JSON_NULL)
        return NULL;
    return error_new(ERROR_BAD_REQUEST,
                     "couldn't get version/kind; json parse error: json: cannot unmarshal %s into "
                     "Go struct field .%s of type string",
                     crd_go_type(type), name);
}

/* Errors of the first step of decoding, which reads apiVersion and kind alone. */
static struct error *check_kind(const struct json_value *object)
{
    SCOPED(buf) text = {.limit = 0};
    if (json_type(object) != JSON_OBJECT)
        return error_new(ERROR_BAD_REQUEST, "couldn't get version/kind; json parse error: not an "
                                            "object");
    TRY(check_type_meta(object, "apiVersion"));
    TRY(check_type_meta(object, "kind"));
    if (json_path_str(object, "kind").len > 0)
        return NULL;
    json_write_with(&text, object, JSON_WRITE_NUMBERS_AS_READ);
    return error_new(ERROR_BAD_REQUEST, "Object 'Kind' is missing in '%.*s'",
                     STR_ARG(buf_str(&text)));
}

/* Prunes an object of a version without a schema: only apiVersion, kind and metadata stay. */
static struct error *prune_all(struct json_doc *doc, struct schema_unknown *unknown,
                               struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    const struct json_value *value;
    json_builder_object(&builder);
    JSON_FOREACH (key, value, json_doc_root(doc)) {
        if (str_eq(key, STR("apiVersion")) || str_eq(key, STR("kind")) ||
            str_eq(key, STR("metadata"))) {
            json_builder_key(&builder, key);
            json_builder_value(&builder, value);
        } else if (unknown) {
            schema_unknown_add(unknown, key);
        }
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

struct error *crd_prune(const struct crd_version *version, struct json_doc *doc,
                        struct schema_unknown *unknown, struct json_doc **ret_doc)
{
    if (!version || !version->schema)
        return prune_all(doc, unknown, ret_doc);
    return schema_prune(version->schema, doc, unknown, ret_doc);
}

/*
 * The version that the apiVersion of an object names; NULL when the definition has no such version.
 * False when group or kind are not those of the kind.
 */
static bool version_named(const struct kind *kind, const struct json_value *object,
                          const struct crd_version **ret_version)
{
    struct gvk gvk;
    OWNED(error)
    err = gvk_from_api_version(json_path_str(object, "apiVersion"), json_path_str(object, "kind"),
                               &gvk);
    if (err || !str_eq(gvk.group, kind->gvk.group) || !str_eq(gvk.kind, kind->gvk.kind))
        return false;
    *ret_version = crd_find_version(crd_of_kind(kind), gvk.version);
    return true;
}

/*
 * An object of another group or kind is not pruned: no schema describes it, and validation refuses
 * it.
 */
static struct error *decode_object(const struct kind *kind, struct json_doc *doc,
                                   struct json_warnings *unknown, struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {.limit = 0};
    struct schema_unknown found = {.arena = &arena};
    const struct crd_version *version;
    OWNED(json_doc) clean = NULL;
    TRY(check_kind(json_doc_root(doc)));
    TRY(decode_metadata(doc, unknown, &clean));
    if (!version_named(kind, json_doc_root(clean), &version)) {
        *ret_doc = TAKE(clean); /* validation refuses it */
        return NULL;
    }
    TRY(crd_prune(version, clean, unknown ? &found : NULL, ret_doc));
    for (size_t i = 0; i < found.count; i++)
        json_warn(unknown, arena_print(&arena, "unknown field \"%.*s\"", STR_ARG(found.paths[i])));
    return NULL;
}

static struct error *default_object(const struct kind *kind, struct json_doc *doc,
                                    struct json_doc **ret_doc)
{
    const struct crd_version *version;
    if (version_named(kind, json_doc_root(doc), &version) && version && version->schema)
        return schema_default(version->schema, doc, ret_doc);
    *ret_doc = json_doc_ref(doc);
    return NULL;
}

/* Upstream does not decode what it has merged, and so does not drop nulls from it. */
static struct error *default_applied(const struct kind *kind, struct json_doc *doc,
                                     struct json_doc **ret_doc)
{
    const struct crd_version *version;
    if (version_named(kind, json_doc_root(doc), &version) && version && version->schema)
        return schema_default_applied(version->schema, doc, ret_doc);
    *ret_doc = json_doc_ref(doc);
    return NULL;
}

/*
 * For a write to /status: the old object with the new status. managedFields are those of the
 * request; field ownership is worked out in a step of its own.
 */
static struct error *prepare_status(const struct json_value *old, const struct json_value *object,
                                    struct json_doc **ret_doc)
{
    static const struct json_place places[] = {{.path = "status"},
                                               {.path = "metadata.managedFields"}};
    SCOPED(json_edit) edit;
    json_edit_init(&edit, old);
    for (size_t i = 0; i < COUNT(places); i++) {
        const struct json_value *value = json_path(object, places[i].path);
        if (value)
            json_edit_set(&edit, places[i], value);
        else
            json_edit_remove(&edit, places[i]);
    }
    return json_edit_finish(&edit, ret_doc);
}

/*
 * For a write to the whole object: the status of the old object, or none on create, if the version
 * has /status.
 */
static struct error *keep_status(const struct crd_version *version, const struct json_value *old,
                                 struct json_doc *doc, struct json_doc **ret_doc)
{
    const struct json_value *status = json_get(json_doc_root(doc), STR("status"));
    const struct json_value *kept = json_get(old, STR("status"));
    if (!version->has_status || (!status && !kept)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    return with_member(doc, JSON_PLACE("status"), kept, ret_doc);
}

static struct error *prepare_object(const struct kind *kind, const struct kind_write *write,
                                    struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) extended = NULL;
    OWNED(json_doc) kept = NULL;
    if (write->old && str_eq(write->subresource, STR("status")))
        return prepare_status(write->old, json_doc_root(doc), ret_doc);
    TRY(crd_default_by_webhook(kind, write->subresource, doc, &extended));
    TRY(keep_status(crd_version_of(kind), write->old, extended, &kept));
    if (!kind->namespaced && json_path(json_doc_root(kept), "metadata.namespace"))
        return with_member(kept, JSON_PLACE("metadata.namespace"), NULL, ret_doc);
    *ret_doc = TAKE(kept);
    return NULL;
}

/*
 * False when apiVersion or kind are not those of the kind. Nothing else is looked at then. As
 * upstream, errors of the metadata are not reported beside that for a new object, but for an
 * update, where upstream has found them before.
 */
static bool check_type(const struct kind *kind, const struct kind_write *write,
                       const struct json_value *object, struct field_errors *errors)
{
    struct arena *arena = errors->arena;
    const struct str name = json_path_str(object, "kind");
    const struct str version = json_path_str(object, "apiVersion");
    const struct str wanted = gvk_api_version(arena, kind->gvk);
    const bool is_kind = str_eq(name, kind->gvk.kind), is_version = str_eq(version, wanted);
    if (is_kind && is_version)
        return true;
    if (!write->old)
        errors->count = 0;
    if (!is_kind)
        field_errors_add_str(errors, FIELD_INVALID, STR("kind"), name,
                             arena_print(arena, "must be %.*s", STR_ARG(kind->gvk.kind)));
    if (!is_version)
        field_errors_add_str(errors, FIELD_INVALID, STR("apiVersion"), version,
                             arena_print(arena, "must be %.*s", STR_ARG(wanted)));
    return false;
}

static void validate_object(const struct kind *kind, const struct kind_write *write,
                            const struct json_value *object, struct field_errors *errors)
{
    const struct crd_version *version = crd_version_of(kind);
    const bool is_status = str_eq(write->subresource, STR("status"));
    const enum schema_scope scope = is_status ? SCHEMA_STATUS : SCHEMA_OBJECT;
    if (!check_type(kind, write, object, errors))
        return;
    const size_t first = errors->count;
    if (version->schema)
        schema_validate(version->schema, object, scope, errors);
    if (!write->subresource.len)
        crd_check_rules(kind, object, errors);
    if (version->schema && write->old)
        crd_ratchet(version->schema, write->old, object, scope, first, errors);
    if (version->has_scale)
        scale_validate(&version->scale, object, is_status, errors);
}

/*
 * Stored objects are pruned and defaulted when they are read: the schema may have changed since
 * they were written. They are compared with the schema of the version they are stored in. Who may
 * not have them converted gets them as they are.
 */
static struct error *present_object(const struct kind *kind, struct json_doc *doc,
                                    struct json_doc **ret_doc)
{
    const struct crd_version *to = crd_version_of(kind), *from = NULL;
    OWNED(json_doc) pruned = NULL;
    OWNED(json_doc) full = NULL;
    if (crd_keeps_version(kind)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    version_named(kind, json_doc_root(doc), &from);
    TRY(crd_prune(from, doc, NULL, &pruned));
    if (from && from->schema)
        TRY(schema_default(from->schema, pruned, &full));
    else
        full = json_doc_ref(pruned);
    if (from != to)
        return crd_convert(to, full, ret_doc);
    *ret_doc = TAKE(full);
    return NULL;
}

struct error *crd_to_storage(const struct kind *kind, struct json_doc *doc,
                             struct json_doc **ret_doc)
{
    const struct crd_version *from = crd_version_of(kind);
    if (from != from->crd->storage && !crd_keeps_version(kind))
        return crd_convert(from->crd->storage, doc, ret_doc);
    *ret_doc = json_doc_ref(doc);
    return NULL;
}

struct error *crd_check_version(const struct kind *kind, const struct json_value *object)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct str version = json_path_str(object, "apiVersion");
    const struct str wanted = gvk_api_version(&arena, kind->gvk);
    if (str_eq(version, wanted))
        return NULL;
    return status_bad_request("the API version in the data (%.*s) does not match the expected API "
                              "version (%.*s)",
                              STR_ARG(version), STR_ARG(wanted));
}

const struct kind_ops crd_ops = {
    .decode = decode_object,
    .default_ = default_object,
    .default_applied = default_applied,
    .prepare = prepare_object,
    .validate = validate_object,
    .present = present_object,
    .cells = crd_cells,
};
