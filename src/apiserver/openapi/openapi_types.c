/*
 * Schemas of built-in types.
 *
 * openapi_ref_type() notes each type that a document refers to. openapi_add_types() writes the
 * schemas of these types, which refer to further ones, until none is left. A type without fields of
 * its own, such as Time, is a row of plain_types. Version 3 says which value an absent member
 * counts as ("default"); version 2 does not, as upstream.
 */
#include <string.h>

#include "apiserver/managedfields/field_type.h"
#include "apiserver/openapi/openapi_internal.h"
#include "base/array.h"

#define META_PACKAGE       "io.k8s.apimachinery.pkg.apis.meta.v1"
#define EXTENSIONS_PACKAGE "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"

static const struct go_type time_type = {"Time", NULL, 0};
static const struct go_type micro_time_type = {"MicroTime", NULL, 0};
static const struct go_type duration_type = {"Duration", NULL, 0};
static const struct go_type quantity_type = {"Quantity", NULL, 0};
static const struct go_type int_or_string_type = {"IntOrString", NULL, 0};
static const struct go_type fields_type = {"FieldsV1", NULL, 0};
static const struct go_type raw_extension_type = {"RawExtension", NULL, 0};
static const struct go_type json_type_ = {"JSON", NULL, 0};
const struct go_type openapi_patch = {"Patch", NULL, 0};

/* A type whose schema has no members. Version 3 has two types for what JSON writes in two ways. */
static const struct plain_type {
    const struct go_type *type;
    const char *package, *json_type, *format, *other_type;
} plain_types[] = {
    {&time_type,          META_PACKAGE,                           "string",  "date-time",     NULL    },
    {&micro_time_type,    META_PACKAGE,                           "string",  "date-time",     NULL    },
    {&duration_type,      META_PACKAGE,                           "string",  NULL,            NULL    },
    {&quantity_type,      "io.k8s.apimachinery.pkg.api.resource", "string",  NULL,            "number"},
    {&int_or_string_type, "io.k8s.apimachinery.pkg.util.intstr",  "integer", "int-or-string",
     "string"                                                                                         },
    {&fields_type,        META_PACKAGE,                           "object",  NULL,            NULL    },
    {&raw_extension_type, "io.k8s.apimachinery.pkg.runtime",      "object",  NULL,            NULL    },
    {&json_type_,         EXTENSIONS_PACKAGE,                     NULL,      NULL,            NULL    },
    {&openapi_patch,      META_PACKAGE,                           "object",  NULL,            NULL    },
};

static const struct go_field list_meta_fields[] = {
    {"selfLink",           1, GO_STRING, 0,          NULL, NULL},
    {"resourceVersion",    2, GO_STRING, 0,          NULL, NULL},
    {"continue",           3, GO_STRING, 0,          NULL, NULL},
    {"remainingItemCount", 4, GO_INT64,  GO_POINTER, NULL, NULL},
};
const struct go_type openapi_list_meta = {"ListMeta", list_meta_fields, COUNT(list_meta_fields)};

static const struct go_field status_cause_fields[] = {
    {"reason",  1, GO_STRING, 0, NULL, NULL},
    {"message", 2, GO_STRING, 0, NULL, NULL},
    {"field",   3, GO_STRING, 0, NULL, NULL},
};
static TYPE(status_cause, "StatusCause");

static const struct go_field status_details_fields[] = {
    {"name",              1, GO_STRING,  0,       NULL, NULL              },
    {"group",             2, GO_STRING,  0,       NULL, NULL              },
    {"kind",              3, GO_STRING,  0,       NULL, NULL              },
    {"causes",            4, GO_MESSAGE, GO_LIST, NULL, &type_status_cause},
    {"retryAfterSeconds", 5, GO_INT32,   0,       NULL, NULL              },
    {"uid",               6, GO_STRING,  0,       NULL, NULL              },
};
static TYPE(status_details, "StatusDetails");

