#include "status/status_since.h"

#include "apimachinery/condition.h"
#include "apimachinery/object.h"
#include "clustercache/remote_connection_probe.h"
#include "clusterresourceset/types/delivery.h"
#include "json/path.h"

/* A state of an object, and the condition since whose last transition it has it. */
struct since_condition {
    struct str type;
    enum condition_status status;
    enum status_state state;
};

static timestamp read_time(struct str text)
{
    timestamp time;
    return timestamp_read(text, &time) ? time : 0;
}

static void read_conditions(timestamp *times, const struct object *object,
                            const struct since_condition *rows, size_t count)
{
    struct condition found;
    for (size_t i = 0; i < count; i++)
        if (!times[rows[i].state] &&
            condition_find(object_path(object, "status.conditions"), rows[i].type, &found) &&
            found.status == rows[i].status)
            times[rows[i].state] = read_time(found.last_transition_time);
}

/* Without a condition a set waits since it was made. */
void status_since_read_set(struct status_set *set, const struct object *object)
{
    static const struct since_condition rows[] = {
        {STR_INIT("ResourcesApplied"), CONDITION_FALSE, STATUS_FAILED   },
        {STR_INIT("Failed"),           CONDITION_TRUE,  STATUS_FAILED   },
        {STR_INIT("DriftFree"),        CONDITION_FALSE, STATUS_DRIFTED  },
        {STR_INIT("DriftFree"),        CONDITION_FALSE, STATUS_CONTESTED},
        {STR_INIT("Ready"),            CONDITION_FALSE, STATUS_SETTLING },
        {STR_INIT("Pruned"),           CONDITION_FALSE, STATUS_HELD     },
        {STR_INIT("Pruned"),           CONDITION_FALSE, STATUS_PRUNING  },
        {STR_INIT("InProgress"),       CONDITION_TRUE,  STATUS_WAITING  },
        {STR_INIT("Paused"),           CONDITION_TRUE,  STATUS_PAUSED   },
        {STR_INIT("ResourcesApplied"), CONDITION_FALSE, STATUS_PAUSED   }, /* Clusters are paused */
        {STR_INIT("ResourcesApplied"), CONDITION_TRUE,  STATUS_APPLIED  },
    };
    read_conditions(set->times, object, rows, COUNT(rows));
    set->times[STATUS_DELETING] =
        read_time(json_to_str(object_path(object, "metadata.deletionTimestamp")));
    if (!set->times[STATUS_WAITING])
        set->times[STATUS_WAITING] = set->created;
}

static void read_connection(struct status_cluster *cluster, const struct object *object)
{
    struct condition probe;
    if (!condition_find(object_path(object, "status.conditions"), REMOTE_CONNECTION_PROBE, &probe))
        return;
    if (probe.status == CONDITION_TRUE)
        cluster->connected = read_time(probe.last_transition_time);
    cluster->last_success = read_time(remote_connection_probe_last_success(probe.message));
}

void status_since_read_cluster(struct status_cluster *cluster, const struct object *object)
{
    static const struct since_condition rows[] = {
        {STR_INIT("RemoteConnectionProbe"), CONDITION_FALSE, STATUS_UNREACHABLE},
        {STR_INIT("Paused"),                CONDITION_TRUE,  STATUS_PAUSED     },
    };
    read_conditions(cluster->times, object, rows, COUNT(rows));
    read_connection(cluster, object);
    cluster->times[STATUS_DELETING] =
        read_time(json_to_str(object_path(object, "metadata.deletionTimestamp")));
    cluster->times[STATUS_WAITING] = cluster->created;
}

static timestamp later(timestamp a, timestamp b)
{
    return a > b ? a : b;
}

/* Of two beginnings; 0 is none. */
static timestamp earlier(timestamp a, timestamp b)
{
    return !a || (b && b < a) ? b : a;
}

/* What begins with its last part, such as applied, against what lasts since its first one. */
static timestamp join(enum status_state state, timestamp a, timestamp b)
{
    return state == STATUS_APPLIED ? later(a, b) : earlier(a, b);
}

timestamp status_since_of_record(const struct status_cell *cell)
{
    return read_time(cell->delivery->since);
}

/* A failure is as old as its Event, or as its record where the Event is missing. */
static timestamp failed_since(const struct status_cell *cell)
{
    if (cell->why_first && !cell->set->is_refused)
        return cell->why_first;
    if (status_cell_is_recorded_failed(cell) && !cell->set->is_refused)
        return status_since_of_record(cell);
    return cell->set->times[STATUS_FAILED];
}

/* A set waits on a cluster since both are there. */
static timestamp cell_since(const struct status_cluster *cluster, const struct status_cell *cell)
{
    const struct status_set *set = cell->set;
    if (status_cell_is_unready(cell))
        return status_since_of_record(cell);
    switch (cell->state) {
    case STATUS_FAILED:
        return failed_since(cell);
    case STATUS_DRIFTED:
    case STATUS_CONTESTED:
    case STATUS_HELD:
    case STATUS_PRUNING:
        return status_since_of_record(cell);
    case STATUS_WAITING:
        return later(set->times[STATUS_WAITING], cluster->times[STATUS_WAITING]);
    case STATUS_PAUSED:
        return cluster->is_paused ? cluster->times[STATUS_PAUSED] : set->times[STATUS_PAUSED];
    case STATUS_UNREACHABLE:
        return cluster->times[STATUS_UNREACHABLE];
    case STATUS_DELETING:
        return set->times[STATUS_DELETING];
    default:
        return cell->newest;
    }
}

void status_since_judge_cell(const struct status_cluster *cluster, struct status_cell *cell)
{
    timestamp *of_set = &cell->set->cell_times[cell->state];
    cell->since = cell_since(cluster, cell);
    *of_set = join(cell->state, *of_set, cell->since);
}

/* What a Cluster says of itself counts more than what its sets do there. */
void status_since_judge_cluster(struct status_cluster *cluster)
{
    const enum status_state state = cluster->state;
    if (state == STATUS_UNREACHABLE || state == STATUS_DELETING ||
        (state == STATUS_PAUSED && cluster->is_paused)) {
        cluster->since = cluster->times[state];
        return;
    }
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (cluster->cells[i].state == state)
            cluster->since = join(state, cluster->since, cluster->cells[i].since);
}

/* Applied is a set when everything is there and its condition says so. */
void status_since_judge_set(struct status_set *set)
{
    const timestamp own = set->times[set->state], of_cells = set->cell_times[set->state];
    if (set->state == STATUS_APPLIED)
        set->since = later(own, of_cells);
    else
        set->since = own ? own : of_cells;
}
