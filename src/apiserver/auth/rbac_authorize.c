/*
 * Decisions on the index: may a user do something, and what may a user do. Mirrors
 * pkg/registry/rbac/validation and plugin/pkg/auth/authorizer/rbac. Roles that do not exist are
 * remembered while the bindings are visited, because the refusal names them.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/rbac_internal.h"
#include "base/quote.h"

bool rbac_strings_has(const struct rbac_strings *strings, struct str s)
{
    for (size_t i = 0; i < strings->count; i++)
        if (str_eq(strings->items[i], s))
            return true;
    return false;
}

/* "*" stands for every value. */
static bool has_or_all(const struct rbac_strings *strings, struct str s)
{
    return rbac_strings_has(strings, STR("*")) || rbac_strings_has(strings, s);
}

bool rbac_is_master(const struct rbac_user *user)
{
    return rbac_strings_has(&user->groups, STR("system:masters"));
}

/* A resource in a rule is "pods", "pods/log", "*" or "*" with a slash and a subresource. */
static bool resource_is(struct str rule, const struct rbac_attributes *attributes)
{
    struct str rest = rule, resource;
    if (str_eq(rule, STR("*")))
        return true;
    const bool has_subresource = str_cut(&rest, '/', &resource);
    if (!has_subresource)
        return attributes->subresource.len == 0 && str_eq(resource, attributes->resource);
    return attributes->subresource.len && str_eq(rest, attributes->subresource) &&
           (str_eq(resource, STR("*")) || str_eq(resource, attributes->resource));
}

/* Without resourceNames a rule concerns all names. */
static bool resource_matches(const struct rbac_rule *rule, const struct rbac_attributes *attributes)
{
    if (!has_or_all(&rule->api_groups, attributes->api_group))
        return false;
    if (rule->resource_names.count && !rbac_strings_has(&rule->resource_names, attributes->name))
        return false;
    for (size_t i = 0; i < rule->resources.count; i++)
        if (resource_is(rule->resources.items[i], attributes))
            return true;
    return false;
}

/* A path in a rule may end with "*". */
static bool url_matches(const struct rbac_rule *rule, struct str path)
{
    for (size_t i = 0; i < rule->urls.count; i++) {
        const struct str url = rule->urls.items[i];
        if (str_eq(url, path))
            return true;
        if (str_ends_with(url, STR("*")) && str_starts_with(path, str_slice(url, 0, url.len - 1)))
            return true;
    }
    return false;
}

/* One rule has to match the verb and the resource or path; rules do not add up. */
static bool rules_allow(const struct rbac_rules *rules, const struct rbac_attributes *attributes)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct rbac_rule *rule = &rules->items[i];
        if (has_or_all(&rule->verbs, attributes->verb) &&
            (attributes->is_resource_request ? resource_matches(rule, attributes)
                                             : url_matches(rule, attributes->path)))
            return true;
    }
    return false;
}

/* The role's own rules, or those of the roles it aggregates. */
static bool role_allows(const struct role_view *role, const struct rbac_attributes *attributes)
{
    const struct rbac_rules *rules;
    for (size_t i = 0; (rules = role_rules(role, i)); i++)
        if (rules_allow(rules, attributes))
            return true;
    return false;
}

/* A RoleBinding may refer to a ClusterRole; it then grants the rules in its own namespace. */
static bool role_of(struct rbac *rbac, const struct binding *binding, struct role_view *ret_view)
{
    return rbac_find_role(rbac, binding->to_cluster_role ? STR("") : binding->namespace,
                          binding->role, ret_view);
}

/* The subject of the binding by which it was found, for the reason. */
static const struct subject *subject_of(const struct binding *binding, const struct rbac_user *user,
                                        size_t index)
{
    const struct str kind = index == 0 ? STR("User:") : STR("Group:");
    const struct str name = index == 0 ? user->name : user->groups.items[index - 1];
    for (size_t i = 0; i < binding->count; i++) {
        const struct str key = binding->subjects[i].key;
        if (str_starts_with(key, kind) && str_eq(str_skip(key, kind.len), name))
            return &binding->subjects[i];
    }
    return &binding->subjects[0];
}

