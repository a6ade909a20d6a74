/*
 * Warnings about definitions: formats that mean nothing, so that values are not checked.
 *
 * Upstream: WarningsOnCreate() and WarningsOnUpdate() of
 * k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition. An update is warned of
 * those that the definition did not have before.
 */
#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema/schema.h"
#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/quote.h"
#include "json/path.h"

/* Schemas that are still to be looked at; no recursion, as a definition may be deep. */
struct schema_list {
    const struct json_value **items;
    size_t count, capacity;
};

static void schema_list_done(struct schema_list *list)
{
    mem_free(list->items);
}

static void add_schema(struct schema_list *list, const struct json_value *schema)
{
    if (json_type(schema) == JSON_OBJECT)
        ARRAY_PUSH(list->items, list->count, list->capacity, schema);
}

/* The schemas below one. The other keywords with schemas are refused by validation. */
static void add_parts(struct schema_list *list, const struct json_value *schema)
{
    static const char *const single[] = {"items", "not", "additionalProperties"};
    static const char *const many[] = {"allOf", "anyOf", "oneOf", "properties"};
    const struct json_value *part;
    for (size_t i = 0; i < COUNT(single); i++)
        add_schema(list, json_path(schema, single[i]));
    for (size_t i = 0; i < COUNT(many); i++)
        JSON_FOREACH (key, part, json_path(schema, many[i]))
            add_schema(list, part);
}

/* The formats of all versions that are not known, each once. */
static void find_unknown(const struct json_value *definition, struct map *ret_formats)
{
    SCOPED(schema_list) list = {.items = NULL};
    const struct json_value *version;
    JSON_FOREACH (key, version, json_path(definition, "spec.versions"))
        add_schema(&list, json_path(version, "schema.openAPIV3Schema"));
    while (list.count > 0) {
        const struct json_value *schema = list.items[--list.count];
        const struct str format = json_to_str(json_get(schema, STR("format")));
        if (format.len && !schema_knows_format(json_to_str(json_get(schema, STR("type"))), format))
            map_put(ret_formats, format, NULL);
        add_parts(&list, schema);
    }
}

static void warn_of_format(struct json_warnings *warnings, struct str format)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("unrecognized format "));
    str_quote_go(&text, format);
    json_warn(warnings, buf_str(&text));
}

void definition_warn(const struct json_value *definition, const struct json_value *old,
                     struct json_warnings *warnings)
{
    SCOPED(map) before = {.release = NULL};
    SCOPED(map) now = {.release = NULL};
    find_unknown(definition, &now);
    if (map_count(&now) == 0)
        return;
    find_unknown(old, &before);
    MAP_FOREACH (entry, &now)
        if (!map_has(&before, map_key(entry)))
            warn_of_format(warnings, map_key(entry));
}
