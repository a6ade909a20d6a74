/*
 * A run from its seed to its hash: servers, management cluster and process are opened in this order
 * on a simulated loop, outages or rotation follow, and everything is closed again. Afterwards no
 * fiber, timer or connection may be left.
 */
#include "async/fiber.h"
#include "base/log.h"
#include "base/memory.h"
#include "net/network.h"
#include "net/pki.h"
#include "net/tls.h"
#include "soak/clusters/chaos.h"

#define LOG_LEVEL 4

duration chaos_span(struct random *dice, duration least, duration most)
{
    return least + (duration)random_below(dice, (uint64_t)(most - least));
}

/* The log is the only place that tells why a connect failed. */
static void count_line(void *data, struct str line)
{
    struct chaos_log *log = data;
    log->connected += str_contains(line, STR("\"Connected\""));
    log->moved += str_contains(line, STR("\"Connected with changed credentials\""));
    log->disconnected += str_contains(line, STR("\"Disconnected\""));
    if (str_contains(line, STR("\"Connect failed\"")))
        ++*(str_contains(line, STR("cluster is not reachable")) ? &log->unreachable
                                                                : &log->unfinished);
}

/* One certificate for all servers, to save the time of making a hundred. */
static void open_tls(struct chaos *chaos)
{
    const int64_t now = loop_wall(loop_current());
    struct str *names = mem_alloc_zero(chaos->options.clusters * sizeof(*names));
    SCOPED(arena) arena = {0};
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    SCOPED(buf) authority_key = {.secret = true};
    OWNED(pki_authority) authority = NULL;
    OWNED(tls_identity) identity = NULL;
    for (size_t i = 0; i < chaos->options.clusters; i++)
        names[i] = arena_print(&arena, "c%zu.test", i);
    CHECK_OK(pki_authority_new(STR("authority"), now - HOUR, now + 24 * HOUR, &authority));
    CHECK_OK(pki_authority_write(authority, &chaos->authority, &authority_key));
    const struct pki_request request = {.common_name = STR("servers"),
                                        .names = names,
                                        .name_count = chaos->options.clusters,
                                        .server = true,
                                        .not_before = now - HOUR,
                                        .not_after = now + 24 * HOUR};
    CHECK_OK(pki_issue(authority, &request, &certificate, &key));
    CHECK_OK(tls_identity_read(buf_str(&certificate), buf_str(&key), &identity));
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = identity, .http2 = true},
                            &chaos->tls_server));
    mem_free(names);
}

static void open_all(struct chaos *chaos)
{
    const size_t count = chaos->options.clusters;
    random_init(&chaos->dice, chaos->options.seed);
    chaos->network = sim_network_new(loop_current());
    chaos->tls = tls_context_new();
    if (chaos->options.rotates)
        open_tls(chaos);
    chaos->workload_clusters = mem_alloc_zero(count * sizeof(*chaos->workload_clusters));
    for (size_t i = 0; i < count; i++)
        workload_cluster_init(&chaos->workload_clusters[i], chaos, i);
    chaos_management_open(chaos);
    chaos_process_open(chaos);
}

/* The process goes first, as at the end of a real one; then there must be no connection left. */
static void close_all(struct chaos *chaos)
{
    chaos_process_close(chaos);
    chaos_management_close(chaos);
    for (size_t i = 0; i < chaos->options.clusters; i++)
        workload_cluster_done(&chaos->workload_clusters[i]);
    CHECK_OK(fiber_sleep(SECOND)); /* the last bytes arrive */
    CHECK_EQ(sim_network_connections(chaos->network), (size_t)0);
    mem_free(chaos->workload_clusters);
    tls_server_free(chaos->tls_server);
    tls_context_free(chaos->tls);
    network_free(chaos->network);
    buf_done(&chaos->authority);
}

static struct error *run_chaos(void *data)
{
    struct chaos *chaos = data;
    open_all(chaos);
    if (chaos->options.rotates)
        chaos_rotation(chaos);
    else
        chaos_outages(chaos);
    close_all(chaos);
    return NULL;
}

uint64_t chaos_run(const struct chaos_options *options)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct chaos chaos = {.options = *options};
    log_set_level(LOG_LEVEL);
    trace_begin(&chaos.trace, options->verbose);
    chaos.trace.on_log = count_line;
    chaos.trace.data = &chaos.log;
    CHECK_OK(loop_run(loop, run_chaos, &chaos));
    CHECK_EQ(loop_fiber_count(loop), (size_t)0);
    CHECK_EQ(loop_timer_count(loop), (size_t)0);
    loop_free(loop);
    trace_end(&chaos.trace);
    return chaos.trace.hash;
}
