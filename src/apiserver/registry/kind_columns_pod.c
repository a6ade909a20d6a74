/*
 * The cells of Pods, and the summary they are made of.
 *
 * The Status of a Pod is not a field: pod_summarize() derives it from the phase, conditions and the
 * states of all containers, together with the numbers for Ready and Restarts. The order is
 * upstream's printPod() in k8s.io/kubernetes/pkg/printers/internalversion/printers.go:
 *
 *     initial_reason()        status.reason, the phase, or SchedulingGated
 *     add_init_containers()   "Init:..." while an init container has not finished
 *     add_containers()        reasons of waiting and terminated containers
 *     deletionTimestamp       Terminating, or Unknown on a lost node
 *
 * Each of the three cells that need the summary computes it anew.
 */
#include "apiserver/registry/kind_age.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "json/path.h"

/* What the cells show. `reason` points to a text of the object, a constant, or `text`. */
struct pod_summary {
    struct str reason; /* never owned */
    struct buf text;
    int64_t restarts;
    struct str last_restart; /* a time; empty when there was no restart */
    size_t ready, total;
};

static void pod_summary_done(struct pod_summary *summary)
{
    buf_done(&summary->text);
}

/* Whether an init container is a sidecar: it has the restart policy Always and keeps running. */
static bool is_restartable(const struct json_value *pod, struct str name)
{
    const struct json_value *container;
    JSON_FOREACH (key, container, json_path(pod, "spec.initContainers"))
        if (str_eq(json_path_str(container, "name"), name))
            return str_eq(json_path_str(container, "restartPolicy"), STR("Always"));
    return false;
}

static bool is_true(const struct json_value *value)
{
    bool truth;
    return json_to_bool(value, &truth) && truth;
}

/* Containers and sidecars. */
static size_t count_containers(const struct json_value *pod)
{
    const struct json_value *container;
    size_t count = json_count(json_path(pod, "spec.containers"));
    JSON_FOREACH (key, container, json_path(pod, "spec.initContainers"))
        count += str_eq(json_path_str(container, "restartPolicy"), STR("Always"));
    return count;
}

/* The reason before containers are looked at. */
static struct str initial_reason(const struct json_value *pod)
{
    const struct json_value *condition;
    struct str reason = json_path_str(pod, "status.reason");
    if (str_is_empty(reason))
        reason = json_path_str(pod, "status.phase");
    JSON_FOREACH (key, condition, json_path(pod, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("PodScheduled")) &&
            str_eq(json_path_str(condition, "reason"), STR("SchedulingGated")))
            reason = STR("SchedulingGated");
    return reason;
}

/*
 * The latest restart is found by comparing texts: timestamps of one form are ordered by their text.
 */
static void count_restarts(struct pod_summary *summary, const struct json_value *status)
{
    const struct str finished = json_path_str(status, "lastState.terminated.finishedAt");
    summary->restarts += kind_cell_number(status, "restartCount");
    if (str_cmp(finished, summary->last_restart) > 0)
        summary->last_restart = finished;
}

static void set_text(struct pod_summary *summary, const char *prefix, struct str word)
{
    buf_clear(&summary->text);
    buf_print(&summary->text, "%s%.*s", prefix, STR_ARG(word));
    summary->reason = buf_str(&summary->text);
}

/* The reason of a terminated container, or its signal or exit code. */
static void set_terminated(struct pod_summary *summary, const char *prefix,
                           const struct json_value *terminated)
{
    const struct str reason = json_path_str(terminated, "reason");
    const int64_t signal = kind_cell_number(terminated, "signal");
    if (!str_is_empty(reason)) {
        set_text(summary, prefix, reason);
        return;
    }
    buf_clear(&summary->text);
    buf_print(&summary->text, "%s%s:%lld", prefix, signal != 0 ? "Signal" : "ExitCode",
              (long long)(signal != 0 ? signal : kind_cell_number(terminated, "exitCode")));
    summary->reason = buf_str(&summary->text);
}

/*
 * Whether an init container does not hold up the pod: it succeeded, or is a sidecar that has
 * started.
 */
static bool is_through(const struct json_value *pod, const struct json_value *status)
{
    const struct json_value *terminated = json_path(status, "state.terminated");
    if (json_type(terminated) == JSON_OBJECT && kind_cell_number(terminated, "exitCode") == 0)
        return true;
    return is_restartable(pod, json_path_str(status, "name")) &&
           is_true(json_get(status, STR("started")));
}

/* The reason of the init container that holds up the pod; "Init:1/3" while it runs. */
static void set_initializing(struct pod_summary *summary, const struct json_value *pod,
                             const struct json_value *status, size_t index)
{
    const struct json_value *terminated = json_path(status, "state.terminated");
    const struct str waiting = json_path_str(status, "state.waiting.reason");
    if (json_type(terminated) == JSON_OBJECT) {
        set_terminated(summary, "Init:", terminated);
    } else if (!str_is_empty(waiting) && !str_eq(waiting, STR("PodInitializing"))) {
        set_text(summary, "Init:", waiting);
    } else {
        buf_clear(&summary->text);
        buf_print(&summary->text, "Init:%zu/%zu", index,
                  json_count(json_path(pod, "spec.initContainers")));
        summary->reason = buf_str(&summary->text);
    }
}

