#include "clusterresourceset/plan_values.h"

#include <string.h>

#include "base/memory.h"
#include "testing/test.h"

#define UID   "u1"
#define OWNER crs_owner_reference(STR("crs1"), STR(UID))
#define CLUSTER(env) \
    "{\"metadata\":{\"name\":\"c1\",\"namespace\":\"ns\",\"labels\":{\"env\":\"" env "\"}}}"
#define SET                                                                                 \
    "{\"metadata\":{\"name\":\"crs1\",\"uid\":\"" UID "\",\"generation\":1},\"spec\":{"     \
    "\"strategy\":\"Reconcile\",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cm1\"},{" \
    "\"kind\":\"ConfigMap\",\"name\":\"cm2\"}]}}"

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

static void add_map(struct plan *plan, const char *manifest)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("{\"kind\":\"ConfigMap\",\"data\":{\"a\":"));
    buf_add_json_string(&text, str_from_c(manifest));
    buf_add(&text, STR("}}"));
    OWNED(object) map = read_object(buf_c(&text));
    plan_add_snapshot(plan, resource_snapshot_read(map));
}

/* A plan of two resources; only the first has the manifest. */
static struct plan *make_plan(const char *manifest, bool has_values)
{
    OWNED(object) set = read_object(SET);
    struct plan *plan = plan_new(set);
    struct delivery_policy *policy = NEW(struct delivery_policy);
    policy->references = 1;
    policy->has_values = has_values;
    plan_set_policy(plan, policy);
    add_map(plan, manifest);
    add_map(plan, "kind: B\n");
    return plan_replace(NULL, plan);
}

static struct plan *fill(struct plan *plan, const char *cluster, struct failures *failures)
{
    OWNED(object) object = read_object(cluster);
    return plan_values_fill_from(plan, object, failures);
}

TEST(a_plan_for_one_cluster_has_its_values)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    OWNED(plan) plan = make_plan("kind: A\nx: ((cluster.label \"env\"))\n", true);
    OWNED(plan) filled = fill(plan, CLUSTER("prod"), &failures);
    char revision[DELIVERY_REVISION_LEN + 1], same[DELIVERY_REVISION_LEN + 1];
    CHECK(filled && filled != plan);
    const struct object *object =
        content_object(resource_snapshot_content(plan_snapshot(filled, 0)), 0);
    CHECK_EQ(json_to_str(json_get(object_root(object), STR("x"))), STR("prod"));
    CHECK(plan_snapshot(filled, 1) == plan_snapshot(plan, 1));
    CHECK_EQ(plan_values(filled).len, (size_t)VALUES_DIGEST_LEN);
    CHECK_EQ(plan_values(plan), STR(""));
    CHECK(plan_policy(filled) == plan_policy(plan));
    CHECK_EQ(plan_round(filled), plan_round(plan));
    CHECK_EQ(plan_revision(filled, revision), plan_revision(plan, same));
    CHECK(plan_is_complete(filled) && plan_is_whole(filled));

    TEST_CASE("it is the plan of that cluster, whatever is in its texts");
    OWNED(plan) again = fill(filled, CLUSTER("other"), &failures);
    CHECK(again == filled);

    TEST_CASE("what the Cluster lacks is told");
    CHECK(!fill(plan, "{\"metadata\":{\"name\":\"c2\",\"namespace\":\"ns\"}}", &failures));
    CHECK_EQ(failures.first->first->resource, STR("ConfigMap cm1"));
}

TEST(the_bound_of_a_plan_is_not_less_than_what_it_takes)
{
    static const char *const manifests[] = {
        "kind: A\nx: ((cluster.name))\n",
        "kind: A\nx: ((cluster.label \"env\"))((cluster.label \"env\"))\n---\nkind: B\n",
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"a\":\"((cluster.name))\"},{}]}",
    };
    for (size_t i = 0; i < COUNT(manifests); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(failures) failures = {.arena = &arena};
        SCOPED(values) values = {0};
        size_t bytes = 0;
        OWNED(plan) plan = make_plan(manifests[i], true);
        OWNED(object) cluster = read_object(CLUSTER("a-much-longer-value-than-the-token-was-long"));
        TEST_CASE("%s", manifests[i]);
        OWNED(plan) filled = plan_values_fill_from(plan, cluster, &failures);
        values_read(plan_value_names(plan), cluster, &values);
        const struct content *content = resource_snapshot_content(plan_snapshot(filled, 0));
        const struct content *written = resource_snapshot_content(plan_snapshot(plan, 0));
        for (size_t j = 0; j < content_count(content); j++)
            if (content_object(content, j) != content_object(written, j))
                bytes += json_size(object_root(content_object(content, j)));
        CHECK(bytes && plan_values_bound(plan, &values) >= bytes);
        CHECK_EQ(plan_values_bound(filled, &values), (size_t)0);
    }
}

