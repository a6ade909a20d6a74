/*
 * Validation of what Windows has of its own in security contexts, and of what a Pod may not say for
 * an operating system.
 *
 * Upstream: validateWindowsSecurityContextOptions(), validateWindowsHostProcessPod(), validateOS(),
 * validateLinux() and validateWindows() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/ascii.h"

/* In bytes: of a credential spec, of the domain of a user, and of the user's name in it. */
#define CREDENTIALS_MAX (64 * KILOBYTE)
#define DOMAIN_MAX      255
#define USER_MAX        104
#define NET_BIOS_MAX    15

static bool has_any_of(struct str text, const char *characters)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] && strchr(characters, text.ptr[i]))
            return true;
    return false;
}

static bool has_control(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return true;
    return false;
}

/* Upstream counts characters, not bytes. */
static bool is_net_bios(struct str domain)
{
    size_t count = 0;
    for (struct str rest = domain; rest.len; rest = str_skip(rest, str_char_len(rest)))
        count++;
    return count > 0 && count <= NET_BIOS_MAX && domain.ptr[0] != '.' &&
           !has_any_of(domain, "\\/:*?\"<>|");
}

/* Labels of letters, digits and dashes, of at most 63 characters. */
static bool is_dns_domain(struct str domain)
{
    struct str label;
    bool more = true;
    while (more) {
        more = str_cut(&domain, '.', &label);
        if (label.len == 0 || label.len > DNS1123_LABEL_MAX || label.ptr[0] == '-' ||
            label.ptr[label.len - 1] == '-')
            return false;
        for (size_t i = 0; i < label.len; i++)
            if (!ascii_is_alphanumeric(label.ptr[i]) && label.ptr[i] != '-')
                return false;
    }
    return true;
}

static bool is_dots_and_spaces(struct str user)
{
    for (size_t i = 0; i < user.len; i++)
        if (user.ptr[i] != '.' && user.ptr[i] != ' ')
            return false;
    return user.len > 0;
}

static void add_user_error(struct kind_validator *v, struct str path, const struct json_value *name,
                           const char *detail)
{
    field_invalid_struct(v, field_path(v, path, "runAsUserName"), NULL, name,
                         arena_print(v->arena, "runAsUserName%s", detail).ptr);
}

static void validate_user_parts(struct kind_validator *v, struct str path,
                                const struct json_value *name, bool has_domain, struct str domain,
                                struct str user)
{
    if (domain.len > DOMAIN_MAX)
        add_user_error(v, path, name, "'s Domain length must be under 256 characters");
    if (has_domain && !is_net_bios(domain) && !is_dns_domain(domain))
        add_user_error(v, path, name, "'s Domain doesn't match the NetBios nor the DNS format");
    if (user.len == 0)
        add_user_error(v, path, name, "'s User cannot be empty");
    if (user.len > USER_MAX)
        add_user_error(v, path, name, "'s User length must not be longer than 104 characters");
    if (is_dots_and_spaces(user))
        add_user_error(v, path, name, "'s User cannot contain only periods or spaces");
    if (has_any_of(user, "\"/\\:;|=,+*?<>@[]"))
        add_user_error(v, path, name,
                       "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
}

/* "domain\user" or "user". */
static void validate_user_name(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const struct json_value *value = json_path(object, "runAsUserName");
    const struct str name = json_to_str(value);
    const size_t slash = str_find_char(name, '\\');
    const bool has_domain = slash != STR_NONE;
    const struct str domain = has_domain ? str_slice(name, 0, slash) : STR("");
    const struct str user = has_domain ? str_skip(name, slash + 1) : name;
    if (name.len == 0)
        add_user_error(v, path, value, " cannot be an empty string");
    else if (has_control(name))
        add_user_error(v, path, value, " cannot contain control characters");
    else if (has_domain && str_find_char(user, '\\') != STR_NONE)
        add_user_error(v, path, value, " cannot contain more than one backslash");
    else
        validate_user_parts(v, path, value, has_domain, domain, user);
}

static void validate_gmsa_name(struct kind_validator *v, const struct json_value *name,
                               struct str path)
{
    const struct validation found = validation_dns1123_subdomain(json_to_str(name));
    for (size_t i = 0; i < found.count; i++)
        field_invalid_struct(v, path, NULL, name, arena_c(v->arena, found.messages[i]));
}

void validate_windows_options(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct json_value *name = json_path(object, "gmsaCredentialSpecName");
    const struct json_value *spec = json_path(object, "gmsaCredentialSpec");
    if (name)
        validate_gmsa_name(v, name, field_path(v, path, "gmsaCredentialSpecName"));
    if (spec && json_to_str(spec).len == 0)
        field_invalid_struct(v, field_path(v, path, "gmsaCredentialSpec"), NULL, spec,
                             "gmsaCredentialSpec cannot be an empty string");
    if (json_to_str(spec).len > CREDENTIALS_MAX)
        field_invalid_struct(v, field_path(v, path, "gmsaCredentialSpec"), NULL, spec,
                             "gmsaCredentialSpec size must be under 64 KiB");
    if (json_path(object, "runAsUserName"))
        validate_user_name(v, object, path);
}

#define HOST_PROCESS "securityContext.windowsOptions.hostProcess"

/* A container says the same as its Pod. */
static void validate_host_process(struct kind_validator *v, const struct json_value *container,
                                  struct str path)
{
    const struct json_value *of_pod = json_path(v->pod->spec, HOST_PROCESS);
    const struct json_value *own = json_path(container, HOST_PROCESS);
    const bool is_host = field_is_true(of_pod);
    if (of_pod && own && is_host != field_is_true(own))
        field_invalid(v, path, HOST_PROCESS, own,
                      is_host ? "pod hostProcess value must be identical if both are specified, "
                                "was true"
                              : "pod hostProcess value must be identical if both are specified, "
                                "was false");
}

/* How many containers there are, and how many of them are processes of the host. */
static void count_host_processes(const struct json_value *spec, size_t *ret_all, size_t *ret_host)
{
    static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};
    const struct json_value *of_pod = json_path(spec, HOST_PROCESS), *container;
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, container, json_path(spec, lists[i])) {
            const struct json_value *own = json_path(container, HOST_PROCESS);
            *ret_all += 1;
            *ret_host += field_is_true(own ? own : of_pod);
        }
}

