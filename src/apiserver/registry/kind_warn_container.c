/*
 * Warnings about containers: annotations that speak of them, resources, variables and ports.
 *
 * Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go. The warning of AppArmor's annotation is
 * given for Pods in their strategy; it is the same but for Pods of Windows.
 */
#include "apiserver/registry/kind_warn_internal.h"

#define SECCOMP       STR("container.seccomp.security.alpha.kubernetes.io/")
#define SECCOMP_TEXT  "non-functional in v1.27+; use the \"seccompProfile\" field instead"
#define APPARMOR      STR("container.apparmor.security.beta.kubernetes.io/")
#define APPARMOR_TEXT "deprecated since v1.30; use the \"appArmorProfile\" field instead"
#define LOCALHOST     STR("localhost/")

/* Each port is compared with all before it. A Pod with more is not looked at any further. */
#define PORTS_MAX 1000

typedef void container_fn(const struct warn_pod *pod, const struct json_value *container,
                          struct str path, void *data);

/* In the order in which they begin. */
static void each_container(const struct warn_pod *pod, container_fn *fn, void *data)
{
    static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct str place =
            ARENA_JOIN(pod->w->arena, pod->prefix, STR("spec."), str_from_c(lists[i]));
        const struct json_value *container;
        size_t index = 0;
        JSON_FOREACH (key, container, json_path(pod->spec, lists[i]))
            fn(pod, container, warn_path(pod->w, place, index++, ""), data);
    }
}

static void warn_of_annotation(const struct warn_pod *pod, struct str key, const char *text)
{
    warn_at(pod->w,
            ARENA_JOIN(pod->w->arena, pod->prefix, STR("metadata.annotations["), key, STR("]")),
            text);
}

static void warn_of_seccomp(const struct warn_pod *pod, const struct json_value *container)
{
    const struct str key = ARENA_JOIN(pod->w->arena, SECCOMP, json_path_str(container, "name"));
    if (json_get(pod->annotations, key) && !json_path(container, "securityContext.seccompProfile"))
        warn_of_annotation(pod, key, SECCOMP_TEXT);
}

/* Whether the profile of the Pod says what the annotation of its container says. */
static bool is_profile(const struct json_value *profile, struct str annotation)
{
    const struct str type = json_path_str(profile, "type");
    const struct str local = json_path_str(profile, "localhostProfile");
    if (str_eq(annotation, STR("unconfined")))
        return str_eq(type, STR("Unconfined")) && local.len == 0;
    if (str_eq(annotation, STR("runtime/default")))
        return str_eq(type, STR("RuntimeDefault")) && local.len == 0;
    return str_starts_with(annotation, LOCALHOST) && local.len && str_eq(type, STR("Localhost")) &&
           str_eq(local, str_skip(annotation, LOCALHOST.len));
}

static void warn_of_app_armor(const struct warn_pod *pod, const struct json_value *container)
{
    const struct str key = ARENA_JOIN(pod->w->arena, APPARMOR, json_path_str(container, "name"));
    const struct json_value *annotation = json_get(pod->annotations, key);
    const bool is_on_windows =
        pod->prefix.len == 0 && str_eq(json_path_str(pod->spec, "os.name"), STR("windows"));
    if (annotation && !is_on_windows && !json_path(container, "securityContext.appArmorProfile") &&
        !is_profile(json_path(pod->spec, "securityContext.appArmorProfile"),
                    json_to_str(annotation)))
        warn_of_annotation(pod, key, APPARMOR_TEXT);
}

static void warn_of_resources(const struct warn_pod *pod, const struct json_value *resources,
                              struct str path)
{
    static const char *const members[] = {"limits", "requests"};
    const struct str names[] = {STR("memory"), STR("ephemeral-storage")};
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(members); k++)
            warn_of_fraction(
                pod->w, ARENA_JOIN(pod->w->arena, path, STR(".resources."), str_from_c(members[k])),
                json_path(resources, members[k]), names[i]);
}

/* A variable that is given again may only add to what it was: "$(PATH):/bin". */
static bool is_addition(struct kind_warner *w, const struct json_value *variable, struct str name)
{
    const struct str reference = ARENA_JOIN(w->arena, STR("$("), name, STR(")"));
    const struct str value = json_path_str(variable, "value");
    return !json_path(variable, "valueFrom") && !str_eq(value, reference) &&
           str_contains(value, reference);
}

static void warn_of_variables(const struct warn_pod *pod, const struct json_value *variables,
                              struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *variable;
    size_t index = 0;
    JSON_FOREACH (key, variable, variables) {
        const struct str name = json_path_str(variable, "name");
        if (map_has(&seen, name) && !is_addition(pod->w, variable, name))
            json_warn(pod->w->warnings,
                      arena_print(pod->w->arena,
                                  "%.*s.env[%zu]: hides previous definition of %.*s, which may be "
                                  "dropped when using apply",
                                  STR_ARG(path), index, STR_ARG(warn_quote(pod->w, name))));
        map_put(&seen, name, NULL);
        index++;
    }
}

