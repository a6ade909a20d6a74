/*
 * Does by hand what an API server does when a ConfigMap or Secret is created: checks the types of
 * its maps, and moves stringData into data.
 */
#include "clusterresourceset/types/content_resources.h"

#include "base/base64.h"
#include "clusterresourceset/types/content_text.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "json/edit.h"
#include "json/yaml/manifest.h"

/* Members that must be maps from names to strings. */
static const struct str text_maps[] = {
    STR_INIT("data"),
    STR_INIT("binaryData"),
    STR_INIT("stringData"),
};

static bool is_secret(const struct object *object)
{
    return str_eq(object_kind(object), STR("Secret"));
}

static struct error *check_kind(const struct object *object)
{
    const struct str version = object_api_version(object), kind = object_kind(object);
    if (str_eq(version, STR("v1")) && (is_secret(object) || str_eq(kind, STR("ConfigMap"))))
        return NULL;
    return error_new(ERROR_INVALID, "neither a ConfigMap nor a Secret of v1");
}

static struct error *check_texts(const struct object *object, struct str name)
{
    const struct json_value *map = json_get(object_root(object), name), *value;
    const enum json_type type = json_type(map);
    if (type != JSON_ABSENT && type != JSON_NULL && type != JSON_OBJECT)
        return error_new(ERROR_INVALID, "%.*s is %s, not an object", STR_ARG(name),
                         json_type_name(type));
    JSON_FOREACH (key, value, map)
        if (json_type(value) != JSON_STRING && json_type(value) != JSON_NULL)
            return error_new(ERROR_INVALID, "%.*s[%.*s] is %s, not text", STR_ARG(name),
                             STR_ARG(key), json_type_name(json_type(value)));
    return NULL;
}

/* Moves stringData into data, as an API server does: stringData wins for a key that is in both. */
static struct error *fold_string_data(const struct object *secret, struct object **ret_object)
{
    const struct json_value *texts = json_get(object_root(secret), STR("stringData")), *value;
    SCOPED(json_edit) edit;
    OWNED(json_doc) doc = NULL;
    json_edit_init(&edit, object_root(secret));
    if (json_type(json_get(object_root(secret), STR("data"))) == JSON_NULL)
        json_edit_remove(&edit, JSON_PLACE("data"));
    JSON_FOREACH (key, value, texts) {
        SCOPED(buf) encoded = {.secret = true};
        base64_encode(&encoded, json_to_str(value));
        json_edit_set_str(&edit, JSON_PLACE_KEY("data", key), buf_str(&encoded));
    }
    json_edit_remove(&edit, JSON_PLACE("stringData"));
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

/* What an API server does on create: checks, and for a Secret the folding. */
static struct error *normalize_resource(struct content_item *item)
{
    TRY(check_kind(item->object));
    for (size_t i = 0; i < COUNT(text_maps); i++)
        TRY(check_texts(item->object, text_maps[i]));
    if (!is_secret(item->object))
        return NULL;
    struct object *folded;
    TRY(fold_string_data(item->object, &folded));
    object_free(item->object);
    item->object = folded;
    return NULL;
}

/* The same, with the document and the object in front of the error. */
static struct error *normalize_item(struct content_item *item)
{
    const struct key key = object_key(item->object);
    const struct str kind = object_kind(item->object);
    return error_wrap(normalize_resource(item), "document %zu: %.*s %.*s%s%.*s", item->document,
                      STR_ARG(kind.len ? kind : STR("object")), STR_ARG(key.namespace),
                      key.namespace.len ? "/" : "", STR_ARG(key.name));
}

static bool is_set(const struct object *object)
{
    return str_eq(object_kind(object), STR("ClusterResourceSet")) &&
           str_starts_with(object_api_version(object), STR("addons.cluster.x-k8s.io/"));
}

static bool is_policy(const struct object *object)
{
    return str_eq(object_kind(object), STR(DELIVERY_POLICY_KIND)) &&
           str_eq(object_api_version(object), STR(DELIVERY_POLICY_API_VERSION));
}

static bool is_beside(const struct object *object)
{
    return is_set(object) || is_policy(object);
}

/* Lists are expanded before the checks: a List of ConfigMaps is as good as its items. */
static struct error *read_items(struct str text, struct str source, struct content_items *items)
{
    SCOPED(manifest_list) list = {0};
    struct manifest_fault fault = {0};
    OWNED(error) unread = manifest_read(text, NULL, &list, &fault);
    if (unread)
        return content_text_public(
            &(struct content_text){.err = unread, .fault = &fault, .secret = true});
    for (size_t i = 0; i < list.count; i++) {
        struct content_item item = {.key = source, .document = i + 1};
        TRY(object_from_doc(list.docs[i], &item.object));
        content_items_add(items, item);
    }
    TRY(content_items_expand(items, 0));
    for (size_t i = 0; i < items->count; i++)
        if (!is_beside(items->items[i].object))
            TRY(normalize_item(&items->items[i]));
    return NULL;
}

struct error *content_resources_read(struct str text, struct str source,
                                     struct content_items *items, struct content_items *policies)
{
    SCOPED(content_items) found = {0};
    TRY(read_items(text, source, &found));
    if (found.count == 0)
        return error_new(ERROR_INVALID, "no ConfigMap and no Secret in it");
    for (size_t i = 0; i < found.count; i++) {
        struct content_item item = found.items[i];
        struct content_items *list = is_policy(item.object) ? policies : items;
        if (is_set(item.object) || !list)
            continue;
        object_ref(item.object);
        content_items_add(list, item);
    }
    return NULL;
}
