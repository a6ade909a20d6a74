/*
 * Where corset get asks: the fleet API of the management cluster or, without one, the clusters
 * themselves, with their kubeconfig Secrets. Both give the same answers.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct clustercache;
struct fleet;
struct management_client;

struct get_source {
    struct management_client *management;
    bool is_remote;
    struct clustercache *clusters; /* of a local source */
    struct fleet *fleet;           /* the same */
};

/*
 * Finds out whether there is an endpoint. A local source registers the Clusters that the label
 * selector selects. Suspends.
 */
MUST_USE struct error *get_source_open(struct get_source *source,
                                       struct management_client *management,
                                       struct str cluster_selector);
void get_source_done(struct get_source *source); /* suspends */

/* Receives the body of an answer in pieces. */
typedef struct error *get_source_fn(void *data, struct str piece);

/*
 * Asks "/api/v1/nodes?labelSelector=a". An answer that is no success is an error with its Status.
 * Suspends.
 */
MUST_USE struct error *get_source_ask(struct get_source *source, struct str target,
                                      struct str accept, get_source_fn *take, void *data);

/* The whole answer, up to the limit of the buffer. */
MUST_USE struct error *get_source_ask_all(struct get_source *source, struct str target,
                                          struct str accept, struct buf *body);
