#include <assert.h>

#include "apiserver/strategicpatch/strategic_merge_internal.h"

/* Types that the tables do not spell out, by kind; they have no members that could be patched. */
static const struct {
    const char *kind, *name; /* as Go calls them; the name is that of a struct */
} opaque[] = {
    [STRING] = {"string",  NULL          },
    [BOOL] = {"bool",    NULL          },
    [INT32] = {"int32",   NULL          },
    [INT64] = {"int64",   NULL          },
    [DOUBLE] = {"float64", NULL          },
    [BYTES] = {"slice",   NULL          },
    [STRINGS] = {"slice",   NULL          },
    [QUANTITY] = {"struct",  "Quantity"    },
    [INT_OR_STRING] = {"struct",  "IntOrString" },
    [TIME] = {"struct",  "Time"        },
    [MICRO_TIME] = {"struct",  "MicroTime"   },
    [DURATION] = {"struct",  "Duration"    },
    [ANY] = {"struct",  "RawExtension"},
    [MESSAGE] = {"struct",  NULL          },
};

static bool is_list(struct strategic_schema schema)
{
    return schema.field && !schema.element && (schema.field->flags & LIST);
}

static bool is_map(struct strategic_schema schema)
{
    return schema.field && !schema.element && (schema.field->flags & MAP);
}

static const char *kind_of(struct strategic_schema schema)
{
    if (is_list(schema))
        return "slice";
    if (is_map(schema))
        return "map";
    return schema.field ? opaque[schema.field->kind].kind : "struct";
}

/* The type whose members the schema's object has; NULL for all but structs. */
static const struct strategic_type *type_of(struct strategic_schema schema)
{
    if (schema.root)
        return schema.root;
    return is_list(schema) || is_map(schema) ? NULL : schema.field->type;
}

static struct error *unknown_field(const char *type, struct str name)
{
    return error_new(ERROR_INTERNAL,
                     "unable to find api field in struct %s for the json field \"%.*s\"", type,
                     STR_ARG(name));
}

struct error *strategic_schema_member(struct strategic_schema schema, struct str name,
                                      struct strategic_schema *ret_member)
{
    const struct strategic_type *type = type_of(schema);
    const char *kind = kind_of(schema);
    if (strcmp(kind, "struct") != 0)
        return error_new(ERROR_INTERNAL,
                         "merging an object in json but data type is not struct, instead is: %s",
                         kind);
    if (!type)
        return unknown_field(opaque[schema.field->kind].name, name);
    const struct strategic_field *field = strategic_type_field(type, name);
    if (!field)
        return unknown_field(type->name, name);
    *ret_member = (struct strategic_schema){.field = field};
    return NULL;
}

struct error *strategic_schema_elements(struct strategic_schema schema, struct str name,
                                        struct strategic_schema *ret_element)
{
    struct strategic_schema member = {.field = NULL};
    TRY(strategic_schema_member(schema, name, &member));
    assert(member.field);
    const bool is_pointer = schema.field && !schema.element && (schema.field->flags & POINTER);
    if (!is_list(member) && member.field->kind != BYTES && !(member.field->flags & POINTER))
        return error_new(ERROR_INTERNAL, "expected slice or array type, but got: %s",
                         is_pointer ? "ptr" : kind_of(schema));
    *ret_element = (struct strategic_schema){.field = member.field, .element = true};
    return NULL;
}
