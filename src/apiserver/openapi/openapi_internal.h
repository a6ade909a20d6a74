/*
 * Shared by the parts of a document: paths, schemas of built-in types, schemas of custom resources.
 */
#pragma once

#include "apiserver/openapi/openapi.h"
#include "apiserver/types/go_types.h"
#include "base/arena.h"
#include "base/map.h"
#include "json/builder.h"

#define OPENAPI_TITLE   "Kubernetes"
#define OPENAPI_VERSION "v1.36.4"

/* The name of a built-in type in documents is "<package>.<name of the type>". */
struct openapi_name {
    const char *package;
    struct gvk gvk; /* of a type that is a kind; otherwise empty */
};

/* A document that is being written. */
struct openapi_writer {
    struct json_builder builder;
    enum openapi_form form;
    struct arena arena;
    struct map names;             /* struct openapi_name by the address of a type */
    struct map seen;              /* the types below, by address */
    const struct go_type **types; /* types that the document refers to */
    size_t type_count, type_capacity;
};

void openapi_writer_init(struct openapi_writer *writer, enum openapi_form form);
void openapi_writer_done(struct openapi_writer *writer);

/* Types of meta/v1 that no table of ../types has. */
extern const struct go_type openapi_list_meta, openapi_status, openapi_patch;

/* Adds the member "$ref" with a reference to a schema by its name, or to the schema of a type. */
void openapi_ref_name(struct openapi_writer *writer, struct str name);
void openapi_ref_type(struct openapi_writer *writer, const struct go_type *type);

/* Adds the members apiVersion, kind and metadata that every object has. */
void openapi_add_object_members(struct openapi_writer *writer);

/* Adds x-kubernetes-group-version-kind as schemas have it. */
void openapi_add_schema_gvk(struct openapi_writer *writer, struct gvk gvk);

/* The name of a kind's schema, in the writer's arena; with STR("List") that of its list. */
struct str openapi_kind_name(struct openapi_writer *writer, const struct kind *kind,
                             struct str list_kind);

/* Adds the schema of the list of a kind as a member of the open object. */
void openapi_add_list(struct openapi_writer *writer, const struct kind *kind);

/* Whether objects of a type, which is given by its full name, must have a member. */
bool openapi_is_required(struct str type, const struct go_field *field);

/* Adds all schemas that were referred to, and those that they refer to. */
void openapi_add_types(struct openapi_writer *writer);

/* Adds the paths of a kind as members of the open object. */
void openapi_add_paths(struct openapi_writer *writer, const struct kind *kind);

/* Adds the path of an object: "/apis/apps/v1/namespaces/{namespace}/deployments/{name}". */
void openapi_item_path(struct buf *out, const struct kind *kind);

/* A query parameter. */
struct openapi_parameter {
    const char *name, *type;
};

/* Those of every PATCH. */
extern const struct openapi_parameter openapi_patch_parameters[4];

/*
 * The kind of a version of a definition, as far as documents need it. It borrows the definition.
 * False when the definition does not serve the version.
 */
bool openapi_custom_kind(const struct json_value *spec, const struct json_value *version,
                         struct kind *ret_kind);

/* Adds the schema of a version of a definition as a member of the open object. */
void openapi_add_custom(struct openapi_writer *writer, const struct kind *kind,
                        const struct json_value *version);
