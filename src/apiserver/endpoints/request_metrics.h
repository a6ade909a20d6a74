/*
 * Metrics about the requests of the main API, with the names and labels of kube-apiserver:
 * apiserver_request_total, apiserver_request_duration_seconds, apiserver_longrunning_requests and
 * apiserver_current_inflight_requests.
 *
 * What a client makes up becomes no label: resources that are not served and subresources that were
 * refused are empty. The label dry_run is left out.
 *
 * metrics may be NULL: nothing is counted then.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/endpoints/request.h"
#include "base/duration.h"

struct metrics;
struct metrics_series;

void request_metrics_register(struct metrics *metrics);

/*
 * A request is being served until request_metrics_end(), which takes what _begin() returned.
 * Watches are long.
 */
struct metrics_series *request_metrics_begin(struct metrics *metrics, const struct request *request,
                                             bool is_long);
void request_metrics_end(struct metrics_series *active);

/* The request was answered with this status (0: not at all) after this time. */
void request_metrics_answered(struct metrics *metrics, const struct request *request, int status,
                              duration took);
