/*
 * Validation of FlowSchemas and PriorityLevelConfigurations.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/flowcontrol/validation/validation.go. Two rules of upstream
 * are missing: that the objects "exempt" and "catch-all" have fixed specs. Upstream makes these
 * objects itself; here nobody does, because nothing is queued by them.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/builder.h"

#define PRECEDENCE_MAX 10000
#define QUEUES_MAX     10000000
#define HASH_BITS_MAX  60

static void invalid_number(struct kind_validator *v, struct str path, const char *member,
                           int64_t number, const char *detail)
{
    field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, path, member), number,
                         str_from_c(detail));
}

static int64_t number_of(const struct json_value *object, const char *member)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, member), &number);
    return number;
}

static void validate_precedence(struct kind_validator *v, const struct json_value *spec,
                                struct str path)
{
    const char *const member = "matchingPrecedence";
    const int64_t precedence = number_of(spec, member);
    if (precedence <= 0)
        invalid_number(v, path, member, precedence, "must be a positive value");
    if (precedence > PRECEDENCE_MAX)
        invalid_number(v, path, member, precedence, "must not be greater than 10000");
    if (precedence == 1 && !str_eq(json_path_str(v->object, "metadata.name"), STR("exempt")))
        invalid_number(v, path, member, precedence,
                       "only the schema named 'exempt' may have matchingPrecedence 1");
}

/* The message shows the method as upstream's internal type. */
static void validate_distinguisher(struct kind_validator *v, const struct json_value *method,
                                   struct str path)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    if (!method || field_is_one_of(json_path_str(method, "type"), "ByNamespace|ByUser"))
        return;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "Type", json_path_str(method, "type"));
    json_builder_end(&builder);
    struct error *err = json_builder_finish(&builder, &doc);
    field_errors_add_value(
        v->errors, FIELD_NOT_SUPPORTED, field_path(v, path, "distinguisherMethod.type"),
        err ? NULL : json_doc_root(doc), STR("supported values: \"ByNamespace\", \"ByUser\""));
    error_free(err);
}

static void validate_level_reference(struct kind_validator *v, const struct json_value *spec,
                                     struct str path)
{
    const char *const member = "priorityLevelConfiguration.name";
    const struct str name = json_path_str(spec, member);
    if (name.len == 0)
        field_required(v, path, member, "must reference a priority level");
    else
        field_syntax(v, path, member, name, validation_dns1123_subdomain(name));
}

static void validate_account(struct kind_validator *v, const struct json_value *account,
                             struct str path)
{
    const struct str name = json_path_str(account, "name");
    const struct str namespace = json_path_str(account, "namespace");
    if (name.len == 0)
        field_required(v, path, "name", "");
    else if (!str_eq(name, STR("*")))
        field_syntax(v, path, "name", name, validation_dns1123_subdomain(name));
    if (namespace.len == 0)
        field_required(v, path, "namespace", "must specify namespace for service account");
    else
        field_syntax(v, path, "namespace", namespace, validation_dns1123_label(namespace));
}

/* A kind of subject, its member, and what is said when it is missing or one too many. */
struct subject_form {
    const char *kind, *member, *required, *forbidden;
};

static void validate_subject_member(struct kind_validator *v, const struct json_value *subject,
                                    struct str path, const struct subject_form *form)
{
    const struct json_value *value = json_path(subject, form->member);
    const struct str at = field_path(v, path, form->member);
    if (!value)
        field_required(v, at, NULL, form->required);
    else if (strcmp(form->kind, "ServiceAccount") == 0)
        validate_account(v, value, at);
    else if (json_path_str(value, "name").len == 0)
        field_required(v, at, "name", "");
}

