/*
 * Metadata that every object has, selectors and options: the types of meta/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field owner_reference_fields[] = {
    {"apiVersion",         5, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"kind",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",               3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"uid",                4, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"controller",         6, GO_BOOL,   GO_POINTER,  NULL, NULL},
    {"blockOwnerDeletion", 7, GO_BOOL,   GO_POINTER,  NULL, NULL},
};
static TYPE(owner_reference, "OwnerReference");

static const struct go_field managed_fields_entry_fields[] = {
    {"manager",     1, GO_STRING, 0,          NULL, NULL},
    {"operation",   2, GO_STRING, 0,          NULL, NULL},
    {"apiVersion",  3, GO_STRING, 0,          NULL, NULL},
    {"time",        4, GO_TIME,   GO_POINTER, NULL, NULL},
    {"fieldsType",  6, GO_STRING, 0,          NULL, NULL},
    {"fieldsV1",    7, GO_ANY,    GO_POINTER, NULL, NULL},
    {"subresource", 8, GO_STRING, 0,          NULL, NULL},
};
static TYPE(managed_fields_entry, "ManagedFieldsEntry");

static const struct go_field object_meta_fields[] = {
    {"name",                       1,  GO_STRING,  0,                  NULL,  NULL                      },
    {"generateName",               2,  GO_STRING,  0,                  NULL,  NULL                      },
    {"namespace",                  3,  GO_STRING,  0,                  NULL,  NULL                      },
    {"selfLink",                   4,  GO_STRING,  0,                  NULL,  NULL                      },
    {"uid",                        5,  GO_STRING,  0,                  NULL,  NULL                      },
    {"resourceVersion",            6,  GO_STRING,  0,                  NULL,  NULL                      },
    {"generation",                 7,  GO_INT64,   0,                  NULL,  NULL                      },
    {"creationTimestamp",          8,  GO_TIME,    0,                  NULL,  NULL                      },
    {"deletionTimestamp",          9,  GO_TIME,    GO_POINTER,         NULL,  NULL                      },
    {"deletionGracePeriodSeconds", 10, GO_INT64,   GO_POINTER,         NULL,  NULL                      },
    {"labels",                     11, GO_STRING,  GO_MAP,             NULL,  NULL                      },
    {"annotations",                12, GO_STRING,  GO_MAP,             NULL,  NULL                      },
    {"ownerReferences",            13, GO_MESSAGE, GO_LIST | GO_MERGE, "uid", &type_owner_reference     },
    {"finalizers",                 14, GO_STRING,  GO_LIST | GO_MERGE, NULL,  NULL                      },
    {"managedFields",              17, GO_MESSAGE, GO_LIST,            NULL,  &type_managed_fields_entry},
};
TYPE(object_meta, "ObjectMeta");

static const struct go_field condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"observedGeneration", 3, GO_INT64,  0,           NULL, NULL},
    {"lastTransitionTime", 4, GO_TIME,   GO_REQUIRED, NULL, NULL},
    {"reason",             5, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"message",            6, GO_STRING, GO_REQUIRED, NULL, NULL},
};
TYPE(condition, "Condition");

static const struct go_field label_selector_requirement_fields[] = {
    {"key",      1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"operator", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"values",   3, GO_STRING, GO_LIST,     NULL, NULL},
};
TYPE(label_selector_requirement, "LabelSelectorRequirement");

static const struct go_field label_selector_fields[] = {
    {"matchLabels",      1, GO_STRING,  GO_MAP,  NULL, NULL                            },
    {"matchExpressions", 2, GO_MESSAGE, GO_LIST, NULL, &type_label_selector_requirement},
};
TYPE(label_selector, "LabelSelector");

static const struct go_field preconditions_fields[] = {
    {"uid",             1, GO_STRING, GO_POINTER, NULL, NULL},
    {"resourceVersion", 2, GO_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(preconditions, "Preconditions");

static const struct go_field delete_options_fields[] = {
    {"kind",                                             0, GO_STRING,  0,          NULL, NULL               },
    {"apiVersion",                                       0, GO_STRING,  0,          NULL, NULL               },
    {"gracePeriodSeconds",                               1, GO_INT64,   GO_POINTER, NULL, NULL               },
    {"preconditions",                                    2, GO_MESSAGE, GO_POINTER, NULL, &type_preconditions},
    {"orphanDependents",                                 3, GO_BOOL,    GO_POINTER, NULL, NULL               },
    {"propagationPolicy",                                4, GO_STRING,  GO_POINTER, NULL, NULL               },
    {"dryRun",                                           5, GO_STRING,  GO_LIST,    NULL, NULL               },
    {"ignoreStoreReadErrorWithClusterBreakingPotential", 6, GO_BOOL,    GO_POINTER, NULL, NULL               },
};
TYPE(delete_options, "DeleteOptions");

static const struct go_field field_selector_requirement_fields[] = {
    {"key",      1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"operator", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"values",   3, GO_STRING, GO_LIST,     NULL, NULL},
};
TYPE(field_selector_requirement, "FieldSelectorRequirement");
