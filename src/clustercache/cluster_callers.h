/*
 * What requests that come from outside may take of one cluster's connection: a share of its
 * requests per second that is theirs alone, and at most some of its HTTP/1.1 connections. The
 * controllers of this process are never slowed by callers.
 *
 * The share is made when the first caller comes; most connections never have one.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"

struct client_stream_request;
struct cluster_callers;
struct cluster_connection;
struct http_response;

/*
 * client_stream() within the share of the callers; the request's own rate limit is not used. The
 * reference must be kept and cluster_callers_leave() be called once, after the response is freed.
 * On failure nothing is left to do. Suspends.
 */
MUST_USE struct error *cluster_callers_stream(struct cluster_connection *connection,
                                              const struct client_stream_request *request,
                                              struct http_response **ret_response);
void cluster_callers_leave(struct cluster_connection *connection);

void cluster_callers_free(struct cluster_callers *callers);
