/*
 * CustomResourceDefinition.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field custom_resource_definition_names_fields[] = {
    {"plural",     1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"singular",   2, GO_STRING, 0,           NULL, NULL},
    {"shortNames", 3, GO_STRING, GO_LIST,     NULL, NULL},
    {"kind",       4, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"listKind",   5, GO_STRING, 0,           NULL, NULL},
    {"categories", 6, GO_STRING, GO_LIST,     NULL, NULL},
};
static TYPE(custom_resource_definition_names, "CustomResourceDefinitionNames");

static const struct go_field external_documentation_fields[] = {
    {"description", 1, GO_STRING, 0, NULL, NULL},
    {"url",         2, GO_STRING, 0, NULL, NULL},
};
static TYPE(external_documentation, "ExternalDocumentation");

static const struct go_field validation_rule_fields[] = {
    {"rule",              1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"message",           2, GO_STRING, 0,           NULL, NULL},
    {"messageExpression", 3, GO_STRING, 0,           NULL, NULL},
    {"reason",            4, GO_STRING, GO_POINTER,  NULL, NULL},
    {"fieldPath",         5, GO_STRING, 0,           NULL, NULL},
    {"optionalOldSelf",   6, GO_BOOL,   GO_POINTER,  NULL, NULL},
};
static TYPE(validation_rule, "ValidationRule");

static const struct go_field schema_or_array_fields[] = {
    {"jSONSchemas", 2, GO_MESSAGE, GO_LIST,    NULL, &type_json_schema_props},
    {"schema",      1, GO_MESSAGE, GO_POINTER, NULL, &type_json_schema_props},
};
static TYPE(schema_or_array, "JSONSchemaPropsOrArray");

static const struct go_field schema_or_bool_fields[] = {
    {"schema", 2, GO_MESSAGE, GO_POINTER,  NULL, &type_json_schema_props},
    {"allows", 1, GO_BOOL,    GO_REQUIRED, NULL, NULL                   },
};
static TYPE(schema_or_bool, "JSONSchemaPropsOrBool");

static const struct go_field schema_or_strings_fields[] = {
    {"property", 2, GO_STRING,  GO_LIST,    NULL, NULL                   },
    {"schema",   1, GO_MESSAGE, GO_POINTER, NULL, &type_json_schema_props},
};
static TYPE(schema_or_strings, "JSONSchemaPropsOrStringArray");

static const struct go_field json_schema_props_fields[] = {
    {"id",                                   1,  GO_STRING,  0,                  NULL,   NULL                        },
    {"$schema",                              2,  GO_STRING,  0,                  NULL,   NULL                        },
    {"$ref",                                 3,  GO_STRING,  GO_POINTER,         NULL,   NULL                        },
    {"description",                          4,  GO_STRING,  0,                  NULL,   NULL                        },
    {"type",                                 5,  GO_STRING,  0,                  NULL,   NULL                        },
    {"format",                               6,  GO_STRING,  0,                  NULL,   NULL                        },
    {"title",                                7,  GO_STRING,  0,                  NULL,   NULL                        },
    {"default",                              8,  GO_ANY,     GO_POINTER,         NULL,   NULL                        },
    {"maximum",                              9,  GO_DOUBLE,  GO_POINTER,         NULL,   NULL                        },
    {"exclusiveMaximum",                     10, GO_BOOL,    0,                  NULL,   NULL                        },
    {"minimum",                              11, GO_DOUBLE,  GO_POINTER,         NULL,   NULL                        },
    {"exclusiveMinimum",                     12, GO_BOOL,    0,                  NULL,   NULL                        },
    {"maxLength",                            13, GO_INT64,   GO_POINTER,         NULL,   NULL                        },
    {"minLength",                            14, GO_INT64,   GO_POINTER,         NULL,   NULL                        },
    {"pattern",                              15, GO_STRING,  0,                  NULL,   NULL                        },
    {"maxItems",                             16, GO_INT64,   GO_POINTER,         NULL,   NULL                        },
    {"minItems",                             17, GO_INT64,   GO_POINTER,         NULL,   NULL                        },
    {"uniqueItems",                          18, GO_BOOL,    0,                  NULL,   NULL                        },
    {"multipleOf",                           19, GO_DOUBLE,  GO_POINTER,         NULL,   NULL                        },
    {"enum",                                 20, GO_ANY,     GO_LIST,            NULL,   NULL                        },
    {"maxProperties",                        21, GO_INT64,   GO_POINTER,         NULL,   NULL                        },
    {"minProperties",                        22, GO_INT64,   GO_POINTER,         NULL,   NULL                        },
    {"required",                             23, GO_STRING,  GO_LIST,            NULL,   NULL                        },
    {"items",                                24, GO_UNION,   GO_POINTER,         NULL,   &type_schema_or_array       },
    {"allOf",                                25, GO_MESSAGE, GO_LIST,            NULL,   &type_json_schema_props     },
    {"oneOf",                                26, GO_MESSAGE, GO_LIST,            NULL,   &type_json_schema_props     },
    {"anyOf",                                27, GO_MESSAGE, GO_LIST,            NULL,   &type_json_schema_props     },
    {"not",                                  28, GO_MESSAGE, GO_POINTER,         NULL,   &type_json_schema_props     },
    {"properties",                           29, GO_MESSAGE, GO_MAP,             NULL,   &type_json_schema_props     },
    {"additionalProperties",                 30, GO_UNION,   GO_POINTER,         NULL,   &type_schema_or_bool        },
    {"patternProperties",                    31, GO_MESSAGE, GO_MAP,             NULL,   &type_json_schema_props     },
    {"dependencies",                         32, GO_UNION,   GO_MAP,             NULL,   &type_schema_or_strings     },
    {"additionalItems",                      33, GO_UNION,   GO_POINTER,         NULL,   &type_schema_or_bool        },
    {"definitions",                          34, GO_MESSAGE, GO_MAP,             NULL,   &type_json_schema_props     },
    {"externalDocs",                         35, GO_MESSAGE, GO_POINTER,         NULL,   &type_external_documentation},
    {"example",                              36, GO_ANY,     GO_POINTER,         NULL,   NULL                        },
    {"nullable",                             37, GO_BOOL,    0,                  NULL,   NULL                        },
    {"x-kubernetes-preserve-unknown-fields", 38, GO_BOOL,    GO_POINTER,         NULL,   NULL                        },
    {"x-kubernetes-embedded-resource",       39, GO_BOOL,    0,                  NULL,   NULL                        },
    {"x-kubernetes-int-or-string",           40, GO_BOOL,    0,                  NULL,   NULL                        },
    {"x-kubernetes-list-map-keys",           41, GO_STRING,  GO_LIST,            NULL,   NULL                        },
    {"x-kubernetes-list-type",               42, GO_STRING,  GO_POINTER,         NULL,   NULL                        },
    {"x-kubernetes-map-type",                43, GO_STRING,  GO_POINTER,         NULL,   NULL                        },
    {"x-kubernetes-validations",             44, GO_MESSAGE, GO_LIST | GO_MERGE, "rule", &type_validation_rule       },
};
TYPE(json_schema_props, "JSONSchemaProps");

static const struct go_field custom_resource_validation_fields[] = {
    {"openAPIV3Schema", 1, GO_MESSAGE, GO_POINTER, NULL, &type_json_schema_props},
};
static TYPE(custom_resource_validation, "CustomResourceValidation");

static const struct go_type type_custom_resource_subresource_status = {
    "CustomResourceSubresourceStatus", NULL, 0};

static const struct go_field custom_resource_subresource_scale_fields[] = {
    {"specReplicasPath",   1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"statusReplicasPath", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"labelSelectorPath",  3, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(custom_resource_subresource_scale, "CustomResourceSubresourceScale");

static const struct go_field custom_resource_subresources_fields[] = {
    {"status", 1, GO_MESSAGE, GO_POINTER, NULL, &type_custom_resource_subresource_status},
    {"scale",  2, GO_MESSAGE, GO_POINTER, NULL, &type_custom_resource_subresource_scale },
};
static TYPE(custom_resource_subresources, "CustomResourceSubresources");

static const struct go_field custom_resource_column_definition_fields[] = {
    {"name",        1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"type",        2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"format",      3, GO_STRING, 0,           NULL, NULL},
    {"description", 4, GO_STRING, 0,           NULL, NULL},
    {"priority",    5, GO_INT32,  0,           NULL, NULL},
    {"jsonPath",    6, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(custom_resource_column_definition, "CustomResourceColumnDefinition");

static const struct go_field selectable_field_fields[] = {
    {"jsonPath", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(selectable_field, "SelectableField");

static const struct go_field custom_resource_definition_version_fields[] = {
    {"name",                     1, GO_STRING,  GO_REQUIRED, NULL, NULL                              },
    {"served",                   2, GO_BOOL,    GO_REQUIRED, NULL, NULL                              },
    {"storage",                  3, GO_BOOL,    GO_REQUIRED, NULL, NULL                              },
    {"deprecated",               7, GO_BOOL,    0,           NULL, NULL                              },
    {"deprecationWarning",       8, GO_STRING,  GO_POINTER,  NULL, NULL                              },
    {"schema",                   4, GO_MESSAGE, GO_POINTER,  NULL, &type_custom_resource_validation  },
    {"subresources",             5, GO_MESSAGE, GO_POINTER,  NULL, &type_custom_resource_subresources},
    {"additionalPrinterColumns", 6, GO_MESSAGE, GO_LIST,     NULL,
     &type_custom_resource_column_definition                                                         },
    {"selectableFields",         9, GO_MESSAGE, GO_LIST,     NULL, &type_selectable_field            },
};
static TYPE(custom_resource_definition_version, "CustomResourceDefinitionVersion");

static const struct go_field apiextensions_service_reference_fields[] = {
    {"namespace", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path",      3, GO_STRING, GO_POINTER,  NULL, NULL},
    {"port",      4, GO_INT32,  GO_POINTER,  NULL, NULL},
};
static TYPE(apiextensions_service_reference, "ServiceReference");

static const struct go_field apiextensions_webhook_client_config_fields[] = {
    {"url",      3, GO_STRING,  GO_POINTER, NULL, NULL                                 },
    {"service",  1, GO_MESSAGE, GO_POINTER, NULL, &type_apiextensions_service_reference},
    {"caBundle", 2, GO_BYTES,   0,          NULL, NULL                                 },
};
static TYPE(apiextensions_webhook_client_config, "WebhookClientConfig");

static const struct go_field webhook_conversion_fields[] = {
    {"clientConfig",             2, GO_MESSAGE, GO_POINTER, NULL, &type_apiextensions_webhook_client_config},
    {"conversionReviewVersions", 3, GO_STRING,  GO_LIST,    NULL, NULL                                     },
};
static TYPE(webhook_conversion, "WebhookConversion");

static const struct go_field custom_resource_conversion_fields[] = {
    {"strategy", 1, GO_STRING,  GO_REQUIRED, NULL, NULL                    },
    {"webhook",  2, GO_MESSAGE, GO_POINTER,  NULL, &type_webhook_conversion},
};
static TYPE(custom_resource_conversion, "CustomResourceConversion");

static const struct go_field custom_resource_definition_spec_fields[] = {
    {"group",                 1,  GO_STRING,  GO_REQUIRED, NULL, NULL                                    },
    {"names",                 3,  GO_MESSAGE, 0,           NULL, &type_custom_resource_definition_names  },
    {"scope",                 4,  GO_STRING,  GO_REQUIRED, NULL, NULL                                    },
    {"versions",              7,  GO_MESSAGE, GO_LIST,     NULL, &type_custom_resource_definition_version},
    {"conversion",            9,  GO_MESSAGE, GO_POINTER,  NULL, &type_custom_resource_conversion        },
    {"preserveUnknownFields", 10, GO_BOOL,    0,           NULL, NULL                                    },
};
static TYPE(custom_resource_definition_spec, "CustomResourceDefinitionSpec");

static const struct go_field custom_resource_definition_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
    {"observedGeneration", 6, GO_INT64,  0,           NULL, NULL},
};
static TYPE(custom_resource_definition_condition, "CustomResourceDefinitionCondition");

static const struct go_field custom_resource_definition_status_fields[] = {
    {"conditions",         1, GO_MESSAGE, GO_LIST, NULL, &type_custom_resource_definition_condition},
    {"acceptedNames",      2, GO_MESSAGE, 0,       NULL, &type_custom_resource_definition_names    },
    {"storedVersions",     3, GO_STRING,  GO_LIST, NULL, NULL                                      },
    {"observedGeneration", 4, GO_INT64,   0,       NULL, NULL                                      },
};
static TYPE(custom_resource_definition_status, "CustomResourceDefinitionStatus");

static const struct go_field custom_resource_definition_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                   },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                   },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                      },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_custom_resource_definition_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_custom_resource_definition_status},
};
TYPE(custom_resource_definition, "CustomResourceDefinition");
