/*
 * The schema of ObjectMeta, as constants: what the metadata of an embedded resource is pruned and
 * validated by. Properties must be sorted by name, as those of a compiled schema are.
 */
#include "apiserver/crd/schema/schema_internal.h"

static const struct schema_node a_string = {.types = TYPE_STRING};
static const struct schema_node a_time = {
    .types = TYPE_STRING, .nullable = true, .format = STR_INIT("date-time")};
static const struct schema_node an_integer = {.types = TYPE_INTEGER};
static const struct schema_node a_boolean = {.types = TYPE_BOOLEAN};
static const struct schema_node strings = {.types = TYPE_ARRAY, .items = &a_string};
static const struct schema_node string_map = {.types = TYPE_OBJECT, .additional = &a_string};
static const struct schema_node anything = {.types = TYPE_OBJECT, .preserve = true};

static const struct schema_property owner_properties[] = {
    {STR_INIT("apiVersion"),         &a_string },
    {STR_INIT("blockOwnerDeletion"), &a_boolean},
    {STR_INIT("controller"),         &a_boolean},
    {STR_INIT("kind"),               &a_string },
    {STR_INIT("name"),               &a_string },
    {STR_INIT("uid"),                &a_string },
};
static const struct schema_node owner = {.types = TYPE_OBJECT,
                                         .properties = owner_properties,
                                         .property_count = COUNT(owner_properties)};
static const struct schema_node owners = {.types = TYPE_ARRAY, .items = &owner};

static const struct schema_property manager_properties[] = {
    {STR_INIT("apiVersion"),  &a_string},
    {STR_INIT("fieldsType"),  &a_string},
    {STR_INIT("fieldsV1"),    &anything},
    {STR_INIT("manager"),     &a_string},
    {STR_INIT("operation"),   &a_string},
    {STR_INIT("subresource"), &a_string},
    {STR_INIT("time"),        &a_time  },
};
static const struct schema_node manager = {.types = TYPE_OBJECT,
                                           .properties = manager_properties,
                                           .property_count = COUNT(manager_properties)};
static const struct schema_node managers = {.types = TYPE_ARRAY, .items = &manager};

static const struct schema_property meta_properties[] = {
    {STR_INIT("annotations"),                &string_map},
    {STR_INIT("creationTimestamp"),          &a_time    },
    {STR_INIT("deletionGracePeriodSeconds"), &an_integer},
    {STR_INIT("deletionTimestamp"),          &a_time    },
    {STR_INIT("finalizers"),                 &strings   },
    {STR_INIT("generateName"),               &a_string  },
    {STR_INIT("generation"),                 &an_integer},
    {STR_INIT("labels"),                     &string_map},
    {STR_INIT("managedFields"),              &managers  },
    {STR_INIT("name"),                       &a_string  },
    {STR_INIT("namespace"),                  &a_string  },
    {STR_INIT("ownerReferences"),            &owners    },
    {STR_INIT("resourceVersion"),            &a_string  },
    {STR_INIT("selfLink"),                   &a_string  },
    {STR_INIT("uid"),                        &a_string  },
};
static const struct schema_node meta = {
    .types = TYPE_OBJECT, .properties = meta_properties, .property_count = COUNT(meta_properties)};

const struct schema_node *schema_object_meta(void)
{
    return &meta;
}
