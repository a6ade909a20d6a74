#include "clusterresourceset/types/addons_definitions.h"

/* In addons_texts.S. */
extern const char addons_clusters[], addons_clusters_end[];
extern const char addons_sets[], addons_sets_end[];
extern const char addons_bindings[], addons_bindings_end[];

static const struct {
    struct str name;
    const char *begin, *end;
} definitions[] = {
    {STR_INIT("clusters.cluster.x-k8s.io"),                          addons_clusters, addons_clusters_end},
    {STR_INIT("clusterresourcesets.addons.cluster.x-k8s.io"),        addons_sets,     addons_sets_end    },
    {STR_INIT("clusterresourcesetbindings.addons.cluster.x-k8s.io"), addons_bindings,
     addons_bindings_end                                                                                 },
};

size_t addons_definition_count(void)
{
    return COUNT(definitions);
}

struct addons_definition addons_definition(size_t index)
{
    return (struct addons_definition){
        .name = definitions[index].name,
        .text = str_from(definitions[index].begin,
                         (size_t)(definitions[index].end - definitions[index].begin)),
    };
}
