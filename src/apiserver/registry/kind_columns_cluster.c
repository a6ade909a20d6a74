/*
 * Cells of kinds about access (RoleBinding), networks (Ingress, NetworkPolicy, IPAddress,
 * ServiceCIDR, EndpointSlice), API extensions (webhook configurations, admission policies,
 * APIService), and of Lease, PriorityClass, RuntimeClass, CertificateSigningRequest and flow
 * control. Also the cells for kinds without columns of their own: `default` shows the creation
 * time, `plain` the age.
 */
#include "apiserver/registry/kind_age.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "base/owned.h"
#include "json/path.h"

static const struct kind_cell default_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "metadata.creationTimestamp", ""},
};

static const struct kind_cell plain_cells[] = {KIND_CELL_NAME, KIND_CELL_AGE};

static void cell_role(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *ref = json_path(row->object, cell->path);
    SCOPED(buf) text = {0};
    buf_add(&text, json_path_str(ref, "kind"));
    buf_add_char(&text, '/');
    buf_add(&text, json_path_str(ref, "name"));
    json_builder_str(row->out, buf_str(&text));
}

/* Names of the subjects whose kind is the cell's `path`, which is no path here. */
static void cell_subjects(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *subject;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, subject, json_path(row->object, "subjects")) {
        if (!str_eq(json_path_str(subject, "kind"), str_from_c(cell->path)))
            continue;
        kind_cell_part(&text, ", ", STR(""));
        if (str_eq(str_from_c(cell->path), STR("ServiceAccount"))) {
            buf_add(&text, json_path_str(subject, "namespace"));
            buf_add_char(&text, '/');
        }
        buf_add(&text, json_path_str(subject, "name"));
    }
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell role_binding_cells[] = {
    KIND_CELL_NAME,
    {cell_role,     "roleRef",        NULL},
    KIND_CELL_AGE,
    {cell_subjects, "User",           NULL},
    {cell_subjects, "Group",          NULL},
    {cell_subjects, "ServiceAccount", NULL},
};

/* The first hosts, and the number of further rules. "*" if no rule has a host. */
static void cell_hosts(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *rules = json_path(row->object, cell->path), *rule;
    SCOPED(buf) text = {0};
    size_t shown = 0;
    bool more = false;
    JSON_FOREACH (key, rule, rules) {
        more = more || shown == KIND_CELL_LIST_MAX;
        const struct str host = json_path_str(rule, "host");
        if (more || str_is_empty(host))
            continue;
        kind_cell_part(&text, ",", host);
        shown++;
    }
    if (more)
        buf_print(&text, " + %zu more...", json_count(rules) - KIND_CELL_LIST_MAX);
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : STR("*"));
}

/* The ports follow from TLS: 80, or 80 and 443. */
static void cell_ingress_ports(const struct kind_row *row, const struct kind_cell *cell)
{
    const bool tls = json_count(json_path(row->object, cell->path)) > 0;
    json_builder_str(row->out, tls ? STR("80, 443") : STR("80"));
}

static const struct kind_cell ingress_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,      "spec.ingressClassName",       "<none>"},
    {cell_hosts,         "spec.rules",                  NULL    },
    {kind_cell_balancer, "status.loadBalancer.ingress", ""      },
    {cell_ingress_ports, "spec.tls",                    NULL    },
    KIND_CELL_AGE,
};

/* "Kind.group/name" of the parameters of an IngressClass. */
static void cell_parameters(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *parameters = json_path(row->object, cell->path);
    const struct str group = json_path_str(parameters, "apiGroup");
    SCOPED(buf) text = {0};
    if (json_type(parameters) != JSON_OBJECT) {
        json_builder_str(row->out, STR("<none>"));
        return;
    }
    buf_add(&text, json_path_str(parameters, "kind"));
    if (json_get(parameters, STR("apiGroup")))
        buf_print(&text, ".%.*s", STR_ARG(group));
    buf_print(&text, "/%.*s", STR_ARG(json_path_str(parameters, "name")));
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell ingress_class_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,   "spec.controller", ""  },
    {cell_parameters, "spec.parameters", NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell network_policy_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_selector, "spec.podSelector", "<none>"},
    KIND_CELL_AGE,
};

