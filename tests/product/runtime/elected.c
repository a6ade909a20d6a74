/*
 * A small controller for tests of leader election between processes.
 *
 *     elected run KUBECONFIG NAME    counts in the ConfigMap default/counter while it leads
 *     elected read KUBECONFIG NAME   prints how far that one has counted
 *
 * SIGUSR1 stops it at the worst moment that leaves a choice: in the middle of a write, after its
 * last question but one whether it leads. After the last question nothing could hold the bytes
 * back.
 *
 * Prints "leading" and the port of its metrics once it leads. Ends with 1 when it lost the lease.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "controller/controller.h"
#include "controller/leader.h"
#include "controller/manager.h"
#include "json/json.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define COUNTER KEY("default", "counter")

struct program {
    const char *verb, *kubeconfig, *name;
    struct client *guarded;
    struct manager *manager;
    int64_t count;
    bool has_told;
    struct leader *leader;
    size_t questions, last_questions; /* whether it leads, of this write and of the one before */
};

static volatile sig_atomic_t must_stop;

static void note_stop(int number)
{
    (void)number;
    must_stop = 1;
}

static bool may_write(void *data)
{
    struct program *program = data;
    const bool leads = leader_may_write(program->leader);
    if (++program->questions + 1 == program->last_questions && must_stop) {
        must_stop = 0;
        raise(SIGSTOP);
    }
    return leads;
}

static struct error *count_one(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct program *program = data;
    SCOPED(buf) body = {0};
    (void)key;
    if (!program->has_told)
        printf("leading %u\n", manager_diagnostics_port(program->manager));
    fflush(stdout);
    program->has_told = true;
    program->last_questions = program->questions;
    program->questions = 0;
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"counter\","
              "\"namespace\":\"default\"},\"data\":{\"%s\":\"%lld\"}}",
              program->name, (long long)program->count + 1);
    TRY(client_patch(program->guarded, GVR_CONFIG_MAPS, COUNTER, CLIENT_PATCH_APPLY, buf_str(&body),
                     &(struct client_write_options){.field_manager = str_from_c(program->name)},
                     NULL));
    program->count++;
    ret_result->requeue_after = 5 * MILLISECOND;
    return NULL;
}

static struct error *elect(struct program *program, struct client_options options)
{
    struct loop *loop = loop_current();
    OWNED(metrics) metrics = metrics_new();
    options.metrics = metrics;
    OWNED(client) client = client_new(loop, &options);
    struct leader *leader;
    TRY(leader_new(loop,
                   &(struct leader_options){.client = client,
                                            .lease = KEY("default", "elected"),
                                            .identity = str_from_c(program->name),
                                            .lease_duration = 3 * SECOND,
                                            .renew_deadline = 2 * SECOND,
                                            .retry_period = 200 * MILLISECOND,
                                            .metrics = metrics},
                   &leader));
    OWNED(network) prompt = tcp_network_new(loop);
    tcp_network_limit_delivery(prompt, SECOND);
    struct client_options writing = options;
    writing.network = prompt;
    program->leader = leader;
    writing.may_write = may_write;
    writing.may_write_data = program;
    OWNED(client) guarded = client_new(loop, &writing);
    OWNED(manager)
    manager = manager_new(loop, &(struct manager_options){.client = client,
                                                          .metrics = metrics,
                                                          .network = options.network,
                                                          .diagnostics_host = STR("127.0.0.1"),
                                                          .insecure_diagnostics = true,
                                                          .leader = leader});
    struct controller *controller = controller_new(
        loop,
        &(struct controller_options){
            .name = STR("counter"), .reconcile = count_one, .data = program, .metrics = metrics});
    queue_add(controller_queue(controller), COUNTER, QUEUE_NORMAL);
    manager_add_controller(manager, controller);
    program->guarded = guarded;
    program->manager = manager;
    return manager_run(manager);
}

static struct error *read_count(struct program *program, const struct client_options *options)
{
    OWNED(client) client = client_new(loop_current(), options);
    OWNED(object) counter = NULL;
    TRY(client_get(client, GVR_CONFIG_MAPS, COUNTER, NULL, &counter));
    const struct str count =
        json_to_str(json_get(object_path(counter, "data"), str_from_c(program->name)));
    printf("%.*s\n", STR_ARG(count));
    return NULL;
}

static struct error *run(void *data)
{
    struct program *program = data;
    SCOPED(rest_config) config = {0};
    TRY(kubeconfig_load(&(struct kubeconfig_paths){.file = str_from_c(program->kubeconfig)}, NULL,
                        &config));
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(tls_context) tls = tls_context_new();
    const struct client_options options = {
        .config = &config, .network = network, .tls = tls, .qps = -1};
    return strcmp(program->verb, "read") == 0 ? read_count(program, &options)
                                              : elect(program, options);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: elected run|read KUBECONFIG NAME\n");
        return 2;
    }
    signal(SIGUSR1, note_stop);
    struct program program = {.verb = argv[1], .kubeconfig = argv[2], .name = argv[3]};
    OWNED(loop) loop = loop_new();
    OWNED(error) err = loop_run(loop, run, &program);
    if (err)
        fprintf(stderr, "elected: %s\n", err->message);
    return err ? 1 : 0;
}
