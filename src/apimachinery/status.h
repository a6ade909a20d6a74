/*
 * Status, the form in which Kubernetes sends errors, both ways.
 *
 * A server makes errors with the functions below and writes them. A client reads an answer into an
 * error with the same code, message and details. The code follows the reason or, where the reason
 * is not known, the HTTP status; see the table in base/error.c.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "apimachinery/gvk.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

/* The HTTP status of an answer with this error. */
int status_http_status(const struct error *err);

/* {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",...} */
void status_write(struct buf *out, const struct error *err);

/* The same as a document, for an ERROR event of a watch. */
struct json_doc *status_doc(const struct error *err);

/* True for an object of kind Status. */
bool status_is_status(const struct json_value *value);

/* From a Status, as in an ERROR event of a watch. http_status is 0 when there is none. */
MUST_USE struct error *status_to_error(const struct json_value *status, int http_status);

/*
 * From an answer that is no success. A body that is no Status gives a message with the HTTP status.
 * Of a plain text the first line is shown; of other JSON nothing is shown, as it may be a Secret.
 */
MUST_USE struct error *status_read_error(int http_status, struct str body);

/* Errors with the messages and details that API servers send. */
MUST_USE struct error *status_not_found(struct gvr gvr, struct str name);
MUST_USE struct error *status_already_exists(struct gvr gvr, struct str name);
MUST_USE struct error *status_conflict(struct gvr gvr, struct str name, struct str text);

/* The resourceVersion of the request is not the newest one. */
MUST_USE struct error *status_conflict_modified(struct gvr gvr, struct str name);

/*
 * A resource, subresource or path that the server does not have; and a method that it does not
 * allow.
 */
MUST_USE struct error *status_no_such_resource(void);
MUST_USE struct error *status_method_not_allowed(void);

/* Gives an error that is about no particular object the empty details that API servers send. */
MUST_USE struct error *status_without_details(struct error *err);

/* The name may be empty. The resource may be empty too: "forbidden: text". */
MUST_USE struct error *status_forbidden(struct gvr gvr, struct str name, struct str text);

/* 403: nothing can be created in a namespace that is being deleted. */
MUST_USE struct error *status_namespace_terminating(struct gvr gvr, struct str name,
                                                    struct str namespace);

/* Has a cause for each field error. */
MUST_USE struct error *status_invalid(struct gvk gvk, struct str name,
                                      const struct field_errors *errors);

MUST_USE struct error *status_bad_request(const char *format, ...) PRINTF_LIKE(1, 2);
MUST_USE struct error *status_unauthorized(void);
MUST_USE struct error *status_expired(struct str message);
MUST_USE struct error *status_too_large(size_t limit);
MUST_USE struct error *status_internal(const char *format, ...) PRINTF_LIKE(1, 2);

/*
 * "Timeout: message", and 429. Both ask the client to retry after some seconds; 0 asks for nothing.
 */
MUST_USE struct error *status_timeout(struct str message, int64_t retry_seconds);
MUST_USE struct error *status_too_many_requests(struct str message, int64_t retry_seconds);

/* 429: a PodDisruptionBudget forbids an eviction, for this reason. */
MUST_USE struct error *status_budget_forbids(struct str why, int64_t retry_seconds);

/* 504 for a resourceVersion that the server has not reached yet. */
MUST_USE struct error *status_version_too_large(int64_t wanted, int64_t current);