/* The reason of a permission, in the words of Kubernetes' authorizer. */
static struct str allowed_by(struct arena *arena, const struct binding *binding,
                             const struct subject *subject)
{
    const bool in_cluster = binding->namespace.len == 0;
    const bool is_account = str_eq(subject->kind, STR("ServiceAccount"));
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) name = {.limit = 0};
    buf_print(&text, "RBAC: allowed by %s ", in_cluster ? "ClusterRoleBinding" : "RoleBinding");
    buf_add(&name, binding->name);
    buf_print(&name, in_cluster ? "%.*s" : "/%.*s", STR_ARG(binding->namespace));
    str_quote_go(&text, buf_str(&name));
    buf_print(&text, " of %s ", binding->to_cluster_role ? "ClusterRole" : "Role");
    str_quote_go(&text, binding->role);
    buf_print(&text, " to %.*s ", STR_ARG(subject->kind));
    buf_clear(&name);
    buf_add(&name, subject->name);
    if (is_account)
        buf_print(&name, "/%.*s", STR_ARG(subject->namespace));
    str_quote_go(&text, buf_str(&name));
    return arena_str(arena, buf_str(&text));
}

/* Bindings to roles that do not exist are named when nothing else allows. */
static void note_missing(struct buf *missing, const struct binding *binding, size_t *count)
{
    buf_print(missing, "%s%s.rbac.authorization.k8s.io ", (*count)++ ? ", " : "",
              binding->to_cluster_role ? "clusterrole" : "role");
    str_quote_go(missing, binding->role);
    buf_add(missing, STR(" not found"));
}

/*
 * Bindings of the whole cluster are visited before those of the namespace, so the reason names the
 * former if both allow. Non-resource paths are authorized by cluster-wide bindings only.
 */
struct rbac_decision rbac_authorize(struct rbac *rbac, struct arena *arena,
                                    const struct rbac_attributes *attributes)
{
    const struct rbac_user *user = &attributes->user;
    const struct str namespace = attributes->is_resource_request ? attributes->namespace : STR("");
    SCOPED(buf) missing = {.limit = 4 * KILOBYTE};
    struct grant_walk walk = {0};
    size_t missing_count = 0;
    if (rbac_is_master(user))
        return (struct rbac_decision){.allowed = true};
    for (struct binding *binding; (binding = rbac_next_binding(rbac, user, namespace, &walk));) {
        struct role_view role;
        if (!role_of(rbac, binding, &role))
            note_missing(&missing, binding, &missing_count);
        else if (role_allows(&role, attributes))
            return (struct rbac_decision){
                true, allowed_by(arena, binding, subject_of(binding, user, walk.subject))};
    }
    const struct str text = buf_str(&missing);
    return (struct rbac_decision){
        .reason = missing_count == 0
                      ? STR("")
                      : arena_print(arena, missing_count > 1 ? "RBAC: [%.*s]" : "RBAC: %.*s",
                                    STR_ARG(text))};
}

/* The text of a 403, as kube-apiserver words it. */
static void write_refusal(struct buf *text, const struct rbac_attributes *attributes)
{
    buf_add(text, STR("User "));
    str_quote_go(text, attributes->user.name);
    buf_print(text, " cannot %.*s ", STR_ARG(attributes->verb));
    if (!attributes->is_resource_request) {
        buf_add(text, STR("path "));
        str_quote_go(text, attributes->path);
        return;
    }
    SCOPED(buf) resource = {.limit = 0};
    buf_add(&resource, attributes->resource);
    buf_print(&resource, attributes->subresource.len ? "/%.*s" : "%.*s",
              STR_ARG(attributes->subresource));
    buf_add(text, STR("resource "));
    str_quote_go(text, buf_str(&resource));
    buf_add(text, STR(" in API group "));
    str_quote_go(text, attributes->api_group);
    if (attributes->namespace.len == 0) {
        buf_add(text, STR(" at the cluster scope"));
        return;
    }
    buf_add(text, STR(" in the namespace "));
    str_quote_go(text, attributes->namespace);
}

