/* The program: replays a recording against a server. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/random.h"
#include "client/kubeconfig/kubeconfig.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "peers/conformance/launch.h"
#include "peers/conformance/options.h"
#include "peers/conformance/session.h"

#define FILE_MAX      (64 * MEGABYTE)
#define READ_SIZE     (64 * KILOBYTE)
#define START_TIMEOUT (60 * SECOND)
#define LOOK_EVERY    (50 * MILLISECOND)

enum { GOOD = 0, NOT_GOOD = 1, USAGE = 2, FAILED = 3 };

struct program {
    const struct options *options;
    struct loop *loop;
    struct exchange_list list;
    struct choices choices;
    struct report report;
    bool good;
};

static void program_done(struct program *program)
{
    report_done(&program->report);
    exchange_list_done(&program->list);
}

static struct error *read_descriptor(int fd, struct buf *out)
{
    for (;;) {
        char *room = buf_reserve(out, READ_SIZE);
        if (!room)
            return error_new(ERROR_TOO_LARGE, "larger than %zu bytes", FILE_MAX);
        const ssize_t len = read(fd, room, READ_SIZE);
        if (len < 0)
            return error_from_errno(errno, "read");
        if (len == 0)
            return NULL;
        buf_grow(out, (size_t)len);
    }
}

static struct error *read_file(const char *path, struct buf *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_from_errno(errno, "open %s", path);
    struct error *err = read_descriptor(fd, out);
    close(fd);
    return error_wrap(err, "%s", path);
}

static struct error *program_prepare(struct program *program)
{
    const struct options *options = program->options;
    SCOPED(buf) recording = {.limit = FILE_MAX}, expect = {.limit = FILE_MAX};
    struct random random;
    char run[EXCHANGE_RUN_LEN + 1];
    random_init_secure(&random);
    TRY(read_file(options->file, &recording));
    TRY(exchange_list_read(&program->list, buf_str(&recording), exchange_run_id(&random, run)),
        "%s", options->file);
    TRY(choices_make(&program->list.arena, &program->list, &options->choose, &program->choices));
    if (options->expect)
        TRY(read_file(options->expect, &expect));
    report_expect(&program->report, buf_str(&expect));
    return NULL;
}

/* Suspends until the server says that it is ready. */
static struct error *wait_ready(struct loop *loop, const struct caller_options *options,
                                struct launch *launch)
{
    OWNED(caller) caller = caller_new(loop, options);
    for (;;) {
        OWNED(http_response) response = NULL;
        SCOPED(request)
        request = {.as = STR("admin"), .method = STR("GET"), .path = STR("/readyz")};
        OWNED(error) err = caller_send(caller, &request, &response);
        if (!err && http_response_status(response) == 200)
            return NULL;
        TRY(launch_check(launch));
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server to be ready: %s",
            err ? err->message : "it says no");
    }
}

struct surroundings {
    struct network *network;
    struct tls_context *tls;
    struct rest_config config;
};

static void surroundings_init(struct surroundings *surroundings, struct loop *loop)
{
    *surroundings = (struct surroundings){
        .network = tcp_network_new(loop),
        .tls = tls_context_new(),
    };
}

static void surroundings_done(struct surroundings *surroundings)
{
    /* Connections that were closed are gone at the loop's next turn. */
    FIBER_SHIELD(SECOND);
    error_free(fiber_yield());
    rest_config_done(&surroundings->config);
    tls_context_free(surroundings->tls);
    network_free(surroundings->network);
}

static struct error *start_server(struct program *program, const struct caller_options *caller,
                                  struct rest_config *ret_config, struct launch **ret_launch)
{
    FIBER_TIMEOUT(START_TIMEOUT);
    OWNED(launch) launch = NULL;
    TRY(launch_start(program->options->server, &launch));
    TRY(kubeconfig_load(&(struct kubeconfig_paths){.file = launch_kubeconfig(launch)}, NULL,
                        ret_config));
    TRY(wait_ready(program->loop, caller, launch));
    *ret_launch = TAKE(launch);
    return NULL;
}

static struct error *load_kubeconfig(struct str file, struct rest_config *ret_config)
{
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    if (file.len)
        paths = (struct kubeconfig_paths){.file = file};
    return kubeconfig_load(&paths, NULL, ret_config);
}

static struct error *run(void *data)
{
    struct program *program = data;
    const struct options *options = program->options;
    SCOPED(surroundings) surroundings;
    OWNED(launch) launch = NULL;
    surroundings_init(&surroundings, program->loop);
    const struct replay_options replay = {
        .caller = {&surroundings.config, surroundings.network, surroundings.tls},
        .list = &program->list,
        .compare = options->compare,
    };
    if (options->server)
        TRY(start_server(program, &replay.caller, &surroundings.config, &launch));
    else
        TRY(load_kubeconfig(options->kubeconfig, &surroundings.config));
    TRY(session_run(program->loop, &replay, &program->choices, &program->report));
    program->good = report_finish(&program->report);
    return launch ? launch_stop(launch) : NULL;
}

static int list_exchanges(const struct choices *choices)
{
    for (size_t i = 0; i < choices->count; i++) {
        const struct exchange *exchange = choices->items[i].exchange;
        printf("%-28.*s %.*s\n", STR_ARG(exchange->id), STR_ARG(exchange->description));
    }
    return GOOD;
}

static int fail(struct error *err)
{
    fprintf(stderr, "conformance: %s\n", err->message);
    error_free(err);
    return FAILED;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!options_read(argc, argv, &options)) {
        fprintf(stderr, "Try 'conformance --help'.\n");
        return USAGE;
    }
    if (options.help) {
        fputs(options_help, stdout);
        return GOOD;
    }
    SCOPED(program)
    program = {
        .options = &options,
        .report = {.out = stdout, .verbose = options.verbose, .quiet = options.quiet},
    };
    struct error *err = program_prepare(&program);
    if (err)
        return fail(err);
    if (options.list)
        return list_exchanges(&program.choices);
    OWNED(loop) loop = loop_new();
    program.loop = loop;
    err = loop_run(loop, run, &program);
    if (err)
        return fail(err);
    return program.good ? GOOD : NOT_GOOD;
}
