/*
 * ConversionReview of apiextensions.k8s.io, v1 and v1beta1: the question that a conversion webhook
 * is asked, and its answer.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion.
 */
#pragma once

#include "apiserver/crd/crd_conversion.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

struct conversion_review {
    struct str version; /* "v1" or "v1beta1" */
    struct str uid;
    struct gvk to;
    const struct crd_question *questions; /* all of them to the same version */
    size_t count;                         /* at least one */
};

/* The first version that both sides know; ERROR_UNKNOWN when there is none. */
MUST_USE struct error *conversion_review_version(const struct json_value *webhook,
                                                 struct str *ret_version);

/* Appends the review as JSON. May run on a worker thread, as all of this. */
MUST_USE struct error *conversion_review_write(const struct conversion_review *review,
                                               struct buf *out);

/*
 * Reads the answer, and checks each object against its question. converted has room for one
 * document per question. All of them are set on success, none otherwise. The error is the whole
 * message of kube-apiserver, see conversion_review_failure().
 */
MUST_USE struct error *conversion_review_read(const struct conversion_review *review,
                                              struct str text, struct json_doc **converted);

/* 500, "conversion webhook for apps.io/v1, Kind=App failed: why". */
MUST_USE struct error *conversion_review_failure(const struct conversion_review *review,
                                                 const char *why);
