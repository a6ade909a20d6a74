/*
 * rbac.authorization.k8s.io/v1, authentication.k8s.io/v1, authorization.k8s.io/v1 and
 * certificates.k8s.io/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/strategic_types.h"

static const struct strategic_field policy_rule_fields[] = {
    {"verbs",           1, STRING, LIST, NULL, NULL},
    {"apiGroups",       2, STRING, LIST, NULL, NULL},
    {"resources",       3, STRING, LIST, NULL, NULL},
    {"resourceNames",   4, STRING, LIST, NULL, NULL},
    {"nonResourceURLs", 5, STRING, LIST, NULL, NULL},
};
static TYPE(policy_rule, "PolicyRule");

static const struct strategic_field role_fields[] = {
    {"kind",       0, STRING,  0,    NULL, NULL             },
    {"apiVersion", 0, STRING,  0,    NULL, NULL             },
    {"metadata",   1, MESSAGE, 0,    NULL, &type_object_meta},
    {"rules",      2, MESSAGE, LIST, NULL, &type_policy_rule},
};
TYPE(role, "Role");

static const struct strategic_field subject_fields[] = {
    {"kind",      1, STRING, REQUIRED, NULL, NULL},
    {"apiGroup",  2, STRING, 0,        NULL, NULL},
    {"name",      3, STRING, REQUIRED, NULL, NULL},
    {"namespace", 4, STRING, 0,        NULL, NULL},
};
static TYPE(subject, "Subject");

static const struct strategic_field role_ref_fields[] = {
    {"apiGroup", 1, STRING, REQUIRED, NULL, NULL},
    {"kind",     2, STRING, REQUIRED, NULL, NULL},
    {"name",     3, STRING, REQUIRED, NULL, NULL},
};
static TYPE(role_ref, "RoleRef");

static const struct strategic_field role_binding_fields[] = {
    {"kind",       0, STRING,  0,    NULL, NULL             },
    {"apiVersion", 0, STRING,  0,    NULL, NULL             },
    {"metadata",   1, MESSAGE, 0,    NULL, &type_object_meta},
    {"subjects",   2, MESSAGE, LIST, NULL, &type_subject    },
    {"roleRef",    3, MESSAGE, 0,    NULL, &type_role_ref   },
};
TYPE(role_binding, "RoleBinding");

static const struct strategic_field aggregation_rule_fields[] = {
    {"clusterRoleSelectors", 1, MESSAGE, LIST, NULL, &type_label_selector},
};
static TYPE(aggregation_rule, "AggregationRule");

static const struct strategic_field cluster_role_fields[] = {
    {"kind",            0, STRING,  0,       NULL, NULL                  },
    {"apiVersion",      0, STRING,  0,       NULL, NULL                  },
    {"metadata",        1, MESSAGE, 0,       NULL, &type_object_meta     },
    {"rules",           2, MESSAGE, LIST,    NULL, &type_policy_rule     },
    {"aggregationRule", 3, MESSAGE, POINTER, NULL, &type_aggregation_rule},
};
TYPE(cluster_role, "ClusterRole");

static const struct strategic_field cluster_role_binding_fields[] = {
    {"kind",       0, STRING,  0,    NULL, NULL             },
    {"apiVersion", 0, STRING,  0,    NULL, NULL             },
    {"metadata",   1, MESSAGE, 0,    NULL, &type_object_meta},
    {"subjects",   2, MESSAGE, LIST, NULL, &type_subject    },
    {"roleRef",    3, MESSAGE, 0,    NULL, &type_role_ref   },
};
TYPE(cluster_role_binding, "ClusterRoleBinding");

static const struct strategic_field bound_object_reference_fields[] = {
    {"kind",       1, STRING, 0, NULL, NULL},
    {"apiVersion", 2, STRING, 0, NULL, NULL},
    {"name",       3, STRING, 0, NULL, NULL},
    {"uid",        4, STRING, 0, NULL, NULL},
};
static TYPE(bound_object_reference, "BoundObjectReference");

static const struct strategic_field token_request_spec_fields[] = {
    {"audiences",         1, STRING,  LIST,    NULL, NULL                        },
    {"expirationSeconds", 4, INT64,   POINTER, NULL, NULL                        },
    {"boundObjectRef",    3, MESSAGE, POINTER, NULL, &type_bound_object_reference},
};
static TYPE(token_request_spec, "TokenRequestSpec");

static const struct strategic_field token_request_status_fields[] = {
    {"token",               1, STRING, REQUIRED, NULL, NULL},
    {"expirationTimestamp", 2, TIME,   REQUIRED, NULL, NULL},
};
static TYPE(token_request_status, "TokenRequestStatus");

static const struct strategic_field authentication_token_request_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                      },
    {"apiVersion", 0, STRING,  0, NULL, NULL                      },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta         },
    {"spec",       2, MESSAGE, 0, NULL, &type_token_request_spec  },
    {"status",     3, MESSAGE, 0, NULL, &type_token_request_status},
};
TYPE(authentication_token_request, "TokenRequest");

static const struct strategic_field token_review_spec_fields[] = {
    {"token",     1, STRING, 0,    NULL, NULL},
    {"audiences", 2, STRING, LIST, NULL, NULL},
};
static TYPE(token_review_spec, "TokenReviewSpec");

static const struct strategic_field user_info_fields[] = {
    {"username", 1, STRING,  0,    NULL, NULL},
    {"uid",      2, STRING,  0,    NULL, NULL},
    {"groups",   3, STRING,  LIST, NULL, NULL},
    {"extra",    4, STRINGS, MAP,  NULL, NULL},
};
static TYPE(user_info, "UserInfo");

static const struct strategic_field token_review_status_fields[] = {
    {"authenticated", 1, BOOL,    0,    NULL, NULL           },
    {"user",          2, MESSAGE, 0,    NULL, &type_user_info},
    {"audiences",     4, STRING,  LIST, NULL, NULL           },
    {"error",         3, STRING,  0,    NULL, NULL           },
};
static TYPE(token_review_status, "TokenReviewStatus");

static const struct strategic_field token_review_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                     },
    {"apiVersion", 0, STRING,  0, NULL, NULL                     },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta        },
    {"spec",       2, MESSAGE, 0, NULL, &type_token_review_spec  },
    {"status",     3, MESSAGE, 0, NULL, &type_token_review_status},
};
TYPE(token_review, "TokenReview");

static const struct strategic_field self_subject_review_status_fields[] = {
    {"userInfo", 1, MESSAGE, 0, NULL, &type_user_info},
};
static TYPE(self_subject_review_status, "SelfSubjectReviewStatus");

static const struct strategic_field self_subject_review_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                            },
    {"apiVersion", 0, STRING,  0, NULL, NULL                            },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta               },
    {"status",     2, MESSAGE, 0, NULL, &type_self_subject_review_status},
};
TYPE(self_subject_review, "SelfSubjectReview");

static const struct strategic_field field_selector_attributes_fields[] = {
    {"rawSelector",  1, STRING,  0,    NULL, NULL                            },
    {"requirements", 2, MESSAGE, LIST, NULL, &type_field_selector_requirement},
};
static TYPE(field_selector_attributes, "FieldSelectorAttributes");

static const struct strategic_field label_selector_attributes_fields[] = {
    {"rawSelector",  1, STRING,  0,    NULL, NULL                            },
    {"requirements", 2, MESSAGE, LIST, NULL, &type_label_selector_requirement},
};
static TYPE(label_selector_attributes, "LabelSelectorAttributes");

static const struct strategic_field resource_attributes_fields[] = {
    {"namespace",     1, STRING,  0,       NULL, NULL                           },
    {"verb",          2, STRING,  0,       NULL, NULL                           },
    {"group",         3, STRING,  0,       NULL, NULL                           },
    {"version",       4, STRING,  0,       NULL, NULL                           },
    {"resource",      5, STRING,  0,       NULL, NULL                           },
    {"subresource",   6, STRING,  0,       NULL, NULL                           },
    {"name",          7, STRING,  0,       NULL, NULL                           },
    {"fieldSelector", 8, MESSAGE, POINTER, NULL, &type_field_selector_attributes},
    {"labelSelector", 9, MESSAGE, POINTER, NULL, &type_label_selector_attributes},
};
static TYPE(resource_attributes, "ResourceAttributes");

static const struct strategic_field non_resource_attributes_fields[] = {
    {"path", 1, STRING, 0, NULL, NULL},
    {"verb", 2, STRING, 0, NULL, NULL},
};
static TYPE(non_resource_attributes, "NonResourceAttributes");

static const struct strategic_field self_subject_access_review_spec_fields[] = {
    {"resourceAttributes",    1, MESSAGE, POINTER, NULL, &type_resource_attributes    },
    {"nonResourceAttributes", 2, MESSAGE, POINTER, NULL, &type_non_resource_attributes},
};
static TYPE(self_subject_access_review_spec, "SelfSubjectAccessReviewSpec");

static const struct strategic_field subject_access_review_status_fields[] = {
    {"allowed",         1, BOOL,   REQUIRED, NULL, NULL},
    {"denied",          4, BOOL,   0,        NULL, NULL},
    {"reason",          2, STRING, 0,        NULL, NULL},
    {"evaluationError", 3, STRING, 0,        NULL, NULL},
};
static TYPE(subject_access_review_status, "SubjectAccessReviewStatus");

static const struct strategic_field self_subject_access_review_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                                 },
    {"apiVersion", 0, STRING,  0, NULL, NULL                                 },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta                    },
    {"spec",       2, MESSAGE, 0, NULL, &type_self_subject_access_review_spec},
    {"status",     3, MESSAGE, 0, NULL, &type_subject_access_review_status   },
};
TYPE(self_subject_access_review, "SelfSubjectAccessReview");

static const struct strategic_field self_subject_rules_review_spec_fields[] = {
    {"namespace", 1, STRING, 0, NULL, NULL},
};
static TYPE(self_subject_rules_review_spec, "SelfSubjectRulesReviewSpec");

static const struct strategic_field resource_rule_fields[] = {
    {"verbs",         1, STRING, LIST, NULL, NULL},
    {"apiGroups",     2, STRING, LIST, NULL, NULL},
    {"resources",     3, STRING, LIST, NULL, NULL},
    {"resourceNames", 4, STRING, LIST, NULL, NULL},
};
static TYPE(resource_rule, "ResourceRule");

static const struct strategic_field non_resource_rule_fields[] = {
    {"verbs",           1, STRING, LIST, NULL, NULL},
    {"nonResourceURLs", 2, STRING, LIST, NULL, NULL},
};
static TYPE(non_resource_rule, "NonResourceRule");

static const struct strategic_field subject_rules_review_status_fields[] = {
    {"resourceRules",    1, MESSAGE, LIST,     NULL, &type_resource_rule    },
    {"nonResourceRules", 2, MESSAGE, LIST,     NULL, &type_non_resource_rule},
    {"incomplete",       3, BOOL,    REQUIRED, NULL, NULL                   },
    {"evaluationError",  4, STRING,  0,        NULL, NULL                   },
};
static TYPE(subject_rules_review_status, "SubjectRulesReviewStatus");

static const struct strategic_field self_subject_rules_review_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                                },
    {"apiVersion", 0, STRING,  0, NULL, NULL                                },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta                   },
    {"spec",       2, MESSAGE, 0, NULL, &type_self_subject_rules_review_spec},
    {"status",     3, MESSAGE, 0, NULL, &type_subject_rules_review_status   },
};
TYPE(self_subject_rules_review, "SelfSubjectRulesReview");

static const struct strategic_field subject_access_review_spec_fields[] = {
    {"resourceAttributes",    1, MESSAGE, POINTER, NULL, &type_resource_attributes    },
    {"nonResourceAttributes", 2, MESSAGE, POINTER, NULL, &type_non_resource_attributes},
    {"user",                  3, STRING,  0,       NULL, NULL                         },
    {"groups",                4, STRING,  LIST,    NULL, NULL                         },
    {"extra",                 5, STRINGS, MAP,     NULL, NULL                         },
    {"uid",                   6, STRING,  0,       NULL, NULL                         },
};
static TYPE(subject_access_review_spec, "SubjectAccessReviewSpec");

static const struct strategic_field subject_access_review_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                              },
    {"apiVersion", 0, STRING,  0, NULL, NULL                              },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",       2, MESSAGE, 0, NULL, &type_subject_access_review_spec  },
    {"status",     3, MESSAGE, 0, NULL, &type_subject_access_review_status},
};
TYPE(subject_access_review, "SubjectAccessReview");

static const struct strategic_field local_subject_access_review_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                              },
    {"apiVersion", 0, STRING,  0, NULL, NULL                              },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",       2, MESSAGE, 0, NULL, &type_subject_access_review_spec  },
    {"status",     3, MESSAGE, 0, NULL, &type_subject_access_review_status},
};
TYPE(local_subject_access_review, "LocalSubjectAccessReview");

static const struct strategic_field certificate_signing_request_spec_fields[] = {
    {"request",           1, BYTES,   REQUIRED, NULL, NULL},
    {"signerName",        7, STRING,  REQUIRED, NULL, NULL},
    {"expirationSeconds", 8, INT32,   POINTER,  NULL, NULL},
    {"usages",            5, STRING,  LIST,     NULL, NULL},
    {"username",          2, STRING,  0,        NULL, NULL},
    {"uid",               3, STRING,  0,        NULL, NULL},
    {"groups",            4, STRING,  LIST,     NULL, NULL},
    {"extra",             6, STRINGS, MAP,      NULL, NULL},
};
static TYPE(certificate_signing_request_spec, "CertificateSigningRequestSpec");

static const struct strategic_field certificate_signing_request_condition_fields[] = {
    {"type",               1, STRING, REQUIRED, NULL, NULL},
    {"status",             6, STRING, REQUIRED, NULL, NULL},
    {"reason",             2, STRING, 0,        NULL, NULL},
    {"message",            3, STRING, 0,        NULL, NULL},
    {"lastUpdateTime",     4, TIME,   0,        NULL, NULL},
    {"lastTransitionTime", 5, TIME,   0,        NULL, NULL},
};
static TYPE(certificate_signing_request_condition, "CertificateSigningRequestCondition");

static const struct strategic_field certificate_signing_request_status_fields[] = {
    {"conditions",  1, MESSAGE, LIST, NULL, &type_certificate_signing_request_condition},
    {"certificate", 2, BYTES,   0,    NULL, NULL                                       },
};
static TYPE(certificate_signing_request_status, "CertificateSigningRequestStatus");

static const struct strategic_field certificate_signing_request_fields[] = {
    {"kind",       0, STRING,  0, NULL, NULL                                    },
    {"apiVersion", 0, STRING,  0, NULL, NULL                                    },
    {"metadata",   1, MESSAGE, 0, NULL, &type_object_meta                       },
    {"spec",       2, MESSAGE, 0, NULL, &type_certificate_signing_request_spec  },
    {"status",     3, MESSAGE, 0, NULL, &type_certificate_signing_request_status},
};
TYPE(certificate_signing_request, "CertificateSigningRequest");
