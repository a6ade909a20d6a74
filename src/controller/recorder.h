/*
 * The event recorder: writes Events (events.k8s.io/v1) about objects, for people.
 *
 * Recording never suspends; recorder_run() sends on its own fiber with its own rate limit. Equal
 * events (same objects, type, reason, action and note) within six minutes become one Event with a
 * series: the first occurrence is created, the second patched at once, further ones at most every
 * 30 s. Events that exceed the memory limit are dropped and counted.
 *
 * An Event holds a reference to its object and never the content of the object. The note is written
 * by the caller and must not contain secrets.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct loop;
struct metrics;
struct object;
struct recorder;

#define RECORDER_NOTE_MAX 1024

struct recorder_options {
    struct client *client;
    struct str controller; /* reportingController: "corset.dev/web" */
    struct str instance;   /* reportingInstance; empty: the same as controller */
    size_t events;         /* number of events that are kept in memory; 0 means 1000 */
    double qps, burst;     /* 0 means 10 and 25 */
    struct metrics *metrics;
};

struct recorder *recorder_new(struct loop *loop, const struct recorder_options *options);
void recorder_free(struct recorder *recorder);
DEFINE_OWNED(recorder)

enum recorder_type { RECORDER_NORMAL, RECORDER_WARNING };

/* A reference to an object. Texts are borrowed. */
struct recorder_reference {
    struct str api_version, kind, namespace, name, uid, resource_version;
    const struct recorder_reference *related; /* another object that it concerns; NULL: none */
};
struct recorder_reference recorder_reference(const struct object *object);

/* Records an event. A note longer than RECORDER_NOTE_MAX is cut. Reason and action are CamelCase.
 */
void recorder_event(struct recorder *recorder, const struct recorder_reference *regarding,
                    enum recorder_type type, const char *reason, const char *action,
                    const char *note, ...) PRINTF_LIKE(6, 7);

/*
 * A fiber function; data is the recorder. Sends events until it is cancelled, then the remaining
 * ones for a few seconds. Suspends.
 */
MUST_USE struct error *recorder_run(void *data);
