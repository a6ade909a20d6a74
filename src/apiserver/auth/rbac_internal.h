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
    bool has_aggregation_rule;
    uint64_t visit;  /* the last walk that has looked at the rules, see struct grant_walk */
    uint64_t choice; /* the last resolution that has selected the role */
    struct selector *selectors;
    size_t selector_count;
};

/* The roles that an aggregated role takes its rules from. They do not aggregate themselves. */
struct sources {
    struct role **items;
    size_t count, capacity;
    size_t steps; /* that finding them took */
};

/* A role as an index sees it. */
struct role_view {
    struct role *role;
    const struct sources *sources; /* NULL: it does not aggregate */
    size_t steps;                  /* that finding the sources took just now */
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
    struct subject *subjects; /* every key once */
    size_t count;
    uint64_t visit; /* the last walk that has found the binding */
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
    struct map subjects; /* "namespace/key" and "/key" of a subject -> struct grants */
    struct map resolved; /* key of an aggregating role -> struct sources; a cache */
    bool changes_cluster; /* cluster roles were put or hidden, so aggregation differs from the base
                           */
    uint64_t
        visits; /* the last number of a walk or a resolution; that of the base, if any, counts */
};

/* A number for a walk or a resolution, unlike all others that see the same roles and bindings. */
uint64_t rbac_next_visit(struct rbac *rbac);

/* The role under a key, as the index sees it; NULL for none. */
struct role *rbac_role_at(const struct rbac *rbac, struct str key);

/* Labels that may be compared with requirements, for one resolution. */
#define RBAC_SELECT_STEPS_MAX ((size_t)2000000)

/* From the cache of the index; the count of steps is 0 when it was there. */
const struct sources *rbac_sources(struct rbac *rbac, struct str key, struct role *role,
                                   size_t *ret_steps);

struct role *role_read(const struct json_value *object);
void role_free(struct role *role);
struct binding *binding_read(const struct json_value *object);
void binding_free(struct binding *binding);

/* False when there is no such role. The view is valid until the index changes. */
bool rbac_find_role(struct rbac *rbac, struct str namespace, struct str name,
                    struct role_view *ret_view);

/*
 * The next binding of a user, those of the whole cluster first, each once. Begins with a zeroed
 * walk. Who looks at rules adds to the steps; there is no next binding beyond RBAC_STEPS_MAX.
 */
struct grant_walk {
    size_t pass, layer, subject, binding;
    uint64_t visit;
    size_t steps;
};
struct binding *rbac_next_binding(struct rbac *rbac, const struct rbac_user *user,
                                  struct str namespace, struct grant_walk *walk);
bool rbac_is_spent(const struct grant_walk *walk);

/*
 * The role itself or, by index, the roles it aggregates: those whose own rules count. NULL at the
 * end.
 */
struct role *role_part(const struct role_view *view, size_t index);

/* The rules of a user, each role once. They are those of the index and end with its next change. */
struct rbac_rules rbac_held_rules(struct rbac *rbac, struct arena *arena,
                                  const struct rbac_user *user, struct str namespace);

/* Appends a rule and returns its place. */
struct rbac_rule *rbac_rules_add(struct arena *arena, struct rbac_rules *rules);

bool rbac_is_master(const struct rbac_user *user);