static void warn_of_container(const struct warn_pod *pod, const struct json_value *container,
                              struct str path, void *data)
{
    (void)data;
    if (pod->annotations) {
        warn_of_seccomp(pod, container);
        warn_of_app_armor(pod, container);
    }
    if (json_count(json_path(container, "resources")))
        warn_of_resources(pod, json_path(container, "resources"), path);
    if (json_count(json_path(container, "env")) > 1)
        warn_of_variables(pod, json_path(container, "env"), path);
}

void warn_of_containers(const struct warn_pod *pod)
{
    each_container(pod, warn_of_container, NULL);
}

struct port {
    struct str path, protocol, host_ip, name;
    int64_t number, host_number;
};

struct ports {
    struct port *items;
    size_t count;
};

static void add_ports(const struct warn_pod *pod, const struct json_value *container,
                      struct str path, void *data)
{
    struct ports *ports = data;
    const struct json_value *item;
    const struct str place = ARENA_JOIN(pod->w->arena, path, STR(".ports"));
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(container, "ports")) {
        if (ports->count == PORTS_MAX)
            return;
        struct port *port = &ports->items[ports->count++];
        *port = (struct port){.path = warn_path(pod->w, place, index++, ""),
                              .protocol = json_path_str(item, "protocol"),
                              .host_ip = json_path_str(item, "hostIP"),
                              .name = json_path_str(item, "name")};
        (void)json_to_int64(json_path(item, "containerPort"), &port->number);
        (void)json_to_int64(json_path(item, "hostPort"), &port->host_number);
    }
}

/* How a port stands to one before it; NULL when both are fine. */
static const char *find_conflict(const struct port *port, const struct port *other)
{
    if (port->number != other->number || !str_eq(port->protocol, other->protocol))
        return NULL;
    if (port->host_number == other->host_number && str_eq(port->host_ip, other->host_ip))
        return "duplicate";
    if (port->host_number == 0 || other->host_number == 0)
        return "overlapping";
    const bool is_open = port->host_ip.len == 0, other_is_open = other->host_ip.len == 0;
    if (port->host_number == other->host_number && is_open != other_is_open)
        return "dangerously ambiguous";
    return NULL;
}

static void warn_of_port(struct kind_warner *w, const struct ports *ports, size_t index)
{
    const struct port *port = &ports->items[index];
    if (port->host_ip.len && port->host_number == 0)
        json_warn(w->warnings,
                  arena_print(w->arena,
                              "%.*s: hostIP set without hostPort: {Name:%.*s HostPort:0 "
                              "ContainerPort:%lld Protocol:%.*s HostIP:%.*s}",
                              STR_ARG(port->path), STR_ARG(port->name), (long long)port->number,
                              STR_ARG(port->protocol), STR_ARG(port->host_ip)));
    for (size_t i = 0; i < index && w->warnings->count < JSON_WARNINGS_MAX; i++) {
        const char *conflict = find_conflict(port, &ports->items[i]);
        if (conflict)
            json_warn(w->warnings,
                      arena_print(w->arena, "%.*s: %s port definition with %.*s",
                                  STR_ARG(port->path), conflict, STR_ARG(ports->items[i].path)));
    }
}

static void warn_of_port_names(struct kind_warner *w, struct ports *ports)
{
    SCOPED(map) seen = {.release = NULL};
    for (size_t i = 0; i < ports->count; i++) {
        struct port *port = &ports->items[i];
        const struct port *first = map_find(&seen, port->name);
        if (port->name.len == 0)
            continue;
        if (!first) {
            map_put(&seen, port->name, port);
            continue;
        }
        json_warn(w->warnings,
                  arena_print(w->arena,
                              "%.*s: duplicate port name %.*s with %.*s, services and probes that "
                              "select ports by name will use %.*s",
                              STR_ARG(port->path), STR_ARG(warn_quote(w, port->name)),
                              STR_ARG(first->path), STR_ARG(first->path)));
    }
}

static void count_ports(const struct warn_pod *pod, const struct json_value *container,
                        struct str path, void *data)
{
    size_t *count = data;
    (void)pod;
    (void)path;
    *count += json_count(json_path(container, "ports"));
}

void warn_of_ports(const struct warn_pod *pod)
{
    struct ports ports = {.count = 0};
    size_t count = 0;
    each_container(pod, count_ports, &count);
    if (count == 0)
        return;
    ports.items = arena_alloc_array(pod->w->arena, count < PORTS_MAX ? count : PORTS_MAX,
                                    sizeof(struct port));
    each_container(pod, add_ports, &ports);
    for (size_t i = 0; i < ports.count; i++)
        warn_of_port(pod->w, &ports, i);
    warn_of_port_names(pod->w, &ports);
}
