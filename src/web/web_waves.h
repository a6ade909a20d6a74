/*
 * The waves of a set's rollout: the clusters of each, and how far they are. Pure.
 *
 * A cluster belongs to the first wave of the policy whose selector matches its labels, and to the
 * last wave "(others)" when none does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "web/web_view.h"

struct web_wave {
    struct str name;
    size_t clusters, done, failed, unreachable;
    struct str state; /* of the rollout, for the wave where it is; else Done or Waiting */
    duration soak_left;
    struct str approval; /* the token that the wave waits for; empty: none */
};

/* In the view's arena. Returns the number of waves; 0: the set has no rollout. */
size_t web_waves_find(const struct web_view *view, const struct status_set *set,
                      const struct web_wave **ret_waves);

/* Whether the cluster belongs to the wave. */
bool web_waves_has(const struct web_facts *facts, const struct status_set *set,
                   const struct status_cluster *cluster, struct str wave);
