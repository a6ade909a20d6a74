/*
 * Joins the errors of a run into one result. The rows are those of the table "End" in the
 * framework's specification: unrecoverable outranks unclassified, which outranks retry later.
 * Stale writes and cancellations never appear in conditions.
 */
#include "framework/run_result.h"

#include "framework/error_class.h"

static int severity(enum error_class class)
{
    switch (class) {
    case ERROR_CLASS_UNRECOVERABLE:
        return 3;
    case ERROR_CLASS_UNCLASSIFIED:
        return 2;
    case ERROR_CLASS_RETRY_LATER:
        return 1;
    default:
        return 0;
    }
}

/* Adds one error to the result. The first of equally severe errors stays. */
static void add_error(struct run_result *result, const struct error *err)
{
    const enum error_class class = error_class_of(err);
    const duration delay = error_class_delay(err);
    if (class == ERROR_CLASS_STALE || class == ERROR_CLASS_CANCELED) {
        result->is_stale = result->is_stale || class == ERROR_CLASS_STALE;
        result->is_canceled = result->is_canceled || class == ERROR_CLASS_CANCELED;
        return;
    }
    if (!result->worst || severity(class) > severity(error_class_of(result->worst)))
        result->worst = err;
    result->is_recoverable = result->is_recoverable || class != ERROR_CLASS_UNRECOVERABLE;
    result->is_counted = result->is_counted || class == ERROR_CLASS_UNCLASSIFIED;
    if (delay && (!result->delay || delay < result->delay))
        result->delay = delay;
}

struct run_result run_result_of(const struct graph *graph, const struct error *err)
{
    struct run_result result = {0};
    if (err)
        add_error(&result, err);
    for (size_t i = 0; graph && i < graph_count(graph); i++)
        if (graph_node_state(graph_at(graph, i)) == GRAPH_NODE_FAILED)
            add_error(&result, graph_node_error(graph_at(graph, i)));
    return result;
}

/* True if the error is about a connection, or is an answer of a server. */
static bool is_about_servers(const struct error *err)
{
    switch (err->code) {
    case ERROR_DEADLINE:
    case ERROR_TIMEOUT:
    case ERROR_UNREACHABLE:
    case ERROR_CONNECTION:
    case ERROR_TLS:
    case ERROR_PROTOCOL:
    case ERROR_UNAUTHORIZED:
        return true;
    default:
        return err->http_status != 0;
    }
}

struct str run_result_reason(const struct run_result *result, struct arena *arena)
{
    const struct error *err = result->worst;
    const struct str own = error_class_reason(err, arena);
    if (own.len)
        return own;
    return error_class_of(err) == ERROR_CLASS_UNCLASSIFIED && is_about_servers(err)
               ? STR("apiTemporaryError")
               : STR("operatorError");
}