/* The group and resource go into the details of the Status. */
struct error *rbac_forbidden(const struct rbac_attributes *attributes, struct str reason)
{
    SCOPED(buf) text = {.limit = 0};
    write_refusal(&text, attributes);
    if (reason.len)
        buf_print(&text, ": %.*s", STR_ARG(reason));
    const bool is_resource = attributes->is_resource_request;
    return status_forbidden((struct gvr){.group = is_resource ? attributes->api_group : STR(""),
                                         .resource = is_resource ? attributes->resource : STR("")},
                            is_resource ? attributes->name : STR(""), buf_str(&text));
}

/* Rules are copied into the arena, because the index may change while they are used. */
static struct rbac_strings copy_strings(struct arena *arena, struct rbac_strings strings)
{
    struct str *items = arena_alloc_array(arena, strings.count, sizeof(items[0]));
    for (size_t i = 0; i < strings.count; i++)
        items[i] = arena_str(arena, strings.items[i]);
    return (struct rbac_strings){items, strings.count};
}

static void copy_rules(struct arena *arena, struct rbac_rules *to, const struct role_view *role)
{
    const struct rbac_rules *rules;
    for (size_t i = 0; (rules = role_rules(role, i)); i++)
        for (size_t j = 0; j < rules->count; j++)
            *rbac_rules_add(arena, to) = (struct rbac_rule){
                .verbs = copy_strings(arena, rules->items[j].verbs),
                .api_groups = copy_strings(arena, rules->items[j].api_groups),
                .resources = copy_strings(arena, rules->items[j].resources),
                .resource_names = copy_strings(arena, rules->items[j].resource_names),
                .urls = copy_strings(arena, rules->items[j].urls),
            };
}

struct rbac_rules rbac_role_rules(struct rbac *rbac, struct arena *arena, enum rbac_kind kind,
                                  struct str namespace, struct str name)
{
    struct rbac_rules rules = {.items = NULL};
    struct role_view role;
    if (rbac_find_role(rbac, kind == RBAC_CLUSTER_ROLE ? STR("") : namespace, name, &role))
        copy_rules(arena, &rules, &role);
    return rules;
}

bool rbac_has_role(struct rbac *rbac, enum rbac_kind kind, struct str namespace, struct str name)
{
    struct role_view role;
    return rbac_find_role(rbac, kind == RBAC_CLUSTER_ROLE ? STR("") : namespace, name, &role);
}

/* system:masters has no bindings, so its rules are made up. */
static void add_all_rights(struct arena *arena, struct rbac_rules *rules)
{
    struct str *star = ARENA_NEW(arena, struct str);
    *star = STR("*");
    const struct rbac_strings all = {star, 1};
    *rbac_rules_add(arena, rules) =
        (struct rbac_rule){.verbs = all, .api_groups = all, .resources = all};
    *rbac_rules_add(arena, rules) = (struct rbac_rule){.verbs = all, .urls = all};
}

/* Bindings to roles that do not exist grant nothing and are skipped. */
struct rbac_rules rbac_user_rules(struct rbac *rbac, struct arena *arena,
                                  const struct rbac_user *user, struct str namespace)
{
    struct rbac_rules rules = {.items = NULL};
    struct grant_walk walk = {0};
    if (rbac_is_master(user))
        add_all_rights(arena, &rules);
    for (struct binding *binding; (binding = rbac_next_binding(rbac, user, namespace, &walk));) {
        struct role_view role;
        if (role_of(rbac, binding, &role))
            copy_rules(arena, &rules, &role);
    }
    return rules;
}
