/*
 * The reflector: a fiber that keeps a cache equal to the server until it is cancelled.
 *
 * It loads all objects, then watches from there. After a break it continues the watch or loads
 * again; reflector_next.h decides which. No error ends it. A cancelled reflector leaves its place
 * in the cache, and the next reflector of the cache continues from that place.
 */
#pragma once

#include "controller/cache/reflector_next.h"

struct error;

/* The progress of a reflector. Zero is the beginning. */
struct reflector_place {
    enum reflector_phase phase;
    bool forgot; /* the server cannot serve the known version any more */
    struct reflector_backoff backoff;
    bool hurried; /* the last pause was cut short */
};

/* A fiber function; data is the cache. Uses the client of the cache until it is cancelled. */
struct error *reflector_run(void *data);
