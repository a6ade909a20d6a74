/*
 * Resources in canonical form. Both kinds of documents are read into raw_resource first; then
 * add_resource() checks and converts it. Resources are sorted by name and short names keep their
 * order, so that equal APIs give equal tables in whatever order a server lists its resources.
 */
#include "client/discovery/discovery_resources.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "client/discovery/discovery.h"
#include "client/discovery/discovery_read.h"

/* The longest name of any object in Kubernetes. Resources and kinds have far shorter names. */
#define NAME_MAX_LEN 253

/* A field of the wrong type is an error of the server, not invalid input of a user. */
struct error *discovery_read_fields(struct arena *arena, const struct json_value *value,
                                    const struct json_field *fields, size_t count, void *out)
{
    struct error *err = json_read_fields(arena, value, fields, count, out);
    if (err && err->code == ERROR_INVALID)
        err->code = ERROR_PROTOCOL;
    return err;
}

static const struct {
    struct str name;
    uint8_t bit;
} verbs[] = {
    {STR_INIT("get"),              DISCOVERY_GET             },
    {STR_INIT("list"),             DISCOVERY_LIST            },
    {STR_INIT("watch"),            DISCOVERY_WATCH           },
    {STR_INIT("create"),           DISCOVERY_CREATE          },
    {STR_INIT("update"),           DISCOVERY_UPDATE          },
    {STR_INIT("patch"),            DISCOVERY_PATCH           },
    {STR_INIT("delete"),           DISCOVERY_DELETE          },
    {STR_INIT("deletecollection"), DISCOVERY_DELETECOLLECTION},
};

/* Verbs that lookups do not know are ignored. */
static uint8_t verb_bits(const struct json_strings *names)
{
    unsigned bits = 0;
    for (size_t i = 0; i < names->count; i++)
        for (size_t j = 0; j < COUNT(verbs); j++)
            if (str_eq(names->items[i], verbs[j].name))
                bits |= verbs[j].bit;
    return (uint8_t)bits;
}

/* The union of the fields of both kinds of documents. */
struct raw_resource {
    struct str name, singular, kind;
    struct json_strings verbs, short_names;
    bool namespaced;
    struct str scope;
    const struct json_value *subresources;
};

#define AT(member) offsetof(struct raw_resource, member)

static const struct json_field plain_fields[] = {
    {"name",         json_read_str,     AT(name),        JSON_OPTIONAL},
    {"singularName", json_read_str,     AT(singular),    JSON_OPTIONAL},
    {"kind",         json_read_str,     AT(kind),        JSON_OPTIONAL},
    {"namespaced",   json_read_bool,    AT(namespaced),  JSON_OPTIONAL},
    {"verbs",        json_read_strings, AT(verbs),       JSON_OPTIONAL},
    {"shortNames",   json_read_strings, AT(short_names), JSON_OPTIONAL},
};

static const struct json_field aggregated_fields[] = {
    {"resource",          json_read_str,     AT(name),         JSON_OPTIONAL},
    {"singularResource",  json_read_str,     AT(singular),     JSON_OPTIONAL},
    {"responseKind.kind", json_read_str,     AT(kind),         JSON_OPTIONAL},
    {"scope",             json_read_str,     AT(scope),        JSON_OPTIONAL},
    {"verbs",             json_read_strings, AT(verbs),        JSON_OPTIONAL},
    {"shortNames",        json_read_strings, AT(short_names),  JSON_OPTIONAL},
    {"subresources",      json_read_array,   AT(subresources), JSON_OPTIONAL},
};

/* Printable ASCII without the space. Empty is allowed; add_resource() decides where it is not. */
static struct error *check_name(struct str name)
{
    bool is_printable = true;
    for (size_t i = 0; i < name.len; i++)
        is_printable = is_printable && name.ptr[i] > ' ' && name.ptr[i] < 0x7f;
    if (name.len > NAME_MAX_LEN || !is_printable)
        return error_new(ERROR_PROTOCOL,
                         "it has a resource whose name, kind or short name is none");
    return NULL;
}

