/*
 * Admission by webhooks: who is asked about a write, in which order, and what becomes of it.
 *
 *     webhook_admission_mutate()    one webhook after the other; each sees what those before it
 *                                   made of the object
 *     webhook_admission_validate()  several at a time, about the object as it would be stored
 *
 * Both suspend, for as long as webhooks take and the request's deadline allows. Neither may be
 * called inside of a change of the store. Errors are those of kube-apiserver.
 *
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/registry/kind.h"
#include "apiserver/webhooks/webhook_configurations.h"
#include "base/error.h"
#include "json/json.h"

struct request;

/* A write as webhooks are asked about it. */
struct webhook_admission {
    struct request *request;
    const struct kind *kind;        /* of the resource */
    const struct kind *object_kind; /* of the objects below: the same, or Scale */
    struct str operation;           /* "CREATE", "UPDATE" or "DELETE" */
    struct str name;                /* empty: not known yet */
    bool dry_run;
    const struct json_value *options; /* CreateOptions and so on */
    const struct json_value *old;     /* NULL on create */
};

/*
 * Whether a webhook may be asked about the request: there are webhooks, and they may be asked about
 * the resource. False costs nothing.
 */
bool webhook_admission_is_needed(const struct request *request);

/* object is NULL on delete. The result is decoded, pruned and has its defaults. Suspends. */
MUST_USE struct error *webhook_admission_mutate(const struct webhook_admission *admission,
                                                struct json_doc *object,
                                                struct json_doc **ret_object);

/* object is NULL on delete. Suspends. */
MUST_USE struct error *webhook_admission_validate(const struct webhook_admission *admission,
                                                  const struct json_value *object);
