/*
 * The index behind rbac.h. Private to rbac*.c.
 */
#pragma once

#include "apimachinery/selector.h"
#include "apiserver/auth/rbac.h"
#include "base/map.h"

struct role {
    struct arena arena;
    struct rbac_rules rules;
    struct json_doc *labels; /* for aggregation; NULL for none */
    bool aggregates;         /* the role takes its rules from the roles it selects */
    struct selector *selectors;
    size_t selector_count;
};

/* The roles that an aggregated role takes its rules from. */
struct sources {
    const struct role **items;
    size_t count, capacity;
};

/* A role as an index sees it. */
struct role_view {
    const struct role *role;
    const struct sources *sources; /* NULL: it does not aggregate */
};

struct subject {
    struct str key;  /* "User:jane", "Group:dev" */
    struct str kind; /* as in the binding: User, Group or ServiceAccount */
    struct str name, namespace;
};

struct binding {
    struct arena arena;
    struct str name, namespace; /* no namespace: a ClusterRoleBinding */
    bool to_cluster_role;
    struct str role;
    struct subject *subjects;
    size_t count;
};

/* Bindings by subject. */
struct grants {
    struct binding **items;
    size_t count, capacity;
};

struct rbac {
    struct rbac *base;   /* see rbac_set_base(); NULL for none */
    struct map roles;    /* "namespace/name" -> struct role; "/name" for cluster roles */
    struct map bindings; /* the same for struct binding. A NULL value hides an object of the base */
    struct map subjects; /* subject's key -> struct grants */
    struct map resolved; /* key of an aggregating role -> struct sources; a cache */
    bool changes_cluster; /* cluster roles were put or hidden, so aggregation differs from the base
                           */
};

struct role *role_read(const struct json_value *object);
void role_free(struct role *role);
struct binding *binding_read(const struct json_value *object);
void binding_free(struct binding *binding);

/* False when there is no such role. The view is valid until the index changes. */
bool rbac_find_role(struct rbac *rbac, struct str namespace, struct str name,
                    struct role_view *ret_view);

/* The next binding of a user, those of the whole cluster first. Begins with a zeroed walk. */
struct grant_walk {
    size_t pass, layer, subject, binding;
};
struct binding *rbac_next_binding(const struct rbac *rbac, const struct rbac_user *user,
                                  struct str namespace, struct grant_walk *walk);

/* A role's own rules or, by index, those of the roles it aggregates; NULL at the end. */
const struct rbac_rules *role_rules(const struct role_view *view, size_t index);

/* Appends a rule and returns its place. */
struct rbac_rule *rbac_rules_add(struct arena *arena, struct rbac_rules *rules);

bool rbac_is_master(const struct rbac_user *user);
