#include "apiserver/managedfields/managed_fields.h"

#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

#define SECOND INT64_C(1000000000)
#define NOON   (INT64_C(1700000000) * SECOND)

/* A config map that is written again and again. */
struct story {
    struct json_doc *live;
    timestamp now;
};

static void story_done(struct story *story)
{
    json_doc_free(story->live);
}

static const struct json_value *live_of(const struct story *story)
{
    return story->live ? json_doc_root(story->live) : NULL;
}

static struct json_doc *read_doc(struct str text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(text, &doc));
    return doc;
}

static struct managed_fields_write write_by(const struct story *story, const char *manager)
{
    struct managed_fields_write write = {
        .api_version = STR("v1"),
        .kind = STR("ConfigMap"),
        .manager = str_from_c(manager),
        .now = story->now ? story->now : NOON,
    };
    CHECK(field_type_of_builtin(GVK("", "v1", "ConfigMap"), &write.type));
    return write;
}

/* The rest of the object comes behind its name: ",..." in the metadata, or "},..." behind it. */
static struct json_doc *config_map(const char *rest)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"%s}",
              rest);
    return read_doc(buf_str(&text));
}

static void keep(struct story *story, struct json_doc *doc)
{
    json_doc_free(story->live);
    story->live = doc;
}

static struct error *try_apply(struct story *story, const char *manager, bool force,
                               const char *rest)
{
    const struct managed_fields_write write = write_by(story, manager);
    OWNED(json_doc) patch = config_map(rest);
    struct json_doc *doc = NULL;
    TRY(managed_fields_apply(&write, force, live_of(story), json_doc_root(patch), &doc));
    keep(story, doc);
    return NULL;
}

static void update(struct story *story, const char *manager, const char *rest)
{
    const struct managed_fields_write write = write_by(story, manager);
    OWNED(json_doc) object = config_map(rest);
    struct json_doc *doc = NULL;
    CHECK_OK(managed_fields_update(&write, live_of(story), json_doc_root(object), &doc));
    keep(story, doc);
}

/* "manager Operation version {fields}", an entry a line. */
static void check_owners(const struct story *story, const char *expected)
{
    SCOPED(buf) seen = {.limit = 0};
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_path(live_of(story), "metadata.managedFields")) {
        (void)key;
        buf_print(&seen, "%.*s %.*s ", STR_ARG(json_path_str(entry, "manager")),
                  STR_ARG(json_path_str(entry, "operation")));
        json_write(&seen, json_get(entry, STR("fieldsV1")));
        buf_add_char(&seen, '\n');
    }
    CHECK_EQ(buf_str(&seen), str_from_c(expected));
}

static void check_data(const struct story *story, const char *expected)
{
    SCOPED(buf) seen = {.limit = 0};
    json_write_canonical(&seen, json_get(live_of(story), STR("data")));
    CHECK_EQ(buf_str(&seen), str_from_c(expected));
}

TEST(apply_twice_is_apply_once)
{
    SCOPED(story) story = {.now = NOON};
    CHECK_OK(try_apply(&story, "a", false, "},\"data\":{\"x\":\"1\"}"));
    OWNED(json_doc) once = json_doc_ref(story.live);
    story.now += 5 * SECOND;
    CHECK_OK(try_apply(&story, "a", false, "},\"data\":{\"x\":\"1\"}"));
    CHECK(json_equal(live_of(&story), json_doc_root(once)));
}

TEST(applies_of_disjoint_fields_commute)
{
    SCOPED(story) one = {.now = NOON};
    SCOPED(story) other = {.now = NOON};
    const char *a = ",\"labels\":{\"l\":\"1\"}},\"data\":{\"x\":\"1\"}",
               *b = "},\"data\":{\"y\":\"2\"}";
    CHECK_OK(try_apply(&one, "a", false, a));
    CHECK_OK(try_apply(&one, "b", false, b));
    CHECK_OK(try_apply(&other, "b", false, b));
    CHECK_OK(try_apply(&other, "a", false, a));
    CHECK(json_equal(live_of(&one), live_of(&other)));
}

