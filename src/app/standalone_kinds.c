#include "app/standalone_kinds.h"

#include <assert.h>

#include "clusterresourceset/types/bundled_crds.h"
#include "clusterresourceset/types/crs_admission.h"
#include "clusterresourceset/types/crs_conversion.h"
#include "clusterresourceset/types/delivery_policy.h"

#define DEFINITIONS_MAX 8

/* Replaces the webhooks of Cluster API for its add-ons, and evaluates the rules of
 * DeliveryPolicies. */
static const struct crd_webhooks webhooks[] = {
    {
     .group = STR_INIT("addons.cluster.x-k8s.io"),
     .kind = STR_INIT("ClusterResourceSet"),
     .version = STR_INIT("v1beta2"),
     .default_ = crs_default_set,
     .validate = crs_validate_set,
     .validating_webhook = STR_INIT(CRS_SET_WEBHOOK),
     .convert = crs_convert_set,
     },
    {
     .group = STR_INIT("addons.cluster.x-k8s.io"),
     .kind = STR_INIT("ClusterResourceSetBinding"),
     .version = STR_INIT("v1beta2"),
     .validate = crs_validate_binding,
     .validating_webhook = STR_INIT(CRS_BINDING_WEBHOOK),
     .convert = crs_convert_binding,
     },
    {
     .group = STR_INIT("corset.dev"),
     .kind = STR_INIT(DELIVERY_POLICY_KIND),
     .version = STR_INIT("v1alpha1"),
     .check_rules = delivery_policy_check_rules,
     },
};

/* The definitions are compiled in from deploy/crds. */
void standalone_add_kinds(struct apiserver_options *options)
{
    static struct str definitions[DEFINITIONS_MAX];
    const size_t count = bundled_crd_count();
    assert(count <= DEFINITIONS_MAX);
    for (size_t i = 0; i < count; i++)
        definitions[i] = bundled_crd(i).text;
    options->definitions = definitions;
    options->definition_count = count;
    options->webhooks = (struct crd_webhooks_table){webhooks, COUNT(webhooks)};
}
