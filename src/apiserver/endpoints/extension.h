/*
 * What another module serves below the main API. The server authenticates a request and obeys its
 * Impersonate-* headers; path, authorization, limits and answer are the extension's.
 */
#pragma once

#include "apiserver/auth/auth.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct http_request;

struct extension_request {
    struct http_request *http;
    struct arena *arena;
    struct str target; /* path and query as they came */
    const struct user_info *user;
    const struct auth *auth; /* for authorize() */
};

/* A zeroed struct is no extension. */
struct extension {
    bool (*is_target)(struct str target);
    /* Sends the response; an error that a client can be told was sent before. May suspend. */
    struct error *(*serve)(void *data, const struct extension_request *request);
    void *data;
};