static const struct go_field status_fields[] = {
    {"kind",       0, GO_STRING,  0,          NULL, NULL                },
    {"apiVersion", 0, GO_STRING,  0,          NULL, NULL                },
    {"metadata",   1, GO_MESSAGE, 0,          NULL, &openapi_list_meta  },
    {"status",     2, GO_STRING,  0,          NULL, NULL                },
    {"message",    3, GO_STRING,  0,          NULL, NULL                },
    {"reason",     4, GO_STRING,  0,          NULL, NULL                },
    {"details",    5, GO_MESSAGE, GO_POINTER, NULL, &type_status_details},
    {"code",       6, GO_INT32,   0,          NULL, NULL                },
};
const struct go_type openapi_status = {"Status", status_fields, COUNT(status_fields)};

/* Types that hold any JSON, by the type that has the field. */
static const struct {
    const char *owner;
    const struct go_type *type;
} any_types[] = {
    {"ManagedFieldsEntry", &fields_type       },
    {"ControllerRevision", &raw_extension_type},
    {"JSONSchemaProps",    &json_type_        },
};

/* Members that have a description, wherever their types are used. */
#define API_VERSION_DESCRIPTION \
    STR("APIVersion defines the group and the version in which the object is written.")
#define KIND_DESCRIPTION STR("Kind is the name of the type of the object, such as Pod.")
#define METADATA_DESCRIPTION \
    STR("Standard object's metadata: its name, its labels, and what the server notes about it.")
#define CREATION_DESCRIPTION \
    STR("CreationTimestamp is a timestamp: when the server created the object.")

static const struct plain_type *find_plain(const struct go_type *type)
{
    for (size_t i = 0; i < COUNT(plain_types); i++)
        if (plain_types[i].type == type)
            return &plain_types[i];
    return NULL;
}

static struct str address_of(const struct go_type *const *type)
{
    return str_from((const char *)type, sizeof(*type));
}

static struct str type_name(struct openapi_writer *writer, const struct go_type *type)
{
    const struct plain_type *plain = find_plain(type);
    const struct openapi_name *name = map_find(&writer->names, address_of(&type));
    return arena_print(&writer->arena, "%s.%s", plain ? plain->package : name->package, type->name);
}

void openapi_ref_type(struct openapi_writer *writer, const struct go_type *type)
{
    if (!map_has(&writer->seen, address_of(&type))) {
        map_put(&writer->seen, address_of(&type), writer);
        ARRAY_PUSH(writer->types, writer->type_count, writer->type_capacity, type);
    }
    openapi_ref_name(writer, type_name(writer, type));
}

/* Adds the members of a value that refers to a type. */
static void add_ref(struct openapi_writer *writer, const struct go_type *type)
{
    if (writer->form == OPENAPI_2) {
        openapi_ref_type(writer, type);
        return;
    }
    json_builder_add_array(&writer->builder, "allOf");
    json_builder_object(&writer->builder);
    openapi_ref_type(writer, type);
    json_builder_end(&writer->builder);
    json_builder_end(&writer->builder);
}

/* The type of a field that is one of plain_types; NULL for others. */
static const struct go_type *plain_type_of(const struct go_type *owner,
                                           const struct go_field *field)
{
    switch ((enum go_field_kind)field->kind) {
    case GO_QUANTITY:
        return &quantity_type;
    case GO_INT_OR_STRING:
        return &int_or_string_type;
    case GO_TIME:
        return &time_type;
    case GO_MICRO_TIME:
        return &micro_time_type;
    case GO_DURATION:
        return &duration_type;
    case GO_ANY:
        for (size_t i = 0; i < COUNT(any_types); i++)
            if (strcmp(any_types[i].owner, owner->name) == 0)
                return any_types[i].type;
        return &json_type_;
    default:
        return NULL;
    }
}

