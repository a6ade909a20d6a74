/*
 * Another controller on the same set: Cluster API's, as far as it matters here. It reconciles when
 * the set changes, and with back-off after a failure; it tries its objects, writes the binding with
 * the time, and the conditions in its own words.
 */
#include "apimachinery/condition.h"
#include "apimachinery/guarded_patch.h"
#include "apimachinery/wellknown.h"
#include "base/timestamp.h"
#include "client/client.h"
#include "clusterresourceset/types/binding.h"
#include "json/edit.h"
#include "json/path.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define MANAGER  "cluster-api-controller-manager"
#define STATUS   "PATCH " CRS_FIXTURE_SET "/status"
#define BINDINGS "PATCH " CRS_FIXTURE_BINDINGS
#define EVENTS   "/apis/events.k8s.io/v1/namespaces/ns/events"

struct rival {
    struct client *client;
    struct scope running;
    bool says_applied; /* it looks at the last cluster alone, which has everything */
    duration glance;   /* how soon it notices that the set has changed */
    size_t tries;
};

/* The list with its condition; NULL if there is nothing to change. Every other condition stays. */
static struct json_doc *build_conditions(const struct json_value *conditions,
                                         enum condition_form form,
                                         const struct condition *condition, struct arena *arena)
{
    struct json_doc *doc = NULL;
    struct condition_list list;
    CHECK_OK(condition_list_read(arena, form, conditions, &list));
    if (!condition_list_set(&list, condition, loop_wall(loop_current())))
        return NULL;
    condition_list_sort(&list);
    CHECK_OK(condition_list_build(&list, &doc));
    return doc;
}

static struct error *write_rival_status(struct rival *rival, const struct object *set)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_edit) edit = {0};
    SCOPED(buf) patch = {0};
    OWNED(json_doc) after = NULL;
    const struct condition applied = {
        .type = STR("ResourcesApplied"),
        .status = rival->says_applied ? CONDITION_TRUE : CONDITION_FALSE,
        .reason = rival->says_applied ? STR("Applied") : STR("NotApplied"),
        .message = rival->says_applied ? STR("") : STR(CRS_FIXTURE_NOT_APPLIED),
        .observed_generation = object_generation(set)};
    const struct condition v1beta1 = {
        .type = STR("ResourcesApplied"),
        .status = applied.status,
        .reason = rival->says_applied ? STR("") : STR("ApplyFailed"),
        .severity = rival->says_applied ? STR("") : STR("Warning"),
        .message = rival->says_applied ? STR("") : STR("failed to create object in its words")};
    json_edit_init(&edit, object_root(set));
    OWNED(json_doc)
    conditions =
        build_conditions(object_path(set, "status.conditions"), CONDITION_METAV1, &applied, &arena);
    OWNED(json_doc)
    deprecated = build_conditions(object_path(set, "status.deprecated.v1beta1.conditions"),
                                  CONDITION_V1BETA1, &v1beta1, &arena);
    if (conditions)
        json_edit_set(&edit, JSON_PLACE("status.conditions"), json_doc_root(conditions));
    if (deprecated)
        json_edit_set(&edit, JSON_PLACE("status.deprecated.v1beta1.conditions"),
                      json_doc_root(deprecated));
    TRY(json_edit_finish(&edit, &after));
    TRY(guarded_patch_write(set, json_doc_root(after), &patch));
    if (!patch.len)
        return NULL;
    return client_patch(rival->client, GVR_CLUSTER_RESOURCE_SETS, object_key(set),
                        CLIENT_PATCH_MERGE, buf_str(&patch),
                        &(struct client_write_options){.subresource = STR("status")}, NULL);
}

static struct error *write_rival_binding(struct rival *rival, const struct object *set)
{
    char text[TIMESTAMP_TEXT_MAX];
    SCOPED(buf) patch = {0};
    OWNED(object) binding = NULL;
    OWNED(object) after = NULL;
    const struct binding_resource failed = {
        .ref = {RESOURCE_CONFIG_MAP, STR("cm1")},
        .hash = STR("sha256:theirs"),
        .last_applied_time = timestamp_write(loop_wall(loop_current()), text)
    };
    const struct key key = {STR("ns"), STR("c1")};
    TRY(client_get(rival->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, key, NULL, &binding));
    TRY(binding_record(
        binding,
        &(struct binding_change){.owner = crs_owner_reference(object_name(set), object_uid(set)),
                                 .resources = &failed,
                                 .count = 1,
                                 .named = &failed.ref,
                                 .named_count = 1},
        &after));
    TRY(guarded_patch_write(binding, object_root(after), &patch));
    if (!patch.len)
        return NULL;
    return client_patch(rival->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, key, CLIENT_PATCH_MERGE,
                        buf_str(&patch), NULL, NULL);
}

