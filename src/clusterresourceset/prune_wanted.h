/* The objects that a set wants on a cluster, for what is to be deleted beside them. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "clusterresourceset/plan.h"

struct discovery;

/* Whether every resource has objects: one without any may have lost them by mistake. Pure. */
bool prune_wanted_is_sound(const struct plan *plan);

/*
 * Adds "group/kind ns/name" of every object, and "group/kind" of their kinds; see struct prune_run.
 * Suspends for kinds that are not known yet.
 */
MUST_USE struct error *prune_wanted_read(const struct plan *plan, struct discovery *discovery,
                                         struct arena *arena, struct map *wanted);
