/*
 * Conversion by webhook: what a request knows of it.
 *
 * Nothing in this folder suspends, and a webhook has to be waited for. A request that can wait
 * therefore has a struct crd_conversions, with the answers of the webhook. Conversion looks an
 * object up there. If there is no answer, conversion becomes a question and fails. The request asks
 * the webhook (webhooks/webhook_conversion.h) and does the same again.
 *
 *     kind = crd_conversions_view(&conversions, arena, kind);
 *     err = kind->ops->present(kind, doc, &shown);
 *     if (conversions.count) ...                 ask, crd_conversions_put(), and present again
 *
 * A kind without conversions, as crd_kind() returns it, leaves objects in the version in which they
 * are stored, when they are read and when they are written. That is for the garbage collector and
 * the like, which need metadata alone and never wait for a webhook.
 */
#pragma once

#include "apiserver/registry/kind.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sha256.h"
#include "json/json.h"

struct crd_question {
    struct gvk to;           /* lives as long as the crd */
    struct json_doc *object; /* without its resourceVersion, which no webhook sees */
    uint8_t key[SHA256_LEN];
};

/* Used by one fiber at a time, or by the worker thread that it waits for. Zero is empty. */
struct crd_conversions {
    struct map answers; /* key -> struct json_doc */
    struct crd_question *questions;
    size_t count, capacity; /* of the questions */
};

void crd_conversions_done(struct crd_conversions *conversions);

/* Forgets answers and questions. */
void crd_conversions_clear(struct crd_conversions *conversions);

/*
 * What the webhook made of the object of a question. The document is taken. It must have been
 * checked: see conversion_review.h.
 */
void crd_conversions_put(struct crd_conversions *conversions, const struct crd_question *question,
                         struct json_doc *converted);

/* The client configuration and the versions of reviews; NULL when the kind has no such webhook. */
const struct json_value *crd_conversion_webhook(const struct kind *kind);

/*
 * The kind as a request with these conversions sees it, with all of its versions. The arena must
 * not outlive the crd.
 */
const struct kind *crd_conversions_view(struct crd_conversions *conversions, struct arena *arena,
                                        const struct kind *kind);

/* The conversions of a view; NULL for every other kind, built-in ones included. */
struct crd_conversions *crd_conversions_of(const struct kind *kind);

/* Whether objects stay in the version in which they are stored: see above. */
bool crd_keeps_version(const struct kind *kind);
