/*
 * rbac.authorization.k8s.io/v1, authentication.k8s.io/v1, authorization.k8s.io/v1 and
 * certificates.k8s.io/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field policy_rule_fields[] = {
    {"verbs",           1, GO_STRING, GO_LIST, NULL, NULL},
    {"apiGroups",       2, GO_STRING, GO_LIST, NULL, NULL},
    {"resources",       3, GO_STRING, GO_LIST, NULL, NULL},
    {"resourceNames",   4, GO_STRING, GO_LIST, NULL, NULL},
    {"nonResourceURLs", 5, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(policy_rule, "PolicyRule");

static const struct go_field role_fields[] = {
    {"kind",       0, GO_STRING,  0,       NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,       NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,       NULL, &type_object_meta},
    {"rules",      2, GO_MESSAGE, GO_LIST, NULL, &type_policy_rule},
};
TYPE(role, "Role");

static const struct go_field subject_fields[] = {
    {"kind",      1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"apiGroup",  2, GO_STRING, 0,           NULL, NULL},
    {"name",      3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"namespace", 4, GO_STRING, 0,           NULL, NULL},
};
static TYPE(subject, "Subject");

static const struct go_field role_ref_fields[] = {
    {"apiGroup", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"kind",     2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",     3, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(role_ref, "RoleRef");

static const struct go_field role_binding_fields[] = {
    {"kind",       0, GO_STRING,  0,       NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,       NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,       NULL, &type_object_meta},
    {"subjects",   2, GO_MESSAGE, GO_LIST, NULL, &type_subject    },
    {"roleRef",    3, GO_MESSAGE, 0,       NULL, &type_role_ref   },
};
TYPE(role_binding, "RoleBinding");

static const struct go_field aggregation_rule_fields[] = {
    {"clusterRoleSelectors", 1, GO_MESSAGE, GO_LIST, NULL, &type_label_selector},
};
static TYPE(aggregation_rule, "AggregationRule");

static const struct go_field cluster_role_fields[] = {
    {"kind",            0, GO_STRING,  0,          NULL, NULL                  },
    {"apiVersion",      0, GO_STRING,  0,          NULL, NULL                  },
    {"metadata",        1, GO_MESSAGE, 0,          NULL, &type_object_meta     },
    {"rules",           2, GO_MESSAGE, GO_LIST,    NULL, &type_policy_rule     },
    {"aggregationRule", 3, GO_MESSAGE, GO_POINTER, NULL, &type_aggregation_rule},
};
TYPE(cluster_role, "ClusterRole");

static const struct go_field cluster_role_binding_fields[] = {
    {"kind",       0, GO_STRING,  0,       NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,       NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,       NULL, &type_object_meta},
    {"subjects",   2, GO_MESSAGE, GO_LIST, NULL, &type_subject    },
    {"roleRef",    3, GO_MESSAGE, 0,       NULL, &type_role_ref   },
};
TYPE(cluster_role_binding, "ClusterRoleBinding");

static const struct go_field bound_object_reference_fields[] = {
    {"kind",       1, GO_STRING, 0, NULL, NULL},
    {"apiVersion", 2, GO_STRING, 0, NULL, NULL},
    {"name",       3, GO_STRING, 0, NULL, NULL},
    {"uid",        4, GO_STRING, 0, NULL, NULL},
};
static TYPE(bound_object_reference, "BoundObjectReference");

static const struct go_field token_request_spec_fields[] = {
    {"audiences",         1, GO_STRING,  GO_LIST,    NULL, NULL                        },
    {"expirationSeconds", 4, GO_INT64,   GO_POINTER, NULL, NULL                        },
    {"boundObjectRef",    3, GO_MESSAGE, GO_POINTER, NULL, &type_bound_object_reference},
};
static TYPE(token_request_spec, "TokenRequestSpec");

static const struct go_field token_request_status_fields[] = {
    {"token",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"expirationTimestamp", 2, GO_TIME,   GO_REQUIRED, NULL, NULL},
};
static TYPE(token_request_status, "TokenRequestStatus");

static const struct go_field authentication_token_request_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                      },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                      },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta         },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_token_request_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_token_request_status},
};
TYPE(authentication_token_request, "TokenRequest");

static const struct go_field token_review_spec_fields[] = {
    {"token",     1, GO_STRING, 0,       NULL, NULL},
    {"audiences", 2, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(token_review_spec, "TokenReviewSpec");

static const struct go_field user_info_fields[] = {
    {"username", 1, GO_STRING,  0,       NULL, NULL},
    {"uid",      2, GO_STRING,  0,       NULL, NULL},
    {"groups",   3, GO_STRING,  GO_LIST, NULL, NULL},
    {"extra",    4, GO_STRINGS, GO_MAP,  NULL, NULL},
};
static TYPE(user_info, "UserInfo");

static const struct go_field token_review_status_fields[] = {
    {"authenticated", 1, GO_BOOL,    0,       NULL, NULL           },
    {"user",          2, GO_MESSAGE, 0,       NULL, &type_user_info},
    {"audiences",     4, GO_STRING,  GO_LIST, NULL, NULL           },
    {"error",         3, GO_STRING,  0,       NULL, NULL           },
};
static TYPE(token_review_status, "TokenReviewStatus");

static const struct go_field token_review_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                     },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                     },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta        },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_token_review_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_token_review_status},
};
TYPE(token_review, "TokenReview");

static const struct go_field self_subject_review_status_fields[] = {
    {"userInfo", 1, GO_MESSAGE, 0, NULL, &type_user_info},
};
static TYPE(self_subject_review_status, "SelfSubjectReviewStatus");

static const struct go_field self_subject_review_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                            },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                            },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta               },
    {"status",     2, GO_MESSAGE, 0, NULL, &type_self_subject_review_status},
};
TYPE(self_subject_review, "SelfSubjectReview");

static const struct go_field field_selector_attributes_fields[] = {
    {"rawSelector",  1, GO_STRING,  0,       NULL, NULL                            },
    {"requirements", 2, GO_MESSAGE, GO_LIST, NULL, &type_field_selector_requirement},
};
static TYPE(field_selector_attributes, "FieldSelectorAttributes");

static const struct go_field label_selector_attributes_fields[] = {
    {"rawSelector",  1, GO_STRING,  0,       NULL, NULL                            },
    {"requirements", 2, GO_MESSAGE, GO_LIST, NULL, &type_label_selector_requirement},
};
static TYPE(label_selector_attributes, "LabelSelectorAttributes");

static const struct go_field resource_attributes_fields[] = {
    {"namespace",     1, GO_STRING,  0,          NULL, NULL                           },
    {"verb",          2, GO_STRING,  0,          NULL, NULL                           },
    {"group",         3, GO_STRING,  0,          NULL, NULL                           },
    {"version",       4, GO_STRING,  0,          NULL, NULL                           },
    {"resource",      5, GO_STRING,  0,          NULL, NULL                           },
    {"subresource",   6, GO_STRING,  0,          NULL, NULL                           },
    {"name",          7, GO_STRING,  0,          NULL, NULL                           },
    {"fieldSelector", 8, GO_MESSAGE, GO_POINTER, NULL, &type_field_selector_attributes},
    {"labelSelector", 9, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector_attributes},
};
static TYPE(resource_attributes, "ResourceAttributes");

static const struct go_field non_resource_attributes_fields[] = {
    {"path", 1, GO_STRING, 0, NULL, NULL},
    {"verb", 2, GO_STRING, 0, NULL, NULL},
};
static TYPE(non_resource_attributes, "NonResourceAttributes");

static const struct go_field self_subject_access_review_spec_fields[] = {
    {"resourceAttributes",    1, GO_MESSAGE, GO_POINTER, NULL, &type_resource_attributes    },
    {"nonResourceAttributes", 2, GO_MESSAGE, GO_POINTER, NULL, &type_non_resource_attributes},
};
static TYPE(self_subject_access_review_spec, "SelfSubjectAccessReviewSpec");

static const struct go_field subject_access_review_status_fields[] = {
    {"allowed",         1, GO_BOOL,   GO_REQUIRED, NULL, NULL},
    {"denied",          4, GO_BOOL,   0,           NULL, NULL},
    {"reason",          2, GO_STRING, 0,           NULL, NULL},
    {"evaluationError", 3, GO_STRING, 0,           NULL, NULL},
};
static TYPE(subject_access_review_status, "SubjectAccessReviewStatus");

static const struct go_field self_subject_access_review_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                 },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                 },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                    },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_self_subject_access_review_spec},
    {"status",     3, GO_MESSAGE, 0, NULL, &type_subject_access_review_status   },
};
TYPE(self_subject_access_review, "SelfSubjectAccessReview");

static const struct go_field self_subject_rules_review_spec_fields[] = {
    {"namespace", 1, GO_STRING, 0, NULL, NULL},
};
static TYPE(self_subject_rules_review_spec, "SelfSubjectRulesReviewSpec");

static const struct go_field resource_rule_fields[] = {
    {"verbs",         1, GO_STRING, GO_LIST, NULL, NULL},
    {"apiGroups",     2, GO_STRING, GO_LIST, NULL, NULL},
    {"resources",     3, GO_STRING, GO_LIST, NULL, NULL},
    {"resourceNames", 4, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(resource_rule, "ResourceRule");

static const struct go_field non_resource_rule_fields[] = {
    {"verbs",           1, GO_STRING, GO_LIST, NULL, NULL},
    {"nonResourceURLs", 2, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(non_resource_rule, "NonResourceRule");

static const struct go_field subject_rules_review_status_fields[] = {
    {"resourceRules",    1, GO_MESSAGE, GO_LIST,     NULL, &type_resource_rule    },
    {"nonResourceRules", 2, GO_MESSAGE, GO_LIST,     NULL, &type_non_resource_rule},
    {"incomplete",       3, GO_BOOL,    GO_REQUIRED, NULL, NULL                   },
    {"evaluationError",  4, GO_STRING,  0,           NULL, NULL                   },
};
static TYPE(subject_rules_review_status, "SubjectRulesReviewStatus");

static const struct go_field self_subject_rules_review_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                   },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_self_subject_rules_review_spec},
    {"status",     3, GO_MESSAGE, 0, NULL, &type_subject_rules_review_status   },
};
TYPE(self_subject_rules_review, "SelfSubjectRulesReview");

static const struct go_field subject_access_review_spec_fields[] = {
    {"resourceAttributes",    1, GO_MESSAGE, GO_POINTER, NULL, &type_resource_attributes    },
    {"nonResourceAttributes", 2, GO_MESSAGE, GO_POINTER, NULL, &type_non_resource_attributes},
    {"user",                  3, GO_STRING,  0,          NULL, NULL                         },
    {"groups",                4, GO_STRING,  GO_LIST,    NULL, NULL                         },
    {"extra",                 5, GO_STRINGS, GO_MAP,     NULL, NULL                         },
    {"uid",                   6, GO_STRING,  0,          NULL, NULL                         },
};
static TYPE(subject_access_review_spec, "SubjectAccessReviewSpec");

static const struct go_field subject_access_review_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                              },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                              },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_subject_access_review_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_subject_access_review_status},
};
TYPE(subject_access_review, "SubjectAccessReview");

static const struct go_field local_subject_access_review_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                              },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                              },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_subject_access_review_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_subject_access_review_status},
};
TYPE(local_subject_access_review, "LocalSubjectAccessReview");

static const struct go_field certificate_signing_request_spec_fields[] = {
    {"request",           1, GO_BYTES,   GO_REQUIRED, NULL, NULL},
    {"signerName",        7, GO_STRING,  GO_REQUIRED, NULL, NULL},
    {"expirationSeconds", 8, GO_INT32,   GO_POINTER,  NULL, NULL},
    {"usages",            5, GO_STRING,  GO_LIST,     NULL, NULL},
    {"username",          2, GO_STRING,  0,           NULL, NULL},
    {"uid",               3, GO_STRING,  0,           NULL, NULL},
    {"groups",            4, GO_STRING,  GO_LIST,     NULL, NULL},
    {"extra",             6, GO_STRINGS, GO_MAP,      NULL, NULL},
};
static TYPE(certificate_signing_request_spec, "CertificateSigningRequestSpec");

static const struct go_field certificate_signing_request_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             6, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"reason",             2, GO_STRING, 0,           NULL, NULL},
    {"message",            3, GO_STRING, 0,           NULL, NULL},
    {"lastUpdateTime",     4, GO_TIME,   0,           NULL, NULL},
    {"lastTransitionTime", 5, GO_TIME,   0,           NULL, NULL},
};
static TYPE(certificate_signing_request_condition, "CertificateSigningRequestCondition");

static const struct go_field certificate_signing_request_status_fields[] = {
    {"conditions",  1, GO_MESSAGE, GO_LIST, NULL, &type_certificate_signing_request_condition},
    {"certificate", 2, GO_BYTES,   0,       NULL, NULL                                       },
};
static TYPE(certificate_signing_request_status, "CertificateSigningRequestStatus");

static const struct go_field certificate_signing_request_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                    },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                    },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                       },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_certificate_signing_request_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_certificate_signing_request_status},
};
TYPE(certificate_signing_request, "CertificateSigningRequest");
