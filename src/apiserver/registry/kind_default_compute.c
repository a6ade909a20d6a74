/*
 * Defaults that depend on other members: the functions of rows with DEFAULT_COMPUTED and
 * DEFAULT_MERGED.
 *
 * Each function is given the object that has the member, before defaulting. It writes one value to
 * the builder and returns true, or returns false and leaves the member as it is. Functions for
 * DEFAULT_MERGED must contain the present value in theirs.
 *
 * To add one: declare it in kind_default_internal.h and name it in a row of kind_default_rows.c.
 */
#include "apiserver/registry/kind_default_internal.h"
#include "json/path.h"

/*
 * Whether the tag of an image is "latest" or absent. The tag is behind the last colon after the
 * last slash; a colon before that is the port of a registry. A digest counts as a fixed tag,
 * and so does what is no image: an empty text, or one with a space.
 */
static bool is_latest(struct str image)
{
    const size_t slash = str_find_last_char(image, '/');
    const struct str name = slash == STR_NONE ? image : str_skip(image, slash + 1);
    const size_t colon = str_find_last_char(name, ':');
    if (image.len == 0 || str_find_char(image, ' ') != STR_NONE ||
        str_find_char(image, '@') != STR_NONE)
        return false;
    return colon == STR_NONE || str_eq(str_skip(name, colon + 1), STR("latest"));
}

static bool write_pull_policy(struct str image, struct json_builder *out)
{
    json_builder_str(out, is_latest(image) ? STR("Always") : STR("IfNotPresent"));
    return true;
}

bool default_pull_policy(const struct default_scope *scope, const struct json_value *object,
                         struct json_builder *out)
{
    (void)scope;
    return write_pull_policy(json_path_str(object, "image"), out);
}

bool default_volume_pull_policy(const struct default_scope *scope, const struct json_value *object,
                                struct json_builder *out)
{
    (void)scope;
    return write_pull_policy(json_path_str(object, "reference"), out);
}

/*
 * serviceAccount is the deprecated alias of serviceAccountName. The next two functions keep both
 * equal.
 */
bool default_account_name(const struct default_scope *scope, const struct json_value *object,
                          struct json_builder *out)
{
    (void)scope;
    const struct json_value *name = json_path(object, "serviceAccount");
    if (!name)
        return false;
    json_builder_value(out, name);
    return true;
}

bool default_account(const struct default_scope *scope, const struct json_value *object,
                     struct json_builder *out)
{
    (void)scope;
    const struct json_value *name = json_path(object, "serviceAccountName");
    if (!name)
        return false;
    json_builder_value(out, name);
    return true;
}

/*
 * A volume without a source is an emptyDir. The members of VolumeSource are inlined beside the
 * name.
 */
bool default_empty_dir(const struct default_scope *scope, const struct json_value *object,
                       struct json_builder *out)
{
    (void)scope;
    if (json_count(object) > (json_path(object, "name") ? 1 : 0))
        return false;
    json_builder_object(out);
    json_builder_end(out);
    return true;
}

/* In seconds, of containers that are told to end. */
#define GRACE_PERIOD 30

/* Upstream reads a negative period of a Pod, but not of a template, as 1. */
bool default_period(const struct default_scope *scope, const struct json_value *object,
                    struct json_builder *out)
{
    const struct json_value *period = json_path(object, "terminationGracePeriodSeconds");
    int64_t seconds = GRACE_PERIOD;
    (void)json_to_int64(period, &seconds);
    if (strcmp(scope->root, "Pod") == 0 && seconds < 0)
        seconds = 1;
    json_builder_int(out, seconds);
    return true;
}

/* With hostNetwork the port of the container is the port of the host. */
bool default_host_port(const struct default_scope *scope, const struct json_value *object,
                       struct json_builder *out)
{
    const struct json_value *port = json_path(object, "containerPort");
    if (!scope->host_network || !port)
        return false;
    json_builder_value(out, port);
    return true;
}

/*
 * Writes a map with the members of all maps; the first map wins. False if only the first has
 * members, which needs no change.
 */
