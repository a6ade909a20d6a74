/*
 * Which members of a built-in type its schema requires.
 *
 * A member that Go writes even if it is zero (GO_REQUIRED) is required, others are not. The tables
 * have the types for which the published API says otherwise: a list or an object may be required,
 * and some members that are always written are not.
 */
#include "apiserver/openapi/openapi_internal.h"

/* The name of a type is the end of its full name, as long as it takes to tell it from others. */
struct exception {
    struct str type, members; /* members are separated by spaces */
};

/* Required, though Go leaves them out. */
static const struct exception also_required[] = {
    {STR_INIT("MutatingWebhook"),                        STR_INIT("admissionReviewVersions clientConfig sideEffects")},
    {STR_INIT("ValidatingAdmissionPolicyBinding"),       STR_INIT("spec")                                            },
    {STR_INIT("ValidatingAdmissionPolicyBindingSpec"),   STR_INIT("policyName validationActions")                    },
    {STR_INIT("ValidatingWebhook"),                      STR_INIT("admissionReviewVersions clientConfig sideEffects")},
    {STR_INIT("DaemonSetSpec"),                          STR_INIT("selector template")                               },
    {STR_INIT("DeploymentSpec"),                         STR_INIT("selector template")                               },
    {STR_INIT("ReplicaSetSpec"),                         STR_INIT("selector")                                        },
    {STR_INIT("StatefulSetSpec"),                        STR_INIT("selector template")                               },
    {STR_INIT("TokenReview"),                            STR_INIT("spec")                                            },
    {STR_INIT("TokenReviewSpec"),                        STR_INIT("token")                                           },
    {STR_INIT("LocalSubjectAccessReview"),               STR_INIT("spec")                                            },
    {STR_INIT("NonResourceRule"),                        STR_INIT("verbs")                                           },
    {STR_INIT("ResourceRule"),                           STR_INIT("verbs")                                           },
    {STR_INIT("SelfSubjectAccessReview"),                STR_INIT("spec")                                            },
    {STR_INIT("SelfSubjectRulesReview"),                 STR_INIT("spec")                                            },
    {STR_INIT("SubjectAccessReview"),                    STR_INIT("spec")                                            },
    {STR_INIT("SubjectRulesReviewStatus"),               STR_INIT("nonResourceRules resourceRules")                  },
    {STR_INIT("ContainerResourceMetricSource"),          STR_INIT("target")                                          },
    {STR_INIT("ContainerResourceMetricStatus"),          STR_INIT("current")                                         },
    {STR_INIT("ExternalMetricSource"),                   STR_INIT("metric target")                                   },
    {STR_INIT("ExternalMetricStatus"),                   STR_INIT("current metric")                                  },
    {STR_INIT("HorizontalPodAutoscaler"),                STR_INIT("spec")                                            },
    {STR_INIT("HorizontalPodAutoscalerSpec"),            STR_INIT("scaleTargetRef")                                  },
    {STR_INIT("ObjectMetricSource"),                     STR_INIT("describedObject metric target")                   },
    {STR_INIT("ObjectMetricStatus"),                     STR_INIT("current describedObject metric")                  },
    {STR_INIT("PodsMetricSource"),                       STR_INIT("metric target")                                   },
    {STR_INIT("PodsMetricStatus"),                       STR_INIT("current metric")                                  },
    {STR_INIT("ResourceMetricSource"),                   STR_INIT("target")                                          },
    {STR_INIT("ResourceMetricStatus"),                   STR_INIT("current")                                         },
    {STR_INIT("CronJob"),                                STR_INIT("spec")                                            },
    {STR_INIT("CronJobSpec"),                            STR_INIT("jobTemplate")                                     },
    {STR_INIT("JobSpec"),                                STR_INIT("template")                                        },
    {STR_INIT("PodFailurePolicy"),                       STR_INIT("rules")                                           },
    {STR_INIT("PodFailurePolicyOnExitCodesRequirement"), STR_INIT("values")                                          },
    {STR_INIT("SuccessPolicy"),                          STR_INIT("rules")                                           },
    {STR_INIT("CephFSPersistentVolumeSource"),           STR_INIT("monitors")                                        },
    {STR_INIT("CephFSVolumeSource"),                     STR_INIT("monitors")                                        },
    {STR_INIT("ContainerRestartRule"),                   STR_INIT("action")                                          },
    {STR_INIT("ContainerRestartRuleOnExitCodes"),        STR_INIT("operator")                                        },
    {STR_INIT("core.v1.Event"),                          STR_INIT("involvedObject metadata")                         },
    {STR_INIT("ImageVolumeStatus"),                      STR_INIT("imageRef")                                        },
    {STR_INIT("LimitRangeSpec"),                         STR_INIT("limits")                                          },
    {STR_INIT("NodeAllocatableResourceClaimStatus"),     STR_INIT("resources")                                       },
    {STR_INIT("NodeSelector"),                           STR_INIT("nodeSelectorTerms")                               },
    {STR_INIT("PersistentVolumeClaimTemplate"),          STR_INIT("spec")                                            },
    {STR_INIT("PodCertificateProjection"),               STR_INIT("keyType signerName")                              },
    {STR_INIT("PodExtendedResourceClaimStatus"),         STR_INIT("requestMappings")                                 },
    {STR_INIT("PodSpec"),                                STR_INIT("containers")                                      },
    {STR_INIT("PreferredSchedulingTerm"),                STR_INIT("preference")                                      },
    {STR_INIT("RBDPersistentVolumeSource"),              STR_INIT("monitors")                                        },
    {STR_INIT("RBDVolumeSource"),                        STR_INIT("monitors")                                        },
    {STR_INIT("ScaleIOPersistentVolumeSource"),          STR_INIT("secretRef")                                       },
    {STR_INIT("ScaleIOVolumeSource"),                    STR_INIT("secretRef")                                       },
    {STR_INIT("TopologySelectorLabelRequirement"),       STR_INIT("values")                                          },
    {STR_INIT("WeightedPodAffinityTerm"),                STR_INIT("podAffinityTerm")                                 },
    {STR_INIT("Endpoint"),                               STR_INIT("addresses")                                       },
    {STR_INIT("HTTPIngressPath"),                        STR_INIT("backend pathType")                                },
    {STR_INIT("HTTPIngressRuleValue"),                   STR_INIT("paths")                                           },
    {STR_INIT("IPAddress"),                              STR_INIT("spec")                                            },
    {STR_INIT("IPAddressSpec"),                          STR_INIT("parentRef")                                       },
    {STR_INIT("ParentReference"),                        STR_INIT("name resource")                                   },
    {STR_INIT("ClusterRoleBinding"),                     STR_INIT("roleRef")                                         },
    {STR_INIT("PolicyRule"),                             STR_INIT("verbs")                                           },
    {STR_INIT("RoleBinding"),                            STR_INIT("roleRef")                                         },
    {STR_INIT("CSIDriver"),                              STR_INIT("spec")                                            },
    {STR_INIT("CSINode"),                                STR_INIT("spec")                                            },
    {STR_INIT("CSINodeSpec"),                            STR_INIT("drivers")                                         },
    {STR_INIT("VolumeAttachment"),                       STR_INIT("spec")                                            },
    {STR_INIT("VolumeAttachmentSpec"),                   STR_INIT("source")                                          },
    {STR_INIT("CustomResourceDefinition"),               STR_INIT("spec")                                            },
    {STR_INIT("CustomResourceDefinitionSpec"),           STR_INIT("names versions")                                  },
    {STR_INIT("WebhookConversion"),                      STR_INIT("conversionReviewVersions")                        },
};

