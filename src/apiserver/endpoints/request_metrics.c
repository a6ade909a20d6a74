#include "apiserver/endpoints/request_metrics.h"

#include "apiserver/api.h"
#include "apiserver/endpoints/route.h"
#include "base/metrics.h"

#define COMPONENT STR("apiserver")

enum { TOTAL, SECONDS, LONGRUNNING, INFLIGHT };

/* Those of kube-apiserver. */
static const double seconds_buckets[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8,
                                         1.0,   1.25,  1.5,  2,   3,   4,   5,   6,
                                         8,     10,    15,   20,  30,  45,  60};

static const struct metrics_family families[] = {
    [TOTAL] = METRICS_COUNTER("apiserver_request_total",
                              "Counter of apiserver requests broken out for each verb, group, "
                              "version, resource, scope, component, and HTTP response code.",
                              "verb", "group", "version", "resource", "subresource", "scope",
                              "component", "code"),
    [SECONDS] = METRICS_HISTOGRAM("apiserver_request_duration_seconds",
                                  "Response latency distribution in seconds for each verb, group, "
                                  "version, resource, subresource, scope and component.",
                                  seconds_buckets, "verb", "group", "version", "resource",
                                  "subresource", "scope", "component"),
    [LONGRUNNING] =
        METRICS_GAUGE("apiserver_longrunning_requests",
                      "Gauge of all active long-running apiserver requests broken out "
                      "by verb, group, version, resource, scope and component.",
                      "verb", "group", "version", "resource", "subresource", "scope", "component"),
    [INFLIGHT] = METRICS_GAUGE("apiserver_current_inflight_requests",
                               "Number of currently used inflight request limit of this apiserver "
                               "per request kind.",
                               "request_kind"),
};

static const struct str verb_labels[] = {
    [VERB_NONE] = STR_INIT("other"),
    [VERB_GET] = STR_INIT("GET"),
    [VERB_LIST] = STR_INIT("LIST"),
    [VERB_WATCH] = STR_INIT("WATCH"),
    [VERB_CREATE] = STR_INIT("POST"),
    [VERB_UPDATE] = STR_INIT("PUT"),
    [VERB_PATCH] = STR_INIT("PATCH"),
    [VERB_DELETE] = STR_INIT("DELETE"),
    [VERB_DELETECOLLECTION] = STR_INIT("DELETECOLLECTION"),
};

void request_metrics_register(struct metrics *metrics)
{
    metrics_register(metrics, families, COUNT(families));
    (void)METRICS_SERIES(metrics, &families[INFLIGHT], STR("mutating"));
    (void)METRICS_SERIES(metrics, &families[INFLIGHT], STR("readOnly"));
}

/* Paths that are no resources have the verb of their method, of which only GET is known. */
static struct str verb_label(const struct request *request)
{
    if (request->is_resource)
        return verb_labels[request->verb];
    return str_eq(request->method, STR("GET")) ? STR("GET") : STR("other");
}

/* A request may have been refused before its kind was looked up. */
static bool is_served(const struct request *request)
{
    return request->is_resource &&
           (request->kind || api_find_kind(request->api, request->arena, request->gvr));
}

static struct str scope_label(const struct request *request)
{
    if (!request->is_resource)
        return STR("");
    if (request->name.len)
        return STR("resource");
    return request->namespace.len ? STR("namespace") : STR("cluster");
}

/* All labels but the code. status 0: not answered yet. */
#define LABELS 7
static void label_request(const struct request *request, int status, struct str *labels)
{
    const bool served = is_served(request);
    const struct str none = STR("");
    labels[0] = verb_label(request);
    labels[1] = served ? request->gvr.group : none;
    labels[2] = served ? request->gvr.version : none;
    labels[3] = served ? request->gvr.resource : none;
    labels[4] = served && status < 400 ? request->subresource : none;
    labels[5] = scope_label(request);
    labels[6] = COMPONENT;
}

static bool is_mutating(const struct request *request)
{
    return !str_eq(request->method, STR("GET")) && !str_eq(request->method, STR("HEAD"));
}

static struct metrics_series *find_active(struct metrics *metrics, const struct request *request,
                                          bool is_long)
{
    struct str labels[LABELS];
    if (!is_long)
        return METRICS_SERIES(metrics, &families[INFLIGHT],
                              is_mutating(request) ? STR("mutating") : STR("readOnly"));
    label_request(request, 400, labels); /* a watch has no subresource */
    return metrics_series(metrics, &families[LONGRUNNING], labels, LABELS);
}

/* The series is kept by the caller: a definition that goes meanwhile would change the labels. */
struct metrics_series *request_metrics_begin(struct metrics *metrics, const struct request *request,
                                             bool is_long)
{
    if (!metrics)
        return NULL;
    struct metrics_series *active = find_active(metrics, request, is_long);
    metrics_add(active, 1);
    return active;
}

void request_metrics_end(struct metrics_series *active)
{
    if (active)
        metrics_add(active, -1);
}

/* The duration of a watch says nothing about latency. */
void request_metrics_answered(struct metrics *metrics, const struct request *request, int status,
                              duration took)
{
    struct str labels[LABELS + 1];
    char digits[STR_NUMBER_MAX];
    if (!metrics)
        return;
    label_request(request, status, labels);
    if (!route_is_long(request))
        metrics_observe(metrics_series(metrics, &families[SECONDS], labels, LABELS),
                        (double)took / (double)SECOND);
    labels[LABELS] = str_number((uint64_t)status, digits);
    metrics_inc(metrics_series(metrics, &families[TOTAL], labels, LABELS + 1));
}
