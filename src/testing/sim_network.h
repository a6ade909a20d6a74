/*
 * A network inside the process, in virtual time, for real protocol code.
 *
 * Bytes arrive in order, after a latency, in pieces of random size. Readiness is reported in an
 * order drawn from the seed of the loop. Faults are set for a host name and may change at any time;
 * they hold for connections to that host, in both directions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/duration.h"
#include "base/str.h"

struct loop;
struct network;

struct sim_faults {
    duration latency; /* one way; 0 means 1 ms */
    duration jitter;  /* up to this much more */
    double loss;      /* chance that a piece is lost once and comes 200 ms late */
    double reset;     /* chance that a piece breaks the connection instead */
    size_t piece_max; /* largest piece; 0 means 16 KiB */
    size_t cut_after; /* bytes to the client after which the peer vanishes cleanly; 0: never */
    bool refuse;      /* connections are refused */
    bool black_hole;  /* packets vanish, those of open connections too */
    bool spurious;    /* readiness is sometimes reported for nothing */
};

struct network *sim_network_new(struct loop *loop);

/* Replaces the faults of a host; applies to its open connections as well. */
void sim_network_set_faults(struct network *network, struct str host,
                            const struct sim_faults *faults);

/* The number of connections that exist now. */
size_t sim_network_connections(const struct network *network);
