/*
 * admissionregistration.k8s.io/v1 and apiregistration.k8s.io/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field admissionregistration_service_reference_fields[] = {
    {"namespace", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path",      3, GO_STRING, GO_POINTER,  NULL, NULL},
    {"port",      4, GO_INT32,  GO_POINTER,  NULL, NULL},
};
static TYPE(admissionregistration_service_reference, "ServiceReference");

static const struct go_field admissionregistration_webhook_client_config_fields[] = {
    {"url",      3, GO_STRING,  GO_POINTER, NULL, NULL                                         },
    {"service",  1, GO_MESSAGE, GO_POINTER, NULL, &type_admissionregistration_service_reference},
    {"caBundle", 2, GO_BYTES,   0,          NULL, NULL                                         },
};
static TYPE(admissionregistration_webhook_client_config, "WebhookClientConfig");

static const struct go_field rule_fields[] = {
    {"apiGroups",   1, GO_STRING, GO_LIST,    NULL, NULL},
    {"apiVersions", 2, GO_STRING, GO_LIST,    NULL, NULL},
    {"resources",   3, GO_STRING, GO_LIST,    NULL, NULL},
    {"scope",       4, GO_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(rule, "Rule");

static const struct go_field rule_with_operations_fields[] = {
    {"operations", 1, GO_STRING,  GO_LIST,   NULL, NULL      },
    {"",           2, GO_MESSAGE, GO_INLINE, NULL, &type_rule},
};
static TYPE(rule_with_operations, "RuleWithOperations");

static const struct go_field match_condition_fields[] = {
    {"name",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"expression", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(match_condition, "MatchCondition");

static const struct go_field validating_webhook_fields[] = {
    {"name",                    1,  GO_STRING,  GO_REQUIRED,        NULL,   NULL                                             },
    {"clientConfig",            2,  GO_MESSAGE, 0,                  NULL,   &type_admissionregistration_webhook_client_config},
    {"rules",                   3,  GO_MESSAGE, GO_LIST,            NULL,   &type_rule_with_operations                       },
    {"failurePolicy",           4,  GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"matchPolicy",             9,  GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"namespaceSelector",       5,  GO_MESSAGE, GO_POINTER,         NULL,   &type_label_selector                             },
    {"objectSelector",          10, GO_MESSAGE, GO_POINTER,         NULL,   &type_label_selector                             },
    {"sideEffects",             6,  GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"timeoutSeconds",          7,  GO_INT32,   GO_POINTER,         NULL,   NULL                                             },
    {"admissionReviewVersions", 8,  GO_STRING,  GO_LIST,            NULL,   NULL                                             },
    {"matchConditions",         11, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_match_condition                            },
};
static TYPE(validating_webhook, "ValidatingWebhook");

static const struct go_field validating_webhook_configuration_fields[] = {
    {"kind",       0, GO_STRING,  0,                  NULL,   NULL                    },
    {"apiVersion", 0, GO_STRING,  0,                  NULL,   NULL                    },
    {"metadata",   1, GO_MESSAGE, 0,                  NULL,   &type_object_meta       },
    {"webhooks",   2, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_validating_webhook},
};
TYPE(validating_webhook_configuration, "ValidatingWebhookConfiguration");

static const struct go_field mutating_webhook_fields[] = {
    {"name",                    1,  GO_STRING,  GO_REQUIRED,        NULL,   NULL                                             },
    {"clientConfig",            2,  GO_MESSAGE, 0,                  NULL,   &type_admissionregistration_webhook_client_config},
    {"rules",                   3,  GO_MESSAGE, GO_LIST,            NULL,   &type_rule_with_operations                       },
    {"failurePolicy",           4,  GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"matchPolicy",             9,  GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"namespaceSelector",       5,  GO_MESSAGE, GO_POINTER,         NULL,   &type_label_selector                             },
    {"objectSelector",          11, GO_MESSAGE, GO_POINTER,         NULL,   &type_label_selector                             },
    {"sideEffects",             6,  GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"timeoutSeconds",          7,  GO_INT32,   GO_POINTER,         NULL,   NULL                                             },
    {"admissionReviewVersions", 8,  GO_STRING,  GO_LIST,            NULL,   NULL                                             },
    {"reinvocationPolicy",      10, GO_STRING,  GO_POINTER,         NULL,   NULL                                             },
    {"matchConditions",         12, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_match_condition                            },
};
static TYPE(mutating_webhook, "MutatingWebhook");

static const struct go_field mutating_webhook_configuration_fields[] = {
    {"kind",       0, GO_STRING,  0,                  NULL,   NULL                  },
    {"apiVersion", 0, GO_STRING,  0,                  NULL,   NULL                  },
    {"metadata",   1, GO_MESSAGE, 0,                  NULL,   &type_object_meta     },
    {"webhooks",   2, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_mutating_webhook},
};
TYPE(mutating_webhook_configuration, "MutatingWebhookConfiguration");

static const struct go_field param_kind_fields[] = {
    {"apiVersion", 1, GO_STRING, 0, NULL, NULL},
    {"kind",       2, GO_STRING, 0, NULL, NULL},
};
static TYPE(param_kind, "ParamKind");

static const struct go_field named_rule_with_operations_fields[] = {
    {"resourceNames", 1, GO_STRING,  GO_LIST,   NULL, NULL                      },
    {"",              2, GO_MESSAGE, GO_INLINE, NULL, &type_rule_with_operations},
};
static TYPE(named_rule_with_operations, "NamedRuleWithOperations");

static const struct go_field match_resources_fields[] = {
    {"namespaceSelector",    1, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector            },
    {"objectSelector",       2, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector            },
    {"resourceRules",        3, GO_MESSAGE, GO_LIST,    NULL, &type_named_rule_with_operations},
    {"excludeResourceRules", 4, GO_MESSAGE, GO_LIST,    NULL, &type_named_rule_with_operations},
    {"matchPolicy",          7, GO_STRING,  GO_POINTER, NULL, NULL                            },
};
static TYPE(match_resources, "MatchResources");

static const struct go_field validation_fields[] = {
    {"expression",        1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"message",           2, GO_STRING, 0,           NULL, NULL},
    {"reason",            3, GO_STRING, GO_POINTER,  NULL, NULL},
    {"messageExpression", 4, GO_STRING, 0,           NULL, NULL},
};
static TYPE(validation, "Validation");

static const struct go_field audit_annotation_fields[] = {
    {"key",             1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"valueExpression", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(audit_annotation, "AuditAnnotation");

static const struct go_field variable_fields[] = {
    {"name",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"expression", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(variable, "Variable");

static const struct go_field validating_admission_policy_spec_fields[] = {
    {"paramKind",        1, GO_MESSAGE, GO_POINTER,         NULL,   &type_param_kind      },
    {"matchConstraints", 2, GO_MESSAGE, GO_POINTER,         NULL,   &type_match_resources },
    {"validations",      3, GO_MESSAGE, GO_LIST,            NULL,   &type_validation      },
    {"failurePolicy",    4, GO_STRING,  GO_POINTER,         NULL,   NULL                  },
    {"auditAnnotations", 5, GO_MESSAGE, GO_LIST,            NULL,   &type_audit_annotation},
    {"matchConditions",  6, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_match_condition },
    {"variables",        7, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_variable        },
};
static TYPE(validating_admission_policy_spec, "ValidatingAdmissionPolicySpec");

static const struct go_field expression_warning_fields[] = {
    {"fieldRef", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"warning",  3, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(expression_warning, "ExpressionWarning");

static const struct go_field type_checking_fields[] = {
    {"expressionWarnings", 1, GO_MESSAGE, GO_LIST, NULL, &type_expression_warning},
};
static TYPE(type_checking, "TypeChecking");

static const struct go_field validating_admission_policy_status_fields[] = {
    {"observedGeneration", 1, GO_INT64,   0,          NULL, NULL               },
    {"typeChecking",       2, GO_MESSAGE, GO_POINTER, NULL, &type_type_checking},
    {"conditions",         3, GO_MESSAGE, GO_LIST,    NULL, &type_condition    },
};
static TYPE(validating_admission_policy_status, "ValidatingAdmissionPolicyStatus");

static const struct go_field validating_admission_policy_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                    },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                    },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                       },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_validating_admission_policy_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_validating_admission_policy_status},
};
TYPE(validating_admission_policy, "ValidatingAdmissionPolicy");

static const struct go_field param_ref_fields[] = {
    {"name",                    1, GO_STRING,  0,          NULL, NULL                },
    {"namespace",               2, GO_STRING,  0,          NULL, NULL                },
    {"selector",                3, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector},
    {"parameterNotFoundAction", 4, GO_STRING,  GO_POINTER, NULL, NULL                },
};
static TYPE(param_ref, "ParamRef");

static const struct go_field validating_admission_policy_binding_spec_fields[] = {
    {"policyName",        1, GO_STRING,  0,          NULL, NULL                 },
    {"paramRef",          2, GO_MESSAGE, GO_POINTER, NULL, &type_param_ref      },
    {"matchResources",    3, GO_MESSAGE, GO_POINTER, NULL, &type_match_resources},
    {"validationActions", 4, GO_STRING,  GO_LIST,    NULL, NULL                 },
};
static TYPE(validating_admission_policy_binding_spec, "ValidatingAdmissionPolicyBindingSpec");

static const struct go_field validating_admission_policy_binding_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                          },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                          },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                             },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_validating_admission_policy_binding_spec},
};
TYPE(validating_admission_policy_binding, "ValidatingAdmissionPolicyBinding");

static const struct go_field apply_configuration_fields[] = {
    {"expression", 1, GO_STRING, 0, NULL, NULL},
};
static TYPE(apply_configuration, "ApplyConfiguration");

static const struct go_field json_patch_fields[] = {
    {"expression", 1, GO_STRING, 0, NULL, NULL},
};
static TYPE(json_patch, "JSONPatch");

static const struct go_field mutation_fields[] = {
    {"patchType",          2, GO_STRING,  GO_REQUIRED, NULL, NULL                     },
    {"applyConfiguration", 3, GO_MESSAGE, GO_POINTER,  NULL, &type_apply_configuration},
    {"jsonPatch",          4, GO_MESSAGE, GO_POINTER,  NULL, &type_json_patch         },
};
static TYPE(mutation, "Mutation");

static const struct go_field mutating_admission_policy_spec_fields[] = {
    {"paramKind",          1, GO_MESSAGE, GO_POINTER,         NULL,   &type_param_kind     },
    {"matchConstraints",   2, GO_MESSAGE, GO_POINTER,         NULL,   &type_match_resources},
    {"variables",          3, GO_MESSAGE, GO_LIST,            NULL,   &type_variable       },
    {"mutations",          4, GO_MESSAGE, GO_LIST,            NULL,   &type_mutation       },
    {"failurePolicy",      5, GO_STRING,  GO_POINTER,         NULL,   NULL                 },
    {"matchConditions",    6, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_match_condition},
    {"reinvocationPolicy", 7, GO_STRING,  0,                  NULL,   NULL                 },
};
static TYPE(mutating_admission_policy_spec, "MutatingAdmissionPolicySpec");

static const struct go_field mutating_admission_policy_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                   },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_mutating_admission_policy_spec},
};
TYPE(mutating_admission_policy, "MutatingAdmissionPolicy");

static const struct go_field mutating_admission_policy_binding_spec_fields[] = {
    {"policyName",     1, GO_STRING,  0,          NULL, NULL                 },
    {"paramRef",       2, GO_MESSAGE, GO_POINTER, NULL, &type_param_ref      },
    {"matchResources", 3, GO_MESSAGE, GO_POINTER, NULL, &type_match_resources},
};
static TYPE(mutating_admission_policy_binding_spec, "MutatingAdmissionPolicyBindingSpec");

static const struct go_field mutating_admission_policy_binding_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                        },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                        },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                           },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_mutating_admission_policy_binding_spec},
};
TYPE(mutating_admission_policy_binding, "MutatingAdmissionPolicyBinding");

static const struct go_field apiregistration_service_reference_fields[] = {
    {"namespace", 1, GO_STRING, 0,          NULL, NULL},
    {"name",      2, GO_STRING, 0,          NULL, NULL},
    {"port",      3, GO_INT32,  GO_POINTER, NULL, NULL},
};
static TYPE(apiregistration_service_reference, "ServiceReference");

static const struct go_field api_service_spec_fields[] = {
    {"service",               1, GO_MESSAGE, GO_POINTER,  NULL, &type_apiregistration_service_reference},
    {"group",                 2, GO_STRING,  0,           NULL, NULL                                   },
    {"version",               3, GO_STRING,  0,           NULL, NULL                                   },
    {"insecureSkipTLSVerify", 4, GO_BOOL,    0,           NULL, NULL                                   },
    {"caBundle",              5, GO_BYTES,   0,           NULL, NULL                                   },
    {"groupPriorityMinimum",  7, GO_INT32,   GO_REQUIRED, NULL, NULL                                   },
    {"versionPriority",       8, GO_INT32,   GO_REQUIRED, NULL, NULL                                   },
};
static TYPE(api_service_spec, "APIServiceSpec");

static const struct go_field api_service_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(api_service_condition, "APIServiceCondition");

static const struct go_field api_service_status_fields[] = {
    {"conditions", 1, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_api_service_condition},
};
static TYPE(api_service_status, "APIServiceStatus");

static const struct go_field api_service_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                    },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                    },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta       },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_api_service_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_api_service_status},
};
TYPE(api_service, "APIService");
