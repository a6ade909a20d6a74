/*
 * Paths of a kind: of its objects in all namespaces, in one, of one object, and of its
 * subresources.
 *
 * A path has one operation per method (struct operation). What an operation takes and answers
 * follows from its action. kubectl reads three things here: the group, version and kind of a
 * resource, whether a PATCH has the parameter fieldValidation, and whether it takes strategic merge
 * patches.
 */
#include <string.h>

#include "apiserver/openapi/openapi_internal.h"
#include "base/ascii.h"

static const struct openapi_parameter list_parameters[] = {
    {"allowWatchBookmarks",  "boolean"},
    {"continue",             "string" },
    {"fieldSelector",        "string" },
    {"labelSelector",        "string" },
    {"limit",                "integer"},
    {"resourceVersion",      "string" },
    {"resourceVersionMatch", "string" },
    {"sendInitialEvents",    "boolean"},
    {"timeoutSeconds",       "integer"},
    {"watch",                "boolean"},
};

static const struct openapi_parameter delete_collection_parameters[] = {
    {"continue",                                         "string" },
    {"dryRun",                                           "string" },
    {"fieldSelector",                                    "string" },
    {"gracePeriodSeconds",                               "integer"},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
    {"labelSelector",                                    "string" },
    {"limit",                                            "integer"},
    {"orphanDependents",                                 "boolean"},
    {"propagationPolicy",                                "string" },
    {"resourceVersion",                                  "string" },
    {"resourceVersionMatch",                             "string" },
    {"sendInitialEvents",                                "boolean"},
    {"timeoutSeconds",                                   "integer"},
};

static const struct openapi_parameter delete_parameters[] = {
    {"dryRun",                                           "string" },
    {"gracePeriodSeconds",                               "integer"},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
    {"orphanDependents",                                 "boolean"},
    {"propagationPolicy",                                "string" },
};

/* Without the last one those of other writes. */
const struct openapi_parameter openapi_patch_parameters[] = {
    {"dryRun",          "string" },
    {"fieldManager",    "string" },
    {"fieldValidation", "string" },
    {"force",           "boolean"},
};

enum body {
    BODY_NONE,
    BODY_OBJECT,
    BODY_PATCH,
    BODY_DELETE,
};

/* A method of a path. The verb is the first word of its operationId. */
static const struct operation {
    enum kind_verbs kind_verb;
    const char *method, *verb, *action;
    enum body body;
    const struct openapi_parameter *parameters;
    size_t parameter_count;
    const char *answers[3]; /* besides 401 */
} operations[] = {
    {KIND_LIST,             "get", "list",    "list", BODY_NONE,   list_parameters, COUNT(list_parameters),              {"200"}},
    {KIND_CREATE,
     "post",                       "create",
     "post",                                          BODY_OBJECT,
     openapi_patch_parameters,                                                      3,
     {"200", "201", "202"}                                                                                                      },
    {KIND_DELETECOLLECTION,
     "delete",                     "delete",
     "deletecollection",                              BODY_DELETE,
     delete_collection_parameters,                                                  COUNT(delete_collection_parameters),
     {"200"}                                                                                                                    },
    {KIND_GET,              "get", "read",    "get",  BODY_NONE,   NULL,            0,                                   {"200"}},
    {KIND_UPDATE,
     "put",                        "replace",
     "put",                                           BODY_OBJECT,
     openapi_patch_parameters,                                                      3,
     {"200", "201"}                                                                                                             },
    {KIND_DELETE,
     "delete",                     "delete",
     "delete",                                        BODY_DELETE,
     delete_parameters,                                                             COUNT(delete_parameters),
     {"200", "202"}                                                                                                             },
    {KIND_PATCH,
     "patch",                      "patch",
     "patch",                                         BODY_PATCH,
     openapi_patch_parameters,                                                      4,
     {"200", "201"}                                                                                                             },
};

/* What a path is about. */
struct place {
    const struct kind *kind;
    const struct kind_subresource *subresource; /* NULL for the whole object */
    bool in_all_namespaces;
};

void openapi_add_root(struct buf *out, struct str group, struct str version)
{
    if (str_is_empty(group))
        BUF_ADD_ALL(out, STR("api/"), version);
    else
        BUF_ADD_ALL(out, STR("apis/"), group, STR("/"), version);
}

static void add_collection_path(struct buf *out, const struct kind *kind, bool in_all_namespaces)
{
    buf_add_char(out, '/');
    openapi_add_root(out, kind->gvk.group, kind->gvk.version);
    if (kind->namespaced && !in_all_namespaces)
        buf_add(out, STR("/namespaces/{namespace}"));
    BUF_ADD_ALL(out, STR("/"), kind->plural);
}

