/*
 * Validation of probes and of the hooks in the life of a container.
 *
 * Upstream: validateProbe(), validateLifecycle() and validateHandler() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. Of several handlers the first one is
 * looked into, the others are too many. stopSignal is not looked at: the feature is off.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/ascii.h"

static void validate_exec(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    (void)field_needs(v, object, path, "command");
}

/* Letters, digits and dashes. */
static struct validation syntax_header(struct str name)
{
    struct validation found = {.count = 0};
    bool is_fine = name.len > 0;
    for (size_t i = 0; i < name.len; i++)
        is_fine = is_fine && (ascii_is_alphanumeric(name.ptr[i]) || name.ptr[i] == '-');
    if (!is_fine)
        found.messages[found.count++] =
            STR("a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
                "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
    return found;
}

/* Upstream tells of a header at the list. */
static void validate_http(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const struct json_value *header;
    (void)field_needs(v, object, path, "path");
    validate_port(v, path, "port", json_path(object, "port"));
    field_one_of(v, path, "scheme", json_path_str(object, "scheme"), "HTTP|HTTPS");
    JSON_FOREACH (key, header, json_path(object, "httpHeaders")) {
        const struct str name = json_path_str(header, "name");
        field_syntax(v, path, "httpHeaders", name, syntax_header(name));
    }
}

static void validate_tcp(struct kind_validator *v, const struct json_value *object, struct str path)
{
    validate_port(v, path, "port", json_path(object, "port"));
}

/* A container does not sleep for longer than it is given to end. */
static void validate_sleep(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *value = json_path(object, "seconds");
    int64_t seconds = 0, period = 0;
    (void)json_to_int64(value, &seconds);
    if (!json_to_int64(json_path(v->pod->spec, "terminationGracePeriodSeconds"), &period) ||
        (seconds >= 0 && seconds <= period))
        return;
    field_errors_add_int(v->errors, FIELD_INVALID, path, seconds,
                         arena_print(v->arena,
                                     "must be non-negative and less than "
                                     "terminationGracePeriodSeconds (%lld)",
                                     (long long)period));
}

/* In the order in which they are looked at. Probes cannot sleep, and hooks do not speak gRPC. */
static const struct {
    const char *member;
    validate_fn *check;
} handlers[] = {
    {"exec",      validate_exec },
    {"httpGet",   validate_http },
    {"tcpSocket", validate_tcp  },
    {"grpc",      validate_tcp  },
    {"sleep",     validate_sleep},
};

static void validate_handler(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(handlers); i++) {
        if (!json_path(object, handlers[i].member))
            continue;
        if (count++ > 0)
            field_forbidden(v, path, handlers[i].member,
                            "may not specify more than 1 handler type");
        else
            field_apply(v, object, path, handlers[i].member, handlers[i].check);
    }
    if (count == 0)
        field_required(v, path, NULL, "must specify a handler type");
}

static void validate_probe(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    static const char *const numbers[] = {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                          "successThreshold", "failureThreshold"};
    const struct json_value *period = json_path(object, "terminationGracePeriodSeconds");
    int64_t seconds;
    validate_handler(v, object, path);
    for (size_t i = 0; i < COUNT(numbers); i++)
        field_not_negative(v, object, path, numbers[i]);
    if (json_to_int64(period, &seconds) && seconds <= 0)
        field_invalid(v, path, "terminationGracePeriodSeconds", period, "must be greater than 0");
}

/* A container that is dead, or has not started, is so until the first success. */
static void validate_one_success(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const struct json_value *count = json_path(object, "successThreshold");
    int64_t number;
    validate_probe(v, object, path);
    if (json_to_int64(count, &number) && number != 1)
        field_invalid(v, path, "successThreshold", count, "must be 1");
}

static void validate_readiness(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const struct json_value *period = json_path(object, "terminationGracePeriodSeconds");
    validate_probe(v, object, path);
    if (period)
        field_invalid(v, path, "terminationGracePeriodSeconds", period,
                      "must not be set for readinessProbes");
}

void validate_probes(struct kind_validator *v, const struct json_value *object, struct str path)
{
    field_apply(v, object, path, "livenessProbe", validate_one_success);
    field_apply(v, object, path, "readinessProbe", validate_readiness);
    field_apply(v, object, path, "startupProbe", validate_one_success);
}

void validate_lifecycle(struct kind_validator *v, const struct json_value *object, struct str path)
{
    field_apply(v, object, path, "postStart", validate_handler);
    field_apply(v, object, path, "preStop", validate_handler);
}
