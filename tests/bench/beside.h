/*
 * How late probes are, and how long an apply takes, beside something that is asked for without
 * pause.
 *
 * The controllers are in this process, which is the one that is measured. The API server with its
 * virtual clusters is another one, and those who ask are a third one: it is forked before the loop
 * exists, and waits for orders. Times without them and with them take turns, so that both have the
 * same machine.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sets_fixture.h"

/* What the process of those who ask is told at the beginning of each time. */
struct beside_orders {
    uint16_t port;
    char key[40];
    int seconds;
};

struct beside {
    const char *name;        /* for rows: "beside 50 pages that reload without pause" */
    size_t virtual_clusters; /* at least one, to which a set is applied */
    struct sets_fixture_options options;

    /* Makes what is asked, when the controllers run, and ends it. May be NULL. Suspend. */
    void (*open)(void *data, struct sets_fixture *fixture);
    void (*close)(void *data);

    /* Says where it is: all but the seconds. */
    void (*direct)(void *data, const struct sets_fixture *fixture, struct beside_orders *orders);

    /* Asks for so many seconds, in the other process, which has no loop. */
    void (*ask)(void *data, const struct beside_orders *orders);
    void *data;
};

/* Prints the rows. Begin without a loop in this process. */
void beside_measure(const struct beside *beside);
