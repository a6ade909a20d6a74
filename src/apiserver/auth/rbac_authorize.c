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

/* Whether the text is both parts with a slash between. */
static bool is_joined(struct str text, struct str front, struct str back)
{
    return text.len == front.len + 1 + back.len && str_starts_with(text, front) &&
           text.ptr[front.len] == '/' && str_ends_with(text, back);
}

/*
 * A resource in a rule is "pods", "pods/log", "*" or "*" with a slash and a subresource. A review
 * may ask for "pods/log" as a resource, too.
 */
static bool resource_is(struct str rule, const struct rbac_attributes *attributes)
{
    const struct str resource = attributes->resource, subresource = attributes->subresource;
    if (str_eq(rule, STR("*")))
        return true;
    if (subresource.len == 0)
        return str_eq(rule, resource);
    return is_joined(rule, resource, subresource) || is_joined(rule, STR("*"), subresource);
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

/* From so many groups on they are looked up in a map: a review may name very many. */
#define GROUPS_MANY 32

static bool is_subject(const struct subject *subject, const struct rbac_user *user,
                       const struct map *groups)
{
    struct str name = subject->key, kind;
    str_cut(&name, ':', &kind);
    if (str_eq(kind, STR("Group")))
        return map_count(groups) ? map_has(groups, name) : rbac_strings_has(&user->groups, name);
    return str_eq(kind, STR("User")) && str_eq(name, user->name);
}

/* The first subject of the binding that is the user or a group of it, for the reason. */
static const struct subject *subject_of(const struct binding *binding, const struct rbac_user *user)
{
    SCOPED(map) groups = {.release = NULL};
    if (user->groups.count >= GROUPS_MANY)
        for (size_t i = 0; i < user->groups.count; i++)
            map_put(&groups, user->groups.items[i], NULL);
    for (size_t i = 0; i < binding->count; i++)
        if (is_subject(&binding->subjects[i], user, &groups))
            return &binding->subjects[i];
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

/* Roles that do not exist, each once; they are named when nothing else allows. */
struct missing_roles {
    struct map seen;
    struct buf text;
};

static void missing_roles_done(struct missing_roles *missing)
{
    map_done(&missing->seen);
    buf_done(&missing->text);
}

static void note_missing(struct missing_roles *missing, const struct binding *binding)
{
    SCOPED(buf) one = {.limit = 0};
    buf_print(&one, "%s.rbac.authorization.k8s.io ",
              binding->to_cluster_role ? "clusterrole" : "role");
    str_quote_go(&one, binding->role);
    buf_add(&one, STR(" not found"));
    if (map_has(&missing->seen, buf_str(&one)))
        return;
    buf_add(&missing->text, map_count(&missing->seen) ? STR(", ") : STR(""));
    buf_add(&missing->text, buf_str(&one));
    map_put(&missing->seen, buf_str(&one), NULL);
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
    SCOPED(missing_roles) missing = {.text.limit = 4 * KILOBYTE};
    struct grant_walk walk = {0};
    if (rbac_is_master(user))
        return (struct rbac_decision){.allowed = true};
    for (struct binding *binding; (binding = rbac_next_binding(rbac, user, namespace, &walk));) {
        struct role_view role;
        if (!role_of(rbac, binding, &role))
            note_missing(&missing, binding);
        else if (role_allows(&role, attributes))
            return (struct rbac_decision){true,
                                          allowed_by(arena, binding, subject_of(binding, user))};
    }
    const struct str text = buf_str(&missing.text);
    const size_t count = map_count(&missing.seen);
    return (struct rbac_decision){
        .reason = count == 0 ? STR("")
                             : arena_print(arena, count > 1 ? "RBAC: [%.*s]" : "RBAC: %.*s",
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
