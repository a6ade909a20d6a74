/*
 * What the OpenAPI documents of both forms are made of.
 */
#pragma once

#include <stddef.h>

#include "apiserver/registry/kind.h"
#include "base/buf.h"

/* A parameter that every PATCH takes in its query. */
struct kind_openapi_parameter {
    const char *name, *type;
};

extern const struct kind_openapi_parameter kind_openapi_parameters[4];

/* The object's place: "/apis/apps/v1/namespaces/{namespace}/deployments/{name}". */
void kind_openapi_path(struct buf *out, const struct kind *kind);

#define KIND_OPENAPI_TITLE   "Kubernetes"
#define KIND_OPENAPI_VERSION "v1.36.4"
