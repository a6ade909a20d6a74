/* Responses: status, headers and body. */
#pragma once

#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/request.h"
#include "base/buf.h"
#include "base/error.h"

/* A body of any type, compressed when the client accepts it and it is worth it. Suspends. */
MUST_USE struct error *response_send_body(const struct request *request, int status,
                                          struct str content_type, struct str body);

/* The same with headers of the caller, to which those of the body are added. Suspends. */
MUST_USE struct error *response_send_with(const struct request *request, int status,
                                          struct http_headers *headers, struct str body);

/* An object in the negotiated format. Suspends. */
/* 201 with a Status of success, for what is done and not stored. */
MUST_USE struct error *response_send_created(const struct request *request);

MUST_USE struct error *response_send_doc(const struct request *request,
                                         const struct response_format *format, int status,
                                         struct json_doc *doc);
MUST_USE struct error *response_send_text(const struct request *request,
                                          const struct response_format *format, int status,
                                          const struct object_text *text);

/* A Status made from the error, which is taken. Suspends. */
MUST_USE struct error *response_send_error(const struct request *request, struct error *err);

/* Sends the headers of a body that will be written in pieces. */
MUST_USE struct error *response_begin_stream(const struct request *request,
                                             struct str content_type);
