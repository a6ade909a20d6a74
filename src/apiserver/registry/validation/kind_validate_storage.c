/*
 * Validation of StorageClasses, CSIDrivers, CSINodes, CSIStorageCapacities and VolumeAttachments.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/storage/validation.
 */
#include <stdlib.h>

#include "apimachinery/quantity.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "apiserver/registry/validation/kind_validate_source.h"
#include "base/ascii.h"
#include "json/compare.h"

/* Of the parameters of a StorageClass. */
#define PARAMETERS_MAX      512
#define PARAMETERS_SIZE_MAX ((size_t)256 * 1024)

static void validate_parameters(struct kind_validator *v, const struct json_value *parameters,
                                struct str path)
{
    const struct json_value *value;
    size_t size = 0;
    if (json_count(parameters) > PARAMETERS_MAX) {
        field_errors_add_too_long(v->errors, path, PARAMETERS_MAX);
        return;
    }
    JSON_FOREACH (key, value, parameters) {
        if (key.len == 0)
            field_errors_add_str(v->errors, FIELD_INVALID, path, key,
                                 STR("field can not be empty."));
        size += key.len + json_to_str(value).len;
    }
    if (size > PARAMETERS_SIZE_MAX)
        field_errors_add_too_long(v->errors, path, PARAMETERS_SIZE_MAX);
}

/* Values of a label, each once. */
static void validate_topology_values(struct kind_validator *v, const struct json_value *values,
                                     struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *value;
    size_t index = 0;
    if (json_count(values) == 0)
        field_required(v, path, NULL, "");
    JSON_FOREACH (key, value, values) {
        const struct str place = field_path_index(v, path, index++);
        (void)field_unique(v, &seen, place, NULL, json_to_str(value));
    }
}

static int compare_texts(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Texts in their order, each once, as one text. */
static struct str join_sorted(struct arena *arena, struct str *texts, size_t count)
{
    SCOPED(buf) out = {.limit = 0};
    if (count)
        qsort(texts, count, sizeof(*texts), compare_texts);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !str_eq(texts[i - 1], texts[i]))
            buf_add_json_string(&out, texts[i]);
    return arena_str(arena, buf_str(&out));
}

static struct str join_values(struct arena *arena, const struct json_value *values)
{
    struct str *texts = arena_alloc_array(arena, json_count(values) + 1, sizeof(*texts));
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, values)
        texts[count++] = json_to_str(value);
    return join_sorted(arena, texts, count);
}

/* A text that is the same for terms that say the same. */
static struct str describe_term(struct arena *arena, const struct json_value *term)
{
    const struct json_value *requirements = json_path(term, "matchLabelExpressions"), *one;
    struct str *texts = arena_alloc_array(arena, json_count(requirements) + 1, sizeof(*texts));
    size_t count = 0;
    JSON_FOREACH (key, one, requirements)
        texts[count++] = arena_print(arena, "%.*s %.*s", STR_ARG(json_path_str(one, "key")),
                                     STR_ARG(join_values(arena, json_path(one, "values"))));
    return join_sorted(arena, texts, count);
}

/* Labels of a term, each once. */
static void validate_topology_term(struct kind_validator *v, const struct json_value *term,
                                   struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *requirement;
    size_t index = 0;
    JSON_FOREACH (key, requirement, json_path(term, "matchLabelExpressions")) {
        const struct str place = field_path_index(v, path, index++);
        const struct str label = json_path_str(requirement, "key");
        validate_topology_values(v, json_path(requirement, "values"),
                                 field_path(v, place, "values"));
        field_syntax(v, place, "key", label, validation_label_key(label));
        (void)field_unique(v, &seen, place, "key", label);
    }
}

/* Terms, each once. Upstream takes a term without labels for one that it has seen. */
static void validate_topologies(struct kind_validator *v, const struct json_value *terms,
                                struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *term;
    size_t index = 0;
    map_put(&seen, STR(""), NULL);
    JSON_FOREACH (key, term, terms) {
        const struct str place =
            field_path(v, field_path_index(v, path, index++), "matchLabelExpressions");
        const struct str text = describe_term(v->arena, term);
        validate_topology_term(v, term, place);
        if (map_has(&seen, text))
            field_errors_add_str(v->errors, FIELD_DUPLICATE, place, STR(""), STR(""));
        map_put(&seen, text, NULL);
    }
}

