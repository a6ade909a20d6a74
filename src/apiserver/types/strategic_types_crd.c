/*
 * CustomResourceDefinition. It is never sent as protobuf here, though it has numbers.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/strategic_types.h"

static const struct strategic_field custom_resource_definition_names_fields[] = {
    {"plural",     1, STRING, REQUIRED, NULL, NULL},
    {"singular",   2, STRING, 0,        NULL, NULL},
    {"shortNames", 3, STRING, LIST,     NULL, NULL},
    {"kind",       4, STRING, REQUIRED, NULL, NULL},
    {"listKind",   5, STRING, 0,        NULL, NULL},
    {"categories", 6, STRING, LIST,     NULL, NULL},
};
static TYPE(custom_resource_definition_names, "CustomResourceDefinitionNames");

static const struct strategic_field external_documentation_fields[] = {
    {"description", 1, STRING, 0, NULL, NULL},
    {"url",         2, STRING, 0, NULL, NULL},
};
static TYPE(external_documentation, "ExternalDocumentation");

static const struct strategic_field validation_rule_fields[] = {
    {"rule",              1, STRING, REQUIRED, NULL, NULL},
    {"message",           2, STRING, 0,        NULL, NULL},
    {"messageExpression", 3, STRING, 0,        NULL, NULL},
    {"reason",            4, STRING, POINTER,  NULL, NULL},
    {"fieldPath",         5, STRING, 0,        NULL, NULL},
    {"optionalOldSelf",   6, BOOL,   POINTER,  NULL, NULL},
};
static TYPE(validation_rule, "ValidationRule");

static const struct strategic_field json_schema_props_fields[] = {
    {"id",                                   1,  STRING,  0,            NULL,   NULL                        },
    {"$schema",                              2,  STRING,  0,            NULL,   NULL                        },
    {"$ref",                                 3,  STRING,  POINTER,      NULL,   NULL                        },
    {"description",                          4,  STRING,  0,            NULL,   NULL                        },
    {"type",                                 5,  STRING,  0,            NULL,   NULL                        },
    {"format",                               6,  STRING,  0,            NULL,   NULL                        },
    {"title",                                7,  STRING,  0,            NULL,   NULL                        },
    {"default",                              8,  ANY,     POINTER,      NULL,   NULL                        },
    {"maximum",                              9,  DOUBLE,  POINTER,      NULL,   NULL                        },
    {"exclusiveMaximum",                     10, BOOL,    0,            NULL,   NULL                        },
    {"minimum",                              11, DOUBLE,  POINTER,      NULL,   NULL                        },
    {"exclusiveMinimum",                     12, BOOL,    0,            NULL,   NULL                        },
    {"maxLength",                            13, INT64,   POINTER,      NULL,   NULL                        },
    {"minLength",                            14, INT64,   POINTER,      NULL,   NULL                        },
    {"pattern",                              15, STRING,  0,            NULL,   NULL                        },
    {"maxItems",                             16, INT64,   POINTER,      NULL,   NULL                        },
    {"minItems",                             17, INT64,   POINTER,      NULL,   NULL                        },
    {"uniqueItems",                          18, BOOL,    0,            NULL,   NULL                        },
    {"multipleOf",                           19, DOUBLE,  POINTER,      NULL,   NULL                        },
    {"enum",                                 20, ANY,     LIST,         NULL,   NULL                        },
    {"maxProperties",                        21, INT64,   POINTER,      NULL,   NULL                        },
    {"minProperties",                        22, INT64,   POINTER,      NULL,   NULL                        },
    {"required",                             23, STRING,  LIST,         NULL,   NULL                        },
    {"items",                                24, ANY,     POINTER,      NULL,   NULL                        },
    {"allOf",                                25, MESSAGE, LIST,         NULL,   &type_json_schema_props     },
    {"oneOf",                                26, MESSAGE, LIST,         NULL,   &type_json_schema_props     },
    {"anyOf",                                27, MESSAGE, LIST,         NULL,   &type_json_schema_props     },
    {"not",                                  28, MESSAGE, POINTER,      NULL,   &type_json_schema_props     },
    {"properties",                           29, MESSAGE, MAP,          NULL,   &type_json_schema_props     },
    {"additionalProperties",                 30, ANY,     POINTER,      NULL,   NULL                        },
    {"patternProperties",                    31, MESSAGE, MAP,          NULL,   &type_json_schema_props     },
    {"dependencies",                         32, ANY,     MAP,          NULL,   NULL                        },
    {"additionalItems",                      33, ANY,     POINTER,      NULL,   NULL                        },
    {"definitions",                          34, MESSAGE, MAP,          NULL,   &type_json_schema_props     },
    {"externalDocs",                         35, MESSAGE, POINTER,      NULL,   &type_external_documentation},
    {"example",                              36, ANY,     POINTER,      NULL,   NULL                        },
    {"nullable",                             37, BOOL,    0,            NULL,   NULL                        },
    {"x-kubernetes-preserve-unknown-fields", 38, BOOL,    POINTER,      NULL,   NULL                        },
    {"x-kubernetes-embedded-resource",       39, BOOL,    0,            NULL,   NULL                        },
    {"x-kubernetes-int-or-string",           40, BOOL,    0,            NULL,   NULL                        },
    {"x-kubernetes-list-map-keys",           41, STRING,  LIST,         NULL,   NULL                        },
    {"x-kubernetes-list-type",               42, STRING,  POINTER,      NULL,   NULL                        },
    {"x-kubernetes-map-type",                43, STRING,  POINTER,      NULL,   NULL                        },
    {"x-kubernetes-validations",             44, MESSAGE, LIST | MERGE, "rule", &type_validation_rule       },
};
TYPE(json_schema_props, "JSONSchemaProps");

static const struct strategic_field custom_resource_validation_fields[] = {
    {"openAPIV3Schema", 1, MESSAGE, POINTER, NULL, &type_json_schema_props},
};
static TYPE(custom_resource_validation, "CustomResourceValidation");

static const struct strategic_type type_custom_resource_subresource_status = {
    "CustomResourceSubresourceStatus", NULL, 0};

static const struct strategic_field custom_resource_subresource_scale_fields[] = {
    {"specReplicasPath",   1, STRING, REQUIRED, NULL, NULL},
    {"statusReplicasPath", 2, STRING, REQUIRED, NULL, NULL},
    {"labelSelectorPath",  3, STRING, POINTER,  NULL, NULL},
};
static TYPE(custom_resource_subresource_scale, "CustomResourceSubresourceScale");

static const struct strategic_field custom_resource_subresources_fields[] = {
    {"status", 1, MESSAGE, POINTER, NULL, &type_custom_resource_subresource_status},
    {"scale",  2, MESSAGE, POINTER, NULL, &type_custom_resource_subresource_scale },
};
static TYPE(custom_resource_subresources, "CustomResourceSubresources");

static const struct strategic_field custom_resource_column_definition_fields[] = {
    {"name",        1, STRING, REQUIRED, NULL, NULL},
    {"type",        2, STRING, REQUIRED, NULL, NULL},
    {"format",      3, STRING, 0,        NULL, NULL},
    {"description", 4, STRING, 0,        NULL, NULL},
    {"priority",    5, INT32,  0,        NULL, NULL},
    {"jsonPath",    6, STRING, REQUIRED, NULL, NULL},
};
static TYPE(custom_resource_column_definition, "CustomResourceColumnDefinition");

static const struct strategic_field selectable_field_fields[] = {
    {"jsonPath", 1, STRING, REQUIRED, NULL, NULL},
};
static TYPE(selectable_field, "SelectableField");

static const struct strategic_field custom_resource_definition_version_fields[] = {
    {"name",                     1, STRING,  REQUIRED, NULL, NULL                                   },
    {"served",                   2, BOOL,    REQUIRED, NULL, NULL                                   },
    {"storage",                  3, BOOL,    REQUIRED, NULL, NULL                                   },
    {"deprecated",               7, BOOL,    0,        NULL, NULL                                   },
    {"deprecationWarning",       8, STRING,  POINTER,  NULL, NULL                                   },
    {"schema",                   4, MESSAGE, POINTER,  NULL, &type_custom_resource_validation       },
    {"subresources",             5, MESSAGE, POINTER,  NULL, &type_custom_resource_subresources     },
    {"additionalPrinterColumns", 6, MESSAGE, LIST,     NULL, &type_custom_resource_column_definition},
    {"selectableFields",         9, MESSAGE, LIST,     NULL, &type_selectable_field                 },
};
static TYPE(custom_resource_definition_version, "CustomResourceDefinitionVersion");

static const struct strategic_field apiextensions_service_reference_fields[] = {
    {"namespace", 1, STRING, REQUIRED, NULL, NULL},
    {"name",      2, STRING, REQUIRED, NULL, NULL},
    {"path",      3, STRING, POINTER,  NULL, NULL},
    {"port",      4, INT32,  POINTER,  NULL, NULL},
};
static TYPE(apiextensions_service_reference, "ServiceReference");

static const struct strategic_field apiextensions_webhook_client_config_fields[] = {
    {"url",      3, STRING,  POINTER, NULL, NULL                                 },
    {"service",  1, MESSAGE, POINTER, NULL, &type_apiextensions_service_reference},
    {"caBundle", 2, BYTES,   0,       NULL, NULL                                 },
};
static TYPE(apiextensions_webhook_client_config, "WebhookClientConfig");

static const struct strategic_field webhook_conversion_fields[] = {
    {"clientConfig",             2, MESSAGE, POINTER, NULL, &type_apiextensions_webhook_client_config},
    {"conversionReviewVersions", 3, STRING,  LIST,    NULL, NULL                                     },
};
static TYPE(webhook_conversion, "WebhookConversion");

static const struct strategic_field custom_resource_conversion_fields[] = {
    {"strategy", 1, STRING,  REQUIRED, NULL, NULL                    },
    {"webhook",  2, MESSAGE, POINTER,  NULL, &type_webhook_conversion},
};
static TYPE(custom_resource_conversion, "CustomResourceConversion");

static const struct strategic_field custom_resource_definition_spec_fields[] = {
    {"group",                 1,  STRING,  REQUIRED, NULL, NULL                                    },
    {"names",                 3,  MESSAGE, 0,        NULL, &type_custom_resource_definition_names  },
    {"scope",                 4,  STRING,  REQUIRED, NULL, NULL                                    },
    {"versions",              7,  MESSAGE, LIST,     NULL, &type_custom_resource_definition_version},
    {"conversion",            9,  MESSAGE, POINTER,  NULL, &type_custom_resource_conversion        },
    {"preserveUnknownFields", 10, BOOL,    0,        NULL, NULL                                    },
};
static TYPE(custom_resource_definition_spec, "CustomResourceDefinitionSpec");

static const struct strategic_field custom_resource_definition_condition_fields[] = {
    {"type",               1, STRING, REQUIRED, NULL, NULL},
    {"status",             2, STRING, REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, TIME,   0,        NULL, NULL},
    {"reason",             4, STRING, 0,        NULL, NULL},
    {"message",            5, STRING, 0,        NULL, NULL},
    {"observedGeneration", 6, INT64,  0,        NULL, NULL},
};
static TYPE(custom_resource_definition_condition, "CustomResourceDefinitionCondition");

static const struct strategic_field custom_resource_definition_status_fields[] = {
    {"conditions",         1, MESSAGE, LIST, NULL, &type_custom_resource_definition_condition},
    {"acceptedNames",      2, MESSAGE, 0,    NULL, &type_custom_resource_definition_names    },
    {"storedVersions",     3, STRING,  LIST, NULL, NULL                                      },
    {"observedGeneration", 4, INT64,   0,    NULL, NULL                                      },
};
static TYPE(custom_resource_definition_status, "CustomResourceDefinitionStatus");

static const struct strategic_field custom_resource_definition_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                                   },
    {"apiVersion", 0, STRING,  0, NULL, NULL                                   },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta                      },
    {"spec",       2, MESSAGE, 0, NULL, &type_custom_resource_definition_spec  },
    {"status",     3, MESSAGE, 0, NULL, &type_custom_resource_definition_status},
};
TYPE(custom_resource_definition, "CustomResourceDefinition");
