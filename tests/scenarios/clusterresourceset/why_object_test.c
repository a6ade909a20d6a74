/* corset why of one object: who owns its fields, and how it differs from its manifest. */
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "scenarios/clusterresourceset/plan_fixture.h"

#define OBJECT   CRS_FIXTURE_OBJECT("1", "a")
#define SECRET   CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces/default/secrets/s"
#define MANIFEST CRS_FIXTURE_MANIFEST("a", "1")
#define TWO      MANIFEST "---\n" CRS_FIXTURE_MANIFEST_IN("kube-system", "a", "1")
#define PASSWORD "hunter2-hunter2"
#define SECRET_MANIFEST                                                                       \
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\nstringData: {k: " \
    "\"" PASSWORD "\"}\n"
#define HEADLINE "v1 ConfigMap default/a (ConfigMap cm1, key data, document 1)\n"

/* What is printed, with ages as AGE. */
static void check_why(struct crs_fixture *fixture, const char *name, bool is_same, const char *told)
{
    SCOPED(plan_fixture) planned = {0};
    SCOPED(buf) shown = {.limit = 0};
    bool seen = !is_same;
    CHECK_OK(plan_fixture_why(&planned, fixture, name, &seen));
    struct str rest = buf_str(&planned.table), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        const size_t end = str_find(line, STR(" ago:"));
        size_t begin = end;
        while (end != STR_NONE && line.ptr[begin - 1] != ' ')
            begin--;
        if (end != STR_NONE)
            buf_print(&shown, "%.*sAGE ago:\n", STR_ARG(str_slice(line, 0, begin)));
        else
            buf_print(&shown, "%.*s\n", STR_ARG(line));
    }
    CHECK_EQ(buf_str(&shown), str_from_c(told));
    CHECK_EQ(seen, is_same);
    plan_fixture_check_nothing_written(fixture);
}

SIM_TEST(why_of_an_object_tells_who_owns_its_fields_and_what_differs)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", MANIFEST);

    TEST_CASE("as it was applied");
    check_why(&fixture, "ConfigMap/a", true,
              HEADLINE "  fields of corset:ns/crs1, this set, applied AGE ago:\n"
                       "    data.k, metadata.labels.corset.dev/managed\n"
                       "  it is as its manifest says\n");

    TEST_CASE("somebody has changed one of its fields, and added another");
    delivery_fixture_edit(&fixture, OBJECT, "{\"data\":{\"k\":\"9\",\"theirs\":\"1\"}}");
    check_why(&fixture, "configmap/default/a", false,
              HEADLINE "  fields of corset:ns/crs1, this set, applied AGE ago:\n"
                       "    metadata.labels.corset.dev/managed\n"
                       "  fields of kubectl-edit, updated AGE ago:\n"
                       "    data.k, data.theirs\n"
                       "  applying the manifest now would change:\n"
                       "    ! data.k owned by kubectl-edit; would be taken\n"
                       "    ~ data.k: \"9\" -> \"1\"\n");

    TEST_CASE("it is gone");
    crs_fixture_do(&fixture, "DELETE", OBJECT, "");
    check_why(&fixture, "v1 ConfigMap default/a", false,
              HEADLINE "  the cluster does not have it\n");
}

/* Nothing is put right in a cluster that has the object, but it can be told what differs. */
SIM_TEST(why_of_an_object_that_is_applied_once)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", MANIFEST);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    delivery_fixture_edit(&fixture, OBJECT, "{\"data\":{\"k\":\"9\"}}");
    check_why(&fixture, "ConfigMap/a", false,
              HEADLINE "  fields of corset, updated AGE ago:\n"
                       "    data\n"
                       "  fields of kubectl-edit, updated AGE ago:\n"
                       "    data.k\n"
                       "  applying the manifest now would change:\n"
                       "    ! data.k owned by kubectl-edit; would be taken\n"
                       "    ~ data.k: \"9\" -> \"1\"\n");
}

SIM_TEST(why_of_an_object_tells_nothing_of_a_secret)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    bool is_same = true;
    delivery_fixture_begin_checked(&fixture, "{}", SECRET_MANIFEST);
    delivery_fixture_edit(&fixture, SECRET, "{\"data\":{\"k\":\"aHVudGVyMw==\"}}");
    CHECK_OK(plan_fixture_why(&planned, &fixture, "Secret/s", &is_same));
    CHECK(!is_same);
    CHECK_CONTAINS(buf_str(&planned.table), STR("    ~ data.k: (secret 1) -> (secret 2)\n"));
    static const char *const parts[] = {"hunter", "aHVudGVy", "sha256"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        CHECK(!str_contains(buf_str(&planned.table), str_from_c(parts[i])));
        CHECK(!str_contains(buf_str(&fixture.log), str_from_c(parts[i])));
    }
    plan_fixture_check_nothing_written(&fixture);
}

SIM_TEST(why_of_an_object_that_cannot_be_told)
{
    static const struct {
        const char *name, *told;
    } cases[] = {
        {"ConfigMap/b",
         "there is no object 'ConfigMap/b' in set crs1, give KIND/NAMESPACE/NAME; it has v1 "
         "ConfigMap default/a, v1 ConfigMap kube-system/a"},
        {"ConfigMap/a",
         "'ConfigMap/a' names several objects of set crs1: v1 ConfigMap default/a, v1 ConfigMap "
         "kube-system/a; give one of these, in quotes"    },
    };
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) unreachable = {0};
    bool is_same;
    delivery_fixture_begin_checked(&fixture, "{}", TWO);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(plan_fixture) planned = {0};
        TEST_CASE("%s", cases[i].name);
        OWNED(error) err = plan_fixture_why(&planned, &fixture, cases[i].name, &is_same);
        CHECK_EQ(str_from_c(err ? err->message : ""), str_from_c(cases[i].told));
    }
    TEST_CASE("a cluster that does not answer");
    crs_fixture_vanish(&fixture, true);
    OWNED(error)
    silence = plan_fixture_why(&unreachable, &fixture, "ConfigMap/default/a", &is_same);
    CHECK_CONTAINS(str_from_c(silence ? silence->message : ""),
                   STR("cluster c1 could not be asked: "));
}
