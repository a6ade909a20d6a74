/*
 * Who may use clusters, asked of the management cluster: a SubjectAccessReview for each question,
 * whose answer is remembered for ten seconds if it is yes and for one second if it is no. At most
 * 10,000 answers are remembered, as hashes of what was asked.
 */
#pragma once

#include "base/owned.h"
#include "fleet/fleet.h"

struct access_reviews;
struct client;
struct loop;

/* The client must not have may_write set, since a review is a POST. */
struct access_reviews *access_reviews_new(struct loop *loop, struct client *client);
void access_reviews_free(struct access_reviews *reviews);
DEFINE_OWNED(access_reviews)

/* For struct fleet_authorizer; data is the access_reviews. Suspends. */
MUST_USE struct error *access_reviews_decide(void *data, const struct rest_impersonation *user,
                                             const struct fleet_attributes *attributes,
                                             bool *ret_allowed);
