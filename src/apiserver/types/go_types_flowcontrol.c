/*
 * flowcontrol.apiserver.k8s.io/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field user_subject_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(user_subject, "UserSubject");

static const struct go_field group_subject_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(group_subject, "GroupSubject");

static const struct go_field service_account_subject_fields[] = {
    {"namespace", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(service_account_subject, "ServiceAccountSubject");

static const struct go_field flow_subject_fields[] = {
    {"kind",           1, GO_STRING,  GO_REQUIRED, NULL, NULL                         },
    {"user",           2, GO_MESSAGE, GO_POINTER,  NULL, &type_user_subject           },
    {"group",          3, GO_MESSAGE, GO_POINTER,  NULL, &type_group_subject          },
    {"serviceAccount", 4, GO_MESSAGE, GO_POINTER,  NULL, &type_service_account_subject},
};
TYPE(flow_subject, "Subject");

static const struct go_field resource_policy_rule_fields[] = {
    {"verbs",        1, GO_STRING, GO_LIST | GO_REQUIRED, NULL, NULL},
    {"apiGroups",    2, GO_STRING, GO_LIST | GO_REQUIRED, NULL, NULL},
    {"resources",    3, GO_STRING, GO_LIST | GO_REQUIRED, NULL, NULL},
    {"clusterScope", 4, GO_BOOL,   0,                     NULL, NULL},
    {"namespaces",   5, GO_STRING, GO_LIST | GO_REQUIRED, NULL, NULL},
};
static TYPE(resource_policy_rule, "ResourcePolicyRule");

static const struct go_field non_resource_policy_rule_fields[] = {
    {"verbs",           1, GO_STRING, GO_LIST | GO_REQUIRED, NULL, NULL},
    {"nonResourceURLs", 6, GO_STRING, GO_LIST | GO_REQUIRED, NULL, NULL},
};
static TYPE(non_resource_policy_rule, "NonResourcePolicyRule");

static const struct go_field policy_rules_with_subjects_fields[] = {
    {"subjects",         1, GO_MESSAGE, GO_LIST | GO_REQUIRED, NULL, &type_flow_subject            },
    {"resourceRules",    2, GO_MESSAGE, GO_LIST,               NULL, &type_resource_policy_rule    },
    {"nonResourceRules", 3, GO_MESSAGE, GO_LIST,               NULL, &type_non_resource_policy_rule},
};
static TYPE(policy_rules_with_subjects, "PolicyRulesWithSubjects");

static const struct go_field flow_distinguisher_method_fields[] = {
    {"type", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(flow_distinguisher_method, "FlowDistinguisherMethod");

static const struct go_field priority_level_configuration_reference_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(priority_level_configuration_reference, "PriorityLevelConfigurationReference");

static const struct go_field flow_schema_spec_fields[] = {
    {"priorityLevelConfiguration", 1, GO_MESSAGE, 0,           NULL,
     &type_priority_level_configuration_reference                                                    },
    {"matchingPrecedence",         2, GO_INT32,   GO_REQUIRED, NULL, NULL                            },
    {"distinguisherMethod",        3, GO_MESSAGE, GO_POINTER,  NULL, &type_flow_distinguisher_method },
    {"rules",                      4, GO_MESSAGE, GO_LIST,     NULL, &type_policy_rules_with_subjects},
};
static TYPE(flow_schema_spec, "FlowSchemaSpec");

static const struct go_field flow_schema_condition_fields[] = {
    {"type",               1, GO_STRING, 0, NULL, NULL},
    {"status",             2, GO_STRING, 0, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0, NULL, NULL},
    {"reason",             4, GO_STRING, 0, NULL, NULL},
    {"message",            5, GO_STRING, 0, NULL, NULL},
};
static TYPE(flow_schema_condition, "FlowSchemaCondition");

static const struct go_field flow_schema_status_fields[] = {
    {"conditions", 1, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_flow_schema_condition},
};
static TYPE(flow_schema_status, "FlowSchemaStatus");

static const struct go_field flow_schema_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                    },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                    },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta       },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_flow_schema_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_flow_schema_status},
};
TYPE(flow_schema, "FlowSchema");

static const struct go_field queuing_configuration_fields[] = {
    {"queues",           1, GO_INT32, GO_REQUIRED, NULL, NULL},
    {"handSize",         2, GO_INT32, GO_REQUIRED, NULL, NULL},
    {"queueLengthLimit", 3, GO_INT32, GO_REQUIRED, NULL, NULL},
};
static TYPE(queuing_configuration, "QueuingConfiguration");

static const struct go_field limit_response_fields[] = {
    {"type",    1, GO_STRING,  GO_REQUIRED, NULL, NULL                       },
    {"queuing", 2, GO_MESSAGE, GO_POINTER,  NULL, &type_queuing_configuration},
};
static TYPE(limit_response, "LimitResponse");

static const struct go_field limited_priority_level_configuration_fields[] = {
    {"nominalConcurrencyShares", 1, GO_INT32,   GO_POINTER | GO_REQUIRED, NULL, NULL                },
    {"limitResponse",            2, GO_MESSAGE, 0,                        NULL, &type_limit_response},
    {"lendablePercent",          3, GO_INT32,   GO_POINTER,               NULL, NULL                },
    {"borrowingLimitPercent",    4, GO_INT32,   GO_POINTER,               NULL, NULL                },
};
static TYPE(limited_priority_level_configuration, "LimitedPriorityLevelConfiguration");

static const struct go_field exempt_priority_level_configuration_fields[] = {
    {"nominalConcurrencyShares", 1, GO_INT32, GO_POINTER, NULL, NULL},
    {"lendablePercent",          2, GO_INT32, GO_POINTER, NULL, NULL},
};
static TYPE(exempt_priority_level_configuration, "ExemptPriorityLevelConfiguration");

static const struct go_field priority_level_configuration_spec_fields[] = {
    {"type",    1, GO_STRING,  GO_REQUIRED, NULL, NULL                                      },
    {"limited", 2, GO_MESSAGE, GO_POINTER,  NULL, &type_limited_priority_level_configuration},
    {"exempt",  3, GO_MESSAGE, GO_POINTER,  NULL, &type_exempt_priority_level_configuration },
};
static TYPE(priority_level_configuration_spec, "PriorityLevelConfigurationSpec");

static const struct go_field priority_level_configuration_condition_fields[] = {
    {"type",               1, GO_STRING, 0, NULL, NULL},
    {"status",             2, GO_STRING, 0, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0, NULL, NULL},
    {"reason",             4, GO_STRING, 0, NULL, NULL},
    {"message",            5, GO_STRING, 0, NULL, NULL},
};
static TYPE(priority_level_configuration_condition, "PriorityLevelConfigurationCondition");

static const struct go_field priority_level_configuration_status_fields[] = {
    {"conditions", 1, GO_MESSAGE, GO_LIST | GO_MERGE, "type",
     &type_priority_level_configuration_condition},
};
static TYPE(priority_level_configuration_status, "PriorityLevelConfigurationStatus");

static const struct go_field priority_level_configuration_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                     },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                     },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                        },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_priority_level_configuration_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_priority_level_configuration_status},
};
TYPE(priority_level_configuration, "PriorityLevelConfiguration");