void openapi_item_path(struct buf *out, const struct kind *kind)
{
    add_collection_path(out, kind, false);
    buf_add(out, STR("/{name}"));
}

/* Version 3 has the type of a parameter in a schema, version 2 beside its name. */
static void add_parameter(struct openapi_writer *writer, const char *name, const char *in,
                          const char *type)
{
    struct json_builder *builder = &writer->builder;
    json_builder_object(builder);
    json_builder_add_str(builder, "name", str_from_c(name));
    json_builder_add_str(builder, "in", str_from_c(in));
    if (strcmp(in, "path") == 0)
        json_builder_add_bool(builder, "required", true);
    if (writer->form == OPENAPI_3)
        json_builder_add_object(builder, "schema");
    json_builder_add_str(builder, "type", str_from_c(type));
    json_builder_add_bool(builder, "uniqueItems", true);
    if (writer->form == OPENAPI_3)
        json_builder_end(builder);
    json_builder_end(builder);
}

/* "rbac.authorization.k8s.io" is "rbacAuthorization", the core group is "core". */
static void add_group_word(struct buf *out, struct str group)
{
    bool is_first = false;
    if (str_ends_with(group, STR(".k8s.io")))
        group.len -= sizeof(".k8s.io") - 1;
    if (str_is_empty(group))
        group = STR("core");
    for (size_t i = 0; i < group.len; i++) {
        if (group.ptr[i] == '.' || group.ptr[i] == '-')
            is_first = true;
        else
            buf_add_char(out, is_first ? ascii_to_upper(group.ptr[i]) : group.ptr[i]);
        if (group.ptr[i] != '.' && group.ptr[i] != '-')
            is_first = false;
    }
}

/* Adds a word with a capital letter. */
static void add_title(struct buf *out, struct str word)
{
    if (word.len)
        buf_add_char(out, ascii_to_upper(word.ptr[0]));
    if (word.len > 1)
        buf_add(out, str_skip(word, 1));
}

/* "listCoreV1NamespacedPod", "replaceAppsV1NamespacedDeploymentStatus". */
static void add_operation_id(struct openapi_writer *writer, const struct place *place,
                             const struct operation *operation)
{
    SCOPED(buf) id = {.limit = 0};
    SCOPED(buf) group = {.limit = 0};
    const struct kind *kind = place->kind;
    buf_add(&id, str_from_c(operation->verb));
    add_group_word(&group, kind->gvk.group);
    add_title(&id, buf_str(&group));
    add_title(&id, kind->gvk.version);
    if (operation->kind_verb == KIND_DELETECOLLECTION)
        buf_add(&id, STR("Collection"));
    if (kind->namespaced && !place->in_all_namespaces)
        buf_add(&id, STR("Namespaced"));
    buf_add(&id, kind->gvk.kind);
    if (place->subresource)
        add_title(&id, str_from_c(place->subresource->name));
    if (place->in_all_namespaces)
        buf_add(&id, STR("ForAllNamespaces"));
    json_builder_add_str(&writer->builder, "operationId", buf_str(&id));
}

static void add_tags(struct openapi_writer *writer, const struct kind *kind)
{
    SCOPED(buf) tag = {.limit = 0};
    add_group_word(&tag, kind->gvk.group);
    BUF_ADD_ALL(&tag, STR("_"), kind->gvk.version);
    json_builder_add_array(&writer->builder, "tags");
    json_builder_str(&writer->builder, buf_str(&tag));
    json_builder_end(&writer->builder);
}

/* Adds the schema of the objects that go in and out of a path. */
static void add_object_schema(struct openapi_writer *writer, const struct place *place)
{
    const struct gvk gvk = place->subresource ? place->subresource->gvk : place->kind->gvk;
    const struct go_type *type = go_type_find(gvk);
    json_builder_add_object(&writer->builder, "schema");
    if (place->kind->type && !type)
        openapi_ref_type(writer, place->kind->type);
    else if (type)
        openapi_ref_type(writer, type);
    else
        openapi_ref_name(writer, openapi_kind_name(writer, place->kind, STR("")));
    json_builder_end(&writer->builder);
}

static void add_type_schema(struct openapi_writer *writer, const struct go_type *type)
{
    json_builder_add_object(&writer->builder, "schema");
    openapi_ref_type(writer, type);
    json_builder_end(&writer->builder);
}

