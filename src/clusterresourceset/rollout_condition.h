/* The condition RolledOut of a set whose policy has a rollout: how far is it? Pure. */
#pragma once

#include <stdint.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "clusterresourceset/rollout.h"

#define ROLLOUT_CONDITION "RolledOut"

/* Of no decision, NULL, nothing is known yet. Texts are in the arena. */
struct condition rollout_condition_make(const struct rollout_decision *decision, int64_t generation,
                                        struct arena *arena);
