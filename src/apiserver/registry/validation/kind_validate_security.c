/*
 * Validation of the security contexts of Pods and containers, and of what a Pod shares with its
 * host.
 *
 * Upstream: validatePodSpecSecurityContext(), ValidateSecurityContext() and validateHostUsers() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. hostNetwork and its like are members of
 * the spec, but of the security context in upstream's internal type, which is seen in paths.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/ascii.h"

#define SYSCTL_MAX 253

static bool shares(const struct kind_validator *v, const char *member)
{
    return field_is_true(json_path(v->pod->spec, member));
}

/* Segments of lower-case letters and digits, inside which there may be dashes and underscores. */
static bool is_sysctl_segment(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool is_edge = i == 0 || i + 1 == text.len;
        if (!ascii_is_lower(c) && !ascii_is_digit(c) && (is_edge || (c != '-' && c != '_')))
            return false;
    }
    return text.len > 0;
}

/* Dots and slashes stand between segments. */
static bool is_sysctl(struct str name)
{
    size_t from = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] != '.' && name.ptr[i] != '/')
            continue;
        if (!is_sysctl_segment(str_slice(name, from, i)))
            return false;
        from = i + 1;
    }
    return name.len <= SYSCTL_MAX && is_sysctl_segment(str_skip(name, from));
}

/* Names whose first separator is a slash have slashes for dots. */
static struct str to_dots(struct kind_validator *v, struct str name)
{
    const size_t slash = str_find_char(name, '/'), dot = str_find_char(name, '.');
    char *text = arena_alloc(v->arena, name.len + 1);
    if (slash == STR_NONE || (dot != STR_NONE && dot < slash))
        return name;
    for (size_t i = 0; i < name.len; i++) {
        text[i] = name.ptr[i];
        if (text[i] == '/' || text[i] == '.')
            text[i] = text[i] == '/' ? '.' : '/';
    }
    return str_from(text, name.len);
}

static bool is_of_ipc(struct str name)
{
    static const char names[] = "kernel.sem|kernel.shmall|kernel.shmmax|kernel.shmmni|"
                                "kernel.shm_rmid_forced|kernel.shm|kernel.msgmax|kernel.msgmnb|"
                                "kernel.msgmni|kernel.msg";
    return field_is_one_of(name, names) || str_starts_with(name, STR("fs.mqueue."));
}

/* A parameter of a namespace that the Pod shares with its host would be one of the host. */
static void validate_host_sysctl(struct kind_validator *v, struct str name, struct str path)
{
    struct str plain = to_dots(v, name);
    if (str_find_char(plain, '*') != STR_NONE)
        plain = str_slice(plain, 0, str_find_char(plain, '*'));
    if (shares(v, "hostNetwork") && str_starts_with(plain, STR("net.")))
        field_invalid_text(v, path, "name", name,
                           "may not be specified when 'hostNetwork' is true");
    else if (shares(v, "hostIPC") && is_of_ipc(plain))
        field_invalid_text(v, path, "name", name, "may not be specified when 'hostIPC' is true");
}

