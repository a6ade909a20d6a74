/*
 * The program: attacks on a server, each with a healthy client beside it. What an attack may not do
 * is get an answer it should not have, keep the healthy client waiting, or make the server grow.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/sanitizer.h"
#include "hostile/attacks.h"
#include "hostile/health.h"

/* Sanitizers keep freed memory for a while, and everything is slower under them. */
#define WAIT_MAX   (SANITIZE_ADDRESS ? 5 * SECOND : SECOND)
#define GROWTH_MAX ((SANITIZE_ADDRESS ? 1000 : 200) * MEGABYTE)

/* Before and behind each attack. */
#define BREATH    (100 * MILLISECOND)
#define START_MAX (20 * SECOND)

enum { GOOD = 0, NOT_GOOD = 1, USAGE = 2 };

static const struct attack {
    const char *name;
    attack_fn *run;
} attacks[] = {
    {"nobody",                attack_as_nobody                    },
    {"forged-credentials",    attack_with_forged_credentials      },
    {"secrets-by-every-path", attack_secrets_by_every_path        },
    {"impersonation",         attack_by_impersonation             },
    {"creation-by-change",    attack_by_changing_what_is_not_there},
    {"other-clusters",        attack_other_clusters               },
    {"path-tricks",           attack_by_path_tricks               },
    {"large-heads",           attack_by_large_heads               },
    {"large-bodies",          attack_by_large_bodies              },
    {"deep-bodies",           attack_by_deep_bodies               },
    {"yaml-bombs",            attack_by_yaml_bombs                },
    {"slow-bodies",           attack_by_many_slow_bodies          },
    {"silent-connections",    attack_by_silent_connections        },
    {"idle-connections",      attack_by_idle_connections          },
    {"many-connections",      attack_by_many_connections          },
    {"half-handshakes",       attack_by_half_handshakes           },
    {"slow-heads",            attack_by_slow_heads                },
    {"floods",                attack_by_floods                    },
    {"closed-windows",        attack_by_closed_windows            },
    {"many-watches",          attack_by_many_watches              },
    {"deaf-watcher",          attack_by_a_watcher_that_never_reads},
    {"large-patches",         attack_by_large_patches             },
    {"large-applies",         attack_by_large_applies             },
    {"large-definitions",     attack_by_large_definitions         },
    {"costly-lists",          attack_by_costly_lists              },
};

struct program {
    const char *server, *only;
    size_t limit; /* of the server's memory, in bytes; 0: none */
    bool is_small, help;
    struct loop *loop;
    char folder[64];
    struct health *health;
    size_t failures;
    double longest, longest_cpu; /* turns of the server's loop, in seconds */
};

static const char help[] = "Attacks an API server and checks that it stands.\n"
                           "\n"
                           "Usage: hostile --server PROGRAM [OPTIONS]\n"
                           "\n"
                           "  --server PROGRAM  the program: PROGRAM apiserver --data-dir FOLDER\n"
                           "  --limit BYTES     of memory that the server may have in use\n"
                           "  --only NAME       this attack alone\n"
                           "  --small           fewer connections and bytes, for slow builds\n"
                           "  --list            the attacks' names\n"
                           "\n"
                           "Exit codes: 0 it stands, 1 not so, 2 wrong usage.\n";

/* What has to hold after each attack, whatever it was. */
static struct error *check_bounds(const struct health_report *report, size_t before, size_t limit)
{
    if (report->failure)
        return error_new(ERROR_INVALID, "the healthy client: %s", report->failure);
    if (report->exchanges == 0)
        return error_new(ERROR_INVALID, "the healthy client was never answered");
    if (report->worst > WAIT_MAX)
        return error_new(ERROR_INVALID, "the healthy client waited for %" PRId64 " ms",
                         report->worst / MILLISECOND);
    if (limit && report->memory > limit)
        return error_new(ERROR_INVALID, "the server had %zu MiB", report->memory / MEGABYTE);
    const size_t growth = report->memory > before ? report->memory - before : 0;
    if (growth > GROWTH_MAX)
        return error_new(ERROR_INVALID, "the server grew by %zu MiB", growth / MEGABYTE);
    return NULL;
}

/* Suspends. The attack, and time for the healthy client to look before and behind it. */
static struct error *attack_alone(struct hostile_fixture *fixture, const struct attack *attack)
{
    TRY(fiber_sleep(BREATH));
    TRY(attack->run(fixture));
    TRY(fiber_sleep(BREATH));
    return victim_check(fixture->victim);
}

static double metric_read(struct str text, const char *name)
{
    const size_t at = str_find(text, str_from_c(name));
    return at == STR_NONE ? 0 : strtod(text.ptr + at + strlen(name), NULL);
}

/* How many turns of the server's loop have taken more than 50 ms; the longest ones are noted. */
static struct error *read_turns(struct program *program, struct hostile_fixture *fixture,
                                size_t *ret_long)
{
    SCOPED(hostile_fixture_answer) answer = {0};
    const struct hostile_fixture_request request = {.path = "/metrics"};
    TRY(hostile_fixture_send(fixture->admin, &request, &answer));
    buf_c(&answer.body); /* ends with a zero byte, for strtod() */
    const struct str text = buf_str(&answer.body);
    *ret_long = (size_t)(metric_read(text, "corset_loop_turn_seconds_count ") -
                         metric_read(text, "corset_loop_turn_seconds_bucket{le=\"0.05\"} "));
    program->longest = metric_read(text, "\ncorset_loop_longest_turn_seconds ");
    program->longest_cpu = metric_read(text, "\ncorset_loop_longest_turn_cpu_seconds ");
    return NULL;
}

