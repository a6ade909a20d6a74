/*
 * Rows are in order of precedence, so a row speaks only of facts that the rows above it leave open.
 * The last row of each half (not connected, connected) fits whatever is left.
 */
#include "clustercache/transition.h"

#include <stdbool.h>

#include "base/owned.h"

#define UNREADABLE    TRANSITION_UNREADABLE
#define ABSENT        TRANSITION_ABSENT
#define FILTERED_OUT  TRANSITION_FILTERED_OUT
#define PROVISIONED   TRANSITION_PROVISIONED
#define NO_ACCESSOR   TRANSITION_NO_ACCESSOR
#define OTHER_UID     TRANSITION_OTHER_UID
#define CONNECTED     TRANSITION_CONNECTED
#define CONNECTING    TRANSITION_CONNECTING
#define PROBING       TRANSITION_PROBING
#define RETRY_WAITS   TRANSITION_RETRY_WAITS
#define PROBE_WAITS   TRANSITION_PROBE_WAITS
#define CHANGED       TRANSITION_CHANGED
#define NEWS          TRANSITION_NEWS
#define CHANGE_WAITS  TRANSITION_CHANGE_WAITS
#define CHANGE_FIRST  TRANSITION_CHANGE_FIRST
#define UNAUTHORIZED  TRANSITION_UNAUTHORIZED
#define TOO_MANY      TRANSITION_TOO_MANY_FAILURES
#define NOT_CONNECTED CONNECTED /* in the column of facts that a row must lack */

/* The columns of a row that say what is logged. */
#define SILENT               NULL, 0, NULL, NULL
#define SAYS(message, level) message, level, NULL, NULL
#define BECAUSE(reason)      NULL, 0, reason, NULL
#define RECENTLY(event)      NULL, 0, NULL, event

/* clang-format off */
static const struct transition rows[] = {
    {"the Cluster cannot be read",
     UNREADABLE, 0, TRANSITION_NOTHING, TRANSITION_FALLBACK, SILENT},
    {"no Cluster",
     ABSENT, 0, TRANSITION_FORGET, TRANSITION_WITH_EVENT,
     SAYS("Cluster has been deleted, disconnecting", 0)},
    {"the Cluster is filtered out",
     FILTERED_OUT, 0, TRANSITION_FORGET, TRANSITION_WITH_EVENT,
     SAYS("Cluster filtered out by ClusterFilter, not connecting", 6)},
    {"the accessor is of another UID",
     OTHER_UID, 0, TRANSITION_FORGET, TRANSITION_AGAIN,
     SAYS("Cluster has been replaced by another one, disconnecting", 0)},
    {"no accessor",
     NO_ACCESSOR, 0, TRANSITION_CREATE, TRANSITION_AGAIN, SILENT},
    {"infrastructure not provisioned",
     0, PROVISIONED, TRANSITION_NOTHING, TRANSITION_WITH_EVENT,
     SAYS("Can't connect yet, Cluster infrastructure is not provisioned", 6)},

    {"not connected, connecting",
     CONNECTING, NOT_CONNECTED, TRANSITION_NOTHING, TRANSITION_WHEN_ENDED, SILENT},
    {"not connected, the probe said 401",
     UNAUTHORIZED, NOT_CONNECTED, TRANSITION_NOTHING, TRANSITION_AT_ONCE,
     SAYS("Requeuing immediately (disconnected after unauthorized error occurred)", 6)},
    {"not connected, the probe failed for the fifth time, and there is news",
     TOO_MANY | NEWS, NOT_CONNECTED, TRANSITION_NOTHING, TRANSITION_AT_ONCE,
     SAYS("Requeuing immediately (disconnected, and the Cluster has changed)", 6)},
    {"not connected, the probe failed for the fifth time",
     TOO_MANY, NOT_CONNECTED, TRANSITION_NOTHING, TRANSITION_RETRY,
     BECAUSE("disconnected after consecutive failure threshold met")},
    {"not connected, and there is news",
     NEWS, NOT_CONNECTED, TRANSITION_CONNECT, TRANSITION_WHEN_ENDED,
     SAYS("Connecting at once, as the kubeconfig or the control plane has changed", 6)},
    {"not connected, the connect failed just now",
     TRANSITION_CONNECT_FAILED | RETRY_WAITS, NOT_CONNECTED,
     TRANSITION_NOTHING, TRANSITION_REST_OF_RETRY,
     BECAUSE("connection creation failed")},
    {"not connected, a connect failed a short while ago",
     RETRY_WAITS, NOT_CONNECTED, TRANSITION_NOTHING, TRANSITION_REST_OF_RETRY,
     RECENTLY("connection creation already failed")},
    {"not connected",
     0, NOT_CONNECTED, TRANSITION_CONNECT, TRANSITION_WHEN_ENDED, SILENT},

    {"connected, the Secret has another kubeconfig",
     CHANGED, CONNECTING | CHANGE_WAITS, TRANSITION_CONNECT, TRANSITION_AGAIN,
     SAYS("Credentials have changed", 4)},
    {"connected, probing",
     PROBING, 0, TRANSITION_NOTHING, TRANSITION_WHEN_ENDED, SILENT},
    {"connected, the other kubeconfig failed and is due before the probe",
     PROBE_WAITS | CHANGED | CHANGE_WAITS | CHANGE_FIRST, CONNECTING,
     TRANSITION_NOTHING, TRANSITION_REST_OF_CHANGE,
     BECAUSE("cannot connect with changed credentials")},
    {"connected, the probe succeeded just now",
     TRANSITION_PROBE_SUCCEEDED | PROBE_WAITS, 0, TRANSITION_NOTHING, TRANSITION_REST_OF_PROBE,
     BECAUSE("health probe succeeded")},
    {"connected, the probe failed just now",
     TRANSITION_PROBE_FAILED | PROBE_WAITS, 0, TRANSITION_NOTHING, TRANSITION_REST_OF_PROBE,
     BECAUSE("health probe failed")},
    {"connected, probed within 10 s",
     PROBE_WAITS, 0, TRANSITION_NOTHING, TRANSITION_REST_OF_PROBE,
     RECENTLY("health probe was already run")},
    {"connected",
     0, 0, TRANSITION_PROBE, TRANSITION_WHEN_ENDED, SILENT},
};
/* clang-format on */

static bool fits(const struct transition *row, uint32_t facts)
{
    return (facts & row->needs) == row->needs && !(facts & row->lacks);
}

const struct transition *transition_next(uint32_t facts)
{
    const struct transition *row = rows;
    while (!fits(row, facts)) /* the last row fits every set */
        row++;
    return row;
}

const struct transition *transition_rows(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}
