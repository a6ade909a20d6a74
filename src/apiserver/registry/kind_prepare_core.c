/*
 * What the server fills in of Secrets, Namespaces, Pods and claims.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_prepare_internal.h"
#include "apiserver/types/go_types.h"
#include "base/base64.h"
#include "json/compare.h"

/* stringData is for writing alone: it goes over data and is never seen again. */
void prepare_secret(struct prepare *prepare)
{
    const struct json_value *texts = json_path(prepare->object, "stringData"), *text;
    JSON_FOREACH (key, text, texts) {
        SCOPED(buf) encoded = {.secret = true};
        base64_encode(&encoded, json_to_str(text));
        json_edit_set_str(&prepare->edit, JSON_PLACE_KEY("data", key), buf_str(&encoded));
    }
    if (texts)
        json_edit_remove(&prepare->edit, JSON_PLACE("stringData"));
}

/* Defaults do it too, but do not know a name that is generated. */
static void label_with_name(struct prepare *prepare)
{
    const struct str name = json_path_str(prepare->object, "metadata.name");
    if (name.len > 0)
        json_edit_set_str(&prepare->edit,
                          JSON_PLACE_KEY("metadata.labels", STR("kubernetes.io/metadata.name")),
                          name);
}

void prepare_namespace_create(struct prepare *prepare)
{
    SCOPED(json_builder) builder = {.limit = 0};
    const struct json_value *finalizers = json_path(prepare->object, "spec.finalizers"), *one;
    label_with_name(prepare);
    JSON_FOREACH (key, one, finalizers)
        if (str_eq(json_to_str(one), STR("kubernetes")))
            return;
    json_builder_str(&builder, STR("kubernetes"));
    json_edit_append(&prepare->edit, JSON_PLACE("spec.finalizers"),
                     prepare_value(prepare, &builder));
}

/* Finalizers go by /finalize. */
void prepare_namespace_update(struct prepare *prepare)
{
    const struct json_value *finalizers = json_path(prepare->write->old, "spec.finalizers");
    if (finalizers)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.finalizers"), finalizers);
    else
        json_edit_remove(&prepare->edit, JSON_PLACE("spec.finalizers"));
}

/* What the containers of a pod ask for, of processor and memory. */
struct resources {
    bool asks_something;
    bool is_guaranteed;
};

static bool read_amount(const struct json_value *map, struct str name, struct quantity *ret_amount)
{
    struct error *err = quantity_read(json_to_str(json_get(map, name)), ret_amount);
    if (!err)
        return quantity_sign(ret_amount) > 0;
    error_free(err);
    return false;
}

static void add_resource(struct resources *resources, const struct json_value *container,
                         struct str name)
{
    struct quantity request, limit;
    const bool has_request =
        read_amount(json_path(container, "resources.requests"), name, &request);
    const bool has_limit = read_amount(json_path(container, "resources.limits"), name, &limit);
    if (has_request || has_limit)
        resources->asks_something = true;
    if (!has_limit || (has_request && quantity_cmp(&request, &limit) != 0))
        resources->is_guaranteed = false;
}

static struct str qos_class(const struct json_value *spec)
{
    static const char *const lists[] = {"containers", "initContainers"};
    struct resources resources = {.is_guaranteed = true};
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct json_value *container;
        JSON_FOREACH (key, container, json_path(spec, lists[i])) {
            add_resource(&resources, container, STR("cpu"));
            add_resource(&resources, container, STR("memory"));
        }
    }
    if (!resources.asks_something)
        return STR("BestEffort");
    return resources.is_guaranteed ? STR("Guaranteed") : STR("Burstable");
}

void prepare_pod_create(struct prepare *prepare)
{
    json_edit_set_str(&prepare->edit, JSON_PLACE("status.phase"), STR("Pending"));
    json_edit_set_str(&prepare->edit, JSON_PLACE("status.qosClass"),
                      qos_class(json_path(prepare->object, "spec")));
}

/* The older field cannot name a namespace; otherwise both say the same. */
void prepare_claim_create(struct prepare *prepare)
{
    const struct json_value *source = json_path(prepare->object, "spec.dataSource");
    const struct json_value *reference = json_path(prepare->object, "spec.dataSourceRef");
    if (source && !reference)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.dataSourceRef"), source);
    else if (reference && !source && !json_path(reference, "namespace"))
        json_edit_set(&prepare->edit, JSON_PLACE("spec.dataSource"), reference);
}
