/*
 * The parts of the validation of Pods and pod templates. Private to kind_validate_*.c.
 *
 * validate_pod_spec() goes through a PodSpec in the order of upstream's ValidatePodSpec() and calls
 * the functions below, which are grouped by file. The walk of kind_validate.c does not enter a
 * PodSpec, since upstream looks into many of its parts only in some cases: into the first source of
 * a volume, into the probes of containers that run for long.
 */
#pragma once

#include "apiserver/registry/validation/kind_validate_source.h"

/* What rules of parts of a Pod ask the whole. */
struct pod_check {
    const struct json_value *spec;
    const struct json_value *meta; /* of a Pod; NULL in a template */
    const struct json_value *annotations;
    struct str path;            /* of the spec */
    struct map resource_claims; /* names of the Pod's resourceClaims */
    struct map volumes;         /* names of volumes without faults */
    struct map claims;          /* names of those that are claims */
    struct map named, scratch;  /* names of all volumes, and of those that are an emptyDir */
};

/* Applies a function to init containers, containers and ephemeral containers, in this order. */
void pod_each_container(struct kind_validator *v, validate_fn *check);

/* Whether spec.os.name is this one. */
bool pod_has_os(const struct kind_validator *v, const char *name);

/* kind_validate_pod_volume.c, kind_validate_projected.c, kind_validate_source.c. */
void validate_pod_volumes(struct kind_validator *v, struct pod_check *pod);
validate_fn validate_items, validate_downward_items, validate_projected;
void validate_file_mode(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member);
/* A path below another one: it is relative and does not lead upwards, nor begins with "..". */
void validate_inner_path(struct kind_validator *v, const struct json_value *object, struct str path,
                         const char *member);

/* kind_validate_container.c, kind_validate_mount.c. */
validate_fn validate_containers, validate_pod_image, validate_mounts, validate_devices;

/* kind_validate_env.c. */
validate_fn validate_env, validate_env_from, validate_env_volumes;
enum field_ref_use { FIELD_REF_ENV, FIELD_REF_VOLUME };
void validate_field_ref(struct kind_validator *v, const struct json_value *object, struct str path,
                        enum field_ref_use use);
void validate_resource_ref(struct kind_validator *v, const struct json_value *object,
                           struct str path, enum field_ref_use use);

/* kind_validate_probe.c. */
validate_fn validate_probes, validate_lifecycle;

/* kind_validate_security.c, kind_validate_profile.c, kind_validate_windows.c. */
validate_fn validate_pod_security, validate_container_security, validate_host_users;
validate_fn validate_seccomp, validate_app_armor;
validate_fn validate_group; /* a number of a user or a group */
validate_fn validate_windows_options, validate_host_processes, validate_pod_os;

/* kind_validate_affinity.c. */
validate_fn validate_affinity, validate_spread;
void validate_pod_selector(struct kind_validator *v, const struct json_value *object,
                           struct str path, const char *member);
/* matchLabelKeys and mismatchLabelKeys beside a selector. */
void validate_label_keys(struct kind_validator *v, const struct json_value *object,
                         struct str path);

/* kind_validate_pod_devices.c: of the status. */
validate_fn validate_extended_claim_status, validate_container_statuses;

/* kind_validate_requirements.c. */
validate_fn validate_container_resources, validate_pod_claims, validate_pod_resources;

/* kind_validate_profile.c: of annotations, and whether those say the same as the spec. */
void validate_profile_annotations(struct kind_validator *v, const struct json_value *annotations,
                                  const struct json_value *spec, struct str path);
void validate_profile_pairs(struct kind_validator *v);

/* kind_validate_template.c: annotations that Kubernetes itself reads. */
void validate_pod_annotations(struct kind_validator *v, const struct json_value *annotations,
                              const struct json_value *spec, struct str path);

/* Whether a controller's selector cannot be read, so that its template is not looked into. */