/* How JSON writes a scalar, and what an absent one counts as. */
static const struct {
    const char *type, *format, *absent;
} scalars[] = {
    [GO_STRING] = {"string",  NULL,     "\"\"" },
      [GO_BOOL] = {"boolean", NULL,     "false"},
    [GO_INT32] = {"integer", "int32",  "0"    },
      [GO_INT64] = {"integer", "int64",  "0"    },
    [GO_DOUBLE] = {"number",  "double", "0"    },
      [GO_BYTES] = {"string",  "byte",   NULL   },
};

/* Members that have a default though Go leaves them out when they are zero. */
static const struct {
    const char *type, *member, *value;
} other_defaults[] = {
    {"AzureDiskVolumeSource",         "cachingMode",     "\"ReadWrite\""        },
    {"AzureDiskVolumeSource",         "fsType",          "\"ext4\""             },
    {"AzureDiskVolumeSource",         "kind",            "\"Shared\""           },
    {"AzureDiskVolumeSource",         "readOnly",        "false"                },
    {"ConfigMapEnvSource",            "name",            "\"\""                 },
    {"ConfigMapKeySelector",          "name",            "\"\""                 },
    {"ConfigMapProjection",           "name",            "\"\""                 },
    {"ConfigMapVolumeSource",         "name",            "\"\""                 },
    {"ContainerPort",                 "protocol",        "\"TCP\""              },
    {"FileKeySelector",               "optional",        "false"                },
    {"GRPCAction",                    "service",         "\"\""                 },
    {"ISCSIPersistentVolumeSource",   "iscsiInterface",  "\"default\""          },
    {"ISCSIVolumeSource",             "iscsiInterface",  "\"default\""          },
    {"LocalObjectReference",          "name",            "\"\""                 },
    {"RBDPersistentVolumeSource",     "keyring",         "\"/etc/ceph/keyring\""},
    {"RBDPersistentVolumeSource",     "pool",            "\"rbd\""              },
    {"RBDPersistentVolumeSource",     "user",            "\"admin\""            },
    {"RBDVolumeSource",               "keyring",         "\"/etc/ceph/keyring\""},
    {"RBDVolumeSource",               "pool",            "\"rbd\""              },
    {"RBDVolumeSource",               "user",            "\"admin\""            },
    {"ReplicationControllerSpec",     "minReadySeconds", "0"                    },
    {"ReplicationControllerSpec",     "replicas",        "1"                    },
    {"ScaleIOPersistentVolumeSource", "fsType",          "\"xfs\""              },
    {"ScaleIOPersistentVolumeSource", "storageMode",     "\"ThinProvisioned\""  },
    {"ScaleIOVolumeSource",           "fsType",          "\"xfs\""              },
    {"ScaleIOVolumeSource",           "storageMode",     "\"ThinProvisioned\""  },
    {"ScaleSpec",                     "replicas",        "0"                    },
    {"SecretEnvSource",               "name",            "\"\""                 },
    {"SecretKeySelector",             "name",            "\"\""                 },
    {"SecretProjection",              "name",            "\"\""                 },
    {"ServicePort",                   "protocol",        "\"TCP\""              },
};

static const char *other_default(const struct go_type *owner, const struct go_field *field)
{
    for (size_t i = 0; i < COUNT(other_defaults); i++)
        if (strcmp(other_defaults[i].type, owner->name) == 0 &&
            strcmp(other_defaults[i].member, field->name) == 0)
            return other_defaults[i].value;
    return NULL;
}

static void add_default(struct openapi_writer *writer, const char *text)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = NULL;
    if (writer->form == OPENAPI_2 || !text)
        return;
    err = json_read(str_from_c(text), &doc);
    if (!err)
        json_builder_add_value(&writer->builder, "default", json_doc_root(doc));
}

static void add_scalar(struct openapi_writer *writer, enum go_field_kind kind, bool has_default)
{
    json_builder_add_str(&writer->builder, "type", str_from_c(scalars[kind].type));
    if (scalars[kind].format)
        json_builder_add_str(&writer->builder, "format", str_from_c(scalars[kind].format));
    if (has_default)
        add_default(writer, scalars[kind].absent);
}

