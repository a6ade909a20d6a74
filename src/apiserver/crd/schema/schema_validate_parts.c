/*
 * Checks of two kinds of parts, anywhere in an object: embedded resources
 * (x-kubernetes-embedded-resource) and lists of type set or map.
 *
 * Both walk over the containers that the schema describes (schema_walk.h), after the values
 * themselves have been validated; a value of the wrong type is skipped here, because it has been
 * reported. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/validation.go
 * and pkg/apiserver/schema/listtype/validation.go.
 */
#include "apimachinery/gvk.h"
#include "apimachinery/metadata_validation.h"
#include "apiserver/crd/schema/schema_walk.h"
#include "base/ascii.h"
#include "base/map.h"
#include "json/compare.h"

static struct str below(struct field_errors *errors, struct str path, const char *name)
{
    return path.len ? arena_print(errors->arena, "%.*s.%s", STR_ARG(path), name)
                    : arena_print(errors->arena, "%s", name);
}

static void check_api_version(struct field_errors *errors, struct str path,
                              const struct json_value *value)
{
    struct gvk gvk;
    if (json_type(value) != JSON_STRING) {
        field_errors_add_value(errors, FIELD_INVALID, path, value, STR("must be a string"));
    } else if (json_to_str(value).len == 0) {
        field_errors_add_value(errors, FIELD_INVALID, path, value, STR("must not be empty"));
    } else {
        OWNED(error) err = gvk_from_api_version(json_to_str(value), STR(""), &gvk);
        if (err)
            field_errors_add_value(errors, FIELD_INVALID, path, value, str_from_c(err->message));
    }
}

/*
 * A kind is a DNS label in any case. The copy in lower case has room for one byte more than
 * allowed, which is enough to report that a kind is too long.
 */
static void check_kind(struct field_errors *errors, struct str path, const struct json_value *value)
{
    char lower[DNS1123_LABEL_MAX + 1];
    const struct str kind = json_to_str(value);
    if (json_type(value) != JSON_STRING) {
        field_errors_add_value(errors, FIELD_INVALID, path, value, STR("must be a string"));
        return;
    }
    if (kind.len == 0) {
        field_errors_add_value(errors, FIELD_INVALID, path, value, STR("must not be empty"));
        return;
    }
    const size_t len = kind.len < sizeof(lower) ? kind.len : sizeof(lower);
    for (size_t i = 0; i < len; i++)
        lower[i] = ascii_to_lower(kind.ptr[i]);
    const struct validation found = validation_dns1035_label(str_from(lower, len));
    if (found.count)
        field_errors_add_value(errors, FIELD_INVALID, path, value,
                               arena_print(errors->arena,
                                           "may have mixed case, but should otherwise match: %.*s",
                                           STR_ARG(found.messages[0])));
}

static void check_metadata(struct field_errors *errors, struct str path,
                           const struct json_value *metadata)
{
    if (json_type(metadata) != JSON_OBJECT)
        return; /* reported by the validation of values */
    const struct str name = json_to_str(json_get(metadata, STR("name")));
    if (name.len)
        metadata_check_name(errors, below(errors, path, "name"), name, validation_path_segment);
    metadata_check_generate_name(errors, below(errors, path, "generateName"),
                                 json_to_str(json_get(metadata, STR("generateName"))),
                                 validation_path_segment);
    metadata_check_labels(errors, below(errors, path, "labels"), json_get(metadata, STR("labels")));
    metadata_check_annotations(errors, below(errors, path, "annotations"),
                               json_get(metadata, STR("annotations")));
    metadata_check_owner_references(errors, below(errors, path, "ownerReferences"),
                                    json_get(metadata, STR("ownerReferences")));
}

/* apiVersion and kind are required in an embedded resource; metadata is checked if it is there. */
static void check_embedded(struct field_errors *errors, const struct schema_visit *visit)
{
    static const struct {
        struct str name;
        void (*check)(struct field_errors *errors, struct str path, const struct json_value *value);
        bool required;
    } parts[] = {
        {STR_INIT("apiVersion"), check_api_version, true },
        {STR_INIT("kind"),       check_kind,        true },
        {STR_INIT("metadata"),   check_metadata,    false},
    };
    for (size_t i = 0; i < COUNT(parts); i++) {
        const struct json_value *value = json_get(visit->value, parts[i].name);
        const struct str path = below(errors, visit->path, parts[i].name.ptr);
        if (value)
            parts[i].check(errors, path, value);
        else if (parts[i].required)
            field_errors_add(errors, FIELD_REQUIRED, path, STR(""));
    }
}

void schema_validate_embedded(const struct schema_node *root, const struct json_value *object,
                              struct field_errors *errors)
{
    SCOPED(schema_walk) walk = schema_walk_of(root, object);
    struct schema_visit visit;
    while (!field_errors_is_full(errors) && schema_walk_next(&walk, &visit))
        if (visit.node->embedded && json_type(visit.value) == JSON_OBJECT)
            check_embedded(errors, &visit);
}

/*
 * Writes the keys of an element of a list of type map as JSON. An absent key has the value of its
 * default.
 */
static void write_keys(struct buf *text, const struct schema_node *node,
                       const struct json_value *item)
{
    buf_add_char(text, '{');
    for (size_t i = 0; i < node->list_keys.count; i++) {
        const struct str key = node->list_keys.items[i];
        const struct json_value *value = json_get(item, key);
        if (!value)
            value = schema_default_value(schema_member(node->items, key));
        if (!value)
            continue;
        if (text->ptr[text->len - 1] != '{')
            buf_add_char(text, ',');
        buf_add_json_string(text, key);
        buf_add_char(text, ':');
        json_write_canonical(text, value);
    }
    buf_add_char(text, '}');
}

/* The message shows the element of a set, or the keys of an element of a map. */
static void add_duplicate(struct field_errors *errors, const struct schema_visit *visit,
                          size_t index, struct str text)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(text, &doc);
    if (err)
        return; /* write_keys() writes JSON; only a size limit could refuse it */
    field_errors_add_value(errors, FIELD_DUPLICATE,
                           arena_print(errors->arena, "%.*s[%zu]", STR_ARG(visit->path), index),
                           json_doc_root(doc), STR(""));
}

/* Finds duplicates by the canonical JSON of elements or of their keys, in linear time. */
static void check_list(struct field_errors *errors, const struct schema_visit *visit)
{
    SCOPED(map) seen = {.release = NULL};
    SCOPED(buf) text = {.limit = 0};
    const bool is_map = visit->node->list_type == SCHEMA_LIST_MAP;
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, visit->value) {
        const size_t at = index++;
        if (field_errors_is_full(errors))
            return;
        if (is_map && json_type(item) != JSON_OBJECT)
            continue; /* reported by the validation of values */
        buf_clear(&text);
        if (is_map)
            write_keys(&text, visit->node, item);
        else
            json_write_canonical(&text, item);
        if (map_has(&seen, buf_str(&text)))
            add_duplicate(errors, visit, at, buf_str(&text));
        else
            map_put(&seen, buf_str(&text), NULL);
    }
}

void schema_validate_lists(const struct schema_node *root, const struct json_value *object,
                           struct field_errors *errors)
{
    SCOPED(schema_walk) walk = schema_walk_of(root, object);
    struct schema_visit visit;
    while (!field_errors_is_full(errors) && schema_walk_next(&walk, &visit))
        if (json_type(visit.value) == JSON_ARRAY && visit.node->list_type != SCHEMA_LIST_ATOMIC)
            check_list(errors, &visit);
}
