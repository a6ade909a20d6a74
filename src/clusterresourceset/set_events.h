/* Kubernetes Events about what was applied and what failed, on ClusterResourceSets and Clusters. */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/str.h"

struct apply_notices;
struct conditions;
struct crs_set;
struct drift_mend;
struct placement;
struct rollout_decision;
struct rollout_news;

/* On the Cluster. applied lists the resources that were applied; empty: none. */
void set_events_record_placement(const struct placement *placement, const struct object *cluster,
                                 struct str applied);

/* On the Cluster: how objects of the set were applied there, where that is not as expected. */
void set_events_record_notices(const struct placement *placement, const struct object *cluster,
                               const struct apply_notices *notices);

/* On the Cluster: objects of the set have drifted there, as the record says. */
void set_events_record_drift(struct placement *placement, const struct object *cluster);

/* On the Cluster: what was put back, and what is left alone because somebody changes it again. */
void set_events_record_mend(struct placement *placement, const struct object *cluster,
                            const struct drift_mend *mend);

/* On the set, when its condition ResourcesApplied has changed. */
void set_events_record_set(const struct crs_set *set, const struct conditions *conditions,
                           size_t clusters);

/* On the set, once: another controller, by the name of its manager, works on it as well. */
void set_events_record_rival(const struct crs_set *set, struct str manager);

/* On the set: how its rollout goes. wave is the name of the one that the news are about. */
void set_events_record_rollout(const struct crs_set *set, const struct rollout_news *news,
                               struct str wave, const struct rollout_decision *decision);
