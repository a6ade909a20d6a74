/*
 * What wakes a controller: events of owners, of what they own, and of what is mapped to them.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "framework/framework.h"
#include "json/json.h"

/* A watched kind. */
struct owner_watch {
    struct framework *framework;
    struct framework_watch watch;
    struct cache *cache;
    struct gvr gvr;
    bool namespaced, is_deletable;
};

/* By the uid of the controller; caches of owned kinds have it if there is pruning. */
#define OWNER_WATCHES_INDEX STR("framework controller uid")

/* Finds the kinds, gets their caches and ties them to the controller. Suspends. */
MUST_USE struct error *owner_watches_open(struct framework *framework);

/* Whether an object is one of those this controller cares for. */
bool owner_watches_has_class(const struct framework *framework, const struct json_value *object);

/* Filters of events of the owners, and of what is watched; data is a framework_source. */
controller_filter_fn owner_watches_filter_owner, owner_watches_filter_watched;
