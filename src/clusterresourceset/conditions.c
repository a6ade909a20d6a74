/*
 * How a summary becomes conditions:
 *
 *   1. sort the problems, the gravest first, so that the same problems give the same message;
 *   2. make_applied(): reason and message of ResourcesApplied, from the gravest problem;
 *   3. make_progress(): InProgress and Failed, from the gravest problem that is an error.
 *
 * The table below has the words for each type of fault. Reasons and fixed texts of ResourcesApplied
 * are those of Cluster API; InProgress and Failed are those of src/framework.
 */
#include "clusterresourceset/conditions.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/shorten.h"

#define PROBLEMS_SHOWN 5
#define TEXT_SHOWN     600
#define NAME_SHOWN     300 /* of a cluster or a resource */
#define MORE_MAX       64  /* for "; and 12 more" */

#define CHECK_LOGS  STR("Please check controller logs for errors")
#define NOT_APPLIED STR("Failed to apply ClusterResourceSet resources to Cluster")
#define RECOVERABLE STR("An error occurred and may be recovered")
#define PAUSED      STR("ClusterResourceSet has the cluster.x-k8s.io/paused annotation")

/* The words for each fault: ResourcesApplied in v1beta2 and v1beta1, and Failed. */
static const struct {
    struct str reason, v1beta1_reason, severity, failed_reason;
    bool is_error; /* the set has failed */
    bool is_final; /* trying again cannot help */
} rows[] = {
    [FAULT_BOOKKEEPING] = {STR_INIT("InternalError"),   STR_INIT("ApplyFailed"),               STR_INIT("Warning"),
                           STR_INIT("apiTemporaryError"),                                                                                          true,  false},
    [FAULT_PAUSED] =
        {STR_INIT("ClusterPaused"),   STR_INIT("ClusterPaused"),             STR_INIT("Info"),    {0},                           false, false},
    [FAULT_WAITING] =
        {STR_INIT("NotApplied"),      STR_INIT("WaitingForSets"),            STR_INIT("Info"),    {0},                           false, false},
    [FAULT_WAVE] =
        {STR_INIT("NotApplied"),      STR_INIT("RollingOut"),                STR_INIT("Info"),    {0},                           false, false},
    [FAULT_MISSING] = {STR_INIT("InternalError"),
                           STR_INIT("RetrievingResourceFailed"),
                           STR_INIT("Warning"),
                           {0},
                           false,                                                                                                                         false},
    [FAULT_UNREADABLE] = {STR_INIT("InternalError"),   STR_INIT("RetrievingResourceFailed"),
                           STR_INIT("Warning"),                                                                     STR_INIT("apiTemporaryError"), true,  false},
    [FAULT_NO_SERVICE] = {STR_INIT("InternalError"),   STR_INIT("RemoteClusterClientFailed"),
                           STR_INIT("Error"),                                                                       STR_INIT("dependencyStatus"),  true,  false},
    [FAULT_CONNECTING] = {STR_INIT("InternalError"),   STR_INIT("RemoteClusterClientFailed"),
                           STR_INIT("Error"),                                                                       STR_INIT("dependencyStatus"),  true,  false},
    [FAULT_NO_CLIENT] = {STR_INIT("InternalError"),   STR_INIT("RemoteClusterClientFailed"),
                           STR_INIT("Error"),                                                                       STR_INIT("dependencyStatus"),  true,  false},
    [FAULT_NO_SELECTOR] = {STR_INIT("InternalError"),   STR_INIT("ClusterMatchFailed"),
                           STR_INIT("Warning"),                                                                     STR_INIT("operatorError"),     true,  false},
    [FAULT_NO_POLICY] = {STR_INIT("InternalError"),   STR_INIT("ApplyFailed"),               STR_INIT("Warning"),
                           STR_INIT("operatorError"),                                                                                              true,  true },
    [FAULT_ORDER] = {STR_INIT("InternalError"),   STR_INIT("ApplyFailed"),               STR_INIT("Warning"),
                           STR_INIT("operatorError"),                                                                                              true,  true },
    [FAULT_NO_ROOM] = {STR_INIT("NotApplied"),      STR_INIT("ApplyFailed"),               STR_INIT("Warning"),
                           STR_INIT("operatorError"),                                                                                              true,  true },
    [FAULT_NOT_APPLIED] = {STR_INIT("NotApplied"),      STR_INIT("ApplyFailed"),               STR_INIT("Warning"),
                           STR_INIT("dependencySpec"),                                                                                             true,  false},
    [FAULT_UNUSABLE] = {STR_INIT("NotApplied"),      STR_INIT("ResourceUnusable"),          STR_INIT("Warning"),
                           STR_INIT("dependencySpec"),                                                                                             true,  true },
    [FAULT_WRONG_TYPE] = {STR_INIT("WrongSecretType"), STR_INIT("WrongSecretType"),
                           STR_INIT("Warning"),                                                                     STR_INIT("dependencySpec"),    true,  true },
};