TEST(times_move_with_changes_only)
{
    SCOPED(story) story = {.now = NOON};
    update(&story, "a", "},\"data\":{\"x\":\"1\"}");
    const char *path = "metadata.managedFields.0.time";
    CHECK_EQ(json_path_str(live_of(&story), path), STR("2023-11-14T22:13:20Z"));
    story.now += 5 * SECOND;
    update(&story, "a", "},\"data\":{\"x\":\"1\"}");
    CHECK_EQ(json_path_str(live_of(&story), path), STR("2023-11-14T22:13:20Z"));
    update(&story, "a", "},\"data\":{\"x\":\"2\"}");
    CHECK_EQ(json_path_str(live_of(&story), path), STR("2023-11-14T22:13:25Z"));
}

TEST(settle_takes_the_times_of_what_did_not_change)
{
    static const char form[] = "{\"metadata\":{\"resourceVersion\":\"%d\",\"managedFields\":[{"
                               "\"manager\":\"%s\",\"time\":\"%s\"}]},\"data\":\"%s\"}";
    static const struct {
        const char *name, *manager, *time, *data, *expected;
    } cases[] = {
        {"nothing but the time", "a", "new", "x", "old"},
        {"the object, too",      "a", "new", "y", "new"},
        {"another manager",      "b", "new", "x", "new"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        buf_print(&text, form, 1, "a", "old", "x");
        OWNED(json_doc) live = read_doc(buf_str(&text));
        buf_clear(&text);
        buf_print(&text, form, 2, cases[i].manager, cases[i].time, cases[i].data);
        OWNED(json_doc) doc = read_doc(buf_str(&text));
        OWNED(json_doc) settled = NULL;
        CHECK_OK(managed_fields_settle(json_doc_root(live), doc, &settled));
        CHECK_EQ(json_path_str(json_doc_root(settled), "metadata.managedFields.0.time"),
                 str_from_c(cases[i].expected));
    }
}

/* Entries are sorted by their times, so a new time may move one. */
TEST(settle_does_not_mind_the_order)
{
    OWNED(json_doc) settled = NULL;
    OWNED(json_doc)
    live = read_doc(STR("{\"metadata\":{\"managedFields\":["
                        "{\"manager\":\"a\",\"operation\":\"Apply\",\"time\":\"1\"},"
                        "{\"manager\":\"b\",\"operation\":\"Apply\",\"time\":\"1\"}]}}"));
    OWNED(json_doc)
    doc = read_doc(STR("{\"metadata\":{\"managedFields\":["
                       "{\"manager\":\"b\",\"operation\":\"Apply\",\"time\":\"1\"},"
                       "{\"manager\":\"a\",\"operation\":\"Apply\",\"time\":\"2\"}]}}"));
    CHECK_OK(managed_fields_settle(json_doc_root(live), doc, &settled));
    CHECK(json_equal(json_doc_root(settled), json_doc_root(live)));
}

TEST(old_updates_are_merged_into_one)
{
    SCOPED(story) story = {.now = NOON};
    SCOPED(buf) rest = {.limit = 0};
    for (int i = 0; i < 13; i++) {
        char manager[16];
        snprintf(manager, sizeof(manager), "m%02d", i);
        buf_clear(&rest);
        buf_add(&rest, STR("},\"data\":{"));
        for (int k = 0; k <= i; k++)
            buf_print(&rest, "%s\"k%02d\":\"\"", k ? "," : "", k);
        buf_add_char(&rest, '}');
        update(&story, manager, buf_c(&rest));
        story.now += SECOND;
    }
    const struct json_value *list = json_path(live_of(&story), "metadata.managedFields");
    CHECK_EQ(json_count(list), 10);
    CHECK_EQ(json_path_str(list, "0.manager"), STR("ancient-changes"));
    CHECK_EQ(json_path_str(list, "0.time"), STR("2023-11-14T22:13:23Z"));
    CHECK_EQ(json_count(json_path(list, "0.fieldsV1.f:data")), 5);
    CHECK_EQ(json_path_str(list, "1.manager"), STR("m04"));
}

TEST(entries_of_versions_that_are_gone_are_dropped)
{
    SCOPED(story) story = {.now = NOON};
    story.live = config_map(
        ",\"managedFields\":[{\"manager\":\"old\",\"operation\":\"Apply\",\"apiVersion\":\"v0\","
        "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{\"f:x\":{}}}}]},\"data\":{\"x\":\"1\"}");
    CHECK_OK(try_apply(&story, "a", false, "},\"data\":{\"x\":\"2\"}"));
    check_owners(&story, "a Apply {\"f:data\":{\"f:x\":{}}}\n");
    check_data(&story, "{\"x\":\"2\"}");
}

TEST(what_clients_say_about_managed_fields)
{
    static const char entry[] =
        "{\"manager\":\"c\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
        "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{\"f:x\":{}}}}";
    static const char kept[] = "a Update {\"f:data\":{\".\":{},\"f:x\":{}}}\n";
    const struct {
        const char *name, *list, *expected;
    } cases[] = {
        {"null",       "null",                  kept                                  },
        {"empty",      "[]",                    ""                                    },
        {"no list",    "1",                     kept                                  },
        {"unreadable", "[{\"manager\":\"c\"}]", kept                                  },
        {"cleared",    "[{}]",                  ""                                    },
        {"their own",  NULL,                    "c Update {\"f:data\":{\"f:x\":{}}}\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(story) story = {.now = NOON};
        SCOPED(buf) rest = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        update(&story, "a", "},\"data\":{\"x\":\"1\"}");
        if (cases[i].list)
            buf_print(&rest, ",\"managedFields\":%s},\"data\":{\"x\":\"1\"}", cases[i].list);
        else
            buf_print(&rest, ",\"managedFields\":[%s]},\"data\":{\"x\":\"1\"}", entry);
        update(&story, "b", buf_c(&rest));
        check_owners(&story, cases[i].expected);
    }
}

TEST(what_is_not_tracked_stays_so_until_the_first_apply)
{
    SCOPED(story) story = {.now = NOON};
    story.live = config_map("},\"data\":{\"x\":\"1\"}");
    update(&story, "a", "},\"data\":{\"x\":\"2\"}");
    check_owners(&story, "");
    CHECK_OK(try_apply(&story, "b", false, "},\"data\":{\"y\":\"1\"}"));
    check_owners(&story, "b Apply {\"f:data\":{\"f:y\":{}}}\n"
                         "before-first-apply Update {\"f:data\":{\".\":{},\"f:x\":{}}}\n");
}

TEST(a_map_that_somebody_else_owns_stays_empty)
{
    SCOPED(story) story = {.now = NOON};
    CHECK_OK(try_apply(&story, "a", false, "},\"data\":{}"));
    CHECK_OK(try_apply(&story, "b", false, "},\"data\":{\"x\":\"1\"}"));
    CHECK_OK(try_apply(&story, "b", false, "}"));
    check_owners(&story, "a Apply {\"f:data\":{}}\n");
    CHECK_EQ(json_type(json_get(live_of(&story), STR("data"))), JSON_NULL);
}

#define RECORD                                                                        \
    ",\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"{"      \
    "\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"ConfigMap\\\",\\\"metadata\\\":{" \
    "\\\"name\\\":\\\"a\\\"},\\\"data\\\":{\\\"x\\\":\\\"1\\\"}}\"}"

TEST(kubectl_may_change_what_it_recorded_on_its_own)
{
    SCOPED(story) story = {.now = NOON};
    update(&story, "kubectl-client-side-apply", RECORD "},\"data\":{\"x\":\"1\",\"z\":\"1\"}");
    CHECK_FAILS(try_apply(&story, "other", false, "},\"data\":{\"x\":\"2\"}"), ERROR_CONFLICT,
                "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using "
                "v1: .data.x");
    CHECK_FAILS(try_apply(&story, "kubectl", false, "},\"data\":{\"x\":\"2\",\"z\":\"2\"}"),
                ERROR_CONFLICT,
                "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using "
                "v1: .data.z");
    CHECK_OK(try_apply(&story, "kubectl", false, "},\"data\":{\"x\":\"<2>\"}"));
    check_data(&story, "{\"x\":\"<2>\",\"z\":\"1\"}");
    CHECK_EQ(json_to_str(json_get(json_path(live_of(&story), "metadata.annotations"),
                                  STR("kubectl.kubernetes.io/last-applied-configuration"))),
             STR("{\"apiVersion\":\"v1\",\"data\":{\"x\":\"\\u003c2\\u003e\"},"
                 "\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n"));
}

TEST(what_a_write_cannot_change_it_cannot_own)
{
    static const char *const reset[] = {"status"};
    struct managed_fields_write write = {
        .api_version = STR("v1"),
        .manager = STR("a"),
        .now = NOON,
        .reset = reset,
        .reset_count = COUNT(reset),
    };
    CHECK(field_type_of_builtin(GVK("", "v1", "Namespace"), &write.type));
    OWNED(json_doc)
    object =
        read_doc(STR("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\","
                     "\"labels\":{\"a\":\"b\"}},\"status\":{\"phase\":\"Active\"}}"));
    OWNED(json_doc) created = NULL;
    OWNED(json_doc) applied = NULL;
    CHECK_OK(managed_fields_update(&write, NULL, json_doc_root(object), &created));
    CHECK_OK(managed_fields_apply(&write, false, NULL, json_doc_root(object), &applied));
    const char *path = "metadata.managedFields.0.fieldsV1.f:status";
    CHECK(!json_path(json_doc_root(created), path));
    CHECK(!json_path(json_doc_root(applied), path));
    CHECK_EQ(json_count(json_path(json_doc_root(applied), "metadata.managedFields")), 1);
}

/* Sizes at which anything quadratic would take minutes. */
static void add_keys(struct buf *text, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_print(text, "%s\"k%zu\":\"\"", i ? "," : "", from + i);
}

TEST(large_objects_take_no_time)
{
    SCOPED(story) story = {.now = NOON};
    SCOPED(buf) rest = {.limit = 0};
    buf_add(&rest, STR("},\"data\":{"));
    add_keys(&rest, 0, 100000);
    buf_add_char(&rest, '}');
    CHECK_OK(try_apply(&story, "a", false, buf_c(&rest)));
    buf_clear(&rest);
    buf_add(&rest, STR("},\"data\":{"));
    add_keys(&rest, 50000, 100000);
    buf_add_char(&rest, '}');
    CHECK_OK(try_apply(&story, "a", false, buf_c(&rest)));
    CHECK_EQ(json_count(json_get(live_of(&story), STR("data"))), 100000);
}

TEST(many_managers_take_no_time)
{
    SCOPED(story) story = {.now = NOON};
    SCOPED(buf) rest = {.limit = 0};
    buf_add(&rest, STR(",\"managedFields\":["));
    for (size_t i = 0; i < 10000; i++)
        buf_print(&rest,
                  "%s{\"manager\":\"m%zu\",\"operation\":\"Apply\",\"apiVersion\":\"v1\","
                  "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{\"f:k%zu\":{}}}}",
                  i ? "," : "", i, i);
    buf_add(&rest, STR("]},\"data\":{"));
    add_keys(&rest, 0, 10000);
    buf_add_char(&rest, '}');
    story.live = config_map(buf_c(&rest));
    CHECK_OK(try_apply(&story, "m5", false, "}"));
    CHECK_EQ(json_count(json_path(live_of(&story), "metadata.managedFields")), 9999);
    CHECK_EQ(json_count(json_get(live_of(&story), STR("data"))), 9999);
}
