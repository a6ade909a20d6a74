#include "clustercache/remote_connection_probe.h"

#include "base/duration.h"
#include "testing/test.h"

#define REFUSED "connect to 10.0.0.7:6443: Connection refused"
#define LOST    "Remote connection probe failed"
#define NOT_YET "Remote connection not established yet"
#define LAST    ", probe last succeeded at "

#define YEAR_2025 (1735689600 * (timestamp)SECOND)

static struct condition condition(enum condition_status status, const char *message)
{
    return (struct condition){
        .type = REMOTE_CONNECTION_PROBE,
        .status = status,
        .reason = status == CONDITION_TRUE ? STR("ProbeSucceeded") : STR("ProbeFailed"),
        .message = str_from_c(message),
        .last_transition_time = STR("2024-01-01T00:00:00Z"),
    };
}

TEST(the_condition_has_the_words_of_cluster_api_and_the_error)
{
    const struct remote_connection_probe_facts connected = {.is_connected = true,
                                                            .last_success = 1};
    const struct remote_connection_probe_facts begins = {0};
    const struct remote_connection_probe_facts tries = {.has_failed = true,
                                                        .problem = STR(REFUSED)};
    const struct remote_connection_probe_facts never = {
        .has_failed = true, .is_lost = true, .problem = STR(REFUSED)};
    const struct remote_connection_probe_facts lost = {
        .has_failed = true, .is_lost = true, .last_success = YEAR_2025, .problem = STR(REFUSED)};
    const struct remote_connection_probe_facts mute = {.has_failed = true, .is_lost = true};
    const struct {
        const char *name;
        const struct remote_connection_probe_facts *facts;
        const char *current; /* "" with true: True; NULL: none */
        bool is_true;
        const char *wanted; /* NULL: nothing is written; "": True */
        bool is_since_now;
    } cases[] = {
        {"first connect",                   &connected, NULL,                                       false, "",                                         true },
        {"stays connected",                 &connected, "",                                         true,  NULL,                                       false},
        {"returns",                         &connected, LOST ": " REFUSED,                          false, "",                                         true },
        {"nothing is known",                &begins,    NULL,                                       false, NULL,                                       false},
        {"a new process knows nothing yet", &begins,    "",                                         true,  NULL,                                       false},
        {"first attempts",                  &tries,     NULL,                                       false, NOT_YET ": " REFUSED,                       true },
        {"first attempts of a process",     &tries,     "",                                         true,  NULL,                                       false},
        {"further attempts",                &tries,     NOT_YET ": x",                              false, NULL,                                       false},
        {"never reached",                   &never,     NOT_YET ": x",                              false, LOST ": " REFUSED,                          false},
        {"no error is known",               &mute,      NULL,                                       false, LOST,                                       true },
        {"lost",                            &lost,      "",                                         true,  LOST LAST "2025-01-01T00:00:00Z: " REFUSED, true },
        {"stays lost",                      &lost,      LOST LAST "2025-01-01T00:00:00Z: " REFUSED, false, NULL,                                       false},
        {"another error",                   &lost,      LOST LAST "2025-01-01T00:00:00Z: timeout",  false,
         LOST LAST "2025-01-01T00:00:00Z: " REFUSED,                                                                                                   false},
        {"another process keeps the time",  &never,     LOST LAST "2024-02-03T04:05:06Z: timeout",  false,
         LOST LAST "2024-02-03T04:05:06Z: " REFUSED,                                                                                                   false},
        {"the time without an error",       &never,     LOST LAST "2024-02-03T04:05:06Z",           false,
         LOST LAST "2024-02-03T04:05:06Z: " REFUSED,                                                                                                   false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct condition wanted;
        TEST_CASE("%s", cases[i].name);
        const struct condition current =
            condition(cases[i].is_true ? CONDITION_TRUE : CONDITION_FALSE,
                      cases[i].current ? cases[i].current : "");
        const bool is_wanted = remote_connection_probe_decide(
            cases[i].facts, cases[i].current ? &current : NULL, &arena, &wanted);
        CHECK_EQ(is_wanted, cases[i].wanted != NULL);
        if (!cases[i].wanted)
            continue;
        CHECK_EQ(wanted.type, REMOTE_CONNECTION_PROBE);
        CHECK_EQ(wanted.message, str_from_c(cases[i].wanted));
        CHECK_EQ(wanted.status == CONDITION_TRUE, !*cases[i].wanted);
        CHECK_EQ(wanted.reason, *cases[i].wanted ? STR("ProbeFailed") : STR("ProbeSucceeded"));
        CHECK_EQ(wanted.last_transition_time,
                 cases[i].is_since_now ? STR("") : STR("2024-01-01T00:00:00Z"));
    }
}

TEST(a_message_has_its_error_behind_the_words)
{
    const struct {
        const char *message, *problem;
        bool is_lost;
    } cases[] = {
        {LOST ": " REFUSED,                          REFUSED,                          true },
        {LOST LAST "2025-01-01T00:00:00Z: " REFUSED, REFUSED,                          true },
        {LOST LAST "2025-01-01T00:00:00Z",           LOST LAST "2025-01-01T00:00:00Z", true },
        {LOST,                                       LOST,                             true },
        {NOT_YET ": " REFUSED,                       REFUSED,                          false},
        {NOT_YET,                                    NOT_YET,                          false},
        {"something: else",                          "something: else",                true },
        {"",                                         "",                               true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct condition lost = condition(CONDITION_FALSE, cases[i].message);
        const struct condition fine = condition(CONDITION_TRUE, cases[i].message);
        TEST_CASE("%s", cases[i].message);
        CHECK_EQ(remote_connection_probe_problem(lost.message), str_from_c(cases[i].problem));
        CHECK_EQ(remote_connection_probe_last_success(lost.message),
                 strstr(cases[i].message, " succeeded at ") ? STR("2025-01-01T00:00:00Z")
                                                            : STR(""));
        CHECK_EQ(remote_connection_probe_says_lost(&lost), cases[i].is_lost);
        CHECK(!remote_connection_probe_says_lost(&fine));
    }
}
