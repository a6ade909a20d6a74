/*
 * The parts of kind_builtin_validate(). Private to this folder.
 *
 * Rules belong to types, as defaults do, and are applied wherever a type occurs: what holds for a
 * container holds in a pod and in every template. Most are rows of a table; those that look at
 * several members are functions on the object.
 */
#pragma once

#include "apimachinery/validation.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/types/go_types.h"
#include "json/path.h"

struct rule_row;

struct judge {
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
typedef void judge_fn(struct judge *judge, const struct json_value *object, struct str path);

enum rule_form {
    RULE_REQUIRED, /* absent, empty or 0: the text is the detail */
    RULE_ONE_OF,   /* the text has the values, between bars */
    RULE_RANGE,    /* from low to high, said as such */
    RULE_AT_LEAST, /* low: greater than or equal to it */
    RULE_ABOVE,    /* low: greater than it */
    RULE_SYNTAX,   /* as the function says */
    RULE_LABELS,   /* keys and values of a map */
    RULE_UNIQUE,   /* the elements' member that the text names */
    RULE_AMOUNTS,  /* a map of quantities, none below 0 */
    RULE_OBJECT,   /* a function on the object that has the member */
};

struct rule_row {
    const char *type, *member; /* NULL: the object itself */
    enum rule_form form;
    const char *text;
    int64_t low, high;
    name_check_fn *syntax;
    judge_fn *judge;
};

/* All of them; those of a type stand together. */
const struct rule_row *rule_rows(size_t *ret_count);

/* Applies a row to an object of its type. */
void rule_apply(struct judge *judge, const struct rule_row *row, const struct json_value *object,
                struct str path);

/* "spec" and "name" make "spec.name"; "" and "name" make "name". */
struct str judge_path(struct judge *judge, struct str path, const char *member);
struct str judge_item(struct judge *judge, struct str path, size_t index);
struct str judge_key(struct judge *judge, struct str path, struct str key);

/* Adds an error at path.member; the member may be dotted, or NULL for the path itself. */
void judge_required(struct judge *judge, struct str path, const char *member, const char *detail);
void judge_invalid(struct judge *judge, struct str path, const char *member,
                   const struct json_value *value, const char *detail);
void judge_forbidden(struct judge *judge, struct str path, const char *member, const char *detail);
void judge_one_of(struct judge *judge, struct str path, const char *member, struct str value,
                  const char *values);
void judge_syntax(struct judge *judge, struct str path, const char *member, struct str value,
                  struct validation found);

/* A number or a percentage, not below 0; absent is fine. */
void judge_int_or_percent(struct judge *judge, struct str path, const char *member,
                          const struct json_value *value);

/* A port's number, or its name. */
void judge_port(struct judge *judge, struct str path, const char *member,
                const struct json_value *value);

struct validation syntax_port_name(struct str value);
struct validation syntax_ip(struct str value);
struct validation syntax_cidr(struct str value);
struct validation syntax_env_name(struct str value);
struct validation syntax_schedule(struct arena *arena, struct str value);

/* Functions of the rows, by the file they are in. */
judge_fn judge_config_map, judge_secret, judge_namespace_spec, judge_namespace_status, judge_event,
    judge_label_selector, judge_label_requirement, judge_resource_quota_spec;
judge_fn judge_service_spec, judge_service_port;
judge_fn judge_pod_spec, judge_pod_template, judge_container, judge_env_var, judge_env_source,
    judge_resources, judge_probe, judge_handler, judge_volume, judge_pod_update, judge_toleration,
    judge_file_mode;
judge_fn judge_deployment_spec, judge_deployment_status, judge_replica_set_spec,
    judge_daemon_set_spec, judge_stateful_set_spec, judge_stateful_set_update, judge_job_spec,
    judge_job_update, judge_cron_job_spec, judge_cron_job, judge_rc_spec, judge_pdb_spec,
    judge_hpa_spec;
judge_fn judge_role, judge_cluster_role, judge_role_binding, judge_cluster_role_binding,
    judge_webhook, judge_api_service, judge_priority_class;
judge_fn judge_claim_spec, judge_claim_update, judge_volume_spec, judge_volume_update,
    judge_network_policy_spec, judge_network_peer, judge_network_port, judge_ingress_spec,
    judge_ingress_rule, judge_ingress_path, judge_ingress_backend, judge_ingress_class_spec;
