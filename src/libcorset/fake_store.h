/*
 * The objects of one server of a fake world, and the kinds that it serves: what an API server does
 * to an object that is written, without admission, validation, defaults and garbage collection.
 *
 *     SCOPED(fake_store) store = {0};
 *     TRY(fake_store_put(&store, object));
 *     struct fake_place place = {kind, KEY("default", "a")};
 *     TRY(fake_store_patch(&store, &place, &patch, &object));
 *
 * Each change has a new resourceVersion and is kept as an event, for watches. A write that changes
 * nothing keeps the resourceVersion. Of the calls none suspends. corset/fake.h says what authors
 * may rely on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "async/event.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/tree.h"

/* A kind in one version. */
struct fake_kind {
    struct str group, version, kind, resource;
    bool is_namespaced;
    bool has_status; /* the subresource */
};

struct fake_event {
    int64_t version;
    struct str resource;      /* "group/resource" */
    struct object *old, *now; /* NULL for a new one, and for a deleted one */
};

struct fake_store {
    struct tree objects; /* "group/resource/namespace/name" -> struct object */
    struct map applied;  /* the same, a line feed and a field manager -> struct json_doc */
    struct fake_kind *custom;
    size_t custom_count, custom_capacity;
    struct arena texts;
    struct fake_event *events;
    size_t event_count, event_capacity;
    int64_t version;
    uint64_t names; /* uids and generated names so far */
    size_t writes;  /* requests that wrote, see fake_api.c */
    struct event changed;
};

void fake_store_done(struct fake_store *store);

/* The kinds that are served, built-in ones first; NULL past the end. */
const struct fake_kind *fake_store_kind(const struct fake_store *store, size_t index);

/* By kind, and by resource; NULL if it is not served. */
const struct fake_kind *fake_store_find_kind(const struct fake_store *store, struct gvk gvk);
const struct fake_kind *fake_store_find_resource(const struct fake_store *store, struct gvr gvr);

/* "group/resource": what an object is kept under, in all versions of its kind. */
struct str fake_kind_path(struct arena *arena, const struct fake_kind *kind);

/* An object of a kind. */
struct fake_place {
    const struct fake_kind *kind;
    struct key key;
    bool is_status; /* its subresource */
};

/* NULL: there is none. Borrowed until the next change. */
struct object *fake_store_find(const struct fake_store *store, const struct fake_place *place);

/* As it is, whatever was there: for the author of a test. Its status is written, too. */
MUST_USE struct error *fake_store_put(struct fake_store *store, const struct object *object);

/* Requests. The object that they return is a new reference. */
MUST_USE struct error *fake_store_create(struct fake_store *store, const struct fake_place *place,
                                         const struct object *object, struct object **ret_object);
MUST_USE struct error *fake_store_update(struct fake_store *store, const struct fake_place *place,
                                         const struct object *object, struct object **ret_object);

enum fake_patch_type {
    FAKE_PATCH_MERGE,
    FAKE_PATCH_JSON,
    FAKE_PATCH_APPLY,
};

struct fake_patch {
    enum fake_patch_type type;
    struct str text;
    struct str manager; /* of an apply */
};
MUST_USE struct error *fake_store_patch(struct fake_store *store, const struct fake_place *place,
                                        const struct fake_patch *patch, struct object **ret_object);

/* *ret_object is the object if finalizers keep it, and NULL if it is gone. uid may be empty. */
MUST_USE struct error *fake_store_delete(struct fake_store *store, const struct fake_place *place,
                                         struct str uid, struct str version,
                                         struct object **ret_object);
