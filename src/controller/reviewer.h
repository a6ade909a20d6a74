/*
 * Who may read diagnostics: the bearer of a token is asked for with a TokenReview, what it may do
 * with a SubjectAccessReview. Answers are remembered for a while, in bounded memory and by the
 * token's hash.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct loop;
struct reviewer;

/* The client must be one that may always write, since reviews are created. */
struct reviewer *reviewer_new(struct loop *loop, struct client *client);
void reviewer_free(struct reviewer *reviewer);
DEFINE_OWNED(reviewer)

/*
 * Suspends. NULL when the bearer may do this (verb "get", path "/metrics"); ERROR_UNAUTHORIZED,
 * ERROR_FORBIDDEN, or whatever kept us from asking.
 */
MUST_USE struct error *reviewer_check(struct reviewer *reviewer, struct str token, struct str verb,
                                      struct str path);
