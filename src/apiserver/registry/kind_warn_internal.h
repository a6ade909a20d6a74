/*
 * The parts of kind_builtin_warn(). Private to kind_warn*.c.
 *
 * The table in kind_warn.c says which functions warn of which kind, on create, on update and on a
 * write to /status. Texts are those of kube-apiserver, including the places where a path in them is
 * wrong: scripts look for them.
 */
#pragma once

#include "apiserver/registry/kind_builtin.h"
#include "apiserver/types/go_types.h"
#include "base/map.h"
#include "json/path.h"

struct kind_warner {
    const struct kind *kind;
    const struct json_value *object, *old; /* the whole objects; old is NULL on create */
    struct json_warnings *warnings;
    struct arena *arena;
};

typedef void warn_fn(struct kind_warner *w);

/* "path: text". */
void warn_at(struct kind_warner *w, struct str path, const char *text);

/* A text in Go's quotes, or the beginning of one that is too long for a warning. */
struct str warn_quote(struct kind_warner *w, struct str text);

/* "path[3].member" in the arena; member may be "". */
struct str warn_path(struct kind_warner *w, struct str path, size_t index, const char *member);

/* An annotation, and what is said of it. */
struct warn_annotation {
    const char *key, *text;
};

/* "metadata.annotations[key]: text", behind the prefix, for each annotation that is listed. */
void warn_of_annotations(struct kind_warner *w, struct str prefix,
                         const struct json_value *annotations, const struct warn_annotation *listed,
                         size_t count);

/* A member that is deprecated wherever it is given. */
struct warn_member {
    const char *name;
    const char *shown; /* in the path of the warning; NULL: name */
    const char *text;
};

/* "path.member: text" for each member of the object that is listed. */
void warn_of_members(struct kind_warner *w, struct str path, const struct json_value *object,
                     const struct warn_member *listed, size_t count);

/*
 * Addresses and blocks of IPv6 that are not written as RFC 5952 says. Those that validation refuses
 * are not warned of: addresses of IPv4 with leading zeros, and of IPv4 inside of IPv6.
 */
void warn_of_address(struct kind_warner *w, struct str path, struct str address);
void warn_of_block(struct kind_warner *w, struct str path, struct str block);
void warn_of_addresses(struct kind_warner *w, struct str path, const struct json_value *addresses);
void warn_of_blocks(struct kind_warner *w, struct str path, const struct json_value *blocks);

/* What is said of a deprecated label of Nodes; NULL for any other. */
const char *warn_find_node_label(struct str label);

/*
 * Terms of a node selector with deprecated labels: "terms[0].matchExpressions[1].key". A preference
 * may have values that no label has; elsewhere validation refuses these.
 */
void warn_of_node_term(struct kind_warner *w, struct str path, const struct json_value *term,
                       bool is_preference);
void warn_of_node_terms(struct kind_warner *w, struct str path, const struct json_value *terms);
void warn_of_node_expressions(struct kind_warner *w, struct str path,
                              const struct json_value *expressions);

/* The quantity of a resource, in bytes, that is no whole number. */
void warn_of_fraction(struct kind_warner *w, struct str path, const struct json_value *resources,
                      struct str resource);
void warn_of_claim_spec(struct kind_warner *w, struct str path, const struct json_value *spec);

/* A Pod, or the template of one. */
struct warn_pod {
    struct kind_warner *w;
    struct str prefix; /* of paths: "" for a Pod, "spec.template." */
    const struct json_value *spec, *annotations;
};

void warn_of_pod(struct kind_warner *w, struct str prefix, const struct json_value *object);

/* Parts of it. */
void warn_of_containers(const struct warn_pod *pod);
void warn_of_ports(const struct warn_pod *pod);
void warn_of_volumes(const struct warn_pod *pod);

/* "metadata.name: use ...; a DNS label is recommended" for a name that is none. */
void warn_of_name(struct kind_warner *w, const char *use);

/* The functions that the table names, grouped by file. */
warn_fn warn_of_new_pod, warn_of_pod_status;
warn_fn warn_of_new_workload, warn_of_changed_workload, warn_of_new_daemon_set,
    warn_of_changed_daemon_set, warn_of_new_stateful_set, warn_of_changed_stateful_set,
    warn_of_changed_replication_controller, warn_of_new_pod_template, warn_of_changed_pod_template,
    warn_of_new_job, warn_of_changed_job, warn_of_new_cron_job, warn_of_changed_cron_job;
warn_fn warn_of_service, warn_of_balancer, warn_of_endpoints, warn_of_endpoint_slice,
    warn_of_ingress, warn_of_network_policy;
warn_fn warn_of_volume, warn_of_claim, warn_of_storage_class, warn_of_csi_driver,
    warn_of_storage_capacity;
warn_fn warn_of_node, warn_of_runtime_class, warn_of_secret, warn_of_service_account, warn_of_quota,
    warn_of_static_name;

/* What this server does not do; kube-apiserver has no such warnings. */
void warn_of_unenforced(struct kind_warner *w);