TEST(a_plan_gives_back_the_room_it_takes)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    struct values_room room = {0};
    struct values_claim claim = {0};
    OWNED(plan) plan = make_plan("kind: A\nx: ((cluster.name))\n", true);
    struct plan *filled = fill(plan, CLUSTER("prod"), &failures);
    CHECK(values_room_take(&room, STR("ns"), 1000, &claim));
    plan_take_claim(filled, &claim);
    CHECK(!claim.room && room.used == 1000);
    plan_free(plan_ref(filled));
    CHECK_EQ(room.used, (size_t)1000);
    plan_free(filled);
    CHECK_EQ(room.used, (size_t)0);
    values_room_done(&room);
}

TEST(a_plan_without_values_is_shared)
{
    static const struct {
        const char *manifest;
        bool has_values;
    } cases[] = {
        {"kind: A\nx: ((cluster.name))\n", false},
        {"kind: A\nx: $(( 1 + 2 ))\n",     true },
        {"kind: [",                        true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(failures) failures = {.arena = &arena};
        OWNED(plan) plan = make_plan(cases[i].manifest, cases[i].has_values);
        TEST_CASE("%s", cases[i].manifest);
        OWNED(plan) filled = fill(plan, CLUSTER("prod"), &failures);
        CHECK(filled == plan);
        CHECK_EQ(plan_value_names(plan)->count, (size_t)0);
    }
}

/* A binding in which everything of the plan is applied, with these values in the record. */
static struct object *make_binding(const struct plan *plan, struct str values)
{
    SCOPED(buf) text = {.limit = 0};
    char revision[DELIVERY_REVISION_LEN + 1];
    buf_print(&text,
              "{\"metadata\":{\"name\":\"c1\",\"annotations\":{\"corset.dev/delivery\":"
              "\"{\\\"crs1\\\":{\\\"revision\\\":\\\"%.*s\\\",\\\"values\\\":\\\"%.*s\\\","
              "\\\"state\\\":\\\"Ready\\\"}}\"},\"ownerReferences\":[{\"apiVersion\":\"%s\","
              "\"kind\":\"%s\",\"name\":\"crs1\",\"uid\":\"" UID "\"}]},\"spec\":{\"bindings\":["
              "{\"clusterResourceSetName\":\"crs1\",\"resources\":[",
              STR_ARG(plan_revision(plan, revision)), STR_ARG(values), CRS_API_VERSION, CRS_KIND);
    for (size_t i = 0; i < plan_resource_count(plan); i++)
        buf_print(&text,
                  "%s{\"kind\":\"ConfigMap\",\"name\":\"%.*s\",\"hash\":\"%.*s\","
                  "\"applied\":true}",
                  i ? "," : "", STR_ARG(plan_resource(plan, i).name),
                  STR_ARG(resource_snapshot_hash(plan_snapshot(plan, i))));
    buf_add(&text, STR("]}]}}"));
    return read_object(buf_c(&text));
}

TEST(a_plan_for_one_cluster_is_met_by_a_record_of_its_values)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    OWNED(plan) plan = make_plan("kind: A\nx: ((cluster.label \"env\"))\n", true);
    OWNED(plan) plain = make_plan("kind: A\nx: 1\n", true);
    OWNED(plan) filled = fill(plan, CLUSTER("prod"), &failures);
    OWNED(object) same = make_binding(filled, plan_values(filled));
    OWNED(object) other = make_binding(filled, STR("0123456789abcdef"));
    OWNED(object) none = make_binding(filled, STR(""));
    OWNED(object) plain_none = make_binding(plain, STR(""));
    OWNED(object) plain_some = make_binding(plain, STR("0123456789abcdef"));
    const struct {
        const char *name;
        const struct plan *plan;
        const struct object *binding;
        bool is_met;
    } cases[] = {
        {"the same values",                      filled, same,       true },
        {"other values",                         filled, other,      false},
        {"no values",                            filled, none,       false},
        {"of the set, which does not know them", plan,   same,       true },
        {"of the set, and there are others",     plan,   other,      true },
        {"of the set, and there are none",       plan,   none,       false},
        {"without values, and there are none",   plain,  plain_none, true },
        {"without values, and there are some",   plain,  plain_some, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(plan_is_met(cases[i].plan, cases[i].binding, OWNER), cases[i].is_met);
    }
}

/* Another round: what was applied has to be looked at again on every cluster. */
TEST(values_that_come_or_go_are_another_round)
{
    const char *manifest = "kind: A\nx: ((cluster.name))\n";
    struct plan *plan = plan_replace(NULL, make_plan(manifest, false));
    plan = plan_replace(plan, make_plan(manifest, true));
    CHECK_EQ(plan_round(plan), (uint64_t)2);
    plan = plan_replace(plan, make_plan(manifest, true));
    CHECK_EQ(plan_round(plan), (uint64_t)2);
    plan = plan_replace(plan, make_plan(manifest, false));
    CHECK_EQ(plan_round(plan), (uint64_t)3);
    plan_free(plan);
}
