/*
 * Redirects: which responses are followed, and to which URL. Pure functions.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "http/url.h"

#define REDIRECTS_MAX 10

/* True for a 301, 302, 303, 307 or 308 with a location, as the answer to a GET or HEAD. */
bool redirect_is_followed(struct str method, int status, struct str location);

/*
 * Resolves a location against the URL of the request (RFC 3986, section 5.2). Texts live in the
 * arena. ERROR_INTERNAL for a location that leads to another host or from https to http, or
 * contains user information.
 */
MUST_USE struct error *redirect_read(struct arena *arena, const struct url *from,
                                     struct str location, struct url *ret_to);

/* Same scheme, host and port. Credentials for one server may then be sent to the other. */
bool redirect_is_same_server(const struct url *a, const struct url *b);