/* Adds the members of one value: of a field, of an element of a list or of a value of a map. */
static void add_value(struct openapi_writer *writer, const struct go_type *owner,
                      const struct go_field *field, bool is_element)
{
    const struct go_type *plain = plain_type_of(owner, field);
    if (plain && is_element) {
        openapi_ref_type(writer, plain);
    } else if (plain) {
        add_ref(writer, plain);
    } else if (field->kind == GO_MESSAGE || field->kind == GO_UNION) {
        if (field->kind == GO_MESSAGE && !(field->flags & GO_POINTER))
            add_default(writer, "{}");
        add_ref(writer, field->type);
    } else if (field->kind == GO_STRINGS) {
        json_builder_add_str(&writer->builder, "type", STR("array"));
        json_builder_add_object(&writer->builder, "items");
        add_scalar(writer, GO_STRING, true);
        json_builder_end(&writer->builder);
    } else {
        add_scalar(writer, (enum go_field_kind)field->kind,
                   is_element || ((field->flags & GO_REQUIRED) && !(field->flags & GO_POINTER)));
    }
}

/* How a strategic merge patch treats the field. */
static void add_patch_strategy(struct openapi_writer *writer, const struct go_field *field)
{
    SCOPED(buf) strategy = {.limit = 0};
    static const struct {
        unsigned flag;
        struct str word;
    } words[] = {
        {GO_MERGE,       STR_INIT("merge")     },
        {GO_REPLACE,     STR_INIT("replace")   },
        {GO_RETAIN_KEYS, STR_INIT("retainKeys")},
    };
    for (size_t i = 0; i < COUNT(words); i++)
        if (field->flags & words[i].flag)
            BUF_ADD_ALL(&strategy, strategy.len ? STR(",") : STR(""), words[i].word);
    if (field->merge_key)
        json_builder_add_str(&writer->builder, "x-kubernetes-patch-merge-key",
                             str_from_c(field->merge_key));
    if (strategy.len)
        json_builder_add_str(&writer->builder, "x-kubernetes-patch-strategy", buf_str(&strategy));
}

/* How server-side apply treats the list or the map. */
static void add_apply_type(struct openapi_writer *writer, const struct go_type *owner,
                           const struct go_field *field)
{
    static const char *const words[] = {
        [SCHEMA_LIST_ATOMIC] = "atomic", [SCHEMA_LIST_SET] = "set", [SCHEMA_LIST_MAP] = "map"};
    struct field_member member;
    if (!field_type_member(field_type_of_go_type(owner), str_from_c(field->name), &member))
        return;
    const struct field_shape shape = field_type_shape(member.type);
    if (field->flags & GO_MAP) {
        if (shape.atomic_map)
            json_builder_add_str(&writer->builder, "x-kubernetes-map-type", STR("atomic"));
        return;
    }
    json_builder_add_str(&writer->builder, "x-kubernetes-list-type", str_from_c(words[shape.list]));
    if (shape.list != SCHEMA_LIST_MAP)
        return;
    json_builder_add_array(&writer->builder, "x-kubernetes-list-map-keys");
    for (size_t i = 0; i < field_type_key_count(member.type); i++)
        json_builder_str(&writer->builder, field_type_key(member.type, i));
    json_builder_end(&writer->builder);
}

static struct str description_of(const struct go_type *owner, const struct go_field *field)
{
    const struct str name = str_from_c(field->name);
    const bool is_kind = owner->count && owner->fields[0].number == 0;
    if (is_kind && str_eq(name, STR("apiVersion")))
        return API_VERSION_DESCRIPTION;
    if (is_kind && str_eq(name, STR("kind")))
        return KIND_DESCRIPTION;
    if (field->type == &type_object_meta)
        return METADATA_DESCRIPTION;
    if (owner == &type_object_meta && str_eq(name, STR("creationTimestamp")))
        return CREATION_DESCRIPTION;
    return STR("");
}

