#include "cmd/bundle_set.h"

#include "apimachinery/selector.h"
#include "apimachinery/wellknown.h"
#include "base/arena.h"
#include "cmd/bundle_parts.h"
#include "json/builder.h"

/* The operator of matchExpressions; NULL: there is none for it. */
static const char *expression_operator(enum selector_operator op)
{
    switch (op) {
    case SELECTOR_IN:
    case SELECTOR_EQUALS:
    case SELECTOR_DOUBLE_EQUALS:
        return "In";
    case SELECTOR_NOT_IN:
    case SELECTOR_NOT_EQUALS:
        return "NotIn";
    case SELECTOR_EXISTS:
        return "Exists";
    case SELECTOR_DOES_NOT_EXIST:
        return "DoesNotExist";
    default:
        return NULL;
    }
}

static void build_expression(struct json_builder *builder, const struct requirement *requirement)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "key", requirement->key);
    json_builder_add_str(builder, "operator", str_from_c(expression_operator(requirement->op)));
    if (requirement->count) {
        json_builder_add_array(builder, "values");
        for (size_t i = 0; i < requirement->count; i++)
            json_builder_str(builder, requirement->values[i]);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static bool is_label(const struct requirement *requirement)
{
    return requirement->op == SELECTOR_EQUALS || requirement->op == SELECTOR_DOUBLE_EQUALS;
}

/* matchLabels alone, as people write it, unless something else is asked for. */
static void build_selector(struct json_builder *builder, const struct selector *selector)
{
    bool labels = true;
    for (size_t i = 0; i < selector->count; i++)
        labels &= is_label(&selector->items[i]);
    json_builder_add_object(builder, "clusterSelector");
    if (labels)
        json_builder_add_object(builder, "matchLabels");
    else
        json_builder_add_array(builder, "matchExpressions");
    for (size_t i = 0; i < selector->count; i++) {
        const struct requirement *requirement = &selector->items[i];
        if (!labels) {
            build_expression(builder, requirement);
            continue;
        }
        json_builder_key(builder, requirement->key);
        json_builder_str(builder, requirement->values[0]);
    }
    json_builder_end(builder);
    json_builder_end(builder);
}

static struct error *read_selector(struct arena *arena, struct str text,
                                   struct selector *ret_selector)
{
    TRY(selector_read(arena, text, ret_selector));
    if (!ret_selector->count)
        return error_new(ERROR_INVALID, "an empty selector selects no cluster");
    for (size_t i = 0; i < ret_selector->count; i++)
        if (!expression_operator(ret_selector->items[i].op))
            return error_new(ERROR_INVALID, "a ClusterResourceSet cannot compare by size");
    return NULL;
}

static void build_resources(struct json_builder *builder, const struct bundle_parts *parts)
{
    json_builder_add_array(builder, "resources");
    for (size_t i = 0; i < parts->count; i++) {
        json_builder_object(builder);
        json_builder_add_str(builder, "kind", object_kind(parts->items[i]));
        json_builder_add_str(builder, "name", object_name(parts->items[i]));
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

/* In the namespace of its parts: a set names resources of its own namespace only. */
struct error *bundle_set_make(struct str name, struct str selector, struct str strategy,
                              const struct bundle_parts *parts, struct object **ret_set)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    struct selector wanted;
    TRY(read_selector(&arena, selector, &wanted), "-l");
    const struct str namespace = object_namespace(parts->items[0]);
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("addons.cluster.x-k8s.io/v1beta2"));
    json_builder_add_str(&builder, "kind", GVK_CLUSTER_RESOURCE_SET.kind);
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "name", name);
    if (namespace.len)
        json_builder_add_str(&builder, "namespace", namespace);
    json_builder_end(&builder);
    json_builder_add_object(&builder, "spec");
    build_selector(&builder, &wanted);
    build_resources(&builder, parts);
    if (strategy.len)
        json_builder_add_str(&builder, "strategy", strategy);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return object_from_doc(doc, ret_set);
}