/* By gravity, then by name: the order in which placements ended does not show in the message. */
static int compare_problems(const void *a, const void *b)
{
    const struct conditions_problem *one = *(const struct conditions_problem *const *)a;
    const struct conditions_problem *other = *(const struct conditions_problem *const *)b;
    if (one->type != other->type)
        return one->type > other->type ? -1 : 1;
    const int by_cluster = str_cmp(one->cluster, other->cluster);
    return by_cluster ? by_cluster : str_cmp(one->resource, other->resource);
}

static const struct conditions_problem **sort_problems(const struct conditions_summary *summary,
                                                       struct arena *arena)
{
    const struct conditions_problem **sorted =
        arena_alloc_array(arena, summary->count + 1, sizeof(const struct conditions_problem *));
    for (size_t i = 0; i < summary->count; i++)
        sorted[i] = &summary->problems[i];
    qsort((void *)sorted, summary->count, sizeof(*sorted), compare_problems);
    return sorted;
}

static void add_part(struct buf *out, struct str text, size_t max, const char *separator)
{
    if (!text.len)
        return;
    shorten_text(out, text, max);
    buf_add(out, str_from_c(separator));
}

static void add_problem(struct buf *out, const struct conditions_problem *problem)
{
    add_part(out, problem->cluster, NAME_SHOWN, ": ");
    add_part(out, problem->resource, NAME_SHOWN, problem->text.len ? ": " : "");
    add_part(out, problem->text, TEXT_SHOWN, "");
}

/*
 * ": 2 of 3 clusters failed: c1: ConfigMap cm1: …; c2: …; and 1 more". A problem that does not fit
 * is counted instead: the first always fits.
 */
static struct str make_message(struct str fixed, const struct conditions_summary *summary,
                               const struct conditions_problem **sorted, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    size_t shown = 0;
    buf_add(&text, fixed);
    if (summary->failed)
        buf_print(&text, ": %zu of %zu clusters failed", summary->failed, summary->clusters);
    if (summary->waiting && summary->failed)
        buf_print(&text, ", %zu wait", summary->waiting);
    else if (summary->waiting)
        buf_print(&text, ": %zu of %zu clusters wait", summary->waiting, summary->clusters);
    for (; shown < summary->count && shown < PROBLEMS_SHOWN; shown++) {
        SCOPED(buf) problem = {.limit = 0};
        add_problem(&problem, sorted[shown]);
        if (shown && text.len + problem.len > CONDITIONS_MESSAGE_MAX - MORE_MAX)
            break;
        buf_add(&text, shown ? STR("; ") : STR(": "));
        buf_add(&text, buf_str(&problem));
    }
    if (shown < summary->count)
        buf_print(&text, "; and %zu more", summary->count - shown);
    return arena_str(arena, buf_str(&text));
}

/* What Cluster API says in this case; the problems follow behind a colon. */
static struct str summary_text(const struct conditions_summary *summary,
                               const struct conditions_problem *worst, struct arena *arena)
{
    switch (worst->type) {
    case FAULT_WRONG_TYPE:
        return arena_print(arena, "Secret type of resource %.*s is not supported",
                           STR_ARG(worst->name));
    case FAULT_PAUSED:
        return STR("Clusters are paused");
    case FAULT_WAITING:
        return STR("Waiting for other sets");
    case FAULT_WAVE:
        return arena_print(arena, CONDITIONS_ROLLING_OUT "%s%.*s", summary->rollout.len ? ": " : "",
                           STR_ARG(summary->rollout));
    case FAULT_ORDER:
        return STR("The order between sets cannot be kept");
    case FAULT_NO_ROOM:
    case FAULT_NOT_APPLIED:
    case FAULT_UNUSABLE:
        return NOT_APPLIED;
    default:
        return CHECK_LOGS;
    }
}

/* Problems that are no errors, such as a missing resource, do not count. */
static bool all_errors_final(const struct conditions_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++)
        if (rows[summary->problems[i].type].is_error && !rows[summary->problems[i].type].is_final)
            return false;
    return true;
}

static const struct conditions_problem *find_error(const struct conditions_problem **sorted,
                                                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[sorted[i]->type].is_error)
            return sorted[i];
    return NULL;
}

static bool are_all_of(const struct conditions_summary *summary, enum fault_type type)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->problems[i].type != type)
            return false;
    return true;
}

/* A fault of the set itself is told even if it selects no cluster. */
static bool is_of_set(const struct conditions_problem *worst)
{
    return worst && (worst->type == FAULT_NO_SELECTOR || worst->type == FAULT_NO_POLICY ||
                     worst->type == FAULT_ORDER);
}

