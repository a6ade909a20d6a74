/*
 * The servers of a run: a management cluster and the workload clusters c0, c1, and so on, each
 * behind a front of its own on one simulated network.
 *
 * Dice and faults of the fronts may be drawn before they are opened.
 */
#pragma once

#include "support/simulation/front.h"

#define FRONTS_MAX 8

struct apiserver_options;

struct fronts_options {
    const struct front_shared *shared;
    struct trace *trace;
    const struct apiserver_options *kinds; /* what the management cluster serves beside its own */
    size_t count;                          /* workload clusters, at most FRONTS_MAX */
    front_asked_fn *management_asked;      /* NULL: not told */
    front_asked_fn *workload_asked;        /* NULL: not told */
    void *data;                            /* whose fronts they are */
};

struct fronts {
    struct network *network;
    size_t count;
    struct front management, workloads[FRONTS_MAX];
    char names[FRONTS_MAX][32], hosts[FRONTS_MAX][2][32];
};

/* Suspend. Closing ends when every connection has. */
void fronts_open(struct fronts *fronts, const struct fronts_options *options);
void fronts_close(struct fronts *fronts);

/* Whether the process that asks is dying. */
void fronts_set_cut(struct fronts *fronts, bool is_cut);

/* How many requests came, to all of them. */
size_t fronts_requests(const struct fronts *fronts);
