/* The program: replays a recording against a server. */
#include <stdio.h>

#include "async/loop.h"
#include "base/random.h"
#include "peers/conformance/options.h"
#include "peers/conformance/peer.h"
#include "peers/conformance/session.h"
#include "peers/conformance/text_file.h"

/* That of the server that was recorded. */
#define COMPACTION_INTERVAL "5s"

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

static struct error *program_prepare(struct program *program)
{
    const struct options *options = program->options;
    SCOPED(buf) recording = {.limit = TEXT_FILE_MAX}, expect = {.limit = TEXT_FILE_MAX};
    struct random random;
    char run[EXCHANGE_RUN_LEN + 1];
    random_init_secure(&random);
    TRY(text_file_read(options->file, &recording));
    TRY(exchange_list_read(&program->list, buf_str(&recording), exchange_run_id(&random, run)),
        "%s", options->file);
    TRY(choices_make(&program->list.arena, &program->list, &options->choose, &program->choices));
    if (options->expect)
        TRY(text_file_read(options->expect, &expect));
    report_expect(&program->report, buf_str(&expect));
    return NULL;
}

static struct error *run(void *data)
{
    struct program *program = data;
    const struct options *options = program->options;
    SCOPED(peer) peer;
    peer_init(&peer, program->loop);
    if (options->server)
        TRY(peer_start(&peer, options->server,
                       options->choose.with_compaction ? COMPACTION_INTERVAL : NULL));
    else
        TRY(peer_open(&peer, options->kubeconfig));
    const struct replay_options replay = {
        .caller = peer_caller(&peer),
        .list = &program->list,
        .compare = options->compare,
    };
    TRY(session_run(program->loop, &replay, &program->choices, &program->report));
    program->good = report_finish(&program->report);
    return peer.launch ? launch_stop(peer.launch) : NULL;
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
