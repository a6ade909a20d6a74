#include "clusterresourceset/plan.h"

#include <string.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/types/policy_schema.h"
#include "testing/test.h"

#define UID   "u1"
#define OWNER crs_owner_reference(STR("crs1"), STR(UID))

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

static struct resource_snapshot *take_snapshot(const char *resource)
{
    OWNED(object) object = read_object(resource);
    return resource_snapshot_read(object);
}

#define USABLE                                                                         \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm1\"},"   \
    "\"data\":{\"a\":\"{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"Namespace\\\"," \
    "\\\"metadata\\\":{\\\"name\\\":\\\"n\\\"}}\"}}"
#define UNUSABLE "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm1\"}}"
#define WRONG_TYPE                                                                           \
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{\"name\":" \
    "\"cm1\"}}"

/* A set that names one resource, cm1, with this strategy. */
static struct plan *make_plan(const char *strategy, int64_t generation, const char *resource)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"kind\":\"ClusterResourceSet\",\"metadata\":{\"name\":\"crs1\",\"generation\":%d},"
              "\"spec\":{\"strategy\":\"%s\",\"clusterSelector\":{\"matchLabels\":{\"a\":\"b\"}},"
              "\"resources\":[{\"kind\":\"%s\",\"name\":\"cm1\"}]}}",
              (int)generation, strategy,
              str_contains(str_from_c(resource), STR("\"Secret\"")) ? "Secret" : "ConfigMap");
    OWNED(object) set = read_object(buf_c(&text));
    struct plan *plan = plan_new(set);
    plan_add_snapshot(plan, take_snapshot(resource));
    return plan;
}

/* How the binding records the resource. */
enum record { UNKNOWN, SAME, OTHER, FAILED, REFUSED, RECORDS };
static const char *const record_names[] = {"unknown", "applied", "applied with another hash",
                                           "failed", "refused"};

static struct object *make_binding(const struct plan *plan, enum record record)
{
    SCOPED(buf) text = {.limit = 0};
    const struct str kind = resource_kind_name(plan_resource(plan, 0).kind);
    const struct str same = resource_snapshot_hash(plan_snapshot(plan, 0));
    const struct str hash = record == SAME ? same : record == REFUSED ? STR("") : STR("sha256:x");
    buf_print(&text,
              "{\"kind\":\"ClusterResourceSetBinding\",\"metadata\":{\"name\":\"c1\","
              "\"ownerReferences\":[{\"apiVersion\":\"" CRS_API_VERSION "\",\"kind\":\"" CRS_KIND
              "\",\"name\":\"crs1\",\"uid\":\"" UID "\"}]},"
              "\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"crs1\",\"resources\":[");
    if (record != UNKNOWN)
        buf_print(&text, "{\"kind\":\"%.*s\",\"name\":\"cm1\",\"hash\":\"%.*s\",\"applied\":%s}",
                  STR_ARG(kind), STR_ARG(hash),
                  record == SAME || record == OTHER ? "true" : "false");
    buf_add(&text, STR("]}]}}"));
    return read_object(buf_c(&text));
}