/* Either all containers are processes of the host, or none is. */
void validate_host_processes(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    size_t all = 0, host = 0;
    pod_each_container(v, validate_host_process);
    count_host_processes(object, &all, &host);
    if (host == 0)
        return;
    if (host != all)
        field_invalid_text(v, path, NULL, STR(""),
                           "If pod contains any hostProcess containers then all containers must be "
                           "HostProcess containers");
    if (!field_is_true(json_path(object, "hostNetwork")))
        field_errors_add(v->errors, FIELD_INVALID, field_path(v, path, "hostNetwork"),
                         STR("false: hostNetwork must be true if pod contains any hostProcess "
                             "containers"));
}

/* Members of a Pod and of the context of a container that Windows does not have. */
static const char *const not_windows[] = {"securityContext.appArmorProfile",
                                          "securityContext.seLinuxOptions",
                                          "hostUsers",
                                          "hostPID",
                                          "hostIPC",
                                          "securityContext.seccompProfile",
                                          "securityContext.fsGroup",
                                          "securityContext.fsGroupChangePolicy",
                                          "securityContext.sysctls",
                                          "shareProcessNamespace",
                                          "securityContext.runAsUser",
                                          "securityContext.runAsGroup",
                                          "securityContext.supplementalGroups",
                                          "securityContext.supplementalGroupsPolicy",
                                          "securityContext.seLinuxChangePolicy"};
static const char *const not_windows_container[] = {"appArmorProfile",
                                                    "seLinuxOptions",
                                                    "seccompProfile",
                                                    "capabilities",
                                                    "readOnlyRootFilesystem",
                                                    "privileged",
                                                    "allowPrivilegeEscalation",
                                                    "procMount",
                                                    "runAsUser",
                                                    "runAsGroup"};

#define NOT_WINDOWS "cannot be set for a windows pod"
#define NOT_LINUX   "windows options cannot be set for a linux pod"

static void validate_windows_context(struct kind_validator *v, const struct json_value *context,
                                     struct str path)
{
    for (size_t i = 0; i < COUNT(not_windows_container); i++)
        if (json_path(context, not_windows_container[i]))
            field_forbidden(v, path, not_windows_container[i], NOT_WINDOWS);
}

static void validate_windows_container(struct kind_validator *v, const struct json_value *container,
                                       struct str path)
{
    field_apply(v, container, path, "securityContext", validate_windows_context);
}

/* Whether a member counts: sharing nothing with the host is no sharing. */
static bool is_set(const struct json_value *spec, const char *member)
{
    const struct json_value *value = json_path(spec, member);
    return strcmp(member, "hostPID") == 0 || strcmp(member, "hostIPC") == 0 ? field_is_true(value)
                                                                            : value != NULL;
}

static void validate_linux_container(struct kind_validator *v, const struct json_value *container,
                                     struct str path)
{
    if (json_path(container, "securityContext.windowsOptions"))
        field_forbidden(v, path, "securityContext.windowsOptions", NOT_LINUX);
}

void validate_pod_os(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str name = json_path_str(object, "os.name");
    if (!json_path(object, "os"))
        return;
    if (name.len == 0)
        field_required(v, path, "os.name", "");
    else
        field_one_of(v, path, "os", name, "linux|windows");
    if (pod_has_os(v, "linux")) {
        validate_linux_container(v, object, path);
        pod_each_container(v, validate_linux_container);
    }
    if (!pod_has_os(v, "windows"))
        return;
    for (size_t i = 0; i < COUNT(not_windows); i++)
        if (is_set(object, not_windows[i]))
            field_forbidden(v, path, not_windows[i], NOT_WINDOWS);
    pod_each_container(v, validate_windows_container);
}
