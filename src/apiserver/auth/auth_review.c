/*
 * The kinds that are answered and not stored. Each review is a function from struct review to the
 * whole object that is the response: the body with its status. The order of members and the
 * messages are those of kube-apiserver.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/auth_internal.h"
#include "json/path.h"

/* The arguments of auth_review(), which all functions below need. */
struct review {
    const struct auth *auth;
    struct arena *arena;
    const struct user_info *user;
    struct gvk gvk;
    struct str namespace;
    const struct json_value *body;
    timestamp now;
};

/* Opens the object with its kind and apiVersion; the caller closes it. */
static void begin_review(struct json_builder *builder, const struct review *review)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "kind", review->gvk.kind);
    json_builder_add_str(builder, "apiVersion", gvk_api_version(review->arena, review->gvk));
}

/* Of the metadata of the body the owners of its fields are left. */
static void write_metadata(struct json_builder *builder, const struct review *review)
{
    const struct json_value *owners = json_path(review->body, "metadata.managedFields");
    json_builder_add_object(builder, "metadata");
    if (review->namespace.len)
        json_builder_add_str(builder, "namespace", review->namespace);
    if (json_count(owners))
        json_builder_add_value(builder, "managedFields", owners);
    json_builder_end(builder);
}

/* SelfSubjectReview: the user of this request. */
static struct error *review_self(const struct review *review, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    char text[TIMESTAMP_TEXT_MAX];
    begin_review(&builder, review);
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "creationTimestamp", timestamp_write(review->now, text));
    json_builder_end(&builder);
    json_builder_add_object(&builder, "status");
    auth_write_user(&builder, "userInfo", review->user);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* Copied into the arena. Elements that are no strings become empty strings. */
static struct rbac_strings read_strings(struct arena *arena, const struct json_value *list)
{
    struct str *items = arena_alloc_array(arena, json_count(list), sizeof(items[0]));
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, list)
        items[count++] = arena_str(arena, json_to_str(value));
    return (struct rbac_strings){items, count};
}

