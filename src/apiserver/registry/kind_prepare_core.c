/*
 * Generated fields of Secrets, ServiceAccounts, Namespaces, Pods, EndpointSlices and
 * PersistentVolumeClaims.
 */
#include "apimachinery/quantity.h"
#include "apimachinery/validation.h"
#include "apiserver/registry/kind_prepare_internal.h"
#include "apiserver/types/go_types.h"
#include "base/base64.h"
#include "json/compare.h"

/* stringData is write-only: its values overwrite those of data and are not stored themselves. */
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

/* Defaulting sets this label too, but runs before generateName has made a name. */
static void label_with_name(struct prepare *prepare)
{
    const struct str name = json_path_str(prepare->object, "metadata.name");
    if (name.len > 0)
        json_edit_set_str(&prepare->edit,
                          JSON_PLACE_KEY("metadata.labels", STR("kubernetes.io/metadata.name")),
                          name);
}

/* Every Namespace gets the finalizer "kubernetes", which keeps it until its content is deleted. */
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

/* spec.finalizers change by /finalize only. */
void prepare_namespace_update(struct prepare *prepare)
{
    const struct json_value *finalizers = json_path(prepare->write->old, "spec.finalizers");
    if (finalizers)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.finalizers"), finalizers);
    else
        json_edit_remove(&prepare->edit, JSON_PLACE("spec.finalizers"));
}

/* Requests and limits of the containers seen so far, for CPU and memory. */
struct resources {
    bool asks_something;
    bool is_guaranteed;
};

/* Reads a positive amount; zero counts as absent. */
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

/*
 * Guaranteed if all containers have limits for CPU and memory and no other requests, BestEffort
 * without any, else Burstable. Upstream: k8s.io/kubernetes/pkg/apis/core/v1/helper/qos.
 */
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

/* A Pod with gates is not scheduled until they are taken away, and says so. */
static void set_gated(struct prepare *prepare)
{
    SCOPED(json_builder) builder = {0};
    char now[TIMESTAMP_TEXT_MAX];
    if (json_count(json_path(prepare->object, "spec.schedulingGates")) == 0)
        return;
    json_builder_array(&builder);
    json_builder_object(&builder);
    json_builder_add_str(&builder, "type", STR("PodScheduled"));
    json_builder_add_str(&builder, "status", STR("False"));
    json_builder_add_str(&builder, "lastTransitionTime", timestamp_write(prepare->write->now, now));
    json_builder_add_str(&builder, "reason", STR("SchedulingGated"));
    json_builder_add_str(&builder, "message",
                         STR("Scheduling is blocked due to non-empty scheduling gates"));
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_edit_set(&prepare->edit, JSON_PLACE("status.conditions"),
                  prepare_value(prepare, &builder));
}

void prepare_pod_create(struct prepare *prepare)
{
    set_gated(prepare);
    json_edit_set_str(&prepare->edit, JSON_PLACE("status.phase"), STR("Pending"));
    json_edit_set_str(&prepare->edit, JSON_PLACE("status.qosClass"),
                      qos_class(json_path(prepare->object, "spec")));
}

