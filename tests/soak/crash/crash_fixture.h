/*
 * What writers, watchers and the audit share: a client of the server, the ledger of acknowledged
 * writes, and whether the server has been killed.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "async/event.h"
#include "base/random.h"
#include "client/client.h"
#include "soak/crash/ledger.h"

#define CRASH_FIXTURE_NAMESPACE STR("crash")

struct crash_fixture {
    struct client *client;
    struct ledger ledger;
    struct random random;
    bool is_killed;       /* requests may fail from here on */
    struct event changed; /* a watcher moved on */
};

struct gvr crash_fixture_gvr(enum ledger_resource resource);

/* An object with one field, of a revision to be replaced or 0; the caller's. */
MUST_USE struct error *crash_fixture_make(const struct ledger_object *object, uint64_t value,
                                          int64_t revision, struct object **ret_object);

/* Once: the namespace, the custom resource and the shared objects. Suspends. */
MUST_USE struct error *crash_fixture_prepare(struct crash_fixture *fixture);
