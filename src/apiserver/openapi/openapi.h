/*
 * The OpenAPI documents of an API, versions 2 and 3: the paths of its kinds and the schemas of
 * their objects.
 *
 * A document is made from the table of built-in kinds, the types of these kinds (../types) and the
 * texts of CustomResourceDefinitions. Everything is written again when a definition changes;
 * ../openapi_cache.h keeps what was written. The functions take no reference and may run on a
 * worker thread.
 *
 * Descriptions are those of the definitions. Built-in types have none, except for a few members of
 * metadata. Upstream: k8s.io/kube-openapi, and pkg/controller/openapi of
 * k8s.io/apiextensions-apiserver for custom resources.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apiserver/registry/kind_discovery.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"

enum openapi_form {
    OPENAPI_2,
    OPENAPI_3,
};

/* A CustomResourceDefinition as it is stored. */
struct openapi_definition {
    struct str json;
    uint8_t digest[SHA256_LEN]; /* of its spec; openapi_write() sets it */
};

/* What a document is about. */
struct openapi_source {
    enum openapi_form form;
    struct kind_list builtin;         /* built-in kinds of the document */
    struct str group, version;        /* of all kinds of a document in version 3 */
    struct openapi_definition *items; /* definitions whose served versions are shown */
    size_t count;
};

/* Writes a document as JSON. Definitions are read one after the other. */
MUST_USE struct error *openapi_write(const struct openapi_source *source, struct buf *out);

/* The same document in version 2 as protobuf, with paths alone; older versions of kubectl read it.
 */
void openapi_write_protobuf(struct kind_list kinds, struct buf *out);

/* The path of a group and version without the leading slash: "api/v1" or "apis/apps/v1". */
void openapi_add_root(struct buf *out, struct str group, struct str version);
