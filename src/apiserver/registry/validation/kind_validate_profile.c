/*
 * Validation of the profiles that confine containers, seccomp and AppArmor, in security contexts
 * and in annotations, which are their old place.
 *
 * Upstream: validateSeccompProfileField(), ValidateAppArmorProfileField(),
 * ValidatePodSpecificAnnotations() and validateSeccompAnnotationsAndFields() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/quote.h"

#define PROFILES "Localhost|RuntimeDefault|Unconfined"

/* In bytes, of the name of an AppArmor profile. */
#define PROFILE_NAME_MAX 4095

#define SECCOMP_POD       STR("seccomp.security.alpha.kubernetes.io/pod")
#define SECCOMP_CONTAINER STR("container.seccomp.security.alpha.kubernetes.io/")
#define APP_ARMOR         STR("container.apparmor.security.beta.kubernetes.io/")
#define LOCAL             STR("localhost/")

static void validate_profile_type(struct kind_validator *v, const struct json_value *profile,
                                  struct str path, const char *words)
{
    const struct str type = json_path_str(profile, "type");
    if (type.len == 0)
        field_required(v, path, "type", words);
    else
        field_one_of(v, path, "type", type, PROFILES);
}

void validate_seccomp(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *local = json_path(object, "localhostProfile");
    const bool is_local = str_eq(json_path_str(object, "type"), STR("Localhost"));
    validate_profile_type(v, object, path, "type is required when seccompProfile is set");
    if (is_local && !local)
        field_required(v, path, "localhostProfile", "must be set when seccomp type is Localhost");
    else if (is_local)
        validate_relative_path(v, json_to_str(local), field_path(v, path, "localhostProfile"));
    else if (local)
        field_invalid_struct(v, field_path(v, path, "localhostProfile"),
                             field_type_at(&type_pod, "spec.securityContext.seccompProfile"),
                             object, "can only be set when seccomp type is Localhost");
}

static void validate_local_app_armor(struct kind_validator *v, const struct json_value *local,
                                     struct str path)
{
    const struct str name = json_to_str(local), bare = str_trim(name);
    if (bare.len != name.len)
        field_invalid_text(v, path, NULL, name, "must not be padded with whitespace");
    else if (name.len == 0)
        field_required(v, path, NULL, "must be set when AppArmor type is Localhost");
    if (name.len > PROFILE_NAME_MAX)
        field_errors_add_too_long(v->errors, path, PROFILE_NAME_MAX);
}

void validate_app_armor(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *local = json_path(object, "localhostProfile");
    const struct str type = json_path_str(object, "type");
    validate_profile_type(v, object, path, "type is required when appArmorProfile is set");
    if (str_eq(type, STR("Localhost")))
        validate_local_app_armor(v, local, field_path(v, path, "localhostProfile"));
    else if (local && field_is_one_of(type, PROFILES))
        field_invalid_struct(v, field_path(v, path, "localhostProfile"), NULL, local,
                             "can only be set when AppArmor type is Localhost");
}

static void validate_seccomp_annotation(struct kind_validator *v, struct str profile,
                                        struct str path)
{
    if (field_is_one_of(profile, "runtime/default|docker/default|unconfined"))
        return;
    if (str_starts_with(profile, LOCAL))
        validate_relative_path(v, str_skip(profile, LOCAL.len), path);
    else
        field_invalid_text(v, path, NULL, profile, "must be a valid seccomp profile");
}

static bool has_container(const struct json_value *spec, struct str name)
{
    static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};
    const struct json_value *container;
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, container, json_path(spec, lists[i]))
            if (str_eq(json_path_str(container, "name"), name))
                return true;
    return false;
}

static void validate_app_armor_annotation(struct kind_validator *v, const struct json_value *spec,
                                          struct str container, struct str profile, struct str path)
{
    SCOPED(buf) words = {.limit = 0};
    if (!has_container(spec, container))
        field_invalid_text(v, path, NULL, container, "container not found");
    if (profile.len == 0 || field_is_one_of(profile, "runtime/default|unconfined") ||
        str_starts_with(profile, LOCAL))
        return;
    buf_add(&words, STR("invalid AppArmor profile name: "));
    str_quote_go(&words, profile);
    field_errors_add_str(v->errors, FIELD_INVALID, path, profile, buf_str(&words));
}

