/*
 * What kube-apiserver allocates for a Service, and what it concludes from the request and from the
 * old Service before: cluster IPs, their families, node ports. Private to this folder.
 *
 * kube-apiserver does this before it validates anything. When it fails, the errors of the
 * allocation are all that a client sees. kind_prepare_service.c applies the result to the object;
 * where there are errors it leaves the object alone, so that kind_validate_service.c finds the same
 * errors once more. An object to which the result was applied has none.
 *
 * No traffic is routed to the addresses and ports here, so that no two Services are kept apart.
 * What is drawn comes from a hash of namespace and name: the same Service has the same values every
 * time, which keeps tests and replays stable.
 *
 * Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage, beginCreate() and beginUpdate() in
 * storage.go, and alloc.go.
 */
#pragma once

#include "apiserver/registry/validation/kind_validate_internal.h"

struct str_list {
    struct str *items; /* in the arena */
    size_t count, capacity;
};

struct service_addresses {
    struct str address;        /* spec.clusterIP; empty for none */
    struct str_list addresses; /* spec.clusterIPs */
    struct str_list families;
    struct str policy;
    bool has_policy;
};

struct service_ports {
    int64_t *node_ports; /* of each port; 0 for none */
    size_t count;
    int64_t check; /* spec.healthCheckNodePort; 0 for none */
};

struct service_allocation {
    struct service_addresses was, addresses; /* was: of the old Service */
    struct service_ports old_ports, ports;
};

/*
 * Looks at v->object and v->old and adds what is wrong to v->errors; only without errors is the
 * result complete. What kube-apiserver answers with 500 is an error.
 */
MUST_USE struct error *service_allocate(struct kind_validator *v,
                                        struct service_allocation *ret_allocation);

/* The steps of service_allocate(). */
void service_addresses_allocate(struct kind_validator *v, struct service_allocation *allocation);
MUST_USE struct error *service_ports_allocate(struct kind_validator *v,
                                              struct service_allocation *allocation);

/* Upstream: ValidateServiceClusterIPsRelatedFields(). */
void service_addresses_check(struct kind_validator *v, const struct service_addresses *addresses,
                             const struct service_addresses *was);

/* As they are stored; what older servers did not store is concluded. */
void service_addresses_read_stored(struct kind_validator *v, const struct json_value *service,
                                   struct service_addresses *ret_addresses);

/* A number for the Service that is being written. */
uint64_t service_hash(const struct kind_validator *v, const char *what, int64_t number);

void str_list_add(struct kind_validator *v, struct str_list *list, struct str item);
bool str_list_has(const struct str_list *list, struct str item);
bool str_list_equal(const struct str_list *a, const struct str_list *b);

/* NULL for an empty list. The value lives in the arena. */
const struct json_value *str_list_value(struct kind_validator *v, const struct str_list *list);

struct str service_type(const struct json_value *service);
bool service_is(const struct json_value *service, const char *type);
bool service_has_addresses(const struct json_value *service); /* not ExternalName */
bool service_is_headless(const struct service_addresses *addresses);

/* Of type NodePort or LoadBalancer, whether or not node ports are drawn for it. */
bool service_has_node_ports(const struct json_value *service);

/* Whether load balancers ask each node if it takes traffic, at a port for that. */
bool service_is_checked(const struct json_value *service);

/* Whether traffic comes from outside of the cluster. */
bool service_is_outside(const struct json_value *service);