/* The member of its kind is there and right, the others are absent. */
static void validate_flow_subject(struct kind_validator *v, const struct json_value *subject,
                                  struct str path)
{
    static const struct subject_form account = {
        "ServiceAccount", "serviceAccount",
        "serviceAccount is required when subject kind is 'ServiceAccount'",
        "serviceAccount is forbidden when subject kind is not 'ServiceAccount'"};
    static const struct subject_form user = {"User", "user",
                                             "user is required when subject kind is 'User'",
                                             "user is forbidden when subject kind is not 'User'"};
    static const struct subject_form group = {
        "Group", "group", "group is required when subject kind is 'Group'",
        "group is forbidden when subject kind is not 'Group'"};
    static const struct subject_form *const order[] = {&account, &user, &group};
    const struct str kind = json_path_str(subject, "kind");
    const struct subject_form *own = NULL;
    for (size_t i = 0; i < COUNT(order); i++)
        if (str_eq(kind, str_from_c(order[i]->kind)))
            own = order[i];
    if (!own) {
        field_one_of(v, path, "kind", kind, "Group|ServiceAccount|User");
        return;
    }
    validate_subject_member(v, subject, path, own);
    for (size_t i = 0; i < COUNT(order); i++)
        if (order[i] != own && json_path(subject, order[i]->member))
            field_forbidden(v, path, order[i]->member, order[i]->forbidden);
}

static bool has_wildcard(const struct json_value *list)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, list)
        if (str_eq(json_to_str(item), STR("*")))
            return true;
    return false;
}

/* What a list may not be: empty, or "*" beside others. False when nothing more is to be checked. */
static bool validate_choice(struct kind_validator *v, const struct json_value *rule,
                            struct str path, const char *member, const char *required,
                            const char *others)
{
    const struct json_value *list = json_path(rule, member);
    if (json_count(list) == 0) {
        field_required(v, path, member, required);
        return false;
    }
    if (!has_wildcard(list))
        return true;
    if (json_count(list) > 1)
        field_invalid(v, path, member, list, others);
    return false;
}

static void validate_verbs(struct kind_validator *v, const struct json_value *rule, struct str path)
{
    const struct json_value *verb;
    if (!validate_choice(v, rule, path, "verbs", "verbs must contain at least one value",
                         "if '*' is present, must not specify other verbs"))
        return;
    JSON_FOREACH (key, verb, json_path(rule, "verbs")) {
        if (field_is_one_of(json_to_str(verb), "create|delete|deletecollection|get|list|patch|"
                                               "proxy|update|watch"))
            continue;
        field_errors_add_value(
            v->errors, FIELD_NOT_SUPPORTED, field_path(v, path, "verbs"), json_path(rule, "verbs"),
            STR("supported values: \"create\", \"delete\", \"deletecollection\", \"get\", "
                "\"list\", \"patch\", \"proxy\", \"update\", \"watch\""));
        return;
    }
}

static void validate_resource_rule(struct kind_validator *v, const struct json_value *rule,
                                   struct str path)
{
    const struct json_value *namespace;
    size_t index = 0;
    validate_verbs(v, rule, path);
    (void)validate_choice(v, rule, path, "apiGroups",
                          "resource rules must supply at least one api group",
                          "if '*' is present, must not specify other api groups");
    (void)validate_choice(v, rule, path, "resources",
                          "resource rules must supply at least one resource",
                          "if '*' is present, must not specify other resources");
    if (json_count(json_path(rule, "namespaces")) == 0 &&
        field_is_true(json_path(rule, "clusterScope")))
        return;
    if (!validate_choice(v, rule, path, "namespaces",
                         "resource rules that are not cluster scoped must supply at least one "
                         "namespace",
                         "if '*' is present, must not specify other namespaces"))
        return;
    JSON_FOREACH (key, namespace, json_path(rule, "namespaces")) {
        const struct validation found = validation_dns1123_label(json_to_str(namespace));
        const struct str at = field_path_index(v, field_path(v, path, "namespaces"), index++);
        for (size_t i = 0; i < found.count; i++)
            field_invalid(v, at, NULL, namespace,
                          arena_print(v->arena,
                                      "each member of this list must be '*' or a DNS-1123 label; "
                                      "%.*s",
                                      STR_ARG(found.messages[i]))
                              .ptr);
    }
}

