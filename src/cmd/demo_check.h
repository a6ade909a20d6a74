/*
 * What the virtual clusters of a demonstration really have: asked of each of them, as kubectl
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
    size_t resources; /* that its binding says are applied */
    timestamp since;  /* when the last of them was; 0: never */
    size_t objects;   /* that are there */
    struct error *err;
};

void demo_row_done(struct demo_row *row);

/* What a binding says; NULL is none. */
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

/* Fills in objects and err of every row. Suspends. */
MUST_USE struct error *demo_check_clusters(struct demo_check *check);
