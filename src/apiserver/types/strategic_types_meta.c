/*
 * Metadata that every object has, selectors and options: the types of meta/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/strategic_types.h"

static const struct strategic_field owner_reference_fields[] = {
    {"apiVersion",         5, STRING, REQUIRED, NULL, NULL},
    {"kind",               1, STRING, REQUIRED, NULL, NULL},
    {"name",               3, STRING, REQUIRED, NULL, NULL},
    {"uid",                4, STRING, REQUIRED, NULL, NULL},
    {"controller",         6, BOOL,   POINTER,  NULL, NULL},
    {"blockOwnerDeletion", 7, BOOL,   POINTER,  NULL, NULL},
};
static TYPE(owner_reference, "OwnerReference");

static const struct strategic_field managed_fields_entry_fields[] = {
    {"manager",     1, STRING, 0,       NULL, NULL},
    {"operation",   2, STRING, 0,       NULL, NULL},
    {"apiVersion",  3, STRING, 0,       NULL, NULL},
    {"time",        4, TIME,   POINTER, NULL, NULL},
    {"fieldsType",  6, STRING, 0,       NULL, NULL},
    {"fieldsV1",    7, ANY,    POINTER, NULL, NULL},
    {"subresource", 8, STRING, 0,       NULL, NULL},
};
static TYPE(managed_fields_entry, "ManagedFieldsEntry");

static const struct strategic_field object_meta_fields[] = {
    {"name",                       1,  STRING,  0,            NULL,  NULL                      },
    {"generateName",               2,  STRING,  0,            NULL,  NULL                      },
    {"namespace",                  3,  STRING,  0,            NULL,  NULL                      },
    {"selfLink",                   4,  STRING,  0,            NULL,  NULL                      },
    {"uid",                        5,  STRING,  0,            NULL,  NULL                      },
    {"resourceVersion",            6,  STRING,  0,            NULL,  NULL                      },
    {"generation",                 7,  INT64,   0,            NULL,  NULL                      },
    {"creationTimestamp",          8,  TIME,    0,            NULL,  NULL                      },
    {"deletionTimestamp",          9,  TIME,    POINTER,      NULL,  NULL                      },
    {"deletionGracePeriodSeconds", 10, INT64,   POINTER,      NULL,  NULL                      },
    {"labels",                     11, STRING,  MAP,          NULL,  NULL                      },
    {"annotations",                12, STRING,  MAP,          NULL,  NULL                      },
    {"ownerReferences",            13, MESSAGE, LIST | MERGE, "uid", &type_owner_reference     },
    {"finalizers",                 14, STRING,  LIST | MERGE, NULL,  NULL                      },
    {"managedFields",              17, MESSAGE, LIST,         NULL,  &type_managed_fields_entry},
};
TYPE(object_meta, "ObjectMeta");

static const struct strategic_field condition_fields[] = {
    {"type",               1, STRING, REQUIRED, NULL, NULL},
    {"status",             2, STRING, REQUIRED, NULL, NULL},
    {"observedGeneration", 3, INT64,  0,        NULL, NULL},
    {"lastTransitionTime", 4, TIME,   REQUIRED, NULL, NULL},
    {"reason",             5, STRING, REQUIRED, NULL, NULL},
    {"message",            6, STRING, REQUIRED, NULL, NULL},
};
TYPE(condition, "Condition");

static const struct strategic_field label_selector_requirement_fields[] = {
    {"key",      1, STRING, REQUIRED, NULL, NULL},
    {"operator", 2, STRING, REQUIRED, NULL, NULL},
    {"values",   3, STRING, LIST,     NULL, NULL},
};
TYPE(label_selector_requirement, "LabelSelectorRequirement");

static const struct strategic_field label_selector_fields[] = {
    {"matchLabels",      1, STRING,  MAP,  NULL, NULL                            },
    {"matchExpressions", 2, MESSAGE, LIST, NULL, &type_label_selector_requirement},
};
TYPE(label_selector, "LabelSelector");

static const struct strategic_field preconditions_fields[] = {
    {"uid",             1, STRING, POINTER, NULL, NULL},
    {"resourceVersion", 2, STRING, POINTER, NULL, NULL},
};
static TYPE(preconditions, "Preconditions");

static const struct strategic_field delete_options_fields[] = {
    {"kind",                                             0, STRING,  0,       NULL, NULL               },
    {"apiVersion",                                       0, STRING,  0,       NULL, NULL               },
    {"gracePeriodSeconds",                               1, INT64,   POINTER, NULL, NULL               },
    {"preconditions",                                    2, MESSAGE, POINTER, NULL, &type_preconditions},
    {"orphanDependents",                                 3, BOOL,    POINTER, NULL, NULL               },
    {"propagationPolicy",                                4, STRING,  POINTER, NULL, NULL               },
    {"dryRun",                                           5, STRING,  LIST,    NULL, NULL               },
    {"ignoreStoreReadErrorWithClusterBreakingPotential", 6, BOOL,    POINTER, NULL, NULL               },
};
TYPE(delete_options, "DeleteOptions");

static const struct strategic_field field_selector_requirement_fields[] = {
    {"key",      1, STRING, REQUIRED, NULL, NULL},
    {"operator", 2, STRING, REQUIRED, NULL, NULL},
    {"values",   3, STRING, LIST,     NULL, NULL},
};
TYPE(field_selector_requirement, "FieldSelectorRequirement");
