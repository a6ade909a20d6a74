/*
 * The watches of a controller: events of owners, of objects that owners own, and of kinds that the
 * controller maps to owners.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "framework/framework.h"
#include "json/json.h"

/* One watched kind, and the argument of its filters and of its map function. */
struct owner_watch {
    struct framework *framework;
    struct framework_watch watch;
    struct cache *cache;
    struct gvr gvr;
    bool namespaced, is_deletable;
};

/* Index by the uid of the controller reference. With pruning, caches of owned kinds have it. */
#define OWNER_WATCHES_INDEX STR("framework controller uid")

/* Looks up the kinds, opens their caches and connects them to the controller. Suspends. */
MUST_USE struct error *owner_watches_open(struct framework *framework);

/* True if the object's class annotation is the class of this controller. */
bool owner_watches_has_class(const struct framework *framework, const struct json_value *object);

/* Filters for events of owners and of watched kinds. data is a struct owner_watch. */
controller_filter_fn owner_watches_filter_owner, owner_watches_filter_watched;
