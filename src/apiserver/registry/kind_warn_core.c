/*
 * Warnings about Secrets, ServiceAccounts, ResourceQuotas and names that are reserved.
 *
 * Upstream: strategy.go of each kind.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_warn_internal.h"

static const struct warn_annotation account_annotations[] = {
    {"kubernetes.io/enforce-mountable-secrets",
     "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"},
};

/* An annotation that was there before is not refused. */
void warn_of_service_account(struct kind_warner *w)
{
    if (!json_get(json_path(w->old, "metadata.annotations"),
                  str_from_c(account_annotations[0].key)))
        warn_of_annotations(w, STR(""), json_path(w->object, "metadata.annotations"),
                            account_annotations, COUNT(account_annotations));
}

/* The names of objects that come from files of kube-apiserver. */
void warn_of_static_name(struct kind_warner *w)
{
    if (str_ends_with(json_path_str(w->object, "metadata.name"), STR(".static.k8s.io")))
        warn_at(w, STR("metadata.name"),
                "names ending with \".static.k8s.io\" are reserved for static manifest-based "
                "configurations and cannot be managed via the API");
}

/* What a quota lets be requested of a resource, or used at most. */
struct amount {
    struct str name, text;
    struct quantity quantity;
};

static bool amount_read(const struct json_value *hard, struct str name, struct amount *ret_amount)
{
    ret_amount->name = name;
    ret_amount->text = json_to_str(json_get(hard, name));
    if (ret_amount->text.len == 0)
        return false;
    OWNED(error) malformed = quantity_read(ret_amount->text, &ret_amount->quantity);
    return !malformed;
}

static void warn_of_amounts(struct kind_warner *w, const struct json_value *hard,
                            struct str resource, bool may_be_bare)
{
    struct amount request, limit;
    const bool has_request =
        amount_read(hard, ARENA_JOIN(w->arena, STR("requests."), resource), &request) ||
        (may_be_bare && amount_read(hard, resource, &request));
    if (has_request && amount_read(hard, ARENA_JOIN(w->arena, STR("limits."), resource), &limit) &&
        quantity_cmp(&request.quantity, &limit.quantity) > 0)
        json_warn(w->warnings,
                  arena_print(w->arena, "ResourceQuota %.*s (%.*s) should be less than %.*s (%.*s)",
                              STR_ARG(request.name), STR_ARG(request.text), STR_ARG(limit.name),
                              STR_ARG(limit.text)));
}

void warn_of_quota(struct kind_warner *w)
{
    static const struct {
        struct str name;
        bool may_be_bare;
    } resources[] = {
        {STR_INIT("cpu"),               true },
        {STR_INIT("memory"),            true },
        {STR_INIT("storage"),           false},
        {STR_INIT("ephemeral-storage"), false},
    };
    for (size_t i = 0; i < COUNT(resources); i++)
        warn_of_amounts(w, json_path(w->object, "spec.hard"), resources[i].name,
                        resources[i].may_be_bare);
}
