/*
 * What a page is asked for: its address and its parameters (docs/web.md). Pure.
 *
 *     /clusters?state=failed&sort=-since&limit=10
 *
 * Reading checks every value; what follows may rely on it. Writing gives the address that reads as
 * the same query, without parameters that say the default, so that equal queries have one address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "status/status_model.h"

enum web_page {
    WEB_OVERVIEW,
    WEB_SETS,
    WEB_SET,
    WEB_CLUSTERS,
    WEB_CLUSTER,
    WEB_PLACEMENT,
    WEB_REASONS,
    WEB_EVENTS,
    WEB_PAGES,
};

enum web_sort { WEB_SORT_STATE, WEB_SORT_NAME, WEB_SORT_SINCE, WEB_SORTS };

#define WEB_LIMIT_DEFAULT 100
#define WEB_LIMIT_MIN     10
#define WEB_LIMIT_MAX     500
#define WEB_TEXT_MAX      ((size_t)256) /* of a parameter */

/* A place between two rows, behind a row that may have gone meanwhile. */
struct web_place {
    enum status_state state;
    timestamp since;
    struct key key;
};

/* Texts are in the arena. */
struct web_query {
    enum web_page page;
    struct key key;       /* of the set or the cluster that the page is about */
    struct str placement; /* the set on the cluster */

    bool has_state, is_ready; /* is_ready: the delivery record says Ready */
    enum status_state state;
    struct str q, namespace, set, wave;
    enum web_sort sort;
    bool is_descending, has_after;
    struct web_place after;
    size_t limit;
};

/*
 * target is the path and the query of a request. ERROR_NO_SUCH_PATH: there is no such page.
 * ERROR_INVALID: a value is wrong, and the message says which.
 */
MUST_USE struct error *web_query_read(struct arena *arena, struct str target,
                                      struct web_query *ret_query);

void web_query_write(const struct web_query *query, struct buf *out);

/* A word for `state`: one of corset status, or ready. */
struct str web_query_state_name(const struct web_query *query);
