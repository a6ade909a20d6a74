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

/* A question to the rules, and the walk that counts what it takes. */
struct question {
    const struct rbac_attributes *attributes;
    struct grant_walk *walk;
};

static bool has_string(const struct question *question, const struct rbac_strings *strings,
                       struct str s)
{
    question->walk->steps += strings->count;
    return rbac_strings_has(strings, s);
}

/* "*" stands for every value. */
static bool has_or_all(const struct question *question, const struct rbac_strings *strings,
                       struct str s)
{
    return has_string(question, strings, STR("*")) || has_string(question, strings, s);
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
static bool resource_matches(const struct rbac_rule *rule, const struct question *question)
{
    const struct rbac_attributes *attributes = question->attributes;
    if (!has_or_all(question, &rule->api_groups, attributes->api_group))
        return false;
    if (rule->resource_names.count &&
        !has_string(question, &rule->resource_names, attributes->name))
        return false;
    question->walk->steps += rule->resources.count;
    for (size_t i = 0; i < rule->resources.count; i++)
        if (resource_is(rule->resources.items[i], attributes))
            return true;
    return false;
}

/* A path in a rule may end with "*". */
static bool url_matches(const struct rbac_rule *rule, const struct question *question)
{
    const struct str path = question->attributes->path;
    question->walk->steps += rule->urls.count;
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
static bool rules_allow(const struct rbac_rules *rules, const struct question *question)
{
    const struct rbac_attributes *attributes = question->attributes;
    for (size_t i = 0; i < rules->count && !rbac_is_spent(question->walk); i++) {
        const struct rbac_rule *rule = &rules->items[i];
        question->walk->steps++;
        if (has_or_all(question, &rule->verbs, attributes->verb) &&
            (attributes->is_resource_request ? resource_matches(rule, question)
                                             : url_matches(rule, question)))
            return true;
    }
    return false;
}

/* True once for each role in a walk: what its rules say does not change in between. */
static bool is_first_visit(struct grant_walk *walk, struct role *role)
{
    const bool is_first = role->visit != walk->visit;
    role->visit = walk->visit;
    walk->steps++;
    return is_first;
}

/* The role's own rules, or those of the roles it aggregates. */
static bool role_allows(const struct role_view *view, const struct question *question)
{
    struct role *role;
    for (size_t i = 0; (role = role_part(view, i)); i++)
        if (is_first_visit(question->walk, role) && rules_allow(&role->rules, question))
            return true;
    return false;
}

/* Aggregation is resolved once after a change of a ClusterRole, and most of its steps are short. */
#define SELECT_STEPS_FOR_A_STEP 4

/* A RoleBinding may refer to a ClusterRole; it then grants the rules in its own namespace. */
static bool role_of(struct rbac *rbac, const struct binding *binding, struct grant_walk *walk,
                    struct role_view *ret_view)
{
    if (!rbac_find_role(rbac, binding->to_cluster_role ? STR("") : binding->namespace,
                        binding->role, ret_view))
        return false;
    walk->steps += ret_view->steps / SELECT_STEPS_FOR_A_STEP;
    return true;
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

/* Of more groups than this the one counts by which the binding was found. */
#define GROUPS_MAX 10000

/* The first subject of the binding that is the user or a group of it, for the reason. */
static const struct subject *subject_of(const struct binding *binding, const struct rbac_user *user,
                                        const struct grant_walk *walk)
{
    SCOPED(map) groups = {.release = NULL};
    struct rbac_user known = *user;
    if (user->groups.count > GROUPS_MAX)
        known.groups = walk->subject == 0
                           ? (struct rbac_strings){NULL, 0}
                           : (struct rbac_strings){&user->groups.items[walk->subject - 1], 1};
    if (known.groups.count >= GROUPS_MANY)
        for (size_t i = 0; i < known.groups.count; i++)
            map_put(&groups, known.groups.items[i], NULL);
    for (size_t i = 0; i < binding->count; i++)
        if (is_subject(&binding->subjects[i], &known, &groups))
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

/* The text has no room for so many. */
#define MISSING_MAX 1000

static void note_missing(struct missing_roles *missing, const struct binding *binding)
{
    if (map_count(&missing->seen) == MISSING_MAX)
        return;
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
    const struct question question = {attributes, &walk};
    if (rbac_is_master(user))
        return (struct rbac_decision){.allowed = true};
    for (struct binding *binding; (binding = rbac_next_binding(rbac, user, namespace, &walk));) {
        struct role_view role;
        if (!role_of(rbac, binding, &walk, &role))
            note_missing(&missing, binding);
        else if (role_allows(&role, &question))
            return (struct rbac_decision){
                true, allowed_by(arena, binding, subject_of(binding, user, &walk))};
    }
    if (rbac_is_spent(&walk))
        return (struct rbac_decision){
            .reason = STR("RBAC: too much is bound to the user to be looked through; bind fewer or "
                          "smaller roles")};
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

/* Memory that a string of a rule takes beside its text. */
#define STRING_SIZE ((size_t)2 * sizeof(struct str))

/* Rules are copied into the arena, because the index may change while they are used. */
static struct rbac_strings copy_strings(struct arena *arena, struct rbac_strings strings,
                                        size_t *size)
{
    struct str *items = arena_alloc_array(arena, strings.count, sizeof(items[0]));
    for (size_t i = 0; i < strings.count; i++) {
        items[i] = arena_str(arena, strings.items[i]);
        *size += STRING_SIZE + items[i].len;
    }
    return (struct rbac_strings){items, strings.count};
}

static bool has_room_for(const struct rbac_rules *rules, const struct rbac_rule *rule)
{
    const size_t count = rule->verbs.count + rule->api_groups.count + rule->resources.count +
                         rule->resource_names.count + rule->urls.count;
    return rules->size + sizeof(*rule) + count * STRING_SIZE <= RBAC_RULES_MAX;
}

/* The first rule that does not fit is the end. */
static void copy_rules(struct arena *arena, struct rbac_rules *to, const struct rbac_rules *from)
{
    for (size_t i = 0; i < from->count && !to->is_incomplete; i++) {
        const struct rbac_rule *rule = &from->items[i];
        to->is_incomplete = !has_room_for(to, rule);
        if (to->is_incomplete)
            return;
        size_t size = sizeof(*rule);
        *rbac_rules_add(arena, to) = (struct rbac_rule){
            .verbs = copy_strings(arena, rule->verbs, &size),
            .api_groups = copy_strings(arena, rule->api_groups, &size),
            .resources = copy_strings(arena, rule->resources, &size),
            .resource_names = copy_strings(arena, rule->resource_names, &size),
            .urls = copy_strings(arena, rule->urls, &size),
        };
        to->size += size;
    }
}

static void copy_role(struct arena *arena, struct rbac_rules *to, const struct role_view *view)
{
    const struct role *role;
    for (size_t i = 0; (role = role_part(view, i)); i++)
        copy_rules(arena, to, &role->rules);
}

struct rbac_rules rbac_role_rules(struct rbac *rbac, struct arena *arena, enum rbac_kind kind,
                                  struct str namespace, struct str name)
{
    struct rbac_rules rules = {.items = NULL};
    struct role_view role;
    if (rbac_find_role(rbac, kind == RBAC_CLUSTER_ROLE ? STR("") : namespace, name, &role))
        copy_role(arena, &rules, &role);
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

/*
 * Bindings to roles that do not exist grant nothing and are skipped. As in Kubernetes, the rules of
 * a role that is bound twice are there twice.
 */
struct rbac_rules rbac_user_rules(struct rbac *rbac, struct arena *arena,
                                  const struct rbac_user *user, struct str namespace)
{
    struct rbac_rules rules = {.items = NULL};
    struct grant_walk walk = {0};
    if (rbac_is_master(user))
        add_all_rights(arena, &rules);
    for (struct binding *binding;
         !rules.is_incomplete && (binding = rbac_next_binding(rbac, user, namespace, &walk));) {
        struct role_view role;
        if (role_of(rbac, binding, &walk, &role))
            copy_role(arena, &rules, &role);
    }
    rules.is_incomplete = rules.is_incomplete || rbac_is_spent(&walk);
    return rules;
}

/* What adding a rule to a list takes, in the time of comparing two strings. */
#define RULE_STEPS 10

/* The rules of roles that were not visited before. Their strings stay in the index. */
static void borrow_rules(struct arena *arena, struct rbac_rules *to, const struct role_view *view,
                         struct grant_walk *walk)
{
    struct role *role;
    for (size_t i = 0; (role = role_part(view, i)); i++) {
        if (!is_first_visit(walk, role))
            continue;
        for (size_t j = 0; j < role->rules.count && !rbac_is_spent(walk); j++) {
            *rbac_rules_add(arena, to) = role->rules.items[j];
            walk->steps += RULE_STEPS;
        }
    }
}

struct rbac_rules rbac_held_rules(struct rbac *rbac, struct arena *arena,
                                  const struct rbac_user *user, struct str namespace)
{
    struct rbac_rules rules = {.items = NULL};
    struct grant_walk walk = {0};
    for (struct binding *binding; (binding = rbac_next_binding(rbac, user, namespace, &walk));) {
        struct role_view role;
        if (role_of(rbac, binding, &walk, &role))
            borrow_rules(arena, &rules, &role, &walk);
    }
    rules.is_incomplete = rbac_is_spent(&walk);
    return rules;
}
