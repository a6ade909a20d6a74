/*
 * Webhooks of a custom kind, and the rules of its schema, compiled into the server.
 *
 * On other servers a kind's defaulting, validating and conversion webhooks run elsewhere and are
 * called over HTTPS. For some kinds this server is given a table of these rows instead; admission
 * webhooks that are configured are called besides (webhooks/), and so is the conversion webhook of
 * a kind whose row has no convert(). A row is found by group and kind of a definition, and
 * crd_compile() says when it is used. Rows live as long as every crd that was compiled with them.
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
    struct str version; /* of the objects that default_, validate and check_rules are given */

    /* The mutating webhook: fills in defaults before validation, on create and update. Returns the
     * same document, with one more reference, when nothing changes. */
    struct error *(*default_)(struct json_doc *doc, struct json_doc **ret_doc);

    /*
     * The validating webhook: adds all errors of an object, or of a change of one; old is NULL on
     * create. Not called for subresources. Messages name the webhook as it is named here.
     */
    void (*validate)(const struct json_value *old, const struct json_value *object,
                     struct field_errors *errors);
    struct str validating_webhook;

    /*
     * The rules of the schema (x-kubernetes-validations), which are CEL on other servers: adds what
     * they find wrong with an object that the schema accepts. They look at one object alone. Not
     * called for subresources.
     */
    void (*check_rules)(const struct json_value *object, struct field_errors *errors);

    /* The conversion webhook, between any two served versions. */
    struct error *(*convert)(struct json_doc *doc, struct str to_version,
                             struct json_doc **ret_doc);
};

struct crd_webhooks_table {
    const struct crd_webhooks *items;
    size_t count;
};

/* The row for the kind of a definition; NULL when there is none. */
const struct crd_webhooks *crd_webhooks_find(struct crd_webhooks_table table,
                                             const struct json_value *definition);
