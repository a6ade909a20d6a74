/*
 * A view of the facts: what one user may see of them, at one time. Pure.
 *
 * Users see namespaces. Sets select clusters of their own namespace, so that the counts of a set
 * are right for every user who may see it; those of the fleet are counted anew.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "web/web_facts.h"

struct web_content;

/* The namespaces that a user may see. Borrowed. */
struct web_scope {
    bool is_all;
    const struct str *namespaces;
    size_t count;
};

bool web_scope_has(const struct web_scope *scope, struct str namespace);

struct web_view {
    const struct web_facts *facts;
    struct web_scope scope;
    timestamp now;
    struct arena *arena; /* for what is made while a page is */
    struct status_set *const *sets;
    struct status_cluster *const *clusters; /* worst first, then by namespace and name */
    size_t set_count, cluster_count;
    size_t set_counts[STATUS_STATES], cluster_counts[STATUS_STATES];
    bool has_namespaces; /* there are several */
};

/* Borrows all of its arguments. */
struct web_view web_view_make(struct arena *arena, const struct web_facts *facts,
                              const struct web_scope *scope, timestamp now);

/* NULL: there is none, or not for this user. */
const struct status_set *web_view_find_set(const struct web_view *view, struct key key);
const struct status_cluster *web_view_find_cluster(const struct web_view *view, struct key key);
const struct web_content *web_view_find_content(const struct web_view *view,
                                                const struct status_set *set, size_t ref);
const struct status_cell *web_view_find_cell(const struct status_cluster *cluster, struct str set);
