/*
 * Validation of webhook configurations, ValidatingAdmissionPolicies and their bindings. Expressions
 * are not compiled.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation, and
 * k8s.io/apiserver/pkg/util/webhook.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"

#define CONDITIONS_MAX       64
#define ANNOTATIONS_MAX      20
#define VALUE_EXPRESSION_MAX 5120

void validate_match_conditions(struct kind_validator *v, const struct json_value *conditions,
                               struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *condition;
    size_t index = 0;
    if (json_count(conditions) > CONDITIONS_MAX)
        field_errors_add_too_many(v->errors, path, json_count(conditions), CONDITIONS_MAX);
    JSON_FOREACH (key, condition, conditions) {
        const struct str place = field_path_index(v, path, index++);
        const struct str name = json_path_str(condition, "name");
        if (str_trim(json_path_str(condition, "expression")).len == 0)
            field_required(v, place, "expression", "");
        if (name.len == 0) {
            field_required(v, place, "name", "");
            continue;
        }
        field_syntax(v, place, "name", name, validation_label_key(name));
        (void)field_unique(v, &seen, place, "name", name);
    }
}

static bool has_wildcard(const struct json_value *list)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, list)
        if (str_eq(json_to_str(value), STR("*")))
            return true;
    return false;
}

/* What is covered by "x" with all subresources, or by a subresource of all, is not named beside it.
 */
static void validate_rule_resource(struct kind_validator *v, struct str path, struct str text,
                                   struct map *resources, struct map *subresources)
{
    struct str sub = text, resource;
    if (!str_cut(&sub, '/', &resource))
        return;
    if (map_has(resources, resource))
        field_errors_add_str(v->errors, FIELD_INVALID, path, text,
                             arena_print(v->arena, "if '%.*s/*' is present, must not specify %.*s",
                                         STR_ARG(resource), STR_ARG(text)));
    if (map_has(subresources, sub))
        field_errors_add_str(v->errors, FIELD_INVALID, path, text,
                             arena_print(v->arena, "if '*/%.*s' is present, must not specify %.*s",
                                         STR_ARG(sub), STR_ARG(text)));
    if (str_eq(sub, STR("*")))
        map_put(resources, resource, NULL);
    if (str_eq(resource, STR("*")))
        map_put(subresources, sub, NULL);
}

/* Upstream looks at the last resource without a subresource alone. */
static void validate_rule_resources(struct kind_validator *v, const struct json_value *list,
                                    struct str path)
{
    SCOPED(map) resources = {.release = NULL};
    SCOPED(map) subresources = {.release = NULL};
    const struct json_value *value;
    bool has_all = false, has_plain = false;
    size_t index = 0;
    JSON_FOREACH (key, value, list) {
        const struct str text = json_to_str(value);
        const struct str place = field_path_index(v, path, index++);
        if (text.len == 0) {
            field_required(v, place, NULL, "");
            continue;
        }
        has_all = has_all || str_eq(text, STR("*/*"));
        if (str_find_char(text, '/') == STR_NONE)
            has_plain = !str_eq(text, STR("*"));
        validate_rule_resource(v, place, text, &resources, &subresources);
    }
    if (index > 1 && has_all)
        field_invalid(v, path, NULL, list, "if '*/*' is present, must not specify other resources");
    if (has_wildcard(list) && has_plain)
        field_invalid(v, path, NULL, list,
                      "if '*' is present, must not specify other resources without subresources");
}

/* What is required of a rule, and which words it knows, is said by rows. */
void validate_admission_rule(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    static const struct {
        const char *member, *words;
    } lists[] = {
        {"operations",  "if '*' is present, must not specify other operations"  },
        {"apiGroups",   "if '*' is present, must not specify other API groups"  },
        {"apiVersions", "if '*' is present, must not specify other API versions"},
    };
    const struct str versions = field_path(v, path, "apiVersions");
    const struct json_value *version;
    size_t index = 0;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct json_value *list = json_path(object, lists[i].member);
        if (json_count(list) > 1 && has_wildcard(list))
            field_invalid(v, path, lists[i].member, list, lists[i].words);
    }
    JSON_FOREACH (key, version, json_path(object, "apiVersions")) {
        if (json_to_str(version).len == 0)
            field_required(v, field_path_index(v, versions, index), NULL, "");
        index++;
    }
    validate_rule_resources(v, json_path(object, "resources"), field_path(v, path, "resources"));
}

