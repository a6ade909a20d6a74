/*
 * Widgets, which are stored as v1 and served as v1 and v2, and their conversion webhook. What is
 * spec.size in v1 is spec.width in v2; both are texts. Objects that are renamed without being
 * converted lose it. The webhook says in the label "from" what it converted from.
 */
#pragma once

#include "apiserver/webhooks/webhook_fixture_test.h"

#define WIDGETS_V1 "/apis/example.com/v1/namespaces/default/widgets"
#define WIDGETS_V2 "/apis/example.com/v2/namespaces/default/widgets"

struct http_request;

/*
 * Creates the definition and waits until it is served. more is further members of the webhook, such
 * as 'conversionReviewVersions':['v1beta1'], and may be empty. Suspends.
 */
void conversion_fixture_define(struct webhook_fixture *fixture, const char *more);

/* Answers a ConversionReview well, or as fixture->fault says. */
MUST_USE struct error *conversion_fixture_serve(struct webhook_fixture *fixture,
                                                struct http_request *http);

/* A Widget as JSON with single quotes, in the fixture's arena. */
const char *conversion_fixture_widget(struct webhook_fixture *fixture, const char *version,
                                      const char *name, const char *value);
