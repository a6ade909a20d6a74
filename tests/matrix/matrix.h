/*
 * The matrix of requests: every place that is served, with every verb, type of body, body and
 * option. Whatever it is, the answer is well-formed: a Status or an object of the right kind, with
 * a code that fits, and never a failure of the server's own.
 */
#pragma once

#include "api_fixture.h"
#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"

enum matrix_verb {
    MATRIX_GET,
    MATRIX_HEAD,
    MATRIX_WATCH,
    MATRIX_POST,
    MATRIX_PUT,
    MATRIX_PATCH,
    MATRIX_DELETE,
    MATRIX_BREW, /* a method that there is not */
    MATRIX_VERBS,
};

enum matrix_type {
    MATRIX_JSON,
    MATRIX_YAML,
    MATRIX_PROTOBUF,
    MATRIX_JSON_PATCH,
    MATRIX_MERGE_PATCH,
    MATRIX_STRATEGIC_PATCH,
    MATRIX_APPLY_PATCH,
    MATRIX_CHARSET, /* a type with a parameter */
    MATRIX_NO_TYPE,
    MATRIX_WRONG_TYPE,
    MATRIX_TYPES,
};

enum matrix_body {
    MATRIX_RIGHT,
    MATRIX_EMPTY,
    MATRIX_NULL,
    MATRIX_WRONG_KIND,
    MATRIX_WRONG_VERSION,
    MATRIX_ANOTHER_OBJECT,
    MATRIX_LIST,
    MATRIX_DEEP,
    MATRIX_HUGE,
    MATRIX_TRUNCATED,
    MATRIX_BODIES,
};

#define MATRIX_OPTIONS 14
#define MATRIX_ACCEPTS 7

/* What goes in and out at a place. */
enum matrix_part { MATRIX_OBJECT, MATRIX_SCALE, MATRIX_TOKEN, MATRIX_BINDING, MATRIX_EVICTION };

/* A path that is served, or not quite. */
struct matrix_place {
    struct str path, name;
    enum matrix_part part;
};

/* A resource with the object that is put there, and all places of it. */
struct matrix_resource {
    struct str kind, api_version, plural;
    bool is_namespaced, is_stored;
    struct json_doc *object;
    struct matrix_place *places;
    size_t place_count;
};

struct matrix_resources {
    struct arena arena;
    struct matrix_resource *items;
    size_t count;
};

/* One request. */
struct matrix_cell {
    enum matrix_verb verb;
    enum matrix_type type;
    enum matrix_body body;
    size_t option, accept;
};

/* From discovery, and from the rows of kinds/minimal.jsonl; a resource without a row is a failure.
 */
void matrix_resources_init(struct matrix_resources *resources, struct api_fixture *fixture);
void matrix_resources_done(struct matrix_resources *resources);

/* A new API gets what all resources need. Suspends. */
void matrix_prepare(struct api_fixture *fixture);

/* Creates the resource's object if it is not there. ret_current is the object as it is. Suspends.
 */
void matrix_restore(struct api_fixture *fixture, const struct matrix_resource *resource,
                    struct json_doc **ret_current);

/* The body of a request; current is the object that is stored, or NULL. */
void matrix_body_write(struct buf *out, const struct matrix_resource *resource,
                       const struct matrix_place *place, const struct matrix_cell *cell,
                       const struct json_value *current);

/* Fails the test unless the answer is well-formed. doc is NULL when it is no JSON. */
void matrix_check(const struct matrix_resource *resource, const struct matrix_place *place,
                  const struct matrix_cell *cell, const struct http_request *http,
                  const struct json_value *doc);
