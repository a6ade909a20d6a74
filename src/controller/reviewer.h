/*
 * Delegated authentication and authorization for the diagnostics server: a TokenReview finds the
 * user of a bearer token, a SubjectAccessReview decides what this user may do. Decisions are cached
 * for a short time, in bounded memory, under the hash of the token.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct http_request;
struct json_value;
struct loop;
struct object;
struct reviewer;

/* The client must not have may_write set, since a review is a POST. */
struct reviewer *reviewer_new(struct loop *loop, struct client *client);
void reviewer_free(struct reviewer *reviewer);
DEFINE_OWNED(reviewer)

/* The token that a request shows; empty if it shows none. */
struct str reviewer_bearer_token(const struct http_request *request);

/*
 * Finds the user of a token: *ret_review is the TokenReview, with the user in status.user. Fails
 * with ERROR_UNAUTHORIZED, or with the error of the review. Nothing is cached. Suspends.
 */
MUST_USE struct error *reviewer_identify(struct reviewer *reviewer, struct str token,
                                         struct object **ret_review);

/*
 * Succeeds if the user of a TokenReview may list a resource in a namespace; empty: in all of them.
 * Fails with ERROR_FORBIDDEN, or with the error of the review. Nothing is cached. Suspends.
 */
MUST_USE struct error *reviewer_may_list(struct reviewer *reviewer, const struct json_value *user,
                                         struct str group, struct str resource,
                                         struct str namespace);

/*
 * Succeeds if the bearer of the token may do this, for instance verb "get", path "/metrics". Fails
 * with ERROR_UNAUTHORIZED, with ERROR_FORBIDDEN, or with the error of the review. Suspends.
 */
MUST_USE struct error *reviewer_check(struct reviewer *reviewer, struct str token, struct str verb,
                                      struct str path);
