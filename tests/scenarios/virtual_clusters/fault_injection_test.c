#include "apiserver/virtual/fault_injection.h"

#include "testing/test.h"

#define DRAWS 20000

TEST(faults_are_read_and_written)
{
    const struct {
        const char *text, *written; /* NULL: refused */
    } cases[] = {
        {"",                          "latency=0s,jitter=0s,error=0,drop=0,hole=0,seed=0"         },
        {"latency=20ms",              "latency=20ms,jitter=0s,error=0,drop=0,hole=0,seed=0"       },
        {"error=1, drop=0,seed=9",    "latency=0s,jitter=0s,error=1,drop=0,hole=0,seed=9"         },
        {"latency=1h,jitter=5us",     "latency=1h0m0s,jitter=5µs,error=0,drop=0,hole=0,seed=0"   },
        {"drop=0.001,hole=0.0001",    "latency=0s,jitter=0s,error=0,drop=0.001,hole=0.0001,seed=0"},
        {"latency=1h1ns",             NULL                                                        },
        {"latency=-1ms",              NULL                                                        },
        {"jitter=20",                 NULL                                                        },
        {"error=1.01",                NULL                                                        },
        {"error=nan",                 NULL                                                        },
        {"error=",                    NULL                                                        },
        {"seed=18446744073709551616", NULL                                                        },
        {"speed=1",                   NULL                                                        },
        {",",                         NULL                                                        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) written = {.limit = KILOBYTE};
        struct fault_injection faults, again;
        TEST_CASE("%s", cases[i].text);
        if (!cases[i].written) {
            CHECK_ERROR(fault_injection_read(str_from_c(cases[i].text), &faults), ERROR_PARSE);
            continue;
        }
        CHECK_OK(fault_injection_read(str_from_c(cases[i].text), &faults));
        fault_injection_write(&faults, &written);
        CHECK_EQ(buf_str(&written), str_from_c(cases[i].written));
        CHECK_OK(fault_injection_read(buf_str(&written), &again));
        CHECK_EQ(again.latency, faults.latency);
        CHECK_EQ(again.hole, faults.hole);
    }
}

/* Within a tenth of what was asked for. */
static void check_share(size_t seen, double share)
{
    const double expected = share * DRAWS;
    CHECK((double)seen > expected * 0.9 && (double)seen < expected * 1.1);
}

TEST(faults_come_in_their_shares)
{
    const struct fault_injection faults = {.error = 0.3, .drop = 0.2, .hole = 0.1, .seed = 7};
    size_t requests[4] = {0}, watches[4] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        duration wait;
        requests[fault_injection_decide(&faults, STR("vc-0001"), i, &wait)]++;
        watches[fault_injection_decide_watch(&faults, STR("vc-0001"), 3, i + 1)]++;
        CHECK_EQ(wait, 0);
    }
    check_share(requests[INJECTED_NONE], 0.4);
    check_share(requests[INJECTED_ERROR], 0.3);
    check_share(requests[INJECTED_DROP], 0.2);
    check_share(requests[INJECTED_HOLE], 0.1);
    check_share(watches[INJECTED_NONE], 0.7);
    check_share(watches[INJECTED_DROP], 0.2);
    check_share(watches[INJECTED_HOLE], 0.1);
}

TEST(jitter_changes_the_wait_and_not_the_fault)
{
    const struct fault_injection plain = {.latency = SECOND, .error = 0.5, .seed = 7};
    struct fault_injection jittery = plain;
    duration least = FOREVER, most = 0;
    jittery.jitter = SECOND;
    for (uint64_t i = 0; i < DRAWS; i++) {
        duration wait, longer;
        CHECK_EQ((int)fault_injection_decide(&jittery, STR("vc-0001"), i, &longer),
                 (int)fault_injection_decide(&plain, STR("vc-0001"), i, &wait));
        CHECK_EQ(wait, SECOND);
        least = longer < least ? longer : least;
        most = longer > most ? longer : most;
    }
    CHECK(least >= SECOND && least < SECOND + 10 * MILLISECOND);
    CHECK(most <= 2 * SECOND && most > 2 * SECOND - 10 * MILLISECOND);
}
