/*
 * A list over all clusters: asks them, merges their answers in order while they arrive, and says
 * which clusters are missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache_each.h"
#include "fleet/fleet_continue.h"
#include "fleet/fleet_question.h"
#include "fleet/fleet_reply.h"

struct clustercache;

/* What a question is asked with. */
struct fleet_asker {
    struct clustercache *clusters;
    struct clustercache_each_memory *memory;
    size_t window;
    const struct fleet_continue_key *key;
    const struct rest_impersonation *as; /* NULL: as the kubeconfigs say */
    struct str agent;
    bool (*admits)(void *data, struct key cluster); /* NULL: all */
    void *admits_data;
    timestamp now;
};

/* For logs and metrics. */
struct fleet_outcome {
    size_t asked, answered, failed, forbidden, items;
};

/* "asked=3, answered=1, failed=1, forbidden=1". */
void fleet_outcome_write(struct buf *out, const struct fleet_outcome *outcome);

/* The options of clustercache_each() for a question; path and Accept are set. */
struct clustercache_each_options fleet_each_options(const struct fleet_asker *asker,
                                                    const struct fleet_question *question);

/* Counts the failures of a summary. */
void fleet_outcome_count(struct fleet_outcome *outcome,
                         const struct clustercache_each_summary *summary);

/* "2 of 10 clusters are missing: prod/a1: ..." with the first five; empty if none is. */
void fleet_warning_write(struct buf *out, const struct clustercache_each_summary *summary);

/* Sends the answer. An error breaks it off, or could not be sent. Suspends. */
MUST_USE struct error *fleet_list_serve(const struct fleet_asker *asker,
                                        const struct fleet_question *question,
                                        struct fleet_reply *reply, struct arena *arena,
                                        struct fleet_outcome *outcome);