static struct error *reconcile_rival(struct rival *rival, const struct object *set)
{
    rival->tries++;
    TRY(error_ignore(write_rival_binding(rival, set), ERROR_CONFLICT));
    return error_ignore(write_rival_status(rival, set), ERROR_CONFLICT);
}

/* Errors are those of the process that ends. */
static struct error *run_rival(void *data)
{
    struct rival *rival = data;
    struct loop *loop = loop_current();
    int64_t next = 0;
    duration delay = 5 * MILLISECOND;
    SCOPED(buf) seen = {0};
    for (;;) {
        OWNED(object) set = NULL;
        TRY(client_get(rival->client, GVR_CLUSTER_RESOURCE_SETS,
                       (struct key){STR("ns"), STR("crs1")}, NULL, &set));
        if (!str_eq(object_resource_version(set), buf_str(&seen)) || loop_now(loop) >= next) {
            buf_clear(&seen);
            buf_add(&seen, object_resource_version(set));
            TRY(error_ignore(reconcile_rival(rival, set), ERROR_NOT_FOUND));
            delay = 2 * delay < 1000 * SECOND ? 2 * delay : 1000 * SECOND;
            next = loop_now(loop) + delay;
        }
        TRY(fiber_sleep(rival->glance));
    }
}

static void rival_start(struct rival *rival, struct crs_fixture *fixture)
{
    rival->glance = 50 * MILLISECOND;
    rival->client = client_new(
        loop_current(), &(struct client_options){.config = &fixture->config,
                                                 .network = fixture->apiserver.network,
                                                 .user_agent = STR(MANAGER "/v1.14.0 (linux)")});
    scope_start(&rival->running, "rival", run_rival, rival);
}

static void rival_done(struct rival *rival)
{
    scope_done(&rival->running);
    client_free(rival->client);
}

static size_t count_warnings(struct crs_fixture *fixture)
{
    size_t count = 0;
    const struct json_value *event;
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items")) {
        (void)key;
        if (!str_eq(json_path_str(event, "reason"), STR("OtherController")))
            continue;
        CHECK_EQ(json_path_str(event, "type"), STR("Warning"));
        CHECK_EQ(json_path_str(event, "note"),
                 STR(MANAGER " writes the conditions of this set, too. Two controllers should not "
                             "work on one set: see docs/howto-migrate.md"));
        count++;
    }
    return count;
}

SIM_TEST(a_message_in_other_words_is_no_reason_to_write)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(rival) rival = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED ": 1 of 1 clusters");
    CHECK_OK(fiber_sleep(5 * MINUTE)); /* our own retries are rare by now */
    rival_start(&rival, &fixture);
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
             STR("False/NotApplied/" CRS_FIXTURE_NOT_APPLIED));
    rival.tries = 0;
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    TEST_CASE("%zu tries of the other, %zu of the status, %zu of the binding, %zu POSTs",
              rival.tries, proxy_count(&fixture.management, STATUS),
              proxy_count(&fixture.management, BINDINGS),
              proxy_count(&fixture.workloads[0], "POST "));
    CHECK_EQ(proxy_count(&fixture.management, STATUS), 0);
    CHECK(proxy_count(&fixture.management, BINDINGS) < 10);
    CHECK(rival.tries < 5);
    CHECK_EQ(count_warnings(&fixture), 1);
    TEST_CASE("another outcome is written at once");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    rival.says_applied = true;
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True/Applied/");
}

/* They will never agree: it says that all is well, because the last of its clusters is. */
SIM_TEST(what_another_controller_denies_is_said_later_and_later)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(rival) rival = {.says_applied = true};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_OK(fiber_sleep(5 * MINUTE)); /* our own retries are rare by now */
    crs_fixture_forget(&fixture);
    rival_start(&rival, &fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    TEST_CASE("%zu tries of the other, %zu of the status", rival.tries,
              proxy_count(&fixture.management, STATUS));
    CHECK(proxy_count(&fixture.management, STATUS) <= 12);
    CHECK_EQ(count_warnings(&fixture), 1);
    crs_fixture_forget(&fixture);
    rival.glance = 5 * SECOND;
    CHECK_OK(fiber_sleep(HOUR));
    CHECK(proxy_count(&fixture.management, STATUS) <= 40);
    CHECK_EQ(count_warnings(&fixture), 1);
    TEST_CASE("somebody changes something, and is told at once");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "b", "1"));
    const int64_t changed = loop_now(loop_current());
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK(crs_fixture_seconds_since(changed) < 10);
}
