#include "scenarios/clusterresourceset/second_process.h"

#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

static struct error *run_second(void *data)
{
    struct second_process *process = data;
    return controller_manager_run(process->controllers);
}

void second_process_start(struct second_process *process, struct crs_fixture *fixture,
                          const struct controller_manager_options *options)
{
    const struct controller_manager_options all = crs_fixture_options(fixture, options);
    CHECK_OK(controller_manager_new(loop_current(), &all, &process->controllers));
    scope_start(&process->running, "other controllers", run_second, process);
}

void second_process_done(struct second_process *process)
{
    scope_done(&process->running);
    controller_manager_free(process->controllers);
}
