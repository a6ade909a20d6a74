/*
 * Warnings about what makes Pods. Their templates are looked at when they are new, and when the
 * object has a new generation.
 *
 * Upstream: strategy.go of each kind, and k8s.io/kubernetes/pkg/api/job/warnings.go.
 */
#include "apiserver/registry/kind_warn_internal.h"
#include "json/compare.h"

#define IN_POD_NAMES "this is used in Pod names and hostnames"

#define COMPLETIONS_MANY 100000
#define PARALLELISM_MANY 10000

static bool has_new_generation(const struct kind_warner *w)
{
    int64_t before = 0, now = 0;
    (void)json_to_int64(json_path(w->old, "metadata.generation"), &before);
    (void)json_to_int64(json_path(w->object, "metadata.generation"), &now);
    return before != now;
}

static void warn_of_template(struct kind_warner *w, const struct json_value *object)
{
    const struct json_value *template = json_path(object, "spec.template");
    if (template)
        warn_of_pod(w, STR("spec.template."), template);
}

/* ReplicationControllers, ReplicaSets and Deployments. */
void warn_of_new_workload(struct kind_warner *w)
{
    warn_of_name(w, IN_POD_NAMES);
    warn_of_template(w, w->object);
}

void warn_of_changed_workload(struct kind_warner *w)
{
    if (has_new_generation(w))
        warn_of_template(w, w->object);
}

/* Upstream has old and new the other way round: what it warns of is gone. */
void warn_of_changed_replication_controller(struct kind_warner *w)
{
    if (has_new_generation(w))
        warn_of_template(w, w->old);
}

void warn_of_new_daemon_set(struct kind_warner *w)
{
    warn_of_template(w, w->object);
}

/* The generation of the template alone counts. */
void warn_of_changed_daemon_set(struct kind_warner *w)
{
    if (!json_equal(json_path(w->object, "spec.template"), json_path(w->old, "spec.template")))
        warn_of_template(w, w->object);
}

static void warn_of_claim_templates(struct kind_warner *w, const char *member)
{
    const struct json_value *claim;
    size_t index = 0;
    JSON_FOREACH (key, claim, json_path(w->object, "spec.volumeClaimTemplates"))
        warn_of_claim_spec(w, warn_path(w, STR("spec.volumeClaimTemplates"), index++, member),
                           json_path(claim, "spec"));
}

static void warn_of_history(struct kind_warner *w)
{
    int64_t limit;
    if (json_to_int64(json_path(w->object, "spec.revisionHistoryLimit"), &limit) && limit < 0)
        warn_at(w, STR("spec.revisionHistoryLimit"),
                "a negative value retains all historical revisions; a value >= 0 is recommended");
}

void warn_of_new_stateful_set(struct kind_warner *w)
{
    warn_of_template(w, w->object);
    warn_of_claim_templates(w, "");
    warn_of_history(w);
}

void warn_of_changed_stateful_set(struct kind_warner *w)
{
    warn_of_changed_workload(w);
    warn_of_claim_templates(w, ".Spec");
    warn_of_history(w);
}

void warn_of_new_pod_template(struct kind_warner *w)
{
    warn_of_pod(w, STR("template."), json_path(w->object, "template"));
}

void warn_of_changed_pod_template(struct kind_warner *w)
{
    if (has_new_generation(w))
        warn_of_new_pod_template(w);
}

static void warn_of_job_spec(struct kind_warner *w, struct str path, const struct json_value *spec)
{
    int64_t completions = 0, parallelism = 0;
    (void)json_to_int64(json_path(spec, "completions"), &completions);
    (void)json_to_int64(json_path(spec, "parallelism"), &parallelism);
    if (str_eq(json_path_str(spec, "completionMode"), STR("Indexed")) &&
        completions > COMPLETIONS_MANY && parallelism > PARALLELISM_MANY)
        warn_at(w, path,
                "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
                "higher than 10^4, Kubernetes might not be able to track completedIndexes when a "
                "big number of indexes fail");
    warn_of_pod(w, ARENA_JOIN(w->arena, path, STR(".template.")), json_path(spec, "template"));
}

void warn_of_new_job(struct kind_warner *w)
{
    warn_of_name(w, IN_POD_NAMES);
    warn_of_job_spec(w, STR("spec"), json_path(w->object, "spec"));
}

void warn_of_changed_job(struct kind_warner *w)
{
    if (has_new_generation(w))
        warn_of_job_spec(w, STR("spec"), json_path(w->object, "spec"));
}

static void warn_of_job_template(struct kind_warner *w)
{
    warn_of_job_spec(w, STR("spec.jobTemplate.spec"),
                     json_path(w->object, "spec.jobTemplate.spec"));
}

void warn_of_new_cron_job(struct kind_warner *w)
{
    warn_of_name(w, IN_POD_NAMES);
    warn_of_job_template(w);
}

/* Validation refuses a time zone in the schedule unless it was there before. */
void warn_of_changed_cron_job(struct kind_warner *w)
{
    if (has_new_generation(w))
        warn_of_job_template(w);
    if (str_contains(json_path_str(w->object, "spec.schedule"), STR("TZ")))
        json_warn(w->warnings,
                  STR("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
                      "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for "
                      "more details"));
}