static void add_body_schema(struct openapi_writer *writer, const struct place *place,
                            enum body body)
{
    if (body == BODY_PATCH)
        add_type_schema(writer, &openapi_patch);
    else if (body == BODY_DELETE)
        add_type_schema(writer, &type_delete_options);
    else
        add_object_schema(writer, place);
}

static void add_answer_schema(struct openapi_writer *writer, const struct place *place,
                              const struct operation *operation)
{
    const bool is_delete =
        operation->kind_verb == KIND_DELETECOLLECTION || operation->kind_verb == KIND_DELETE;
    if (operation->kind_verb == KIND_LIST) {
        json_builder_add_object(&writer->builder, "schema");
        openapi_ref_name(writer, openapi_kind_name(writer, place->kind, place->kind->list_kind));
        json_builder_end(&writer->builder);
    } else if (is_delete &&
               !(place->kind->delete_returns_object && operation->kind_verb == KIND_DELETE)) {
        add_type_schema(writer, &openapi_status);
    } else {
        add_object_schema(writer, place);
    }
}

/* The media types of a body: of patches, of other bodies, of answers. */
struct media_types {
    const char *items[4];
};

static const struct media_types answer_types = {
    {"application/json", "application/yaml"}
};
static const struct media_types list_types = {
    {"application/json", "application/yaml", "application/json;stream=watch"}
};
static const struct media_types any_types = {{"*/*"}};
static const struct media_types patch_types = {
    {"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml",
     "application/strategic-merge-patch+json"}
};
static const struct media_types custom_patch_types = {
    {"application/json-patch+json", "application/merge-patch+json",
     "application/apply-patch+yaml"}
};

static const struct media_types *body_types(const struct kind *kind, enum body body)
{
    if (body == BODY_PATCH)
        return kind->type ? &patch_types : &custom_patch_types;
    return kind->type ? &any_types : &answer_types;
}

static void add_media_list(struct json_builder *builder, const char *key,
                           const struct media_types *types)
{
    json_builder_add_array(builder, key);
    for (size_t i = 0; i < COUNT(types->items) && types->items[i]; i++)
        json_builder_str(builder, str_from_c(types->items[i]));
    json_builder_end(builder);
}

/* Adds the body of a request as version 3 has it. */
static void add_request_body(struct openapi_writer *writer, const struct place *place,
                             enum body body)
{
    struct json_builder *builder = &writer->builder;
    const struct media_types *types = body_types(place->kind, body);
    json_builder_add_object(builder, "requestBody");
    json_builder_add_object(builder, "content");
    for (size_t i = 0; i < COUNT(types->items) && types->items[i]; i++) {
        json_builder_add_object(builder, types->items[i]);
        add_body_schema(writer, place, body);
        json_builder_end(builder);
    }
    json_builder_end(builder);
    if (body != BODY_DELETE)
        json_builder_add_bool(builder, "required", true);
    json_builder_end(builder);
}

/* In version 2 the body is one of the parameters. */
static void add_parameters(struct openapi_writer *writer, const struct place *place,
                           const struct operation *operation)
{
    struct json_builder *builder = &writer->builder;
    const bool has_body = writer->form == OPENAPI_2 && operation->body != BODY_NONE;
    if (!has_body && operation->parameter_count == 0)
        return;
    json_builder_add_array(builder, "parameters");
    if (has_body) {
        json_builder_object(builder);
        json_builder_add_str(builder, "name", STR("body"));
        json_builder_add_str(builder, "in", STR("body"));
        if (operation->body != BODY_DELETE)
            json_builder_add_bool(builder, "required", true);
        add_body_schema(writer, place, operation->body);
        json_builder_end(builder);
    }
    for (size_t i = 0; i < operation->parameter_count; i++)
        add_parameter(writer, operation->parameters[i].name, "query",
                      operation->parameters[i].type);
    json_builder_end(builder);
}

static struct str answer_word(const char *code)
{
    return strcmp(code, "200") == 0   ? STR("OK")
           : strcmp(code, "201") == 0 ? STR("Created")
           : strcmp(code, "202") == 0 ? STR("Accepted")
                                      : STR("Unauthorized");
}

