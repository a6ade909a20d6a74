/*
 * The program: a server is killed with SIGKILL at random moments while clients write and watch, and
 * started again on what it left. After each restart
 *
 *   - nothing that was acknowledged is missing, and nothing that was shown is undone,
 *   - no resourceVersion repeats or goes back,
 *   - watchers that resume see every event once, or are told 410 and list,
 *   - the first start's kubeconfig is still good.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "client/kubeconfig/kubeconfig.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "soak/crash/crash_fixture.h"
#include "soak/crash/options.h"
#include "soak/crash/victim.h"
#include "soak/crash/watcher.h"
#include "soak/crash/writer.h"

#define WRITERS       6
#define WATCHERS      4
#define START_TIMEOUT (60 * SECOND)
#define AUDIT_TIMEOUT (30 * SECOND)
#define LOOK_EVERY    (2 * MILLISECOND)
/* Below the ports that are given to clients. */
#define PORT_FIRST 20000
#define PORT_COUNT 12000

/* Until a start, a load is cut off. */
#define BIRTH_MAX (120 * MILLISECOND)
#define LOAD_MAX  (250 * MILLISECOND)
#define ECHO_MAX  (20 * MILLISECOND)

enum { GOOD = 0, NOT_GOOD = 1, USAGE = 2 };

struct program {
    const struct options *options;
    struct loop *loop;
    char folder[64];
    struct victim *victim;
    struct network *network;
    struct tls_context *tls;
    struct rest_config config;
    struct crash_fixture fixture;
    struct writer writers[WRITERS];
    struct watcher watchers[WATCHERS];
    struct ledger_object *markers[LEDGER_RESOURCES];
    uint64_t rounds, stillborn;
};

static struct error *choose_port(struct random *random, uint16_t *ret_port)
{
    for (int i = 0; i < 100; i++) {
        const uint16_t port = (uint16_t)(PORT_FIRST + random_below(random, PORT_COUNT));
        const struct sockaddr_in address = {.sin_family = AF_INET,
                                            .sin_port = htons(port),
                                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const bool is_free =
            bind(fd, (const struct sockaddr *)&address, (socklen_t)sizeof(address)) == 0;
        close(fd);
        *ret_port = port;
        if (is_free)
            return NULL;
    }
    return error_new(ERROR_IO, "there is no free port");
}

static duration draw(struct program *program, duration most)
{
    return (duration)random_below(&program->fixture.random, (uint64_t)most);
}

static struct error *wait_ready(struct program *program)
{
    const struct client_raw_request request = {.path = STR("/readyz"), .no_retry = true};
    for (;;) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) body = {0};
        struct client_raw_answer answer;
        OWNED(error) err = client_raw(program->fixture.client, &request, &arena, &body, &answer);
        if (!err)
            return NULL;
        TRY(victim_check(program->victim));
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server to be ready: %s", err->message);
    }
}

/* A start that is cut off somewhere. */
static struct error *start_and_kill(struct program *program)
{
    TRY(victim_start(program->victim));
    TRY(fiber_sleep(draw(program, BIRTH_MAX)));
    TRY(victim_check(program->victim));
    victim_kill(program->victim);
    program->stillborn++;
    return NULL;
}

/* What a list of each resource shows. */
struct audit {
    struct arena arena;
    struct map objects[LEDGER_RESOURCES];   /* name -> object */
    struct map revisions[LEDGER_RESOURCES]; /* name -> revision */
};

static void audit_done(struct audit *audit)
{
    for (size_t i = 0; i < LEDGER_RESOURCES; i++) {
        map_done(&audit->objects[i]);
        map_done(&audit->revisions[i]);
    }
    arena_done(&audit->arena);
}

static struct error *audit_list(struct audit *audit, struct crash_fixture *fixture,
                                enum ledger_resource resource)
{
    struct object_list list;
    const struct client_list_options options = {.label_selector = STR("crash")};
    TRY(client_list_page(fixture->client, crash_fixture_gvr(resource), CRASH_FIXTURE_NAMESPACE,
                         &options, &audit->arena, &list));
    for (size_t i = 0; i < list.count; i++) {
        int64_t revision;
        TRY(ledger_revision(list.items[i], &revision));
        map_put(&audit->objects[resource], object_name(list.items[i]), list.items[i]);
        map_put(&audit->revisions[resource], object_name(list.items[i]),
                (void *)revision); /* NOLINT(performance-no-int-to-ptr): a number, no address */
    }
    return NULL;
}