/* TokenReview: the user of a token. An invalid token is an answer, not an error. */
static struct error *review_token(const struct review *review, struct json_doc **ret_doc)
{
    const struct json_value *spec = json_get(review->body, STR("spec"));
    const struct str token = json_path_str(spec, "token");
    const struct rbac_strings wanted =
        read_strings(review->arena, json_get(spec, STR("audiences")));
    SCOPED(json_builder) builder = {.limit = 0};
    struct bearer bearer = {.user.uid = STR("")};
    if (token.len == 0)
        return status_bad_request("token is required for TokenReview in authentication");
    const bool is_known =
        authenticate_token(review->auth, review->arena, token, &wanted, review->now, &bearer);
    const struct user_info nobody = {.uid = STR("")};
    begin_review(&builder, review);
    write_metadata(&builder, review);
    json_builder_add_value(&builder, "spec", spec);
    json_builder_add_object(&builder, "status");
    if (is_known)
        json_builder_add_bool(&builder, "authenticated", true);
    auth_write_user(&builder, "user", is_known ? &bearer.user : &nobody);
    if (is_known)
        auth_write_strings(&builder, "audiences", &bearer.audiences);
    else
        json_builder_add_str(&builder, "error", STR("invalid bearer token"));
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* SubjectAccessReview and the two kinds like it: may a user do something? */
static bool is_local(const struct review *review)
{
    return str_eq(review->gvk.kind, STR("LocalSubjectAccessReview"));
}

static bool is_about_self(const struct review *review)
{
    return str_eq(review->gvk.kind, STR("SelfSubjectAccessReview"));
}

/* A member that is no object counts as absent. */
static const struct json_value *find_object(const struct json_value *value, struct str key)
{
    const struct json_value *member = json_get(value, key);
    return json_type(member) == JSON_OBJECT ? member : NULL;
}

/* What Go regards as the zero value of a metadata field. */
static bool is_empty(const struct json_value *value)
{
    const enum json_type type = json_type(value);
    int64_t number;
    return type == JSON_ABSENT || type == JSON_NULL ||
           (type == JSON_STRING && json_to_str(value).len == 0) ||
           (type == JSON_NUMBER && json_to_int64(value, &number) && number == 0) ||
           ((type == JSON_OBJECT || type == JSON_ARRAY) && json_count(value) == 0);
}

/*
 * Passed over: what no client sets, which a create wipes; the owners of fields; and the namespace,
 * which is that of the URL or, where that has none, wiped.
 */
static bool is_wiped(struct str key)
{
    static const struct str keys[] = {
        STR_INIT("creationTimestamp"),
        STR_INIT("deletionGracePeriodSeconds"),
        STR_INIT("deletionTimestamp"),
        STR_INIT("managedFields"),
        STR_INIT("namespace"),
        STR_INIT("selfLink"),
        STR_INIT("uid"),
    };
    for (size_t i = 0; i < COUNT(keys); i++)
        if (str_eq(keys[i], key))
            return true;
    return false;
}

/* Reviews have no metadata, except for the namespace of a local one. */
static void check_metadata(const struct review *review, struct field_errors *errors)
{
    const struct json_value *metadata = json_get(review->body, STR("metadata")), *value;
    bool is_bad = false;
    JSON_FOREACH (key, value, metadata)
        is_bad |= !is_empty(value) && !is_wiped(key);
    if (is_bad)
        field_errors_add_value(errors, FIELD_INVALID, STR("metadata"), metadata,
                               is_local(review) ? STR("must be empty except for namespace")
                                                : STR("must be empty"));
}

/*
 * Exactly one of resourceAttributes and nonResourceAttributes, a subject unless the review is about
 * the user itself, and selectors that are well-formed.
 */
static void check_spec(const struct review *review, struct field_errors *errors)
{
    const struct json_value *spec = json_get(review->body, STR("spec"));
    const struct json_value *resource = find_object(spec, STR("resourceAttributes"));
    const struct json_value *path = find_object(spec, STR("nonResourceAttributes"));
    if (resource && path)
        field_errors_add_value(errors, FIELD_INVALID, STR("spec.nonResourceAttributes"), path,
                               STR("cannot be specified in combination with resourceAttributes"));
    if (!resource && !path)
        field_errors_add_value(errors, FIELD_INVALID, STR("spec.resourceAttributes"), NULL,
                               STR("exactly one of nonResourceAttributes or resourceAttributes "
                                   "must be specified"));
    if (!is_about_self(review) && json_path_str(spec, "user").len == 0 &&
        json_count(json_get(spec, STR("groups"))) == 0)
        field_errors_add_str(errors, FIELD_INVALID, STR("spec.user"), STR(""),
                             STR("at least one of user or group must be specified"));
    review_selectors_check(errors, resource);
}

/* A LocalSubjectAccessReview is about the namespace of its URL. */
static void check_local(const struct review *review, struct field_errors *errors)
{
    const struct json_value *spec = json_get(review->body, STR("spec"));
    const struct json_value *resource = find_object(spec, STR("resourceAttributes"));
    const struct json_value *path = find_object(spec, STR("nonResourceAttributes"));
    const struct str namespace = json_path_str(resource, "namespace");
    if (resource && !str_eq(namespace, review->namespace))
        field_errors_add_str(errors, FIELD_INVALID, STR("spec.resourceAttributes.namespace"),
                             namespace, STR("must match metadata.namespace"));
    if (path)
        field_errors_add_value(errors, FIELD_INVALID, STR("spec.nonResourceAttributes"), path,
                               STR("disallowed on this kind of request"));
}

/* All three kinds of access reviews. Errors are collected into one 422. */
static struct error *check_access(const struct review *review)
{
    struct field_errors errors = {.arena = review->arena};
    const struct str namespace = json_path_str(review->body, "metadata.namespace");
    if (is_local(review) && namespace.len && !str_eq(namespace, review->namespace))
        return status_bad_request("the namespace of the provided object does not match the "
                                  "namespace sent on the request");
    check_spec(review, &errors);
    check_metadata(review, &errors);
    if (is_local(review))
        check_local(review, &errors);
    /* The kind is empty in kube-apiserver's message. */
    return errors.count ? status_invalid((struct gvk){.group = review->gvk.group}, STR(""), &errors)
                        : NULL;
}

/* The question of the review in the form in which the authorizer takes it. */
static struct rbac_attributes read_attributes(const struct review *review)
{
    const struct json_value *spec = json_get(review->body, STR("spec"));
    const struct json_value *resource = find_object(spec, STR("resourceAttributes"));
    const struct json_value *path = find_object(spec, STR("nonResourceAttributes"));
    const struct rbac_user subject = {json_path_str(spec, "user"),
                                      read_strings(review->arena, json_get(spec, STR("groups")))};
    return (struct rbac_attributes){
        .user = is_about_self(review) ? review->user->user : subject,
        .verb = json_path_str(resource ? resource : path, "verb"),
        .is_resource_request = resource != NULL,
        .api_group = json_path_str(resource, "group"),
        .resource = json_path_str(resource, "resource"),
        .subresource = json_path_str(resource, "subresource"),
        .name = json_path_str(resource, "name"),
        .namespace = json_path_str(resource, "namespace"),
        .path = json_path_str(path, "path"),
    };
}

/* The attributes are those of the body, not of this request. */
static struct error *review_access(const struct review *review, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    TRY(check_access(review));
    const struct auth *auth = review->auth;
    const struct rbac_attributes attributes = read_attributes(review);
    const struct rbac_decision decision =
        auth->authorizer_ops->decide(auth->authorizer, review->arena, &attributes);
    const struct json_value *resource =
        find_object(json_get(review->body, STR("spec")), STR("resourceAttributes"));
    const struct str ignored = review_selectors_ignored(review->arena, resource);
    begin_review(&builder, review);
    write_metadata(&builder, review);
    json_builder_add_value(&builder, "spec", json_get(review->body, STR("spec")));
    json_builder_add_object(&builder, "status");
    json_builder_add_bool(&builder, "allowed", decision.allowed);
    if (decision.reason.len)
        json_builder_add_str(&builder, "reason", decision.reason);
    if (ignored.len)
        json_builder_add_str(&builder, "evaluationError", ignored);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* SelfSubjectRulesReview leaves out empty apiGroups and resourceNames. */
static void write_strings_unless_empty(struct json_builder *builder, const char *key,
                                       const struct rbac_strings *strings)
{
    if (strings->count)
        auth_write_strings(builder, key, strings);
}

/* A rule of a role may have resources and URLs; it then appears in both lists. */
static void write_resource_rules(struct json_builder *builder, const struct rbac_rules *rules)
{
    json_builder_add_array(builder, "resourceRules");
    for (size_t i = 0; i < rules->count; i++) {
        const struct rbac_rule *rule = &rules->items[i];
        if (rule->resources.count == 0)
            continue;
        json_builder_object(builder);
        auth_write_strings(builder, "verbs", &rule->verbs);
        write_strings_unless_empty(builder, "apiGroups", &rule->api_groups);
        auth_write_strings(builder, "resources", &rule->resources);
        write_strings_unless_empty(builder, "resourceNames", &rule->resource_names);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static void write_path_rules(struct json_builder *builder, const struct rbac_rules *rules)
{
    json_builder_add_array(builder, "nonResourceRules");
    for (size_t i = 0; i < rules->count; i++) {
        const struct rbac_rule *rule = &rules->items[i];
        if (rule->urls.count == 0)
            continue;
        json_builder_object(builder);
        auth_write_strings(builder, "verbs", &rule->verbs);
        auth_write_strings(builder, "nonResourceURLs", &rule->urls);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

/*
 * SelfSubjectRulesReview: what the user of this request may do in a namespace. RBAC lists its
 * rules completely, unless there are more of them than an answer can hold.
 */
static struct error *review_rules(const struct review *review, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    const struct auth *auth = review->auth;
    const struct str namespace = json_path_str(review->body, "spec.namespace");
    if (namespace.len == 0)
        return status_bad_request("no namespace on request");
    const struct rbac_rules rules = auth->authorizer_ops->rules(auth->authorizer, review->arena,
                                                                &review->user->user, namespace);
    begin_review(&builder, review);
    json_builder_add_object(&builder, "metadata");
    json_builder_end(&builder);
    json_builder_add_object(&builder, "spec");
    json_builder_end(&builder);
    json_builder_add_object(&builder, "status");
    write_resource_rules(&builder, &rules);
    write_path_rules(&builder, &rules);
    json_builder_add_bool(&builder, "incomplete", rules.is_incomplete);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* NOLINTNEXTLINE(readability-function-size): all that a review may be about */
struct error *auth_review(const struct auth *auth, struct arena *arena,
                          const struct user_info *user, struct gvk gvk, struct str namespace,
                          const struct json_value *body, timestamp now, struct json_doc **ret_doc)
{
    static const struct {
        struct str group, kind;
        struct error *(*answer)(const struct review *review, struct json_doc **ret_doc);
    } kinds[] = {
        {STR_INIT("authentication.k8s.io"), STR_INIT("SelfSubjectReview"),        review_self  },
        {STR_INIT("authentication.k8s.io"), STR_INIT("TokenReview"),              review_token },
        {STR_INIT("authorization.k8s.io"),  STR_INIT("SubjectAccessReview"),      review_access},
        {STR_INIT("authorization.k8s.io"),  STR_INIT("LocalSubjectAccessReview"), review_access},
        {STR_INIT("authorization.k8s.io"),  STR_INIT("SelfSubjectAccessReview"),  review_access},
        {STR_INIT("authorization.k8s.io"),  STR_INIT("SelfSubjectRulesReview"),   review_rules },
    };
    const struct review review = {auth, arena, user, gvk, namespace, body, now};
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(kinds[i].group, gvk.group) && str_eq(kinds[i].kind, gvk.kind))
            return kinds[i].answer(&review, ret_doc);
    return status_internal("%.*s is no review", STR_ARG(gvk.kind));
}