/*
 * Adds init containers up to the first that holds up the pod; true if there is one. `lasting`
 * counts the restarts of sidecars alone, which are shown once the pod is initialized.
 */
static bool add_init_containers(struct pod_summary *summary, const struct json_value *pod,
                                struct pod_summary *lasting)
{
    const struct json_value *status;
    size_t index = 0;
    JSON_FOREACH (key, status, json_path(pod, "status.initContainerStatuses")) {
        const bool restartable = is_restartable(pod, json_path_str(status, "name"));
        count_restarts(summary, status);
        if (restartable)
            count_restarts(lasting, status);
        if (!is_through(pod, status)) {
            set_initializing(summary, pod, status, index);
            return true;
        }
        summary->ready += restartable && is_true(json_get(status, STR("ready"))) &&
                          json_type(json_path(status, "state.terminated")) != JSON_OBJECT;
        index++;
    }
    return false;
}

/* Adds a container; true if it is ready and running. */
static bool add_container(struct pod_summary *summary, const struct json_value *status)
{
    const struct str waiting = json_path_str(status, "state.waiting.reason");
    const struct json_value *terminated = json_path(status, "state.terminated");
    count_restarts(summary, status);
    if (!str_is_empty(waiting)) {
        summary->reason = waiting;
        return false;
    }
    if (json_type(terminated) == JSON_OBJECT) {
        set_terminated(summary, "", terminated);
        return false;
    }
    return is_true(json_get(status, STR("ready"))) &&
           json_type(json_path(status, "state.running")) == JSON_OBJECT;
}

/*
 * Adds containers, the last first: of several reasons that of the first container stays. When some
 * containers have completed and others run, the condition Ready decides.
 */
static void add_containers(struct pod_summary *summary, const struct json_value *pod)
{
    const struct json_value *statuses = json_path(pod, "status.containerStatuses");
    bool running = false;
    for (size_t i = json_count(statuses); i > 0; i--) {
        const bool is_running = add_container(summary, json_at(statuses, i - 1));
        summary->ready += is_running;
        running = running || is_running;
    }
    if (str_eq(summary->reason, STR("Completed")) && running)
        summary->reason =
            kind_cell_has_condition(pod, STR("Ready")) ? STR("Running") : STR("NotReady");
}

/* Whether the pod has ended. */
static bool is_over(const struct json_value *pod)
{
    const struct str phase = json_path_str(pod, "status.phase");
    return str_eq(phase, STR("Succeeded")) || str_eq(phase, STR("Failed"));
}

static void pod_summarize(struct pod_summary *summary, const struct json_value *pod)
{
    struct pod_summary lasting = {.restarts = 0};
    summary->reason = initial_reason(pod);
    summary->total = count_containers(pod);
    const bool initializing = add_init_containers(summary, pod, &lasting);
    if (!initializing || kind_cell_has_condition(pod, STR("Initialized"))) {
        summary->restarts = lasting.restarts;
        summary->last_restart = lasting.last_restart;
        add_containers(summary, pod);
    }
    if (str_is_empty(json_path_str(pod, "metadata.deletionTimestamp")))
        return;
    if (str_eq(json_path_str(pod, "status.reason"), STR("NodeLost")))
        summary->reason = STR("Unknown");
    else if (!is_over(pod))
        summary->reason = STR("Terminating");
}

void kind_cell_pod_ready(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    SCOPED(pod_summary) summary = {.total = 0};
    SCOPED(buf) text = {0};
    pod_summarize(&summary, row->object);
    buf_print(&text, "%zu/%zu", summary.ready, summary.total);
    json_builder_str(row->out, buf_str(&text));
}

void kind_cell_pod_status(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    SCOPED(pod_summary) summary = {.total = 0};
    pod_summarize(&summary, row->object);
    json_builder_str(row->out, summary.reason);
}

/* "3 (5m ago)". */
void kind_cell_pod_restarts(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    SCOPED(pod_summary) summary = {.total = 0};
    SCOPED(buf) text = {0};
    char age[KIND_AGE_MAX];
    timestamp last;
    pod_summarize(&summary, row->object);
    buf_print(&text, "%lld", (long long)summary.restarts);
    if (summary.restarts != 0 && timestamp_read(summary.last_restart, &last))
        buf_print(&text, " (%.*s ago)",
                  STR_ARG(kind_age_write(kind_age_between(last, row->now), age)));
    json_builder_str(row->out, buf_str(&text));
}

void kind_cell_pod_ip(const struct kind_row *row, const struct kind_cell *cell)
{
    struct str ip = json_path_str(row->object, "status.podIPs.0.ip");
    if (str_is_empty(ip))
        ip = json_path_str(row->object, "status.podIP");
    json_builder_str(row->out, str_is_empty(ip) ? str_from_c(cell->otherwise) : ip);
}

/* Readiness gates: how many of their conditions are true. */
void kind_cell_pod_gates(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *gates = json_path(row->object, cell->path), *gate;
    SCOPED(buf) text = {0};
    size_t open = 0;
    JSON_FOREACH (key, gate, gates)
        open += kind_cell_has_condition(row->object, json_path_str(gate, "conditionType"));
    if (json_count(gates) > 0)
        buf_print(&text, "%zu/%zu", open, json_count(gates));
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : str_from_c(cell->otherwise));
}
