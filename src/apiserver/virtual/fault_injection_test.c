#include "apiserver/virtual/fault_injection.h"

#include "testing/test.h"

TEST(fault_injection_reads_and_writes)
{
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"",                                               "latency=0s,jitter=0s,error=0,drop=0,hole=0,seed=0"  },
        {"latency=20ms",                                   "latency=20ms,jitter=0s,error=0,drop=0,hole=0,seed=0"},
        {"error=0.01, drop=1,hole=0.5,seed=7",
         "latency=0s,jitter=0s,error=0.01,drop=1,hole=0.5,seed=7"                                               },
        {"latency=1s,jitter=1m,seed=18446744073709551615",
         "latency=1s,jitter=1m0s,error=0,drop=0,hole=0,seed=18446744073709551615"                               },
        {"error=0.1,error=0.2",                            "latency=0s,jitter=0s,error=0.2,drop=0,hole=0,seed=0"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {.limit = 0};
        struct fault_injection faults, again;
        TEST_CASE("%s", cases[i].text);
        CHECK_OK(fault_injection_read(str_from_c(cases[i].text), &faults));
        fault_injection_write(&faults, &out);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].written));
        CHECK_OK(fault_injection_read(buf_str(&out), &again));
        CHECK_EQ(again.latency, faults.latency);
        CHECK_EQ(again.seed, faults.seed);
    }
}

TEST(fault_injection_refuses_what_it_does_not_know)
{
    static const char *const cases[] = {"latency",    "latency=",   "latency=x", "latency=-1s",
                                        "error=2",    "error=-1",   "error=nan", "error=inf",
                                        "drop=0.1x",  "seed=-1",    "seed=x",    "speed=1",
                                        "error=0.1;", "jitter=-1s", "hole="};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault_injection faults = {.seed = 42};
        TEST_CASE("%s", cases[i]);
        CHECK_ERROR(fault_injection_read(str_from_c(cases[i]), &faults), ERROR_PARSE);
        CHECK_EQ(faults.seed, (uint64_t)42); /* untouched */
    }
}

TEST(fault_injection_decides_the_same_every_time)
{
    const struct fault_injection faults = {.latency = 20 * MILLISECOND,
                                           .jitter = 5 * MILLISECOND,
                                           .error = 0.2,
                                           .drop = 0.1,
                                           .hole = 0.05,
                                           .seed = 7};
    struct fault_injection other = faults;
    other.seed = 8;
    size_t counts[INJECTED_HOLE + 1] = {0}, differ = 0, elsewhere = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        duration wait, again, unused;
        const enum injected_fault fault = fault_injection_decide(&faults, STR("vc-0001"), i, &wait);
        CHECK_EQ(fault_injection_decide(&faults, STR("vc-0001"), i, &again), fault);
        CHECK_EQ(again, wait);
        CHECK(wait >= faults.latency && wait <= faults.latency + faults.jitter);
        differ += fault_injection_decide(&other, STR("vc-0001"), i, &unused) != fault;
        elsewhere += fault_injection_decide(&faults, STR("vc-0002"), i, &unused) != fault;
        counts[fault]++;
    }
    CHECK(differ > 1000 && elsewhere > 1000);
    CHECK(counts[INJECTED_ERROR] > 1800 && counts[INJECTED_ERROR] < 2200);
    CHECK(counts[INJECTED_DROP] > 850 && counts[INJECTED_DROP] < 1150);
    CHECK(counts[INJECTED_HOLE] > 400 && counts[INJECTED_HOLE] < 600);
}

TEST(fault_injection_without_faults_does_nothing)
{
    const struct fault_injection none = {0}, all = {.error = 1};
    for (uint64_t i = 0; i < 100; i++) {
        duration wait;
        CHECK_EQ((int)fault_injection_decide(&none, STR("vc-0001"), i, &wait), (int)INJECTED_NONE);
        CHECK_EQ(wait, 0);
        CHECK_EQ((int)fault_injection_decide(&all, STR("vc-0001"), i, &wait), (int)INJECTED_ERROR);
    }
}
