#include "status/status_json.h"

#include "clusterresourceset/types/delivery.h"
#include "json/builder.h"

/* Times that are not known are left out. */
static void add_time(struct json_builder *builder, const char *key, timestamp time)
{
    char text[TIMESTAMP_TEXT_MAX];
    if (time)
        json_builder_add_str(builder, key, timestamp_write(time, text));
}

/* Empty texts are left out. */
static void add_some(struct json_builder *builder, const char *key, struct str text)
{
    if (text.len)
        json_builder_add_str(builder, key, text);
}

/* Opens the object of a set or a cluster with its common members. */
static void begin(struct json_builder *builder, struct key key, enum status_state state)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "namespace", key.namespace);
    json_builder_add_str(builder, "name", key.name);
    json_builder_add_str(builder, "state", str_from_c(status_state_name(state)));
}

static void add_ref(struct json_builder *builder, const struct resource_ref *ref)
{
    json_builder_add_str(builder, "kind", resource_kind_name(ref->kind));
    json_builder_add_str(builder, "name", ref->name);
}

/* One set, with the number of clusters in each state. */
void status_json_add_set(struct json_builder *builder, const struct status_set *set)
{
    begin(builder, set->key, set->state);
    add_some(builder, "strategy", set->spec.strategy_text);
    json_builder_add_object(builder, "clusters");
    json_builder_add_int(builder, "selected", (int64_t)set->clusters);
    for (size_t i = 0; i < STATUS_IDLE; i++)
        json_builder_add_int(builder, status_state_name((enum status_state)i),
                             (int64_t)set->counts[i]);
    json_builder_end(builder);
    json_builder_add_array(builder, "resources");
    for (size_t i = 0; i < set->spec.ref_count; i++) {
        json_builder_object(builder);
        add_ref(builder, &set->spec.refs[i]);
        json_builder_end(builder);
    }
    json_builder_end(builder);
    add_time(builder, "since", set->since);
    add_some(builder, "revision", set->revision);
    add_some(builder, "wave", set->wave);
    add_some(builder, "reason", set->reason);
    add_some(builder, "message", set->message);
    json_builder_end(builder);
}

static void add_failed_object(struct json_builder *builder, const struct failed_object *object)
{
    json_builder_object(builder);
    add_some(builder, "apiVersion", object->api_version);
    add_some(builder, "kind", object->kind);
    add_some(builder, "namespace", object->namespace);
    add_some(builder, "name", object->name);
    json_builder_add_str(builder, "resource", object->resource);
    add_some(builder, "key", object->key);
    if (object->document)
        json_builder_add_int(builder, "document", (int64_t)object->document);
    json_builder_end(builder);
}

static void add_cause(struct json_builder *builder, const struct failure_cause *cause)
{
    json_builder_object(builder);
    json_builder_add_int(builder, "count", (int64_t)cause->count);
    json_builder_add_str(builder, "reason", cause->reason);
    json_builder_add_str(builder, "message", cause->message);
    json_builder_add_array(builder, "objects");
    for (const struct failed_object *object = cause->first; object; object = object->next)
        add_failed_object(builder, object);
    json_builder_end(builder);
    json_builder_end(builder);
}

/* A list of causes, and how many were left out of it. */
static void add_causes(struct json_builder *builder, const struct failures *failures,
                       const char *name, const char *omitted)
{
    json_builder_add_array(builder, name);
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next)
        add_cause(builder, cause);
    json_builder_end(builder);
    if (!failures->omitted_causes)
        return;
    json_builder_add_object(builder, omitted);
    json_builder_add_int(builder, "causes", (int64_t)failures->omitted_causes);
    json_builder_add_int(builder, "objects", (int64_t)failures->omitted_objects);
    json_builder_end(builder);
}

/* What the record says of objects that are no longer wanted. */
static void add_prune(struct json_builder *builder, const struct delivery_prune *prune)
{
    if (!prune->state)
        return;
    json_builder_add_object(builder, "prune");
    json_builder_add_str(builder, "state", delivery_prune_state_name(prune->state));
    add_some(builder, "reason", prune->reason);
    json_builder_add_int(builder, "objects", (int64_t)prune->objects);
    json_builder_add_int(builder, "kept", (int64_t)prune->kept);
    add_some(builder, "token", prune->token);
    add_some(builder, "message", prune->message);
    json_builder_end(builder);
}

/* The record of the binding, with each object in parts. */
static void add_delivery(struct json_builder *builder, const struct delivery *delivery)
{
    const struct failures *failures = &delivery->failures;
    json_builder_add_object(builder, "delivery");
    add_some(builder, "revision", delivery->revision);
    json_builder_add_str(builder, "state", delivery->state);
    json_builder_add_str(builder, "since", delivery->since);
    json_builder_add_int(builder, "objects", (int64_t)failures->objects);
    if (failures->failed <= failures->objects)
        json_builder_add_int(builder, "applied", (int64_t)(failures->objects - failures->failed));
    add_some(builder, "settling", delivery->settling);
    add_some(builder, "notCheckedSince", delivery->unchecked);
    add_some(builder, "driftNotCheckedSince", delivery->drift_unchecked);
    add_causes(builder, failures, "why", "omitted");
    if (delivery->settling.len)
        add_causes(builder, &delivery->unready, "unready", "omittedUnready");
    add_prune(builder, &delivery->prune);
    json_builder_end(builder);
}

/* One set on one cluster, with its resources. */
void status_json_add_cell(struct json_builder *builder, const struct status_cell *cell)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "name", cell->set->key.name);
    json_builder_add_str(builder, "state", str_from_c(status_state_name(cell->state)));
    add_time(builder, "since", cell->since);
    json_builder_add_array(builder, "resources");
    for (size_t i = 0; i < cell->set->spec.ref_count; i++) {
        const struct status_resource *resource = &cell->resources[i];
        json_builder_object(builder);
        add_ref(builder, &cell->set->spec.refs[i]);
        json_builder_add_bool(builder, "applied", resource->is_applied);
        add_some(builder, "hash", resource->hash);
        add_some(builder, "lastAppliedTime", resource->time);
        json_builder_end(builder);
    }
    json_builder_end(builder);
    add_some(builder, "message", cell->why);
    if (cell->delivery)
        add_delivery(builder, cell->delivery);
    json_builder_end(builder);
}

void status_json_add_cluster(struct json_builder *builder, const struct status_cluster *cluster)
{
    begin(builder, cluster->key, cluster->state);
    add_some(builder, "endpoint", cluster->endpoint);
    json_builder_add_bool(builder, "provisioned", cluster->is_provisioned);
    add_time(builder, "since", cluster->since);
    add_some(builder, "message", cluster->why);
    json_builder_add_array(builder, "sets");
    for (size_t i = 0; i < cluster->cell_count; i++)
        status_json_add_cell(builder, &cluster->cells[i]);
    json_builder_end(builder);
    json_builder_end(builder);
}

struct error *status_json_render(const struct status_model *model, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    json_builder_object(&builder);
    json_builder_add_bool(&builder, "applied", status_model_is_applied(model));
    json_builder_add_array(&builder, "sets");
    for (size_t i = 0; i < model->set_count; i++)
        if (status_model_shows(model, model->sets[i]->state))
            status_json_add_set(&builder, model->sets[i]);
    json_builder_end(&builder);
    json_builder_add_array(&builder, "clusters");
    for (size_t i = 0; i < model->cluster_count; i++)
        if (status_model_shows(model, model->clusters[i]->state))
            status_json_add_cluster(&builder, model->clusters[i]);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}