static bool write_union(const struct json_value *const *maps, size_t count,
                        struct json_builder *out)
{
    size_t added = 0;
    for (size_t i = 1; i < count; i++)
        added += json_count(maps[i]);
    if (added == 0)
        return false;
    json_builder_object(out);
    for (size_t i = count; i-- > 0;) { /* of equal keys the builder keeps the last */
        const struct json_value *value;
        JSON_FOREACH (key, value, maps[i]) {
            json_builder_key(out, key);
            json_builder_value(out, value);
        }
    }
    json_builder_end(out);
    return true;
}

#define WRITE_UNION(out, ...)                                    \
    write_union((const struct json_value *const[]){__VA_ARGS__}, \
                COUNT(((const struct json_value *const[]){__VA_ARGS__})), out)

/* Requests default to limits, resource by resource. */
bool default_requests(const struct default_scope *scope, const struct json_value *object,
                      struct json_builder *out)
{
    (void)scope;
    return WRITE_UNION(out, json_path(object, "requests"), json_path(object, "limits"));
}

bool default_limit(const struct default_scope *scope, const struct json_value *object,
                   struct json_builder *out)
{
    (void)scope;
    return WRITE_UNION(out, json_path(object, "default"), json_path(object, "max"));
}

/*
 * defaultRequest of a LimitRange defaults to default, then to max (the default of default), then to
 * min.
 */
bool default_limit_request(const struct default_scope *scope, const struct json_value *object,
                           struct json_builder *out)
{
    (void)scope;
    return WRITE_UNION(out, json_path(object, "defaultRequest"), json_path(object, "default"),
                       json_path(object, "max"), json_path(object, "min"));
}

bool default_target_port(const struct default_scope *scope, const struct json_value *object,
                         struct json_builder *out)
{
    (void)scope;
    const struct json_value *port = json_path(object, "port");
    if (!port)
        return false;
    json_builder_value(out, port);
    return true;
}

/* Whether a Service has an externalTrafficPolicy. */
static bool is_reached_from_outside(const struct json_value *spec)
{
    const struct str type = json_path_str(spec, "type");
    return str_eq(type, STR("NodePort")) || str_eq(type, STR("LoadBalancer")) ||
           ((type.len == 0 || str_eq(type, STR("ClusterIP"))) &&
            json_count(json_path(spec, "externalIPs")) > 0);
}

bool default_external_traffic_policy(const struct default_scope *scope,
                                     const struct json_value *object, struct json_builder *out)
{
    (void)scope;
    if (!is_reached_from_outside(object))
        return false;
    json_builder_str(out, STR("Cluster"));
    return true;
}

/* An address of a load balancer; one of a Service of another type is an error. */
bool default_ingress_mode(const struct default_scope *scope, const struct json_value *object,
                          struct json_builder *out)
{
    if (!json_path_str(object, "ip").len ||
        !str_eq(json_path_str(scope->whole, "spec.type"), STR("LoadBalancer")))
        return false;
    json_builder_str(out, STR("VIP"));
    return true;
}

/* Only a strategy that is chosen by default is filled in. */
bool default_rolling_update(const struct default_scope *scope, const struct json_value *object,
                            struct json_builder *out)
{
    (void)scope;
    if (json_path_str(object, "type").len)
        return false;
    json_builder_object(out);
    json_builder_add_int(out, "partition", 0);
    json_builder_end(out);
    return true;
}

bool default_allocatable(const struct default_scope *scope, const struct json_value *object,
                         struct json_builder *out)
{
    (void)scope;
    return WRITE_UNION(out, NULL, json_path(object, "capacity"));
}

bool default_rc_selector(const struct default_scope *scope, const struct json_value *object,
                         struct json_builder *out)
{
    (void)scope;
    return WRITE_UNION(out, NULL, json_path(object, "template.metadata.labels"));
}

/* A Job with parallelism but without completions is a work queue: its completions stay absent. */
bool default_completions(const struct default_scope *scope, const struct json_value *object,
                         struct json_builder *out)
{
    (void)scope;
    if (json_path(object, "parallelism"))
        return false;
    json_builder_int(out, 1);
    return true;
}

bool default_backoff_limit(const struct default_scope *scope, const struct json_value *object,
                           struct json_builder *out)
{
    (void)scope;
    json_builder_int(out, json_path(object, "backoffLimitPerIndex") ? INT32_MAX : 6);
    return true;
}

