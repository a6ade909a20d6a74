/* Content negotiation: in which format a client wants the response, from its Accept header. */
#pragma once

#include <stdbool.h>

#include "apiserver/endpoints/request.h"
#include "base/error.h"

enum response_form {
    FORM_OBJECT,
    FORM_TABLE,
    FORM_METADATA,
};

enum include_object {
    INCLUDE_METADATA,
    INCLUDE_NONE,
    INCLUDE_OBJECT,
};

struct response_format {
    enum response_form form;
    bool is_yaml;
    bool metadata_list;       /* PartialObjectMetadataList was requested */
    bool is_misfit;           /* ... of a single object, or the other way round */
    struct str table_version; /* "v1" or "v1beta1" */
    enum include_object include;
};

/*
 * The first format of the header that the server has. ERROR_NOT_ACCEPTABLE when there is none; for
 * a list or a watch the message names the streaming formats, too.
 */
MUST_USE struct error *negotiate(const struct request *request, struct response_format *ret_format);

/*
 * The form fits a list and not a single object, or the other way round: ERROR_NOT_ACCEPTABLE. As
 * kube-apiserver does, it is looked at when all is done and the answer is to be written.
 */
MUST_USE struct error *negotiate_check(const struct request *request,
                                       const struct response_format *format);

/* Whether aggregated discovery is preferred to the plain documents. */
bool negotiate_wants_aggregated(struct str accept);
