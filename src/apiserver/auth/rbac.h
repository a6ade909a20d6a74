/*
 * Role based access control, as Kubernetes decides it.
 *
 *     OWNED(rbac) rbac = rbac_new();
 *     rbac_put(rbac, RBAC_CLUSTER_ROLE, role);
 *     rbac_put(rbac, RBAC_CLUSTER_ROLE_BINDING, binding);
 *     struct rbac_decision decision = rbac_authorize(rbac, arena, &attributes);
 *     if (!decision.allowed)
 *         return rbac_forbidden(&attributes, decision.reason);
 *
 * Roles and bindings are put and removed one by one as they are stored; the next decision follows
 * them. Bindings are found by their subjects, so a decision costs what is bound to the user and its
 * groups, however many other bindings there are. A request is allowed if some rule allows it. The
 * group system:masters is allowed everything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "json/json.h"

struct rbac;

enum rbac_kind {
    RBAC_ROLE,
    RBAC_CLUSTER_ROLE,
    RBAC_ROLE_BINDING,
    RBAC_CLUSTER_ROLE_BINDING,
};

struct rbac_strings {
    struct str *items;
    size_t count;
};

bool rbac_strings_has(const struct rbac_strings *strings, struct str s);

struct rbac_user {
    struct str name;
    struct rbac_strings groups;
};

struct rbac_attributes {
    struct rbac_user user;
    struct str verb;
    bool is_resource_request;
    struct str api_group, resource, subresource, name, namespace;
    struct str path; /* of a non-resource request */
};

struct rbac_decision {
    bool allowed;
    struct str reason; /* "RBAC: allowed by ..."; usually empty for a refusal */
};

struct rbac_rule {
    struct rbac_strings verbs, api_groups, resources, resource_names, urls;
};

struct rbac_rules {
    struct rbac_rule *items;
    size_t count, capacity; /* capacity is private */
    size_t size;            /* private: memory of what was copied */
    bool is_incomplete;     /* there are more rules, see RBAC_RULES_MAX */
};

/* Rules that are copied from the index take about so much memory; the rest is left out. */
#define RBAC_RULES_MAX ((size_t)4 * MEGABYTE)

struct rbac *rbac_new(void);
void rbac_free(struct rbac *rbac);
DEFINE_OWNED(rbac)

/*
 * What an index does not have is looked up in its base: roles, bindings, and the roles that others
 * aggregate. Many indexes share one base, which has no base itself, outlives them and does not
 * change any more. rbac_put() replaces and rbac_remove() hides objects of the base for this index
 * alone. Call it before the first rbac_put().
 */
void rbac_set_base(struct rbac *rbac, struct rbac *base);

/* An object of this kind was stored. Fields of a wrong type grant nothing. */
void rbac_put(struct rbac *rbac, enum rbac_kind kind, const struct json_value *object);

/* The object was deleted. The namespace is empty for cluster-wide kinds. */
void rbac_remove(struct rbac *rbac, enum rbac_kind kind, struct str namespace, struct str name);

/*
 * A decision takes RBAC_STEPS_MAX steps at most, of which comparing two strings is one. What is
 * bound to the user and takes more is refused, and the reason says so.
 */
#define RBAC_STEPS_MAX ((size_t)1000000)

struct rbac_decision rbac_authorize(struct rbac *rbac, struct arena *arena,
                                    const struct rbac_attributes *attributes);

/* 403 in the words of an API server. The reason is appended to the message. */
MUST_USE struct error *rbac_forbidden(const struct rbac_attributes *attributes, struct str reason);

/*
 * What a user may do in a namespace (empty: in the whole cluster), for SelfSubjectRulesReview.
 * Copied into the arena, so it outlives changes of the index. Incomplete beyond RBAC_RULES_MAX.
 */
struct rbac_rules rbac_user_rules(struct rbac *rbac, struct arena *arena,
                                  const struct rbac_user *user, struct str namespace);

/* The rules of an object that is about to be stored, and of a role that is bound. */
struct rbac_rules rbac_read_rules(struct arena *arena, const struct json_value *role);
struct rbac_rules rbac_role_rules(struct rbac *rbac, struct arena *arena, enum rbac_kind kind,
                                  struct str namespace, struct str name);

/*
 * Whether the rules of aggregated ClusterRoles depend on this one: it aggregates, or a ClusterRole
 * of this index (and not of its base) that aggregates selects it.
 */
bool rbac_is_in_aggregation(const struct rbac *rbac, struct str name);

/* Names of the ClusterRoles of this index, and not of its base, that have an aggregationRule. */
struct rbac_strings rbac_aggregating_roles(const struct rbac *rbac, struct arena *arena);

/*
 * Names of the ClusterRoles that this one selects, itself not among them. ERROR_TOO_LARGE when
 * there are too many selectors and labels to compare.
 */
MUST_USE struct error *rbac_selected_roles(const struct rbac *rbac, struct arena *arena,
                                           struct str name, struct rbac_strings *ret_names);

bool rbac_has_role(struct rbac *rbac, enum rbac_kind kind, struct str namespace, struct str name);

/*
 * A user cannot grant permissions that it does not have: NULL, or ERROR_FORBIDDEN with a message
 * that names the missing permissions, or says that there are too many to be compared. The caller
 * authorizes the verbs escalate and bind first.
 */
MUST_USE struct error *rbac_check_escalation(struct rbac *rbac, const struct rbac_user *user,
                                             struct str namespace,
                                             const struct rbac_rules *granted);
