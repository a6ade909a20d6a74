/*
 * Events: what a controller tells people about an object (events.k8s.io/v1).
 *
 * Recording never waits. Equal events (same object, type, reason, action and note) within six
 * minutes are one with a series: the first is created, the second noted at once, further ones at
 * most every 30 s. What does not fit into the bounded memory is dropped and counted. A fiber of its
 * own sends, with a limit of its own.
 *
 * Only references to objects are taken, never what they hold; notes are the caller's words and must
 * not contain secrets.
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
    struct str instance;   /* reportingInstance; empty: the controller's */
    size_t events;         /* that are remembered; 0 means 1000 */
    double qps, burst;     /* 0 means 10 and 25 */
    struct metrics *metrics;
};

struct recorder *recorder_new(struct loop *loop, const struct recorder_options *options);
void recorder_free(struct recorder *recorder);
DEFINE_OWNED(recorder)

enum recorder_type { RECORDER_NORMAL, RECORDER_WARNING };

/* Which object. Borrowed. */
struct recorder_reference {
    struct str api_version, kind, namespace, name, uid, resource_version;
};
struct recorder_reference recorder_reference(const struct object *object);

/* A note longer than RECORDER_NOTE_MAX is cut. Reason and action are words in CamelCase. */
void recorder_event(struct recorder *recorder, const struct recorder_reference *regarding,
                    enum recorder_type type, const char *reason, const char *action,
                    const char *note, ...) PRINTF_LIKE(6, 7);

/* Sends until it is cancelled; then what is left, for a few seconds. Suspends. data: recorder. */
MUST_USE struct error *recorder_run(void *data);
