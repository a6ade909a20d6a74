/* Requests for OpenAPI documents: /openapi/v2, /openapi/v3 and /openapi/v3/<group and version>. */
#pragma once

#include "apiserver/endpoints/request.h"
#include "apiserver/registry/kind_discovery.h"
#include "base/error.h"

/* The path begins with "/openapi/". ERROR_NO_SUCH_PATH for what is not served. Suspends. */
MUST_USE struct error *handle_openapi(struct request *request, struct kind_list kinds,
                                      struct str path);
