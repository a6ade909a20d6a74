/* What the rules of docs/what-corset-deletes.md say of one round. Pure. */
#include "soak/prune/prune.h"

static const unsigned asked_by[TRIGGERS] = {
    [REMOVED] = WHEN_REMOVED,
    [UNSELECTED] = WHEN_UNSELECTED,
    [DELETED] = WHEN_DELETED,
};

static bool are_all_paused(const struct round *round)
{
    for (size_t i = 0; i < CLUSTERS; i++)
        if (!round->fates[i].is_paused)
            return false;
    return true;
}

/* Clusters that lose the set at once and, of them, those whose record says so. */
static size_t count_losers(const struct round *round, bool is_recorded)
{
    size_t count = 0;
    for (size_t i = 0; i < CLUSTERS; i++) {
        const struct fate *fate = &round->fates[i];
        const bool loses = round->trigger == DELETED || fate->loses_label;
        count += loses && !(is_recorded && fate->loses_record);
    }
    return count;
}

/* Whether so many clusters are more than the policy allows. */
static bool are_too_many(const struct prune_run *run, size_t losers)
{
    const struct round *round = &run->round;
    return round->trigger != REMOVED && round->is_limited && !run->is_released && losers > 1;
}

/* Whether the object is one that the set no longer wants there. */
static bool is_unwanted(const struct round *round, size_t cluster, size_t object)
{
    if (round->trigger == REMOVED)
        return object == 1 || (object == 2 && round->drops_c);
    return round->trigger == DELETED || round->fates[cluster].loses_label;
}

/* Whether nothing at all is deleted in this round. */
static bool is_forbidden(const struct prune_run *run)
{
    const struct round *round = &run->round;
    return !(run->when & asked_by[round->trigger]) ||
           are_too_many(run, count_losers(round, true)) ||
           (round->trigger == REMOVED && round->breakage != WHOLE) ||
           (round->trigger == DELETED && (round->is_moved || are_all_paused(round)));
}

bool model_allows(const struct prune_run *run, size_t cluster, size_t object)
{
    const struct fate *fate = &run->round.fates[cluster];
    return run->is_going && !is_forbidden(run) && !fate->is_paused && !fate->is_unasked &&
           is_unwanted(&run->round, cluster, object);
}

/*
 * A record that is lost with the trigger may be made anew just in time, or not: then nothing is
 * known of the cluster, and what is there stays. It counts among the clusters that lose the set, or
 * does not.
 */
bool model_demands(const struct prune_run *run, size_t cluster, size_t object)
{
    return model_allows(run, cluster, object) && !run->round.fates[cluster].loses_record &&
           !are_too_many(run, count_losers(&run->round, false));
}
