/*
 * Approvals of people: tokens in the annotation corset.dev/approve of a set, with commas between
 * them. A token is good for one occasion: a wave of a revision ("9f2c01aa77de/production"), or what
 * prune holds back ("prune/5b1e…"). Pure.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/str.h"

#define APPROVAL_ANNOTATION "corset.dev/approve"

/* Whether the text of the annotation has the token. An empty token is never approved. */
bool approval_has(struct str tokens, struct str token);

/* The same for the annotation of a set. */
bool approval_is_given(const struct object *set, struct str token);
