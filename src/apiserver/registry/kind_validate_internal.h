/*
 * The parts of kind_builtin_validate(). Private to this folder.
 *
 * Rules belong to types, as defaults do, and are applied wherever a type occurs: what holds for a
 * container holds in a pod and in every template. Most are rows of a table; those that look at
 * several members are functions on the object.
 */
#pragma once

#include "apimachinery/quantity.h"
#include "apimachinery/validation.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/types/go_types.h"
#include "json/path.h"

struct rule_row;

struct kind_validator {
    const struct kind *kind;
    const struct kind_write *write;
    const struct json_value *object, *old; /* whole objects; old is NULL on a create */
    struct field_errors *errors;
    struct arena *arena;
    const struct go_type *last_type; /* whose rows were looked for, and what was found */
    const struct rule_row *last_rows;
    size_t last_count;
};

/* Judges an object of a type, or the whole one, at its path ("" for the whole). */
typedef void validate_fn(struct kind_validator *v, const struct json_value *object,
                         struct str path);

enum rule_form {
    RULE_REQUIRED,   /* absent, empty or 0: the text is the detail */
    RULE_ONE_OF,     /* the text has the values, between bars */
    RULE_RANGE,      /* from low to high, said as such */
    RULE_AT_LEAST,   /* low: greater than or equal to it */
    RULE_ABOVE,      /* low: greater than it */
    RULE_SYNTAX,     /* as the function says */
    RULE_LABELS,     /* keys and values of a map */
    RULE_UNIQUE,     /* the elements' member that the text names */
    RULE_QUANTITIES, /* a map of quantities, none below 0 */
    RULE_OBJECT,     /* a function on the object that has the member */
};

struct rule_row {
    const char *type, *member; /* NULL: the object itself */
    enum rule_form form;
    const char *text;
    int64_t low, high;
    name_check_fn *syntax;
    validate_fn *check;
};

/* All of them; those of a type stand together. */
const struct rule_row *rule_rows(size_t *ret_count);

/* Applies a row to an object of its type. */
void rule_apply(struct kind_validator *v, const struct rule_row *row,
                const struct json_value *object, struct str path);

/* "spec" and "name" make "spec.name"; "" and "name" make "name". */
struct str field_path(struct kind_validator *v, struct str path, const char *member);
struct str field_path_index(struct kind_validator *v, struct str path, size_t index);
struct str field_path_key(struct kind_validator *v, struct str path, struct str key);

/* Adds an error at path.member; the member may be dotted, or NULL for the path itself. */
void field_required(struct kind_validator *v, struct str path, const char *member,
                    const char *detail);
void field_invalid(struct kind_validator *v, struct str path, const char *member,
                   const struct json_value *value, const char *detail);
void field_forbidden(struct kind_validator *v, struct str path, const char *member,
                     const char *detail);
void field_one_of(struct kind_validator *v, struct str path, const char *member, struct str value,
                  const char *values);
void field_syntax(struct kind_validator *v, struct str path, const char *member, struct str value,
                  struct validation found);

/* A number or a percentage, not below 0; absent is fine. */
void validate_int_or_percent(struct kind_validator *v, struct str path, const char *member,
                             const struct json_value *value);

/* A port's number, or its name. */
void validate_port(struct kind_validator *v, struct str path, const char *member,
                   const struct json_value *value);

/* False for absent values and for anything that is not a boolean. */
bool field_is_true(const struct json_value *value);

/* Reads a quantity; false when there is none. Decoding has refused malformed ones before. */
bool field_quantity(const struct json_value *value, struct quantity *ret_quantity);

/* Whether two objects differ in a member that is not one of these. */
bool field_differs_besides(const struct json_value *a, const struct json_value *b,
                           const char *const *members, size_t count);

struct validation syntax_port_name(struct str value);
struct validation syntax_ip(struct str value);
struct validation syntax_cidr(struct str value);
struct validation syntax_env_name(struct str value);
struct validation syntax_schedule(struct arena *arena, struct str value);

/* Functions of the rows, by the file they are in. */
validate_fn validate_config_map, validate_secret, validate_namespace_spec,
    validate_namespace_status, validate_event, validate_label_selector, validate_label_requirement,
    validate_resource_quota_spec;
validate_fn validate_service_spec, validate_service_port;
validate_fn validate_pod_spec, validate_pod_template, validate_container, validate_env_var,
    validate_env_source, validate_resources, validate_probe_port, validate_handler, validate_volume,
    validate_pod_update, validate_toleration, validate_file_mode;
validate_fn validate_deployment_spec, validate_deployment_status, validate_replica_set_spec,
    validate_daemon_set_spec, validate_stateful_set_spec, validate_stateful_set_update,
    validate_job_spec, validate_job_update, validate_cron_job_spec, validate_cron_job,
    validate_replication_controller_spec, validate_pod_disruption_budget_spec,
    validate_autoscaler_spec;
validate_fn validate_role, validate_cluster_role, validate_role_binding,
    validate_cluster_role_binding, validate_webhook, validate_api_service, validate_priority_class;
validate_fn validate_claim_spec, validate_claim_update, validate_volume_spec,
    validate_volume_update, validate_network_policy_spec, validate_network_peer,
    validate_network_port, validate_ingress_spec, validate_ingress_rule, validate_ingress_path,
    validate_ingress_backend, validate_ingress_class_spec;