static void validate_sysctl(struct kind_validator *v, struct map *seen, struct str name,
                            struct str path)
{
    if (name.len == 0)
        field_required(v, path, "name", "");
    else if (!is_sysctl(name))
        field_invalid_text(v, path, "name", name,
                           "must have at most 253 characters and match regex "
                           "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
                           "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    else if (map_has(seen, name))
        field_errors_add_str(v->errors, FIELD_DUPLICATE, field_path(v, path, "name"), name,
                             STR(""));
    validate_host_sysctl(v, name, path);
    map_put(seen, name, NULL);
}

static void validate_sysctls(struct kind_validator *v, const struct json_value *context,
                             struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str list = field_path(v, path, "sysctls");
    const struct json_value *sysctl;
    size_t index = 0;
    JSON_FOREACH (key, sysctl, json_path(context, "sysctls"))
        validate_sysctl(v, &seen, json_path_str(sysctl, "name"),
                        field_path_index(v, list, index++));
}

void validate_group(struct kind_validator *v, const struct json_value *object, struct str path)
{
    int64_t number;
    if (json_to_int64(object, &number) && (number < 0 || number > INT32_MAX))
        field_invalid(v, path, NULL, object, "must be between 0 and 2147483647, inclusive");
}

/* A policy that is off may be kept, and be another one where there was one. */
static void validate_pod_context(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const char *policy = arena_c(v->arena, field_path(v, path, "seLinuxChangePolicy"));
    const bool had_policy = json_path(v->old, policy) != NULL;
    field_apply(v, object, path, "fsGroup", validate_group);
    field_apply(v, object, path, "runAsUser", validate_group);
    field_apply(v, object, path, "runAsGroup", validate_group);
    field_apply_each(v, object, path, "supplementalGroups", validate_group);
    validate_sysctls(v, object, path);
    field_may_be_one_of(v, object, path, "fsGroupChangePolicy", "Always|OnRootMismatch");
    field_apply(v, object, path, "seccompProfile", validate_seccomp);
    field_apply(v, object, path, "windowsOptions", validate_windows_options);
    field_apply(v, object, path, "appArmorProfile", validate_app_armor);
    field_may_be_one_of(v, object, path, "supplementalGroupsPolicy", "Merge|Strict");
    field_may_be_one_of(v, object, path, "seLinuxChangePolicy",
                        had_policy ? "MountOption|Recursive" : "Recursive");
}

void validate_pod_security(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    if (shares(v, "shareProcessNamespace") && shares(v, "hostPID"))
        field_invalid(v, path, "securityContext.shareProcessNamespace",
                      json_path(object, "shareProcessNamespace"),
                      "ShareProcessNamespace and HostPID cannot both be enabled");
    field_apply(v, object, path, "securityContext", validate_pod_context);
}

static bool is_false(const struct json_value *value)
{
    bool truth = true;
    return json_to_bool(value, &truth) && !truth;
}

/* What gives privileges cannot be had without getting them. The whole context is quoted. */
static void validate_escalation(struct kind_validator *v, const struct json_value *context,
                                struct str path)
{
    const struct go_type *type = field_type_at(&type_pod, "spec.containers.securityContext");
    const struct json_value *capability;
    if (!is_false(json_path(context, "allowPrivilegeEscalation")))
        return;
    if (field_is_true(json_path(context, "privileged")))
        field_invalid_struct(v, path, type, context,
                             "cannot set `allowPrivilegeEscalation` to false and `privileged` to "
                             "true");
    JSON_FOREACH (key, capability, json_path(context, "capabilities.add"))
        if (str_eq(json_to_str(capability), STR("CAP_SYS_ADMIN")))
            field_invalid_struct(v, path, type, context,
                                 "cannot set `allowPrivilegeEscalation` to false and "
                                 "`capabilities.Add` CAP_SYS_ADMIN");
}

/* A container sees all of /proc only where its users are not those of the host. */
static void validate_proc_mount(struct kind_validator *v, const struct json_value *context,
                                struct str path)
{
    const struct str mount = json_path_str(context, "procMount");
    field_may_be_one_of(v, context, path, "procMount", "Default|Unmasked");
    if (str_eq(mount, STR("Unmasked")) && !is_false(json_path(v->pod->spec, "hostUsers")))
        field_invalid_text(v, path, "procMount", mount,
                           "`hostUsers` must be false to use `Unmasked`");
}

void validate_container_security(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    field_apply(v, object, path, "runAsUser", validate_group);
    field_apply(v, object, path, "runAsGroup", validate_group);
    validate_proc_mount(v, object, path);
    field_apply(v, object, path, "seccompProfile", validate_seccomp);
    validate_escalation(v, object, path);
    field_apply(v, object, path, "windowsOptions", validate_windows_options);
    field_apply(v, object, path, "appArmorProfile", validate_app_armor);
}

static void validate_no_devices(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    if (json_count(json_path(object, "volumeDevices")))
        field_forbidden(v, path, "volumeDevices", "when `hostUsers` is false");
}

/* A Pod with hostUsers false shares no other namespace of the host. */
void validate_host_users(struct kind_validator *v, const struct json_value *object, struct str path)
{
    static const struct {
        const char *member, *path;
    } namespaces[] = {
        {"hostNetwork", "hostNetwork"},
        {"hostPID",     "HostPID"    },
        {"hostIPC",     "HostIPC"    },
    };
    if (!is_false(json_path(object, "hostUsers")))
        return;
    for (size_t i = 0; i < COUNT(namespaces); i++)
        if (shares(v, namespaces[i].member))
            field_forbidden(v, path, namespaces[i].path, "when `hostUsers` is false");
    pod_each_container(v, validate_no_devices);
}
