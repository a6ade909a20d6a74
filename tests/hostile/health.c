#include "hostile/health.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "client/kubeconfig/kubeconfig.h"
#include "hostile/hostile_fixture.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "soak/crash/victim.h"

#define PAUSE          (20 * MILLISECOND)
#define NEW_CONN_EVERY 10
#define LOOK_EVERY     5000 /* microseconds */
#define PATH_MAX       256
#define MESSAGE_MAX    512

static const char path[] = "/api/v1/namespaces/default/configmaps/healthy";

/* Shared between the two processes. Texts are written before the flag that tells of them. */
struct shared {
    atomic_bool has_begun, has_failed;
    atomic_size_t exchanges, memory;
    atomic_int_fast64_t worst;
    size_t server_pid;
    char kubeconfig[PATH_MAX], message[MESSAGE_MAX];
};

struct health {
    struct shared *shared;
    pid_t pid;
};

/* The other process. */
struct patient {
    struct shared *shared;
    struct loop *loop;
    struct http_client *client;
    uint64_t writes;
};

static struct error *timed(struct patient *patient, const struct hostile_fixture_request *request)
{
    const int64_t began = loop_now(patient->loop);
    TRY(hostile_fixture_expect(patient->client, request, 200));
    const duration took = loop_now(patient->loop) - began;
    if (took > atomic_load(&patient->shared->worst))
        atomic_store(&patient->shared->worst, took);
    atomic_fetch_add(&patient->shared->exchanges, 1);
    return NULL;
}

static struct error *look(struct patient *patient)
{
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"data\":{\"n\":\"%" PRIu64 "\"}}", ++patient->writes);
    const struct hostile_fixture_request get = {.path = path};
    const struct hostile_fixture_request patch = {
        .method = "PATCH",
        .path = path,
        .type = "application/merge-patch+json",
        .body = buf_c(&body),
    };
    TRY(timed(patient, &get));
    TRY(timed(patient, &patch));
    const size_t memory = victim_memory_of((pid_t)patient->shared->server_pid);
    if (memory > atomic_load(&patient->shared->memory))
        atomic_store(&patient->shared->memory, memory);
    return NULL;
}

static void note(struct patient *patient, struct error *err)
{
    if (err && !atomic_load(&patient->shared->has_failed)) {
        snprintf(patient->shared->message, MESSAGE_MAX, "%s", err->message);
        atomic_store(&patient->shared->has_failed, true);
    }
    error_free(err);
}

static struct error *create(struct patient *patient)
{
    const struct hostile_fixture_request request = {
        .method = "POST",
        .path = "/api/v1/namespaces/default/configmaps",
        .type = "application/json",
        .body = "{\"metadata\":{\"name\":\"healthy\"}}",
    };
    return hostile_fixture_expect(patient->client, &request, 201);
}

static struct error *live(struct patient *patient)
{
    TRY(create(patient));
    for (size_t i = 1;; i++) {
        note(patient, look(patient));
        if (i % NEW_CONN_EVERY == 0)
            http_client_close_idle(patient->client);
        TRY(fiber_sleep(PAUSE));
    }
}

static struct error *run(void *data)
{
    struct patient *patient = data;
    SCOPED(rest_config) config = {0};
    const struct str file = str_from_c(patient->shared->kubeconfig);
    TRY(kubeconfig_load(&(struct kubeconfig_paths){.file = file}, NULL, &config));
    OWNED(network) network = tcp_network_new(patient->loop);
    OWNED(tls_context) tls = tls_context_new();
    OWNED(http_client)
    client = hostile_fixture_connect(patient->loop, network, tls, &config, config.tls.identity);
    patient->client = client;
    return live(patient);
}

static _Noreturn void be_healthy(struct shared *shared, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!atomic_load(&shared->has_begun) && getppid() == parent)
        usleep(LOOK_EVERY);
    struct patient patient = {.shared = shared, .loop = loop_new()};
    note(&patient, loop_run(patient.loop, run, &patient));
    _exit(1);
}

struct health *health_new(void)
{
    const pid_t parent = getpid();
    struct health *health = NEW(struct health);
    health->shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (health->shared == MAP_FAILED)
        mem_exhausted(sizeof(struct shared));
    health->pid = fork();
    if (health->pid == 0)
        be_healthy(health->shared, parent);
    return health;
}

void health_free(struct health *health)
{
    if (!health)
        return;
    kill(health->pid, SIGKILL);
    waitpid(health->pid, NULL, 0);
    munmap(health->shared, sizeof(struct shared));
    mem_free(health);
}

void health_begin(struct health *health, const char *kubeconfig, size_t server_pid)
{
    snprintf(health->shared->kubeconfig, PATH_MAX, "%s", kubeconfig);
    health->shared->server_pid = server_pid;
    atomic_store(&health->shared->has_begun, true);
}

void health_reset(struct health *health)
{
    atomic_store(&health->shared->exchanges, 0);
    atomic_store(&health->shared->worst, 0);
    atomic_store(&health->shared->has_failed, false);
    atomic_store(&health->shared->memory, victim_memory_of((pid_t)health->shared->server_pid));
}

void health_read(const struct health *health, struct health_report *ret_report)
{
    *ret_report = (struct health_report){
        .exchanges = atomic_load(&health->shared->exchanges),
        .worst = atomic_load(&health->shared->worst),
        .memory = atomic_load(&health->shared->memory),
        .failure = atomic_load(&health->shared->has_failed) ? health->shared->message : NULL,
    };
}
