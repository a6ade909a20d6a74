/*
 * The parts of kind_builtin_validate(). Private to kind_validate*.c.
 *
 * Rules belong to Go types, as defaults do, and apply wherever a type occurs: a rule for Container
 * holds in a Pod and in every pod template. Most rules are rows of the table in
 * kind_validate_rows.c. Rules that look at several members are functions on an object of the type
 * (validate_fn), named after upstream's Validate...() functions.
 */
#pragma once

#include "apimachinery/quantity.h"
#include "apimachinery/validation.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/types/go_types.h"
#include "base/map.h"
#include "json/path.h"

struct rule_row;
struct pod_check;

struct kind_validator {
    const struct kind *kind;
    const struct kind_write *write;
    const struct json_value *object, *old; /* the whole objects; old is NULL on create */
    struct field_errors *errors;
    struct arena *arena;
    const struct pod_check *pod;     /* whose spec is being validated; see below */
    const struct go_type *last_type; /* the type of last_rows */
    const struct rule_row *last_rows;
    size_t last_count;
};

/* Validates an object of a type at its path; "" is the path of the whole object. */
typedef void validate_fn(struct kind_validator *v, const struct json_value *object,
                         struct str path);

enum rule_form {
    RULE_REQUIRED, /* not absent, empty or 0; text is the detail of the error */
    RULE_ONE_OF,   /* one of the values in text, which "|" separates */
    RULE_RANGE,    /* from low to high */
    RULE_AT_LEAST, /* greater than or equal to low */
    RULE_ABOVE,    /* greater than low */
    RULE_SYNTAX,   /* a text, or each of a list, that the function accepts */
    RULE_LABELS,   /* a map of labels */
    RULE_UNIQUE,   /* a list whose elements differ in the member that text names */
    RULE_OBJECT,   /* a function on an object of the type */
};

struct rule_row {
    const char *type, *member; /* member NULL: the object itself */
    enum rule_form form;
    const char *text;
    int64_t low, high;
    name_check_fn *syntax;
    validate_fn *check;
};

/* All rows. The rows of one type are contiguous. */
const struct rule_row *rule_rows(size_t *ret_count);

/* Applies a row to an object of its type. */
void rule_apply(struct kind_validator *v, const struct rule_row *row,
                const struct json_value *object, struct str path);

/*
 * Paths of fields, in the arena: "spec" and "name" make "spec.name", "" and "name" make "name";
 * "spec[3]"; "data[key]". A member of NULL is the path itself.
 */
struct str field_path(struct kind_validator *v, struct str path, const char *member);
struct str field_path_index(struct kind_validator *v, struct str path, size_t index);
struct str field_path_key(struct kind_validator *v, struct str path, struct str key);

/*
 * Add an error at path.member, named after upstream's field.Required() and so on. The member may be
 * dotted, or NULL for the path itself. field_one_of() and field_syntax() add errors only if the
 * value is none of the values, or if the syntax check found something.
 */
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
/* Names all supported values. */
void field_not_supported(struct kind_validator *v, struct str path, const char *member,
                         struct str value, const char *values);

/*
 * Quotes an object or a list as Go marshals its internal type, which has no names for JSON:
 * {"Type":"Localhost","LocalhostProfile":null}. Without a type it is what Go has a pointer to.
 */
void field_invalid_struct(struct kind_validator *v, struct str path, const struct go_type *type,
                          const struct json_value *value, const char *detail);

/* The type of a member, of the elements where it is a list. */
const struct go_type *field_type_at(const struct go_type *type, const char *path);

/* An error with a text, which is shown as "" where it is absent. */
void field_invalid_text(struct kind_validator *v, struct str path, const char *member,
                        struct str value, const char *detail);

/*
 * Check a member of an object. Texts may be empty unless a function is named field_needs...(); each
 * of these adds an error without a detail where there is nothing, and field_needs() is then false.
 */
