#include "cmd/get_resource.h"

#include "apiserver/registry/kind.h"
#include "json/json.h"
#include "json/path.h"

#define DISCOVERY_MAX (16 * MEGABYTE)
#define JSON_TYPE     STR("application/json")

static bool is_short_name(const struct kind *kind, struct str name)
{
    for (size_t i = 0; i < kind->short_names.count; i++)
        if (str_eq(kind->short_names.items[i], name))
            return true;
    return false;
}

/* The first one counts, as with kubectl: "events" are those of the core group. */
static bool find_builtin(struct str name, struct str group, struct get_resource *ret_resource)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    for (size_t i = 0; i < count; i++) {
        const struct kind *kind = &kinds[i];
        if (group.len && !str_eq(group, kind->gvk.group))
            continue;
        if (!str_eq(name, kind->plural) && !str_eq(name, kind->singular) &&
            !str_eq_nocase(name, kind->gvk.kind) && !is_short_name(kind, name))
            continue;
        ret_resource->gvr = kind_gvr(kind);
        ret_resource->is_namespaced = kind->namespaced;
        return true;
    }
    return false;
}

static bool is_meant(const struct json_value *resource, struct str name)
{
    const struct json_value *alias;
    if (str_contains(json_path_str(resource, "name"), STR("/")))
        return false;
    JSON_FOREACH (key, alias, json_get(resource, STR("shortNames"))) {
        (void)key;
        if (str_eq(json_to_str(alias), name))
            return true;
    }
    return str_eq(json_path_str(resource, "name"), name) ||
           str_eq(json_path_str(resource, "singularName"), name) ||
           str_eq_nocase(json_path_str(resource, "kind"), name);
}

static struct error *find_in_version(struct get_source *source, struct arena *arena,
                                     struct str group_version, struct str name,
                                     struct get_resource *ret_resource)
{
    SCOPED(buf) body = {.limit = DISCOVERY_MAX};
    OWNED(json_doc) doc = NULL;
    const struct json_value *resource;
    TRY(get_source_ask_all(source, ARENA_JOIN(arena, STR("/apis/"), group_version), JSON_TYPE,
                           &body));
    TRY(json_read(buf_str(&body), &doc));
    JSON_FOREACH (key, resource, json_get(json_doc_root(doc), STR("resources"))) {
        struct str group, version = arena_str(arena, group_version);
        (void)key;
        if (!is_meant(resource, name))
            continue;
        str_cut(&version, '/', &group);
        ret_resource->gvr =
            (struct gvr){group, version, arena_str(arena, json_path_str(resource, "name"))};
        (void)json_to_bool(json_get(resource, STR("namespaced")), &ret_resource->is_namespaced);
        return NULL;
    }
    return NULL;
}

static struct error *find_served(struct get_source *source, struct arena *arena, struct str name,
                                 struct str group, struct get_resource *ret_resource)
{
    SCOPED(buf) body = {.limit = DISCOVERY_MAX};
    OWNED(json_doc) doc = NULL;
    const struct json_value *entry;
    TRY(get_source_ask_all(source, STR("/apis"), JSON_TYPE, &body));
    TRY(json_read(buf_str(&body), &doc));
    JSON_FOREACH (key, entry, json_get(json_doc_root(doc), STR("groups"))) {
        (void)key;
        if (group.len && !str_eq(json_path_str(entry, "name"), group))
            continue;
        TRY(find_in_version(source, arena, json_path_str(entry, "preferredVersion.groupVersion"),
                            name, ret_resource));
        if (ret_resource->gvr.resource.len)
            return NULL;
    }
    return error_new(ERROR_NOT_FOUND, "no cluster has a resource type \"%.*s\"", STR_ARG(name));
}

struct error *get_resource_find(struct get_source *source, struct arena *arena, struct str name,
                                struct get_resource *ret_resource)
{
    struct str group = name, plural;
    *ret_resource = (struct get_resource){0};
    str_cut(&group, '.', &plural);
    if (find_builtin(plural, group, ret_resource))
        return NULL;
    return find_served(source, arena, plural, group, ret_resource);
}
