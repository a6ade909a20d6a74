/*
 * Cells of Pod templates and of the kinds that create, scale or guard Pods: ReplicaSet, Deployment,
 * StatefulSet, DaemonSet, ControllerRevision, Job, CronJob, PodDisruptionBudget,
 * HorizontalPodAutoscaler. The functions for Pods are in kind_columns_pod.c.
 */
#include "apimachinery/gvk.h"
#include "apiserver/registry/kind_age.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "apiserver/types/go_types.h"
#include "base/arena.h"
#include "base/owned.h"
#include "json/path.h"

/* The path of the pod spec in a controller. */
#define TEMPLATE "spec.template.spec"

/* "2/3": a number of status, and spec.replicas. */
static void cell_of_replicas(const struct kind_row *row, const struct kind_cell *cell)
{
    SCOPED(buf) text = {0};
    buf_print(&text, "%lld/%lld", (long long)kind_cell_number(row->object, cell->path),
              (long long)kind_cell_number(row->object, "spec.replicas"));
    json_builder_str(row->out, buf_str(&text));
}

/*
 * The selector of a ReplicationController is a map of labels, that of a ReplicaSet a LabelSelector.
 */
static void cell_replicas_selector(const struct kind_row *row, const struct kind_cell *cell)
{
    if (row->kind->type == &type_replication_controller)
        kind_cell_labels(row, cell);
    else
        kind_cell_selector(row, cell);
}

static const struct kind_cell replicas_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_int,          "spec.replicas",        NULL    },
    {kind_cell_int,          "status.replicas",      NULL    },
    {kind_cell_int,          "status.readyReplicas", NULL    },
    KIND_CELL_AGE,
    {kind_cell_containers,   TEMPLATE,               NULL    },
    {kind_cell_images,       TEMPLATE,               NULL    },
    {cell_replicas_selector, "spec.selector",        "<none>"},
};

static const struct kind_cell deployment_cells[] = {
    KIND_CELL_NAME,
    {cell_of_replicas,     "status.readyReplicas",     NULL},
    {kind_cell_int,        "status.updatedReplicas",   NULL},
    {kind_cell_int,        "status.availableReplicas", NULL},
    KIND_CELL_AGE,
    {kind_cell_containers, TEMPLATE,                   NULL},
    {kind_cell_images,     TEMPLATE,                   NULL},
    {kind_cell_selector,   "spec.selector",            ""  },
};

static const struct kind_cell stateful_set_cells[] = {
    KIND_CELL_NAME,
    {cell_of_replicas,     "status.readyReplicas", NULL},
    KIND_CELL_AGE,
    {kind_cell_containers, TEMPLATE,               NULL},
    {kind_cell_images,     TEMPLATE,               NULL},
};

static const struct kind_cell daemon_set_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_int,        "status.desiredNumberScheduled", NULL    },
    {kind_cell_int,        "status.currentNumberScheduled", NULL    },
    {kind_cell_int,        "status.numberReady",            NULL    },
    {kind_cell_int,        "status.updatedNumberScheduled", NULL    },
    {kind_cell_int,        "status.numberAvailable",        NULL    },
    {kind_cell_labels,     TEMPLATE ".nodeSelector",        "<none>"},
    KIND_CELL_AGE,
    {kind_cell_containers, TEMPLATE,                        NULL    },
    {kind_cell_images,     TEMPLATE,                        NULL    },
    {kind_cell_selector,   "spec.selector",                 "<none>"},
};

/* The controller among the owners, as "statefulset.apps/web". */
static void cell_controller(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *owner;
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, owner, json_path(row->object, cell->path)) {
        bool is_controller = false;
        if (!json_to_bool(json_get(owner, STR("controller")), &is_controller) || !is_controller)
            continue;
        struct gvk gvk = {.kind = json_path_str(owner, "kind")};
        OWNED(error) err = gvk_from_api_version(json_path_str(owner, "apiVersion"), gvk.kind, &gvk);
        if (!err)
            kind_cell_lower(&text, gvk_group_kind(&arena, gvk));
        kind_cell_part(&text, "/", json_path_str(owner, "name"));
        break;
    }
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : str_from_c(cell->otherwise));
}

static const struct kind_cell controller_revision_cells[] = {
    KIND_CELL_NAME,
    {cell_controller, "metadata.ownerReferences", "<none>"},
    {kind_cell_int,   "revision",                 NULL    },
    KIND_CELL_AGE,
};