bool field_needs(struct kind_validator *v, const struct json_value *object, struct str path,
                 const char *member);
void field_needs_syntax(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member, name_check_fn *syntax);
void field_needs_one_of(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member, const char *values);
void field_may_have_syntax(struct kind_validator *v, const struct json_value *object,
                           struct str path, const char *member, name_check_fn *syntax);
void field_may_be_one_of(struct kind_validator *v, const struct json_value *object, struct str path,
                         const char *member, const char *values);
void field_range(struct kind_validator *v, const struct json_value *object, struct str path,
                 const char *member, int64_t low, int64_t high);
void field_not_negative(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member);

/* Apply a function to a member, or to each element of one; an absent member is fine. */
void field_apply(struct kind_validator *v, const struct json_value *object, struct str path,
                 const char *member, validate_fn *check);
void field_apply_each(struct kind_validator *v, const struct json_value *object, struct str path,
                      const char *member, validate_fn *check);

/* An invalid map, which is shown with its keys sorted, as Go writes maps. NULL is shown as null. */
void field_invalid_map(struct kind_validator *v, struct str path, const char *member,
                       const struct json_value *map, struct str detail);

/* Whether a value is one of those that "|" separates. */
bool field_is_one_of(struct str value, const char *values);

/* Adds the value to those seen. False, with an error at path.member, when it was there already. */
bool field_unique(struct kind_validator *v, struct map *seen, struct str path, const char *member,
                  struct str value);

/* A number that is not negative, or a percentage; an absent value is fine. */
void validate_int_or_percent(struct kind_validator *v, struct str path, const char *member,
                             const struct json_value *value);

/* No percentage above 100. */
void validate_not_more_than_all(struct kind_validator *v, struct str path, const char *member,
                                const struct json_value *value);

/*
 * Whether the selector of a spec has no fault of any sort. Where it has, kube-apiserver does not
 * look into the template of most controllers.
 */
bool validate_selector_is_readable(struct kind_validator *v, const struct json_value *spec);

/* The number of a port, or its name; an absent value is fine. */
void validate_port(struct kind_validator *v, struct str path, const char *member,
                   const struct json_value *value);

/* "example.com/name", as controllers are called. */
void validate_domain_path(struct kind_validator *v, struct str path, const char *member,
                          struct str text);

/* What a resource without a domain may be used for. */
enum resource_use {
    USE_QUOTA = 1,
    USE_CONTAINER = 2,
    USE_POD = 4,   /* a quota that selects Pods */
    USE_COUNT = 8, /* the number of Pods, or of claims */
    USE_CLAIM = 16,
};

/* False when the name is none of the standard ones. */
bool resource_find_uses(struct str name, unsigned *ret_uses);

/* Of Kubernetes itself: it has no domain, or that of the project. */
bool resource_is_native(struct str name);

/* A qualified name, of those without a domain a standard one; use is 0 for any. */
void validate_resource_name(struct kind_validator *v, struct str path, struct str name,
                            unsigned use);

/* The quantity of a resource: not negative, and of what is counted in whole numbers a whole one. */
void validate_resource_quantity(struct kind_validator *v, struct str path, struct str resource,
                                const struct json_value *value);

/* How a volume may be mounted: modes that are known, ReadWriteOncePod without others. */
void validate_access_modes(struct kind_validator *v, const struct json_value *modes,
                           struct str path);

/* False, with an error, for a quantity below 0. */
bool validate_basic_quantity(struct kind_validator *v, struct str path,
                             const struct json_value *value);

/* False for absent values and for anything that is not a boolean. */
bool field_is_true(const struct json_value *value);

/* Reads a quantity; false when there is none. Decoding has refused malformed ones before. */
bool field_quantity(const struct json_value *value, struct quantity *ret_quantity);

/* Whether two objects differ in a member that is not one of these. */
bool field_differs_besides(const struct json_value *a, const struct json_value *b,
                           const char *const *members, size_t count);

