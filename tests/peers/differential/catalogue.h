/*
 * What can be asked: the resources of the OpenAPI of kube-apiserver that corset serves, too, with
 * their subresources, verbs and schemas, and for each an object that both servers take.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"
#include "peers/conformance/caller.h"

enum verb {
    VERB_GET,
    VERB_LIST,
    VERB_CREATE,
    VERB_UPDATE,
    VERB_PATCH,
    VERB_DELETE,
    VERB_DELETE_COLLECTION,
    VERBS,
};

#define SUBRESOURCES_MAX 8

struct subresource {
    struct str name;
    unsigned verbs; /* bits of enum verb */
};

struct resource {
    struct str api_version, plural, kind;
    bool is_namespaced;
    bool is_careful; /* nothing of it may stay: it would change how others are answered */
    unsigned verbs;
    struct subresource subresources[SUBRESOURCES_MAX];
    size_t subresource_count;
    const struct json_value *base;    /* an object without a name of its own */
    const struct json_value *schema;  /* of the object; NULL when none was found */
    const struct json_value *schemas; /* what it refers to */
};

struct catalogue {
    struct arena arena;
    struct resource *items;
    size_t count, capacity;
    struct str definition; /* a CustomResourceDefinition that both servers need, as text */
};

void catalogue_done(struct catalogue *catalogue);

/*
 * Adds objects: kinds/minimal.jsonl of the tests' data, and rich.jsonl, which has some of these
 * kinds again with more members.
 */
MUST_USE struct error *catalogue_read(struct catalogue *catalogue, struct str text);

/* Suspends. Asks for the OpenAPI; resources that it does not have are dropped. */
MUST_USE struct error *catalogue_fetch(struct catalogue *catalogue, struct caller *caller);

/* "/apis/apps/v1" of the resource. */
struct str catalogue_root(struct arena *arena, struct str api_version);

/* Follows references; NULL for NULL. */
const struct json_value *catalogue_resolve(const struct resource *resource,
                                           const struct json_value *schema);
