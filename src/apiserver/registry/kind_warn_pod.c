/*
 * Warnings about Pods and templates of Pods, in upstream's order.
 *
 * Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go. Containers are in kind_warn_container.c,
 * volumes in kind_warn_volume.c.
 */
#include "apimachinery/validation.h"
#include "apiserver/registry/kind_warn_internal.h"

#define NO_POD           "a null labelSelector results in matching no pod"
#define SECCOMP          STR("seccomp.security.alpha.kubernetes.io/pod")
#define SECCOMP_TEXT     "non-functional in v1.27+; use the \"seccompProfile\" field instead"
#define POD_AFFINITY     "spec.affinity.podAffinity."
#define POD_ANTIAFFINITY "spec.affinity.podAntiAffinity."
#define REQUIRED         "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED        "preferredDuringSchedulingIgnoredDuringExecution"

static const struct warn_annotation annotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"          },
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"          },
};

static struct str pod_path(const struct warn_pod *pod, const char *path)
{
    return ARENA_JOIN(pod->w->arena, pod->prefix, str_from_c(path));
}

static void warn_of_node_selector(const struct warn_pod *pod)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(pod->spec, "nodeSelector")) {
        const char *text = warn_find_node_label(key);
        if (text)
            warn_at(
                pod->w,
                ARENA_JOIN(pod->w->arena, pod->prefix, STR("spec.nodeSelector["), key, STR("]")),
                text);
    }
}

static void warn_of_node_affinity(const struct warn_pod *pod)
{
    const struct json_value *affinity = json_path(pod->spec, "affinity.nodeAffinity"), *term;
    const struct str place = pod_path(pod, "spec.affinity.nodeAffinity." PREFERRED);
    size_t index = 0;
    warn_of_node_terms(pod->w,
                       pod_path(pod, "spec.affinity.nodeAffinity." REQUIRED ".nodeSelectorTerms"),
                       json_path(affinity, REQUIRED ".nodeSelectorTerms"));
    JSON_FOREACH (key, term, json_path(affinity, PREFERRED))
        warn_of_node_term(pod->w, warn_path(pod->w, place, index++, ".preference"),
                          json_path(term, "preference"), true);
}

static void warn_of_spread(const struct warn_pod *pod)
{
    const struct str place = pod_path(pod, "spec.topologySpreadConstraints");
    const struct json_value *constraint;
    size_t index = 0;
    JSON_FOREACH (key, constraint, json_path(pod->spec, "topologySpreadConstraints")) {
        const struct str label = json_path_str(constraint, "topologyKey");
        const char *text = warn_find_node_label(label);
        if (text)
            json_warn(pod->w->warnings,
                      arena_print(pod->w->arena, "%.*s[%zu].topologyKey: %.*s is %s",
                                  STR_ARG(place), index, STR_ARG(label), text));
        if (!json_path(constraint, "labelSelector"))
            warn_at(pod->w, warn_path(pod->w, place, index, ".labelSelector"), NO_POD);
        index++;
    }
}

/* Addresses and names that were there before. The first of a list is never one. */
static void warn_of_repetition(const struct warn_pod *pod, const char *list, const char *member,
                               const char *what)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str place = ARENA_JOIN(pod->w->arena, pod->prefix, STR("spec."), str_from_c(list));
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(pod->spec, list)) {
        const struct str value = json_path_str(item, member);
        if (map_has(&seen, value))
            json_warn(pod->w->warnings,
                      arena_print(pod->w->arena, "%.*s[%zu].%s: duplicate %s %.*s", STR_ARG(place),
                                  index, member, what, STR_ARG(warn_quote(pod->w, value))));
        map_put(&seen, value, NULL);
        index++;
    }
}

static void warn_of_nameless_secrets(const struct warn_pod *pod)
{
    const struct str place = pod_path(pod, "spec.imagePullSecrets");
    const struct json_value *secret;
    size_t index = 0;
    JSON_FOREACH (key, secret, json_path(pod->spec, "imagePullSecrets")) {
        if (json_path_str(secret, "name").len == 0)
            warn_at(pod->w, warn_path(pod->w, place, index, ".name"), "invalid empty name \"\"");
        index++;
    }
}

static void warn_of_pod_seccomp(const struct warn_pod *pod)
{
    if (json_get(pod->annotations, SECCOMP) &&
        !json_path(pod->spec, "securityContext.seccompProfile"))
        warn_at(
            pod->w,
            ARENA_JOIN(pod->w->arena, pod->prefix, STR("metadata.annotations["), SECCOMP, STR("]")),
            SECCOMP_TEXT);
}