/* The selector of a spec must match the labels of its template. An absent one matches nothing. */
void validate_selector_match(struct kind_validator *v, const struct json_value *spec,
                             struct str path);

/* An address as IPv6; one of IPv4 is mapped. */
struct ip {
    unsigned char bytes[16];
    bool is_v4;
    bool is_mapped; /* of IPv4, but written as one of IPv6 */
    bool has_zeros; /* in front of a number */
};

/* False for a text that is no address. */
bool ip_read(struct str text, struct ip *ret_ip);

/* No endpoint is on the node itself or on its link, where a Service must not lead. */
void validate_endpoint_ip(struct kind_validator *v, struct str path, struct str address,
                          const struct ip *ip);

struct validation syntax_port_name(struct str value);
struct validation syntax_ip(struct str value);
struct validation syntax_cidr(struct str value);
struct validation syntax_env_name(struct str value);
struct validation syntax_schedule(struct arena *arena, struct str value);

/* False when nothing could be allocated for a Service: its errors then replace all others. */
bool validate_service_allocation(struct kind_validator *v);

/* The functions that rows name, grouped by file. */
validate_fn validate_config_map, validate_secret, validate_namespace_spec,
    validate_namespace_status, validate_label_selector, validate_label_requirement;
validate_fn validate_event;
validate_fn validate_node, validate_node_status, validate_node_update, validate_node_selector_term;
validate_fn validate_limit_range_spec, validate_resource_quota_spec, validate_resource_quota_update;
validate_fn validate_overhead, validate_pod_overhead, validate_scheduling;
validate_fn validate_service_spec, validate_service_port, validate_service_status,
    validate_service_update, validate_service_class;
validate_fn validate_pod_spec, validate_pod_template, validate_pod_update, validate_pod_status,
    validate_toleration, validate_claim_templates;
validate_fn validate_deployment_spec, validate_deployment_status, validate_replica_set_spec,
    validate_replica_set_status, validate_daemon_set_spec, validate_daemon_set_status,
    validate_stateful_set_spec, validate_stateful_set_status, validate_stateful_set_update,
    validate_replication_controller_spec, validate_pod_disruption_budget_spec,
    validate_controller_revision;
validate_fn validate_job, validate_job_spec, validate_job_update, validate_job_status_update,
    validate_cron_job, validate_cron_job_spec;
validate_fn validate_autoscaler_spec;
validate_fn validate_certificate_spec, validate_certificate_status, validate_certificate_update;
validate_fn validate_flow_schema_spec, validate_flow_conditions, validate_priority_level_spec;
validate_fn validate_role, validate_cluster_role, validate_role_binding,
    validate_cluster_role_binding, validate_api_service, validate_priority_class;
/* Conditions have names, each once. */
void validate_match_conditions(struct kind_validator *v, const struct json_value *conditions,
                               struct str path);
validate_fn validate_webhook, validate_admission_rule, validate_named_rule, validate_policy_spec,
    validate_mutating_policy_spec, validate_policy_mutation, validate_mutating_policy_binding_spec,
    validate_policy_variable, validate_policy_validation, validate_policy_binding_spec,
    validate_param_kind, validate_param_ref;
validate_fn validate_claim_spec, validate_claim_sources, validate_claim_status,
    validate_claim_update;
validate_fn validate_volume_spec, validate_volume_update;
validate_fn validate_network_policy_spec, validate_network_peer, validate_network_port,
    validate_ip_block, validate_ingress_spec, validate_ingress_rule, validate_ingress_path,
    validate_ingress_tls, validate_ingress_balancer, validate_ingress_class_spec,
    validate_volume_attributes_class;
validate_fn validate_endpoint_subset, validate_endpoint_slice;
validate_fn validate_csi_driver_spec, validate_csi_driver_update, validate_csi_storage_capacity,
    validate_storage_class, validate_csi_node_spec, validate_csi_node_update,
    validate_attachment_spec, validate_attachment_source;