/* Final conditions first, then deletion, then current conditions; a Job without any is Running. */
static void cell_job_status(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    static const char *const final[] = {"Complete", "Failed"};
    static const char *const current[] = {"Suspended", "FailureTarget", "SuccessCriteriaMet"};
    const struct json_value *job = row->object;
    const char *status = NULL;
    for (size_t i = 0; i < COUNT(final) && !status; i++)
        if (kind_cell_has_condition(job, str_from_c(final[i])))
            status = final[i];
    if (!status && !str_is_empty(json_path_str(job, "metadata.deletionTimestamp")))
        status = "Terminating";
    for (size_t i = 0; i < COUNT(current) && !status; i++)
        if (kind_cell_has_condition(job, str_from_c(current[i])))
            status = current[i];
    json_builder_str(row->out, str_from_c(status ? status : "Running"));
}

/* "1/3"; without completions one success of the parallel pods is enough. */
static void cell_completions(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    const long long succeeded = kind_cell_number(row->object, "status.succeeded");
    const long long parallelism = kind_cell_number(row->object, "spec.parallelism");
    int64_t wanted;
    SCOPED(buf) text = {0};
    if (json_to_int64(json_path(row->object, "spec.completions"), &wanted))
        buf_print(&text, "%lld/%lld", succeeded, (long long)wanted);
    else if (parallelism > 1)
        buf_print(&text, "%lld/1 of %lld", succeeded, parallelism);
    else
        buf_print(&text, "%lld/1", succeeded);
    json_builder_str(row->out, buf_str(&text));
}

/* From the start to the completion, or to now. */
static void cell_job_duration(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    timestamp start, end;
    char text[KIND_AGE_MAX];
    struct str shown = {NULL, 0};
    if (!timestamp_read(json_path_str(row->object, "status.completionTime"), &end))
        end = row->now;
    if (timestamp_read(json_path_str(row->object, "status.startTime"), &start))
        shown = kind_age_write(kind_age_between(start, end), text);
    json_builder_str(row->out, shown);
}

static const struct kind_cell job_cells[] = {
    KIND_CELL_NAME,
    {cell_job_status,      NULL,            NULL    },
    {cell_completions,     NULL,            NULL    },
    {cell_job_duration,    NULL,            NULL    },
    KIND_CELL_AGE,
    {kind_cell_containers, TEMPLATE,        NULL    },
    {kind_cell_images,     TEMPLATE,        NULL    },
    {kind_cell_selector,   "spec.selector", "<none>"},
};

static void cell_suspend(const struct kind_row *row, const struct kind_cell *cell)
{
    bool truth;
    if (!json_to_bool(json_path(row->object, cell->path), &truth))
        json_builder_str(row->out, str_from_c(cell->otherwise));
    else
        json_builder_str(row->out, truth ? STR("True") : STR("False"));
}

static const struct kind_cell cron_job_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,        "spec.schedule",                  ""       },
    {kind_cell_str,        "spec.timeZone",                  "<none>" },
    {cell_suspend,         "spec.suspend",                   "<unset>"},
    {kind_cell_count,      "status.active",                  NULL     },
    {kind_cell_age,        "status.lastScheduleTime",        "<none>" },
    KIND_CELL_AGE,
    {kind_cell_containers, "spec.jobTemplate." TEMPLATE,     NULL     },
    {kind_cell_images,     "spec.jobTemplate." TEMPLATE,     NULL     },
    {kind_cell_selector,   "spec.jobTemplate.spec.selector", "<none>" },
};

static const struct kind_cell pod_disruption_budget_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "spec.minAvailable",         "N/A"},
    {kind_cell_str, "spec.maxUnavailable",       "N/A"},
    {kind_cell_int, "status.disruptionsAllowed", NULL },
    KIND_CELL_AGE,
};

/* The types of metrics, the member with their values, and whether the cell shows a name. */
static const struct metric {
    const char *type, *member;
    bool is_named;
} metrics[] = {
    {"External",          "external",          false},
    {"Pods",              "pods",              false},
    {"Object",            "object",            false},
    {"Resource",          "resource",          true },
    {"ContainerResource", "containerResource", true },
};

/* Quantities are shown as they are, utilizations with "%". */
static void add_metric_value(struct buf *text, const struct json_value *numbers, const char *member,
                             const char *otherwise)
{
    const struct json_value *value = json_path(numbers, member);
    if (json_type(value) == JSON_STRING)
        buf_add(text, json_to_str(value));
    else if (json_type(value) == JSON_NUMBER)
        buf_print(text, "%lld%%", (long long)kind_cell_number(numbers, member));
    else
        buf_add(text, str_from_c(otherwise));
}

