/*
 * A question to all clusters, read from path, query and Accept header of a request.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "apimachinery/resource_path.h"
#include "apimachinery/selector.h"
#include "base/arena.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "fleet/fleet_path.h"

/* The form of the answer, by its Accept header. */
enum fleet_form {
    FLEET_FORM_LIST,
    FLEET_FORM_TABLE,
    FLEET_FORM_METADATA,
};

struct fleet_question {
    struct str path;   /* that every cluster is asked */
    bool is_discovery; /* /api, /apis and what is below them without a resource */
    struct resource_path resource;
    enum fleet_form form;
    struct str forwarded; /* the part of the query that goes to every cluster, escaped */

    const struct selector *selector; /* over Clusters; NULL: all */
    struct str namespace;            /* of Clusters; empty: all */
    struct key *clusters;            /* only these */
    size_t cluster_count;

    int64_t limit; /* 0: none */
    struct str continue_token;
    bool forbids_partial;
    bool names_empty;  /* the answer names the clusters without items */
    duration timeout;  /* until a cluster begins to answer; 0: the default */
    struct str origin; /* what a continue token is bound to */
};

#define FLEET_QUESTION_LIMIT_MAX    5000
#define FLEET_QUESTION_CLUSTERS_MAX 1000
#define FLEET_QUESTION_TIMEOUT_MAX  (60 * SECOND)

/*
 * ERROR_BAD_REQUEST, ERROR_METHOD_NOT_ALLOWED for watches, ERROR_NOT_ACCEPTABLE, ERROR_NOT_FOUND
 * for a path that no API has. Everything lives in the arena.
 */
MUST_USE struct error *fleet_question_read(struct arena *arena, const struct fleet_path *path,
                                           struct str accept, struct fleet_question *ret_question);

/* What clusters are asked to accept for a form. */
struct str fleet_form_accept(enum fleet_form form, bool is_named);
