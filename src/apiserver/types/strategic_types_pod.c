/*
 * Pods and their templates: what core/v1, apps/v1 and batch/v1 share.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/strategic_types.h"

static const struct strategic_field local_object_reference_fields[] = {
    {"name", 1, STRING, 0, NULL, NULL},
};
TYPE(local_object_reference, "LocalObjectReference");

static const struct strategic_field key_to_path_fields[] = {
    {"key",  1, STRING, REQUIRED, NULL, NULL},
    {"path", 2, STRING, REQUIRED, NULL, NULL},
    {"mode", 3, INT32,  POINTER,  NULL, NULL},
};
TYPE(key_to_path, "KeyToPath");

static const struct strategic_field object_field_selector_fields[] = {
    {"apiVersion", 1, STRING, 0,        NULL, NULL},
    {"fieldPath",  2, STRING, REQUIRED, NULL, NULL},
};
TYPE(object_field_selector, "ObjectFieldSelector");

static const struct strategic_field resource_field_selector_fields[] = {
    {"containerName", 1, STRING,   0,        NULL, NULL},
    {"resource",      2, STRING,   REQUIRED, NULL, NULL},
    {"divisor",       3, QUANTITY, 0,        NULL, NULL},
};
TYPE(resource_field_selector, "ResourceFieldSelector");

static const struct strategic_field typed_local_object_reference_fields[] = {
    {"apiGroup", 1, STRING, POINTER,  NULL, NULL},
    {"kind",     2, STRING, REQUIRED, NULL, NULL},
    {"name",     3, STRING, REQUIRED, NULL, NULL},
};
TYPE(typed_local_object_reference, "TypedLocalObjectReference");

static const struct strategic_field typed_object_reference_fields[] = {
    {"apiGroup",  1, STRING, POINTER,  NULL, NULL},
    {"kind",      2, STRING, REQUIRED, NULL, NULL},
    {"name",      3, STRING, REQUIRED, NULL, NULL},
    {"namespace", 4, STRING, POINTER,  NULL, NULL},
};
TYPE(typed_object_reference, "TypedObjectReference");

static const struct strategic_field container_port_fields[] = {
    {"name",          1, STRING, 0,        NULL, NULL},
    {"hostPort",      2, INT32,  0,        NULL, NULL},
    {"containerPort", 3, INT32,  REQUIRED, NULL, NULL},
    {"protocol",      4, STRING, 0,        NULL, NULL},
    {"hostIP",        5, STRING, 0,        NULL, NULL},
};
static TYPE(container_port, "ContainerPort");

static const struct strategic_field config_map_env_source_fields[] = {
    {"",         1, MESSAGE, INLINE,  NULL, &type_local_object_reference},
    {"optional", 2, BOOL,    POINTER, NULL, NULL                        },
};
static TYPE(config_map_env_source, "ConfigMapEnvSource");

static const struct strategic_field secret_env_source_fields[] = {
    {"",         1, MESSAGE, INLINE,  NULL, &type_local_object_reference},
    {"optional", 2, BOOL,    POINTER, NULL, NULL                        },
};
static TYPE(secret_env_source, "SecretEnvSource");

static const struct strategic_field env_from_source_fields[] = {
    {"prefix",       1, STRING,  0,       NULL, NULL                       },
    {"configMapRef", 2, MESSAGE, POINTER, NULL, &type_config_map_env_source},
    {"secretRef",    3, MESSAGE, POINTER, NULL, &type_secret_env_source    },
};
static TYPE(env_from_source, "EnvFromSource");

static const struct strategic_field config_map_key_selector_fields[] = {
    {"",         1, MESSAGE, INLINE,   NULL, &type_local_object_reference},
    {"key",      2, STRING,  REQUIRED, NULL, NULL                        },
    {"optional", 3, BOOL,    POINTER,  NULL, NULL                        },
};
static TYPE(config_map_key_selector, "ConfigMapKeySelector");

static const struct strategic_field secret_key_selector_fields[] = {
    {"",         1, MESSAGE, INLINE,   NULL, &type_local_object_reference},
    {"key",      2, STRING,  REQUIRED, NULL, NULL                        },
    {"optional", 3, BOOL,    POINTER,  NULL, NULL                        },
};
static TYPE(secret_key_selector, "SecretKeySelector");

static const struct strategic_field file_key_selector_fields[] = {
    {"volumeName", 1, STRING, REQUIRED, NULL, NULL},
    {"path",       2, STRING, REQUIRED, NULL, NULL},
    {"key",        3, STRING, REQUIRED, NULL, NULL},
    {"optional",   4, BOOL,   POINTER,  NULL, NULL},
};
static TYPE(file_key_selector, "FileKeySelector");

static const struct strategic_field env_var_source_fields[] = {
    {"fieldRef",         1, MESSAGE, POINTER, NULL, &type_object_field_selector  },
    {"resourceFieldRef", 2, MESSAGE, POINTER, NULL, &type_resource_field_selector},
    {"configMapKeyRef",  3, MESSAGE, POINTER, NULL, &type_config_map_key_selector},
    {"secretKeyRef",     4, MESSAGE, POINTER, NULL, &type_secret_key_selector    },
    {"fileKeyRef",       5, MESSAGE, POINTER, NULL, &type_file_key_selector      },
};
static TYPE(env_var_source, "EnvVarSource");

static const struct strategic_field env_var_fields[] = {
    {"name",      1, STRING,  REQUIRED, NULL, NULL                },
    {"value",     2, STRING,  0,        NULL, NULL                },
    {"valueFrom", 3, MESSAGE, POINTER,  NULL, &type_env_var_source},
};
static TYPE(env_var, "EnvVar");

static const struct strategic_field resource_claim_fields[] = {
    {"name",    1, STRING, REQUIRED, NULL, NULL},
    {"request", 2, STRING, 0,        NULL, NULL},
};
static TYPE(resource_claim, "ResourceClaim");

static const struct strategic_field resource_requirements_fields[] = {
    {"limits",   1, QUANTITY, MAP,  NULL, NULL                },
    {"requests", 2, QUANTITY, MAP,  NULL, NULL                },
    {"claims",   3, MESSAGE,  LIST, NULL, &type_resource_claim},
};
static TYPE(resource_requirements, "ResourceRequirements");

static const struct strategic_field container_resize_policy_fields[] = {
    {"resourceName",  1, STRING, REQUIRED, NULL, NULL},
    {"restartPolicy", 2, STRING, REQUIRED, NULL, NULL},
};
static TYPE(container_resize_policy, "ContainerResizePolicy");

static const struct strategic_field container_restart_rule_on_exit_codes_fields[] = {
    {"operator", 1, STRING, 0,    NULL, NULL},
    {"values",   2, INT32,  LIST, NULL, NULL},
};
static TYPE(container_restart_rule_on_exit_codes, "ContainerRestartRuleOnExitCodes");

static const struct strategic_field container_restart_rule_fields[] = {
    {"action",    1, STRING,  0,       NULL, NULL                                      },
    {"exitCodes", 2, MESSAGE, POINTER, NULL, &type_container_restart_rule_on_exit_codes},
};
static TYPE(container_restart_rule, "ContainerRestartRule");

static const struct strategic_field exec_action_fields[] = {
    {"command", 1, STRING, LIST, NULL, NULL},
};
static TYPE(exec_action, "ExecAction");

static const struct strategic_field http_header_fields[] = {
    {"name",  1, STRING, REQUIRED, NULL, NULL},
    {"value", 2, STRING, REQUIRED, NULL, NULL},
};
static TYPE(http_header, "HTTPHeader");

static const struct strategic_field http_get_action_fields[] = {
    {"path",        1, STRING,        0,        NULL, NULL             },
    {"port",        2, INT_OR_STRING, REQUIRED, NULL, NULL             },
    {"host",        3, STRING,        0,        NULL, NULL             },
    {"scheme",      4, STRING,        0,        NULL, NULL             },
    {"httpHeaders", 5, MESSAGE,       LIST,     NULL, &type_http_header},
};
static TYPE(http_get_action, "HTTPGetAction");

static const struct strategic_field tcp_socket_action_fields[] = {
    {"port", 1, INT_OR_STRING, REQUIRED, NULL, NULL},
    {"host", 2, STRING,        0,        NULL, NULL},
};
static TYPE(tcp_socket_action, "TCPSocketAction");

static const struct strategic_field grpc_action_fields[] = {
    {"port",    1, INT32,  REQUIRED, NULL, NULL},
    {"service", 2, STRING, POINTER,  NULL, NULL},
};
static TYPE(grpc_action, "GRPCAction");

static const struct strategic_field probe_handler_fields[] = {
    {"exec",      1, MESSAGE, POINTER, NULL, &type_exec_action      },
    {"httpGet",   2, MESSAGE, POINTER, NULL, &type_http_get_action  },
    {"tcpSocket", 3, MESSAGE, POINTER, NULL, &type_tcp_socket_action},
    {"grpc",      4, MESSAGE, POINTER, NULL, &type_grpc_action      },
};
static TYPE(probe_handler, "ProbeHandler");

static const struct strategic_field probe_fields[] = {
    {"",                              1, MESSAGE, INLINE,  NULL, &type_probe_handler},
    {"initialDelaySeconds",           2, INT32,   0,       NULL, NULL               },
    {"timeoutSeconds",                3, INT32,   0,       NULL, NULL               },
    {"periodSeconds",                 4, INT32,   0,       NULL, NULL               },
    {"successThreshold",              5, INT32,   0,       NULL, NULL               },
    {"failureThreshold",              6, INT32,   0,       NULL, NULL               },
    {"terminationGracePeriodSeconds", 7, INT64,   POINTER, NULL, NULL               },
};
static TYPE(probe, "Probe");

static const struct strategic_field sleep_action_fields[] = {
    {"seconds", 1, INT64, REQUIRED, NULL, NULL},
};
static TYPE(sleep_action, "SleepAction");

static const struct strategic_field lifecycle_handler_fields[] = {
    {"exec",      1, MESSAGE, POINTER, NULL, &type_exec_action      },
    {"httpGet",   2, MESSAGE, POINTER, NULL, &type_http_get_action  },
    {"tcpSocket", 3, MESSAGE, POINTER, NULL, &type_tcp_socket_action},
    {"sleep",     4, MESSAGE, POINTER, NULL, &type_sleep_action     },
};
static TYPE(lifecycle_handler, "LifecycleHandler");

static const struct strategic_field lifecycle_fields[] = {
    {"postStart",  1, MESSAGE, POINTER, NULL, &type_lifecycle_handler},
    {"preStop",    2, MESSAGE, POINTER, NULL, &type_lifecycle_handler},
    {"stopSignal", 3, STRING,  POINTER, NULL, NULL                   },
};
static TYPE(lifecycle, "Lifecycle");

static const struct strategic_field capabilities_fields[] = {
    {"add",  1, STRING, LIST, NULL, NULL},
    {"drop", 2, STRING, LIST, NULL, NULL},
};
static TYPE(capabilities, "Capabilities");

static const struct strategic_field se_linux_options_fields[] = {
    {"user",  1, STRING, 0, NULL, NULL},
    {"role",  2, STRING, 0, NULL, NULL},
    {"type",  3, STRING, 0, NULL, NULL},
    {"level", 4, STRING, 0, NULL, NULL},
};
static TYPE(se_linux_options, "SELinuxOptions");

static const struct strategic_field windows_security_context_options_fields[] = {
    {"gmsaCredentialSpecName", 1, STRING, POINTER, NULL, NULL},
    {"gmsaCredentialSpec",     2, STRING, POINTER, NULL, NULL},
    {"runAsUserName",          3, STRING, POINTER, NULL, NULL},
    {"hostProcess",            4, BOOL,   POINTER, NULL, NULL},
};
static TYPE(windows_security_context_options, "WindowsSecurityContextOptions");

static const struct strategic_field seccomp_profile_fields[] = {
    {"type",             1, STRING, REQUIRED, NULL, NULL},
    {"localhostProfile", 2, STRING, POINTER,  NULL, NULL},
};
static TYPE(seccomp_profile, "SeccompProfile");

static const struct strategic_field app_armor_profile_fields[] = {
    {"type",             1, STRING, REQUIRED, NULL, NULL},
    {"localhostProfile", 2, STRING, POINTER,  NULL, NULL},
};
static TYPE(app_armor_profile, "AppArmorProfile");

static const struct strategic_field security_context_fields[] = {
    {"capabilities",             1,  MESSAGE, POINTER, NULL, &type_capabilities                    },
    {"privileged",               2,  BOOL,    POINTER, NULL, NULL                                  },
    {"seLinuxOptions",           3,  MESSAGE, POINTER, NULL, &type_se_linux_options                },
    {"windowsOptions",           10, MESSAGE, POINTER, NULL, &type_windows_security_context_options},
    {"runAsUser",                4,  INT64,   POINTER, NULL, NULL                                  },
    {"runAsGroup",               8,  INT64,   POINTER, NULL, NULL                                  },
    {"runAsNonRoot",             5,  BOOL,    POINTER, NULL, NULL                                  },
    {"readOnlyRootFilesystem",   6,  BOOL,    POINTER, NULL, NULL                                  },
    {"allowPrivilegeEscalation", 7,  BOOL,    POINTER, NULL, NULL                                  },
    {"procMount",                9,  STRING,  POINTER, NULL, NULL                                  },
    {"seccompProfile",           11, MESSAGE, POINTER, NULL, &type_seccomp_profile                 },
    {"appArmorProfile",          12, MESSAGE, POINTER, NULL, &type_app_armor_profile               },
};
static TYPE(security_context, "SecurityContext");

static const struct strategic_field container_fields[] = {
    {"name",                     1,  STRING,  REQUIRED,     NULL,            NULL                         },
    {"image",                    2,  STRING,  0,            NULL,            NULL                         },
    {"command",                  3,  STRING,  LIST,         NULL,            NULL                         },
    {"args",                     4,  STRING,  LIST,         NULL,            NULL                         },
    {"workingDir",               5,  STRING,  0,            NULL,            NULL                         },
    {"ports",                    6,  MESSAGE, LIST | MERGE, "containerPort", &type_container_port         },
    {"envFrom",                  19, MESSAGE, LIST,         NULL,            &type_env_from_source        },
    {"env",                      7,  MESSAGE, LIST | MERGE, "name",          &type_env_var                },
    {"resources",                8,  MESSAGE, 0,            NULL,            &type_resource_requirements  },
    {"resizePolicy",             23, MESSAGE, LIST,         NULL,            &type_container_resize_policy},
    {"restartPolicy",            24, STRING,  POINTER,      NULL,            NULL                         },
    {"restartPolicyRules",       25, MESSAGE, LIST,         NULL,            &type_container_restart_rule },
    {"volumeMounts",             9,  MESSAGE, LIST | MERGE, "mountPath",     &type_volume_mount           },
    {"volumeDevices",            21, MESSAGE, LIST | MERGE, "devicePath",    &type_volume_device          },
    {"livenessProbe",            10, MESSAGE, POINTER,      NULL,            &type_probe                  },
    {"readinessProbe",           11, MESSAGE, POINTER,      NULL,            &type_probe                  },
    {"startupProbe",             22, MESSAGE, POINTER,      NULL,            &type_probe                  },
    {"lifecycle",                12, MESSAGE, POINTER,      NULL,            &type_lifecycle              },
    {"terminationMessagePath",   13, STRING,  0,            NULL,            NULL                         },
    {"terminationMessagePolicy", 20, STRING,  0,            NULL,            NULL                         },
    {"imagePullPolicy",          14, STRING,  0,            NULL,            NULL                         },
    {"securityContext",          15, MESSAGE, POINTER,      NULL,            &type_security_context       },
    {"stdin",                    16, BOOL,    0,            NULL,            NULL                         },
    {"stdinOnce",                17, BOOL,    0,            NULL,            NULL                         },
    {"tty",                      18, BOOL,    0,            NULL,            NULL                         },
};
static TYPE(container, "Container");

static const struct strategic_field ephemeral_container_common_fields[] = {
    {"name",                     1,  STRING,  REQUIRED,     NULL,            NULL                         },
    {"image",                    2,  STRING,  0,            NULL,            NULL                         },
    {"command",                  3,  STRING,  LIST,         NULL,            NULL                         },
    {"args",                     4,  STRING,  LIST,         NULL,            NULL                         },
    {"workingDir",               5,  STRING,  0,            NULL,            NULL                         },
    {"ports",                    6,  MESSAGE, LIST | MERGE, "containerPort", &type_container_port         },
    {"envFrom",                  19, MESSAGE, LIST,         NULL,            &type_env_from_source        },
    {"env",                      7,  MESSAGE, LIST | MERGE, "name",          &type_env_var                },
    {"resources",                8,  MESSAGE, 0,            NULL,            &type_resource_requirements  },
    {"resizePolicy",             23, MESSAGE, LIST,         NULL,            &type_container_resize_policy},
    {"restartPolicy",            24, STRING,  POINTER,      NULL,            NULL                         },
    {"restartPolicyRules",       25, MESSAGE, LIST,         NULL,            &type_container_restart_rule },
    {"volumeMounts",             9,  MESSAGE, LIST | MERGE, "mountPath",     &type_volume_mount           },
    {"volumeDevices",            21, MESSAGE, LIST | MERGE, "devicePath",    &type_volume_device          },
    {"livenessProbe",            10, MESSAGE, POINTER,      NULL,            &type_probe                  },
    {"readinessProbe",           11, MESSAGE, POINTER,      NULL,            &type_probe                  },
    {"startupProbe",             22, MESSAGE, POINTER,      NULL,            &type_probe                  },
    {"lifecycle",                12, MESSAGE, POINTER,      NULL,            &type_lifecycle              },
    {"terminationMessagePath",   13, STRING,  0,            NULL,            NULL                         },
    {"terminationMessagePolicy", 20, STRING,  0,            NULL,            NULL                         },
    {"imagePullPolicy",          14, STRING,  0,            NULL,            NULL                         },
    {"securityContext",          15, MESSAGE, POINTER,      NULL,            &type_security_context       },
    {"stdin",                    16, BOOL,    0,            NULL,            NULL                         },
    {"stdinOnce",                17, BOOL,    0,            NULL,            NULL                         },
    {"tty",                      18, BOOL,    0,            NULL,            NULL                         },
};
static TYPE(ephemeral_container_common, "EphemeralContainerCommon");

static const struct strategic_field ephemeral_container_fields[] = {
    {"",                    1, MESSAGE, INLINE, NULL, &type_ephemeral_container_common},
    {"targetContainerName", 2, STRING,  0,      NULL, NULL                            },
};
static TYPE(ephemeral_container, "EphemeralContainer");

static const struct strategic_field sysctl_fields[] = {
    {"name",  1, STRING, REQUIRED, NULL, NULL},
    {"value", 2, STRING, REQUIRED, NULL, NULL},
};
static TYPE(sysctl, "Sysctl");

static const struct strategic_field pod_security_context_fields[] = {
    {"seLinuxOptions",           1,  MESSAGE, POINTER, NULL, &type_se_linux_options                },
    {"windowsOptions",           8,  MESSAGE, POINTER, NULL, &type_windows_security_context_options},
    {"runAsUser",                2,  INT64,   POINTER, NULL, NULL                                  },
    {"runAsGroup",               6,  INT64,   POINTER, NULL, NULL                                  },
    {"runAsNonRoot",             3,  BOOL,    POINTER, NULL, NULL                                  },
    {"supplementalGroups",       4,  INT64,   LIST,    NULL, NULL                                  },
    {"supplementalGroupsPolicy", 12, STRING,  POINTER, NULL, NULL                                  },
    {"fsGroup",                  5,  INT64,   POINTER, NULL, NULL                                  },
    {"sysctls",                  7,  MESSAGE, LIST,    NULL, &type_sysctl                          },
    {"fsGroupChangePolicy",      9,  STRING,  POINTER, NULL, NULL                                  },
    {"seccompProfile",           10, MESSAGE, POINTER, NULL, &type_seccomp_profile                 },
    {"appArmorProfile",          11, MESSAGE, POINTER, NULL, &type_app_armor_profile               },
    {"seLinuxChangePolicy",      13, STRING,  POINTER, NULL, NULL                                  },
};
static TYPE(pod_security_context, "PodSecurityContext");

static const struct strategic_field node_selector_requirement_fields[] = {
    {"key",      1, STRING, REQUIRED, NULL, NULL},
    {"operator", 2, STRING, REQUIRED, NULL, NULL},
    {"values",   3, STRING, LIST,     NULL, NULL},
};
static TYPE(node_selector_requirement, "NodeSelectorRequirement");

static const struct strategic_field node_selector_term_fields[] = {
    {"matchExpressions", 1, MESSAGE, LIST, NULL, &type_node_selector_requirement},
    {"matchFields",      2, MESSAGE, LIST, NULL, &type_node_selector_requirement},
};
static TYPE(node_selector_term, "NodeSelectorTerm");

static const struct strategic_field node_selector_fields[] = {
    {"nodeSelectorTerms", 1, MESSAGE, LIST, NULL, &type_node_selector_term},
};
TYPE(node_selector, "NodeSelector");

static const struct strategic_field preferred_scheduling_term_fields[] = {
    {"weight",     1, INT32,   REQUIRED, NULL, NULL                    },
    {"preference", 2, MESSAGE, 0,        NULL, &type_node_selector_term},
};
static TYPE(preferred_scheduling_term, "PreferredSchedulingTerm");

static const struct strategic_field node_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",  1, MESSAGE, POINTER, NULL,
     &type_node_selector            },
    {"preferredDuringSchedulingIgnoredDuringExecution", 2, MESSAGE, LIST,    NULL,
     &type_preferred_scheduling_term},
};
static TYPE(node_affinity, "NodeAffinity");

static const struct strategic_field pod_affinity_term_fields[] = {
    {"labelSelector",     1, MESSAGE, POINTER,  NULL, &type_label_selector},
    {"namespaces",        2, STRING,  LIST,     NULL, NULL                },
    {"topologyKey",       3, STRING,  REQUIRED, NULL, NULL                },
    {"namespaceSelector", 4, MESSAGE, POINTER,  NULL, &type_label_selector},
    {"matchLabelKeys",    5, STRING,  LIST,     NULL, NULL                },
    {"mismatchLabelKeys", 6, STRING,  LIST,     NULL, NULL                },
};
static TYPE(pod_affinity_term, "PodAffinityTerm");

static const struct strategic_field weighted_pod_affinity_term_fields[] = {
    {"weight",          1, INT32,   REQUIRED, NULL, NULL                   },
    {"podAffinityTerm", 2, MESSAGE, 0,        NULL, &type_pod_affinity_term},
};
static TYPE(weighted_pod_affinity_term, "WeightedPodAffinityTerm");

static const struct strategic_field pod_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",  1, MESSAGE, LIST, NULL,
     &type_pod_affinity_term         },
    {"preferredDuringSchedulingIgnoredDuringExecution", 2, MESSAGE, LIST, NULL,
     &type_weighted_pod_affinity_term},
};
static TYPE(pod_affinity, "PodAffinity");

static const struct strategic_field pod_anti_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",  1, MESSAGE, LIST, NULL,
     &type_pod_affinity_term         },
    {"preferredDuringSchedulingIgnoredDuringExecution", 2, MESSAGE, LIST, NULL,
     &type_weighted_pod_affinity_term},
};
static TYPE(pod_anti_affinity, "PodAntiAffinity");

static const struct strategic_field affinity_fields[] = {
    {"nodeAffinity",    1, MESSAGE, POINTER, NULL, &type_node_affinity    },
    {"podAffinity",     2, MESSAGE, POINTER, NULL, &type_pod_affinity     },
    {"podAntiAffinity", 3, MESSAGE, POINTER, NULL, &type_pod_anti_affinity},
};
static TYPE(affinity, "Affinity");

static const struct strategic_field toleration_fields[] = {
    {"key",               1, STRING, 0,       NULL, NULL},
    {"operator",          2, STRING, 0,       NULL, NULL},
    {"value",             3, STRING, 0,       NULL, NULL},
    {"effect",            4, STRING, 0,       NULL, NULL},
    {"tolerationSeconds", 5, INT64,  POINTER, NULL, NULL},
};
TYPE(toleration, "Toleration");

static const struct strategic_field host_alias_fields[] = {
    {"ip",        1, STRING, REQUIRED, NULL, NULL},
    {"hostnames", 2, STRING, LIST,     NULL, NULL},
};
static TYPE(host_alias, "HostAlias");

static const struct strategic_field pod_dns_config_option_fields[] = {
    {"name",  1, STRING, 0,       NULL, NULL},
    {"value", 2, STRING, POINTER, NULL, NULL},
};
static TYPE(pod_dns_config_option, "PodDNSConfigOption");

static const struct strategic_field pod_dns_config_fields[] = {
    {"nameservers", 1, STRING,  LIST, NULL, NULL                       },
    {"searches",    2, STRING,  LIST, NULL, NULL                       },
    {"options",     3, MESSAGE, LIST, NULL, &type_pod_dns_config_option},
};
static TYPE(pod_dns_config, "PodDNSConfig");

static const struct strategic_field pod_readiness_gate_fields[] = {
    {"conditionType", 1, STRING, REQUIRED, NULL, NULL},
};
static TYPE(pod_readiness_gate, "PodReadinessGate");

static const struct strategic_field topology_spread_constraint_fields[] = {
    {"maxSkew",            1, INT32,   REQUIRED, NULL, NULL                },
    {"topologyKey",        2, STRING,  REQUIRED, NULL, NULL                },
    {"whenUnsatisfiable",  3, STRING,  REQUIRED, NULL, NULL                },
    {"labelSelector",      4, MESSAGE, POINTER,  NULL, &type_label_selector},
    {"minDomains",         5, INT32,   POINTER,  NULL, NULL                },
    {"nodeAffinityPolicy", 6, STRING,  POINTER,  NULL, NULL                },
    {"nodeTaintsPolicy",   7, STRING,  POINTER,  NULL, NULL                },
    {"matchLabelKeys",     8, STRING,  LIST,     NULL, NULL                },
};
static TYPE(topology_spread_constraint, "TopologySpreadConstraint");

static const struct strategic_field pod_os_fields[] = {
    {"name", 1, STRING, REQUIRED, NULL, NULL},
};
static TYPE(pod_os, "PodOS");

static const struct strategic_field pod_scheduling_gate_fields[] = {
    {"name", 1, STRING, REQUIRED, NULL, NULL},
};
static TYPE(pod_scheduling_gate, "PodSchedulingGate");

static const struct strategic_field pod_resource_claim_fields[] = {
    {"name",                      1, STRING, REQUIRED, NULL, NULL},
    {"resourceClaimName",         3, STRING, POINTER,  NULL, NULL},
    {"resourceClaimTemplateName", 4, STRING, POINTER,  NULL, NULL},
};
static TYPE(pod_resource_claim, "PodResourceClaim");

static const struct strategic_field pod_scheduling_group_fields[] = {
    {"podGroupName", 1, STRING, POINTER, NULL, NULL},
};
static TYPE(pod_scheduling_group, "PodSchedulingGroup");

static const struct strategic_field pod_spec_fields[] = {
    {"volumes",                       1,  MESSAGE,  LIST | MERGE | RETAIN_KEYS, "name",        &type_volume                },
    {"initContainers",                20, MESSAGE,  LIST | MERGE,               "name",        &type_container             },
    {"containers",                    2,  MESSAGE,  LIST | MERGE,               "name",        &type_container             },
    {"ephemeralContainers",           34, MESSAGE,  LIST | MERGE,               "name",        &type_ephemeral_container   },
    {"restartPolicy",                 3,  STRING,   0,                          NULL,          NULL                        },
    {"terminationGracePeriodSeconds", 4,  INT64,    POINTER,                    NULL,          NULL                        },
    {"activeDeadlineSeconds",         5,  INT64,    POINTER,                    NULL,          NULL                        },
    {"dnsPolicy",                     6,  STRING,   0,                          NULL,          NULL                        },
    {"nodeSelector",                  7,  STRING,   MAP,                        NULL,          NULL                        },
    {"serviceAccountName",            8,  STRING,   0,                          NULL,          NULL                        },
    {"serviceAccount",                9,  STRING,   0,                          NULL,          NULL                        },
    {"automountServiceAccountToken",  21, BOOL,     POINTER,                    NULL,          NULL                        },
    {"nodeName",                      10, STRING,   0,                          NULL,          NULL                        },
    {"hostNetwork",                   11, BOOL,     0,                          NULL,          NULL                        },
    {"hostPID",                       12, BOOL,     0,                          NULL,          NULL                        },
    {"hostIPC",                       13, BOOL,     0,                          NULL,          NULL                        },
    {"shareProcessNamespace",         27, BOOL,     POINTER,                    NULL,          NULL                        },
    {"securityContext",               14, MESSAGE,  POINTER,                    NULL,          &type_pod_security_context  },
    {"imagePullSecrets",              15, MESSAGE,  LIST | MERGE,               "name",        &type_local_object_reference},
    {"hostname",                      16, STRING,   0,                          NULL,          NULL                        },
    {"subdomain",                     17, STRING,   0,                          NULL,          NULL                        },
    {"affinity",                      18, MESSAGE,  POINTER,                    NULL,          &type_affinity              },
    {"schedulerName",                 19, STRING,   0,                          NULL,          NULL                        },
    {"tolerations",                   22, MESSAGE,  LIST,                       NULL,          &type_toleration            },
    {"hostAliases",                   23, MESSAGE,  LIST | MERGE,               "ip",          &type_host_alias            },
    {"priorityClassName",             24, STRING,   0,                          NULL,          NULL                        },
    {"priority",                      25, INT32,    POINTER,                    NULL,          NULL                        },
    {"dnsConfig",                     26, MESSAGE,  POINTER,                    NULL,          &type_pod_dns_config        },
    {"readinessGates",                28, MESSAGE,  LIST,                       NULL,          &type_pod_readiness_gate    },
    {"runtimeClassName",              29, STRING,   POINTER,                    NULL,          NULL                        },
    {"enableServiceLinks",            30, BOOL,     POINTER,                    NULL,          NULL                        },
    {"preemptionPolicy",              31, STRING,   POINTER,                    NULL,          NULL                        },
    {"overhead",                      32, QUANTITY, MAP,                        NULL,          NULL                        },
    {"topologySpreadConstraints",     33, MESSAGE,  LIST | MERGE,               "topologyKey",
     &type_topology_spread_constraint                                                                                      },
    {"setHostnameAsFQDN",             35, BOOL,     POINTER,                    NULL,          NULL                        },
    {"os",                            36, MESSAGE,  POINTER,                    NULL,          &type_pod_os                },
    {"hostUsers",                     37, BOOL,     POINTER,                    NULL,          NULL                        },
    {"schedulingGates",               38, MESSAGE,  LIST | MERGE,               "name",        &type_pod_scheduling_gate   },
    {"resourceClaims",                39, MESSAGE,  LIST | MERGE | RETAIN_KEYS, "name",        &type_pod_resource_claim    },
    {"resources",                     40, MESSAGE,  POINTER,                    NULL,          &type_resource_requirements },
    {"hostnameOverride",              41, STRING,   POINTER,                    NULL,          NULL                        },
    {"schedulingGroup",               43, MESSAGE,  POINTER,                    NULL,          &type_pod_scheduling_group  },
};
TYPE(pod_spec, "PodSpec");

static const struct strategic_field pod_condition_fields[] = {
    {"type",               1, STRING, REQUIRED, NULL, NULL},
    {"observedGeneration", 7, INT64,  0,        NULL, NULL},
    {"status",             2, STRING, REQUIRED, NULL, NULL},
    {"lastProbeTime",      3, TIME,   0,        NULL, NULL},
    {"lastTransitionTime", 4, TIME,   0,        NULL, NULL},
    {"reason",             5, STRING, 0,        NULL, NULL},
    {"message",            6, STRING, 0,        NULL, NULL},
};
static TYPE(pod_condition, "PodCondition");

static const struct strategic_field host_ip_fields[] = {
    {"ip", 1, STRING, REQUIRED, NULL, NULL},
};
static TYPE(host_ip, "HostIP");

static const struct strategic_field pod_ip_fields[] = {
    {"ip", 1, STRING, REQUIRED, NULL, NULL},
};
static TYPE(pod_ip, "PodIP");

static const struct strategic_field container_state_waiting_fields[] = {
    {"reason",  1, STRING, 0, NULL, NULL},
    {"message", 2, STRING, 0, NULL, NULL},
};
static TYPE(container_state_waiting, "ContainerStateWaiting");

static const struct strategic_field container_state_running_fields[] = {
    {"startedAt", 1, TIME, 0, NULL, NULL},
};
static TYPE(container_state_running, "ContainerStateRunning");

static const struct strategic_field container_state_terminated_fields[] = {
    {"exitCode",    1, INT32,  REQUIRED, NULL, NULL},
    {"signal",      2, INT32,  0,        NULL, NULL},
    {"reason",      3, STRING, 0,        NULL, NULL},
    {"message",     4, STRING, 0,        NULL, NULL},
    {"startedAt",   5, TIME,   0,        NULL, NULL},
    {"finishedAt",  6, TIME,   0,        NULL, NULL},
    {"containerID", 7, STRING, 0,        NULL, NULL},
};
static TYPE(container_state_terminated, "ContainerStateTerminated");

static const struct strategic_field container_state_fields[] = {
    {"waiting",    1, MESSAGE, POINTER, NULL, &type_container_state_waiting   },
    {"running",    2, MESSAGE, POINTER, NULL, &type_container_state_running   },
    {"terminated", 3, MESSAGE, POINTER, NULL, &type_container_state_terminated},
};
static TYPE(container_state, "ContainerState");

static const struct strategic_field linux_container_user_fields[] = {
    {"uid",                1, INT64, REQUIRED, NULL, NULL},
    {"gid",                2, INT64, REQUIRED, NULL, NULL},
    {"supplementalGroups", 3, INT64, LIST,     NULL, NULL},
};
static TYPE(linux_container_user, "LinuxContainerUser");

static const struct strategic_field container_user_fields[] = {
    {"linux", 1, MESSAGE, POINTER, NULL, &type_linux_container_user},
};
static TYPE(container_user, "ContainerUser");

static const struct strategic_field resource_health_fields[] = {
    {"resourceID", 1, STRING, REQUIRED, NULL, NULL},
    {"health",     2, STRING, 0,        NULL, NULL},
    {"message",    6, STRING, POINTER,  NULL, NULL},
};
static TYPE(resource_health, "ResourceHealth");

static const struct strategic_field resource_status_fields[] = {
    {"name",      1, STRING,  REQUIRED, NULL, NULL                 },
    {"resources", 2, MESSAGE, LIST,     NULL, &type_resource_health},
};
static TYPE(resource_status, "ResourceStatus");

static const struct strategic_field container_status_fields[] = {
    {"name",                     1,  STRING,   REQUIRED,     NULL,        NULL                       },
    {"state",                    2,  MESSAGE,  0,            NULL,        &type_container_state      },
    {"lastState",                3,  MESSAGE,  0,            NULL,        &type_container_state      },
    {"ready",                    4,  BOOL,     REQUIRED,     NULL,        NULL                       },
    {"restartCount",             5,  INT32,    REQUIRED,     NULL,        NULL                       },
    {"image",                    6,  STRING,   REQUIRED,     NULL,        NULL                       },
    {"imageID",                  7,  STRING,   REQUIRED,     NULL,        NULL                       },
    {"containerID",              8,  STRING,   0,            NULL,        NULL                       },
    {"started",                  9,  BOOL,     POINTER,      NULL,        NULL                       },
    {"allocatedResources",       10, QUANTITY, MAP,          NULL,        NULL                       },
    {"resources",                11, MESSAGE,  POINTER,      NULL,        &type_resource_requirements},
    {"volumeMounts",             12, MESSAGE,  LIST | MERGE, "mountPath", &type_volume_mount_status  },
    {"user",                     13, MESSAGE,  POINTER,      NULL,        &type_container_user       },
    {"allocatedResourcesStatus", 14, MESSAGE,  LIST | MERGE, "name",      &type_resource_status      },
    {"stopSignal",               15, STRING,   POINTER,      NULL,        NULL                       },
};
static TYPE(container_status, "ContainerStatus");

static const struct strategic_field pod_resource_claim_status_fields[] = {
    {"name",              1, STRING, REQUIRED, NULL, NULL},
    {"resourceClaimName", 2, STRING, POINTER,  NULL, NULL},
};
static TYPE(pod_resource_claim_status, "PodResourceClaimStatus");

static const struct strategic_field container_extended_resource_request_fields[] = {
    {"containerName", 1, STRING, REQUIRED, NULL, NULL},
    {"resourceName",  2, STRING, REQUIRED, NULL, NULL},
    {"requestName",   3, STRING, REQUIRED, NULL, NULL},
};
static TYPE(container_extended_resource_request, "ContainerExtendedResourceRequest");

static const struct strategic_field pod_extended_resource_claim_status_fields[] = {
    {"requestMappings",   1, MESSAGE, LIST,     NULL, &type_container_extended_resource_request},
    {"resourceClaimName", 2, STRING,  REQUIRED, NULL, NULL                                     },
};
static TYPE(pod_extended_resource_claim_status, "PodExtendedResourceClaimStatus");

static const struct strategic_field node_allocatable_resource_claim_status_fields[] = {
    {"resourceClaimName", 1, STRING,   REQUIRED, NULL, NULL},
    {"containers",        2, STRING,   LIST,     NULL, NULL},
    {"resources",         3, QUANTITY, MAP,      NULL, NULL},
};
static TYPE(node_allocatable_resource_claim_status, "NodeAllocatableResourceClaimStatus");

static const struct strategic_field pod_status_fields[] = {
    {"observedGeneration",                   17, INT64,    0,                          NULL,   NULL                       },
    {"phase",                                1,  STRING,   0,                          NULL,   NULL                       },
    {"conditions",                           2,  MESSAGE,  LIST | MERGE,               "type", &type_pod_condition        },
    {"message",                              3,  STRING,   0,                          NULL,   NULL                       },
    {"reason",                               4,  STRING,   0,                          NULL,   NULL                       },
    {"nominatedNodeName",                    11, STRING,   0,                          NULL,   NULL                       },
    {"hostIP",                               5,  STRING,   0,                          NULL,   NULL                       },
    {"hostIPs",                              16, MESSAGE,  LIST | MERGE,               "ip",   &type_host_ip              },
    {"podIP",                                6,  STRING,   0,                          NULL,   NULL                       },
    {"podIPs",                               12, MESSAGE,  LIST | MERGE,               "ip",   &type_pod_ip               },
    {"startTime",                            7,  TIME,     POINTER,                    NULL,   NULL                       },
    {"initContainerStatuses",                10, MESSAGE,  LIST,                       NULL,   &type_container_status     },
    {"containerStatuses",                    8,  MESSAGE,  LIST,                       NULL,   &type_container_status     },
    {"qosClass",                             9,  STRING,   0,                          NULL,   NULL                       },
    {"ephemeralContainerStatuses",           13, MESSAGE,  LIST,                       NULL,   &type_container_status     },
    {"resize",                               14, STRING,   0,                          NULL,   NULL                       },
    {"resourceClaimStatuses",                15, MESSAGE,  LIST | MERGE | RETAIN_KEYS, "name",
     &type_pod_resource_claim_status                                                                                      },
    {"extendedResourceClaimStatus",          18, MESSAGE,  POINTER,                    NULL,
     &type_pod_extended_resource_claim_status                                                                             },
    {"allocatedResources",                   19, QUANTITY, MAP,                        NULL,   NULL                       },
    {"resources",                            20, MESSAGE,  POINTER,                    NULL,   &type_resource_requirements},
    {"nodeAllocatableResourceClaimStatuses", 21, MESSAGE,  LIST,                       NULL,
     &type_node_allocatable_resource_claim_status                                                                         },
};
TYPE(pod_status, "PodStatus");

static const struct strategic_field pod_template_spec_fields[] = {
    {"metadata", 1, MESSAGE, 0, NULL, &type_object_meta},
    {"spec",     2, MESSAGE, 0, NULL, &type_pod_spec   },
};
TYPE(pod_template_spec, "PodTemplateSpec");
