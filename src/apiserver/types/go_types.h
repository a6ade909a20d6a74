/*
 * A built-in type as a table. For the sources that walk documents along types; others need only
 * go_type.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apiserver/types/go_type.h"
#include "base/owned.h"
#include "base/str.h"

enum go_field_kind {
    GO_STRING,
    GO_BOOL,
    GO_INT32,
    GO_INT64,
    GO_DOUBLE,
    GO_BYTES,   /* base64 in JSON */
    GO_STRINGS, /* an array of strings as the value of a map; a message on the wire */
    GO_QUANTITY,
    GO_INT_OR_STRING,
    GO_TIME,
    GO_MICRO_TIME,
    GO_DURATION,
    GO_ANY,   /* any JSON; on the wire a message that holds its text */
    GO_UNION, /* JSON of one of several forms; on the wire a message with a field for each form */
    GO_MESSAGE,
};

enum go_field_flags {
    GO_LIST = 1,
    GO_MAP = 2,
    GO_INLINE = 4,    /* members of the type stand in the object that has the field */
    GO_POINTER = 8,   /* present and zero is not absent */
    GO_REQUIRED = 16, /* written even if it is zero */
    GO_MERGE = 32,
    GO_REPLACE = 64,
    GO_RETAIN_KEYS = 128,
};

struct go_field {
    const char *name;
    uint8_t number; /* in protobuf; 0 for what is never sent in it */
    uint8_t kind;   /* enum go_field_kind, of one element or of a map's value */
    uint8_t flags;
    const char *merge_key;
    const struct go_type *type; /* of GO_MESSAGE; of GO_UNION its forms, first the one that wins */
};

struct go_type {
    const char *name; /* as messages give it */
    const struct go_field *fields;
    size_t count;
};

/* The type whose rows are in <id>_fields. */
#define TYPE(id, name) const struct go_type type_##id = {name, id##_fields, COUNT(id##_fields)}

/* A member by its name, looked for in inlined types as well; NULL if there is none. */
const struct go_field *go_type_field(const struct go_type *type, struct str name);

/* A field by its number in protobuf; there, inlined types are messages of their own. */
const struct go_field *go_type_number(const struct go_type *type, uint64_t number);

/* NULL when requests of this kind are not taken as protobuf. */
const struct go_type *go_type_of_message(struct gvk gvk);

/* The types that more than one file refers to. */
extern const struct go_type type_object_meta;
extern const struct go_type type_config_map;
extern const struct go_type type_secret;
extern const struct go_type type_namespace;
extern const struct go_type type_object_reference;
extern const struct go_type type_local_object_reference;
extern const struct go_type type_service_account;
extern const struct go_type type_condition;
extern const struct go_type type_service;
extern const struct go_type type_event_source;
extern const struct go_type type_event;
extern const struct go_type type_host_path_volume_source;
extern const struct go_type type_gce_persistent_disk_volume_source;
extern const struct go_type type_aws_elastic_block_store_volume_source;
extern const struct go_type type_key_to_path;
extern const struct go_type type_nfs_volume_source;
extern const struct go_type type_flocker_volume_source;
extern const struct go_type type_object_field_selector;
extern const struct go_type type_resource_field_selector;
extern const struct go_type type_fc_volume_source;
extern const struct go_type type_vsphere_virtual_disk_volume_source;
extern const struct go_type type_quobyte_volume_source;
extern const struct go_type type_azure_disk_volume_source;
extern const struct go_type type_photon_persistent_disk_volume_source;
extern const struct go_type type_label_selector_requirement;
extern const struct go_type type_label_selector;
extern const struct go_type type_portworx_volume_source;
extern const struct go_type type_typed_local_object_reference;
extern const struct go_type type_typed_object_reference;
extern const struct go_type type_persistent_volume_claim_spec;
extern const struct go_type type_volume;
extern const struct go_type type_volume_mount;
extern const struct go_type type_volume_device;
extern const struct go_type type_node_selector;
extern const struct go_type type_toleration;
extern const struct go_type type_pod_spec;
extern const struct go_type type_volume_mount_status;
extern const struct go_type type_pod_status;
extern const struct go_type type_pod;
extern const struct go_type type_pod_template_spec;
extern const struct go_type type_pod_template;
extern const struct go_type type_node;
extern const struct go_type type_persistent_volume_spec;
extern const struct go_type type_persistent_volume;
extern const struct go_type type_persistent_volume_claim;
extern const struct go_type type_endpoints;
extern const struct go_type type_limit_range;
extern const struct go_type type_replication_controller;
extern const struct go_type type_resource_quota;
extern const struct go_type type_binding;
extern const struct go_type type_delete_options;
extern const struct go_type type_deployment;
extern const struct go_type type_daemon_set;
extern const struct go_type type_replica_set;
extern const struct go_type type_stateful_set;
extern const struct go_type type_controller_revision;
extern const struct go_type type_job;
extern const struct go_type type_cron_job;
extern const struct go_type type_role;
extern const struct go_type type_role_binding;
extern const struct go_type type_cluster_role;
extern const struct go_type type_cluster_role_binding;
extern const struct go_type type_ingress;
extern const struct go_type type_ingress_class;
extern const struct go_type type_network_policy;
extern const struct go_type type_ip_address;
extern const struct go_type type_service_cidr;
extern const struct go_type type_pod_disruption_budget;
extern const struct go_type type_eviction;
extern const struct go_type type_topology_selector_term;
extern const struct go_type type_storage_class;
extern const struct go_type type_volume_attachment;
extern const struct go_type type_csi_driver;
extern const struct go_type type_csi_node;
extern const struct go_type type_csi_storage_capacity;
extern const struct go_type type_volume_attributes_class;
extern const struct go_type type_validating_webhook_configuration;
extern const struct go_type type_mutating_webhook_configuration;
extern const struct go_type type_mutating_admission_policy;
extern const struct go_type type_mutating_admission_policy_binding;
extern const struct go_type type_validating_admission_policy;
extern const struct go_type type_validating_admission_policy_binding;
extern const struct go_type type_api_service;
extern const struct go_type type_json_schema_props;
extern const struct go_type type_custom_resource_definition;
extern const struct go_type type_lease;
extern const struct go_type type_events_event;
extern const struct go_type type_priority_class;
extern const struct go_type type_endpoint_slice;
extern const struct go_type type_runtime_class;
extern const struct go_type type_autoscaling_v1_cross_version_object_reference;
extern const struct go_type type_flow_subject;
extern const struct go_type type_autoscaling_v1_horizontal_pod_autoscaler;
extern const struct go_type type_scale;
extern const struct go_type type_autoscaling_v2_horizontal_pod_autoscaler;
extern const struct go_type type_authentication_token_request;
extern const struct go_type type_token_review;
extern const struct go_type type_self_subject_review;
extern const struct go_type type_field_selector_requirement;
extern const struct go_type type_self_subject_access_review;
extern const struct go_type type_self_subject_rules_review;
extern const struct go_type type_subject_access_review;
extern const struct go_type type_local_subject_access_review;
extern const struct go_type type_certificate_signing_request;
extern const struct go_type type_flow_schema;
extern const struct go_type type_priority_level_configuration;
