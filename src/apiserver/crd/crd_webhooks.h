/*
 * What a custom kind does beyond its schema, in place of the webhooks it has on other servers.
 *
 * A table of these is given to the API server; rows are found by group and kind of a definition,
 * and count where the definition leaves something to others: see crd_compile(). They live as
 * long as what is compiled with them.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/field_error.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

/* Any of the functions may be NULL. */
struct crd_webhooks {
    struct str group, kind;
    struct str version; /* in which default_ and validate see objects */

    /* Before validation, on create and update; the same document when nothing changes. */
    struct error *(*default_)(struct json_doc *doc, struct json_doc **ret_doc);

    /*
     * The validating webhook: adds all errors of an object, or of a change of one; old is NULL on
     * create. Not called for subresources. Messages name the webhook as it is named here.
     */
    void (*validate)(const struct json_value *old, const struct json_value *object,
                     struct field_errors *errors);
    struct str validating_webhook;

    /* Between two served versions. */
    struct error *(*convert)(struct json_doc *doc, struct str to_version,
                             struct json_doc **ret_doc);
};

struct crd_webhooks_table {
    const struct crd_webhooks *items;
    size_t count;
};

/* The row of a definition's kind; NULL when there is none. */
const struct crd_webhooks *crd_webhooks_find(struct crd_webhooks_table table,
                                             const struct json_value *definition);
