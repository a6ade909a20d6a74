#include "clusterresourceset/conditions.h"

#include <stdlib.h>

#include "base/buf.h"

#define ITEMS_SHOWN 5
#define TEXT_SHOWN  300

#define CHECK_LOGS  STR("Please check controller logs for errors")
#define NOT_APPLIED STR("Failed to apply ClusterResourceSet resources to Cluster")
#define RECOVERABLE STR("An error occurred and may be recovered")

/* How each fault is called in the three places that tell of it. */
static const struct {
    struct str reason, v1beta1_reason, severity, failed_reason;
    bool is_error, is_final; /* counted; trying again cannot help */
} rows[] = {
    [FAULT_BOOKKEEPING] = {{0},                         {0},                                   {0},                 STR_INIT("apiTemporaryError"), true, false},
    [FAULT_MISSING] = {STR_INIT("InternalError"),
                           STR_INIT("RetrievingResourceFailed"),
                           STR_INIT("Warning"),
                           {0},
                           false,                                                                                                                        false},
    [FAULT_UNREADABLE] = {STR_INIT("InternalError"),   STR_INIT("RetrievingResourceFailed"),
                           STR_INIT("Warning"),                                                                     STR_INIT("apiTemporaryError"), true, false},
    [FAULT_NO_SERVICE] = {STR_INIT("InternalError"),   STR_INIT("RemoteClusterClientFailed"),
                           STR_INIT("Error"),                                                                       STR_INIT("dependencyStatus"),  true, false},
    [FAULT_NO_CLIENT] = {STR_INIT("InternalError"),   STR_INIT("RemoteClusterClientFailed"),
                           STR_INIT("Error"),                                                                       STR_INIT("dependencyStatus"),  true, false},
    [FAULT_NO_SELECTOR] = {STR_INIT("InternalError"),   STR_INIT("ClusterMatchFailed"),
                           STR_INIT("Warning"),                                                                     STR_INIT("operatorError"),     true, false},
    [FAULT_NOT_APPLIED] = {STR_INIT("NotApplied"),      STR_INIT("ApplyFailed"),               STR_INIT("Warning"),
                           STR_INIT("dependencySpec"),                                                                                             true, false},
    [FAULT_WRONG_TYPE] = {STR_INIT("WrongSecretType"), STR_INIT("WrongSecretType"),
                           STR_INIT("Warning"),                                                                     STR_INIT("dependencySpec"),    true, true },
};

/* The same order whatever order clusters ended in: what matters most first, then by name. */
static int item_cmp(const void *a, const void *b)
{
    const struct conditions_problem *one = *(const struct conditions_problem *const *)a;
    const struct conditions_problem *other = *(const struct conditions_problem *const *)b;
    if (one->type != other->type)
        return one->type > other->type ? -1 : 1;
    const int by_cluster = str_cmp(one->cluster, other->cluster);
    return by_cluster ? by_cluster : str_cmp(one->resource, other->resource);
}

static const struct conditions_problem **sort_items(const struct conditions_summary *account,
                                                    struct arena *arena)
{
    const struct conditions_problem **sorted =
        arena_alloc_array(arena, account->count + 1, sizeof(const struct conditions_problem *));
    for (size_t i = 0; i < account->count; i++)
        sorted[i] = &account->items[i];
    qsort((void *)sorted, account->count, sizeof(*sorted), item_cmp);
    return sorted;
}

static struct str cut(struct str text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most && ((unsigned char)text.ptr[most] & 0xC0) == 0x80)
        most--;
    return str_slice(text, 0, most);
}

void conditions_shorten_text(struct buf *out, struct str text, size_t most)
{
    size_t tail = text.len - most / 3;
    if (text.len <= most) {
        buf_add(out, text);
        return;
    }
    while (tail < text.len && ((unsigned char)text.ptr[tail] & 0xC0) == 0x80)
        tail++;
    buf_add(out, cut(text, most - most / 3));
    buf_add(out, STR("…"));
    buf_add(out, str_skip(text, tail));
}

static void add_part(struct buf *out, struct str text, const char *behind)
{
    if (!text.len)
        return;
    conditions_shorten_text(out, text, TEXT_SHOWN);
    buf_add(out, str_from_c(behind));
}

static void add_item(struct buf *out, const struct conditions_problem *item)
{
    add_part(out, item->cluster, ": ");
    add_part(out, item->resource, item->text.len ? ": " : "");
    add_part(out, item->text, "");
}

