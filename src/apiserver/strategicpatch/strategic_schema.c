/*
 * Where in the Go types a strategic merge is.
 *
 * Every step of the merge asks for the field of a member, because the field says how it is merged.
 * A step that leads nowhere is an error of the patch, told in the words of PatchMetaFromStruct
 * (k8s.io/apimachinery/pkg/util/strategicpatch/meta.go), Go's names of types included.
 */
#include <assert.h>

#include "apiserver/strategicpatch/strategic_merge_internal.h"

/* Types that the tables do not spell out, by kind; they have no members that could be patched. */
static const struct {
    const char *kind, *name; /* as Go calls them; the name is that of a struct */
} opaque[] = {
    [GO_STRING] = {"string",  NULL          },
    [GO_BOOL] = {"bool",    NULL          },
    [GO_INT32] = {"int32",   NULL          },
    [GO_INT64] = {"int64",   NULL          },
    [GO_DOUBLE] = {"float64", NULL          },
    [GO_BYTES] = {"slice",   NULL          },
    [GO_STRINGS] = {"slice",   NULL          },
    [GO_QUANTITY] = {"struct",  "Quantity"    },
    [GO_INT_OR_STRING] = {"struct",  "IntOrString" },
    [GO_TIME] = {"struct",  "Time"        },
    [GO_MICRO_TIME] = {"struct",  "MicroTime"   },
    [GO_DURATION] = {"struct",  "Duration"    },
    [GO_ANY] = {"struct",  "RawExtension"},
    [GO_UNION] = {"struct",  "RawExtension"},
    [GO_MESSAGE] = {"struct",  NULL          },
};

static bool is_list(struct strategic_schema schema)
{
    return schema.field && !schema.element && (schema.field->flags & GO_LIST);
}

static bool is_map(struct strategic_schema schema)
{
    return schema.field && !schema.element && (schema.field->flags & GO_MAP);
}

/* The reflect.Kind of a value, as errors name it. */
static const char *kind_of(struct strategic_schema schema)
{
    if (is_list(schema))
        return "slice";
    if (is_map(schema))
        return "map";
    return schema.field ? opaque[schema.field->kind].kind : "struct";
}

/* The type whose members the schema's object has; NULL for all but structs. */
static const struct go_type *type_of(struct strategic_schema schema)
{
    if (schema.root)
        return schema.root;
    const bool has_members = !is_list(schema) && !is_map(schema) && schema.field->kind != GO_UNION;
    return has_members ? schema.field->type : NULL;
}

/* A member that the struct does not have. */
static struct error *unknown_field(const char *type, struct str name)
{
    return error_new(ERROR_INTERNAL,
                     "unable to find api field in struct %s for the json field \"%.*s\"", type,
                     STR_ARG(name));
}

struct error *strategic_schema_member(struct strategic_schema schema, struct str name,
                                      struct strategic_schema *ret_member)
{
    const struct go_type *type = type_of(schema);
    const char *kind = kind_of(schema);
    if (strcmp(kind, "struct") != 0)
        return error_new(ERROR_INTERNAL,
                         "merging an object in json but data type is not struct, instead is: %s",
                         kind);
    if (!type)
        return unknown_field(opaque[schema.field->kind].name, name);
    const struct go_field *field = go_type_field(type, name);
    if (!field)
        return unknown_field(type->name, name);
    *ret_member = (struct strategic_schema){.field = field};
    return NULL;
}

/*
 * Upstream asks whether the field is a slice, or a pointer, which it follows without asking again.
 * The error names the kind of the object that holds the field, not of the field; so does ours.
 */
struct error *strategic_schema_elements(struct strategic_schema schema, struct str name,
                                        struct strategic_schema *ret_element)
{
    struct strategic_schema member = {.field = NULL};
    TRY(strategic_schema_member(schema, name, &member));
    assert(member.field);
    const bool is_pointer = schema.field && !schema.element && (schema.field->flags & GO_POINTER);
    if (!is_list(member) && member.field->kind != GO_BYTES && !(member.field->flags & GO_POINTER))
        return error_new(ERROR_INTERNAL, "expected slice or array type, but got: %s",
                         is_pointer ? "ptr" : kind_of(schema));
    *ret_element = (struct strategic_schema){.field = member.field, .element = true};
    return NULL;
}
