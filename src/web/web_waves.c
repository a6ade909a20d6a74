#include "web/web_waves.h"

#include "clusterresourceset/rollout.h"
#include "json/builder.h"

/* The model keeps labels as text: "env=prod,tier=1". */
static struct json_doc *read_labels(struct str labels)
{
    SCOPED(json_builder) builder = {0};
    struct json_doc *doc = NULL;
    struct str value, name;
    json_builder_object(&builder);
    while (labels.len) {
        str_cut(&labels, ',', &value);
        str_cut(&value, '=', &name);
        json_builder_key(&builder, name);
        json_builder_str(&builder, value);
    }
    json_builder_end(&builder);
    OWNED(error) err = json_builder_finish(&builder, &doc);
    return doc;
}

static size_t wave_of(const struct delivery_policy *policy, const struct status_cluster *cluster)
{
    OWNED(json_doc) labels = read_labels(cluster->labels);
    return rollout_wave_of(policy, labels ? json_doc_root(labels) : NULL);
}

bool web_waves_has(const struct web_facts *facts, const struct status_set *set,
                   const struct status_cluster *cluster, struct str wave)
{
    const struct delivery_policy *policy = web_facts_policy(facts, set);
    return policy && policy->wave_count &&
           str_eq(rollout_wave_name(policy, wave_of(policy, cluster)), wave);
}

/* Done is a cluster that has the revision and is well. */
static void count_cell(struct web_wave *wave, const struct status_cell *cell, struct str revision)
{
    wave->clusters++;
    if (cell->state == STATUS_UNREACHABLE)
        wave->unreachable++;
    else if (cell->state == STATUS_FAILED)
        wave->failed++;
    else if (cell->state == STATUS_APPLIED && cell->delivery &&
             str_eq(cell->delivery->revision, revision))
        wave->done++;
}

/* Waves in front of the one where the rollout is are done, those behind it wait. */
static void tell_state(const struct web_view *view, const struct delivery_policy *policy,
                       const struct web_rollout *rollout, struct web_wave *waves, size_t count)
{
    bool is_behind = false;
    const bool is_over = str_eq(rollout->state, STR("RolledOut"));
    for (size_t i = 0; i < count; i++) {
        const bool is_here = !is_over && str_eq(waves[i].name, rollout->wave);
        waves[i].state = is_here ? rollout->state : is_behind ? STR("Waiting") : STR("Done");
        is_behind |= is_here;
        if (is_here && str_eq(rollout->state, STR("Soaking")) && i < policy->wave_count) {
            const duration left = rollout->since + policy->waves[i].soak - view->now;
            waves[i].soak_left = left > 0 ? left : 0;
        }
        if (is_here && str_eq(rollout->state, STR("WaitingForApproval")))
            waves[i].approval = ARENA_JOIN(view->arena, rollout->revision, STR("/"), waves[i].name);
    }
}

size_t web_waves_find(const struct web_view *view, const struct status_set *set,
                      const struct web_wave **ret_waves)
{
    const struct delivery_policy *policy = web_facts_policy(view->facts, set);
    const struct web_rollout *rollout = web_facts_rollout(view->facts, set);
    if (!policy || !policy->wave_count || !rollout)
        return 0;
    size_t count = rollout_wave_count(policy);
    struct web_wave *waves = arena_alloc_array(view->arena, count, sizeof(*waves));
    for (size_t i = 0; i < count; i++)
        waves[i].name = rollout_wave_name(policy, i);
    for (size_t i = 0; i < view->cluster_count; i++) {
        const struct status_cluster *cluster = view->clusters[i];
        for (size_t j = 0; j < cluster->cell_count; j++)
            if (cluster->cells[j].set == set)
                count_cell(&waves[wave_of(policy, cluster)], &cluster->cells[j], rollout->revision);
    }
    count -= waves[count - 1].clusters == 0;
    tell_state(view, policy, rollout, waves, count);
    *ret_waves = waves;
    return count;
}
