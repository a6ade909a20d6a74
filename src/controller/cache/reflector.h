/*
 * The reflector: a fiber that keeps a cache like the server, for as long as it is not cancelled.
 *
 * It loads everything at once, watches from there, goes on after a break and loads anew where the
 * watch cannot be continued; reflector_next.h says when. Nothing makes it give up. One that is
 * cancelled leaves its place in the cache, and the next one goes on from there.
 */
#pragma once

#include "controller/cache/reflector_next.h"

struct error;

/* Where a reflector is; zero is the beginning. */
struct reflector_place {
    enum reflector_phase phase;
    bool forgot; /* the last known version is of no use to the server */
    struct reflector_backoff backoff;
};

/* Suspends until it is cancelled. data is the cache, whose client it uses meanwhile. */
struct error *reflector_run(void *data);
