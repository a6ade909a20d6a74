/*
 * The reflector: a fiber that keeps a cache like the server, for as long as it is not cancelled.
 *
 * It loads everything at once, watches from there, goes on after a break and loads anew where the
 * watch cannot be continued; reflector_next.h says when. Nothing makes it give up.
 */
#pragma once

struct error;

/* Suspends until it is cancelled. data is the cache. */
struct error *reflector_run(void *data);
