/*
 * The adapter from struct authorizer_ops to struct rbac, and helpers that the files of this folder
 * share.
 */
#include "apiserver/auth/auth.h"

#include "apimachinery/validation.h"
#include "apiserver/auth/auth_internal.h"

static struct rbac_decision decide_rbac(void *authorizer, struct arena *arena,
                                        const struct rbac_attributes *attributes)
{
    return rbac_authorize(authorizer, arena, attributes);
}

static struct rbac_rules list_rules(void *authorizer, struct arena *arena,
                                    const struct rbac_user *user, struct str namespace)
{
    return rbac_user_rules(authorizer, arena, user, namespace);
}

/* The namespace is that of the binding; it is ignored for ClusterRoles. */
static bool find_role(void *authorizer, struct arena *arena, enum rbac_kind kind,
                      struct str namespace, struct str name, struct rbac_rules *ret_rules)
{
    if (!rbac_has_role(authorizer, kind, namespace, name))
        return false;
    *ret_rules = rbac_role_rules(authorizer, arena, kind, namespace, name);
    return true;
}

static struct error *check_escalation(void *authorizer, const struct rbac_user *user,
                                      struct str namespace, const struct rbac_rules *granted)
{
    return rbac_check_escalation(authorizer, user, namespace, granted);
}

const struct authorizer_ops rbac_authorizer_ops = {
    .decide = decide_rbac,
    .rules = list_rules,
    .find_role = find_role,
    .check_escalation = check_escalation,
};

/* The one place where a refusal becomes an error. */
struct error *authorize(const struct auth *auth, struct arena *arena,
                        const struct rbac_attributes *attributes)
{
    const struct rbac_decision decision =
        auth->authorizer_ops->decide(auth->authorizer, arena, attributes);
    return decision.allowed ? NULL : rbac_forbidden(attributes, decision.reason);
}

/* Lists are short, so appending copies. */
struct rbac_strings auth_add_string(struct arena *arena, struct rbac_strings strings, struct str s)
{
    struct str *items = arena_alloc_array(arena, strings.count + 1, sizeof(items[0]));
    for (size_t i = 0; i < strings.count; i++)
        items[i] = strings.items[i];
    items[strings.count] = s;
    return (struct rbac_strings){items, strings.count + 1};
}

/* The parts are validated, so that a name with further colons is not taken for an account. */
bool service_account_split(struct str user, struct str *ret_namespace, struct str *ret_name)
{
    const struct str prefix = STR("system:serviceaccount:");
    struct str rest = str_skip(user, prefix.len), namespace;
    if (!str_starts_with(user, prefix) || !str_cut(&rest, ':', &namespace) ||
        !validation_is_ok(validation_dns1123_label(namespace)) ||
        !validation_is_ok(validation_dns1123_subdomain(rest)))
        return false;
    *ret_namespace = namespace;
    *ret_name = rest;
    return true;
}

struct rbac_strings service_account_groups(struct arena *arena, struct str namespace)
{
    struct str *items = arena_alloc_array(arena, 2, sizeof(items[0]));
    items[0] = STR("system:serviceaccounts");
    items[1] = arena_print(arena, "system:serviceaccounts:%.*s", STR_ARG(namespace));
    return (struct rbac_strings){items, 2};
}

/* A user who is explicitly unauthenticated (by impersonation) stays so. */
void auth_add_common_group(struct arena *arena, struct rbac_user *user)
{
    const bool is_anonymous = str_eq(user->name, STR(USER_ANONYMOUS));
    const struct str group = is_anonymous ? STR(GROUP_UNAUTHENTICATED) : STR(GROUP_AUTHENTICATED);
    if (rbac_strings_has(&user->groups, STR(GROUP_UNAUTHENTICATED)) ||
        rbac_strings_has(&user->groups, group))
        return;
    user->groups = auth_add_string(arena, user->groups, group);
}

void auth_write_strings(struct json_builder *builder, const char *key,
                        const struct rbac_strings *strings)
{
    json_builder_add_array(builder, key);
    for (size_t i = 0; i < strings->count; i++)
        json_builder_str(builder, strings->items[i]);
    json_builder_end(builder);
}

/* extra of userInfo: a map of lists. */
static void write_extra(struct json_builder *builder, const struct user_info *user)
{
    json_builder_add_object(builder, "extra");
    for (size_t i = 0; i < user->extra_count; i++) {
        json_builder_key(builder, user->extra[i].key);
        json_builder_array(builder);
        for (size_t j = 0; j < user->extra[i].values.count; j++)
            json_builder_str(builder, user->extra[i].values.items[j]);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

void auth_write_user(struct json_builder *builder, const char *key, const struct user_info *user)
{
    json_builder_add_object(builder, key);
    if (user->user.name.len)
        json_builder_add_str(builder, "username", user->user.name);
    if (user->uid.len)
        json_builder_add_str(builder, "uid", user->uid);
    if (user->user.groups.count)
        auth_write_strings(builder, "groups", &user->user.groups);
    if (user->extra_count)
        write_extra(builder, user);
    json_builder_end(builder);
}