static struct str lower_case(struct arena *arena, struct str text)
{
    char *copy = arena_alloc(arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = ascii_to_lower(text.ptr[i]);
    return str_from(copy, text.len);
}

/* Empty short names are dropped; hash_resource() relies on that. */
static struct error *take_short_names(const struct json_strings *from,
                                      struct discovery_resource *to)
{
    size_t count = 0;
    for (size_t i = 0; i < from->count && count < UINT16_MAX; i++) {
        TRY(check_name(from->items[i]));
        if (from->items[i].len > 0)
            from->items[count++] = from->items[i];
    }
    to->short_names = from->items;
    to->short_count = (uint16_t)count;
    return NULL;
}

/* Appends a resource. One without a name or a kind is skipped, as it cannot be looked up. */
static struct error *add_resource(struct arena *arena, const struct raw_resource *raw,
                                  struct discovery_version *version)
{
    if (raw->name.len == 0 || raw->kind.len == 0)
        return NULL;
    TRY(check_name(raw->name));
    TRY(check_name(raw->singular));
    TRY(check_name(raw->kind));
    struct discovery_resource *resource = &version->resources[version->count++];
    *resource = (struct discovery_resource){
        .resource = raw->name,
        .kind = raw->kind,
        /* Old servers send no singular name. */
        .singular = raw->singular.len > 0 ? raw->singular : lower_case(arena, raw->kind),
        .verbs = verb_bits(&raw->verbs),
        .namespaced = raw->namespaced,
    };
    return take_short_names(&raw->short_names, resource);
}

static int compare_names(const void *a, const void *b)
{
    const struct discovery_resource *first = a, *second = b;
    const int order = str_cmp(first->resource, second->resource);
    return order ? order : str_cmp(first->kind, second->kind);
}

/* Sorts by name and drops all but the first resource of a name. */
static void sort_resources(struct discovery_version *version)
{
    size_t count = 0;
    if (version->count > 1)
        qsort(version->resources, version->count, sizeof(*version->resources), compare_names);
    for (size_t i = 0; i < version->count; i++)
        if (count == 0 ||
            !str_eq(version->resources[count - 1].resource, version->resources[i].resource))
            version->resources[count++] = version->resources[i];
    version->count = count;
}

static void add_subresource(struct discovery_resource *parent, struct str name)
{
    parent->has_status |= str_eq(name, STR("status"));
    parent->has_scale |= str_eq(name, STR("scale"));
}

static int compare_to_name(const void *name, const void *resource)
{
    return str_cmp(*(const struct str *)name,
                   ((const struct discovery_resource *)resource)->resource);
}

/* Handles "widgets/status" of a plain document. Without its parent it is ignored. */
static void add_plain_subresource(struct discovery_version *version, struct str full_name)
{
    struct str rest = full_name, name;
    str_cut(&rest, '/', &name);
    struct discovery_resource *parent = version->count == 0
                                            ? NULL
                                            : bsearch(&name, version->resources, version->count,
                                                      sizeof(*version->resources), compare_to_name);
    if (parent)
        add_subresource(parent, rest);
}

/* No more than one resource per element is added, so the array never grows. */
static struct error *room_for_resources(struct arena *arena, const struct json_value *list,
                                        struct discovery_version *version)
{
    const size_t count = json_count(list);
    if (count > DISCOVERY_RESOURCES_MAX)
        return error_new(ERROR_TOO_LARGE, "it lists more than %zu resources in one version",
                         DISCOVERY_RESOURCES_MAX);
    version->resources = arena_alloc_array(arena, count, sizeof(*version->resources));
    version->count = 0;
    return arena_check(arena);
}

/* Subresources need a second pass, because they may come before their parents. */
struct error *discovery_resources_read_plain(struct arena *arena, const struct json_value *list,
                                             struct discovery_version *version)
{
    const struct json_value *item;
    TRY(room_for_resources(arena, list, version));
    JSON_FOREACH (key, item, list) {
        struct raw_resource raw = {0};
        TRY(discovery_read_fields(arena, item, plain_fields, COUNT(plain_fields), &raw));
        if (str_find_char(raw.name, '/') == STR_NONE)
            TRY(add_resource(arena, &raw, version));
    }
    sort_resources(version);
    JSON_FOREACH (key, item, list) {
        const struct str name = json_to_str(json_get(item, STR("name")));
        if (str_find_char(name, '/') != STR_NONE)
            add_plain_subresource(version, name);
    }
    return arena_check(arena);
}

/* A resource that was skipped has no place for its subresources. */
static struct error *read_aggregated_resource(struct arena *arena, const struct json_value *item,
                                              struct discovery_version *version)
{
    struct raw_resource raw = {0};
    TRY(discovery_read_fields(arena, item, aggregated_fields, COUNT(aggregated_fields), &raw));
    raw.namespaced = str_eq(raw.scope, STR("Namespaced"));
    const size_t before = version->count;
    TRY(add_resource(arena, &raw, version));
    if (version->count == before)
        return NULL;
    const struct json_value *sub;
    JSON_FOREACH (key, sub, raw.subresources)
        add_subresource(&version->resources[before],
                        json_to_str(json_get(sub, STR("subresource"))));
    return NULL;
}

struct error *discovery_resources_read_aggregated(struct arena *arena,
                                                  const struct json_value *list,
                                                  struct discovery_version *version)
{
    const struct json_value *item;
    TRY(room_for_resources(arena, list, version));
    JSON_FOREACH (key, item, list)
        TRY(read_aggregated_resource(arena, item, version));
    sort_resources(version);
    return arena_check(arena);
}