TEST(every_step_of_a_plan)
{
    static const struct {
        const char *strategy, *resource;
        enum plan_action actions[RECORDS];
    } cases[] = {
        {"ApplyOnce", USABLE,     {PLAN_APPLY, PLAN_SKIP, PLAN_SKIP, PLAN_APPLY, PLAN_APPLY}                              },
        {"",          USABLE,     {PLAN_APPLY, PLAN_SKIP, PLAN_SKIP, PLAN_APPLY, PLAN_APPLY}                              },
        {"Reconcile", USABLE,     {PLAN_APPLY, PLAN_SKIP, PLAN_APPLY, PLAN_APPLY, PLAN_APPLY}                             },
        {"Other",
         USABLE,                  {PLAN_REFUSE_STRATEGY, PLAN_SKIP, PLAN_SKIP, PLAN_REFUSE_STRATEGY, PLAN_REFUSE_STRATEGY}},
        {"ApplyOnce",
         UNUSABLE,                {PLAN_REFUSE_CONTENT, PLAN_SKIP, PLAN_SKIP, PLAN_REFUSE_CONTENT, PLAN_REFUSE_CONTENT}   },
        {"Reconcile",
         UNUSABLE,                {PLAN_REFUSE_CONTENT, PLAN_SKIP, PLAN_REFUSE_CONTENT, PLAN_REFUSE_CONTENT,
          PLAN_REFUSE_CONTENT}                                                                          },
        {"ApplyOnce", WRONG_TYPE, {PLAN_SKIP, PLAN_SKIP, PLAN_SKIP, PLAN_SKIP, PLAN_SKIP}                                 },
        {"Reconcile", WRONG_TYPE, {PLAN_SKIP, PLAN_SKIP, PLAN_SKIP, PLAN_SKIP, PLAN_SKIP}                                 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(plan) plan = make_plan(cases[i].strategy, 1, cases[i].resource);
        for (enum record record = UNKNOWN; record < RECORDS; record++) {
            OWNED(object) binding = make_binding(plan, record);
            const struct plan_step step = plan_step(plan, 0, binding, STR("crs1"));
            TEST_CASE("case %zu, %s", i, record_names[record]);
            CHECK_EQ(step.action, cases[i].actions[record]);
            CHECK_EQ(step.is_first, record == UNKNOWN);
            CHECK_EQ(plan_is_met(plan, binding, OWNER), step.action == PLAN_SKIP);
            if (step.action == PLAN_REFUSE_CONTENT || step.action == PLAN_REFUSE_STRATEGY)
                CHECK_EQ(step.is_recorded, record == REFUSED);
        }
    }
}

TEST(a_plan_is_met_by_a_binding_with_entry_and_owner)
{
    OWNED(plan) plan = make_plan("Reconcile", 1, USABLE);
    OWNED(object) binding = make_binding(plan, SAME);
    OWNED(object) empty = read_object("{\"kind\":\"ClusterResourceSetBinding\"}");
    CHECK(plan_is_met(plan, binding, OWNER));
    CHECK(!plan_is_met(plan, NULL, OWNER));
    CHECK(!plan_is_met(plan, empty, OWNER));
    CHECK(!plan_is_recorded(plan, binding, STR("crs2")));
    /* A set that was deleted and made again has another UID. */
    CHECK(!plan_is_met(plan, binding, crs_owner_reference(STR("crs1"), STR("u2"))));
    CHECK(plan_is_recorded(plan, binding, STR("crs1")));
}

TEST(a_plan_that_wants_the_same_is_not_a_new_round)
{
    struct plan *first = plan_replace(NULL, make_plan("Reconcile", 1, USABLE));
    CHECK_EQ(plan_round(first), 1);
    struct plan *second = plan_replace(first, make_plan("Reconcile", 1, USABLE));
    CHECK(second == first);
    second = plan_replace(first, make_plan("Reconcile", 2, USABLE));
    CHECK_EQ(plan_round(second), 2);
    second = plan_replace(second, make_plan("Reconcile", 2, UNUSABLE));
    CHECK_EQ(plan_round(second), 3);
    plan_free(second);
}

/* A policy that says nothing. */
static struct delivery_policy *make_policy(void)
{
    OWNED(policy_schema) schema = policy_schema_new();
    OWNED(object)
    object = read_object("{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\","
                         "\"metadata\":{\"name\":\"p\"},\"spec\":{}}");
    struct delivery_policy *policy = NULL;
    CHECK_OK(delivery_policy_read(schema, object, &policy));
    return policy;
}

static struct plan *make_policy_plan(int64_t generation, const char *resource)
{
    struct plan *plan = make_plan("Reconcile", generation, resource);
    plan_set_policy(plan, make_policy());
    return plan;
}

TEST(a_policy_that_changes_is_no_new_round)
{
    struct plan *plan = plan_replace(NULL, make_plan("Reconcile", 1, USABLE));
    plan = plan_replace(plan, make_policy_plan(1, USABLE));
    CHECK_EQ(plan_round(plan), 2); /* it came */
    struct plan *next = make_policy_plan(1, USABLE);
    plan = plan_replace(plan, next);
    CHECK(plan == next); /* what happens next goes by it */
    CHECK_EQ(plan_round(plan), 2);
    plan = plan_replace(plan, make_plan("Reconcile", 1, USABLE));
    CHECK_EQ(plan_round(plan), 3); /* it went */
    plan_free(plan);
}

TEST(the_revision_of_a_plan_is_a_hash_of_its_resources)
{
    char text[DELIVERY_REVISION_LEN + 1], hex[SHA256_HEX_LEN + 1];
    SCOPED(buf) line = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    OWNED(plan) plan = make_plan("Reconcile", 1, USABLE);
    OWNED(plan) broken = make_plan("Reconcile", 1, UNUSABLE);
    const struct str hash = resource_snapshot_hash(plan_snapshot(plan, 0));
    buf_print(&line, "ConfigMap/cm1=%.*s\n", STR_ARG(hash));
    sha256_of(buf_str(&line), digest);
    CHECK_EQ(plan_revision(plan, text), str_slice(sha256_hex(digest, hex), 0, 12));
    CHECK(plan_is_whole(plan));
    sha256_of(STR("ConfigMap/cm1=-\n"), digest);
    CHECK_EQ(plan_revision(broken, text), str_slice(sha256_hex(digest, hex), 0, 12));
    CHECK(!plan_is_whole(broken));
}

/* A binding in which the set has this entry, and this record. */
static struct object *make_delivered(const char *entry, const char *record)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"kind\":\"ClusterResourceSetBinding\",\"metadata\":{\"name\":\"c1\","
              "\"annotations\":{\"corset.dev/delivery\":\"{\\\"crs1\\\":{%s}}\"},"
              "\"ownerReferences\":[{\"apiVersion\":\"" CRS_API_VERSION "\",\"kind\":\"" CRS_KIND
              "\",\"name\":\"crs1\",\"uid\":\"" UID "\"}]},"
              "\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"crs1\"%s}]}}",
              record, entry);
    return read_object(buf_c(&text));
}