/* NULL when the path of a rule is fine. */
static const char *path_fault(struct str path)
{
    const size_t star = str_find_char(path, '*');
    if (path.len == 0)
        return "must not be empty";
    if (str_eq(path, STR("/")))
        return NULL;
    if (!str_starts_with(path, STR("/")))
        return "must start with slash";
    if (str_contains(path, STR(" ")))
        return "must not contain white-space";
    if (str_contains(path, STR("//")))
        return "must not contain double slash";
    if (star != STR_NONE && (star != path.len - 1 || !str_ends_with(path, STR("/*"))))
        return "wildcard can only do suffix matching";
    return NULL;
}

static void validate_path_rule(struct kind_validator *v, const struct json_value *rule,
                               struct str path)
{
    const struct json_value *url;
    size_t index = 0;
    validate_verbs(v, rule, path);
    if (!validate_choice(v, rule, path, "nonResourceURLs",
                         "nonResourceURLs must contain at least one value",
                         "if '*' is present, must not specify other non-resource URLs"))
        return;
    JSON_FOREACH (key, url, json_path(rule, "nonResourceURLs")) {
        const struct str at = field_path_index(v, field_path(v, path, "nonResourceURLs"), index++);
        const char *fault = path_fault(json_to_str(url));
        if (fault)
            field_invalid(v, at, NULL, url, fault);
    }
}

/* Applies a function to every element of a member. */
static void validate_each(struct kind_validator *v, const struct json_value *object,
                          struct str path, const char *member, validate_fn *check)
{
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(object, member))
        check(v, item, field_path_index(v, field_path(v, path, member), index++));
}

static void validate_flow_rule(struct kind_validator *v, const struct json_value *rule,
                               struct str path)
{
    if (json_count(json_path(rule, "subjects")) == 0)
        field_required(v, path, "subjects", "subjects must contain at least one value");
    validate_each(v, rule, path, "subjects", validate_flow_subject);
    if (json_count(json_path(rule, "resourceRules")) == 0 &&
        json_count(json_path(rule, "nonResourceRules")) == 0)
        field_required(v, path, NULL,
                       "at least one of resourceRules and nonResourceRules has to be non-empty");
    validate_each(v, rule, path, "resourceRules", validate_resource_rule);
    validate_each(v, rule, path, "nonResourceRules", validate_path_rule);
}

void validate_flow_schema_spec(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    validate_precedence(v, spec, path);
    validate_distinguisher(v, json_path(spec, "distinguisherMethod"), path);
    validate_level_reference(v, spec, path);
    validate_each(v, spec, path, "rules", validate_flow_rule);
}

/* Conditions have a type, each its own. */
void validate_flow_conditions(struct kind_validator *v, const struct json_value *status,
                              struct str path)
{
    const struct json_value *condition;
    SCOPED(map) seen = {.release = NULL};
    size_t index = 0;
    JSON_FOREACH (key, condition, json_path(status, "conditions")) {
        const struct str at = field_path_index(v, field_path(v, path, "conditions"), index++);
        const struct str type = json_path_str(condition, "type");
        (void)field_unique(v, &seen, at, "type", type);
        if (type.len == 0)
            field_required(v, at, "type", "");
    }
}

/* Whether a hand of this size from so many queues needs more bits than a hash has. */
static bool needs_long_hash(int64_t queues, int64_t hand)
{
    const uint64_t most = UINT64_C(1) << HASH_BITS_MAX;
    uint64_t hands = 1;
    for (int64_t i = 0; i < hand && queues > 1; i++) {
        if (hands > most / (uint64_t)queues)
            return true;
        hands *= (uint64_t)queues;
    }
    return false;
}