static void play(struct program *program, struct hostile_fixture *fixture,
                 const struct attack *attack)
{
    struct health_report report;
    health_reset(program->health);
    health_read(program->health, &report);
    const size_t before = report.memory;
    size_t long_before = 0, long_after = 0;
    OWNED(error) unread = read_turns(program, fixture, &long_before);
    const int64_t began = loop_now(program->loop);
    OWNED(error) err = attack_alone(fixture, attack);
    health_read(program->health, &report);
    err = error_join(TAKE(err), check_bounds(&report, before, program->limit));
    err = error_join(TAKE(err), victim_check(fixture->victim));
    err = error_join(TAKE(err), TAKE(unread));
    err = error_join(TAKE(err), read_turns(program, fixture, &long_after));
    printf("%-22s %-4s %6" PRId64 " ms; healthy client: %4zu exchanges, worst %4" PRId64
           " ms; memory: %4zu MiB before, %4zu at most, %4zu after; turns above 50 ms: %zu\n",
           attack->name, err ? "FAIL" : "ok", (loop_now(program->loop) - began) / MILLISECOND,
           report.exchanges, report.worst / MILLISECOND, before / MEGABYTE,
           report.memory / MEGABYTE, victim_memory_of(victim_pid(fixture->victim)) / MEGABYTE,
           long_after - long_before);
    if (err)
        printf("    %s\n", err->message);
    program->failures += err != NULL;
}

static struct error *wait_healthy(struct program *program)
{
    struct health_report report = {0};
    FIBER_TIMEOUT(START_MAX);
    while (report.exchanges == 0) {
        TRY(fiber_sleep(BREATH), "wait for the healthy client");
        health_read(program->health, &report);
        if (report.failure)
            return error_new(ERROR_INVALID, "the healthy client: %s", report.failure);
    }
    return NULL;
}

static struct error *run(void *data)
{
    struct program *program = data;
    SCOPED(hostile_fixture) fixture;
    const struct hostile_fixture_options options = {
        .loop = program->loop,
        .program = program->server,
        .folder = program->folder,
        .is_small = program->is_small,
    };
    TRY(hostile_fixture_init(&fixture, &options));
    health_begin(program->health, victim_kubeconfig(fixture.victim).ptr,
                 (size_t)victim_pid(fixture.victim));
    TRY(wait_healthy(program));
    for (size_t i = 0; i < COUNT(attacks); i++)
        if (!program->only || str_eq(str_from_c(program->only), str_from_c(attacks[i].name)))
            play(program, &fixture, &attacks[i]);
    printf("longest turn of the server's loop: %.0f ms, %.0f ms of CPU time\n",
           program->longest * 1000, program->longest_cpu * 1000);
    http_client_close_idle(fixture.admin);
    return victim_stop(fixture.victim);
}

static int play_all(struct program *program)
{
    SCOPED(buf) command = {0};
    snprintf(program->folder, sizeof(program->folder), "/tmp/corset-hostile-XXXXXX");
    if (!mkdtemp(program->folder)) {
        perror("hostile: make a folder");
        return NOT_GOOD;
    }
    OWNED(health) health = health_new();
    program->health = health;
    OWNED(loop) loop = loop_new();
    program->loop = loop;
    OWNED(error) err = loop_run(loop, run, program);
    if (err)
        fprintf(stderr, "hostile: %s\n", err->message);
    buf_print(&command, "rm -rf -- '%s'", program->folder);
    if (system(buf_c(&command)) != 0) /* NOLINT: our own path */
        fprintf(stderr, "hostile: cannot remove %s\n", program->folder);
    return err || program->failures ? NOT_GOOD : GOOD;
}

static int list(void)
{
    for (size_t i = 0; i < COUNT(attacks); i++)
        puts(attacks[i].name);
    return GOOD;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"server", required_argument, NULL, 's'},
        {"limit",  required_argument, NULL, 'L'},
        {"only",   required_argument, NULL, 'o'},
        {"small",  no_argument,       NULL, 'm'},
        {"list",   no_argument,       NULL, 'l'},
        {"help",   no_argument,       NULL, 'h'},
        {NULL,     0,                 NULL, 0  },
    };
    struct program program = {0};
    int option;
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread yet */
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'l')
            return list();
        if (option == '?')
            return USAGE;
        program.server = option == 's' ? optarg : program.server;
        program.limit = option == 'L' ? (size_t)strtoull(optarg, NULL, 10) : program.limit;
        program.only = option == 'o' ? optarg : program.only;
        program.is_small |= option == 'm';
        program.help |= option == 'h';
    }
    if (program.help) {
        fputs(help, stdout);
        return GOOD;
    }
    if (!program.server || optind != argc) {
        fprintf(stderr, "Try 'hostile --help'.\n");
        return USAGE;
    }
    return play_all(&program);
}
