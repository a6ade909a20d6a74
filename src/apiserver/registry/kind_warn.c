/*
 * Warnings about objects that are valid, but deprecated or probably not what is meant.
 *
 * Upstream: WarningsOnCreate() and WarningsOnUpdate() in strategy.go, which are asked once the
 * object is found valid. What a row leaves out is not warned of: most updates of Pods, most writes
 * to /status.
 */
#include "apiserver/registry/kind_warn_internal.h"
#include "base/quote.h"

/* A text that is longer makes a warning that is cut to much less when it is sent. */
#define QUOTE_MAX (4 * KILOBYTE)

struct warn_row {
    const struct go_type *type;
    warn_fn *create, *update, *status;
};

/* clang-format off: one row, one line */
static const struct warn_row rows[] = {
    {&type_pod,                                 warn_of_new_pod,          NULL,                                   warn_of_pod_status},
    {&type_pod_template,                        warn_of_new_pod_template, warn_of_changed_pod_template,           NULL              },
    {&type_replication_controller,              warn_of_new_workload,     warn_of_changed_replication_controller,
     NULL                                                                                                                           },
    {&type_replica_set,                         warn_of_new_workload,     warn_of_changed_workload,               NULL              },
    {&type_deployment,                          warn_of_new_workload,     warn_of_changed_workload,               NULL              },
    {&type_daemon_set,                          warn_of_new_daemon_set,   warn_of_changed_daemon_set,             NULL              },
    {&type_stateful_set,                        warn_of_new_stateful_set, warn_of_changed_stateful_set,           NULL              },
    {&type_job,                                 warn_of_new_job,          warn_of_changed_job,                    NULL              },
    {&type_cron_job,                            warn_of_new_cron_job,     warn_of_changed_cron_job,               NULL              },
    {&type_service,                             warn_of_service,          warn_of_service,                        warn_of_balancer  },
    {&type_endpoints,                           warn_of_endpoints,        warn_of_endpoints,                      NULL              },
    {&type_endpoint_slice,                      warn_of_endpoint_slice,   NULL,                                   NULL              },
    {&type_ingress,                             warn_of_ingress,          NULL,                                   warn_of_balancer  },
    {&type_network_policy,                      warn_of_network_policy,   warn_of_network_policy,                 NULL              },
    {&type_persistent_volume,                   warn_of_volume,           warn_of_volume,                         NULL              },
    {&type_persistent_volume_claim,             warn_of_claim,            warn_of_claim,                          NULL              },
    {&type_storage_class,                       warn_of_storage_class,    warn_of_storage_class,                  NULL              },
    {&type_csi_driver,                          warn_of_csi_driver,       warn_of_csi_driver,                     NULL              },
    {&type_csi_storage_capacity,                warn_of_storage_capacity, warn_of_storage_capacity,               NULL              },
    {&type_node,                                warn_of_node,             warn_of_node,                           NULL              },
    {&type_runtime_class,                       warn_of_runtime_class,    warn_of_runtime_class,                  NULL              },
    {&type_secret,                              warn_of_secret,           warn_of_secret,                         NULL              },
    {&type_service_account,                     warn_of_service_account,  warn_of_service_account,                NULL              },
    {&type_resource_quota,                      warn_of_quota,            NULL,                                   NULL              },
    {&type_validating_webhook_configuration,    warn_of_static_name,      warn_of_static_name,                    NULL              },
    {&type_mutating_webhook_configuration,      warn_of_static_name,      warn_of_static_name,                    NULL              },
    {&type_validating_admission_policy,         warn_of_static_name,      warn_of_static_name,
     warn_of_static_name                                                                                                            },
    {&type_validating_admission_policy_binding, warn_of_static_name,      warn_of_static_name,                    NULL              },
    {&type_mutating_admission_policy,           warn_of_static_name,      warn_of_static_name,                    NULL              },
    {&type_mutating_admission_policy_binding,   warn_of_static_name,      warn_of_static_name,                    NULL              },
};
/* clang-format on */

/* A write to /scale is one to the whole object. */
static warn_fn *find_warn(const struct warn_row *row, const struct kind_write *write)
{
    if (str_eq(write->subresource, STR("status")))
        return row->status;
    if (write->subresource.len && !str_eq(write->subresource, STR("scale")))
        return NULL;
    return write->old ? row->update : row->create;
}

void kind_builtin_warn(const struct kind *kind, const struct kind_write *write,
                       const struct json_value *object, struct json_warnings *warnings)
{
    struct kind_warner w = {kind, object, write->old, warnings, warnings->arena};
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].type != kind->type)
            continue;
        warn_fn *fn = find_warn(&rows[i], write);
        if (fn)
            fn(&w);
    }
    warn_of_unenforced(&w);
}

void warn_at(struct kind_warner *w, struct str path, const char *text)
{
    json_warn(w->warnings, ARENA_JOIN(w->arena, path, STR(": "), str_from_c(text)));
}

struct str warn_quote(struct kind_warner *w, struct str text)
{
    SCOPED(buf) quoted = {.limit = 0};
    str_quote_go(&quoted, str_slice(text, 0, QUOTE_MAX));
    return arena_str(w->arena, buf_str(&quoted));
}

struct str warn_path(struct kind_warner *w, struct str path, size_t index, const char *member)
{
    char digits[STR_NUMBER_MAX];
    return ARENA_JOIN(w->arena, path, STR("["), str_number(index, digits), STR("]"),
                      str_from_c(member));
}

void warn_of_annotations(struct kind_warner *w, struct str prefix,
                         const struct json_value *annotations, const struct warn_annotation *listed,
                         size_t count)
{
    for (size_t i = 0; annotations && i < count; i++)
        if (json_get(annotations, str_from_c(listed[i].key)))
            warn_at(w,
                    ARENA_JOIN(w->arena, prefix, STR("metadata.annotations["),
                               str_from_c(listed[i].key), STR("]")),
                    listed[i].text);
}

void warn_of_members(struct kind_warner *w, struct str path, const struct json_value *object,
                     const struct warn_member *listed, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *shown = listed[i].shown ? listed[i].shown : listed[i].name;
        if (json_get(object, str_from_c(listed[i].name)))
            warn_at(w, ARENA_JOIN(w->arena, path, STR("."), str_from_c(shown)), listed[i].text);
    }
}
