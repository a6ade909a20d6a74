#include "support/simulation/fronts.h"

#include <stdio.h>

#include "apiserver/apiserver.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "net/network.h"
#include "testing/sim_network.h"
#include "testing/test.h"

#define HISTORY 100

static void open_management(struct fronts *fronts, const struct fronts_options *options)
{
    front_open(&fronts->management, &(struct front_options){
                                        .shared = options->shared,
                                        .network = fronts->network,
                                        .trace = options->trace,
                                        .name = "",
                                        .host = STR("server.test"),
                                        .back = STR("back.test"),
                                        .cluster = STR("management"),
                                        .history = HISTORY,
                                        .definitions = options->kinds->definitions,
                                        .definition_count = options->kinds->definition_count,
                                        .webhooks = options->kinds->webhooks,
                                        .forbidden = "/events",
                                        .asked = options->management_asked,
                                        .data = options->data,
                                    });
}

static void open_workload(struct fronts *fronts, const struct fronts_options *options, size_t i)
{
    char(*hosts)[32] = fronts->hosts[i];
    snprintf(fronts->names[i], sizeof(fronts->names[i]), "c%zu: ", i);
    snprintf(hosts[0], sizeof(hosts[0]), "c%zu.test", i);
    snprintf(hosts[1], sizeof(hosts[1]), "c%zu-back.test", i);
    front_open(&fronts->workloads[i], &(struct front_options){
                                          .shared = options->shared,
                                          .network = fronts->network,
                                          .trace = options->trace,
                                          .name = fronts->names[i],
                                          .host = str_from_c(hosts[0]),
                                          .back = str_from_c(hosts[1]),
                                          .cluster = str_from_c(hosts[0]),
                                          .history = HISTORY,
                                          .is_open = true,
                                          .asked = options->workload_asked,
                                          .data = options->data,
                                      });
}

void fronts_open(struct fronts *fronts, const struct fronts_options *options)
{
    CHECK(options->count <= FRONTS_MAX);
    fronts->network = sim_network_new(loop_current());
    fronts->count = options->count;
    open_management(fronts, options);
    for (size_t i = 0; i < fronts->count; i++)
        open_workload(fronts, options, i);
}

void fronts_close(struct fronts *fronts)
{
    for (size_t i = 0; i < fronts->count; i++)
        front_close(&fronts->workloads[i]);
    front_close(&fronts->management);
    while (sim_network_connections(fronts->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(fronts->network);
}

void fronts_set_cut(struct fronts *fronts, bool is_cut)
{
    fronts->management.is_cut = is_cut;
    for (size_t i = 0; i < fronts->count; i++)
        fronts->workloads[i].is_cut = is_cut;
}

size_t fronts_requests(const struct fronts *fronts)
{
    size_t sum = fronts->management.requests;
    for (size_t i = 0; i < fronts->count; i++)
        sum += fronts->workloads[i].requests;
    return sum;
}
