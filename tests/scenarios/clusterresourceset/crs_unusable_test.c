/*
 * A resource that no cluster can be given any more: its set says so, whatever there was before and
 * whatever policy the set has, until the resource is mended.
 */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define GOOD   CRS_FIXTURE_MANIFEST("a", "1")
#define MENDED CRS_FIXTURE_MANIFEST("a", "2")
#define REFUSED_MANIFEST \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n"

/* NULL: a plain set. */
static const char *const policies[] = {
    NULL,
    "{}",
    "{\"values\":\"Cluster\"}",
    "{\"health\":{\"timeout\":\"1m\"},\"prune\":{\"when\":[\"Removed\",\"Unselected\"]}}",
    "{\"rollout\":{\"waves\":[{\"name\":\"first\"}]}}",
    "{\"drift\":\"Repair\",\"values\":\"Cluster\",\"rollout\":{\"waves\":[{\"name\":\"w\"}]}}",
};

/* What crs1 is for c1 before its resource is spoilt. */
static const struct {
    const char *name, *text; /* of cm1; NULL: there is no set yet */
    const char *condition;
} befores[] = {
    {"a new set", NULL,             NULL   },
    {"applied",   GOOD,             "True" },
    {"refused",   REFUSED_MANIFEST, "False"},
};

static const struct {
    const char *name, *method, *body, *reason, *says;
} damages[] = {
    {"deleted",    "DELETE", NULL,                                      "False/InternalError/", "not found"},
    {"emptied",    "PATCH",  "{\"data\":null}",                         "False/NotApplied/",    "cm1"      },
    {"unparsable", "PATCH",  "{\"data\":{\"data\":\"{\\\"a\\\":\"}}",   "False/NotApplied/",
     "failed converting data"                                                                              },
    {"no objects", "PATCH",  "{\"data\":{\"data\":\"- a\\n- b\\n\"}}",  "False/NotApplied/",    "cm1"      },
    {"quotes",     "PATCH",  "{\"data\":{\"data\":\"a: \\\"b\\\"c\"}}", "False/NotApplied/",
     "failed converting data"                                                                              },
};

static void begin(struct crs_fixture *fixture, const char *policy, size_t before)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", befores[before].text ? befores[before].text : GOOD);
    crs_fixture_map(fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    if (policy)
        delivery_fixture_policy(fixture, policy);
    crs_fixture_start(fixture, NULL);
}

static void make_set(struct crs_fixture *fixture, const char *policy)
{
    const char *resources = "ConfigMap/cm1 ConfigMap/cm2";
    if (policy)
        delivery_fixture_set(fixture, "crs1", "Reconcile", resources);
    else
        crs_fixture_set(fixture, "crs1", "Reconcile", resources);
}

static void check_told(struct crs_fixture *fixture, size_t damage)
{
    crs_fixture_await_condition(fixture, "crs1", "ResourcesApplied", damages[damage].reason);
    CHECK_OK(fiber_sleep(15 * MINUTE));
    const struct str said = crs_fixture_condition(fixture, "crs1", "ResourcesApplied");
    CHECK(str_starts_with(said, str_from_c(damages[damage].reason)));
    CHECK_CONTAINS(said, str_from_c(damages[damage].says));
    CHECK_CONTAINS(said, STR("ConfigMap cm1"));
    CHECK(str_starts_with(crs_fixture_deprecated(fixture, "crs1"), STR("False/")));
    SCOPED(status_model) model = {0};
    delivery_fixture_read_status(fixture, &model);
    CHECK_EQ(model.sets[0]->state, STATUS_FAILED);
    CHECK_EQ(model.clusters[0]->state, STATUS_FAILED);
    CHECK_CONTAINS(model.clusters[0]->why, str_from_c(damages[damage].says));
}

static void check_case(const char *policy, size_t before, size_t damage)
{
    SCOPED(crs_fixture) fixture;
    TEST_CASE("policy %s, %s, %s", policy ? policy : "none", befores[before].name,
              damages[damage].name);
    begin(&fixture, policy, before);
    if (befores[before].condition) {
        make_set(&fixture, policy);
        crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                    befores[before].condition);
        CHECK_OK(fiber_sleep(MINUTE));
    }
    crs_fixture_do(&fixture, damages[damage].method, CRS_FIXTURE_MAP, damages[damage].body);
    if (!befores[before].condition)
        make_set(&fixture, policy);
    check_told(&fixture, damage);

    crs_fixture_map(&fixture, "cm1", MENDED);
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True");
}

SIM_TEST(a_set_says_that_a_resource_cannot_be_used)
{
    for (size_t policy = 0; policy < COUNT(policies); policy++)
        for (size_t before = 0; before < COUNT(befores); before++)
            for (size_t damage = 0; damage < COUNT(damages); damage++)
                check_case(policies[policy], before, damage);
}
