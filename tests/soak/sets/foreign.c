/*
 * Somebody else who writes bindings, as Cluster API's manager would: with the version it has read,
 * and leaving alone what is not its own. And people who want something applied once more.
 */
#include <stdio.h>

#include "json/builder.h"
#include "json/path.h"
#include "soak/sets/sets.h"

static bool is_of(const struct json_value *entry, const char *set)
{
    return str_eq(json_path_str(entry, "clusterResourceSetName"), str_from_c(set));
}

static void add_entry(struct json_builder *builder, unsigned number)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", number);
    json_builder_object(builder);
    json_builder_add_str(builder, "clusterResourceSetName", STR(FOREIGN));
    json_builder_add_array(builder, "resources");
    json_builder_object(builder);
    json_builder_add_str(builder, "name", STR("theirs"));
    json_builder_add_str(builder, "kind", STR("ConfigMap"));
    json_builder_add_str(builder, "hash", str_from_c(text));
    json_builder_add_bool(builder, "applied", true);
    json_builder_end(builder);
    json_builder_end(builder);
    json_builder_end(builder);
}

/* What is sent: the version, and all entries. */
static void begin(struct json_builder *builder, const struct json_doc *binding)
{
    json_builder_object(builder);
    json_builder_add_object(builder, "metadata");
    json_builder_add_str(builder, "resourceVersion",
                         json_path_str(json_doc_root(binding), "metadata.resourceVersion"));
    json_builder_end(builder);
    json_builder_add_object(builder, "spec");
    json_builder_add_array(builder, "bindings");
}

static int send(struct sets *sets, size_t cluster, struct json_builder *builder)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    char target[SETS_TEXT_MAX];
    json_builder_end(builder);
    json_builder_end(builder);
    json_builder_end(builder);
    CHECK_OK(json_builder_finish(builder, &doc));
    json_write(&body, json_doc_root(doc));
    snprintf(target, sizeof(target), BINDINGS_TARGET "/c%zu", cluster);
    return front_call(&sets->management, "PATCH", target, buf_c(&body));
}

static int create(struct sets *sets, size_t cluster, unsigned number)
{
    char body[SETS_TEXT_MAX];
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
             "\"ClusterResourceSetBinding\",\"metadata\":{\"name\":\"c%zu\"},\"spec\":{"
             "\"clusterName\":\"c%zu\",\"bindings\":[{\"clusterResourceSetName\":\"" FOREIGN
             "\",\"resources\":[{\"name\":\"theirs\",\"kind\":\"ConfigMap\",\"hash\":\"%u\","
             "\"applied\":true}]}]}}",
             cluster, cluster, number);
    return front_call(&sets->management, "POST", BINDINGS_TARGET, body);
}

static int change(struct sets *sets, size_t cluster, const struct json_doc *binding,
                  unsigned number)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *entry;
    bool is_in = false;
    begin(&builder, binding);
    JSON_FOREACH (key, entry, json_path(json_doc_root(binding), "spec.bindings")) {
        if (is_of(entry, FOREIGN)) {
            add_entry(&builder, number);
            is_in = true;
        } else {
            json_builder_value(&builder, entry);
        }
    }
    if (!is_in)
        add_entry(&builder, number);
    return send(sets, cluster, &builder);
}

void foreign_write(struct sets *sets, size_t cluster)
{
    OWNED(json_doc) binding = sets_find_binding(sets, cluster);
    OWNED(json_doc) owner = sets_find_cluster(sets, cluster);
    const unsigned number = sets->foreign[cluster] + 1;
    if (!owner || sets_is_deleting(owner))
        return;
    const int status =
        binding ? change(sets, cluster, binding, number) : create(sets, cluster, number);
    if (status >= 200 && status < 300)
        sets->foreign[cluster] = number;
}

static void add_reset(struct json_builder *builder, struct str set, const struct json_value *entry)
{
    const struct json_value *item;
    json_builder_object(builder);
    json_builder_add_str(builder, "clusterResourceSetName", set);
    json_builder_add_array(builder, "resources");
    JSON_FOREACH (key, item, json_get(entry, STR("resources"))) {
        json_builder_object(builder);
        json_builder_add_str(builder, "name", json_path_str(item, "name"));
        json_builder_add_str(builder, "kind", json_path_str(item, "kind"));
        json_builder_add_bool(builder, "applied", false);
        json_builder_end(builder);
    }
    json_builder_end(builder);
    json_builder_end(builder);
}

/* "applied" is taken back, or the whole entry away. */
void foreign_reset(struct sets *sets, size_t cluster, size_t set)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) binding = sets_find_binding(sets, cluster);
    const bool whole = draw_chance(&sets->users_dice, 0.3);
    const struct json_value *entry;
    char name[8];
    if (!binding)
        return;
    snprintf(name, sizeof(name), "s%zu", set);
    begin(&builder, binding);
    JSON_FOREACH (key, entry, json_path(json_doc_root(binding), "spec.bindings")) {
        if (!is_of(entry, name))
            json_builder_value(&builder, entry);
        else if (!whole)
            add_reset(&builder, str_from_c(name), entry);
    }
    (void)send(sets, cluster, &builder);
}
