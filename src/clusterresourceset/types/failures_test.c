#include "clusterresourceset/types/failures.h"

#include "testing/test.h"

/* "Deployment ns/x" of key a, with the document that comes next. */
static void add(struct failures *failures, const char *kind, const char *name, const char *message)
{
    const struct failed_object object = {
        .verb = STR("creating"),
        .api_version = STR("apps/v1"),
        .kind = str_from_c(kind),
        .namespace = STR("ns"),
        .name = str_from_c(name),
        .resource = STR("ConfigMap cm1"),
        .key = STR("a"),
        .document = failures->failed + 1,
    };
    failures_add(failures, &object, STR("Invalid"), str_from_c(message));
}

static void add_resource(struct failures *failures, const char *resource, const char *message)
{
    failures_add(failures, &(struct failed_object){.resource = str_from_c(resource)},
                 STR("Invalid"), str_from_c(message));
}

static struct str write(const struct failures *failures, size_t max)
{
    SCOPED(buf) text = {.limit = 0};
    failures_write(failures, &text, max);
    return arena_str(failures->arena, buf_str(&text));
}

TEST(one_failure_is_told_as_cluster_api_does)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 3};
    CHECK(failures_is_empty(&failures) && !failures_find_single(&failures));
    CHECK_EQ(failures_digest(&failures), 0);
    add(&failures, "Deployment", "x", "deployments.apps \"x\" is forbidden");
    CHECK_EQ(write(&failures, 600),
             STR("creating object apps/v1, Kind=Deployment ns/x: deployments.apps \"x\" is "
                 "forbidden"));
    CHECK_EQ(failures_find_single(&failures)->document, 1);
}

TEST(failures_are_grouped_by_cause)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 9};
    add(&failures, "Deployment", "x", "things \"x\" is forbidden");
    add(&failures, "Service", "y", "no");
    add(&failures, "Deployment", "z", "things \"z\" is forbidden");
    add_resource(&failures, "Secret s1", "no");
    CHECK_EQ(failures.failed, 3);
    CHECK_EQ(failures.cause_count, 3);
    CHECK_EQ(failures.first->message, STR("things \"…\" is forbidden"));
    CHECK_EQ(failures.first->count, 2);
    CHECK_EQ(failures.first->last->document, 3);
    CHECK(!failures_find_single(&failures));
    CHECK_EQ(write(&failures, 600),
             STR("3 of 9 objects failed: 2 objects: things \"…\" is forbidden: Deployment ns/x "
                 "(ConfigMap cm1, key a, document 1), Deployment ns/z; 1 object: no: Service ns/y "
                 "(ConfigMap cm1, key a, document 2); no: Secret s1"));
    TEST_CASE("what does not fit is counted");
    CHECK_EQ(write(&failures, 60),
             STR("3 of 9 objects failed: 2 objects: things \"…\" is forbidden: Deployment ns/x "
                 "(ConfigMap cm1, key a, document 1), Deployment ns/z; and 2 more causes"));
}

TEST(an_object_is_written_with_its_place)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    SCOPED(buf) text = {.limit = 0};
    add(&failures, "Deployment", "x", "no");
    failed_object_write(failures.first->first, &text);
    CHECK_EQ(buf_str(&text), STR("apps/v1 Deployment ns/x (ConfigMap cm1, key a, document 1)"));
    buf_clear(&text);
    add_resource(&failures, "Secret s1", "no");
    failed_object_write(failures.last->first, &text);
    CHECK_EQ(buf_str(&text), STR("Secret s1"));
}

/* Other objects, messages, places and counts are other failures. */
TEST(a_digest_tells_failures_apart)
{
    static const struct {
        const char *kind, *name, *message;
    } cases[] = {
        {"Deployment", "x", "no" },
        {"Service",    "x", "no" },
        {"Deployment", "y", "no" },
        {"Deployment", "x", "not"},
    };
    uint32_t digests[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int again = 0; again < 2; again++) {
            SCOPED(arena) arena = {0};
            SCOPED(failures) failures = {.arena = &arena};
            add(&failures, cases[i].kind, cases[i].name, cases[i].message);
            if (again)
                CHECK_EQ(failures_digest(&failures), digests[i]);
            digests[i] = failures_digest(&failures);
            for (size_t j = 0; j < i; j++)
                CHECK(digests[j] != digests[i]);
        }
}

TEST(many_failures_are_bounded)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 20000};
    for (int i = 0; i < 20000; i++) {
        buf_clear(&text);
        buf_print(&text, "%d %02000d", i % 150, 0);
        add(&failures, "Deployment", "x", buf_c(&text));
    }
    CHECK_EQ(failures.failed, 20000);
    CHECK_EQ(failures.cause_count, FAILURES_CAUSES_MAX);
    CHECK(failures.omitted_causes > 0);
    CHECK(failures.omitted_objects > 6000);
    CHECK(failures.first->message.len <= FAILURES_MESSAGE_MAX + 8);
    CHECK(arena.used < 4 * MEGABYTE);
    CHECK(write(&failures, 600).len < 1000);
}