static void add_answer(struct openapi_writer *writer, const struct place *place,
                       const struct operation *operation, const char *code)
{
    struct json_builder *builder = &writer->builder;
    const struct media_types *types =
        operation->kind_verb == KIND_LIST ? &list_types : &answer_types;
    json_builder_add_object(builder, code);
    json_builder_add_str(builder, "description", answer_word(code));
    if (writer->form == OPENAPI_2) {
        add_answer_schema(writer, place, operation);
    } else {
        json_builder_add_object(builder, "content");
        for (size_t i = 0; i < COUNT(types->items) && types->items[i]; i++) {
            json_builder_add_object(builder, types->items[i]);
            add_answer_schema(writer, place, operation);
            json_builder_end(builder);
        }
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static void add_answers(struct openapi_writer *writer, const struct place *place,
                        const struct operation *operation)
{
    struct json_builder *builder = &writer->builder;
    json_builder_add_object(builder, "responses");
    for (size_t i = 0; i < COUNT(operation->answers) && operation->answers[i]; i++)
        add_answer(writer, place, operation, operation->answers[i]);
    json_builder_add_object(builder, "401");
    json_builder_add_str(builder, "description", answer_word("401"));
    json_builder_end(builder);
    json_builder_end(builder);
}

/* Adds x-kubernetes-group-version-kind as operations have it. */
static void add_gvk(struct json_builder *builder, const struct place *place)
{
    const bool is_other = place->subresource && place->subresource->gvk.kind.len &&
                          place->kind->type; /* upstream names a custom resource itself */
    const struct gvk gvk = is_other ? place->subresource->gvk : place->kind->gvk;
    json_builder_add_object(builder, "x-kubernetes-group-version-kind");
    json_builder_add_str(builder, "group", gvk.group);
    json_builder_add_str(builder, "version", gvk.version);
    json_builder_add_str(builder, "kind", gvk.kind);
    json_builder_end(builder);
}

static void add_operation(struct openapi_writer *writer, const struct place *place,
                          const struct operation *operation)
{
    struct json_builder *builder = &writer->builder;
    json_builder_add_object(builder, operation->method);
    add_tags(writer, place->kind);
    add_operation_id(writer, place, operation);
    if (writer->form == OPENAPI_2) {
        add_media_list(builder, "consumes", body_types(place->kind, operation->body));
        add_media_list(builder, "produces",
                       operation->kind_verb == KIND_LIST ? &list_types : &answer_types);
        json_builder_add_array(builder, "schemes");
        json_builder_str(builder, STR("https"));
        json_builder_end(builder);
    }
    add_parameters(writer, place, operation);
    if (writer->form == OPENAPI_3 && operation->body != BODY_NONE)
        add_request_body(writer, place, operation->body);
    add_answers(writer, place, operation);
    json_builder_add_str(builder, "x-kubernetes-action", str_from_c(operation->action));
    add_gvk(builder, place);
    json_builder_end(builder);
}

/* Adds a path with the operations whose verbs are given. None: the path is left out. */
static void add_path(struct openapi_writer *writer, struct str path, const struct place *place,
                     unsigned verbs)
{
    struct json_builder *builder = &writer->builder;
    if (!verbs)
        return;
    json_builder_key(builder, path);
    json_builder_object(builder);
    for (size_t i = 0; i < COUNT(operations); i++)
        if (verbs & operations[i].kind_verb)
            add_operation(writer, place, &operations[i]);
    json_builder_add_array(builder, "parameters");
    if (str_contains(path, STR("{name}")))
        add_parameter(writer, "name", "path", "string");
    if (str_contains(path, STR("{namespace}")))
        add_parameter(writer, "namespace", "path", "string");
    add_parameter(writer, "pretty", "query", "string");
    json_builder_end(builder);
    json_builder_end(builder);
}

void openapi_add_paths(struct openapi_writer *writer, const struct kind *kind)
{
    SCOPED(buf) path = {.limit = 0};
    const struct place everywhere = {.kind = kind, .in_all_namespaces = true};
    const struct place here = {.kind = kind};
    if (kind->namespaced) {
        add_collection_path(&path, kind, true);
        add_path(writer, buf_str(&path), &everywhere, kind->verbs & KIND_LIST);
        buf_clear(&path);
    }
    add_collection_path(&path, kind, false);
    add_path(writer, buf_str(&path), &here,
             kind->verbs & (KIND_LIST | KIND_CREATE | KIND_DELETECOLLECTION));
    buf_clear(&path);
    openapi_item_path(&path, kind);
    add_path(writer, buf_str(&path), &here,
             kind->verbs & (KIND_GET | KIND_UPDATE | KIND_DELETE | KIND_PATCH));
    const size_t item = path.len;
    for (size_t i = 0; i < kind->subresource_count; i++) {
        const struct kind_subresource *subresource = &kind->subresources[i];
        const struct place part = {.kind = kind, .subresource = subresource};
        buf_truncate(&path, item);
        BUF_ADD_ALL(&path, STR("/"), str_from_c(subresource->name));
        add_path(writer, buf_str(&path), &part, subresource->verbs);
    }
}