/* A Secret of a ServiceAccount is one of its namespace, so that nothing but the name counts. */
void prepare_service_account(struct prepare *prepare)
{
    const struct json_value *secrets = json_path(prepare->object, "secrets"), *secret;
    SCOPED(json_builder) builder = {0};
    if (json_count(secrets) == 0)
        return;
    json_builder_array(&builder);
    JSON_FOREACH (key, secret, secrets) {
        json_builder_object(&builder);
        if (json_path(secret, "name"))
            json_builder_add_str(&builder, "name", json_path_str(secret, "name"));
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    json_edit_set(&prepare->edit, JSON_PLACE("secrets"), prepare_value(prepare, &builder));
}

/* The phase of a volume is what it was told it is, since now. */
void prepare_volume_create(struct prepare *prepare)
{
    char now[TIMESTAMP_TEXT_MAX];
    json_edit_set_str(&prepare->edit, JSON_PLACE("status.lastPhaseTransitionTime"),
                      timestamp_write(prepare->write->now, now));
}

/* Another phase begins now unless its time is told; the same phase goes on since it began. */
void prepare_volume_status(struct prepare *prepare)
{
    const struct json_value *old = prepare->write->old;
    const struct json_value *was = json_path(old, "status.lastPhaseTransitionTime");
    const struct json_value *told = json_path(prepare->object, "status.lastPhaseTransitionTime");
    const bool is_same =
        str_eq(json_path_str(prepare->object, "status.phase"), json_path_str(old, "status.phase"));
    char now[TIMESTAMP_TEXT_MAX];
    if (!is_same && (!told || json_equal(told, was)))
        json_edit_set_str(&prepare->edit, JSON_PLACE("status.lastPhaseTransitionTime"),
                          timestamp_write(prepare->write->now, now));
    else if (is_same && !told && was)
        json_edit_set(&prepare->edit, JSON_PLACE("status.lastPhaseTransitionTime"), was);
}

/* The class of a Pod does not change; a status without it does not take it away. */
void prepare_pod_status(struct prepare *prepare)
{
    const struct json_value *quality = json_path(prepare->write->old, "status.qosClass");
    if (quality && json_path_str(prepare->object, "status.qosClass").len == 0)
        json_edit_set(&prepare->edit, JSON_PLACE("status.qosClass"), quality);
}

/* The kinds of sources that claims had before there was dataSourceRef. */
static bool is_classic_source(const struct json_value *source)
{
    const struct str group = json_path_str(source, "apiGroup"),
                     kind = json_path_str(source, "kind");
    return (group.len == 0 && str_eq(kind, STR("PersistentVolumeClaim"))) ||
           (str_eq(group, STR("snapshot.storage.k8s.io")) && str_eq(kind, STR("VolumeSnapshot")));
}

/*
 * dataSource is the older form of dataSourceRef and cannot name a namespace; both are set to the
 * same. A dataSource of another kind was ignored before there was dataSourceRef, and is dropped
 * still; so is a dataSourceRef into another namespace, whose feature is off. What the old claim has
 * stays allowed.
 */
void prepare_claim(struct prepare *prepare)
{
    const struct json_value *old = json_path(prepare->write->old, "spec");
    const struct json_value *source = json_path(prepare->object, "spec.dataSource");
    const struct json_value *reference = json_path(prepare->object, "spec.dataSourceRef");
    if (json_path_str(reference, "namespace").len && !json_path(old, "dataSourceRef")) {
        json_edit_remove(&prepare->edit, JSON_PLACE("spec.dataSourceRef"));
        reference = NULL;
    }
    if (source && !reference && !json_path(old, "dataSource") && !is_classic_source(source)) {
        json_edit_remove(&prepare->edit, JSON_PLACE("spec.dataSource"));
        source = NULL;
    }
    if (source && !reference)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.dataSourceRef"), source);
    else if (reference && !source && json_path_str(reference, "namespace").len == 0)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.dataSource"), reference);
}

#define HOSTNAME_LABEL STR("kubernetes.io/hostname")

/* Whether an old slice has a node in a topology, which only v1beta1 could write. */
static bool has_topology_node(const struct json_value *old, struct str node)
{
    const struct json_value *endpoint;
    JSON_FOREACH (key, endpoint, json_path(old, "endpoints")) {
        const struct json_value *topology = json_path(endpoint, "deprecatedTopology");
        if (node.len && str_eq(json_to_str(json_get(topology, HOSTNAME_LABEL)), node))
            return true;
    }
    return false;
}

/*
 * v1 has no topology of endpoints. It is dropped, and the node that an older slice has in it
 * becomes nodeName. Endpoints that stay as they were keep theirs.
 */
void prepare_endpoint_slice(struct prepare *prepare)
{
    const struct json_value *old = prepare->write->old, *endpoint;
    const struct json_value *endpoints = json_path(prepare->object, "endpoints");
    size_t index = 0;
    if (old && json_equal(endpoints, json_path(old, "endpoints")))
        return;
    JSON_FOREACH (key, endpoint, endpoints) {
        const struct str path = arena_print(prepare->write->arena, "endpoints.%zu", index++);
        const struct json_value *topology = json_path(endpoint, "deprecatedTopology");
        const struct str node = json_to_str(json_get(topology, HOSTNAME_LABEL));
        if (!topology)
            continue;
        if (!json_path(endpoint, "nodeName") && has_topology_node(old, node) &&
            validation_is_ok(validation_dns1123_subdomain(node)))
            json_edit_set_str(
                &prepare->edit,
                (struct json_place){.path = path.ptr, .key = STR("nodeName"), .has_key = true},
                node);
        json_edit_remove(&prepare->edit, (struct json_place){.path = path.ptr,
                                                             .key = STR("deprecatedTopology"),
                                                             .has_key = true});
    }
}
