/*
 * Discovery documents: /api, /apis, /apis/<group>, /apis/<group>/<version>, and their aggregated
 * form.
 *
 * All functions walk over ranges of the sorted list of kinds: a group is a contiguous range, a
 * version a range within it. Members and their order are those of kube-apiserver; tests compare the
 * documents with recorded ones. Custom resources differ from built-in kinds in details (order of
 * verbs, responseKind), because upstream makes their documents elsewhere.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery and its package aggregated.
 */
#include "apiserver/registry/kind_discovery.h"

#include "apiserver/registry/kind_discovery_internal.h"
#include "base/arena.h"
#include "base/owned.h"

/* The order of verbs in discovery: that of built-in kinds, and that of custom resources. */
static const struct verb {
    const char *name;
    enum kind_verbs bit;
} builtin_order[] =
    {
        {"create",           KIND_CREATE          },
        {"delete",           KIND_DELETE          },
        {"deletecollection", KIND_DELETECOLLECTION},
        {"get",              KIND_GET             },
        {"list",             KIND_LIST            },
        {"patch",            KIND_PATCH           },
        {"update",           KIND_UPDATE          },
        {"watch",            KIND_WATCH           },
},
  custom_order[] = {
      {"delete", KIND_DELETE}, {"deletecollection", KIND_DELETECOLLECTION},
      {"get", KIND_GET},       {"list", KIND_LIST},
      {"patch", KIND_PATCH},   {"create", KIND_CREATE},
      {"update", KIND_UPDATE}, {"watch", KIND_WATCH},
};

/*
 * Both functions extend a range from a kind on, as long as group, or group and version, are the
 * same.
 */
struct kind_range kind_range_of_group(struct kind_list kinds, size_t at)
{
    struct kind_range range = {at, at + 1};
    while (range.end < kinds.count &&
           str_eq(kinds.items[range.end]->gvk.group, kinds.items[at]->gvk.group))
        range.end++;
    return range;
}

struct kind_range kind_range_of_version(struct kind_list kinds, size_t at)
{
    struct kind_range range = {at, at + 1};
    while (range.end < kinds.count &&
           str_eq(kinds.items[range.end]->gvk.group, kinds.items[at]->gvk.group) &&
           str_eq(kinds.items[range.end]->gvk.version, kinds.items[at]->gvk.version))
        range.end++;
    return range;
}

bool kind_range_find_group(struct kind_list kinds, struct str group, struct kind_range *ret_run)
{
    for (size_t i = 0; i < kinds.count; i++)
        if (str_eq(kinds.items[i]->gvk.group, group)) {
            *ret_run = kind_range_of_group(kinds, i);
            return true;
        }
    return false;
}

bool kind_range_find_version(struct kind_list kinds, struct str group, struct str version,
                             struct kind_range *ret_run)
{
    for (size_t i = 0; i < kinds.count; i++)
        if (str_eq(kinds.items[i]->gvk.group, group) &&
            str_eq(kinds.items[i]->gvk.version, version)) {
            *ret_run = kind_range_of_version(kinds, i);
            return true;
        }
    return false;
}

void kind_discovery_write(struct buf *out, struct json_builder *builder)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_builder_finish(builder, &doc);
    if (err)
        out->overflowed = true;
    else
        json_write(out, json_doc_root(doc));
}

void kind_discovery_versions(struct buf *out, struct str address)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("APIVersions"));
    json_builder_add_array(&builder, "versions");
    json_builder_str(&builder, STR("v1"));
    json_builder_end(&builder);
    json_builder_add_array(&builder, "serverAddressByClientCIDRs");
    json_builder_object(&builder);
    json_builder_add_str(&builder, "clientCIDR", STR("0.0.0.0/0"));
    json_builder_add_str(&builder, "serverAddress", address);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
}

/* Adds groupVersion and version to the open object. */
static void add_version(struct json_builder *builder, const struct kind *kind)
{
    SCOPED(arena) arena = {0};
    json_builder_add_str(builder, "groupVersion", gvk_api_version(&arena, kind->gvk));
    json_builder_add_str(builder, "version", kind->gvk.version);
}

