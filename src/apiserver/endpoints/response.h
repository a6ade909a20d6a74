/*
 * Answers: status, headers and body of a request that is done.
 */
#pragma once

#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/request.h"
#include "base/buf.h"
#include "base/error.h"

/* A body of any type, compressed when that is asked for and worth it. Suspends. */
MUST_USE struct error *response_send_body(const struct request *request, int status,
                                          struct str content_type, struct str body);

/* An object in the form that was negotiated. Suspends. */
MUST_USE struct error *response_send_doc(const struct request *request,
                                         const struct response_format *format, int status,
                                         struct json_doc *doc);
MUST_USE struct error *response_send_text(const struct request *request,
                                          const struct response_format *format, int status,
                                          const struct object_text *text);

/* A Status, as the error says; takes the error. Suspends. */
MUST_USE struct error *response_send_error(const struct request *request, struct error *err);

/* Headers of a body that will be written piece by piece; they go out at once. */
MUST_USE struct error *response_begin_stream(const struct request *request,
                                             struct str content_type);
