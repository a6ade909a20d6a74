/*
 * Checks which objects the virtual clusters of a demo have, by asking each of them as kubectl
 * would.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/timestamp.h"

struct demo_example;
struct network;
struct object;
struct standalone;
struct tls_context;

struct demo_row {
    size_t resources; /* number that the binding records as applied */
    timestamp since;  /* last application; 0: none */
    size_t objects;   /* number that the cluster has */
    struct error *err;
};

void demo_row_done(struct demo_row *row);

/* Counts the resources that a binding records as applied; NULL is no binding. */
void demo_check_binding(const struct demo_example *example, const struct object *binding,
                        struct demo_row *row);

struct demo_check {
    const struct demo_example *example;
    const struct standalone *standalone;
    struct network *network;
    struct tls_context *tls;
    struct demo_row *rows; /* one for each virtual cluster */
    size_t count;
};

/* Fills in the members objects and err of every row. Suspends. */
MUST_USE struct error *demo_check_clusters(struct demo_check *check);