/* "services/default/web": resource, group, namespace and name, as far as they are set. */
static void cell_parent(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *parent = json_path(row->object, cell->path);
    SCOPED(buf) text = {0};
    if (json_type(parent) != JSON_OBJECT) {
        json_builder_str(row->out, STR("<none>"));
        return;
    }
    buf_add(&text, json_path_str(parent, "resource"));
    if (!str_is_empty(json_path_str(parent, "group")))
        kind_cell_part(&text, ".", json_path_str(parent, "group"));
    if (!str_is_empty(json_path_str(parent, "namespace")))
        kind_cell_part(&text, "/", json_path_str(parent, "namespace"));
    kind_cell_part(&text, "/", json_path_str(parent, "name"));
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell ip_address_cells[] = {
    KIND_CELL_NAME,
    {cell_parent, "spec.parentRef", NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell service_cidr_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_join, "spec.cidrs", ""},
    KIND_CELL_AGE,
};

static const struct kind_cell webhook_configuration_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_count, "webhooks", NULL},
    KIND_CELL_AGE,
};

static void cell_param_kind(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *kind = json_path(row->object, cell->path);
    SCOPED(buf) text = {0};
    if (json_type(kind) == JSON_OBJECT) {
        buf_add(&text, json_path_str(kind, "apiVersion"));
        buf_print(&text, "/%.*s", STR_ARG(json_path_str(kind, "kind")));
    }
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : STR("<unset>"));
}

static const struct kind_cell admission_policy_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_count, "spec.validations", NULL},
    {cell_param_kind, "spec.paramKind",   NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell mutating_policy_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_count, "spec.mutations", NULL},
    {cell_param_kind, "spec.paramKind", NULL},
    KIND_CELL_AGE,
};

/* "namespace/name"; without a name the selector. */
static void cell_param_ref(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *ref = json_path(row->object, cell->path);
    const struct str name = json_path_str(ref, "name"), namespace = json_path_str(ref, "namespace");
    SCOPED(buf) text = {0};
    if (str_is_empty(name)) {
        const struct kind_cell selector = {NULL, "spec.paramRef.selector", "<unset>"};
        kind_cell_selector(row, &selector);
        return;
    }
    buf_add(&text, str_is_empty(namespace) ? STR("*") : namespace);
    buf_print(&text, "/%.*s", STR_ARG(name));
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell admission_policy_binding_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,  "spec.policyName", ""  },
    {cell_param_ref, "spec.paramRef",   NULL},
    KIND_CELL_AGE,
};

/* "namespace/name" of the service behind an APIService; "Local" if this server serves it. */
static void cell_backend(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *service = json_path(row->object, cell->path);
    SCOPED(buf) text = {0};
    if (json_type(service) == JSON_OBJECT)
        buf_print(&text, "%.*s/%.*s", STR_ARG(json_path_str(service, "namespace")),
                  STR_ARG(json_path_str(service, "name")));
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : STR("Local"));
}

/* The condition Available, with the reason unless it is True. */
static void cell_available(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *condition;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, condition, json_path(row->object, cell->path)) {
        const struct str status = json_path_str(condition, "status");
        if (!str_eq(json_path_str(condition, "type"), STR("Available")))
            continue;
        buf_add(&text, status);
        if (!str_eq(status, STR("True")))
            buf_print(&text, " (%.*s)", STR_ARG(json_path_str(condition, "reason")));
        break;
    }
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : STR("Unknown"));
}

static const struct kind_cell api_service_cells[] = {
    KIND_CELL_NAME,
    {cell_backend,   "spec.service",      NULL},
    {cell_available, "status.conditions", NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell lease_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "spec.holderIdentity", ""},
    KIND_CELL_AGE,
};

static const struct kind_cell priority_class_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_int,  "value",            NULL                  },
    {kind_cell_bool, "globalDefault",    NULL                  },
    KIND_CELL_AGE,
    {kind_cell_str,  "preemptionPolicy", "PreemptLowerPriority"},
};

/* A port without a number is "*": the slice applies to all ports. */
static void cell_slice_ports(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *port;
    SCOPED(kind_cell_list) list = {.count = 0};
    JSON_FOREACH (key, port, json_path(row->object, cell->path)) {
        const struct json_value *name = json_get(port, STR("name"));
        int64_t number;
        char text[KIND_CELL_DIGITS_MAX];
        if (json_to_int64(json_get(port, STR("port")), &number))
            kind_cell_list_add(&list, kind_cell_digits(number, text));
        else
            kind_cell_list_add(&list, name ? json_to_str(name) : STR("*"));
    }
    kind_cell_list_finish(&list);
    json_builder_str(row->out, list.text.len > 0 ? buf_str(&list.text) : STR("<unset>"));
}

static void add_strings(struct kind_cell_list *list, const struct json_value *strings)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, strings)
        kind_cell_list_add(list, json_to_str(item));
}

