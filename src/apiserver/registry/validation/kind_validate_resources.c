/*
 * Validation of the names and quantities of resources.
 *
 * Upstream: validateResourceRequirements(), validateResourceName() and
 * ValidateResourceQuantityValue() in k8s.io/kubernetes/pkg/apis/core/validation/validation.go, and
 * pkg/apis/core/helper for the names.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/quota_resource.h"
#include "apiserver/registry/validation/kind_validate_internal.h"

#define HUGE_PAGES STR("hugepages-")

static const struct {
    const char *name;
    unsigned uses;
} standard[] = {
    {"cpu",                        USE_QUOTA | USE_CONTAINER | USE_POD},
    {"memory",                     USE_QUOTA | USE_CONTAINER | USE_POD},
    {"ephemeral-storage",          USE_QUOTA | USE_CONTAINER          },
    {"requests.cpu",               USE_QUOTA | USE_POD                },
    {"requests.memory",            USE_QUOTA | USE_POD                },
    {"requests.ephemeral-storage", USE_QUOTA                          },
    {"requests.storage",           USE_QUOTA | USE_CLAIM              },
    {"limits.cpu",                 USE_QUOTA | USE_POD                },
    {"limits.memory",              USE_QUOTA | USE_POD                },
    {"limits.ephemeral-storage",   USE_QUOTA                          },
    {"pods",                       USE_QUOTA | USE_POD | USE_COUNT    },
    {"resourcequotas",             USE_QUOTA                          },
    {"services",                   USE_QUOTA                          },
    {"replicationcontrollers",     USE_QUOTA                          },
    {"secrets",                    USE_QUOTA                          },
    {"configmaps",                 USE_QUOTA                          },
    {"persistentvolumeclaims",     USE_QUOTA | USE_CLAIM              },
    {"storage",                    0                                  },
    {"services.nodeports",         USE_QUOTA                          },
    {"services.loadbalancers",     USE_QUOTA                          },
};

static bool has_domain(struct str name)
{
    return str_find_char(name, '/') != STR_NONE;
}

bool resource_find_uses(struct str name, unsigned *ret_uses)
{
    const bool is_huge_page = str_starts_with(name, HUGE_PAGES);
    *ret_uses = is_huge_page ? USE_QUOTA | USE_CONTAINER : USE_QUOTA;
    if (is_huge_page || str_starts_with(name, STR("requests.hugepages-")))
        return true;
    *ret_uses = 0;
    for (size_t i = 0; i < COUNT(standard); i++) {
        if (!str_eq(name, str_from_c(standard[i].name)))
            continue;
        *ret_uses = standard[i].uses;
        return true;
    }
    return false;
}

bool resource_is_native(struct str name)
{
    return !has_domain(name) || str_contains(name, STR("kubernetes.io/"));
}

/* A resource that is counted in whole devices, such as example.com/gpu. */
static bool is_extended(struct kind_validator *v, struct str name)
{
    return !resource_is_native(name) && !str_starts_with(name, STR("requests.")) &&
           validation_label_key(arena_print(v->arena, "requests.%.*s", STR_ARG(name))).count == 0;
}

static void add_name_error(struct kind_validator *v, struct str path, struct str name,
                           struct str detail)
{
    field_errors_add_str(v->errors, FIELD_INVALID, path, name, detail);
}

void validate_resource_name(struct kind_validator *v, struct str path, struct str name,
                            unsigned use)
{
    const struct validation found = validation_label_key(name);
    unsigned uses;
    field_syntax(v, path, NULL, name, found);
    if (has_domain(name)) {
        if (use == USE_CONTAINER && !resource_is_native(name) && !is_extended(v, name))
            add_name_error(v, path, name, STR("doesn't follow extended resource name standard"));
        return;
    }
    if (!resource_find_uses(name, &uses) && found.count == 0)
        add_name_error(v, path, name, STR("must be a standard resource type or fully qualified"));
    if (use && !(uses & use))
        add_name_error(v, path, name,
                       use == USE_QUOTA ? STR("must be a standard resource for quota")
                                        : STR("must be a standard resource for containers"));
}

void validate_resource_quantity(struct kind_validator *v, struct str path, struct str resource,
                                const struct json_value *value)
{
    const bool is_whole = quota_resource_is_counted(resource) || is_extended(v, resource);
    struct quantity quantity;
    int64_t milli = 0;
    if (!field_quantity(value, &quantity))
        return;
    if (quantity_sign(&quantity) < 0)
        field_invalid(v, path, NULL, value, "must be greater than or equal to 0");
    if (is_whole && quantity_milli(&quantity, &milli) && milli % 1000 != 0)
        field_invalid(v, path, NULL, value, "must be an integer");
}

/* A toleration is told by its key, operator, value and effect. */
void validate_scheduling(struct kind_validator *v, const struct json_value *object, struct str path)
{
    static const char *const members[] = {"key", "operator", "value", "effect"};
    const struct str place = field_path(v, path, "tolerations");
    const struct json_value *one;
    SCOPED(map) seen = {.release = NULL};
    size_t index = 0;
    JSON_FOREACH (key, one, json_path(object, "tolerations")) {
        const struct str at = field_path_index(v, place, index++);
        SCOPED(buf) told = {.limit = 0};
        for (size_t i = 0; i < COUNT(members); i++)
            buf_add_json_string(&told, json_path_str(one, members[i]));
        if (map_has(&seen, buf_str(&told)))
            field_errors_add_value(v->errors, FIELD_DUPLICATE, at, one, STR(""));
        map_put(&seen, buf_str(&told), NULL);
    }
}