static void add_property(struct openapi_writer *writer, const struct go_type *owner,
                         const struct go_field *field)
{
    struct json_builder *builder = &writer->builder;
    const struct str description = description_of(owner, field);
    json_builder_add_object(builder, field->name);
    if (description.len)
        json_builder_add_str(builder, "description", description);
    if (field->flags & (GO_LIST | GO_MAP)) {
        const bool is_list = field->flags & GO_LIST;
        json_builder_add_str(builder, "type", is_list ? STR("array") : STR("object"));
        json_builder_add_object(builder, is_list ? "items" : "additionalProperties");
        add_value(writer, owner, field, true);
        json_builder_end(builder);
        add_apply_type(writer, owner, field);
    } else {
        add_value(writer, owner, field, false);
        add_default(writer, other_default(owner, field));
    }
    add_patch_strategy(writer, field);
    json_builder_end(builder);
}

/* Inlined types are one level deep in another, and none contains itself. */
static void add_properties(struct openapi_writer *writer, const struct go_type *type)
{
    for (size_t i = 0; i < type->count; i++) {
        if (type->fields[i].flags & GO_INLINE)
            add_properties(writer, type->fields[i].type);
        else
            add_property(writer, type, &type->fields[i]);
    }
}

/* Opens the list at the first name. The caller ends it if there is one. */
static size_t add_required_names(struct openapi_writer *writer, struct str name,
                                 const struct go_type *type, bool is_open)
{
    size_t count = 0;
    for (size_t i = 0; i < type->count; i++) {
        const struct go_field *field = &type->fields[i];
        if (field->flags & GO_INLINE) {
            count += add_required_names(writer, name, field->type, is_open || count);
            continue;
        }
        if (!openapi_is_required(name, field))
            continue;
        if (!is_open && count == 0)
            json_builder_add_array(&writer->builder, "required");
        json_builder_str(&writer->builder, str_from_c(field->name));
        count++;
    }
    return count;
}

void openapi_add_schema_gvk(struct openapi_writer *writer, struct gvk gvk)
{
    json_builder_add_array(&writer->builder, "x-kubernetes-group-version-kind");
    json_builder_object(&writer->builder);
    json_builder_add_str(&writer->builder, "group", gvk.group);
    json_builder_add_str(&writer->builder, "kind", gvk.kind);
    json_builder_add_str(&writer->builder, "version", gvk.version);
    json_builder_end(&writer->builder);
    json_builder_end(&writer->builder);
}

static void add_plain(struct openapi_writer *writer, const struct plain_type *plain)
{
    struct json_builder *builder = &writer->builder;
    if (plain->format)
        json_builder_add_str(builder, "format", str_from_c(plain->format));
    if (plain->other_type && writer->form == OPENAPI_3) {
        json_builder_add_array(builder, "oneOf");
        for (size_t i = 0; i < 2; i++) {
            json_builder_object(builder);
            json_builder_add_str(builder, "type",
                                 str_from_c(i ? plain->other_type : plain->json_type));
            json_builder_end(builder);
        }
        json_builder_end(builder);
    } else if (plain->json_type) {
        json_builder_add_str(builder, "type",
                             plain->other_type ? STR("string") : str_from_c(plain->json_type));
    }
}

/* A union is any JSON of several forms; its schema says nothing. */
static bool is_union(const struct go_type *type)
{
    return strncmp(type->name, "JSONSchemaPropsOr", sizeof("JSONSchemaPropsOr") - 1) == 0;
}

