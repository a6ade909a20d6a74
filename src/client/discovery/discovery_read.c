/*
 * Parsers for the documents of discovery, one function for each kind of document.
 *
 * Texts of the result are views of the parsed document, which the arena holds. Every version passes
 * add_version(), which checks the names, refuses duplicates and limits the number: servers are not
 * trusted, and names become parts of request paths.
 */
#include "client/discovery/discovery_read.h"

#include "apimachinery/gvk.h"
#include "apimachinery/validation.h"
#include "base/array.h"
#include "client/discovery/discovery_resources.h"
#include "json/json.h"
#include "json/struct_fields.h"

void discovery_versions_done(struct discovery_versions *versions)
{
    map_done(&versions->seen);
}

bool discovery_is_group(struct str group)
{
    return group.len == 0 || validation_is_ok(validation_dns1123_subdomain(group));
}

bool discovery_is_version(struct str version)
{
    return validation_is_ok(validation_dns1123_label(version));
}

/* True if the first parameter of this name has this value. */
static bool has_param(struct str params, struct str name, struct str value)
{
    struct str param, key;
    for (bool more = true; more;) {
        more = str_cut(&params, ';', &param);
        str_cut(&param, '=', &key);
        if (str_eq_nocase(str_trim(key), name))
            return str_eq(str_trim(param), value);
    }
    return false;
}

bool discovery_is_aggregated(struct str content_type)
{
    struct str params = content_type, type;
    str_cut(&params, ';', &type);
    return str_eq_nocase(str_trim(type), STR("application/json")) &&
           has_param(params, STR("g"), STR("apidiscovery.k8s.io")) &&
           has_param(params, STR("as"), STR("APIGroupDiscoveryList")) &&
           (has_param(params, STR("v"), STR("v2")) || has_param(params, STR("v"), STR("v2beta1")));
}

/* A duplicate would make it unclear which of both versions a lookup finds. */
static struct error *add_version(struct discovery_versions *versions,
                                 const struct discovery_version *version)
{
    if (!discovery_is_group(version->group) || !discovery_is_version(version->version))
        return error_new(ERROR_PROTOCOL, "it lists a group or version that is no name");
    if (versions->count == DISCOVERY_VERSIONS_MAX)
        return error_new(ERROR_TOO_LARGE, "it lists more than %zu versions",
                         DISCOVERY_VERSIONS_MAX);
    const struct str name = arena_print(versions->arena, "%.*s/%.*s", STR_ARG(version->group),
                                        STR_ARG(version->version));
    if (map_has(&versions->seen, name))
        return error_new(ERROR_PROTOCOL, "it lists %.*s twice", STR_ARG(name));
    map_put(&versions->seen, name, NULL);

    ARENA_ARRAY_PUSH(versions->arena, versions->items, versions->count, versions->capacity,
                     *version);
    return arena_check(versions->arena);
}

/* Checks the kind of the document. The arena holds it, so views of its texts stay valid. */
static struct error *begin_document(struct json_doc *doc, const char *kind, struct arena *arena,
                                    const struct json_value **ret_root)
{
    json_doc_hold(arena, json_doc_ref(doc));
    const struct json_value *root = json_doc_root(doc);
    if (!str_eq(json_to_str(json_get(root, STR("kind"))), str_from_c(kind)))
        return error_new(ERROR_PROTOCOL, "it is no %s", kind);
    *ret_root = root;
    return NULL;
}

/* The fields of a version in an aggregated document. */
struct raw_version {
    struct str version, freshness;
    const struct json_value *resources;
};

#define IN_VERSION(member) offsetof(struct raw_version, member)

static const struct json_field version_fields[] = {
    {"version",   json_read_str,   IN_VERSION(version),   JSON_REQUIRED},
    {"freshness", json_read_str,   IN_VERSION(freshness), JSON_OPTIONAL},
    {"resources", json_read_array, IN_VERSION(resources), JSON_OPTIONAL},
};

/* A Stale version comes from an aggregated API server that the main server cannot reach now. */
static struct error *read_aggregated_version(struct str group, const struct json_value *value,
                                             struct discovery_versions *versions)
{
    struct raw_version raw = {0};
    TRY(discovery_read_fields(versions->arena, value, version_fields, COUNT(version_fields), &raw));
    struct discovery_version version = {
        .group = group,
        .version = raw.version,
        .state = str_eq(raw.freshness, STR("Stale")) ? DISCOVERY_STALE : DISCOVERY_KNOWN,
    };
    TRY(discovery_resources_read_aggregated(versions->arena, raw.resources, &version));
    return add_version(versions, &version);
}

/* The fields of a group in both kinds of documents. */
struct raw_group {
    struct str name, preferred;
    const struct json_value *versions;
};

#define IN_GROUP(member) offsetof(struct raw_group, member)

static const struct json_field aggregated_group_fields[] = {
    {"metadata.name", json_read_str,   IN_GROUP(name),     JSON_OPTIONAL},
    {"versions",      json_read_array, IN_GROUP(versions), JSON_OPTIONAL},
};

