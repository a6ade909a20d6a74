#include "client/client_metrics.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/metrics.h"
#include "client/kubeconfig.h"

static const double seconds_buckets[] = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};

enum { FAMILY_REQUESTS, FAMILY_DURATION };

static const struct metrics_family families[] = {
    [FAMILY_REQUESTS] =
        METRICS_COUNTER("rest_client_requests_total",
                        "Number of HTTP requests, partitioned by status code, method, and host.",
                        "code", "host", "method"),
    [FAMILY_DURATION] =
        METRICS_HISTOGRAM("rest_client_request_duration_seconds",
                          "Request latency in seconds. Broken down by verb, and host.",
                          seconds_buckets, "verb", "host"),
};

void client_metrics_init(struct client_metrics *metrics, struct metrics *registry,
                         const struct rest_config *config)
{
    *metrics = (struct client_metrics){.metrics = registry, .config = config};
    if (registry)
        metrics_register(registry, families, COUNT(families));
}

void client_metrics_count(struct client_metrics *metrics, struct str method, int status,
                          duration took)
{
    if (!metrics->metrics)
        return;
    SCOPED(arena) arena = {0};
    const struct str host = url_authority(&arena, &metrics->config->server);
    char digits[16];
    const int len = snprintf(digits, sizeof(digits), "%d", status);
    const struct str code = status ? str_from(digits, (size_t)len) : STR("<error>");
    metrics_inc(METRICS_SERIES(metrics->metrics, &families[FAMILY_REQUESTS], code, host, method));
    metrics_observe(METRICS_SERIES(metrics->metrics, &families[FAMILY_DURATION], method, host),
                    (double)took / (double)SECOND);
}