#define ENTRY(hash)                                                                               \
    ",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cm1\",\"hash\":\"" hash "\",\"applied\":" \
    "true}]"
#define APPLIED_ENTRY ENTRY("x")

TEST(a_plan_with_a_policy_is_met_by_the_record_of_its_revision)
{
    static const struct {
        const char *name, *resource, *entry, *revision, *state, *more;
        bool is_met;
    } cases[] = {
        {"no record",                     USABLE,   "",            "",              "",       "",                         false},
        {"no record, applied before",     USABLE,   APPLIED_ENTRY, "",              "",       "",                         false},
        {"this revision",                 USABLE,   "same",        "same",          "Ready",  "",                         true },
        {"this revision, and no entry",   USABLE,   "",            "same",          "Ready",  "",                         false},
        {"the entry has another hash",    USABLE,   APPLIED_ENTRY, "same",          "Ready",  "",                         false},
        {"this revision, failed",         USABLE,   "same",        "same",          "Failed", "",                         false},
        {"another revision",              USABLE,   "same",        "000000000000",  "Ready",  "",                         false},
        {"what is no revision",           USABLE,   "same",        "same and more", "Ready",  "",                         false},
        {"incomplete, nothing there yet", UNUSABLE, "",            "",              "",       "",                         false},
        {"incomplete, applied before",    UNUSABLE, APPLIED_ENTRY, "",              "",       "",                         true },
        {"incomplete, was whole",         UNUSABLE, "",            "000000000000",  "Ready",  "",                         true },
        {"incomplete, was whole, failed", UNUSABLE, "",            "000000000000",  "Failed", "",                         true },
        {"incomplete, was another one",   UNUSABLE, "",            "000000000000",  "Ready",
         ",\\\"incomplete\\\":true",                                                                                      false},
        {"incomplete, this one",          UNUSABLE, "",            "same",          "Ready",  ",\\\"incomplete\\\":true", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char same[DELIVERY_REVISION_LEN + 1];
        SCOPED(buf) record = {.limit = 0};
        SCOPED(buf) entry = {.limit = 0};
        OWNED(plan) plan = make_policy_plan(1, cases[i].resource);
        TEST_CASE("%s", cases[i].name);
        plan_revision(plan, same);
        if (*cases[i].revision)
            buf_print(&record, "\\\"revision\\\":\\\"%s\\\",\\\"state\\\":\\\"%s\\\"%s",
                      strcmp(cases[i].revision, "same") == 0 ? same : cases[i].revision,
                      cases[i].state, cases[i].more);
        if (strcmp(cases[i].entry, "same") == 0)
            buf_print(&entry, ENTRY("%.*s"),
                      STR_ARG(resource_snapshot_hash(plan_snapshot(plan, 0))));
        else
            buf_add(&entry, str_from_c(cases[i].entry));
        OWNED(object) binding = make_delivered(buf_c(&entry), buf_c(&record));
        CHECK_EQ(plan_is_met(plan, binding, OWNER), cases[i].is_met);
        CHECK_EQ(plan_step(plan, 0, binding, STR("crs1")).action,
                 strcmp(cases[i].resource, USABLE) == 0 ? PLAN_APPLY : PLAN_REFUSE_CONTENT);
    }
}

TEST(a_plan_knows_its_resources)
{
    OWNED(plan) plan = make_plan("Reconcile", 1, USABLE);
    OWNED(plan) bare = NULL;
    OWNED(object)
    set = read_object("{\"spec\":{\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cm1\"}]}}");
    bare = plan_new(set);
    CHECK(plan_is_complete(plan) && !plan_is_complete(bare));
    CHECK_EQ(plan_resource_count(bare), 0);
    CHECK_EQ(plan_object_count(plan), 1);
    CHECK(plan_names(bare, RESOURCE_CONFIG_MAP, STR("cm1")));
    CHECK(!plan_names(bare, RESOURCE_SECRET, STR("cm1")));
    CHECK(!plan_names(bare, RESOURCE_CONFIG_MAP, STR("cm2")));
}