/* Names of objects that a rule is about, each once. */
void validate_named_rule(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str names = field_path(v, path, "resourceNames");
    const struct json_value *value;
    size_t index = 0;
    JSON_FOREACH (key, value, json_path(object, "resourceNames")) {
        const struct str name = json_to_str(value), place = field_path_index(v, names, index++);
        field_syntax(v, place, NULL, name, validation_path_segment(name));
        (void)field_unique(v, &seen, place, NULL, name);
    }
}

static size_t count_dots(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '.';
    return count;
}

/* The name of a webhook is a domain with at least two dots. */
static void validate_webhook_name(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    const struct str name = json_path_str(object, "name");
    if (name.len == 0) {
        field_required(v, path, "name", "");
        return;
    }
    const struct validation found = validation_dns1123_subdomain(name);
    field_syntax(v, path, "name", name, found);
    if (found.count == 0 && count_dots(name) < 2)
        field_invalid(v, path, "name", json_path(object, "name"),
                      "should be a domain with at least three segments separated by dots");
}

#define URL_FORM "; desired format: https://host[/path]"

/* Upstream quotes the part that is wrong. */
static void validate_webhook_url(struct kind_validator *v, struct str url, struct str path)
{
    struct str rest = url, scheme;
    const bool has_scheme = str_cut(&rest, ':', &scheme) && str_starts_with(rest, STR("//"));
    if (!has_scheme)
        scheme = STR("");
    if (!str_eq(scheme, STR("https")))
        field_errors_add_str(v->errors, FIELD_INVALID, path, scheme,
                             STR("'https' is the only allowed URL scheme" URL_FORM));
    if (!has_scheme || rest.len == 2 || rest.ptr[2] == '/')
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("host must be specified" URL_FORM));
}

/* Segments of a path are domains; a slash at the end is none. */
static void validate_webhook_path(struct kind_validator *v, const struct json_value *value,
                                  struct str path)
{
    struct str rest = json_to_str(value), step;
    bool more = rest.len > 0 && !str_eq(rest, STR("/"));
    if (!more)
        return;
    if (!str_starts_with(rest, STR("/")))
        field_invalid(v, path, NULL, value, "must start with a '/'");
    rest = str_skip(rest, 1);
    if (rest.len > 1 && str_ends_with(rest, STR("/")))
        rest.len--;
    for (size_t i = 0; more; i++) {
        more = str_cut(&rest, '/', &step) && !str_eq(json_to_str(value), STR("//"));
        const struct validation found = validation_dns1123_subdomain(step);
        if (step.len == 0)
            field_invalid(v, path, NULL, value,
                          arena_print(v->arena, "segment[%zu] may not be empty", i).ptr);
        for (size_t k = 0; step.len && k < found.count; k++)
            field_invalid(
                v, path, NULL, value,
                arena_print(v->arena, "segment[%zu]: %.*s", i, STR_ARG(found.messages[k])).ptr);
    }
}

/* Upstream takes the name for the namespace, and the other way round. */
static void validate_webhook_service(struct kind_validator *v, const struct json_value *service,
                                     struct str path)
{
    const struct json_value *port = json_path(service, "port");
    int64_t number;
    if (json_path_str(service, "namespace").len == 0)
        field_required(v, path, "name", "");
    if (json_path_str(service, "name").len == 0)
        field_required(v, path, "namespace", "");
    if (json_to_int64(port, &number) && (number < 1 || number > 65535))
        field_invalid(v, path, "port", port,
                      "port is not valid: must be between 1 and 65535, inclusive");
    validate_webhook_path(v, json_path(service, "path"), field_path(v, path, "path"));
}

/* Exactly one of url and service. */
static void validate_client_config(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    const struct json_value *config = json_path(object, "clientConfig");
    const struct json_value *service = json_path(config, "service");
    const struct str place = field_path(v, path, "clientConfig");
    if ((json_path(config, "url") != NULL) == (service != NULL))
        field_required(v, place, NULL, "exactly one of url or service is required");
    if (json_path(config, "url") && !service)
        validate_webhook_url(v, json_path_str(config, "url"), field_path(v, place, "url"));
    if (service && !json_path(config, "url"))
        validate_webhook_service(v, service, field_path(v, place, "service"));
}

/* Versions of reviews, each once, among them one that a server sends. */
static void validate_review_versions(struct kind_validator *v, const struct json_value *versions,
                                     struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *version;
    bool is_known = false;
    size_t index = 0;
    if (json_count(versions) == 0) {
        field_required(v, path, NULL, "must specify one of v1, v1beta1");
        return;
    }
    JSON_FOREACH (key, version, versions) {
        const struct str name = json_to_str(version);
        const struct str place = field_path_index(v, path, index++);
        is_known = is_known || field_is_one_of(name, "v1|v1beta1");
        if (map_has(&seen, name))
            field_invalid(v, place, NULL, version, "duplicate version");
        else
            field_syntax(v, place, NULL, name, validation_dns1035_label(name));
        map_put(&seen, name, NULL);
    }
    if (!is_known)
        field_invalid(v, path, NULL, versions, "must include at least one of v1, v1beta1");
}

