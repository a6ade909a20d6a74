/*
 * Redirects: whether an answer is one that is followed, and where it leads. Decisions without
 * effects.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "http/url.h"

#define REDIRECTS_MAX 10

/* Only what reads is sent elsewhere, and an answer that does not say where stays as it is. */
bool redirect_is_followed(struct str method, int status, struct str location);

/*
 * Where a location leads that the answer of a URL has in it; the text is in the arena. From https
 * nothing leads to http, and names of users are not taken from a server: ERROR_INTERNAL.
 */
MUST_USE struct error *redirect_read(struct arena *arena, const struct url *from,
                                     struct str location, struct url *ret_to);

/* The same server: what it may be shown, the other may be shown. */
bool redirect_is_same_server(const struct url *a, const struct url *b);