/* Adds the members of an APIGroup. The first version is the preferred one. */
static void add_group(struct json_builder *builder, struct kind_list kinds, struct kind_range range)
{
    json_builder_add_str(builder, "name", kinds.items[range.at]->gvk.group);
    json_builder_add_array(builder, "versions");
    for (size_t i = range.at; i < range.end; i = kind_range_of_version(kinds, i).end) {
        json_builder_object(builder);
        add_version(builder, kinds.items[i]);
        json_builder_end(builder);
    }
    json_builder_end(builder);
    json_builder_add_object(builder, "preferredVersion");
    add_version(builder, kinds.items[range.at]);
    json_builder_end(builder);
}

void kind_discovery_groups(struct buf *out, struct kind_list kinds)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct kind_range range;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("APIGroupList"));
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    json_builder_add_array(&builder, "groups");
    for (size_t i = 0; i < kinds.count; i = range.end) {
        range = kind_range_of_group(kinds, i);
        if (str_is_empty(kinds.items[i]->gvk.group))
            continue; /* the core group is served at /api */
        json_builder_object(&builder);
        add_group(&builder, kinds, range);
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
}

bool kind_discovery_group(struct buf *out, struct kind_list kinds, struct str group)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct kind_range range;
    if (str_is_empty(group) || !kind_range_find_group(kinds, group, &range))
        return false;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("APIGroup"));
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    add_group(&builder, kinds, range);
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
    return true;
}

static void add_verbs(struct json_builder *builder, const struct kind *kind, unsigned verbs)
{
    const struct verb *order = kind->is_custom ? custom_order : builtin_order;
    json_builder_add_array(builder, "verbs");
    for (size_t i = 0; i < COUNT(builtin_order); i++)
        if (verbs & order[i].bit)
            json_builder_str(builder, str_from_c(order[i].name));
    json_builder_end(builder);
}

static void add_names(struct json_builder *builder, const char *key, struct kind_names names)
{
    if (names.count == 0)
        return;
    json_builder_add_array(builder, key);
    for (size_t i = 0; i < names.count; i++)
        json_builder_str(builder, names.items[i]);
    json_builder_end(builder);
}

static void add_resource(struct json_builder *builder, const struct kind *kind)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "name", kind->plural);
    json_builder_add_str(builder, "singularName", kind->singular);
    json_builder_add_bool(builder, "namespaced", kind->namespaced);
    json_builder_add_str(builder, "kind", kind->gvk.kind);
    add_verbs(builder, kind, kind->verbs);
    add_names(builder, "shortNames", kind->short_names);
    add_names(builder, "categories", kind->categories);
    json_builder_end(builder);
}

static bool has_own_kind(const struct kind_subresource *part)
{
    return !str_is_empty(part->gvk.kind);
}

/*
 * Adds a subresource as a resource "pods/status". Its group and version appear only if its kind is
 * another one, such as Scale.
 */
static void add_part(struct json_builder *builder, const struct kind *kind,
                     const struct kind_subresource *part)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%.*s/%s", STR_ARG(kind->plural), part->name);
    json_builder_object(builder);
    json_builder_add_str(builder, "name", buf_str(&name));
    json_builder_add_str(builder, "singularName", STR(""));
    json_builder_add_bool(builder, "namespaced", kind->namespaced);
    if (has_own_kind(part)) {
        json_builder_add_str(builder, "group", part->gvk.group);
        json_builder_add_str(builder, "version", part->gvk.version);
    }
    json_builder_add_str(builder, "kind", has_own_kind(part) ? part->gvk.kind : kind->gvk.kind);
    add_verbs(builder, kind, part->verbs);
    json_builder_end(builder);
}

