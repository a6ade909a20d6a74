/*
 * The rows of a table: those that the query matches, in its order, and the part of them that is one
 * page. Pure.
 *
 * A page begins behind a place (struct web_place), which is the order of a row and not the row
 * itself: it stays where it is when rows come and go, so that going through the pages shows every
 * row that is there all the time once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "web/web_query.h"
#include "web/web_view.h"

/* A set, a cluster, or one set on a cluster. */
struct web_row {
    const struct status_set *set;         /* NULL: of clusters */
    const struct status_cluster *cluster; /* NULL: of sets */
    const struct status_cell *cell;       /* if the query names a set */
};

struct key web_row_key(const struct web_row *row);
enum status_state web_row_state(const struct web_row *row);
timestamp web_row_since(const struct web_row *row);
struct str web_row_why(const struct web_row *row);

struct web_rows {
    const struct web_row *items; /* of this page */
    size_t count;
    size_t first, total;          /* the place of the first one, from 0, among all that match */
    size_t facets[STATUS_STATES]; /* what matches but for the state */
    bool has_next, has_previous;
    bool previous_is_first; /* the previous page is the first one */
    struct web_place next, previous;
};

/* By query->page: sets, or clusters. In the arena of the view. */
struct web_rows web_rows_find(const struct web_view *view, const struct web_query *query);

/* The sum of the facets. */
size_t web_rows_matching(const struct web_rows *rows);
