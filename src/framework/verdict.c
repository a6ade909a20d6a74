#include "framework/verdict.h"

#include "framework/outcome.h"

static int severity(enum outcome_class class)
{
    switch (class) {
    case OUTCOME_UNRECOVERABLE:
        return 3;
    case OUTCOME_UNCLASSIFIED:
        return 2;
    case OUTCOME_RETRY_LATER:
        return 1;
    default:
        return 0;
    }
}

static void add(struct verdict *verdict, const struct error *err)
{
    const enum outcome_class class = outcome_class(err);
    const duration delay = outcome_delay(err);
    if (class == OUTCOME_STALE || class == OUTCOME_CANCELED) {
        verdict->is_stale = verdict->is_stale || class == OUTCOME_STALE;
        verdict->is_canceled = verdict->is_canceled || class == OUTCOME_CANCELED;
        return;
    }
    if (!verdict->worst || severity(class) > severity(outcome_class(verdict->worst)))
        verdict->worst = err;
    verdict->is_recoverable = verdict->is_recoverable || class != OUTCOME_UNRECOVERABLE;
    verdict->is_counted = verdict->is_counted || class == OUTCOME_UNCLASSIFIED;
    if (delay && (!verdict->delay || delay < verdict->delay))
        verdict->delay = delay;
}

struct verdict verdict_of(const struct graph *graph, const struct error *err)
{
    struct verdict verdict = {0};
    if (err)
        add(&verdict, err);
    for (size_t i = 0; graph && i < graph_count(graph); i++)
        if (graph_node_state(graph_at(graph, i)) == GRAPH_NODE_FAILED)
            add(&verdict, graph_node_error(graph_at(graph, i)));
    return verdict;
}

/* It is about the way to a server, or an answer of one. */
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

struct str verdict_reason(const struct verdict *verdict, struct arena *arena)
{
    const struct error *err = verdict->worst;
    const struct str own = outcome_reason(err, arena);
    if (own.len)
        return own;
    return outcome_class(err) == OUTCOME_UNCLASSIFIED && is_about_servers(err)
               ? STR("apiTemporaryError")
               : STR("operatorError");
}
