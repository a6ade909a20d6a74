/*
 * YAML manifests as Kubernetes reads them: text in, JSON documents out.
 *
 * Scalars follow YAML 1.1 as go-yaml v2 resolves them, documents are split at lines, the last of
 * duplicate keys wins, anchors and merge keys work. A document that is a whole JSON object is taken
 * as JSON, and several JSON objects may follow each other without separators. Kubernetes silently
 * drops text behind the end of a document; here such text is an error, except for
 * manifest_read_first().
 *
 * Input is hostile. Text, nesting, documents, nodes, alias expansion and the resulting JSON are all
 * bounded, and no function here recurses along a document.
 *
 *     SCOPED(manifest_list) list = {0};
 *     struct manifest_fault fault;
 *     TRY(manifest_read(text, NULL, &list, &fault), "read %.*s", STR_ARG(name));
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

struct json_doc;
struct json_warnings;

/* How deep braces and brackets of YAML may nest; JSON may do so up to JSON_DEPTH_MAX. */
#define MANIFEST_FLOW_DEPTH_MAX 256

/* Why a text was refused. */
enum manifest_error {
    MANIFEST_FINE,
    MANIFEST_SYNTAX,
    MANIFEST_TAG,              /* an explicit tag or << does not fit its value */
    MANIFEST_MAP_KEY,          /* a key that has no text form */
    MANIFEST_NO_JSON_FORM,     /* infinite, or not a number */
    MANIFEST_ANCHOR,           /* unknown, or inside itself */
    MANIFEST_ALIASING,         /* aliases expand too far */
    MANIFEST_DEPTH,            /* more than JSON_DEPTH_MAX levels, or too many braces */
    MANIFEST_NOT_A_MAPPING,    /* the root is a scalar or a sequence */
    MANIFEST_SEPARATOR,        /* text after --- */
    MANIFEST_TRAILING_CONTENT, /* text after the end of the root */
    MANIFEST_JSON_LIST,        /* starts with [ and is no JSON array of objects */
    MANIFEST_TOO_LARGE,        /* a limit below; its error has the code ERROR_TOO_LARGE */
    MANIFEST_ERRORS,           /* their number */
};

/* The class as reports name it: "syntax", "map-key", "json-list". */
struct str manifest_error_name(enum manifest_error error);

/* Where and why reading failed. Lines and columns count from 1 in the whole text; 0 is unknown. */
struct manifest_fault {
    enum manifest_error error;
    size_t document; /* ordinal among the documents that are not empty; 0 is none in particular */
    size_t line, column;
};

/* Limits; 0 means the default. */
struct manifest_options {
    size_t text_max;      /* bytes of input; 16 MB */
    size_t documents_max; /* comments between separators included; 100,000 */
    size_t nodes_max;     /* YAML nodes of all documents, aliases expanded; 2,000,000 */
    size_t memory_max;    /* bytes that all documents take; 48 MB */
    size_t flow_work_max; /* nodes times the depth of braces around them; 4,000,000 */

    /*
     * Gets a warning (line 3: key "a" already set in map) for each key that a mapping has twice;
     * not for documents that are JSON. NULL: none.
     */
    struct json_warnings *duplicates;
};

struct manifest_list {
    struct json_doc **docs; /* each one holds a mapping */
    size_t count;
    size_t capacity_; /* private */
};

void manifest_list_done(struct manifest_list *list);

/*
 * Everything below returns ERROR_PARSE, or ERROR_TOO_LARGE for a limit. options and fault may be
 * NULL; fault is written on failure only.
 *
 * Reads the data of a ConfigMap or Secret of a ClusterResourceSet: a JSON array of objects, or a
 * stream of documents. Every number becomes a double, as in Cluster API.
 */
MUST_USE struct error *manifest_read(struct str text, const struct manifest_options *options,
                                     struct manifest_list *ret_list, struct manifest_fault *fault);

/* The same without the array form. */
MUST_USE struct error *manifest_read_stream(struct str text, const struct manifest_options *options,
                                            struct manifest_list *ret_list,
                                            struct manifest_fault *fault);

/* Reads one document of any type; empty text is null. 64-bit integers are kept. */
MUST_USE struct error *manifest_read_one(struct str text, const struct manifest_options *options,
                                         struct json_doc **ret_doc, struct manifest_fault *fault);

/*
 * The same for the bodies of requests, of which an API server reads the first document only. What
 * follows it is dropped, well-formed or not.
 */
MUST_USE struct error *manifest_read_first(struct str text, const struct manifest_options *options,
                                           struct json_doc **ret_doc, struct manifest_fault *fault);
