#include "web/web_trim.h"

#include "json/builder.h"
#include "json/path.h"

static void add_conditions(struct json_builder *builder, const struct object *cluster)
{
    const struct json_value *condition;
    json_builder_add_array(builder, "conditions");
    JSON_FOREACH (key, condition, object_path(cluster, "status.conditions")) {
        const struct str type = json_path_str(condition, "type");
        if (str_eq(type, STR("RemoteConnectionProbe")) || str_eq(type, STR("Paused")))
            json_builder_value(builder, condition);
    }
    json_builder_end(builder);
}

struct error *web_trim_cluster(void *data, struct object *object, struct object **ret_object)
{
    static const struct str metadata[] = {
        STR_INIT("name"),       STR_INIT("namespace"),        STR_INIT("uid"),
        STR_INIT("labels"),     STR_INIT("resourceVersion"),  STR_INIT("creationTimestamp"),
        STR_INIT("generation"), STR_INIT("deletionTimestamp")};
    static const struct str spec[] = {STR_INIT("paused"), STR_INIT("controlPlaneEndpoint")};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    (void)data;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", object_api_version(object));
    json_builder_add_str(&builder, "kind", object_kind(object));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_members(&builder, object_metadata(object), metadata, COUNT(metadata));
    json_builder_end(&builder);
    json_builder_add_object(&builder, "spec");
    json_builder_add_members(&builder, object_path(object, "spec"), spec, COUNT(spec));
    json_builder_end(&builder);
    json_builder_add_object(&builder, "status");
    json_builder_add_members(&builder, object_status(object), &STR("initialization"), 1);
    add_conditions(&builder, object);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return object_from_doc(doc, ret_object);
}