/* A Pod itself never gets here with less than 1. */
static void warn_of_grace(const struct warn_pod *pod)
{
    int64_t seconds;
    if (json_to_int64(json_path(pod->spec, "terminationGracePeriodSeconds"), &seconds) &&
        seconds < 0)
        warn_at(pod->w, pod_path(pod, "spec.terminationGracePeriodSeconds"),
                "must be >= 0; negative values are invalid and will be treated as 1");
}

static void warn_of_terms(const struct warn_pod *pod, const char *path, const char *selector)
{
    const struct str place = pod_path(pod, path);
    const struct json_value *term;
    size_t index = 0;
    JSON_FOREACH (key, term, json_path(pod->spec, path + strlen("spec."))) {
        if (!json_path(term, selector))
            warn_at(pod->w,
                    ARENA_JOIN(pod->w->arena, warn_path(pod->w, place, index, "."),
                               str_from_c(selector)),
                    NO_POD);
        index++;
    }
}

static void warn_of_pod_affinity(const struct warn_pod *pod)
{
    warn_of_terms(pod, POD_AFFINITY REQUIRED, "labelSelector");
    warn_of_terms(pod, POD_AFFINITY PREFERRED, "podAffinityTerm.labelSelector");
    warn_of_terms(pod, POD_ANTIAFFINITY REQUIRED, "labelSelector");
    warn_of_terms(pod, POD_ANTIAFFINITY PREFERRED, "podAffinityTerm.labelSelector");
}

static void warn_of_member_addresses(struct kind_warner *w, struct str path,
                                     const struct json_value *list)
{
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, list)
        warn_of_address(w, warn_path(w, path, index++, ".ip"), json_path_str(item, "ip"));
}

void warn_of_pod(struct kind_warner *w, struct str prefix, const struct json_value *object)
{
    const struct warn_pod pod = {w, prefix, json_path(object, "spec"),
                                 json_path(object, "metadata.annotations")};
    warn_of_node_selector(&pod);
    if (json_path(pod.spec, "affinity.nodeAffinity"))
        warn_of_node_affinity(&pod);
    warn_of_spread(&pod);
    warn_of_annotations(w, prefix, pod.annotations, annotations, COUNT(annotations));
    warn_of_volumes(&pod);
    warn_of_repetition(&pod, "hostAliases", "ip", "ip");
    warn_of_repetition(&pod, "imagePullSecrets", "name", "name");
    warn_of_nameless_secrets(&pod);
    warn_of_fraction(w, pod_path(&pod, "spec.overhead"), json_path(pod.spec, "overhead"),
                     STR("memory"));
    warn_of_fraction(w, pod_path(&pod, "spec.overhead"), json_path(pod.spec, "overhead"),
                     STR("ephemeral-storage"));
    warn_of_pod_seccomp(&pod);
    warn_of_containers(&pod);
    warn_of_ports(&pod);
    warn_of_grace(&pod);
    if (json_path(pod.spec, "affinity"))
        warn_of_pod_affinity(&pod);
    warn_of_addresses(w, pod_path(&pod, "spec.dnsConfig.nameservers"),
                      json_path(pod.spec, "dnsConfig.nameservers"));
    warn_of_member_addresses(w, pod_path(&pod, "spec.hostAliases"),
                             json_path(pod.spec, "hostAliases"));
}

void warn_of_name(struct kind_warner *w, const char *use)
{
    const struct validation found =
        validation_dns1123_label(json_path_str(w->object, "metadata.name"));
    SCOPED(buf) messages = {.limit = 0};
    for (size_t i = 0; i < found.count; i++)
        buf_print(&messages, "%s%.*s", i ? " " : "", STR_ARG(found.messages[i]));
    if (found.count)
        json_warn(w->warnings, arena_print(w->arena,
                                           "metadata.name: %s, which can result in surprising "
                                           "behavior; a DNS label is recommended: [%.*s]",
                                           use, STR_ARG(buf_str(&messages))));
}

void warn_of_new_pod(struct kind_warner *w)
{
    warn_of_name(w, "this is used in the Pod's hostname");
    warn_of_pod(w, STR(""), w->object);
}

void warn_of_pod_status(struct kind_warner *w)
{
    warn_of_member_addresses(w, STR("status.podIPs"), json_path(w->object, "status.podIPs"));
    warn_of_member_addresses(w, STR("status.hostIPs"), json_path(w->object, "status.hostIPs"));
}
