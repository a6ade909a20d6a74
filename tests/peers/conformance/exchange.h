/*
 * Recorded exchanges: a request, what an API server answered, and how the two are held together.
 *
 * Read from a file with one JSON document per line. Names in it carry the run's id in place of
 * {{run}}, so that runs against one server do not meet; it is put in while reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "base/str.h"
#include "json/json.h"
#include "json/struct_fields.h"
#include "peers/conformance/pointer.h"

#define EXCHANGE_RUN     STR("{{run}}")
#define EXCHANGE_RUN_LEN ((size_t)7) /* as long as the placeholder: bodies keep their lengths */

struct exchange_patterns {
    struct pointer *items;
    size_t count;
};

/* JSON members are NULL when absent. Exactly one of request and read is there. */
struct exchange {
    struct str id, group, description;
    const struct json_value *request;  /* method, path, query, headers, body, bodyEncoding, as */
    const struct json_value *read;     /* no request: read a stream opened earlier */
    const struct json_value *watch;    /* the answer is a stream */
    const struct json_value *poll;     /* repeat the request until this holds */
    const struct json_value *capture;  /* variable: pointer */
    const struct json_value *relate;   /* "assert": what holds between a pointer and a variable */
    const struct json_value *response; /* status, headers, body, events, ended, bookmarks */
    const struct json_value *select;   /* only these pointers were recorded */
    const struct json_value *status_one_of;
    const struct json_value *may_warn; /* warnings that come now and then, all of them or none */
    struct json_strings check_headers, needs;
    struct exchange_patterns lenient, loose, unordered;
    bool status_only; /* "compare": "status" */
    bool strict_managed_fields;
    bool needs_controllers, needs_compaction;
};

struct exchange_list {
    struct exchange *items;
    size_t count;
    struct str run;
    struct arena arena;
};

void exchange_list_done(struct exchange_list *list);

/* The id is EXCHANGE_RUN_LEN letters. ERROR_PARSE, ERROR_INVALID name the line. */
MUST_USE struct error *exchange_list_read(struct exchange_list *list, struct str text,
                                          struct str run);

/* An id that cannot be part of a uid: it has no digit of hexadecimal. */
struct str exchange_run_id(struct random *random, char text[static EXCHANGE_RUN_LEN + 1]);

/* Every occurrence of a text replaced. */
struct str exchange_replace(struct arena *arena, struct str text, struct str from, struct str to);
