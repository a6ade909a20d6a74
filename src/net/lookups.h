/*
 * The turns of name lookups. A lookup keeps a worker thread until the system's resolver returns,
 * also when nobody waits for it any more, and the same threads do much else. Few lookups therefore
 * run at a time, whatever names there are:
 *
 * - LOOKUPS_MAX of all names. Two of these places are for names that were found when they were
 *   looked up last, and names that took long have two at most.
 * - Callers of the same name share one lookup.
 * - A name that was not found is not looked up again for some seconds. Callers get the same answer.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"

struct loop;
struct lookup_result;
struct lookups;

#define LOOKUPS_MAX     12 /* of 16 threads: a fleet of thousands of names is to start soon */
#define LOOKUPS_NEW_MAX 10 /* of names that are not known to be found */
#define LOOKUPS_SLOW    2  /* of names that take LOOKUPS_SLOW_FROM or longer */

#define LOOKUPS_SLOW_FROM (5 * SECOND)

/* What getaddrinfo() has returned. */
struct lookup_answer {
    int status; /* 0 or EAI_... */
    int errnum; /* that EAI_SYSTEM refers to */
    struct lookup_result *result;
};

/* Looks one name up, on a worker thread. The result is on the heap. */
typedef void lookup_fn(const char *host, struct lookup_answer *ret_answer);

struct lookups *lookups_new(struct loop *loop, lookup_fn *look_up);

/* The same for all callers on a loop, by the resolver of the system. Shared by reference. */
struct lookups *lookups_of(struct loop *loop);
void lookups_free(struct lookups *lookups); /* gives one reference back */
DEFINE_OWNED(lookups)

/* Suspends. Fails only when the wait is interrupted. The caller frees the result of the answer. */
MUST_USE struct error *lookups_find(struct lookups *lookups, const char *host,
                                    struct lookup_answer *ret_answer);
