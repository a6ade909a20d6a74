#include "base/metrics.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "testing/test.h"

static const double few_buckets[] = {0.005, 0.1, 1, 2.5, 1e6};

enum { UP, CHECKS, SECONDS, WORKERS, NARROW };

static const struct metrics_family families[] = {
    [UP] = METRICS_GAUGE("capi_cluster_cache_connection_up",
                         "Whether the connection to the cluster is up.", "cluster_name",
                         "cluster_namespace"),
    [CHECKS] = METRICS_COUNTER("capi_cluster_cache_healthchecks_total",
                               "Results of all clustercache healthchecks.", "cluster_name",
                               "cluster_namespace", "status"),
    [SECONDS] = METRICS_HISTOGRAM("app_seconds", "How long it took.", few_buckets, "controller"),
    [WORKERS] = METRICS_GAUGE("app_workers", "A \"help\" with \\ and\na newline."),
    [NARROW] = {.name = "app_narrow",
                .help = "Few series.",
                .kind = METRICS_KIND_COUNTER,
                .labels = {"a"},
                .series_max = 2},
};

static struct metrics *registry(void)
{
    struct metrics *metrics = metrics_new();
    metrics_register(metrics, families, COUNT(families));
    return metrics;
}

static void check_text(const struct metrics *metrics, const char *expected)
{
    SCOPED(buf) text = {0};
    metrics_write(metrics, &text);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

#define WORKERS_TEXT                                             \
    "# HELP app_workers A \"help\" with \\\\ and\\na newline.\n" \
    "# TYPE app_workers gauge\n"

TEST(metrics_without_labels_show_at_once)
{
    OWNED(metrics) metrics = registry();
    check_text(metrics, WORKERS_TEXT "app_workers 0\n");
    metrics_register(metrics, families, COUNT(families));
    metrics_add(METRICS_SERIES(metrics, &families[WORKERS]), 3);
    metrics_add(METRICS_SERIES(metrics, &families[WORKERS]), -0.5);
    check_text(metrics, WORKERS_TEXT "app_workers 2.5\n");
}

TEST(metrics_are_ordered)
{
    OWNED(metrics) metrics = registry();
    metrics_inc(METRICS_SERIES(metrics, &families[CHECKS], STR("b"), STR("x"), STR("success")));
    metrics_inc(METRICS_SERIES(metrics, &families[CHECKS], STR("a b"), STR("x"), STR("error")));
    metrics_inc(METRICS_SERIES(metrics, &families[CHECKS], STR("a"), STR("y"), STR("error")));
    metrics_add(METRICS_SERIES(metrics, &families[CHECKS], STR("a"), STR("x"), STR("success")), 2);
    metrics_inc(METRICS_SERIES(metrics, &families[CHECKS], STR("a"), STR("x"), STR("error")));
    metrics_set(METRICS_SERIES(metrics, &families[UP], STR("b"), STR("x")), 1);
    check_text(
        metrics, WORKERS_TEXT
        "app_workers 0\n"
        "# HELP capi_cluster_cache_connection_up Whether the connection to the cluster is up.\n"
        "# TYPE capi_cluster_cache_connection_up gauge\n"
        "capi_cluster_cache_connection_up{cluster_name=\"b\",cluster_namespace=\"x\"} 1\n"
        "# HELP capi_cluster_cache_healthchecks_total Results of all clustercache healthchecks.\n"
        "# TYPE capi_cluster_cache_healthchecks_total counter\n"
        "capi_cluster_cache_healthchecks_total"
        "{cluster_name=\"a\",cluster_namespace=\"x\",status=\"error\"} 1\n"
        "capi_cluster_cache_healthchecks_total"
        "{cluster_name=\"a\",cluster_namespace=\"x\",status=\"success\"} 2\n"
        "capi_cluster_cache_healthchecks_total"
        "{cluster_name=\"a\",cluster_namespace=\"y\",status=\"error\"} 1\n"
        "capi_cluster_cache_healthchecks_total"
        "{cluster_name=\"a b\",cluster_namespace=\"x\",status=\"error\"} 1\n"
        "capi_cluster_cache_healthchecks_total"
        "{cluster_name=\"b\",cluster_namespace=\"x\",status=\"success\"} 1\n");
}

TEST(metrics_histograms_are_cumulative)
{
    static const struct metrics_family plain[] = {
        METRICS_HISTOGRAM("plain_seconds", "Plain.", few_buckets)};
    OWNED(metrics) metrics = metrics_new();
    metrics_register(metrics, families + SECONDS, 1);
    metrics_register(metrics, plain, 1);
    struct metrics_series *series = METRICS_SERIES(metrics, &families[SECONDS], STR("crs"));
    const double values[] = {0.001, 0.005, 0.0051, 1, 2.6, 1e6, 2e6};
    for (size_t i = 0; i < COUNT(values); i++)
        metrics_observe(series, values[i]);
    check_text(metrics, "# HELP app_seconds How long it took.\n"
                        "# TYPE app_seconds histogram\n"
                        "app_seconds_bucket{controller=\"crs\",le=\"0.005\"} 2\n"
                        "app_seconds_bucket{controller=\"crs\",le=\"0.1\"} 3\n"
                        "app_seconds_bucket{controller=\"crs\",le=\"1\"} 4\n"
                        "app_seconds_bucket{controller=\"crs\",le=\"2.5\"} 4\n"
                        "app_seconds_bucket{controller=\"crs\",le=\"1e+06\"} 6\n"
                        "app_seconds_bucket{controller=\"crs\",le=\"+Inf\"} 7\n"
                        "app_seconds_sum{controller=\"crs\"} 3.0000036111e+06\n"
                        "app_seconds_count{controller=\"crs\"} 7\n"
                        "# HELP plain_seconds Plain.\n"
                        "# TYPE plain_seconds histogram\n"
                        "plain_seconds_bucket{le=\"0.005\"} 0\n"
                        "plain_seconds_bucket{le=\"0.1\"} 0\n"
                        "plain_seconds_bucket{le=\"1\"} 0\n"
                        "plain_seconds_bucket{le=\"2.5\"} 0\n"
                        "plain_seconds_bucket{le=\"1e+06\"} 0\n"
                        "plain_seconds_bucket{le=\"+Inf\"} 0\n"
                        "plain_seconds_sum 0\n"
                        "plain_seconds_count 0\n");
}

/* As Go's strconv.FormatFloat(value, 'g', -1, 64). */
TEST(metrics_numbers_are_spelt_as_go_does)
{
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0,                       "0"                      },
        {-0.0,                    "0"                      },
        {1,                       "1"                      },
        {-1,                      "-1"                     },
        {0.1,                     "0.1"                    },
        {0.0001,                  "0.0001"                 },
        {0.00001,                 "1e-05"                  },
        {0.000012345,             "1.2345e-05"             },
        {123456,                  "123456"                 },
        {999999,                  "999999"                 },
        {999999.5,                "999999.5"               },
        {1000000,                 "1e+06"                  },
        {-1000000,                "-1e+06"                 },
        {1234567,                 "1.234567e+06"           },
        {12345.678,               "12345.678"              },
        {1.0 / 3,                 "0.3333333333333333"     },
        {0.1 + 0.2,               "0.30000000000000004"    },
        {9007199254740992,        "9.007199254740992e+15"  },
        {1700000000.123,          "1.700000000123e+09"     },
        {1e21,                    "1e+21"                  },
        {1e100,                   "1e+100"                 },
        {1.7976931348623157e308,  "1.7976931348623157e+308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {5e-324,                  "5e-324"                 },
        {(double)INFINITY,        "+Inf"                   },
        {-(double)INFINITY,       "-Inf"                   },
        {(double)NAN,             "NaN"                    },
    };
    OWNED(metrics) metrics = metrics_new();
    metrics_register(metrics, &families[WORKERS], 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[128];
        snprintf(expected, sizeof(expected), WORKERS_TEXT "app_workers %s\n", cases[i].text);
        metrics_set(METRICS_SERIES(metrics, &families[WORKERS]), cases[i].value);
        check_text(metrics, expected);
    }
}

