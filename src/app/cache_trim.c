/*
 * Trims objects before they go into the cache. With ten thousand clusters the caches of Clusters
 * and Secrets are the largest part of the process's memory. A field that a controller starts to
 * read must be added here.
 */
#include "app/cache_trim.h"

#include "json/builder.h"
#include "json/path.h"

/* Members of metadata that are kept. */
static const struct str metadata_kept[] = {
    STR_INIT("name"),
    STR_INIT("namespace"),
    STR_INIT("uid"),
    STR_INIT("labels"),
    STR_INIT("generation"),
    STR_INIT("resourceVersion"),
    STR_INIT("creationTimestamp"),
    STR_INIT("deletionTimestamp"),
};

/* Annotations that are read. Others may be as large as a last-applied-configuration. */
static const struct str annotations_kept[] = {
    STR_INIT("cluster.x-k8s.io/paused"),
    STR_INIT("runtime.cluster.x-k8s.io/ok-to-delete"),
};

static void add_metadata(struct json_builder *builder, const struct object *object)
{
    json_builder_add_str(builder, "apiVersion", object_api_version(object));
    json_builder_add_str(builder, "kind", object_kind(object));
    json_builder_add_object(builder, "metadata");
    json_builder_add_members(builder, object_metadata(object), metadata_kept, COUNT(metadata_kept));
    json_builder_add_object(builder, "annotations");
    json_builder_add_members(builder, object_annotations(object), annotations_kept,
                             COUNT(annotations_kept));
    json_builder_end(builder);
    json_builder_end(builder);
}

static struct error *finish(struct json_builder *builder, struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_builder_finish(builder, &doc));
    return object_from_doc(doc, ret_object);
}

/* Conditions that are read. */
static const struct str conditions_kept[] = {
    STR_INIT("Available"),
    STR_INIT("RemoteConnectionProbe"),
};

/* Adds nothing if none of them is there. */
static void add_conditions(struct json_builder *builder, const struct object *object)
{
    const struct json_value *condition;
    bool has_begun = false;
    JSON_FOREACH (key, condition, object_path(object, "status.conditions")) {
        const struct str type = json_path_str(condition, "type");
        for (size_t i = 0; i < COUNT(conditions_kept); i++) {
            if (!str_eq(type, conditions_kept[i]))
                continue;
            if (!has_begun)
                json_builder_add_array(builder, "conditions");
            has_begun = true;
            json_builder_value(builder, condition);
        }
    }
    if (has_begun)
        json_builder_end(builder);
}

/* Of the topology only its presence counts, so an empty object takes its place. */
static void add_cluster_spec(struct json_builder *builder, const struct object *cluster)
{
    bool is_paused = false;
    json_to_bool(object_path(cluster, "spec.paused"), &is_paused);
    json_builder_add_object(builder, "spec");
    if (is_paused)
        json_builder_add_bool(builder, "paused", true);
    if (json_type(object_path(cluster, "spec.topology")) == JSON_OBJECT) {
        json_builder_add_object(builder, "topology");
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

struct error *cache_trim_cluster(void *data, struct object *object, struct object **ret_object)
{
    SCOPED(json_builder) builder = {0};
    (void)data;
    json_builder_object(&builder);
    add_metadata(&builder, object);
    add_cluster_spec(&builder, object);
    json_builder_add_object(&builder, "status");
    json_builder_add_members(&builder, object_status(object), &STR("initialization"), 1);
    add_conditions(&builder, object);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return finish(&builder, ret_object);
}

struct error *cache_trim_secret(void *data, struct object *object, struct object **ret_object)
{
    SCOPED(json_builder) builder = {0};
    (void)data;
    json_builder_object(&builder);
    add_metadata(&builder, object);
    if (str_ends_with(object_name(object), STR("-kubeconfig"))) {
        json_builder_add_object(&builder, "data");
        json_builder_add_members(&builder, object_path(object, "data"), &STR("value"), 1);
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    return finish(&builder, ret_object);
}