void validate_storage_class(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    const struct str provisioner = json_path_str(object, "provisioner");
    const struct str reclaim = json_path_str(object, "reclaimPolicy");
    const struct json_value *mode = json_path(object, "volumeBindingMode");
    char *lower = arena_alloc(v->arena, provisioner.len + 1);
    for (size_t i = 0; i < provisioner.len; i++)
        lower[i] = ascii_to_lower(provisioner.ptr[i]);
    const struct str name = str_from(lower, provisioner.len);
    if (name.len)
        field_syntax(v, path, "provisioner", name, validation_label_key(name));
    if (reclaim.len)
        field_one_of(v, path, "reclaimPolicy", reclaim, "Delete|Retain");
    validate_parameters(v, json_path(object, "parameters"), field_path(v, path, "parameters"));
    if (mode)
        field_one_of(v, path, "volumeBindingMode", json_to_str(mode),
                     "Immediate|WaitForFirstConsumer");
    validate_topologies(v, json_path(object, "allowedTopologies"),
                        field_path(v, path, "allowedTopologies"));
}

/* Of what a driver calls a node. */
#define NODE_ID_MAX 256

/* Of the tokens that a driver asks for, in seconds. */
#define LIFETIME_MIN 600
#define LIFETIME_MAX ((int64_t)1 << 32)

static void validate_lifetime(struct kind_validator *v, const struct json_value *request,
                              struct str path)
{
    const struct json_value *value = json_path(request, "expirationSeconds");
    int64_t seconds;
    if (!json_to_int64(value, &seconds))
        return;
    if (seconds < LIFETIME_MIN)
        field_invalid(v, path, "expirationSeconds", value,
                      "may not specify a duration less than 10 minutes");
    if (seconds > LIFETIME_MAX)
        field_invalid(v, path, "expirationSeconds", value,
                      "may not specify a duration larger than 2^32 seconds");
}

/* One token for each audience. */
static void validate_token_requests(struct kind_validator *v, const struct json_value *requests,
                                    struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *request;
    size_t index = 0;
    JSON_FOREACH (key, request, requests) {
        const struct str place = field_path_index(v, path, index++);
        if (field_unique(v, &seen, place, "audience", json_path_str(request, "audience")))
            validate_lifetime(v, request, place);
    }
}

