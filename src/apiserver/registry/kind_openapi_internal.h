/*
 * Shared by the OpenAPI documents in JSON and in protobuf.
 */
#pragma once

#include <stddef.h>

#include "apiserver/registry/kind.h"
#include "base/buf.h"

/* A query parameter of every PATCH. */
struct kind_openapi_parameter {
    const char *name, *type;
};

extern const struct kind_openapi_parameter kind_openapi_parameters[4];

/* Adds the path of an object: "/apis/apps/v1/namespaces/{namespace}/deployments/{name}". */
void kind_openapi_path(struct buf *out, const struct kind *kind);

#define KIND_OPENAPI_TITLE   "Kubernetes"
#define KIND_OPENAPI_VERSION "v1.36.4"