static const struct json_field plain_group_fields[] = {
    {"name",                     json_read_str,   IN_GROUP(name),      JSON_REQUIRED},
    {"preferredVersion.version", json_read_str,   IN_GROUP(preferred), JSON_OPTIONAL},
    {"versions",                 json_read_array, IN_GROUP(versions),  JSON_OPTIONAL},
};

/* The array of this name. *ret_items is NULL if it is absent or null. */
static struct error *read_items(struct arena *arena, const struct json_value *root,
                                const char *name, const struct json_value **ret_items)
{
    const struct json_field field = {name, json_read_array, 0, JSON_OPTIONAL};
    *ret_items = NULL;
    return discovery_read_fields(arena, root, &field, 1, ret_items);
}

/* /api may hold only the core group, which has no name, and /apis only the others. */
static struct error *read_aggregated_group(const struct json_value *value, bool core,
                                           struct discovery_versions *versions)
{
    struct raw_group group = {0};
    TRY(discovery_read_fields(versions->arena, value, aggregated_group_fields,
                              COUNT(aggregated_group_fields), &group));
    if ((group.name.len == 0) != core)
        return error_new(ERROR_PROTOCOL, "it has a group that belongs to the other list");
    const struct json_value *version;
    JSON_FOREACH (key, version, group.versions)
        TRY(read_aggregated_version(group.name, version, versions));
    return NULL;
}

struct error *discovery_read_aggregated(struct json_doc *doc, bool core,
                                        struct discovery_versions *versions)
{
    const struct json_value *root = NULL, *items, *item;
    TRY(begin_document(doc, "APIGroupDiscoveryList", versions->arena, &root));
    TRY(read_items(versions->arena, root, "items", &items));
    JSON_FOREACH (key, item, items)
        TRY(read_aggregated_group(item, core, versions));
    return arena_check(versions->arena);
}

static struct error *add_listed(struct discovery_versions *versions, struct str group,
                                struct str version)
{
    return add_version(versions, &(struct discovery_version){.group = group, .version = version});
}

struct error *discovery_read_core(struct json_doc *doc, struct discovery_versions *versions)
{
    const struct json_value *root = NULL, *items, *item;
    TRY(begin_document(doc, "APIVersions", versions->arena, &root));
    TRY(read_items(versions->arena, root, "versions", &items));
    JSON_FOREACH (key, item, items)
        TRY(add_listed(versions, STR(""), json_to_str(item)));
    return NULL;
}

/* Adds the preferred version first and the others in the order of the document. */
static struct error *read_plain_group(const struct json_value *value, struct str *ret_name,
                                      struct discovery_versions *versions)
{
    struct raw_group group = {0};
    const struct json_value *item;
    TRY(discovery_read_fields(versions->arena, value, plain_group_fields, COUNT(plain_group_fields),
                              &group));
    if (group.name.len == 0)
        return error_new(ERROR_PROTOCOL, "it has a group without a name");
    for (int preferred = 1; preferred >= 0; preferred--)
        JSON_FOREACH (key, item, group.versions) {
            const struct str version = json_to_str(json_get(item, STR("version")));
            if (str_eq(version, group.preferred) == (preferred == 1))
                TRY(add_listed(versions, group.name, version));
        }
    *ret_name = group.name;
    return NULL;
}

struct error *discovery_read_groups(struct json_doc *doc, struct discovery_versions *versions)
{
    const struct json_value *root = NULL, *items, *item;
    struct str name = {0};
    TRY(begin_document(doc, "APIGroupList", versions->arena, &root));
    TRY(read_items(versions->arena, root, "groups", &items));
    JSON_FOREACH (key, item, items)
        TRY(read_plain_group(item, &name, versions));
    return NULL;
}

struct error *discovery_read_group(struct json_doc *doc, struct str group,
                                   struct discovery_versions *versions)
{
    const struct json_value *root = NULL;
    struct str name = {0};
    TRY(begin_document(doc, "APIGroup", versions->arena, &root));
    TRY(read_plain_group(root, &name, versions));
    if (!str_eq(name, group))
        return error_new(ERROR_PROTOCOL, "it is about another group");
    return NULL;
}

/* groupVersion must be the requested one: a proxy could have sent another document. */
struct error *discovery_read_resources(struct json_doc *doc, struct str group, struct str version,
                                       struct discovery_versions *versions)
{
    const struct json_value *root = NULL, *items;
    struct discovery_version read = {group, version, DISCOVERY_KNOWN, NULL, 0};
    TRY(begin_document(doc, "APIResourceList", versions->arena, &root));
    const struct str expected =
        gvk_api_version(versions->arena, (struct gvk){group, version, STR("")});
    if (!str_eq(json_to_str(json_get(root, STR("groupVersion"))), expected))
        return error_new(ERROR_PROTOCOL, "it is about another group or version");
    TRY(read_items(versions->arena, root, "resources", &items));
    TRY(discovery_resources_read_plain(versions->arena, items, &read));
    return add_version(versions, &read);
}