static struct error *settle(struct program *program, const struct audit *audit)
{
    struct ledger *ledger = &program->fixture.ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        struct ledger_object *object = ledger->objects[i];
        TRY(ledger_settle(ledger, object,
                          map_find(&audit->objects[object->resource], object->name)));
    }
    for (size_t i = 0; i < WATCHERS; i++)
        TRY(watcher_check(&program->watchers[i], &audit->revisions[program->watchers[i].resource]));
    ledger_forget(ledger);
    return NULL;
}

/* Nothing but watchers runs. Suspends until they have seen all that happened, and compares. */
static struct error *check(struct program *program)
{
    struct crash_fixture *fixture = &program->fixture;
    SCOPED(audit) audit = {0};
    FIBER_TIMEOUT(AUDIT_TIMEOUT);
    for (size_t i = 0; i < LEDGER_RESOURCES; i++)
        TRY(writer_put(fixture, program->markers[i]));
    for (size_t i = 0; i < WATCHERS; i++) {
        struct watcher *watcher = &program->watchers[i];
        TRY(watcher_wait(watcher, program->markers[watcher->resource]->acknowledged.revision));
    }
    for (size_t i = 0; i < LEDGER_RESOURCES; i++)
        TRY(audit_list(&audit, fixture, (enum ledger_resource)i));
    return settle(program, &audit);
}

/* After the kill everybody ends by itself, or is told to. */
static struct error *gather(struct scope *scope)
{
    {
        FIBER_TIMEOUT(ECHO_MAX);
        struct error *err = scope_wait(scope);
        if (!error_is(err, ERROR_DEADLINE))
            return err;
        error_free(err);
    }
    scope_cancel(scope);
    return scope_wait(scope);
}

static struct error *live(struct program *program, struct scope *scope)
{
    for (size_t i = 0; i < WATCHERS; i++)
        scope_start(scope, "watcher", watcher_run, &program->watchers[i]);
    TRY(check(program));
    for (size_t i = 0; i < WRITERS; i++)
        scope_start(scope, "writer", writer_run, &program->writers[i]);
    TRY(fiber_sleep(draw(program, LOAD_MAX)));
    return victim_check(program->victim);
}

static struct error *start(struct program *program)
{
    FIBER_TIMEOUT(START_TIMEOUT);
    TRY(victim_start(program->victim));
    return wait_ready(program);
}

static struct error *play_round(struct program *program)
{
    SCOPED(scope) scope = {0};
    if (random_below(&program->fixture.random, 8) == 0)
        TRY(start_and_kill(program));
    TRY(start(program));
    program->fixture.is_killed = false;
    struct error *err = live(program, &scope);
    program->fixture.is_killed = true;
    victim_kill(program->victim);
    err = error_join(err, gather(&scope));
    program->rounds++;
    return error_wrap(err, "round %" PRIu64, program->rounds);
}

static struct error *prepare(struct program *program)
{
    struct crash_fixture *fixture = &program->fixture;
    TRY(crash_fixture_prepare(fixture));
    for (size_t i = 0; i < LEDGER_RESOURCES; i++) {
        const enum ledger_resource resource = (enum ledger_resource)i;
        const struct ledger_object shared = {
            .resource = resource, .name = STR("shared"), .field = STR("all")};
        OWNED(object) object = NULL;
        TRY(crash_fixture_make(&shared, 0, 0, &object));
        TRY(client_create(fixture->client, crash_fixture_gvr(resource), object, NULL, NULL));
        program->markers[i] =
            ledger_add(&fixture->ledger, resource, STR("marker"), STR("value"), false);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        writer_init(&program->writers[i], fixture, i);
        program->writers[i].share->acknowledged.exists = true;
    }
    for (size_t i = 0; i < WATCHERS; i++)
        program->watchers[i] = (struct watcher){
            .fixture = fixture,
            .resource = i % 2 ? LEDGER_WIDGETS : LEDGER_CONFIG_MAPS,
            .is_selective = i / 2 % 2,
        };
    return NULL;
}

/* The first start, which others preceded that did not get far. Its kubeconfig is used for good. */
static struct error *begin(struct program *program)
{
    FIBER_TIMEOUT(START_TIMEOUT);
    for (uint64_t i = 0; i < 1 + program->options->rounds / 20; i++)
        TRY(start_and_kill(program));
    TRY(victim_start(program->victim));
    TRY(victim_wait_kubeconfig(program->victim));
    TRY(kubeconfig_load(&(struct kubeconfig_paths){.file = victim_kubeconfig(program->victim)},
                        NULL, &program->config));
    const struct client_options options = {
        .config = &program->config,
        .network = program->network,
        .tls = program->tls,
        .qps = 1e6,
        .burst = 1e6,
        .connections = WRITERS + WATCHERS + 2,
    };
    program->fixture.client = client_new(program->loop, &options);
    TRY(wait_ready(program));
    TRY(prepare(program));
    victim_kill(program->victim);
    return NULL;
}

