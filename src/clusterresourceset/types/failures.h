/*
 * The objects of a set that were not applied to one cluster, grouped by cause.
 *
 * Equal messages are one cause. The name of the object is taken out before messages are compared:
 * 'configmaps "a" is forbidden' and 'configmaps "b" is forbidden' are the same cause. A cause has
 * the objects it kept back, each with the place where its manifest stands.
 *
 * Pure. Everything is in the arena; what many failures take is bounded, and what was left out is
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"

/* Causes and objects that are kept, and bytes of a message. */
#define FAILURES_CAUSES_MAX  ((size_t)100)
#define FAILURES_OBJECTS_MAX ((size_t)10000)
#define FAILURES_MESSAGE_MAX ((size_t)1016) /* 1 KiB with "…" */

/* One object and its place. Texts are borrowed, or copies in the arena of struct failures. */
struct failed_object {
    struct str verb;        /* "creating" */
    struct str api_version; /* "apps/v1" */
    struct str kind, namespace, name;
    struct str resource; /* "ConfigMap cm1", in which the manifest stands */
    struct str key;      /* of the value in the resource; empty: the resource as a whole failed */
    size_t document;     /* in that value, from 1 */
    struct failed_object *next;
};

struct failure_cause {
    struct str reason;  /* "Invalid", as in a Status */
    struct str message; /* with the name of the object as long as there is one object */
    size_t count;       /* objects; 0: resources as a whole */
    struct failed_object *first, *last;
    struct failure_cause *next;
};

struct failures {
    struct arena *arena;
    size_t objects; /* that the cluster should have: for "2 of 3 objects" */
    /* Read only. */
    size_t failed; /* objects */
    struct failure_cause *first, *last;
    size_t cause_count;
    size_t omitted_causes,
        omitted_objects; /* beyond the limits; omitted objects have failed, too */
    /* private */
    struct map by_message;
    size_t kept;
};

void failures_done(struct failures *failures);

/* Forgets all failures. */
void failures_clear(struct failures *failures);

/* Adds an object that failed; or, without a key, a resource that cannot be used. Copies all. */
void failures_add(struct failures *failures, const struct failed_object *object, struct str reason,
                  struct str message);

bool failures_is_empty(const struct failures *failures);

/* The only object that failed, if nothing else did; else NULL. */
const struct failed_object *failures_find_single(const struct failures *failures);

/* A number that is another one for other failures. 0: none. */
uint32_t failures_digest(const struct failures *failures);

/*
 * For conditions and events, about max bytes. A single failure is told as Cluster API does:
 *
 *     creating object apps/v1, Kind=Deployment ns/x: namespaces "ns" not found
 *
 * several by cause, in the order in which they came:
 *
 *     51 of 52 objects failed: 50 objects: an empty namespace may not be set during creation:
 *     Deployment x (ConfigMap cm1, key a, document 1), Service y, Role z and 47 more; 1 object: …
 */
void failures_write(const struct failures *failures, struct buf *out, size_t max);

/* "apps/v1 Deployment ns/x (ConfigMap cm1, key a, document 2)", for logs and records. */
void failed_object_write(const struct failed_object *object, struct buf *out);

/* "(ConfigMap cm1, key a, document 2)" alone. */
void failed_object_write_place(const struct failed_object *object, struct buf *out);