TEST(metrics_label_values_are_escaped)
{
    OWNED(metrics) metrics = metrics_new();
    metrics_register(metrics, &families[UP], 1);
    metrics_set(METRICS_SERIES(metrics, &families[UP], STR("a\"\\\n\xc3\xa9\xff"), STR("")), 1);
    check_text(metrics,
               "# HELP capi_cluster_cache_connection_up Whether the connection to the cluster is "
               "up.\n"
               "# TYPE capi_cluster_cache_connection_up gauge\n"
               "capi_cluster_cache_connection_up{cluster_name=\"a\\\"\\\\\\n\xc3\xa9\xef\xbf\xbd\","
               "cluster_namespace=\"\"} 1\n");
}

/* Values that would run into each other, or become equal, if they were joined carelessly. */
TEST(metrics_label_values_are_told_apart)
{
    const struct str values[][2] = {
        {STR("a"),     STR("b")   },
        {STR("a\0"),   STR("b")   },
        {STR("a"),     STR("\0b") },
        {STR("a\0b"),  STR("")    },
        {STR(""),      STR("a\0b")},
        {STR("\1"),    STR("")    },
        {STR("\0"),    STR("")    },
        {STR("\1\1"),  STR("")    },
        {STR("a,b"),   STR("")    },
        {STR("a\",b"), STR("")    },
    };
    OWNED(metrics) metrics = registry();
    for (size_t i = 0; i < COUNT(values); i++)
        metrics_set(METRICS_SERIES(metrics, &families[UP], values[i][0], values[i][1]), (double)i);
    for (size_t i = 0; i < COUNT(values); i++)
        CHECK_EQ(metrics_value(METRICS_SERIES(metrics, &families[UP], values[i][0], values[i][1])),
                 (double)i);
    /* Bytes that are shown alike are one series: two lines of one name would be refused. */
    CHECK_EQ(METRICS_SERIES(metrics, &families[UP], STR("\xff"), STR("")),
             METRICS_SERIES(metrics, &families[UP], STR("\xfe"), STR("")));
}