bool default_pod_replacement_policy(const struct default_scope *scope,
                                    const struct json_value *object, struct json_builder *out)
{
    (void)scope;
    json_builder_str(out, json_path(object, "podFailurePolicy") ? STR("Failed")
                                                                : STR("TerminatingOrFailed"));
    return true;
}

bool default_lifecycle_modes(const struct default_scope *scope, const struct json_value *object,
                             struct json_builder *out)
{
    (void)scope;
    (void)object;
    json_builder_array(out);
    json_builder_str(out, STR("Persistent"));
    json_builder_end(out);
    return true;
}

bool default_policy_types(const struct default_scope *scope, const struct json_value *object,
                          struct json_builder *out)
{
    (void)scope;
    json_builder_array(out);
    json_builder_str(out, STR("Ingress"));
    if (json_count(json_path(object, "egress")) > 0)
        json_builder_str(out, STR("Egress"));
    json_builder_end(out);
    return true;
}

/* An average CPU utilization of 80 %. */
bool default_metric(const struct default_scope *scope, const struct json_value *object,
                    struct json_builder *out)
{
    (void)scope;
    (void)object;
    json_builder_object(out);
    json_builder_add_str(out, "type", STR("Resource"));
    json_builder_add_object(out, "resource");
    json_builder_add_str(out, "name", STR("cpu"));
    json_builder_add_object(out, "target");
    json_builder_add_str(out, "type", STR("Utilization"));
    json_builder_add_int(out, "averageUtilization", 80);
    json_builder_end(out);
    json_builder_end(out);
    json_builder_end(out);
    return true;
}

bool default_metrics(const struct default_scope *scope, const struct json_value *object,
                     struct json_builder *out)
{
    json_builder_array(out);
    (void)default_metric(scope, object, out);
    json_builder_end(out);
    return true;
}

static void write_policy(struct json_builder *out, struct str type, int64_t value)
{
    json_builder_object(out);
    json_builder_add_str(out, "type", type);
    json_builder_add_int(out, "value", value);
    json_builder_add_int(out, "periodSeconds", 15);
    json_builder_end(out);
}

/* The scaling rules of an autoscaler: the defaults, overwritten by the members that are there. */
static bool write_rules(const struct json_value *rules, bool is_up, struct json_builder *out)
{
    const struct json_value *value;
    json_builder_object(out);
    if (is_up)
        json_builder_add_int(out, "stabilizationWindowSeconds", 0);
    json_builder_add_str(out, "selectPolicy", STR("Max"));
    json_builder_add_array(out, "policies");
    if (is_up)
        write_policy(out, STR("Pods"), 4);
    write_policy(out, STR("Percent"), 100);
    json_builder_end(out);
    JSON_FOREACH (key, value, rules) { /* of equal keys the builder keeps the last */
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
    json_builder_end(out);
    return true;
}

bool default_scale_up(const struct default_scope *scope, const struct json_value *object,
                      struct json_builder *out)
{
    (void)scope;
    return write_rules(json_path(object, "scaleUp"), true, out);
}

bool default_scale_down(const struct default_scope *scope, const struct json_value *object,
                        struct json_builder *out)
{
    (void)scope;
    return write_rules(json_path(object, "scaleDown"), false, out);
}

/* The range of a Node is the first of its ranges. */
bool default_pod_range(const struct default_scope *scope, const struct json_value *object,
                       struct json_builder *out)
{
    const struct str first = json_path_str(object, "podCIDRs.0");
    (void)scope;
    if (first.len)
        json_builder_str(out, first);
    return first.len > 0;
}

/* Older clients know one range: where it is another one than the first, it is the only one. */
bool default_pod_ranges(const struct default_scope *scope, const struct json_value *object,
                        struct json_builder *out)
{
    const struct json_value *range = json_path(object, "podCIDR");
    const struct json_value *ranges = json_path(object, "podCIDRs");
    (void)scope;
    if (json_to_str(range).len &&
        !str_eq(json_to_str(range), json_path_str(object, "podCIDRs.0"))) {
        json_builder_array(out);
        json_builder_value(out, range);
        json_builder_end(out);
    } else if (json_count(ranges)) {
        json_builder_value(out, ranges);
    }
    return json_to_str(range).len || json_count(ranges);
}
