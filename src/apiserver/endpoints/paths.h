/*
 * Everything that is served and is no resource: discovery, OpenAPI, health, version.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Answers; ERROR_NOT_FOUND with the text of a page for paths there are not. Suspends. */
MUST_USE struct error *paths_serve(struct request *request);

/* Whether anything is served in the request's group and version. */
bool paths_knows_version(const struct request *request);
