/*
 * Failures grouped by reason: the same words on many clusters are one row. Pure.
 *
 * Words that differ from cluster to cluster (names in quotes, addresses, generated names) do not
 * make another reason: 'namespaces "a" not found' and 'namespaces "b" not found' are one.
 */
#pragma once

#include <stddef.h>

#include "web/web_view.h"

struct web_reason {
    enum status_state state;
    struct str text; /* of the example */
    size_t clusters, sets;
    timestamp since;                      /* the earliest; 0: not known */
    const struct status_cluster *cluster; /* the example */
    const struct status_set *set;         /* NULL: it is about the cluster itself */
};

struct web_reasons {
    const struct web_reason *items; /* the worst first, then the most frequent */
    size_t count;
};

/* set: only what is about it; empty: everything. In the arena of the view. */
struct web_reasons web_reasons_find(const struct web_view *view, struct str set);

/* The words of a message that do not differ from cluster to cluster. */
void web_reasons_add_words(struct buf *out, struct str message);