void validate_webhook(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *seconds = json_path(object, "timeoutSeconds");
    const struct json_value *effects = json_path(object, "sideEffects");
    int64_t number;
    validate_webhook_name(v, object, path);
    validate_client_config(v, object, path);
    validate_review_versions(v, json_path(object, "admissionReviewVersions"),
                             field_path(v, path, "admissionReviewVersions"));
    if (!effects)
        field_required(v, path, "sideEffects", "must specify one of None, NoneOnDryRun");
    else
        field_one_of(v, path, "sideEffects", json_to_str(effects), "None|NoneOnDryRun");
    if (json_to_int64(seconds, &number) && (number < 1 || number > 30))
        field_invalid(v, path, "timeoutSeconds", seconds,
                      "the timeout value must be between 1 and 30 seconds");
    validate_match_conditions(v, json_path(object, "matchConditions"),
                              field_path(v, path, "matchConditions"));
}

/* Upstream quotes the part of the version that is wrong, and joins what is wrong with it. */
static void validate_param_part(struct kind_validator *v, struct str path, struct str shown,
                                struct validation found, const char *before)
{
    SCOPED(buf) words = {.limit = 0};
    buf_add(&words, str_from_c(before));
    for (size_t i = 0; i < found.count; i++)
        buf_print(&words, "%s%.*s", i ? "," : "", STR_ARG(found.messages[i]));
    if (found.count)
        field_errors_add_str(v->errors, FIELD_INVALID, path, shown, buf_str(&words));
}

/* The kind of the parameters of a policy. */
void validate_param_kind(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str kind = json_path_str(object, "kind");
    const struct str text = json_path_str(object, "apiVersion");
    const struct str place = field_path(v, path, "apiVersion");
    struct str version = text, group;
    char *lower = arena_alloc(v->arena, kind.len + 1);
    for (size_t i = 0; i < kind.len; i++)
        lower[i] = ascii_to_lower(kind.ptr[i]);
    if (!str_cut(&version, '/', &group)) {
        version = group;
        group = STR("");
    }
    if (str_find_char(version, '/') != STR_NONE) {
        field_errors_add_str(
            v->errors, FIELD_INVALID, place, text,
            arena_print(v->arena, "unexpected GroupVersion string: %.*s", STR_ARG(text)));
    } else if (text.len) {
        if (group.len)
            validate_param_part(v, place, group, validation_dns1123_subdomain(group), "");
        if (version.len == 0)
            field_errors_add_str(v->errors, FIELD_INVALID, place, text,
                                 STR("version must be specified"));
        else
            validate_param_part(v, place, version, validation_dns1035_label(version), "");
    }
    if (kind.len)
        validate_param_part(v, field_path(v, path, "kind"), kind,
                            validation_dns1035_label(str_from(lower, kind.len)),
                            "may have mixed case, but should otherwise match: ");
}

/* A name that expressions can use. */
static bool is_identifier(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (c != '_' && !(i ? ascii_is_alphanumeric(c) : ascii_is_letter(c)))
            return false;
    }
    return !field_is_one_of(name, "true|false|null|in|as|break|const|continue|else|for|function|if|"
                                  "import|let|loop|package|namespace|return|var|void|while");
}

void validate_policy_variable(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct str name = json_path_str(object, "name");
    if (name.len && str_trim(name).len == 0)
        field_required(v, path, "name", "name is not specified");
    else if (name.len && !is_identifier(name))
        field_invalid(v, path, "name", json_path(object, "name"), "must be a valid CEL identifier");
    if (json_path_str(object, "expression").len &&
        str_trim(json_path_str(object, "expression")).len == 0)
        field_required(v, path, "expression", "expression is not specified");
}

void validate_policy_validation(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    static const char *const texts[] = {"messageExpression", "message"};
    const struct str message = str_trim(json_path_str(object, "message"));
    if (str_trim(json_path_str(object, "expression")).len == 0)
        field_required(v, path, "expression", "expression is not specified");
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct str text = json_path_str(object, texts[i]);
        if (text.len && str_trim(text).len == 0)
            field_invalid(v, path, texts[i], json_path(object, texts[i]),
                          "must be non-empty if specified");
    }
    if (str_find_char(message, '\n') != STR_NONE || str_find_char(message, '\r') != STR_NONE)
        field_invalid(v, path, "message", json_path(object, "message"),
                      "must not contain line breaks");
    if (json_path(object, "reason"))
        field_one_of(v, path, "reason", json_path_str(object, "reason"),
                     "Forbidden|Invalid|RequestEntityTooLarge");
}