static void report(const struct program *program, duration took)
{
    size_t resumed = 0, expired = 0, events = 0;
    for (size_t i = 0; i < WATCHERS; i++) {
        resumed += program->watchers[i].resumed;
        expired += program->watchers[i].expired;
        events += program->watchers[i].events;
    }
    printf("crash: seed %" PRIu64 ": %" PRIu64 " kills under load, %" PRIu64
           " while starting; %" PRIu64 " writes acknowledged, all there, %" PRIu64
           " unanswered and not done; %zu events, %zu streams, %zu told 410; revision %" PRId64
           "; %" PRId64 " ms a round\n",
           program->options->seed, program->rounds, program->stillborn,
           program->fixture.ledger.writes, program->fixture.ledger.lost, events, resumed, expired,
           program->fixture.ledger.newest,
           (int64_t)(took / MILLISECOND / (int64_t)(program->rounds ? program->rounds : 1)));
}

static struct error *play(struct program *program)
{
    TRY(begin(program));
    const int64_t began = loop_now(program->loop);
    for (uint64_t i = 0; i < program->options->rounds; i++)
        TRY(play_round(program));
    /* The last crash is looked at as well, and then the server may end as it likes. */
    SCOPED(scope) scope = {0};
    TRY(start(program));
    program->fixture.is_killed = false;
    for (size_t i = 0; i < WATCHERS; i++)
        scope_start(&scope, "watcher", watcher_run, &program->watchers[i]);
    struct error *err = check(program);
    program->fixture.is_killed = true;
    scope_cancel(&scope);
    TRY(error_join(err, scope_wait(&scope)));
    report(program, loop_now(program->loop) - began);
    return victim_stop(program->victim);
}

static struct error *run(void *data)
{
    struct program *program = data;
    uint16_t port;
    TRY(choose_port(&program->fixture.random, &port));
    victim_set_port(program->victim, port);
    program->network = tcp_network_new(program->loop);
    program->tls = tls_context_new();
    struct error *err = play(program);
    client_free(program->fixture.client);
    {
        /* Connections that were closed are gone at the loop's next turn. */
        FIBER_SHIELD(SECOND);
        error_free(fiber_yield());
    }
    tls_context_free(program->tls);
    network_free(program->network);
    return err;
}

static void program_done(struct program *program)
{
    victim_free(program->victim);
    for (size_t i = 0; i < WATCHERS; i++)
        watcher_done(&program->watchers[i]);
    ledger_done(&program->fixture.ledger);
    rest_config_done(&program->config);
}

/* A temporary folder goes when all went well, and stays to be looked at when not. */
static void remove_folder(const struct program *program)
{
    SCOPED(buf) command = {0};
    buf_print(&command, "rm -rf -- '%s'", program->folder);
    if (!program->options->folder && system(buf_c(&command)) != 0) /* NOLINT: our own path */
        fprintf(stderr, "crash: cannot remove %s\n", program->folder);
}

static int play_on(const struct options *options)
{
    OWNED(loop) loop = loop_new();
    SCOPED(program) program = {.options = options, .loop = loop};
    snprintf(program.folder, sizeof(program.folder), "/tmp/corset-crash-XXXXXX");
    if (!options->folder && !mkdtemp(program.folder)) {
        perror("crash: make a folder");
        return NOT_GOOD;
    }
    random_init(&program.fixture.random, options->seed);
    program.victim = victim_new(&(struct victim_options){
        .program = options->server,
        .folder = options->folder ? options->folder : program.folder,
    });
    struct error *err = loop_run(loop, run, &program);
    if (!err) {
        remove_folder(&program);
        return GOOD;
    }
    fprintf(stderr, "crash: seed %" PRIu64 ", data in %s: %s\n", options->seed,
            options->folder ? options->folder : program.folder, err->message);
    error_free(err);
    return NOT_GOOD;
}

int main(int argc, char **argv)
{
    struct options options;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!options_read(argc, argv, &options)) {
        fprintf(stderr, "Try 'crash --help'.\n");
        return USAGE;
    }
    if (options.help) {
        fputs(options_help, stdout);
        return GOOD;
    }
    return play_on(&options);
}
