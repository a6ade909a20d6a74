/*
 * AdmissionReview of admission.k8s.io, v1 and v1beta1: the question that a webhook is asked, and
 * its answer.
 *
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apiserver/auth/auth.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

struct admission_review {
    struct str version; /* "v1" or "v1beta1" */
    struct str uid;
    struct gvk kind, request_kind; /* as the webhook wants it; as the client sent it */
    struct gvr resource, request_resource;
    struct str subresource, name, namespace, operation;
    const struct user_info *user;
    const struct json_value *object, *old_object; /* NULL: none */
    const struct json_value *options;
    bool dry_run;
};

/* Appends the review as JSON. */
MUST_USE struct error *admission_review_write(const struct admission_review *review,
                                              struct buf *out);

struct admission_answer {
    struct json_doc *doc; /* that the rest is in */
    bool allowed;
    const struct json_value *status;   /* of a denial; may be NULL */
    const struct json_value *warnings; /* texts; may be NULL */
    struct buf patch;                  /* empty for none */
    struct str patch_type;             /* of a mutating webhook; "JSONPatch" can be applied */
};

void admission_answer_done(struct admission_answer *answer);

/*
 * Reads an answer to the review into a zeroed struct, which is to be done in any case. An answer
 * that a webhook must not give is ERROR_PROTOCOL, in the words of kube-apiserver. May run on a
 * worker thread.
 */
MUST_USE struct error *admission_answer_read(struct str text, const struct admission_review *review,
                                             bool is_mutating, struct admission_answer *answer);

/* The Status of a request that the webhook denied. */
MUST_USE struct error *admission_answer_denial(const struct admission_answer *answer,
                                               struct str webhook);
