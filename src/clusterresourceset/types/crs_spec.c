#include "clusterresourceset/types/crs_spec.h"

#include "json/path.h"

static const struct str kinds[] = {
    [RESOURCE_CONFIG_MAP] = STR_INIT("ConfigMap"),
    [RESOURCE_SECRET] = STR_INIT("Secret"),
};

struct str resource_kind_name(enum resource_kind kind)
{
    return kinds[kind];
}

bool resource_kind_from(struct str name, enum resource_kind *ret_kind)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (str_eq(name, kinds[i])) {
            *ret_kind = (enum resource_kind)i;
            return true;
        }
    }
    return false;
}

/* Admission fills in ApplyOnce; a set from a server without admission may lack the strategy. */
static enum resource_strategy strategy_from(struct str text)
{
    if (!text.len || str_eq(text, STR("ApplyOnce")))
        return RESOURCE_APPLY_ONCE;
    return str_eq(text, STR("Reconcile")) ? RESOURCE_RECONCILE : RESOURCE_STRATEGY_UNKNOWN;
}

/* Texts are copied: the spec outlives the object. */
static void read_refs(const struct json_value *list, struct crs_spec *set)
{
    const struct json_value *item;
    set->refs = arena_alloc_array(&set->arena, json_count(list) + 1, sizeof(struct resource_ref));
    JSON_FOREACH (key, item, list) {
        struct resource_ref ref;
        if (!resource_kind_from(json_path_str(item, "kind"), &ref.kind))
            continue;
        ref.name = arena_str(&set->arena, json_path_str(item, "name"));
        set->refs[set->ref_count++] = ref;
    }
}

/*
 * An empty selector selects nothing, unlike that of most Kubernetes kinds: Cluster API refuses it,
 * so as not to select every cluster by mistake.
 */
void crs_spec_read(const struct object *object, struct crs_spec *ret_set)
{
    const struct json_value *spec = object_spec(object);
    *ret_set = (struct crs_spec){.selector = {.nothing = true}};
    ret_set->selector_error = selector_from_value(
        &ret_set->arena, json_get(spec, STR("clusterSelector")), &ret_set->selector);
    if (ret_set->selector_error || selector_is_empty(&ret_set->selector))
        ret_set->selector = (struct selector){.nothing = true};
    read_refs(json_get(spec, STR("resources")), ret_set);
    ret_set->strategy_text = arena_str(&ret_set->arena, json_path_str(spec, "strategy"));
    ret_set->strategy = strategy_from(ret_set->strategy_text);
}

void crs_spec_done(struct crs_spec *set)
{
    error_free(set->selector_error);
    arena_done(&set->arena);
    *set = (struct crs_spec){0};
}

bool crs_has_policy(const struct object *object)
{
    struct str name;
    return object_find_annotation(object, STR(CRS_POLICY_ANNOTATION), &name);
}

struct str crs_policy_name(const struct object *object)
{
    struct str name = {0};
    object_find_annotation(object, STR(CRS_POLICY_ANNOTATION), &name);
    return name;
}

bool crs_is_paused(const struct object *object)
{
    struct str value;
    return object_find_annotation(object, STR(CRS_PAUSED_ANNOTATION), &value);
}

bool crs_cluster_is_paused(const struct object *cluster)
{
    bool is_paused = false;
    json_to_bool(object_path(cluster, "spec.paused"), &is_paused);
    return is_paused;
}

struct owner_reference crs_owner_reference(struct str name, struct str uid)
{
    return (struct owner_reference){
        .api_version = STR(CRS_API_VERSION),
        .kind = STR(CRS_KIND),
        .name = name,
        .uid = uid,
    };
}