TEST(metrics_series_are_removed)
{
    OWNED(metrics) metrics = registry();
    const struct metrics_family *up = &families[UP];
    metrics_set(METRICS_SERIES(metrics, up, STR("a"), STR("x")), 1);
    CHECK(!METRICS_REMOVE(metrics, up, STR("a"), STR("y")));
    CHECK(METRICS_REMOVE(metrics, up, STR("a"), STR("x")));
    CHECK(!METRICS_REMOVE(metrics, up, STR("a"), STR("x")));
    check_text(metrics, WORKERS_TEXT "app_workers 0\n");
    CHECK_EQ(metrics_value(METRICS_SERIES(metrics, up, STR("a"), STR("x"))), 0.0);
}

TEST(metrics_kept_series_outlives_its_removal)
{
    struct metrics *metrics = registry();
    struct metrics_series *kept =
        metrics_series_ref(METRICS_SERIES(metrics, &families[UP], STR("a"), STR("x")));
    CHECK(METRICS_REMOVE(metrics, &families[UP], STR("a"), STR("x")));
    metrics_set(kept, 1);
    check_text(metrics, WORKERS_TEXT "app_workers 0\n");
    metrics_free(metrics);
    metrics_set(kept, 2);
    CHECK_EQ(metrics_value(kept), 2.0);
    metrics_series_unref(kept);
    metrics_series_unref(NULL);
    metrics_free(NULL);
}

static double depth(void *data)
{
    return *(int *)data;
}

