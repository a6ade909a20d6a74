/* Bodies of requests: from bytes to documents to objects of a kind. */
#pragma once

#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/request.h"
#include "apiserver/registry/kind.h"
#include "base/buf.h"
#include "base/error.h"

#define BODY_MAX (3 * MEGABYTE)

/* Reads the whole body. ERROR_TOO_LARGE past the limit. The buffer is marked secret. Suspends. */
MUST_USE struct error *body_read(const struct request *request, struct buf *body);

/* The Content-Type without its parameters; empty when there is none. */
struct str body_content_type(const struct request *request);

/* ERROR_UNSUPPORTED_MEDIA_TYPE unless the request's body is of a type that can be read. */
MUST_USE struct error *body_check_type(const struct request *request);

/*
 * An object as its kind understands it, with defaults. Unknown and duplicate fields become warnings
 * of the request, or an error where validation is strict. The error is the decoder's text alone.
 */
MUST_USE struct error *body_decode(struct request *request, const struct kind *kind,
                                   enum field_validation validation,
                                   const struct json_warnings *duplicates, struct json_doc *doc,
                                   struct json_doc **ret_doc);

/* The same for an object that an apply was merged into; unknown fields are dropped. */
MUST_USE struct error *body_decode_applied(struct request *request, const struct kind *kind,
                                           struct json_doc *doc, struct json_doc **ret_doc);

/*
 * The body as an object of a kind: read, parsed from JSON, YAML or protobuf, as the Content-Type
 * says, and decoded. The errors are in the words of an API server. A large body is parsed and
 * decoded on a worker thread. ret_size (may be NULL) is how long the body is. Suspends.
 */
MUST_USE struct error *body_read_kind(struct request *request, const struct kind *kind,
                                      enum field_validation validation, struct json_doc **ret_doc,
                                      size_t *ret_size);
