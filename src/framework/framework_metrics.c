#include "framework/framework_metrics.h"

#include "base/memory.h"
#include "base/metrics.h"

enum family {
    APPLY_TOTAL,
    NOT_READY_TOTAL,
};

static const struct metrics_family families[] = {
    [APPLY_TOTAL] = METRICS_COUNTER("fw_apply_total", "Objects that were sent to be applied.",
                                    "controller", "kind", "result"),
    [NOT_READY_TOTAL] = METRICS_COUNTER("fw_not_ready_total", "Nodes that were found not ready.",
                                        "controller", "kind"),
};

/* The controller's name is borrowed from the framework's options. */
struct framework_metrics {
    struct metrics *metrics;
    struct str controller;
};

struct framework_metrics *framework_metrics_new(struct metrics *metrics, struct str controller)
{
    struct framework_metrics *own = NEW(struct framework_metrics);
    own->metrics = metrics;
    own->controller = controller;
    if (metrics)
        metrics_register(metrics, families, COUNT(families));
    return own;
}

void framework_metrics_free(struct framework_metrics *metrics)
{
    mem_free(metrics);
}

void framework_metrics_applied(struct framework_metrics *metrics, struct str kind,
                               const struct error *err)
{
    if (metrics->metrics)
        metrics_inc(METRICS_SERIES(metrics->metrics, &families[APPLY_TOTAL], metrics->controller,
                                   kind, err ? STR("error") : STR("success")));
}

void framework_metrics_not_ready(struct framework_metrics *metrics, struct str kind)
{
    if (metrics->metrics)
        metrics_inc(METRICS_SERIES(metrics->metrics, &families[NOT_READY_TOTAL],
                                   metrics->controller, kind));
}