static void add_type(struct openapi_writer *writer, const struct go_type *type)
{
    struct json_builder *builder = &writer->builder;
    const struct plain_type *plain = find_plain(type);
    const struct openapi_name *name = map_find(&writer->names, address_of(&type));
    json_builder_key(builder, type_name(writer, type));
    json_builder_object(builder);
    if (plain) {
        add_plain(writer, plain);
    } else if (!is_union(type)) {
        json_builder_add_str(builder, "type", STR("object"));
        if (add_required_names(writer, type_name(writer, type), type, false))
            json_builder_end(builder);
        json_builder_add_object(builder, "properties");
        add_properties(writer, type);
        json_builder_end(builder);
        if (field_type_shape(field_type_of_go_type(type)).atomic_map)
            json_builder_add_str(builder, "x-kubernetes-map-type", STR("atomic"));
        if (name->gvk.kind.len)
            openapi_add_schema_gvk(writer, name->gvk);
    }
    json_builder_end(builder);
}

void openapi_add_types(struct openapi_writer *writer)
{
    for (size_t i = 0; i < writer->type_count; i++)
        add_type(writer, writer->types[i]);
}

/* Adds the members apiVersion and kind. */
static void add_names_of_type(struct json_builder *builder)
{
    json_builder_add_object(builder, "apiVersion");
    json_builder_add_str(builder, "description", API_VERSION_DESCRIPTION);
    json_builder_add_str(builder, "type", STR("string"));
    json_builder_end(builder);
    json_builder_add_object(builder, "kind");
    json_builder_add_str(builder, "description", KIND_DESCRIPTION);
    json_builder_add_str(builder, "type", STR("string"));
    json_builder_end(builder);
}

void openapi_add_object_members(struct openapi_writer *writer)
{
    add_names_of_type(&writer->builder);
    json_builder_add_object(&writer->builder, "metadata");
    json_builder_add_str(&writer->builder, "description", METADATA_DESCRIPTION);
    add_ref(writer, &type_object_meta);
    json_builder_end(&writer->builder);
}

struct str openapi_kind_name(struct openapi_writer *writer, const struct kind *kind,
                             struct str list_kind)
{
    const struct str last = list_kind.len ? list_kind : kind->gvk.kind;
    SCOPED(buf) name = {.limit = 0};
    if (kind->type) {
        const struct openapi_name *found = map_find(&writer->names, address_of(&kind->type));
        return arena_print(&writer->arena, "%s.%.*s", found->package, STR_ARG(last));
    }
    struct str rest = kind->gvk.group;
    while (rest.len) {
        const size_t dot = str_find_last_char(rest, '.');
        const size_t at = dot == STR_NONE ? 0 : dot + 1;
        BUF_ADD_ALL(&name, str_skip(rest, at), STR("."));
        rest = str_slice(rest, 0, at ? at - 1 : 0);
    }
    return arena_print(&writer->arena, "%.*s%.*s.%.*s", STR_ARG(buf_str(&name)),
                       STR_ARG(kind->gvk.version), STR_ARG(last));
}

void openapi_add_list(struct openapi_writer *writer, const struct kind *kind)
{
    struct json_builder *builder = &writer->builder;
    json_builder_key(builder, openapi_kind_name(writer, kind, kind->list_kind));
    json_builder_object(builder);
    json_builder_add_str(builder, "type", STR("object"));
    json_builder_add_array(builder, "required");
    json_builder_str(builder, STR("items"));
    json_builder_end(builder);
    json_builder_add_object(builder, "properties");
    json_builder_add_object(builder, "items");
    json_builder_add_str(builder, "type", STR("array"));
    json_builder_add_object(builder, "items");
    if (kind->type) {
        add_default(writer, "{}");
        add_ref(writer, kind->type);
    } else {
        openapi_ref_name(writer, openapi_kind_name(writer, kind, STR("")));
    }
    json_builder_end(builder);
    json_builder_end(builder);
    add_names_of_type(builder);
    json_builder_add_object(builder, "metadata");
    if (kind->type)
        add_default(writer, "{}");
    add_ref(writer, &openapi_list_meta);
    json_builder_end(builder);
    json_builder_end(builder);
    openapi_add_schema_gvk(writer,
                           (struct gvk){kind->gvk.group, kind->gvk.version, kind->list_kind});
    json_builder_end(builder);
}
