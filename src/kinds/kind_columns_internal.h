/*
 * The columns of built-in kinds, and how their cells are made.
 *
 * Columns are what struct kind points to; a row of cells (kind_columns.c and its neighbours)
 * belongs to each set of columns. Every cell is a function of the object alone and of the time;
 * most are shared and told where to look by a path.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "kinds/kind.h"

extern const struct kind_column kind_columns_default[2]; /* Name, Created At */
extern const struct kind_column kind_columns_plain[2];   /* Name, Age */
extern const struct kind_column kind_columns_config_map[3];
extern const struct kind_column kind_columns_secret[4];
extern const struct kind_column kind_columns_namespace[3];
extern const struct kind_column kind_columns_service[7];
extern const struct kind_column kind_columns_event[10];
extern const struct kind_column kind_columns_pod[9];
extern const struct kind_column kind_columns_pod_template[4];
extern const struct kind_column kind_columns_node[10];
extern const struct kind_column kind_columns_persistent_volume[11];
extern const struct kind_column kind_columns_persistent_volume_claim[9];
extern const struct kind_column kind_columns_endpoints[3];
extern const struct kind_column kind_columns_resource_quota[4];
extern const struct kind_column kind_columns_replicas[8]; /* ReplicaSet, ReplicationController */
extern const struct kind_column kind_columns_deployment[8];
extern const struct kind_column kind_columns_stateful_set[5];
extern const struct kind_column kind_columns_daemon_set[11];
extern const struct kind_column kind_columns_controller_revision[4];
extern const struct kind_column kind_columns_job[8];
extern const struct kind_column kind_columns_cron_job[10];
extern const struct kind_column kind_columns_role_binding[6];
extern const struct kind_column kind_columns_ingress[6];
extern const struct kind_column kind_columns_ingress_class[4];
extern const struct kind_column kind_columns_network_policy[3];
extern const struct kind_column kind_columns_ip_address[3];
extern const struct kind_column kind_columns_service_cidr[3];
extern const struct kind_column kind_columns_pod_disruption_budget[5];
extern const struct kind_column kind_columns_storage_class[6];
extern const struct kind_column kind_columns_volume_attachment[6];
extern const struct kind_column kind_columns_csi_driver[8];
extern const struct kind_column kind_columns_csi_node[3];
extern const struct kind_column kind_columns_csi_storage_capacity[4];
extern const struct kind_column kind_columns_volume_attributes_class[3];
extern const struct kind_column kind_columns_webhook_configuration[3];
extern const struct kind_column kind_columns_admission_policy[4];
extern const struct kind_column kind_columns_admission_policy_binding[4];
extern const struct kind_column kind_columns_api_service[4];
extern const struct kind_column kind_columns_lease[3];
extern const struct kind_column kind_columns_priority_class[5];
extern const struct kind_column kind_columns_endpoint_slice[5];
extern const struct kind_column kind_columns_runtime_class[3];
extern const struct kind_column kind_columns_horizontal_pod_autoscaler[7];
