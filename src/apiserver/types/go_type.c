/*
 * Built-in kinds by name, and fields of their types by name and by number.
 *
 * The table maps an apiVersion to a type, which has the name of the kind. Types that occur only
 * inside of others are not in it. The lists are short and searched from the front.
 */
#include "apiserver/types/go_type.h"

#include "apiserver/types/go_types.h"

/* The type has the name of the kind. */
static const struct {
    const char *api_version;
    const struct go_type *type;
} kinds[] = {
    {"v1",                              &type_config_map                              },
    {"v1",                              &type_secret                                  },
    {"v1",                              &type_namespace                               },
    {"v1",                              &type_service_account                         },
    {"v1",                              &type_service                                 },
    {"v1",                              &type_event                                   },
    {"v1",                              &type_pod                                     },
    {"v1",                              &type_pod_template                            },
    {"v1",                              &type_node                                    },
    {"v1",                              &type_persistent_volume                       },
    {"v1",                              &type_persistent_volume_claim                 },
    {"v1",                              &type_endpoints                               },
    {"v1",                              &type_limit_range                             },
    {"v1",                              &type_replication_controller                  },
    {"v1",                              &type_resource_quota                          },
    {"v1",                              &type_binding                                 },
    {"apps/v1",                         &type_deployment                              },
    {"apps/v1",                         &type_daemon_set                              },
    {"apps/v1",                         &type_replica_set                             },
    {"apps/v1",                         &type_stateful_set                            },
    {"apps/v1",                         &type_controller_revision                     },
    {"batch/v1",                        &type_job                                     },
    {"batch/v1",                        &type_cron_job                                },
    {"rbac.authorization.k8s.io/v1",    &type_role                                    },
    {"rbac.authorization.k8s.io/v1",    &type_role_binding                            },
    {"rbac.authorization.k8s.io/v1",    &type_cluster_role                            },
    {"rbac.authorization.k8s.io/v1",    &type_cluster_role_binding                    },
    {"networking.k8s.io/v1",            &type_ingress                                 },
    {"networking.k8s.io/v1",            &type_ingress_class                           },
    {"networking.k8s.io/v1",            &type_network_policy                          },
    {"networking.k8s.io/v1",            &type_ip_address                              },
    {"networking.k8s.io/v1",            &type_service_cidr                            },
    {"policy/v1",                       &type_pod_disruption_budget                   },
    {"policy/v1",                       &type_eviction                                },
    {"storage.k8s.io/v1",               &type_storage_class                           },
    {"storage.k8s.io/v1",               &type_volume_attachment                       },
    {"storage.k8s.io/v1",               &type_csi_driver                              },
    {"storage.k8s.io/v1",               &type_csi_node                                },
    {"storage.k8s.io/v1",               &type_csi_storage_capacity                    },
    {"storage.k8s.io/v1",               &type_volume_attributes_class                 },
    {"admissionregistration.k8s.io/v1", &type_validating_webhook_configuration        },
    {"admissionregistration.k8s.io/v1", &type_mutating_webhook_configuration          },
    {"admissionregistration.k8s.io/v1", &type_mutating_admission_policy               },
    {"admissionregistration.k8s.io/v1", &type_mutating_admission_policy_binding       },
    {"admissionregistration.k8s.io/v1", &type_validating_admission_policy             },
    {"admissionregistration.k8s.io/v1", &type_validating_admission_policy_binding     },
    {"apiregistration.k8s.io/v1",       &type_api_service                             },
    {"apiextensions.k8s.io/v1",         &type_custom_resource_definition              },
    {"coordination.k8s.io/v1",          &type_lease                                   },
    {"events.k8s.io/v1",                &type_events_event                            },
    {"scheduling.k8s.io/v1",            &type_priority_class                          },
    {"discovery.k8s.io/v1",             &type_endpoint_slice                          },
    {"node.k8s.io/v1",                  &type_runtime_class                           },
    {"autoscaling/v1",                  &type_autoscaling_v1_horizontal_pod_autoscaler},
    {"autoscaling/v1",                  &type_scale                                   },
    {"autoscaling/v2",                  &type_autoscaling_v2_horizontal_pod_autoscaler},
    {"authentication.k8s.io/v1",        &type_authentication_token_request            },
    {"authentication.k8s.io/v1",        &type_token_review                            },
    {"authentication.k8s.io/v1",        &type_self_subject_review                     },
    {"authorization.k8s.io/v1",         &type_self_subject_access_review              },
    {"authorization.k8s.io/v1",         &type_self_subject_rules_review               },
    {"authorization.k8s.io/v1",         &type_subject_access_review                   },
    {"authorization.k8s.io/v1",         &type_local_subject_access_review             },
    {"certificates.k8s.io/v1",          &type_certificate_signing_request             },
    {"flowcontrol.apiserver.k8s.io/v1", &type_flow_schema                             },
    {"flowcontrol.apiserver.k8s.io/v1", &type_priority_level_configuration            },
};

static bool has_version(struct str api_version, struct gvk gvk)
{
    struct str version = api_version, group = {NULL, 0};
    if (str_find_char(api_version, '/') != STR_NONE)
        str_cut(&version, '/', &group);
    return str_eq(version, gvk.version) && str_eq(group, gvk.group);
}

const struct go_type *go_type_find(struct gvk gvk)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(str_from_c(kinds[i].type->name), gvk.kind) &&
            has_version(str_from_c(kinds[i].api_version), gvk))
            return kinds[i].type;
    return NULL;
}

const struct go_type *go_type_of_message(struct gvk gvk)
{
    /* Options belong to every group; clients name the one whose object they delete. */
    if (str_eq(gvk.kind, STR("DeleteOptions")))
        return &type_delete_options;
    return go_type_find(gvk);
}

/* Types are inlined at most two deep. */
#define INLINED_MAX 4

/*
 * Inlined types have their members in the same JSON object. They are searched breadth first, as Go
 * resolves promoted fields: the outermost one wins.
 */
const struct go_field *go_type_field(const struct go_type *type, struct str name)
{
    const struct go_type *types[INLINED_MAX] = {type};
    size_t known = 1;
    for (size_t at = 0; at < known; at++) {
        for (size_t i = 0; i < types[at]->count; i++) {
            const struct go_field *field = &types[at]->fields[i];
            if (!(field->flags & GO_INLINE) && str_eq(str_from_c(field->name), name))
                return field;
            if ((field->flags & GO_INLINE) && known < INLINED_MAX)
                types[known++] = field->type;
        }
    }
    return NULL;
}

/* On the wire an inlined type is a message of its own, so that its numbers do not count here. */
const struct go_field *go_type_number(const struct go_type *type, uint64_t number)
{
    for (size_t i = 0; i < type->count; i++)
        if (number != 0 && type->fields[i].number == number)
            return &type->fields[i];
    return NULL;
}