/* ": 2 of 3 clusters failed: c1: ConfigMap cm1: …; c2: …; and 1 more" */
static struct str make_message(struct str fixed, const struct conditions_summary *account,
                               const struct conditions_problem **sorted, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 2 * (size_t)CONDITIONS_MESSAGE_MAX};
    size_t shown = 0;
    buf_add(&text, fixed);
    if (account->failed)
        buf_print(&text, ": %zu of %zu clusters failed", account->failed, account->clusters);
    for (; shown < account->count && shown < ITEMS_SHOWN; shown++) {
        buf_add(&text, shown ? STR("; ") : STR(": "));
        add_item(&text, sorted[shown]);
    }
    if (shown < account->count)
        buf_print(&text, "; and %zu more", account->count - shown);
    return arena_str(arena, cut(buf_str(&text), CONDITIONS_MESSAGE_MAX));
}

static struct str fixed_text(const struct conditions_problem *worst, struct arena *arena)
{
    switch (worst->type) {
    case FAULT_WRONG_TYPE:
        return arena_print(arena, "Secret type of resource %.*s is not supported",
                           STR_ARG(worst->name));
    case FAULT_NOT_APPLIED:
        return NOT_APPLIED;
    default:
        return CHECK_LOGS;
    }
}

static bool all_final(const struct conditions_summary *account)
{
    for (size_t i = 0; i < account->count; i++)
        if (rows[account->items[i].type].is_error && !rows[account->items[i].type].is_final)
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

static void tell_applied(struct conditions *report, const struct conditions_summary *account,
                         const struct conditions_problem **sorted, struct arena *arena)
{
    const struct conditions_problem *worst = account->count ? sorted[0] : NULL;
    const bool has_clusters = account->clusters || (worst && worst->type == FAULT_NO_SELECTOR);
    if (!has_clusters || (worst && worst->type == FAULT_BOOKKEEPING) ||
        (!worst && account->pending))
        return;
    report->says_applied = true;
    if (!worst) {
        report->applied.status = report->v1beta1.status = CONDITION_TRUE;
        report->applied.reason = STR("Applied");
        return;
    }
    report->applied.status = report->v1beta1.status = CONDITION_FALSE;
    report->applied.reason = rows[worst->type].reason;
    report->applied.message = make_message(fixed_text(worst, arena), account, sorted, arena);
    report->v1beta1.reason = rows[worst->type].v1beta1_reason;
    report->v1beta1.severity = rows[worst->type].severity;
    report->v1beta1.message = arena_str(arena, worst->text);
}

static void tell_progress(struct conditions *report, const struct conditions_summary *account,
                          const struct conditions_problem **sorted, struct arena *arena)
{
    const struct conditions_problem *error = find_error(sorted, account->count);
    const bool goes_on = account->pending || (error && !all_final(account));
    report->progress.status = goes_on ? CONDITION_TRUE : CONDITION_FALSE;
    report->progress.reason = !goes_on ? (error ? STR("Stopped") : STR("Succeeded"))
                              : error  ? STR("recoverrableError")
                                       : STR("newGeneration");
    report->progress.message = !goes_on ? STR("")
                               : error  ? RECOVERABLE
                                        : STR("New generation detected");
    report->failed.status = error ? CONDITION_TRUE : CONDITION_FALSE;
    report->failed.reason = error ? rows[error->type].failed_reason : STR("Succeeded");
    if (error)
        report->failed.message =
            make_message(STR("Not everything is applied"), account, sorted, arena);
}

struct conditions conditions_make(const struct conditions_summary *account, int64_t generation,
                                  struct arena *arena)
{
    struct conditions report = {
        .applied = {.type = STR("ResourcesApplied"),    .observed_generation = generation},
        .v1beta1 = {.type = STR("ResourcesApplied")   },
        .progress = {.type = STR("InProgress"), .observed_generation = generation                                 },
        .failed = {.type = STR("Failed"), .observed_generation = generation},
    };
    const struct conditions_problem **sorted = sort_items(account, arena);
    tell_applied(&report, account, sorted, arena);
    tell_progress(&report, account, sorted, arena);
    report.is_success = !account->pending && !find_error(sorted, account->count);
    return report;
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

struct condition conditions_paused(bool paused, int64_t generation)
{
    return (struct condition){
        .type = STR("Paused"),
        .status = paused ? CONDITION_TRUE : CONDITION_FALSE,
        .reason = paused ? STR("Paused") : STR("NotPaused"),
        .message =
            paused ? STR("ClusterResourceSet has the cluster.x-k8s.io/paused annotation") : STR(""),
        .observed_generation = generation,
    };
}
