#include "clusterresourceset/types/bundled_crds.h"

/* In bundled_crds_text.S. */
extern const char bundled_crds_clusters[], bundled_crds_clusters_end[];
extern const char bundled_crds_sets[], bundled_crds_sets_end[];
extern const char bundled_crds_bindings[], bundled_crds_bindings_end[];
extern const char bundled_crds_policies[], bundled_crds_policies_end[];

static const struct {
    struct str name;
    const char *begin, *end;
} definitions[] = {
    {STR_INIT("clusters.cluster.x-k8s.io"),                          bundled_crds_clusters, bundled_crds_clusters_end},
    {STR_INIT("clusterresourcesets.addons.cluster.x-k8s.io"),        bundled_crds_sets,
     bundled_crds_sets_end                                                                                           },
    {STR_INIT("clusterresourcesetbindings.addons.cluster.x-k8s.io"), bundled_crds_bindings,
     bundled_crds_bindings_end                                                                                       },
    {STR_INIT("deliverypolicies.corset.dev"),                        bundled_crds_policies, bundled_crds_policies_end},
};

size_t bundled_crd_count(void)
{
    return COUNT(definitions);
}

struct bundled_crd bundled_crd(size_t index)
{
    return (struct bundled_crd){
        .name = definitions[index].name,
        .text = str_from(definitions[index].begin,
                         (size_t)(definitions[index].end - definitions[index].begin)),
    };
}
