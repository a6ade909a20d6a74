/* The controller's process, as the program starts it. */
#include "app/controller_manager.h"
#include "async/loop.h"
#include "soak/sets/sets.h"

#define WORKERS     4
#define SYNC_OFTEN  (4 * MINUTE)
#define SYNC_SELDOM (10 * HOUR)

static void set_cut(struct sets *sets, bool is_cut)
{
    sets->management.is_cut = is_cut;
    for (size_t i = 0; i < CLUSTERS; i++)
        sets->workloads[i].is_cut = is_cut;
}

/* A process that is torn down says nothing more; one that is told to stop may end what it began. */
void program_killed(void *data)
{
    struct sets *sets = data;
    set_cut(sets, sets->profile.cuts_when_killed && draw_chance(&sets->life.dice, 0.5));
}

struct error *program_run(void *data)
{
    struct sets *sets = data;
    OWNED(controller_manager) controllers = NULL;
    const struct controller_manager_options options = {
        .config = &sets->management.config,
        .network = sets->network,
        .user_agent = STR("corset"),
        .concurrency = WORKERS, /* a fiber each costs more than what it does here */
        .apply_concurrency = WORKERS + WORKERS,
        .cluster_concurrency = WORKERS,
        .sync_period = sets->profile.resyncs ? SYNC_OFTEN : SYNC_SELDOM,
        .timing = {.probe = sets->profile.probe, .retry = sets->profile.retry},
        .reconcile_with = sets->profile.merges ? CRS_MERGE_PATCH : CRS_SERVER_SIDE_APPLY,
        .drift_check = sets->profile.drift_check,
    };
    OWNED(error) err = controller_manager_new(loop_current(), &options, &controllers);
    if (!err)
        err = controller_manager_run(controllers);
    life_is_over(&sets->life, err);
    controller_manager_free(TAKE(controllers));
    set_cut(sets, false);
    return NULL;
}