/* Upstream writes the keys of one sort as members. */
void validate_profile_annotations(struct kind_validator *v, const struct json_value *annotations,
                                  const struct json_value *spec, struct str path)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, annotations) {
        const struct str profile = json_to_str(value);
        if (str_eq(key, SECCOMP_POD) || str_starts_with(key, SECCOMP_CONTAINER))
            validate_seccomp_annotation(v, profile, ARENA_JOIN(v->arena, path, STR("."), key));
        if (str_starts_with(key, APP_ARMOR))
            validate_app_armor_annotation(v, spec, str_skip(key, APP_ARMOR.len), profile,
                                          field_path_key(v, path, key));
    }
}

/* A profile and its annotation, of the same kind of profile. */
struct profile_pair {
    const struct json_value *profile, *annotation;
    const char *what; /* as messages call it */
    bool may_be_docker;
    struct str path;
};

static void validate_profile_pair(struct kind_validator *v, const struct profile_pair *pair)
{
    const struct str type = json_path_str(pair->profile, "type");
    const struct str annotation = json_to_str(pair->annotation);
    const struct str local = json_path_str(pair->profile, "localhostProfile");
    const bool is_local = str_starts_with(annotation, LOCAL);
    bool is_same = true;
    if (!pair->profile || !pair->annotation)
        return;
    if (str_eq(type, STR("Unconfined")))
        is_same = str_eq(annotation, STR("unconfined"));
    else if (str_eq(type, STR("RuntimeDefault")))
        is_same = str_eq(annotation, STR("runtime/default")) ||
                  (pair->may_be_docker && str_eq(annotation, STR("docker/default")));
    else if (str_eq(type, STR("Localhost")))
        is_same = is_local;
    if (!is_same)
        field_forbidden(
            v, pair->path, "type",
            arena_print(v->arena, "%s type in annotation and field must match", pair->what).ptr);
    else if (str_eq(type, STR("Localhost")) && !str_eq(str_skip(annotation, LOCAL.len), local))
        field_forbidden(
            v, pair->path, "localhostProfile",
            arena_print(v->arena, "%s profile in annotation and field must match", pair->what).ptr);
}

static const struct json_value *annotation_of(struct kind_validator *v, struct str prefix,
                                              struct str name)
{
    return json_get(v->pod->annotations, ARENA_JOIN(v->arena, prefix, name));
}

static void validate_seccomp_pair(struct kind_validator *v, const struct json_value *container,
                                  struct str path)
{
    const struct profile_pair pair = {
        json_path(container, "securityContext.seccompProfile"),
        annotation_of(v, SECCOMP_CONTAINER, json_path_str(container, "name")), "seccomp", true,
        field_path(v, path, "securityContext.seccompProfile")};
    validate_profile_pair(v, &pair);
}

/*
 * A container without a profile has that of the Pod. In a new Pod it has got that of its
 * annotation, by upstream's strategy.
 */
static void validate_app_armor_pair(struct kind_validator *v, const struct json_value *container,
                                    struct str path)
{
    const struct json_value *own = json_path(container, "securityContext.appArmorProfile");
    const struct str annotation =
        json_to_str(annotation_of(v, APP_ARMOR, json_path_str(container, "name")));
    if (!own && v->pod->meta &&
        (field_is_one_of(annotation, "runtime/default|unconfined") ||
         (str_starts_with(annotation, LOCAL) && annotation.len > LOCAL.len)))
        return;
    const struct profile_pair pair = {
        own ? own : json_path(v->pod->spec, "securityContext.appArmorProfile"),
        annotation_of(v, APP_ARMOR, json_path_str(container, "name")), "apparmor", false,
        field_path(v, path, "securityContext.appArmorProfile")};
    validate_profile_pair(v, &pair);
}

void validate_profile_pairs(struct kind_validator *v)
{
    const struct profile_pair pair = {
        json_path(v->pod->spec, "securityContext.seccompProfile"),
        json_get(v->pod->annotations, SECCOMP_POD), "seccomp", true,
        field_path(v, v->pod->path, "securityContext.seccompProfile")};
    validate_profile_pair(v, &pair);
    pod_each_container(v, validate_seccomp_pair);
    if (!pod_has_os(v, "windows"))
        pod_each_container(v, validate_app_armor_pair);
}
