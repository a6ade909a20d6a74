#include "apimachinery/object.h"

#include "base/memory.h"
#include "json/path.h"

struct object {
    size_t refs;
    struct json_doc *doc;
    const struct json_value *root, *metadata;
    struct str api_version, kind; /* from the root, or what object_from_part() was told */
};

static struct str or_default(const struct json_value *value, struct str fallback)
{
    return value ? json_to_str(value) : fallback;
}

struct error *object_from_part(struct json_doc *doc, const struct json_value *value,
                               struct str api_version, struct str kind, struct object **ret_object)
{
    if (json_type(value) != JSON_OBJECT)
        return error_new(ERROR_INVALID, "expected a Kubernetes object, found %s",
                         json_type_name(json_type(value)));
    struct object *object = NEW(struct object);
    *object = (struct object){
        .refs = 1,
        .doc = json_doc_ref(doc),
        .root = value,
        .metadata = json_get(value, STR("metadata")),
        .api_version = or_default(json_get(value, STR("apiVersion")), api_version),
        .kind = or_default(json_get(value, STR("kind")), kind),
    };
    *ret_object = object;
    return NULL;
}

struct error *object_from_doc(struct json_doc *doc, struct object **ret_object)
{
    return object_from_part(doc, json_doc_root(doc), STR(""), STR(""), ret_object);
}

struct error *object_read(struct str text, struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_read(text, &doc));
    return object_from_doc(doc, ret_object);
}

struct object *object_ref(struct object *object)
{
    object->refs++;
    return object;
}

void object_free(struct object *object)
{
    if (!object || --object->refs > 0)
        return;
    json_doc_free(object->doc);
    mem_free(object);
}

static void release_object(void *ptr)
{
    object_free(ptr);
}

struct object *object_hold(struct arena *arena, struct object *object)
{
    arena_hold(arena, release_object, object_ref(object));
    return object;
}

/* Adds the member to the open object unless its root has one of that name. */
static void add_missing(struct buf *out, const struct object *object, struct str name,
                        struct str value)
{
    if (value.len == 0 || json_get(object->root, name))
        return;
    if (buf_str(out).ptr[out->len - 1] != '{')
        buf_add_char(out, ',');
    buf_add_json_string(out, name);
    buf_add_char(out, ':');
    buf_add_json_string(out, value);
}

void object_write(struct buf *out, const struct object *object)
{
    SCOPED(buf) front = {.limit = 0};
    SCOPED(buf) rest = {.limit = 0};
    buf_add_char(&front, '{');
    add_missing(&front, object, STR("apiVersion"), object->api_version);
    add_missing(&front, object, STR("kind"), object->kind);
    if (front.len == 1) {
        json_write(out, object->root);
        return;
    }
    json_write(&rest, object->root);
    buf_add(out, buf_str(&front));
    if (json_count(object->root) > 0)
        buf_add_char(out, ',');
    buf_add(out, str_skip(buf_str(&rest), 1));
}

const struct json_value *object_root(const struct object *object)
{
    return object->root;
}

const struct json_value *object_metadata(const struct object *object)
{
    return object->metadata;
}

const struct json_value *object_spec(const struct object *object)
{
    return json_get(object->root, STR("spec"));
}

const struct json_value *object_status(const struct object *object)
{
    return json_get(object->root, STR("status"));
}

const struct json_value *object_path(const struct object *object, const char *path)
{
    return json_path(object->root, path);
}

struct str object_api_version(const struct object *object)
{
    return object->api_version;
}

struct str object_kind(const struct object *object)
{
    return object->kind;
}

struct gvk object_gvk(const struct object *object)
{
    struct gvk gvk = {.version = object->api_version, .kind = object->kind};
    error_free(gvk_from_api_version(object->api_version, object->kind, &gvk));
    return gvk;
}

static const struct json_value *metadata_get(const struct object *object, struct str name)
{
    return json_get(object->metadata, name);
}

struct str object_name(const struct object *object)
{
    return json_to_str(metadata_get(object, STR("name")));
}

struct str object_namespace(const struct object *object)
{
    return json_to_str(metadata_get(object, STR("namespace")));
}

struct str object_generate_name(const struct object *object)
{
    return json_to_str(metadata_get(object, STR("generateName")));
}

struct str object_uid(const struct object *object)
{
    return json_to_str(metadata_get(object, STR("uid")));
}

struct str object_resource_version(const struct object *object)
{
    return json_to_str(metadata_get(object, STR("resourceVersion")));
}

struct key object_key(const struct object *object)
{
    return (struct key){object_namespace(object), object_name(object)};
}

int64_t object_generation(const struct object *object)
{
    int64_t generation = 0;
    (void)json_to_int64(metadata_get(object, STR("generation")), &generation);
    return generation;
}

bool object_creation_timestamp(const struct object *object, timestamp *ret_time)
{
    return timestamp_read(json_to_str(metadata_get(object, STR("creationTimestamp"))), ret_time);
}

bool object_is_deleting(const struct object *object)
{
    return json_type(metadata_get(object, STR("deletionTimestamp"))) == JSON_STRING;
}

const struct json_value *object_labels(const struct object *object)
{
    return metadata_get(object, STR("labels"));
}

const struct json_value *object_annotations(const struct object *object)
{
    return metadata_get(object, STR("annotations"));
}

static bool find_str(const struct json_value *map, struct str key, struct str *ret_value)
{
    const struct json_value *value = json_get(map, key);
    if (json_type(value) != JSON_STRING)
        return false;
    *ret_value = json_to_str(value);
    return true;
}

bool object_find_label(const struct object *object, struct str key, struct str *ret_value)
{
    return find_str(object_labels(object), key, ret_value);
}

bool object_find_annotation(const struct object *object, struct str key, struct str *ret_value)
{
    return find_str(object_annotations(object), key, ret_value);
}

const struct json_value *object_finalizers(const struct object *object)
{
    const struct json_value *list = metadata_get(object, STR("finalizers"));
    return json_type(list) == JSON_ARRAY ? list : NULL;
}

const struct json_value *object_owner_references(const struct object *object)
{
    const struct json_value *list = metadata_get(object, STR("ownerReferences"));
    return json_type(list) == JSON_ARRAY ? list : NULL;
}

bool object_has_finalizer(const struct object *object, struct str finalizer)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, object_finalizers(object))
        if (json_type(value) == JSON_STRING && str_eq(json_to_str(value), finalizer))
            return true;
    return false;
}

bool object_find_controller(const struct object *object, struct owner_reference *ret_owner)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, object_owner_references(object)) {
        const struct owner_reference owner = owner_reference_from_value(value);
        if (owner.controller) {
            *ret_owner = owner;
            return true;
        }
    }
    return false;
}

struct owner_reference object_to_owner_reference(const struct object *object)
{
    return (struct owner_reference){.api_version = object->api_version,
                                    .kind = object->kind,
                                    .name = object_name(object),
                                    .uid = object_uid(object)};
}
