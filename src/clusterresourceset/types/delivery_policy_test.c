#include "clusterresourceset/types/delivery_policy.h"

#include "clusterresourceset/types/policy_schema.h"
#include "json/yaml/manifest.h"
#include "testing/test.h"

/* Reads a policy with this spec, in YAML. */
static struct error *read_policy(const char *spec, struct delivery_policy **ret_policy)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    OWNED(object) object = NULL;
    OWNED(policy_schema) schema = policy_schema_new();
    buf_print(&text,
              "apiVersion: corset.dev/v1alpha1\nkind: DeliveryPolicy\nmetadata: {name: p, "
              "namespace: ns}\nspec: %s\n",
              spec);
    CHECK_OK(manifest_read_one(buf_str(&text), NULL, &doc, NULL));
    CHECK_OK(object_from_doc(doc, &object));
    return delivery_policy_read(schema, object, ret_policy);
}

TEST(a_policy_that_says_nothing_has_defaults)
{
    struct delivery_policy *policy = NULL;
    CHECK_OK(read_policy("{}", &policy));
    CHECK(!policy->fails_on_conflict);
    CHECK(!policy->recreates_immutable);
    CHECK_EQ(policy->drift, DELIVERY_POLICY_DRIFT_REPORT);
    CHECK_EQ(policy->adopt.count, (size_t)1);
    CHECK_EQ(policy->adopt.items[0], STR("corset"));
    CHECK_EQ(policy->prune_when, 0u);
    CHECK_EQ(policy->health_timeout, (duration)0);
    CHECK_EQ(policy->wave_count, (size_t)0);
    CHECK(!policy->has_values);
    delivery_policy_free(TAKE(policy));

    TEST_CASE("prune and a wave");
    CHECK_OK(
        read_policy("{prune: {when: [Removed, Deleted]}, rollout: {waves: [{name: a}]}}", &policy));
    CHECK_EQ(policy->prune_when,
             (unsigned)(DELIVERY_POLICY_PRUNE_REMOVED | DELIVERY_POLICY_PRUNE_DELETED));
    CHECK_EQ(policy->prune_max_objects, (int64_t)20);
    CHECK_EQ(delivery_policy_at_most(policy->prune_max_clusters, 100), (size_t)10);
    CHECK_EQ(policy->prune_abandon_after, HOUR);
    CHECK_EQ(policy->waves[0].soak, (duration)0);
    CHECK(!policy->waves[0].approval);
    CHECK(selector_is_empty(&policy->waves[0].selector));
    CHECK_EQ(delivery_policy_at_most(policy->waves[0].at_a_time, 7), (size_t)7);
    CHECK_EQ(delivery_policy_tolerated(policy->max_failures, 1000), (size_t)0);
    delivery_policy_free(policy);
}