static void cell_slice_addresses(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *endpoint;
    SCOPED(kind_cell_list) list = {.count = 0};
    JSON_FOREACH (key, endpoint, json_path(row->object, cell->path))
        add_strings(&list, json_get(endpoint, STR("addresses")));
    kind_cell_list_finish(&list);
    json_builder_str(row->out, list.count > 0 ? buf_str(&list.text) : STR("<unset>"));
}

static const struct kind_cell endpoint_slice_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,        "addressType", ""  },
    {cell_slice_ports,     "ports",       NULL},
    {cell_slice_addresses, "endpoints",   NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell runtime_class_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "handler", ""},
    KIND_CELL_AGE,
};

/* How long the certificate is wanted for. */
static void cell_requested_duration(const struct kind_row *row, const struct kind_cell *cell)
{
    int64_t seconds;
    char text[KIND_AGE_MAX];
    if (json_to_int64(json_path(row->object, cell->path), &seconds))
        json_builder_str(row->out, kind_age_write(seconds * SECOND, text));
    else
        json_builder_str(row->out, STR("<none>"));
}

static bool has_condition(const struct json_value *object, struct str type)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, json_path(object, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), type))
            return true;
    return false;
}

/* What was decided, and whether the certificate is there. */
static void cell_issued(const struct kind_row *row, const struct kind_cell *cell)
{
    SCOPED(buf) text = {0};
    buf_add(&text, has_condition(row->object, STR("Denied"))     ? STR("Denied")
                   : has_condition(row->object, STR("Approved")) ? STR("Approved")
                                                                 : STR("Pending"));
    if (has_condition(row->object, STR("Failed")))
        buf_add(&text, STR(",Failed"));
    if (json_path_str(row->object, cell->path).len > 0)
        buf_add(&text, STR(",Issued"));
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell certificate_signing_request_cells[] = {
    KIND_CELL_NAME,
    KIND_CELL_AGE,
    {kind_cell_str,           "spec.signerName",        "<none>"},
    {kind_cell_str,           "spec.username",          ""      },
    {cell_requested_duration, "spec.expirationSeconds", NULL    },
    {cell_issued,             "status.certificate",     NULL    },
};

/* The condition Dangling; nobody has looked for the priority level while it is absent. */
static void cell_dangling(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *condition;
    struct str status = STR("?");
    JSON_FOREACH (key, condition, json_path(row->object, cell->path))
        if (str_eq(json_path_str(condition, "type"), STR("Dangling")))
            status = json_path_str(condition, "status");
    json_builder_str(row->out, status);
}

/* A number, or none. */
static void cell_number_if_any(const struct kind_row *row, const struct kind_cell *cell)
{
    int64_t number;
    if (json_to_int64(json_path(row->object, cell->path), &number))
        json_builder_int(row->out, number);
    else
        json_builder_str(row->out, STR("<none>"));
}

static const struct kind_cell flow_schema_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "spec.priorityLevelConfiguration.name", ""      },
    {kind_cell_int, "spec.matchingPrecedence",              NULL    },
    {kind_cell_str, "spec.distinguisherMethod.type",        "<none>"},
    KIND_CELL_AGE,
    {cell_dangling, "status.conditions",                    NULL    },
};

#define QUEUING "spec.limited.limitResponse.queuing."

static const struct kind_cell priority_level_configuration_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,      "spec.type",                             ""  },
    {cell_number_if_any, "spec.limited.nominalConcurrencyShares", NULL},
    {cell_number_if_any, QUEUING "queues",                        NULL},
    {cell_number_if_any, QUEUING "handSize",                      NULL},
    {cell_number_if_any, QUEUING "queueLengthLimit",              NULL},
    KIND_CELL_AGE,
};

const struct kind_printer kind_printers_cluster[] = {
    KIND_PRINTER(default),
    KIND_PRINTER(plain),
    KIND_PRINTER(role_binding),
    KIND_PRINTER(ingress),
    KIND_PRINTER(ingress_class),
    KIND_PRINTER(network_policy),
    KIND_PRINTER(ip_address),
    KIND_PRINTER(service_cidr),
    KIND_PRINTER(webhook_configuration),
    KIND_PRINTER(admission_policy),
    KIND_PRINTER(admission_policy_binding),
    KIND_PRINTER(mutating_policy),
    KIND_PRINTER(api_service),
    KIND_PRINTER(lease),
    KIND_PRINTER(priority_class),
    KIND_PRINTER(endpoint_slice),
    KIND_PRINTER(runtime_class),
    KIND_PRINTER(certificate_signing_request),
    KIND_PRINTER(flow_schema),
    KIND_PRINTER(priority_level_configuration),
};
const size_t kind_printers_cluster_count = COUNT(kind_printers_cluster);