TEST(metrics_values_can_be_asked_for)
{
    OWNED(metrics) metrics = metrics_new();
    metrics_register(metrics, &families[WORKERS], 1);
    int waiting = 4;
    struct metrics_series *series = METRICS_SERIES(metrics, &families[WORKERS]);
    metrics_set_source(series, depth, &waiting);
    check_text(metrics, WORKERS_TEXT "app_workers 4\n");
    waiting = 5;
    check_text(metrics, WORKERS_TEXT "app_workers 5\n");
    metrics_set_source(series, NULL, NULL);
    check_text(metrics, WORKERS_TEXT "app_workers 0\n");
}

TEST(metrics_series_have_a_limit)
{
    OWNED(metrics) metrics = metrics_new();
    const struct metrics_family *narrow = &families[NARROW];
    metrics_register(metrics, narrow, 1);
    const struct str values[] = {STR("1"), STR("2"), STR("3"), STR("1"), STR("4"), STR("3")};
    for (size_t i = 0; i < COUNT(values); i++)
        metrics_inc(METRICS_SERIES(metrics, narrow, values[i]));
    const char *const dropped =
        "# HELP metrics_series_dropped_total Times a metric was at its limit of series.\n"
        "# TYPE metrics_series_dropped_total counter\n"
        "metrics_series_dropped_total{metric=\"app_narrow\"} 3\n";
    char expected[512];
    snprintf(expected, sizeof(expected),
             "# HELP app_narrow Few series.\n# TYPE app_narrow counter\n"
             "app_narrow{a=\"1\"} 2\napp_narrow{a=\"2\"} 1\n%s",
             dropped);
    check_text(metrics, expected);
    CHECK(METRICS_REMOVE(metrics, narrow, STR("1")));
    metrics_inc(METRICS_SERIES(metrics, narrow, STR("3")));
    snprintf(expected, sizeof(expected),
             "# HELP app_narrow Few series.\n# TYPE app_narrow counter\n"
             "app_narrow{a=\"2\"} 1\napp_narrow{a=\"3\"} 1\n%s",
             dropped);
    check_text(metrics, expected);
}

TEST(metrics_text_respects_the_buffer)
{
    OWNED(metrics) metrics = registry();
    SCOPED(buf) text = {.limit = 20};
    metrics_write(metrics, &text);
    CHECK_ERROR(buf_check(&text), ERROR_TOO_LARGE);
}

TEST(metrics_numbers_read_back)
{
    OWNED(metrics) metrics = metrics_new();
    metrics_register(metrics, &families[WORKERS], 1);
    struct metrics_series *series = METRICS_SERIES(metrics, &families[WORKERS]);
    struct random random;
    random_init(&random, 31);
    for (int i = 0; i < 3000; i++) {
        const uint64_t bits = random_u64(&random);
        double value = 0;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        if (i % 2)
            value = (random_double(&random) - 0.5) * 1e7;
        metrics_set(series, value);
        SCOPED(buf) text = {0};
        metrics_write(metrics, &text);
        const char *number = strrchr(buf_c(&text), ' ') + 1;
        TEST_CASE("%s", number);
        CHECK_EQ(strtod(number, NULL), value);
    }
}

static void count_again(void *data)
{
    struct metrics *metrics = data;
    metrics_clear(metrics, &families[UP]);
    metrics_set(METRICS_SERIES(metrics, &families[UP], STR("b"), STR("ns")), 1);
}

TEST(collectors_bring_series_up_to_date_before_they_are_shown)
{
    OWNED(metrics) metrics = registry();
    struct metrics_collector collector = {.collect = count_again, .data = metrics};
    metrics_remove_collector(&collector);
    metrics_set(METRICS_SERIES(metrics, &families[UP], STR("a"), STR("ns")), 1);
    metrics_add_collector(metrics, &collector);
    SCOPED(buf) text = {0};
    metrics_write(metrics, &text);
    CHECK_CONTAINS(buf_str(&text), STR("cluster_name=\"b\""));
    CHECK(!str_contains(buf_str(&text), STR("cluster_name=\"a\"")));
    metrics_remove_collector(&collector);
    metrics_clear(metrics, &families[UP]);
    buf_clear(&text);
    metrics_write(metrics, &text);
    CHECK(!str_contains(buf_str(&text), STR("cluster_name")));
}
