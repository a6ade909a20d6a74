/* Requests for paths that are no resources: discovery, OpenAPI, health and version. */
#pragma once

#include <stdbool.h>

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Sends the response. ERROR_NO_SUCH_PATH for paths that are not served. Suspends. */
MUST_USE struct error *handle_nonresource(struct request *request);

/* Whether any kind is served in the request's group and version. */
bool handle_nonresource_has_version(const struct request *request);
