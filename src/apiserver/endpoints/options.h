/*
 * Options of requests: what the query, or the body of a DELETE, says besides the object.
 *
 * Invalid values are refused with ERROR_INVALID, naming the kind of the options as API servers do.
 * Numbers that do not parse are ERROR_BAD_REQUEST. Unknown parameters are ignored.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/field_selector.h"
#include "apimachinery/selector.h"
#include "apiserver/endpoints/request.h"
#include "base/duration.h"
#include "base/error.h"
#include "json/json.h"

enum version_match {
    MATCH_UNSET,
    MATCH_EXACT,
    MATCH_NOT_OLDER_THAN,
};

struct list_options {
    struct selector labels;
    struct field_selector fields;
    bool has_labels, has_fields;
    size_t limit; /* 0: none */
    struct str continue_token;
    struct str version; /* empty: unset */
    int64_t revision;   /* of version */
    enum version_match match;
    bool bookmarks;
    bool has_initial_events, initial_events;
    duration timeout; /* 0: none given */
};

/* For list, watch and deletecollection. The kind tells which fields can be selected. */
MUST_USE struct error *list_options_read(const struct request *request,
                                         struct list_options *ret_options);

enum field_validation {
    VALIDATION_WARN,
    VALIDATION_IGNORE,
    VALIDATION_STRICT,
};

struct write_options {
    bool dry_run;
    bool force;         /* of an apply */
    struct str manager; /* given, or from the User-Agent */
    bool has_manager;
    enum field_validation validation;
};

/* For create, update and patch. is_apply: the patch is a server-side apply. */
MUST_USE struct error *write_options_read(const struct request *request, bool is_apply,
                                          struct write_options *ret_options);

/* The same as CreateOptions or UpdateOptions, as webhooks are told of them. */
MUST_USE struct error *write_options_doc(const struct request *request,
                                         const struct write_options *options, bool is_create,
                                         struct json_doc **ret_doc);

enum propagation {
    PROPAGATION_UNSET,
    PROPAGATION_BACKGROUND,
    PROPAGATION_FOREGROUND,
    PROPAGATION_ORPHAN,
};

struct delete_options {
    bool dry_run;
    enum propagation propagation;
    bool orphans; /* if the propagation is unset and no finalizer of the object says otherwise */
    bool has_grace;
    int64_t grace_seconds;
    struct str uid, resource_version; /* preconditions; empty: none */
};

/* A body that is not empty replaces the query; NULL means no body. */
MUST_USE struct error *delete_options_read(const struct request *request,
                                           const struct json_value *body,
                                           struct delete_options *ret_options);

/* The same as DeleteOptions, as webhooks are told of them. */
MUST_USE struct error *delete_options_doc(const struct delete_options *options,
                                          struct json_doc **ret_doc);
