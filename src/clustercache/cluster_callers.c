#include "clustercache/cluster_callers.h"

#include "async/semaphore.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/rate_limit.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"

/* Of the 16 connections of an HTTP/1.1 client; the others are left to the controllers. */
#define CALLERS_MAX 12

struct cluster_callers {
    struct rate_limit limit;
    struct semaphore turns;
};

static struct cluster_callers *callers_of(struct cluster_connection *connection)
{
    const struct clustercache_options *options = &connection->config->options;
    if (!connection->callers) {
        connection->callers = NEW(struct cluster_callers);
        rate_limit_init(&connection->callers->limit, options->qps, options->burst);
        connection->callers->turns.permits = CALLERS_MAX;
    }
    return connection->callers;
}

void cluster_callers_free(struct cluster_callers *callers)
{
    mem_free(callers);
}

struct error *cluster_callers_stream(struct cluster_connection *connection,
                                     const struct client_stream_request *request,
                                     struct http_response **ret_response)
{
    struct cluster_callers *callers = callers_of(connection);
    struct client_stream_request own = *request;
    own.rate_limit = &callers->limit;
    TRY(semaphore_take(&callers->turns));
    struct error *err = client_stream(connection->client, &own, ret_response);
    if (err)
        semaphore_give(&callers->turns);
    return err;
}

void cluster_callers_leave(struct cluster_connection *connection)
{
    semaphore_give(&connection->callers->turns);
}
