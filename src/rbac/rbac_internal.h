/*
 * The index behind rbac.h. Private to rbac*.c.
 */
#pragma once

#include "api/selector.h"
#include "rbac/rbac.h"
#include "base/map.h"

struct role {
    struct arena arena;
    struct rbac_rules rules;
    struct json_doc *labels; /* for aggregation; NULL for none */
    bool aggregates;         /* its rules are those of the roles it selects */
    struct selector *selectors;
    size_t selector_count;
    struct role **sources; /* in memory of its own; kept by rbac_resolve() */
    size_t source_count;
};

struct subject {
    struct str key;  /* "User:jane", "Group:dev" */
    struct str kind; /* as written: ServiceAccount is a user too */
    struct str name, namespace;
};

struct binding {
    struct arena arena;
    struct str name, namespace; /* no namespace: for the cluster */
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
    struct map roles;    /* "namespace/name" -> struct role; "/name" for cluster roles */
    struct map bindings; /* the same for struct binding */
    struct map subjects; /* subject's key -> struct grants */
    bool stale;          /* cluster roles changed since rbac_resolve() */
};

struct role *role_read(const struct json_value *object);
void role_free(struct role *role);
struct binding *binding_read(const struct json_value *object);
void binding_free(struct binding *binding);

struct role *rbac_find_role(struct rbac *rbac, struct str namespace, struct str name);

/* The next binding of a user, those of the cluster first. Zero is where it starts. */
struct grant_walk {
    size_t pass, subject, binding;
};
struct binding *rbac_next_binding(const struct rbac *rbac, const struct rbac_user *user,
                                  struct str namespace, struct grant_walk *walk);

/* A role's own rules or, one after the other, those of the roles it aggregates; NULL at the end. */
const struct rbac_rules *role_rules(const struct role *role, size_t index);

/* Rooms for one rule more. */
struct rbac_rule *rbac_rules_add(struct arena *arena, struct rbac_rules *rules);

bool rbac_is_master(const struct rbac_user *user);
bool rbac_has(const struct rbac_strings *strings, struct str s);