/* The key of an annotation stands behind the name of the policy. */
static void validate_audit_annotations(struct kind_validator *v,
                                       const struct json_value *annotations, struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str policy = json_path_str(v->object, "metadata.name");
    const struct json_value *annotation;
    size_t index = 0;
    if (json_count(annotations) > ANNOTATIONS_MAX)
        field_invalid(
            v, path, NULL, annotations,
            arena_print(v->arena, "must not have more than %d auditAnnotations", ANNOTATIONS_MAX)
                .ptr);
    JSON_FOREACH (key, annotation, annotations) {
        const struct str place = field_path_index(v, path, index++);
        const struct str name = json_path_str(annotation, "key");
        const struct str full = arena_print(v->arena, "%.*s/%.*s", STR_ARG(policy), STR_ARG(name));
        const size_t size = str_trim(json_path_str(annotation, "valueExpression")).len;
        if (policy.len)
            field_syntax(v, place, "key", full, validation_label_key(full));
        else
            field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, place, "key"), name,
                                 STR("requires metadata.name be non-empty"));
        if (size == 0)
            field_required(v, place, "valueExpression", "valueExpression is not specified");
        if (size > VALUE_EXPRESSION_MAX)
            field_required(
                v, place, "valueExpression",
                arena_print(v->arena, "must not exceed %d bytes in length", VALUE_EXPRESSION_MAX)
                    .ptr);
        (void)field_unique(v, &seen, place, "key", name);
    }
}

/* A policy says what it is about and what it asks for. */
void validate_policy_spec(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    static const char *const lists[] = {"validations", "auditAnnotations"};
    const struct json_value *about = json_path(object, "matchConstraints");
    if (!about)
        field_required(v, path, "matchConstraints", "");
    else if (json_count(json_path(about, "resourceRules")) == 0)
        field_required(v, path, "matchConstraints.resourceRules", "");
    validate_match_conditions(v, json_path(object, "matchConditions"),
                              field_path(v, path, "matchConditions"));
    validate_audit_annotations(v, json_path(object, "auditAnnotations"),
                               field_path(v, path, "auditAnnotations"));
    if (json_count(json_path(object, lists[0])) + json_count(json_path(object, lists[1])) > 0)
        return;
    for (size_t i = 0; i < COUNT(lists); i++)
        field_required(v, path, lists[i],
                       "validations or auditAnnotations must contain at least one item");
}

/* Parameters have a name or are selected. */
void validate_param_ref(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str action = json_path_str(object, "parameterNotFoundAction");
    const bool has_name = json_path_str(object, "name").len > 0;
    const bool has_selector = json_path(object, "selector") != NULL;
    if (has_name)
        field_syntax(v, path, "name", json_path_str(object, "name"),
                     validation_path_segment(json_path_str(object, "name")));
    if (has_name && has_selector) {
        field_forbidden(v, path, "name", "name and selector are mutually exclusive");
        field_forbidden(v, path, "selector", "name and selector are mutually exclusive");
    }
    if (!has_name && !has_selector)
        field_required(v, path, NULL, "one of name or selector must be specified");
    if (action.len == 0)
        field_required(v, path, "parameterNotFoundAction", "");
    else
        field_one_of(v, path, "parameterNotFoundAction", action, "Deny|Allow");
}

/* What is done with those who break a policy: each action once, and not two that say the same. */
void validate_policy_binding_spec(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str policy = json_path_str(object, "policyName");
    const struct str place = field_path(v, path, "validationActions");
    const struct json_value *actions = json_path(object, "validationActions"), *action;
    size_t index = 0;
    if (policy.len == 0)
        field_required(v, path, "policyName", "");
    else
        field_syntax(v, path, "policyName", policy, validation_dns1123_subdomain(policy));
    JSON_FOREACH (key, action, actions) {
        const struct str item = field_path_index(v, place, index++);
        field_one_of(v, item, NULL, json_to_str(action), "Audit|Deny|Warn");
        (void)field_unique(v, &seen, item, NULL, json_to_str(action));
    }
    if (map_has(&seen, STR("Deny")) && map_has(&seen, STR("Warn")))
        field_invalid(v, place, NULL, actions,
                      "must not contain both Deny and Warn (repeating the same validation failure "
                      "information in the API response and headers serves no purpose)");
    if (index == 0)
        field_required(v, place, NULL, "at least one validation action is required");
}