/*
 * "cpu: 10%/80%": the current value and the target. Average values are marked, except those of Pods
 * and of resources.
 */
static void add_metric(struct buf *text, const struct metric *metric, const struct json_value *spec,
                       const struct json_value *status)
{
    const struct json_value *wanted = json_get(spec, str_from_c(metric->member));
    const struct json_value *target = json_get(wanted, STR("target"));
    const struct json_value *current =
        json_get(json_get(status, str_from_c(metric->member)), STR("current"));
    const bool average = json_type(json_get(target, STR("averageValue"))) == JSON_STRING;
    const char *other = metric->is_named ? "averageUtilization" : "value";
    if (metric->is_named)
        buf_print(text, "%.*s: ", STR_ARG(json_path_str(wanted, "name")));
    add_metric_value(text, current, average ? "averageValue" : other, "<unknown>");
    buf_add_char(text, '/');
    add_metric_value(text, target, average ? "averageValue" : other, "<auto>");
    if (average && !metric->is_named && !str_eq(str_from_c(metric->type), STR("Pods")))
        buf_add(text, STR(" (avg)"));
}

/* How many metrics are shown. */
#define METRICS_MAX 2

static void cell_metrics(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *specs = json_path(row->object, cell->path);
    const struct json_value *statuses = json_path(row->object, "status.currentMetrics");
    const size_t count = json_count(specs);
    SCOPED(buf) text = {0};
    for (size_t i = 0; i < count && i < METRICS_MAX; i++) {
        const struct json_value *spec = json_at(specs, i);
        size_t at = 0;
        while (at < COUNT(metrics) &&
               !str_eq(json_path_str(spec, "type"), str_from_c(metrics[at].type)))
            at++;
        if (i > 0)
            buf_add(&text, STR(", "));
        if (at < COUNT(metrics))
            add_metric(&text, &metrics[at], spec, json_at(statuses, i));
        else
            buf_add(&text, STR("<unknown type>"));
    }
    if (count > METRICS_MAX)
        buf_print(&text, " + %zu more...", count - METRICS_MAX);
    json_builder_str(row->out, count > 0 ? buf_str(&text) : str_from_c(cell->otherwise));
}

static void cell_scaled(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *ref = json_path(row->object, cell->path);
    SCOPED(buf) text = {0};
    buf_print(&text, "%.*s/%.*s", STR_ARG(json_path_str(ref, "kind")),
              STR_ARG(json_path_str(ref, "name")));
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell horizontal_pod_autoscaler_cells[] = {
    KIND_CELL_NAME,
    {cell_scaled,   "spec.scaleTargetRef",    NULL     },
    {cell_metrics,  "spec.metrics",           "<none>" },
    {kind_cell_str, "spec.minReplicas",       "<unset>"},
    {kind_cell_int, "spec.maxReplicas",       NULL     },
    {kind_cell_int, "status.currentReplicas", NULL     },
    KIND_CELL_AGE,
};

static const struct kind_cell pod_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_pod_ready,    NULL,                       NULL    },
    {kind_cell_pod_status,   NULL,                       NULL    },
    {kind_cell_pod_restarts, NULL,                       NULL    },
    KIND_CELL_AGE,
    {kind_cell_pod_ip,       NULL,                       "<none>"},
    {kind_cell_str,          "spec.nodeName",            "<none>"},
    {kind_cell_str,          "status.nominatedNodeName", "<none>"},
    {kind_cell_pod_gates,    "spec.readinessGates",      "<none>"},
};

static const struct kind_cell pod_template_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_containers, "template.spec",            NULL    },
    {kind_cell_images,     "template.spec",            NULL    },
    {kind_cell_labels,     "template.metadata.labels", "<none>"},
};

const struct kind_printer kind_printers_workload[] = {
    KIND_PRINTER(pod),
    KIND_PRINTER(pod_template),
    KIND_PRINTER(replicas),
    KIND_PRINTER(deployment),
    KIND_PRINTER(stateful_set),
    KIND_PRINTER(daemon_set),
    KIND_PRINTER(controller_revision),
    KIND_PRINTER(job),
    KIND_PRINTER(cron_job),
    KIND_PRINTER(pod_disruption_budget),
    KIND_PRINTER(horizontal_pod_autoscaler),
};
const size_t kind_printers_workload_count = COUNT(kind_printers_workload);
