/*
 * apps/v1, batch/v1, autoscaling, policy/v1 and scheduling.k8s.io/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field rolling_update_deployment_fields[] = {
    {"maxUnavailable", 1, GO_INT_OR_STRING, GO_POINTER, NULL, NULL},
    {"maxSurge",       2, GO_INT_OR_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(rolling_update_deployment, "RollingUpdateDeployment");

static const struct go_field deployment_strategy_fields[] = {
    {"type",          1, GO_STRING,  0,          NULL, NULL                           },
    {"rollingUpdate", 2, GO_MESSAGE, GO_POINTER, NULL, &type_rolling_update_deployment},
};
static TYPE(deployment_strategy, "DeploymentStrategy");

static const struct go_field deployment_spec_fields[] = {
    {"replicas",                1, GO_INT32,   GO_POINTER,     NULL, NULL                     },
    {"selector",                2, GO_MESSAGE, GO_POINTER,     NULL, &type_label_selector     },
    {"template",                3, GO_MESSAGE, 0,              NULL, &type_pod_template_spec  },
    {"strategy",                4, GO_MESSAGE, GO_RETAIN_KEYS, NULL, &type_deployment_strategy},
    {"minReadySeconds",         5, GO_INT32,   0,              NULL, NULL                     },
    {"revisionHistoryLimit",    6, GO_INT32,   GO_POINTER,     NULL, NULL                     },
    {"paused",                  7, GO_BOOL,    0,              NULL, NULL                     },
    {"progressDeadlineSeconds", 9, GO_INT32,   GO_POINTER,     NULL, NULL                     },
};
static TYPE(deployment_spec, "DeploymentSpec");

static const struct go_field deployment_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastUpdateTime",     6, GO_TIME,   0,           NULL, NULL},
    {"lastTransitionTime", 7, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(deployment_condition, "DeploymentCondition");

static const struct go_field deployment_status_fields[] = {
    {"observedGeneration",  1, GO_INT64,   0,                  NULL,   NULL                      },
    {"replicas",            2, GO_INT32,   0,                  NULL,   NULL                      },
    {"updatedReplicas",     3, GO_INT32,   0,                  NULL,   NULL                      },
    {"readyReplicas",       7, GO_INT32,   0,                  NULL,   NULL                      },
    {"availableReplicas",   4, GO_INT32,   0,                  NULL,   NULL                      },
    {"unavailableReplicas", 5, GO_INT32,   0,                  NULL,   NULL                      },
    {"terminatingReplicas", 9, GO_INT32,   GO_POINTER,         NULL,   NULL                      },
    {"conditions",          6, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_deployment_condition},
    {"collisionCount",      8, GO_INT32,   GO_POINTER,         NULL,   NULL                      },
};
static TYPE(deployment_status, "DeploymentStatus");

static const struct go_field deployment_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                   },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                   },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta      },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_deployment_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_deployment_status},
};
TYPE(deployment, "Deployment");

static const struct go_field rolling_update_daemon_set_fields[] = {
    {"maxUnavailable", 1, GO_INT_OR_STRING, GO_POINTER, NULL, NULL},
    {"maxSurge",       2, GO_INT_OR_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(rolling_update_daemon_set, "RollingUpdateDaemonSet");

static const struct go_field daemon_set_update_strategy_fields[] = {
    {"type",          1, GO_STRING,  0,          NULL, NULL                           },
    {"rollingUpdate", 2, GO_MESSAGE, GO_POINTER, NULL, &type_rolling_update_daemon_set},
};
static TYPE(daemon_set_update_strategy, "DaemonSetUpdateStrategy");

static const struct go_field daemon_set_spec_fields[] = {
    {"selector",             1, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector            },
    {"template",             2, GO_MESSAGE, 0,          NULL, &type_pod_template_spec         },
    {"updateStrategy",       3, GO_MESSAGE, 0,          NULL, &type_daemon_set_update_strategy},
    {"minReadySeconds",      4, GO_INT32,   0,          NULL, NULL                            },
    {"revisionHistoryLimit", 6, GO_INT32,   GO_POINTER, NULL, NULL                            },
};
static TYPE(daemon_set_spec, "DaemonSetSpec");

static const struct go_field daemon_set_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(daemon_set_condition, "DaemonSetCondition");

static const struct go_field daemon_set_status_fields[] = {
    {"currentNumberScheduled", 1,  GO_INT32,   GO_REQUIRED,        NULL,   NULL                      },
    {"numberMisscheduled",     2,  GO_INT32,   GO_REQUIRED,        NULL,   NULL                      },
    {"desiredNumberScheduled", 3,  GO_INT32,   GO_REQUIRED,        NULL,   NULL                      },
    {"numberReady",            4,  GO_INT32,   GO_REQUIRED,        NULL,   NULL                      },
    {"observedGeneration",     5,  GO_INT64,   0,                  NULL,   NULL                      },
    {"updatedNumberScheduled", 6,  GO_INT32,   0,                  NULL,   NULL                      },
    {"numberAvailable",        7,  GO_INT32,   0,                  NULL,   NULL                      },
    {"numberUnavailable",      8,  GO_INT32,   0,                  NULL,   NULL                      },
    {"collisionCount",         9,  GO_INT32,   GO_POINTER,         NULL,   NULL                      },
    {"conditions",             10, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_daemon_set_condition},
};
static TYPE(daemon_set_status, "DaemonSetStatus");

static const struct go_field daemon_set_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                   },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                   },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta      },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_daemon_set_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_daemon_set_status},
};
TYPE(daemon_set, "DaemonSet");

static const struct go_field replica_set_spec_fields[] = {
    {"replicas",        1, GO_INT32,   GO_POINTER, NULL, NULL                   },
    {"minReadySeconds", 4, GO_INT32,   0,          NULL, NULL                   },
    {"selector",        2, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector   },
    {"template",        3, GO_MESSAGE, 0,          NULL, &type_pod_template_spec},
};
static TYPE(replica_set_spec, "ReplicaSetSpec");

static const struct go_field replica_set_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(replica_set_condition, "ReplicaSetCondition");

static const struct go_field replica_set_status_fields[] = {
    {"replicas",             1, GO_INT32,   GO_REQUIRED,        NULL,   NULL                       },
    {"fullyLabeledReplicas", 2, GO_INT32,   0,                  NULL,   NULL                       },
    {"readyReplicas",        4, GO_INT32,   0,                  NULL,   NULL                       },
    {"availableReplicas",    5, GO_INT32,   0,                  NULL,   NULL                       },
    {"terminatingReplicas",  7, GO_INT32,   GO_POINTER,         NULL,   NULL                       },
    {"observedGeneration",   3, GO_INT64,   0,                  NULL,   NULL                       },
    {"conditions",           6, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_replica_set_condition},
};
static TYPE(replica_set_status, "ReplicaSetStatus");

static const struct go_field replica_set_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                    },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                    },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta       },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_replica_set_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_replica_set_status},
};
TYPE(replica_set, "ReplicaSet");

static const struct go_field rolling_update_stateful_set_strategy_fields[] = {
    {"partition",      1, GO_INT32,         GO_POINTER, NULL, NULL},
    {"maxUnavailable", 2, GO_INT_OR_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(rolling_update_stateful_set_strategy, "RollingUpdateStatefulSetStrategy");

static const struct go_field stateful_set_update_strategy_fields[] = {
    {"type",          1, GO_STRING,  0,          NULL, NULL                                      },
    {"rollingUpdate", 2, GO_MESSAGE, GO_POINTER, NULL, &type_rolling_update_stateful_set_strategy},
};
static TYPE(stateful_set_update_strategy, "StatefulSetUpdateStrategy");

static const struct go_field stateful_set_persistent_volume_claim_retention_policy_fields[] = {
    {"whenDeleted", 1, GO_STRING, 0, NULL, NULL},
    {"whenScaled",  2, GO_STRING, 0, NULL, NULL},
};
static TYPE(stateful_set_persistent_volume_claim_retention_policy,
            "StatefulSetPersistentVolumeClaimRetentionPolicy");

static const struct go_field stateful_set_ordinals_fields[] = {
    {"start", 1, GO_INT32, GO_REQUIRED, NULL, NULL},
};
static TYPE(stateful_set_ordinals, "StatefulSetOrdinals");

static const struct go_field stateful_set_spec_fields[] = {
    {"replicas",                             1,  GO_INT32,   GO_POINTER,  NULL, NULL                              },
    {"selector",                             2,  GO_MESSAGE, GO_POINTER,  NULL, &type_label_selector              },
    {"template",                             3,  GO_MESSAGE, 0,           NULL, &type_pod_template_spec           },
    {"volumeClaimTemplates",                 4,  GO_MESSAGE, GO_LIST,     NULL, &type_persistent_volume_claim     },
    {"serviceName",                          5,  GO_STRING,  GO_REQUIRED, NULL, NULL                              },
    {"podManagementPolicy",                  6,  GO_STRING,  0,           NULL, NULL                              },
    {"updateStrategy",                       7,  GO_MESSAGE, 0,           NULL, &type_stateful_set_update_strategy},
    {"revisionHistoryLimit",                 8,  GO_INT32,   GO_POINTER,  NULL, NULL                              },
    {"minReadySeconds",                      9,  GO_INT32,   0,           NULL, NULL                              },
    {"persistentVolumeClaimRetentionPolicy", 10, GO_MESSAGE, GO_POINTER,  NULL,
     &type_stateful_set_persistent_volume_claim_retention_policy                                                  },
    {"ordinals",                             11, GO_MESSAGE, GO_POINTER,  NULL, &type_stateful_set_ordinals       },
};
static TYPE(stateful_set_spec, "StatefulSetSpec");

static const struct go_field stateful_set_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(stateful_set_condition, "StatefulSetCondition");

static const struct go_field stateful_set_status_fields[] = {
    {"observedGeneration", 1,  GO_INT64,   0,                  NULL,   NULL                        },
    {"replicas",           2,  GO_INT32,   GO_REQUIRED,        NULL,   NULL                        },
    {"readyReplicas",      3,  GO_INT32,   0,                  NULL,   NULL                        },
    {"currentReplicas",    4,  GO_INT32,   0,                  NULL,   NULL                        },
    {"updatedReplicas",    5,  GO_INT32,   0,                  NULL,   NULL                        },
    {"currentRevision",    6,  GO_STRING,  0,                  NULL,   NULL                        },
    {"updateRevision",     7,  GO_STRING,  0,                  NULL,   NULL                        },
    {"collisionCount",     9,  GO_INT32,   GO_POINTER,         NULL,   NULL                        },
    {"conditions",         10, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_stateful_set_condition},
    {"availableReplicas",  11, GO_INT32,   GO_REQUIRED,        NULL,   NULL                        },
};
static TYPE(stateful_set_status, "StatefulSetStatus");

static const struct go_field stateful_set_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                     },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                     },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta        },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_stateful_set_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_stateful_set_status},
};
TYPE(stateful_set, "StatefulSet");

static const struct go_field controller_revision_fields[] = {
    {"kind",       0, GO_STRING,  0,           NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,           NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,           NULL, &type_object_meta},
    {"data",       2, GO_ANY,     0,           NULL, NULL             },
    {"revision",   3, GO_INT64,   GO_REQUIRED, NULL, NULL             },
};
TYPE(controller_revision, "ControllerRevision");

static const struct go_field pod_failure_policy_on_exit_codes_requirement_fields[] = {
    {"containerName", 1, GO_STRING, GO_POINTER,  NULL, NULL},
    {"operator",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"values",        3, GO_INT32,  GO_LIST,     NULL, NULL},
};
static TYPE(pod_failure_policy_on_exit_codes_requirement, "PodFailurePolicyOnExitCodesRequirement");

static const struct go_field pod_failure_policy_on_pod_conditions_pattern_fields[] = {
    {"type",   1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(pod_failure_policy_on_pod_conditions_pattern, "PodFailurePolicyOnPodConditionsPattern");

static const struct go_field pod_failure_policy_rule_fields[] = {
    {"action",          1, GO_STRING,  GO_REQUIRED, NULL, NULL},
    {"onExitCodes",     2, GO_MESSAGE, GO_POINTER,  NULL,
     &type_pod_failure_policy_on_exit_codes_requirement       },
    {"onPodConditions", 3, GO_MESSAGE, GO_LIST,     NULL,
     &type_pod_failure_policy_on_pod_conditions_pattern       },
};
static TYPE(pod_failure_policy_rule, "PodFailurePolicyRule");

static const struct go_field pod_failure_policy_fields[] = {
    {"rules", 1, GO_MESSAGE, GO_LIST, NULL, &type_pod_failure_policy_rule},
};
static TYPE(pod_failure_policy, "PodFailurePolicy");

static const struct go_field success_policy_rule_fields[] = {
    {"succeededIndexes", 1, GO_STRING, GO_POINTER, NULL, NULL},
    {"succeededCount",   2, GO_INT32,  GO_POINTER, NULL, NULL},
};
static TYPE(success_policy_rule, "SuccessPolicyRule");

static const struct go_field success_policy_fields[] = {
    {"rules", 1, GO_MESSAGE, GO_LIST, NULL, &type_success_policy_rule},
};
static TYPE(success_policy, "SuccessPolicy");

static const struct go_field job_spec_fields[] = {
    {"parallelism",             1,  GO_INT32,   GO_POINTER, NULL, NULL                    },
    {"completions",             2,  GO_INT32,   GO_POINTER, NULL, NULL                    },
    {"activeDeadlineSeconds",   3,  GO_INT64,   GO_POINTER, NULL, NULL                    },
    {"podFailurePolicy",        11, GO_MESSAGE, GO_POINTER, NULL, &type_pod_failure_policy},
    {"successPolicy",           16, GO_MESSAGE, GO_POINTER, NULL, &type_success_policy    },
    {"backoffLimit",            7,  GO_INT32,   GO_POINTER, NULL, NULL                    },
    {"backoffLimitPerIndex",    12, GO_INT32,   GO_POINTER, NULL, NULL                    },
    {"maxFailedIndexes",        13, GO_INT32,   GO_POINTER, NULL, NULL                    },
    {"selector",                4,  GO_MESSAGE, GO_POINTER, NULL, &type_label_selector    },
    {"manualSelector",          5,  GO_BOOL,    GO_POINTER, NULL, NULL                    },
    {"template",                6,  GO_MESSAGE, 0,          NULL, &type_pod_template_spec },
    {"ttlSecondsAfterFinished", 8,  GO_INT32,   GO_POINTER, NULL, NULL                    },
    {"completionMode",          9,  GO_STRING,  GO_POINTER, NULL, NULL                    },
    {"suspend",                 10, GO_BOOL,    GO_POINTER, NULL, NULL                    },
    {"podReplacementPolicy",    14, GO_STRING,  GO_POINTER, NULL, NULL                    },
    {"managedBy",               15, GO_STRING,  GO_POINTER, NULL, NULL                    },
};
static TYPE(job_spec, "JobSpec");

static const struct go_field job_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastProbeTime",      3, GO_TIME,   0,           NULL, NULL},
    {"lastTransitionTime", 4, GO_TIME,   0,           NULL, NULL},
    {"reason",             5, GO_STRING, 0,           NULL, NULL},
    {"message",            6, GO_STRING, 0,           NULL, NULL},
};
static TYPE(job_condition, "JobCondition");

static const struct go_field uncounted_terminated_pods_fields[] = {
    {"succeeded", 1, GO_STRING, GO_LIST, NULL, NULL},
    {"failed",    2, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(uncounted_terminated_pods, "UncountedTerminatedPods");

static const struct go_field job_status_fields[] = {
    {"conditions",              1,  GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_job_condition            },
    {"startTime",               2,  GO_TIME,    GO_POINTER,         NULL,   NULL                           },
    {"completionTime",          3,  GO_TIME,    GO_POINTER,         NULL,   NULL                           },
    {"active",                  4,  GO_INT32,   0,                  NULL,   NULL                           },
    {"succeeded",               5,  GO_INT32,   0,                  NULL,   NULL                           },
    {"failed",                  6,  GO_INT32,   0,                  NULL,   NULL                           },
    {"terminating",             11, GO_INT32,   GO_POINTER,         NULL,   NULL                           },
    {"completedIndexes",        7,  GO_STRING,  0,                  NULL,   NULL                           },
    {"failedIndexes",           10, GO_STRING,  GO_POINTER,         NULL,   NULL                           },
    {"uncountedTerminatedPods", 8,  GO_MESSAGE, GO_POINTER,         NULL,   &type_uncounted_terminated_pods},
    {"ready",                   9,  GO_INT32,   GO_POINTER,         NULL,   NULL                           },
};
static TYPE(job_status, "JobStatus");

static const struct go_field job_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta},
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_job_spec   },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_job_status },
};
TYPE(job, "Job");

static const struct go_field job_template_spec_fields[] = {
    {"metadata", 1, GO_MESSAGE, 0, NULL, &type_object_meta},
    {"spec",     2, GO_MESSAGE, 0, NULL, &type_job_spec   },
};
static TYPE(job_template_spec, "JobTemplateSpec");

static const struct go_field cron_job_spec_fields[] = {
    {"schedule",                   1, GO_STRING,  GO_REQUIRED, NULL, NULL                   },
    {"timeZone",                   8, GO_STRING,  GO_POINTER,  NULL, NULL                   },
    {"startingDeadlineSeconds",    2, GO_INT64,   GO_POINTER,  NULL, NULL                   },
    {"concurrencyPolicy",          3, GO_STRING,  0,           NULL, NULL                   },
    {"suspend",                    4, GO_BOOL,    GO_POINTER,  NULL, NULL                   },
    {"jobTemplate",                5, GO_MESSAGE, 0,           NULL, &type_job_template_spec},
    {"successfulJobsHistoryLimit", 6, GO_INT32,   GO_POINTER,  NULL, NULL                   },
    {"failedJobsHistoryLimit",     7, GO_INT32,   GO_POINTER,  NULL, NULL                   },
};
static TYPE(cron_job_spec, "CronJobSpec");

static const struct go_field cron_job_status_fields[] = {
    {"active",             1, GO_MESSAGE, GO_LIST,    NULL, &type_object_reference},
    {"lastScheduleTime",   4, GO_TIME,    GO_POINTER, NULL, NULL                  },
    {"lastSuccessfulTime", 5, GO_TIME,    GO_POINTER, NULL, NULL                  },
};
static TYPE(cron_job_status, "CronJobStatus");

static const struct go_field cron_job_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                 },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                 },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta    },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_cron_job_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_cron_job_status},
};
TYPE(cron_job, "CronJob");

static const struct go_field pod_disruption_budget_spec_fields[] = {
    {"minAvailable",               1, GO_INT_OR_STRING, GO_POINTER,              NULL, NULL                },
    {"selector",                   2, GO_MESSAGE,       GO_POINTER | GO_REPLACE, NULL, &type_label_selector},
    {"maxUnavailable",             3, GO_INT_OR_STRING, GO_POINTER,              NULL, NULL                },
    {"unhealthyPodEvictionPolicy", 4, GO_STRING,        GO_POINTER,              NULL, NULL                },
};
static TYPE(pod_disruption_budget_spec, "PodDisruptionBudgetSpec");

static const struct go_field pod_disruption_budget_status_fields[] = {
    {"observedGeneration", 1, GO_INT64,   0,                  NULL,   NULL           },
    {"disruptedPods",      2, GO_TIME,    GO_MAP,             NULL,   NULL           },
    {"disruptionsAllowed", 3, GO_INT32,   GO_REQUIRED,        NULL,   NULL           },
    {"currentHealthy",     4, GO_INT32,   GO_REQUIRED,        NULL,   NULL           },
    {"desiredHealthy",     5, GO_INT32,   GO_REQUIRED,        NULL,   NULL           },
    {"expectedPods",       6, GO_INT32,   GO_REQUIRED,        NULL,   NULL           },
    {"conditions",         7, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_condition},
};
static TYPE(pod_disruption_budget_status, "PodDisruptionBudgetStatus");

static const struct go_field pod_disruption_budget_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                              },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                              },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_pod_disruption_budget_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_pod_disruption_budget_status},
};
TYPE(pod_disruption_budget, "PodDisruptionBudget");

static const struct go_field eviction_fields[] = {
    {"kind",          0, GO_STRING,  0,          NULL, NULL                },
    {"apiVersion",    0, GO_STRING,  0,          NULL, NULL                },
    {"metadata",      1, GO_MESSAGE, 0,          NULL, &type_object_meta   },
    {"deleteOptions", 2, GO_MESSAGE, GO_POINTER, NULL, &type_delete_options},
};
TYPE(eviction, "Eviction");

static const struct go_field priority_class_fields[] = {
    {"kind",             0, GO_STRING,  0,           NULL, NULL             },
    {"apiVersion",       0, GO_STRING,  0,           NULL, NULL             },
    {"metadata",         1, GO_MESSAGE, 0,           NULL, &type_object_meta},
    {"value",            2, GO_INT32,   GO_REQUIRED, NULL, NULL             },
    {"globalDefault",    3, GO_BOOL,    0,           NULL, NULL             },
    {"description",      4, GO_STRING,  0,           NULL, NULL             },
    {"preemptionPolicy", 5, GO_STRING,  GO_POINTER,  NULL, NULL             },
};
TYPE(priority_class, "PriorityClass");

static const struct go_field autoscaling_v1_cross_version_object_reference_fields[] = {
    {"kind",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",       2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"apiVersion", 3, GO_STRING, 0,           NULL, NULL},
};
TYPE(autoscaling_v1_cross_version_object_reference, "CrossVersionObjectReference");

static const struct go_field autoscaling_v1_horizontal_pod_autoscaler_spec_fields[] = {
    {"scaleTargetRef",                 1, GO_MESSAGE, 0,           NULL, &type_autoscaling_v1_cross_version_object_reference},
    {"minReplicas",                    2, GO_INT32,   GO_POINTER,  NULL, NULL                                               },
    {"maxReplicas",                    3, GO_INT32,   GO_REQUIRED, NULL, NULL                                               },
    {"targetCPUUtilizationPercentage", 4, GO_INT32,   GO_POINTER,  NULL, NULL                                               },
};
static TYPE(autoscaling_v1_horizontal_pod_autoscaler_spec, "HorizontalPodAutoscalerSpec");

static const struct go_field autoscaling_v1_horizontal_pod_autoscaler_status_fields[] = {
    {"observedGeneration",              1, GO_INT64, GO_POINTER,  NULL, NULL},
    {"lastScaleTime",                   2, GO_TIME,  GO_POINTER,  NULL, NULL},
    {"currentReplicas",                 3, GO_INT32, GO_REQUIRED, NULL, NULL},
    {"desiredReplicas",                 4, GO_INT32, GO_REQUIRED, NULL, NULL},
    {"currentCPUUtilizationPercentage", 5, GO_INT32, GO_POINTER,  NULL, NULL},
};
static TYPE(autoscaling_v1_horizontal_pod_autoscaler_status, "HorizontalPodAutoscalerStatus");

static const struct go_field autoscaling_v1_horizontal_pod_autoscaler_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                                 },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                                 },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                                    },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_autoscaling_v1_horizontal_pod_autoscaler_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_autoscaling_v1_horizontal_pod_autoscaler_status},
};
TYPE(autoscaling_v1_horizontal_pod_autoscaler, "HorizontalPodAutoscaler");

static const struct go_field scale_spec_fields[] = {
    {"replicas", 1, GO_INT32, 0, NULL, NULL},
};
static TYPE(scale_spec, "ScaleSpec");

static const struct go_field scale_status_fields[] = {
    {"replicas", 1, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"selector", 2, GO_STRING, 0,           NULL, NULL},
};
static TYPE(scale_status, "ScaleStatus");

static const struct go_field scale_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL              },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL              },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_scale_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_scale_status},
};
TYPE(scale, "Scale");

static const struct go_field autoscaling_v2_cross_version_object_reference_fields[] = {
    {"kind",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",       2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"apiVersion", 3, GO_STRING, 0,           NULL, NULL},
};
static TYPE(autoscaling_v2_cross_version_object_reference, "CrossVersionObjectReference");

static const struct go_field metric_target_fields[] = {
    {"type",               1, GO_STRING,   GO_REQUIRED, NULL, NULL},
    {"value",              2, GO_QUANTITY, GO_POINTER,  NULL, NULL},
    {"averageValue",       3, GO_QUANTITY, GO_POINTER,  NULL, NULL},
    {"averageUtilization", 4, GO_INT32,    GO_POINTER,  NULL, NULL},
};
static TYPE(metric_target, "MetricTarget");

static const struct go_field metric_identifier_fields[] = {
    {"name",     1, GO_STRING,  GO_REQUIRED, NULL, NULL                },
    {"selector", 2, GO_MESSAGE, GO_POINTER,  NULL, &type_label_selector},
};
static TYPE(metric_identifier, "MetricIdentifier");

static const struct go_field object_metric_source_fields[] = {
    {"describedObject", 1, GO_MESSAGE, 0, NULL,
     &type_autoscaling_v2_cross_version_object_reference               },
    {"target",          2, GO_MESSAGE, 0, NULL, &type_metric_target    },
    {"metric",          3, GO_MESSAGE, 0, NULL, &type_metric_identifier},
};
static TYPE(object_metric_source, "ObjectMetricSource");

static const struct go_field pods_metric_source_fields[] = {
    {"metric", 1, GO_MESSAGE, 0, NULL, &type_metric_identifier},
    {"target", 2, GO_MESSAGE, 0, NULL, &type_metric_target    },
};
static TYPE(pods_metric_source, "PodsMetricSource");

static const struct go_field resource_metric_source_fields[] = {
    {"name",   1, GO_STRING,  GO_REQUIRED, NULL, NULL               },
    {"target", 2, GO_MESSAGE, 0,           NULL, &type_metric_target},
};
static TYPE(resource_metric_source, "ResourceMetricSource");

static const struct go_field container_resource_metric_source_fields[] = {
    {"name",      1, GO_STRING,  GO_REQUIRED, NULL, NULL               },
    {"target",    2, GO_MESSAGE, 0,           NULL, &type_metric_target},
    {"container", 3, GO_STRING,  GO_REQUIRED, NULL, NULL               },
};
static TYPE(container_resource_metric_source, "ContainerResourceMetricSource");

static const struct go_field external_metric_source_fields[] = {
    {"metric", 1, GO_MESSAGE, 0, NULL, &type_metric_identifier},
    {"target", 2, GO_MESSAGE, 0, NULL, &type_metric_target    },
};
static TYPE(external_metric_source, "ExternalMetricSource");

static const struct go_field metric_spec_fields[] = {
    {"type",              1, GO_STRING,  GO_REQUIRED, NULL, NULL                                  },
    {"object",            2, GO_MESSAGE, GO_POINTER,  NULL, &type_object_metric_source            },
    {"pods",              3, GO_MESSAGE, GO_POINTER,  NULL, &type_pods_metric_source              },
    {"resource",          4, GO_MESSAGE, GO_POINTER,  NULL, &type_resource_metric_source          },
    {"containerResource", 7, GO_MESSAGE, GO_POINTER,  NULL, &type_container_resource_metric_source},
    {"external",          5, GO_MESSAGE, GO_POINTER,  NULL, &type_external_metric_source          },
};
static TYPE(metric_spec, "MetricSpec");

static const struct go_field hpa_scaling_policy_fields[] = {
    {"type",          1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"value",         2, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"periodSeconds", 3, GO_INT32,  GO_REQUIRED, NULL, NULL},
};
static TYPE(hpa_scaling_policy, "HPAScalingPolicy");

static const struct go_field hpa_scaling_rules_fields[] = {
    {"stabilizationWindowSeconds", 3, GO_INT32,    GO_POINTER, NULL, NULL                    },
    {"selectPolicy",               1, GO_STRING,   GO_POINTER, NULL, NULL                    },
    {"policies",                   2, GO_MESSAGE,  GO_LIST,    NULL, &type_hpa_scaling_policy},
    {"tolerance",                  4, GO_QUANTITY, GO_POINTER, NULL, NULL                    },
};
static TYPE(hpa_scaling_rules, "HPAScalingRules");

static const struct go_field horizontal_pod_autoscaler_behavior_fields[] = {
    {"scaleUp",   1, GO_MESSAGE, GO_POINTER, NULL, &type_hpa_scaling_rules},
    {"scaleDown", 2, GO_MESSAGE, GO_POINTER, NULL, &type_hpa_scaling_rules},
};
static TYPE(horizontal_pod_autoscaler_behavior, "HorizontalPodAutoscalerBehavior");

static const struct go_field autoscaling_v2_horizontal_pod_autoscaler_spec_fields[] = {
    {"scaleTargetRef", 1, GO_MESSAGE, 0,           NULL, &type_autoscaling_v2_cross_version_object_reference},
    {"minReplicas",    2, GO_INT32,   GO_POINTER,  NULL, NULL                                               },
    {"maxReplicas",    3, GO_INT32,   GO_REQUIRED, NULL, NULL                                               },
    {"metrics",        4, GO_MESSAGE, GO_LIST,     NULL, &type_metric_spec                                  },
    {"behavior",       5, GO_MESSAGE, GO_POINTER,  NULL, &type_horizontal_pod_autoscaler_behavior           },
};
static TYPE(autoscaling_v2_horizontal_pod_autoscaler_spec, "HorizontalPodAutoscalerSpec");

static const struct go_field metric_value_status_fields[] = {
    {"value",              1, GO_QUANTITY, GO_POINTER, NULL, NULL},
    {"averageValue",       2, GO_QUANTITY, GO_POINTER, NULL, NULL},
    {"averageUtilization", 3, GO_INT32,    GO_POINTER, NULL, NULL},
};
static TYPE(metric_value_status, "MetricValueStatus");

static const struct go_field object_metric_status_fields[] = {
    {"metric",          1, GO_MESSAGE, 0, NULL, &type_metric_identifier  },
    {"current",         2, GO_MESSAGE, 0, NULL, &type_metric_value_status},
    {"describedObject", 3, GO_MESSAGE, 0, NULL,
     &type_autoscaling_v2_cross_version_object_reference                 },
};
static TYPE(object_metric_status, "ObjectMetricStatus");

static const struct go_field pods_metric_status_fields[] = {
    {"metric",  1, GO_MESSAGE, 0, NULL, &type_metric_identifier  },
    {"current", 2, GO_MESSAGE, 0, NULL, &type_metric_value_status},
};
static TYPE(pods_metric_status, "PodsMetricStatus");

static const struct go_field resource_metric_status_fields[] = {
    {"name",    1, GO_STRING,  GO_REQUIRED, NULL, NULL                     },
    {"current", 2, GO_MESSAGE, 0,           NULL, &type_metric_value_status},
};
static TYPE(resource_metric_status, "ResourceMetricStatus");

static const struct go_field container_resource_metric_status_fields[] = {
    {"name",      1, GO_STRING,  GO_REQUIRED, NULL, NULL                     },
    {"current",   2, GO_MESSAGE, 0,           NULL, &type_metric_value_status},
    {"container", 3, GO_STRING,  GO_REQUIRED, NULL, NULL                     },
};
static TYPE(container_resource_metric_status, "ContainerResourceMetricStatus");

static const struct go_field external_metric_status_fields[] = {
    {"metric",  1, GO_MESSAGE, 0, NULL, &type_metric_identifier  },
    {"current", 2, GO_MESSAGE, 0, NULL, &type_metric_value_status},
};
static TYPE(external_metric_status, "ExternalMetricStatus");

static const struct go_field metric_status_fields[] = {
    {"type",              1, GO_STRING,  GO_REQUIRED, NULL, NULL                                  },
    {"object",            2, GO_MESSAGE, GO_POINTER,  NULL, &type_object_metric_status            },
    {"pods",              3, GO_MESSAGE, GO_POINTER,  NULL, &type_pods_metric_status              },
    {"resource",          4, GO_MESSAGE, GO_POINTER,  NULL, &type_resource_metric_status          },
    {"containerResource", 7, GO_MESSAGE, GO_POINTER,  NULL, &type_container_resource_metric_status},
    {"external",          5, GO_MESSAGE, GO_POINTER,  NULL, &type_external_metric_status          },
};
static TYPE(metric_status, "MetricStatus");

static const struct go_field horizontal_pod_autoscaler_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(horizontal_pod_autoscaler_condition, "HorizontalPodAutoscalerCondition");

static const struct go_field autoscaling_v2_horizontal_pod_autoscaler_status_fields[] = {
    {"observedGeneration", 1, GO_INT64,   GO_POINTER,         NULL,   NULL               },
    {"lastScaleTime",      2, GO_TIME,    GO_POINTER,         NULL,   NULL               },
    {"currentReplicas",    3, GO_INT32,   0,                  NULL,   NULL               },
    {"desiredReplicas",    4, GO_INT32,   GO_REQUIRED,        NULL,   NULL               },
    {"currentMetrics",     5, GO_MESSAGE, GO_LIST,            NULL,   &type_metric_status},
    {"conditions",         6, GO_MESSAGE, GO_LIST | GO_MERGE, "type",
     &type_horizontal_pod_autoscaler_condition                                           },
};
static TYPE(autoscaling_v2_horizontal_pod_autoscaler_status, "HorizontalPodAutoscalerStatus");

static const struct go_field autoscaling_v2_horizontal_pod_autoscaler_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                                 },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                                 },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                                    },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_autoscaling_v2_horizontal_pod_autoscaler_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_autoscaling_v2_horizontal_pod_autoscaler_status},
};
TYPE(autoscaling_v2_horizontal_pod_autoscaler, "HorizontalPodAutoscaler");
