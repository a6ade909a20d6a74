/*
 * Sources of volumes that Pods and PersistentVolumes have in common. Private to kind_validate_*.c.
 */
#pragma once

#include "apiserver/registry/validation/kind_validate_internal.h"

#define VOLUME_ONE_TYPE "may not specify more than 1 volume type"

/* Of "<volume>:<targetPortal>" of an iSCSI volume. */
#define ISCSI_PORTAL_MAX 64
#define ISCSI_PORTAL_WORDS                                                               \
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if " \
    "iscsi.initiatorName is specified."

/* What a source needs, and what else is looked at. Some paths in errors are not the member's. */
struct volume_source {
    const char *member, *path, *path_of_second;
    const char *required[3];
    validate_fn *check;
};

void validate_volume_source(struct kind_validator *v, const struct json_value *value,
                            const struct volume_source *source, struct str path);

validate_fn validate_host_path, validate_partition, validate_flocker, validate_nfs,
    validate_quobyte, validate_iscsi, validate_fc, validate_flex, validate_azure_disk;

/* The name of a driver: a domain, in letters of any case. */
void validate_driver_name(struct kind_validator *v, struct str name, struct str path);

/* Whether a path leads upwards. */
bool path_has_backstep(struct str path);

/* The member "path" does not lead upwards. */
void validate_no_backstep(struct kind_validator *v, const struct json_value *object,
                          struct str path);

/* A text that is a path below another one. */
void validate_relative_path(struct kind_validator *v, struct str text, struct str path);