TEST(a_policy_is_read_whole)
{
    struct delivery_policy *policy = NULL;
    CHECK_OK(read_policy(
        "{conflicts: Fail, adopt: [manager, kubectl], onImmutable: Recreate, drift: Repair,\n"
        "  ignore: [{group: apps, kind: Deployment, name: web-*, paths: [/spec/replicas, /a/*/b]}],\n"
        "  prune: {when: [Unselected], kinds: [Namespace], maxObjects: 7, maxClusters: 3, "
        "abandonAfter: 90m},\n"
        "  health: {timeout: 5m}, values: Cluster,\n"
        "  rollout: {maxFailures: 1%, waves: [\n"
        "    {name: canary, clusterSelector: {matchLabels: {ring: canary}}, soak: 1h, approval: "
        "true},\n"
        "    {name: rest, atATime: 10%}]}}",
        &policy));
    CHECK(policy->fails_on_conflict);
    CHECK(policy->recreates_immutable);
    CHECK_EQ(policy->drift, DELIVERY_POLICY_DRIFT_REPAIR);
    CHECK_EQ(policy->adopt.items[1], STR("kubectl"));
    CHECK_EQ(policy->ignore_count, (size_t)1);
    CHECK_EQ(policy->ignore[0].group, STR("apps"));
    CHECK_EQ(policy->ignore[0].kind, STR("Deployment"));
    CHECK_EQ(policy->ignore[0].namespace, STR(""));
    CHECK_EQ(policy->ignore[0].name, STR("web-*"));
    CHECK_EQ(policy->ignore[0].paths.items[1], STR("/a/*/b"));
    CHECK_EQ(policy->prune_when, (unsigned)DELIVERY_POLICY_PRUNE_UNSELECTED);
    CHECK_EQ(policy->prune_kinds.items[0], STR("Namespace"));
    CHECK_EQ(policy->prune_max_objects, (int64_t)7);
    CHECK_EQ(delivery_policy_at_most(policy->prune_max_clusters, 100), (size_t)3);
    CHECK_EQ(policy->prune_abandon_after, 90 * MINUTE);
    CHECK_EQ(policy->health_timeout, 5 * MINUTE);
    CHECK(policy->has_values);
    CHECK_EQ(policy->wave_count, (size_t)2);
    CHECK_EQ(policy->waves[0].name, STR("canary"));
    CHECK_EQ(policy->waves[0].soak, HOUR);
    CHECK(policy->waves[0].approval);
    CHECK_EQ(policy->waves[0].selector.count, (size_t)1);
    CHECK_EQ(policy->waves[0].selector.items[0].key, STR("ring"));
    CHECK_EQ(delivery_policy_at_most(policy->waves[1].at_a_time, 95), (size_t)10);
    CHECK_EQ(delivery_policy_tolerated(policy->max_failures, 199), (size_t)1);
    delivery_policy_free(policy);
}

TEST(percents_of_clusters_are_rounded)
{
    const struct {
        struct delivery_policy_share share;
        size_t clusters, tolerated, at_most;
    } cases[] = {
        {{1, true},   0,      0,    1   },
        {{1, true},   1,      0,    1   },
        {{1, true},   99,     0,    1   },
        {{1, true},   100,    1,    1   },
        {{1, true},   101,    1,    2   },
        {{10, true},  11,     1,    2   },
        {{33, true},  10,     3,    4   },
        {{100, true}, 10,     10,   10  },
        {{0, true},   10,     0,    1   },
        {{0, false},  10,     0,    0   },
        {{5, false},  3,      5,    5   },
        {{1, true},   100000, 1000, 1000},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%lld%s of %zu", (long long)cases[i].share.number,
                  cases[i].share.is_percent ? "%" : "", cases[i].clusters);
        CHECK_EQ(delivery_policy_tolerated(cases[i].share, cases[i].clusters), cases[i].tolerated);
        CHECK_EQ(delivery_policy_at_most(cases[i].share, cases[i].clusters), cases[i].at_most);
    }
}

TEST(durations_of_a_policy_have_bounds)
{
    const struct {
        const char *text;
        duration value; /* 0: refused */
    } cases[] = {
        {"10s",     10 * SECOND                   },
        {"24h",     24 * HOUR                     },
        {"1h2m3s",  HOUR + 2 * MINUTE + 3 * SECOND},
        {"90s",     90 * SECOND                   },
        {"1h0m0s",  HOUR                          },
        {"9s",      0                             },
        {"24h1s",   0                             },
        {"\"\"",    0                             },
        {"5",       0                             },
        {"5d",      0                             },
        {"1m1h",    0                             },
        {"1.5h",    0                             },
        {"-5m",     0                             },
        {"5m ",     5 * MINUTE                    }, /* the blank is YAML's */
        {"\"5m \"", 0                             },
        {"h",       0                             },
        {"99999h",  0                             },
        {"300ms",   0                             },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) spec = {.limit = 0};
        OWNED(delivery_policy) policy = NULL;
        TEST_CASE("%s", cases[i].text);
        buf_print(&spec, "{health: {timeout: %s}}", cases[i].text);
        OWNED(error) err = read_policy(buf_c(&spec), &policy);
        CHECK_EQ(err == NULL, cases[i].value > 0);
        CHECK_EQ(policy ? policy->health_timeout : 0, cases[i].value);
    }
}
