#include "app/standalone_kinds.h"

#include <assert.h>

#include "clusterresourceset/types/addons_admission.h"
#include "clusterresourceset/types/addons_convert.h"
#include "clusterresourceset/types/addons_definitions.h"

#define DEFINITIONS_MAX 8

/* Replaces the webhooks of Cluster API for its add-ons. */
static const struct crd_webhooks webhooks[] = {
    {
     .group = STR_INIT("addons.cluster.x-k8s.io"),
     .kind = STR_INIT("ClusterResourceSet"),
     .version = STR_INIT("v1beta2"),
     .default_ = addons_default_set,
     .validate = addons_validate_set,
     .validating_webhook = STR_INIT(ADDONS_SET_WEBHOOK),
     .convert = addons_convert_set,
     },
    {
     .group = STR_INIT("addons.cluster.x-k8s.io"),
     .kind = STR_INIT("ClusterResourceSetBinding"),
     .version = STR_INIT("v1beta2"),
     .validate = addons_validate_binding,
     .validating_webhook = STR_INIT(ADDONS_BINDING_WEBHOOK),
     .convert = addons_convert_binding,
     },
};

/* The definitions are compiled in from deploy/crds. */
void standalone_add_kinds(struct apiserver_options *options)
{
    static struct str definitions[DEFINITIONS_MAX];
    const size_t count = addons_definition_count();
    assert(count <= DEFINITIONS_MAX);
    for (size_t i = 0; i < count; i++)
        definitions[i] = addons_definition(i).text;
    options->definitions = definitions;
    options->definition_count = count;
    options->webhooks = (struct crd_webhooks_table){webhooks, COUNT(webhooks)};
}