void validate_csi_driver_spec(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct json_value *requests = json_path(object, "tokenRequests"), *mode;
    const struct json_value *period = json_path(object, "nodeAllocatableUpdatePeriodSeconds");
    const struct json_value *in_secrets = json_path(object, "serviceAccountTokenInSecrets");
    const struct json_value *policy = json_path(object, "fsGroupPolicy");
    int64_t seconds;
    if (policy)
        field_one_of(v, path, "fsGroupPolicy", json_to_str(policy),
                     "File|None|ReadWriteOnceWithFSType");
    validate_token_requests(v, requests, field_path(v, path, "tokenRequests"));
    JSON_FOREACH (key, mode, json_path(object, "volumeLifecycleModes"))
        field_one_of(v, path, "volumeLifecycleModes", json_to_str(mode), "Persistent|Ephemeral");
    if (json_to_int64(period, &seconds) && seconds < 10)
        field_invalid(v, path, "nodeAllocatableUpdatePeriodSeconds", period,
                      "must be greater than or equal to 10 seconds");
    if (in_secrets && json_count(requests) == 0)
        field_invalid(v, path, "serviceAccountTokenInSecrets", in_secrets,
                      "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
}

/* Upstream's path is spec.attachedRequired, although the member is attachRequired. */
void validate_csi_driver_update(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct json_value *value = json_path(object, "spec.attachRequired");
    if (!json_equal(value, json_path(v->old, "spec.attachRequired")))
        field_invalid(v, path, "spec.attachedRequired", value, "field is immutable");
}

/* Labels that tell where a driver's volumes can be used. Upstream's path is that of the driver. */
static void validate_topology_keys(struct kind_validator *v, const struct json_value *keys,
                                   struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *value;
    JSON_FOREACH (key, value, keys) {
        const struct str name = json_to_str(value);
        if (name.len == 0)
            field_required(v, path, NULL, "");
        (void)field_unique(v, &seen, path, NULL, name);
        field_syntax(v, path, NULL, name, validation_label_key(name));
    }
}

static void validate_csi_node_driver(struct kind_validator *v, const struct json_value *driver,
                                     struct str path)
{
    const struct str name = json_path_str(driver, "name"), id = json_path_str(driver, "nodeID");
    const struct json_value *count = json_path(driver, "allocatable.count");
    int64_t number;
    if (name.len == 0)
        field_required(v, path, "name", "");
    else
        field_syntax(v, path, "name", name, validation_dns1123_subdomain(name));
    if (id.len == 0)
        field_required(v, path, "nodeID", "");
    if (id.len > NODE_ID_MAX)
        field_invalid(v, path, "nodeID", json_path(driver, "nodeID"),
                      "must be 256 characters or less");
    if (json_to_int64(count, &number) && number < 0)
        field_invalid(v, path, "allocatable.count", count, "must be greater than or equal to 0");
}

/* Each driver once. */
void validate_csi_node_spec(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *driver;
    size_t index = 0;
    JSON_FOREACH (key, driver, json_path(object, "drivers")) {
        const struct str place = field_path_index(v, field_path(v, path, "drivers"), index++);
        validate_csi_node_driver(v, driver, place);
        (void)field_unique(v, &seen, place, "name", json_path_str(driver, "name"));
        validate_topology_keys(v, json_path(driver, "topologyKeys"), place);
    }
}

/* As upstream writes its own type, whose members have capital letters. */
static struct str describe_driver(struct kind_validator *v, const struct json_value *driver)
{
    SCOPED(buf) keys = {.limit = 0};
    const struct json_value *list = json_path(driver, "topologyKeys");
    const struct json_value *count = json_path(driver, "allocatable.count");
    int64_t number = 0;
    if (json_count(list))
        json_write(&keys, list);
    const struct str allocatable =
        json_to_int64(count, &number) ? arena_print(v->arena, "{\"Count\":%lld}", (long long)number)
        : json_path(driver, "allocatable") ? STR("{\"Count\":null}")
                                           : STR("null");
    return arena_print(v->arena,
                       "{\"Name\":\"%.*s\",\"NodeID\":\"%.*s\",\"TopologyKeys\":%.*s,"
                       "\"Allocatable\":%.*s}",
                       STR_ARG(json_path_str(driver, "name")),
                       STR_ARG(json_path_str(driver, "nodeID")),
                       STR_ARG(keys.len ? buf_str(&keys) : STR("null")), STR_ARG(allocatable));
}

/* A driver may come and go, but it changes in what it has room for alone. */
void validate_csi_node_update(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    static const char *const may_change[] = {"allocatable"};
    SCOPED(map) before = {.release = NULL};
    const struct json_value *driver;
    JSON_FOREACH (key, driver, json_path(v->old, "spec.drivers"))
        map_put(&before, json_path_str(driver, "name"), (void *)driver);
    JSON_FOREACH (key, driver, json_path(object, "spec.drivers")) {
        const struct json_value *old = map_find(&before, json_path_str(driver, "name"));
        if (old && field_differs_besides(old, driver, may_change, COUNT(may_change)))
            field_errors_add(v->errors, FIELD_INVALID, field_path(v, path, "spec.drivers"),
                             arena_print(v->arena, "%.*s: field is immutable",
                                         STR_ARG(describe_driver(v, driver))));
    }
}

void validate_attachment_spec(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct str node = json_path_str(object, "nodeName");
    validate_driver_name(v, json_path_str(object, "attacher"), field_path(v, path, "attacher"));
    field_syntax(v, path, "nodeName", node, validation_dns1123_subdomain(node));
}

/* Exactly one of two. */
void validate_attachment_source(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct json_value *name = json_path(object, "persistentVolumeName");
    const bool has_spec = json_path(object, "inlineVolumeSpec") != NULL;
    const char *words = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    if (!name && !has_spec)
        field_required(v, path, NULL, words);
    else if (name && has_spec)
        field_forbidden(v, path, NULL, words);
    else if (name && json_to_str(name).len == 0)
        field_required(v, path, "persistentVolumeName",
                       "must specify non empty persistentVolumeName");
    if (name)
        field_syntax(v, path, "persistentVolumeName", json_to_str(name),
                     validation_dns1123_subdomain(json_to_str(name)));
}

void validate_csi_storage_capacity(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    const struct str name = json_path_str(object, "storageClassName");
    const struct json_value *capacity = json_path(object, "capacity");
    struct quantity quantity;
    field_syntax(v, path, "storageClassName", name, validation_dns1123_subdomain(name));
    if (field_quantity(capacity, &quantity) && quantity_sign(&quantity) < 0)
        field_invalid(v, path, "capacity", capacity, "must be greater than or equal to 0");
}
