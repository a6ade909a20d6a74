/*
 * The source of the facts: caches of the management cluster, and from them new facts after changes.
 *
 * Changes are collected for a moment and then become new facts as a whole; reading objects gives
 * the loop back every few milliseconds, so that ten thousand clusters delay nothing. Until the new
 * facts are complete the old ones stay. Facts are made while pages are asked for
 * (web_source_want()); otherwise the caches alone are kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "async/event.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "web/web_facts.h"

struct cache_set;
struct client;
struct loop;
struct web_source;

struct web_source_options {
    struct cache_set *caches; /* outlives the source */

    /* For kinds that may be absent or forbidden; NULL: caches. A process that waits for all of its
     * caches must not wait for these. */
    struct cache_set *optional_caches;
    struct str namespace; /* empty: all */

    struct client *client;         /* reads what sets bring; NULL: that is not told */
    web_connection_fn *connection; /* NULL: nothing but conditions tells of connections */
    void *connection_data;
};

struct web_source *web_source_new(struct loop *loop, const struct web_source_options *options);
void web_source_free(struct web_source *source); /* Suspends. */
DEFINE_OWNED(web_source)

/* The facts as of now; valid until the next suspension. */
const struct web_facts *web_source_facts(const struct web_source *source);

/* A number that is another one for other facts. */
uint64_t web_source_version(const struct web_source *source);

/* A page was asked for: facts are made for a while. Suspends if there are none yet, for a second at
 * most.
 */
MUST_USE struct error *web_source_want(struct web_source *source);

/*
 * The page of a set was asked for: reads what its resources bring, if that was not done lately.
 * Suspends, for a second at most.
 */
MUST_USE struct error *web_source_want_set(struct web_source *source, struct key set);

/* Suspends until the version is another one. */
MUST_USE struct error *web_source_wait(struct web_source *source, uint64_t version);