static void validate_queuing(struct kind_validator *v, const struct json_value *queuing,
                             struct str path)
{
    const int64_t length = number_of(queuing, "queueLengthLimit");
    const int64_t queues = number_of(queuing, "queues");
    const int64_t hand = number_of(queuing, "handSize");
    if (length <= 0)
        invalid_number(v, path, "queueLengthLimit", length, "must be positive");
    if (queues <= 0)
        invalid_number(v, path, "queues", queues, "must be positive");
    else if (queues > QUEUES_MAX)
        invalid_number(v, path, "queues", queues, "must not be greater than 10000000");
    if (hand <= 0)
        invalid_number(v, path, "handSize", hand, "must be positive");
    else if (hand > queues)
        invalid_number(
            v, path, "handSize", hand,
            arena_print(v->arena, "should not be greater than queues (%lld)", (long long)queues)
                .ptr);
    else if (needs_long_hash(queues, hand))
        invalid_number(v, path, "handSize", hand,
                       arena_print(v->arena,
                                   "required entropy bits of deckSize %lld and handSize %lld "
                                   "should not be greater than %d",
                                   (long long)queues, (long long)hand, HASH_BITS_MAX)
                           .ptr);
}

static void validate_limit_response(struct kind_validator *v, const struct json_value *response,
                                    struct str path)
{
    const struct str type = json_path_str(response, "type");
    const struct json_value *queuing = json_path(response, "queuing");
    if (str_eq(type, STR("Reject"))) {
        if (queuing)
            field_forbidden(v, path, "queuing",
                            "must be nil if limited.limitResponse.type is not Limited");
    } else if (str_eq(type, STR("Queue"))) {
        if (queuing)
            validate_queuing(v, queuing, field_path(v, path, "queuing"));
        else
            field_required(v, path, "queuing",
                           "must not be empty if limited.limitResponse.type is Limited");
    } else if (type.len == 0) {
        field_required(v, path, "type", "");
    } else {
        field_one_of(v, path, "type", type, "Queue|Reject");
    }
}

static void validate_shares(struct kind_validator *v, const struct json_value *level,
                            struct str path)
{
    const int64_t shares = number_of(level, "nominalConcurrencyShares");
    if (shares < 0)
        invalid_number(v, path, "nominalConcurrencyShares", shares,
                       "must be a non-negative integer");
}

static void validate_lendable(struct kind_validator *v, const struct json_value *level,
                              struct str path)
{
    const int64_t lendable = number_of(level, "lendablePercent");
    if (lendable < 0 || lendable > 100)
        invalid_number(v, path, "lendablePercent", lendable,
                       "must be between 0 and 100, inclusive");
}

static void validate_limited(struct kind_validator *v, const struct json_value *limited,
                             struct str path)
{
    const int64_t borrowed = number_of(limited, "borrowingLimitPercent");
    validate_shares(v, limited, path);
    validate_limit_response(v, json_path(limited, "limitResponse"),
                            field_path(v, path, "limitResponse"));
    validate_lendable(v, limited, path);
    if (borrowed < 0)
        invalid_number(v, path, "borrowingLimitPercent", borrowed,
                       "if specified, must be a non-negative integer");
}

static void validate_exempt(struct kind_validator *v, const struct json_value *exempt,
                            struct str path)
{
    validate_shares(v, exempt, path);
    validate_lendable(v, exempt, path);
}

void validate_priority_level_spec(struct kind_validator *v, const struct json_value *spec,
                                  struct str path)
{
    const struct str type = json_path_str(spec, "type");
    const struct json_value *limited = json_path(spec, "limited");
    const struct json_value *exempt = json_path(spec, "exempt");
    const bool is_exempt = str_eq(type, STR("Exempt"));
    if (is_exempt != str_eq(json_path_str(v->object, "metadata.name"), STR("exempt")))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "type"), type,
                             STR("must be 'Exempt' if and only if `name` is 'exempt'"));
    if (is_exempt) {
        if (limited)
            field_forbidden(v, path, "limited", "must be nil if the type is not Limited");
        if (exempt)
            validate_exempt(v, exempt, field_path(v, path, "exempt"));
    } else if (str_eq(type, STR("Limited"))) {
        if (exempt)
            field_forbidden(v, path, "exempt", "must be nil if the type is Limited");
        if (limited)
            validate_limited(v, limited, field_path(v, path, "limited"));
        else
            field_required(v, path, "limited", "must not be empty when type is Limited");
    } else if (type.len == 0) {
        field_required(v, path, "type", "");
    } else {
        field_one_of(v, path, "type", type, "Exempt|Limited");
    }
}