/*
 * ResourcesApplied is left alone while nothing can be said: no cluster is selected, the only
 * problem is one of bookkeeping, or all is well so far but clusters are pending. A condition that
 * is False already does get the problem of bookkeeping: what it says has been mended.
 */
static void make_applied(struct conditions *conditions, const struct conditions_summary *summary,
                         const struct conditions_problem **sorted, struct arena *arena)
{
    const struct conditions_problem *worst = summary->count ? sorted[0] : NULL;
    const bool has_clusters = summary->clusters || is_of_set(worst);
    if (!has_clusters || (worst && worst->type == FAULT_BOOKKEEPING && !summary->was_false) ||
        (!worst && summary->pending))
        return;
    conditions->says_applied = true;
    if (!worst) {
        conditions->applied.status = conditions->v1beta1.status = CONDITION_TRUE;
        conditions->applied.reason = STR("Applied");
        return;
    }
    conditions->is_connecting = are_all_of(summary, FAULT_CONNECTING);
    conditions->is_waiting = are_all_of(summary, FAULT_WAITING);
    conditions->is_rolling = worst->type == FAULT_WAVE;
    conditions->applied.status = conditions->v1beta1.status = CONDITION_FALSE;
    conditions->applied.reason = rows[worst->type].reason;
    conditions->applied.message =
        make_message(summary_text(summary, worst, arena), summary, sorted, arena);
    conditions->v1beta1.reason = rows[worst->type].v1beta1_reason;
    conditions->v1beta1.severity = rows[worst->type].severity;
    conditions->v1beta1.message = arena_str(arena, worst->text);
}

/*
 * InProgress stays True while the controller goes on by itself: pending clusters, clusters that
 * wait for other sets, or a retry. The reason "recoverrableError" has the spelling of the
 * framework's design document. It is a value of the API that dashboards match, so it stays.
 */
static void make_progress(struct conditions *conditions, const struct conditions_summary *summary,
                          const struct conditions_problem **sorted, struct arena *arena)
{
    const struct conditions_problem *error = find_error(sorted, summary->count);
    const bool goes_on =
        summary->pending || summary->waiting || (error && !all_errors_final(summary));
    conditions->progress.status = goes_on ? CONDITION_TRUE : CONDITION_FALSE;
    conditions->progress.reason = !goes_on ? (error ? STR("Stopped") : STR("Succeeded"))
                                  : error  ? STR("recoverrableError")
                                           : STR("newGeneration");
    conditions->progress.message = !goes_on ? STR("")
                                   : error  ? RECOVERABLE
                                            : STR("New generation detected");
    conditions->failed.status = error ? CONDITION_TRUE : CONDITION_FALSE;
    conditions->failed.reason = error ? rows[error->type].failed_reason : STR("Succeeded");
    if (error)
        conditions->failed.message =
            make_message(STR("Not everything is applied"), summary, sorted, arena);
}

struct conditions conditions_make(const struct conditions_summary *summary, int64_t generation,
                                  struct arena *arena)
{
    struct conditions conditions = {
        .applied = {.type = STR("ResourcesApplied"),    .observed_generation = generation},
        .v1beta1 = {.type = STR("ResourcesApplied")   },
        .progress = {.type = STR("InProgress"), .observed_generation = generation                                 },
        .failed = {.type = STR("Failed"), .observed_generation = generation},
    };
    const struct conditions_problem **sorted = sort_problems(summary, arena);
    make_applied(&conditions, summary, sorted, arena);
    make_progress(&conditions, summary, sorted, arena);
    conditions.is_success =
        !summary->pending && !summary->waiting && !find_error(sorted, summary->count);
    return conditions;
}

struct condition conditions_new_generation(int64_t generation)
{
    return (struct condition){
        .type = STR("InProgress"),
        .status = CONDITION_TRUE,
        .reason = STR("newGeneration"),
        .message = STR("New generation detected"),
        .observed_generation = generation,
    };
}

struct condition conditions_paused(size_t waiting, size_t clusters, int64_t generation,
                                   struct arena *arena)
{
    return (struct condition){
        .type = STR("Paused"),
        .status = CONDITION_TRUE,
        .reason = STR("Paused"),
        .message = waiting ? arena_print(arena, "%.*s; a change waits for %zu of %zu clusters",
                                         STR_ARG(PAUSED), waiting, clusters)
                           : PAUSED,
        .observed_generation = generation,
    };
}

struct condition conditions_not_paused(int64_t generation)
{
    return (struct condition){
        .type = STR("Paused"),
        .status = CONDITION_FALSE,
        .reason = STR("NotPaused"),
        .observed_generation = generation,
    };
}
