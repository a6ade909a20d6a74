/*
 * Writes of roles and bindings: a user cannot grant permissions that it does not have. Mirrors the
 * policybased storage of pkg/registry/rbac.
 *
 * A role may be written by a user with the verb escalate on it, or with all of its rules. A binding
 * may be written by a user with the verb bind on the role, or with all rules of the role.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/auth_internal.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define GROUP "rbac.authorization.k8s.io"

/* A write of a role or binding by a user. */
struct grant {
    const struct auth *auth;
    struct arena *arena;
    const struct rbac_user *user;
    struct gvr gvr;
    struct str namespace, name;
};

/* Asks the authorizer about a verb of the user, such as escalate or bind. */
static bool is_allowed(const struct grant *grant, struct str verb, struct str group,
                       struct str resource, struct str name)
{
    const struct rbac_attributes attributes = {
        .user = *grant->user,
        .verb = verb,
        .is_resource_request = true,
        .api_group = group,
        .resource = resource,
        .name = name,
        .namespace = grant->namespace,
    };
    return grant->auth->authorizer_ops->decide(grant->auth->authorizer, grant->arena, &attributes)
        .allowed;
}

/* 403 unless the user has all of the rules. */
static struct error *check_rules(const struct grant *grant, const struct rbac_rules *rules)
{
    const struct auth *auth = grant->auth;
    OWNED(error)
    err = auth->authorizer_ops->check_escalation(auth->authorizer, grant->user, grant->namespace,
                                                 rules);
    return err ? status_forbidden(grant->gvr, grant->name, str_from_c(err->message)) : NULL;
}

/* Whether the role has selectors. */
static bool aggregates(const struct json_value *role)
{
    return json_count(json_path(role, "aggregationRule.clusterRoleSelectors")) > 0;
}

/* An aggregated role may come to have any rules, so its author needs all permissions. */
static struct error *check_aggregation(const struct grant *grant)
{
    struct str star = STR("*");
    const struct rbac_strings all = {&star, 1};
    struct rbac_rule items[] = {
        {.verbs = all, .api_groups = all, .resources = all},
        {.verbs = all,            .urls = all                 },
    };
    const struct rbac_rules everything = {.items = items, .count = COUNT(items)};
    OWNED(error) err = check_rules(grant, &everything);
    return err ? status_forbidden(
                     grant->gvr, grant->name,
                     STR("must have cluster-admin privileges to use the aggregationRule"))
               : NULL;
}

/* A user who may escalate this role may write any rules. */
static struct error *check_role(const struct grant *grant, const struct json_value *old,
                                const struct json_value *object)
{
    const struct str asked = old ? grant->name : STR(""); /* the URL of a create has no name */
    if (is_allowed(grant, STR("escalate"), STR(GROUP), grant->gvr.resource, asked))
        return NULL;
    const struct rbac_rules rules = rbac_read_rules(grant->arena, object);
    TRY(check_rules(grant, &rules));
    const bool is_cluster_role = str_eq(grant->gvr.resource, STR("clusterroles"));
    return is_cluster_role && (aggregates(object) || aggregates(old)) ? check_aggregation(grant)
                                                                      : NULL;
}

/* A user who may bind the role need not have its rules. 404 when the role does not exist. */
static struct error *check_binding(const struct grant *grant, const struct json_value *object)
{
    const struct auth *auth = grant->auth;
    const bool to_cluster_role = str_eq(json_path_str(object, "roleRef.kind"), STR("ClusterRole"));
    const struct str resource = to_cluster_role ? STR("clusterroles") : STR("roles");
    const struct str role = json_path_str(object, "roleRef.name");
    struct rbac_rules rules;
    if (is_allowed(grant, STR("bind"), json_path_str(object, "roleRef.apiGroup"), resource, role))
        return NULL;
    if (!auth->authorizer_ops->find_role(auth->authorizer, grant->arena,
                                         to_cluster_role ? RBAC_CLUSTER_ROLE : RBAC_ROLE,
                                         grant->namespace, role, &rules))
        return status_not_found((struct gvr){STR(GROUP), STR("v1"), resource}, role);
    return check_rules(grant, &rules);
}

/* The object without the metadata that the garbage collector and every write change. */
static struct error *strip_metadata(const struct json_value *object, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    json_edit_remove(&edit, JSON_PLACE("metadata.ownerReferences"));
    json_edit_remove(&edit, JSON_PLACE("metadata.finalizers"));
    json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
    json_edit_remove(&edit, JSON_PLACE("metadata.resourceVersion"));
    return json_edit_finish(&edit, ret_doc);
}

/* A user who may write the object may remove finalizers and owners from it, whatever it grants. */
static struct error *is_same_grant(const struct json_value *old, const struct json_value *object,
                                   bool *ret_same)
{
    OWNED(json_doc) before = NULL;
    OWNED(json_doc) after = NULL;
    *ret_same = false;
    if (!old)
        return NULL;
    TRY(strip_metadata(old, &before));
    TRY(strip_metadata(object, &after));
    *ret_same = json_equal(json_doc_root(before), json_doc_root(after));
    return NULL;
}

struct error *escalation_check(const struct auth *auth, struct arena *arena,
                               const struct rbac_user *user, struct gvr gvr,
                               const struct json_value *old, const struct json_value *object)
{
    static const struct str kinds[] = {STR_INIT("roles"), STR_INIT("clusterroles"),
                                       STR_INIT("rolebindings"), STR_INIT("clusterrolebindings")};
    const struct rbac_strings grants = {(struct str *)kinds, COUNT(kinds)};
    const struct grant grant = {.auth = auth,
                                .arena = arena,
                                .user = user,
                                .gvr = gvr,
                                .namespace = json_path_str(object, "metadata.namespace"),
                                .name = json_path_str(object, "metadata.name")};
    bool is_same;
    if (!str_eq(gvr.group, STR(GROUP)) || !rbac_strings_has(&grants, gvr.resource) ||
        rbac_strings_has(&user->groups, STR(GROUP_MASTERS)))
        return NULL;
    TRY(is_same_grant(old, object, &is_same));
    if (is_same)
        return NULL;
    return str_ends_with(gvr.resource, STR("bindings")) ? check_binding(&grant, object)
                                                        : check_role(&grant, old, object);
}
