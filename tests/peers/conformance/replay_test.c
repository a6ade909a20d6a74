#include "peers/conformance/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "net/network.h"
#include "net/tcp.h"
#include "peers/conformance/recording.h"
#include "peers/conformance/session.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

/* A replay against the recording itself, and what it printed. */
struct replay_fixture {
    bool real; /* sockets */
    struct choice_options choose;
    const char *expect; /* known failures */
    enum recording_fault fault;
    const char *faulty; /* id of the exchange that is answered wrongly */
    char *printed;
    size_t printed_len;
    bool good;
    struct report_sum sum;
    size_t answered, chosen;
};

static void replay_fixture_done(struct replay_fixture *fixture)
{
    free(fixture->printed); /* of open_memstream() */
}

static void replay_fixture_replay(struct replay_fixture *fixture, struct recording *recording,
                                  const struct exchange_list *list, const struct choices *choices)
{
    SCOPED(report)
    report = {.out = open_memstream(&fixture->printed, &fixture->printed_len), .quiet = true};
    report_expect(&report, str_from_c(fixture->expect));
    const struct replay_options options = {
        .caller = {&recording->config, recording->network, recording->tls},
        .list = list,
    };
    CHECK_OK(session_run(loop_current(), &options, choices, &report));
    fixture->good = report_finish(&report);
    fixture->sum = report.sum;
    CHECK_EQ(fclose(report.out), 0);
}

static void replay_fixture_run(struct replay_fixture *fixture)
{
    SCOPED(arena) arena = {0};
    SCOPED(exchange_list) list = {0};
    struct choices choices;
    struct recording recording;
    CHECK_OK(exchange_list_read(&list, test_data("conformance/exchanges.jsonl"), STR("grunner")));
    CHECK_OK(choices_make(&arena, &list, &fixture->choose, &choices));
    struct network *network =
        fixture->real ? tcp_network_new(loop_current()) : sim_network_new(loop_current());
    recording_init(&recording, network, fixture->real ? STR("127.0.0.1") : STR("server.test"),
                   &choices);
    recording.fault = fixture->fault;
    recording.faulty = str_from_c(fixture->faulty);
    replay_fixture_replay(fixture, &recording, &list, &choices);
    fixture->answered = recording.answered;
    fixture->chosen = choices.count;
    CHECK_EQ(buf_str(&recording.complaints), STR(""));
    recording_done(&recording);
    while (!fixture->real && sim_network_connections(network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    CHECK_OK(fiber_yield());
    network_free(network);
}

static void check_printed(const struct replay_fixture *fixture, const char *part)
{
    CHECK_CONTAINS(str_from(fixture->printed, fixture->printed_len), str_from_c(part));
}

SIM_TEST(the_recording_passes_its_own_replay)
{
    SCOPED(replay_fixture) fixture = {.choose.with_compaction = true};
    replay_fixture_run(&fixture);
    check_printed(&fixture, ", 0 failed\n");
    CHECK(fixture.good);
    CHECK_EQ(fixture.sum.passed, fixture.chosen);
}

LOOP_TEST(the_recording_passes_over_sockets)
{
    SCOPED(replay_fixture)
    fixture = {.real = true, .choose.groups = STR("get,crd-cluster,rbac,list")};
    replay_fixture_run(&fixture);
    check_printed(&fixture, "---- rbac: 79 passed, 0 failed\n");
    CHECK(fixture.good);
}

SIM_TEST(what_a_server_lacks_is_skipped)
{
    SCOPED(replay_fixture)
    fixture = {
        .choose = {.groups = STR("gc,expired"), .without_controllers = true}
    };
    replay_fixture_run(&fixture);
    CHECK_EQ(fixture.sum.skipped, fixture.chosen - fixture.sum.passed);
    CHECK(fixture.sum.skipped > 20);
    check_printed(&fixture, "skipped\n");
}

SIM_TEST(one_exchange_alone_is_reported)
{
    SCOPED(replay_fixture) fixture = {.choose.ids = STR("get-005")};
    replay_fixture_run(&fixture);
    CHECK_EQ(fixture.answered, 5u);
    CHECK_EQ(str_from(fixture.printed, fixture.printed_len),
             STR("---- get: 1 passed, 0 failed\n1 passed, 0 failed\n"));
}

SIM_TEST(faults_of_a_server_are_seen)
{
    const struct {
        const char *name;
        enum recording_fault fault;
        const char *id, *printed;
    } cases[] = {
        {"another answer",       RECORDING_FAILS,   "get-005",          "status: expected 404, got 500"},
        {"not ready in time",    RECORDING_FAILS,   "crd-versions-003", "poll: not within 30 s"        },
        {"busy for a while",     RECORDING_BUSY,    "get-005",          "1 passed, 0 failed"           },
        {"an event too many",    RECORDING_SURPLUS, "watch-009",        "/events: expected 5 elements" },
        {"a stream that breaks", RECORDING_CUT,     "watch-009",        "DELETED w1, BROKEN STREAM]"   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(replay_fixture)
        fixture = {
            .fault = cases[i].fault,
            .faulty = cases[i].id,
            .choose.ids = str_from_c(cases[i].id),
        };
        replay_fixture_run(&fixture);
        check_printed(&fixture, cases[i].printed);
        CHECK_EQ(fixture.good, cases[i].fault == RECORDING_BUSY);
    }
}

SIM_TEST(known_failures_are_expected_and_no_others)
{
    const struct {
        const char *name;
        enum recording_fault fault;
        const char *expect, *printed;
        bool good;
    } cases[] = {
        {"fails as listed",  RECORDING_FAILS,    "# why\nget-005 # not yet\n", "KNOWN get-005", true },
        {"others may not",   RECORDING_FAILS,    "get-004",                    "FAIL get-005",  false},
        {"the list is true", RECORDING_NO_FAULT, "get-005",                    "take it off",   false},
        {"or not asked for", RECORDING_NO_FAULT, "get-001\nlist-001",          "1 passed",      true },
        {"now and then",     RECORDING_FAILS,    "get-005? # who is faster\n", "KNOWN get-005", true },
        {"and now not",      RECORDING_NO_FAULT, "get-005?",                   "1 passed",      true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(replay_fixture)
        fixture = {
            .fault = cases[i].fault,
            .faulty = "get-005",
            .expect = cases[i].expect,
            .choose.ids = STR("get-005"),
        };
        replay_fixture_run(&fixture);
        check_printed(&fixture, cases[i].printed);
        CHECK_EQ(fixture.good, cases[i].good);
    }
}

TEST(names_that_were_not_recorded_are_refused)
{
    SCOPED(arena) arena = {0};
    SCOPED(exchange_list) list = {0};
    struct choices choices;
    CHECK_OK(exchange_list_read(&list, test_data("conformance/exchanges.jsonl"), STR("grunner")));
    CHECK_FAILS(
        choices_make(&arena, &list, &(struct choice_options){.groups = STR("get,got")}, &choices),
        ERROR_NOT_FOUND, "no such group: got");
    CHECK_FAILS(
        choices_make(&arena, &list, &(struct choice_options){.ids = STR("get-999")}, &choices),
        ERROR_NOT_FOUND, "no such exchange: get-999");
}