/* The list of the core group has no apiVersion, as upstream. */
bool kind_discovery_resources(struct buf *out, struct kind_list kinds, struct str group,
                              struct str version)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_builder) builder = {.limit = 0};
    struct kind_range range;
    if (!kind_range_find_version(kinds, group, version, &range))
        return false;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("APIResourceList"));
    if (!str_is_empty(group))
        json_builder_add_str(&builder, "apiVersion", STR("v1"));
    json_builder_add_str(&builder, "groupVersion",
                         gvk_api_version(&arena, kinds.items[range.at]->gvk));
    json_builder_add_array(&builder, "resources");
    for (size_t i = range.at; i < range.end; i++) {
        const struct kind *kind = kinds.items[i];
        add_resource(&builder, kind);
        for (size_t j = 0; j < kind->subresource_count; j++)
            add_part(&builder, kind, &kind->subresources[j]);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
    return true;
}

/*
 * Empty group and version mean those of the enclosing document. Only custom resources write them
 * out.
 */
static void add_response_kind(struct json_builder *builder, const struct kind *kind, struct gvk gvk)
{
    if (str_is_empty(gvk.kind))
        gvk = kind->is_custom ? kind->gvk : (struct gvk){.kind = kind->gvk.kind};
    json_builder_add_object(builder, "responseKind");
    json_builder_add_str(builder, "group", gvk.group);
    json_builder_add_str(builder, "version", gvk.version);
    json_builder_add_str(builder, "kind", gvk.kind);
    json_builder_end(builder);
}

/* Subresources appear only in the aggregated form as a member of their resource. */
static void add_aggregated_parts(struct json_builder *builder, const struct kind *kind)
{
    if (kind->subresource_count == 0)
        return;
    json_builder_add_array(builder, "subresources");
    for (size_t i = 0; i < kind->subresource_count; i++) {
        const struct kind_subresource *part = &kind->subresources[i];
        json_builder_object(builder);
        json_builder_add_str(builder, "subresource", str_from_c(part->name));
        add_response_kind(builder, kind, part->gvk);
        add_verbs(builder, kind, part->verbs);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static void add_aggregated_resource(struct json_builder *builder, const struct kind *kind)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "resource", kind->plural);
    add_response_kind(builder, kind, (struct gvk){.kind = STR("")});
    json_builder_add_str(builder, "scope", kind->namespaced ? STR("Namespaced") : STR("Cluster"));
    json_builder_add_str(builder, "singularResource", kind->singular);
    add_verbs(builder, kind, kind->verbs);
    add_names(builder, "shortNames", kind->short_names);
    add_names(builder, "categories", kind->categories);
    add_aggregated_parts(builder, kind);
    json_builder_end(builder);
}

/* Freshness is always Current: all kinds are served by this process. */
static void add_aggregated_version(struct json_builder *builder, struct kind_list kinds,
                                   struct kind_range range)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "version", kinds.items[range.at]->gvk.version);
    json_builder_add_array(builder, "resources");
    for (size_t i = range.at; i < range.end; i++)
        add_aggregated_resource(builder, kinds.items[i]);
    json_builder_end(builder);
    json_builder_add_str(builder, "freshness", STR("Current"));
    json_builder_end(builder);
}

static void add_aggregated_group(struct json_builder *builder, struct kind_list kinds,
                                 struct kind_range range)
{
    const struct str group = kinds.items[range.at]->gvk.group;
    struct kind_range version;
    json_builder_object(builder);
    json_builder_add_object(builder, "metadata");
    if (!str_is_empty(group))
        json_builder_add_str(builder, "name", group);
    json_builder_end(builder);
    json_builder_add_array(builder, "versions");
    for (size_t i = range.at; i < range.end; i = version.end) {
        version = kind_range_of_version(kinds, i);
        add_aggregated_version(builder, kinds, version);
    }
    json_builder_end(builder);
    json_builder_end(builder);
}

void kind_discovery_aggregated(struct buf *out, struct kind_list kinds, bool core)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct kind_range range;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("APIGroupDiscoveryList"));
    json_builder_add_str(&builder, "apiVersion", STR("apidiscovery.k8s.io/v2"));
    json_builder_add_object(&builder, "metadata");
    json_builder_end(&builder);
    json_builder_add_array(&builder, "items");
    for (size_t i = 0; i < kinds.count; i = range.end) {
        range = kind_range_of_group(kinds, i);
        if (str_is_empty(kinds.items[i]->gvk.group) == core)
            add_aggregated_group(&builder, kinds, range);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
}
