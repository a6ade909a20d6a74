/*
 * In which form a client wants its answer: the Accept header, read once.
 */
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
    bool metadata_list;       /* PartialObjectMetadataList was asked for, not the single form */
    struct str table_version; /* "v1" or "v1beta1" */
    enum include_object include;
};

/*
 * The first form of the header that can be given. ERROR_NOT_ACCEPTABLE when there is none; for a
 * list or a watch it names the streaming forms too.
 */
MUST_USE struct error *negotiate(const struct request *request, struct response_format *ret_format);

/* Whether aggregated discovery is asked for before anything plain. */
bool negotiate_wants_aggregated(struct str accept);