/* Not required, though Go always writes them. */
static const struct exception not_required[] = {
    {STR_INIT("StatefulSetOrdinals"),                    STR_INIT("start")                               },
    {STR_INIT("StatefulSetSpec"),                        STR_INIT("serviceName")                         },
    {STR_INIT("StatefulSetStatus"),                      STR_INIT("availableReplicas")                   },
    {STR_INIT("TokenRequestStatus"),                     STR_INIT("expirationTimestamp token")           },
    {STR_INIT("PodFailurePolicyOnPodConditionsPattern"), STR_INIT("status")                              },
    {STR_INIT("core.v1.Event"),                          STR_INIT("reportingComponent reportingInstance")},
    {STR_INIT("NodeRuntimeHandler"),                     STR_INIT("name")                                },
    {STR_INIT("PodDisruptionBudgetStatus"),
     STR_INIT("currentHealthy desiredHealthy disruptionsAllowed expectedPods")                           },
    {STR_INIT("RoleRef"),                                STR_INIT("apiGroup")                            },
    {STR_INIT("PriorityClass"),                          STR_INIT("value")                               },
};

static bool has_word(struct str words, struct str wanted)
{
    struct str word;
    bool has_more = words.len > 0;
    while (has_more) {
        has_more = str_cut(&words, ' ', &word);
        if (str_eq(word, wanted))
            return true;
    }
    return false;
}

/* Whether the words of a name that stand behind a dot are these. */
static bool is_end_of_name(struct str name, struct str end)
{
    return name.len > end.len && str_ends_with(name, end) &&
           name.ptr[name.len - end.len - 1] == '.';
}

static bool is_exception(const struct exception *exceptions, size_t count, struct str type,
                         struct str member)
{
    for (size_t i = 0; i < count; i++)
        if (is_end_of_name(type, exceptions[i].type) && has_word(exceptions[i].members, member))
            return true;
    return false;
}

bool openapi_is_required(struct str type, const struct go_field *field)
{
    const struct str name = str_from_c(field->name);
    if (is_exception(also_required, COUNT(also_required), type, name))
        return true;
    return (field->flags & GO_REQUIRED) &&
           !is_exception(not_required, COUNT(not_required), type, name);
}
